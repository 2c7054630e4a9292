package setup

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"logitscope/sampling"
	"logitscope/sampling/constrain"
	"logitscope/ui/cli/console"
)

// A sourceFlag is a flag that names a constraint: one for each of
// [constrain.Kinds], and --json-object.
type sourceFlag struct {
	name   string
	kind   constrain.Kind
	object bool // of JSON, an object alone
}

var sourceFlags = func() []sourceFlag {
	var flags []sourceFlag
	for _, k := range constrain.Kinds() {
		flags = append(flags, sourceFlag{name: strings.ReplaceAll(k.Type, "_", "-"), kind: k})
		if k.Type == "json" {
			flags = append(flags, sourceFlag{"json-object", k, true})
		}
	}
	return flags
}()

// file reports whether the flag names a file.
func (f *sourceFlag) file() bool {
	return f.kind.Form == constrain.Lines || f.kind.Form == constrain.JSONText
}

// SourceNames lists the flags with what they take.
func SourceNames() []string {
	names := make([]string, len(sourceFlags))
	for i, f := range sourceFlags {
		names[i] = "--" + f.name
		switch {
		case f.file():
			names[i] += " FILE"
		case f.kind.Form != constrain.NoText:
			names[i] += " TEXT"
		}
	}
	return names
}

// optionFlags are the flags for options of constraints, by their fields.
var optionFlags = []struct{ name, field string }{
	{"any-order", "any_order"}, {"regex-search", "search"}, {"whitespace", "whitespace"},
}

// sourcesWith lists the flags of sources that have an option.
func sourcesWith(field string) (names []string, o constrain.Option) {
	for _, f := range sourceFlags {
		for _, x := range f.kind.Options {
			if x.Field == field {
				names, o = append(names, "--"+f.name), x
			}
		}
	}
	slices.Sort(names)
	return names, o
}

// AddSource declares the flags that name a constraint; blanks is what JSON may
// hold between its tokens where --whitespace does not say.
func AddSource(f *pflag.FlagSet, blanks string) {
	for _, x := range sourceFlags {
		switch x.kind.Form {
		case constrain.NoText:
			usage := x.kind.Usage
			if x.object {
				usage = "the text must be one JSON object"
			}
			f.Bool(x.name, false, usage)
		case constrain.List:
			f.StringArray(x.name, nil, x.kind.Usage)
		default:
			f.String(x.name, "", x.kind.Usage)
			if x.file() {
				console.Reads(f, "a file", x.name)
			}
		}
	}
	for _, x := range optionFlags {
		names, o := sourcesWith(x.field)
		if o.Words == nil {
			f.Bool(x.name, false, "with "+strings.Join(names, ", ")+": "+o.About)
		} else {
			f.String(x.name, blanks, "in JSON: "+o.About)
		}
	}
}

// A Source is a constraint and where it comes from.
type Source struct {
	From    string // for messages: "--json-schema person.json"
	Text    string // as the constraint parameter stores it; empty for none
	Written string // the JSON that text holds without its blanks, as its file has it; empty for other sources
}

// Source returns the constraint that the flags name. Files are read once: one
// may be standard input.
func (s *Flags) Source() (Source, error) {
	if s.Named != nil {
		return *s.Named, nil
	}
	found, err := s.sourceFlag()
	if err != nil {
		return Source{}, err
	}
	var named Source
	if found != nil {
		if named, err = s.fill(found); err != nil {
			return Source{}, err
		}
	}
	s.Named = &named
	return named, nil
}

// sourceFlag returns the one flag that names a constraint, nil if none does.
func (s *Flags) sourceFlag() (*sourceFlag, error) {
	var given []string
	var found *sourceFlag
	for i := range sourceFlags {
		if f := &sourceFlags[i]; s.isGiven(f.name) {
			given, found = append(given, "--"+f.name), f
		}
	}
	sets := func(kv string) bool {
		key, _, pair := strings.Cut(kv, "=")
		return pair && key == "constraint"
	}
	if slices.ContainsFunc(s.set, sets) && found != nil {
		given = append(given, "--set constraint")
	}
	if len(given) > 1 {
		return nil, console.Wrong("%s: one constraint at a time", strings.Join(given, " and "))
	}
	for _, x := range optionFlags {
		names, o := sourcesWith(x.field)
		if word := s.FlagSet.Lookup(x.name).Value.String(); o.Words != nil && !slices.Contains(o.Words, word) {
			return nil, console.Wrong("--%s %s: must be %s", x.name, word, strings.Join(o.Words, ", "))
		}
		if s.isGiven(x.name) && (found == nil || !slices.Contains(names, "--"+found.name)) {
			return nil, console.Wrong("--%s: it goes with %s", x.name, strings.Join(names, ", "))
		}
	}
	return found, nil
}

// isGiven reports whether a flag is on the command line, and not switched off
// there.
func (s *Flags) isGiven(name string) bool {
	f := s.FlagSet.Lookup(name)
	return f != nil && f.Changed && !(f.Value.Type() == "bool" && f.Value.String() == "false")
}

