package constrain

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"logitscope/sampling/constrain/constraintest"
	"logitscope/sampling/constrain/lang"
	"logitscope/sampling/constrain/schema"
)

func indented(t testing.TB, raw json.RawMessage) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := json.Indent(&b, raw, "", "  "); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestBenchSchemas(t *testing.T) {
	t.Parallel()
	valid, invalid := 0, 0
	for _, c := range constraintest.BenchCases(t) {
		g, err := Compile(schema.New(c.Schema, schema.Options{}))
		if err != nil {
			t.Errorf("%s: %v", c.ID, err)
			continue
		}
		for _, v := range c.Valid {
			for _, text := range [][]byte{constraintest.Compact(t, v), constraintest.Spaced(constraintest.Compact(t, v)), indented(t, v)} {
				if ok, at := g.Check(text); !ok {
					t.Errorf("%s: valid instance rejected, dead at %d: %s", c.ID, at, around(text, at))
				}
				valid++
			}
		}
		for _, v := range c.Invalid {
			if ok, _ := g.Check(constraintest.Compact(t, v.Data)); ok {
				t.Errorf("%s: invalid instance (%s) accepted: %.300s", c.ID, v.Change, v.Data)
			}
			invalid++
		}
	}
	t.Logf("%d valid texts, %d invalid instances", valid, invalid)
}

func around(text []byte, at int) string {
	if at < 0 {
		return string(text[max(0, len(text)-60):])
	}
	return string(text[max(0, min(at, len(text))-60):min(len(text), at+20)])
}

type suiteFile struct {
	Keyword string
	Tier    string
	Groups  []struct {
		Description string
		Schema      json.RawMessage
		Tests       []struct {
			Description string
			Data        json.RawMessage
			Valid       bool
		}
	}
}

// TestSuites runs the public test suites, with the schema's order and with any.
// Refusals must name a keyword; in the tier "must" only what
// needs documents from outside may be refused.
func TestSuites(t *testing.T) {
	t.Parallel()
	refusable := []string{"remote ref, containing refs itself", "validate definition against metaschema", "float division = inf"}
	for _, run := range []struct {
		draft    string
		anyOrder bool
	}{{"draft2020-12", false}, {"draft2020-12", true}, {"draft7", false}, {"draft7", true}} {
		draft := run.draft
		files, _ := filepath.Glob(filepath.Join(constraintest.Shared(t, "golden", "schemas", "test-suite", draft), "*.json"))
		groups, refused, tests := 0, 0, 0
		for _, f := range files {
			var s suiteFile
			constraintest.ReadFixture(t, f, &s)
			for _, g := range s.Groups {
				groups++
				name := draft + "/" + s.Keyword + "/" + g.Description
				gr, err := Compile(schema.New(g.Schema, schema.Options{AnyOrder: run.anyOrder, Draft7: draft == "draft7", Whitespace: schema.WhitespaceAny}))
				if err != nil {
					unsatisfiable := true
					for _, x := range g.Tests {
						unsatisfiable = unsatisfiable && !x.Valid
					}
					if unsatisfiable {
						continue
					}
					refused++
					if s.Tier == "must" && !strings.Contains(strings.Join(refusable, "|"), g.Description) {
						t.Errorf("%s: %v", name, err)
					} else {
						t.Logf("%s: %v", name, err)
					}
					if r, ok := err.(*lang.RefusedError); !ok || r.Refusals[0].Keyword == "" {
						t.Errorf("%s: refusal without a keyword: %v", name, err)
					}
					continue
				}
				for _, x := range g.Tests {
					tests++
					if strings.Contains(g.Description, "A-label") && !x.Valid {
						continue // the tables of IDNA are not part of the format here
					}
					if ok, at := gr.Check(x.Data); ok != x.Valid {
						t.Errorf("%s: %s: %.200s accepted %v (dead at %d), want %v; schema %.300s", name, x.Description, x.Data, ok, at, x.Valid, g.Schema)
					}
				}
			}
		}
		t.Logf("%s, any order %v: %d groups, %d refused, %d tests", draft, run.anyOrder, groups, refused, tests)
	}
}

