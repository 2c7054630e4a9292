package run

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"logitscope/engine"
	"logitscope/models"
)

// Newest is an index beyond any step: the newest.
const Newest = math.MaxInt32

// RunAll is what space does beside other lanes.
func (ls *Lanes) RunAll() {
	if ls.Running() {
		ls.AdvanceAll(0)
		return
	}
	ready := false
	for _, l := range ls.Scope() {
		if l.Look.At > 0 {
			ls.leavePast(l)
		}
		ready = ready || l.View.Phase == engine.Paused || l.View.Phase == engine.Prefill || l.Look.Under != nil
	}
	if !ready {
		ls.Say("space: " + ls.WhyNot(ls.Lane()))
		return
	}
	ls.Advance(-1)
}

// leavePast returns l to its newest step, or makes a branch of the settings
// tried on the step looked back at.
func (ls *Lanes) leavePast(l *Lane) {
	if l.Look.Under != nil {
		ls.BranchHere(l, l.Look.Under)
		return
	}
	l.LookAt(0)
}

// StepAll moves the lanes of the scope by n steps: through what is written,
// and at its end writing.
func (ls *Lanes) StepAll(n int) {
	lanes := ls.Scope()
	tried := false
	for _, l := range lanes {
		tried = tried || l.Look.Under != nil
	}
	switch at := ls.shownStep(); {
	case n < 0:
		ls.backAll(at, -n)
	case AnyLooks(lanes) && !tried:
		ls.LookAll(at + n)
	default:
		for _, l := range lanes {
			if l.Look.At > 0 {
				ls.leavePast(l)
			}
		}
		for _, l := range lanes {
			if p := l.View.Phase; p == engine.Paused || p == engine.Running || p == engine.Prefill {
				ls.Advance(n)
				return
			}
		}
		ls.Say("→: " + ls.WhyNot(ls.Lane()))
	}
}

// backAll looks n steps back from step at in every lane of the scope.
func (ls *Lanes) backAll(at, n int) {
	longest := 0
	for _, l := range ls.Scope() {
		longest = max(longest, len(l.View.Steps))
	}
	switch {
	case longest == 0:
		ls.Say("←: no token is written yet")
	case at == 1:
		ls.Say("←: this is the first token; r starts again from the prompt")
	default:
		if ls.Running() {
			ls.Advance(0)
		}
		ls.LookAll(max(min(at, longest+1)-n, 1))
	}
}

// shownStep is the index of the step that the lanes of the scope show, the
// largest if they differ.
func (ls *Lanes) shownStep() int {
	at := 0
	for _, l := range ls.Scope() {
		k := l.Look.At
		if k == 0 {
			k = len(l.View.Steps) + 1
		}
		at = max(at, k)
	}
	return at
}

// LookAll shows step k, from 1, in every lane of the scope; a lane that has
// not come so far shows its newest.
func (ls *Lanes) LookAll(k int) {
	for _, l := range ls.Scope() {
		to := k
		if k > len(l.View.Steps) {
			to = 0
		}
		if to != l.Look.At {
			l.LookAt(to)
		}
	}
}

// ForceElsewhere writes the token that the current lane shows in the other
// lanes, in place of theirs.
func (ls *Lanes) ForceElsewhere() {
	from := ls.Lane()
	s := from.Step()
	if s == nil || from.View.Beam != nil {
		ls.Say("f: no token to force yet")
		return
	}
	n := 0
	for _, l := range ls.All {
		if l == from || !ls.canForce(l, s.Index) {
			continue
		}
		token := translate(from, l, s.Token)
		if t := l.View.Step(s.Index - 1); token == models.NoToken || t != nil && t.Token == token {
			continue
		}
		n++
		l.Eng.Post(engine.Advance{N: 0})
		if s.Index <= len(l.View.Steps) {
			snap := l.Snapshot(fmt.Sprintf("branch at token %d", s.Index), -1)
			snap.Branch = l.BranchOff(s.Index - 1)
			l.Remember(snap)
		} else {
			l.LookAt(0)
		}
		l.Eng.Post(engine.Force{Token: token})
	}
	if n == 0 {
		ls.Say("f: the other lanes have the same token at this step, or have not come so far")
		return
	}
	others := "others"
	if len(ls.All) == 2 {
		others = "other"
	}
	ls.Say(fmt.Sprintf("forced lane %d's %s in the %s (◆)", ls.Cur+1, from.Piece(s.Token, ls.ascii), others))
}

