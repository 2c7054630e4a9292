package automaton

import (
	"slices"
	"time"

	"logitscope/sampling/constrain/lang"
	"logitscope/sampling/constrain/program"
)

// Completion within a budget. Behind every state lies its nearest completion:
// go on with the smallest byte that lowers the distance. The fewest tokens
// that spell it, its cost, can be had one token at a time: after the first of
// them the nearest completion is the rest of it, and its cost one less. So a
// text whose cost is within the budget stays so if every token leads to a
// state whose cost is within what is left. Only where no token does, another
// completion of fewer tokens is looked for by search.
type budgetSearch struct {
	m     *Matcher
	steps map[int32]nearStep // the first step of the nearest completion
	cost  map[int32]int32    // fewest tokens that spell it
	found map[int32]int32    // a number of tokens that is known to be enough
	short map[int32]int32    // a number that is known not to be
	ends  map[int32]bool     // whether any tokens complete the text at all
	left  int                // tokens the search may still look at
	vain  int                // searches in a row that found nothing
}

// A search looks at the tokens of about maxExpanded masks, within bounds.
const (
	maxExpanded = 32
	minSearch   = 50_000
	maxSearch   = 1_000_000
)

// begin starts a search. After searches in vain the next look at less, since
// mostly they are after each other and the budget is too small for all.
func (b *budgetSearch) begin() {
	b.left = min(max(maxExpanded*b.m.v.size, minSearch), maxSearch) >> min(b.vain, maxVain)
}

// maxVain bounds how often the tokens of a search are halved.
const maxVain = 6

// end notes whether a search found anything.
func (b *budgetSearch) end(found bool) {
	if b.vain++; found {
		b.vain = 0
	}
}

func newBudgetSearch(m *Matcher) budgetSearch {
	return budgetSearch{m: m, steps: map[int32]nearStep{}, cost: map[int32]int32{}, found: map[int32]int32{}, short: map[int32]int32{}, ends: map[int32]bool{}}
}

// maxNearest bounds the bytes of a completion that is followed. A longer one
// counts as a token for each of its bytes.
const maxNearest = 1 << 17

// A nearStep is the first byte of the nearest completion and the state after.
type nearStep struct {
	b  byte
	to int32
}

// step is the first step of the nearest completion of a state that is not
// complete. ok is false if the way ends.
func (b *budgetSearch) step(id int32) (s nearStep, ok bool) {
	if s, ok := b.steps[id]; ok {
		return s, s.to != lang.Dead
	}
	s.to = lang.Dead
	if c, ok := b.m.a.nearestByte(id); ok {
		s = nearStep{c, b.m.a.step(id, c)}
	}
	b.steps[id] = s
	return s, s.to != lang.Dead
}

// nearestByte is the smallest byte by which the item nearest to completion
// gets nearer.
func (a *automaton) nearestByte(id int32) (byte, bool) {
	st := a.states.at(id)
	for _, it := range st.items {
		if a.itemDist(it) != st.dist {
			continue
		}
		if it.at < 0 {
			if b, ok := a.nearestStringByte(&a.strings[^it.at]); ok {
				return b, true
			}
			continue
		}
		for _, e := range a.p.EdgesOf(&a.p.Nodes[it.at]) {
			if a.p.Dist[e.To] < a.p.Dist[it.at] {
				return e.Lo, true
			}
		}
	}
	return 0, false
}

func (a *automaton) nearestStringByte(place *stringPlace) (byte, bool) {
	s := a.p.Strs[place.Str]
	if s.Bare && s.Closes(place.StringState) && a.repeats(place.StringState) == s.Among {
		return 0, false // what follows is an item of its own
	}
	if s.Closes(place.StringState) && lang.HasByte(&place.live, '"') {
		return '"', true
	}
	best, found := byte(0), lang.Unreachable
	for b := 0; b < 256 && found > place.dist-1; b++ { // no byte gets nearer by more than one
		if !lang.HasByte(&place.live, byte(b)) || b == '"' && place.Esc == 0 {
			continue
		}
		if d := a.distAfter(place, byte(b)); d < found {
			best, found = byte(b), d
		}
	}
	return best, found < lang.Unreachable
}

