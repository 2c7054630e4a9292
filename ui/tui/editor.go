package tui

import (
	"fmt"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"logitscope/engine"
	"logitscope/ui/tui/kit"
	"logitscope/ui/tui/run"
	"logitscope/viz"
)

// maxHistory is how many prompts are kept.
const maxHistory = 200

// editor is the prompt being written. It keeps the lines it wraps to nothing:
// drawing works them out.
type editor struct {
	area    kit.TextArea
	at      int        // place in the history, len(history) for what is being typed
	typed   string     // what was typed before going back in the history
	file    *kit.Field // the name of a file being asked for, nil if none is
	turns   *turns     // the conversation that the text is a turn of; nil for a plain text
	said    string
	counted string // what tokens are of
	tokens  []int32
	err     error
}

func newEditor(m *Model) (kit.View, tea.Cmd) {
	l := m.Lane()
	text, t := l.Text, m.editedTurns()
	if t != nil {
		text = t.list[t.at].Content()
	}
	if n := strings.Count(text, "\n"); n >= kit.MaxLines {
		m.Say(fmt.Sprintf("e: the prompt has %s lines, %s fit here; --prompt-file reads longer ones", viz.Count(n+1), viz.Count(kit.MaxLines)))
		return nil, nil
	}
	e := &editor{area: kit.NewTextArea(text), at: len(m.history), turns: t}
	return e, e.count(m)
}

// editPrompt opens the editor; a run pauses for it.
func (m *Model) editPrompt() tea.Cmd {
	l := m.Lane()
	switch l.View.Phase {
	case engine.Running:
		l.Eng.Post(engine.Advance{N: 0})
	case engine.Prefill:
		l.Eng.Post(engine.Cancel{})
	}
	return m.Open(kit.ViewPrompt)
}

// A countMsg brings the tokens of the text in the editor.
type countMsg struct {
	key string // of what was asked
	ids []int32
	err error
}

// count splits the text into tokens, to show how it will be read.
func (e *editor) count(m *Model) tea.Cmd {
	ctx, model, asked, key := m.Ctx, m.Lane().Model, e.asked(), e.key()
	return func() tea.Msg {
		p, err := run.PromptOf(ctx, model, asked)
		return countMsg{key, p.Tokens, err}
	}
}

// Follow takes results and new views; see [kit.Follower].
func (e *editor) Follow(host kit.Host, msg tea.Msg) tea.Cmd {
	m := host.(*Model)
	switch msg := msg.(type) {
	case countMsg:
		if msg.key == e.key() {
			e.counted, e.tokens, e.err = msg.key, msg.ids, msg.err
		}
	case kit.FileMsg:
		if msg.Err != nil {
			e.said = "! " + msg.Err.Error()
			return nil
		}
		e.area.Replace(msg.Text)
		e.said = e.area.Said
		return e.count(m)
	}
	return nil
}

// Frame titles the box; see [kit.Overlay].
func (e *editor) Frame(kit.Host) viz.Frame {
	title := "prompt"
	if e.turns != nil {
		title = fmt.Sprintf("prompt · wrapped as a chat · turn %d of %d", e.turns.at+1, len(e.turns.list))
	}
	return viz.Frame{Title: title, Right: e.area.Count()}
}

// Size is how large the box wants to be; see [kit.Overlay].
func (e *editor) Size(host kit.Host) (int, int) {
	m := host.(*Model)
	return min(max(80, m.w*3/4), 120), max(12, m.h/2)
}

// Hints are what the footer offers; see [kit.View].
func (e *editor) Hints(kit.Host) []kit.ID { return []kit.ID{kit.ActClose} }

// Act takes the actions it names; see [kit.View].
func (e *editor) Act(kit.Host, *kit.Action) (tea.Cmd, bool) { return nil, true }

// Draw draws the view; see [kit.View].
func (e *editor) Draw(c *viz.Canvas, host kit.Host) {
	m := host.(*Model)
	top := 0
	if e.turns != nil {
		top = e.drawTurns(c, max((c.H-3)/3, 1))
	}
	e.area.Draw(c.Sub(viz.Rect{X: 0, Y: top, W: c.W, H: max(c.H-3-top, 1)}), 3, -1)
	muted := viz.Ink{Role: viz.Muted}
	if e.file != nil {
		e.file.Draw(c, c.Put(1, c.H-3, "file to read: ", viz.Ink{Role: viz.Focus}), c.H-3)
		c.Put(1, c.H-2, "enter reads it into the prompt · esc leaves it", muted)
		return
	}
	c.Put(1, c.H-3, viz.CutTitle(e.tokenLine(m, c.W-2, c.ASCII), c.W-2), viz.Ink{})
	c.Put(1, c.H-2, viz.FirstFit(c.W-2, "keys go into the text · enter read it and start · alt+enter ctrl+j new line",
		"enter read it and start · alt+enter new line", "enter start · ctrl+j new line", "enter start"), muted)
	last := "esc leave unchanged · pgup pgdn older, newer prompt · ctrl+o from a file · ctrl+t as a chat · ctrl+l empty · ctrl+z undo"
	if e.turns != nil {
		last = viz.FirstFit(c.W-2, turnHelp...)
	}
	if e.said != "" {
		last = e.said
	}
	c.Put(1, c.H-1, viz.CutTitle(viz.Printable(last, c.ASCII), c.W-2), muted)
}