// fill makes the constraint that a flag names.
func (s *Flags) fill(f *sourceFlag) (Source, error) {
	c := constrain.Spec{Type: f.kind.Type, Options: constrain.Options{Object: f.object}}
	var written string
	switch value := s.FlagSet.Lookup(f.name).Value; f.kind.Form {
	case constrain.List:
		c.Choices = value.(pflag.SliceValue).GetSlice()
		if err := s.readable(f, c.Choices...); err != nil {
			return Source{}, err
		}
	case constrain.Line, constrain.Lines, constrain.JSONText:
		text, err := s.sourceText(f, value.String())
		if err != nil {
			return Source{}, err
		}
		c.SetText(text)
		if f.kind.Form == constrain.JSONText {
			written = text
		}
	}
	for _, x := range optionFlags {
		names, o := sourcesWith(x.field)
		if word := s.FlagSet.Lookup(x.name).Value.String(); slices.Contains(names, "--"+f.name) && word != "false" && word != "bounded" {
			o.Put(&c.Options, word)
		}
	}
	return Source{s.typed(f), c.String(), written}, nil
}

// sourceText is the text that the value of a flag gives or names a file of.
func (s *Flags) sourceText(f *sourceFlag, value string) (string, error) {
	if f.file() {
		data, err := s.ReadFile("--"+f.name, value)
		if err != nil {
			return "", err
		}
		value = string(data)
	}
	if err := s.readable(f, value); err != nil {
		return "", err
	}
	if err := f.kind.CheckText(value); err != nil {
		return "", console.Wrongly(&SourceError{s.typed(f), err})
	}
	return value, nil
}

// typed is a flag as it was typed, for messages: with its file, if it has one.
func (s *Flags) typed(f *sourceFlag) string {
	if !f.file() {
		return "--" + f.name
	}
	return "--" + f.name + " " + s.FlagSet.Lookup(f.name).Value.String()
}

// readable refuses what a flag gives if it is not UTF-8: JSON, as which
// configurations keep it, would put U+FFFD in place of the bytes.
func (s *Flags) readable(f *sourceFlag, texts ...string) error {
	for _, text := range texts {
		if err := console.CheckUTF8(text); err != nil {
			return console.Wrongly(&SourceError{s.typed(f), err})
		}
	}
	return nil
}

// A SourceError is what is wrong with a constraint, with where it comes from
// in front.
type SourceError struct {
	From string
	Err  error
}

// Error leaves out that a constraint is meant: what it comes from says so.
func (e *SourceError) Error() string {
	return e.From + ": " + constrain.Bare(e.Err)
}

func (e *SourceError) Unwrap() error { return e.Err }

// constraintOf returns the constraint of cfg. A lane's is that of its SPEC
// unless it has it from the flags of all.
func (s *Flags) constraintOf(cfg sampling.Config, lane LaneSpec) Source {
	set, _ := cfg.Lookup("constraint")
	c := Source{Text: cfg.Text("constraint")}
	_, own := lane.Set.Lookup("constraint")
	_, preset := lane.Preset.Lookup("constraint")
	switch {
	case own || preset && set.Origin == sampling.FromPreset:
		c.From = lane.given() + ": constraint"
	case set.Origin == sampling.FromPreset:
		c.From = "--preset " + s.Preset + ": constraint"
	case set.Origin == sampling.FromFile:
		c.From = "--config " + s.file.Place("constraint")
	case s.Named != nil && s.Named.From != "":
		c.From = s.Named.From
	default:
		c.From = "--set constraint"
	}
	return c
}

// checkConstraint compiles the constraint of a configuration, so that what is
// wrong with it is told before a model is opened and with its place, and keeps
// what is worth saying about it.
func (s *Flags) checkConstraint(c Source) error {
	if c.Text == "" || s.checked[c.Text] {
		return nil
	}
	g, err := CompileSource(c.Text, true)
	if err != nil {
		return console.Wrongly(&SourceError{c.From, err})
	}
	if s.checked == nil {
		s.checked = map[string]bool{}
	}
	s.checked[c.Text] = true
	s.Notes = append(s.Notes, NotesOf(c.From, g)...)
	return nil
}

// CompileSource compiles a constraint as configurations store it.
func CompileSource(text string, canonical bool) (*constrain.Grammar, error) {
	if err := console.CheckUTF8(text); err != nil {
		return nil, err
	}
	return constrain.CompileText(text, canonical)
}

// NotesOf returns what a grammar has to say about its source.
func NotesOf(from string, g *constrain.Grammar) []string {
	var notes []string
	for _, n := range g.Notes() {
		notes = append(notes, fmt.Sprintf("%s: #%s/%s: %s", from, n.Pointer, n.Keyword, n.Text))
	}
	return notes
}

// TellNotes writes what is worth saying about constraints and files, once.
func (s *Flags) TellNotes() {
	for _, n := range s.Notes {
		console.Complain(s.Sys.Err, errors.New(n))
	}
	s.Notes = nil
}
