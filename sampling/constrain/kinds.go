package constrain

import (
	"slices"
	"strings"

	"logitscope/sampling/constrain/grammar"
	"logitscope/sampling/constrain/jsonvalue"
	"logitscope/sampling/constrain/schema"
)

// A Kind is a notation in which a constraint can be written. What every part of
// a program must know of it stands here, so a new kind is one entry of the
// table and a front end.
type Kind struct {
	Type    string   // as a Spec names it: json_schema
	Name    string   // as people call it: JSON Schema
	About   string   // what it holds a text to
	Field   string   // the field of a Spec with its text; empty if it has none
	Form    Form     // how that text is written
	Usage   string   // what to give for it, in one line of help
	Options []Option // its other fields, the one to offer first in front
	File    string   // what a file of its text is called

	Templates []Template // texts to begin with; at least one if there is a text

	needs  bool                               // it cannot do without its text
	hint   func(text string, err error) error // says more of an error, nil for none
	text   func(*Spec) any                    // *string, *[]string or *json.RawMessage
	source func(s Spec, w Whitespace, canonical bool) (Source, error)
}

// A Template is a text of a kind to begin with.
type Template struct{ Name, Text string }

// A Form says how the text of a kind is written.
type Form uint8

const (
	NoText   Form = iota // there is none
	Line                 // in one line
	Lines                // a file of lines
	JSONText             // a file of JSON
	List                 // several texts, one a line
)

// CheckText reports what is wrong with the form of a text, before it is stored:
// a *SyntaxError where it must be JSON.
func (k Kind) CheckText(text string) error {
	if k.Form != JSONText {
		return nil
	}
	err := jsonvalue.Check([]byte(text))
	if err != nil && k.hint != nil {
		return k.hint(text, err)
	}
	return err
}

// An Option is a field of a [Spec] beside its text.
type Option struct {
	Field string
	About string   // what it does if it is on, or which of Words is put
	Words []string // its values; nil if it is on or off

	of func(*Options) any // *bool or *string
}

// On reports whether the option is set in o.
func (p Option) On(o Options) bool {
	switch v := p.of(&o).(type) {
	case *bool:
		return *v
	case *string:
		return *v != ""
	}
	return false
}

// Switch turns an option with two values over; it leaves others alone.
func (p Option) Switch(o *Options) {
	if v, ok := p.of(o).(*bool); ok {
		*v = !*v
	}
}

// Put sets an option with several values to word, and one with two on.
func (p Option) Put(o *Options, word string) {
	switch v := p.of(o).(type) {
	case *bool:
		*v = true
	case *string:
		*v = word
	}
}

// In is the option as o has it in words: "closed", "whitespace compact"; empty
// if it is not set.
func (p Option) In(o Options) string {
	switch v := p.of(&o).(type) {
	case *bool:
		if *v {
			return p.Field
		}
	case *string:
		if *v != "" {
			return p.Field + " " + *v
		}
	}
	return ""
}

// Kinds returns the notations, in the order to offer them. The slice is the
// package's own.
func Kinds() []Kind { return kinds }

// KindOf returns the kind of a type.
func KindOf(typ string) (Kind, bool) {
	if i := slices.IndexFunc(kinds, func(k Kind) bool { return k.Type == typ }); i >= 0 {
		return kinds[i], true
	}
	return Kind{}, false
}

// kindTypes lists the types.
func kindTypes() string {
	names := make([]string, len(kinds))
	for i, k := range kinds {
		names[i] = k.Type
	}
	return strings.Join(names, ", ")
}

// Whitespaces are the values of the option whitespace.
var Whitespaces = []string{"any", "bounded", "compact"}

var whitespaces = map[string]Whitespace{
	"": schema.WhitespaceBounded, "bounded": schema.WhitespaceBounded, "compact": schema.WhitespaceCompact, "any": schema.WhitespaceAny,
}

var (
	object     = Option{Field: "object", About: "an object only", of: func(o *Options) any { return &o.Object }}
	anyOrder   = Option{Field: "any_order", About: "properties in any order", of: func(o *Options) any { return &o.AnyOrder }}
	closed     = Option{Field: "closed", About: "no properties but the declared ones", of: func(o *Options) any { return &o.Closed }}
	draft7     = Option{Field: "draft7", About: "draft 7 without $schema", of: func(o *Options) any { return &o.Draft7 }}
	whitespace = Option{
		Field: "whitespace", About: "compact is none, bounded a space or a line with indent, any", Words: Whitespaces,
		of: func(o *Options) any { return &o.Whitespace },
	}
	search = Option{Field: "search", About: "a match anywhere is enough", of: func(o *Options) any { return &o.Search }}
)

