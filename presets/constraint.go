package presets

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"

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

// detailsOf lists what a constraint says beyond its text, and another engine is
// not told.
func detailsOf(s constrain.Spec, to *Format) (lost []Loss) {
	engine := to.Name
	for _, d := range []struct {
		said bool
		kind LossKind
		text string
	}{
		{s.Search, Ignored, "a match anywhere is enough here: " + engine + " wants the whole text to match"},
		{s.AnyOrder, Ignored, "properties in any order are allowed here: " + engine + " keeps the schema's order"},
		{s.Closed && !to.closes, Ignored, "an absent additionalProperties is false here: " + engine + " has its own reading"},
		{!s.Closed && to.closes && open(decoded(s.Schema)), Reads, "properties that the schema does not declare are allowed here: " + engine + " allows none"},
		{s.Draft7, Ignored, "a schema without $schema is draft 7 here: " + engine + " has its own reading"},
		{s.Whitespace != "", Ignored, "whitespace " + s.Whitespace + " is left out: " + engine + " has its own rule"},
	} {
		if d.said {
			lost = append(lost, Loss{"constraint", d.kind, d.text})
		}
	}
	return lost
}

// jsonObject is the constraint that a text is one JSON object.
func jsonObject() (any, error) {
	return constrain.Spec{Type: "json", Options: constrain.Options{Object: true}}.String(), nil
}

func grammarIn(v any) (any, error) {
	if v == "" {
		return nil, nil
	}
	text, ok := v.(string)
	if !ok {
		return nil, errNoText
	}
	return constrain.Spec{Type: "grammar", Grammar: text}.String(), nil
}

func regexIn(v any) (any, error) {
	text, ok := v.(string)
	if !ok {
		return nil, errNoText
	}
	return constrain.Spec{Type: "regex", Regex: text}.String(), nil
}

var errNoText = errors.New("must be a text")

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
func schemaIn(v any) (any, error) {
	if s, ok := v.(string); ok {
		v = json.RawMessage(s)
	}
	if raw, ok := v.(json.RawMessage); ok && !json.Valid(raw) {
		return nil, errors.New("not valid JSON")
	}
	switch decoded(v).(type) {
	case bool, map[string]any:
		return ofSchema(v, false), nil
	}
	return nil, errors.New("a JSON Schema must be an object")
}

func ofSchema(v any, closed bool) string {
	return constrain.Spec{Type: "json_schema", Schema: json.RawMessage(plainJSON(v)), Options: constrain.Options{Closed: closed}}.String()
}

// llamaSchemaIn reads a schema as llama.cpp does: the empty one is an object,
// and an absent additionalProperties is false.
func llamaSchemaIn(v any) (any, error) {
	if s, ok := v.(string); ok {
		v = json.RawMessage(s)
	}
	schema := decoded(v)
	if members, ok := schema.(map[string]any); ok && len(members) == 0 {
		return jsonObject()
	}
	out, err := schemaIn(v)
	if err == nil && open(schema) {
		out = ofSchema(v, true)
	}
	return out, err
}
