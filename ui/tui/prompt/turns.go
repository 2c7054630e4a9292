package prompt

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"logitscope/models/chat"
	"logitscope/ui/tui/kit"
	"logitscope/ui/tui/run"
	"logitscope/viz"
)

// turns are a conversation being written. The text of the turn at at is in the
// editor's area; what list has of it is what it was.
type turns struct {
	list []chat.Message
	at   int
	base chat.Conversation // what goes with the turns: tools, variables, a template
	on   bool              // they go on from the conversation that the lane holds
}

// turnRoles are what a turn's role goes through.
var turnRoles = []string{"system", "user", "assistant", "tool"}

// turnHelp are the keys of turns, longest first.
var turnHelp = []string{
	"pgup pgdn turn · ctrl+r role · ctrl+n add · ctrl+x remove · alt+↑↓ move · ctrl+t as a plain text · esc leave",
	"pgup pgdn turn · ctrl+r role · ctrl+n add · ctrl+x remove · alt+↑↓ move",
	"pgup pgdn turn · ctrl+r role · ctrl+n add · ctrl+x remove",
	"pgup pgdn turn · ctrl+r role",
}

// put keeps the text of the area in its turn.
func (e *Editor) put() {
	t := e.turns
	if m := t.list[t.at]; m.Content() != e.area.Text() {
		t.list[t.at] = m.With(m.Role(), e.area.Text())
	}
}

// goTo puts the text of another turn into the area.
func (e *Editor) goTo(at int) {
	e.turns.at = at
	e.area.Replace(e.turns.list[at].Content())
}

// asked is what the editor's text asks of a lane.
func (e *Editor) asked() run.Asked {
	if e.turns == nil {
		return run.Asked{Text: e.area.Text()}
	}
	e.put()
	c := e.turns.base
	c.Messages = slices.Clone(e.turns.list)
	last := c.Messages[len(c.Messages)-1]
	c.Open = last.Role() == "assistant" && last.Content() != ""
	return run.Asked{Text: e.area.Text(), Talk: &c, On: e.turns.on}
}

// key identifies what the editor asks.
func (e *Editor) key() string {
	a := e.asked()
	if a.Talk == nil {
		return a.Text
	}
	data, err := json.Marshal(a.Talk.Messages)
	if err != nil {
		return a.Text
	}
	return "[" + string(data)
}

// turnKey is a key about the turns; false if it is another.
func (e *Editor) turnKey(host kit.Host, k tea.KeyMsg) (tea.Cmd, bool) {
	t := e.turns
	n := len(t.list)
	switch {
	case k.Type == tea.KeyPgUp || k.Type == tea.KeyPgDown:
		to := t.at + 1
		if k.Type == tea.KeyPgUp {
			to = t.at - 1
		}
		if to < 0 || to >= n {
			e.said = "no turn there; ctrl+n adds one"
			return nil, true
		}
		e.put()
		e.goTo(to)
		return nil, true
	case k.Type == tea.KeyCtrlR:
		role := turnRoles[(slices.Index(turnRoles, t.list[t.at].Role())+1)%len(turnRoles)]
		t.list[t.at] = t.list[t.at].With(role, e.area.Text())
	case k.Type == tea.KeyCtrlN:
		e.put()
		role := "user"
		if t.list[t.at].Role() == "user" {
			role = "assistant"
		}
		t.list = slices.Insert(t.list, t.at+1, chat.Text(role, ""))
		e.goTo(t.at + 1)
	case k.Type == tea.KeyCtrlX:
		if n == 1 {
			e.said = "the last turn stays; ctrl+l empties it"
			return nil, true
		}
		t.list = slices.Delete(t.list, t.at, t.at+1)
		e.goTo(min(t.at, n-2))
	case k.Alt && (k.Type == tea.KeyUp || k.Type == tea.KeyDown):
		to := t.at + 1
		if k.Type == tea.KeyUp {
			to = t.at - 1
		}
		if to < 0 || to >= n {
			e.said = "no turn to change places with"
			return nil, true
		}
		e.put()
		t.list[t.at], t.list[to] = t.list[to], t.list[t.at]
		t.at = to
	default:
		return nil, false
	}
	return e.count(host), true
}

// toggleChat makes the text the user's turn of a conversation, or a plain text.
func (e *Editor) toggleChat(host kit.Host) tea.Cmd {
	if !host.Lane().Model.Info().Chats() {
		e.said = "this model has no chat template"
		return nil
	}
	if e.turns != nil {
		e.put()
		e.turns = nil
	} else {
		e.turns = &turns{list: []chat.Message{chat.Text("user", e.area.Text())}}
	}
	e.counted = ""
	return e.count(host)
}

// drawTurns lists the turns in at most h lines, that of the area among them,
// and returns how many lines it took.
func (e *Editor) drawTurns(c *viz.Canvas, h int) int {
	t := e.turns
	h = min(h, len(t.list))
	top := max(0, min(t.at-h/2, len(t.list)-h))
	for y := range h {
		i := top + y
		text, ink := t.list[i].Content(), viz.Ink{Role: viz.Muted}
		mark := "  "
		if i == t.at {
			text, ink, mark = e.area.Text(), viz.Ink{Role: viz.Focus}, "▸ "
			if c.ASCII {
				mark = "> "
			}
		}
		line := fmt.Sprintf("%s%-10s", mark, t.list[i].Role()) + strings.ReplaceAll(text, "\n", " ")
		c.Put(1, y, viz.CutTitle(viz.Printable(line, c.ASCII), c.W-2), ink)
	}
	return h
}
