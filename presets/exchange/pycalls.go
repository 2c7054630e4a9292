package exchange

import (
	"fmt"
	"slices"
	"strings"

	"logitscope/presets/exchange/carrier"
)

// A pyCall is a call of Python that holds settings.
type pyCall struct {
	path   []string // how the callee ends: chat.completions.create
	format *Format
	kind   kind

	positions []string // the parameters that arguments without a keyword set
}

// pyCalls are the calls that hold settings by their name alone; longer paths
// come first.
var pyCalls = []pyCall{
	{path: []string{"SamplingParams"}, format: &vllm, kind: promptKind},
	{path: []string{"BeamSearchParams"}, format: &vllm, kind: beamKind, positions: []string{"beam_width", "max_tokens", "ignore_eos", "temperature", "length_penalty"}},
	{path: []string{"GenerationConfig"}, format: &transformers, kind: plainKind},
	{path: []string{"chat", "completions", "create"}, format: &openai, kind: plainKind},
	{path: []string{"chat", "completions", "parse"}, format: &openai, kind: plainKind},
	{path: []string{"chat", "completions", "stream"}, format: &openai, kind: plainKind},
	{path: []string{"responses", "create"}, format: &openai, kind: plainKind},
	{path: []string{"responses", "parse"}, format: &openai, kind: plainKind},
	{path: []string{"completions", "create"}, format: &openai, kind: promptKind},
	{path: []string{"litellm", "completion"}, format: &liteLLM, kind: plainKind},
	{path: []string{"litellm", "acompletion"}, format: &liteLLM, kind: plainKind},
	{path: []string{"make_sampler"}, format: &mlx, kind: plainKind, positions: []string{"temp", "top_p", "min_p", "min_tokens_to_keep", "top_k", "xtc_probability", "xtc_threshold", "xtc_special_tokens"}},
	{path: []string{"make_logits_processors"}, format: &mlx, kind: plainKind, positions: []string{"logit_bias", "repetition_penalty", "repetition_context_size"}},
}

// A found is a place in Python source that holds settings.
type found struct {
	format *Format
	kind   kind
	name   string // as the source calls it
	line   int
	from   int // its first token
	args   carrier.Object
	text   string
	joined bool // with a call that goes with it
}

// pythonSource reads call n, from 1, of those that hold settings; each other
// one is named as unread. ok is false where there is none.
func pythonSource(text string, n int) (s *source, ok bool, err error) {
	p := carrier.ReadPython(text)
	all := joinMLX(pyCallsOf(p))
	if len(all) == 0 {
		return nil, p.Open != nil, p.Open
	}
	if n > len(all) {
		return nil, true, tooFew(n, len(all), "call")
	}
	chosen := all[n-1]
	s = &source{format: chosen.format, kind: chosen.kind, entries: chosen.args, calls: len(all)}
	for i, f := range all {
		if i != n-1 {
			s.unread = append(s.unread, carrier.Unread{Line: f.line, Key: f.name, Text: f.text, Why: "another call, not read"})
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
			out[n-1].args = append(out[n-1].args, f.args...)
			out[n-1].joined = true
			continue
		}
		out = append(out, f)
	}
	return out
}

// pyCallsOf returns all places that hold settings, in the order of the source.
func pyCallsOf(p *carrier.Python) []found {
	pipelines := assignedFrom(p, "pipeline")
	var out, generates []found
	inside := -1 // the last token of a call that was taken: what it holds is part of it
	for i, t := range p.Tokens {
		if t.Kind != carrier.PyName || i <= inside || i > 0 && (p.Tokens[i-1].Text == "def" || p.Tokens[i-1].Text == "class") {
			continue
		}
		if i+1 >= len(p.Tokens) {
			break
		}
		if p.Tokens[i+1].Text == "=" && t.Text == "sampling_params" {
			if f, ok := dictNamed(p, i); ok {
				out = append(out, f)
			}
			continue
		}
		if p.Tokens[i+1].Text != "(" {
			continue
		}
		end := p.Closing(i + 1)
		path := dotted(p, i)
		if end < 0 {
			if _, ok := known(p, path); ok {
				p.Open = fmt.Errorf("line %d: the call of %s is never closed", t.Line, t.Text)
			}
			continue
		}
		real := slices.Clone(path)
		if name, ok := p.Aliases[real[len(real)-1]]; ok {
			real[len(real)-1] = name
		}
		f := found{name: strings.Join(path, "."), line: p.Tokens[i-len(path)*2+2].Line, from: i - len(path)*2 + 2, text: p.Source(i-len(path)*2+2, end+1)}
		switch c, ok := known(p, real); {
		case ok:
			f.format, f.kind, f.args = c.format, c.kind, p.Arguments(i+2, end, c.positions)
			out = append(out, f)
			inside = end
		case pipelines[t.Text] && len(path) == 1:
			f.format, f.args = &transformers, p.Arguments(i+2, end, nil)
			out = append(out, f)
		case t.Text == "generate" && i > 0 && p.Tokens[i-1].Text == ".":
			f.format, f.kind, f.args = &transformers, callKind, p.Arguments(i+2, end, nil)
			generates = append(generates, f)
		}
	}
	return withGenerates(out, generates)
}

