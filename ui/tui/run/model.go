package run

import (
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"logitscope/engine"
	"logitscope/models"
)

// ChangeModel gives a lane another model: the same settings and prompt, from
// the beginning.
func (ls *Lanes) ChangeModel(id int, model models.Model) tea.Cmd {
	i := slices.IndexFunc(ls.All, func(l *Lane) bool { return l.ID == id })
	if i < 0 {
		ls.Complain("the lane is gone")
		return nil
	}
	old := ls.All[i]
	draft := ls.Draft
	if draft.Model != nil && engine.CheckDraft(model, draft.Model) != nil {
		draft = engine.Draft{}
	}
	next := id
	for _, l := range append(slices.Clone(ls.All), ls.Parked...) {
		next = max(next, l.ID+1)
	}
	l := ls.NewLane(next, model, draft, old.Config, old.Preset)
	set, err := l.Compile(l.Config, l.Preset)
	if err != nil {
		ls.Complain(model.Info().Name + ": " + err.Error())
		return nil
	}
	l.Settings, l.Text, l.Undo = set, old.Text, old.Undo
	for k := range l.Undo {
		l.Undo[k].Branch, l.Undo[k].Pins = -1, nil // they are of the other vocabulary
	}
	old.Stop()
	ls.All[i] = l
	if len(ls.All) == 1 {
		ls.Draft = draft
	}
	cmd := ls.StartLane(l)
	ls.Warm(l)
	l.Eng.Post(engine.Pace{Every: ls.every()})
	ls.Conduct()
	ls.Say(strings.TrimSpace(model.Info().Name+" "+model.Info().Quant) + ": the same prompt and settings, from the beginning")
	if l.Text == "" {
		return cmd
	}
	return tea.Batch(cmd, ls.ReadPrompt(l, Asked{Text: l.Text, Talk: old.Talk}))
}
