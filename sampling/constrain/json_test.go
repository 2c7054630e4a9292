package constrain

import (
	"encoding/base64"
	"strings"
	"testing"

	"logitscope/sampling/constrain/constraintest"
	"logitscope/sampling/constrain/schema"
)

func TestJSONSuite(t *testing.T) {
	t.Parallel()
	var data struct {
		Cases []struct{ Name, Expect, Text, Base64 string }
	}
	constraintest.ReadFixture(t, constraintest.Shared(t, "golden", "schemas", "json-test-suite", "cases.json"), &data)
	g := constraintest.Compile(t, schema.JSON(schema.JSONOptions{Whitespace: schema.WhitespaceAny}))
	bounded := constraintest.Compile(t, schema.JSON(schema.JSONOptions{}))
	for _, c := range data.Cases {
		text := []byte(c.Text)
		if c.Base64 != "" {
			text, _ = base64.StdEncoding.DecodeString(c.Base64)
		}
		ok, at := g.Check(text)
		if c.Expect == "accept" && !ok || c.Expect == "reject" && ok {
			t.Errorf("%s: %q accepted %v, dead at %d", c.Name, text, ok, at)
		}
		if inner, _ := bounded.Check(text); inner && !ok {
			t.Errorf("%s: accepted with bounded whitespace only", c.Name)
		}
	}
}

func TestJSONStrings(t *testing.T) {
	t.Parallel()
	g := constraintest.Compile(t, schema.JSON(schema.JSONOptions{}))
	for s, want := range map[string]int{
		`"a\u00e9"`: -2, `"\ud83d\ude00"`: -2, `"\uD83D\uDE00x"`: -2, `"é😀"`: -2, `""`: -2, `"\""`: -2,
		`"\ud83d"`: 7, `"\ude00"`: 4, `"\ud83d\n"`: 8, `"\x"`: 2, "\"\n\"": 1, `"\u12`: -1, `"`: -1, "\"\xff\"": 1,
		"\"\xed\xa0\x80\"": 2,
		`"\udZ`:            4,
	} {
		ok, at := g.Check([]byte(s))
		if ok != (want == -2) || !ok && at != want {
			t.Errorf("%q: accepted %v, dead at %d, want %d", s, ok, at, want)
		}
	}
}

func TestJSONWhitespaceIsBounded(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		w    schema.Whitespace
		text string
		ok   bool
	}{
		{schema.WhitespaceBounded, `{"a": [1, 2]}`, true},
		{schema.WhitespaceBounded, "{\n  \"a\": 1\n}", true},
		{schema.WhitespaceBounded, " 1", false},
		{schema.WhitespaceBounded, "1 ", false},
		{schema.WhitespaceBounded, "[1,  2]", false},
		{schema.WhitespaceBounded, "[\n" + strings.Repeat(" ", 32) + "1]", true},
		{schema.WhitespaceBounded, "[\n" + strings.Repeat(" ", 33) + "1]", false},
		{schema.WhitespaceBounded, "[\n\n1]", false},
		{schema.WhitespaceCompact, `{"a":[1,2]}`, true},
		{schema.WhitespaceCompact, `{"a": 1}`, false},
		{schema.WhitespaceAny, " [ \t\r\n 1 ] ", true},
	} {
		if ok, _ := constraintest.Compile(t, schema.JSON(schema.JSONOptions{Whitespace: c.w})).Check([]byte(c.text)); ok != c.ok {
			t.Errorf("whitespace %d: %q accepted %v, want %v", c.w, c.text, ok, c.ok)
		}
	}
}

func TestJSONDeepNesting(t *testing.T) {
	t.Parallel()
	g := constraintest.Compile(t, schema.JSON(schema.JSONOptions{}))
	const n = 100_000
	if ok, _ := g.Check([]byte(strings.Repeat("[", n) + strings.Repeat("]", n))); !ok {
		t.Error("100,000 brackets rejected")
	}
	if ok, at := g.Check([]byte(strings.Repeat("[", n) + "}")); ok || at != n {
		t.Errorf("unbalanced brackets: accepted %v, dead at %d, want %d", ok, at, n)
	}
	if ok, at := g.Check([]byte(strings.Repeat(`[{"":`, 50_000))); ok || at != -1 {
		t.Errorf("open brackets: accepted %v, dead at %d, want -1", ok, at)
	}
}
