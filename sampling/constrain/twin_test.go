package constrain

import (
	"slices"
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
	{"left recursion", GBNF("root ::= root \" and \" item | item\nitem ::= [a-z]+ | \"(\" root \")\""), "a and (b and c) and d"},
	{"counters", GBNF(`root ::= "<" ([a-z]{2,200} " "){3,400} ">"`), "<the cat sat on the mat >"},
	{"any text", GBNF(`root ::= ("<b>" [^<]* "</b>" | [^<])*`), "some <b>bold</b> words"},
	{"bounded strings", Schema([]byte(`{"properties":{"a":{"type":"string","maxLength":7},"b":{"type":"string","minLength":3,"maxLength":40},"c":{"type":"string","pattern":"^[a-z]+( [a-z]+)*$","maxLength":30}},"additionalProperties":false}`), SchemaOptions{}), `{"a": "the\u00e9 wi", "b": "once upon a time", "c": "there was a"}`},
	{"names", Schema([]byte(`{"properties":{"the":{"type":"integer"},"then":{"type":"string"},"é":true},"additionalProperties":{"type":"boolean"}}`), SchemaOptions{}), `{"th": true, "then": "x", "ther": false, "\u00e9x": true}`},
	{"classes of names", Schema([]byte(`{"properties":{"the":{"type":"integer"}},"patternProperties":{"the":{"type":["integer","null"]},"^[a-z]+$":{"type":["integer","string"]},"é":true},"additionalProperties":{"type":"boolean"}}`), SchemaOptions{}), `{"then": 1, "a": "x", "T": true, "Athe": null, "\u00e9": [], "x\u0074he": 2}`},
	{"any order", Schema([]byte(`{"properties":{"a":{"type":"integer"},"b":{"type":"string"},"c":true},"required":["b","c"],"additionalProperties":false,"minProperties":2}`), SchemaOptions{AnyOrder: true}), `{"c": [], "b": "x", "a": 12}`},
	{"unique enum", Schema([]byte(`{"type":"array","uniqueItems":true,"items":{"enum":["the","then","a"]},"minItems":2}`), SchemaOptions{}), `["then", "a"]`},
	{"unique strings", Schema([]byte(`{"type":"array","uniqueItems":true,"items":{"type":"string"}}`), SchemaOptions{}), `["the", "then", "", "\u0074ea", "th"]`},
	{"unique short strings", Schema([]byte(`{"type":"array","uniqueItems":true,"items":{"type":"string","maxLength":2}}`), SchemaOptions{}), `["th", "t", "", "te"]`},
	{"unique patterns", Schema([]byte(`{"type":"array","uniqueItems":true,"items":{"type":"string","pattern":"^[ab]+x?$","maxLength":12}}`), SchemaOptions{}), `["a", "ab", "abx", "b"]`},
	{"unique numbers", Schema([]byte(`{"type":"array","uniqueItems":true,"items":{"type":"number"}}`), SchemaOptions{}), `[0, 0.5, 1, 10, 1.25]`},
	{"unique integers", Schema([]byte(`{"type":"array","uniqueItems":true,"items":{"type":"integer"}}`), SchemaOptions{}), `[0, -1, 1, 12, 120]`},
	{"contains", Schema([]byte(`{"type":"array","contains":{"type":"integer"},"minContains":2,"maxContains":3,"maxItems":6}`), SchemaOptions{}), `[1, "a", 2, 3, null]`},
}

func TestMasksAgainstSlowTwin(t *testing.T) {
	v := fableVocab(t)
	for _, c := range twinCases {
		g := compile(t, c.src)
		if ok, at := g.Check([]byte(c.text)); !ok {
			t.Errorf("%s: %q rejected, dead at %d", c.name, c.text, at)
		}
		compareMasks(t, c.name, g, v, []byte(c.text), 1)
		compareMasks(t, c.name, g, byteVocab(), []byte(c.text), 1)
	}
}
