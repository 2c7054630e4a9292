package constrain

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"reflect"
	"slices"
	"strings"

	"logitscope/sampling/constrain/lang"
)

// A Spec is a constraint as configurations store it: the type of one of the
// [Kinds], the text in the field of that kind, and its options.
type Spec struct {
	Type    string          `json:"type"`
	Schema  json.RawMessage `json:"schema"`
	Regex   string          `json:"regex"`
	Grammar string          `json:"grammar"`
	SQL     json.RawMessage `json:"sql"`
	Choices []string        `json:"choices"`
	Options
}

// Options are the fields of a [Spec] beside its text. The zero value is what a
// constraint means without them.
type Options struct {
	Object     bool   `json:"object"`     // json: the value is an object
	AnyOrder   bool   `json:"any_order"`  // json_schema: properties in any order
	Closed     bool   `json:"closed"`     // json_schema: additionalProperties is false where absent
	Draft7     bool   `json:"draft7"`     // json_schema: without $schema it is draft 7
	Whitespace string `json:"whitespace"` // json, json_schema: bounded, compact, any; empty is bounded
	Search     bool   `json:"search"`     // regex: a match anywhere is enough
}

// Parse reads a constraint as configurations store it: a JSON object whose
// type is that of one of the [Kinds], with the text in the field of that kind:
//
//	{"type":"json_schema","schema":{…}}   {"type":"regex","regex":"[a-z]+"}
//	{"type":"grammar","grammar":"root ::= …"}   {"type":"sql","sql":{"tables":{…}}}
//	{"type":"choice","choices":["yes","no"]}   {"type":"json","object":true}
//
// The bare word json is short for {"type":"json"}. A field of another kind is
// an error, since it would restrict nothing. The error is a *SpecError, or a
// *SyntaxError where the text is not JSON.
func Parse(text string) (Spec, error) {
	if word := strings.Trim(strings.TrimSpace(text), `"`); word == "json" {
		return Spec{Type: word}, nil
	}
	if !strings.HasPrefix(strings.TrimSpace(text), "{") {
		return Spec{}, specError("", "must be the word json or an object with a type, one of %s", kindTypes())
	}
	var s Spec
	var given map[string]json.RawMessage
	for _, v := range []any{&s, &given} {
		if err := json.Unmarshal([]byte(text), v); err != nil {
			return Spec{}, readError(text, err)
		}
	}
	if _, ok := whitespaces[s.Whitespace]; !ok {
		return Spec{}, specError("whitespace", "whitespace %q; must be %s", s.Whitespace, strings.Join(Whitespaces, ", "))
	}
	k, ok := KindOf(s.Type)
	if !ok {
		return Spec{}, specError("type", "type %q; must be one of %s", s.Type, kindTypes())
	}
	return s, k.checkFields(given)
}

// checkFields refuses fields of other kinds, and a spec without the field that
// matters.
func (k Kind) checkFields(given map[string]json.RawMessage) error {
	if _, ok := given[k.Field]; !ok && k.needs {
		return specError(k.Field, "type %q needs the field %q", k.Type, k.Field)
	}
	fields := k.fields()
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if name != "type" && !slices.Contains(fields, name) {
			return specError(name, "type %q has no field %q; it has %s", k.Type, name, strings.Join(fields, ", "))
		}
	}
	return nil
}

// fields lists the fields of a spec of kind k, without its type.
func (k Kind) fields() []string {
	var fields []string
	if k.Field != "" {
		fields = append(fields, k.Field)
	}
	for _, o := range k.Options {
		fields = append(fields, o.Field)
	}
	return fields
}

// fieldTypes are the types of fields in words.
var fieldTypes = map[reflect.Kind]string{reflect.String: "a text", reflect.Bool: "true or false", reflect.Slice: "a list of texts"}

// readError says what is wrong with a spec that cannot be read.
func readError(text string, err error) error {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		return lang.SyntaxAt(text, int(syntax.Offset)-1, "%v", err)
	case errors.As(err, &kind):
		field := kind.Field[strings.LastIndexByte(kind.Field, '.')+1:]
		return specError(field, "the field %q must be %s, not a JSON %s", field, fieldTypes[kind.Type.Kind()], kind.Value)
	}
	return specError("", "%v", err)
}

// String is s as configurations store it, in one line: [Parse] reads it back.
// Schema and SQL must be valid JSON, as [Kind.CheckText] judges; what is not is
// stored as a string, which compiles to an error.
func (s Spec) String() string {
	k, ok := KindOf(s.Type)
	fields := map[string]any{"type": s.Type}
	if ok && k.text != nil {
		switch v := k.text(&s).(type) {
		case *string:
			fields[k.Field] = *v
		case *[]string:
			fields[k.Field] = slices.Concat([]string{}, *v)
		case *json.RawMessage:
			if raw := bytes.TrimSpace(*v); json.Valid(raw) {
				fields[k.Field] = json.RawMessage(raw)
			} else if len(raw) > 0 || k.needs {
				fields[k.Field] = string(raw)
			}
		}
	}
	for _, o := range k.Options {
		switch v := o.of(&s.Options).(type) {
		case *bool:
			if *v {
				fields[o.Field] = true
			}
		case *string:
			if *v != "" {
				fields[o.Field] = *v
			}
		}
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(fields); err != nil {
		return "" // not reached: every value can be encoded
	}
	return strings.TrimSpace(b.String())
}

// Text is the text of s as a person writes it: JSON with indents, choices one a
// line. It is empty for a kind without a text.
func (s Spec) Text() string {
	k, _ := KindOf(s.Type)
	if k.text == nil {
		return ""
	}
	switch v := k.text(&s).(type) {
	case *string:
		return *v
	case *[]string:
		return strings.Join(*v, "\n")
	case *json.RawMessage:
		var b bytes.Buffer
		if json.Indent(&b, *v, "", "  ") == nil {
			return b.String()
		}
		return string(*v)
	}
	return ""
}

// SetText puts text as a person writes it in the field of the kind of s: empty
// lines between choices do not count. A kind without a text ignores it.
func (s *Spec) SetText(text string) {
	k, _ := KindOf(s.Type)
	if k.text == nil {
		return
	}
	switch v := k.text(s).(type) {
	case *string:
		*v = text
	case *[]string:
		*v = slices.DeleteFunc(strings.Split(text, "\n"), func(line string) bool { return line == "" })
	case *json.RawMessage:
		*v = json.RawMessage(text)
	}
}

// source returns what s says to compile; see [Spec.Compile].
func (s Spec) source(canonical bool) (Source, error) {
	k, ok := KindOf(s.Type)
	if !ok {
		return nil, specError("type", "type %q; must be one of %s", s.Type, kindTypes())
	}
	w, ok := whitespaces[s.Whitespace]
	if !ok {
		return nil, specError("whitespace", "whitespace %q; must be %s", s.Whitespace, strings.Join(Whitespaces, ", "))
	}
	return k.source(s, w, canonical)
}

// Compile compiles s; see [Compile].
//
// With canonical, whole numbers are written without a fraction, which is what
// a text to be generated should do; a text to be checked may also hold 1.0
// where the schema wants an integer.
func (s Spec) Compile(canonical bool) (*Grammar, error) {
	src, err := s.source(canonical)
	if err != nil {
		return nil, err
	}
	return Compile(src)
}

// CompileText compiles a constraint as configurations store it; see [Parse] and
// [Spec.Compile].
func CompileText(text string, canonical bool) (*Grammar, error) {
	s, err := Parse(text)
	if err != nil {
		return nil, err
	}
	return s.Compile(canonical)
}
