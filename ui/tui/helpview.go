package tui

import (
	"slices"
	"strings"
	"unicode"

	tea "github.com/charmbracelet/bubbletea"

	"logitscope/ui/tui/kit"
	"logitscope/ui/tui/lab"
	"logitscope/viz"
)

// helpView says what can be pressed here: first the keys of the focused pane
// or the view, then what acts everywhere, then the views, all from the table
// of actions.
type helpView struct{ list kit.List }

// A helpRow is what one row of the help names: actions whose keys stand side
// by side, and what they do.
type helpRow struct {
	ids   []kit.ID
	words string
	keys  string // in place of the actions' own
}

// everywhere are the rows of what acts in every view.
var everywhere = []helpRow{
	{[]kit.ID{kit.ActRun}, "run, pause", ""}, {[]kit.ID{kit.ActAgain, kit.ActReseed}, "again: same seed, new seed", ""}, {[]kit.ID{kit.ActSlower, kit.ActFaster}, "slower, faster", ""},
	{kit.Presets[:], "presets", "1 … 9"}, {[]kit.ID{kit.ActLower, kit.ActRaise, kit.ActOff}, "knob down, up, off", ""}, {[]kit.ID{kit.ActUndo, kit.ActRedo}, "undo, redo a setting", ""},
	{[]kit.ID{kit.ActFlip, kit.ActOrder}, "flip A and B; next order", ""}, {[]kit.ID{kit.ActPrompt, kit.ActExamples}, "prompt, examples", ""},
	{[]kit.ID{kit.ActCommands, kit.ActHelp}, "any command; this help", ""}, {[]kit.ID{kit.ActClose}, "closes the topmost", ""}, {[]kit.ID{kit.ActQuit, kit.ActInterrupt}, "quit, quit at once", ""},
	{[]kit.ID{kit.ActPane, kit.ActPaneBack}, "next, previous pane", ""}, {[]kit.ID{kit.ActLeft10, kit.ActRight10}, "ten times as far", ""},
}

// paneRows are the rows of the lab's panes, in the order of use.
var paneRows = map[lab.Pane][]helpRow{
	lab.PaneChart: {
		{[]kit.ID{kit.ActRight, kit.ActNext}, "write it, propose the next", ""}, {[]kit.ID{kit.ActLeft, kit.ActBack}, "back one token", ""}, {[]kit.ID{kit.ActUp, kit.ActDown}, "choose a row", ""}, {[]kit.ID{kit.ActFirst, kit.ActLast}, "first, last row", ""},
		{[]kit.ID{kit.ActOpen}, "this row through all stages", ""}, {[]kit.ID{kit.ActForce}, "force this token", ""}, {[]kit.ID{kit.ActPin}, "pin it: its row stays", ""},
		{[]kit.ID{kit.ActFind}, "find any token", ""}, {[]kit.ID{kit.ActDraw}, "draw 1,000 against the law", ""}, {[]kit.ID{kit.ActInspect}, "what this row does here", ""},
		{[]kit.ID{kit.ActPrevMark, kit.ActNextMark}, "previous, next mark", ""}, {[]kit.ID{kit.ActCue}, "a cue at this token", ""},
		{[]kit.ID{kit.ActZoom}, "chart alone, for a projector", ""},
	},
	lab.PaneControls: {
		{[]kit.ID{kit.ActLeft, kit.ActRight}, "change the value", ""}, {[]kit.ID{kit.ActUp, kit.ActDown}, "choose a knob", ""}, {[]kit.ID{kit.ActOpen}, "type a value", ""},
		{[]kit.ID{kit.ActOff}, "off", ""}, {[]kit.ID{kit.ActReset}, "as the preset has it", ""}, {[]kit.ID{kit.ActTake}, "off and on again", ""},
		{[]kit.ID{kit.ActInspect}, "what this knob does here", ""}, {[]kit.ID{kit.ActNext, kit.ActBack}, "next token, back one", ""}, {[]kit.ID{kit.ActZoom}, "all knobs at once", ""},
	},
	lab.PanePipeline: {
		{[]kit.ID{kit.ActLeft, kit.ActRight}, "choose a stage", ""}, {[]kit.ID{kit.ActOpen}, "its sums", ""}, {[]kit.ID{kit.ActTake}, "take it out, put it back", ""},
		{[]kit.ID{kit.ActEarlier, kit.ActLater}, "earlier, later", ""}, {[]kit.ID{kit.ActInspect}, "what this stage does here", ""},
		{[]kit.ID{kit.ActNext, kit.ActBack}, "next token, back one", ""}, {[]kit.ID{kit.ActZoom}, "stages as a table", ""},
	},
	lab.PaneText: {
		{[]kit.ID{kit.ActLeft, kit.ActRight}, "look back, and on", ""}, {[]kit.ID{kit.ActFirst, kit.ActLast}, "first, newest token", ""}, {[]kit.ID{kit.ActMarks}, "what its colours mean", ""}, {[]kit.ID{kit.ActOpen}, "that step, or since ⟨3 …⟩", ""},
		{[]kit.ID{kit.ActPrevMark, kit.ActNextMark}, "previous, next mark", ""}, {[]kit.ID{kit.ActCue}, "a cue at this token", ""}, {[]kit.ID{kit.ActInspect}, "why it repeats", ""},
		{[]kit.ID{kit.ActCopy}, "copy it", ""}, {[]kit.ID{kit.ActFold}, "fold template, reasoning", ""}, {[]kit.ID{kit.ActZoom}, "text alone", ""},
	},
	lab.PaneEntropy: {
		{[]kit.ID{kit.ActLeft, kit.ActRight}, "look back, and on", ""}, {[]kit.ID{kit.ActFirst, kit.ActLast}, "first, newest step", ""}, {[]kit.ID{kit.ActOpen}, "that step", ""}, {[]kit.ID{kit.ActZoom}, "entropy alone", ""},
	},
}

