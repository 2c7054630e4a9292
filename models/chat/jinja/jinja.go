// Package jinja answers: what does a chat template write? It is an interpreter for
// the language of Jinja2 with the sandbox, the white space rules and the functions
// that Hugging Face's transformers gives to a model's template.
//
// It says what Jinja2 3.1 says, byte for byte, or gives an error. Values are
// Python's: integers of any size, floats that print as repr does, texts that
// count in code points, dicts that keep their order, iterators that are read
// once. What a template can ask for and is not here (a random item, an
// object's address, another file) is refused by its name.
//
// A template is untrusted. It sees no file, no clock but the one given and no
// environment, and the steps it takes, the bytes it makes and how deep it goes
// are bounded (see [Limits]). Values cannot be changed once they are made,
// except the attributes of a namespace.
package jinja

import (
	"context"
	"fmt"
	"time"

	"logitscope/models/chat/jinja/python"
)

// Limits of any template.
const (
	MaxSource = 512 << 10 // bytes of a template

	maxNesting = 300 // parts of an expression, or blocks, inside each other
	maxCalls   = 160 // macros and recursive loops inside each other
	maxRange   = 100_000
)

// Limits bound one rendering.
type Limits struct {
	Steps int64 // parts of the template that are evaluated, and items visited; 0 for 20 million
	Bytes int64 // made by the template, in texts and lists, kept or not; 0 for 256 MiB
}

// Template is a parsed template. It may be used by several goroutines.
type Template struct {
	body  *frameNode
	root  []node
	texts []string
}

// Constants calls visit for the texts that the template holds in its
// expressions, such as the roles that it compares with.
func (t *Template) Constants(visit func(text string)) {
	for _, s := range t.texts {
		visit(s)
	}
}

// Options are what a rendering may know beside its variables.
type Options struct {
	Now    time.Time // what strftime_now shows; zero for the time of the call
	Limits Limits
}

// Parse reads a template. Its error is a [*python.Error].
func Parse(source string) (t *Template, err error) {
	if len(source) > MaxSource {
		return nil, &python.Error{Kind: python.Exceeded, Message: fmt.Sprintf("the template has %d bytes, want at most %d", len(source), MaxSource)}
	}
	defer python.Caught(&err)
	p := &parser{toks: lex(source)}
	body := p.template()
	r := resolver{}
	t = &Template{body: r.root(body), root: body}
	for _, tok := range p.toks {
		if tok.kind == tokString {
			t.texts = append(t.texts, tok.text)
		}
	}
	return t, nil
}

// Render writes the template with the variables given, whose values are those
// that [python.FromJSON] makes, or texts, bools, ints, float64s, nil, and
// [*python.Dict]s and [*python.List]s of them. Its error is a [*python.Error],
// or that of the context.
func (t *Template) Render(ctx context.Context, vars *python.Dict, opt Options) (out string, err error) {
	if opt.Limits.Steps == 0 {
		opt.Limits.Steps = 20_000_000
	}
	if opt.Limits.Bytes == 0 {
		opt.Limits.Bytes = 256 << 20
	}
	if opt.Now.IsZero() {
		opt.Now = time.Now()
	}
	st := &state{Run: &python.Run{Ctx: ctx, Now: opt.Now, Steps: opt.Limits.Steps, Bytes: opt.Limits.Bytes}, vars: vars, exported: map[string]python.Value{}}
	defer func() {
		if e, ok := err.(*python.Error); ok && e.Line == 0 {
			e.Line = st.Line
		}
	}()
	defer python.Caught(&err)
	return st.capture(func() { st.run(t.root, st.enter(t.body, nil)) }), nil
}
