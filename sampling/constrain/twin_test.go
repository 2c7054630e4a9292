package constrain

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// slowMask is the mask by definition: every token's bytes are followed from
// the state.
func slowMask(m *Matcher, s State) []uint64 {
	mask := make([]uint64, m.v.Words())
	for id := range int32(m.v.size) {
		piece := m.v.Piece(id)
		if len(piece) == 0 {
			continue
		}
		if _, _, died := m.AcceptBytes(s, piece); !died {
			mask[id>>6] |= 1 << (id & 63)
		}
	}
	if m.Accepting(s) {
		for _, id := range m.v.eog {
			mask[id>>6] |= 1 << (id & 63)
		}
	}
	return mask
}

// compareMasks checks the fast masks along a text against the slow ones, made
// by another matcher so that neither helps the other.
func compareMasks(t *testing.T, name string, g *Grammar, v *Vocab, text []byte, every int) {
	t.Helper()
	fast, err := g.Bind(v)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	slow, _ := g.Bind(v)
	mask := make([]uint64, v.Words())
	s, w := fast.Start(), slow.Start()
	for i := 0; ; i++ {
		if i%every == 0 {
			info := fast.Mask(s, mask)
			want := slowMask(slow, w)
			if !slices.Equal(mask, want) {
				t.Errorf("%s after %q (%v): masks differ: %v", name, text[max(0, i-40):i], info.Layer, differences(v, mask, want))
				return
			}
			if info.Allowed == 0 && !info.EOSAllowed {
				t.Errorf("%s after %q: nothing is allowed", name, text[:i])
			}
		}
		if i == len(text) {
			return
		}
		var n int
		if s, n, _ = fast.AcceptBytes(s, text[i:i+1]); n == 0 {
			return
		}
		w, _, _ = slow.AcceptBytes(w, text[i:i+1])
	}
}

func differences(v *Vocab, got, want []uint64) (out []string) {
	for id := range int32(v.size) {
		g, w := got[id>>6]>>(id&63)&1, want[id>>6]>>(id&63)&1
		if g != w && len(out) < 8 {
			out = append(out, map[uint64]string{1: "+", 0: "-"}[g]+string(v.Piece(id)))
		}
	}
	return out
}

func TestMasksAgainstSlowTwinOnBench(t *testing.T) {
	v := fableVocab(t)
	for i, c := range benchCases(t) {
		g, err := Compile(Schema(c.Schema, SchemaOptions{AnyOrder: i%3 == 2}))
		if err != nil {
			continue
		}
		for j, d := range c.Valid {
			if testing.Short() && (i+j)%4 != 0 {
				continue
			}
			compareMasks(t, c.ID, g, v, spaced(compact(t, d)), 7)
		}
	}
}

