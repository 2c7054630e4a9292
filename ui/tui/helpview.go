package tui

import (
	"slices"
	"strconv"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"logitscope/viz"
)

// helpView lists every key, made from the table of actions.
type helpView struct{ list list }

// helpRows joins actions that belong side by side into one entry.
var helpRows = [][]string{
	{"run"}, {"next", "right"}, {"back", "left"}, {"again"}, {"reseed"}, {"slower", "faster"}, {"pane", "paneback"}, {"down", "up"},
	{"right10", "left10"}, {"first", "last"}, {"zoom"}, {"force"}, {"pin"}, {"find"}, {"draw"}, {"prompt"}, {"examples"},
	{"preset1", "preset2", "preset3", "preset4", "preset5"}, {"preset6", "preset7", "preset8", "preset9"},
	{"lower", "raise"}, {"off"}, {"reset"}, {"open"}, {"undo", "redo"}, {"flip"}, {"order"}, {"take"}, {"earlier", "later"}, {"inspect"},
	{"marks"}, {"copy"}, {"engines"}, {"values"}, {"prevmark", "nextmark"}, {"commands"}, {"close"}, {"quit"}, {"interrupt"},
}

// helpWords are the words of entries that join several actions.
var helpWords = map[string]string{
	"slower": "slower / faster", "pane": "next / previous pane", "down": "choose a row or knob", "right10": "ten times as far (also pgdown / pgup)",
	"first": "first / last row or token", "preset1": "factual chat creative neutral greedy", "preset6": "your own presets",
	"lower": "lower / raise the selected knob", "undo": "undo / redo a change", "earlier": "move the stage earlier / later",
	"prevmark": "previous / next mark of the text", "next": "next token", "back": "back one token",
}

// own returns what keys mean in the view that fills the screen, where it has
// words of its own, and which actions those are.
func (h *helpView) own(m *Model) (out [][2]string, seen map[string]bool) {
	seen = make(map[string]bool)
	f, ok := m.screen.view.(footed)
	if !ok {
		return nil, seen
	}
	for _, x := range f.footer(m) {
		a := m.keys.byID[x.id]
		if a == nil || x.word == "" || x.id == "help" {
			continue
		}
		keys := x.keys
		if keys == "" {
			keys = a.first()
		}
		seen[x.id] = true
		out = append(out, [2]string{keys, x.word})
	}
	return out, seen
}

// entries returns keys and words of every action, those of one row together.
func (h *helpView) entries(m *Model) [][2]string {
	out, seen := h.own(m)
	for _, row := range helpRows {
		if !slices.ContainsFunc(row, func(id string) bool { return !seen[id] }) {
			continue
		}
		var keys, first []string
		for _, id := range row {
			seen[id] = true
			if a := m.keys.byID[id]; a != nil {
				keys, first = append(keys, a.Keys()...), append(first, a.first())
			}
		}
		a := m.keys.byID[row[0]]
		if a == nil {
			continue
		}
		words := a.words()
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
		if !seen[a.id] {
			out = append(out, [2]string{a.Help().Key, a.words()})
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
		names = append(names, keyName(k))
	}
	return strings.Join(names, " ")
}

func (h *helpView) frame(m *Model) viz.Frame {
	return viz.Frame{Title: "help · " + m.screen.id + ", " + paneNames[m.focus], Right: "? · esc"}
}

func (h *helpView) size(m *Model) (int, int) { return min(max(m.w-4, 100), 140), 34 }

// columns returns how many columns the entries take in w cells.
func (h *helpView) columns(w int) int {
	if w >= 92 {
		return 2
	}
	return 1
}

func (h *helpView) draw(c *viz.Canvas, m *Model) {
	c.Put(1, 0, viz.CutSentence("Letters act at once; capitals open a view; arrows move in the pane with the heavy border.", c.W-2), viz.Ink{})
	list := h.entries(m)
	cols := h.columns(c.W)
	rows := (len(list) + cols - 1) / cols
	view := max(c.H-4, 1)
	top := min(h.list.top, max(rows-view, 0))
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
// behind the longest keys if all words fit there, else close to the left.
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

func (h *helpView) act(m *Model, a *action) (tea.Cmd, bool) {
	d := map[string]int{"up": -1, "down": 1, "left10": -10, "right10": 10, "first": -1000, "last": 1000}[a.id]
	if d == 0 {
		if slices.Contains([]string{"help", "close", "quit", "run", "commands"}, a.id) {
			return nil, false
		}
		m.Say(a.first() + ": " + a.words() + ". It acts once this help is closed: esc.")
		return nil, true
	}
	_, height := h.size(m)
	r := m.overlayRect(h)
	view := max(min(height, r.H)-2-4, 1)
	rows := (len(h.entries(m)) + h.columns(r.W-2) - 1) / h.columns(r.W-2)
	h.list.top = min(max(h.list.top+d, 0), max(rows-view, 0))
	return nil, true
}

func (h *helpView) hints(*Model) []string { return nil }

func (h *helpView) footer(*Model) []hint {
	return []hint{{id: "close"}, {id: "down", keys: "↑↓", word: "scroll"}, {id: "commands"}}
}
