package verdicts

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"logitscope/engine"
	"logitscope/engine/bench"
	"logitscope/engine/bench/prompts"
	"logitscope/engine/check"
	"logitscope/models/table"
	"logitscope/sampling"
	"logitscope/ui/tui/disk"
	"logitscope/ui/tui/kit"
	"logitscope/ui/tui/run"
	"logitscope/viz"
)

var update = flag.Bool("update", false, "rewrite the frames in testdata")

// A host is a screen without a terminal.
type host struct {
	lanes  *run.Lanes
	screen kit.Screen
	said   string
	copied string
}

func (h *host) Lane() *run.Lane                                 { return h.lanes.Lane() }
func (h *host) Say(s string)                                    { h.said = s }
func (h *host) Complain(s string)                               { h.said = s }
func (h *host) WhyNot(*run.Lane) string                         { return "" }
func (h *host) Open(kit.ViewID) tea.Cmd                         { return nil }
func (h *host) Close()                                          {}
func (h *host) Do(kit.ID) tea.Cmd                               { return nil }
func (h *host) Set(string, any) bool                            { return true }
func (h *host) Apply(sampling.Config, int, string, string) bool { return true }
func (h *host) Copy(_, text, _ string) tea.Cmd                  { h.copied = text; return nil }
func (h *host) Files() *disk.Door                               { return disk.Open("") }
func (h *host) Screen() kit.Screen                              { return h.screen }

func (h *host) size(w, height int) {
	h.screen = kit.NewScreen(w, height, viz.NewPalette(true, viz.NoColors, false), nil)
}

// newHost returns a host with a lane on a table that writes "a" and "b" with
// the same odds, and the end with less.
func newHost(t *testing.T) *host {
	t.Helper()
	row := "[-1,0,0]"
	m, err := table.Parse("toy.json", strings.NewReader(`{"kind":"markov1","vocab":["<eos>","a","b"],"eos_id":0,"context":64,"logits":[`+row+","+row+","+row+`]}`))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	h := &host{lanes: run.New(ctx, nil, engine.Draft{}, 30, false)}
	t.Cleanup(func() { cancel(); h.lanes.End() })
	l := run.NewLane(0, m, engine.Options{}, sampling.Config{}, -1, h.lanes.Book)
	h.lanes.All = []*run.Lane{l}
	if l.Settings, err = l.Compile(l.Config, -1); err != nil {
		t.Fatal(err)
	}
	h.size(120, 40)
	return h
}

// frame draws the room as it fills the screen between header and help line.
func frame(r *Room, h *host) string {
	body := h.screen.Body()
	c := viz.NewCanvas(body.W, body.H, false)
	r.Draw(c, h)
	return c.Text()
}

// act gives the room an action and runs what it started.
func act(t *testing.T, r *Room, h *host, ids ...kit.ID) {
	t.Helper()
	for _, id := range ids {
		cmd, ok := r.Act(h, &kit.Action{ID: id})
		if !ok {
			t.Fatalf("%s is not taken", id)
		}
		for cmd != nil {
			cmd = r.Take(h, cmd())
		}
	}
}

// penalty is the bench of a penalty on seen tokens: how many of 10 texts pass
// under each of four configs.
var penalty = []struct {
	id   string
	pass [4]int
}{
	{"tom", [4]int{3, 9, 0, 6}}, {"ana", [4]int{10, 10, 7, 7}}, {"mira", [4]int{}}, {"lena", [4]int{10, 10, 7, 7}}, {"omar", [4]int{10, 10, 7, 7}},
	{"capital-dk", [4]int{10, 10, 10, 10}}, {"sql-users", [4]int{10, 10, 10, 10}}, {"sql-count", [4]int{10, 10, 10, 10}}, {"hello", [4]int{10, 10, 10, 10}},
}

