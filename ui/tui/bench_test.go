package tui

import (
	"context"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"logitscope/engine"
	"logitscope/sampling"
	"logitscope/ui/tui/run"
	"logitscope/viz"
)

// A frame at 200×60, drawn from nothing.
func BenchmarkView(b *testing.B) {
	for _, size := range [][2]int{{200, 60}, {120, 40}, {80, 24}} {
		b.Run(viz.Count(size[0])+"x"+viz.Count(size[1]), func(b *testing.B) {
			s := storyAt16(b, size[0], size[1])
			s.m.pal = viz.NewPalette(true, viz.TrueColor, false)
			b.ReportAllocs()
			for b.Loop() {
				s.m.dirty = true
				s.m.View()
			}
			b.ReportMetric(float64(b.Elapsed().Milliseconds())/float64(b.N), "ms/frame")
		})
	}
}

// A long run: views arrive and are drawn one by one.
func BenchmarkViewLongRun(b *testing.B) {
	s := storyAt16(b, 200, 60)
	s.m.pal = viz.NewPalette(true, viz.TrueColor, false)
	l := s.m.Lane()
	v := l.View
	for len(v.Steps) < 10_000 {
		v.Steps = append(v.Steps, v.Steps[:15]...)
	}
	v.Written = make([]byte, 0, 60_000)
	for _, st := range v.Steps {
		v.Written = append(v.Written, l.Vocab().Piece(st.Token)...)
	}
	s.apply(run.ViewMsg{Lane: l.ID, View: v, OK: true, At: time.Now()})
	for b.Loop() {
		s.m.dirty = true
		s.m.View()
	}
}

// A key held down: every repeat is a message and a frame.
func BenchmarkKeyRepeat(b *testing.B) {
	s := storyAt16(b, 200, 60)
	s.m.pal = viz.NewPalette(true, viz.TrueColor, false)
	for b.Loop() {
		s.m.Update(tea.KeyMsg{Type: tea.KeyDown})
		s.m.View()
	}
}

// How fast a lane decodes while the lab draws every view it can get, as a
// share of how fast it decodes with nobody looking.
func BenchmarkAttached(b *testing.B) {
	for b.Loop() {
		alone, attached := 0.0, 0.0
		for range 3 { // in turn, so that a busy machine slows both
			alone += decodeSpeed(b, false)
			attached += decodeSpeed(b, true)
		}
		b.ReportMetric(attached/alone, "x-alone")
	}
}

// decodeSpeed returns tokens per second at full speed, over a few texts.
func decodeSpeed(b *testing.B, watched bool) float64 {
	opt := testOptions(b)
	s := newBench(b, opt, 200, 60)
	s.m.pal = viz.NewPalette(true, viz.TrueColor, false)
	l := s.m.Lane()
	ids, err := engine.Prompt(context.Background(), l.Model, "Once upon a time")
	if err != nil {
		b.Fatal(err)
	}
	cfg := l.Config.MustWith("max_new_tokens", 400, sampling.FromYou).MustWith("min_new_tokens", 400, sampling.FromYou)
	tokens, start := 0, time.Now()
	for seed := range uint64(8) {
		set, err := l.Compile(cfg.MustWith("seed", seed, sampling.FromYou), l.Preset)
		if err != nil {
			b.Fatal(err)
		}
		l.Eng.Post(engine.Start{Text: "Once upon a time", Prompt: ids, Settings: set})
		l.Eng.Post(engine.Advance{N: -1})
		last := time.Now()
		for v := range l.Eng.Views() {
			if watched && time.Since(last) > time.Second/30 {
				last = time.Now()
				l.Take(v)
				s.m.dirty = true
				s.m.View()
			}
			if v.Phase == engine.Done && v.Settings == set {
				tokens += len(v.Steps)
				break
			}
		}
	}
	return float64(tokens) / time.Since(start).Seconds()
}
