package presets

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"logitscope/sampling"
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
	case int:
		return float64(v), true
	case string:
		f, err := strconv.ParseFloat(strings.TrimSpace(v), 64)
		return f, err == nil
	}
	return 0, false
}

// unset returns a conversion in which a number below zero means that nothing
// is set.
func unsetBelowZero(v any) (any, error) {
	if f, ok := number(v); ok && f < 0 {
		return nil, nil
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

// unlimited reads -1 and -2 (until the context is full) as a number that no
// text reaches, and writes it back.
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

// listOrOne reads a list, or a single text as a list of one.
func listOrOne(v any) (any, error) {
	if s, ok := v.(string); ok {
		return []any{s}, nil
	}
	return v, nil
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
	out := map[string]float64{}
	for _, b := range v.([]sampling.TokenBias) {
		if len(b.Tokens) != 1 {
			return nil, fmt.Errorf("only biases of single token ids can be written; %s is not one", biasName(b))
		}
		if math.IsInf(b.Bias, -1) {
			return nil, errBan(b)
		}
		out[strconv.Itoa(int(b.Tokens[0]))] = min(max(b.Bias, -maxBias), maxBias)
	}
	return out, nil
}

// biasPairs writes biases as a list of pairs, texts allowed.
func biasPairs(v any) (any, error) {
	out := [][2]any{}
	for _, b := range v.([]sampling.TokenBias) {
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

// pairsIn reads such a list; false bans.
func pairsIn(v any) (any, error) {
	v = decoded(v)
	list, ok := v.([]any)
	if !ok {
		return v, nil // an object of id and bias
	}
	out := make([]any, 0, len(list))
	for _, x := range list {
		pair, ok := x.([]any)
		if !ok || len(pair) != 2 {
			return nil, errors.New("a list of [token, bias] is wanted")
		}
		bias := pair[1]
		if b, isBool := bias.(bool); isBool {
			if b {
				return nil, errors.New("a bias is a number, or false to ban")
			}
			bias = "-inf"
		}
		out = append(out, []any{pair[0], bias})
	}
	return out, nil
}

func biasName(b sampling.TokenBias) string {
	if b.Tokens == nil {
		return strconv.Quote(b.Text)
	}
	return fmt.Sprint(b.Tokens)
}

// errBan says that a format has no way to write minus infinity.
func errBan(b sampling.TokenBias) error {
	return fmt.Errorf("a ban of %s cannot be written, only a finite bias such as -100", biasName(b))
}
