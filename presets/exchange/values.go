package exchange

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"logitscope/presets/exchange/carrier"
	"logitscope/sampling/value"
)

// Functions that turn a value of another engine into ours and back.

// number reads a JSON number, or a text that is one.
func number(v any) (float64, bool) {
	switch v := v.(type) {
	case json.Number:
		f, err := v.Float64()
		return f, err == nil
	case float64:
		return v, true
	case float32:
		return float64(v), true
	case int64:
		return float64(v), true
	case int32:
		return float64(v), true
	case uint32:
		return float64(v), true
	case uint64:
		return float64(v), true
	case int:
		return float64(v), true
	case string:
		f, err := strconv.ParseFloat(strings.TrimSpace(v), 64)
		return f, err == nil
	}
	return 0, false
}

// randomBelowZero reads a seed below zero as none: it is random there.
func randomBelowZero(v any) (any, error) {
	if f, ok := number(v); ok && f < 0 {
		return nil, nil
	}
	return v, nil
}

// seed32 refuses seeds that llama.cpp has no room for: 32 bits, of which the
// largest number stands for a random one.
func seed32(v any) (any, error) {
	if s := v.(uint64); s >= math.MaxUint32 {
		return nil, errors.New("a seed there is a number up to 4294967294; 4294967295 means a random one")
	}
	return v, nil
}

// seed63 refuses seeds that a signed integer of 64 bits has no room for.
func seed63(v any) (any, error) {
	if v.(uint64) > math.MaxInt64 {
		return nil, errors.New("a seed there is a number up to 9223372036854775807")
	}
	return v, nil
}

// offBelowZero reads a number below zero as zero: off.
func offBelowZero(v any) (any, error) {
	if f, ok := number(v); ok && f < 0 {
		return int64(0), nil
	}
	return v, nil
}

// offAtMinusOne reads -1 as off where off is zero; the engine refuses less.
func offAtMinusOne(v any) (any, error) {
	switch f, ok := number(v); {
	case ok && f == -1:
		return int64(0), nil
	case ok && f < 0:
		return nil, errors.New("want a whole number, 0 or more, or -1 for off")
	}
	return v, nil
}

// offAtZero reads zero as off where off is 1.
func offAtZero(v any) (any, error) {
	if f, ok := number(v); ok && f == 0 {
		return 1.0, nil
	}
	return v, nil
}

// unlimited reads a number below zero (until the context is full, or all of
// it) as a number that no text reaches, and unlimitedOut writes it back.
func unlimited(v any) (any, error) {
	if f, ok := number(v); ok && f < 0 {
		return int64(math.MaxInt32), nil
	}
	return v, nil
}

func unlimitedOut(v any) (any, error) {
	if n, ok := v.(int64); ok && n == math.MaxInt32 {
		return int64(-1), nil
	}
	return v, nil
}

// within refuses numbers that a target does not take.
func within(lo, hi float64) func(v any) (any, error) {
	return func(v any) (any, error) {
		if f, ok := number(v); ok && (f < lo || f > hi) {
			return nil, fmt.Errorf("out of range there, %g to %g", lo, hi)
		}
		return v, nil
	}
}

// scaled writes a number in another unit, and scaledIn reads it.
func scaled(unit float64) func(v any) (any, error) {
	return func(v any) (any, error) { return decimal(v.(float64) / unit), nil }
}

func scaledIn(unit float64) func(v any) (any, error) {
	return func(v any) (any, error) {
		f, ok := number(v)
		if !ok {
			return nil, errors.New("must be a number")
		}
		return decimal(f * unit), nil
	}
}

// decimal takes off what binary fractions add to a decimal one.
func decimal(f float64) float64 {
	short, err := strconv.ParseFloat(strconv.FormatFloat(f, 'g', 12, 64), 64)
	if err != nil {
		return f
	}
	return short
}

// listOrOne reads a list, or a single text as a list of one.
func listOrOne(v any) (any, error) {
	switch v := v.(type) {
	case string:
		return []any{v}, nil
	case []any:
		for _, x := range v {
			if _, ok := x.(string); !ok {
				return nil, errors.New("must be a text or a list of texts")
			}
		}
		return v, nil
	}
	return nil, errors.New("must be a text or a list of texts")
}

// errSome says that some of a list is left out; the rest is written.
type errSome struct{ text string }

func (e errSome) Error() string { return e.text }

