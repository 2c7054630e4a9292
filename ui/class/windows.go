package class

import (
	"cmp"
	"maps"
	"slices"

	"logitscope/ui/tui"
	"logitscope/viz"
)

// mostWindows is how many different windows the lab is drawn for.
const mostWindows = 8

// sizes are what the lab is drawn in for others, largest first.
var sizes = [...]struct{ w, h int }{{200, 60}, {160, 45}, {120, 40}, {100, 30}, {80, 24}, {60, 20}, {40, 12}}

// plainest is drawn for whose window is not, where there are too many.
var plainest = tui.Window{W: 40, H: 12, Depth: viz.NoColors, ASCII: true}

// windowFor is the largest window that fits w by h cells; ok is false if none
// does. A terminal without control sequences has no screen to draw on.
func windowFor(w, h int, d viz.Depth, ascii bool) (win tui.Window, ok bool) {
	for _, s := range sizes {
		if s.w <= w && s.h <= h {
			return tui.Window{W: s.w, H: s.h, Depth: d, ASCII: ascii}, true
		}
	}
	return tui.Window{}, false
}

// inUse are the different windows of a list, at most [mostWindows], most used
// first. Where not all find a place the plainest is the last.
func inUse(list []*tui.Window) []tui.Window {
	n := map[tui.Window]int{}
	for _, w := range list {
		n[*w]++
	}
	all := slices.SortedFunc(maps.Keys(n), func(a, b tui.Window) int {
		return cmp.Or(cmp.Compare(n[b], n[a]), byWorth(a, b))
	})
	if len(all) > mostWindows {
		all = append(all[:mostWindows-1], plainest)
	}
	return all
}

// byWorth orders windows: the larger first, then who shows more colors, then
// who shows more than ASCII.
func byWorth(a, b tui.Window) int {
	if c := cmp.Or(cmp.Compare(b.W, a.W), cmp.Compare(b.H, a.H), cmp.Compare(a.Depth, b.Depth)); c != 0 || a.ASCII == b.ASCII {
		return c
	}
	if a.ASCII {
		return 1
	}
	return -1
}

// frameFor returns the frame of a scene that suits w best: its own, else the
// largest that fits and needs no more than w can show. ok is false if there is
// none.
func frameFor(s *tui.Scene, w tui.Window) (frame string, of tui.Window, ok bool) {
	if f, ok := s.Frames[w]; ok {
		return f, w, true
	}
	for _, have := range slices.SortedFunc(maps.Keys(s.Frames), byWorth) {
		if have.W <= w.W && have.H <= w.H && have.Depth >= w.Depth && (have.ASCII || !w.ASCII) && (!ok || have.W*have.H > of.W*of.H) {
			of, ok = have, true
		}
	}
	return s.Frames[of], of, ok
}
