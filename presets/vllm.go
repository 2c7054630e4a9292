package presets

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"logitscope/sampling/constrain"
)

// vllm is the request JSON of a vLLM server, and SamplingParams(…) as Python
// writes it.
var vllm = Format{
	Name: "vllm", About: "request JSON or SamplingParams(…) of vLLM", Engine: "vllm", File: "vllm.json",
	limit: "SamplingParams and completions end after 16 tokens",
	fields: append(same("temperature", "top_p", "min_p", "repetition_penalty", "frequency_penalty", "presence_penalty", "stop_token_ids", "allowed_token_ids", "length_penalty"),
		field{theirs: "top_k", ours: "top_k", in: offBelowZero},
		field{theirs: "max_tokens", ours: "max_new_tokens", also: []string{"max_completion_tokens"}},
		field{theirs: "min_tokens", ours: "min_new_tokens"},
		field{theirs: "seed", ours: "seed", in: seedIn},
		field{theirs: "stop", ours: "stop", in: listOrOne},
		field{theirs: "logit_bias", ours: "logit_bias", in: pairsIn, out: biasMap},
		field{theirs: "bad_words", ours: "bad_words", in: listOrOne},
		field{theirs: "structured_outputs", ours: "constraint", in: notStructured, once: true},
		field{theirs: "structured_outputs.json", ours: "constraint", in: schemaIn, once: true, also: []string{"guided_json"}},
		field{theirs: "structured_outputs.regex", ours: "constraint", in: regexIn, once: true, also: []string{"guided_regex"}},
		field{theirs: "structured_outputs.choice", ours: "constraint", in: choiceIn, once: true, also: []string{"guided_choice"}},
		field{theirs: "structured_outputs.grammar", ours: "constraint", in: grammarIn, once: true, also: []string{"guided_grammar"}},
		field{theirs: "structured_outputs.json_object", ours: "constraint", in: jsonObjectIn, once: true, also: []string{"guided_json_object"}},
		field{theirs: "response_format", ours: "constraint", in: responseFormatIn, once: true},
		field{theirs: "beam_width", ours: "num_beams", once: true},
	),
	aside: []string{
		"model", "prompt", "messages", "stream", "stream_options", "n", "best_of", "logprobs", "top_logprobs", "prompt_logprobs", "echo", "suffix", "user", "ignore_eos", "detokenize",
		"skip_special_tokens", "spaces_between_special_tokens", "include_stop_str_in_output", "truncate_prompt_tokens", "add_special_tokens", "return_tokens_as_token_ids", "return_token_ids",
		"priority", "request_id", "output_kind", "extra_args", "logits_processors", "chat_template", "chat_template_kwargs", "add_generation_prompt", "continue_final_message", "tools", "tool_choice",
	},
	read: readVLLM, write: writeObject,
	greedy:     zeroTemperature,
	constraint: structuredOut,
}

// notStructured is for structured_outputs where they are no object; the members
// of one have fields of their own.
func notStructured(any) (any, error) { return nil, errors.New("must be an object") }

func jsonObjectIn(v any) (any, error) {
	switch v {
	case true:
		return jsonObject()
	case false:
		return nil, nil
	}
	return nil, errors.New("must be true or false")
}

func structuredOut(s constrain.Spec) (entry, string, error) {
	var member string
	var value any
	switch {
	case s.Type == "json" && s.Object:
		member, value = "json_object", true
	case s.Type == "json", s.Type == "json_schema":
		member, value = "json", schemaOf(s)
	case s.Type == "regex":
		member, value = "regex", s.Regex
	case s.Type == "choice":
		member, value = "choice", s.Choices
	case s.Type == "grammar":
		member, value = "grammar", s.Grammar
	default:
		return entry{}, "", fmt.Errorf("vllm takes a schema, a regex, choices or a grammar, not %s", s.Type)
	}
	return entry{key: "structured_outputs", value: map[string]any{member: value}}, "", nil
}

// readVLLM reads JSON, or the arguments of SamplingParams(…).
func readVLLM(data []byte) ([]entry, error) {
	text := string(data)
	read := func() ([]entry, error) { return readObject(data) }
	if i := strings.Index(text, "SamplingParams("); i >= 0 {
		p := &python{text: text[i+len("SamplingParams("):], line: 1 + strings.Count(text[:i], "\n")}
		read = func() ([]entry, error) { return p.args(0) }
	}
	members, err := read()
	if err != nil {
		return nil, err
	}
	return spread(members, "structured_outputs", "structured_outputs.")
}

