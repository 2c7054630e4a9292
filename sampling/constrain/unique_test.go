package constrain

import (
	"math/rand/v2"
	"testing"

	"logitscope/sampling/constrain/constraintest"
	"logitscope/sampling/constrain/schema"
)

func TestUniqueItems(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		schema string
		texts  map[string]bool
	}{
		{`{"uniqueItems":true,"type":"array","items":{"type":"string"}}`, map[string]bool{
			`["a","b","ab",""]`: true, `["a","b","a"]`: false, `["a","\u0061"]`: false, `["",""]`: false, `["é","\u00e9"]`: false, `["a","aa","aaa"]`: true,
			`["\ud83d\ude00","😀"]`: false, `["\n","\u000a"]`: false, `["\n","n"]`: true,
		}},
		{`{"uniqueItems":true,"type":"array","items":{"type":"number"}}`, map[string]bool{
			`[1,2,1.5]`: true, `[1,1.0]`: false, `[0,-0]`: false, `[1,10,100]`: true, `[3.25,3.250]`: false, `[0,0.1]`: true,
		}},
		{`{"uniqueItems":true,"type":"array","items":{"type":"integer"}}`, map[string]bool{`[0,1,10]`: true, `[0,0]`: false, `[0,-0]`: false, `[5,55,5]`: false, `[1.0]`: true, `[1.0,1]`: false, `[1,1.00]`: false, `[15,0.0]`: true, `[0,-0.0]`: false, `[1.5]`: false, `[12,1.0,120.0]`: true}},
		{`{"uniqueItems":true,"type":"array","items":{"type":"string","pattern":"^[ab]$"}}`, map[string]bool{`["a","b"]`: true, `["a","a"]`: false}},
		{`{"uniqueItems":true,"type":"array","items":{"enum":[1,"1",null]}}`, map[string]bool{`[1,"1",null]`: true, `[null,null]`: false, `[1,1.0]`: false}},
		{`{"uniqueItems":true,"type":"array","maxItems":1}`, map[string]bool{`[{"a":1}]`: true, `[1,2]`: false}},
	} {
		g := constraintest.Compile(t, schema.New([]byte(c.schema), schema.Options{}))
		for text, want := range c.texts {
			if ok, at := g.Check([]byte(text)); ok != want {
				t.Errorf("%s: %s accepted %v (dead at %d), want %v", c.schema, text, ok, at, want)
			}
		}
	}
	// The third item cannot begin: both texts of the pattern are taken.
	g := constraintest.Compile(t, schema.New([]byte(`{"uniqueItems":true,"type":"array","items":{"type":"string","pattern":"^[ab]$"}}`), schema.Options{Whitespace: schema.WhitespaceCompact}))
	if _, at := g.Check([]byte(`["a","b",`)); at != 8 {
		t.Errorf("a comma after the last possible item dies at %d, want 8", at)
	}
}

// TestDistinctNames repeats names that a schema does not declare. JSON takes the
// last of them, so that together they are one property.
func TestDistinctNames(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		schema string
		texts  map[string]bool
	}{
		{`{"type":"object","minProperties":2}`, map[string]bool{
			`{"x":1,"x":2}`: false, `{"x":1,"\u0078":2}`: false, `{"x":1,"y":2}`: true, `{"x":1,"y":2,"x":3}`: true, `{"x":1,"x":2,"y":3}`: false, `{"":1,"x":1}`: true, `{"x":1}`: false,
		}},
		{`{"type":"object","minProperties":1}`, map[string]bool{`{"x":1,"x":2}`: true, `{}`: false}},
		{`{"propertyNames":{"enum":["x","y"]},"minProperties":2,"type":"object"}`, map[string]bool{`{"x":1,"x":2}`: false, `{"x":1,"y":2}`: true, `{"y":1,"x":2}`: true, `{"y":1,"x":2,"y":3}`: false}},
		{`{"propertyNames":{"anyOf":[{"enum":["ab","x"]},{"pattern":"^a"}]},"minProperties":2,"type":"object"}`, map[string]bool{
			`{"ab":1,"ab":2}`: false, `{"x":1,"x":2}`: false, `{"ab":1,"a":2}`: true, `{"x":1,"ab":2}`: true, `{"x":1,"y":2}`: false,
		}},
		{`{"type":"object","patternProperties":{"^a":{"type":"integer"}},"additionalProperties":{"type":"string"},"minProperties":3}`, map[string]bool{
			`{"a":1,"b":"","a":2}`: false, `{"a":1,"b":"","ab":2}`: true, `{"b":"","a":1,"b":""}`: false, `{"c":"","a":1,"b":""}`: true, `{"b":1,"a":1,"c":""}`: false,
		}},
		{`{"type":"object","patternProperties":{"^[ab]$":true},"additionalProperties":false,"minProperties":2}`, map[string]bool{`{"a":1,"a":1}`: false, `{"b":1,"a":1}`: true}},
		{`{"type":"object","properties":{"p":true,"q":true},"required":["p"],"minProperties":3}`, map[string]bool{
			`{"p":1,"x":1,"x":2}`: false, `{"x":1,"p":1,"x":2}`: false, `{"x":1,"p":1,"y":2}`: true, `{"p":1,"q":1,"x":2}`: true, `{"p":1,"x":1,"q":1,"x":2}`: true, `{"x":1,"y":1,"p":1,"q":1}`: true,
		}},
		{`{"type":"object","properties":{"p":true},"required":["p"],"minProperties":2}`, map[string]bool{`{"p":1,"x":1,"x":2}`: true, `{"x":1,"p":1}`: true, `{"p":1}`: false}},
		{`{"type":"object","minProperties":2,"maxProperties":3}`, map[string]bool{`{"x":1,"x":2}`: false, `{"x":1,"y":2,"z":3}`: true, `{"x":1,"y":2,"z":3,"w":4}`: false}},
		{`{"type":"object","minProperties":2,"additionalProperties":{"type":"object","minProperties":2}}`, map[string]bool{
			`{"x":{"x":1,"y":2},"y":{"x":1,"y":2}}`: true, `{"x":{"x":1,"x":2},"y":{"x":1,"y":2}}`: false, `{"x":{"x":1,"y":2},"x":{"x":1,"y":2}}`: false,
		}},
		{`{"type":"object","patternProperties":{"^a":true,"b$":true},"additionalProperties":false,"minProperties":2}`, map[string]bool{
			`{"ab":1,"ab":2}`: false, `{"a":1,"ab":2}`: true, `{"a":1,"a":2}`: false, `{"b":1,"a":1}`: true, `{"b":1,"c":1}`: false,
		}},
	} {
		for _, any := range []bool{false, true} {
			g := constraintest.Compile(t, schema.New([]byte(c.schema), schema.Options{AnyOrder: any}))
			for text, want := range c.texts {
				if ok, at := g.Check([]byte(text)); ok != want {
					t.Errorf("%s, any order %v: %s accepted %v (dead at %d), want %v", c.schema, any, text, ok, at, want)
				}
			}
		}
	}
}

