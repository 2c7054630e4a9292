package row

// DrawRanked finds the entry at u in the cumulative distribution over the
// entries in rank order: descending probability, equal ones by ascending id.
// It returns the interval of the entry too.
func (r *Row) DrawRanked(u float64) (entry int, lo, hi float64) {
	r.Exps()
	target := u * r.Sum
	cum := 0.0
	// A likely token is among the best few; to look for more of them is
	// dearer than to narrow down.
	best := r.Best(64)
	for i, it := range best {
		next := cum + float64(r.E[it.I])
		if target < next || i == r.Finite-1 {
			return r.interval(int(it.I), cum, next, i == r.Finite-1)
		}
		cum = next
	}
	b := r.bracketAt(r.X[:r.N], r.E[:r.N], target)
	cum = b.mass
	for i, it := range b.items {
		next := cum + float64(r.E[it.I])
		last := b.count+i == r.Finite-1
		// Sums in another order may fall short of the target by rounding.
		if target < next || last || i == len(b.items)-1 {
			return r.interval(int(it.I), cum, next, last)
		}
		cum = next
	}
	return r.Argmax(), 0, 1
}

// interval turns sums of exponentials into the interval of an entry.
func (r *Row) interval(entry int, from, to float64, last bool) (_ int, lo, hi float64) {
	if hi = to / r.Sum; last || hi > 1 {
		hi = 1
	}
	return entry, from / r.Sum, hi
}
