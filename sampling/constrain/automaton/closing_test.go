package automaton_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"logitscope/sampling/constrain/constraintest"
	"logitscope/sampling/constrain/schema"
)

// distinctSchemas have texts that must differ, of languages that are free,
// bounded, finite, of one text per length, of one length and hard to list.
func distinctSchemas() (list []string) {
	for _, items := range []string{
		`{"type":"string"}`, `{"type":"string","minLength":1,"maxLength":3}`, `{"type":"string","maxLength":1}`,
		`{"type":"string","pattern":"^a*$"}`, `{"type":"string","pattern":"^(a+|b[0-9]+)$"}`, `{"type":"string","pattern":"^[a-z]{3}$"}`,
		`{"type":"string","format":"date"}`, `{"type":"string","pattern":"\"$"}`, `{"type":"string","pattern":"^(the )+x?$"}`,
		`{"type":"integer"}`, `{"type":"number"}`,
	} {
		list = append(list, fmt.Sprintf(`{"type":"array","items":%s,"uniqueItems":true,"minItems":4}`, items))
	}
	for _, names := range []string{`true`, `{"pattern":"^a*$"}`, `{"pattern":"^[a-z]{2,4}$"}`, `{"anyOf":[{"pattern":"^a+$"},{"pattern":"b$"}]}`} {
		list = append(list,
			fmt.Sprintf(`{"type":"object","propertyNames":%s,"minProperties":4,"properties":{"ab":{"type":"null"}},"additionalProperties":{"type":"boolean"}}`, names))
	}
	return append(list,
		`{"type":"object","properties":{"t":{"type":"array","items":{"type":"string"},"uniqueItems":true,"minItems":3},"u":{"type":"object","minProperties":3}},"required":["t","u"]}`,
		`{"type":"object","required":["a"],"minProperties":3}`,
		`{"type":"object","patternProperties":{"^a":{"type":"integer"},"a$":{"type":["integer","null"]}},"additionalProperties":{"type":"boolean"},"minProperties":4}`)
}

// TestDistinctTextsCloseInTime writes texts at random with just enough tokens
// and a few more: each must be complete in the end.
func TestDistinctTextsCloseInTime(t *testing.T) {
	v := constraintest.FableVocab(t)
	for i, source := range distinctSchemas() {
		m, err := constraintest.Compile(t, schema.New([]byte(source), schema.Options{Whitespace: schema.Whitespace(i % 2)})).Bind(v)
		if err != nil {
			t.Fatal(err)
		}
		least, _ := m.TokensLeft(m.Start())
		for seed, more := range []int{i % 3, 4 + 3*(i%5)} {
			rng := rand.New(rand.NewPCG(uint64(seed), uint64(i)))
			if text, ok := constraintest.RandomText(t, m, rng, least+more, 3); !ok {
				t.Errorf("%s: not complete within %d tokens of %d at least: %q", source, least+more, least, text)
			}
		}
	}
}

// TestLongTokensCloseInTime has budgets that only long tokens meet, of which the
// nearest completion has none.
func TestLongTokensCloseInTime(t *testing.T) {
	v := constraintest.FableVocab(t)
	for source, tokens := range map[string]int{
		`{"type":"string","minLength":200}`:            24,
		`{"type":"string","pattern":"^[a-z ]{150,}$"}`: 20,
		`{"type":"object","properties":{"a":{"type":"string","minLength":80},"b":{"type":"string","minLength":80}},"required":["a","b"],"additionalProperties":false}`: 26,
	} {
		m, err := constraintest.Compile(t, schema.New([]byte(source), schema.Options{})).Bind(v)
		if err != nil {
			t.Fatal(err)
		}
		for seed := range 4 {
			rng := rand.New(rand.NewPCG(uint64(seed), 2))
			if text, ok := constraintest.RandomText(t, m, rng, tokens, 3); !ok {
				t.Errorf("%s: not complete within %d tokens: %q", source, tokens, text)
			}
		}
	}
}

// TestClosingOneByOne checks the tokens that may come near the end of a budget
// against the states after each of them.
func TestClosingOneByOne(t *testing.T) {
	v := constraintest.DenseVocab()
	for i, source := range distinctSchemas() {
		g := constraintest.Compile(t, schema.New([]byte(source), schema.Options{Whitespace: schema.WhitespaceCompact}))
		m, err := g.Bind(v)
		if err != nil {
			t.Fatal(err)
		}
		twin, _ := g.Bind(v)
		least, _ := m.TokensLeft(m.Start())
		rng := rand.New(rand.NewPCG(7, uint64(i)))
		mask := make([]uint64, v.Words())
		s, w := m.Start(), twin.Start()
		var text []byte
		for left := least + 3; left > 0; left-- {
			if info := m.MaskWithin(s, mask, left); info.Allowed == 0 {
				break
			}
			list := constraintest.IDs(v, mask)
			if (left+i)%8 == 0 {
				if want := twin.CloseOneByOne(w, left); len(want) > 0 && !slices.Equal(list, want) {
					t.Errorf("%s after %q with %d tokens left: %d tokens, want %d", source, text, left, len(list), len(want))
				}
			}
			token := list[rng.IntN(len(list))]
			text = append(text, v.Piece(token)...)
			s, _ = m.Accept(s, token)
			w, _ = twin.Accept(w, token)
		}
	}
}
