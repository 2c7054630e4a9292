package run

import (
	tea "github.com/charmbracelet/bubbletea"

	"logitscope/engine"
	"logitscope/models"
	"logitscope/models/chat"
	"logitscope/sampling"
)

// Alone takes all lanes but the first off the screen, and stops them.
func (ls *Lanes) Alone() {
	for _, l := range append(ls.All[1:len(ls.All):len(ls.All)], ls.Parked...) {
		l.Stop()
	}
	ls.All, ls.Parked, ls.Cur = ls.All[:1:1], nil, 0
	ls.Conduct()
}

// Exchange gives the first lane another model and forgets its text.
func (ls *Lanes) Exchange(m models.Model) tea.Cmd {
	l := ls.All[0]
	l.Text, l.Talk = "", nil
	return ls.ChangeModel(l.ID, m)
}

// Assist gives the lane that keys act on another draft, the zero value none.
// Lanes put beside it later have the same.
func (ls *Lanes) Assist(d engine.Draft) {
	ls.Draft = d
	ls.Lane().Eng.Post(engine.Assist{Draft: d})
}

// Restart makes the lane read a prompt under cfg, as if the lab had begun with
// it. A text that is left stays reachable as a branch.
func (l *Lane) Restart(text string, ids []int32, cfg sampling.Config, preset int) error {
	l.ends = chat.Ends{}
	set, err := l.Compile(cfg, preset)
	if err != nil {
		return err
	}
	l.Config, l.Preset, l.Settings = cfg, preset, set
	l.Text, l.Prompt, l.Talk, l.turns, l.Cues = text, ids, nil, nil, nil
	l.Look, l.Base, l.Row = Lookback{}, nil, models.NoToken
	if len(l.View.Steps) > 0 {
		l.shelve()
	}
	l.Eng.Post(engine.Start{Text: text, Prompt: ids, Settings: set})
	return nil
}

// Searches reports whether the newest settings make the lane search instead of
// drawing: it then proposes no token.
func (l *Lane) Searches() bool { return l.Settings != nil && l.Settings.Searches() }

// SetPins makes traces follow these tokens, at most [sampling.MaxPins].
func (l *Lane) SetPins(pins []int32) { l.setPins(pins) }
