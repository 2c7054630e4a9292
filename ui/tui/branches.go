package tui

import (
	"fmt"
	"slices"
	"strings"

	"logitscope/engine"
	"logitscope/viz"
)

// A branch is a text that was left for another one of the same lane.
type branch struct {
	born     int    // texts in the order in which they were begun, from 0
	name     string // given by the user, empty for one made from how it began
	gone     bool   // taken out; kept so that it can be put back
	steps    []*engine.Step
	prompt   []int32
	text     string
	settings *engine.Settings
}

// shelve keeps the lane's text as a branch, since another one is about to
// begin, and returns its index.
func (l *lane) shelve() int {
	l.branches = append(l.branches, l.present())
	l.births++
	l.born, l.name = l.births, ""
	return len(l.branches) - 1
}

// present is the lane's text as a branch.
func (l *lane) present() branch {
	return branch{
		born: l.born, name: l.name, steps: l.view.Steps,
		prompt: l.view.Prompt, text: l.view.PromptText, settings: l.settings,
	}
}

// swapBranch makes branch i the lane's text and keeps the present one in its
// place. It returns the index under which the present one is kept.
func (m *board) swapBranch(l *lane, i int) int {
	b := l.branches[i]
	l.look = lookback{}
	l.branches[i] = l.present()
	l.born, l.name = b.born, b.name
	l.text, l.prompt = b.text, b.prompt
	l.eng.Post(adopt(b))
	return i
}

// jumpTo makes branch i the lane's text, under the settings it had. Undo
// comes back.
func (m *board) jumpTo(l *lane, i int) {
	b := l.branches[i]
	snap := l.snapshot("from one branch to another", m.swapBranch(l, i))
	l.remember(snap)
	l.settings, l.config = b.settings, b.settings.Config()
	for k, p := range m.book.presets() {
		if p.Name == strings.TrimSuffix(b.settings.Label, "*") {
			l.preset = k
		}
	}
}

// A limb is a text as the timeline lists it.
type limb struct {
	branch
	index  int // in lane.branches, -1 for the present text
	parent int // index in the list of limbs it grew from, -1 for none
	shared int // steps it has in common with its parent
	depth  int // limbs between it and the first
}

// limbs lists the texts of l that have its present prompt, in the order in
// which they were begun, the present one among them. A text grows from the
// earlier one that it shares most with.
func (l *lane) limbs() []limb {
	list := []limb{{branch: l.present(), index: -1}}
	for i, b := range l.branches {
		if !b.gone && slices.Equal(b.prompt, l.view.Prompt) {
			list = append(list, limb{branch: b, index: i})
		}
	}
	slices.SortFunc(list, func(a, b limb) int { return a.born - b.born })
	for i := range list {
		list[i].parent = -1
		for k := range i {
			if n := commonSteps(list[k].steps, list[i].steps); list[i].parent < 0 || n > list[i].shared {
				list[i].parent, list[i].shared, list[i].depth = k, n, list[k].depth+1
			}
		}
	}
	return list
}

// commonSteps returns how many steps a and b begin with that are the same
// choice: one token under one setting. What was written again under other
// settings is a branch even where the same tokens came.
func commonSteps(a, b []*engine.Step) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] && (a[i].Token != b[i].Token || a[i].Settings != b[i].Settings) {
			return i
		}
	}
	return n
}

// limbName names limb i: as the user did, else by what set it apart.
func (m *board) limbName(l *lane, list []limb, i int) string {
	b := list[i]
	switch {
	case b.name != "":
		return viz.Printable(b.name, m.ascii)
	case b.parent < 0:
		return "main"
	case b.shared >= len(b.steps):
		return fmt.Sprintf("from token %d", b.shared+1)
	}
	s := b.steps[b.shared]
	if s.Forced {
		return "forced " + l.piece(s.Token, m.ascii)
	}
	if p := list[b.parent].steps; b.shared < len(p) && p[b.shared].Settings != s.Settings {
		if was := p[b.shared].Settings; was.Label != s.Settings.Label && s.Settings.Label[max(len(s.Settings.Label)-1, 0):] != "*" {
			return s.Settings.Label
		} else if d := shortDifference(was, s.Settings); d != "" {
			return d
		}
	}
	return fmt.Sprintf("from token %d", b.shared+1)
}

// shortDifference names the first setting in which b differs from a: "T 1.30".
func shortDifference(a, b *engine.Settings) string {
	x, y := a.Config(), b.Config()
	for _, p := range knobList {
		if sameSetting(x, y, p.Key) {
			continue
		}
		key := p.Key
		if s, ok := shortKeys[key]; ok {
			key = s
		}
		return key + " " + viz.Printable(viz.Cut(valueWords(p, y.Value(p.Key)), 20), false)
	}
	return ""
}

// limbNote says what a limb holds, in a few words.
func (m *board) limbNote(l *lane, list []limb, i int) string {
	b := list[i]
	if b.parent < 0 {
		return fmt.Sprintf("%s, seed %d", viz.Printable(b.settings.Label, m.ascii), b.settings.Config().Uint("seed"))
	}
	parent := list[b.parent].steps
	from := firstDifference(parent, b.steps, len(b.steps))
	switch {
	case from < 0 && len(b.steps) <= len(parent):
		return "same text so far"
	case from < 0:
		from = len(parent)
	}
	s := ""
	for _, st := range b.steps[from:min(len(b.steps), from+24)] {
		s += l.vocab().Piece(st.Token)
	}
	return viz.Printable(strings.ReplaceAll(strings.TrimLeft(s, " "), "\n", "↵"), m.ascii)
}

// takeOutBranch takes limb b out of the list; undo puts it back.
func (m *board) takeOutBranch(l *lane, b limb, name string) {
	snap := l.snapshot("taken out: "+name, -1)
	snap.taken = b.index
	l.remember(snap)
	l.branches[b.index].gone = true
	m.say(name + " is taken out; u puts it back")
}

// firstDifference returns the first of the first n steps whose tokens differ,
// -1 if none do.
func firstDifference(a, b []*engine.Step, n int) int {
	for i := range min(n, len(a), len(b)) {
		if a[i] != b[i] && a[i].Token != b[i].Token {
			return i
		}
	}
	return -1
}

// shortKeys are the names of knobs in a lane's title.
var shortKeys = map[string]string{
	"temperature": "T", "repetition_penalty": "rep.", "frequency_penalty": "freq.", "presence_penalty": "pres.",
	"num_assistant_tokens": "drafted", "max_new_tokens": "max",
}
