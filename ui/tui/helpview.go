package tui

import (
	"slices"
	"strconv"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"logitscope/ui/tui/kit"
	"logitscope/viz"
)

// helpView lists every key, made from the table of actions.
type helpView struct{ list kit.List }

// helpRows joins actions that belong side by side into one entry.
var helpRows = [][]kit.ID{
	{kit.ActRun}, {kit.ActNext, kit.ActRight}, {kit.ActBack, kit.ActLeft}, {kit.ActAgain}, {kit.ActReseed}, {kit.ActSlower, kit.ActFaster}, {kit.ActPane, kit.ActPaneBack}, {kit.ActDown, kit.ActUp},
	{kit.ActRight10, kit.ActLeft10}, {kit.ActFirst, kit.ActLast}, {kit.ActZoom}, {kit.ActForce}, {kit.ActPin}, {kit.ActFind}, {kit.ActDraw}, {kit.ActPrompt}, {kit.ActExamples},
	{kit.ActPreset1, kit.ActPreset2, kit.ActPreset3, kit.ActPreset4, kit.ActPreset5}, {kit.ActPreset6, kit.ActPreset7, kit.ActPreset8, kit.ActPreset9},
	{kit.ActLower, kit.ActRaise}, {kit.ActOff}, {kit.ActReset}, {kit.ActOpen}, {kit.ActUndo, kit.ActRedo}, {kit.ActFlip}, {kit.ActOrder}, {kit.ActTake}, {kit.ActEarlier, kit.ActLater}, {kit.ActInspect},
	{kit.ActMarks}, {kit.ActFold}, {kit.ActCopy}, {kit.ActEngines}, {kit.ActValues}, {kit.ActPrevMark, kit.ActNextMark}, {kit.ActCommands}, {kit.ActClose}, {kit.ActQuit}, {kit.ActInterrupt},
}

// helpWords are the words of entries that join several actions.
var helpWords = map[kit.ID]string{
	kit.ActSlower: "slower / faster", kit.ActPane: "next / previous pane", kit.ActDown: "choose a row or knob", kit.ActRight10: "ten times as far (also pgdown / pgup)",
	kit.ActFirst: "first / last row or token", kit.ActPreset1: "factual chat creative neutral greedy", kit.ActPreset6: "your own presets",
	kit.ActLower: "lower / raise the selected knob", kit.ActUndo: "undo / redo a change", kit.ActEarlier: "move the stage earlier / later",
	kit.ActPrevMark: "previous / next mark of the text", kit.ActNext: "next token", kit.ActBack: "back one token",
}

// own returns what keys mean in the view that fills the screen, where it has
// words of its own, and which actions those are.
func (h *helpView) own(m *Model) (out [][2]string, seen map[kit.ID]bool) {
	seen = make(map[kit.ID]bool)
	f, ok := m.screen.View.(kit.Footed)
	if !ok {
		return nil, seen
	}
	for _, x := range f.Footer(m) {
		a := m.keys.byID[x.ID]
		if a == nil || x.Word == "" || x.ID == kit.ActHelp {
			continue
		}
		keys := x.Keys
		if keys == "" {
			keys = a.First()
		}
		seen[x.ID] = true
		out = append(out, [2]string{keys, x.Word})
	}
	return out, seen
}

// entries returns keys and words of every action, those of one row together.
func (h *helpView) entries(m *Model) [][2]string {
	out, seen := h.own(m)
	for _, row := range helpRows {
		if !slices.ContainsFunc(row, func(id kit.ID) bool { return !seen[id] }) {
			continue
		}
		var keys, first []string
		for _, id := range row {
			seen[id] = true
			if a := m.keys.byID[id]; a != nil {
				keys, first = append(keys, a.Keys()...), append(first, a.First())
			}
		}
		a := m.keys.byID[row[0]]
		if a == nil {
			continue
		}
		words := a.Words()
		if w, ok := helpWords[row[0]]; ok {
			words = w
		}
		list := keyList(keys)
		if viz.Width(list) > widestKeys {
			list = keyList(first)
		}
		out = append(out, [2]string{list, words})
	}
	for _, a := range m.keys.list {
		if !seen[a.ID] {
			out = append(out, [2]string{a.Help().Key, a.Words()})
		}
	}
	return out
}

// widestKeys is how many cells the keys of an entry may take; of more, the
// first of each action is shown.
const widestKeys = 16

// keyList shows keys, digits that follow each other as a range.
func keyList(keys []string) string {
	if n := len(keys); n > 2 && len(keys[0]) == 1 && keys[0][0] >= '1' && keys[0][0] <= '9' {
		return keys[0] + "-" + keys[n-1]
	}
	names := make([]string, 0, len(keys))
	for _, k := range keys {
		names = append(names, kit.KeyName(k))
	}
	return strings.Join(names, " ")
}

