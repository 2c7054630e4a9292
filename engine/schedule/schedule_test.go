package schedule

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"testing"

	"logitscope/engine/schedule/scheduletest"
	"logitscope/sampling"
)

// pieces is a vocabulary of texts.
type pieces []string

func (p pieces) Piece(id int32) string { return p[id] }
func (p pieces) Text(id int32) []byte  { return []byte(p[id]) }

func parsed(t *testing.T, rules, vocabulary []string) *Schedule {
	t.Helper()
	s, err := Parse(sampling.Config{}.MustWith("schedule", rules, sampling.FromFile), scheduletest.Presets, pieces(vocabulary))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Which rules hold at each token of a text, worked out by hand: bit i of
// want[k] is rule i at token k+1.
func TestRulesThatHold(t *testing.T) {
	for _, tt := range []struct {
		rules  []string
		pieces []string
		want   string // one letter a token: . for none, else a = first rule, b = second, c = both
	}{
		{[]string{"at token 3: hot"}, []string{"x", "x", "x", "x"}, "..aaa"},
		{[]string{"at token 1: hot"}, []string{"x"}, "aa"},
		{[]string{"after token 2: hot"}, []string{"x", "x", "x"}, "..aa"},
		{[]string{"before token 3: hot"}, []string{"x", "x", "x"}, "aa.."},
		{[]string{"from token 2 until token 4: hot"}, []string{"x", "x", "x", "x"}, ".aa.."},
		{[]string{"at token 2: hot", "at token 3: cold"}, []string{"x", "x", "x"}, ".acc"},
		// A mark across the borders of tokens; the next token is the first.
		{[]string{`after "</think>": hot`}, []string{"a</", "thi", "nk>", "x"}, "...aa"},
		{[]string{`after "</think>": hot`}, []string{"</</think", ">"}, "..a"},
		{[]string{`after "</think>": hot`}, []string{"</think", "</think", ">", "x"}, "...aa"},
		{[]string{`after "aab": hot`}, []string{"a", "a", "a", "b", "x"}, "....aa"}, // the mark begins again inside itself
		{[]string{`after "b": hot`}, []string{"abc", "x"}, ".aa"},                   // in the middle of a token
		{[]string{`before "b": hot`}, []string{"a", "b", "a"}, "aa.."},
		{[]string{`until "b": hot`}, []string{"a", "b", "a", "b", "a"}, "aa...."}, // once only
		{[]string{`after "<" until ">": hot`}, []string{"<", "x", ">", "x", "<", ">"}, ".aa..a."},
		{[]string{`after "<" until ">": hot`}, []string{"<x>", "<x>y<", "z"}, "..aa"},
		{[]string{`after "|" until "|": hot`}, []string{"|", "x", "|", "x", "||", "|"}, ".aa...a"},
		{[]string{`after "||" until "||": hot`}, []string{"|", "|", "|", "x", "||", "x"}, "..aaa.."}, // a bar is not used twice
		{[]string{`at token 3 until "b": hot`}, []string{"b", "b", "x", "b", "b"}, "..aa.."},
		{[]string{`after "a" until token 3: hot`}, []string{"a", "a", "a"}, ".a.."},
		{[]string{`at token 2: hot`, `after "b": cold`}, []string{"b", "x", "x"}, ".ccc"},
		// Strings of JSON: the token after the opening mark, up to the one that
		// writes the closing mark.
		{[]string{"inside a JSON string: hot"}, []string{`{"`, `a`, `":`, `1`, `,"`, `b":"`, `c"}`}, ".aa..aa."},
		{[]string{"outside a JSON string: hot"}, []string{`{"`, `a`, `":`, `1`}, "a..aa"},
		{[]string{"inside a JSON string: hot"}, []string{`"`, `\`, `"`, `x`, `\\`, `"`, `y`}, ".aaaaa.."},
		{[]string{"inside a JSON string: hot"}, []string{`"\\\`, `"`, `"`, `x`}, ".aa.."},
		{[]string{"inside a JSON string: hot"}, []string{`"`, `\u00`, `22`, `"`, `x`}, ".aaa.."},
		{[]string{"inside a JSON string: hot"}, []string{`\"`, `x`, `"`, `x`}, ".aa.."}, // no escape outside a string
		{[]string{"inside a JSON string: hot"}, []string{`a 5" nail`, "\n", `{"`, `k`, `"`}, ".a.aa."},
	} {
		vocabulary := slices.Clone(tt.pieces)
		slices.Sort(vocabulary)
		vocabulary = slices.Compact(vocabulary)
		s := parsed(t, tt.rules, vocabulary)
		p := s.After(nil)
		got := ""
		for i := 0; ; i++ {
			got += string(".abc"[p.Holding()])
			if i == len(tt.pieces) {
				break
			}
			p = p.Accept(int32(slices.Index(vocabulary, tt.pieces[i])))
		}
		if got != tt.want {
			t.Errorf("%q over %q: %s, want %s", tt.rules, tt.pieces, got, tt.want)
		}
	}
}

// The state in a JSON text against a writer that knows where its strings are.
func TestJSONStringsAgainstAWriter(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 200 {
		var text []byte
		var inside []bool // after each byte
		put := func(s string, in bool) {
			for i := range len(s) {
				text = append(text, s[i])
				inside = append(inside, in)
			}
		}
		str := func() {
			put(`"`, true)
			for range r.IntN(6) {
				put([]string{`a`, `é`, `\"`, `\\`, `\n`, `\u0022`, `\/`, `'`, `{`, `]`, `\\\"`}[r.IntN(11)], true)
			}
			put(`"`, false)
		}
		put("{", false)
		for i := range 1 + r.IntN(4) {
			if i > 0 {
				put(",\n ", false)
			}
			str()
			put(": ", false)
			if r.IntN(3) == 0 {
				put("12", false)
			} else {
				str()
			}
		}
		put("}", false)
		if !json.Valid(text) {
			t.Fatalf("the writer wrote %s", text)
		}
		j := jsonState(0)
		for i := range text {
			if j = j.through(text[i : i+1]); j.inside() != inside[i] {
				t.Fatalf("after %s: inside %v, want %v", text[:i+1], j.inside(), inside[i])
			}
		}
		if whole := jsonState(0).through(text); whole != j {
			t.Errorf("%s at once: %v, byte by byte %v", text, whole, j)
		}
	}
}

func FuzzRule(f *testing.F) {
	for _, s := range []string{
		"at token 40: creative", `after "</think>": temperature=0.3; top_p=0.8`, "inside a JSON string: temperature=1.2",
		`after "a" until "b": hot`, "before token 3: cold; top_k=1", `until "x":a=;;b`,
	} {
		f.Add(s, "some text")
	}
	f.Fuzz(func(t *testing.T, source, text string) {
		r, err := parseRule(source, scheduletest.Presets)
		if err != nil {
			return
		}
		// Whether a text comes at once or byte by byte, it ends alike.
		if r.from.text == "" && r.until.text == "" {
			return
		}
		start := ruleProgress{on: r.from == mark{}}
		a, b := r.through(start, 1, text), start
		for i := range len(text) {
			b = r.through(b, 1, text[i:i+1])
		}
		if text != "" && (a.on != b.on || a.done != b.done) {
			t.Errorf("%q over %q: %+v at once, %+v byte by byte", source, text, a, b)
		}
	})
}
