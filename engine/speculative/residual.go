package speculative

import "slices"

// excess returns the residual distribution before it is normalised: max(w·p - q, 0)
// in p's order, without the tokens at which it is 0. A token that was refused
// is drawn again from it (Leviathan et al. 2023).
func excess(p, q *Law, w float64) Law {
	t := newIndex(q)
	var out Law
	for i, id := range p.IDs {
		if d := w*p.Probs[i] - t.prob(id); d > 0 {
			out.IDs = append(out.IDs, id)
			out.Probs = append(out.Probs, d)
		}
	}
	return out
}

// misaligned subtracts the i-th probability of q from the i-th of p, both by
// ascending token: what happens when two lists with different tokens cut from
// them are taken to be the same list.
func misaligned(p, q *Law) Law {
	a, b := byID(p), byID(q)
	var out Law
	for i, id := range a.IDs {
		d := a.Probs[i]
		if i < len(b.Probs) {
			d -= b.Probs[i]
		}
		if d > 0 {
			out.IDs = append(out.IDs, id)
			out.Probs = append(out.Probs, d)
		}
	}
	return out
}

func byID(l *Law) Law {
	order := make([]int, 0, len(l.IDs))
	for i := range l.IDs {
		if l.Probs[i] > 0 {
			order = append(order, i)
		}
	}
	slices.SortFunc(order, func(a, b int) int { return int(l.IDs[a]) - int(l.IDs[b]) })
	var out Law
	for _, i := range order {
		out.IDs = append(out.IDs, l.IDs[i])
		out.Probs = append(out.Probs, l.Probs[i])
	}
	return out
}
