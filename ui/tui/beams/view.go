package beams

import (
	"fmt"
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"logitscope/engine"
	"logitscope/engine/beam"
	"logitscope/sampling"
	"logitscope/ui/tui/kit"
	"logitscope/ui/tui/run"
	"logitscope/viz"
)

// A beamPane is the part of the beam view that arrows act in.
type beamPane uint8

const (
	beamTreePane beamPane = iota
	beamTablePane
	beamKnobPane
	nBeamPanes
)

var beamPaneHelp = [nBeamPanes]string{
	"tree: ← → back and on by one step · ↑ ↓ another text · [ ] along the winner · x hides dead ends",
	"candidates: ↑ ↓ choose one · i tells its story",
	"settings: ↑ ↓ choose one · ← → or -/+ change it, the search is judged anew at once",
}

// defaultBeams is how many beams B turns on.
const defaultBeams = 4

// View shows beam search as it grows: the tree, the candidates of a step
// with the line, what is finished and what could still win.
type View struct {
	lanes    *run.Lanes
	lane     *run.Lane
	lent     *run.Borrowed // nil if the lane searched before the view was opened
	pane     beamPane
	node     *beam.Node // under the cursor; nil follows the newest step
	list     kit.List   // among the candidates
	knobs    kit.Knobs
	contrast kit.Knobs // of a contrastive search
	all      bool      // dead ends too, however many
	alone    bool      // the tree has the screen to itself

	seen   *beam.View     // the newest one
	tree   *treeLayout    // of seen
	before map[string]int // places of the texts before the last change of settings
	order  map[string]int // and now
	under  *engine.Settings
}

// New opens beam search on the lane that keys act on, or says why not; where the lane does not search yet it begins to.
func New(host kit.Host, lanes *run.Lanes) (kit.View, tea.Cmd) {
	l := host.Lane()
	v := &View{lanes: lanes, lane: l, knobs: kit.Knobs{Keys: []string{
		"length_penalty", "num_beams", "early_stopping", "do_sample", "num_beam_groups", "diversity_penalty", "num_return_sequences"}},
		contrast: kit.Knobs{Keys: []string{"penalty_alpha", "top_k"}}}
	if l.Prompt == nil {
		host.Say("B: " + host.WhyNot(l))
		return nil, nil
	}
	l.LookAt(0)
	if l.Config.Int("num_beams") < 2 && l.Config.Float("penalty_alpha") == 0 {
		cfg, err := l.Config.With("num_beams", defaultBeams, sampling.FromYou)
		if err == nil {
			cfg, err = cfg.With("do_sample", false, sampling.FromYou)
		}
		if err != nil {
			host.Complain(viz.FirstLine(err.Error()))
			return nil, nil
		}
		var ok bool
		if v.lent, ok = lanes.Borrow(l, cfg, "num_beams", "do_sample"); !ok {
			return nil, nil
		}
		host.Say("four beams from the prompt, without chance; esc goes back to the text before")
	}
	if l.View.Beam == nil && l.View.Contrastive == nil {
		l.Eng.Post(engine.Advance{N: 1})
	}
	v.take(host)
	return v, nil
}

// Leave puts back what was borrowed; see [kit.Leaver].
func (v *View) Leave(host kit.Host) {
	if v.lent != nil {
		v.lane.Eng.Post(engine.Advance{N: 0})
		v.lent.GiveBack(v.lanes)
	}
}

// Follow takes results and new views; see [kit.Follower].
func (v *View) Follow(host kit.Host, msg tea.Msg) tea.Cmd {
	if _, ok := msg.(run.ViewMsg); ok {
		v.take(host)
	}
	return nil
}

// take keeps the newest view of the search and how its texts rank.
func (v *View) take(host kit.Host) {
	b := v.lane.View.Beam
	if b == nil || b == v.seen {
		return
	}
	order := placesOf(b)
	if set := v.lane.View.Settings; set != v.under {
		if v.seen != nil && len(b.Steps) == len(v.seen.Steps) {
			v.before = v.order
		}
		v.under = set
	} else if v.seen != nil && len(b.Steps) != len(v.seen.Steps) {
		v.before = nil
	}
	v.seen, v.order = b, order
	v.tree = v.layout(host)
	if v.node != nil && v.tree.find(v.node) < 0 {
		v.node = nil
	}
}

// placesOf returns the place of every text that could be returned, by its key.
func placesOf(b *beam.View) map[string]int {
	out := make(map[string]int)
	for i, key := range keysOf(standing(b)) {
		out[key] = i + 1
	}
	return out
}

// keysOf returns a key for each text, by its tokens. Groups may hold one text
// twice: then each has a key of its own.
func keysOf(list []beam.Hypothesis) []string {
	seen := make(map[string]int)
	out := make([]string, len(list))
	for i, h := range list {
		key := fmt.Sprint(h.Tokens())
		seen[key]++
		out[i] = fmt.Sprint(key, seen[key])
	}
	return out
}