var twinCases = []struct {
	name string
	src  Source
	text string
}{
	{"json", JSON(JSONOptions{}), `{"name": "Ann \u00e9\ud83d\ude00 \"x\"", "list": [1, 2.5e3, true, null, {"a": {}}], "日本": "語"}`},
	{"regex", Regex(`(the|and) [a-z]{2,9}( [^"]+)?\.`, false), "the end is near."},
	{"search", Regex(`[0-9]{3}`, true), "abc 123 def"},
	{"choice", Choice([]string{"yes", "no", "maybe not", "notable"}), "maybe not"},
	{"recursion", GBNF("root ::= item (\" and \" item)*\nitem ::= [a-z]+ | \"(\" root \")\""), "a and (b and c) and d"},
	{"counters", GBNF(`root ::= "<" ([a-z]{2,200} " "){3,400} ">"`), "<the cat sat on the mat >"},
	{"counted rounds", GBNF(`root ::= "[" ([a-d]{2,200} ","){3,400} "]"`), "[ad,da,aa,dd,]"},
	{"any text", GBNF(`root ::= ("<b>" [^<]* "</b>" | [^<])*`), "some <b>bold</b> words"},
	{"bounded strings", Schema([]byte(`{"properties":{"a":{"type":"string","maxLength":7},"b":{"type":"string","minLength":3,"maxLength":40},"c":{"type":"string","pattern":"^[a-z]+( [a-z]+)*$","maxLength":30}},"additionalProperties":false}`), SchemaOptions{}), `{"a": "the\u00e9 wi", "b": "once upon a time", "c": "there was a"}`},
	{"names", Schema([]byte(`{"properties":{"the":{"type":"integer"},"then":{"type":"string"},"é":true},"additionalProperties":{"type":"boolean"}}`), SchemaOptions{}), `{"th": true, "then": "x", "ther": false, "\u00e9x": true}`},
	{"classes of names", Schema([]byte(`{"properties":{"the":{"type":"integer"}},"patternProperties":{"the":{"type":["integer","null"]},"^[a-z]+$":{"type":["integer","string"]},"é":true},"additionalProperties":{"type":"boolean"}}`), SchemaOptions{}), `{"then": 1, "a": "x", "T": true, "Athe": null, "\u00e9": [], "x\u0074he": 2}`},
	{"one pattern of names", Schema([]byte(`{"patternProperties":{"^[a-z0-9]+$":{"type":"integer"}},"additionalProperties":{"type":"boolean"}}`), SchemaOptions{}), `{"the": 1, "The": true, "\u00e9\"": false, "\u0061": 12}`},
	{"classes twice", Schema([]byte(`{"anyOf":[{"type":"object","patternProperties":{"a":{"type":"integer"},"d$":{"type":["integer","null"]}},"additionalProperties":{"type":"boolean"}},{"type":"object","patternProperties":{"a":{"type":"string"},"d$":{"type":["array","string"]}},"additionalProperties":{"type":"null"},"minProperties":2}]}`), SchemaOptions{}), `{"da": "x", "d": [0], "u": null, "ad": "a"}`},
	{"search patterns", Schema([]byte(`{"properties":{"a":{"type":"string","pattern":"the|é"},"b":{"type":"string","pattern":"^[^a]*$","minLength":1},"c":{"type":"string","pattern":"[06]$"}},"additionalProperties":false}`), SchemaOptions{}), `{"a": "da\u0065 the\ud83d\ude00 d", "b": "u\n\u0062", "c": "a0 6"}`},
	{"values and texts", Schema([]byte(`{"items":{"anyOf":[{"type":"string","pattern":"^[a-z]+$"},{"type":"string","maxLength":2},{"type":"number"},{"type":"array","items":true}]},"type":"array"}`), SchemaOptions{}), `["the", "\u0061", "a ", 0.6, [{"a": ["b"]}], ""]`},
	{"same rule twice", Schema([]byte(`{"type":"array","prefixItems":[{"$ref":"#/$defs/s"},{"type":"object","additionalProperties":{"$ref":"#/$defs/s"}},{"$ref":"#/$defs/s"}],"items":false,"minItems":3,"$defs":{"s":{"type":"string","pattern":"^(a|the)*$"}}}`), SchemaOptions{}), `["aa", {"a": "the", "d": "a"}, "thea"]`},
	{"any order", Schema([]byte(`{"properties":{"a":{"type":"integer"},"b":{"type":"string"},"c":true},"required":["b","c"],"additionalProperties":false,"minProperties":2}`), SchemaOptions{AnyOrder: true}), `{"c": [], "b": "x", "a": 12}`},
	{"unique enum", Schema([]byte(`{"type":"array","uniqueItems":true,"items":{"enum":["the","then","a"]},"minItems":2}`), SchemaOptions{}), `["then", "a"]`},
	{"unique strings", Schema([]byte(`{"type":"array","uniqueItems":true,"items":{"type":"string"}}`), SchemaOptions{}), `["the", "then", "", "\u0074ea", "th"]`},
	{"unique short strings", Schema([]byte(`{"type":"array","uniqueItems":true,"items":{"type":"string","maxLength":2}}`), SchemaOptions{}), `["th", "t", "", "te"]`},
	{"unique patterns", Schema([]byte(`{"type":"array","uniqueItems":true,"items":{"type":"string","pattern":"^[ab]+x?$","maxLength":12}}`), SchemaOptions{}), `["a", "ab", "abx", "b"]`},
	{"unique numbers", Schema([]byte(`{"type":"array","uniqueItems":true,"items":{"type":"number"}}`), SchemaOptions{}), `[0, 0.5, 1, 10, 1.25]`},
	{"unique integers", Schema([]byte(`{"type":"array","uniqueItems":true,"items":{"type":"integer"}}`), SchemaOptions{}), `[0, -1, 1, 12, 120]`},
	{"numbers", Schema([]byte(`{"type":"array","items":{"anyOf":[{"type":"number","minimum":-2,"exclusiveMaximum":10},{"type":"integer","multipleOf":5,"minimum":100},{"type":"number","exclusiveMinimum":0,"multipleOf":0.25}]}}`), SchemaOptions{}), `[1e-3, 0.5, 105, 1e2, -2E0, 2.5e-1, 9.99e0]`},
	{"distinct names", Schema([]byte(`{"type":"object","properties":{"the":true},"patternProperties":{"^t":{"type":"integer"}},"additionalProperties":{"type":["integer","object"],"minProperties":2},"minProperties":4}`), SchemaOptions{}), `{"th": 1, "a": {"a": 0, "the": 0}, "the": 2, "\u0074hen": 3, "a ": 4, "th": 3}`},
	{"names of a pattern", Schema([]byte(`{"type":"object","propertyNames":{"pattern":"^[a-z]+$"},"minProperties":3,"maxProperties":5}`), SchemaOptions{}), `{"the": 1, "then": {}, "th": "a", "thea": 3}`},
	{"names of a list", Schema([]byte(`{"type":"object","propertyNames":{"enum":["the","then","a"]},"minProperties":2}`), SchemaOptions{}), `{"then": 1, "the": {}, "a": 0}`},
	{"contains", Schema([]byte(`{"type":"array","contains":{"type":"integer"},"minContains":2,"maxContains":3,"maxItems":6}`), SchemaOptions{}), `[1, "a", 2, 3, null]`},
}

