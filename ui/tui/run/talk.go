package run

import (
	"context"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"logitscope/engine"
	"logitscope/models"
	"logitscope/models/chat"
	"logitscope/viz"
)

// Asked is what a lane is asked to go on from: a text, or a conversation.
type Asked struct {
	Text string
	Talk *chat.Conversation // nil for a plain text

	// On goes on with the conversation that the lane holds: what its cache
	// has of the new prompt is kept.
	On bool
}

// PromptOf is the prompt that a model reads for what is asked.
func PromptOf(ctx context.Context, m models.Model, a Asked) (chat.Prompt, error) {
	if a.Talk == nil {
		ids, err := engine.Prompt(ctx, m, a.Text)
		return chat.Prompt{Text: a.Text, Tokens: ids}, err
	}
	t, err := chat.For(m, *a.Talk)
	if err != nil {
		return chat.Prompt{}, err
	}
	return t.Prompt(ctx, m, *a.Talk)
}

// A PromptMsg brings a prompt that was split into tokens.
type PromptMsg struct {
	Lane int
	Text string
	IDs  []int32
	Err  error

	Talk  *chat.Conversation // that Text renders; nil for a plain text
	Ends  chat.Ends          // of the model's turn
	Turns []models.Message   // for a server that wraps them itself
	Note  string             // what to say of them
	On    bool               // the lane goes on with its conversation
}

// ReadPrompt makes a prompt of what is asked, and then starts the lane on it.
func (ls *Lanes) ReadPrompt(l *Lane, a Asked) tea.Cmd {
	ctx, model, id := ls.Ctx, l.Model, l.ID
	return func() tea.Msg {
		p, err := PromptOf(ctx, model, a)
		return PromptMsg{Lane: id, Text: p.Text, IDs: p.Tokens, Err: err, Talk: a.Talk, Ends: p.Ends, Turns: p.Turns, Note: p.Note, On: a.On}
	}
}

// OnPrompt starts a lane on the prompt that was read.
func (ls *Lanes) OnPrompt(msg PromptMsg) tea.Cmd {
	l := ls.ByID(msg.Lane)
	if l == nil {
		return nil
	}
	if msg.Err != nil {
		ls.Complain(viz.FirstLine(msg.Err.Error()))
		return nil
	}
	if err := Fits(l.Model, msg.IDs); err != nil {
		ls.Complain(err.Error())
		return nil
	}
	ended := l.ends
	l.ends = msg.Ends
	if !slices.Equal(ended.Texts, msg.Ends.Texts) || !slices.Equal(ended.Tokens, msg.Ends.Tokens) {
		set, err := l.Compile(l.Config, l.Preset)
		if err != nil {
			l.ends = ended
			ls.Complain(err.Error())
			return nil
		}
		l.Settings = set
	}
	l.turns = msg.Turns
	if msg.Note != "" {
		ls.Say(msg.Note)
	}
	if msg.On && !l.Observing() {
		ls.goOnTalking(l, msg)
		return nil
	}
	l.Text, l.Prompt, l.Talk, l.Cues = msg.Text, msg.IDs, msg.Talk, nil
	ls.Start(l)
	return nil
}

// goOnTalking makes the lane read the next turn of its conversation. The text
// of the turn before stays reachable by undo.
func (ls *Lanes) goOnTalking(l *Lane, msg PromptMsg) {
	ls.takeTried(l)
	snap := l.Snapshot("the turn before", -1)
	l.Look, l.Base, l.Row = Lookback{}, nil, models.NoToken
	if len(l.View.Steps) > 0 {
		snap.Branch = l.shelve()
		l.Remember(snap)
	}
	l.Text, l.Prompt, l.Talk = msg.Text, msg.IDs, msg.Talk
	l.Eng.Post(engine.Adopt{Text: l.Text, Prompt: l.Prompt, Settings: l.Settings})
	l.Eng.Post(engine.Pace{Every: Paces[ls.Pace].Every})
}

// TurnsOf is the conversation that a prompt of the lane renders, nil for a
// plain text and for a prompt that is no longer the lane's.
func (l *Lane) TurnsOf(prompt string) []chat.Message {
	if l.Talk == nil || l.Text != prompt {
		return nil
	}
	return l.Talk.Messages
}

// Said is the lane's conversation, with what the model has said so far as its
// last turn.
func (l *Lane) Said() []chat.Message {
	turns := slices.Clone(l.Talk.Messages)
	text := l.View.Text()
	if l.Talk.Open {
		last := turns[len(turns)-1]
		turns[len(turns)-1] = last.With(last.Role(), last.Content()+strings.TrimRight(text, " \n"))
	} else if text = strings.TrimSpace(text); text != "" {
		turns = append(turns, chat.Text("assistant", text))
	}
	return turns
}

// Fold folds what a conversation shows beside its words, or shows it again.
func (ls *Lanes) Fold() {
	l := ls.Lane()
	if from, to := l.Thinking(); l.Talk == nil && from == to {
		ls.Say("ctrl+f folds a template's text and hidden reasoning; there is none here")
		return
	}
	ls.Folded = !ls.Folded
	if ls.Folded {
		ls.Say("the template's text and hidden reasoning are folded; ctrl+f shows them")
		return
	}
	ls.Say("the template's text and hidden reasoning are shown")
}

// Thinking returns the steps of the lane's hidden reasoning, from the first to
// the one after the last, counted from 0, its marks included; both are 0 where
// there is none. It is open to the end while the model still reasons.
func (l *Lane) Thinking() (from, to int) {
	steps := l.View.Steps
	voc := l.Vocab()
	var text []byte
	ends := make([]int, len(steps))
	for i, s := range steps {
		text = append(text, voc.Piece(s.Token)...)
		ends[i] = len(text)
	}
	begin, end := chat.Reasoning(text, l.Talk != nil && chat.Reasons(l.View.PromptText))
	if begin == end {
		return 0, 0
	}
	from, _ = slices.BinarySearch(ends, begin+1)
	to, _ = slices.BinarySearch(ends, end)
	return from, min(to+1, len(steps))
}

// A part is a piece of a prompt: a message's words, or the template's text
// around them.
type part struct {
	text  string
	words bool
	role  string // of the words
}

// parts divides the prompt of a conversation. Words that the template changed
// are part of its text.
func (l *Lane) parts() (list []part) {
	rest := l.View.PromptText
	for _, m := range l.Talk.Messages {
		words := strings.TrimSpace(m.Content())
		at := strings.Index(rest, words)
		if words == "" || at < 0 {
			continue
		}
		list = append(list, part{text: rest[:at]}, part{text: words, words: true, role: m.Role()})
		rest = rest[at+len(words):]
	}
	return append(list, part{text: rest})
}
