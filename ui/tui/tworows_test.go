package tui

import (
	"fmt"
	"math"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"logitscope/engine"
	"logitscope/models/fable"
	"logitscope/models/llama"
	"logitscope/viz"
)

// Where two rows are weighed the chart has both numbers of every token, their
// ratio and the result, and says how the result follows.
func TestTwoRows(t *testing.T) {
	t.Parallel()
	model, err := fable.Open(llama.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { model.Close() })
	draft, err := fable.OpenDraft(llama.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { draft.Close() })
	for _, tt := range []struct {
		key, heads string
		settings   []any
		says       []string
	}{
		{"contrastive", "expert  amateur  e ÷ a", []any{"contrastive_alpha", 0.1, "contrastive_beta", 0.5}, []string{"fable against fable-draft", "strength 0.50 · floor 0.10", "result ∝ expert × (expert ÷ amateur)^0.50", "entropy: expert "}},
		{"guidance", "with  without  w ÷ o", []any{"guidance_scale", 2.0, "negative_prompt", "The king"}, []string{"with and without the prompt", "scale 2.00", "result ∝ without × (with ÷ without)^2.00"}},
	} {
		opt := testOptions(t)
		opt.Model, opt.Draft = model, engine.Draft{Model: draft}
		opt.Config = opt.Config.MustWith("order", "lab", 0)
		for i := 0; i < len(tt.settings); i += 2 {
			opt.Config = opt.Config.MustWith(tt.settings[i].(string), tt.settings[i+1], 0)
		}
		b := newBench(t, opt, 120, 40)
		b.start("Once upon a time there was a little fox who lived in the")
		for k := range 3 {
			b.keys("n")
			b.steps(k + 1)
		}
		b.has(tt.heads)
		for _, s := range tt.says {
			b.has(s)
		}
		s := b.m.Lane().Step()
		lse := math.Inf(-1)
		for _, v := range s.Row.Second {
			lse = math.Max(lse, float64(v)) + math.Log1p(math.Exp(-math.Abs(lse-float64(v))))
		}
		shown := 0
		for _, r := range s.Trace.Rows() {
			p := math.Exp(float64(s.Row.Second[r.ID]) - lse)
			want := fmt.Sprintf("%s  %s ", viz.Percent(float64(r.RawProb)), viz.Percent(p))
			for line := range strings.SplitSeq(b.frame(), "\n") {
				if strings.Contains(line, model.Vocab().Piece(r.ID)[1:]+" ") && strings.Contains(strings.Join(strings.Fields(line), "  ")+" ", want) {
					shown++
					break
				}
			}
		}
		if shown < 8 {
			t.Errorf("%s: the numbers of %d tokens are shown:\n%s", tt.key, shown, b.frame())
		}
		for _, size := range [][2]int{{80, 24}, {60, 20}, {40, 12}, {200, 60}} {
			b.send(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
			exact(t, b.m.draw().Render(b.m.pal), size[0], size[1], tt.key)
		}
		b.keys("z")
		exact(t, b.m.draw().Render(b.m.pal), 200, 60, tt.key)
	}
}
