package tui

import (
	"fmt"
	"math/rand/v2"

	tea "github.com/charmbracelet/bubbletea"

	"logitscope/engine"
	"logitscope/models"
	"logitscope/models/chat"
	"logitscope/sampling"
	"logitscope/viz"
)

// runOrPause is what space does in every state.
func (m *board) runOrPause() {
	l := m.lane()
	switch {
	case l.look.at > 0:
		m.goOn(l)
	case l.view.Phase == engine.Running:
		l.eng.Post(engine.Advance{N: 0})
	case l.view.Phase == engine.Paused:
		m.advanceLane(l, -1)
	case l.canRetry():
		m.advanceLane(l, -1)
		m.say("space: trying again")
	case l.view.Phase == engine.Prefill:
		m.advanceLane(l, -1)
		m.say("space: runs on as soon as the prompt is read")
	default:
		m.say("space: " + m.whyNot(l))
	}
}

// advanceLane lets l write n more tokens, or run if n is negative. A step asked
// for by hand does not wait for the pace of a run.
func (m *board) advanceLane(l *lane, n int) {
	every := paces[m.pace].every
	if n > 0 {
		every = 0
	}
	l.eng.Post(engine.Pace{Every: every})
	l.eng.Post(engine.Advance{N: n})
}

// whyNot says why the lane cannot go on.
func (m *board) whyNot(l *lane) string {
	switch l.view.Phase {
	case engine.Idle:
		return "no prompt yet; e writes one, E has examples"
	case engine.Prefill:
		return "still reading the prompt; esc stops it"
	case engine.Done:
		return "the text has ended (" + endWords(l) + "); s: again with a new seed"
	case engine.Failed:
		if l.canRetry() {
			return "the server did not answer; the text is kept, space tries the same token again"
		}
		if l.observing() {
			return "a server that chooses the tokens cannot be made to go on here; r asks again"
		}
		return fmt.Sprintf("cannot go on from a failed step; ← goes back to step %d", len(l.view.Steps))
	}
	return "not now"
}

// goOn continues from the step looked back at: as if never looked if nothing
// differs there, else as a branch.
func (m *board) goOn(l *lane) {
	if l.look.under == nil {
		l.lookAt(0)
		if l.view.Phase == engine.Paused || l.view.Phase == engine.Running {
			m.advanceLane(l, -1)
			return
		}
		m.say("space: " + m.whyNot(l))
		return
	}
	if l.observing() {
		m.serverChooses("space")
		return
	}
	m.branchHere(l, l.look.under)
	m.advanceLane(l, -1)
}

// branchHere goes back to before the step looked at and decodes on from there
// under set.
func (m *board) branchHere(l *lane, set *engine.Settings) {
	k, preset := l.look.at, l.shownPreset()
	snap := l.snapshot(fmt.Sprintf("branch at token %d", k), -1)
	at := l.branchOff(k - 1)
	snap.branch = at
	l.remember(snap)
	l.config, l.preset = set.Config(), preset
	l.tune(set)
	if at >= 0 {
		m.say(fmt.Sprintf("branched at token %d; u returns to the text it left", k))
	}
}

// next commits n tokens, or moves n steps forward when looking back.
func (m *board) next(n int) {
	l := m.lane()
	switch {
	case l.look.at > 0 && l.look.under != nil && l.observing():
		m.serverChooses("→")
	case l.look.at > 0 && l.look.under != nil:
		set := l.look.under
		m.branchHere(l, set)
		m.advanceLane(l, n)
	case l.look.at > 0 && l.look.at+n <= len(l.view.Steps):
		l.lookAt(l.look.at + n)
	case l.look.at > 0:
		l.lookAt(0)
	case l.view.Phase == engine.Paused || l.view.Phase == engine.Running:
		m.advanceLane(l, n)
	case l.canRetry():
		m.advanceLane(l, n)
		m.say("→: trying again")
	case l.view.Phase == engine.Prefill:
		m.advanceLane(l, n)
		m.say("→: one step as soon as the prompt is read")
	default:
		m.say("→: " + m.whyNot(l))
	}
}

// back looks n steps further back.
func (m *board) back(n int) {
	l := m.lane()
	switch {
	case l.view.Phase == engine.Idle || l.view.Phase == engine.Prefill:
		m.say("←: " + m.whyNot(l))
	case len(l.view.Steps) == 0:
		m.say("←: no token is written yet")
	case l.look.at == 1:
		m.say("←: this is the first token; r starts again from the prompt")
	case l.look.at > 0:
		l.lookAt(max(l.look.at-n, 1))
	default:
		if l.running() {
			l.eng.Post(engine.Advance{N: 0})
		}
		l.lookAt(max(len(l.view.Steps)-n+1, 1))
	}
}

// force writes the token under the cursor in place of the proposal.
func (m *board) force() {
	l := m.lane()
	s := l.step()
	switch {
	case l.observing():
		m.serverChooses("f")
		return
	case l.look.at > 0 && (s == nil || s.Trace == nil):
		m.say(fmt.Sprintf("f: step %d is being computed again; choose a row once it is there", l.look.at))
		return
	case s == nil || l.row == models.NoToken:
		m.say("f: no token to force yet")
		return
	}
	switch l.view.Phase {
	case engine.Idle, engine.Prefill:
		m.say("f: " + m.whyNot(l))
		return
	case engine.Failed, engine.Done:
		if l.look.at == 0 && l.view.Phase == engine.Failed {
			m.say("f: " + m.whyNot(l))
			return
		}
		if l.look.at == 0 {
			l.lookAt(len(l.view.Steps))
		}
	}
	token := l.row
	if l.look.at > 0 {
		m.branchHere(l, l.shownSettings())
	}
	l.eng.Post(engine.Advance{N: 0})
	l.eng.Post(engine.Force{Token: token})
	m.say("forced " + l.piece(token, m.ascii) + " (◆)")
}

