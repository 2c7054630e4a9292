package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/pflag"

	"logitscope/sampling"
	"logitscope/sampling/constrain"
)

// A sourceFlag is a flag that names a constraint.
type sourceFlag struct {
	name  string
	kind  string // the type of the constraint, as configurations name it
	field string // the field of that type which the flag fills; empty for none
	file  bool   // the flag names a file
	value func(s *shared, f *sourceFlag) (any, error)
}

var sourceFlags = []sourceFlag{
	{name: "json", kind: "json"},
	{"json-object", "json", "object", false, func(*shared, *sourceFlag) (any, error) { return true, nil }},
	{"json-schema", "json_schema", "schema", true, jsonFile},
	{"regex", "regex", "regex", false, func(s *shared, f *sourceFlag) (any, error) { return s.regex, s.readable(f, s.regex) }},
	{"grammar", "grammar", "grammar", true, textFile},
	{"sql", "sql", "sql", true, jsonFile},
	{"choice", "choice", "choices", false, func(s *shared, f *sourceFlag) (any, error) { return s.choices, s.readable(f, s.choices...) }},
}

// A sourceOption is a flag that adjusts the constraint of another flag.
type sourceOption struct {
	name  string
	field string
	of    []string                // the flags it adjusts
	value func(s *shared) (v any) // nil: as it is without the field
}

var sourceOptions = []sourceOption{
	{"any-order", "any_order", []string{"json-schema"}, func(s *shared) any { return trueOrNil(s.anyOrder) }},
	{"regex-search", "search", []string{"regex"}, func(s *shared) any { return trueOrNil(s.search) }},
	{"whitespace", "whitespace", []string{"json", "json-object", "json-schema"}, func(s *shared) any {
		if s.whitespace == "bounded" {
			return nil
		}
		return s.whitespace
	}},
}

// whitespaces are the values of --whitespace.
var whitespaces = []string{"any", "bounded", "compact"}

func trueOrNil(b bool) any {
	if b {
		return true
	}
	return nil
}

// addSource declares the flags that name a constraint; whitespace is what JSON
// may hold between its tokens where the flag does not say.
func addSource(f *pflag.FlagSet, s *shared, whitespace string) {
	f.BoolVar(&s.json, "json", false, "the text must be one JSON value")
	f.BoolVar(&s.jsonObject, "json-object", false, "the text must be one JSON object")
	f.StringVar(&s.schema, "json-schema", "", "file with a JSON Schema that the text must fit")
	f.StringVar(&s.regex, "regex", "", "regular expression that the whole text must match")
	f.StringVar(&s.grammar, "grammar", "", "file with a GBNF grammar")
	f.StringVar(&s.sql, "sql", "", "file with tables and columns; the text must be a SELECT over them")
	f.StringArrayVar(&s.choices, "choice", nil, "a text that is allowed; repeat for each")
	f.BoolVar(&s.anyOrder, "any-order", false, "with --json-schema: properties in any order")
	f.StringVar(&s.whitespace, "whitespace", whitespace, "in JSON: compact is none, bounded a space or a line with indent, any")
	f.BoolVar(&s.search, "regex-search", false, "with --regex: a match anywhere is enough")
}

// A source is a constraint and where it comes from.
type source struct {
	from    string // for messages: "--json-schema person.json"
	text    string // as the constraint parameter stores it; empty for none
	written string // the JSON that text holds without its blanks, as its file has it; empty for other sources
}

// source returns the constraint that the flags name. Files are read once: one
// may be standard input.
func (s *shared) source() (source, error) {
	if s.named != nil {
		return *s.named, nil
	}
	found, err := s.sourceFlag()
	if err != nil {
		return source{}, err
	}
	var named source
	if found != nil {
		if named, err = s.fill(found); err != nil {
			return source{}, err
		}
	}
	s.named = &named
	return named, nil
}

// sourceFlag returns the one flag that names a constraint, nil if none does.
func (s *shared) sourceFlag() (*sourceFlag, error) {
	var given []string
	var found *sourceFlag
	for i := range sourceFlags {
		if f := &sourceFlags[i]; s.isGiven(f.name) {
			given, found = append(given, "--"+f.name), f
		}
	}
	if slices.ContainsFunc(s.set, func(kv string) bool { return strings.HasPrefix(kv, "constraint=") }) && found != nil {
		given = append(given, "--set constraint")
	}
	if len(given) > 1 {
		return nil, wrong("%s: one constraint at a time", strings.Join(given, " and "))
	}
	if !slices.Contains(whitespaces, s.whitespace) {
		return nil, wrong("--whitespace %s: %s", s.whitespace, strings.Join(whitespaces, ", "))
	}
	for _, o := range sourceOptions {
		if s.isGiven(o.name) && (found == nil || !slices.Contains(o.of, found.name)) {
			return nil, wrong("--%s: it goes with --%s", o.name, strings.Join(o.of, ", --"))
		}
	}
	return found, nil
}

// isGiven reports whether a flag is on the command line, and not switched off
// there.
func (s *shared) isGiven(name string) bool {
	f := s.flags.Lookup(name)
	return f != nil && f.Changed && !(f.Value.Type() == "bool" && f.Value.String() == "false")
}

