package record

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"strconv"
	"strings"
)

// A sealing is by what a change of a line, or its absence, is found: also of
// what nothing else follows from.
type sealing struct {
	n     int    // its number among the lines of its lane, from 1; 0 if it carries none
	check string // the checksum that it carries, empty if none
	sum   string // the checksum that it has
}

// seal adds to a line that it is the n-th of its lane, none if n is 0, and a
// checksum of what it says.
func seal(line []byte, n int) ([]byte, error) {
	if n > 0 {
		line = fmt.Appendf(line[:len(line)-1], `,"n":%d}`, n)
	}
	s, err := sealingOf(line)
	if err != nil {
		return nil, err
	}
	return fmt.Appendf(line[:len(line)-1], `,"check":"%s"}`, s.sum), nil
}

// sealingOf reads the sealing of a line. The checksum depends on the values of
// the line alone, not on how they are written: blanks, the order of the fields
// and the form of floats do not count.
func sealingOf(line []byte) (s sealing, err error) {
	d := json.NewDecoder(bytes.NewReader(line))
	d.UseNumber()
	var v map[string]any
	if err := d.Decode(&v); err != nil {
		return s, err
	}
	s.check, _ = v["check"].(string)
	delete(v, "check")
	if n, ok := v["n"].(json.Number); ok {
		s.n, _ = strconv.Atoi(string(n))
	}
	plain(v)
	b, err := json.Marshal(v)
	if err != nil {
		return s, err
	}
	s.sum = fmt.Sprintf("%08x", crc32.ChecksumIEEE(b))
	return s, nil
}

// plain brings the floats inside v into one form.
func plain(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for k, x := range v {
			v[k] = plain(x)
		}
	case []any:
		for i, x := range v {
			v[i] = plain(x)
		}
	case json.Number:
		if !strings.ContainsAny(string(v), ".eE") {
			return v
		}
		f, err := v.Float64()
		if err != nil {
			return v
		}
		return json.Number(strconv.FormatFloat(f, 'e', -1, 64))
	}
	return v
}