// TestCountedPatterns has one character repeated between anchors, more often
// than an expression can say, and such that look alike.
func TestCountedPatterns(t *testing.T) {
	t.Parallel()
	letters := func(n int) string { return `"` + strings.Repeat("a", n) + `"` }
	for _, c := range []struct {
		schema string
		texts  map[string]bool
	}{
		{`{"type":"string","pattern":"^.{1,2048}$"}`, map[string]bool{`""`: false, letters(1): true, letters(2048): true, letters(2049): false, `"a\n"`: false, `"é\ud83d\ude00"`: true}},
		{`{"type":"string","pattern":"^[\\s\\S]{0,1500}$"}`, map[string]bool{`""`: true, letters(1500): true, letters(1501): false, `"\n"`: true}},
		{`{"type":"string","pattern":"^[a-z\\-]{2000}$"}`, map[string]bool{letters(1999): false, letters(2000): true, letters(2001): false, `"` + strings.Repeat("-", 2000) + `"`: true, `"` + strings.Repeat("A", 2000) + `"`: false}},
		{`{"type":"string","pattern":"^\\w{70,}$","maxLength":80}`, map[string]bool{letters(69): false, letters(70): true, letters(80): true, letters(81): false}},
		{`{"type":"string","not":{"pattern":"^[a-c]{100,5000}$"}}`, map[string]bool{letters(99): true, letters(100): false, letters(5000): false, letters(5001): true, `"` + strings.Repeat("d", 200) + `"`: true}},
		{`{"type":"string","pattern":"^(?:ab){70}$"}`, map[string]bool{`"` + strings.Repeat("ab", 70) + `"`: true, letters(70): false}},
		{`{"type":"string","pattern":"^[^]{70}$"}`, nil},
		{`{"type":"string","pattern":"^a{70}|b{80}$"}`, map[string]bool{letters(71): true, `"` + strings.Repeat("b", 90) + `"`: true}},
	} {
		g, err := Compile(schema.New([]byte(c.schema), schema.Options{}))
		if (err == nil) != (c.texts != nil) {
			t.Errorf("%s: %v", c.schema, err)
			continue
		}
		for text, want := range c.texts {
			if ok, at := g.Check([]byte(text)); ok != want {
				t.Errorf("%s: %.20s of %d bytes accepted %v (dead at %d), want %v", c.schema, text, len(text), ok, at, want)
			}
		}
	}
}

// TestManyConditionals has as many branches on one member as a real schema may
// have: two ways through each, but only one that does not contradict itself.
func TestManyConditionals(t *testing.T) {
	t.Parallel()
	const n = 24
	kinds := listed(n, func(i int) string { return fmt.Sprintf(`"k%d"`, i) })
	members := listed(n, func(i int) string { return fmt.Sprintf(`"a%d":{"type":"integer"}`, i) })
	branches := listed(n, func(i int) string {
		return fmt.Sprintf(`{"if":{"properties":{"kind":{"const":"k%d"}}},"then":{"required":["a%d"]}}`, i, i)
	})
	g := constraintest.Compile(t, schema.New([]byte(`{"type":"object","properties":{"kind":{"enum":[`+kinds+`]},`+members+`},"required":["kind"],"allOf":[`+branches+`]}`), schema.Options{}))
	for text, want := range map[string]bool{
		`{"kind":"k3","a3":1}`: true, `{"kind":"k3"}`: false, `{"kind":"k3","a2":1}`: false, `{"kind":"k23","a3":1,"a23":2}`: true, `{"kind":"k24","a3":1}`: false,
	} {
		if ok, _ := g.Check([]byte(text)); ok != want {
			t.Errorf("%s accepted %v", text, ok)
		}
	}
}