// penaltyRoom returns a room with the first n texts of every cell.
func penaltyRoom(t *testing.T, h *host, n int) *Room {
	t.Helper()
	r := NewRoom(h.lanes, Options{})
	r.name = "penalty"
	list, err := (&check.Reader{}).Read([]byte(`{"contains":"{\"name\": \"Tom Reed\", \"age\": 7}"}`))
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range penalty {
		r.prompts = append(r.prompts, prompts.Prompt{ID: x.id, Text: "Extract the person's name and age from: Tom Reed is 7 years old.\n", Expect: list})
	}
	for i, label := range []string{"chat", "rep off", "creative", "creative, rep off"} {
		cfg := sampling.Config{}.MustWith("top_k", 10+i, sampling.FromFlag)
		r.configs = append(r.configs, config{label, cfg})
	}
	r.plan = r.asked(h.Lane())
	r.texts = map[place][]*bench.Text{}
	logprob := -3.0
	for i, x := range penalty {
		r.shown = append(r.shown, i)
		for c, passes := range x.pass {
			texts := make([]*bench.Text, 10)
			for k := range n {
				text := &bench.Text{Text: `{"name": "Tom Reed", "age": 7}`, Tokens: []int32{1, 2, 1}, Logprob: &logprob, Judged: true, Reason: "eos"}
				if k*7%10 >= passes {
					text.Text, text.Failed = `{"name": "Tom Regedo", "age": 7}`, []check.Failure{{Check: "contains"}}
					text.Tokens = []int32{1, 2, 2, 1}
					if k%3 == 0 {
						text.Text = "{\n  \"name\": \x1b[31m\"Tom Regedri\"}"
					}
				}
				texts[k] = text
			}
			r.texts[place{i, c}] = texts
		}
	}
	r.now = bench.Progress{Texts: 360, Done: 36 * n, Tokens: int64(100 * n)}
	if n == 10 {
		if r.sum, err = bench.Summarise(r.plan, written{r.plan, r.texts}, bench.SummaryOptions{}, nil); err != nil {
			t.Fatal(err)
		}
		r.hardestFirst()
	}
	return r
}

