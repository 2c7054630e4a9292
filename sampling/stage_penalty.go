package sampling

// penaltyStage is a repetition, frequency or presence penalty, or the three
// of them, on the tokens of the history.
type penaltyStage struct {
	repeat, freq, presence float32 // 1, 0, 0 are off
	outputOnly             bool    // counts the output alone
	window                 int     // last tokens counted; -1 for all
	rule                   repeatRule
}

// A repeatRule is how an engine applies a repetition penalty r to a logit x.
type repeatRule uint8

const (
	divideFromZero repeatRule = iota // x < 0: x·r, else x/r (transformers)
	divideAbove                      // x <= 0: x·r, else x/r (llama.cpp)
	byReciprocal                     // x > 0: x·(1/r), else x·r (vLLM)
)

func (s *penaltyStage) apply(r *step) {
	prompt := r.in.Prompt
	if s.outputOnly {
		prompt = nil
	}
	output := r.in.Output
	if s.window >= 0 {
		prompt, output = lastN(prompt, output, s.window)
	}
	for _, t := range r.SeenTokens(prompt, output) {
		if i := r.Entry(t.Pos); i >= 0 {
			r.Set(i, s.penalise(r.X[i], t.Count))
		}
	}
	if s.rule == divideAbove {
		r.Unsort()
	}
}

// penalise returns the logit of a token seen count times. The conversions
// keep the compiler from fusing the products into the sums.
func (s *penaltyStage) penalise(x float32, count int32) float32 {
	if s.repeat != 1 {
		switch s.rule {
		case divideFromZero:
			if x < 0 {
				x *= s.repeat
			} else {
				x /= s.repeat
			}
		case divideAbove:
			if x <= 0 {
				x *= s.repeat
			} else {
				x /= s.repeat
			}
		case byReciprocal:
			if x > 0 {
				x *= 1 / s.repeat
			} else {
				x *= s.repeat
			}
		}
	}
	if s.rule == divideAbove {
		return x - float32(float32(float32(count)*s.freq)+s.presence)
	}
	x -= float32(s.freq * float32(count))
	return x - s.presence
}
