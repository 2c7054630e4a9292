package exchange

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"logitscope/presets/exchange/carrier"
	"logitscope/sampling/constrain"
)

// anyJSON is a schema that every JSON value fits, without the empty one, which
// llama.cpp reads as an object.
var anyJSON = json.RawMessage(`{"type":["object","array","string","number","boolean","null"]}`)

// schemaOf returns a constraint as a JSON Schema, nil if it is not one.
func schemaOf(s constrain.Spec) json.RawMessage {
	var schema bytes.Buffer
	json.Compact(&schema, s.Schema)
	switch {
	case s.Type == "json" && s.Object:
		return json.RawMessage(`{"type":"object"}`)
	case s.Type == "json", s.Type == "json_schema" && slices.Contains([]string{"{}", "true"}, schema.String()):
		return anyJSON
	}
	return s.Schema
}

// open reports whether a schema leaves it to its reader which properties an
// object may have beside those it declares.
func open(schema any) bool {
	switch v := schema.(type) {
	case map[string]any:
		_, declares := v["properties"]
		_, says := v["additionalProperties"]
		if declares && !says {
			return true
		}
		for _, x := range v {
			if open(x) {
				return true
			}
		}
	case []any:
		return slices.ContainsFunc(v, open)
	}
	return false
}

// openSchema is open for a schema as text.
func openSchema(raw json.RawMessage) bool {
	var v any
	return json.Unmarshal(raw, &v) == nil && open(v)
}

// detailsOf lists what a constraint says beyond its text, and another engine is
// not told.
func detailsOf(s constrain.Spec, to *Target) (lost []Loss) {
	engine := to.Name
	for _, d := range []struct {
		said   bool
		reason Reason
		text   string
	}{
		{s.Search, Absent, "a match anywhere is enough here: " + engine + " wants the whole text to match"},
		{s.AnyOrder, Absent, "properties in any order are allowed here: " + engine + " keeps the schema's order"},
		{s.Closed && !to.Format.closes, Absent, "an absent additionalProperties is false here: " + engine + " has its own reading"},
		{!s.Closed && to.Format.closes && openSchema(s.Schema), Meaning, "properties that the schema does not declare are allowed here: " + engine + " allows none"},
		{s.Draft7, Absent, "a schema without $schema is draft 7 here: " + engine + " has its own reading"},
		{s.Whitespace != "", Absent, "whitespace " + s.Whitespace + " is left out: " + engine + " has its own rule"},
	} {
		if d.said {
			lost = append(lost, Loss{"constraint", d.reason, d.text})
		}
	}
	return lost
}

// jsonObject is the constraint that a text is one JSON object.
func jsonObject() (any, error) {
	return constrain.Spec{Type: "json", Options: constrain.Options{Object: true}}.String(), nil
}

// jsonObjectIn reads true as that constraint.
func jsonObjectIn(v any) (any, error) {
	switch v {
	case true:
		return jsonObject()
	case false:
		return nil, nil
	}
	return nil, errors.New("must be true or false")
}

var errNoText = errors.New("must be a text")

// textIn reads a text as the constraint that spec makes of it; an empty one is
// none.
func textIn(spec func(text string) constrain.Spec) func(v any) (any, error) {
	return func(v any) (any, error) {
		text, ok := v.(string)
		switch {
		case !ok:
			return nil, errNoText
		case text == "":
			return nil, nil
		}
		return spec(text).String(), nil
	}
}

var (
	grammarIn = textIn(func(text string) constrain.Spec { return constrain.Spec{Type: "grammar", Grammar: text} })
	regexIn   = textIn(func(text string) constrain.Spec { return constrain.Spec{Type: "regex", Regex: text} })
)

func choiceIn(v any) (any, error) {
	list, ok := v.([]any)
	texts := make([]string, len(list))
	for i, x := range list {
		text, isText := x.(string)
		texts[i], ok = text, ok && isText
	}
	if !ok {
		return nil, errors.New("must be a list of texts")
	}
	return constrain.Spec{Type: "choice", Choices: texts}.String(), nil
}

