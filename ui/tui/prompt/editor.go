package prompt

import (
	"fmt"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"logitscope/models/chat"
	"logitscope/ui/tui/kit"
	"logitscope/ui/tui/run"
	"logitscope/viz"
)

// Editor is the prompt being written. It keeps the lines it wraps to nothing:
// drawing works them out.
type Editor struct {
	lanes   *run.Lanes
	prompts *Prompts
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

// NewEditor edits the lane's prompt, or the turns of its conversation.
func NewEditor(host kit.Host, lanes *run.Lanes, p *Prompts) (kit.View, tea.Cmd) {
	l := host.Lane()
	text, t := l.Text, p.edited()
	if t != nil {
		text = t.list[t.at].Content()
	}
	if n := strings.Count(text, "\n"); n >= kit.MaxLines {
		host.Say(fmt.Sprintf("e: the prompt has %s lines, %s fit here; --prompt-file reads longer ones", viz.Count(n+1), viz.Count(kit.MaxLines)))
		return nil, nil
	}
	e := &Editor{lanes: lanes, prompts: p, area: kit.NewTextArea(text), at: len(p.list), turns: t}
	return e, e.count(host)
}

// Text is what is written: the prompt, or the turn under the cursor.
func (e *Editor) Text() string { return e.area.Text() }

// Counted reports whether the tokens of what is written are known.
func (e *Editor) Counted() bool { return e.counted == e.key() }

// Turns are the turns as they are written, nil for a plain text.
func (e *Editor) Turns() []chat.Message {
	if e.turns == nil {
		return nil
	}
	e.put()
	return e.turns.list
}

// A countMsg brings the tokens of the text in the editor.
type countMsg struct {
	key string // of what was asked
	ids []int32
	err error
}

// count splits the text into tokens, to show how it will be read.
func (e *Editor) count(host kit.Host) tea.Cmd {
	ctx, model, asked, key := e.lanes.Ctx, host.Lane().Model, e.asked(), e.key()
	return func() tea.Msg {
		p, err := run.PromptOf(ctx, model, asked)
		return countMsg{key, p.Tokens, err}
	}
}

// Follow takes results and new views; see [kit.Follower].
func (e *Editor) Follow(host kit.Host, msg tea.Msg) tea.Cmd {
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
		return e.count(host)
	}
	return nil
}

// Frame titles the box; see [kit.Overlay].
func (e *Editor) Frame(kit.Host) viz.Frame {
	title := "prompt"
	if e.turns != nil {
		title = fmt.Sprintf("prompt · wrapped as a chat · turn %d of %d", e.turns.at+1, len(e.turns.list))
	}
	return viz.Frame{Title: title, Right: e.area.Count()}
}

// Size is how large the box wants to be; see [kit.Overlay].
func (e *Editor) Size(host kit.Host) (int, int) {
	return min(max(80, host.Screen().W*3/4), 120), max(12, host.Screen().H/2)
}

// Hints are what the footer offers; see [kit.View].
func (e *Editor) Hints(kit.Host) []kit.ID { return []kit.ID{kit.ActClose} }

// Act takes the actions it names; see [kit.View].
func (e *Editor) Act(kit.Host, *kit.Action) (tea.Cmd, bool) { return nil, true }

// Draw draws the view; see [kit.View].
func (e *Editor) Draw(c *viz.Canvas, host kit.Host) {
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
	c.Put(1, c.H-3, viz.CutTitle(e.tokenLine(host, c.W-2, c.ASCII), c.W-2), viz.Ink{})
	c.Put(1, c.H-2, viz.FirstFit(c.W-2, "keys go into the text · enter read it and start · alt+enter ctrl+j new line",
		"enter read it and start · alt+enter new line", "enter start · ctrl+j new line", "enter start"), muted)
	last := "esc leave unchanged · pgup pgdn older, newer prompt · ctrl+o from a file · ctrl+t as a chat · ctrl+l empty · ctrl+z undo"
	if e.turns != nil {
		last = viz.FirstFit(c.W-2, turnHelp...)
	}
	if e.said != "" {
		last = e.said
		if lines := viz.Fold(viz.Printable(last, c.ASCII), c.W-2, 2); len(lines) == 2 { // over the line of keys
			c.Fill(viz.Rect{X: 1, Y: c.H - 2, W: c.W - 2, H: 1}, " ", viz.Ink{})
			c.Put(1, c.H-2, lines[0], muted)
			last = lines[1]
		}
	}
	c.Put(1, c.H-1, viz.CutTitle(viz.Printable(last, c.ASCII), c.W-2), muted)
}

