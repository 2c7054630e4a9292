package run

import (
	"errors"
	"fmt"
	"math/rand/v2"

	tea "github.com/charmbracelet/bubbletea"

	"logitscope/engine"
	"logitscope/models"
	"logitscope/models/tape"
	"logitscope/sampling"
	"logitscope/viz"
)

// RunOrPause is what space does in every state.
func (ls *Lanes) RunOrPause() {
	l := ls.Lane()
	switch {
	case l.Look.At > 0:
		ls.goOn(l)
	case l.View.Phase == engine.Running:
		l.Eng.Post(engine.Advance{N: 0})
	case l.View.Phase == engine.Paused:
		ls.AdvanceLane(l, -1)
	case l.CanRetry():
		ls.AdvanceLane(l, -1)
		ls.Say("space: trying again")
	case l.View.Phase == engine.Prefill:
		ls.AdvanceLane(l, -1)
		ls.Say("space: runs on as soon as the prompt is read")
	default:
		ls.Say("space: " + ls.WhyNot(l))
	}
}

// AdvanceLane lets l write n more tokens, or run if n is negative. A step asked
// for by hand does not wait for the pace of a run.
func (ls *Lanes) AdvanceLane(l *Lane, n int) {
	every := ls.every()
	if n > 0 {
		every = 0
	}
	l.Eng.Post(engine.Pace{Every: every})
	l.Eng.Post(engine.Advance{N: n})
}

// WhyNot says why the lane cannot go on.
func (ls *Lanes) WhyNot(l *Lane) string {
	switch l.View.Phase {
	case engine.Idle:
		return "no prompt yet; e writes one, E has examples"
	case engine.Prefill:
		return "still reading the prompt; esc stops it"
	case engine.Done:
		return "the text has ended (" + EndWords(l) + "); s: again with a new seed"
	case engine.Failed:
		if l.CanRetry() {
			return "the server did not answer; the text is kept, space tries the same token again"
		}
		if l.Observing() {
			return "a server that chooses the tokens cannot be made to go on here; r asks again"
		}
		if off, ok := errors.AsType[*tape.NotRecordedError](l.View.Err); ok {
			return fmt.Sprintf("%v; ← goes back to step %s", off, viz.Count(len(l.View.Steps)))
		}
		return fmt.Sprintf("cannot go on from a failed step; ← goes back to step %s", viz.Count(len(l.View.Steps)))
	}
	switch v := l.View; {
	case v.Beam != nil:
		return "beam search ranks whole texts and draws no token; B shows it"
	case v.Contrastive != nil:
		return "contrastive search takes the best score and draws no token; B shows it"
	case v.Draft != nil && v.Next == nil:
		return "a round is being drafted; its token comes with the verdict"
	}
	return "the first token is not proposed yet"
}

// goOn continues from the step looked back at: as if never looked if nothing
// differs there, else as a branch.
func (ls *Lanes) goOn(l *Lane) {
	if l.Look.Under == nil {
		l.LookAt(0)
		if l.View.Phase == engine.Paused || l.View.Phase == engine.Running {
			ls.AdvanceLane(l, -1)
			return
		}
		ls.Say("space: " + ls.WhyNot(l))
		return
	}
	if l.Observing() {
		ls.serverChooses("space")
		return
	}
	ls.BranchHere(l, l.Look.Under)
	ls.AdvanceLane(l, -1)
}

// BranchHere goes back to before the step looked at and decodes on from there
// under set.
func (ls *Lanes) BranchHere(l *Lane, set *engine.Settings) {
	k, preset := l.Look.At, l.ShownPreset()
	snap := l.Snapshot(fmt.Sprintf("branch at token %d", k), -1)
	at := l.BranchOff(k - 1)
	snap.Branch = at
	l.Remember(snap)
	l.Config, l.Preset = set.Config(), preset
	l.tune(set)
	if at >= 0 {
		ls.Say(fmt.Sprintf("branched at token %d; u returns to the text it left", k))
	}
}

// Next commits n tokens, or moves n steps forward when looking back.
func (ls *Lanes) Next(n int) {
	l := ls.Lane()
	switch {
	case l.Look.At > 0 && l.Look.Under != nil && l.Observing():
		ls.serverChooses("→")
	case l.Look.At > 0 && l.Look.Under != nil:
		set := l.Look.Under
		ls.BranchHere(l, set)
		ls.AdvanceLane(l, n)
	case l.Look.At > 0 && l.Look.At+n <= len(l.View.Steps):
		l.LookAt(l.Look.At + n)
	case l.Look.At > 0:
		l.LookAt(0)
	case l.View.Phase == engine.Paused || l.View.Phase == engine.Running:
		ls.AdvanceLane(l, n)
	case l.CanRetry():
		ls.AdvanceLane(l, n)
		ls.Say("→: trying again")
	case l.View.Phase == engine.Prefill:
		ls.AdvanceLane(l, n)
		ls.Say("→: one step as soon as the prompt is read")
	default:
		ls.Say("→: " + ls.WhyNot(l))
	}
}

