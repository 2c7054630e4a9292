package vote

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"logitscope/engine/bench/votes"
	"logitscope/sampling"
	"logitscope/ui/tui/kit"
	"logitscope/ui/tui/run"
	"logitscope/viz"
)

var update = flag.Bool("update", false, "rewrite the frames in testdata")

// A host is a screen without a terminal.
type host struct {
	screen kit.Screen
	said   string
}

func (h *host) Lane() *run.Lane                                 { return nil }
func (h *host) Say(s string)                                    { h.said = s }
func (h *host) Complain(s string)                               { h.said = s }
func (h *host) WhyNot(*run.Lane) string                         { return "" }
func (h *host) Open(kit.ViewID) tea.Cmd                         { return nil }
func (h *host) Close()                                          {}
func (h *host) Do(kit.ID) tea.Cmd                               { return nil }
func (h *host) Set(string, any) bool                            { return true }
func (h *host) Apply(sampling.Config, int, string, string) bool { return true }
func (h *host) Copy(string, string, string) tea.Cmd             { return nil }
func (h *host) Screen() kit.Screen                              { return h.screen }

func (h *host) size(w, height int) {
	h.screen = kit.NewScreen(w, height, viz.NewPalette(true, viz.NoColors, false), nil)
}

func frame(v kit.View, h *host) string {
	body := h.screen.Body()
	c := viz.NewCanvas(body.W, body.H, false)
	v.Draw(c, h)
	return c.Text()
}

func tales(n int) []votes.Pair {
	var out []votes.Pair
	for i := range n {
		out = append(out, votes.Pair{ID: fmt.Sprint(i), Prompt: "There was once a king who", Lanes: [2]string{"chat", "creative"},
			Texts: [2]string{" had a daughter\nwho was \x1b[31mclever", " had three sons, and they were all of them\nvery \u202esleepy"}})
	}
	return out
}

// All is decided by keys, saved at once, taken back, and counted at the end;
// before that nothing tells the lanes apart.
func TestVote(t *testing.T) {
	h := &host{}
	h.size(120, 40)
	file := filepath.Join(t.TempDir(), "votes.jsonl")
	open := func() *View {
		v, _ := New(h, Options{Pairs: tales(6), File: file, Seed: 7})
		if v == nil {
			t.Fatal(h.said)
		}
		return v.(*View)
	}
	v := open()
	keys := []kit.ID{kit.ActLeft, kit.ActRight, kit.ActRaise, kit.ActTake, kit.ActUndo, kit.ActLeft}
	for _, k := range keys {
		for _, name := range []string{"chat", "creative"} {
			if got := frame(v, h); strings.Contains(got, name) {
				t.Fatalf("the screen says %s:\n%s", name, got)
			}
		}
		if _, ok := v.Act(h, &kit.Action{ID: k}); !ok {
			t.Fatalf("%s is not taken", k)
		}
	}
	if v.decided() != 4 {
		t.Errorf("%d decided, want 4", v.decided())
	}
	v.Leave(h)
	v = open() // goes on
	if v.decided() != 4 || v.at != 4 {
		t.Errorf("%d decided, at %d after opening again", v.decided(), v.at)
	}
	for range 3 {
		v.Act(h, &kit.Action{ID: kit.ActRight})
	}
	end := frame(v, h)
	if !strings.Contains(end, "wins") || !strings.Contains(end, "6 votes, 1 ties, 0 both bad") || !strings.Contains(end, "chat") {
		t.Errorf("%s", end)
	}
	if !strings.Contains(h.said, "all is decided") {
		t.Errorf("%q", h.said)
	}
	if data, err := os.ReadFile(file); err != nil || strings.Count(string(data), "\n") != 6 {
		t.Errorf("%s, %v", data, err)
	}
	if v, _ := New(h, Options{File: file}); v != nil || !strings.Contains(h.said, "K writes texts") {
		t.Errorf("without pairs: %q", h.said)
	}
}

func TestFrames(t *testing.T) {
	h := &host{}
	v, _ := New(h, Options{Pairs: tales(30), File: filepath.Join(t.TempDir(), "v"), Seed: 7})
	h.size(120, 40)
	for range 12 {
		v.Act(h, &kit.Action{ID: kit.ActLeft})
	}
	for _, size := range [][2]int{{120, 40}, {80, 24}, {40, 12}} {
		h.size(size[0], size[1])
		got := frame(v, h) + "\n"
		file := fmt.Sprintf("testdata/vote-%dx%d.txt", size[0], size[1])
		if *update {
			if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if got != string(want) {
			t.Errorf("%s differs:\n%s", file, got)
		}
	}
	for w := 1; w < 200; w += 7 {
		for height := 4; height < 60; height += 5 {
			h.size(w, height)
			if got := frame(v, h); strings.ContainsAny(got, "\x1b\u202e") {
				t.Fatalf("%d×%d: control characters", w, height)
			}
		}
	}
}
