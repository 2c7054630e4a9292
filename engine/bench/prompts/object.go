package prompts

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"logitscope/engine/check"
)

var errText = errors.New("must be a text")

func readText(value json.RawMessage) (string, error) {
	var s string
	if len(value) == 0 || value[0] != '"' || json.Unmarshal(value, &s) != nil {
		return "", errText
	}
	return s, nil
}

// A record is a prompt before its variables are filled in.
type record struct {
	Prompt
	given   map[string]bool // the fields that were given
	expect  json.RawMessage // as JSON, or empty
	short   string          // or in the short form of a cell
	extract string
}

// fields are the fields of a prompt: each takes its value.
var fields = map[string]func(r *record, value json.RawMessage) error{
	"id": func(r *record, v json.RawMessage) (err error) { r.ID, err = readID(v); return err },
	"prompt": func(r *record, v json.RawMessage) (err error) {
		r.Text, err = readText(v)
		return err
	},
	"messages": func(r *record, v json.RawMessage) (err error) { r.Messages, err = readMessages(v); return err },
	"tokens":   func(r *record, v json.RawMessage) (err error) { r.Tokens, err = readTokens(v); return err },
	"system":   func(r *record, v json.RawMessage) (err error) { r.System, err = readText(v); return err },
	"expect":   func(r *record, v json.RawMessage) error { r.expect = v; return nil },
	"extract":  func(r *record, v json.RawMessage) (err error) { r.extract, err = readText(v); return err },
	"tags":     func(r *record, v json.RawMessage) (err error) { r.Tags, err = readTags(v); return err },
	"vars":     func(r *record, v json.RawMessage) (err error) { r.Vars, err = readVars(v); return err },
}

func fieldNames() string {
	return "id, prompt, messages, tokens, system, expect, extract, tags, vars"
}

// object reads a line of JSON.
func (s *Set) object(line []byte) (Prompt, error) {
	list, err := check.Fields(line)
	if err != nil {
		return Prompt{}, err
	}
	r := record{given: map[string]bool{}}
	for _, f := range list {
		read, ok := fields[f.Name]
		if !ok {
			return Prompt{}, fmt.Errorf("%s: unknown field; must be one of %s", strconv.Quote(f.Name), fieldNames())
		}
		if err := read(&r, f.Value); err != nil {
			return Prompt{}, fmt.Errorf("%s: %w", f.Name, err)
		}
		r.given[f.Name] = true
	}
	return s.finish(&r)
}

// finish checks the fields of a record against each other and fills in its
// variables.
func (s *Set) finish(r *record) (Prompt, error) {
	switch n := count(r.given["prompt"], r.given["messages"], r.given["tokens"]); {
	case n == 0:
		return Prompt{}, errors.New("must have prompt, messages or tokens")
	case n > 1:
		return Prompt{}, errors.New("prompt, messages, tokens: one of them")
	case r.given["system"] && r.given["tokens"]:
		return Prompt{}, errors.New("system: goes with prompt or messages, not with tokens")
	case r.given["system"] && len(r.Messages) > 0 && r.Messages[0].Role == "system":
		return Prompt{}, errors.New("system: the messages begin with one already")
	}
	p := r.Prompt
	p.Messages = slices.Clone(p.Messages)
	type place struct {
		field string
		text  *string
	}
	places := []place{{"prompt", &p.Text}, {"system", &p.System}, {"extract", &r.extract}, {"expect", &r.short}}
	for i := range p.Messages {
		places = append(places, place{"messages", &p.Messages[i].Content})
	}
	var err error
	for _, x := range places {
		if *x.text, err = fill(x.field, *x.text, p.Vars); err != nil {
			return Prompt{}, err
		}
	}
	if r.given["extract"] {
		if p.Extract, err = check.CompileExtract(r.extract); err != nil {
			return Prompt{}, err
		}
	}
	switch {
	case r.expect != nil:
		raw, err := fillJSON("expect", r.expect, p.Vars)
		if err != nil {
			return Prompt{}, err
		}
		if p.Expect, err = s.reader.Read(raw); err != nil {
			return Prompt{}, fmt.Errorf("expect: %w", err)
		}
	case r.short != "":
		if p.Expect, err = s.reader.ReadShort(r.short); err != nil {
			return Prompt{}, fmt.Errorf("expect: %w", err)
		}
	}
	return p, nil
}