// Frame titles the box; see [kit.Overlay].
func (h *helpView) Frame(host kit.Host) viz.Frame {
	m := host.(*Model)
	return viz.Frame{Title: "help · " + string(m.screen.id) + ", " + m.lab.PaneName(), Right: "? · esc"}
}

// Size is how large the box wants to be; see [kit.Overlay].
func (h *helpView) Size(host kit.Host) (int, int) {
	m := host.(*Model)
	return min(max(m.w-4, 100), 140), 34
}

// columns returns how many columns the entries take in w cells.
func (h *helpView) columns(w int) int {
	if w >= 92 {
		return 2
	}
	return 1
}

// Draw draws the view; see [kit.View].
func (h *helpView) Draw(c *viz.Canvas, host kit.Host) {
	m := host.(*Model)
	c.Put(1, 0, viz.CutSentence("Letters act at once; capitals open a view; arrows move in the pane with the heavy border.", c.W-2), viz.Ink{})
	list := h.entries(m)
	cols := h.columns(c.W)
	rows := (len(list) + cols - 1) / cols
	view := max(c.H-4, 1)
	top := min(h.list.Top, max(rows-view, 0))
	colW := (c.W - 2) / cols
	words := wordsColumn(list, colW)
	for y := 0; y < view && top+y < rows; y++ {
		for x := range cols {
			i := x*rows + top + y
			if i >= len(list) {
				continue
			}
			at := 1 + x*colW
			c.Put(at, 2+y, list[i][0], viz.Ink{Role: viz.Focus})
			from := max(words, viz.Width(list[i][0])+1)
			c.Put(at+from, 2+y, viz.CutTitle(list[i][1], colW-from-1), viz.Ink{})
		}
	}
	c.Fill(viz.Rect{X: 0, Y: c.H - 2, W: c.W, H: 2}, " ", viz.Ink{})
	if rows > view {
		c.Put(1, c.H-2, strconv.Itoa(top+1)+" to "+strconv.Itoa(min(top+view, rows))+" of "+strconv.Itoa(rows)+" · ↑↓ scroll", viz.Ink{Role: viz.Muted})
	}
	legend := helpLegend
	for viz.Width(legend) > c.W-2 && strings.Contains(legend, "  ") {
		legend = legend[:strings.LastIndex(legend, "  ")]
	}
	c.Put(1, c.H-1, legend, viz.Ink{})
}

// helpLegend names the marks of the chart, those met first in front.
const helpLegend = "█ final  ▓ gained  ░ lost  ✗ cut  ● drawn  ◆ forced  ★ pinned  ⊘ refused  ┄ cut line"

// wordsColumn is where the words of entries stand in a column of w cells:
// after the longest keys if all words fit there, else close to the left.
func wordsColumn(list [][2]string, w int) int {
	keys, words := 0, 0
	for _, e := range list {
		keys, words = max(keys, viz.Width(e[0])+1), max(words, viz.Width(e[1]))
	}
	if keys+words < w {
		return keys
	}
	return 13
}

// Act takes the actions it names; see [kit.View].
func (h *helpView) Act(host kit.Host, a *kit.Action) (tea.Cmd, bool) {
	m := host.(*Model)
	d := map[kit.ID]int{kit.ActUp: -1, kit.ActDown: 1, kit.ActLeft10: -10, kit.ActRight10: 10, kit.ActFirst: -1000, kit.ActLast: 1000}[a.ID]
	if d == 0 {
		if slices.Contains([]kit.ID{kit.ActHelp, kit.ActClose, kit.ActQuit, kit.ActRun, kit.ActCommands}, a.ID) {
			return nil, false
		}
		m.Say(a.First() + ": " + a.Words() + ". It acts once this help is closed: esc.")
		return nil, true
	}
	_, height := h.Size(m)
	r := m.Screen().Box(h.Size(m))
	view := max(min(height, r.H)-2-4, 1)
	rows := (len(h.entries(m)) + h.columns(r.W-2) - 1) / h.columns(r.W-2)
	h.list.Top = min(max(h.list.Top+d, 0), max(rows-view, 0))
	return nil, true
}

// Hints are what the footer offers; see [kit.View].
func (h *helpView) Hints(kit.Host) []kit.ID { return nil }

// Footer words the hints; see [kit.Footed].
func (h *helpView) Footer(kit.Host) []kit.Hint {
	return []kit.Hint{{ID: kit.ActClose}, {ID: kit.ActDown, Keys: "↑↓", Word: "scroll"}, {ID: kit.ActCommands}}
}
