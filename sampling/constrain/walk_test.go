package constrain

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"logitscope/sampling/constrain/constraintest"
	"logitscope/sampling/constrain/schema"
)

// TestRandomTextsValidate walks the masks of many schemas at random, under
// tight and wide budgets, and lets an independent validator judge each text.
func TestRandomTextsValidate(t *testing.T) {
	t.Parallel()
	var list []json.RawMessage
	constraintest.ReadFixture(t, "schemas.json", &list)
	v := constraintest.FableVocab(t)
	rng := rand.New(rand.NewPCG(17, 4))
	texts, refused := 0, 0
	for i, raw := range list {
		g, err := Compile(schema.New(raw, schema.Options{AnyOrder: i%2 == 1, Whitespace: schema.Whitespace(i % 3)}))
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
			text, ok := constraintest.RandomText(t, m, rng, budget, 4)
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
