package check

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"logitscope/engine/loops"
	"logitscope/sampling/constrain"
)

// A kind is one line of the table of checks.
type kind struct {
	name    string
	form    string // what its value may be
	example string // a value, in the short form
	help    string // when it holds

	bare       bool // stands alone, with the value true
	plain      bool // the value of its short form is JSON and no text
	structured bool // the value may also be JSON
	tokens     bool // looks at tokens or the reason, and at no text
	outside    bool // depends on more than the text and the value

	read func(r *Reader, value json.RawMessage) (judge, error)
}

var kinds = []kind{
	{name: "equals", form: "a text", example: "Paris", help: "equals the text, white space at both ends aside",
		read: texts(func(text, value string) bool { return strings.TrimSpace(text) == strings.TrimSpace(value) }, anyText)},
	{name: "iequals", form: "a text", example: "paris", help: "equals it but for capitals",
		read: texts(func(text, value string) bool {
			return strings.EqualFold(strings.TrimSpace(text), strings.TrimSpace(value))
		}, anyText)},
	{name: "contains", form: "a text", example: "Paris", help: "contains it as it is",
		read: texts(strings.Contains, notEmpty)},
	{name: "not_contains", form: "a text", example: "sorry", help: "does not contain it", read: notContains},
	{name: "starts_with", form: "a text", example: "Yes", help: "begins with it, white space before both aside",
		read: texts(func(text, value string) bool { return strings.HasPrefix(trimLeft(text), trimLeft(value)) }, notBlank)},
	{name: "regex", form: "an RE2 expression", example: `^\d+$`, help: "the expression matches somewhere", read: regex},
	{name: "json", form: "true", example: "true", help: "is one JSON value", bare: true, plain: true, read: jsonValue},
	{name: "schema", form: "a JSON schema or a file", example: "person.json", help: "is JSON that fits the schema", structured: true, read: schema},
	{name: "sql", form: "tables or a file", example: "tables.json", help: "is one SELECT over the tables", structured: true, read: sql},
	{name: "grammar", form: "GBNF or a file", example: "answer.gbnf", help: "fits the grammar from end to end", read: grammar},
	{name: "number", form: "a number or {value, within}", example: "42", help: "its last number is that one", plain: true, read: number},
	{name: "max_tokens", form: "a whole number from 0", example: "50", help: "has at most so many tokens", plain: true, tokens: true,
		read: counts(func(n, most int) bool { return n <= most }, "at most")},
	{name: "min_tokens", form: "a whole number from 0", example: "5", help: "has at least so many tokens", plain: true, tokens: true,
		read: counts(func(n, least int) bool { return n >= least }, "at least")},
	{name: "ends", form: "a reason or a list of " + strings.Join(reasons, ", "), example: "eos", help: "ended for that reason", structured: true, tokens: true, read: ends},
	{name: "no_loop", form: "true", example: "true", help: "does not end in a loop", bare: true, plain: true, tokens: true, read: noLoop},
	{name: "one_of", form: "a list of texts", example: `["A", "B"]`, help: "equals one of them", plain: true, read: oneOf},
	{name: "llm_likelihood", form: "{at_least: bits a token}", example: `{"at_least": -2.5}`, plain: true, tokens: true,
		help: "its mean log-probability under the raw model is at least that", read: likelihood},
	{name: "cmd", form: "a program and its arguments", example: "grade --strict", help: "the program exits with 0 after reading it", outside: true, read: command},
}

// A Kind describes a check for help and completion.
type Kind struct{ Name, Form, Example, Help string }

// Kinds returns all checks, in the order of the table.
func Kinds() []Kind {
	out := make([]Kind, len(kinds))
	for i, k := range kinds {
		out[i] = Kind{k.name, k.form, k.example, k.help}
	}
	return out
}

func lookup(name string) (*kind, bool) {
	i := slices.IndexFunc(kinds, func(k kind) bool { return k.name == name })
	if i < 0 {
		return nil, false
	}
	return &kinds[i], true
}

func names() []string {
	var out []string
	for _, k := range kinds {
		out = append(out, k.name)
	}
	return out
}

func trimLeft(s string) string { return strings.TrimLeftFunc(s, isSpace) }