// distAfter is the distance of a text after a byte.
func (a *automaton) distAfter(place *stringPlace, b byte) int32 {
	s := a.p.Strs[place.Str]
	next, ok := s.Step(place.StringState, b)
	switch {
	case !ok:
		return lang.Unreachable
	case place.Text == 0 || next.Esc != 0:
		return s.Distance(next)
	}
	next = a.read(place.StringState, next, b)
	taken := a.matching(next)
	switch {
	case s.Among:
		d := lang.Unreachable
		for _, w := range taken {
			d = min(d, int32(len(w)-len(a.textOf(next))))
		}
		return d
	case s.Bare && a.repeats(next):
		return s.Distance(next) + 1
	case s.Bare || len(taken) == 0:
		return s.Distance(next)
	}
	d, _ := s.NearestFree(next, a.textOf(next), taken)
	return d
}

// costOf is the fewest tokens that spell the nearest completion, or
// unreachable if the vocabulary cannot spell it.
func (b *budgetSearch) costOf(id int32) int32 {
	if c, ok := b.cost[id]; ok {
		return c
	}
	if d := b.m.a.states.at(id).dist; d > maxNearest {
		return d
	}
	path, text, ok := b.ahead(id)
	if !ok {
		b.cost[id] = lang.Unreachable
		return lang.Unreachable
	}
	best := make([]int32, len(text)+1)
	for i, s := range path[:len(text)+1] {
		if c, known := b.cost[s]; known {
			best[i] = c
		}
	}
	for i := len(text) - 1; i >= 0; i-- {
		if _, known := b.cost[path[i]]; known {
			continue
		}
		best[i] = lang.Unreachable
		b.m.v.trie.prefixes(text[i:], func(n int) { best[i] = min(best[i], lang.Add32(1, best[i+n])) })
		b.cost[path[i]] = best[i]
	}
	return best[0]
}

// tooFar reports whether not even the longest tokens complete a text in n.
func (b *budgetSearch) tooFar(id, n int32) bool {
	return int64(b.m.a.states.at(id).dist) > int64(n)*int64(b.m.v.longest)
}

// costWithin is costOf where that could be more than n or not. Where it surely
// is, the cost is unreachable; where it surely is not, the distance stands for
// it: a token for each byte.
func (b *budgetSearch) costWithin(id, n int32) int32 {
	d := b.m.a.states.at(id).dist
	switch {
	case b.tooFar(id, n):
		return lang.Unreachable
	case b.m.covered && d <= n && lang.Add32(d, b.m.g.prog.Slack) <= n:
		return d
	}
	return b.costOf(id)
}

// ahead follows the nearest completion until a token from a state whose cost is
// not known cannot reach any further. path[i] is the state before text[i].
func (b *budgetSearch) ahead(id int32) (path []int32, text []byte, ok bool) {
	limit := int(b.m.a.states.at(id).dist) + program.MaxDetour
	known := 0 // states in a row whose cost is known
	path = append(path, id)
	for b.m.a.states.at(id).dist > 0 && known <= b.m.v.longest {
		s, ok := b.step(id)
		if !ok || len(text) > limit {
			return nil, nil, false
		}
		id = s.to
		path, text = append(path, id), append(text, s.b)
		if _, ok := b.cost[id]; ok {
			known++
		} else {
			known = 0
		}
	}
	if b.m.a.states.at(id).dist == 0 {
		b.cost[id] = 0
	}
	return path, text, true
}

// within reports whether n tokens or fewer can complete the text at id.
func (b *budgetSearch) within(id, n int32) bool {
	d := b.m.a.states.at(id).dist
	switch {
	case d == 0:
		return true
	case n <= 0 || b.tooFar(id, n):
		return false
	case b.costOf(id) <= n:
		return true
	}
	if f, ok := b.found[id]; ok && f <= n {
		return true
	}
	if s, ok := b.short[id]; ok && s >= n || b.left <= 0 {
		return false
	}
	for _, to := range b.successors(id) {
		if b.within(to, n-1) {
			b.found[id] = n
			return true
		}
		if b.left <= 0 {
			return false // not known: nothing is remembered
		}
	}
	b.short[id] = n
	return false
}

// successors returns the different states after the allowed tokens of id,
// nearest to completion first.
func (b *budgetSearch) successors(id int32) []int32 {
	e := b.m.memo.get(id)
	if e == nil {
		e, _ = b.m.compute(id)
	}
	seen := map[int32]bool{}
	var out []int32
	b.left--
	e.collect(b.m.v.Words(), func(t int32) {
		b.left--
		to, n := b.m.run(id, b.m.v.pieces[t])
		if n == len(b.m.v.pieces[t]) && !seen[to] {
			seen[to] = true
			out = append(out, to)
		}
	})
	slices.SortFunc(out, func(x, y int32) int {
		if d := int(b.m.a.states.at(x).dist) - int(b.m.a.states.at(y).dist); d != 0 {
			return d
		}
		return int(x) - int(y)
	})
	return out
}

