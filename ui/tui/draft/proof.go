package draft

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"logitscope/engine/speculative"
	"logitscope/ui/tui/kit"
	"logitscope/viz"
)

// Proof draws the next token very often by a rule of speculative decoding
// and holds the counts against the target's own law.
type Proof struct {
	spec  *View
	run   *making
	proof speculative.Proof
	err   error
}

// A making is one proof being made, on a goroutine of its own.
type making struct {
	newest atomic.Pointer[speculative.Proof]
	ended  atomic.Pointer[proofEnd]
	stop   context.CancelFunc
}

// A proofEnd says that a proof has ended, and how.
type proofEnd struct{ err error }

// NewProof opens a proof of the rule that s judges by, at the token under its
// cursor, or says why there is nothing to prove.
func NewProof(host kit.Host, s *View) (kit.View, tea.Cmd) {
	if r := s.shownRound(); r == nil {
		host.Say("d: no round yet")
		return nil, nil
	}
	v := &Proof{spec: s}
	return v, v.start()
}

// A proofMsg says that it is time to look how far a proof has come.
type proofMsg struct{ run *making }

// start begins a proof in the background.
func (v *Proof) start() tea.Cmd {
	v.cancel()
	ctx, stop := context.WithCancel(v.spec.lanes.Ctx)
	run := &making{stop: stop}
	v.run, v.proof, v.err = run, speculative.Proof{}, nil
	draws, view, model, draft, rule := v.spec.Draws, v.spec.viewAtCursor(), v.spec.lane.Model, v.spec.draft, v.spec.algorithm().Algorithm
	v.spec.lanes.Go(func() {
		p, err := view.Prover(ctx, model, draft, rule)
		if err == nil {
			var proof speculative.Proof
			proof, err = p.Run(ctx, draws, func(p speculative.Proof) { run.newest.Store(&p) })
			run.newest.Store(&proof)
		}
		run.ended.Store(&proofEnd{err})
	})
	return v.tick()
}

// tick asks for the progress again.
func (v *Proof) tick() tea.Cmd {
	run := v.run
	return tea.Tick(100*time.Millisecond, func(time.Time) tea.Msg { return proofMsg{run} })
}

func (v *Proof) cancel() {
	if v.run != nil {
		v.run.stop()
	}
}

// Leave stops the drawing; see [kit.Leaver].
func (v *Proof) Leave(kit.Host) { v.cancel() }

// Follow takes results and new views; see [kit.Follower].
func (v *Proof) Follow(host kit.Host, msg tea.Msg) tea.Cmd {
	p, ok := msg.(proofMsg)
	if !ok || p.run != v.run {
		return nil
	}
	end := v.run.ended.Load()
	if newest := v.run.newest.Load(); newest != nil {
		v.proof = *newest
	}
	if end != nil {
		v.err = end.err
		return nil
	}
	return v.tick()
}

// Frame titles the box; see [kit.Overlay].
func (v *Proof) Frame(host kit.Host) viz.Frame {
	before := "the prompt"
	if s := v.spec.viewAtCursor().Steps; len(s) > 0 {
		before = v.spec.lane.Piece(s[len(s)-1].Token, host.Screen().ASCII())
	}
	return viz.Frame{Title: fmt.Sprintf("prove it · rule %s · the token after %s, drawn %s times", v.spec.algorithm().Algorithm, before, viz.Count(v.spec.Draws)), Right: "d again · esc"}
}

// Size is how large the box wants to be; see [kit.Overlay].
func (v *Proof) Size(host kit.Host) (int, int) {
	return 100, max(min(host.Screen().H-4, 22), 10)
}

// Hints are what the footer offers; see [kit.View].
func (v *Proof) Hints(host kit.Host) []kit.ID { return nil }

// Footer words the hints; see [kit.Footed].
func (v *Proof) Footer(host kit.Host) []kit.Hint {
	return []kit.Hint{{ID: kit.ActDraw, Word: "again"}, {ID: kit.ActOrder, Word: "next rule"}, {ID: kit.ActClose}}
}

// Act takes the actions it names; see [kit.View].
func (v *Proof) Act(host kit.Host, a *kit.Action) (tea.Cmd, bool) {
	switch a.ID {
	case kit.ActDraw:
		return v.start(), true
	case kit.ActOrder:
		v.spec.nextRule(host)
		return v.start(), true
	case kit.ActClose, kit.ActHelp, kit.ActCommands, kit.ActQuit, kit.ActCopy:
		return nil, false
	}
	host.Say(a.First() + ": d draws again, o takes the next rule, esc closes")
	return nil, true
}

