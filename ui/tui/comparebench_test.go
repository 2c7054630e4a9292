package tui

import (
	"testing"

	"logitscope/engine"
	"logitscope/ui/tui/kit"
	"logitscope/ui/tui/run"
	"logitscope/viz"
)

// A frame of four lanes, drawn from nothing, as many milliseconds as it takes
// and as a share of what the pace of the screen leaves for it.
func BenchmarkCompareView(b *testing.B) {
	s := newLanes(b, 200, 60, "factual", "chat", "creative", "neutral")
	for i := range 8 {
		s.keys("right")
		s.together(i + 1)
	}
	s.m.pal = viz.NewPalette(true, viz.TrueColor, false)
	for _, id := range []kit.ViewID{kit.ViewCompare, kit.ViewTimeline, kit.ViewPredict} {
		if id != kit.ViewCompare {
			s.run(s.m.Open(id))
		}
		b.Run(string(id), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				s.m.dirty = true
				s.m.View()
			}
			b.ReportMetric(float64(b.Elapsed().Seconds())/float64(b.N)*30, "x-frame")
		})
	}
}

// The same after 10,000 steps: no view may grow slower with the text.
func BenchmarkCompareViewLongRun(b *testing.B) {
	s := newLanes(b, 200, 60, "chat", "creative")
	for i := range 8 {
		s.keys("right")
		s.together(i + 1)
	}
	s.m.pal = viz.NewPalette(true, viz.TrueColor, false)
	for _, l := range s.m.All {
		v := l.View
		steps := append([]*engine.Step(nil), v.Steps...)
		for len(steps) < 10_000 {
			st := *v.Steps[len(steps)%8]
			st.Index = len(steps) + 1
			steps = append(steps, &st)
		}
		v.Steps = steps
		v.Written = make([]byte, 60_000)
		next := *v.Next
		next.Index = len(steps) + 1
		v.Next = &next
		s.apply(run.ViewMsg{Lane: l.ID, View: v, OK: true})
	}
	for _, id := range []kit.ViewID{kit.ViewCompare, kit.ViewTimeline} {
		if id != kit.ViewCompare {
			s.run(s.m.Open(id))
		}
		b.Run(string(id), func(b *testing.B) {
			for b.Loop() {
				s.m.dirty = true
				s.m.View()
			}
			b.ReportMetric(float64(b.Elapsed().Seconds())/float64(b.N)*30, "x-frame")
		})
	}
}