// setPace makes a run slower or faster.
func (m *board) setPace(d int) {
	m.pace = min(max(m.pace+d, 0), len(paces)-1)
	for _, l := range m.lanes {
		l.eng.Post(engine.Pace{Every: paces[m.pace].every})
	}
	m.say("speed: " + paces[m.pace].name)
}

// again starts from the prompt with the same seed.
func (m *board) again() tea.Cmd {
	l := m.lane()
	if l.prompt == nil {
		m.say("r: " + m.whyNot(l))
		return nil
	}
	m.takeTried(l)
	m.start(l)
	m.say("again from the prompt, seed " + fmt.Sprint(l.config.Uint("seed")))
	return nil
}

// reseed starts from the prompt with a new seed.
func (m *board) reseed() tea.Cmd {
	l := m.lane()
	if l.prompt == nil {
		m.say("s: " + m.whyNot(l))
		return nil
	}
	seed := uint64(rand.Uint32N(1_000_000))
	m.takeTried(l)
	cfg, err := l.config.With("seed", seed, sampling.FromYou)
	if err != nil {
		m.complain(err.Error())
		return nil
	}
	set, err := l.compile(cfg, l.preset)
	if err != nil {
		m.complain(err.Error())
		return nil
	}
	l.remember(l.snapshot("a new seed", -1))
	l.config, l.settings = cfg, set
	m.start(l)
	m.say(fmt.Sprintf("seed %d", seed))
	return nil
}

// takeTried puts the settings that were tried on an old step in force, since
// a restart is with what the controls show.
func (m *board) takeTried(l *lane) {
	if l.look.at == 0 || l.look.under == nil {
		return
	}
	l.remember(l.snapshot("the settings before the what-if", -1))
	l.config, l.preset, l.settings = l.look.under.Config(), l.shownPreset(), l.look.under
}

// start makes the lane read its prompt. A text that is left stays reachable
// as a branch.
func (m *board) start(l *lane) {
	l.look, l.base = lookback{}, nil
	l.row = models.NoToken
	if len(l.view.Steps) > 0 {
		l.shelve()
	}
	l.eng.Post(engine.Start{Text: l.text, Prompt: l.prompt, Settings: l.settings})
	l.eng.Post(engine.Pace{Every: paces[m.pace].every})
}

// A promptMsg brings a prompt that was split into tokens.
type promptMsg struct {
	lane int
	text string
	ids  []int32
	err  error
}

// readPrompt splits text into tokens, wrapped as a chat if wrap is set, and
// then starts the lane on it.
func (m *board) readPrompt(l *lane, text string, wrap bool) tea.Cmd {
	ctx, model, id := m.ctx, l.model, l.id
	return func() tea.Msg {
		whole, err := wrapped(model, text, wrap)
		if err != nil {
			return promptMsg{id, text, nil, err}
		}
		ids, err := engine.Prompt(ctx, model, whole)
		return promptMsg{id, whole, ids, err}
	}
}

func (m *board) onPrompt(msg promptMsg) tea.Cmd {
	l := m.laneByID(msg.lane)
	if l == nil {
		return nil
	}
	if msg.err != nil {
		m.complain(viz.FirstLine(msg.err.Error()))
		return nil
	}
	if err := fits(l.model, msg.ids); err != nil {
		m.complain(err.Error())
		return nil
	}
	l.text, l.prompt = msg.text, msg.ids
	m.start(l)
	return nil
}

// fits reports a prompt that the model cannot continue.
func fits(model models.Model, ids []int32) error {
	if len(ids) == 0 {
		return fmt.Errorf("an empty prompt: this model has no token to begin a text with; type at least one letter")
	}
	if n := model.Info().ContextLen; n > 0 && len(ids) >= n {
		return fmt.Errorf("the prompt has %s tokens, the context holds %s; cut %s or more, or load another model",
			viz.Count(len(ids)), viz.Count(n), viz.Count(len(ids)-n+1))
	}
	return nil
}

// endWords says how a text ended.
func endWords(l *lane) string {
	switch l.view.Reason {
	case engine.EOS:
		return "end token"
	case engine.Length:
		return "max_new_tokens"
	case engine.ContextFull:
		return "context full"
	case engine.Stop:
		return "stop string"
	case engine.Constraint:
		return "constraint complete"
	}
	return string(l.view.Reason)
}

// adopt is the command that makes a lane hold branch b.
func adopt(b branch) engine.Command {
	return engine.Adopt{Text: b.text, Prompt: b.prompt, Steps: b.steps, Settings: b.settings}
}

// wrapped is the prompt that text stands for: itself, or what the model's
// chat template makes of it as the user's message.
func wrapped(m models.Model, text string, wrap bool) (string, error) {
	if !wrap {
		return text, nil
	}
	return chat.Render(m.Info().ChatTemplate, []chat.Message{{Role: "user", Content: text}}, chat.Options{AddGenerationPrompt: true})
}