// differs is the finding on a text that is not what it should be.
func differs(text string) finding {
	at := len(text) - len(trimLeft(text))
	if at == len(text) {
		return finding{why: "empty", at: 0}
	}
	return finding{why: "is", found: text[at:], at: at}
}

// texts makes checks that compare a text with a value.
func texts(holds func(text, value string) bool, valid func(string) error) func(*Reader, json.RawMessage) (judge, error) {
	return func(_ *Reader, raw json.RawMessage) (judge, error) {
		var value string
		if err := readText(raw, &value); err != nil {
			return nil, err
		}
		if err := valid(value); err != nil {
			return nil, err
		}
		return func(_ context.Context, _ *Subject, text string) (finding, error) {
			if holds(text, value) {
				return passed, nil
			}
			return differs(text), nil
		}, nil
	}
}

func anyText(string) error { return nil }

func notEmpty(s string) error {
	if s == "" {
		return errors.New("must not be empty")
	}
	return nil
}

func notBlank(s string) error {
	if trimLeft(s) == "" {
		return errors.New("must not be empty or only white space")
	}
	return nil
}

func notContains(_ *Reader, raw json.RawMessage) (judge, error) {
	var value string
	if err := readText(raw, &value); err != nil {
		return nil, err
	}
	if err := notEmpty(value); err != nil {
		return nil, err
	}
	return func(_ context.Context, _ *Subject, text string) (finding, error) {
		if at := strings.Index(text, value); at >= 0 {
			return finding{why: "found", found: text[at:], at: at}, nil
		}
		return passed, nil
	}, nil
}

func regex(_ *Reader, raw json.RawMessage) (judge, error) {
	var value string
	if err := readText(raw, &value); err != nil {
		return nil, err
	}
	e, err := regexp.Compile(value)
	if err != nil {
		return nil, err
	}
	return func(_ context.Context, _ *Subject, text string) (finding, error) {
		if e.MatchString(text) {
			return passed, nil
		}
		return differs(text), nil
	}, nil
}

func oneOf(_ *Reader, raw json.RawMessage) (judge, error) {
	var values []json.RawMessage
	if err := json.Unmarshal(raw, &values); err != nil || len(values) == 0 {
		return nil, errors.New("must be a list of texts, not empty")
	}
	allowed := make([]string, len(values))
	for i, v := range values {
		if err := readText(v, &allowed[i]); err != nil {
			return nil, errors.New("must be a list of texts, not empty")
		}
		allowed[i] = strings.TrimSpace(allowed[i])
	}
	return func(_ context.Context, _ *Subject, text string) (finding, error) {
		if slices.Contains(allowed, strings.TrimSpace(text)) {
			return passed, nil
		}
		return differs(text), nil
	}, nil
}

// inGrammar judges whether the whole text fits g.
func inGrammar(g *constrain.Grammar, text string) finding {
	ok, dead := g.Check([]byte(text))
	if ok {
		return passed
	}
	if trimLeft(text) == "" {
		return finding{why: "empty", at: 0}
	}
	at := len(text)
	if dead >= 0 {
		at = byteOf(text, dead)
	}
	// Some of what goes before shows where that is.
	from := byteOf(text, max(0, len([]rune(text[:at]))-contextRunes))
	if at == len(text) {
		return finding{why: "ends too early", found: text[from:], at: at}
	}
	return finding{why: fmt.Sprintf("cannot go on at character %d", dead+1), found: text[from:], at: at}
}

// contextRunes is how much of a text is shown before the place where it fails.
const contextRunes = 24

// byteOf returns the byte at which rune n of s begins.
func byteOf(s string, n int) int {
	for i := range s {
		if n == 0 {
			return i
		}
		n--
	}
	return len(s)
}

func grammar(r *Reader, raw json.RawMessage) (judge, error) {
	var source string
	if err := readText(raw, &source); err != nil {
		return nil, err
	}
	name := ""
	if !strings.Contains(source, "::=") {
		data, err := r.file(source)
		if err != nil {
			return nil, err
		}
		name, source = source+": ", string(data)
	}
	g, err := constrain.Spec{Type: "grammar", Grammar: source}.Compile(true)
	if err != nil {
		return nil, fmt.Errorf("%s%s", name, constrain.Bare(err))
	}
	return func(_ context.Context, _ *Subject, text string) (finding, error) { return inGrammar(g, text), nil }, nil
}

