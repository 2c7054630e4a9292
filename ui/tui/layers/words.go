package layers

import (
	"fmt"

	"logitscope/engine/inside"
	"logitscope/ui/tui/kit"
	"logitscope/ui/tui/run"
	"logitscope/viz"
)

// words are what the lines below the boxes say.
func (v *View) words(in *sight, w, n int, ascii bool) []string {
	lens := viz.FirstFit(w,
		"A plain lens, a reading aid. The norm was trained for the last layer; early layers need not share its basis.",
		"A plain lens: early layers need not share the last one's basis; noise there is no thought.",
		"A plain lens: early layers need not share the last one's basis.", "A plain lens.")
	if n < 2 {
		return []string{lens}
	}
	return []string{viz.CutSentence(v.story(in, ascii), w), lens}
}

// story says what the head under the cursor looks at, and what the layer makes
// of the next token.
func (v *View) story(in *sight, ascii bool) string {
	weights := in.Inside.Head(v.layer, min(v.head, in.Anatomy.Heads[v.layer]-1))
	at := 0
	for i, w := range weights {
		if w > weights[at] {
			at = i
		}
	}
	s := fmt.Sprintf("Layer %d, head %d looks at %s with %.3f of its attention", v.layer+1, v.head+1, v.piece(in.Tokens[at], ascii), weights[at])
	id, _ := v.next()
	if id < 0 {
		return s + "."
	}
	before, after := inside.Rank(in.Lens[v.layer], id), inside.Rank(in.Lens[v.layer+1], id)
	name := v.piece(id, ascii)
	switch {
	case after < before:
		return fmt.Sprintf("%s; there %s comes up from rank %s to rank %s.", s, name, viz.Count(before), viz.Count(after))
	case after > before:
		return fmt.Sprintf("%s; there %s falls from rank %s to rank %s.", s, name, viz.Count(before), viz.Count(after))
	}
	return fmt.Sprintf("%s; there %s stays at rank %s.", s, name, viz.Count(after))
}

// help says what x does where the arrows act.
var help = map[pane]string{
	layerPane: "x takes out the layer's attention, then its MLP, then both; then all is back.",
	headPane:  "x switches the head off, and on again.",
}

// Help says what the model lacks while something of it is off, else what can be
// switched off; see [kit.Helper].
func (v *View) Help(kit.Host) (string, viz.Ink) {
	off := v.offNow()
	switch {
	case off == nil && v.mode == effectMode:
		return "Each line is one part off by itself; x leaves it out of the steps to come.", viz.Ink{}
	case off == nil:
		return help[v.pane], viz.Ink{}
	}
	s := run.OffWords(off, 2) + fmt.Sprintf(" from position %s on", viz.Count(off.From))
	if st := v.lane.Step(); st != nil && st.Whole != nil {
		s += " · " + run.Apart(st.Whole)
	}
	return s + " · backspace puts all parts on", warning
}
