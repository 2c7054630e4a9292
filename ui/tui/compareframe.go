package tui

import (
	"fmt"
	"strconv"
	"strings"

	"logitscope/engine"
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

func (v *compareView) hints(*Model) []string { return nil }

func (v *compareView) footer(m *Model) []hint {
	both := "all"
	if len(m.All) == 2 {
		both = "both"
	}
	if m.Side.One {
		both = "lane " + strconv.Itoa(m.Cur+1)
	}
	if v.knobs {
		return []hint{{id: "right", keys: "←→", word: "change, " + both}, {id: "down", keys: "↑↓", word: "knob"}, {id: "open", word: "type"},
			{id: "off", word: "off"}, {id: "pane", word: "lanes"}, {id: "all", word: "this lane/all lanes"}, {keys: "1-5", word: "preset"}, {id: "close", word: "lanes"}, {id: "help"}}
	}
	list := []hint{{id: "run", word: "run/pause"}, {id: "right", word: "step " + both}, {id: "left", word: "back " + both}, {id: "pane", word: "lane"},
		{id: "all", word: "this lane/all lanes"}, {id: "sync", word: "wait/free"}, {keys: "1-5", word: "preset"}, {id: "lower", keys: "-/+", word: "value"},
		{id: "nextmark", keys: "[ ]", word: "where they part"}, {id: "force", word: "force in the others"}, {id: "zoom", word: "lane alone"},
		{id: "timeline"}, {id: "close", word: "lab"}, {id: "help"}}
	if m.w < 120 {
		list = []hint{{id: "run", word: "run"}, {id: "right", word: "step"}, {id: "left", word: "back"}, {id: "pane", word: "lane"},
			{id: "all", word: "one/all"}, {keys: "1-5", word: "preset"}, {id: "timeline"}, {id: "close", word: "lab"}, {id: "help"}}
	}
	if m.Running() {
		list[0].word = "pause"
	}
	return list
}

func (v *compareView) help(m *Model) (string, viz.Ink) {
	muted := viz.Ink{Role: viz.Muted}
	if v.knobs || m.w < 40 {
		return "", muted
	}
	s := "⟪ ⟫ the texts part · ● drawn · ✗ cut · same token, same row"
	if n := compareLayoutOf(m.w, m.bodyRect().H, len(m.All), m.Cur, v.alone); len(n.lanes) < len(m.All) {
		s = fmt.Sprintf("lane %d of %d, tab turns · ", m.Cur+1, len(m.All)) + s
	}
	if viz.Width(s) > m.w-2 {
		s = viz.CutTitle(s, m.w-2)
	}
	return s, muted
}

func (v *compareView) header(m *Model, k class) (left, right []headerPart) {
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
	if k == class160 {
		model = strings.TrimSpace(info.Name + " " + nonZero(info.Params) + " " + info.Quant)
	}
	luck := m.seedWords()
	if _, same := m.sameLuck(); same && k >= class120 {
		if luck += ", same luck in "; len(m.All) == 2 {
			luck += "both"
		} else {
			luck += "all"
		}
	}
	muted := viz.Ink{Role: viz.Muted}
	left = []headerPart{{"logitscope", 9, muted}, {viz.Printable(model, false), 8, muted}, {phase, 0, ink},
		{fmt.Sprintf("compare, %d lanes %s", len(m.All), how), 3, viz.Ink{}}, {luck, 5, viz.Ink{}}}
	if k <= class80 {
		left = left[2:]
	}
	to := "keys act on " + m.scopeWords() + " · t one lane"
	if m.Side.One {
		to = "keys act on " + m.scopeWords() + " · t all lanes"
	}
	if k <= class100 {
		to = m.scopeWords()
	}
	return left, []headerPart{{to, 2, viz.Ink{}}}
}

// lanesPhase says what the lanes are doing together.
func (m *Model) lanesPhase() string {
	if m.Running() {
		return phases[engine.Running].glyph + " " + phases[engine.Running].word
	}
	for _, l := range m.All {
		if l.View.Phase == engine.Failed || l.View.Looking > 0 {
			return phaseWords(l)
		}
	}
	if anyLooks(m.All) || !allEnded(m.All) || len(m.All) == 0 {
		if l := m.Lane(); l.Look.At > 0 || l.View.Phase != engine.Done {
			return phaseWords(l)
		}
		return phases[engine.Paused].glyph + " " + phases[engine.Paused].word
	}
	return phases[engine.Done].glyph + " " + phases[engine.Done].word
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
