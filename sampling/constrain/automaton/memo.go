package automaton

// memoLimit bounds the masks a matcher keeps, in bytes.
const memoLimit = 64 << 20

// A memo keeps recently used masks, at their states. It has two generations:
// when the young one has grown to half the limit it becomes the old one, and
// what is not used again by the next change is dropped.
type memo struct {
	a          *automaton
	young, old []int32 // states with masks
	bytes      int
	generation int32
}

func (m *memo) get(id int32) *maskEntry {
	e := m.a.states.at(id).mask
	if e != nil && e.generation != m.generation {
		m.put(id, e)
	}
	return e
}

func (m *memo) put(id int32, e *maskEntry) {
	if m.bytes > memoLimit/2 {
		for _, i := range m.old {
			if st := m.a.states.at(i); st.mask != nil && st.mask.generation < m.generation {
				st.mask = nil
			}
		}
		m.old, m.young, m.bytes = m.young, m.old[:0], 0
		m.generation++
	}
	e.generation = m.generation
	m.a.states.at(id).mask = e
	m.young = append(m.young, id)
	m.bytes += e.bytes()
}
