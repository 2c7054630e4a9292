package engine

import (
	"sync/atomic"
	"unsafe"

	"logitscope/models"
	"logitscope/sampling"
)

const (
	defaultLogitsBudget = 96 << 20
	defaultTraceWindow  = 16384

	// evictBlock is how many steps lose their row or trace at once. Dropping
	// one means a new slice of steps, since views hold the old one.
	evictBlock = 64
)

// A Budget is what several lanes, and texts that were left, may keep of rows
// and traces together. What does not fit is dropped, the oldest steps of a text
// first; it can be computed again. It is safe for concurrent use.
type Budget struct {
	total int64
	used  atomic.Int64 // by lanes
}

// NewBudget returns a budget of bytes.
func NewBudget(bytes int64) *Budget { return &Budget{total: bytes} }

// Left returns how many bytes the lanes leave to texts that no lane holds: a
// quarter at least.
func (b *Budget) Left() int64 { return max(b.total-b.used.Load(), b.total/4) }

const traceBytes = int64(unsafe.Sizeof(sampling.Trace{}))

// Weight returns the bytes of the rows and traces of steps.
func Weight(steps []*Step) (n int64) {
	for _, s := range steps {
		n += s.bytes()
	}
	return n
}

func (s *Step) bytes() (n int64) {
	if s.Row != nil {
		n += s.Row.bytes()
	}
	if s.Trace != nil {
		n += traceBytes
	}
	return n
}

// Lighten returns the steps without rows and traces. The steps themselves do
// not change; a lane that adopts the lighter ones computes the rest again
// when it is looked at.
func Lighten(steps []*Step) []*Step {
	out := make([]*Step, len(steps))
	for i, s := range steps {
		light := *s
		light.Row, light.Trace, light.Constraint = nil, nil, nil
		out[i] = &light
	}
	return out
}

// A memory decides how long steps keep their rows and traces.
type memory struct {
	shared    *Budget // with other lanes, for rows and traces; nil for a lane alone
	budget    int64   // bytes of rows, for a lane alone
	window    int     // steps with a trace
	bytes     int64   // of the rows kept, and of traces under a shared budget
	bare      int     // steps before this one have no row
	traceless int     // steps before this one have no trace
}

func newMemory(opt Options) memory {
	m := memory{shared: opt.Memory, budget: opt.LogitsBudget, window: opt.TraceWindow}
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
	row := &Row{Values: append([]float32(nil), r.Values...), Rest: r.Rest, Strayed: r.Strayed}
	if r.IDs != nil {
		row.IDs = append([]int32(nil), r.IDs...)
	}
	return row
}

func (r *Row) bytes() int64 {
	return int64(4*len(r.Values) + 4*len(r.IDs) + 4*len(r.Second) + 4*len(r.Whole))
}

// evict drops rows and traces of old steps until the rest fits. It returns
// steps, or a new slice in which the oldest steps are lighter; a step that a
// view may hold is never changed.
func (m *memory) evict(steps []*Step) []*Step {
	rows, traces := m.bare, m.traceless
	left, allowed := m.bytes, m.allowed()
	for left > allowed && rows < len(steps)-1 {
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
	for m.shared != nil && left > allowed && traces < len(steps)-1 {
		for range min(evictBlock, len(steps)-1-traces) {
			if steps[traces].Trace != nil {
				left -= traceBytes
			}
			traces++
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

// allowed returns how many bytes the lane may have now: what others leave of a
// shared budget, an eighth of it at least.
func (m *memory) allowed() int64 {
	if m.shared == nil {
		return m.budget
	}
	return max(m.shared.total-(m.shared.used.Load()-m.bytes), m.shared.total/8)
}

// add counts a step that was just written.
func (m *memory) add(s *Step) {
	switch {
	case m.shared != nil:
		m.count(s.bytes())
	case s.Row != nil:
		m.count(s.Row.bytes())
	}
}

func (m *memory) count(n int64) {
	m.bytes += n
	if m.shared != nil {
		m.shared.used.Add(n)
	}
}

// release gives back what the lane has of a shared budget.
func (m *memory) release() { m.count(-m.bytes) }

// recount does the books again, after a rewind or a change of branch.
func (m *memory) recount(steps []*Step) {
	m.release()
	m.bare, m.traceless = 0, 0
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
