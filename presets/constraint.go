package presets

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
)

// A spec is a constraint as configurations store it.
type spec struct {
	Type       string          `json:"type"`
	Object     bool            `json:"object"`
	Schema     json.RawMessage `json:"schema"`
	AnyOrder   bool            `json:"any_order"`
	Closed     bool            `json:"closed"`
	Draft7     bool            `json:"draft7"`
	Whitespace string          `json:"whitespace"`
	Regex      string          `json:"regex"`
	Search     bool            `json:"search"`
	Grammar    string          `json:"grammar"`
	Choices    []string        `json:"choices"`
}

func readSpec(text string) (s spec, err error) {
	if strings.Trim(strings.TrimSpace(text), `"`) == "json" {
		return spec{Type: "json"}, nil
	}
	if json.Unmarshal([]byte(text), &s) != nil {
		return s, errors.New("the constraint cannot be read")
	}
	return s, nil
}

// anyJSON is a schema that every JSON value fits, without the empty one, which
// llama.cpp reads as an object.
var anyJSON = json.RawMessage(`{"type":["object","array","string","number","boolean","null"]}`)

// schema returns s as a JSON Schema, nil if it is no such thing.
func (s spec) schema() json.RawMessage {
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

// details lists what s says beyond its text, and another engine is not told.
func (s spec) details(to *Format) (lost []Loss) {
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

// constraint writes a constraint of one type in the form of configurations.
func constraint(kind, member string, v any) (any, error) {
	return plainJSON(map[string]any{"type": kind, member: v}), nil
}

// jsonObject is the constraint that a text is one JSON object.
func jsonObject() (any, error) { return constraint("json", "object", true) }

func grammarIn(v any) (any, error) {
	if v == "" {
		return nil, nil
	}
	return textIn("grammar", v)
}

func regexIn(v any) (any, error) { return textIn("regex", v) }

// textIn reads a constraint that is a text.
func textIn(kind string, v any) (any, error) {
	if _, ok := v.(string); !ok {
		return nil, errors.New("a text is wanted")
	}
	return constraint(kind, kind, v)
}

func choiceIn(v any) (any, error) {
	list, ok := v.([]any)
	if !ok || slices.ContainsFunc(list, func(x any) bool { _, text := x.(string); return !text }) {
		return nil, errors.New("a list of texts is wanted")
	}
	return constraint("choice", "choices", v)
}

// schemaIn reads a schema, as an object or as text.
func schemaIn(v any) (any, error) {
	if s, ok := v.(string); ok {
		v = json.RawMessage(s)
	}
	if raw, ok := v.(json.RawMessage); ok && !json.Valid(raw) {
		return nil, errors.New("no valid JSON")
	}
	switch decoded(v).(type) {
	case bool, map[string]any:
		return constraint("json_schema", "schema", v)
	}
	return nil, errors.New("a JSON Schema is an object")
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
		out = plainJSON(map[string]any{"type": "json_schema", "schema": v, "closed": true})
	}
	return out, err
}
