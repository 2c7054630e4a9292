package draft

import (
	"fmt"
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"logitscope/engine"
	"logitscope/engine/speculative"
	"logitscope/models"
	"logitscope/sampling/param"
	"logitscope/ui/tui/kit"
	"logitscope/ui/tui/run"
	"logitscope/viz"
)

// View shows speculative decoding round by round: what was drafted, how
// each token was judged, and where the last one came from.
type View struct {
	lanes *run.Lanes
	open  func(name string) (models.Model, error) // nil if no model can be opened
	lane  *run.Lane
	draft engine.Draft
	own   bool   // the view gave the lane its draft, and takes it away again
	name  string // of the draft
	wait  bool   // a draft model is being opened
	err   string // why there is none

	round  int                   // index of the round looked at, from 1; 0 is the newest
	pos    int                   // drafted token under the cursor, from 0; -1 the round's last draw
	priced int                   // index in prices
	judge  speculative.Algorithm // chosen here; empty leaves it to the settings
	field  *kit.Field            // a draft's name being typed, nil if none is

	Draws int // how often a proof draws the next token
}

// New opens the view on the lane that keys act on, or says why not. A lane
// without a draft gets one: the built-in model's own, which open opens by its
// name, else the text itself.
func New(host kit.Host, lanes *run.Lanes, open func(name string) (models.Model, error)) (kit.View, tea.Cmd) {
	l := host.Lane()
	v := &View{lanes: lanes, open: open, lane: l, pos: -1, priced: startPrice, Draws: 200_000}
	if err := speculative.CanJudge(l.Model.Info()); err != nil {
		host.Say("S: " + err.Error())
		return nil, nil
	}
	if l.Prompt == nil {
		host.Say("S: " + host.WhyNot(l))
		return nil, nil
	}
	l.LookAt(0)
	l.Eng.Post(engine.Advance{N: 0})
	if l.Config.Int("num_beams") > 1 || l.Config.Float("penalty_alpha") > 0 {
		host.Say("S: a search has no draft; num_beams 1 and penalty_alpha 0 draw tokens")
		return nil, nil
	}
	if l.View.Draft != nil || v.lanes.Draft.Active() && len(v.lanes.All) == 1 {
		v.draft = v.lanes.Draft
		v.name = v.draft.Name()
		return v, nil
	}
	name := engine.NGramDraft
	if l.Model.Info().Name == "fable" && v.open != nil {
		name = builtinDraft
	}
	v.own = true
	return v, v.use(host, name)
}

// Follow takes results and new views; see [kit.Follower].
func (v *View) Follow(host kit.Host, msg tea.Msg) tea.Cmd {
	d, ok := msg.(draftMsg)
	if !ok {
		return nil
	}
	if d.view != v {
		return nil
	}
	v.wait = false
	if d.err != nil {
		host.Complain(viz.FirstLine(d.err.Error()))
		if !v.draft.Active() {
			v.take(engine.NGramDraft, engine.Draft{NGram: true})
		}
		return nil
	}
	v.lanes.Own(d.model)
	v.take(d.name, engine.Draft{Model: d.model})
	return nil
}

// Leave puts back what was borrowed; see [kit.Leaver].
func (v *View) Leave(host kit.Host) {
	v.lane.Eng.Post(engine.Advance{N: 0})
	if v.judge != "" {
		v.lane.Eng.Post(engine.Judge{})
	}
	if v.own {
		v.lane.Eng.Post(engine.Assist{})
	}
}

// algorithm is the rule by which drafted tokens are judged.
func (v *View) algorithm() speculative.Info {
	now := v.judge
	if now == "" {
		now = speculative.Chosen(v.lane.Config)
	}
	all := speculative.Algorithms()
	return all[slices.IndexFunc(all, func(i speculative.Info) bool { return i.Algorithm == now })]
}

// Newest reports whether the newest round is shown, not one before it.
func (v *View) Newest() bool { return v.round == 0 }

// shownRound returns the round on the screen, nil before the first.
func (v *View) shownRound() *speculative.Round {
	d := v.lane.View.Draft
	if d == nil || len(d.Rounds) == 0 {
		return nil
	}
	if v.round > 0 && v.round <= len(d.Rounds) {
		return d.Rounds[v.round-1]
	}
	return d.Last()
}

