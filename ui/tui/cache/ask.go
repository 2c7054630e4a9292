package cache

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	"logitscope/engine/cost"
	"logitscope/sampling/value"
	"logitscope/viz"
)

// An ask is what the arithmetic is asked for: a slider of steps, or any number
// typed within its range.
type ask struct {
	name  string
	unit  string
	help  string
	steps []float64
	least float64
	most  float64
	value float64
}

// The asks, by their place.
const (
	askTokens = iota
	askTexts
	askKV
	askWeights
	askBytes
	askOps
	nAsks
)

func newAsks() [nAsks]ask {
	return [nAsks]ask{
		askTokens:  {"tokens a text", "", "How many tokens the text has, prompt and all.", doubled(512, 9), 1, 1 << 24, 8192},
		askTexts:   {"texts at once", "", "How many texts share one reading of the weights. Try 16.", doubled(1, 9), 1, 4096, 1},
		askKV:      {"numbers of KV", " bytes", "Bytes for each number in the cache: 4 is f32, 2 is f16, 1 is 8 bits.", []float64{1, 2, 4}, 1, 4, 2},
		askWeights: {"of weights", " bytes", "Bytes for each weight: 2 is 16 bits, 1 is 8 bits, 0.5 is 4 bits.", []float64{0.5, 1, 2, 4}, 0.25, 4, 2},
		askBytes:   {"bytes a second", " G", "What the machine reads from its memory, in 1e9 bytes a second.", []float64{50, 100, 400, 936, 2039, 3350, 4800, 8000}, 1, 1e6, 3350},
		askOps:     {"operations a second", " T", "What the machine computes, in 1e12 operations a second.", []float64{1, 10, 71, 165, 312, 989, 2250}, 0.001, 1e6, 989},
	}
}

func doubled(from float64, n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = from * math.Pow(2, float64(i))
	}
	return out
}

// nudge moves to the next step above or below, and reports whether there is
// one.
func (a *ask) nudge(d int) bool {
	to := a.value
	for i := range a.steps {
		if s := a.steps[i]; d > 0 && s > a.value {
			to = s
			break
		}
		if s := a.steps[len(a.steps)-1-i]; d < 0 && s < a.value {
			to = s
			break
		}
	}
	moved := to != a.value
	a.value = to
	return moved
}

// thousands are numbers with commas as the screen writes them; any other comma
// is somebody's decimal point.
var thousands = regexp.MustCompile(`^[0-9]{1,3}(,[0-9]{3})+(\.[0-9]*)?$`)

// takes reports whether text is a number in the range.
func (a *ask) takes(text string) bool {
	v, err := strconv.ParseFloat(text, 64)
	return err == nil && v >= a.least && v <= a.most
}

// set takes a typed number.
func (a *ask) set(text string) error {
	text = strings.TrimSpace(text)
	plain := text
	if thousands.MatchString(text) {
		plain = strings.ReplaceAll(text, ",", "")
	}
	if !a.takes(plain) {
		hint := ""
		if with, ok := value.PointFor(text); ok && plain == text && a.takes(with) {
			hint = "; the decimal point is a dot: " + with
		}
		return fmt.Errorf("%s %q: want a number from %s to %s%s", a.name, viz.Cut(text, 20), number(a.least), number(a.most), hint)
	}
	a.value, _ = strconv.ParseFloat(plain, 64)
	return nil
}

// frac is where the value stands on its track.
func (a *ask) frac() float64 {
	n := 0
	for _, s := range a.steps {
		if s < a.value {
			n++
		}
	}
	return float64(n) / float64(len(a.steps)-1)
}

func (a *ask) words() string { return number(a.value) + a.unit }

// number writes a number that was typed or chosen.
func number(x float64) string {
	if x == math.Trunc(x) && math.Abs(x) < 1e15 {
		return viz.Count(int(x))
	}
	return strconv.FormatFloat(x, 'g', 4, 64)
}

// asked is a shape as the sliders have it.
func (v *View) asked(s cost.Shape) cost.Shape {
	s.NumberBytes = int(v.asks[askKV].value)
	s.WeightBytes = v.asks[askWeights].value
	return s
}

func (v *View) machine() cost.Machine {
	return cost.Machine{Bytes: v.asks[askBytes].value * 1e9, Ops: v.asks[askOps].value * 1e12}
}

func (v *View) tokens() int { return int(v.asks[askTokens].value) }
func (v *View) texts() int  { return int(v.asks[askTexts].value) }