func count(given ...bool) (n int) {
	for _, g := range given {
		if g {
			n++
		}
	}
	return n
}

var wholeNumber = regexp.MustCompile(`^-?[0-9]+$`)

func readID(v json.RawMessage) (string, error) {
	if wholeNumber.Match(v) {
		return string(v), nil
	}
	id, err := readText(v)
	if err != nil || id == "" {
		return "", errors.New("must be a text or a whole number, not empty")
	}
	return id, nil
}

func readMessages(v json.RawMessage) ([]Message, error) {
	var list []json.RawMessage
	if err := json.Unmarshal(v, &list); err != nil || len(list) == 0 {
		return nil, errors.New("must be a list of {role, content}, not empty")
	}
	out := make([]Message, len(list))
	for i, item := range list {
		members, err := check.Fields(item)
		if err != nil {
			return nil, fmt.Errorf("message %d: %w", i+1, err)
		}
		to := map[string]*string{"role": &out[i].Role, "content": &out[i].Content}
		for _, m := range members {
			if to[m.Name] == nil {
				return nil, fmt.Errorf("message %d: %s: unknown key; must be role or content", i+1, strconv.Quote(m.Name))
			}
			if *to[m.Name], err = readText(m.Value); err != nil {
				return nil, fmt.Errorf("message %d: %s: %w", i+1, m.Name, err)
			}
		}
		switch {
		case len(members) < len(to):
			return nil, fmt.Errorf("message %d: must have role and content", i+1)
		case !slices.Contains(roles, out[i].Role):
			return nil, fmt.Errorf("message %d: role %s: must be one of %s", i+1, strconv.Quote(out[i].Role), strings.Join(roles, ", "))
		}
	}
	return out, nil
}

func readTokens(v json.RawMessage) ([]int32, error) {
	var list []json.RawMessage
	if err := json.Unmarshal(v, &list); err != nil || len(list) == 0 {
		return nil, errors.New("must be a list of token ids from 0, not empty")
	}
	out := make([]int32, len(list))
	for i, item := range list {
		id, err := strconv.ParseInt(string(item), 10, 32)
		if err != nil || id < 0 {
			return nil, fmt.Errorf("%s: must be a list of token ids from 0, not empty", item)
		}
		out[i] = int32(id)
	}
	return out, nil
}

func readTags(v json.RawMessage) ([]string, error) {
	var list []json.RawMessage
	if err := json.Unmarshal(v, &list); err != nil || list == nil {
		return nil, errors.New("must be a list of texts")
	}
	out := make([]string, len(list))
	for i, item := range list {
		var err error
		if out[i], err = readText(item); err != nil {
			return nil, errors.New("must be a list of texts")
		}
	}
	return out, nil
}

func readVars(v json.RawMessage) ([]Var, error) {
	members, err := check.Fields(v)
	if err != nil {
		return nil, err
	}
	var out []Var
	for _, m := range members {
		if !variableName.MatchString(m.Name) {
			return nil, fmt.Errorf("%s: must be a name: a letter or _, then letters, digits, _", strconv.Quote(m.Name))
		}
		value, err := readText(m.Value)
		var number json.Number
		if err != nil && json.Unmarshal(m.Value, &number) == nil && m.Value[0] != 'n' {
			value, err = string(m.Value), nil // as the file spells it
		}
		if err != nil {
			return nil, fmt.Errorf("%s: must be a text or a number", m.Name)
		}
		out = append(out, Var{m.Name, value})
	}
	return out, nil
}