// Back looks n steps further back.
func (ls *Lanes) Back(n int) {
	l := ls.Lane()
	switch {
	case l.View.Phase == engine.Idle || l.View.Phase == engine.Prefill:
		ls.Say("←: " + ls.WhyNot(l))
	case len(l.View.Steps) == 0:
		ls.Say("←: no token is written yet")
	case l.Look.At == 1:
		ls.Say("←: this is the first token; r starts again from the prompt")
	case l.Look.At > 0:
		l.LookAt(max(l.Look.At-n, 1))
	default:
		if l.Running() {
			l.Eng.Post(engine.Advance{N: 0})
		}
		l.LookAt(max(len(l.View.Steps)-n+1, 1))
	}
}

// Force writes the token under the cursor in place of the proposal.
func (ls *Lanes) Force() {
	l := ls.Lane()
	s := l.Step()
	switch {
	case l.Observing():
		ls.serverChooses("f")
		return
	case l.Look.At > 0 && (s == nil || s.Trace == nil):
		ls.Say(fmt.Sprintf("f: step %s is being computed again; choose a row once it is there", viz.Count(l.Look.At)))
		return
	case s == nil || l.Row == models.NoToken:
		ls.Say("f: no token to force yet")
		return
	}
	switch l.View.Phase {
	case engine.Idle, engine.Prefill:
		ls.Say("f: " + ls.WhyNot(l))
		return
	case engine.Failed, engine.Done:
		if l.Look.At == 0 && l.View.Phase == engine.Failed {
			ls.Say("f: " + ls.WhyNot(l))
			return
		}
		if l.Look.At == 0 {
			l.LookAt(len(l.View.Steps))
		}
	}
	token := l.Row
	if l.Look.At > 0 {
		ls.BranchHere(l, l.ShownSettings())
	}
	l.Eng.Post(engine.Advance{N: 0})
	l.Eng.Post(engine.Force{Token: token})
	ls.Say("forced " + l.Piece(token, ls.ascii) + " (◆)")
}

// Again starts from the prompt with the same seed.
func (ls *Lanes) Again() tea.Cmd {
	l := ls.Lane()
	if l.Prompt == nil {
		ls.Say("r: " + ls.WhyNot(l))
		return nil
	}
	ls.Start(l)
	ls.Say("again from the prompt, seed " + fmt.Sprint(l.Config.Uint("seed")))
	return nil
}

// Reseed starts from the prompt with a new seed.
func (ls *Lanes) Reseed() tea.Cmd {
	l := ls.Lane()
	if l.Prompt == nil {
		ls.Say("s: " + ls.WhyNot(l))
		return nil
	}
	seed := uint64(rand.Uint32N(1_000_000))
	ls.takeTried(l)
	cfg, err := l.Config.With("seed", seed, sampling.FromYou)
	if err != nil {
		ls.Complain(err.Error())
		return nil
	}
	set, err := l.Compile(cfg, l.Preset)
	if err != nil {
		ls.Complain(err.Error())
		return nil
	}
	l.Remember(l.Snapshot("a new seed", -1))
	l.Config, l.Settings = cfg, set
	ls.Start(l)
	ls.Say(fmt.Sprintf("seed %d", seed))
	return nil
}

// takeTried puts the settings that were tried on an old step in force, since
// a restart is with what the controls show.
func (ls *Lanes) takeTried(l *Lane) {
	if l.Look.At == 0 || l.Look.Under == nil {
		return
	}
	l.Remember(l.Snapshot("the settings before the what-if", -1))
	l.Config, l.Preset, l.Settings = l.Look.Under.Config(), l.ShownPreset(), l.Look.Under
	l.Look = Lookback{}
}

// Start makes the lane read its prompt, under the settings that the controls
// show. A text that is left stays reachable as a branch.
func (ls *Lanes) Start(l *Lane) {
	ls.takeTried(l)
	l.Look, l.Base = Lookback{}, nil
	l.Row = models.NoToken
	if len(l.View.Steps) > 0 {
		l.shelve()
	}
	l.Eng.Post(engine.Start{Text: l.Text, Prompt: l.Prompt, Settings: l.Settings, Turns: l.turns})
	l.Eng.Post(engine.Pace{Every: Paces[ls.Pace].Every})
}

// Fits reports a prompt that the model cannot continue.
func Fits(model models.Model, ids []int32) error {
	if len(ids) == 0 {
		return fmt.Errorf("an empty prompt: this model has no token to begin a text with; type at least one letter")
	}
	if n := model.Info().ContextLen; n > 0 && len(ids) >= n {
		return fmt.Errorf("the prompt has %s tokens, the context holds %s; cut %s or more, or load another model",
			viz.Count(len(ids)), viz.Count(n), viz.Count(len(ids)-n+1))
	}
	return nil
}

// EndWords says how a text ended.
func EndWords(l *Lane) string {
	switch l.View.Reason {
	case engine.EOS:
		return "end token"
	case engine.Length:
		return "max_new_tokens"
	case engine.ContextFull:
		return "context full"
	case engine.Stop:
		return "stop string"
	case engine.Repetition:
		return "a loop"
	case engine.Constraint:
		return "constraint complete"
	}
	return string(l.View.Reason)
}

// adopt is the command that makes a lane hold branch b.
func adopt(b branch) engine.Command {
	return engine.Adopt{Text: b.text, Prompt: b.prompt, Steps: b.Steps, Settings: b.Settings}
}
