package bench

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"

	"logitscope/sampling"
	"logitscope/sampling/param"
	"logitscope/sampling/value"
)

// A Range is a parameter and the values a search may give it: all between two
// numbers, or some.
type Range struct {
	Key    string
	Lo, Hi any   // ends, where it is a range
	Values []any // its values, where they are listed
}

// ParseRange reads a range as the command line gives it: KEY=FROM:TO or
// KEY=VALUE,VALUE,….
func ParseRange(spec string) (Range, error) {
	key, list, ok := strings.Cut(spec, "=")
	r := Range{Key: strings.TrimSpace(key)}
	lo, hi, isRange := strings.Cut(list, ":")
	if !ok || !isRange || strings.ContainsRune(hi, ':') {
		a, err := ParseAxis(spec)
		if special[a.Key] {
			return r, fmt.Errorf("%s: must be a parameter", a.Key)
		}
		if err == nil && len(a.Values) < 2 {
			err = fmt.Errorf("%s: must have two values or more", a.Key)
		}
		r.Values = a.Values
		return r, err
	}
	p, ok := param.Lookup(r.Key)
	if !ok || p.Kind != param.Int && p.Kind != param.Float {
		_, err := ParseAxis(r.Key + "=" + lo)
		return r, cmp.Or(err, fmt.Errorf("%s: must be a number to have a range", r.Key))
	}
	var err error
	if r.Lo, err = parseValue(p, lo); err == nil {
		r.Hi, err = parseValue(p, hi)
	}
	if lo, hi := r.bounds(); err == nil && lo >= hi {
		err = fmt.Errorf("%s=%s: the first end must be below the second", r.Key, list)
	}
	return r, err
}

func parseValue(p *param.Param, text string) (any, error) {
	v, err := p.Parse(strings.TrimSpace(text))
	if err == nil {
		_, err = sampling.Config{}.With(p.Key, v, sampling.FromFlag)
	}
	return v, err
}

// bounds are Lo and Hi as numbers.
func (r *Range) bounds() (lo, hi float64) {
	lo, _ = value.Number(r.Lo)
	hi, _ = value.Number(r.Hi)
	return lo, hi
}

// at returns the value at a place from 0 to 1: numbers have as many digits as a
// person would write.
func (r *Range) at(u float64) any {
	if r.Values != nil {
		return r.Values[min(int(u*float64(len(r.Values))), len(r.Values)-1)]
	}
	lo, hi := r.bounds()
	x := lo + u*(hi-lo)
	if _, whole := r.Lo.(int64); whole {
		return int64(math.Round(x))
	}
	digits := max(0, 2-int(math.Floor(math.Log10(hi-lo))))
	x, _ = strconv.ParseFloat(strconv.FormatFloat(x, 'f', digits, 64), 64)
	return min(max(x, lo), hi)
}

// ends returns the two values farthest apart.
func (r *Range) ends() [2]any {
	if r.Values != nil {
		return [2]any{r.Values[0], r.Values[len(r.Values)-1]}
	}
	return [2]any{r.Lo, r.Hi}
}

// A Bound is a condition on a metric: at most or at least a value.
type Bound struct {
	Metric int // in [Metrics]
	Most   bool
	Value  float64
}

// ParseBound reads a bound such as loop<=0.01.
func ParseBound(text string) (Bound, error) {
	for _, sign := range []string{"<=", ">="} {
		key, value, ok := strings.Cut(text, sign)
		if !ok {
			continue
		}
		k := MetricNamed(strings.TrimSpace(key))
		x, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
		if k < 0 || err != nil || math.IsNaN(x) {
			break
		}
		return Bound{k, sign == "<=", x}, nil
	}
	var keys []string
	for _, m := range metrics {
		keys = append(keys, m.Key)
	}
	return Bound{}, fmt.Errorf("%s: must be a metric, <= or >=, and a number; metrics are %s", strconv.Quote(text), strings.Join(keys, ", "))
}

func (b Bound) holds(x float64) bool { return b.Most && x <= b.Value || !b.Most && x >= b.Value }
