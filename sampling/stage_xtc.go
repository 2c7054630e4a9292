package sampling

// xtcArray removes the surest tokens but the least sure of them, by chance
// ("exclude top choices").
type xtcArray struct {
	probability, threshold float32
	keep                   int
	seed                   uint64
}

func (s xtcArray) apply(r *step) {
	if r.N < 2 {
		return
	}
	r.mt[1].Seek(seedMT(s.seed), r.state.XTCDraws)
	chance := r.mt[1].Float32()
	r.state.XTCDraws++
	if chance > s.probability {
		return
	}
	sum := r.ArraySoftmax(true)
	s.threshold = r.OfNamed(s.threshold)
	last := 0
	for i, e := range r.E[:r.N] {
		if e/sum < s.threshold {
			break
		}
		last = i
	}
	if last > 0 && r.N-last >= s.keep {
		r.DropFirst(last)
	}
}
