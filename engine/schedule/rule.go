package schedule

import (
	"fmt"
	"strconv"
	"strings"

	"logitscope/sampling"
	"logitscope/sampling/param"
)

// A rule of a schedule is written WHEN: WHAT. WHEN is one of
//
//	at token 40                 from the 40th generated token on
//	before token 40             until the 39th
//	after "</think>"            once the text holds it, from the next token on
//	before "</think>"           until the text holds it
//	at token 10 until token 20  both; also until "x", and after "x" until …
//	inside a JSON string        after an opening quotation mark
//	outside a JSON string
//
// "from" is another word for at, "until" for before. A text after which a rule
// begins and one until which it lasts take turns, so that after "<think>" until
// "</think>" holds in every such pair. WHAT is a preset's name, key=value
// pairs, or both, separated by semicolons.
type rule struct {
	source      string
	from, until mark
	quotes      quotes
	preset      string // empty if none is named
	hasPreset   bool
	presetSet   sampling.Config // what the preset sets and a rule may
	set         sampling.Config // the key=value pairs
}

// A mark is a place in the text: before a token, or after a text. The zero
// value is not a place.
type mark struct {
	token int // from 1
	text  string
}

// quotes is what a rule asks of JSON strings.
type quotes uint8

const (
	anywhere quotes = iota
	insideString
	outsideString
)

const (
	whenForms = `at token N, before token N, after "TEXT", before "TEXT", inside a JSON string, outside a JSON string; at and after may be followed by until token N or until "TEXT"`
	whatForms = "a preset, or key=value pairs separated by semicolons"
)

// maxRules is how many rules a schedule may have: a set of them is the bits of
// a word.
const maxRules = 64

// parseRule reads a rule. presets finds the preset of a name; it may be nil.
func parseRule(source string, presets func(string) (sampling.Config, error)) (rule, error) {
	r := rule{source: source}
	p := ruleReader{rest: source}
	if err := p.when(&r); err != nil {
		return r, err
	}
	p.space()
	if !strings.HasPrefix(p.rest, ":") {
		return r, fmt.Errorf("want a colon before %s", p.next())
	}
	return r, r.what(p.rest[1:], presets)
}

// A ruleReader reads the WHEN of a rule, word by word.
type ruleReader struct{ rest string }

func (p *ruleReader) space() { p.rest = strings.TrimLeft(p.rest, " \t") }

// word takes the next word if it is one of words, whatever its case.
func (p *ruleReader) word(words ...string) string {
	p.space()
	n := 0
	for n < len(p.rest) && (p.rest[n]|0x20 >= 'a' && p.rest[n]|0x20 <= 'z') {
		n++
	}
	for _, w := range words {
		if strings.EqualFold(p.rest[:n], w) {
			p.rest = p.rest[n:]
			return w
		}
	}
	return ""
}

// next names what stands next, for errors.
func (p *ruleReader) next() string {
	p.space()
	if p.rest == "" {
		return "the end of the rule"
	}
	word, _, _ := strings.Cut(p.rest, " ")
	return strconv.Quote(word)
}

func (p *ruleReader) when(r *rule) error {
	var err error
	switch w := p.word("at", "from", "after", "before", "until", "inside", "outside"); w {
	case "at", "from":
		if p.word("token") == "" {
			return fmt.Errorf("%s is followed by token N, not by %s", w, p.next())
		}
		r.from.token, err = p.number()
	case "after":
		if r.from, err = p.mark(w); r.from.token > 0 {
			r.from.token++
		}
	case "before", "until":
		r.until, err = p.mark(w)
		return err
	case "inside", "outside":
		r.quotes = insideString
		if w == "outside" {
			r.quotes = outsideString
		}
		p.word("a", "any")
		if p.word("json") == "" || p.word("string", "strings") == "" {
			return fmt.Errorf("%s is followed by a JSON string, not by %s", w, p.next())
		}
		return nil
	default:
		return fmt.Errorf("%s: %s", p.next(), whenForms)
	}
	if err != nil {
		return err
	}
	if w := p.word("until", "before"); w != "" {
		if r.until, err = p.mark(w); err != nil {
			return err
		}
		if r.until.token > 0 && r.until.token <= r.from.token {
			return fmt.Errorf("until token %d is not after token %d", r.until.token, r.from.token)
		}
	}
	return nil
}

// mark reads token N or a text in quotation marks.
func (p *ruleReader) mark(after string) (mark, error) {
	if p.word("token") != "" {
		n, err := p.number()
		return mark{token: n}, err
	}
	p.space()
	quoted, err := strconv.QuotedPrefix(p.rest)
	if err != nil || quoted[0] == '\'' {
		return mark{}, fmt.Errorf(`%s is followed by token N or a text in double quotation marks, not by %s`, after, p.next())
	}
	p.rest = p.rest[len(quoted):]
	text, err := strconv.Unquote(quoted)
	if err != nil || text == "" {
		return mark{}, fmt.Errorf("%s: the text must not be empty", quoted)
	}
	return mark{text: text}, nil
}

