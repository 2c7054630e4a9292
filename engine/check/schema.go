package check

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/dlclark/regexp2/v2"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"logitscope/sampling/constrain"
)

// schemaURL is where a schema stands for references within it.
const schemaURL = "schema:///given"

// schema validates: draft 2020-12 or what $schema names. It is not the
// constraint, which refuses what it cannot hold a text to.
func schema(r *Reader, raw json.RawMessage) (judge, error) {
	name, source, err := r.inline(raw)
	if err != nil {
		return nil, err
	}
	if n, ok := giantNumber(string(source)); ok {
		return nil, fmt.Errorf("%s%s: a number too large to compare", name, n)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(source))
	if err != nil {
		return nil, fmt.Errorf("%snot JSON", name)
	}
	switch doc.(type) {
	case bool, map[string]any:
	default:
		return nil, fmt.Errorf("%smust be an object, true or false, or name a file", name)
	}
	c := jsonschema.NewCompiler()
	c.UseLoader(noLoader{})
	c.UseRegexpEngine(pattern)
	c.AssertFormat()
	for _, f := range libraryFormats {
		c.RegisterFormat(&jsonschema.Format{Name: f, Validate: func(any) error { return nil }})
	}
	for f, expressions := range constrain.Formats() {
		c.RegisterFormat(&jsonschema.Format{Name: f, Validate: inFormat(f, expressions)})
	}
	if err := c.AddResource(schemaURL, doc); err != nil {
		return nil, fmt.Errorf("%s%s", name, flat(err))
	}
	s, err := c.Compile(schemaURL)
	if err != nil {
		return nil, fmt.Errorf("%s%s", name, flat(err))
	}
	return func(_ context.Context, _ *Subject, text string) (finding, error) { return inSchema(s, text) }, nil
}

// libraryFormats are what the library knows beyond the constraint; here they
// say nothing, as unknown ones do.
var libraryFormats = []string{"json-pointer", "relative-json-pointer", "period", "iri", "uri-reference", "iri-reference", "uri-template", "semver", "regex"}

// noLoader keeps schemas from reaching out for others.
type noLoader struct{}

func (noLoader) Load(url string) (any, error) {
	return nil, errors.New("is outside of the schema, and nothing is fetched")
}

// flat writes an error on one line.
func flat(err error) string {
	return strings.ReplaceAll(strings.Join(strings.Fields(err.Error()), " "), schemaURL, "")
}

func inSchema(s *jsonschema.Schema, text string) (finding, error) {
	if f := inJSON(text); f.why != "" {
		return f, nil
	}
	if n, ok := giantNumber(text); ok {
		return finding{why: "a number too large to compare", found: n, at: -1}, nil
	}
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		return passed, err
	}
	if err = s.Validate(value); err == nil {
		return passed, nil
	}
	var bad *jsonschema.ValidationError
	if !errors.As(err, &bad) {
		return passed, err // a schema that refers to itself without end
	}
	for len(bad.Causes) > 0 {
		bad = bad.Causes[0]
	}
	place := ""
	if len(bad.InstanceLocation) > 0 {
		place = "at /" + strings.Join(bad.InstanceLocation, "/") + ": "
	}
	// What the library says quotes the text, so the words are not ours.
	return finding{why: "does not fit", found: place + bad.ErrorKind.LocalizedString(message.NewPrinter(language.English)), at: -1}, nil
}

// maxExponent bounds numbers that are compared: the library makes all their
// digits.
const maxExponent = 2000

// giantNumber finds a number whose digits would fill the memory.
func giantNumber(text string) (string, bool) {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	for {
		t, err := d.Token()
		if err != nil {
			return "", false
		}
		n, ok := t.(json.Number)
		if !ok {
			continue
		}
		if at := strings.IndexFunc(string(n), unicode.IsLetter); at >= 0 {
			digits := strings.TrimLeft(string(n)[at+1:], "+-0")
			if len(digits) > 4 || len(digits) == 4 && digits > fmt.Sprint(maxExponent) {
				return string(n), true
			}
		}
	}
}

// inFormat validates a format that constraints are held to.
func inFormat(name string, expressions []string) func(any) error {
	compiled := sync.OnceValue(func() []*constrain.Grammar {
		var out []*constrain.Grammar
		for _, e := range expressions {
			g, err := constrain.Spec{Type: "regex", Regex: e}.Compile(true)
			if err == nil {
				out = append(out, g)
			}
		}
		return out
	})
	return func(v any) error {
		text, ok := v.(string)
		if !ok {
			return nil
		}
		for _, g := range compiled() {
			if ok, _ := g.Check([]byte(text)); !ok {
				return fmt.Errorf("not of the format %s", name)
			}
		}
		return nil
	}
}

// pattern compiles the expressions of a schema: those of ECMA 262, in linear
// time where RE2 has them too.
func pattern(text string) (jsonschema.Regexp, error) {
	if e, err := regexp.Compile(text); err == nil {
		return e, nil
	}
	e, err := regexp2.Compile(text, regexp2.ECMAScript|regexp2.Unicode)
	if err != nil {
		return nil, err
	}
	e.MatchTimeout = time.Second
	return backtracking{e}, nil
}

type backtracking struct{ e *regexp2.Regexp }

func (b backtracking) String() string { return b.e.String() }

// MatchString takes an expression that finds no end in time as not matching.
func (b backtracking) MatchString(s string) bool {
	ok, err := b.e.MatchString(s)
	return ok && err == nil
}
