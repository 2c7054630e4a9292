package beam

import (
	"context"
	"slices"

	"logitscope/sampling"
)

// Retune changes the settings of a search under way. The steps before the
// last stay as they were chosen. The last is chosen again from the rows in
// hand, and everything that has finished is scored again, so the ranking
// follows a new length_penalty or num_beams at once and without a pass of the
// model; if the rows are forgotten, its running beams stay and those beyond a
// smaller num_beams go. If nothing is left to choose, the last step is
// dropped, and the next one says why.
//
// Another rule, other groups or other end tokens make earlier steps
// meaningless: then the same number of steps is searched again from the
// prompt, which does run the model.
func (s *Search) Retune(ctx context.Context, p *sampling.Pipeline) (*View, error) {
	set, err := ReadSettings(p, s.model)
	if err != nil {
		return nil, err
	}
	old, oldStates := s.set, s.states
	s.use(set)
	if old.comparable(&set) {
		err = s.rechoose()
	} else {
		err = s.again(ctx)
	}
	if err != nil {
		s.use(old)
		s.states = oldStates
		return nil, err
	}
	return s.View(), nil
}

// again searches from the prompt for as many steps as there were.
func (s *Search) again(ctx context.Context) error {
	n := len(s.states) - 1
	s.states = []state{s.start()}
	for i := 0; i < n; i++ {
		v, err := s.Step(ctx)
		if err != nil && !isDeadEnd(err) {
			return err
		}
		if err != nil || v.Done() {
			break
		}
	}
	s.restarts++
	return nil
}

// rechoose scores all offers again and chooses the last step again.
func (s *Search) rechoose() error {
	states := slices.Clone(s.states)
	for i := range states {
		states[i].groups = s.rescored(&states[i])
	}
	s.states = states
	last := len(states) - 1
	if last == 0 {
		return nil
	}
	old := states[last].step
	var next state
	if old.rows != nil {
		var err error
		next, err = s.choose(states[last-1], old.nodes, old.rows)
		if isDeadEnd(err) {
			s.states = states[:last]
			return nil
		}
		if err != nil {
			return err
		}
	} else {
		next = s.restated(states[last], states[last-1])
	}
	next.step.Took = old.Took
	states[last] = next
	return nil
}

func (s *Search) rescored(st *state) []group {
	t := s.turn(st.index())
	out := slices.Clone(st.groups)
	for i := range out {
		offers := slices.Clone(out[i].offers)
		for j, h := range offers {
			offers[j] = t.hypothesis(h.Node, h.Parent)
			offers[j].Finished = h.Finished
		}
		out[i].offers = offers
	}
	return out
}

// restated is st under the settings in force, without choosing again.
func (s *Search) restated(st, prev state) state {
	t := s.turn(st.index())
	step := *st.step
	step.Settings = s.set
	step.Groups = slices.Clone(step.Groups)
	st.groups = slices.Clone(st.groups)
	for i := range step.Groups {
		gs, g := &step.Groups[i], &st.groups[i]
		g.running = g.running[:min(t.n, len(g.running))]
		gs.Running = g.running
		gs.Candidates = slices.Clone(gs.Candidates)
		for j := range gs.Candidates {
			gs.Candidates[j].Score = t.score(gs.Candidates[j].Node)
		}
		settle(t, gs, prev.groups[i].offers, g.offers)
		if len(g.running) > 0 {
			gs.Bound = t.s.normalise(g.running[0].Sum, t.horizon())
		}
	}
	st.step = &step
	st.reason = rules[s.set.Rule].over(t, step.Groups)
	return st
}
