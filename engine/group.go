package engine

import (
	"context"
	"slices"
	"sync"
)

// A Group runs lanes side by side. In step, each lane waits for the slowest
// before the next token; free, each goes at its own pace. Its methods but Run
// and Conduct may be called from any goroutine and never block.
type Group struct {
	lanes []*Lane
	views chan []View // holds at most the newest
	wake  chan struct{}

	mu     sync.Mutex
	latest []View
	inStep bool
	budget int    // tokens the lanes still may commit together; negative means no limit
	asked  []int  // steps each lane will have once it did what it was told
	alone  []bool // the lane was told to run by itself
}

// NewGroup returns a group of lanes that are not running yet. It starts in
// step.
func NewGroup(lanes ...*Lane) *Group {
	return &Group{
		lanes: lanes, inStep: true,
		views:  make(chan []View, 1),
		wake:   make(chan struct{}, 1),
		latest: make([]View, len(lanes)),
		asked:  make([]int, len(lanes)),
		alone:  make([]bool, len(lanes)),
	}
}

// Views delivers the views of all lanes. The channel holds only the newest; a
// slow reader misses nothing. It is closed when Run returns.
func (g *Group) Views() <-chan []View { return g.views }

// SetInStep makes the lanes wait for each other, or run free. Where that is
// how they are already it does nothing: what a lane was told by itself stands.
func (g *Group) SetInStep(on bool) {
	g.mu.Lock()
	changed := on != g.inStep
	g.inStep = on
	n := g.budget
	g.mu.Unlock()
	if !changed {
		return
	}
	if on {
		for _, l := range g.lanes {
			l.Post(Advance{0})
		}
	}
	g.Advance(n)
}

// Advance lets every lane commit up to n more tokens; a negative n means
// until something else stops it, zero pauses all.
func (g *Group) Advance(n int) {
	g.mu.Lock()
	step := g.inStep
	if step && n > 0 && g.budget > 0 {
		n += g.budget // asked for before the lanes could take the last one up
	}
	g.budget = n
	alone := slices.Clone(g.alone)
	for i, v := range g.latest {
		if n != 0 {
			g.asked[i] = stepsOf(v)
		}
		g.alone[i] = false
	}
	g.mu.Unlock()
	for i, l := range g.lanes {
		// In step each lane takes one token at a time, so pausing lets all
		// finish theirs; a lane that was told something by itself is stopped.
		if !step || n == 0 && alone[i] {
			l.Post(Advance{n})
		}
	}
	g.signal()
}

// PostTo sends a command to lane i alone. What the lane was told before no
// longer counts towards keeping in step.
func (g *Group) PostTo(i int, c Command) {
	g.mu.Lock()
	g.asked[i] = 0
	if _, ok := c.(Advance); ok {
		g.alone[i] = true
	}
	g.mu.Unlock()
	g.lanes[i].Post(c)
}

func (g *Group) signal() {
	select {
	case g.wake <- struct{}{}:
	default:
	}
}

// Run runs the lanes until ctx is done and returns the first error of a lane
// that could not start. It must be called exactly once.
func (g *Group) Run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	errs := make(chan error, len(g.lanes))
	var readers sync.WaitGroup
	for i, l := range g.lanes {
		go func() { errs <- l.Run(ctx) }()
		readers.Go(func() { g.follow(i, l) })
	}
	var failed error
	for left := len(g.lanes); left > 0; {
		select {
		case <-g.wake:
			g.turn()
		case err := <-errs:
			left--
			if err != nil && failed == nil {
				failed = err
				cancel()
			}
		}
	}
	readers.Wait()
	g.publish(g.snapshot())
	close(g.views)
	return failed
}

// Conduct takes the place of [Group.Run] for lanes that somebody else runs and
// whose views somebody else reads: it keeps them in step until ctx is done.
func (g *Group) Conduct(ctx context.Context) {
	for i, l := range g.lanes {
		defer l.watch.add(func(v View) { g.see(i, v) })()
	}
	defer close(g.views)
	for {
		select {
		case <-g.wake:
			g.turn()
		case <-ctx.Done():
			return
		}
	}
}

// Running reports whether the lanes were told to go on and have not come to
// an end yet. Lanes in step that are between two tokens are running.
func (g *Group) Running() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.inStep {
		return g.budget != 0
	}
	for _, v := range g.latest {
		if v.Phase == Running {
			return true
		}
	}
	return false
}

// follow keeps the newest view of lane i.
func (g *Group) follow(i int, l *Lane) {
	for v := range l.Views() {
		g.see(i, v)
	}
}

// stepsOf counts what a lane has done: tokens, or steps of a beam search.
func stepsOf(v View) int {
	if v.Beam != nil {
		return len(v.Beam.Steps)
	}
	return len(v.Steps)
}

// see makes v the newest view of lane i.
func (g *Group) see(i int, v View) {
	g.mu.Lock()
	if stepsOf(v) < stepsOf(g.latest[i]) {
		g.asked[i] = 0 // it was taken back
	}
	g.latest[i] = v
	g.mu.Unlock()
	g.signal()
}

func (g *Group) snapshot() []View {
	g.mu.Lock()
	defer g.mu.Unlock()
	return append([]View(nil), g.latest...)
}

// turn publishes what the lanes show and, in step, lets them go on together
// once all have come to rest.
func (g *Group) turn() {
	g.publish(g.snapshot())
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.inStep || g.budget == 0 {
		return
	}
	ready := 0
	for i, v := range g.latest {
		switch {
		case v.Phase == Done || v.Phase == Failed:
		case v.Phase == Paused && stepsOf(v) >= g.asked[i] && (v.Next != nil || v.Beam != nil):
			ready++
		default:
			return // one is still at work
		}
	}
	if ready == 0 {
		g.budget = 0
		return
	}
	for i, v := range g.latest {
		if v.Phase == Paused {
			g.asked[i] = stepsOf(v) + 1
			g.lanes[i].Post(Advance{1})
		}
	}
	if g.budget > 0 {
		g.budget--
	}
}

func (g *Group) publish(v []View) {
	select {
	case <-g.views: // replace the views nobody has read yet
	default:
	}
	g.views <- v // cannot block: turn and the end of Run are the only senders, in one goroutine
}
