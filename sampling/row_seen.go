package sampling

// A seen is a token of the history and how often it occurs there.
type seen struct {
	pos   int32
	count int32
}

// seenTokens returns the distinct tokens of prompt and output that the row
// has, in order of their first occurrence. The result is valid until the next
// call.
func (r *row) seenTokens(prompt, output []int32) []seen {
	index := grow(&r.seenIdx, len(r.raw))
	list := r.seenBuf[:0]
	for _, tokens := range [2][]int32{prompt, output} {
		for _, id := range tokens {
			pos, ok := r.position(id)
			if !ok {
				continue
			}
			// What index holds may be stale, so the entry has to point back.
			if k := index[pos]; int(k) < len(list) && k >= 0 && list[k].pos == pos {
				list[k].count++
				continue
			}
			index[pos] = int32(len(list))
			list = append(list, seen{pos, 1})
		}
	}
	r.seenBuf = list
	return list
}