// canForce reports whether a token can be written as step k of l.
func (ls *Lanes) canForce(l *Lane, k int) bool {
	return l.View.Beam == nil && l.View.Contrastive == nil && l.View.Phase > engine.Prefill && k <= len(l.View.Steps)+1 &&
		(k <= len(l.View.Steps) || l.View.Next != nil)
}

// translate returns the token of lane to that reads like token id of lane
// from, NoToken if there is none.
func translate(from, to *Lane, id int32) int32 {
	if from.Model == to.Model {
		return id
	}
	if ids := to.Vocab().Encode(from.Vocab().Piece(id), models.EncodeOptions{}); len(ids) == 1 {
		return ids[0]
	}
	return models.NoToken
}

// ScopeWords names the lanes that keys act on.
func (ls *Lanes) ScopeWords() string {
	switch {
	case ls.Side.One:
		return fmt.Sprintf("lane %d", ls.Cur+1)
	case len(ls.All) == 2:
		return "both lanes"
	}
	return fmt.Sprintf("all %d lanes", len(ls.All))
}

// SameLuck reports whether all lanes draw with one seed and by one kind of luck,
// and which seed.
func (ls *Lanes) SameLuck() (seed uint64, same bool) {
	seed = ls.All[0].Config.Uint("seed")
	races, draws := 0, 0
	for _, l := range ls.All {
		if l.Config.Uint("seed") != seed {
			return 0, false
		}
		if set := l.ShownSettings(); set != nil && !set.Pipeline.Greedy() {
			draws++
		}
		if l.races() {
			races++
		}
	}
	return seed, races == 0 || races == draws
}

// SeedWords says which seed a lane draws by, and that it races if it does.
func (l *Lane) SeedWords() string {
	words := fmt.Sprintf("seed %d", l.ShownConfig().Uint("seed"))
	if l.races() {
		words += ", race"
	}
	return words
}

// races reports whether the lane's own draws are races of arrival times.
func (l *Lane) races() bool {
	set := l.ShownSettings()
	return set != nil && set.Pipeline.Races() && l.View.Draft == nil && l.View.Beam == nil && l.View.Contrastive == nil
}

// SeedWords says which seeds the lanes draw with.
func (ls *Lanes) SeedWords() string {
	if seed, same := ls.SameLuck(); same {
		words := fmt.Sprintf("seed %d", seed)
		if slices.ContainsFunc(ls.All, (*Lane).races) {
			words += ", race"
		}
		return words
	}
	if seed := ls.All[0].Config.Uint("seed"); !slices.ContainsFunc(ls.All, func(l *Lane) bool { return l.Config.Uint("seed") != seed }) {
		return fmt.Sprintf("seed %d, different luck", seed)
	}
	return "different seeds"
}

// PutBackFirst puts the lane back that was taken out last, if nothing was
// done since.
func (ls *Lanes) PutBackFirst() bool {
	if !ls.Side.Dropped || !ls.putBack() {
		return false
	}
	ls.Side.Dropped = false
	ls.Say("the lane is back")
	return true
}

// RestartAll begins again from the prompt, with a new seed if asked, the
// same for all.
func (ls *Lanes) RestartAll(reseed bool) {
	if ls.Lane().Prompt == nil {
		ls.Say("r: " + ls.WhyNot(ls.Lane()))
		return
	}
	ls.Advance(0)
	seed := uint64(rand.Uint32N(1_000_000))
	ls.Each(func() {
		l := ls.Lane()
		if l.Prompt == nil {
			return
		}
		if reseed {
			ls.Set("seed", seed)
		}
		ls.Start(l)
	})
	if reseed {
		ls.Say(fmt.Sprintf("seed %d in %s", seed, ls.ScopeWords()))
		return
	}
	ls.Say("again from the prompt, " + ls.SeedWords())
}

// AnyLooks reports whether one of lanes shows a step of the past.
func AnyLooks(lanes []*Lane) bool {
	for _, l := range lanes {
		if l.Look.At > 0 {
			return true
		}
	}
	return false
}
