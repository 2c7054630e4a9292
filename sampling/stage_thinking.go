package sampling

import (
	"slices"
	"unicode/utf8"
)

// A thinkingStage closes a block of thinking when its budget of tokens is used
// up: it forces the tokens that end it. What is to be forced follows from the
// tokens alone, so going back needs no state.
type thinkingStage struct {
	budget     int
	start, end []int32
	rule       thinkingRule
}

// A thinkingRule says which token a history forces next.
type thinkingRule interface {
	next(s *thinkingStage, prompt, output []int32) (id int32, ok bool)
	force(r *step, id int32)
}

func (s *thinkingStage) apply(r *step) {
	if id, ok := s.rule.next(s, r.in.Prompt, r.in.Output); ok {
		s.rule.force(r, id)
	}
}

// openAt returns where the block that a prompt leaves open begins, after its
// start, or -1.
func (s *thinkingStage) openAt(prompt []int32) int {
	at := lastOf(prompt, s.start)
	if at < 0 || lastOf(prompt[at:], s.end) >= 0 {
		return -1
	}
	return at
}

// lastOf returns where the tokens after the last occurrence of seq begin, or
// -1.
func lastOf(tokens, seq []int32) int {
	for at := len(tokens); at >= len(seq); at-- {
		if slices.Equal(tokens[at-len(seq):at], seq) {
			return at
		}
	}
	return -1
}

// thinkingVLLM is vLLM's rule: the tokens after the start count, those of the
// prompt too, and only the first block of the output has a budget.
type thinkingVLLM struct{}

func (thinkingVLLM) next(s *thinkingStage, prompt, output []int32) (int32, bool) {
	inside, done, count, forced := false, false, 0, 0
	if at := s.openAt(prompt); at >= 0 {
		inside, count = true, len(prompt)-at
	}
	for i := 0; ; i++ {
		if inside && forced == 0 && count >= s.budget {
			forced = 1
		}
		if i == len(output) {
			if forced > 0 {
				return s.end[forced-1], true
			}
			return 0, false
		}
		tail := output[:i+1]
		switch {
		case forced > 0:
			if forced++; forced > len(s.end) {
				inside, done, forced = false, true, 0
			}
		case inside:
			if count++; endsWith(nil, tail, s.end) {
				inside, done = false, true
			}
		case !done && endsWith(nil, tail, s.start):
			inside, count = true, 0
		}
	}
}

// force gives the token a logit that no other has.
func (thinkingVLLM) force(r *step, id int32) {
	if pos, ok := r.Position(id); ok {
		if i := r.Entry(pos); i >= 0 {
			r.Set(i, 1e9)
		}
	}
}

// thinkingLlama is llama.cpp's rule: every block has a budget of its own, a
// message may come before the end, and nothing is forced inside a character.
type thinkingLlama struct {
	message []int32
	whole   func(output []int32) bool // whether the output ends with a whole character
}

func (l thinkingLlama) next(s *thinkingStage, prompt, output []int32) (int32, bool) {
	force := slices.Concat(l.message, s.end)
	const (
		idle = iota
		counting
		waiting
		forcing
	)
	state, left, at := idle, 0, 0
	var start, end matched
	open := func() {
		if state, left, end = counting, s.budget, 0; left <= 0 {
			state, at = forcing, 0
		}
	}
	if s.openAt(prompt) >= 0 {
		open()
	}
	for i, id := range output {
		switch state {
		case idle:
			if start.takes(s.start, id) {
				open()
			}
		case counting:
			if end.takes(s.end, id) {
				state = idle
				continue
			}
			if left--; left > 0 {
				continue
			}
			if state, at = forcing, 0; !l.whole(output[:i+1]) {
				state = waiting
			}
		case waiting:
			if l.whole(output[:i+1]) {
				state, at = forcing, 0
			}
		case forcing:
			if at++; at == len(force) {
				state = idle
			}
		}
	}
	if state == forcing {
		return force[at], true
	}
	return 0, false
}

// force leaves the token alone.
func (thinkingLlama) force(r *step, id int32) {
	(&forceStage{[]int32{id}, func(*Input) bool { return true }}).apply(r)
}

// matched is how much of a sequence the last tokens have matched.
type matched int

// takes reports whether a token completes the sequence. One that does not fit
// may begin it anew, and nothing more.
func (m *matched) takes(seq []int32, id int32) bool {
	switch {
	case id == seq[*m]:
		*m++
	case id == seq[0]:
		*m = 1
	default:
		*m = 0
	}
	if int(*m) < len(seq) {
		return false
	}
	*m = 0
	return true
}

// endsWhole reports whether the output's text ends with a whole character.
func endsWhole(v Vocab, output []int32) bool {
	var b []byte
	for i := len(output) - 1; i >= 0 && len(b) < utf8.UTFMax; i-- {
		b = append([]byte(v.Piece(output[i])), b...)
	}
	for k := 1; k <= min(len(b), utf8.UTFMax); k++ {
		if c := b[len(b)-k]; utf8.RuneStart(c) {
			return utf8.FullRune(b[len(b)-k:])
		}
	}
	return true
}

// control returns the tokens of a text that a model may have as one token.
func (b *Builder) control(key string) []int32 {
	text := b.Text(key)
	if b.v != nil {
		for id := range int32(b.v.Size()) {
			if b.v.HasPiece(id) && b.v.Piece(id) == text {
				return []int32{id}
			}
		}
	}
	return b.encode(key, text)
}

func buildThinking(b *Builder) (Action, string) {
	s := b.thinking()
	if s == nil {
		return nil, ""
	}
	s.rule = thinkingVLLM{}
	return s, b.Format("thinking_budget")
}

func buildThinkingLlama(b *Builder) (Action, string) {
	s := b.thinking()
	if s == nil {
		return nil, ""
	}
	v := b.v
	l := thinkingLlama{whole: func(output []int32) bool { return endsWhole(v, output) }}
	if text := b.Text("thinking_message"); text != "" {
		l.message = b.encode("thinking_message", text)
	}
	s.rule = l
	return s, b.Format("thinking_budget")
}

// thinking returns the stage without its rule, nil if it is off.
func (b *Builder) thinking() *thinkingStage {
	n := b.Int("thinking_budget")
	if n < 0 {
		return nil
	}
	s := &thinkingStage{budget: n, start: b.control("thinking_start"), end: b.control("thinking_end")}
	if len(s.start) == 0 || len(s.end) == 0 {
		return nil
	}
	return s
}

var (
	thinkingDef = &Stage{Name: "thinking", Keys: []string{"thinking_budget", "thinking_start", "thinking_end"},
		Build: buildThinking}
	thinkingLlamaDef = &Stage{Name: "thinking", Keys: []string{"thinking_budget", "thinking_start", "thinking_end", "thinking_message"},
		Build: buildThinkingLlama}
	thinkingLabDef = &Stage{Name: "thinking",
		Keys: []string{"thinking_budget", "thinking_start", "thinking_end", "thinking_message", "thinking_rules"},
		Build: func(b *Builder) (Action, string) {
			if b.Text("thinking_rules") == "llama.cpp" {
				return buildThinkingLlama(b)
			}
			return buildThinking(b)
		}}
)
