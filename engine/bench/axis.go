package bench

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"logitscope/sampling"
	"logitscope/sampling/param"
)

// MaxCells is the most points a grid may have.
const MaxCells = 10_000

// ParseAxis reads an axis as the command line gives it: KEY=FROM:TO:STEP, both
// ends included, or KEY=VALUE,VALUE,…. The error names the key and what is
// allowed.
func ParseAxis(spec string) (Axis, error) {
	key, list, ok := strings.Cut(spec, "=")
	key, list = strings.TrimSpace(key), strings.TrimSpace(list)
	if !ok || list == "" {
		return Axis{}, fmt.Errorf("%s: want key=from:to:step or key=value,value", spec)
	}
	a := Axis{Key: key}
	if special[key] {
		return parseNames(a, list)
	}
	p, ok := param.Lookup(key)
	if !ok {
		_, err := sampling.Config{}.With(key, list, sampling.FromFlag)
		return a, fmt.Errorf("%s: %w", key, err)
	}
	switch {
	case key == "seed":
		return a, fmt.Errorf("seed: no axis; every cell is decoded with each seed")
	case p.Kind >= param.Text:
		return a, fmt.Errorf("%s: not an axis; want a parameter with one number or word", key)
	}
	texts := strings.Split(list, ",")
	if parts := strings.Split(list, ":"); len(parts) > 1 && p.Kind != param.Choice {
		var err error
		if texts, err = progression(parts); err != nil {
			return a, fmt.Errorf("%s: %w", key, err)
		}
	}
	for _, t := range texts {
		v, err := p.Parse(t)
		if err == nil {
			_, err = sampling.Config{}.With(key, v, sampling.FromFlag)
		}
		if err != nil {
			return a, err
		}
		for _, old := range a.Values {
			if reflect.DeepEqual(old, v) {
				return a, fmt.Errorf("%s: %s is listed twice", key, strings.TrimSpace(t))
			}
		}
		a.Values = append(a.Values, v)
	}
	return a, nil
}

// progression returns the numbers from parts[0] to parts[1], that one
// included if a whole number of steps leads there. They are written in the
// decimals of the parts, so that 0.1:0.5:0.2 has 0.3 and not 0.30000000000000004.
func progression(parts []string) ([]string, error) {
	if len(parts) != 3 {
		return nil, fmt.Errorf("%s: want from:to:step", strings.Join(parts, ":"))
	}
	var x [3]float64
	decimals := 0
	for i, s := range parts {
		s = strings.TrimSpace(s)
		f, err := strconv.ParseFloat(s, 64)
		if err != nil || math.IsInf(f, 0) || math.IsNaN(f) {
			return nil, fmt.Errorf("%s: want numbers from:to:step, with a dot as decimal point", strings.Join(parts, ":"))
		}
		x[i] = f
		plain := strconv.FormatFloat(f, 'f', -1, 64)
		if at := strings.IndexByte(plain, '.'); at >= 0 && i != 1 {
			decimals = max(decimals, len(plain)-at-1)
		}
	}
	from, to, step := x[0], x[1], x[2]
	steps := (to - from) / step
	if step == 0 || steps < 0 || math.IsNaN(steps) {
		return nil, fmt.Errorf("%s: no number of steps of %g leads from %g to %g", strings.Join(parts, ":"), step, from, to)
	}
	if steps >= MaxCells {
		return nil, fmt.Errorf("%s: more than %d values", strings.Join(parts, ":"), MaxCells)
	}
	var out []string
	for i := range int(math.Floor(steps+1e-9)) + 1 {
		out = append(out, strconv.FormatFloat(from+float64(i)*step, 'f', decimals, 64))
	}
	return out, nil
}

// Axes that are not parameters. Their values are names, and for constraint
// [On] and [Off].
const (
	ModelAxis      = "model"
	PresetAxis     = "preset"
	ConstraintAxis = "constraint"

	On  = "on"
	Off = "off"
)

var special = map[string]bool{ModelAxis: true, PresetAxis: true, ConstraintAxis: true}

// A Settle returns the backend and the settings of a model and a preset, which
// are empty where no axis names them.
type Settle func(model, preset string) (*Backend, sampling.Config, error)

// parseNames reads the values of an axis that is not a parameter.
func parseNames(a Axis, list string) (Axis, error) {
	for name := range strings.SplitSeq(list, ",") {
		name = strings.TrimSpace(name)
		switch {
		case name == "":
			return a, fmt.Errorf("%s: a name is missing", a.Key)
		case a.Key == ConstraintAxis && name != On && name != Off:
			return a, fmt.Errorf("constraint: %s: must be on or off", name)
		case slices.Contains(a.Values, any(name)):
			return a, fmt.Errorf("%s: %s is listed twice", a.Key, name)
		}
		a.Values = append(a.Values, name)
	}
	return a, nil
}

// Points returns the configs of the points of axes over base, named by their
// values. The error names a parameter that two axes vary, or a point that is
// not allowed.
func Points(b *Backend, base sampling.Config, axes []Axis, settle Settle) ([]Config, error) {
	list, err := points(b, base, axes, settle)
	if err != nil {
		return nil, err
	}
	g := &Grid{Axes: axes, Cells: list}
	var out []Config
	for i, p := range list {
		out = append(out, Config{g.point(i), p.backend, p.Config})
	}
	return out, nil
}

func points(b *Backend, base sampling.Config, axes []Axis, settle Settle) ([]Point, error) {
	n := 1
	for i, a := range axes {
		for _, b := range axes[:i] {
			if a.Key == b.Key {
				return nil, fmt.Errorf("%s: two axes vary it", a.Key)
			}
		}
		if len(a.Values) == 0 {
			return nil, fmt.Errorf("%s: no values", a.Key)
		}
		if n *= len(a.Values); n > MaxCells {
			return nil, fmt.Errorf("the grid has more than %d points", MaxCells)
		}
	}
	cells := make([]Point, n)
	for i := range cells {
		c := Point{At: make([]int, len(axes)), Config: base, backend: b}
		names := map[string]string{}
		for k, rest := len(axes)-1, i; k >= 0; k-- {
			c.At[k] = rest % len(axes[k].Values)
			rest /= len(axes[k].Values)
			if special[axes[k].Key] {
				names[axes[k].Key] = axes[k].Values[c.At[k]].(string)
			}
		}
		var err error
		if names[ModelAxis] != "" || names[PresetAxis] != "" {
			if c.backend, c.Config, err = settle(names[ModelAxis], names[PresetAxis]); err != nil {
				return nil, err
			}
		}
		for k, a := range axes {
			if special[a.Key] {
				continue
			}
			if c.Config, err = c.Config.With(a.Key, a.Values[c.At[k]], sampling.FromFlag); err != nil {
				return nil, err
			}
		}
		switch names[ConstraintAxis] {
		case Off:
			c.Config = c.Config.Without("constraint")
		case On:
			if c.Config.Text("constraint") == "" {
				return nil, errors.New("constraint=on: there is no constraint to switch on")
			}
		}
		cells[i] = c
	}
	return cells, nil
}
