package sampling

import "math"

// lastN returns the parts of prompt and output that the last n tokens of both
// fall in.
func lastN(prompt, output []int32, n int) ([]int32, []int32) {
	if n >= len(prompt)+len(output) {
		return prompt, output
	}
	if n <= len(output) {
		return nil, output[len(output)-n:]
	}
	return prompt[len(prompt)+len(output)-n:], output
}

// historyLen returns the number of tokens before this step.
func (r *step) historyLen() int { return len(r.in.Prompt) + len(r.in.Output) }

// token returns the i-th token of the history.
func (in *Input) token(i int) int32 {
	if i < len(in.Prompt) {
		return in.Prompt[i]
	}
	return in.Output[i-len(in.Prompt)]
}

// endsWith reports whether the tokens before this step end with seq.
func endsWith(prompt, output, seq []int32) bool {
	if len(seq) > len(prompt)+len(output) {
		return false
	}
	for k := 1; k <= len(seq); k++ {
		want := seq[len(seq)-k]
		if k <= len(output) {
			if output[len(output)-k] != want {
				return false
			}
		} else if prompt[len(prompt)-(k-len(output))] != want {
			return false
		}
	}
	return true
}

var negInf = float32(math.Inf(-1))

func log32(f float32) float32 { return float32(math.Log(float64(f))) }

func abs32(f float32) float32 { return float32(math.Abs(float64(f))) }