// schemaIn reads a schema, as an object or as text.
func schemaIn(v any) (any, error) { return readSchema(v, false) }

// closedSchemaIn reads a schema as llama.cpp does: the empty one is an object,
// and an absent additionalProperties is false.
func closedSchemaIn(v any) (any, error) { return readSchema(v, true) }

func readSchema(v any, closes bool) (any, error) {
	if s, ok := v.(string); ok {
		if s == "" {
			return nil, nil
		}
		o, err := carrier.ReadObject([]byte(s), 1)
		switch {
		case err == nil:
			v = o
		case !json.Valid([]byte(s)):
			return nil, errors.New("not valid JSON")
		default:
			v = parsed(s)
		}
	}
	switch s := v.(type) {
	case bool:
	case carrier.Object:
		if closes && len(s) == 0 {
			return jsonObject()
		}
	default:
		return nil, errors.New("a JSON Schema must be an object")
	}
	raw := json.RawMessage(carrier.PlainJSON(v))
	return constrain.Spec{Type: "json_schema", Schema: raw, Options: constrain.Options{Closed: closes && openSchema(raw)}}.String(), nil
}

// responseFormatIn reads response_format of OpenAI's API, and text.format of
// its newer one, whose schema stands beside the type.
func responseFormatIn(v any) (any, error) {
	o, ok := v.(carrier.Object)
	if !ok {
		return nil, errors.New("must be an object with a type")
	}
	switch kind := o.Get("type"); kind {
	case "text":
		return nil, nil
	case "json_object":
		if s := o.Get("schema"); s != nil {
			return schemaIn(s) // llama-server's own form
		}
		return jsonObject()
	case "json_schema":
		if inner, ok := o.Get("json_schema").(carrier.Object); ok {
			o = inner
		}
		if schema := o.Get("schema"); schema != nil {
			return schemaIn(schema)
		}
		return nil, errors.New("it has no schema")
	case "regex":
		return regexIn(o.Get("pattern"))
	case "grammar":
		return grammarIn(o.Get("grammar"))
	default:
		return nil, fmt.Errorf("type %s; must be text, json_object or json_schema", carrier.PlainJSON(kind))
	}
}

// structuredFields are the members of an object that holds a constraint, as
// vLLM, SGLang and TensorRT-LLM call them.
func structuredFields(key string) []field {
	return []field{
		{theirs: key, ours: "constraint", in: notStructured, once: true},
		{theirs: key + ".json", ours: "constraint", in: schemaIn, once: true, also: []string{key + ".json_schema"}},
		{theirs: key + ".regex", ours: "constraint", in: regexIn, once: true},
		{theirs: key + ".choice", ours: "constraint", in: choiceIn, once: true},
		{theirs: key + ".grammar", ours: "constraint", in: grammarIn, once: true, also: []string{key + ".ebnf"}},
		{theirs: key + ".json_object", ours: "constraint", in: jsonObjectIn, once: true},
	}
}

// withStructured adds to a format the members of objects that hold a
// constraint, which are called by the keys.
func withStructured(keys []string, f Format) Format {
	for _, key := range keys {
		f.fields = append(f.fields, structuredFields(key)...)
		for _, m := range []string{"structural_tag", "whitespace_pattern", "disable_any_whitespace", "disable_additional_properties"} {
			f.acts[key+"."+m] = nil
		}
		f.aside = append(f.aside, key+".backend", key+".disable_fallback", key+"._backend")
	}
	return f
}

// notStructured is for such a key whose value is not an object; the members of one
// have fields of their own.
func notStructured(any) (any, error) { return nil, errors.New("must be an object") }

