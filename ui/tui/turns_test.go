package tui

import (
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"logitscope/engine"
	"logitscope/ui/tui/prompt"
	"logitscope/ui/tui/run"
)

// talking is a lab whose model has answered a first turn.
func talking(t *testing.T, w, h int) *bench {
	t.Helper()
	b := asked(t, w, h)
	b.answer()
	return b
}

// asked is a lab whose model is to answer a first turn.
func asked(t *testing.T, w, h int) *bench {
	t.Helper()
	b := newBench(t, testOptions(t), w, h)
	b.m.Pace = len(run.Paces) - 1
	b.keys("e")
	b.keys("ctrl+l")
	b.send(typed("Hello, who are you?"))
	b.keys("ctrl+t", "enter")
	b.wait(func(v engine.View) bool { return v.Phase == engine.Paused && v.Next != nil })
	return b
}

// answer lets the model speak to the end of its turn.
func (b *bench) answer() {
	b.t.Helper()
	b.keys("space")
	b.wait(func(v engine.View) bool { return v.Phase == engine.Done })
}

// A model's turn ends where its template ends it, enter goes on with the next
// on the same cache, and undo comes back to the turn before.
func TestTurns(t *testing.T) {
	t.Parallel()
	last := 5
	if testing.Short() {
		last = 3
	}
	b := talking(t, 120, 40)
	first := b.m.Lane().View
	if text := first.Text(); first.Reason != engine.Stop || strings.Contains(text, "User:") || strings.TrimSpace(text) == "" {
		t.Fatalf("the first turn is %q, ended by %v", text, first.Reason)
	}
	for turn := 2; turn <= last; turn++ {
		b.keys("enter")
		b.has("wrapped as a chat · turn")
		b.send(typed("What is the capital of Japan?"))
		before := b.m.Lane().View
		b.keys("enter")
		b.wait(func(v engine.View) bool {
			return v.Phase == engine.Paused && v.Next != nil && len(v.Prompt) > len(before.Prompt)
		})
		v := b.m.Lane().View
		if !strings.HasPrefix(v.PromptText, before.PromptText) || strings.Count(v.PromptText, "User:") != turn || !strings.Contains(v.PromptText, strings.TrimSpace(before.Text())) {
			t.Fatalf("turn %d reads %q, after %q and the answer %q", turn, v.PromptText, before.PromptText, before.Text())
		}
		if ran, added := v.ForwardPositions-before.ForwardPositions, len(v.Prompt)-len(before.Prompt); ran > int64(added) {
			t.Errorf("turn %d: the model ran over %d tokens, %d were added", turn, ran, added)
		}
		b.answer()
	}
	newest := b.m.Lane().View
	if len(b.m.Lane().Talk.Messages) != 2*last-1 {
		t.Errorf("%d messages after %d turns, want %d", len(b.m.Lane().Talk.Messages), last, 2*last-1)
	}
	for range last - 1 {
		b.keys("u")
	}
	b.wait(func(v engine.View) bool { return v.PromptText == first.PromptText && v.Text() == first.Text() })
	for range last - 1 {
		b.keys("U")
	}
	b.wait(func(v engine.View) bool { return v.PromptText == newest.PromptText && v.Text() == newest.Text() })
	if n := len(b.m.Lane().Talk.Messages); n != 2*last-1 {
		t.Errorf("%d messages after undo and redo, want %d", n, 2*last-1)
	}
}

// Turns are added, removed, moved, and given another role.
func TestTurnEditor(t *testing.T) {
	t.Parallel()
	b := newBench(t, testOptions(t), 120, 40)
	b.keys("e")
	b.keys("ctrl+l")
	b.send(typed("A"))
	b.keys("ctrl+t")
	e := b.m.top().(*prompt.Editor)
	got := func() (list []string) {
		for _, m := range e.Turns() {
			list = append(list, m.Role()+" "+m.Content())
		}
		return list
	}
	want := func(list ...string) {
		t.Helper()
		if strings.Join(got(), "|") != strings.Join(list, "|") {
			t.Errorf("turns %q, want %q", got(), list)
		}
	}
	b.keys("ctrl+n")
	b.send(typed("B"))
	want("user A", "assistant B")
	b.keys("ctrl+n")
	b.send(typed("C"))
	want("user A", "assistant B", "user C")
	b.keys("pgup", "pgup")
	for range 3 {
		b.keys("ctrl+r")
	}
	want("system A", "assistant B", "user C")
	b.send(tea.KeyMsg{Type: tea.KeyDown, Alt: true})
	want("assistant B", "system A", "user C")
	b.keys("ctrl+x")
	want("assistant B", "user C")
	b.keys("ctrl+x")
	b.keys("ctrl+x")
	want("assistant B")
	b.has("the last turn stays")
	b.keys("ctrl+t")
	if e.Turns() != nil || e.Text() != "B" {
		t.Errorf("as a plain text it is %q", e.Text())
	}
}

// The template's own text and hidden reasoning fold away, and come back.
func TestFold(t *testing.T) {
	t.Parallel()
	b := asked(t, 120, 40)
	b.has("Assistant:")
	b.keys("ctrl+f")
	b.lacks("Assistant:")
	b.has("⟨user⟩ Hello, who are you?")
	b.keys("ctrl+f")
	b.has("Assistant:")
}

// What a template refuses is said in its words, and the text stays.
func TestTurnsRefused(t *testing.T) {
	t.Parallel()
	b := talking(t, 120, 40)
	b.m.Lane().Talk.Template = "{{ raise_exception('one turn only') }}"
	b.keys("e")
	e := b.m.top().(*prompt.Editor)
	b.send(typed("x"))
	b.wait(func(engine.View) bool { return e.Counted() })
	b.has("one turn only")
	text := e.Text()
	b.keys("enter")
	if b.m.top() != e || e.Text() != text {
		t.Error("the editor closed on a conversation that the template refuses")
	}
}