// withGenerates adds the calls of generate that hold settings themselves. One
// that is only given a configuration read before, or that belongs to another
// engine, holds none.
func withGenerates(out, generates []found) []found {
	others := slices.ContainsFunc(out, func(f found) bool { return f.format != &transformers })
	if others {
		return out
	}
	for _, g := range generates {
		sets := slices.ContainsFunc(g.args, func(e carrier.Entry) bool {
			_, acts := transformers.acting(e.Key)
			return transformers.field(e.Key) != nil || acts
		})
		spread := slices.ContainsFunc(g.args, carrier.Entry.Spread)
		given := slices.ContainsFunc(g.args, func(e carrier.Entry) bool { return e.Key == "generation_config" })
		if sets || !given && (spread || len(out)+len(generates) == 1) {
			out = append(out, g)
		}
	}
	slices.SortStableFunc(out, func(a, b found) int { return a.from - b.from })
	return out
}

// dictNamed reads the dictionary that is assigned to or passed as
// sampling_params at token i.
func dictNamed(p *carrier.Python, i int) (found, bool) {
	end := i + 2
	for depth := 0; end < len(p.Tokens); end++ {
		t := p.Tokens[end]
		if t.Kind == carrier.PyOp && strings.ContainsAny(t.Text, "([{") {
			depth++
		} else if t.Kind == carrier.PyOp && strings.ContainsAny(t.Text, ")]}") {
			if depth--; depth < 0 {
				break
			}
		} else if depth == 0 && (t.Kind == carrier.PyNewline || t.Text == "," || t.Text == ";") {
			break
		}
	}
	if i+3 == end && p.Tokens[i+2].Text == p.Tokens[i].Text {
		return found{}, false // sampling_params=sampling_params
	}
	o, ok := p.Value(i+2, end, 0).(carrier.Object)
	if !ok {
		return found{}, false
	}
	format := &sglang
	if imports(p, "vllm") {
		format = &vllm
	}
	return found{format: format, kind: promptKind, name: p.Tokens[i].Text, line: p.Tokens[i].Line, from: i, args: o, text: p.Source(i, end)}, true
}

// dotted returns the names that lead to the one at token i, with dots between.
func dotted(p *carrier.Python, i int) []string {
	path := []string{p.Tokens[i].Text}
	for i >= 2 && p.Tokens[i-1].Text == "." && p.Tokens[i-2].Kind == carrier.PyName {
		i -= 2
		path = slices.Insert(path, 0, p.Tokens[i].Text)
	}
	return path
}

// known finds a call by how its path ends.
func known(p *carrier.Python, path []string) (pyCall, bool) {
	for _, c := range pyCalls {
		if len(path) >= len(c.path) && slices.Equal(path[len(path)-len(c.path):], c.path) {
			if c.format == &vllm && imports(p, "tensorrt_llm") {
				c.format = &tensorRT
			}
			return c, true
		}
	}
	last := path[len(path)-1]
	if len(path) == 1 && (last == "completion" || last == "acompletion") && imports(p, "litellm") {
		return pyCall{format: &liteLLM}, true
	}
	return pyCall{}, false
}

// imports reports whether the file imports a package or something of it.
func imports(p *carrier.Python, name string) bool {
	for i, t := range p.Tokens {
		if t.Kind == carrier.PyName && (t.Text == "import" || t.Text == "from") && i+1 < len(p.Tokens) && p.Tokens[i+1].Text == name {
			return true
		}
	}
	return false
}

// assignedFrom returns the names that are given what a call of fn returns.
func assignedFrom(p *carrier.Python, fn string) map[string]bool {
	out := map[string]bool{}
	for name, span := range p.Names {
		for i := span[0]; i+1 < span[1]; i++ {
			if p.Tokens[i].Kind != carrier.PyName || p.Tokens[i+1].Text == "." {
				if p.Tokens[i].Text == "." {
					continue
				}
				if p.Tokens[i].Kind != carrier.PyName {
					break
				}
				continue
			}
			if p.Tokens[i].Text == fn && p.Tokens[i+1].Text == "(" {
				out[name] = true
			}
			break
		}
	}
	return out
}
