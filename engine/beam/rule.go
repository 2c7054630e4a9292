package beam

import (
	"cmp"
	"math"
	"slices"
)

// A group is what a beam group carries from step to step. It is not changed
// once made.
type group struct {
	running []*Node      // a single nil at the start: the prompt
	offers  []Hypothesis // every text offered as finished, in order, kept or not
	done    bool
}

// hasText reports whether a text runs on or has finished in g.
func (g group) hasText() bool { return len(g.running)+len(g.offers) > 0 }

// A turn is what a rule is given to choose from.
type turn struct {
	s       *Settings
	n       int                // beams of the group
	prompt  int                // tokens of the prompt
	cur     int                // tokens generated after this step
	limit   int                // most tokens generated
	stopped func(n *Node) bool // a stop string ends here; may be nil
}

// A ruleset is the behaviour of one [Rule].
type ruleset struct {
	// perBeam is the number of candidates looked at for each beam alone; 0
	// means K for the whole group.
	perBeam func(s *Settings) int

	// length is the number of tokens that the score of a path counts.
	length func(prompt int, n *Node) int

	// advance chooses: it sets the fates in gs.Candidates and fills the rest
	// of gs. It returns the group after the step.
	advance func(t *turn, g group, gs *GroupStep) group

	// list is the finished list that offers leave, best first.
	list func(offers []Hypothesis, n int) []Hypothesis

	// over says whether the search ends after a step.
	over func(t *turn, groups []GroupStep) Reason
}

var rules map[Rule]*ruleset

func init() { // its functions look it up again
	group := func(*Settings) int { return 0 }
	rules = map[Rule]*ruleset{
		Vectorised: {perBeam: group, length: generated, advance: vectorised, list: keepFirst, over: vectorisedOver},
		Legacy:     {perBeam: group, length: generated, advance: legacy, list: keepLegacy, over: legacyOver},
		VLLM: {
			perBeam: func(s *Settings) int { return 2 * s.Beams },
			length:  vllmLength, advance: vllm, list: keepFirst, over: vllmOver,
		},
	}
}

func (t *turn) hypothesis(n *Node, parent int) Hypothesis {
	length := rules[t.s.Rule].length(t.prompt, n)
	return Hypothesis{Node: n, Score: t.s.normalise(n.Sum, length), Length: length, Finished: n.Ended, Parent: parent}
}

// keepFirst keeps the n best; of equal scores the one offered first.
func keepFirst(offers []Hypothesis, n int) []Hypothesis {
	out := slices.Clone(offers)
	sortHypotheses(out)
	return out[:min(n, len(out))]
}

// settle marks which of the texts offered at this step were kept, and the
// candidates' fates accordingly.
func settle(t *turn, gs *GroupStep, before, offers []Hypothesis) {
	gs.Best = rules[t.s.Rule].list(offers, t.n)
	kept := func(n *Node) bool {
		return slices.ContainsFunc(gs.Best, func(h Hypothesis) bool { return h.Node == n })
	}
	gs.Finished = slices.Clone(offers[len(before):])
	for i := range gs.Finished {
		gs.Finished[i].Kept = kept(gs.Finished[i].Node)
	}
	for i := range gs.Candidates {
		c := &gs.Candidates[i]
		if c.Fate == Kept && !kept(c.Node) {
			c.Fate = Beaten
		}
	}
	gs.Full = len(gs.Best) >= t.n
	gs.Worst = math.Inf(-1)
	if gs.Full {
		gs.Worst = gs.Best[len(gs.Best)-1].Score
	}
}

// hits reports whether nothing may follow n.
func (t *turn) hits(n *Node) bool { return n.Ended || t.cur >= t.limit }

// horizon is the length at which a running beam's hope is reckoned.
func (t *turn) horizon() int {
	if t.s.Early == EarlyNever && t.s.LengthPenalty > 0 {
		return t.limit
	}
	return t.cur
}

// vectorised is the rule of transformers 4.50 and later: of the K candidates
// those ranked in the first n may finish, and the n best that do not end run
// on. At the length limit every candidate counts as finished.
func vectorised(t *turn, g group, gs *GroupStep) group {
	next := group{offers: slices.Clip(g.offers)}
	for i := range gs.Candidates {
		c := &gs.Candidates[i]
		switch {
		case !t.hits(c.Node):
		case i < t.n:
			c.Fate = Kept
			next.offers = append(next.offers, t.hypothesis(c.Node, c.Parent))
		case c.Node.Ended:
			c.Fate = DroppedEnd
		}
	}
	for _, i := range bySum(gs.Candidates) {
		if c := &gs.Candidates[i]; !t.hits(c.Node) && len(next.running) < t.n {
			c.Fate = Runs
			next.running = append(next.running, c.Node)
		}
	}
	settle(t, gs, g.offers, next.offers)
	gs.Running = next.running
	gs.Bound = math.Inf(-1)
	if len(next.running) > 0 {
		gs.Bound = t.s.normalise(next.running[0].Sum, t.horizon())
	}
	return next
}