// canEnd reports whether any tokens complete the text at id. It matters only
// for vocabularies that lack bytes of the grammar. A search too long to finish
// counts as yes.
func (b *budgetSearch) canEnd(id int32) bool {
	if b.costOf(id) < lang.Unreachable {
		return true
	}
	if known, ok := b.ends[id]; ok {
		return known
	}
	b.begin()
	visited := map[int32]bool{id: true}
	queue := []int32{id}
	for len(queue) > 0 {
		s := queue[0]
		queue = queue[1:]
		for _, to := range b.successors(s) {
			if b.costOf(to) < lang.Unreachable || b.ends[to] {
				b.ends[id] = true
				return true
			}
			if known, ok := b.ends[to]; !visited[to] && !(ok && !known) {
				visited[to] = true
				queue = append(queue, to)
			}
		}
		if b.left <= 0 {
			return true
		}
	}
	for s := range visited {
		b.ends[s] = false
	}
	return false
}

// MaskWithin is [Matcher.Mask] for a text of which at most budget more tokens
// may come, end tokens not counted. Near the limit it takes away the tokens
// after which the text could no longer be completed in time, and says so in
// MaskInfo.Closing and Refused. If the text can be completed within the budget
// at s, it can after every token allowed; so a text that starts out possible
// is complete when the budget is spent. The search for a completion of fewer
// tokens than the nearest one needs is bounded, so on very large grammars a
// budget that is nearly too small may count as too small.
//
// If no completion fits, the mask keeps the tokens that lead nearest to one,
// with MaskInfo.Closing set.
func (m *Matcher) MaskWithin(s State, dst []uint64, budget int) MaskInfo {
	began := time.Now()
	m.mu.Lock()
	defer m.mu.Unlock()
	if s.id <= 0 {
		return m.endMask(s, dst, began)
	}
	id := s.id - 1
	e, layer := m.lookup(id)
	left := int32(min(max(budget, 0), int(lang.Unreachable)-1)) - 1
	info := m.answer(s, e, layer, dst, began)
	if m.covered && lang.Add32(e.farthest, m.g.prog.Slack) <= left || info.Allowed == 0 {
		return info
	}
	all := info.Allowed
	info = m.answer(s, m.closing(id, e, left), layer, dst, began)
	info.Refused = all - info.Allowed
	info.Closing = info.Refused > 0
	info.Took = time.Since(began)
	return info
}

// closing returns the tokens after which the text can still be completed
// within left tokens.
func (m *Matcher) closing(id int32, e *maskEntry, left int32) *maskEntry {
	if left < 0 {
		return &maskEntry{}
	}
	out := &sink{}
	form := m.plainFormOf(id)
	nearest, nearestTokens := [2]int32{lang.Unreachable, lang.Unreachable}, []int32(nil)
	e.collect(m.v.Words(), func(t int32) {
		to := m.after(id, form, t)
		cost := m.budget.costWithin(to, left)
		if cost <= left {
			out.ids = append(out.ids, t)
		}
		far := [2]int32{cost, m.a.states.at(to).dist}
		switch {
		case slices.Compare(far[:], nearest[:]) < 0 || nearestTokens == nil:
			nearest, nearestTokens = far, []int32{t}
		case far == nearest:
			nearestTokens = append(nearestTokens, t)
		}
	})
	if len(out.ids) > 0 || m.a.states.at(id).accept {
		return out.take(m.v.size, &m.lists)
	}
	// The nearest completions need too many tokens: look for others.
	m.budget.begin()
	e.collect(m.v.Words(), func(t int32) {
		if to := m.after(id, form, t); m.budget.within(to, left) {
			out.ids = append(out.ids, t)
		}
	})
	m.budget.end(len(out.ids) > 0)
	if len(out.ids) == 0 {
		out.ids = nearestTokens
	}
	return out.take(m.v.size, &m.lists)
}

// TokensLeft returns the fewest tokens that spell the nearest completion of
// the text at s, zero if it is complete. A completion of more than 131,072
// bytes counts as a token for each. ok is false if the vocabulary cannot
// spell it.
func (m *Matcher) TokensLeft(s State) (n int, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if s.id <= 0 {
		return 0, true
	}
	c := m.budget.costOf(s.id - 1)
	return int(c), c < lang.Unreachable
}
