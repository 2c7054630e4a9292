package constrain

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// A spec is a source as configurations name it.
type spec struct {
	Type       string          `json:"type"`
	Object     bool            `json:"object"`     // json: the value is an object
	Schema     json.RawMessage `json:"schema"`     // json_schema
	AnyOrder   bool            `json:"any_order"`  // json_schema: properties in any order
	Closed     bool            `json:"closed"`     // json_schema: additionalProperties is false where absent
	Draft7     bool            `json:"draft7"`     // json_schema: without $schema it is draft 7
	Whitespace string          `json:"whitespace"` // json, json_schema: bounded, compact, any
	Regex      string          `json:"regex"`
	Search     bool            `json:"search"` // regex: a match anywhere is enough
	Grammar    string          `json:"grammar"`
	SQL        json.RawMessage `json:"sql"`
	Choices    []string        `json:"choices"`

	canonical bool
}

// whitespaces are the names of [Whitespace].
var whitespaces = map[string]Whitespace{
	"": WhitespaceBounded, "bounded": WhitespaceBounded, "compact": WhitespaceCompact, "any": WhitespaceAny,
}

// specs says how each type of source is made of a spec.
var specs = map[string]func(s *spec, w Whitespace) (Source, error){
	"json": func(s *spec, w Whitespace) (Source, error) {
		return JSON(JSONOptions{Whitespace: w, ObjectOnly: s.Object}), nil
	},
	"json_schema": func(s *spec, w Whitespace) (Source, error) {
		return Schema(s.Schema, SchemaOptions{Whitespace: w, AnyOrder: s.AnyOrder, Closed: s.Closed, Draft7: s.Draft7, Canonical: s.canonical}), nil
	},
	"regex":   func(s *spec, _ Whitespace) (Source, error) { return Regex(s.Regex, s.Search), nil },
	"grammar": func(s *spec, _ Whitespace) (Source, error) { return GBNF(s.Grammar), nil },
	"sql": func(s *spec, _ Whitespace) (Source, error) {
		if len(s.SQL) == 0 {
			return SQL(SQLSpec{}), nil
		}
		tables, err := ReadSQLSpec(s.SQL)
		return SQL(tables), err
	},
	"choice": func(s *spec, _ Whitespace) (Source, error) { return Choice(s.Choices), nil },
}

// specFields says which fields each type of source has, the one that it cannot
// do without first, if there is one.
var specFields = map[string][]string{
	"json":        {"", "object", "whitespace"},
	"json_schema": {"schema", "any_order", "closed", "draft7", "whitespace"},
	"regex":       {"regex", "search"},
	"grammar":     {"grammar"},
	"sql":         {"", "sql"},
	"choice":      {"choices"},
}

// checkFields refuses fields of other types, which would restrict nothing, and
// a spec without the one that matters.
func checkFields(kind, text string) error {
	var given map[string]json.RawMessage
	if err := json.Unmarshal([]byte(text), &given); err != nil {
		return fmt.Errorf("constraint: %v", err)
	}
	fields := specFields[kind]
	if _, ok := given[fields[0]]; !ok && fields[0] != "" {
		return fmt.Errorf("constraint: type %q needs the field %q", kind, fields[0])
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if name != "type" && !slices.Contains(fields, name) {
			return fmt.Errorf("constraint: type %q has no field %q; it has %s", kind, name, strings.TrimPrefix(strings.Join(fields, ", "), ", "))
		}
	}
	return nil
}

// fieldTypes are the types of fields in words.
var fieldTypes = map[reflect.Kind]string{reflect.String: "a text", reflect.Bool: "true or false", reflect.Slice: "a list of texts"}

// specError says what is wrong with a spec that cannot be read.
func specError(text string, err error) error {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		return syntaxAt(text, int(syntax.Offset)-1, "%v", err)
	case errors.As(err, &kind):
		field, _, _ := strings.Cut(kind.Field, ".")
		return fmt.Errorf("constraint: the field %q: %s where %s is wanted", field, kind.Value, fieldTypes[kind.Type.Kind()])
	}
	return fmt.Errorf("constraint: %w", err)
}

// specTypes lists the types in the order to name them.
const specTypes = "json, json_schema, regex, grammar, sql, choice"

// ParseSource reads a source as configurations store it: a JSON object whose
// type is one of json, json_schema, regex, grammar, sql and choice, with the
// text in a field of the same meaning:
//
//	{"type":"json_schema","schema":{…}}   {"type":"regex","regex":"[a-z]+"}
//	{"type":"grammar","grammar":"root ::= …"}   {"type":"sql","sql":{"tables":{…}}}
//	{"type":"choice","choices":["yes","no"]}   {"type":"json","object":true}
//
// The bare word json is short for {"type":"json"}.
//
// With canonical, whole numbers are written without a fraction, which is what
// a text to be generated should do; a text to be checked may also hold 1.0
// where the schema wants an integer.
func ParseSource(text string, canonical bool) (Source, error) {
	if word := strings.Trim(strings.TrimSpace(text), `"`); word == "json" {
		return JSON(JSONOptions{}), nil
	}
	var s spec
	if !strings.HasPrefix(strings.TrimSpace(text), "{") {
		return nil, fmt.Errorf("constraint: the word json or an object with a type is wanted, one of %s", specTypes)
	}
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		return nil, specError(text, err)
	}
	w, ok := whitespaces[s.Whitespace]
	if !ok {
		return nil, fmt.Errorf("constraint: whitespace %q; bounded, compact or any", s.Whitespace)
	}
	f, ok := specs[s.Type]
	if !ok {
		return nil, fmt.Errorf("constraint: type %q; %s", s.Type, specTypes)
	}
	if err := checkFields(s.Type, text); err != nil {
		return nil, err
	}
	s.canonical = canonical
	return f(&s, w)
}