// proofColumns are right edges of the numbers of the proof's table.
const (
	proofTarget, proofDrawn, proofRule, proofBar = 22, 32, 42, 45
)

// Draw draws the view; see [kit.View].
func (v *Proof) Draw(c *viz.Canvas, host kit.Host) {
	if v.err != nil {
		c.Put(1, 0, "! "+viz.CutTitle(viz.OneLine(viz.FirstLine(v.err.Error()), c.ASCII), c.W-4), viz.Ink{Role: viz.Warning})
		return
	}
	p := &v.proof
	if p.Draws == 0 {
		c.Put(1, 0, "drawing …", viz.Ink{Role: viz.Muted})
		return
	}
	muted := viz.Ink{Role: viz.Muted}
	c.Put(2, 0, "token", muted)
	c.Right(proofTarget, 0, "target", muted)
	c.Right(proofDrawn, 0, "drawn", muted)
	wide := c.W >= 60
	if wide {
		c.Right(proofRule, 0, "this rule", muted)
		c.Put(proofBar, 0, "█ target  ◇ drawn", muted)
	}
	scale := 0.05
	for _, r := range p.Rows {
		scale = max(scale, r.Target, float64(r.Count)/float64(p.Draws))
	}
	h := c.H - 5
	row := func(y int, name string, r speculative.ProofRow, ink viz.Ink) {
		share := float64(r.Count) / float64(p.Draws)
		c.Fit(2, y, 13, name, ink)
		c.Right(proofTarget, y, viz.Percent(r.Target), ink)
		c.Right(proofDrawn, y, viz.Percent(share), viz.Ink{Role: viz.Draw})
		if !wide {
			return
		}
		c.Right(proofRule, y, viz.Percent(r.Expected), muted)
		if w := c.W - proofBar - 2; w > 4 {
			viz.Bars(c.Sub(viz.Rect{X: proofBar, Y: y, W: w, H: 1}), []viz.Bar{{Final: r.Target, Single: true}}, scale)
			c.Put(proofBar+min(int(share/scale*float64(w)), w-1), y, "◇", viz.Ink{Role: viz.Draw})
		}
	}
	n := min(len(p.Rows), max(h-1, 1))
	for i := range n {
		row(1+i, v.spec.lane.Piece(p.Rows[i].Token, c.ASCII), p.Rows[i], viz.Ink{})
	}
	rest := p.Others
	for _, r := range p.Rows[n:] {
		rest.Target += r.Target
		rest.Expected += r.Expected
		rest.Count += r.Count
	}
	if h > 1 && (rest.Target > 0 || rest.Count > 0 || rest.Expected > 0) {
		row(1+n, "others", rest, muted)
	}
	v.drawVerdict(c)
}

// drawVerdict draws the outcome in three lines.
func (v *Proof) drawVerdict(c *viz.Canvas) {
	p := &v.proof
	put := func(y int, s string, ink viz.Ink) {
		if y > 0 {
			c.Put(1, y, viz.CutSentence(s, c.W-2), ink)
		}
	}
	progress := fmt.Sprintf("%s of %s drawn", viz.Count(p.Draws), viz.Count(p.Wanted))
	put(c.H-3, fmt.Sprintf("%s · total variation %s · chi-square %.1f on %d degrees, p %s", progress, viz.Three(p.TV), p.ChiSquare, p.Freedom, proofP(p.PValue)), viz.Ink{})
	verdict, ink := "agrees with the target's law, as far as this many draws can tell", viz.Ink{Role: viz.Boosted}
	if !p.Agrees() {
		verdict, ink = "differs from the target's law; text written by this rule is not the target's", viz.Ink{Role: viz.Warning}
		if p.Off > 0 {
			verdict = fmt.Sprintf("differs from the target's law: %s draws of tokens it never gives; text written by this rule is not the target's", viz.Count(p.Off))
		}
	}
	put(c.H-2, "verdict: "+verdict, ink.With(viz.Bold))
	law := fmt.Sprintf("by calculation this rule is off by %s", viz.Percent(p.LawTV))
	switch {
	case len(p.Rows) == 1:
		law = "one token holds everything here: ←→ in the round choose a place with more to see"
	case p.LawTV < 1e-12:
		law = "by calculation this rule is exact"
	case p.Need > 0:
		law += fmt.Sprintf("; about %s draws show it", viz.Count(p.Need))
	}
	put(c.H-1, law+" · o next rule", viz.Ink{Role: viz.Muted})
}

// proofP is a p-value in words short enough for a line.
func proofP(p float64) string {
	switch {
	case p < 1e-300:
		return "below 1e-300"
	case p < 0.0005:
		return fmt.Sprintf("%.0e", p)
	}
	return viz.Three(p)
}
