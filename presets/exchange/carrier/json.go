package carrier

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// TrimBOM takes a byte order mark of UTF-8 off.
func TrimBOM(data []byte) []byte { return bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")) }

// MaxDepth bounds how deep values may nest.
const MaxDepth = 64

// ReadObject reads a JSON object: its members in order, with their lines.
// first is the line that data begins on.
func ReadObject(data []byte, first int) (Object, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	r := jsonReader{d: d, data: data, line: first}
	t, err := d.Token()
	if err != nil || t != json.Delim('{') {
		return nil, errors.New("want a JSON object")
	}
	o, err := r.members(0)
	if err != nil {
		return nil, err
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, fmt.Errorf("line %d: more after the object", r.at())
	}
	return o, nil
}

type jsonReader struct {
	d    *json.Decoder
	data []byte
	seen int // bytes whose lines were counted
	line int
}

// at is the line that was read last.
func (r *jsonReader) at() int {
	n := int(r.d.InputOffset())
	r.line += countLines(r.data[r.seen:n])
	r.seen = n
	return r.line
}

func (r *jsonReader) members(depth int) (Object, error) {
	out := Object{}
	for r.d.More() {
		t, err := r.d.Token()
		if err != nil {
			return nil, r.fault(err)
		}
		e := Entry{Key: t.(string), Line: r.at()}
		if e.Value, err = r.value(depth + 1); err != nil {
			return nil, err
		}
		out = append(out, e)
	}
	_, err := r.d.Token()
	return out, r.fault(err)
}

func (r *jsonReader) value(depth int) (any, error) {
	t, err := r.d.Token()
	if err != nil {
		return nil, r.fault(err)
	}
	if depth > MaxDepth {
		return nil, fmt.Errorf("line %d: nested deeper than %d", r.at(), MaxDepth)
	}
	switch t {
	case json.Delim('{'):
		return r.members(depth)
	case json.Delim('['):
		out := []any{}
		for r.d.More() {
			v, err := r.value(depth + 1)
			if err != nil {
				return nil, err
			}
			out = append(out, v)
		}
		_, err := r.d.Token()
		return out, r.fault(err)
	}
	return t, nil
}

// fault words an error of the decoder with its line.
func (r *jsonReader) fault(err error) error {
	if err == nil {
		return nil
	}
	if err == io.EOF || errors.Is(err, io.ErrUnexpectedEOF) {
		err = errors.New("the object ends too early")
	}
	return fmt.Errorf("line %d: %w", r.at(), err)
}

// countLines counts line ends; CR LF is one.
func countLines(b []byte) int { return bytes.Count(b, []byte("\n")) }

// MarshalJSON writes the members in their order.
func (o Object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, e := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(PlainJSON(e.Key))
		b.WriteByte(':')
		b.WriteString(PlainJSON(e.Value))
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// MarshalJSON writes what stands in the value's place as a text.
func (u Unreadable) MarshalJSON() ([]byte, error) { return json.Marshal(u.Text) }

// Get returns the value of a member, nil if there is none.
func (o Object) Get(key string) any {
	for i := len(o) - 1; i >= 0; i-- {
		if o[i].Key == key {
			return o[i].Value
		}
	}
	return nil
}

// Has reports whether o has a member called key.
func (o Object) Has(key string) bool {
	return slices.ContainsFunc(o, func(e Entry) bool { return e.Key == key })
}

// Spread puts the members of a member that is an object in its place. With
// keep the key goes before theirs, with a dot.
func Spread(members Object, key string, keep bool) Object {
	out := make(Object, 0, len(members))
	for _, e := range members {
		inner, ok := e.Value.(Object)
		if e.Key != key || !ok {
			out = append(out, e)
			continue
		}
		for _, x := range inner {
			if keep && !x.Spread() {
				x.Key = key + "." + x.Key
			}
			out = append(out, x)
		}
	}
	return out
}

// Decoded returns an object as a map, for the parameters that take one; other
// values are returned as they are.
func Decoded(v any) any {
	o, ok := v.(Object)
	if !ok {
		return v
	}
	out := make(map[string]any, len(o))
	for _, e := range o {
		out[e.Key] = Decoded(e.Value)
	}
	return out
}

// WriteObject writes entries as a JSON object, one member a line.
func WriteObject(values []Entry) string {
	var b strings.Builder
	b.WriteString("{")
	for i, e := range values {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, "\n  %s: %s", PlainJSON(e.Key), PlainJSON(e.Value))
	}
	b.WriteString("\n}\n")
	return b.String()
}

// PlainJSON is v as JSON without escapes that nobody needs.
func PlainJSON(v any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return "null"
	}
	return strings.TrimSpace(b.String())
}

// SameValue reports whether two values are the same JSON.
func SameValue(a, b any) bool { return PlainJSON(a) == PlainJSON(b) }
