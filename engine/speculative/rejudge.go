package speculative

import "logitscope/engine/several"

// A Judged is what is known of a round that was recorded.
type Judged struct {
	Algorithm Algorithm
	Tested    [][]int32 // the drafts judged at each place
	Drafts    []int     // how many there were at each; those not tested included
	Target    []Law     // the target's law before each emitted token
	Draft     []Law     // what was drafted from at each place; empty where drafts were chosen
	U         []float64 // that decided, in the order of the tests
	Final     float64   // that drew the last token
}

// JudgesAgain reports whether a round of the algorithm follows from what is
// known of it: one that is judged as a whole, or by other laws than those in
// force, does not.
func (a Algorithm) JudgesAgain() bool { return a == Exact || a.method().several != 0 }

// Again judges the round again. accept has the chance of each test; emitted is
// cut off where what is known ends, or does not fit.
func (j *Judged) Again() (accept []float64, emitted []int32) {
	rule := several.SpecInfer // of one draft it is the exact one
	if m := j.Algorithm.method(); m.several != 0 {
		rule = m.several
	}
	us := j.U
	for place, tested := range j.Tested {
		if place >= len(j.Target) || place >= len(j.Draft) || place >= len(j.Drafts) || len(tested) > len(us) || len(tested) > j.Drafts[place] {
			return accept, emitted
		}
		laws := j.lawsAt(place)
		p := &j.Target[place]
		sp := spaceOf(p, laws)
		plan := rule.Plan(sp.dense(p), sp.denseAll(laws))
		stands := -1
		for i, x := range tested {
			if int(x) >= len(sp.at) || x < 0 || sp.at[x] < 0 {
				return accept, emitted
			}
			a := plan.Accept(i, sp.at[x])
			accept = append(accept, a)
			if us[i] < a {
				stands = i
				break
			}
		}
		us = us[len(tested):]
		if stands >= 0 {
			emitted = append(emitted, tested[stands])
			continue
		}
		left := sp.sparse(plan.Left)
		x, _, _ := left.Draw(j.Final)
		return accept, append(emitted, x)
	}
	if n := len(j.Tested); n < len(j.Target) {
		x, _, _ := j.Target[n].Draw(j.Final)
		emitted = append(emitted, x)
	}
	return accept, emitted
}

// lawsAt are the laws of the drafts of a place. Drafts that were chosen and not
// tested took nothing away, and are left out.
func (j *Judged) lawsAt(place int) (laws []*Law) {
	if drawn := &j.Draft[place]; len(drawn.IDs) > 0 {
		for range j.Drafts[place] {
			laws = append(laws, drawn)
		}
		return laws
	}
	for _, x := range j.Tested[place] {
		l := point(x)
		laws = append(laws, &l)
	}
	return laws
}

// Usable reports whether l is a law over n tokens, as far as can be told.
func (l *Law) Usable(n int) bool {
	if len(l.IDs) != len(l.Probs) || len(l.IDs) > n {
		return false
	}
	seen := make(map[int32]bool, len(l.IDs))
	for i, id := range l.IDs {
		if id < 0 || int(id) >= n || seen[id] || !(l.Probs[i] >= 0 && l.Probs[i] <= 1) {
			return false
		}
		seen[id] = true
	}
	return true
}