// Hints are what the footer offers; see [kit.View].
func (v *View) Hints(host kit.Host) []kit.ID { return nil }

// Footer words the hints; see [kit.Footed].
func (v *View) Footer(host kit.Host) []kit.Hint {
	return []kit.Hint{{ID: kit.ActNext, Word: "next round"}, {ID: kit.ActRight, Keys: "←→", Word: "drafted token"}, {ID: kit.ActDraw, Word: "prove it"},
		{ID: kit.ActOrder, Word: "next rule"}, {ID: kit.ActLower, Keys: "-/+", Word: "k"}, {ID: kit.ActEarlier, Keys: "< >", Word: "cost"}, {ID: kit.ActRun, Word: "run"}, {ID: kit.ActBack, Word: "round before"},
		{ID: kit.ActPrevMark, Keys: "[ ]", Word: "refusals"}, {ID: kit.ActOpen, Word: "draft"}, {ID: kit.ActClose, Word: "lab"}, {ID: kit.ActHelp}}
}

// Help is the help line while nothing was said; see [kit.Helper].
func (v *View) Help(host kit.Host) (string, viz.Ink) {
	switch a := v.algorithm(); {
	case v.field != nil:
		return "enter takes it, esc leaves it. A draft needs the same vocabulary.", viz.Ink{}
	case v.wait:
		return "opening the draft model …", viz.Ink{}
	case !a.Exact:
		return a.Help + ". d shows the drift, o goes on.", viz.Ink{Role: viz.Warning}
	}
	return "A draft proposes k tokens; one target pass checks them and keeps its own law.", viz.Ink{}
}

// Act takes the actions it names; see [kit.View].
func (v *View) Act(host kit.Host, a *kit.Action) (tea.Cmd, bool) {
	switch a.ID {
	case kit.ActNext:
		v.next(1)
	case kit.ActBack:
		v.back(host, 1)
	case kit.ActLeft10:
		v.back(host, 10)
	case kit.ActRight10:
		v.next(10)
	case kit.ActRight, kit.ActDown:
		v.along(host, 1)
	case kit.ActLeft, kit.ActUp:
		v.along(host, -1)
	case kit.ActFirst, kit.ActLast:
		v.toEnd(host, a.ID == kit.ActFirst)
	case kit.ActRun:
		v.run(host)
	case kit.ActLower:
		v.widen(host, -1)
	case kit.ActRaise:
		v.widen(host, 1)
	case kit.ActEarlier:
		v.turnPrice(host, -1)
	case kit.ActLater:
		v.turnPrice(host, 1)
	case kit.ActOrder:
		v.nextRule(host)
	case kit.ActDraw:
		return host.Open(kit.ViewProof), true
	case kit.ActPrevMark:
		v.toRefusal(host, -1)
	case kit.ActNextMark:
		v.toRefusal(host, 1)
	case kit.ActInspect:
		host.Say(v.story(host))
	case kit.ActOpen:
		f := kit.NewField(v.name)
		v.field = &f
	case kit.ActTake:
		return v.otherDraft(host), true
	case kit.ActClose:
		if v.round > 0 {
			v.round, v.pos = 0, -1
			return nil, true
		}
		return nil, false
	case kit.ActOff, kit.ActReset:
		if v.lane.Config.Int("num_assistant_tokens") == 4 {
			host.Say(a.First() + ": k is 4, as by default")
			break
		}
		host.Set("num_assistant_tokens", int64(4))
	default:
		return nil, false
	}
	return nil, true
}

// Lends are what starts again and undoes, as in the lab.
func (v *View) Lends(host kit.Host) []kit.ID {
	return []kit.ID{kit.ActAgain, kit.ActReseed, kit.ActUndo, kit.ActRedo}
}

// NotHere says what to do for what acts on the lab alone.
func (v *View) NotHere(host kit.Host) string {
	return "not in speculative decoding; esc goes back to the lab"
}

