package chat

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/nikolalohinski/gonja/v2/exec"
)

func sortedKeys(m map[string]any) []string {
	var keys []string
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// decodeOrdered decodes JSON into the engine's values, keys in their order.
func decodeOrdered(raw []byte) (any, error) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	v, err := decodeValue(dec)
	if err != nil {
		return nil, err
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, errors.New("more data after the value")
	}
	return v, nil
}

func decodeValue(dec *json.Decoder) (any, error) {
	tok, err := dec.Token()
	if err != nil {
		return nil, err
	}
	switch t := tok.(type) {
	case json.Delim:
		if t == '{' {
			return decodeObject(dec)
		}
		list := []any{}
		for dec.More() {
			v, err := decodeValue(dec)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		_, err := dec.Token()
		return list, err
	case json.Number:
		if n, err := t.Int64(); err == nil {
			return int(n), nil
		}
		return t.Float64()
	}
	return tok, nil
}

func decodeObject(dec *json.Decoder) (any, error) {
	d := exec.NewDict()
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return nil, err
		}
		v, err := decodeValue(dec)
		if err != nil {
			return nil, err
		}
		d.Pairs = append(d.Pairs, &exec.Pair{Key: exec.AsValue(key), Value: exec.AsValue(v)})
	}
	_, err := dec.Token()
	return d, err
}

// pairs returns the keys and values of a dict, in its order if it has one.
func pairs(v *exec.Value) []*exec.Pair {
	if d, ok := v.Interface().(*exec.Dict); ok {
		return d.Pairs
	}
	return v.Items()
}

// toJSON writes a value as Python's json.dumps does with ensure_ascii off: a
// space after ':' and ',', or one item a line if indent is not negative.
func toJSON(v *exec.Value, indent int) (string, error) {
	w := jsonWriter{indent: indent}
	err := w.value(v, 0)
	return w.String(), err
}

type jsonWriter struct {
	strings.Builder
	indent int
}

func (w *jsonWriter) value(v *exec.Value, depth int) error {
	if depth > maxNesting {
		return errors.New("tojson: values lie too deep in each other")
	}
	switch {
	case v == nil || v.IsNil():
		w.WriteString("null")
	case v.IsBool():
		fmt.Fprint(w, v.Bool())
	case v.IsString():
		return w.text(v.String())
	case v.IsInteger():
		fmt.Fprint(w, v.Integer())
	case v.IsFloat():
		w.WriteString(v.String())
	case v.IsDict():
		var keys []string
		var values []*exec.Value
		for _, p := range pairs(v) {
			keys = append(keys, p.Key.String())
			values = append(values, p.Value)
		}
		return w.sequence('{', '}', len(keys), depth, func(i int) error {
			if err := w.text(keys[i]); err != nil {
				return err
			}
			w.WriteString(": ")
			return w.value(values[i], depth+1)
		})
	case v.IsList():
		return w.sequence('[', ']', v.Len(), depth, func(i int) error { return w.value(v.Index(i), depth+1) })
	default:
		return errors.New("tojson: a value is not JSON")
	}
	return nil
}

// sequence writes n items between brackets.
func (w *jsonWriter) sequence(open, end byte, n, depth int, item func(i int) error) error {
	line := func(depth int) {
		if w.indent >= 0 {
			w.WriteByte('\n')
			w.WriteString(strings.Repeat(" ", w.indent*depth))
		}
	}
	w.WriteByte(open)
	for i := range n {
		if i > 0 {
			w.WriteByte(',')
			if w.indent < 0 {
				w.WriteByte(' ')
			}
		}
		line(depth + 1)
		if err := item(i); err != nil {
			return err
		}
	}
	if n > 0 {
		line(depth)
	}
	w.WriteByte(end)
	return nil
}

// text writes a JSON string without escaping what JSON does not ask for.
func (w *jsonWriter) text(s string) error {
	w.WriteByte('"')
	for _, r := range s {
		switch r {
		case '"':
			w.WriteString(`\"`)
		case '\\':
			w.WriteString(`\\`)
		case '\n':
			w.WriteString(`\n`)
		case '\r':
			w.WriteString(`\r`)
		case '\t':
			w.WriteString(`\t`)
		case '\b':
			w.WriteString(`\b`)
		case '\f':
			w.WriteString(`\f`)
		default:
			if r < 0x20 {
				fmt.Fprintf(w, `\u%04x`, r)
			} else {
				w.WriteRune(r)
			}
		}
	}
	return w.WriteByte('"')
}
