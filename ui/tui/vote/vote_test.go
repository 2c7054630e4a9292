package vote

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"logitscope/engine/bench/votes"
	"logitscope/sampling"
	"logitscope/ui/tui/disk"
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
func (h *host) Files() *disk.Door                               { return disk.Open("") }
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
	if !strings.Contains(end, "wins") || !strings.Contains(end, "6 votes, 1 tie, 0 both bad") || !strings.Contains(end, "chat") {
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

// What is left is told at the pace of this sitting, its breaks aside.
func TestPace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := &host{}
		h.size(120, 40)
		view, _ := New(h, Options{Pairs: tales(30), File: filepath.Join(t.TempDir(), "v"), Seed: 7})
		v := view.(*View)
		defer v.Leave(h)
		for i, d := range []time.Duration{8 * time.Second, time.Hour, 10 * time.Second, 12 * time.Second, 12 * time.Second} {
			if got := frame(v, h); strings.Contains(got, "left at your pace") != (i >= 3) {
				t.Errorf("after %d answers:\n%s", i, got)
			}
			time.Sleep(d)
			v.Act(h, &kit.Action{ID: kit.ActLeft})
		}
		if got := frame(v, h); !strings.Contains(got, "5 of 30 · about 5 minutes left at your pace") { // 25 × 12 s
			t.Errorf("%s", got)
		}
	})
}

// One text alone takes the whole width, a long one is read by pages, and the
// next pair begins at its top.
func TestAlone(t *testing.T) {
	h := &host{}
	long := tales(2)
	for i := range long {
		var lines [2]strings.Builder
		for n := range 60 {
			fmt.Fprintf(&lines[0], "red %d\n", n)
			fmt.Fprintf(&lines[1], "blue %d\n", n)
		}
		long[i].Texts = [2]string{lines[0].String(), lines[1].String()}
	}
	for _, size := range [][2]int{{80, 24}, {120, 40}, {40, 12}} {
		h.size(size[0], size[1])
		view, _ := New(h, Options{Pairs: long, File: filepath.Join(t.TempDir(), "v"), Seed: 7})
		v := view.(*View)
		act := func(ids ...kit.ID) string {
			for _, id := range ids {
				if _, ok := v.Act(h, &kit.Action{ID: id}); !ok {
					t.Fatalf("%s is not taken", id)
				}
			}
			return frame(v, h)
		}
		shows := func(what, got string, red, blue bool) {
			t.Helper()
			if strings.Contains(got, "red") != red || strings.Contains(got, "blue") != blue {
				t.Errorf("%d×%d %s:\n%s", size[0], size[1], what, got)
			}
		}
		shows("both", frame(v, h), true, true)
		one := act(kit.ActZoom)
		first := strings.Contains(one, "red")
		shows("one", one, first, !first)
		shows("the other", act(kit.ActPane), !first, first)
		seen := map[string]bool{}
		for page := range 60 {
			got := frame(v, h)
			if page > 0 {
				got = act(kit.ActRight10)
			}
			for line := range strings.SplitSeq(got, "\n") {
				seen[strings.Trim(line, "┃ ")] = true
			}
		}
		for n := range 60 {
			if name := fmt.Sprintf("%s %d", map[bool]string{true: "blue", false: "red"}[first], n); !seen[name] {
				t.Errorf("%d×%d: %q is never seen", size[0], size[1], name)
			}
		}
		if got := act(kit.ActRight10, kit.ActLeft); !strings.Contains(got, " 0 ") {
			t.Errorf("the next pair does not begin at its top:\n%s", got)
		}
		shows("both again", act(kit.ActZoom), true, true)
		v.Leave(h)
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