// tokenLine shows how the model will read the text.
func (e *Editor) tokenLine(host kit.Host, w int, ascii bool) string {
	if e.err != nil {
		return "! " + viz.Printable(viz.FirstLine(e.err.Error()), ascii)
	}
	if e.counted != e.key() {
		return "counting tokens …"
	}
	l := host.Lane()
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
func (e *Editor) Undoes() {}

// Key takes what is typed; see [kit.Typist].
func (e *Editor) Key(host kit.Host, k tea.KeyMsg) (tea.Cmd, bool) {
	e.said = ""
	if e.file != nil {
		return kit.FileKey(host, &e.file, k), true
	}
	if e.turns != nil {
		if cmd, ok := e.turnKey(host, k); ok {
			return cmd, true
		}
	}
	switch k.Type {
	case tea.KeyEsc:
		return e.leave(host), true
	case tea.KeyCtrlD:
		return e.take(host), true
	case tea.KeyEnter:
		if !k.Alt && !k.Paste {
			return e.take(host), true
		}
		k = tea.KeyMsg{Type: tea.KeyEnter}
	case tea.KeyCtrlJ:
		k = tea.KeyMsg{Type: tea.KeyEnter}
	case tea.KeyCtrlO:
		f := kit.NewField("")
		e.file = &f
		return nil, true
	case tea.KeyCtrlT:
		return e.toggleChat(host), true
	case tea.KeyPgUp:
		return e.older(host, -1), true
	case tea.KeyPgDown:
		return e.older(host, 1), true
	}
	e.area.W = max(host.Screen().Box(e.Size(host)).W-6, 1)
	if k.Type == tea.KeyTab {
		k = tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune{'\t'}}
	}
	changed := e.area.Key(k)
	e.said = e.area.Said
	if changed {
		return e.count(host), true
	}
	return nil, true
}

// older goes through the history.
func (e *Editor) older(host kit.Host, d int) tea.Cmd {
	to := e.at + d
	if to < 0 || to > len(e.prompts.list) {
		e.said = "no older prompt"
		if d > 0 {
			e.said = "no newer prompt"
		}
		return nil
	}
	if e.at == len(e.prompts.list) {
		e.typed = e.area.Text()
	}
	e.at = to
	if to == len(e.prompts.list) {
		e.area.Replace(e.typed)
	} else {
		e.area.Replace(e.prompts.list[to])
	}
	return e.count(host)
}

// leave closes the editor; a text that was written is kept among the prompts.
func (e *Editor) leave(host kit.Host) tea.Cmd {
	host.Close()
	text := e.area.Text()
	if strings.TrimSpace(text) == "" || text == host.Lane().Text || slices.Contains(e.prompts.list, text) {
		return nil
	}
	host.Say("not read; e and pgup bring back what you wrote")
	return e.prompts.remember(text)
}

// take starts on the text.
func (e *Editor) take(host kit.Host) tea.Cmd {
	if e.Counted() && e.err == nil {
		if err := run.Fits(host.Lane().Model, e.tokens); err != nil {
			e.said = "! " + err.Error()
			return nil
		}
	}
	if e.Counted() && e.err != nil {
		e.said = "! " + viz.FirstLine(e.err.Error())
		return nil
	}
	host.Close()
	return tea.Batch(e.prompts.remember(e.area.Text()), e.lanes.ReadPrompts(e.asked()))
}
