package row

// A Seen is a token of the history and how often it occurs there.
type Seen struct {
	Pos   int32
	Count int32
}

// A seenOf is what tokens were counted in: those of the next history may only
// have come after them.
type seenOf struct {
	index          []int32 // by position, the place in list; may be stale
	list           []Seen
	prompt, output *int32
	prompts, n     int // tokens of each that were counted
	width          int
}

// SeenTokens returns the distinct tokens of prompt and output that the row
// has, in order of their first occurrence. The result is valid until the next
// call. If the history only grows, it goes on where it has counted to.
func (r *Row) SeenTokens(prompt, output []int32) []Seen {
	s := &r.seen[0]
	if len(prompt) == 0 {
		s = &r.seen[1]
	}
	index := grow(&s.index, len(r.Raw))
	from := 0
	switch {
	case !r.HistoryGrows:
		s.list, s.output = s.list[:0], nil
	case !s.before(r, prompt, output):
		s.list = s.list[:0]
	default:
		prompt, from = nil, s.n
	}
	for i, tokens := range [2][]int32{prompt, output} {
		if i == 1 {
			tokens = tokens[from:]
		}
		for _, id := range tokens {
			pos, ok := r.Position(id)
			if !ok {
				continue
			}
			// What index holds may be stale, so the entry has to point back.
			if k := index[pos]; int(k) < len(s.list) && k >= 0 && s.list[k].Pos == pos {
				s.list[k].Count++
				continue
			}
			index[pos] = int32(len(s.list))
			s.list = append(s.list, Seen{pos, 1})
		}
	}
	s.n = len(output)
	return s.list
}

// before reports whether what was counted is the beginning of a history, and
// notes the history if it is not.
func (s *seenOf) before(r *Row, prompt, output []int32) bool {
	same := r.base == nil && s.width == len(r.Raw) && s.prompts == len(prompt) && s.prompt == first(prompt) && s.output == first(output) && s.n <= len(output) && s.output != nil
	if !same {
		s.width, s.prompts, s.prompt, s.output = len(r.Raw), len(prompt), first(prompt), first(output)
	}
	return same
}

func first(tokens []int32) *int32 {
	if len(tokens) == 0 {
		return nil
	}
	return &tokens[0]
}
