package lanes

import (
	"cmp"
	"slices"

	"logitscope/engine"
	"logitscope/models"
	"logitscope/sampling"
	"logitscope/ui/tui/run"
)

// A laneStep is the step that a lane shows beside others.
type laneStep struct {
	l     *run.Lane
	s     *engine.Step    // nil if there is none with a trace
	t     *sampling.Trace // of s
	ref   *sampling.Trace // fixes which rows are shown
	group int             // lanes of one group chose from one distribution
}

// stepsSideBySide returns what each lane shows, those that the model saw the
// same text before in one group.
func stepsSideBySide(lanes []*run.Lane) []laneStep {
	out := make([]laneStep, len(lanes))
	for i, l := range lanes {
		out[i] = laneStep{l: l, group: i}
		t, ref := run.Traces(l)
		if t == nil {
			continue
		}
		out[i].s, out[i].t, out[i].ref = l.Step(), t, ref
		for k := range i {
			if out[k].group == k && out[k].t != nil && sameContext(out[k], out[i]) {
				out[i].group = k
				break
			}
		}
	}
	return out
}

// sameContext reports whether the model saw the same text before both steps.
func sameContext(a, b laneStep) bool {
	return a.l.Model == b.l.Model && a.s.Index == b.s.Index && slices.Equal(a.l.View.Prompt, b.l.View.Prompt) &&
		run.FirstDifference(a.l.View.Steps, b.l.View.Steps, a.s.Index-1) < 0
}

// alignRows says which token stands in each of h rows of each lane's chart,
// NoToken for none. A token has the same row in all lanes that show it. Rows
// are in raw order; where lanes chose from different distributions, in the
// order of the best rank that a token has in any.
func alignRows(steps []laneStep, h int) [][]int32 {
	best := make([][]int32, len(steps))
	for i := range best {
		best[i] = slices.Repeat([]int32{models.NoToken}, max(h, 0))
	}
	for lo, hi := 1, h; lo <= hi; { // the more tokens, the more rows they need
		n := (lo + hi) / 2
		rows, ok := place(steps, n, h)
		if !ok {
			hi = n - 1
			continue
		}
		best, lo = rows, n+1
	}
	return best
}

// place gives rows to the n best tokens of each lane and those drawn. It
// reports false if h rows do not hold them.
func place(steps []laneStep, n, h int) ([][]int32, bool) {
	in := make(map[int32][]int) // token: groups that show it
	rank := make(map[int32]int32)
	var order []int32
	for g := range steps {
		if steps[g].group != g || steps[g].t == nil {
			continue
		}
		for id, r := range union(steps, g, n) {
			if in[id] == nil {
				order, rank[id] = append(order, id), r
			}
			in[id], rank[id] = append(in[id], g), min(rank[id], r)
		}
	}
	slices.SortFunc(order, func(a, b int32) int {
		return cmp.Or(cmp.Compare(rank[a], rank[b]), cmp.Compare(in[a][0], in[b][0]), cmp.Compare(a, b))
	})
	rows := make([][]int32, len(steps))
	for i := range rows {
		rows[i] = slices.Repeat([]int32{models.NoToken}, h)
	}
	for _, id := range order {
		y := 0
		free := func(y int) bool {
			for _, g := range in[id] {
				if rows[g][y] != models.NoToken {
					return false
				}
			}
			return true
		}
		for y < h && !free(y) {
			y++
		}
		if y == h {
			return nil, false
		}
		for _, g := range in[id] {
			rows[g][y] = id
		}
	}
	for i, s := range steps {
		if s.group != i {
			rows[i] = rows[s.group]
		}
	}
	return rows, true
}

// union returns what the lanes of group g show together, with its ranks. If
// others chose from another distribution, what matters to no lane of the group
// is left out, so that it holds no row that a better token could have.
func union(steps []laneStep, g, n int) map[int32]int32 {
	rank := make(map[int32]int32)
	only := !slices.ContainsFunc(steps, func(s laneStep) bool { return s.t != nil && s.group != g })
	for _, s := range steps {
		if s.group != g || s.t == nil {
			continue
		}
		list := run.Choose(s.t, s.ref, n, run.Keep{DeadPins: true})
		if r := s.t.Row(s.s.Token); r != nil { // a forced token is not the one drawn
			list = append(list, r)
		}
		for _, r := range list {
			if only || r.Rank <= 5 || max(r.RawProb, r.Prob) >= 0.002 || r.Pinned || r.ID == s.s.Token {
				rank[r.ID] = r.Rank
			}
		}
	}
	return rank
}
