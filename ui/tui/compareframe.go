package tui

import (
	"fmt"
	"strconv"
	"strings"

	"logitscope/engine"
	"logitscope/ui/tui/kit"
	"logitscope/ui/tui/run"
	"logitscope/viz"
)

// scopeWords names the lanes that keys act on.
func (m *Model) scopeWords() string {
	switch {
	case m.Side.One:
		return fmt.Sprintf("lane %d", m.Cur+1)
	case len(m.All) == 2:
		return "both lanes"
	}
	return fmt.Sprintf("all %d lanes", len(m.All))
}

// sameLuck reports whether all lanes draw with one seed, and which.
func (m *Model) sameLuck() (seed uint64, same bool) {
	seed = m.All[0].Config.Uint("seed")
	for _, l := range m.All {
		if l.Config.Uint("seed") != seed {
			return 0, false
		}
	}
	return seed, true
}

// seedWords says which seeds the lanes draw with.
func (m *Model) seedWords() string {
	if seed, same := m.sameLuck(); same {
		return fmt.Sprintf("seed %d", seed)
	}
	return "different seeds"
}

func (v *compareView) Hints(kit.Host) []kit.ID { return nil }

func (v *compareView) Footer(host kit.Host) []kit.Hint {
	m := host.(*Model)
	both := "all"
	if len(m.All) == 2 {
		both = "both"
	}
	if m.Side.One {
		both = "lane " + strconv.Itoa(m.Cur+1)
	}
	if v.knobs {
		return []kit.Hint{{ID: kit.ActRight, Keys: "←→", Word: "change, " + both}, {ID: kit.ActDown, Keys: "↑↓", Word: "knob"}, {ID: kit.ActOpen, Word: "type"},
			{ID: kit.ActOff, Word: "off"}, {ID: kit.ActPane, Word: "lanes"}, {ID: kit.ActAll, Word: "this lane/all lanes"}, {Keys: "1-5", Word: "preset"}, {ID: kit.ActClose, Word: "lanes"}, {ID: kit.ActHelp}}
	}
	list := []kit.Hint{{ID: kit.ActRun, Word: "run/pause"}, {ID: kit.ActRight, Word: "step " + both}, {ID: kit.ActLeft, Word: "back " + both}, {ID: kit.ActPane, Word: "lane"},
		{ID: kit.ActAll, Word: "this lane/all lanes"}, {ID: kit.ActSync, Word: "wait/free"}, {Keys: "1-5", Word: "preset"}, {ID: kit.ActLower, Keys: "-/+", Word: "value"},
		{ID: kit.ActNextMark, Keys: "[ ]", Word: "where they part"}, {ID: kit.ActForce, Word: "force in the others"}, {ID: kit.ActZoom, Word: "lane alone"},
		{ID: kit.ActTimeline}, {ID: kit.ActClose, Word: "lab"}, {ID: kit.ActHelp}}
	if m.w < 120 {
		list = []kit.Hint{{ID: kit.ActRun, Word: "run"}, {ID: kit.ActRight, Word: "step"}, {ID: kit.ActLeft, Word: "back"}, {ID: kit.ActPane, Word: "lane"},
			{ID: kit.ActAll, Word: "one/all"}, {Keys: "1-5", Word: "preset"}, {ID: kit.ActTimeline}, {ID: kit.ActClose, Word: "lab"}, {ID: kit.ActHelp}}
	}
	if m.Running() {
		list[0].Word = "pause"
	}
	return list
}

func (v *compareView) Help(host kit.Host) (string, viz.Ink) {
	m := host.(*Model)
	muted := viz.Ink{Role: viz.Muted}
	if v.knobs || m.w < 40 {
		return "", muted
	}
	s := "⟪ ⟫ the texts part · ● drawn · ✗ cut · same token, same row"
	if n := compareLayoutOf(m.w, m.Screen().Body().H, len(m.All), m.Cur, v.alone); len(n.lanes) < len(m.All) {
		s = fmt.Sprintf("lane %d of %d, tab turns · ", m.Cur+1, len(m.All)) + s
	}
	if viz.Width(s) > m.w-2 {
		s = viz.CutTitle(s, m.w-2)
	}
	return s, muted
}

func (v *compareView) Header(host kit.Host, k kit.Class) (left, right []kit.HeaderPart) {
	m := host.(*Model)
	phase, ink := m.lanesPhase(), viz.Ink{}.With(viz.Bold)
	if strings.HasPrefix(phase, "!") {
		ink.Role = viz.Warning
	}
	how := "in step"
	if m.Side.Free {
		how = "free"
	}
	info := m.Lane().Model.Info()
	model := info.Name
	if k == kit.Class160 {
		model = strings.TrimSpace(info.Name + " " + run.NonZero(info.Params) + " " + info.Quant)
	}
	luck := m.seedWords()
	if _, same := m.sameLuck(); same && k >= kit.Class120 {
		if luck += ", same luck in "; len(m.All) == 2 {
			luck += "both"
		} else {
			luck += "all"
		}
	}
	muted := viz.Ink{Role: viz.Muted}
	left = []kit.HeaderPart{{Text: "logitscope", Rank: 9, Ink: muted}, {Text: viz.Printable(model, false), Rank: 8, Ink: muted}, {Text: phase, Rank: 0, Ink: ink},
		{Text: fmt.Sprintf("compare, %d lanes %s", len(m.All), how), Rank: 3, Ink: viz.Ink{}}, {Text: luck, Rank: 5, Ink: viz.Ink{}}}
	if k <= kit.Class80 {
		left = left[2:]
	}
	to := "keys act on " + m.scopeWords() + " · t one lane"
	if m.Side.One {
		to = "keys act on " + m.scopeWords() + " · t all lanes"
	}
	if k <= kit.Class100 {
		to = m.scopeWords()
	}
	return left, []kit.HeaderPart{{Text: to, Rank: 2, Ink: viz.Ink{}}}
}

// lanesPhase says what the lanes are doing together.
func (m *Model) lanesPhase() string {
	if m.Running() {
		return run.Phases[engine.Running].Glyph + " " + run.Phases[engine.Running].Word
	}
	for _, l := range m.All {
		if l.View.Phase == engine.Failed || l.View.Looking > 0 {
			return run.PhaseWords(l)
		}
	}
	if anyLooks(m.All) || !allEnded(m.All) || len(m.All) == 0 {
		if l := m.Lane(); l.Look.At > 0 || l.View.Phase != engine.Done {
			return run.PhaseWords(l)
		}
		return run.Phases[engine.Paused].Glyph + " " + run.Phases[engine.Paused].Word
	}
	return run.Phases[engine.Done].Glyph + " " + run.Phases[engine.Done].Word
}

func anyLooks(lanes []*run.Lane) bool {
	for _, l := range lanes {
		if l.Look.At > 0 {
			return true
		}
	}
	return false
}

func allEnded(lanes []*run.Lane) bool {
	for _, l := range lanes {
		if l.View.Phase != engine.Done && l.View.Phase != engine.Failed {
			return false
		}
	}
	return true
}