// next goes one round on: into the past's future, or by writing the proposal.
func (v *View) next(n int) {
	d := v.lane.View.Draft
	if v.round > 0 && d != nil {
		v.round, v.pos = v.round+n, -1
		if v.round >= len(d.Rounds) {
			v.round = 0
		}
		return
	}
	v.pos = -1
	v.lanes.Next(n)
}

// back looks at a round before.
func (v *View) back(host kit.Host, n int) {
	d := v.lane.View.Draft
	at := v.round
	if d == nil || len(d.Rounds) == 0 {
		host.Say("b: no round yet")
		return
	}
	if at == 0 {
		at = len(d.Rounds)
	}
	if at == 1 {
		host.Say("b: this is the first round")
		return
	}
	v.round, v.pos = max(at-n, 1), -1
	v.lane.Eng.Post(engine.Advance{N: 0})
}

// run runs or pauses; from a round before it goes on from there.
func (v *View) run(host kit.Host) {
	r := v.shownRound()
	if v.round > 0 && r != nil {
		v.lane.Eng.Post(engine.Rewind{Len: r.Start})
		v.lanes.AdvanceLane(v.lane, -1)
		host.Say(fmt.Sprintf("on from round %d; what followed it is drafted again", v.round))
		v.round = 0
		return
	}
	v.lanes.RunOrPause()
}

// along moves the cursor over the drafted tokens and the last draw.
func (v *View) along(host kit.Host, d int) {
	r := v.shownRound()
	if r == nil {
		host.Say("no round yet: " + host.WhyNot(v.lane))
		return
	}
	n := len(rowsOf(r))
	at := v.pos
	if at < 0 {
		at = n // the last draw stands after the drafted tokens
	}
	at += d
	switch {
	case at < 0:
		host.Say("←: this is the first drafted token; b shows the round before")
		return
	case at > n:
		host.Say("→: the last draw; n goes to the next round")
		return
	case at == n:
		at = -1
	}
	v.pos = at
}

func (v *View) toEnd(host kit.Host, first bool) {
	d := v.lane.View.Draft
	if d == nil || len(d.Rounds) == 0 {
		host.Say("no round yet")
		return
	}
	v.round, v.pos = 0, -1
	if !first {
		host.Say("the newest round")
		return
	}
	if len(d.Rounds) > 1 {
		v.round = 1
	}
	host.Say("the first round")
}

// widen changes how many tokens are drafted.
func (v *View) widen(host kit.Host, d int) {
	p, _ := param.Lookup("num_assistant_tokens")
	k := v.lane.Config.Int(p.Key)
	to := min(max(k+d, int(p.Min)), int(p.Max))
	if to == k {
		host.Say(fmt.Sprintf("k: %d is the end of its range, %g to %g", k, p.Min, p.Max))
		return
	}
	if host.Set(p.Key, int64(to)) {
		host.Say(fmt.Sprintf("k %d: the draft proposes %s a round", to, viz.Plural(to, "token")))
	}
}

// nextRule judges by the next rule that can judge the draft, the wrong ones
// included.
func (v *View) nextRule(host kit.Host) {
	all := speculative.Algorithms()
	i := slices.Index(all, v.algorithm())
	for i = (i + 1) % len(all); !v.draft.Judges(all[i].Algorithm); {
		i = (i + 1) % len(all)
	}
	v.judge = all[i].Algorithm
	v.round, v.pos = 0, -1
	v.lane.Eng.Post(engine.Judge{Algorithm: v.judge})
	words := all[i].Help
	if all[i].Exact { // the title names a wrong rule
		words = string(v.judge) + ": " + words
	}
	host.Say(words)
}

// toRefusal goes to the round before or after in which a token was refused.
func (v *View) toRefusal(host kit.Host, d int) {
	s := v.lane.View.Draft
	if s == nil {
		host.Say("[ ]: no round yet")
		return
	}
	at := v.round
	if at == 0 {
		at = len(s.Rounds)
	}
	for k := at + d; k >= 1 && k <= len(s.Rounds); k += d {
		for i, p := range rowsOf(s.Rounds[k-1]) {
			if p.Verdict == speculative.Refused {
				if v.round, v.pos = k, i; k == len(s.Rounds) {
					v.round = 0
				}
				return
			}
		}
	}
	host.Say("[ ]: no refused draft further on that way")
}
