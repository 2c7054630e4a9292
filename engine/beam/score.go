package beam

import (
	"math"

	"logitscope/engine/rows"
	"logitscope/sampling"
	"logitscope/sampling/simd"
)

// A scorer turns rows into scores. Its buffers are reused.
type scorer struct {
	slow     bool // never quick, for tests
	scratch  sampling.Scratch
	in, out  []float32
	reader   rows.Reader
	scores   []float64
	penalise map[int32]int // tokens earlier groups chose at this step
	dead     []dead        // beams of this step that nothing may follow
}

// A dead is a beam that nothing may follow, and why.
type dead struct {
	node *Node
	why  error
}

// A masker is asked which tokens may follow output: bit id%64 of word id/64
// set means allowed, nil means all. end says whether the text may end.
type masker = func(output []int32) (allowed []uint64, end bool, err error)

// score returns the scores of every token of r after the beam n: its
// log-probability after the processors, minus infinity where it may not come.
// The result aliases the scorer's buffer.
func (sc *scorer) score(s *Settings, r *rows.Row, prompt []int32, n *Node, mask masker) ([]float64, error) {
	v := len(r.Logits)
	sc.in = rows.Resize(sc.in, v)
	sc.out = rows.Resize(sc.out, v)
	sc.scores = rows.Resize(sc.scores, v)
	rounded := sc.in
	for i, l := range r.Logits {
		x := float64(l) - r.Norm
		sc.scores[i], rounded[i] = x, float32(x)
	}
	if s.Diversity > 0 && len(sc.penalise) > 0 {
		for i := range sc.scores {
			if c := sc.penalise[r.ID(i)]; c > 0 {
				sc.scores[i] -= s.Diversity * float64(c)
				rounded[i] = float32(sc.scores[i])
			}
		}
	}
	ok, err := sc.process(s, r, prompt, n, mask)
	if err != nil {
		return nil, err
	}
	if !ok {
		for i := range sc.scores {
			sc.scores[i] = math.Inf(-1)
		}
		return sc.scores, nil
	}
	for i, after := range sc.out {
		if after != sc.in[i] {
			// What a processor changed is taken over as a difference, so that
			// rounding to float32 touches only the change.
			sc.scores[i] += float64(after) - float64(sc.in[i])
		}
	}
	if s.Renormalise {
		renormalise(sc.scores)
	}
	return sc.scores, nil
}

// process runs sc.in through the pipeline into sc.out. It returns false if the
// constraint or a processor leaves nothing: then the beam ends, and the others
// go on.
func (sc *scorer) process(s *Settings, r *rows.Row, prompt []int32, n *Node, mask masker) (bool, error) {
	in := sampling.Input{IDs: r.IDs, Logits: sc.in, Rest: r.Rest, Prompt: prompt, Output: n.Tokens()}
	if mask != nil {
		var err error
		if in.Mask, in.MaskEOS, err = mask(in.Output); err != nil {
			return false, err
		}
	}
	apply := s.pipeline.Process
	if s.Sample {
		apply = s.pipeline.Warp
	}
	err := apply(sc.out, &sc.scratch, in)
	if sampling.IsDeadEnd(err) {
		sc.dead = append(sc.dead, dead{n, err})
		return false, nil
	}
	return err == nil, err
}

// quick reports whether the continuations of a beam can be found without
// scoring all of them: none is drawn, and none depends on the others.
func (s *Settings) quick() bool { return !s.Sample && !s.Renormalise && s.Diversity == 0 }

// offerQuick offers top the continuations of one beam that score would have
// offered, computing float64 scores only for those that come near.
func (sc *scorer) offerQuick(top *rows.Best, s *Settings, r *rows.Row, prompt []int32, b int, n *Node, mask masker) error {
	if mask == nil && !s.pipeline.Processes() {
		sc.offerRaw(top, r, b, n)
		return nil
	}
	sc.in, sc.out = rows.Resize(sc.in, len(r.Logits)), rows.Resize(sc.out, len(r.Logits))
	norm := float32(r.Norm)
	rounded := sc.in
	for i, l := range r.Logits {
		rounded[i] = l - norm
	}
	ok, err := sc.process(s, r, prompt, n, mask)
	if err != nil || !ok {
		return err
	}
	sum := n.sum()
	least := nearLogit(top.Floor() - sum)
	for i, after := range sc.out {
		if !(after >= least) {
			continue
		}
		x := float64(r.Logits[i]) - r.Norm
		if after != rounded[i] {
			x += float64(after) - float64(rounded[i])
		}
		if top.Offer(rows.Pick{Parent: b, Token: r.ID(i), Order: b*len(sc.out) + i, Logprob: x, Sum: sum + x}) {
			least = nearLogit(top.Floor() - sum)
		}
	}
	return nil
}

// offerRaw is offerQuick where nothing changes the logits.
func (sc *scorer) offerRaw(top *rows.Best, r *rows.Row, b int, n *Node) {
	sum := n.sum()
	least := nearLogit(top.Floor() - sum + r.Norm)
	for j, most := range r.Blocks {
		if !(most >= least) {
			continue
		}
		from := j * simd.Block
		for i, l := range r.Logits[from:min(from+simd.Block, len(r.Logits))] {
			if !(l >= least) {
				continue
			}
			x := float64(l) - r.Norm
			if top.Offer(rows.Pick{Parent: b, Token: r.ID(from + i), Order: b*len(r.Logits) + from + i, Logprob: x, Sum: sum + x}) {
				least = nearLogit(top.Floor() - sum + r.Norm)
			}
		}
	}
}

// nearLogit returns a float32 surely below x, and not by much; at least above
// what no possible token has.
func nearLogit(x float64) float32 {
	const slack = 1e-5
	return float32(max(x-slack*(1+math.Abs(x)), -maxSum))
}

func renormalise(x []float64) {
	top := math.Inf(-1)
	for _, v := range x {
		top = max(top, v)
	}
	if math.IsInf(top, -1) {
		return
	}
	var sum float64
	for _, v := range x {
		sum += math.Exp(v - top)
	}
	norm := top + math.Log(sum)
	for i := range x {
		x[i] -= norm
	}
}
