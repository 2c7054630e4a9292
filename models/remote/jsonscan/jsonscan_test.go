package jsonscan

import (
	"encoding/json"
	"math"
	"reflect"
	"strings"
	"testing"
)

// tree reads any value with the scanner, as encoding/json would.
func tree(s *Scanner, depth int) any {
	if depth > maxDepth {
		s.fail()
		return nil
	}
	switch s.Peek() {
	case '{':
		m := map[string]any{}
		s.Enter('{')
		for first := true; s.More('}', &first); {
			k := string(s.String(nil))
			if s.Peek() != ':' {
				s.fail()
				return nil
			}
			s.Pos++
			m[k] = tree(s, depth+1)
		}
		return m
	case '[':
		list := []any{}
		s.Enter('[')
		for first := true; s.More(']', &first); {
			list = append(list, tree(s, depth+1))
		}
		return list
	case '"':
		return string(s.String(nil))
	case 't', 'f':
		return s.Boolean()
	case 'n':
		s.Null()
		return nil
	}
	return s.Number()
}

var scanSeeds = []string{
	`{"a":[1,-2.5e3,true,false,null,"x\n\u00e9\ud83d\ude00\ud800"],"b":{}}`, `[]`, `"\\"`, `-0.5`, `1e400`, `{"a":1,}`, `[1,]`, `[,1]`, `{"a" 1}`,
	`nul`, `tru`, `"\x"`, "\"\x01\"", "\"\xff\"", `"abc`, `{"a":"b"`, ` [ 1 , 2 ] `, `[1 2]`, `[1]x`, ``, ` `, `0x10`, `+1`, `01`, `1_0`, `"\u12"`,
	`[[[[[[1]]]]]]`, `{"\u0061":1}`, `[1.7976931348623157e308,5e-324,-0]`,
}

func TestScanner(t *testing.T) {
	for _, s := range scanSeeds {
		checkScan(t, []byte(s))
	}
	for text, want := range map[string]float64{"Infinity": math.Inf(1), "-Infinity": math.Inf(-1), "NaN": math.NaN(), "null": math.NaN(), "1e400": math.Inf(1)} {
		s := Scanner{Data: []byte(text)}
		if got := s.Number(); got != want && !(got != got && want != want) || s.End() != nil {
			t.Errorf("number %s = %v, want %v", text, got, want)
		}
	}
	for text, want := range map[string]int{"12,": 12, "7": 7, "3.0": 3, "-4": -4, "1e3]": 1000, "999999999999999": 999999999999999} {
		s := Scanner{Data: []byte(text)}
		if got := s.Integer(); got != want || s.Failed {
			t.Errorf("integer %s = %v, want %v", text, got, want)
		}
	}
	for _, text := range []string{"1.5", "1e30", "x", "", "NaN", `"1"`, "inf", "1a"} {
		s := Scanner{Data: []byte(text)}
		if got := s.Integer(); !s.Failed {
			t.Errorf("integer %s = %v, want a fault", text, got)
		}
	}
	s := Scanner{Data: []byte(strings.Repeat("[", 1e6))}
	if s.Skip(); !s.Failed {
		t.Error("a million brackets are skipped")
	}
}

// checkScan compares the scanner with encoding/json: what that accepts must
// be read alike, and can be skipped.
func checkScan(t *testing.T, data []byte) {
	t.Helper()
	s := Scanner{Data: data}
	got := tree(&s, 0)
	err := s.End()
	var want any
	std := json.Unmarshal(data, &want)
	deep := strings.Count(string(data), "[")+strings.Count(string(data), "{") > maxDepth
	if std == nil && !deep && (err != nil || !reflect.DeepEqual(got, want)) {
		t.Errorf("%q is %v (%v), want %v", data, got, err, want)
	}
	k := Scanner{Data: data}
	k.Skip()
	if std == nil && !deep && k.End() != nil {
		t.Errorf("%q is not skipped", data)
	}
}

func FuzzScanner(f *testing.F) {
	for _, s := range scanSeeds {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) { checkScan(t, data) })
}
