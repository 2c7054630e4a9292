package record

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"strconv"
	"strings"
)

// seal adds to a line a checksum of what it says, so that a change anywhere is
// found: also in what nothing else follows from.
func seal(line []byte) ([]byte, error) {
	sum, _, err := checksum(line)
	if err != nil {
		return nil, err
	}
	return fmt.Appendf(line[:len(line)-1], `,"check":"%s"}`, sum), nil
}

// checksum returns the checksum of a line and the one that it carries, empty
// if none. It depends on the values of the line alone, not on how they are
// written: blanks, the order of the fields and the form of floats do not
// count.
func checksum(line []byte) (sum, carried string, err error) {
	d := json.NewDecoder(bytes.NewReader(line))
	d.UseNumber()
	var v map[string]any
	if err := d.Decode(&v); err != nil {
		return "", "", err
	}
	carried, _ = v["check"].(string)
	delete(v, "check")
	plain(v)
	b, err := json.Marshal(v)
	if err != nil {
		return "", "", err
	}
	return fmt.Sprintf("%08x", crc32.ChecksumIEEE(b)), carried, nil
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
