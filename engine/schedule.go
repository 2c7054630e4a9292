package engine

import (
	"errors"
	"fmt"
	"math/bits"
	"strings"
	"sync"

	"logitscope/sampling"
)

// A schedule changes the settings inside a text: which of its rules hold at a
// token follows from the number of tokens before it and from their text alone,
// so a step taken back, forked or looked at is made under the same settings
// again. The prompt does not count. A nil schedule changes nothing.
type schedule struct {
	key     string // the rules, to tell whether two schedules are alike
	rules   []rule
	vocab   vocab
	base    sampling.Config
	label   string
	compile func(cfg sampling.Config, label string) (*Settings, error)

	mu   sync.Mutex
	made map[uint64]*Settings // by the rules that hold
}

// schedule compiles the rules of cfg, nil if there are none. Every rule is
// tried alone and all together with those before it.
func (c *Compiler) schedule(cfg sampling.Config, label string) (*schedule, error) {
	sources := cfg.Strings("schedule")
	if len(sources) == 0 {
		return nil, nil
	}
	rules, err := parseRules(cfg, c.Presets)
	if err != nil {
		return nil, err
	}
	s := &schedule{
		key: strings.Join(sources, "\x00"), rules: rules, vocab: c.vocab, base: cfg, label: label,
		compile: c.plain, made: make(map[uint64]*Settings),
	}
	for i := range rules {
		for _, set := range []uint64{1 << i, 1<<(i+1) - 1} {
			if _, err := s.settings(set); err != nil {
				return nil, ruleError(i, rules[i].source, err)
			}
		}
	}
	return s, nil
}

// parseRules reads the schedule of cfg.
func parseRules(cfg sampling.Config, presets func(string) (sampling.Config, error)) ([]rule, error) {
	sources := cfg.Strings("schedule")
	if len(sources) > maxRules {
		return nil, fmt.Errorf("schedule: %d rules, at most %d are possible", len(sources), maxRules)
	}
	if len(sources) == 0 {
		return nil, nil
	}
	if s := strategyOf(cfg); s != drawing {
		return nil, fmt.Errorf("schedule: %s keeps one set of settings; without a schedule, or with num_beams 1 and penalty_alpha 0", s)
	}
	var rules []rule
	var errs []error
	for i, source := range sources {
		r, err := parseRule(source, presets)
		if err == nil {
			err = r.over(cfg).Validate()
		}
		if err != nil {
			errs = append(errs, ruleError(i, source, err))
		}
		rules = append(rules, r)
	}
	return rules, errors.Join(errs...)
}

func ruleError(i int, source string, err error) error {
	return fmt.Errorf("schedule: rule %d (%s): %s", i+1, source, strings.ReplaceAll(err.Error(), "\n", "; "))
}

// CheckSchedule reports what is wrong with the schedule of cfg, without a
// model: a rule that cannot be read, or settings of one that cfg's order
// refuses. presets finds the preset of a name.
func CheckSchedule(cfg sampling.Config, presets func(string) (sampling.Config, error)) error {
	_, err := parseRules(cfg, presets)
	return err
}

// settings returns those under which the rules in set hold.
func (s *schedule) settings(set uint64) (*Settings, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if x, ok := s.made[set]; ok {
		return x, nil
	}
	cfg, label := s.base, s.label
	for left := set; left != 0; left &= left - 1 {
		r := &s.rules[bits.TrailingZeros64(left)]
		cfg = r.over(cfg)
		if r.hasPreset {
			label = r.preset
		}
		if len(r.set.Keys()) > 0 {
			label = strings.TrimSuffix(label, "*") + "*"
		}
	}
	x, err := s.compile(cfg, label)
	if err != nil {
		return nil, err
	}
	for left := set; left != 0; left &= left - 1 {
		x.holding = append(x.holding, s.rules[bits.TrailingZeros64(left)].source)
	}
	s.made[set] = x
	return x, nil
}