func sql(r *Reader, raw json.RawMessage) (judge, error) {
	name, source, err := r.inline(raw)
	if err != nil {
		return nil, err
	}
	g, err := constrain.Spec{Type: "sql", SQL: source}.Compile(true)
	if err != nil {
		return nil, fmt.Errorf("%s%s", name, constrain.Bare(err))
	}
	return func(_ context.Context, _ *Subject, text string) (finding, error) {
		f := inGrammar(g, strings.TrimSpace(text))
		f.at += len(text) - len(trimLeft(text))
		return f, nil
	}, nil
}

// inline returns JSON that stands in the check or in the file that it names;
// name is empty or the file, for messages.
func (r *Reader) inline(raw json.RawMessage) (name string, source []byte, err error) {
	var file string
	if readText(raw, &file) != nil {
		return "", raw, nil
	}
	source, err = r.file(file)
	return file + ": ", source, err
}

func counts(holds func(n, limit int) bool, words string) func(*Reader, json.RawMessage) (judge, error) {
	return func(_ *Reader, raw json.RawMessage) (judge, error) {
		limit, err := strconv.Atoi(string(raw))
		if err != nil || limit < 0 {
			return nil, errors.New("must be a whole number from 0")
		}
		return func(_ context.Context, s *Subject, _ string) (finding, error) {
			switch {
			case s.Count < 0:
				return passed, errors.New("the tokens of the text are not known")
			case holds(s.Count, limit):
				return passed, nil
			}
			return finding{why: fmt.Sprintf("%d tokens; must be %s %d", s.Count, words, limit), at: -1}, nil
		}, nil
	}
}

func ends(_ *Reader, raw json.RawMessage) (judge, error) {
	items := []json.RawMessage{raw}
	if len(raw) > 0 && raw[0] == '[' {
		if err := json.Unmarshal(raw, &items); err != nil {
			return nil, err
		}
	}
	wanted := make([]string, len(items))
	for i, item := range items {
		if err := readText(item, &wanted[i]); err != nil || !slices.Contains(reasons, wanted[i]) {
			return nil, fmt.Errorf("%s: must be one of %s", item, strings.Join(reasons, ", "))
		}
	}
	if len(wanted) == 0 {
		return nil, errors.New("must be a reason or a list of them, not empty")
	}
	return func(_ context.Context, s *Subject, _ string) (finding, error) {
		switch {
		case s.Reason == "":
			return passed, errors.New("the reason why the text ended is not known")
		case slices.Contains(wanted, s.Reason):
			return passed, nil
		}
		return finding{why: "ended by", found: s.Reason, at: -1}, nil
	}, nil
}

var errTrue = errors.New("must be true")

func noLoop(_ *Reader, raw json.RawMessage) (judge, error) {
	if string(raw) != "true" {
		return nil, errTrue
	}
	return func(_ context.Context, s *Subject, _ string) (finding, error) {
		if s.Tokens == nil {
			return passed, errors.New("the token ids of the text are not known")
		}
		if l, ok := loops.Find(s.Tokens); ok {
			return finding{why: l.String(), at: -1}, nil
		}
		return passed, nil
	}, nil
}

// likelihood is in bits, as all the lab's numbers: 0 is a text the model is
// certain of.
func likelihood(_ *Reader, raw json.RawMessage) (judge, error) {
	fields, err := Fields(raw)
	if err != nil {
		return nil, errors.New("must be {at_least: bits a token}")
	}
	least, given := 0.0, false
	for _, f := range fields {
		if f.Name != "at_least" {
			return nil, fmt.Errorf("%s: unknown key; must be at_least", f.Name)
		}
		if json.Unmarshal(f.Value, &least) != nil || string(f.Value) == "null" || least > 0 {
			return nil, errors.New("at_least: must be a log-probability in bits a token, 0 or below")
		}
		given = true
	}
	if !given {
		return nil, errors.New("must be {at_least: bits a token}")
	}
	return func(_ context.Context, s *Subject, _ string) (finding, error) {
		switch {
		case s.Bits != nil && -*s.Bits >= least, s.Bits == nil && s.Count == 0:
			return passed, nil
		case s.Bits == nil:
			return passed, errors.New("needs a model")
		}
		return finding{why: fmt.Sprintf("%.2f bits a token", -*s.Bits), at: -1}, nil
	}, nil
}
