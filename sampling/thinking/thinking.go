// Package thinking answers: which token must come next, so that a block of thinking
// ends when its budget is used up? What is to be forced follows from the tokens
// alone, so going back needs no state.
package thinking

import (
	"slices"
	"unicode/utf8"
)

// A Block is thinking between two sequences of tokens, and how many tokens of it
// there may be. Neither sequence is empty.
type Block struct {
	Budget     int
	Start, End []int32
}

// openAt returns where the block that a prompt leaves open begins, after its
// start, or -1.
func (b *Block) openAt(prompt []int32) int {
	at := lastOf(prompt, b.Start)
	if at < 0 || lastOf(prompt[at:], b.End) >= 0 {
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

// VLLM is vLLM's rule: the tokens after the start count, those of the prompt too,
// and only the first block of the output has a budget.
func (b *Block) VLLM(prompt, output []int32) (id int32, ok bool) {
	inside, done, count, forced := false, false, 0, 0
	if at := b.openAt(prompt); at >= 0 {
		inside, count = true, len(prompt)-at
	}
	for i := 0; ; i++ {
		if inside && forced == 0 && count >= b.Budget {
			forced = 1
		}
		if i == len(output) {
			if forced > 0 {
				return b.End[forced-1], true
			}
			return 0, false
		}
		tail := output[:i+1]
		switch {
		case forced > 0:
			if forced++; forced > len(b.End) {
				inside, done, forced = false, true, 0
			}
		case inside:
			if count++; endsWith(tail, b.End) {
				inside, done = false, true
			}
		case !done && endsWith(tail, b.Start):
			inside, count = true, 0
		}
	}
}

// Llama is llama.cpp's rule: every block has a budget of its own, a message may
// come before the end, and nothing is forced inside a character: whole reports
// whether an output ends with a whole one.
func (b *Block) Llama(message []int32, whole func(output []int32) bool, prompt, output []int32) (id int32, ok bool) {
	force := slices.Concat(message, b.End)
	const (
		idle = iota
		counting
		waiting
		forcing
	)
	state, left, at := idle, 0, 0
	var start, end matched
	open := func() {
		if state, left, end = counting, b.Budget, 0; left <= 0 {
			state, at = forcing, 0
		}
	}
	if b.openAt(prompt) >= 0 {
		open()
	}
	for i, id := range output {
		switch state {
		case idle:
			if start.takes(b.Start, id) {
				open()
			}
		case counting:
			if end.takes(b.End, id) {
				state = idle
				continue
			}
			if left--; left > 0 {
				continue
			}
			if state, at = forcing, 0; !whole(output[:i+1]) {
				state = waiting
			}
		case waiting:
			if whole(output[:i+1]) {
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

// endsWith reports whether tokens end with seq.
func endsWith(tokens, seq []int32) bool {
	return len(tokens) >= len(seq) && slices.Equal(tokens[len(tokens)-len(seq):], seq)
}

// EndsWhole reports whether the output's text, the pieces of its tokens, ends with a
// whole character.
func EndsWhole(piece func(id int32) string, output []int32) bool {
	var b []byte
	for i := len(output) - 1; i >= 0 && len(b) < utf8.UTFMax; i-- {
		b = append([]byte(piece(output[i])), b...)
	}
	for k := 1; k <= min(len(b), utf8.UTFMax); k++ {
		if c := b[len(b)-k]; utf8.RuneStart(c) {
			return utf8.FullRune(b[len(b)-k:])
		}
	}
	return true
}
