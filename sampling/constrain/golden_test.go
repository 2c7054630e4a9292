package constrain

import (
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func readFixture(t testing.TB, path string, v any) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, v); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

func golden(t testing.TB, name string, v any) {
	t.Helper()
	readFixture(t, filepath.Join("testdata", "grammar", name), v)
}

func compile(t testing.TB, src Source) *Grammar {
	t.Helper()
	g, err := Compile(src)
	if err != nil {
		t.Fatalf("%v: %v", src, err)
	}
	return g
}

type rejected struct {
	Text   string `json:"text"`
	DeadAt *int   `json:"dead_at"`
}

// check compares the verdicts on texts; a nil DeadAt is a text that could
// still be completed.
func check(t *testing.T, name string, g *Grammar, accept []string, reject []rejected) {
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
	var data struct {
		Regexes []struct {
			Pattern string
			Accept  []string
			Reject  []rejected
		}
		Unsupported []struct{ Pattern, Reason string }
	}
	golden(t, "regex.json", &data)
	for _, r := range data.Regexes {
		check(t, r.Pattern, compile(t, Regex(r.Pattern, false)), r.Accept, r.Reject)
	}
	for _, r := range data.Unsupported {
		if _, err := Compile(Regex(r.Pattern, false)); err == nil {
			t.Errorf("%s (%s) compiled", r.Pattern, r.Reason)
		}
	}
}

func TestGoldenGBNF(t *testing.T) {
	var data struct {
		Features []struct {
			Feature, Grammar string
			Accept           []string
			Reject           []rejected
		}
		Errors []struct{ Case, Grammar string }
	}
	golden(t, "gbnf_features.json", &data)
	for _, f := range data.Features {
		check(t, f.Feature, compile(t, GBNF(f.Grammar)), f.Accept, f.Reject)
	}
	for _, e := range data.Errors {
		_, err := Compile(GBNF(e.Grammar))
		if want := e.Case == "huge repetition"; (err == nil) != want {
			t.Errorf("%s: error %v", e.Case, err)
		}
	}
}

// TestLeftRecursionIsRefused has a rule that begins with itself at once, by way
// of others, behind what may be empty and inside a repetition, and rules that
// only look like it.
func TestLeftRecursionIsRefused(t *testing.T) {
	for grammar, refused := range map[string]bool{
		`root ::= root "a" | "a"`:                          true,
		"root ::= x\nx ::= y \"b\"\ny ::= x \"c\" | \"d\"": true,
		"root ::= e root \"a\" | \"b\"\ne ::= \"x\"?":      true,
		`root ::= "x"* (root)? "a"`:                        true,
		`root ::= (root | "a"){2}`:                         true,
		`root ::= "a" | "(" root ")"`:                      false,
		"root ::= x \"b\"\nx ::= \"a\" root?":              false,
		`root ::= "a" root*`:                               false,
	} {
		_, err := Compile(GBNF(grammar))
		if (err != nil) != refused || err != nil && !strings.Contains(err.Error(), "left-recursive") {
			t.Errorf("%s: %v, want refused %v", grammar, err, refused)
		}
	}
}

func TestGoldenSQLGrammar(t *testing.T) {
	text, err := os.ReadFile("testdata/grammar/sql_select.gbnf")
	if err != nil {
		t.Fatal(err)
	}
	var data struct {
		Valid   []struct{ Text string }
		Invalid []rejected
	}
	golden(t, "sql_cases.json", &data)
	g := compile(t, GBNF(string(text)))
	for _, v := range data.Valid {
		check(t, "sql", g, []string{v.Text}, nil)
	}
	check(t, "sql", g, nil, data.Invalid)
}

func hexVocab(t testing.TB, list []string, eog []int32) *Vocab {
	t.Helper()
	pieces := make([][]byte, len(list))
	for i, h := range list {
		b, err := hex.DecodeString(h)
		if err != nil {
			t.Fatal(err)
		}
		pieces[i] = b
	}
	return NewVocab(func(id int32) []byte {
		if int(id) < len(pieces) {
			return pieces[id]
		}
		return nil
	}, len(pieces)+1, eog, nil)
}

// ids lists the ordinary tokens of a mask.
func ids(v *Vocab, mask []uint64) []int32 {
	out := []int32{}
	for id := int32(0); int(id) < v.Size(); id++ {
		if mask[id>>6]>>(id&63)&1 != 0 && !v.IsEOG(id) {
			out = append(out, id)
		}
	}
	return out
}

func TestGoldenMasks(t *testing.T) {
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
	golden(t, "masks.json", &data)
	v := hexVocab(t, data.VocabHex, []int32{data.EOS})
	n := 0
	for _, gr := range data.Grammars {
		m, err := compile(t, GBNF(gr.GBNF)).Bind(v)
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
			if got := ids(v, mask); !slices.Equal(got, c.Allowed) || info.EOSAllowed != c.EOSAllowed || info.Allowed != len(c.Allowed) {
				t.Errorf("%s after %q: %v eos %v, want %v eos %v", gr.Name, prefix, got, info.EOSAllowed, c.Allowed, c.EOSAllowed)
			}
			n++
		}
	}
	if n != 81 {
		t.Errorf("%d prefixes checked, want 81", n)
	}
}