func (p *ruleReader) number() (int, error) {
	p.space()
	n := 0
	for n < len(p.rest) && p.rest[n] >= '0' && p.rest[n] <= '9' {
		n++
	}
	v, err := strconv.ParseInt(p.rest[:n], 10, 32)
	if err != nil || v < 1 {
		return 0, fmt.Errorf("token %s: must be a number from 1", p.next())
	}
	p.rest = p.rest[n:]
	return int(v), nil
}

// what reads the settings of a rule.
func (r *rule) what(text string, presets func(string) (sampling.Config, error)) error {
	parts := splitPairs(text)
	if name := strings.TrimSpace(parts[0]); !strings.Contains(name, "=") {
		if name == "" {
			return fmt.Errorf("nothing after the colon; %s", whatForms)
		}
		if presets == nil {
			return fmt.Errorf("%s: no presets are known here; key=value pairs are", name)
		}
		cfg, err := presets(name)
		if err != nil {
			return err
		}
		r.preset, r.hasPreset = name, true
		for _, key := range cfg.Keys() {
			if p, _ := param.Lookup(key); !ofWholeText(p) {
				s, _ := cfg.Lookup(key)
				r.presetSet = r.presetSet.MustWith(key, s.Value, sampling.FromPreset)
			}
		}
		parts = parts[1:]
	}
	for _, part := range parts {
		if strings.TrimSpace(part) == "" {
			continue
		}
		key, value, ok := strings.Cut(part, "=")
		if key = strings.TrimSpace(key); !ok {
			return fmt.Errorf("%s: want key=value; a preset comes first", strings.TrimSpace(part))
		}
		if err := r.assign(key, strings.TrimSpace(value)); err != nil {
			return err
		}
	}
	return nil
}

func (r *rule) assign(key, value string) error {
	p, ok := param.Lookup(key)
	if !ok {
		_, err := sampling.Config{}.With(key, value, sampling.FromFile)
		return err
	}
	if ofWholeText(p) {
		return fmt.Errorf("%s: holds for a whole text, and cannot change inside one", key)
	}
	v, err := p.Parse(value)
	if err == nil {
		r.set, err = r.set.With(key, v, sampling.FromFile)
	}
	return err
}

// splitPairs splits at semicolons that a key=value pair follows, so that a
// value may hold semicolons itself.
func splitPairs(text string) []string {
	var out []string
	for i, part := range strings.Split(text, ";") {
		key, _, pair := strings.Cut(part, "=")
		pair = pair && isWord(strings.TrimSpace(key))
		if i > 0 && !pair && strings.TrimSpace(part) != "" && holdsSemicolons(out[len(out)-1]) {
			out[len(out)-1] += ";" + part
			continue
		}
		out = append(out, part)
	}
	return out
}

// holdsSemicolons reports whether the value of a pair may.
func holdsSemicolons(pair string) bool {
	key, _, _ := strings.Cut(pair, "=")
	p, ok := param.Lookup(strings.TrimSpace(key))
	return ok && (p.Kind >= param.Text || p.Key == "order")
}

func isWord(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return r != '_' && (r < 'a' || r > 'z') && (r < '0' || r > '9')
	})
}

// ofWholeText reports whether a parameter holds for a text as a whole: how it
// ends, and the strategies that write it.
func ofWholeText(p *param.Param) bool {
	switch p.Key {
	case "stop", "max_new_tokens", "max_length", "eos_token_id", "stop_token_ids", "penalty_alpha", "schedule":
		return true
	}
	return p.Group == param.Beam || p.Group == param.Speculative
}

// over returns what r makes of settings: a preset takes the place of whatever
// shapes the distribution, pairs that of what they name.
func (r *rule) over(cfg sampling.Config) sampling.Config {
	if r.hasPreset {
		for _, key := range cfg.Keys() {
			if p, _ := param.Lookup(key); ofPreset(p) {
				cfg = cfg.Without(key)
			}
		}
		cfg = cfg.Merge(r.presetSet)
	}
	return cfg.Merge(r.set)
}

// ofPreset reports whether a preset decides a parameter whether it names it or
// not: those that shape the distribution.
func ofPreset(p *param.Param) bool {
	switch p.Key {
	case "logit_bias", "bad_words":
		return false
	}
	return (p.Group == param.Sampling || p.Group == param.Penalty) && !ofWholeText(p)
}
