package prompt

import (
	tea "github.com/charmbracelet/bubbletea"

	"logitscope/engine"
	"logitscope/models"
	"logitscope/viz"
)

// An AssistMsg brings the model that an example weighs against the lane's.
type AssistMsg struct {
	round  int // of the example that asked for it
	target models.Model
	name   string
	model  models.Model
	err    error
	then   tea.Cmd
}

// cannot says why the lane cannot start on x, "" if it can.
func (p *Prompts) cannot(x Example) string {
	switch {
	case x.draft == "" || p.lanes.Draft.Model != nil:
		return ""
	case p.open == nil:
		return x.Kind + ": no model can be opened here; --draft names one"
	case p.lanes.Lane().Model.Info().Name != builtin:
		return x.Kind + ": needs a draft model of the same vocabulary; --draft names one"
	}
	return ""
}

// builtin is the model that examples' draft models go with.
const builtin = "fable"

// assist gives the lane the draft model that x needs, and takes back the one
// that another example gave it; then goes on.
func (p *Prompts) assist(x Example, then tea.Cmd) tea.Cmd {
	p.round++
	if p.lent && x.draft == "" {
		p.lent = false
		p.lanes.Assist(engine.Draft{})
	}
	if x.draft == "" || p.open == nil || p.lanes.Draft.Model != nil {
		return then
	}
	target, open, round := p.lanes.Lane().Model, p.open, p.round
	if m := p.drafts[x.draft]; m != nil && engine.CheckDraft(target, m) == nil {
		p.lend(m)
		return then
	}
	return func() tea.Msg {
		m, err := open(x.draft)
		if err == nil {
			if err = engine.CheckDraft(target, m); err != nil {
				m.Close()
			}
		}
		return AssistMsg{round, target, x.draft, m, err, then}
	}
}

// OnAssist takes the model that was opened, unless another example was taken
// meanwhile, or the lane has another model.
func (p *Prompts) OnAssist(msg AssistMsg) tea.Cmd {
	if stale := msg.round != p.round; stale || msg.target != p.lanes.Lane().Model {
		if msg.err == nil {
			msg.model.Close()
		}
		if stale {
			return nil
		}
		return msg.then
	}
	if msg.err != nil {
		p.lanes.Complain(viz.FirstLine(msg.err.Error()))
		return msg.then
	}
	p.lanes.Own(msg.model)
	p.drafts[msg.name] = msg.model
	p.lend(msg.model)
	return msg.then
}

// lend makes m the lane's draft model until an example that needs none.
func (p *Prompts) lend(m models.Model) {
	p.lent = true
	p.lanes.Assist(engine.Draft{Model: m})
}
