package constrain

// memoLimit bounds the masks a matcher keeps, in bytes.
const memoLimit = 64 << 20

// A memo keeps recently used masks. It has two generations: when the young one
// has grown to half the limit it becomes the old one, and what is not used
// again by the next change is dropped.
type memo struct {
	young, old map[int32]*maskEntry
	bytes      int
}

func (m *memo) get(id int32) *maskEntry {
	if e := m.young[id]; e != nil {
		return e
	}
	e := m.old[id]
	if e != nil {
		m.put(id, e)
	}
	return e
}

func (m *memo) put(id int32, e *maskEntry) {
	if m.young == nil || m.bytes > memoLimit/2 {
		m.old, m.young, m.bytes = m.young, map[int32]*maskEntry{}, 0
	}
	m.young[id] = e
	m.bytes += e.bytes()
}
