package row

// A Seen is a token of the history and how often it occurs there.
type Seen struct {
	Pos   int32
	Count int32
}

// SeenTokens returns the distinct tokens of prompt and output that the row
// has, in order of their first occurrence. The result is valid until the next
// call.
func (r *Row) SeenTokens(prompt, output []int32) []Seen {
	index := grow(&r.seenIdx, len(r.Raw))
	list := r.seenBuf[:0]
	for _, tokens := range [2][]int32{prompt, output} {
		for _, id := range tokens {
			pos, ok := r.Position(id)
			if !ok {
				continue
			}
			// What index holds may be stale, so the entry has to point back.
			if k := index[pos]; int(k) < len(list) && k >= 0 && list[k].Pos == pos {
				list[k].Count++
				continue
			}
			index[pos] = int32(len(list))
			list = append(list, Seen{pos, 1})
		}
	}
	r.seenBuf = list
	return list
}
