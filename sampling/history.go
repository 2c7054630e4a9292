package sampling

// A seen is a token of the history and how often it occurs there.
type seen struct {
	pos   int32
	count int32
}

// seenTokens returns the distinct tokens of the last n tokens of prompt and
// output together, in order of their first occurrence; n < 0 means all. The
// result is valid until the next call.
func (r *row) seenTokens(prompt, output []int32, n int) []seen {
	if n >= 0 {
		prompt, output = lastN(prompt, output, n)
	}
	index := grow(&r.seenIdx, len(r.raw))
	list := r.seenBuf[:0]
	for _, tokens := range [2][]int32{prompt, output} {
		for _, id := range tokens {
			pos, ok := r.position(id)
			if !ok {
				continue
			}
			// What index holds may be stale, so the entry has to point back.
			if k := index[pos]; int(k) < len(list) && k >= 0 && list[k].pos == pos {
				list[k].count++
				continue
			}
			index[pos] = int32(len(list))
			list = append(list, seen{pos, 1})
		}
	}
	r.seenBuf = list
	return list
}

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
func (r *row) historyLen() int { return len(r.in.Prompt) + len(r.in.Output) }

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
