package exchange

import (
	"fmt"
	"slices"
	"strings"
)

// A pyCall is a call of Python that holds settings.
type pyCall struct {
	path   []string // how the callee ends: chat.completions.create
	format *Format
	kind   kind
}

// pyCalls are the calls that hold settings by their name alone; longer paths
// come first.
var pyCalls []pyCall

func init() {
	pyCalls = []pyCall{
		{[]string{"SamplingParams"}, &vllm, promptKind},
		{[]string{"BeamSearchParams"}, &vllm, beamKind},
		{[]string{"GenerationConfig"}, &transformers, plainKind},
		{[]string{"chat", "completions", "create"}, &openai, plainKind},
		{[]string{"chat", "completions", "parse"}, &openai, plainKind},
		{[]string{"chat", "completions", "stream"}, &openai, plainKind},
		{[]string{"responses", "create"}, &openai, plainKind},
		{[]string{"responses", "parse"}, &openai, plainKind},
		{[]string{"completions", "create"}, &openai, promptKind},
		{[]string{"litellm", "completion"}, &liteLLM, plainKind},
		{[]string{"litellm", "acompletion"}, &liteLLM, plainKind},
		{[]string{"make_sampler"}, &mlx, plainKind},
		{[]string{"make_logits_processors"}, &mlx, plainKind},
	}
}

// A found is a place in Python source that holds settings.
type found struct {
	format *Format
	kind   kind
	name   string // as the source calls it
	line   int
	from   int // its first token
	args   pyArguments
	text   string
	joined bool // with a call that goes with it
}

// pythonSource reads call n, from 1, of those that hold settings; each other
// one is named as unread. ok is false where there is none.
func pythonSource(text string, n int) (s *source, ok bool, err error) {
	p := readPython(text)
	all := joinMLX(p.calls())
	if len(all) == 0 {
		return nil, p.open != nil, p.open
	}
	if n > len(all) {
		return nil, true, tooFew(n, len(all), "call")
	}
	chosen := all[n-1]
	s = &source{format: chosen.format, kind: chosen.kind, entries: chosen.args.members, unread: chosen.args.unread}
	for i, f := range all {
		if i != n-1 {
			s.unread = append(s.unread, Unread{Line: f.line, Key: f.name, Text: f.text, Why: "another call, not read"})
		}
	}
	return s, true, nil
}

// tooFew says that there is no call, command or section n.
func tooFew(n, have int, what string) error {
	if have != 1 {
		what += "s"
	}
	return fmt.Errorf("call %d: the file has %d %s that hold settings", n, have, what)
}

// joinMLX joins mlx-lm's sampler with the processors that go with it.
func joinMLX(all []found) []found {
	var out []found
	for _, f := range all {
		if n := len(out); n > 0 && f.format == &mlx && out[n-1].format == &mlx && f.name != out[n-1].name && !out[n-1].joined {
			out[n-1].args.members = append(out[n-1].args.members, f.args.members...)
			out[n-1].args.unread = append(out[n-1].args.unread, f.args.unread...)
			out[n-1].joined = true
			continue
		}
		out = append(out, f)
	}
	return out
}

// calls returns all places that hold settings, in the order of the source.
func (p *python) calls() []found {
	pipelines := p.assignedFrom("pipeline")
	var out, generates []found
	inside := -1 // the last token of a call that was taken: what it holds is part of it
	for i, t := range p.tokens {
		if t.kind != pyName || i <= inside || i > 0 && (p.tokens[i-1].text == "def" || p.tokens[i-1].text == "class") {
			continue
		}
		if i+1 >= len(p.tokens) {
			break
		}
		if p.tokens[i+1].text == "=" && t.text == "sampling_params" {
			if f, ok := p.dictNamed(i); ok {
				out = append(out, f)
			}
			continue
		}
		if p.tokens[i+1].text != "(" {
			continue
		}
		end := p.closing(i + 1)
		path := p.path(i)
		if end < 0 {
			if _, ok := p.known(path); ok {
				p.open = fmt.Errorf("line %d: the call of %s is never closed", t.line, t.text)
			}
			continue
		}
		f := found{name: strings.Join(path, "."), line: p.tokens[i-len(path)*2+2].line, from: i - len(path)*2 + 2, text: p.source(i-len(path)*2+2, end+1)}
		switch c, ok := p.known(path); {
		case ok:
			f.format, f.kind, f.args = c.format, c.kind, p.arguments(i+2, end, 0)
			out = append(out, f)
			inside = end
		case pipelines[t.text] && len(path) == 1:
			f.format, f.args = &transformers, p.arguments(i+2, end, 0)
			out = append(out, f)
		case t.text == "generate" && i > 0 && p.tokens[i-1].text == ".":
			f.format, f.kind, f.args = &transformers, callKind, p.arguments(i+2, end, 0)
			generates = append(generates, f)
		}
	}
	return p.withGenerates(out, generates)
}

