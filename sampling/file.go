package sampling

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"logitscope/sampling/value"
	"logitscope/sampling/watermark"
)

// MarshalJSON writes what c sets as a flat object, in the order of the
// parameter table. [DecodeConfig] reads it back.
func (c Config) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, key := range c.Keys() {
		if i > 0 {
			b.WriteByte(',')
		}
		v, err := marshalValue(key, c.set[key].Value)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&b, "%q:%s", key, v)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

func marshalValue(key string, v any) ([]byte, error) {
	switch v := v.(type) {
	case []value.TokenBias:
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
		if p, ok := Lookup(key); ok && p.Kind == Text && strings.HasPrefix(strings.TrimSpace(v), "{") && json.Valid([]byte(v)) {
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
	if !finite(f) {
		return "-inf"
	}
	return f
}

// DecodeConfig reads a flat JSON object of parameters, as a configuration
// file or a preset has it. It is strict: every unknown key, wrong type and
// value out of range is reported, joined, each with file and line. file is
// the name to report; it is left out if empty.
func DecodeConfig(r io.Reader, file string, o Origin) (Config, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return Config{}, fmt.Errorf("%s: %w", file, err)
	}
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	at := func(offset int64) string {
		line := 1 + bytes.Count(data[:min(max(offset, 0), int64(len(data)))], []byte("\n"))
		if file == "" {
			return fmt.Sprintf("line %d", line)
		}
		return fmt.Sprintf("%s:%d", file, line)
	}
	tok, err := d.Token()
	if err != nil || tok != json.Delim('{') {
		return Config{}, fmt.Errorf("%s: an object of parameters such as {\"temperature\": 0.7}", at(d.InputOffset()))
	}
	var c Config
	var errs []error
	for d.More() {
		tok, err := d.Token()
		if err != nil {
			return Config{}, fmt.Errorf("%s: %w", at(syntaxOffset(err, d)), err)
		}
		key, where := tok.(string), at(d.InputOffset())
		var raw json.RawMessage
		if err := d.Decode(&raw); err != nil {
			return Config{}, fmt.Errorf("%s: %w", at(syntaxOffset(err, d)), err)
		}
		v := valueOf(key, raw)
		if _, dup := c.set[key]; dup {
			errs = append(errs, fmt.Errorf("%s: %s is given twice", where, key))
			continue
		}
		if v == nil {
			continue // transformers writes null for a parameter that is not set
		}
		next, err := c.withOne(key, v, o)
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", where, err))
			continue
		}
		c = next
	}
	if _, err := d.Token(); err != nil {
		errs = append(errs, fmt.Errorf("%s: %w", at(syntaxOffset(err, d)), err))
	} else if _, err := d.Token(); err != io.EOF {
		errs = append(errs, fmt.Errorf("%s: more after the object", at(d.InputOffset())))
	}
	if len(errs) > 0 {
		return Config{}, errors.Join(errs...)
	}
	return c, nil
}

// withOne sets a parameter, or those of a watermark by the object that
// transformers has for them.
func (c Config) withOne(key string, v any, o Origin) (Config, error) {
	if key != "watermarking_config" {
		return c.With(key, v, o)
	}
	fields, ok := v.(map[string]any)
	if !ok {
		return c, fmt.Errorf("%s: want an object", key)
	}
	c, err := c.With("watermark_bias", watermark.DefaultBias, o)
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		own := WatermarkKey(name)
		if own == "" {
			return c, fmt.Errorf("%s: no field %q; it has greenlist_ratio, bias, hashing_key, seeding_scheme and context_width", key, name)
		}
		if err == nil {
			c, err = c.With(own, fields[name], o)
		}
	}
	if err != nil {
		return c, fmt.Errorf("%s: %w", key, err)
	}
	return c, nil
}

// valueOf returns the value of a parameter in a file. The keys of a constraint
// keep their order, which counts in a schema.
func valueOf(key string, raw json.RawMessage) (v any) {
	if p, ok := Lookup(key); ok && p.Kind == Text && raw[0] == '{' {
		var b bytes.Buffer
		json.Compact(&b, raw) // valid, as below: it was read before
		return b.String()
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	d.Decode(&v)
	return v
}

func syntaxOffset(err error, d *json.Decoder) int64 {
	var s *json.SyntaxError
	if errors.As(err, &s) {
		return s.Offset
	}
	return d.InputOffset()
}