func same(t *testing.T, got, name string) {
	t.Helper()
	file := "testdata/" + name + ".txt"
	if *update {
		if err := os.WriteFile(file, []byte(got+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got+"\n" != string(want) {
		t.Errorf("%s differs:\n%s", name, got)
	}
}

// The numbers were computed beside the program: intervals of Wilson and of t,
// p of t and after Holm, and prompts at a level of 0.05 ÷ 3.
func TestFrames(t *testing.T) {
	h := newHost(t)
	r := penaltyRoom(t, h, 10)
	for _, want := range []string{
		"mira         ·········· 0/10  0–28", "tom          ███······· 3/10  11–60   █████████· 9/10  60–98   ·········· 0/10  0–28    ██████···· 6/10  31–83",
		"ana          ██████████ 10/10 72–100  ██████████ 10/10 72–100  ███████··· 7/10  40–89", "81.1% 52–100", "87.8% 62–100", "67.8% 36–99", "74.4% 50–99",
		"+6.7 (−8.7 to 22.0)", "−13.3 (−25.5 to −1.2)", "−6.7 (−22.0 to 8.7)",
		"C: not distinguishable: −13.3 points (−25.5 to −1.2), 9 prompts; about 15 prompts", "p 0.035 alone, 0.106 as one of 3 (Holm)", "about 95 prompts",
	} {
		if all := strings.Join(strings.Fields(strings.NewReplacer("│", " ", "┃", " ").Replace(frame(r, h))), " "); !strings.Contains(all, strings.Join(strings.Fields(want), " ")) {
			t.Errorf("the frame lacks %q", want)
		}
	}
	r.at = 1
	for _, size := range [][2]int{{120, 40}, {80, 24}, {60, 20}, {40, 12}, {200, 60}} {
		h.size(size[0], size[1])
		same(t, frame(r, h), fmt.Sprintf("bench-%dx%d", size[0], size[1]))
	}
	h.size(120, 40)
	r = penaltyRoom(t, h, 6)
	r.run = &running{}
	same(t, frame(r, h), "running-120x40")
	r = penaltyRoom(t, h, 0)
	r.prompts = nil
	same(t, frame(r, h), "empty-120x40")
}

// Nothing is drawn outside, whatever the size and the number, and nothing of a
// text reaches the terminal as it is.
func TestDrawAtEverySize(t *testing.T) {
	h := newHost(t)
	for _, n := range []int{0, 3, 10} {
		r := penaltyRoom(t, h, n)
		for m := range numbers {
			r.metric = m
			for w := 1; w <= 200; w += 9 {
				for _, height := range []int{4, 9, 12, 20, 24, 40, 60} {
					h.size(w, height)
					got := frame(r, h)
					if strings.ContainsAny(got, "\x1b\t") {
						t.Fatalf("%d×%d: control characters", w, height)
					}
					for line := range strings.SplitSeq(got, "\n") {
						if viz.Width(line) > w {
							t.Fatalf("%d×%d: %q", w, height, line)
						}
					}
				}
			}
			if m == 0 {
				act(t, r, h, kit.ActRight, kit.ActRight, kit.ActLast, kit.ActFirst)
			}
		}
	}
}

// A bench runs, is paused and goes on, takes configs and prompts in and out, and
// opens a failing text.
func TestRoom(t *testing.T) {
	h := newHost(t)
	set := t.TempDir() + "/set.csv"
	if err := os.WriteFile(set, []byte("id,prompt,expect\none,a,contains: b\ntwo,ab,\"max_tokens: 2\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	defer h.lanes.End()
	r := NewRoom(h.lanes, Options{File: set, Dir: t.TempDir()})
	h.lanes.All[0].Config = sampling.Config{}.MustWith("max_new_tokens", 6, sampling.FromFlag)
	_, cmd := r.Open(h)
	r.Take(h, cmd())
	if len(r.prompts) != 2 || len(r.configs) != 1 {
		t.Fatalf("%d prompts, %d configs", len(r.prompts), len(r.configs))
	}
	act(t, r, h, kit.ActRaise)
	if len(r.configs) != 1 || !strings.Contains(h.said, "a config already") {
		t.Errorf("the same settings twice: %q", h.said)
	}
	h.lanes.All[0].Config = h.lanes.All[0].Config.MustWith("temperature", 0.01, sampling.FromFlag)
	act(t, r, h, kit.ActRaise, kit.ActRun)
	if r.sum == nil || r.now.Done != 40 || r.sum.Missing != 0 {
		t.Fatalf("%+v", r.now)
	}
	if v := r.verdict(); len(v) == 0 || !strings.HasPrefix(v[0], "B") {
		t.Errorf("%q", v)
	}
	act(t, r, h, kit.ActCopy)
	if h.copied != strings.Join(r.verdict(), "\n") {
		t.Errorf("copied %q", h.copied)
	}
	// A report has all texts there are.
	r.opt.Report = func(name string, p *bench.Plan, texts bench.Texts) error {
		n := 0
		err := texts.Each(func(_ int, _ *prompts.Prompt, _ int, list []*bench.Text) error { n += len(list); return nil })
		if name != "bench.html" || n != 40 || p.Count != 2 {
			t.Errorf("%s of %d texts", name, n)
		}
		return err
	}
	act(t, r, h, kit.ActExport)
	cmd, _ = r.Key(h, tea.KeyMsg{Type: tea.KeyEnter})
	if r.Take(h, cmd()); h.said != "written to bench.html" {
		t.Errorf("%q", h.said)
	}
	// A prompt is taken out and put back; the texts are still there.
	act(t, r, h, kit.ActTake, kit.ActRun)
	if r.now.Done != 20 || r.now.Reused != 20 || !strings.Contains(strings.Join(r.verdict(), " "), "1 of 2 prompts are taken out") {
		t.Errorf("%+v, %q", r.now, r.verdict())
	}
	r.out = map[string]bool{}
	r.again()
	act(t, r, h, kit.ActLower, kit.ActRun)
	if len(r.configs) != 1 || r.now.Done != 20 || r.now.Reused != 20 {
		t.Errorf("%d configs, %+v", len(r.configs), r.now)
	}
	// The failing text opens under its own seed, at the token it fails with.
	for i := range r.shown {
		r.at = i
		text := r.failing(place{r.shown[i], 0})
		act(t, r, h, kit.ActOpen)
		l := h.lanes.All[0]
		if l.Config.Uint("seed") != text.Seed || !bytes.Contains([]byte(h.said), []byte(fmt.Sprintf("token %d is next", r.parting(r.shown[i], text)+1))) {
			t.Errorf("seed %d of %d: %s", l.Config.Uint("seed"), text.Seed, h.said)
		}
	}
}

func TestParting(t *testing.T) {
	h := newHost(t)
	r := penaltyRoom(t, h, 10)
	failed := r.failing(place{0, 0})
	if failed == nil || failed.Pass() {
		t.Fatal("no failing text")
	}
	if n := r.parting(0, failed); n != 2 {
		t.Errorf("parts at token %d, want 2: 1 2 1 passes and 1 2 2 1 does not", n)
	}
	none := r.failing(place{2, 0}) // no text of mira passes
	if n := r.parting(2, none); n != len(none.Tokens)-1 {
		t.Errorf("parts at token %d, want the last", n)
	}
}
