// Package schedule answers: which settings hold at this token? It says which
// settings hold at a token of a text: rules such as "after token 40: creative"
// change them on the way. Which rules hold follows from the number of tokens so
// far and from their text alone, so a step taken back, forked or looked at is
// made under the same settings again. The prompt does not count.
package schedule

import (
	"errors"
	"fmt"
	"math/bits"
	"strings"

	"logitscope/sampling"
)

// A Vocab says what tokens write.
type Vocab interface {
	Piece(id int32) string // a control token's name included: the marks of rules may be one
	Text(id int32) []byte  // what the token adds to the text
}

// A Schedule is the rules of one configuration. A nil Schedule changes
// nothing. It is immutable.
type Schedule struct {
	key   string // the rules, to tell whether two schedules are alike
	rules []rule
	vocab Vocab
}

// Presets finds the preset of a name; the error lists the names there are.
type Presets func(name string) (sampling.Config, error)

// Parse reads the rules of cfg, nil if it has none. The error names each rule
// that cannot be read, or whose settings cfg's order refuses. presets may be
// nil. A schedule read without a vocabulary, for a check alone, must not be
// asked for progress.
func Parse(cfg sampling.Config, presets Presets, v Vocab) (*Schedule, error) {
	sources := cfg.Strings("schedule")
	switch {
	case len(sources) == 0:
		return nil, nil
	case len(sources) > maxRules:
		return nil, fmt.Errorf("schedule: %d rules, at most %d are possible", len(sources), maxRules)
	}
	s := &Schedule{key: strings.Join(sources, "\x00"), vocab: v}
	var errs []error
	for i, source := range sources {
		r, err := parseRule(source, presets)
		if err == nil {
			err = r.over(cfg).Validate()
		}
		s.rules = append(s.rules, r)
		if err != nil {
			errs = append(errs, s.Wrap(i, err))
		}
	}
	if len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	return s, nil
}

// Len returns the number of rules.
func (s *Schedule) Len() int { return len(s.rules) }

// Wrap says of which rule err speaks, in one line.
func (s *Schedule) Wrap(i int, err error) error {
	return fmt.Errorf("schedule: rule %d (%s): %s", i+1, s.rules[i].source, strings.ReplaceAll(err.Error(), "\n", "; "))
}

// Over returns what the rules of a set make of cfg, one after another, and
// what that is called: the last preset named, else label, and whether values
// were set beside it.
func (s *Schedule) Over(set uint64, cfg sampling.Config, label string) (_ sampling.Config, name string, changed bool) {
	for left := set; left != 0; left &= left - 1 {
		r := &s.rules[bits.TrailingZeros64(left)]
		cfg = r.over(cfg)
		if r.hasPreset {
			label, changed = r.preset, false
		}
		changed = changed || len(r.set.Keys()) > 0
	}
	return cfg, label, changed
}

// Alone returns what rule i alone makes of cfg.
func (s *Schedule) Alone(i int, cfg sampling.Config) sampling.Config { return s.rules[i].over(cfg) }

// Sources returns the rules of a set as they were written.
func (s *Schedule) Sources(set uint64) []string {
	var out []string
	for left := set; left != 0; left &= left - 1 {
		out = append(out, s.rules[bits.TrailingZeros64(left)].source)
	}
	return out
}

// A Progress is how far a text has come under a schedule: what the choice of
// settings for the next token follows from. It is a value; its slice is shared
// and never changed.
type Progress struct {
	of     *Schedule // nil: there was none
	tokens int
	rules  []ruleProgress // of the rules that wait for a text; nil if there are none
	json   jsonState
}

// Of reports whether p is the progress under a schedule, and not under none.
func (p Progress) Of() *Schedule { return p.of }

// A ruleProgress is how far the text of one rule has come.
type ruleProgress struct {
	on   bool   // after its beginning and not after its end
	done bool   // after its end, and it begins no more
	tail string // the end of the text, where the mark it waits for may have begun
}

// Before returns the progress before a token whose text so far is output:
// last, that after the token before it, or, where that was made under another
// schedule, what the text says.
func (s *Schedule) Before(last Progress, output []int32) Progress {
	switch {
	case s == nil:
		return Progress{}
	case last.of != nil && last.of.key == s.key:
		last.of = s
		return last
	}
	return s.After(output)
}

// After returns the progress after output.
func (s *Schedule) After(output []int32) Progress {
	if s == nil {
		return Progress{}
	}
	p := Progress{of: s}
	for _, r := range s.rules {
		if r.until.text != "" || r.from.text != "" {
			p.rules = make([]ruleProgress, len(s.rules))
			for i := range s.rules {
				p.rules[i].on = s.rules[i].from == mark{}
			}
			break
		}
	}
	for _, id := range output {
		p = p.Accept(id)
	}
	return p
}

// Accept returns the progress after token id. The names of control tokens
// count as text for the marks of rules, not for JSON strings.
func (p Progress) Accept(id int32) Progress {
	if p.of == nil {
		return p
	}
	p.tokens++
	p.json = p.json.through(p.of.vocab.Text(id))
	if p.rules != nil {
		piece := p.of.vocab.Piece(id)
		next := make([]ruleProgress, len(p.rules))
		for i := range next {
			next[i] = p.of.rules[i].through(p.rules[i], p.tokens, piece)
		}
		p.rules = next
	}
	return p
}

// through returns the progress of r after a piece of text, which token number
// n wrote.
func (r *rule) through(s ruleProgress, n int, piece string) ruleProgress {
	if r.from.token > 0 && !s.done && n >= r.from.token {
		s.on = true
	}
	text := s.tail + piece
	for {
		want := ""
		if s.on {
			want = r.until.text
		} else if !s.done {
			want = r.from.text
		}
		if want == "" {
			s.tail = ""
			return s
		}
		i := strings.Index(text, want)
		if i < 0 {
			s.tail = strings.Clone(text[len(text)-min(len(text), len(want)-1):])
			return s
		}
		text = text[i+len(want):]
		if s.on = !s.on; !s.on && r.from.text == "" {
			s.done = true
		}
	}
}

// Holding returns the rules that hold for the next token: bit i is rule i.
func (p Progress) Holding() uint64 {
	if p.of == nil {
		return 0
	}
	var set uint64
	for i := range p.of.rules {
		r := &p.of.rules[i]
		s := ruleProgress{on: r.from == mark{}}
		if p.rules != nil {
			s = p.rules[i]
		}
		n := p.tokens + 1
		on := s.on || r.from.token > 0 && n >= r.from.token && !s.done
		switch {
		case !on, r.until.token > 0 && n >= r.until.token:
		case r.quotes == insideString && !p.json.inside(), r.quotes == outsideString && p.json.inside():
		default:
			set |= 1 << i
		}
	}
	return set
}

// A jsonState is where a text is in the strings of JSON.
type jsonState uint8

const (
	outsideJSON jsonState = iota
	inJSONString
	behindBackslash // in a string; the next character is not what it seems
)

func (j jsonState) inside() bool { return j != outsideJSON }

// through returns the state after text. A line end closes a string: JSON has
// none inside one, so a quotation mark that was never closed in prose before
// it does not turn inside out what follows.
func (j jsonState) through(text []byte) jsonState {
	for _, c := range text {
		switch {
		case c == '\n' || c == '\r':
			j = outsideJSON
		case j == behindBackslash:
			j = inJSONString
		case c == '\\' && j == inJSONString:
			j = behindBackslash
		case c == '"' && j == inJSONString:
			j = outsideJSON
		case c == '"':
			j = inJSONString
		}
	}
	return j
}
