package lanes

import (
	"fmt"
	"math"
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"logitscope/engine"
	"logitscope/engine/compare"
	"logitscope/ui/tui/run"
	"logitscope/viz"
)

// readings are what is known of one lane's text under the laws of all lanes.
type readings struct {
	laws []lawOf
	list []readAt // by step
}

// A lawOf is the settings of a lane, by its id.
type lawOf struct {
	lane int
	set  *engine.Settings
}

// A readAt is one step of the text under the laws that could be read there,
// the text's own lane first.
type readAt struct {
	step  *engine.Step // nil if not read
	lanes []int        // ids, as the laws of r
	r     compare.Reading
	err   error
}

// of returns what was read under another lane's law, and under the own.
func (x *readAt) of(lane int) (i int, ok bool) {
	if x.step == nil || x.err != nil {
		return 0, false
	}
	i = slices.Index(x.lanes, lane)
	return i, i >= 0
}

// A readMsg brings the readings of a few steps of one lane's text.
type readMsg struct {
	lane int
	laws []lawOf
	list map[int]readAt
}

// lawsFor are the laws that a lane's text is read under, its own first.
func (v *View) lawsFor(l *run.Lane) []lawOf {
	laws := []lawOf{{l.ID, l.Settings}}
	for _, o := range v.lanes.All {
		if o != l && !v.pairOf(l, o).alien {
			laws = append(laws, lawOf{o.ID, o.Settings})
		}
	}
	return laws
}

// readJob returns a round of reading for one lane's text, nil if all is known
// that can be.
func (v *View) readJob(l *run.Lane) tea.Cmd {
	laws := v.lawsFor(l)
	if len(laws) < 2 || slices.ContainsFunc(laws, func(o lawOf) bool { return o.set == nil }) || l.View.Beam != nil {
		return nil
	}
	known := v.reads[l.ID]
	if known == nil || !slices.Equal(known.laws, laws) {
		known = &readings{}
	}
	view := l.View
	todo := known.missing(view)
	if len(todo) == 0 {
		return nil
	}
	from := make([]*engine.View, len(laws)) // of lanes with another model
	for i, law := range laws {
		for _, o := range v.lanes.All {
			if o.ID == law.lane && o.Model != l.Model {
				other := o.View
				from[i] = &other
			}
		}
	}
	return func() tea.Msg {
		msg := readMsg{lane: l.ID, laws: laws, list: make(map[int]readAt)}
		var meter compare.Meter
		for _, k := range todo {
			msg.list[k] = readStep(&meter, view, k, laws, from)
		}
		return msg
	}
}

// readStep reads step k under the laws that have a row there.
func readStep(m *compare.Meter, view engine.View, k int, laws []lawOf, from []*engine.View) readAt {
	x := readAt{step: view.Steps[k]}
	var under []compare.Law
	for i, law := range laws {
		if from[i] != nil && !sameText(view, *from[i], k) {
			continue // its model has not read this text
		}
		under = append(under, compare.Law{Settings: law.set, From: from[i]})
		x.lanes = append(x.lanes, law.lane)
	}
	x.r, x.err = m.Read(view, k, under...)
	return x
}

// sameText reports whether two lanes have the same tokens before step k, of
// which both keep the row.
func sameText(a, b engine.View, k int) bool {
	y := b.Step(k)
	return y != nil && y.Row != nil && slices.Equal(a.Prompt, b.Prompt) && run.FirstDifference(a.Steps, b.Steps, k) < 0
}

// missing returns the newest steps within reach that were not read yet.
func (r *readings) missing(view engine.View) (todo []int) {
	n := len(view.Steps)
	for k := n - 1; k >= max(n-measureReach, 0) && len(todo) < measureBatch; k-- {
		s := view.Steps[k]
		if k < len(r.list) && sameStep(r.list[k].step, s) {
			continue
		}
		if s.Row != nil {
			todo = append(todo, k)
		}
	}
	return todo
}

// takeReadings keeps the results of one round.
func (v *View) takeReadings(msg readMsg) {
	v.busy = false
	r := v.reads[msg.lane]
	if r == nil || !slices.Equal(r.laws, msg.laws) {
		r = &readings{laws: msg.laws}
		v.reads[msg.lane] = r
	}
	for k, x := range msg.list {
		for len(r.list) <= k {
			r.list = append(r.list, readAt{})
		}
		r.list[k] = x
	}
}

// readingsOf returns the steps of a lane's text that were read and still stand.
func (v *View) readingsOf(l *run.Lane) []readAt {
	r := v.reads[l.ID]
	if r == nil {
		return nil
	}
	n := 0
	for n < min(len(r.list), len(l.View.Steps)) && (r.list[n].step == nil || sameStep(r.list[n].step, l.View.Steps[n])) {
		n++
	}
	return r.list[:n]
}

// under sums up a lane's text under its own law, A, and another lane's, B. Of
// its own lane both are the own.
func (v *View) under(text, law *run.Lane) (s compare.Readings) {
	if list := v.acrossOf(text, law); list != nil {
		for k, x := range list {
			s.Add(k+1, x.d, x.a, x.b)
		}
		return s
	}
	list := v.readingsOf(text)
	for k := range list {
		if i, ok := list[k].of(law.ID); ok {
			s.Add(k+1, list[k].r.Distances[i], list[k].r.Chances[0], list[k].r.Chances[i])
		}
	}
	return s
}

// series returns the newest n total variations of a lane's text from its own
// law to another lane's, NaN where there are none, and the step, from 0, of the
// first.
func (v *View) series(text, law *run.Lane, n int) (values []float64, from int) {
	if list := v.acrossOf(text, law); list != nil {
		from = max(len(list)-max(n, 0), 0)
		for _, x := range list[from:] {
			values = append(values, x.d.TV)
		}
		return values, from
	}
	list := v.readingsOf(text)
	from = max(len(list)-max(n, 0), 0)
	for k := from; k < len(list); k++ {
		x := math.NaN()
		if i, ok := list[k].of(law.ID); ok {
			x = list[k].r.Distances[i].TV
		}
		values = append(values, x)
	}
	return values, from
}

// distanceWords say how far lane b's law is from lane a's on a's text, in as
// much room as there is.
func distanceWords(s *compare.Readings, w int) string {
	if s.Steps == 0 {
		return viz.FirstFit(w, "nothing read yet", "–")
	}
	tv, kl := viz.Three(s.TV()), viz.Divergence(s.KLab(), s.ImpossibleAB, s.Steps)
	same := fmt.Sprintf("same best %s of %s", viz.Count(s.SameTop), viz.Count(s.Steps))
	return viz.FirstFit(w,
		fmt.Sprintf("TV %s · KL %s, back %s · %s", tv, kl, viz.Divergence(s.KLba(), s.ImpossibleBA, s.Steps), same),
		fmt.Sprintf("TV %s · KL %s · %s", tv, kl, same), fmt.Sprintf("TV %s · KL %s", tv, kl), "TV "+tv)
}
