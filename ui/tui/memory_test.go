package tui

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"logitscope/models"
	"logitscope/ui/tui/kit"
)

// vast is a model with a large vocabulary and no weights.
type vast struct {
	models.Model
	size int
	rows [][]float32
}

func newVast(size int) *vast {
	m := &vast{Model: testModel(), size: size}
	r := rand.New(rand.NewPCG(1, 2))
	for range 5 {
		row := make([]float32, size)
		for i := range row {
			row[i] = float32(r.NormFloat64())
		}
		m.rows = append(m.rows, row)
	}
	return m
}

func (m *vast) Info() models.Info {
	return models.Info{Name: "vast", VocabSize: m.size, ContextLen: 4096}
}
func (m *vast) Vocab() models.Vocab                 { return vastVocab{m.Model.Vocab(), m.size} }
func (m *vast) NewSession() (models.Session, error) { return &vastSession{m: m}, nil }

type vastVocab struct {
	models.Vocab
	size int
}

func (v vastVocab) Size() int { return v.size }
func (v vastVocab) Attr(id int32) models.Attr {
	if int(id) >= v.Vocab.Size() {
		return models.Normal
	}
	return v.Vocab.Attr(id)
}

type vastSession struct {
	m *vast
	n int
}

func (s *vastSession) Len() int       { return s.n }
func (s *vastSession) Truncate(n int) { s.n = n }
func (s *vastSession) Close() error   { return nil }
func (s *vastSession) Forward(_ context.Context, tokens []int32, want int) (out []models.Logits, _ error) {
	for i := range tokens {
		s.n++
		if i >= len(tokens)-want {
			out = append(out, models.Logits{Values: s.m.rows[s.n%len(s.m.rows)]})
		}
	}
	return out, nil
}

// Five hundred restarts take no more memory than the budget and what the
// texts themselves need, whatever the vocabulary; what was dropped is computed
// again when it is looked at, and T says how many texts are kept.
func TestMemoryIsBoundedOverRestarts(t *testing.T) {
	for _, tt := range []struct {
		size, restarts, tokens int
	}{{4096, 500, 12}, {150_000, 60, 12}} {
		t.Run(fmt.Sprint(tt.size), func(t *testing.T) {
			if testing.Short() {
				tt.restarts = min(tt.restarts, max(110*4096/tt.size, 20))
			}
			opt := testOptions(t)
			opt.Model, opt.Prompt = newVast(tt.size), storyPrompt
			opt.Config = opt.Config.MustWith("max_new_tokens", tt.tokens, 0)
			o, err := NewOffscreen(t.Context(), opt, 120, 40)
			if err != nil {
				t.Fatal(err)
			}
			defer o.Close()
			heap := func() int64 {
				runtime.GC()
				var s runtime.MemStats
				runtime.ReadMemStats(&s)
				return int64(s.HeapAlloc)
			}
			before := heap()
			for range tt.restarts {
				if err := o.Press("space", "s"); err != nil {
					t.Fatal(err)
				}
			}
			l := o.m.Lane()
			if len(l.Branches) < min(tt.restarts, 100)-1 {
				t.Fatalf("%d texts after %d restarts", len(l.Branches), tt.restarts)
			}
			const constant = 48 << 20 // texts, summaries, settings
			grown := heap() - before
			t.Logf("%d restarts: %d MiB", tt.restarts, grown>>20)
			if grown > 128<<20+constant {
				t.Errorf("%d restarts take %d MiB", tt.restarts, grown>>20)
			}
			if tt.restarts > 100 {
				if err := o.Press("T"); err != nil {
					t.Fatal(err)
				}
				if got := o.Frame().Text(); !strings.Contains(got, "older ones are no longer kept") {
					t.Errorf("T does not say so:\n%s", got)
				}
				o.Press("esc")
			}
			o.m.JumpTo(l, 0)
			if err := o.settle(); err != nil {
				t.Fatal(err)
			}
			if err := o.Press("left"); err != nil {
				t.Fatal(err)
			}
			if s := l.Step(); s == nil || s.Row == nil || s.Trace == nil {
				t.Errorf("what was dropped is not computed again: %+v", s)
			}
		})
	}
}

var soak = flag.Int("soak", 20_000, "tokens that TestSoak writes; a day of a fast lab is 1,000,000")

// A day of restarts, branches, other presets, lanes beside each other, resized
// windows and views takes no more memory than its first minutes: what is
// kept is kept within the budget.
func TestSoak(t *testing.T) {
	tokens := *soak
	if testing.Short() {
		tokens = min(tokens, 3000)
	}
	opt := testOptions(t)
	opt.Model, opt.Prompt = newVast(1000), storyPrompt
	opt.Config = opt.Config.MustWith("max_new_tokens", 100, 0)
	o, err := NewOffscreen(t.Context(), opt, 120, 40)
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	r := rand.New(rand.NewPCG(20, 26))
	sizes := [][2]int{{120, 40}, {80, 24}, {200, 60}, {40, 12}, {10, 3}}
	press := func(keys ...string) {
		t.Helper()
		if err := o.Press(keys...); err != nil {
			t.Fatal(err)
		}
	}
	// What a person does between two texts, and goes back to the lab after.
	habits := [][]string{
		{"s"}, {"r"}, {"b", "b", "b", "down", "f"}, {"2", "u", "s"}, {"3", "u", "r"}, {"T", "home", "]", "esc"}, {"V", "esc"}, {"O", "esc"},
		{"+", "-", "u", "s"}, {"C", "t", "s", "esc"}, {"a", "s"}, {"d", "esc"},
	}
	const constant = 48 << 20 // texts, summaries, settings
	written, told := 0, 0
	var first int64
	for texts := 0; written < tokens; texts++ {
		if texts > tokens/10 {
			t.Fatalf("%d texts have %d tokens", texts, written)
		}
		o.player.Send(tea.WindowSizeMsg{Width: 120, Height: 40})
		press("space")
		for _, l := range o.m.All {
			written += len(l.View.Steps)
		}
		if r.IntN(4) == 0 {
			s := sizes[r.IntN(len(sizes))]
			o.player.Send(tea.WindowSizeMsg{Width: s[0], Height: s[1]})
		}
		press(habits[r.IntN(len(habits))]...)
		o.Frame()
		press("esc", "esc") // to the lab, out of the past
		if o.m.screen.id == kit.ViewLab {
			press("s")
		}
		if now := written * 10 / tokens; now > told {
			told = now
			runtime.GC()
			var s runtime.MemStats
			runtime.ReadMemStats(&s)
			t.Logf("%8d tokens, %d lanes, %d texts kept: %d MiB", written, len(o.m.All), len(o.m.Lane().Branches), s.HeapAlloc>>20)
			if first == 0 {
				first = int64(s.HeapAlloc)
			}
			if grown := int64(s.HeapAlloc) - first; grown > 128<<20+constant {
				t.Fatalf("%d tokens take %d MiB more than the first %d", written, grown>>20, tokens/10)
			}
		}
	}
}
