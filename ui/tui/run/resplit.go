package run

import (
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"logitscope/engine"
	"logitscope/models/chat"
)

// Strayed reports whether the server read the lane's text as other tokens than
// were chosen, so that its probabilities are those of another prefix.
func (l *Lane) Strayed() bool {
	return l.View.Next != nil && l.View.Next.Strayed || slices.ContainsFunc(l.View.Steps, func(s *engine.Step) bool { return s.Strayed })
}

// Resplit goes on with the lane's text as the server itself splits it: what
// was written becomes part of the prompt. The text before stays a branch.
func (ls *Lanes) Resplit() tea.Cmd {
	l := ls.Lane()
	if !l.Strayed() {
		ls.Say("the server reads the very tokens that were chosen: there is no other split")
		return nil
	}
	written := l.View.Text()
	a := Asked{Text: l.View.PromptText + written, On: true}
	if l.Talk != nil {
		talk := *l.Talk
		talk.Messages = slices.Clone(talk.Messages)
		if last := len(talk.Messages) - 1; talk.Open && last >= 0 {
			m := talk.Messages[last]
			talk.Messages[last] = m.With(m.Role(), m.Content()+written)
		} else {
			talk.Messages, talk.Open = append(talk.Messages, chat.Text("assistant", written)), true
		}
		a = Asked{Talk: &talk, On: true}
	}
	ls.Say("the server's own split goes on; u returns to the tokens that were chosen")
	return ls.ReadPrompt(l, a)
}
