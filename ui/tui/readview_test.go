package tui

import (
	"slices"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"logitscope/sampling"
	"logitscope/ui/tui/kit"
)

const miller = "Once upon a time there was a poor miller who had a beautiful daughter. One day he told the king that she could spin straw into gold, and the king believed him."

// A text is pasted and read; a knob changes what could have been written, at
// all of its steps; space and f go on from a token in the lab.
func TestReadAText(t *testing.T) {
	b := newLanes(t, 120, 40, "chat")
	b.keys("R")
	b.typed(miller)
	b.keys("ctrl+d")
	wait := func(words ...string) {
		t.Helper()
		b.pump(func() bool {
			f := b.frame()
			return !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(f, w) })
		})
		for _, w := range words {
			if !strings.Contains(b.frame(), w) {
				t.Fatalf("want %q:\n%s", w, b.frame())
			}
		}
	}
	wait("■ read", "pasted text, 159 bytes", "38 tokens, 159 bytes", "3.52 bits a token", "0.841 bits a byte", "best token in 16 of 38", "10 tokens it could never have", "token 1 Once: 5.24 bits, rank 9")
	for range 8 {
		b.keys("right")
	}
	wait("token 9 of the text", "149 ◆ ␣mill", "cut by top_k")
	b.keys("[")
	if !strings.Contains(b.frame(), "could have written all tokens that way") {
		t.Errorf("no ✗ stands before token 9:\n%s", b.frame())
	}
	b.keys("]")
	wait("token 20 of the text", "◆ ␣told")

	// Neutral cuts nothing.
	if !b.m.Apply(sampling.Config{}.MustWith("top_k", 0, sampling.FromYou), -1, "", "all off") {
		t.Fatal("the settings were not taken")
	}
	wait("could have written all of it")
	if strings.Contains(b.frame(), "✗✗") {
		t.Errorf("a token is still cut:\n%s", b.frame())
	}
	for _, size := range [][2]int{{80, 24}, {60, 20}, {40, 12}, {200, 60}, {20, 5}} {
		b.send(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
		if f := b.frame(); strings.Count(f, "\n") != size[1]-1 {
			t.Errorf("%v: %d lines", size, strings.Count(f, "\n")+1)
		}
	}
	b.send(tea.WindowSizeMsg{Width: 120, Height: 40})
	b.keys("m")
	wait("coloured by entropy")

	b.keys("down", "f")
	b.pump(func() bool { return b.m.screen.id == kit.ViewLab && b.m.Lane().View.Next != nil })
	l := b.m.Lane()
	if n := len(l.Prompt); n != 21 || strings.HasSuffix(l.Text, "told") || !strings.HasPrefix(l.Text, "Once upon a time there was a poor miller") {
		t.Errorf("f: prompt of %d tokens, %q", n, l.Text)
	}
	b.keys("R")
	b.typed(miller)
	b.keys("ctrl+d")
	wait("■ read")
	b.keys("end", "space")
	b.pump(func() bool { return b.m.screen.id == kit.ViewLab && b.m.Lane().View.Next != nil })
	if l := b.m.Lane(); l.Text != miller {
		t.Errorf("space: %q", l.Text)
	}
}

// A text longer than the context is read in windows, and says so; esc leaves
// the field, then the view.
func TestReadALongText(t *testing.T) {
	b := newLanes(t, 120, 40, "chat")
	b.keys("R")
	if b.keys("ctrl+d"); !strings.Contains(b.frame(), "nothing to read yet") {
		t.Errorf("an empty text is read:\n%s", b.frame())
	}
	b.typed(strings.Repeat(miller+" ", 20))
	b.keys("ctrl+d")
	b.pump(func() bool { return strings.Contains(b.frame(), "read in 2 windows") })
	if f := b.frame(); !strings.Contains(f, "the context holds 512: read in ") {
		t.Errorf("windows are not said:\n%s", f)
	}
	if b.keys("end"); !strings.Contains(b.frame(), "token 761 ␣: ") {
		t.Errorf("end is not the last token:\n%s", b.frame())
	}
	b.keys("R", "esc")
	if !strings.Contains(b.frame(), "timeline") {
		t.Errorf("esc does not go back to the text:\n%s", b.frame())
	}
	if b.keys("esc"); b.m.screen.id != kit.ViewLab {
		t.Errorf("esc leaves %s", b.m.screen.id)
	}
}