// A progress is how far a text has come under a schedule: what the choice of
// settings for the next token follows from. It is a value; its slice is shared
// and never changed.
type progress struct {
	of     *schedule // nil: there was none
	tokens int
	rules  []ruleProgress // of the rules that wait for a text; nil if there are none
	json   jsonState
}

// A ruleProgress is how far the text of one rule has come.
type ruleProgress struct {
	on   bool   // behind its beginning and not behind its end
	done bool   // behind its end, and it begins no more
	tail string // the end of the text, where the mark it waits for may have begun
}

// before returns the progress before the step of in: that behind the step
// before it, or, where that was made under another schedule, what the text
// says.
func (s *schedule) before(in stepInput) progress {
	if s == nil {
		return progress{}
	}
	if b := in.before; b != nil && b.progress.of != nil && b.progress.of.key == s.key {
		p := b.progress
		p.of = s
		return p
	}
	return s.after(in.output)
}

// after returns the progress behind output.
func (s *schedule) after(output []int32) progress {
	if s == nil {
		return progress{}
	}
	p := progress{of: s}
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
		p = p.accept(id)
	}
	return p
}

// accept returns the progress behind token id. The names of control tokens
// count as text for the marks of rules, not for JSON strings.
func (p progress) accept(id int32) progress {
	if p.of == nil {
		return p
	}
	p.tokens++
	p.json = p.json.through(appendPiece(nil, p.of.vocab.Vocab, id))
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

// through returns the progress of r behind a piece of text, which token number
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

// holding returns the rules that hold for the next token.
func (p progress) holding() uint64 {
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

// under returns the settings in force for the token behind p.
func (s *Settings) under(p progress) (*Settings, error) {
	set := p.holding()
	if s.schedule == nil || set == 0 {
		return s, nil
	}
	return s.schedule.settings(set)
}

// after returns the settings in force behind output, and the state of their
// constraint there. steps are those that wrote the first tokens of output.
func (s *Settings) after(steps []*Step, output []int32) (*Settings, constraintState, error) {
	last := previous(steps, len(steps))
	p := s.schedule.before(stepInput{output: output[:len(steps)], before: last})
	var c constraintState
	if last != nil {
		c = last.after
	}
	for i := len(steps); ; i++ {
		set, err := s.under(p)
		if err != nil {
			return nil, c, err
		}
		c = set.constraint.behind(c)
		if i == len(output) {
			return set, c, nil
		}
		c, p = c.accept(output[i], 0), p.accept(output[i])
	}
}

// maskAfter returns what the constraint allows behind output, where left
// tokens may still come; steps are as for after. A nil mask allows everything.
func (s *Settings) maskAfter(steps []*Step, output []int32, left int) (bits []uint64, end bool, err error) {
	_, c, err := s.after(steps, output)
	if err != nil || c.of == nil || c.broken {
		return nil, true, err
	}
	bits = make([]uint64, c.of.matcher.Vocab().Words())
	info := c.of.matcher.MaskWithin(c.state, bits, left)
	return bits, info.EOSAllowed, nil
}

// pipelineAfter returns the pipeline in force behind output; steps are as for
// after.
func (s *Settings) pipelineAfter(steps []*Step, output []int32) (*sampling.Pipeline, error) {
	set, _, err := s.after(steps, output)
	if err != nil {
		return nil, err
	}
	return set.Pipeline, nil
}

// Scheduled returns the rules of the schedule that are in force in s, the
// settings of a step. A value that one of them sets does not follow the
// settings the schedule belongs to.
func (s *Settings) Scheduled() []string { return s.holding }

// A jsonState is where a text is in the strings of JSON.
type jsonState uint8

const (
	outsideJSON jsonState = iota
	inJSONString
	behindBackslash // in a string; the next character is not what it seems
)

func (j jsonState) inside() bool { return j != outsideJSON }

// through returns the state behind text. A line end closes a string: JSON has
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