// tokenLine shows how the model will read the text.
func (e *editor) tokenLine(m *Model, w int, ascii bool) string {
	if e.err != nil {
		return "! " + viz.Printable(viz.FirstLine(e.err.Error()), ascii)
	}
	if e.counted != e.key() {
		return "counting tokens …"
	}
	l := m.Lane()
	s := viz.Plural(len(e.tokens), "token")
	if n := l.Model.Info().ContextLen; n > 0 {
		s += " of " + viz.Count(n)
	}
	count := s
	s += ": "
	end := " … (each · a token border)"
	for i, id := range e.tokens {
		p := l.Piece(id, ascii)
		if i > 0 {
			p = "·" + p
		}
		switch full := viz.Width(s)+viz.Width(p)+viz.Width(end) > w; {
		case full && i < 2:
			return count // no border fits
		case full:
			return s + end
		}
		s += p
	}
	return s + "  (each · a token border)"
}

// Undoes marks the editor as a [kit.Writer].
func (e *editor) Undoes() {}

// Key takes what is typed; see [kit.Typist].
func (e *editor) Key(host kit.Host, k tea.KeyMsg) (tea.Cmd, bool) {
	m := host.(*Model)
	e.said = ""
	if e.file != nil {
		return kit.FileKey(&e.file, k), true
	}
	if e.turns != nil {
		if cmd, ok := e.turnKey(m, k); ok {
			return cmd, true
		}
	}
	switch k.Type {
	case tea.KeyEsc:
		return e.leave(m), true
	case tea.KeyCtrlD:
		return e.take(m), true
	case tea.KeyEnter:
		if !k.Alt && !k.Paste {
			return e.take(m), true
		}
		k = tea.KeyMsg{Type: tea.KeyEnter}
	case tea.KeyCtrlJ:
		k = tea.KeyMsg{Type: tea.KeyEnter}
	case tea.KeyCtrlO:
		f := kit.NewField("")
		e.file = &f
		return nil, true
	case tea.KeyCtrlT:
		return e.toggleChat(m), true
	case tea.KeyPgUp:
		return e.older(m, -1), true
	case tea.KeyPgDown:
		return e.older(m, 1), true
	}
	e.area.W = max(m.Screen().Box(e.Size(m)).W-6, 1)
	if k.Type == tea.KeyTab {
		k = tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune{'\t'}}
	}
	changed := e.area.Key(k)
	e.said = e.area.Said
	if changed {
		return e.count(m), true
	}
	return nil, true
}

// older goes through the history.
func (e *editor) older(m *Model, d int) tea.Cmd {
	to := e.at + d
	if to < 0 || to > len(m.history) {
		e.said = "no older prompt"
		if d > 0 {
			e.said = "no newer prompt"
		}
		return nil
	}
	if e.at == len(m.history) {
		e.typed = e.area.Text()
	}
	e.at = to
	if to == len(m.history) {
		e.area.Replace(e.typed)
	} else {
		e.area.Replace(m.history[to])
	}
	return e.count(m)
}

// leave closes the editor; a text that was written is kept among the prompts.
func (e *editor) leave(m *Model) tea.Cmd {
	m.Close()
	text := e.area.Text()
	if strings.TrimSpace(text) == "" || text == m.Lane().Text || slices.Contains(m.history, text) {
		return nil
	}
	m.Say("not read; e and pgup bring back what you wrote")
	return m.remember(text)
}

// take starts on the text.
func (e *editor) take(m *Model) tea.Cmd {
	if e.counted == e.key() && e.err == nil {
		if err := run.Fits(m.Lane().Model, e.tokens); err != nil {
			e.said = "! " + err.Error()
			return nil
		}
	}
	if e.counted == e.key() && e.err != nil {
		e.said = "! " + viz.FirstLine(e.err.Error())
		return nil
	}
	m.Close()
	return tea.Batch(m.remember(e.area.Text()), m.ReadPrompts(e.asked()))
}