// fill makes the constraint that a flag names.
func (s *shared) fill(f *sourceFlag) (source, error) {
	fields := map[string]any{"type": f.kind}
	var written string
	if f.field != "" {
		v, err := f.value(s, f)
		if err != nil {
			return source{}, err
		}
		fields[f.field] = v
		if raw, ok := v.(json.RawMessage); ok {
			written = string(raw)
		}
	}
	for _, o := range sourceOptions {
		if v := o.value(s); v != nil && slices.Contains(o.of, f.name) {
			fields[o.field] = v
		}
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(fields); err != nil {
		return source{}, err
	}
	return source{s.typed(f), strings.TrimSpace(b.String()), written}, nil
}

// typed is a flag as it was typed, for messages: with its file, if it has one.
func (s *shared) typed(f *sourceFlag) string {
	if !f.file {
		return "--" + f.name
	}
	return "--" + f.name + " " + s.flags.Lookup(f.name).Value.String()
}

// textFile returns the text of the file that a flag names.
func textFile(s *shared, f *sourceFlag) (any, error) {
	data, err := s.readFile("--"+f.name, s.flags.Lookup(f.name).Value.String())
	if err != nil {
		return nil, err
	}
	return string(data), s.readable(f, string(data))
}

// jsonFile returns the JSON in the file that a flag names.
func jsonFile(s *shared, f *sourceFlag) (any, error) {
	text, err := textFile(s, f)
	if err != nil {
		return nil, err
	}
	data := []byte(text.(string))
	if err := constrain.CheckJSON(data); err != nil {
		return nil, wrongly(&sourceError{s.typed(f), err})
	}
	return json.RawMessage(data), nil
}

// readable refuses what a flag gives if it is not UTF-8: JSON, as which
// configurations keep it, would put U+FFFD in place of the bytes.
func (s *shared) readable(f *sourceFlag, texts ...string) error {
	for _, text := range texts {
		if err := checkUTF8(text); err != nil {
			return wrongly(&sourceError{s.typed(f), err})
		}
	}
	return nil
}

// checkUTF8 reports the first byte of a text that is not UTF-8, as a
// *constrain.SyntaxError.
func checkUTF8(text string) error {
	n := 0
	for n < len(text) {
		r, size := utf8.DecodeRuneInString(text[n:])
		if r == utf8.RuneError && size == 1 {
			break
		}
		n += size
	}
	if n == len(text) {
		return nil
	}
	head := text[:n]
	line := head[strings.LastIndexByte(head, '\n')+1:]
	return &constrain.SyntaxError{
		Line: 1 + strings.Count(head, "\n"), Column: 1 + utf8.RuneCountInString(line), Offset: n, Msg: "not valid UTF-8",
	}
}

// A sourceError is what is wrong with a constraint, with where it comes from
// in front.
type sourceError struct {
	from string
	err  error
}

// Error leaves out that a constraint is meant: what it comes from says so.
func (e *sourceError) Error() string {
	text := strings.TrimPrefix(strings.TrimPrefix(e.err.Error(), "constraint: "), "constraint refused: ")
	return e.from + ": " + text
}

func (e *sourceError) Unwrap() error { return e.err }

// constraintOf returns the constraint of cfg. A lane's is that of its SPEC
// unless it has it from the flags of all.
func (s *shared) constraintOf(cfg sampling.Config, lane laneSpec) source {
	set, _ := cfg.Lookup("constraint")
	c := source{text: cfg.Text("constraint")}
	_, own := lane.set.Lookup("constraint")
	_, preset := lane.preset.Lookup("constraint")
	switch {
	case own || preset && set.Origin == sampling.FromPreset:
		c.from = "--lane " + lane.text + ": constraint"
	case set.Origin == sampling.FromPreset:
		c.from = "--preset " + s.preset + ": constraint"
	case set.Origin == sampling.FromFile:
		c.from = "--config " + s.file.Place("constraint")
	case s.named != nil && s.named.from != "":
		c.from = s.named.from
	default:
		c.from = "--set constraint"
	}
	return c
}

// checkConstraint compiles the constraint of a configuration, so that what is
// wrong with it is told before a model is opened and with its place, and keeps
// what is worth saying about it.
func (s *shared) checkConstraint(c source) error {
	if c.text == "" || s.checked[c.text] {
		return nil
	}
	g, err := compileSource(c.text, true)
	if err != nil {
		return wrongly(&sourceError{c.from, err})
	}
	if s.checked == nil {
		s.checked = map[string]bool{}
	}
	s.checked[c.text] = true
	s.notes = append(s.notes, notesOf(c.from, g)...)
	return nil
}

// compileSource compiles a constraint as configurations store it.
func compileSource(text string, canonical bool) (*constrain.Grammar, error) {
	if err := checkUTF8(text); err != nil {
		return nil, err
	}
	src, err := constrain.ParseSource(text, canonical)
	if err != nil {
		return nil, err
	}
	return constrain.Compile(src)
}

// notesOf returns what a grammar has to say about its source.
func notesOf(from string, g *constrain.Grammar) []string {
	var notes []string
	for _, n := range g.Notes() {
		notes = append(notes, fmt.Sprintf("%s: #%s/%s: %s", from, n.Pointer, n.Keyword, n.Text))
	}
	return notes
}

// tellNotes writes what is worth saying about constraints and files, once.
func (s *shared) tellNotes() {
	for _, n := range s.notes {
		complain(s.sys.Err, errors.New(n))
	}
	s.notes = nil
}
