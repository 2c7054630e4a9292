package prompt

import (
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"logitscope/engine"
	"logitscope/models"
	"logitscope/models/chat"
	"logitscope/ui/store"
	"logitscope/ui/tui/disk"
	"logitscope/ui/tui/kit"
	"logitscope/ui/tui/run"
)

// maxHistory is how many prompts are kept.
const maxHistory = 200

// Prompts are what was written for the lanes to continue: the history of
// prompts, and the turn of a conversation that is about to be edited.
type Prompts struct {
	lanes *run.Lanes
	past  *store.History // where the history is kept; nil for nowhere
	list  []string       // newest last
	turns *turns         // what the editor opens with, nil for the lane's text
	open  func(name string) (models.Model, error)

	lent   bool                    // an example gave the lane a draft model
	drafts map[string]models.Model // that were opened for examples, by name
	round  int                     // of examples taken
}

// New returns the prompts for these lanes; nothing is kept. open opens the
// models of examples that need another one; nil where none can be opened.
func New(lanes *run.Lanes, open func(name string) (models.Model, error)) *Prompts {
	return &Prompts{lanes: lanes, open: open, drafts: make(map[string]models.Model)}
}

// Keep keeps the history behind door from now on, and reads what is there.
func (p *Prompts) Keep(door *disk.Door) (err error) {
	if p.past = door.History(maxHistory); p.past != nil {
		p.list, err = p.past.Load()
	}
	return err
}

// remember puts a prompt at the end of the history and saves it.
func (p *Prompts) remember(text string) tea.Cmd {
	if n := len(p.list); n > 0 && p.list[n-1] == text {
		return nil
	}
	p.list = append(p.list[:len(p.list):len(p.list)], text)
	if len(p.list) > maxHistory {
		p.list = p.list[len(p.list)-maxHistory:]
	}
	if p.past == nil {
		return nil
	}
	past := *p.past
	return func() tea.Msg {
		// A history that cannot be saved is no reason to stop; the next start
		// begins without it.
		_ = past.Add(text)
		return nil
	}
}

// All lists the prompts, newest last.
func (p *Prompts) All() []string { return p.list }

// Edit opens the editor; a run pauses for it.
func (p *Prompts) Edit(host kit.Host) tea.Cmd {
	l := host.Lane()
	switch l.View.Phase {
	case engine.Running:
		l.Eng.Post(engine.Advance{N: 0})
	case engine.Prefill:
		l.Eng.Post(engine.Cancel{})
	}
	return host.Open(kit.ViewPrompt)
}

// NextTurn opens the editor for the user's next turn of the lane's
// conversation.
func (p *Prompts) NextTurn(host kit.Host) tea.Cmd {
	l := host.Lane()
	list := append(l.Said(), chat.Text("user", ""))
	p.turns = &turns{list: list, at: len(list) - 1, base: *l.Talk, on: true}
	return p.Edit(host)
}

// edited are the turns that the editor opens with, nil for a plain text.
func (p *Prompts) edited() *turns {
	t := p.turns
	p.turns = nil
	if l := p.lanes.Lane(); t == nil && l.Talk != nil {
		t = &turns{list: slices.Clone(l.Talk.Messages), base: *l.Talk}
		t.at = len(t.list) - 1
	}
	return t
}
