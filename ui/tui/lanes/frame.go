package lanes

import (
	"fmt"
	"slices"
	"strconv"

	"logitscope/engine"
	"logitscope/ui/tui/kit"
	"logitscope/ui/tui/run"
	"logitscope/viz"
)

// Hints are what the footer offers; see [kit.View].
func (v *View) Hints(kit.Host) []kit.ID { return nil }

// Footer words the hints; see [kit.Footed].
func (v *View) Footer(host kit.Host) []kit.Hint {
	if v.field != nil {
		return []kit.Hint{{Keys: "enter", Word: "takes it"}, {Keys: "esc", Word: "the first line instead"}}
	}
	both := "all"
	if len(v.lanes.All) == 2 {
		both = "both"
	}
	if v.lanes.Side.One {
		both = "lane " + strconv.Itoa(v.lanes.Cur+1)
	}
	if v.open {
		return []kit.Hint{{ID: kit.ActRight, Keys: "←→", Word: "change, " + both}, {ID: kit.ActDown, Keys: "↑↓", Word: "knob"}, {ID: kit.ActOpen, Word: "type"},
			{ID: kit.ActOff, Word: "off"}, {ID: kit.ActPane, Word: "lanes"}, {ID: kit.ActAll, Word: "this lane/all lanes"}, {Keys: "1-5", Word: "preset"}, {ID: kit.ActClose, Word: "lanes"}, {ID: kit.ActHelp}}
	}
	list := []kit.Hint{{ID: kit.ActRun, Word: "run/pause"}, {ID: kit.ActRight, Word: "step " + both}, {ID: kit.ActLeft, Word: "back " + both}, {ID: kit.ActPane, Word: "lane, then knobs"},
		{ID: kit.ActAll, Word: "one/all"}, {ID: kit.ActSync, Word: "wait/free"}, {Keys: "1-5", Word: "preset"}, {ID: kit.ActLower, Keys: "-/+", Word: "value"},
		{ID: kit.ActNextMark, Keys: "[ ]", Word: "where they part"}, {ID: kit.ActForce, Word: "force in the others"}, {ID: kit.ActZoom, Word: "lane alone"},
		{ID: kit.ActTimeline}, {ID: kit.ActClose, Word: "lab"}, {ID: kit.ActHelp}}
	if host.Screen().W < 120 {
		list = []kit.Hint{{ID: kit.ActRun, Word: "run"}, {ID: kit.ActRight, Word: "step"}, {ID: kit.ActLeft, Word: "back"}, {ID: kit.ActPane, Word: "lane, knobs"},
			{ID: kit.ActAll, Word: "one/all"}, {ID: kit.ActNumber, Word: "lower half"}, {Keys: "1-5", Word: "preset"}, {ID: kit.ActTimeline}, {ID: kit.ActSync, Word: "wait/free"}, {ID: kit.ActLower, Keys: "-/+", Word: "value"},
			{ID: kit.ActNextMark, Keys: "[ ]", Word: "where they part"}, {ID: kit.ActForce, Word: "force in the others"}, {ID: kit.ActZoom, Word: "lane alone"}, {ID: kit.ActClose, Word: "lab"}, {ID: kit.ActHelp}}
	}
	if len(v.lanes.All) > 2 {
		list = slices.Insert(list, len(list)-3, kit.Hint{ID: kit.ActAnswer, Word: "what they vote with"})
	}
	if v.lanes.Running() {
		list[0].Word = "pause"
	}
	return list
}

// Help is the help line while nothing was said; see [kit.Helper].
func (v *View) Help(host kit.Host) (string, viz.Ink) {
	muted := viz.Ink{Role: viz.Muted}
	if v.open || host.Screen().W < 40 {
		return "", muted
	}
	s := "⟪ ⟫ the texts part · ● drawn · ✗ cut · same token, same row"
	if n := compareLayoutOf(host.Screen().W, host.Screen().Body().H, len(v.lanes.All), v.lanes.Cur, v.alone, v.part); len(n.lanes) < len(v.lanes.All) {
		s = fmt.Sprintf("lane %d of %d, tab turns · ", v.lanes.Cur+1, len(v.lanes.All)) + s
	}
	if viz.Width(s) > host.Screen().W-2 {
		s = viz.CutTitle(s, host.Screen().W-2)
	}
	return s, muted
}

// Header has the parts of the header; see [kit.Headed].
func (v *View) Header(host kit.Host, k kit.Class) (left, right []kit.HeaderPart) {
	phase, failed := lanesPhase(v.lanes)
	ink := viz.Ink{}.With(viz.Bold)
	if failed {
		ink.Role = viz.Warning
	}
	how := "in step"
	if v.lanes.Side.Free {
		how = "free"
	}
	info := host.Lane().Model.Info()
	model := run.ModelName(info)
	if k == kit.Class160 {
		model = run.FullModelName(info)
	}
	luck := v.lanes.SeedWords()
	if _, same := v.lanes.SameLuck(); same && k >= kit.Class120 {
		if luck += ", same luck in "; len(v.lanes.All) == 2 {
			luck += "both"
		} else {
			luck += "all"
		}
	}
	muted := viz.Ink{Role: viz.Muted}
	left = []kit.HeaderPart{{Text: "logitscope", Rank: 9, Ink: muted}, {Text: viz.Printable(model, false), Rank: 8, Ink: muted}, {Text: phase, Rank: 0, Ink: ink},
		{Text: fmt.Sprintf("compare, %d lanes %s", len(v.lanes.All), how), Rank: 3, Ink: viz.Ink{}}, {Text: luck, Rank: 5, Ink: viz.Ink{}}}
	if k <= kit.Class80 {
		left = left[2:]
	}
	for i, l := range v.lanes.All {
		if off := l.View.Off; off != nil {
			left = append(left, kit.HeaderPart{Text: fmt.Sprintf("lane %d %s", i+1, run.OffWords(off, 1)), Rank: 1, Ink: viz.Ink{Role: viz.Warning}})
		}
	}
	to := "keys act on " + v.lanes.ScopeWords() + " · t one lane"
	if v.lanes.Side.One {
		to = "keys act on " + v.lanes.ScopeWords() + " · t all lanes"
	}
	if k <= kit.Class100 {
		to = v.lanes.ScopeWords()
	}
	return left, []kit.HeaderPart{{Text: to, Rank: 2, Ink: viz.Ink{}}}
}

// lanesPhase says what the lanes are doing together.
func lanesPhase(lanes *run.Lanes) (words string, failed bool) {
	plain := func(p engine.Phase) (string, bool) { return run.Phases[p].Glyph + " " + run.Phases[p].Word, false }
	if lanes.Running() {
		return plain(engine.Running)
	}
	for _, l := range lanes.All {
		if l.View.Phase == engine.Failed || l.View.Looking > 0 {
			return run.PhaseWords(l), l.View.Phase == engine.Failed && l.View.Looking == 0 && l.Look.At == 0
		}
	}
	if run.AnyLooks(lanes.All) || !run.AllEnded(lanes.All) || len(lanes.All) == 0 {
		if l := lanes.Lane(); l.Look.At > 0 || l.View.Phase != engine.Done {
			return run.PhaseWords(l), false
		}
		return plain(engine.Paused)
	}
	return plain(engine.Done)
}
