package check

import (
	"context"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

func judged(t *testing.T, expect, text string) []Failure {
	t.Helper()
	l, err := (&Reader{AllowCmd: true}).Read(json.RawMessage(expect))
	if err != nil {
		t.Fatalf("%s: %v", expect, err)
	}
	f, err := l.Judge(context.Background(), Subject{Text: text, Count: -1})
	if err != nil {
		t.Fatalf("%s of %q: %v", expect, text, err)
	}
	return f
}

func TestLastNumber(t *testing.T) {
	for _, tt := range []struct {
		text string
		want float64 // NaN for none
		as   string
	}{
		{"1,234,5678", 5678, "5678"}, {"1,234.5", 1234.5, "1,234.5"}, {"012,345", 345, "345"},
		{"a.5", 5, "5"}, {"答.5", 0.5, ".5"}, {"..5", 5, "5"}, {"x .5e1", 5, ".5e1"},
		{"2e", 2, "2"}, {"2e−3", 0.002, "2e−3"}, {"1e5m", 1e5, "1e5"},
		{"−$1_000.25", -1000.25, "−$1_000.25"}, {"$+5", 5, "$+5"}, {"x-5", math.NaN(), ""}, {"是-5", -5, "-5"},
		{"%-5", 5, "5"}, {"5.-3", 3, "3"}, {"--5", -5, "-5"},
		{"1.2.3 and 7:30:00", math.NaN(), ""}, {"1.2", 1.2, "1.2"}, {"1-2", 2, "2"}, {"1/2/3", math.NaN(), ""},
		{"1/2.5", 2.5, "2.5"}, {"1/2.", 0.5, "1/2"}, {"0/0", math.NaN(), ""}, {"5th", 5, "5"}, {"4x4", math.NaN(), ""},
		{"GPT‑4", math.NaN(), ""}, {"GPT- 4", 4, "4"}, {"v2.x", math.NaN(), ""}, {"-1e999", math.Inf(-1), "-1e999"},
		{"", math.NaN(), ""}, {".", math.NaN(), ""}, {"12'345'678", 12345678, "12'345'678"},
	} {
		n, ok := lastNumber(tt.text)
		if ok == math.IsNaN(tt.want) || ok && (n.Value != tt.want || tt.text[n.From:n.To] != tt.as) {
			t.Errorf("%q: %v %v %q, want %v %q", tt.text, n, ok, tt.text[n.From:n.To], tt.want, tt.as)
		}
	}
}

func FuzzLastNumber(f *testing.F) {
	for _, s := range []string{"1,234.5e3", "-€5/6", "v1.2-3 12:30", "0x1F.5 _4_", "\xff5"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		n, ok := lastNumber(s)
		if !ok {
			return
		}
		if n.From < 0 || n.From >= n.To || n.To > len(s) || math.IsNaN(n.Value) {
			t.Fatalf("%q: %+v", s, n)
		}
		if utf8.ValidString(s) && !utf8.ValidString(s[n.From:n.To]) {
			t.Fatalf("%q: %q is no text", s, s[n.From:n.To])
		}
		// Blanks after a number change nothing.
		if m, ok := lastNumber(s + "  "); !ok || m != n {
			t.Fatalf("%q: %+v, with blanks %+v", s, n, m)
		}
	})
}

// The place of a failure is where the lab opens the text.
func TestFailuresHaveAPlace(t *testing.T) {
	for _, tt := range []struct {
		expect, text string
		at           int
	}{
		{`{"not_contains":"sorry"}`, "I am sorry", 5},
		{`{"extract":"is (.*)","not_contains":"o"}`, "x is no", 6},
		{`"json"`, `{"a": 1} b`, 9},
		{`"json"`, ` [1,]`, 4},
		{`"json"`, `[1`, 2},
		{`{"grammar":"root ::= \"ab\" [0-9]"}`, "äb", 0},
		{`{"grammar":"root ::= \"äb\" [0-9]"}`, "äbc", 3},
		{`{"sql":{"tables":{"t":["a"]}}}`, " DROP t", 1},
		{`{"number":3}`, "it is 42 kg", 6},
		{`{"equals":"b"}`, "  a", 2},
		{`{"number":3}`, "none", -1},
	} {
		f := judged(t, tt.expect, tt.text)
		if len(f) != 1 || f[0].At != tt.at {
			t.Errorf("%s of %q: %+v, want a failure at %d", tt.expect, tt.text, f, tt.at)
		}
	}
}