// standing are the texts in the running, finished ones and beams, by the
// score each would have if it ended now.
func standing(b *beam.View) []beam.Hypothesis {
	out := slices.Clone(b.Finished())
	last := b.Last()
	if last == nil {
		return out
	}
	if !b.Done() {
		for _, g := range last.Groups {
			for _, c := range g.Candidates {
				if c.Fate == beam.Runs {
					out = append(out, beam.Hypothesis{Node: c.Node, Score: c.Score, Length: c.Node.Depth})
				}
			}
		}
	} else {
		for _, r := range b.Result() {
			if !slices.ContainsFunc(out, func(h beam.Hypothesis) bool { return h.Node == r.Node }) {
				out = append(out, r)
			}
		}
	}
	slices.SortStableFunc(out, func(x, y beam.Hypothesis) int {
		switch {
		case x.Score > y.Score:
			return -1
		case x.Score < y.Score:
			return 1
		}
		return 0
	})
	return out
}

// layout lays the tree out for the room it has.
func (v *View) layout(host kit.Host) *treeLayout {
	most := 0
	if !v.all {
		most = max(v.treeRoom(host), v.seen.Settings.Beams+2)
	}
	voc := v.lane.Vocab()
	root := "╎"
	if p := v.seen.Prompt; len(p) > 0 {
		root = viz.Cut(run.StripLabel(voc, p[len(p)-1], host.Screen().ASCII()), 12)
	}
	return layTree(v.seen.Tree(), voc, v.ends, root, most, host.Screen().ASCII())
}

// ends reports whether id ends a text.
func (v *View) ends(id int32) bool {
	_, yes := slices.BinarySearch(v.seen.Settings.EOS, id)
	return yes
}

// treeRoom is how many lines the tree may take.
func (v *View) treeRoom(host kit.Host) int {
	h := host.Screen().Body().H - 2
	if v.alone {
		return max(h-2, 1)
	}
	return max(h-v.footLines(h)-min(v.candidateLines()+2, h/2), 3)
}

func (v *View) footLines(h int) int {
	switch lead := v.leadLines(h); {
	case lead > 0:
		return 5 + lead
	case h >= 18:
		return 5
	case h >= 13:
		return 3
	}
	return 2
}

// longText is the number of tokens from which on the rows of the candidates and
// the tree show only the ends of texts.
const longText = 8

// leadLines is how many lines of h show the whole text that leads.
func (v *View) leadLines(h int) int {
	switch {
	case v.seen == nil || len(v.seen.Steps) < longText:
		return 0
	case h >= 30:
		return 3
	case h >= 22:
		return 2
	case h >= 18:
		return 1
	}
	return 0
}

// candidateLines is how many lines the candidates of a step take, the cut
// line included.
func (v *View) candidateLines() int {
	n := 0
	if s := v.step(); s != nil {
		for _, g := range s.Groups {
			n += len(g.Candidates) + 1
		}
	}
	return n
}

// step is the step whose candidates are shown: the one that made the token
// under the cursor, else the newest.
func (v *View) step() *beam.Step {
	if v.seen == nil || len(v.seen.Steps) == 0 {
		return nil
	}
	if v.node != nil && v.node.Depth <= len(v.seen.Steps) {
		return v.seen.Steps[v.node.Depth-1]
	}
	return v.seen.Last()
}

// Hints are what the footer offers; see [kit.View].
func (v *View) Hints(kit.Host) []kit.ID { return nil }

// Footer words the hints for what a beam search does.
func (v *View) Footer(kit.Host) []kit.Hint {
	if v.lane.View.Contrastive != nil {
		return []kit.Hint{{ID: kit.ActNext, Word: "step"}, {ID: kit.ActBack, Word: "back"}, {ID: kit.ActRun, Word: "run"}, {ID: kit.ActLower, Keys: "-/+", Word: "value"},
			{ID: kit.ActDown, Keys: "↑↓", Word: "setting"}, {ID: kit.ActClose, Word: "lab"}, {ID: kit.ActHelp}}
	}
	return []kit.Hint{{ID: kit.ActNext, Word: "step"}, {ID: kit.ActBack, Word: "back"}, {ID: kit.ActRun, Word: "run"}, {ID: kit.ActLower, Keys: "-/+", Word: "value"},
		{ID: kit.ActPane, Word: "pane"}, {ID: kit.ActNumber, Word: v.nextKind().name}, {ID: kit.ActPrevMark, Keys: "[ ]", Word: "winner"}, {ID: kit.ActTake, Word: "dead ends"},
		{ID: kit.ActOrder, Word: "beam rule"}, {ID: kit.ActClose, Word: "lab"}, {ID: kit.ActHelp}}
}

// Help says where the search stands.
func (v *View) Help(kit.Host) (string, viz.Ink) {
	if v.lane.View.Contrastive != nil {
		return "Contrastive search takes the likely token that is least like the text so far.", viz.Ink{}
	}
	if v.seen == nil {
		return "", viz.Ink{}
	}
	p := v.knobs.Param()
	if v.pane == beamKnobPane {
		return p.Key + ": " + p.Help, viz.Ink{}
	}
	return beamPaneHelp[v.pane], viz.Ink{}
}
