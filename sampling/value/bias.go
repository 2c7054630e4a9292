package value

import (
	"math"
	"sort"
	"strconv"
	"strings"
)

// Bias reads {"1234": -100, " word": 2}, [[1234, -100], ["word", 2],
// [[1, 2], -5]] and [{"tokens": …, "text": …, "bias": …}]. A key of an object
// that is a whole number is a token id.
func Bias(v any) (any, bool) {
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
		ids, ok := IDs(w)
		if !ok || len(ids.([]int32)) == 0 {
			return b, false
		}
		b.Tokens = ids.([]int32)
		return b, true
	}
	// An engine ignores an id it does not have, so a negative one is kept.
	n, ok := Int(what)
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
	f, ok := Float(v)
	if !ok {
		return 0, false
	}
	return f.(float64), true
}

// A TokenBias is a number added to the logit of a token, or of the last token
// of a sequence once the tokens before it have been written. Tokens is the
// sequence; if it is nil, Text is encoded when a pipeline is compiled.
type TokenBias struct {
	Tokens []int32
	Text   string
	Bias   float64 // -Inf bans
}

// String returns the token, or the tokens or the text in quotes, and the bias.
func (b TokenBias) String() string { return b.name() + " " + signed(b.Bias) }

func (b TokenBias) name() string {
	if b.Tokens == nil {
		return strconv.Quote(b.Text)
	}
	ids := make([]string, len(b.Tokens))
	for i, id := range b.Tokens {
		ids[i] = strconv.Itoa(int(id))
	}
	return strings.Join(ids, "·")
}

func signed(f float64) string {
	if math.IsInf(f, -1) {
		return "ban"
	}
	return strconv.FormatFloat(f, 'g', -1, 64)
}