// lessonRows are the rows of a lesson that has the keys.
var lessonRows = []helpRow{
	{[]kit.ID{kit.ActOpen}, "answer, turn the page, go on", ""}, {[]kit.ID{kit.ActUp, kit.ActDown}, "choose an answer, scroll", ""}, {[]kit.ID{kit.ActInspect}, "next hint", ""},
	{[]kit.ID{kit.ActTake}, "leave the question, the task out", ""}, {[]kit.ID{kit.ActReset}, "set the task up again", ""}, {[]kit.ID{kit.ActPrevMark, kit.ActNextMark}, "task before, task after", ""},
	{[]kit.ID{kit.ActZoom}, "the lesson alone", ""}, {[]kit.ID{kit.ActLessons}, "fold it away, bring it back", ""}, {[]kit.ID{kit.ActPane}, "to the panes of the lab", ""},
}

// helpTerms are words of the lab that its screen does not explain.
var helpTerms = [][2]string{
	{"raw", "what the model gives · final: after all settings, sums to 100% over the kept"},
	{"about 15", "2 to the power of the entropy in bits: as if choosing evenly among so many"},
	{"→ 11 left", "tokens that survive this stage · ↓25: tokens it lowered"},
	{"u", "the random number of this step, 0 to 1; it falls in one token's interval"},
	{"TV", "total variation: the probability that would have to move to turn one law into the other"},
}

// A helpEntry is a row as it is drawn.
type helpEntry struct{ keys, words string }

// helpEntry makes a row of the keys that actions have now, the first of each; it
// reports false if none of them has one.
func (m *Model) helpEntry(r helpRow) (helpEntry, bool) {
	var keys []string
	for _, id := range r.ids {
		if a := m.keys.byID[id]; a != nil && a.First() != "" {
			keys = append(keys, kit.KeyName(a.First()))
		}
	}
	if len(keys) == 0 {
		return helpEntry{}, false
	}
	if r.keys != "" {
		return helpEntry{r.keys, r.words}, true
	}
	return helpEntry{strings.Join(keys, " "), r.words}, true
}

func (m *Model) helpEntries(rows []helpRow) (out []helpEntry) {
	for _, r := range rows {
		if e, ok := m.helpEntry(r); ok {
			out = append(out, e)
		}
	}
	return out
}

// here are the rows of the focused pane or of the view, and their title.
func (h *helpView) here(m *Model) (title string, out []helpEntry, seen map[kit.ID]bool) {
	seen = make(map[kit.ID]bool)
	rows, name := paneRows[m.lab.Focus], m.lab.PaneName()
	reads := m.tutor.Shown && m.tutor.Focused
	if reads {
		rows, name = lessonRows, "lesson"
	}
	of := m.helped()
	if reads || of.id == kit.ViewLab {
		for _, r := range rows {
			for _, id := range r.ids {
				seen[id] = true
			}
		}
		return name + " · keys of this pane", m.helpEntries(rows), seen
	}
	title = views[of.id].title + " · keys here"
	f, ok := of.View.(kit.Footed)
	if !ok {
		for _, id := range of.View.Hints(m) {
			if a := m.keys.byID[id]; a != nil && a.First() != "" && !seen[id] {
				out, seen[id] = append(out, helpEntry{kit.KeyName(a.First()), a.Hint}), true
			}
		}
		return title, out, seen
	}
	for _, x := range f.Footer(m) {
		a := m.keys.byID[x.ID]
		if x.Word == "" && a == nil || x.ID == kit.ActHelp {
			continue
		}
		keys, words := x.Keys, x.Word
		if a != nil {
			if keys == "" {
				keys = kit.KeyName(a.First())
			}
			if words == "" {
				words = a.Hint
			}
		}
		if keys == "" {
			continue
		}
		seen[x.ID] = true
		out = append(out, helpEntry{keys, words})
	}
	return title, out[:min(len(out), mostHere)], seen
}

