package constrain

import (
	"strings"
	"testing"

	"logitscope/sampling/constrain/grammar"
	"logitscope/sampling/constrain/lang"
	"logitscope/sampling/constrain/schema"
)

// TestRefusalsListEveryProblem reads whole error texts: each problem with its
// pointer, in one line.
func TestRefusalsListEveryProblem(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ schema, want string }{
		{`{"properties":{"age":{"$dynamicRef":"#x"}}}`, `#/properties/age: "$dynamicRef" is not supported`},
		{`{"properties":{"a":{"$dynamicRef":"#x"},"b":{"anyOf":[{}],"unevaluatedItems":false},"c":{"type":"strng"}}}`,
			`#/properties/a: "$dynamicRef" is not supported; #/properties/b: "unevaluatedItems" is not supported beside anyOf; ` +
				`#/properties/c: "type" must be null, boolean, integer, number, string, array, object or a list of these`},
		{`{"type":"array","items":{"$ref":"other.json"},"minItems":-1}`,
			`#: "minItems" must be a whole number, 0 or more; #/items: "$ref": "other.json" is outside this document, and nothing is fetched`},
		{`{"properties":{"a":{"uniqueItems":true,"type":"array"},"b":{"pattern":"(?=a)"}}}`, ""},
		{`{"allOf":[{"type":"string","minLength":5},{"maxLength":3}]}`, `#/allOf/1: minLength 5 and maxLength 3: nothing fits`},
		{`{"type":"string","allOf":[{"type":["integer","null"]}]}`, `#/allOf/0: type string and type [integer, null]: nothing fits`},
		{`{"properties":{"n":{"$ref":"#/$defs/n"}},"required":["n"],"type":"object","$defs":{"n":{"type":"integer","minimum":5,"allOf":[{"maximum":3}]}}}`,
			`#/$defs/n/allOf/0: type integer, minimum 5 and maximum 3: nothing fits`},
		{`{"type":"array","minItems":3,"maxItems":2}`, `#: minItems 3 and maxItems 2: nothing fits`},
		{`{"const":[null,true,"x",{"a":1.50}],"type":"string"}`, `#: const [null, true, "x", {"a": 1.50}] and type string: nothing fits`},
		{`{"enum":["a b",false],"type":"null"}`, `#: enum ["a b", false] and type null: nothing fits`},
		{`{"type":"object","propertyNames":{"enum":["a","b"]},"minProperties":3}`, `#: propertyNames {"enum": ["a", "b"]} and minProperties 3: nothing fits`},
		{`{"type":"object","propertyNames":{"pattern":"^a"},"required":["b"]}`, `#: propertyNames {"pattern": "^a"} and required [b]: nothing fits`},
		{`{"type":"array","items":{"type":"boolean"},"uniqueItems":true,"minItems":3}`, `#: uniqueItems true and minItems 3: nothing fits`},
		{`{"type":"array","items":{"type":"string","pattern":"^[a-c]{2}$"},"minItems":10,"uniqueItems":true}`, `#: minItems 10 and uniqueItems true: nothing fits`},
		{`{"properties":{"t":{"type":"array","items":{"const":1},"minItems":2,"uniqueItems":true}},"required":["t"],"type":"object"}`, `#/properties/t: minItems 2 and uniqueItems true: nothing fits`},
		{`{"type":"object","properties":{"a":{}},"additionalProperties":false,"minProperties":2}`, `#: "minProperties" allows nothing beside the other keywords there`},
		{`{"type":"integer","minimum":` + strings.Repeat("9", 40_000) + `}`, `#: "minimum": the bounds and steps together need more than 60000 states (at most 8 bounds of 5000 digits; a step may be 20000 in its last decimal, less beside bounds of many digits)`},
		{`{"const":1,"type":"string"}`, `#: const 1 and type string: nothing fits`},
		{`{"type":"object","required":["a","b"],"allOf":[{"maxProperties":1}]}`, `#/allOf/0: required [a, b] and maxProperties 1: nothing fits`},
		{`false`, `#: "false" allows no value, and one is required here`},
	} {
		_, err := Compile(schema.New([]byte(c.schema), schema.Options{}))
		if err == nil {
			t.Errorf("%s compiles", c.schema)
			continue
		}
		if c.want == "" {
			if n := len(Refusals(err)); n != 2 {
				t.Errorf("%s: %d refusals, want 2: %v", c.schema, n, err)
			}
			continue
		}
		if err.Error() != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.schema, err, c.want)
		}
	}
}

func TestSyntaxErrorsHaveAPlace(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		src          lang.Source
		line, column int
	}{
		{grammar.GBNF("root ::= a\na ::= \"x\" (\"y\""), 2, 11},
		{grammar.GBNF("root ::= missing"), 1, 10},
		{grammar.GBNF("root ::= [b-a]"), 1, 11},
		{schema.New([]byte("{\n  \"type\": \"string\",\n}"), schema.Options{}), 3, 1},
		{schema.New([]byte(`{"a": nul}`), schema.Options{}), 1, 10},
		{schema.New([]byte(`{"a": "é\q"}`), schema.Options{}), 1, 10},
		{schema.New([]byte(`{"a": 1 "b"`), schema.Options{}), 1, 9},
		{schema.New([]byte("{}\n  x"), schema.Options{}), 2, 3},
		{schema.New([]byte("{}\n  {}"), schema.Options{}), 2, 3},
		{schema.New([]byte(strings.Repeat(`{"not":`, 1001)), schema.Options{}), 1, 7001},
		{grammar.Regex("ab(c", false), 1, 1},
	} {
		_, err := Compile(c.src)
		e, ok := err.(*lang.SyntaxError)
		if !ok || e.Line != c.line || e.Column != c.column {
			t.Errorf("%v: %v, want line %d, column %d", c.src, err, c.line, c.column)
		}
	}
}

func TestContradictionsSayWhere(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ schema, pointer, keyword string }{
		{`{"properties":{"a":{"type":"string","minLength":5,"maxLength":2}},"required":["a"],"type":"object"}`, "/properties/a", "maxLength"},
		{`{"type":"object","required":["a"],"properties":{"a":false}}`, "/properties/a", "false"},
		{`{"type":"integer","minimum":5,"maximum":4}`, "", "maximum"},
		{`{"allOf":[{"type":"string"},{"type":"integer"}]}`, "/allOf/1", "type"},
		{`{"type":"array","minItems":3,"maxItems":2}`, "", "maxItems"},
		{`{"type":"string","enum":[1,2]}`, "", "enum"},
		{`{"type":"object","properties":{"self":{"$ref":"#"}},"required":["self"]}`, "", "required"},
		{`{"unevaluatedProperties":false,"allOf":[{}]}`, "", "unevaluatedProperties"},
		{`{"properties":{"x":{"pattern":"(?=a)"}}}`, "/properties/x", "pattern"},
		{`{"items":{"$ref":"http://elsewhere/x"}}`, "/items", "$ref"},
	} {
		_, err := Compile(schema.New([]byte(c.schema), schema.Options{}))
		e, ok := err.(*lang.RefusedError)
		if !ok || e.Refusals[0].Pointer != c.pointer || e.Refusals[0].Keyword != c.keyword {
			t.Errorf("%s: %v, want %s at %q", c.schema, err, c.keyword, c.pointer)
		}
	}
}