// args reads key=value arguments up to the closing parenthesis. Values are
// Python literals: numbers, texts, True, False, None, lists and dicts; and
// calls with such arguments, which are read as dicts.
func (p *python) args(depth int) ([]entry, error) {
	var out []entry
	for {
		p.space()
		if p.eat(')') {
			return out, nil
		}
		key := p.word()
		p.space()
		if key == "" || !p.eat('=') {
			return nil, fmt.Errorf("line %d: name=value is wanted", p.line)
		}
		e := entry{key: key, line: p.line}
		var err error
		if e.value, err = p.value(depth); err != nil {
			return nil, fmt.Errorf("line %d: %s: %w", p.line, key, err)
		}
		out = append(out, e)
		p.space()
		if !p.eat(',') {
			p.space()
			if !p.eat(')') {
				return nil, fmt.Errorf("line %d: a comma or ) is wanted after %s", p.line, key)
			}
			return out, nil
		}
	}
}

// python reads Python literals.
type python struct {
	text string
	line int
}

func (p *python) space() {
	for p.text != "" && strings.ContainsRune(" \t\r\n", rune(p.text[0])) {
		if p.text[0] == '\n' {
			p.line++
		}
		p.text = p.text[1:]
	}
}

func (p *python) eat(c byte) bool {
	if p.text == "" || p.text[0] != c {
		return false
	}
	p.text = p.text[1:]
	return true
}

func (p *python) word() string {
	n := strings.IndexFunc(p.text, func(r rune) bool {
		return !(r == '_' || r == '.' || r == '-' || r == '+' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z')
	})
	if n < 0 {
		n = len(p.text)
	}
	w := p.text[:n]
	p.text = p.text[n:]
	return w
}

var pythonWords = map[string]any{"True": true, "False": false, "None": nil}

func (p *python) value(depth int) (any, error) {
	p.space()
	if depth > 20 {
		return nil, errors.New("nested too deep")
	}
	switch {
	case p.text == "":
		return nil, errors.New("a value is missing")
	case p.text[0] == '\'' || p.text[0] == '"':
		return p.quoted()
	case p.eat('['):
		return p.list(']', depth)
	case p.eat('('):
		return p.list(')', depth)
	case p.eat('{'):
		return p.dict(depth)
	}
	w := p.word()
	if v, ok := pythonWords[w]; ok {
		return v, nil
	}
	if p.eat('(') {
		members, err := p.args(depth + 1)
		return objectOf(members), err
	}
	if !json.Valid([]byte(strings.TrimSuffix(w, "."))) {
		return nil, fmt.Errorf("%q is no value that can be read", w)
	}
	return json.Number(strings.TrimSuffix(w, ".")), nil
}

func (p *python) quoted() (any, error) {
	q := p.text[0]
	var b strings.Builder
	for i := 1; i < len(p.text); i++ {
		switch c := p.text[i]; {
		case c == q:
			p.text = p.text[i+1:]
			return b.String(), nil
		case c == '\\' && i+1 < len(p.text):
			i++
			b.WriteString(pythonEscape(p.text[i]))
		case c == '\n':
			return nil, errors.New("a text is never closed")
		default:
			b.WriteByte(c)
		}
	}
	return nil, errors.New("a text is never closed")
}

func pythonEscape(c byte) string {
	switch c {
	case 'n':
		return "\n"
	case 't':
		return "\t"
	case 'r':
		return "\r"
	}
	return string(c)
}

func (p *python) list(end byte, depth int) (any, error) {
	out := []any{}
	for {
		p.space()
		if p.eat(end) {
			return out, nil
		}
		v, err := p.value(depth + 1)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
		p.space()
		if !p.eat(',') && !(p.text != "" && p.text[0] == end) {
			return nil, errors.New("a comma is missing")
		}
	}
}

func (p *python) dict(depth int) (any, error) {
	var out []entry
	for {
		p.space()
		if p.eat('}') {
			return objectOf(out), nil
		}
		k, err := p.value(depth + 1)
		if err != nil {
			return nil, err
		}
		p.space()
		if !p.eat(':') {
			return nil, errors.New("a colon is missing")
		}
		v, err := p.value(depth + 1)
		if err != nil {
			return nil, err
		}
		out = append(out, entry{key: fmt.Sprint(k), value: v})
		p.space()
		if !p.eat(',') && !(p.text != "" && p.text[0] == '}') {
			return nil, errors.New("a comma is missing")
		}
	}
}
