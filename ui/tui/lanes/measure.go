package lanes

import (
	tea "github.com/charmbracelet/bubbletea"

	"logitscope/engine"
	"logitscope/engine/compare"
	"logitscope/sampling"
	"logitscope/sampling/dist"
	"logitscope/ui/tui/run"
)

// measureBatch is how many distances are computed at once: little enough that
// the newest are never far behind.
const measureBatch = 48

// measureReach is how far back distances are looked for: more than any chart
// shows.
const measureReach = 512

// A pairKey names two lanes by their ids, the smaller first.
type pairKey struct{ a, b int }

// A pair is what is known about two lanes.
type pair struct {
	at    [2]int // first steps where the texts differ, from 0
	parts bool
	steps [2]*engine.Step // the steps there
	why   *compare.Parting
	err   error
	alien bool // their token ids mean different things

	now apart // at the steps shown, other settings tried on them included, if the texts before are one
}

// An apart is the distance between two lanes at one step, after one text.
type apart struct {
	a, b *engine.Step // of which steps; nil if not computed
	d    dist.Distance
	err  error
}

// of reports whether x is the distance of steps a and b. A step that lost its
// row since is a copy of the one that had it.
func (x *apart) of(a, b *engine.Step) bool {
	return x.a != nil && sameStep(x.a, a) && sameStep(x.b, b)
}

func sameStep(was, now *engine.Step) bool {
	return was == now || was != nil && now != nil && now.Row == nil && was.Token == now.Token && was.Settings == now.Settings
}

// A measureMsg brings the results of one round of measuring.
type measureMsg struct {
	key  pairKey
	pair pair // parting and the distance now
}

// key returns the name of the pair of lanes, and whether they are turned
// round in it.
func keyOf(a, b *run.Lane) (k pairKey, turned bool) {
	if a.ID > b.ID {
		return pairKey{b.ID, a.ID}, true
	}
	return pairKey{a.ID, b.ID}, false
}

// pairOf returns what is known about two lanes.
func (v *View) pairOf(a, b *run.Lane) *pair {
	k, _ := keyOf(a, b)
	if p := v.pairs[k]; p != nil {
		return p
	}
	return &pair{}
}

// reference is the lane that others are measured against: the first of two,
// else the current one.
func (v *View) reference() int {
	if len(v.lanes.All) == 2 {
		return 0
	}
	return v.lanes.Cur
}

// measure starts measuring what is not known yet, one round at a time: first
// where the lanes part from the one that others are measured against, then each
// text under all laws.
func (v *View) measure() tea.Cmd {
	if v.busy {
		return nil
	}
	for i, a := range v.lanes.All {
		for _, b := range v.lanes.All[i+1:] {
			k, turned := keyOf(a, b)
			if v.pairs[k] == nil {
				v.pairs[k] = &pair{alien: a.Model != b.Model && engine.CheckDraft(a.Model, b.Model) != nil}
			}
			if ref := v.lanes.All[v.reference()]; a != ref && b != ref {
				continue
			}
			if turned {
				a, b = b, a
			}
			if job := v.job(k, a, b); job != nil {
				v.busy = true
				return job
			}
		}
	}
	for _, l := range v.lanes.All {
		if job := v.readJob(l); job != nil {
			v.busy = true
			return job
		}
	}
	for _, l := range v.lanes.All {
		for _, o := range v.lanes.All {
			if job := v.acrossJob(l, o); job != nil {
				v.busy = true
				return job
			}
		}
	}
	return nil
}

// job returns a round of measuring for one pair, nil if all is known.
func (v *View) job(k pairKey, a, b *run.Lane) tea.Cmd {
	p := *v.pairs[k]
	va, vb := run.ShownView(a), run.ShownView(b)
	at, parts := run.Part(a, b, p.alien)
	steps := [2]*engine.Step{}
	if parts {
		steps = [2]*engine.Step{va.Step(at[0]), vb.Step(at[1])}
	}
	news := parts != p.parts || at != p.at || parts && !(sameStep(p.steps[0], steps[0]) && sameStep(p.steps[1], steps[1]))
	i := run.ShownIndex(a)
	now := i == run.ShownIndex(b) && !p.alien && measurable(va.Step(i), vb.Step(i)) && sameText(va, vb, i) && !p.now.of(va.Step(i), vb.Step(i))
	if !news && !now {
		return nil
	}
	compile := func(c sampling.Config) (*engine.Settings, error) { return a.Comp.Settings(c, "") }
	return func() tea.Msg {
		msg := measureMsg{key: k, pair: p}
		if news {
			msg.pair.at, msg.pair.parts, msg.pair.steps, msg.pair.why, msg.pair.err = at, parts, steps, nil, nil
			if parts && !p.alien && measurable(steps[0], steps[1]) {
				w, err := compare.Explain(va, vb, at[0], compile)
				msg.pair.why, msg.pair.err = &w, err
			}
		}
		if now {
			msg.pair.now = between(va, vb, i)
		}
		return msg
	}
}

func lastStep(v engine.View) *engine.Step {
	if n := len(v.Steps); n > 0 {
		return v.Steps[n-1]
	}
	return nil
}

// between is the distance of the laws of step k, each lane's own: the texts
// before it are one.
func between(a, b engine.View, k int) apart {
	x := apart{a: a.Step(k), b: b.Step(k)}
	var m compare.Meter
	var r compare.Reading
	if r, x.err = m.Read(a, k, compare.Law{Settings: x.a.Settings}, compare.Law{Settings: x.b.Settings, From: &b}); x.err == nil {
		x.d = r.Distances[1]
	}
	return x
}

// measurable reports whether both steps keep what measuring needs.
func measurable(a, b *engine.Step) bool {
	return a != nil && b != nil && a.Row != nil && b.Row != nil && a.Trace != nil && b.Trace != nil
}

// take keeps the results of one round.
func (v *View) take(msg measureMsg) {
	v.busy = false
	if p := v.pairs[msg.key]; p != nil {
		*p = msg.pair
	}
}