// withoutEmpty leaves empty stops out: they would end a text at once, or are
// refused.
func withoutEmpty(v any) (any, error) {
	var out []string
	for _, s := range v.([]string) {
		if s != "" {
			out = append(out, s)
		}
	}
	switch {
	case len(out) == len(v.([]string)):
		return v, nil
	case len(out) == 0:
		return nil, errors.New("an empty text cannot be a stop there")
	}
	return out, errSome{"the empty text cannot be a stop there"}
}

// fourStops is withoutEmpty for an API that takes four.
func fourStops(v any) (any, error) {
	out, err := withoutEmpty(v)
	if list, ok := out.([]string); ok && len(list) > 4 {
		return list[:4], errSome{fmt.Sprintf("at most 4 texts are taken; %d are left out", len(list)-4)}
	}
	return out, err
}

// idsOrOne reads a list of ids, or one id.
func idsOrOne(v any) (any, error) {
	if _, ok := number(v); ok {
		return []any{v}, nil
	}
	return v, nil
}

// idsOut writes a single id alone.
func idsOut(v any) (any, error) {
	if ids, ok := v.([]int32); ok && len(ids) == 1 {
		return ids[0], nil
	}
	return v, nil
}

// maxBias is the largest bias that the API of OpenAI allows, and to which vLLM
// brings a larger one down.
const maxBias = 100

// biasMap writes biases as an object of id and bias. A text or a sequence has
// no place in it.
func biasMap(v any) (any, error) {
	out := carrier.Object{}
	for _, b := range v.([]value.TokenBias) {
		if len(b.Tokens) != 1 {
			return nil, fmt.Errorf("only biases of single token ids can be written; %s is not one", biasName(b))
		}
		if math.IsInf(b.Bias, -1) {
			return nil, errBan(b)
		}
		out = append(out, carrier.Entry{Key: strconv.Itoa(int(b.Tokens[0])), Value: min(max(b.Bias, -maxBias), maxBias)})
	}
	return out, nil
}

// singleBiases refuses what is not a bias of a single id.
func singleBiases(v any) (any, error) {
	for _, b := range v.([]value.TokenBias) {
		if len(b.Tokens) != 1 {
			return nil, fmt.Errorf("only biases of single token ids can be written; %s is not one", biasName(b))
		}
	}
	return v, nil
}

// biasPairs writes biases as a list of pairs, texts allowed.
func biasPairs(v any) (any, error) {
	out := [][2]any{}
	for _, b := range v.([]value.TokenBias) {
		var key any = b.Text
		switch len(b.Tokens) {
		case 0:
		case 1:
			key = b.Tokens[0]
		default:
			return nil, fmt.Errorf("biases of sequences cannot be written; %s is one", biasName(b))
		}
		var value any = b.Bias
		if math.IsInf(b.Bias, -1) {
			value = false // never
		}
		out = append(out, [2]any{key, value})
	}
	return out, nil
}

// pairsIn reads such a list, where false bans, or an object of ids and biases.
func pairsIn(v any) (any, error) {
	switch v := v.(type) {
	case carrier.Object:
		out := make([]any, 0, len(v))
		for _, e := range v {
			var key any
			d := json.NewDecoder(strings.NewReader(e.Key))
			d.UseNumber()
			if d.Decode(&key) != nil || d.More() {
				key = e.Key
			}
			bias, err := biasIn(e.Value)
			if err != nil {
				return nil, err
			}
			out = append(out, []any{key, bias})
		}
		return out, nil
	case []any:
		out := make([]any, 0, len(v))
		for _, x := range v {
			pair, ok := x.([]any)
			if !ok || len(pair) != 2 {
				return nil, errors.New("must be a list of [token, bias]")
			}
			bias, err := biasIn(pair[1])
			if err != nil {
				return nil, err
			}
			out = append(out, []any{pair[0], bias})
		}
		return out, nil
	}
	return nil, errors.New("must be an object of token ids and biases, or a list of [token, bias]")
}

func biasIn(v any) (any, error) {
	switch v {
	case false:
		return "-inf", nil
	case true:
		return nil, errors.New("a bias must be a number, or false to ban")
	}
	return v, nil
}

func biasName(b value.TokenBias) string {
	if b.Tokens == nil {
		return strconv.Quote(b.Text)
	}
	return fmt.Sprint(b.Tokens)
}

// errBan says that a format has no way to write minus infinity.
func errBan(b value.TokenBias) error {
	return fmt.Errorf("a ban of %s cannot be written, only a finite bias such as -100", biasName(b))
}
