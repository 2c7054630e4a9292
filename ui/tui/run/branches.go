package run

import (
	"fmt"
	"slices"
	"strings"

	"logitscope/engine"
	"logitscope/models/chat"
	"logitscope/viz"
)

// A branch is a text that was left for another one of the same lane.
type branch struct {
	Born     int    // texts in the order in which they were begun, from 0
	Name     string // given by the user, empty for one made from how it began
	gone     bool   // taken out; kept so that it can be put back
	weighed  bool   // weight is known
	weight   int64  // bytes of rows and traces that the present text does not share
	Steps    []*engine.Step
	prompt   []int32
	text     string
	talk     *chat.Conversation // that text renders
	ends     chat.Ends
	Settings *engine.Settings
}

// shelve keeps the lane's text as a branch, since another one is about to
// begin, and returns its index.
func (l *Lane) shelve() int {
	l.Branches = append(l.Branches, l.present())
	l.births++
	l.Born, l.Name = l.births, ""
	return len(l.Branches) - 1
}

// present is the lane's text as a branch.
func (l *Lane) present() branch {
	return branch{
		Born: l.Born, Name: l.Name, Steps: l.View.Steps,
		prompt: l.View.Prompt, text: l.View.PromptText, talk: l.Talk, ends: l.ends, Settings: l.Settings,
	}
}

// swapBranch makes branch i the lane's text and keeps the present one in its
// place. It returns the index under which the present one is kept.
func (ls *Lanes) swapBranch(l *Lane, i int) int {
	b := l.Branches[i]
	l.Look = Lookback{}
	l.Branches[i] = l.present() // weighed anew when tidied
	l.Born, l.Name = b.Born, b.Name
	l.Text, l.Prompt, l.Talk, l.ends = b.text, b.prompt, b.talk, b.ends
	l.Eng.Post(adopt(b))
	return i
}

// JumpTo makes branch i the lane's text, under the settings it had. Undo
// comes back.
func (ls *Lanes) JumpTo(l *Lane, i int) {
	b := l.Branches[i]
	snap := l.Snapshot("from one branch to another", ls.swapBranch(l, i))
	l.Remember(snap)
	l.Settings, l.Config = b.Settings, b.Settings.Config()
	if k := ls.Book.Index(engine.NameOf(b.Settings.Label).Preset); k >= 0 {
		l.Preset = k
	}
}

// A Limb is a text as the timeline lists it.
type Limb struct {
	branch
	Index  int // in lane.branches, -1 for the present text
	Parent int // index in the list of limbs it grew from, -1 for none
	Shared int // steps it has in common with its parent
	Depth  int // limbs between it and the first
}

// Limbs lists the texts of l that have its present prompt, in the order in
// which they were begun, the present one among them. A text grows from the
// earlier one that it shares most with.
func (l *Lane) Limbs() []Limb {
	list := []Limb{{branch: l.present(), Index: -1}}
	for i, b := range l.Branches {
		if !b.gone && slices.Equal(b.prompt, l.View.Prompt) {
			list = append(list, Limb{branch: b, Index: i})
		}
	}
	slices.SortFunc(list, func(a, b Limb) int { return a.Born - b.Born })
	for i := range list {
		list[i].Parent = -1
		for k := range i {
			if n := CommonSteps(list[k].Steps, list[i].Steps); list[i].Parent < 0 || n > list[i].Shared {
				list[i].Parent, list[i].Shared, list[i].Depth = k, n, list[k].Depth+1
			}
		}
	}
	return list
}

// CommonSteps returns how many steps a and b begin with that are the same
// choice: one token under one setting. What was written again under other
// settings is a branch even where the same tokens came.
func CommonSteps(a, b []*engine.Step) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] && (a[i].Token != b[i].Token || a[i].Settings != b[i].Settings) {
			return i
		}
	}
	return n
}

// LimbName names limb i: as the user did, else by what set it apart.
func (ls *Lanes) LimbName(l *Lane, list []Limb, i int) string {
	b := list[i]
	switch {
	case b.Name != "":
		return viz.Printable(b.Name, ls.ascii)
	case b.Parent < 0:
		return "main"
	case b.Shared >= len(b.Steps):
		return fmt.Sprintf("from token %d", b.Shared+1)
	}
	s := b.Steps[b.Shared]
	if s.Forced {
		return "forced " + l.Piece(s.Token, ls.ascii)
	}
	if p := list[b.Parent].Steps; b.Shared < len(p) && p[b.Shared].Settings != s.Settings {
		if was := p[b.Shared].Settings; was.Label != s.Settings.Label && !engine.NameOf(s.Settings.Label).Changed {
			return s.Settings.Label
		} else if d := ShortDifference(was, s.Settings); d != "" {
			return d
		}
	}
	return fmt.Sprintf("from token %d", b.Shared+1)
}

// ShortDifference names the first setting in which b differs from a: "T 1.30".
func ShortDifference(a, b *engine.Settings) string {
	x, y := a.Config(), b.Config()
	for _, p := range Knobs {
		if SameSetting(x, y, p.Key) {
			continue
		}
		key := p.Key
		if s, ok := ShortKeys[key]; ok {
			key = s
		}
		return key + " " + viz.Printable(viz.Cut(ValueWords(p, y.Value(p.Key)), 20), false)
	}
	return ""
}

// LimbNote says what a limb holds, in a few words.
func (ls *Lanes) LimbNote(l *Lane, list []Limb, i int) string {
	b := list[i]
	if b.Parent < 0 {
		return fmt.Sprintf("%s, seed %d", viz.Printable(b.Settings.Label, ls.ascii), b.Settings.Config().Uint("seed"))
	}
	parent := list[b.Parent].Steps
	from := FirstDifference(parent, b.Steps, len(b.Steps))
	switch {
	case from < 0 && len(b.Steps) <= len(parent):
		return "same text so far"
	case from < 0:
		from = len(parent)
	}
	s := ""
	for _, st := range b.Steps[from:min(len(b.Steps), from+24)] {
		s += l.Vocab().Piece(st.Token)
	}
	return viz.Printable(strings.ReplaceAll(strings.TrimLeft(s, " "), "\n", "↵"), ls.ascii)
}

// TakeOutBranch takes limb b out of the list; undo puts it back.
func (ls *Lanes) TakeOutBranch(l *Lane, b Limb, name string) {
	snap := l.Snapshot("taken out: "+name, -1)
	snap.taken = b.Index
	l.Remember(snap)
	l.Branches[b.Index].gone = true
	ls.Say(name + " is taken out; u puts it back")
}

// FirstDifference returns the first of the first n steps whose tokens differ,
// -1 if none do.
func FirstDifference(a, b []*engine.Step, n int) int {
	for i := range min(n, len(a), len(b)) {
		if a[i] != b[i] && a[i].Token != b[i].Token {
			return i
		}
	}
	return -1
}

// ShortKeys are the names of knobs in a lane's title.
var ShortKeys = map[string]string{
	"temperature": "T", "repetition_penalty": "rep", "frequency_penalty": "freq", "presence_penalty": "pres",
	"num_assistant_tokens": "drafted", "max_new_tokens": "max",
}
