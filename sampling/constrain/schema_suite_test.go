package constrain

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"logitscope/sampling/constrain/automaton"
	"logitscope/sampling/constrain/constraintest"
	"logitscope/sampling/constrain/schema"
)

// A schemaCase is a line of testdata/schema_suite.jsonl, written from the text
// of the specifications: instances that a schema allows and forbids, or the
// keyword that it is refused for.
type schemaCase struct {
	Draft   string
	Keyword string
	About   string
	Schema  json.RawMessage
	Refuse  string
	Valid   []json.RawMessage
	Invalid []json.RawMessage
}

func (c *schemaCase) options() schema.Options {
	return schema.Options{Draft7: c.Draft == "7", Whitespace: schema.WhitespaceAny}
}

func schemaSuite(t *testing.T) (cases []schemaCase) {
	t.Helper()
	f, err := os.Open("testdata/schema_suite.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var c schemaCase
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatalf("%s: %v", lines.Text(), err)
		}
		cases = append(cases, c)
	}
	return cases
}

// judge is an independent validator of a schema, nil if it takes none.
func (c *schemaCase) judge(t *testing.T) *jsonschema.Schema {
	t.Helper()
	draft := jsonschema.Draft2020
	if c.Draft == "7" {
		draft = jsonschema.Draft7
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(c.Schema))
	if err != nil {
		t.Fatal(err)
	}
	j := jsonschema.NewCompiler()
	j.DefaultDraft(draft)
	j.AssertFormat()
	if err := j.AddResource("mem:///schema", doc); err != nil {
		return nil
	}
	s, err := j.Compile("mem:///schema")
	if err != nil {
		return nil
	}
	return s
}

// TestSchemaSuite runs the suite, with the schema's order of properties and
// with any. The validator judges every instance as well, so that neither the
// suite nor the compiler is believed.
func TestSchemaSuite(t *testing.T) {
	t.Parallel()
	instances, refused := 0, 0
	keywords := map[string]bool{}
	for _, c := range schemaSuite(t) {
		keywords[c.Keyword] = true
		name := c.Draft + " " + c.Keyword + ": " + c.About
		if j := c.judge(t); j != nil {
			for i, list := range [][]json.RawMessage{c.Valid, c.Invalid} {
				for _, x := range list {
					v, _ := jsonschema.UnmarshalJSON(bytes.NewReader(x))
					if err := j.Validate(v); (err == nil) != (i == 0) {
						t.Errorf("%s: the validator says of %s: %v", name, x, err)
					}
				}
			}
		} else if c.Refuse == "" {
			t.Errorf("%s: the validator does not take the schema", name)
		}
		for _, anyOrder := range []bool{false, true} {
			opts := c.options()
			opts.AnyOrder = anyOrder
			g, err := constraintest.TryCompile(schema.New(c.Schema, opts))
			if c.Refuse != "" {
				refused++
				if r := Refusals(err); len(r) == 0 || r[0].Keyword != c.Refuse {
					t.Errorf("%s: %v, want a refusal for %s", name, err, c.Refuse)
				}
				continue
			}
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			instances += c.run(t, name, g)
		}
	}
	if instances < 2000 || refused < 60 || len(keywords) < 45 {
		t.Errorf("%d instances, %d refusals, %d keywords: the suite has shrunk", instances, refused, len(keywords))
	}
	t.Logf("%d instances, %d refusals, %d keywords", instances, refused, len(keywords))
}

// run checks the instances of a case, as they are and with blanks.
func (c *schemaCase) run(t *testing.T, name string, g *automaton.Grammar) (n int) {
	for i, list := range [][]json.RawMessage{c.Valid, c.Invalid} {
		for _, x := range list {
			for _, text := range [][]byte{x, constraintest.Spaced(x)} {
				n++
				if ok, at := g.Check(text); ok != (i == 0) {
					t.Errorf("%s: %s accepted %v (dead at %d)", name, text, ok, at)
				}
			}
		}
	}
	return n
}
