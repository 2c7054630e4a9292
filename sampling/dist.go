package sampling

import (
	"slices"

	"logitscope/sampling/dist"
)

// Distribution computes the law that the next token is drawn from, without
// drawing. If no draw is made it is the one token. Engines that draw in
// another order (llama.cpp walks its array) have the same law. Where a
// constraint is checked after the draw, it is the law of both draws together.
//
// Where chance plays a part before the draw (XTC), it is the law after the
// chance that in.State gives.
func (p *Pipeline) Distribution(d *dist.Dist, s *Scratch, in Input) error {
	if in.Mask != nil && p.checkAfter {
		return p.checkedDistribution(d, s, in)
	}
	return p.distribution(d, s, in, true)
}

func (p *Pipeline) distribution(d *dist.Dist, s *Scratch, in Input, masked bool) error {
	if err := p.begin(&s.r, in); err != nil {
		return err
	}
	p.prepare(s, in)
	if err := p.run(s, nil, masked, p.stages); err != nil {
		return err
	}
	s.Final(d)
	return nil
}

// checkedDistribution is the law of a draw that is checked and, if refused,
// made again from the tokens allowed.
func (p *Pipeline) checkedDistribution(d *dist.Dist, s *Scratch, in Input) error {
	var first dist.Dist
	if err := p.distribution(&first, s, in, false); err != nil {
		return err
	}
	if err := p.distribution(d, s, in, true); err != nil {
		return err
	}
	d.Behind(&first, func(id int32) bool { return p.allows(&in, id) })
	return nil
}

// Final fills d with the distribution that the last call of a pipeline with s
// ended with. The input of that call must not have changed since.
func (s *Scratch) Final(d *dist.Dist) {
	r := &s.r
	r.Exps()
	items := r.Best(r.Finite)
	d.IDs, d.Probs = slices.Grow(d.IDs[:0], len(items)), slices.Grow(d.Probs[:0], len(items))
	for _, it := range items {
		d.IDs = append(d.IDs, r.ID(r.Pos(int(it.I))))
		d.Probs = append(d.Probs, float64(r.E[it.I])/r.Sum)
	}
}

// Array appends to dst the tokens of the array of candidates that the last
// call of a pipeline with s ended with, in the order of the array: where an
// engine has one, the order in which its draw walks. Tokens at -Inf that the
// engine leaves in it are included.
func (s *Scratch) Array(dst []int32) []int32 {
	s.r.SettleAll()
	for i := range s.r.N {
		dst = append(dst, s.r.ID(s.r.Pos(i)))
	}
	return dst
}

// Process applies what comes before the cuts (the constraint, biases, bans
// and penalties) to in.Logits and writes the row to dst, which must have its
// length: -Inf for what is banned. Beam search gives it log-probabilities.
func (p *Pipeline) Process(dst []float32, s *Scratch, in Input) error {
	return p.rewrite(dst, s, in, p.stages[:p.procs])
}

// Processes reports whether [Pipeline.Process] may change anything when the
// input has no mask: there is a bias, a ban or a penalty, or the vocabulary has
// ids without a piece.
func (p *Pipeline) Processes() bool { return p.procs > 0 || len(p.noPiece) > 0 }

// Warp applies every stage to in.Logits and writes the row to dst, which must
// have its length: -Inf for what is removed. Beam sampling draws from it.
func (p *Pipeline) Warp(dst []float32, s *Scratch, in Input) error {
	stages := p.stages
	if p.greedy {
		stages = stages[:len(stages)-1]
	}
	return p.rewrite(dst, s, in, stages)
}

func (p *Pipeline) rewrite(dst []float32, s *Scratch, in Input, stages []planned) error {
	r := &s.r
	if err := p.begin(r, in); err != nil {
		return err
	}
	p.prepare(s, in)
	if err := p.run(s, nil, true, stages); err != nil {
		return err
	}
	for i := range dst {
		dst[i] = negInf
	}
	for i, v := range r.X[:r.N] {
		pos := r.Pos(i)
		if in.IDs != nil {
			pos = int32(slices.Index(in.IDs, r.ID(pos)))
		}
		dst[pos] = v
	}
	return nil
}
