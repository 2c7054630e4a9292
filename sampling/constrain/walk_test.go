package constrain

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// randomText draws tokens uniformly among the allowed ones, up to budget, and
// ends with a chance of one in end whenever the text may end.
func randomText(t testing.TB, m *Matcher, rng *rand.Rand, budget, end int) (string, bool) {
	t.Helper()
	mask := make([]uint64, m.v.Words())
	var text []byte
	s := m.Start()
	for left := budget; left > 0; left-- {
		info := m.MaskWithin(s, mask, left)
		if info.Allowed == 0 && !info.EOSAllowed {
			t.Fatalf("nothing allowed after %q with %d tokens left", text, left)
		}
		if info.EOSAllowed && (info.Allowed == 0 || rng.IntN(end) == 0) {
			return string(text), true
		}
		list := ids(m.v, mask)
		if len(list) != info.Allowed {
			t.Fatalf("after %q: %d bits, %d allowed", text, len(list), info.Allowed)
		}
		token := list[rng.IntN(len(list))]
		next, err := m.Accept(s, token)
		if err != nil {
			t.Fatalf("after %q: %v", text, err)
		}
		text = append(text, m.v.Piece(token)...)
		s = next
	}
	return string(text), m.Accepting(s)
}

// TestRandomTextsValidate walks the masks of many schemas at random, under
// tight and wide budgets, and lets an independent validator judge each text.
func TestRandomTextsValidate(t *testing.T) {
	var list []json.RawMessage
	readFixture(t, "testdata/schemas.json", &list)
	v := fableVocab(t)
	rng := rand.New(rand.NewPCG(17, 4))
	texts, refused := 0, 0
	for i, raw := range list {
		g, err := Compile(Schema(raw, SchemaOptions{AnyOrder: i%2 == 1, Whitespace: Whitespace(i % 3)}))
		if err != nil {
			refused++
			t.Errorf("schema %d: %v: %.200s", i, err, raw)
			continue
		}
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
		if err != nil {
			t.Fatal(err)
		}
		c := jsonschema.NewCompiler()
		c.AssertFormat()
		if err := c.AddResource("mem:schema.json", doc); err != nil {
			t.Fatal(err)
		}
		validator, err := c.Compile("mem:schema.json")
		if err != nil {
			t.Fatalf("schema %d: %v", i, err)
		}
		m, err := g.Bind(v)
		if err != nil {
			t.Fatal(err)
		}
		least, _ := m.TokensLeft(m.Start())
		for _, budget := range []int{least, least + 3, least + 40} {
			text, ok := randomText(t, m, rng, budget, 4)
			texts++
			if !ok {
				t.Errorf("schema %d: not complete within %d tokens: %q; schema %.200s", i, budget, text, raw)
				continue
			}
			value, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
			if err == nil {
				err = validator.Validate(value)
			}
			if err != nil {
				t.Errorf("schema %d: %v: %s; schema %.300s", i, err, text, raw)
			}
		}
	}
	t.Logf("%d schemas, %d refused, %d texts", len(list), refused, texts)
}
