package engine

import "logitscope/models"

const (
	defaultLogitsBudget = 96 << 20
	defaultTraceWindow  = 16384

	// evictBlock is how many steps lose their row or trace at once. Dropping
	// one means a new slice of steps, since views hold the old one.
	evictBlock = 64
)

// A memory decides how long steps keep their rows and traces.
type memory struct {
	budget    int64 // bytes of rows
	window    int   // steps with a trace
	bytes     int64 // of the rows kept
	bare      int   // steps before this one have no row
	traceless int   // steps before this one have no trace
}

func newMemory(opt Options) memory {
	m := memory{budget: opt.LogitsBudget, window: opt.TraceWindow}
	if m.budget == 0 {
		m.budget = defaultLogitsBudget
	}
	if m.window == 0 {
		m.window = defaultTraceWindow
	}
	return m
}

// keep returns a copy of r that outlives the session's next call.
func (m *memory) keep(r models.Logits) *Row {
	row := &Row{Values: append([]float32(nil), r.Values...), Rest: r.Rest}
	if r.IDs != nil {
		row.IDs = append([]int32(nil), r.IDs...)
	}
	return row
}

func (r *Row) bytes() int64 { return int64(4*len(r.Values) + 4*len(r.IDs)) }

// evict drops rows and traces of old steps until the rest fits. It returns
// steps, or a new slice in which the oldest steps are lighter; a step that a
// view may hold is never changed.
func (m *memory) evict(steps []*Step) []*Step {
	rows, traces := m.bare, m.traceless
	for left := m.bytes; left > m.budget && rows < len(steps)-1; {
		for range evictBlock {
			if rows >= len(steps)-1 {
				break
			}
			if r := steps[rows].Row; r != nil {
				left -= r.bytes()
			}
			rows++
		}
	}
	if len(steps)-traces > m.window+evictBlock {
		traces = len(steps) - m.window
	}
	if rows-m.bare < evictBlock && traces == m.traceless {
		return steps // a budget of less than a block is one of a block
	}
	out := append(make([]*Step, 0, len(steps)+evictBlock), steps...)
	for i, s := range out[:max(rows, traces)] {
		if s.Row == nil && (s.Trace == nil || i >= traces) {
			continue
		}
		light := *s
		if i < rows {
			light.Row = nil
		}
		if i < traces {
			light.Trace = nil
		}
		out[i] = &light
	}
	m.recount(out)
	return out
}

// add counts a step that was just written.
func (m *memory) add(s *Step) {
	if s.Row != nil {
		m.bytes += s.Row.bytes()
	}
}

// recount does the books again, after a rewind or a change of branch.
func (m *memory) recount(steps []*Step) {
	m.bare, m.traceless, m.bytes = 0, 0, 0
	for i, s := range steps {
		if s.Row == nil && m.bare == i {
			m.bare = i + 1
		}
		if s.Trace == nil && m.traceless == i {
			m.traceless = i + 1
		}
		m.add(s)
	}
}
