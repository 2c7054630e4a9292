package constrain

import (
	"encoding/hex"
	"os"
	"slices"
	"strings"
	"testing"

	"logitscope/sampling/constrain/automaton"
	"logitscope/sampling/constrain/constraintest"
	"logitscope/sampling/constrain/grammar"
)

type rejected struct {
	Text   string `json:"text"`
	DeadAt *int   `json:"dead_at"`
}

// check compares the verdicts on texts; a nil DeadAt is a text that could
// still be completed.
func check(t *testing.T, name string, g *automaton.Grammar, accept []string, reject []rejected) {
	t.Helper()
	for _, s := range accept {
		if ok, at := g.Check([]byte(s)); !ok {
			t.Errorf("%s: %q rejected, dead at %d", name, s, at)
		}
	}
	for _, r := range reject {
		want := -1
		if r.DeadAt != nil {
			want = *r.DeadAt
		}
		if ok, at := g.Check([]byte(r.Text)); ok || at != want {
			t.Errorf("%s: %q accepted %v, dead at %d, want %d", name, r.Text, ok, at, want)
		}
	}
}

func TestGoldenRegex(t *testing.T) {
	t.Parallel()
	var data struct {
		Regexes []struct {
			Pattern string
			Accept  []string
			Reject  []rejected
		}
		Unsupported []struct{ Pattern, Reason string }
	}
	constraintest.Golden(t, "regex.json", &data)
	for _, r := range data.Regexes {
		check(t, r.Pattern, constraintest.Compile(t, grammar.Regex(r.Pattern, false)), r.Accept, r.Reject)
	}
	for _, r := range data.Unsupported {
		if _, err := Compile(grammar.Regex(r.Pattern, false)); err == nil {
			t.Errorf("%s (%s) compiled", r.Pattern, r.Reason)
		}
	}
}

func TestGoldenGBNF(t *testing.T) {
	t.Parallel()
	var data struct {
		Features []struct {
			Feature, Grammar string
			Accept           []string
			Reject           []rejected
		}
		Errors []struct{ Case, Grammar string }
	}
	constraintest.Golden(t, "gbnf_features.json", &data)
	for _, f := range data.Features {
		check(t, f.Feature, constraintest.Compile(t, grammar.GBNF(f.Grammar)), f.Accept, f.Reject)
	}
	for _, e := range data.Errors {
		_, err := Compile(grammar.GBNF(e.Grammar))
		if want := e.Case == "huge repetition"; (err == nil) != want {
			t.Errorf("%s: error %v", e.Case, err)
		}
	}
}

// TestLeftRecursionIsRefused has a rule that begins with itself at once, by way
// of others, after what may be empty and inside a repetition, and rules that
// only look like it.
func TestLeftRecursionIsRefused(t *testing.T) {
	t.Parallel()
	for gram, refused := range map[string]bool{
		`root ::= root "a" | "a"`:                          true,
		"root ::= x\nx ::= y \"b\"\ny ::= x \"c\" | \"d\"": true,
		"root ::= e root \"a\" | \"b\"\ne ::= \"x\"?":      true,
		`root ::= "x"* (root)? "a"`:                        true,
		`root ::= (root | "a"){2}`:                         true,
		`root ::= "a" | "(" root ")"`:                      false,
		"root ::= x \"b\"\nx ::= \"a\" root?":              false,
		`root ::= "a" root*`:                               false,
	} {
		_, err := Compile(grammar.GBNF(gram))
		if (err != nil) != refused || err != nil && !strings.Contains(err.Error(), "left-recursive") {
			t.Errorf("%s: %v, want refused %v", gram, err, refused)
		}
	}
}

func TestGoldenSQLGrammar(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/grammar/sql_select.gbnf")
	if err != nil {
		t.Fatal(err)
	}
	var data struct {
		Valid   []struct{ Text string }
		Invalid []rejected
	}
	constraintest.Golden(t, "sql_cases.json", &data)
	g := constraintest.Compile(t, grammar.GBNF(string(text)))
	for _, v := range data.Valid {
		check(t, "sql", g, []string{v.Text}, nil)
	}
	check(t, "sql", g, nil, data.Invalid)
}

func hexVocab(t testing.TB, list []string, eog []int32) *automaton.Vocab {
	t.Helper()
	pieces := make([][]byte, len(list))
	for i, h := range list {
		b, err := hex.DecodeString(h)
		if err != nil {
			t.Fatal(err)
		}
		pieces[i] = b
	}
	return automaton.NewVocab(func(id int32) []byte {
		if int(id) < len(pieces) {
			return pieces[id]
		}
		return nil
	}, len(pieces)+1, eog, nil)
}

func TestGoldenMasks(t *testing.T) {
	t.Parallel()
	var data struct {
		VocabHex []string `json:"vocab_hex"`
		EOS      int32    `json:"eos_id"`
		Grammars []struct {
			Name, GBNF string
			Cases      []struct {
				PrefixHex  string  `json:"prefix_hex"`
				Allowed    []int32 `json:"allowed"`
				EOSAllowed bool    `json:"eos_allowed"`
			}
		}
	}
	constraintest.Golden(t, "masks.json", &data)
	v := hexVocab(t, data.VocabHex, []int32{data.EOS})
	n := 0
	for _, gr := range data.Grammars {
		m, err := constraintest.Compile(t, grammar.GBNF(gr.GBNF)).Bind(v)
		if err != nil {
			t.Fatal(err)
		}
		mask := make([]uint64, v.Words())
		for _, c := range gr.Cases {
			prefix, _ := hex.DecodeString(c.PrefixHex)
			s, _, died := m.AcceptBytes(m.Start(), prefix)
			if died {
				t.Fatalf("%s: prefix %q dies", gr.Name, prefix)
			}
			info := m.Mask(s, mask)
			if got := constraintest.IDs(v, mask); !slices.Equal(got, c.Allowed) || info.EOSAllowed != c.EOSAllowed || info.Allowed != len(c.Allowed) {
				t.Errorf("%s after %q: %v eos %v, want %v eos %v", gr.Name, prefix, got, info.EOSAllowed, c.Allowed, c.EOSAllowed)
			}
			n++
		}
	}
	if n != 81 {
		t.Errorf("%d prefixes checked, want 81", n)
	}
}
