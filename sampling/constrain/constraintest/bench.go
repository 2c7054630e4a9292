package constraintest

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"testing"
)

// Spaced writes compact JSON the way Python does, with a blank after colons
// and commas.
func Spaced(compact []byte) []byte {
	var out []byte
	inString, escaped := false, false
	for _, b := range compact {
		out = append(out, b)
		switch {
		case escaped:
			escaped = false
		case inString && b == '\\':
			escaped = true
		case b == '"':
			inString = !inString
		case !inString && (b == ':' || b == ','):
			out = append(out, ' ')
		}
	}
	return out
}

// Compact returns JSON without white space.
func Compact(t testing.TB, raw json.RawMessage) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := json.Compact(&b, raw); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

type benchCase struct {
	ID      string
	Schema  json.RawMessage
	Valid   []json.RawMessage
	Invalid []struct {
		Change string
		Data   json.RawMessage
	}
}

// BenchCases reads the schemas of the public bench; it skips the test where they
// are not at hand.
func BenchCases(t testing.TB) []benchCase {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(Shared(t, "golden", "schemas", "bench"), "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatal("no bench files: ", err)
	}
	out := make([]benchCase, len(files))
	for i, f := range files {
		ReadFixture(t, f, &out[i])
	}
	return out
}
