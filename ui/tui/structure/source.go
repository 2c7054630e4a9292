package structure

import (
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"

	"logitscope/sampling/constrain"
	"logitscope/viz"
)

// A source is a constraint as it is written by hand. It can be compared.
type source struct {
	kind    int // of [constrain.Kinds]
	text    string
	options constrain.Options
}

// kindOf is the notation of s.
func (s source) kindOf() constrain.Kind { return constrain.Kinds()[s.kind] }

// A pattern is a source to begin with, and its name.
type pattern struct {
	name string
	source
}

// patterns are the templates of all kinds, in their order; a kind without a
// text has one.
var patterns = func() (list []pattern) {
	for i, k := range constrain.Kinds() {
		if k.Form == constrain.NoText {
			list = append(list, pattern{k.About, source{kind: i}})
		}
		for _, t := range k.Templates {
			list = append(list, pattern{t.Name, source{kind: i, text: t.Text}})
		}
	}
	return list
}()

// firstOf returns the first pattern of a kind.
func firstOf(kind int) int {
	return slices.IndexFunc(patterns, func(p pattern) bool { return p.kind == kind })
}

// switchOf returns the option of a kind that has a switch on the screen, if
// there is one: the one it offers first, if it is on or off.
func switchOf(k constrain.Kind) (constrain.Option, bool) {
	if len(k.Options) == 0 || k.Options[0].Words != nil {
		return constrain.Option{}, false
	}
	return k.Options[0], true
}

// stored returns s as a configuration stores it.
func (s source) stored() string {
	c := constrain.Spec{Type: s.kindOf().Type, Options: s.options}
	c.SetText(s.text)
	return c.String()
}

// sourceOf reads a stored constraint back as it was written; it is false for
// one that cannot be read.
func sourceOf(stored string) (source, bool) {
	c, err := constrain.Parse(stored)
	if err != nil {
		return source{}, false
	}
	kind := slices.IndexFunc(constrain.Kinds(), func(k constrain.Kind) bool { return k.Type == c.Type })
	return source{kind, c.Text(), c.Options}, true
}

// others names the options of s that have no switch: "closed, whitespace
// compact".
func (s source) others() string {
	var words []string
	k := s.kindOf()
	first, _ := switchOf(k)
	for _, o := range k.Options {
		if word := o.In(s.options); word != "" && o.Field != first.Field {
			words = append(words, word)
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
	raw := s.kindOf().Form == constrain.JSONText
	var syntax *constrain.SyntaxError
	if errors.As(s.kindOf().CheckText(s.text), &syntax) {
		return "", nil, &remark{syntax.Bare(), min(syntax.Offset, len(s.text))}
	}
	stored = s.stored()
	g, err := constrain.CompileText(stored, true)
	if err != nil {
		return "", nil, s.faultOf(err)
	}
	notes = []remark{{"good: the shortest text has " + viz.Plural(g.MinBytes(), "byte"), -1}}
	for _, n := range g.Notes() {
		r := remark{strings.TrimPrefix(n.Pointer+"/"+n.Keyword, "/") + ": " + n.Text, -1}
		if raw {
			r.at = placeOf(s.text, n.Pointer, n.Keyword)
		}
		notes = append(notes, r)
	}
	return stored, notes, nil
}

// faultOf finds the place of an error in the text.
func (s source) faultOf(err error) *remark {
	raw := s.kindOf().Form == constrain.JSONText
	var syntax *constrain.SyntaxError
	var refused *constrain.RefusedError
	switch {
	case errors.As(err, &syntax) && raw: // the offset is into the stored form
		return &remark{syntax.Msg, -1}
	case errors.As(err, &syntax):
		return &remark{syntax.Bare(), min(syntax.Offset, len(s.text))}
	case errors.As(err, &refused) && raw && len(refused.Refusals) > 0:
		r := refused.Refusals[0]
		return &remark{refused.Bare(), placeOf(s.text, r.Pointer, r.Keyword)}
	}
	return &remark{viz.FirstLine(constrain.Bare(err)), -1}
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