// TestUniqueNumbersCloseInTime follows "[0," where -0 would be the number that
// is there already: with two tokens left only the other digits can be closed.
func TestUniqueNumbersCloseInTime(t *testing.T) {
	t.Parallel()
	for _, ws := range []schema.Whitespace{schema.WhitespaceBounded, schema.WhitespaceCompact, schema.WhitespaceAny} {
		m, err := constraintest.Compile(t, schema.New([]byte(`{"type":"array","items":{"type":"integer"},"uniqueItems":true,"minItems":2}`), schema.Options{Whitespace: ws})).Bind(constraintest.ByteVocab())
		if err != nil {
			t.Fatal(err)
		}
		mask := make([]uint64, m.Vocab().Words())
		for text, want := range map[string]string{"[0,": "123456789", "[0,-": "123456789", "[0,1,": "23456789", "[0,1,-": "123456789", "[-1,-": "023456789", "[1,-1,": "023456789"} {
			s, _, died := m.AcceptBytes(m.Start(), []byte(text))
			if died {
				t.Fatalf("%q died", text)
			}
			m.MaskWithin(s, mask, 2)
			var got []byte
			for _, id := range constraintest.IDs(m.Vocab(), mask) {
				got = append(got, byte(id))
			}
			if string(got) != want {
				t.Errorf("%v: after %q %q can be closed in time, want %q", ws, text, got, want)
			}
		}
	}
}

// TestUniqueTextsCloseInTime has texts of which all but one take more bytes
// than the nearest completion of one.
func TestUniqueTextsCloseInTime(t *testing.T) {
	t.Parallel()
	for source, least := range map[string]int{
		`{"type":"array","items":{"type":"string"},"uniqueItems":true,"minItems":3}`:                      2 + 2 + 3*2 + 2,           // brackets, commas, quotes and the fewest letters
		`{"type":"object","additionalProperties":{"type":"integer"},"minProperties":3}`:                   2 + 2 + 3*2 + 2 + 2*3,     // as well colons and digits
		`{"type":"object","properties":{"":{}},"additionalProperties":{"type":"null"},"minProperties":3}`: 2 + 2 + 3*2 + 2 + 3*5 - 3, // "" holds a digit, the others null
		`{"type":"array","items":{"type":"string","pattern":"^a*$"},"uniqueItems":true,"minItems":7}`:     2 + 6 + 7*2 + 0 + 1 + 2 + 3 + 4 + 5 + 6,
		`{"type":"object","propertyNames":{"enum":["a","b","cc"]},"minProperties":3}`:                     2 + 2 + 3*2 + 4 + 2*3,
	} {
		m, err := constraintest.Compile(t, schema.New([]byte(source), schema.Options{Whitespace: schema.WhitespaceCompact})).Bind(constraintest.ByteVocab())
		if err != nil {
			t.Fatal(err)
		}
		for seed := range 12 {
			rng := rand.New(rand.NewPCG(uint64(seed), 2))
			if text, ok := constraintest.RandomText(t, m, rng, least+seed, 3); !ok {
				t.Errorf("%s: not complete within %d tokens: %s", source, least+seed, text)
			}
		}
	}
}
