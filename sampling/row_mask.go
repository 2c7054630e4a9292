package sampling

// bury sets the logits of tokens outside a mask to -inf.
func (r *row) bury(mask []uint64) {
	r.list()
	r.dirty()
	for i, pos := range r.ix[:r.n] {
		if r.x[i] > negInf && !maskHas(mask, r.id(pos)) {
			r.x[i] = negInf
			r.nfin--
		}
	}
}

func maskOf(ids []int32) []uint64 {
	var mask []uint64
	for _, id := range ids {
		if id < 0 {
			continue
		}
		for int(id)/64 >= len(mask) {
			mask = append(mask, 0)
		}
		mask[id/64] |= 1 << (id % 64)
	}
	return mask
}

func maskHas(mask []uint64, id int32) bool {
	return int(id)/64 < len(mask) && mask[id/64]>>(id%64)&1 != 0
}

// keepMask keeps the tokens whose bit is set.
func (r *row) keepMask(mask []uint64) {
	r.list()
	r.keep(func(i int) bool { return r.x[i] > negInf && maskHas(mask, r.id(r.ix[i])) })
}
