package tui

import (
	"testing"

	tea "github.com/charmbracelet/bubbletea"

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
	l := s.m.lane()
	v := l.view
	for len(v.Steps) < 10_000 {
		v.Steps = append(v.Steps, v.Steps[:15]...)
	}
	v.Written = make([]byte, 0, 60_000)
	for _, st := range v.Steps {
		v.Written = append(v.Written, l.vocab().Piece(st.Token)...)
	}
	s.apply(viewMsg{l.id, v, true, s.m.change.at})
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
