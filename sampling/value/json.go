package value

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"strings"
)

// ToJSON writes a value as a file holds it. text says that it is a text, which is
// written as the JSON object that it may be.
func ToJSON(v any, text bool) ([]byte, error) {
	switch v := v.(type) {
	case []TokenBias:
		out := make([][2]any, len(v))
		for i, b := range v {
			out[i] = [2]any{any(b.Text), finiteOrText(b.Bias)}
			if len(b.Tokens) == 1 {
				out[i][0] = b.Tokens[0]
			} else if b.Tokens != nil {
				out[i][0] = b.Tokens
			}
		}
		return json.Marshal(out)
	case string:
		if text && strings.HasPrefix(strings.TrimSpace(v), "{") && json.Valid([]byte(v)) {
			return []byte(v), nil
		}
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSpace(b.Bytes()), err
}

func finiteOrText(f float64) any {
	if !Finite(f) {
		return "-inf"
	}
	return f
}

// FromJSON returns a value in a file, which is valid JSON. The keys of an object
// in the place of a text keep their order, which counts in a schema.
func FromJSON(raw json.RawMessage, text bool) (v any) {
	if text && raw[0] == '{' {
		var b bytes.Buffer
		json.Compact(&b, raw) // valid, as below: it was read before
		return b.String()
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	d.Decode(&v)
	return v
}

// SyntaxOffset returns how many bytes lie before what is wrong.
func SyntaxOffset(err error, d *json.Decoder) int64 {
	var s *json.SyntaxError
	if errors.As(err, &s) {
		return s.Offset
	}
	return d.InputOffset()
}

// Finite reports whether f is a number that is not infinite.
func Finite(f float64) bool { return !math.IsNaN(f) && !math.IsInf(f, 0) }