var kinds = []Kind{
	{
		Type: "json_schema", Name: "JSON Schema", About: "JSON that is valid under a schema",
		Field: "schema", Form: JSONText, Usage: "file with a JSON Schema that the text must fit",
		Options: []Option{anyOrder, closed, draft7, whitespace}, File: "schema.json", Templates: []Template{
			{"age before name", `{
  "type": "object",
  "properties": {
    "age": {"type": "integer", "minimum": 0, "maximum": 150},
    "name": {"type": "string", "maxLength": 20}
  },
  "required": ["age", "name"],
  "additionalProperties": false
}`},
			{"name before age", `{
  "type": "object",
  "properties": {
    "name": {"type": "string", "maxLength": 20},
    "age": {"type": "integer", "minimum": 0, "maximum": 150}
  },
  "required": ["name", "age"],
  "additionalProperties": false
}`},
			{"open object", `{"type": "object", "minProperties": 1}`},
		},
		needs: true, text: func(s *Spec) any { return &s.Schema },
		source: func(s Spec, w Whitespace, canonical bool) (Source, error) {
			return schema.New(s.Schema, schema.Options{
				Whitespace: w, AnyOrder: s.AnyOrder, Closed: s.Closed, Draft7: s.Draft7, Canonical: canonical,
			}), nil
		},
	},
	{
		Type: "json", Name: "JSON", About: "any JSON value", Usage: "the text must be one JSON value",
		Options: []Option{object, whitespace}, File: "constraint.json",
		source: func(s Spec, w Whitespace, _ bool) (Source, error) {
			return schema.JSON(schema.JSONOptions{Whitespace: w, ObjectOnly: s.Object}), nil
		},
	},
	{
		Type: "regex", Name: "regex", About: "text that a regular expression matches",
		Field: "regex", Form: Line, Usage: "regular expression that the whole text must match",
		Options: []Option{search}, File: "regex.txt", Templates: []Template{{"yes or no, because", `(yes|no), because [a-z ]{5,40}\.`}},
		needs: true, text: func(s *Spec) any { return &s.Regex },
		source: func(s Spec, _ Whitespace, _ bool) (Source, error) {
			return grammar.Regex(s.Regex, s.Search), nil
		},
	},
	{
		Type: "grammar", Name: "grammar (GBNF)", About: "what a grammar in llama.cpp's notation derives",
		Field: "grammar", Form: Lines, Usage: "file with a GBNF grammar",
		File: "grammar.gbnf", Templates: []Template{{"a greeting", `root ::= greeting ", " name "!"
greeting ::= "Hello" | "Good morning"
name ::= [A-Z] [a-z]{2,8}`}},
		needs: true, text: func(s *Spec) any { return &s.Grammar },
		source: func(s Spec, _ Whitespace, _ bool) (Source, error) { return grammar.GBNF(s.Grammar), nil },
	},
	{
		Type: "sql", Name: "SQL", About: "a SELECT statement over your tables",
		Field: "sql", Form: JSONText, Usage: `file with tables, such as {"tables":{"users":["id","name"]},"aliases":{"u":"users"}}; the text must be a SELECT over them`,
		File: "tables.json", Templates: []Template{{"SELECT over tables", `{"tables": {
  "users": ["id", "name", "age"],
  "orders": ["id", "user_id", "total"]
}}`}},
		hint: grammar.CheckDDL, text: func(s *Spec) any { return &s.SQL },
		source: func(s Spec, _ Whitespace, _ bool) (Source, error) {
			if s.SQL == nil {
				return grammar.SQL(grammar.SQLSpec{}), nil
			}
			tables, err := grammar.ReadSQLSpec(s.SQL)
			return grammar.SQL(tables), err
		},
	},
	{
		Type: "choice", Name: "choices", About: "one of a few answers",
		Field: "choices", Form: List, Usage: "a text that is allowed; repeat for each",
		File: "choices.txt", Templates: []Template{{"yes, no, I do not know", "yes\nno\nI do not know"}},
		needs: true, text: func(s *Spec) any { return &s.Choices },
		source: func(s Spec, _ Whitespace, _ bool) (Source, error) { return grammar.Choice(s.Choices), nil },
	},
}
