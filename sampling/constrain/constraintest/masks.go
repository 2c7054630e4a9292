package constraintest

import (
	"bytes"
	"slices"
	"testing"

	"logitscope/sampling/constrain/automaton"
	"logitscope/sampling/constrain/grammar"
	"logitscope/sampling/constrain/lang"
	"logitscope/sampling/constrain/schema"
)

// SlowMask is the mask by definition: every token's bytes are followed from
// the state.
func SlowMask(m *automaton.Matcher, s automaton.State) []uint64 {
	mask := make([]uint64, m.Vocab().Words())
	for id := range int32(m.Vocab().Size()) {
		piece := m.Vocab().Piece(id)
		if len(piece) == 0 {
			continue
		}
		if _, _, died := m.AcceptBytes(s, piece); !died {
			mask[id>>6] |= 1 << (id & 63)
		}
	}
	if m.Accepting(s) {
		for id := range int32(m.Vocab().Size()) {
			if m.Vocab().IsEOG(id) {
				mask[id>>6] |= 1 << (id & 63)
			}
		}
	}
	return mask
}

// CompareMasks checks the fast masks along a text against the slow ones, made
// by another matcher so that neither helps the other.
func CompareMasks(t *testing.T, name string, g *automaton.Grammar, v *automaton.Vocab, text []byte, every int) {
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
			want := SlowMask(slow, w)
			if !slices.Equal(mask, want) {
				t.Errorf("%s after %q (%v): masks differ: %v", name, text[max(0, i-40):i], info.Layer, Differences(v, mask, want))
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

// Differences lists up to eight tokens in which two masks differ: + for those that
// only got allows, - for those that only want does.
func Differences(v *automaton.Vocab, got, want []uint64) (out []string) {
	for id := range int32(v.Size()) {
		g, w := got[id>>6]>>(id&63)&1, want[id>>6]>>(id&63)&1
		if g != w && len(out) < 8 {
			out = append(out, "-+"[g:g+1]+string(v.Piece(id)))
		}
	}
	return out
}

var TwinCases = []struct {
	Name string
	Src  lang.Source
	Text string
}{
	{"json", schema.JSON(schema.JSONOptions{}), `{"name": "Ann \u00e9\ud83d\ude00 \"x\"", "list": [1, 2.5e3, true, null, {"a": {}}], "日本": "語"}`},
	{"regex", grammar.Regex(`(the|and) [a-z]{2,9}( [^"]+)?\.`, false), "the end is near."},
	{"search", grammar.Regex(`[0-9]{3}`, true), "abc 123 def"},
	{"choice", grammar.Choice([]string{"yes", "no", "maybe not", "notable"}), "maybe not"},
	{"recursion", grammar.GBNF("root ::= item (\" and \" item)*\nitem ::= [a-z]+ | \"(\" root \")\""), "a and (b and c) and d"},
	{"counters", grammar.GBNF(`root ::= "<" ([a-z]{2,200} " "){3,400} ">"`), "<the cat sat on the mat >"},
	{"counted rounds", grammar.GBNF(`root ::= "[" ([a-d]{2,200} ","){3,400} "]"`), "[ad,da,aa,dd,]"},
	{"any text", grammar.GBNF(`root ::= ("<b>" [^<]* "</b>" | [^<])*`), "some <b>bold</b> words"},
	{"bounded strings", schema.New([]byte(`{"properties":{"a":{"type":"string","maxLength":7},"b":{"type":"string","minLength":3,"maxLength":40},"c":{"type":"string","pattern":"^[a-z]+( [a-z]+)*$","maxLength":30}},"additionalProperties":false}`), schema.Options{}), `{"a": "the\u00e9 wi", "b": "once upon a time", "c": "there was a"}`},
	{"names", schema.New([]byte(`{"properties":{"the":{"type":"integer"},"then":{"type":"string"},"é":true},"additionalProperties":{"type":"boolean"}}`), schema.Options{}), `{"th": true, "then": "x", "ther": false, "\u00e9x": true}`},
	{"classes of names", schema.New([]byte(`{"properties":{"the":{"type":"integer"}},"patternProperties":{"the":{"type":["integer","null"]},"^[a-z]+$":{"type":["integer","string"]},"é":true},"additionalProperties":{"type":"boolean"}}`), schema.Options{}), `{"then": 1, "a": "x", "T": true, "Athe": null, "\u00e9": [], "x\u0074he": 2}`},
	{"one pattern of names", schema.New([]byte(`{"patternProperties":{"^[a-z0-9]+$":{"type":"integer"}},"additionalProperties":{"type":"boolean"}}`), schema.Options{}), `{"the": 1, "The": true, "\u00e9\"": false, "\u0061": 12}`},
	{"classes twice", schema.New([]byte(`{"anyOf":[{"type":"object","patternProperties":{"a":{"type":"integer"},"d$":{"type":["integer","null"]}},"additionalProperties":{"type":"boolean"}},{"type":"object","patternProperties":{"a":{"type":"string"},"d$":{"type":["array","string"]}},"additionalProperties":{"type":"null"},"minProperties":2}]}`), schema.Options{}), `{"da": "x", "d": [0], "u": null, "ad": "a"}`},
	{"search patterns", schema.New([]byte(`{"properties":{"a":{"type":"string","pattern":"the|é"},"b":{"type":"string","pattern":"^[^a]*$","minLength":1},"c":{"type":"string","pattern":"[06]$"}},"additionalProperties":false}`), schema.Options{}), `{"a": "da\u0065 the\ud83d\ude00 d", "b": "u\n\u0062", "c": "a0 6"}`},
	{"values and texts", schema.New([]byte(`{"items":{"anyOf":[{"type":"string","pattern":"^[a-z]+$"},{"type":"string","maxLength":2},{"type":"number"},{"type":"array","items":true}]},"type":"array"}`), schema.Options{}), `["the", "\u0061", "a ", 0.6, [{"a": ["b"]}], ""]`},
	{"same rule twice", schema.New([]byte(`{"type":"array","prefixItems":[{"$ref":"#/$defs/s"},{"type":"object","additionalProperties":{"$ref":"#/$defs/s"}},{"$ref":"#/$defs/s"}],"items":false,"minItems":3,"$defs":{"s":{"type":"string","pattern":"^(a|the)*$"}}}`), schema.Options{}), `["aa", {"a": "the", "d": "a"}, "thea"]`},
	{"any order", schema.New([]byte(`{"properties":{"a":{"type":"integer"},"b":{"type":"string"},"c":true},"required":["b","c"],"additionalProperties":false,"minProperties":2}`), schema.Options{AnyOrder: true}), `{"c": [], "b": "x", "a": 12}`},
	{"unique enum", schema.New([]byte(`{"type":"array","uniqueItems":true,"items":{"enum":["the","then","a"]},"minItems":2}`), schema.Options{}), `["then", "a"]`},
	{"unique strings", schema.New([]byte(`{"type":"array","uniqueItems":true,"items":{"type":"string"}}`), schema.Options{}), `["the", "then", "", "\u0074ea", "th"]`},
	{"unique short strings", schema.New([]byte(`{"type":"array","uniqueItems":true,"items":{"type":"string","maxLength":2}}`), schema.Options{}), `["th", "t", "", "te"]`},
	{"unique patterns", schema.New([]byte(`{"type":"array","uniqueItems":true,"items":{"type":"string","pattern":"^[ab]+x?$","maxLength":12}}`), schema.Options{}), `["a", "ab", "abx", "b"]`},
	{"unique numbers", schema.New([]byte(`{"type":"array","uniqueItems":true,"items":{"type":"number"}}`), schema.Options{}), `[0, 0.5, 1, 10, 1.25]`},
	{"unique integers", schema.New([]byte(`{"type":"array","uniqueItems":true,"items":{"type":"integer"}}`), schema.Options{}), `[0, -1, 1, 12, 120]`},
	{"numbers", schema.New([]byte(`{"type":"array","items":{"anyOf":[{"type":"number","minimum":-2,"exclusiveMaximum":10},{"type":"integer","multipleOf":5,"minimum":100},{"type":"number","exclusiveMinimum":0,"multipleOf":0.25}]}}`), schema.Options{}), `[1e-3, 0.5, 105, 1e2, -2E0, 2.5e-1, 9.99e0]`},
	{"distinct names", schema.New([]byte(`{"type":"object","properties":{"the":true},"patternProperties":{"^t":{"type":"integer"}},"additionalProperties":{"type":["integer","object"],"minProperties":2},"minProperties":4}`), schema.Options{}), `{"th": 1, "a": {"a": 0, "the": 0}, "the": 2, "\u0074hen": 3, "a ": 4, "th": 3}`},
	{"names of a pattern", schema.New([]byte(`{"type":"object","propertyNames":{"pattern":"^[a-z]+$"},"minProperties":3,"maxProperties":5}`), schema.Options{}), `{"the": 1, "then": {}, "th": "a", "thea": 3}`},
	{"names of a list", schema.New([]byte(`{"type":"object","propertyNames":{"enum":["the","then","a"]},"minProperties":2}`), schema.Options{}), `{"then": 1, "the": {}, "a": 0}`},
	{"contains", schema.New([]byte(`{"type":"array","contains":{"type":"integer"},"minContains":2,"maxContains":3,"maxItems":6}`), schema.Options{}), `[1, "a", 2, 3, null]`},
}

// DenseVocab has all short strings of the bytes that end strings and rules,
// and some long ones: tokens that leave and enter many rules, and all kinds of
// escapes, cut anywhere.
func DenseVocab() *automaton.Vocab {
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
	return VocabOf(pieces, 0)
}
