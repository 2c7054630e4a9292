package row

// Bury sets the logits of tokens outside a mask to -inf.
func (r *Row) Bury(mask []uint64) {
	r.List()
	r.dirty()
	for i, pos := range r.ix[:r.N] {
		if r.X[i] > negInf && !MaskHas(mask, r.ID(pos)) {
			r.X[i] = negInf
			r.Finite--
		}
	}
}

// MaskOf returns the mask of a set of tokens: bit id%64 of word id/64.
func MaskOf(ids []int32) []uint64 {
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

// MaskHas reports whether a mask has the bit of a token.
func MaskHas(mask []uint64, id int32) bool {
	return int(id)/64 < len(mask) && mask[id/64]>>(id%64)&1 != 0
}

// KeepMask keeps the tokens whose bit is set.
func (r *Row) KeepMask(mask []uint64) {
	r.List()
	r.Keep(func(i int) bool { return r.X[i] > negInf && MaskHas(mask, r.ID(r.ix[i])) })
}