// bySum returns the indices of c, best sum first. They are in that order
// already unless the candidates were drawn.
func bySum(c []Candidate) []int {
	out := make([]int, len(c))
	for i := range out {
		out[i] = i
	}
	slices.SortStableFunc(out, func(a, b int) int { return descending(c[a].Node.Sum, c[b].Node.Sum) })
	return out
}

func vectorisedOver(t *turn, groups []GroupStep) Reason {
	gs := &groups[0]
	switch {
	case t.cur >= t.limit:
		return Length
	case gs.Full && t.s.Early == EarlyTrue:
		return Enough
	case gs.Full && !(gs.Bound > gs.Worst):
		return Unbeaten
	case len(gs.Running) == 0:
		return Exhausted
	}
	return Going
}

// legacy is the rule of the beam scorer of transformers 4.49 and before: the
// candidates are taken in order until n run on; an end token counts only
// among the first n. Whether the group is done is asked of the best
// candidate, a finished one too.
func legacy(t *turn, g group, gs *GroupStep) group {
	next := group{offers: slices.Clip(g.offers)}
	for i := range gs.Candidates {
		c := &gs.Candidates[i]
		switch {
		case c.Node.Ended && i >= t.n:
			c.Fate = DroppedEnd
		case len(next.running) == t.n:
		case c.Node.Ended:
			c.Fate = Kept
			next.offers = append(next.offers, t.hypothesis(c.Node, c.Parent))
		default:
			c.Fate = Runs
			next.running = append(next.running, c.Node)
		}
	}
	settle(t, gs, g.offers, next.offers)
	gs.Running = next.running
	gs.Bound = math.Inf(-1)
	for i := range gs.Candidates {
		gs.Bound = max(gs.Bound, t.s.normalise(gs.Candidates[i].Node.Sum, t.horizon()))
	}
	gs.Done = gs.Full && (t.s.Early == EarlyTrue || gs.Worst >= gs.Bound)
	next.done = gs.Done
	return next
}

// keepLegacy adds the offers one by one to a list of n, as the scorer's heap
// does: one that equals the worst is refused, and the older of two worst
// goes.
func keepLegacy(offers []Hypothesis, n int) []Hypothesis {
	var list []Hypothesis
	for _, h := range offers {
		if len(list) < n {
			list = append(list, h)
			continue
		}
		worst := 0
		for i := range list {
			if list[i].Score < list[worst].Score {
				worst = i
			}
		}
		if h.Score > list[worst].Score {
			list = append(slices.Delete(list, worst, worst+1), h)
		}
	}
	// Results are popped from the end of an ascending stable sort.
	slices.Reverse(list)
	sortHypotheses(list)
	return list
}

func legacyOver(t *turn, groups []GroupStep) Reason {
	idle := true
	for i := range groups {
		if !groups[i].Done {
			if t.cur >= t.limit {
				return Length
			}
			idle = idle && len(groups[i].Running) == 0
		}
	}
	for i := range groups {
		if groups[i].Done {
			continue
		}
		if idle {
			return Exhausted
		}
		return Going
	}
	if t.s.Early == EarlyTrue {
		return Enough
	}
	return Unbeaten
}

// vllm is vLLM's rule: every end token among the best 2n of a beam finishes,
// beams are ranked by their normalised score, and nothing stops early.
func vllm(t *turn, g group, gs *GroupStep) group {
	next := group{offers: slices.Clip(g.offers)}
	slices.SortStableFunc(gs.Candidates, func(a, b Candidate) int { return descending(a.Score, b.Score) })
	for i := range gs.Candidates {
		c := &gs.Candidates[i]
		switch {
		case c.Node.Ended:
			c.Fate = Kept
			next.offers = append(next.offers, t.hypothesis(c.Node, c.Parent))
		case len(next.running) < t.n:
			c.Fate = Runs
			next.running = append(next.running, c.Node)
		}
	}
	// Texts finish in the order of the beams they grew from.
	slices.SortStableFunc(next.offers[len(g.offers):], func(a, b Hypothesis) int { return cmp.Compare(a.Parent, b.Parent) })
	settle(t, gs, g.offers, next.offers)
	gs.Running = next.running
	gs.Bound = math.Inf(-1)
	for _, n := range next.running {
		gs.Bound = max(gs.Bound, t.s.normalise(n.Sum, t.prompt+t.limit))
	}
	return next
}

func vllmOver(t *turn, groups []GroupStep) Reason {
	switch {
	case t.cur >= t.limit:
		return Length
	case len(groups[0].Running) == 0:
		return Exhausted
	}
	return Going
}

// results returns the texts that the groups would return, best first. While
// the search goes on, and for rules that return them anyway, the running
// beams count at the length they have.
func results(t *turn, groups []group, ended bool) []Hypothesis {
	rule := rules[t.s.Rule]
	var out []Hypothesis
	for _, g := range groups {
		offers := slices.Clip(g.offers)
		if !g.done && (!ended || t.s.Rule != Vectorised) {
			for i, n := range g.running {
				if n != nil {
					offers = append(offers, t.hypothesis(n, i))
				}
			}
		}
		out = append(out, rule.list(offers, t.n)...)
	}
	sortHypotheses(out)
	for i := range out {
		out[i].Kept = true
	}
	return out[:min(t.s.Return, len(out))]
}
