package tui

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"logitscope/engine"
	"logitscope/sampling/constrain"
)

// A sourceKind is a notation in which a constraint can be written.
type sourceKind struct {
	name     string // as the screen calls it
	about    string // what it holds a text to
	typ      string // as a configuration stores it
	field    string // the key that holds the text; empty if it has none
	raw      bool   // the text is JSON
	option   string // a switch of this kind, empty for none
	says     string // what the switch does, else how the text is written
	file     string // what a copy is called
	template string
}

// sourceKinds are the notations, in the order of the list.
var sourceKinds = []sourceKind{
	{name: "JSON Schema", about: "JSON that is valid under a schema", typ: "json_schema", file: "logitscope-schema.json", field: "schema", raw: true, option: "any_order", says: "properties in any order", template: `{
  "type": "object",
  "properties": {
    "name": {"type": "string", "maxLength": 20},
    "age": {"type": "integer", "minimum": 0, "maximum": 150}
  },
  "required": ["name", "age"],
  "additionalProperties": false
}`},
	{name: "JSON", about: "any JSON value", typ: "json", file: "logitscope-constraint.json", option: "object", says: "an object only"},
	{name: "regex", about: "text that a regular expression matches", typ: "regex", file: "logitscope-regex.txt", field: "regex", option: "search", says: "a match anywhere will do", template: `(yes|no), because [a-z ]{5,40}\.`},
	{name: "grammar (GBNF)", about: "what a grammar in llama.cpp's notation derives", typ: "grammar", file: "logitscope-grammar.gbnf", field: "grammar", template: `root ::= greeting ", " name "!"
greeting ::= "Hello" | "Good morning"
name ::= [A-Z] [a-z]{2,8}`},
	{name: "SQL", about: "a SELECT statement over your tables", typ: "sql", file: "logitscope-tables.json", field: "sql", raw: true, template: `{"tables": {
  "users": ["id", "name", "age"],
  "orders": ["id", "user_id", "total"]
}}`},
	{name: "choices", about: "one of a few answers", typ: "choice", file: "logitscope-choices.txt", field: "choices", says: "one a line", template: "yes\nno\nI do not know"},
}

// A source is a constraint as it is written by hand.
type source struct {
	kind   int
	text   string
	option bool
	rest   string // fields that have no switch here, as JSON; empty for none
}