// denseVocab has all short strings of the bytes that end strings and rules,
// and some long ones: tokens that leave and enter many rules, and all kinds of
// escapes, cut anywhere.
func denseVocab() *Vocab {
	const alphabet = "\"\\u06ad:, {}[]\xc3\xa9"
	pieces := [][]byte{nil}
	for i := range 256 {
		pieces = append(pieces, []byte{byte(i)})
	}
	for last, n := [][]byte{nil}, 0; n < 3; n++ {
		var longer [][]byte
		for _, p := range last {
			for i := range len(alphabet) {
				longer = append(longer, append(bytes.Clone(p), alphabet[i]))
			}
		}
		if pieces, last = append(pieces, longer...), longer; n == 0 {
			pieces = pieces[:257] // the single bytes are there
		}
	}
	for _, a := range []string{"", "a", "\\", "\\\\", "\\\"", "\\u", "\\u0061", "\\ud83d", "\\ud83d\\ude00", "\\udc00", "the", "th\\u0065", "12", "0.5", "é"} {
		for _, b := range []string{`":`, `": `, `","`, `", "`, `"}`, `"]}`, "\": \"", "\":\n\t\"", `",[1`, `": {"the": `, `,"`, "]", "e3,", ",ad,]", ",ad,da,]"} {
			pieces = append(pieces, []byte(a+b))
		}
	}
	return vocabOf(pieces, 0)
}

func TestMasksAgainstSlowTwin(t *testing.T) {
	fable, dense := fableVocab(t), denseVocab()
	for _, c := range twinCases {
		g := compile(t, c.src)
		if ok, at := g.Check([]byte(c.text)); !ok {
			t.Errorf("%s: %q rejected, dead at %d", c.name, c.text, at)
		}
		for _, v := range []*Vocab{fable, dense, byteVocab()} {
			compareMasks(t, c.name, g, v, []byte(c.text), 1)
		}
	}
}

// TestMasksOfManyWays has a grammar in which a token may be read in far more
// ways than one mask follows part by part.
func TestMasksOfManyWays(t *testing.T) {
	var ways strings.Builder
	for i := range 60 {
		fmt.Fprintf(&ways, " | \"a\" w%d", i)
	}
	src := "root ::= (\"b\"" + ways.String() + ")*\n"
	for i := range 60 {
		src += fmt.Sprintf("w%d ::= \"a\"? \"%d\"?\n", i, i)
	}
	pieces := [][]byte{nil}
	for n := 1; n < 24; n++ {
		pieces = append(pieces, bytes.Repeat([]byte("a"), n), append(bytes.Repeat([]byte("a"), n), "59b"...), append(bytes.Repeat([]byte("a"), n), "60"...))
	}
	v := vocabOf(pieces, 0)
	g := compile(t, GBNF(src))
	compareMasks(t, "many ways", g, v, []byte("aaa17ba"), 1)
	m, err := g.Bind(v)
	if err != nil {
		t.Fatal(err)
	}
	m.Mask(m.Start(), make([]uint64, v.Words()))
	if m.reaches <= maxReaches {
		t.Errorf("%d states gone through part by part, so the limit of %d was not tried", m.reaches, maxReaches)
	}
}

func TestMemoDropsWhatIsNotUsed(t *testing.T) {
	a := &automaton{}
	for range 4 {
		a.states.add(dfaState{})
	}
	m := memo{a: a}
	small, turn := &maskEntry{}, func() { m.bytes = memoLimit; m.put(3, &maskEntry{}) }
	m.put(0, small)
	m.put(1, &maskEntry{})
	turn() // 0 and 1 are of the last generation from here on
	if m.get(0) != small {
		t.Fatal("a mask of the last generation is gone")
	}
	turn()
	if m.get(0) != small || a.states.at(1).mask != nil {
		t.Errorf("0 was used and is kept: %v; 1 was not and is dropped: %v", m.get(0) == small, a.states.at(1).mask == nil)
	}
}
