package sampling

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"logitscope/sampling/param"
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
		v, err := value.ToJSON(c.set[key].Value, isText(key))
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&b, "%q:%s", key, v)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
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
			return Config{}, fmt.Errorf("%s: %w", at(value.SyntaxOffset(err, d)), err)
		}
		key, where := tok.(string), at(d.InputOffset())
		var raw json.RawMessage
		if err := d.Decode(&raw); err != nil {
			return Config{}, fmt.Errorf("%s: %w", at(value.SyntaxOffset(err, d)), err)
		}
		v := value.FromJSON(raw, isText(key))
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
		errs = append(errs, fmt.Errorf("%s: %w", at(value.SyntaxOffset(err, d)), err))
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

// isText reports whether a parameter's value is a text.
func isText(key string) bool { p, ok := param.Lookup(key); return ok && p.Kind == param.Text }
