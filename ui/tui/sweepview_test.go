package tui

import (
	"fmt"
	"math"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"logitscope/engine"
	grids "logitscope/engine/bench"
	"logitscope/engine/stats"
	"logitscope/sampling"
	"logitscope/ui/tui/grid"
	"logitscope/ui/tui/kit"
)

// sweepReport is a made-up grid: the mean of every metric at a cell is its
// number, and one cell is not finished.
func sweepReport(t testing.TB) *grids.Grid {
	r := &grids.Grid{Text: storyPrompt, Prompt: []int32{0, 300}, Seeds: []uint64{7, 8}}
	for _, spec := range []string{"top_k=10,20", "temperature=0.5:1.5:0.5", "top_p=0.8,0.9,0.95,1"} {
		a, err := grids.ParseAxis(spec)
		if err != nil {
			t.Fatal(err)
		}
		r.Axes = append(r.Axes, a)
	}
	r.Axes[0].Inert = "all texts came out the same"
	for i := range 2 * 3 * 4 {
		at := []int{i / 12, i / 4 % 3, i % 4}
		c := grids.Point{At: at}
		for k, a := range r.Axes {
			c.Config = c.Config.MustWith(a.Key, a.Values[at[k]], sampling.FromFlag)
		}
		if i != 5 {
			c.Runs = []grids.Text{{Seed: 7, Reason: "eos", Text: fmt.Sprintf("text %d\x1b[31m\nend", i)}, {Seed: 8, Reason: "length"}}
			for range grids.GridMetrics() {
				c.Values = append(c.Values, stats.Estimate{Value: float64(i), Low: float64(i) - 1, High: float64(i) + 1, N: 2})
			}
			c.Values[len(c.Values)-1].Value = math.NaN()
		}
		r.Cells = append(r.Cells, c)
	}
	return r
}

func TestSweepView(t *testing.T) {
	t.Parallel()
	opt := testOptions(t)
	opt.Sweep = sweepReport(t)
	b := storyWith(t, opt, 120, 40)
	b.has("sweep · perplexity of the texts, 95% by t on bits")
	b.has("temperature ↓  top_p →")
	b.has("24 cells, 2 texts each")
	b.has("‖ stopped  sweep  top_k × temperature × top_p  2 seeds each") // a cell has no text
	b.has("○ top_k does nothing here: all texts came out the same")
	b.has("top_k 10, temperature 1.0, top_p 1.00") // where the base stands
	b.keys("home", "right")                        // the cell that is not finished
	b.has("no text yet")
	b.keys("down", "right")
	b.has("top_k 10, temperature 1.5, top_p 0.95")
	b.has("text 10␛[31m↵end")
	b.keys("+") // the axis that is not on the map
	b.has("text 22")
	b.has("shade: place among the 12 cells")
	b.has("22.00")
	b.has("21.00–23.00") // its interval
	b.keys("v")
	b.has("sweep · bits/token of the texts, 95% by t")
	b.has("│ bits/token        22.00 (21.00 to 23.00)")
	b.has("│ perplexity        22.00 (21.00 to 23.00)")
	b.has("│ n 2 texts of one prompt: nothing is said about others.")
	b.keys("o")
	b.has("top_p ↓  top_k →")
	for w := 40; w <= 200; w += 7 {
		for _, h := range []int{12, 17, 24, 40, 60} {
			b.send(tea.WindowSizeMsg{Width: w, Height: h})
			exact(t, b.frame(), w, h, "sweep")
		}
	}
	b.send(tea.WindowSizeMsg{Width: 120, Height: 40})
	b.keys("C") // its base beside it
	if b.m.screen.id != kit.ViewCompare || len(b.m.All) != 2 {
		t.Fatalf("C opened %s with %d lanes", b.m.screen.id, len(b.m.All))
	}
	cell := b.m.All[1].Config
	if cell.Int("top_k") != 20 || cell.Float("temperature") != 1.5 || cell.Float("top_p") != 0.95 || cell.Uint("seed") != 7 {
		t.Errorf("lane 2 runs %v %v %v, seed %d", cell.Value("top_k"), cell.Value("temperature"), cell.Value("top_p"), cell.Uint("seed"))
	}
	if b.m.All[0].Config.Uint("seed") != 7 {
		t.Error("the lanes have different luck")
	}
}

