// Package value answers: which value does a file or a flag mean? It turns each form
// that JSON, a flag or another program uses into the one Go type that a parameter's
// kind has (false where a form means nothing), and writes numbers in words.
package value

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Bool reads true and false, in words too.
func Bool(v any) (any, bool) {
	switch v := v.(type) {
	case bool:
		return v, true
	case string:
		switch strings.ToLower(strings.TrimSpace(v)) {
		case "true", "yes", "on", "1":
			return true, true
		case "false", "no", "off", "0":
			return false, true
		}
	}
	return nil, false
}

// Int returns an int64; a number with a fraction is none.
func Int(v any) (any, bool) {
	switch v := v.(type) {
	case int:
		return int64(v), true
	case int32:
		return int64(v), true
	case int64:
		return v, true
	case uint64:
		return int64(v), v <= math.MaxInt64
	case float64:
		return int64(v), v == math.Trunc(v) && math.Abs(v) < 1<<62
	case json.Number:
		return Int(v.String())
	case string:
		s := strings.TrimSpace(v)
		if n, err := strconv.ParseInt(s, 10, 64); err == nil {
			return n, true
		}
		if f, err := strconv.ParseFloat(s, 64); err == nil {
			return Int(f)
		}
	}
	return nil, false
}

// Uint returns a uint64.
func Uint(v any) (any, bool) {
	switch v := v.(type) {
	case uint64:
		return v, true
	case int:
		return uint64(v), v >= 0
	case int64:
		return uint64(v), v >= 0
	case float64:
		return uint64(v), v == math.Trunc(v) && v >= 0 && v < math.MaxUint64
	case json.Number:
		return Uint(v.String())
	case string:
		n, err := strconv.ParseUint(strings.TrimSpace(v), 10, 64)
		return n, err == nil
	}
	return nil, false
}

// Float returns a finite float64.
func Float(v any) (any, bool) {
	var f float64
	switch v := v.(type) {
	case float64:
		f = v
	case float32:
		f = float64(v)
	case int:
		f = float64(v)
	case int64:
		f = float64(v)
	case uint64:
		f = float64(v)
	case json.Number:
		return Float(v.String())
	case string:
		var err error
		if f, err = strconv.ParseFloat(strings.TrimSpace(v), 64); err != nil {
			return nil, false
		}
	default:
		return nil, false
	}
	return f, !math.IsNaN(f) && !math.IsInf(f, 0)
}

// Choice returns a word in lower case; a list of words is joined by commas.
func Choice(v any) (any, bool) {
	switch v := v.(type) {
	case bool:
		return strconv.FormatBool(v), true
	case json.Number:
		return v.String(), true
	case string:
		return strings.ToLower(strings.TrimSpace(v)), true
	case []any: // an order as a list of stages
		names := make([]string, len(v))
		for i, x := range v {
			s, ok := x.(string)
			if !ok {
				return nil, false
			}
			names[i] = strings.ToLower(strings.TrimSpace(s))
		}
		return strings.Join(names, ","), len(names) > 0
	}
	return nil, false
}

// Text stores structured values as canonical JSON text.
func Text(v any) (any, bool) {
	switch v := v.(type) {
	case string:
		return v, true
	case nil:
		return "", true
	}
	b, err := json.Marshal(v)
	return string(b), err == nil
}

// List returns a []string of its own.
func List(v any) (any, bool) {
	switch v := v.(type) {
	case string:
		return []string{v}, true
	case []string:
		return append([]string{}, v...), true
	case []any:
		out := make([]string, 0, len(v))
		for _, x := range v {
			s, ok := x.(string)
			if !ok {
				return nil, false
			}
			out = append(out, s)
		}
		return out, true
	}
	return nil, false
}

// IDs returns token ids as an []int32 of its own.
func IDs(v any) (any, bool) {
	switch v := v.(type) {
	case []int32:
		return append([]int32{}, v...), true
	case []int:
		out := make([]int32, len(v))
		for i, x := range v {
			out[i] = int32(x)
		}
		return out, true
	case []any:
		out := make([]int32, 0, len(v))
		for _, x := range v {
			n, ok := Int(x)
			if !ok || n.(int64) < 0 || n.(int64) > math.MaxInt32 {
				return nil, false
			}
			out = append(out, int32(n.(int64)))
		}
		return out, true
	case nil:
		return []int32{}, true
	}
	if n, ok := Int(v); ok && n.(int64) >= 0 && n.(int64) <= math.MaxInt32 {
		return []int32{int32(n.(int64))}, true
	}
	return nil, false
}

// Seqs returns a [][]int32, of no empty sequence.
func Seqs(v any) (any, bool) {
	switch v := v.(type) {
	case [][]int32:
		return append([][]int32{}, v...), true
	case []any:
		out := make([][]int32, 0, len(v))
		for _, x := range v {
			ids, ok := IDs(x)
			if !ok || len(ids.([]int32)) == 0 {
				return nil, false
			}
			out = append(out, ids.([]int32))
		}
		return out, true
	case nil:
		return [][]int32{}, true
	}
	return nil, false
}

// Equal reports whether two values of one kind are the same, lists item by item.
func Equal(a, b any) bool {
	switch a := a.(type) {
	case []string:
		b, ok := b.([]string)
		return ok && slices.Equal(a, b)
	case []TokenBias:
		b, ok := b.([]TokenBias)
		return ok && slices.EqualFunc(a, b, func(x, y TokenBias) bool {
			return x.Bias == y.Bias && x.Text == y.Text && slices.Equal(x.Tokens, y.Tokens)
		})
	case []int32:
		b, ok := b.([]int32)
		return ok && slices.Equal(a, b)
	case [][]int32:
		b, ok := b.([][]int32)
		return ok && slices.EqualFunc(a, b, slices.Equal)
	}
	return a == b
}

// Number returns a value of a numeric kind as a float64; false for another.
func Number(v any) (float64, bool) {
	switch v := v.(type) {
	case float64:
		return v, true
	case int64:
		return float64(v), true
	case int:
		return float64(v), true
	case uint64:
		return float64(v), true
	}
	return 0, false
}

// PointFor returns a number that s writes with a decimal comma as it must be
// written, and whether s is one: "0,7" is 0.7.
func PointFor(s string) (string, bool) {
	with := strings.Replace(strings.TrimSpace(s), ",", ".", 1)
	_, ok := Float(with)
	return with, ok && strings.Contains(s, ",")
}
