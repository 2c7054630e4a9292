package run

import (
	"logitscope/engine"
	"logitscope/models"
)

// Recall makes a recorded text the lane's, under the settings that hold for
// its next token: what was tried before is forgotten.
func (l *Lane) Recall(text string, prompt []int32, steps []*engine.Step, next *engine.Settings) {
	l.Text, l.Prompt, l.Settings, l.Config, l.Preset = text, prompt, next, next.Config(), l.book.Index(engine.NameOf(next.Label).Preset)
	l.Look, l.Base, l.Row, l.Undo, l.Redo = Lookback{}, nil, models.NoToken, nil, nil
	l.rebase = true
	l.Eng.Post(engine.Adopt{Text: text, Prompt: prompt, Steps: steps, Settings: next})
}

// Shelve keeps a recorded text as a branch that the timeline lists.
func (l *Lane) Shelve(text string, prompt []int32, steps []*engine.Step, next *engine.Settings) {
	l.births++
	l.Branches = append(l.Branches, branch{Born: l.births, Steps: steps, prompt: prompt, text: text, Settings: next})
}