// withGenerates adds the calls of generate that hold settings themselves. One
// that is only given a configuration read before, or that belongs to another
// engine, holds none.
func (p *python) withGenerates(out, generates []found) []found {
	others := slices.ContainsFunc(out, func(f found) bool { return f.format != &transformers })
	if others {
		return out
	}
	for _, g := range generates {
		sets := slices.ContainsFunc(g.args.members, func(e entry) bool {
			_, acts := transformers.acting(e.key)
			return transformers.field(e.key) != nil || acts
		})
		given := slices.ContainsFunc(g.args.members, func(e entry) bool { return e.key == "generation_config" })
		if sets || !given && (len(g.args.unread) > 0 || len(out)+len(generates) == 1) {
			out = append(out, g)
		}
	}
	slices.SortStableFunc(out, func(a, b found) int { return a.from - b.from })
	return out
}

// dictNamed reads the dictionary that is assigned to or passed as
// sampling_params at token i.
func (p *python) dictNamed(i int) (found, bool) {
	end := i + 2
	for depth := 0; end < len(p.tokens); end++ {
		t := p.tokens[end]
		if t.kind == pyOp && strings.ContainsAny(t.text, "([{") {
			depth++
		} else if t.kind == pyOp && strings.ContainsAny(t.text, ")]}") {
			if depth--; depth < 0 {
				break
			}
		} else if depth == 0 && (t.kind == pyNewline || t.text == "," || t.text == ";") {
			break
		}
	}
	if i+3 == end && p.tokens[i+2].text == p.tokens[i].text {
		return found{}, false // sampling_params=sampling_params
	}
	o, ok := p.value(i+2, end, 0).(object)
	if !ok {
		return found{}, false
	}
	format := &sglang
	if p.imports("vllm") {
		format = &vllm
	}
	return found{format: format, kind: promptKind, name: p.tokens[i].text, line: p.tokens[i].line, from: i, args: pyArguments{members: o}, text: p.source(i, end)}, true
}

// path returns the names that lead to the one at token i, with dots between.
func (p *python) path(i int) []string {
	path := []string{p.tokens[i].text}
	for i >= 2 && p.tokens[i-1].text == "." && p.tokens[i-2].kind == pyName {
		i -= 2
		path = slices.Insert(path, 0, p.tokens[i].text)
	}
	return path
}

// known finds a call by how its path ends.
func (p *python) known(path []string) (pyCall, bool) {
	for _, c := range pyCalls {
		if len(path) >= len(c.path) && slices.Equal(path[len(path)-len(c.path):], c.path) {
			if c.format == &vllm && p.imports("tensorrt_llm") {
				c.format = &tensorRT
			}
			return c, true
		}
	}
	last := path[len(path)-1]
	if len(path) == 1 && (last == "completion" || last == "acompletion") && p.imports("litellm") {
		return pyCall{format: &liteLLM}, true
	}
	return pyCall{}, false
}

// imports reports whether the file imports a package or something of it.
func (p *python) imports(name string) bool {
	for i, t := range p.tokens {
		if t.kind == pyName && (t.text == "import" || t.text == "from") && i+1 < len(p.tokens) && p.tokens[i+1].text == name {
			return true
		}
	}
	return false
}

// assignedFrom returns the names that are given what a call of fn returns.
func (p *python) assignedFrom(fn string) map[string]bool {
	out := map[string]bool{}
	for name, span := range p.names {
		for i := span[0]; i+1 < span[1]; i++ {
			if p.tokens[i].kind != pyName || p.tokens[i+1].text == "." {
				if p.tokens[i].text == "." {
					continue
				}
				if p.tokens[i].kind != pyName {
					break
				}
				continue
			}
			if p.tokens[i].text == fn && p.tokens[i+1].text == "(" {
				out[name] = true
			}
			break
		}
	}
	return out
}
