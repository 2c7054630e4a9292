package sampling

import (
	"encoding/json"
	"math"
	"sort"
	"strconv"
	"strings"
)

// normalise turns any form a file or flag may use into the one type the
// parameter's kind names, and checks it against the table.
func (p *Param) normalise(v any) (any, error) {
	if p.Key == "order" {
		return p.normaliseOrder(v)
	}
	if s, ok := v.(string); ok && p.Kind >= Bias {
		return p.Parse(s)
	}
	val, ok := p.convert(v)
	if !ok {
		return nil, p.wrongForm()
	}
	// Engines compute in float32: what is 0 there is 0.
	if f, ok := val.(float64); ok && float32(f) == 0 {
		if val = 0.0; p.outside(0) {
			return nil, p.check(f)
		}
	}
	return val, p.check(val)
}

// normaliseOrder reads an order as a name or a list of stages.
func (p *Param) normaliseOrder(v any) (any, error) {
	text, ok := v.(string)
	if !ok {
		list, ok := toList(v)
		if !ok {
			return nil, p.wrongForm()
		}
		text = strings.Join(list.([]string), ",")
	}
	o, err := ParseOrder(text)
	return o.Name(), err
}

func (p *Param) convert(v any) (any, bool) {
	if s, ok := v.(string); ok && p.Kind >= Bias {
		val, err := p.Parse(s)
		return val, err == nil
	}
	switch p.Kind {
	case Bool:
		return toBool(v)
	case Int:
		return toInt(v)
	case Uint:
		return toUint(v)
	case Float:
		return toFloat(v)
	case Choice:
		return toChoice(v)
	case Text:
		return toText(v)
	case List:
		return toList(v)
	case Bias:
		return toBias(v)
	case IDs:
		return toIDs(v)
	case Seqs:
		return toSeqs(v)
	}
	return nil, false
}

func toBool(v any) (any, bool) {
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

func toInt(v any) (any, bool) {
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
		return toInt(v.String())
	case string:
		s := strings.TrimSpace(v)
		if n, err := strconv.ParseInt(s, 10, 64); err == nil {
			return n, true
		}
		if f, err := strconv.ParseFloat(s, 64); err == nil {
			return toInt(f)
		}
	}
	return nil, false
}

func toUint(v any) (any, bool) {
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
		return toUint(v.String())
	case string:
		n, err := strconv.ParseUint(strings.TrimSpace(v), 10, 64)
		return n, err == nil
	}
	return nil, false
}

func toFloat(v any) (any, bool) {
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
		return toFloat(v.String())
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

func toChoice(v any) (any, bool) {
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

// toText stores structured values as canonical JSON text.
func toText(v any) (any, bool) {
	switch v := v.(type) {
	case string:
		return v, true
	case nil:
		return "", true
	}
	b, err := json.Marshal(v)
	return string(b), err == nil
}

func toList(v any) (any, bool) {
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

func toIDs(v any) (any, bool) {
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
			n, ok := toInt(x)
			if !ok || n.(int64) < 0 || n.(int64) > math.MaxInt32 {
				return nil, false
			}
			out = append(out, int32(n.(int64)))
		}
		return out, true
	case nil:
		return []int32{}, true
	}
	if n, ok := toInt(v); ok && n.(int64) >= 0 && n.(int64) <= math.MaxInt32 {
		return []int32{int32(n.(int64))}, true
	}
	return nil, false
}

func toSeqs(v any) (any, bool) {
	switch v := v.(type) {
	case [][]int32:
		return append([][]int32{}, v...), true
	case []any:
		out := make([][]int32, 0, len(v))
		for _, x := range v {
			ids, ok := toIDs(x)
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

// toBias reads {"1234": -100, " word": 2}, [[1234, -100], ["word", 2],
// [[1, 2], -5]] and [{"tokens": …, "text": …, "bias": …}]. A key of an object
// that is a whole number is a token id.
func toBias(v any) (any, bool) {
	switch v := v.(type) {
	case []TokenBias:
		return append([]TokenBias{}, v...), true
	case nil:
		return []TokenBias{}, true
	case map[string]any:
		keys := make([]string, 0, len(v))
		for k := range v {
			keys = append(keys, k)
		}
		sort.Strings(keys)
		out := make([]TokenBias, 0, len(v))
		for _, k := range keys {
			b := TokenBias{Text: k}
			if id, err := strconv.ParseInt(k, 10, 32); err == nil {
				b = TokenBias{Tokens: []int32{int32(id)}}
			}
			var ok bool
			if b.Bias, ok = toBiasValue(v[k]); !ok {
				return nil, false
			}
			out = append(out, b)
		}
		return out, true
	case []any:
		out := make([]TokenBias, 0, len(v))
		for _, x := range v {
			b, ok := toTokenBias(x)
			if !ok {
				return nil, false
			}
			out = append(out, b)
		}
		return out, true
	}
	return nil, false
}

func toTokenBias(v any) (b TokenBias, ok bool) {
	var what, bias any
	switch v := v.(type) {
	case []any:
		if len(v) != 2 {
			return b, false
		}
		what, bias = v[0], v[1]
	case map[string]any:
		for k, x := range v {
			switch k {
			case "bias":
				bias = x
			case "tokens", "text", "token":
				what = x
			default:
				return b, false
			}
		}
	default:
		return b, false
	}
	if b.Bias, ok = toBiasValue(bias); !ok {
		return b, false
	}
	switch w := what.(type) {
	case string:
		b.Text = w
		return b, w != ""
	case []any:
		ids, ok := toIDs(w)
		if !ok || len(ids.([]int32)) == 0 {
			return b, false
		}
		b.Tokens = ids.([]int32)
		return b, true
	}
	// An engine ignores an id it does not have, so a negative one is kept.
	n, ok := toInt(what)
	if !ok || n.(int64) < math.MinInt32 || n.(int64) > math.MaxInt32 {
		return b, false
	}
	b.Tokens = []int32{int32(n.(int64))}
	return b, true
}

// toBiasValue reads a bias; "-inf", "ban" and false ban.
func toBiasValue(v any) (float64, bool) {
	switch v := v.(type) {
	case bool:
		return math.Inf(-1), !v
	case string:
		switch strings.ToLower(v) {
		case "-inf", "-infinity", "ban", "false":
			return math.Inf(-1), true
		}
	case float64:
		if math.IsInf(v, -1) {
			return v, true
		}
	}
	f, ok := toFloat(v)
	if !ok {
		return 0, false
	}
	return f.(float64), true
}