// structuredOut writes a constraint as such an object.
func structuredOut(s constrain.Spec) (member string, value any, err error) {
	switch {
	case s.Type == "json" && s.Object:
		return "json_object", true, nil
	case s.Type == "json", s.Type == "json_schema":
		return "json", schemaOf(s), nil
	case s.Type == "regex":
		return "regex", s.Regex, nil
	case s.Type == "choice":
		return "choice", s.Choices, nil
	case s.Type == "grammar":
		return "grammar", s.Grammar, nil
	}
	return "", nil, fmt.Errorf("vLLM takes a schema, a regex, choices or a grammar, not %s", s.Type)
}

// strictFaults says why OpenAI's strict mode refuses a schema, "" if it takes
// it.
func strictFault(v any, root bool) string {
	s, ok := v.(carrier.Object)
	if !ok {
		return ""
	}
	if root && (s.Get("type") != "object" || s.Has("anyOf")) {
		return "the root must be an object"
	}
	for _, k := range notStrict {
		if s.Has(k) {
			return k + " is not taken"
		}
	}
	if isObjectSchema(s) {
		if s.Get("additionalProperties") != false {
			return "every object must have additionalProperties false"
		}
		required, _ := s.Get("required").([]any)
		properties, _ := s.Get("properties").(carrier.Object)
		for _, p := range properties {
			if !slices.Contains(required, any(p.Key)) {
				return p.Key + " must be required"
			}
		}
	}
	for _, k := range []string{"properties", "$defs", "definitions"} {
		inner, _ := s.Get(k).(carrier.Object)
		for _, p := range inner {
			if why := strictFault(p.Value, false); why != "" {
				return why
			}
		}
	}
	anyOf, _ := s.Get("anyOf").([]any)
	for _, x := range append([]any{s.Get("items")}, anyOf...) {
		if why := strictFault(x, false); why != "" {
			return why
		}
	}
	return ""
}

// notStrict are keywords that strict mode refuses.
var notStrict = []string{"allOf", "not", "if", "then", "else", "dependentRequired", "dependentSchemas", "patternProperties", "oneOf"}

func isObjectSchema(s carrier.Object) bool {
	kind := s.Get("type")
	list, _ := kind.([]any)
	return kind == "object" || slices.Contains(list, any("object")) || s.Has("properties")
}

// responseFormatOut writes a constraint for OpenAI's API. A schema that strict
// mode does not take is written without it, which is said.
func responseFormatOut(s constrain.Spec) (carrier.Entry, string, error) {
	switch s.Type {
	case "json":
		lost := ""
		if !s.Object {
			lost = "any JSON value is allowed here, and objects alone there"
		}
		return carrier.Entry{Key: "response_format", Value: carrier.Object{{Key: "type", Value: "json_object"}}}, lost, nil
	case "json_schema":
		o, err := carrier.ReadObject(s.Schema, 1)
		if err != nil {
			return carrier.Entry{}, "", fmt.Errorf("the API takes a schema that is an object")
		}
		lost := ""
		why := strictFault(o, true)
		if why != "" {
			lost = "the API's strict mode does not take the schema (" + why + "): it is written without strict, and the text is not held to it"
		}
		return carrier.Entry{Key: "response_format", Value: carrier.Object{
			{Key: "type", Value: "json_schema"},
			{Key: "json_schema", Value: carrier.Object{{Key: "name", Value: "text"}, {Key: "strict", Value: why == ""}, {Key: "schema", Value: s.Schema}}},
		}}, lost, nil
	}
	return carrier.Entry{}, "", fmt.Errorf("the API takes a JSON Schema, not %s", s.Type)
}

// schemaOrGrammar writes a constraint under one of llama.cpp's two keys.
func schemaOrGrammar(grammar, schema string) func(s constrain.Spec) (carrier.Entry, string, error) {
	return func(s constrain.Spec) (carrier.Entry, string, error) {
		switch s.Type {
		case "json", "json_schema":
			return carrier.Entry{Key: schema, Value: schemaOf(s)}, "", nil
		case "grammar":
			return carrier.Entry{Key: grammar, Value: s.Grammar}, "", nil
		}
		return carrier.Entry{}, "", fmt.Errorf("it takes a schema or a GBNF grammar, not %s", s.Type)
	}
}