// H with a knob selected runs its neighbours; a cell goes into the lab, and undo
// takes it back.
func TestSweepFromTheLab(t *testing.T) {
	t.Parallel()
	b := newBench(t, testOptions(t), 120, 40)
	b.start("Once upon a time")
	b.keys("H")
	b.has("first knob    temperature=0.1,0.3,0.5,0.7,0.9,1.1,1.3")
	b.has("run it: 28 texts, at most 1,120 tokens")
	b.keys("down", "enter", "ctrl+u")
	b.player().Type("temperature=0.4,wobble")
	b.keys("enter")
	b.has("temperature")
	if !b.m.Warn {
		t.Error("a list that is no list is taken")
	}
	b.keys("ctrl+u")
	b.player().Type("temperature=0.4,1.2")
	b.keys("enter", "down", "enter")
	b.player().Type("top_p=0.5,1")
	b.keys("enter", "down", "-", "-", "down", "-")
	b.has("run it: 8 texts, at most 160 tokens")
	b.keys("r")
	b.has("4 cells, 2 texts each")
	b.has("■ done  sweep  temperature × top_p  2 seeds each")
	v := b.m.screen.View.(*grid.View)
	if v == nil {
		t.Fatal("no map")
	}
	b.keys("home", "up", "right", "down", "f")
	if c := b.m.Lane().Config; c.Float("temperature") != 1.2 || c.Float("top_p") != 1 || b.m.screen.id != kit.ViewLab {
		t.Errorf("the lab has temperature %v, top_p %v", c.Value("temperature"), c.Value("top_p"))
	}
	b.keys("u")
	if c := b.m.Lane().Config; c.Float("temperature") != 0.7 || c.Float("top_p") != 0.9 {
		t.Errorf("after undo temperature %v, top_p %v", c.Value("temperature"), c.Value("top_p"))
	}
}

// H starts with the selected knob and the one that was changed before it, and
// what was computed stays when the view is closed.
func TestSweepKeepsItsMap(t *testing.T) {
	t.Parallel()
	b := newBench(t, testOptions(t), 120, 40)
	b.start("Once upon a time")
	b.m.SelectKnob("top_p")
	b.keys("+")
	b.m.SelectKnob("temperature")
	b.keys("+", "H")
	b.has("first knob    temperature=0.15,0.35,0.55,0.75,0.95,1.15,1.35")
	b.has("second knob   top_p=")
	b.keys("down", "enter", "ctrl+u")
	b.player().Type("temperature=0.4,1.2")
	b.keys("enter", "down", "enter", "ctrl+u")
	b.keys("enter", "down", "-", "-", "down", "-", "r")
	b.has("■ done  sweep  temperature  2 seeds each")
	b.has("2 texts of one prompt")
	b.keys("esc", "H")
	b.has("■ done  sweep  temperature  2 seeds each")
	b.keys("enter")
	if n := len(b.m.All); n != 2 || b.m.All[1].Config.Uint("seed") != b.m.All[0].Config.Uint("seed")+1 {
		t.Errorf("enter opened %d lanes", n)
	}
	b.has("2 texts of the cell: temperature 0.4")
}

func TestSweepWithoutAPrompt(t *testing.T) {
	t.Parallel()
	b := newBench(t, testOptions(t), 80, 24)
	b.keys("H")
	b.has("run it · no prompt yet; e writes one, E has examples")
	b.keys("enter")
	b.has("! no prompt yet")
	b.keys("esc")
	if b.m.screen.id != kit.ViewLab {
		t.Error("esc does not leave an empty sweep")
	}
}

// i tells of the selected cell, not of the lab that lies behind; keys of the
// lab say that they are not for a sweep.
func TestSweepKeysOfTheLab(t *testing.T) {
	t.Parallel()
	opt := testOptions(t)
	opt.Sweep = sweepReport(t)
	b := storyWith(t, opt, 160, 40)
	b.keys("i")
	b.has("top_k 10, temperature 1.0, top_p 1.00: perplexity 7.00 (6.00 to 8.00) over 2 texts")
	for _, key := range []string{"space", "n", "p", "d", "x", "u"} {
		b.keys(key)
		b.has(kit.KeyName(key) + ": not in a sweep")
	}
	if l := b.m.Lane(); len(l.Pins) != 1 || l.Look.At != 0 {
		t.Error("a key acted on the lab")
	}
}

// The lane of a cell decodes with the settings of the cell, from its first
// token on.
func TestSweepLaneHasItsSettings(t *testing.T) {
	t.Parallel()
	opt := testOptions(t)
	opt.Sweep = sweepReport(t)
	b := newBench(t, opt, 120, 40)
	b.keys("down", "C")
	b.pump(func() bool {
		for _, l := range b.m.All {
			if l.View.Phase != engine.Paused || l.View.Next == nil || l.View.Settings != l.Settings {
				return false
			}
		}
		return true
	})
	for i, want := range []float64{1, 1.5} { // the base has no temperature
		if got := b.m.All[i].View.Next.Settings.Config().Float("temperature"); got != want {
			t.Errorf("lane %d draws at temperature %v, want %v", i+1, got, want)
		}
	}
}