func TestShortForm(t *testing.T) {
	for _, tt := range []struct{ short, long string }{
		{"contains: Paris", `[{"contains":"Paris"}]`},
		{"contains:a: b ", `[{"contains":"a: b"}]`},
		{" json ", `[{"json":true}]`},
		{"number: 42", `[{"number":42}]`},
		{`number: {"value":1,"within":0.5}`, `[{"number":{"value":1,"within":0.5}}]`},
		{`one_of: ["a","b"]`, `[{"one_of":["a","b"]}]`},
		{`schema: {"type":"null"}`, `[{"schema":{"type":"null"}}]`},
		{`ends: eos`, `[{"ends":"eos"}]`},
		{`{"equals":"x"}`, `[{"equals":"x"}]`},
		{`regex: ^{a}`, `[{"regex":"^{a}"}]`},
	} {
		l, err := (&Reader{}).ReadShort(tt.short)
		if b, _ := json.Marshal(l); err != nil || string(b) != tt.long {
			t.Errorf("%s: %s, %v; want %s", tt.short, b, err, tt.long)
		}
	}
	for _, tt := range []struct{ short, want string }{
		{"Paris", "Paris"}, {"contains", "contains: Paris"}, {"number: many", "number"}, {"max_tokens: -1", "max_tokens"},
		{`{"equals":`, "JSON"}, {"", "unknown check"}, {"json: false", "json"}, {"cmd: true", "--allow-cmd"},
	} {
		if l, err := (&Reader{}).ReadShort(tt.short); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, %v; want an error with %q", tt.short, l, err, tt.want)
		}
	}
}

// A text in the place of a check is refused with the check that was meant: the
// short form of a table's cell, or a text to equal.
func TestShortFormInAList(t *testing.T) {
	for text, want := range map[string]string{
		"contains: sat": `{"contains":"sat"}`, "max_tokens: 9": `{"max_tokens":9}`, "Paris": `{"equals": "Paris"}`,
		"note: sat": `{"equals": "note: sat"}`, "number: many": `{"equals": "number: many"}`,
	} {
		raw, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		for _, in := range []string{string(raw), "[" + string(raw) + "]"} {
			if l, err := (&Reader{}).Read(json.RawMessage(in)); err == nil || !strings.Contains(err.Error(), "must be a check, as "+want+";") {
				t.Errorf("%s: %v, %v; want %s", in, l, err, want)
			}
		}
	}
}

// What a list writes is what it was read from.
func TestListsGoBack(t *testing.T) {
	const text = `[{"extract":"<(.*)>","equals":"a"},{"json":true},{"number":{"value":1}}]`
	l, err := (&Reader{}).Read(json.RawMessage(text))
	if err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(l)
	if err != nil {
		t.Fatal(err)
	}
	again, err := (&Reader{}).Read(b)
	if err != nil || len(again) != 3 || again[0].Extract.String() != "<(.*)>" || again[2].String() != `number: {"value":1}` {
		t.Errorf("%s: %v, %v", b, again, err)
	}
}

func TestSchemasAreBounded(t *testing.T) {
	r := &Reader{}
	for _, tt := range []struct{ schema, want string }{
		{`{"maximum":1e99999999}`, "too large"},
		{`{"$ref":"file:///etc/passwd"}`, "/etc/passwd"},
		{`{"pattern":"("}`, "pattern"},
	} {
		if l, err := r.Read(json.RawMessage(`{"schema":` + tt.schema + `}`)); err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, %v; want an error with %q", tt.schema, l, err, tt.want)
		}
	}
	if f := judged(t, `{"schema":{"type":"number"}}`, "1e99999999"); len(f) != 1 || !strings.Contains(f[0].Why, "too large") {
		t.Errorf("a giant number: %+v", f)
	}
	// Look-ahead is of ECMA 262 and not of RE2.
	if f := judged(t, `{"schema":{"pattern":"^(?=.*[0-9]).{3}$"}}`, `"ab1"`); len(f) != 0 {
		t.Errorf("%+v", f)
	}
	if f := judged(t, `{"schema":{"format":"json-pointer"}}`, `"x"`); len(f) != 0 {
		t.Errorf("a format that constraints do not know is asserted: %+v", f)
	}
	if f := judged(t, `{"schema":{"format":"email"}}`, `"x"`); len(f) != 1 {
		t.Errorf("email: %+v", f)
	}
}