// helped is what the help is about: what lies below it.
func (m *Model) helped() opened {
	help := slices.IndexFunc(m.overlays, func(o opened) bool { _, is := o.View.(*helpView); return is })
	if help < 0 {
		help = len(m.overlays)
	}
	if help > 0 {
		return m.overlays[help-1]
	}
	return m.screen
}

// mostHere is how many rows a pane or a view may have.
const mostHere = 15

// viewEntries are the actions with a capital, each of which opens a view.
func (m *Model) viewEntries(seen map[kit.ID]bool) (out []helpEntry) {
	for _, a := range m.keys.list {
		if k := a.First(); a.ID != kit.ActName && !seen[a.ID] && len(k) == 1 && unicode.IsUpper(rune(k[0])) && views[kit.ViewID(a.ID)].new != nil {
			seen[a.ID] = true
			out = append(out, helpEntry{k, a.Hint})
		}
	}
	return out
}

// A helpCell is a key and its words at a place of a line.
type helpCell struct {
	x, w        int
	keys, words string
	title       bool
}

// keysWide is how wide the keys of a row are.
const keysWide = 8

// lines are the help in lines of w cells.
func (h *helpView) lines(m *Model, w int) (lines [][]helpCell) {
	title, own, seen := h.here(m)
	all := m.helpEntries(everywhere)
	for _, r := range everywhere {
		for _, id := range r.ids {
			seen[id] = true
		}
	}
	opens := m.viewEntries(seen)
	type column struct {
		title string
		list  []helpEntry
	}
	side := func(cols ...column) {
		cw := w / len(cols)
		rows := 0
		var head []helpCell
		for i, c := range cols {
			rows = max(rows, len(c.list))
			head = append(head, helpCell{x: i * cw, w: cw, words: c.title, title: true})
		}
		lines = append(lines, head)
		for y := range rows {
			var line []helpCell
			for i, c := range cols {
				if y < len(c.list) {
					line = append(line, helpCell{x: i * cw, w: cw, keys: c.list[y].keys, words: c.list[y].words})
				}
			}
			lines = append(lines, line)
		}
	}
	const viewsTitle = "views · a capital opens one, esc closes it"
	wide := w >= 108
	switch {
	case wide:
		cw := w / 3
		side(column{title, own}, column{"everywhere", all}, column{title: "views · esc closes"})
		for half, i := (len(opens)+1)/2, 0; i < len(opens); i++ { // side by side
			e, y := opens[i], 1+i%half
			for len(lines) <= y {
				lines = append(lines, nil)
			}
			lines[y] = append(lines[y], helpCell{x: 2*cw + i/half*(w-2*cw)/2, w: viz.Width(e.keys) + 1 + viz.Width(e.words), keys: e.keys, words: e.words})
		}
	case w >= 72:
		side(column{title, own}, column{"everywhere", all})
	default:
		side(column{title, own})
		lines = append(lines, nil)
		side(column{"everywhere", all})
	}
	if !wide {
		if w < 72 {
			lines = append(lines, nil)
		}
		lines = append(lines, []helpCell{{w: w, words: viewsTitle, title: true}})
		lines = append(lines, flowed(opens, w)...)
	} else {
		lines = append(lines, nil)
		if m.helped().id == kit.ViewLab {
			lines = append(lines, h.otherPanes(m, w)...)
			lines = append(lines, nil, []helpCell{{w: w, words: "words on this screen", title: true}})
			for _, t := range helpTerms {
				lines = append(lines, []helpCell{{w: w, keys: t[0], words: t[1]}})
			}
		}
	}
	return lines
}

// flowed puts entries side by side into lines of w cells.
func flowed(list []helpEntry, w int) (lines [][]helpCell) {
	x, line := 0, []helpCell(nil)
	for _, e := range list {
		n := viz.Width(e.keys) + 1 + viz.Width(e.words)
		if x+n > w && x > 0 {
			lines, line, x = append(lines, line), nil, 0
		}
		line = append(line, helpCell{x: x, w: n, keys: e.keys, words: e.words})
		x += n + 2
	}
	return append(lines, line)
}

// otherPanes say in a line each what the panes without the heavy border take.
func (h *helpView) otherPanes(m *Model, w int) [][]helpCell {
	lines := [][]helpCell{{{w: w, words: "other panes · tab goes round; the footer shows the pane with the heavy border", title: true}}}
	for p := range lab.Pane(len(paneRows)) {
		if p == m.lab.Focus {
			continue
		}
		var parts []string
		for _, e := range m.helpEntries(paneRows[p]) {
			parts = append(parts, e.keys+" "+e.words)
		}
		lines = append(lines, []helpCell{{w: w, keys: lab.PaneNames[p], words: viz.SomeOf("", parts, w-keysWide-2)}})
	}
	return lines
}

