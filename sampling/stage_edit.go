package sampling

import (
	"fmt"
	"math"

	"logitscope/sampling/row"
	"logitscope/sampling/value"
)

// The stages of this file change or ban single tokens; penalties have their
// own file. Each looks up only the tokens it concerns.

// biasStage adds to the logits of tokens whose sequence the history leads up
// to. A bias of -Inf bans.
type biasStage struct {
	biases []value.TokenBias
	whole  bool // a sequence longer than the history has no effect, even where all that is written leads up to it
}

func (s *biasStage) apply(r *step) {
	for _, b := range s.biases {
		last := len(b.Tokens) - 1
		if last > 0 && (s.whole && last >= r.historyLen() || !endsWith(r.in.Prompt, r.in.Output, b.Tokens[:last])) {
			continue
		}
		if pos, ok := r.Position(b.Tokens[last]); ok {
			if i := r.Entry(pos); i >= 0 && r.X[i] > negInf {
				r.Set(i, r.X[i]+float32(b.Bias))
			}
		}
	}
}

// badWordsStage bans the last token of each sequence that the history leads
// up to.
type badWordsStage struct {
	words      [][]int32
	outputOnly bool // a sequence must lie in the output as far as it is written
	whole      bool // as of biasStage
}

func (s *badWordsStage) apply(r *step) {
	prompt := r.in.Prompt
	if s.outputOnly {
		prompt = nil
	}
	for _, w := range s.words {
		last := len(w) - 1
		if last == 0 || !(s.whole && last >= r.historyLen()) && endsWith(prompt, r.in.Output, w[:last]) {
			r.ban(w[last])
		}
	}
}

// ban sets the logit of a token to -inf.
func (r *step) ban(id int32) {
	if pos, ok := r.Position(id); ok {
		if i := r.Entry(pos); i >= 0 {
			r.Set(i, negInf)
		}
	}
}

// banStage bans tokens while active reports true.
type banStage struct {
	ids    []int32
	active func(in *Input) bool
}

func (s *banStage) apply(r *step) {
	if s.active(&r.in) {
		for _, id := range s.ids {
			r.ban(id)
		}
	}
}

// allowedStage removes every token that is not in a set.
type allowedStage struct {
	mask []uint64 // bit id%64 of word id/64: allowed
}

func (s *allowedStage) apply(r *step) { r.KeepMask(s.mask) }

// forceStage leaves only the given tokens while active reports true, each
// with logit 0, even if it was banned. The others stay in the row at -Inf.
type forceStage struct {
	ids    []int32
	active func(in *Input) bool
}

func (s *forceStage) apply(r *step) {
	if !s.active(&r.in) {
		return
	}
	r.Bury(row.MaskOf(s.ids))
	for _, id := range s.ids {
		if pos, ok := r.Position(id); ok {
			if i := r.Entry(pos); i >= 0 {
				r.Set(i, 0)
			}
		}
	}
}

// noRepeatNgram bans every token that would repeat n tokens in a row.
type noRepeatNgram int

func (n noRepeatNgram) apply(r *step) {
	in, total := &r.in, r.historyLen()
	k := int(n) - 1
	if total < int(n) {
		return
	}
	for end := k; end < total; end++ {
		same := true
		for j := 1; j <= k && same; j++ {
			same = in.token(end-j) == in.token(total-j)
		}
		if same {
			r.ban(in.token(end))
		}
	}
}

// decayStage makes the end more likely with every token past start: the end
// token's logit x becomes x + |x|·(factor^over - 1). Of a banned end that is
// NaN, as in transformers, unless it makes the end less likely.
type decayStage struct {
	eos    []int32
	start  int // tokens of output
	factor float64
}

func (s *decayStage) apply(r *step) {
	over := len(r.in.Output) - s.start
	if over <= 0 {
		return
	}
	grow := min(float32(math.Pow(s.factor, float64(over))-1), math.MaxFloat32)
	for _, id := range s.eos {
		pos, ok := r.Position(id)
		if !ok {
			continue
		}
		switch i := r.Entry(pos); {
		case i < 0:
		case r.X[i] > negInf:
			r.Set(i, min(r.X[i]+float32(float32(math.Abs(float64(r.X[i])))*grow), math.MaxFloat32))
		case grow >= 0:
			r.err = fmt.Errorf("end token %d is banned, and -Inf has no decay: %w", id, &InvalidLogitsError{NaN: 1, Of: r.N})
		}
	}
}