func TestCmd(t *testing.T) {
	dir := t.TempDir()
	program := filepath.Join(dir, "grade")
	if err := os.WriteFile(program, []byte("#!/bin/sh\nread line\necho \"$1 got $line\"\n[ \"$line\" = good ]\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	check := `{"cmd":"` + program + ` --strict"}`
	if f := judged(t, check, "good"); len(f) != 0 {
		t.Errorf("%+v", f)
	}
	if f := judged(t, check, "bad\n"); len(f) != 1 || f[0].Why != "exit 1" || f[0].Found != "--strict got bad" {
		t.Errorf("%+v", f)
	}
	for _, r := range []*Reader{{}, {AllowCmd: true}} {
		if _, err := r.Read(json.RawMessage(`{"cmd":"no-such-program-anywhere"}`)); err == nil {
			t.Error("a program that is not there is no error")
		}
	}
}

func TestLikelihood(t *testing.T) {
	l, err := (&Reader{}).Read(json.RawMessage(`{"llm_likelihood":{"at_least":-2}}`))
	if err != nil {
		t.Fatal(err)
	}
	judge := func(bits *float64) ([]Failure, error) {
		return l.Judge(context.Background(), Subject{Count: 4, Bits: bits})
	}
	two, more := 2.0, 2.01
	if f, err := judge(&two); err != nil || len(f) != 0 {
		t.Errorf("2 bits a token: %v, %v", f, err)
	}
	if f, err := judge(&more); err != nil || len(f) != 1 {
		t.Errorf("2.01 bits a token: %v, %v", f, err)
	}
	if _, err := judge(nil); err == nil {
		t.Error("without a model there is no error")
	}
}

// The texts of models are untrusted: no check panics, and no failure holds
// more than a line's worth.
func FuzzJudge(f *testing.F) {
	for _, s := range []string{`{"a":[1,2`, "SELECT a FROM t", "```json\n{}", "42 €", strings.Repeat("[", 10001), "\ufeff1"} {
		f.Add(s)
	}
	l, err := (&Reader{}).Read(json.RawMessage(`["json",{"schema":{"type":"object","required":["a"]}},{"sql":{"tables":{"t":["a"]}}},
		{"grammar":"root ::= [a-z]+ (\",\" root)?"},{"number":5},{"equals":"x"},{"extract":"a(b)?","regex":"c"}]`))
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, s string) {
		s = strings.ToValidUTF8(s, "\ufffd")
		failed, err := l.Judge(context.Background(), Subject{Text: s, Count: -1})
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range failed {
			if x.Why == "" || len(x.Found) > maxFound || x.At > len(s) || x.At < -1 || !utf8.ValidString(x.Found) {
				t.Fatalf("%q: %+v", s, x)
			}
		}
	})
}

// What of a text is its answer, where texts vote.
func TestAnswer(t *testing.T) {
	e := regexp.MustCompile(`(?i)answer is (\w+)|[a-z]+!`)
	for _, tt := range []struct {
		a    Answer
		text string
		want string
		ok   bool
	}{
		{Answer{}, "\n \n  Paris. \nIt is large.", "Paris.", true},
		{Answer{}, " \n\t", "", false},
		{Answer{Rule: ByWhole}, " a\nb \n", "a\nb", true},
		{Answer{Rule: ByLastNumber}, "3 and 4 are 7.0.", "7", true},
		{Answer{Rule: ByLastNumber}, "so 1,700 it is", "1700", true},
		{Answer{Rule: ByLastNumber}, "seven", "", false},
		{Answer{Rule: ByMatch, Extract: e}, "The Answer is B. The answer is C.", "B", true},
		{Answer{Rule: ByMatch, Extract: e}, "well!", "", false}, // its group took no part
		{Answer{Rule: ByMatch, Extract: e}, "nothing", "", false},
		{Answer{Rule: ByMatch}, "nothing", "", false},
	} {
		got, ok := tt.a.Of(tt.text)
		if ok != tt.ok || ok && got != tt.want {
			t.Errorf("%s of %q: %q, %v, want %q", tt.a, tt.text, got, ok, tt.want)
		}
	}
}
