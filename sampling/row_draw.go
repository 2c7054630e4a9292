package sampling

// drawRanked finds the entry at u in the cumulative distribution over the
// entries in rank order: descending probability, equal ones by ascending id.
// It returns the interval of the entry too.
func (r *row) drawRanked(u float64) (entry int, lo, hi float64) {
	r.exps()
	target := u * r.sum
	cum := 0.0
	// A likely token is among the best few; to look for more of them is
	// dearer than to narrow down.
	best := r.best(64)
	for i, it := range best {
		next := cum + float64(r.e[it.i])
		if target < next || i == r.nfin-1 {
			return r.interval(int(it.i), cum, next, i == r.nfin-1)
		}
		cum = next
	}
	b := r.bracketAt(r.x[:r.n], r.e[:r.n], target)
	cum = b.mass
	for i, it := range b.items {
		next := cum + float64(r.e[it.i])
		last := b.count+i == r.nfin-1
		// Sums in another order may fall short of the target by rounding.
		if target < next || last || i == len(b.items)-1 {
			return r.interval(int(it.i), cum, next, last)
		}
		cum = next
	}
	return r.argmax(), 0, 1
}

// interval turns sums of exponentials into the interval of an entry.
func (r *row) interval(entry int, from, to float64, last bool) (_ int, lo, hi float64) {
	if hi = to / r.sum; last || hi > 1 {
		hi = 1
	}
	return entry, from / r.sum, hi
}
