package verdicts

import (
	"context"
	"sync"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"logitscope/engine/bench"
	"logitscope/ui/tui/disk"
)

// A running is a run under way. What it found is in pending until it is taken.
type running struct {
	stop   context.CancelFunc
	began  time.Time
	notify chan struct{} // holds one note that something is pending

	mu      sync.Mutex
	pending []bench.Progress
	took    time.Duration
	done    bool
	sum     *bench.Summary
	err     error
}

// updateMsg says that a run has found something.
type updateMsg struct{ of *running }

func (n *running) decode(ctx context.Context, door *disk.Door, plan *bench.Plan, opt bench.Options) {
	res, err := door.Bench(ctx, plan, opt)
	var sum *bench.Summary
	if err == nil {
		sum, err = bench.Summarise(plan, res, bench.SummaryOptions{}, nil)
		res.Close()
	}
	n.mu.Lock()
	n.done, n.sum, n.err, n.took = true, sum, err, time.Since(n.began)
	n.mu.Unlock()
	n.note()
}

// put puts aside what was found. It never waits for the screen.
func (n *running) put(p bench.Progress) {
	n.mu.Lock()
	n.pending = append(n.pending, p)
	n.mu.Unlock()
	n.note()
}

func (n *running) note() {
	select {
	case n.notify <- struct{}{}:
	default:
	}
}

// wait returns a command that waits until something is pending.
func (n *running) wait() tea.Cmd {
	return func() tea.Msg { <-n.notify; return updateMsg{n} }
}