// stored returns s as a configuration stores it.
func (s source) stored() (string, error) {
	k := sourceKinds[s.kind]
	m := map[string]any{}
	if s.rest != "" {
		if err := json.Unmarshal([]byte(s.rest), &m); err != nil {
			return "", err
		}
	}
	m["type"] = k.typ
	switch {
	case k.field == "":
	case k.typ == "choice":
		m[k.field] = choicesOf(s.text)
	case k.raw:
		m[k.field] = json.RawMessage(bytes.TrimSpace([]byte(s.text)))
	default:
		m[k.field] = s.text
	}
	if s.option && k.option != "" {
		m[k.option] = true
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(m); err != nil {
		return "", err
	}
	return strings.TrimSpace(b.String()), nil
}

func choicesOf(text string) []string {
	out := []string{}
	for _, line := range strings.Split(text, "\n") {
		if line != "" {
			out = append(out, line)
		}
	}
	return out
}

// sourceOf reads a stored constraint back as it was written; a form that is
// not known is shown as a grammar of its own words.
func sourceOf(stored string) source {
	var m map[string]json.RawMessage
	if json.Unmarshal([]byte(stored), &m) != nil {
		return source{kind: 1}
	}
	var typ string
	_ = json.Unmarshal(m["type"], &typ) // an unknown type is the first kind
	for i, k := range sourceKinds {
		if k.typ != typ {
			continue
		}
		s := source{kind: i}
		_ = json.Unmarshal(m[k.option], &s.option) // absent is false
		switch {
		case k.typ == "choice":
			var list []string
			_ = json.Unmarshal(m[k.field], &list)
			s.text = strings.Join(list, "\n")
		case k.raw:
			var b bytes.Buffer
			if json.Indent(&b, m[k.field], "", "  ") == nil {
				s.text = b.String()
			}
		case k.field != "":
			_ = json.Unmarshal(m[k.field], &s.text)
		}
		s.rest = restOf(m, "type", k.field, k.option)
		return s
	}
	return source{}
}

// restOf returns m without known fields as JSON, empty if nothing is left.
func restOf(m map[string]json.RawMessage, known ...string) string {
	for _, name := range known {
		delete(m, name)
	}
	rest, err := json.Marshal(m)
	if len(m) == 0 || err != nil {
		return ""
	}
	return string(rest)
}

// restWords names the fields that have no switch: "closed, whitespace compact".
func (s source) restWords() string {
	var m map[string]any
	if json.Unmarshal([]byte(s.rest), &m) != nil {
		return ""
	}
	words := slices.Sorted(maps.Keys(m))
	for i, name := range words {
		if m[name] != true {
			words[i] = fmt.Sprint(name, " ", m[name])
		}
	}
	return strings.Join(words, ", ")
}

// A remark is what is worth saying about a source, and about which byte of its
// text; -1 if about none.
type remark struct {
	what string
	at   int
}

// check compiles s and returns it as configurations store it, with its notes,
// or what is wrong with it.
func (s source) check() (stored string, notes []remark, bad *remark) {
	k := sourceKinds[s.kind]
	if k.raw && !json.Valid([]byte(s.text)) {
		if err := json.Unmarshal([]byte(s.text), new(any)); err != nil {
			f := &remark{what: strings.TrimPrefix(err.Error(), "json: "), at: len(s.text)}
			var syntax *json.SyntaxError
			if errors.As(err, &syntax) {
				f.at = max(int(syntax.Offset)-1, 0)
			}
			return "", nil, f
		}
	}
	stored, err := s.stored()
	if err == nil {
		err = engine.Check(stored)
	}
	if err != nil {
		return "", nil, s.faultOf(err)
	}
	src, err := constrain.ParseSource(stored, true)
	if err != nil {
		return "", nil, s.faultOf(err)
	}
	g, err := constrain.Compile(src)
	if err != nil {
		return "", nil, s.faultOf(err)
	}
	notes = []remark{{"good: the shortest text has " + plural(g.MinBytes(), "byte"), -1}}
	for _, n := range g.Notes() {
		r := remark{strings.TrimPrefix(n.Pointer+"/"+n.Keyword, "/") + ": " + n.Text, -1}
		if k.raw {
			r.at = placeOf(s.text, n.Pointer, n.Keyword)
		}
		notes = append(notes, r)
	}
	return stored, notes, nil
}

// faultOf finds the place of an error in the text.
func (s source) faultOf(err error) *remark {
	var syntax *constrain.SyntaxError
	if errors.As(err, &syntax) {
		if sourceKinds[s.kind].raw { // the offset is into the stored form
			return &remark{syntax.Msg, -1}
		}
		return &remark{strings.TrimPrefix(err.Error(), "constraint: "), min(syntax.Offset, len(s.text))}
	}
	var refused *constrain.RefusedError
	if errors.As(err, &refused) && len(refused.Refusals) > 0 {
		r := refused.Refusals[0]
		f := &remark{strings.TrimPrefix(err.Error(), "constraint "), -1}
		if sourceKinds[s.kind].raw {
			f.at = placeOf(s.text, r.Pointer, r.Keyword)
		}
		return f
	}
	return &remark{strings.TrimPrefix(firstLine(err.Error()), "constraint: "), -1}
}

// placeOf returns the byte at which the value that a JSON pointer names
// begins, or its keyword if it has one; -1 if it is not there.
func placeOf(text, pointer, keyword string) int {
	path := []string{}
	if pointer != "" {
		for _, p := range strings.Split(strings.TrimPrefix(pointer, "/"), "/") {
			path = append(path, strings.NewReplacer("~1", "/", "~0", "~").Replace(p))
		}
	}
	if at := placeOfPath(text, append(path[:len(path):len(path)], keyword)); keyword != "" && at >= 0 {
		return at
	}
	return placeOfPath(text, path)
}

// placeOfPath walks text along path, through members and elements.
func placeOfPath(text string, path []string) int {
	d := json.NewDecoder(strings.NewReader(text))
	for depth := 0; ; depth++ {
		if depth == len(path) {
			return startOfNext(text, int(d.InputOffset()))
		}
		t, err := d.Token()
		if err != nil {
			return -1
		}
		open, ok := t.(json.Delim)
		if !ok || open != '{' && open != '[' {
			return -1
		}
		for i := 0; ; i++ {
			if !d.More() {
				return -1
			}
			name := strconv.Itoa(i)
			if open == '{' {
				k, err := d.Token()
				if err != nil {
					return -1
				}
				name, _ = k.(string)
			}
			if name == path[depth] {
				break
			}
			var skip json.RawMessage
			if d.Decode(&skip) != nil {
				return -1
			}
		}
	}
}

// startOfNext skips blanks and what stands between two values.
func startOfNext(text string, at int) int {
	for at < len(text) && strings.IndexByte(" \t\r\n,:", text[at]) >= 0 {
		at++
	}
	return at
}
