package automaton

// What the tests of masks look at inside a matcher.

const MaxReaches = maxReaches

// Reaches is how many states the last mask went through part by part.
func (m *Matcher) Reaches() int { return m.reaches }

// CloseOneByOne lists the tokens after which the nearest completion fits, each
// by the state after it.
func (m *Matcher) CloseOneByOne(s State, left int) (list []int32) {
	e, _ := m.lookup(s.id - 1)
	e.collect(m.v.Words(), func(t int32) {
		if to, _ := m.run(s.id-1, m.v.pieces[t]); m.budget.costOf(to) < int32(left) {
			list = append(list, t)
		}
	})
	return list
}

// KeepStates bounds the states that c keeps.
func (c *Checker) KeepStates(n int) { c.most = n }
