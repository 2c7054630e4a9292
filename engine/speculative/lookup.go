package speculative

import "slices"

// A Lookup proposes what followed an earlier occurrence of the last few
// tokens (prompt lookup decoding). It needs no model.
type Lookup struct {
	Rule     string // "transformers" or "vllm"
	Min, Max int    // tokens of the run looked for, 1 or more
}

// propose returns at most k tokens to follow tokens; none if nothing matches.
//
// The rule of transformers tries runs from Max tokens down to 1 and takes the
// leftmost place where the run stood before and something followed; it cuts
// the proposal before a token that ends the text. The rule of vLLM takes the
// longest run of Min to Max tokens that stood before, at its leftmost place.
func (l Lookup) propose(tokens []int32, k int, ends func(int32) bool) []int32 {
	if k <= 0 {
		return nil
	}
	if l.Rule == "vllm" {
		return l.longest(tokens, k)
	}
	for n := min(l.Max, len(tokens)-1); n >= 1; n-- {
		at := leftmost(tokens, n)
		if at < 0 {
			continue
		}
		out := tokens[at+n : min(at+n+k, len(tokens))]
		if i := slices.IndexFunc(out, ends); i >= 0 {
			out = out[:i]
		}
		return slices.Clone(out)
	}
	return nil
}

// proposeSeveral returns at most n different proposals: that of
// Lookup.propose, if there is one, and what followed other places where runs
// of the last tokens stood before, longer runs first, each run from the
// leftmost place on.
func (l Lookup) proposeSeveral(tokens []int32, k, n int, ends func(int32) bool) [][]int32 {
	first := l.propose(tokens, k, ends)
	if len(first) == 0 {
		return nil
	}
	out := [][]int32{first}
	least := 1
	if l.Rule == "vllm" {
		least = max(l.Min, 1)
	}
	for size := min(l.Max, len(tokens)-1); size >= least; size-- {
		run := tokens[len(tokens)-size:]
		for at := 0; at+size < len(tokens) && len(out) < n; at++ {
			if !slices.Equal(tokens[at:at+size], run) {
				continue
			}
			next := tokens[at+size : min(at+size+k, len(tokens))]
			if i := slices.IndexFunc(next, ends); i >= 0 && l.Rule != "vllm" {
				next = next[:i]
			}
			if len(next) > 0 && !slices.ContainsFunc(out, func(o []int32) bool { return slices.Equal(o, next) }) {
				out = append(out, slices.Clone(next))
			}
		}
	}
	return out
}

func (l Lookup) longest(tokens []int32, k int) []int32 {
	for n := min(l.Max, len(tokens)-1); n >= max(l.Min, 1); n-- {
		if at := leftmost(tokens, n); at >= 0 {
			return slices.Clone(tokens[at+n : min(at+n+k, len(tokens))])
		}
	}
	return nil
}

// leftmost returns the first index at which the last n tokens stood before,
// with at least one token after them; -1 if they did not.
func leftmost(tokens []int32, n int) int {
	run := tokens[len(tokens)-n:]
	for i := 0; i+n < len(tokens); i++ {
		if slices.Equal(tokens[i:i+n], run) {
			return i
		}
	}
	return -1
}
