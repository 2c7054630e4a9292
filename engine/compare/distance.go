package compare

import (
	"logitscope/engine"
	"logitscope/sampling"
	"logitscope/sampling/dist"
)

// A Distance is how far apart two lanes are at one step, under their own
// settings and their own texts so far.
type Distance struct {
	TV     float64 // total variation, 0 to 1
	JS     float64 // Jensen-Shannon divergence, bits, 0 to 1
	Shared int     // tokens that survive in both
	Either int     // tokens that survive in one of them at least
}

// A Meter measures distances. It reuses its memory; the zero value is ready.
type Meter struct {
	scratch sampling.Scratch
	a, b    dist.Dist
}

// Between returns the distance between lanes a and b at step k, from 0; k =
// len(Steps) is the proposal. It returns an error where a row is no longer
// kept or there is no such step.
func (m *Meter) Between(a, b engine.View, k int) (Distance, error) {
	if err := m.law(&m.a, a, k); err != nil {
		return Distance{}, err
	}
	if err := m.law(&m.b, b, k); err != nil {
		return Distance{}, err
	}
	d := Distance{TV: dist.TotalVariation(&m.a, &m.b), JS: dist.JensenShannon(&m.a, &m.b)}
	d.Shared = shared(m.a.IDs, m.b.IDs)
	d.Either = len(m.a.IDs) + len(m.b.IDs) - d.Shared
	return d, nil
}

// law computes the final distribution of step k of v.
func (m *Meter) law(d *dist.Dist, v engine.View, k int) error {
	in, err := v.Input(k)
	if err != nil {
		return err
	}
	return v.Step(k).Settings.Pipeline.Distribution(d, &m.scratch, in)
}

func shared(a, b []int32) int {
	if len(a) > len(b) {
		a, b = b, a
	}
	in := make(map[int32]struct{}, len(a))
	for _, id := range a {
		in[id] = struct{}{}
	}
	n := 0
	for _, id := range b {
		if _, ok := in[id]; ok {
			n++
		}
	}
	return n
}