// Frame titles the box; see [kit.Overlay].
func (h *helpView) Frame(host kit.Host) viz.Frame {
	m := host.(*Model)
	title := "help · " + string(m.helped().id)
	if m.helped().id == kit.ViewLab {
		title += ", " + m.lab.PaneName()
	}
	return viz.Frame{Title: title, Right: "? · esc"}
}

// Size is how large the box wants to be; see [kit.Overlay].
func (h *helpView) Size(host kit.Host) (int, int) {
	m := host.(*Model)
	return min(m.w, 140), min(m.h, 36)
}

// helpLegend names the marks of the chart, those met first in front.
var helpLegend = []struct {
	mark, words string
	ink         viz.Ink
}{
	{"█", "kept", viz.Ink{Role: viz.Kept}}, {"▓", "gained", viz.Ink{Role: viz.Boosted}}, {"░", "lost", viz.Ink{Role: viz.LostFill}}, {"✗", "cut", viz.Ink{Role: viz.Lost}},
	{"●", "drawn", viz.Ink{Role: viz.Chosen}}, {"◆", "forced", viz.Ink{Role: viz.Chosen}}, {"★", "pinned", viz.Ink{Role: viz.Pinned}}, {"┄", "cut line", viz.Ink{Role: viz.CutLine}}, {"⊘", "refused", viz.Ink{Role: viz.Lost}},
}

// Draw draws the view; see [kit.View].
func (h *helpView) Draw(c *viz.Canvas, host kit.Host) {
	lines := h.lines(host.(*Model), c.W-2)
	view := h.view(c.H)
	top := min(h.list.Top, max(len(lines)-view, 0))
	for y := 0; y < view && top+y < len(lines); y++ {
		for _, cell := range lines[top+y] {
			h.drawCell(c, 1+cell.x, y, cell)
		}
	}
	x := 1
	for _, l := range helpLegend {
		if x+2+len(l.words) > c.W-1 {
			break
		}
		x = c.Put(c.Put(x, c.H-1, l.mark, l.ink)+1, c.H-1, l.words, viz.Ink{}) + 2
	}
	if more := len(lines) - view - top; more > 0 {
		c.Right(c.W-1, c.H-2, " ↓ "+viz.Plural(more, "line")+" more", viz.Ink{Role: viz.Muted})
	}
}

// view is how many of a box's h lines the help has for itself.
func (h *helpView) view(lines int) int { return max(lines-2, 1) }

func (h *helpView) drawCell(c *viz.Canvas, x, y int, cell helpCell) {
	if cell.title {
		c.Put(x, y, viz.CutTitle(cell.words, cell.w-1), viz.Ink{}.With(viz.Bold))
		return
	}
	at := c.Put(x, y, cell.keys, viz.Ink{Role: viz.Focus}) + 1
	if cell.w != viz.Width(cell.keys)+1+viz.Width(cell.words) { // not one of a flow
		at = max(at, x+keysWide+1)
	}
	c.Put(at, y, viz.CutTitle(cell.words, x+cell.w-at), viz.Ink{})
}

// Act takes the actions it names; see [kit.View].
func (h *helpView) Act(host kit.Host, a *kit.Action) (tea.Cmd, bool) {
	m := host.(*Model)
	if a.ID == kit.ActFind {
		return m.Open(kit.ViewCommands), true
	}
	d, ok := a.Rows(h.most(m))
	if !ok {
		if slices.Contains([]kit.ID{kit.ActHelp, kit.ActClose, kit.ActQuit, kit.ActRun, kit.ActCommands}, a.ID) {
			return nil, false
		}
		m.Say(a.First() + ": " + a.Words() + ". It acts once this help is closed: esc.")
		return nil, true
	}
	h.list.Top = min(max(h.list.Top+d, 0), h.most(m))
	return nil, true
}

// Hints are what the footer offers; see [kit.View].
func (h *helpView) Hints(kit.Host) []kit.ID { return nil }

// Footer words the hints; see [kit.Footed].
func (h *helpView) Footer(host kit.Host) []kit.Hint {
	hints := []kit.Hint{{ID: kit.ActClose}}
	if h.most(host.(*Model)) > 0 {
		hints = append(hints, kit.Hint{ID: kit.ActDown, Keys: "↑↓", Word: "scroll"})
	}
	return append(hints, kit.Hint{ID: kit.ActFind, Word: "finds a key"}, kit.Hint{ID: kit.ActCommands, Word: "finds any action by a word"})
}

// most is how many lines the help may be scrolled.
func (h *helpView) most(m *Model) int {
	r := m.Screen().Box(h.Size(m))
	return max(len(h.lines(m, r.W-4))-h.view(r.H-2), 0)
}
