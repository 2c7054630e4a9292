package layers

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"logitscope/engine"
	"logitscope/engine/inside"
	"logitscope/models"
	"logitscope/ui/tui/kit"
	"logitscope/ui/tui/run"
	"logitscope/viz"
)

// A pane is the part of the view that the arrows act in.
type pane uint8

const (
	layerPane pane = iota
	headPane
	nPanes
)

// A mode is what the lower parts of the view show.
type mode uint8

const (
	gridMode   mode = iota // layers, and the heads of one
	bestMode               // one layer's best tokens: what stopping there would say
	dolaMode               // DoLa's layer and row
	stripMode              // heads as strips over the text
	effectMode             // what switching each part off does
	nModes
)

// dolaRules are the rules that o goes through.
var dolaRules = [...]struct {
	rule  inside.DoLaRule
	which string
}{
	{inside.DoLaTransformers, inside.DoLaHigh}, {inside.DoLaTransformers, inside.DoLaLow},
	{inside.DoLaPaper, inside.DoLaHigh}, {inside.DoLaPaper, inside.DoLaLow},
}

// View shows layers and attention at the step on the screen.
type View struct {
	work    *run.Background
	lane    *run.Lane
	anatomy models.Anatomy

	pane        pane
	mode        mode
	layer, head int  // under the cursor, from 0
	steered     bool // the user chose them
	back        int  // positions before the step's
	dola        int  // index in dolaRules
	effect      int  // first line of the effects

	look  kit.Job[lookKey, *sight]
	asked bool
	stop  context.CancelFunc // of the look on its way
	trial *trial             // of the parts; nil until asked for
}

// New opens the view on the lane that keys act on, or says why not.
func New(h kit.Host, work *run.Background) (kit.View, tea.Cmd) {
	l := h.Lane()
	m, ok := l.Model.(models.Anatomist)
	switch {
	case !ok:
		h.Say("A: " + inside.ErrClosed.Error())
		return nil, nil
	case l.Prompt == nil:
		h.Say("A: " + h.WhyNot(l))
		return nil, nil
	case l.Searches():
		h.Say("A: a search reads many texts at once; num_beams 1 goes back to one")
		return nil, nil
	}
	v := &View{work: work, lane: l, anatomy: m.Anatomy()}
	v.layer = v.anatomy.Layers() - 1
	return v, v.want(h)
}

// Leave ends what is on its way; see [kit.Leaver].
func (v *View) Leave(kit.Host) {
	v.cancel()
	v.trial.cancel()
}

func (v *View) cancel() {
	if v.stop != nil {
		v.stop()
		v.stop = nil
	}
}

// tokens are the prompt and what is written before the step on the screen.
func (v *View) tokens() []int32 {
	out := slices.Clone(v.lane.View.Prompt)
	for i, s := range v.lane.View.Steps {
		if i == run.ShownIndex(v.lane) {
			break
		}
		out = append(out, s.Token)
	}
	return out
}

// position is how many tokens stand up to the position looked at.
func (v *View) position() int {
	n := len(v.lane.View.Prompt) + run.ShownIndex(v.lane)
	return max(1, n-v.back)
}

// next is the token after the position looked at, and whether it is that of the
// step on the screen.
func (v *View) next() (id int32, now bool) {
	if v.back == 0 {
		if s := v.lane.Step(); s != nil {
			return s.Token, true
		}
		return models.NoToken, true
	}
	return v.tokens()[v.position()], false
}

// offNow is what is left out at the position looked at.
func (v *View) offNow() *engine.Off {
	off := v.lane.View.Off
	if s := v.lane.Step(); v.lane.Look.At > 0 && s != nil {
		off = s.Off
	}
	return off
}

// Follow takes results and new views; see [kit.Follower].
func (v *View) Follow(h kit.Host, msg tea.Msg) tea.Cmd {
	if v.look.Take(msg) {
		if errors.Is(v.look.Err, context.Canceled) {
			v.asked = false
		}
		v.steer()
		return nil
	}
	if cmd, ok := v.trial.follow(v, msg); ok {
		return cmd
	}
	switch msg := msg.(type) {
	case savedMsg:
		h.Say(msg.say)
	case run.ViewMsg, tea.WindowSizeMsg:
		return v.want(h)
	}
	return nil
}

// seen is what was seen, nil until something was.
func (v *View) seen() *sight {
	if v.look.Err != nil {
		return nil
	}
	return v.look.Result
}

// steer puts the cursor, until the user moves it, on the layer in which the
// next token comes up most, and on the head there that looks hardest at one
// token.
func (v *View) steer() {
	in := v.seen()
	if in == nil {
		return
	}
	v.layer = min(v.layer, in.Anatomy.Layers()-1)
	if v.steered {
		return
	}
	id, _ := v.next()
	if id < 0 {
		return
	}
	most := 0.0
	for l := range in.Anatomy.Layers() {
		if up := math.Log(float64(inside.Rank(in.Lens[l], id)) / float64(inside.Rank(in.Lens[l+1], id))); l > 0 && up > most {
			v.layer, most = l, up
		}
	}
	v.head, most = 0, 0
	for h := range in.Anatomy.Heads[v.layer] {
		weights := in.Inside.Head(v.layer, h)
		for pos, w := range weights {
			if float64(w) > most && (pos > 0 || len(weights) == 1) { // the first is where heads rest
				v.head, most = h, float64(w)
			}
		}
	}
}

// Hints are what the footer offers; see [kit.View].
func (v *View) Hints(kit.Host) []kit.ID { return nil }

// Footer words the hints; see [kit.Footed].
func (v *View) Footer(kit.Host) []kit.Hint {
	move, tab := "layer", "heads"
	if v.pane == headPane {
		move, tab = "head", "layers"
	}
	hints := []kit.Hint{{ID: kit.ActUp, Keys: "↑↓", Word: move}, {ID: kit.ActLeft, Keys: "←→", Word: "position"}, {ID: kit.ActPane, Word: tab},
		{ID: kit.ActNumber, Word: "view"}, {ID: kit.ActTake, Word: "off/on"}, {ID: kit.ActInspect, Word: "what each part does"}}
	if v.mode == dolaMode {
		hints = append(hints, kit.Hint{ID: kit.ActOrder, Word: "rule"})
	}
	return append(hints, kit.Hint{ID: kit.ActCopy, Word: "save"}, kit.Hint{ID: kit.ActNext, Word: "next token"}, kit.Hint{ID: kit.ActClose, Word: "lab"}, kit.Hint{ID: kit.ActHelp})
}

// Lends are what steps, which the view follows.
func (v *View) Lends(kit.Host) []kit.ID {
	return []kit.ID{kit.ActRun, kit.ActNext, kit.ActBack, kit.ActAgain, kit.ActReseed}
}

// NotHere says what to do for what acts on the lab alone.
func (v *View) NotHere(kit.Host) string { return "not among the layers; esc goes to the lab" }

// Act takes the actions it names; see [kit.View].
func (v *View) Act(h kit.Host, a *kit.Action) (tea.Cmd, bool) {
	switch a.ID {
	case kit.ActUp:
		v.move(1)
	case kit.ActDown:
		v.move(-1)
	case kit.ActLeft, kit.ActRight, kit.ActLeft10, kit.ActRight10, kit.ActFirst, kit.ActLast:
		return v.walk(h, a), true
	case kit.ActPane, kit.ActPaneBack:
		v.pane = (v.pane + 1) % nPanes
	case kit.ActNumber:
		return v.nextMode(h), true
	case kit.ActOrder:
		if v.mode != dolaMode {
			return nil, false
		}
		v.dola = (v.dola + 1) % len(dolaRules)
	case kit.ActInspect:
		v.mode = effectMode
		return v.try(h), true
	case kit.ActTake:
		return v.switchPart(h), true
	case kit.ActReset:
		return v.allOn(h), true
	case kit.ActCopy, kit.ActExport:
		return v.save(h), true
	default:
		return nil, false
	}
	return nil, true
}

// nextMode shows the next part; the effects only once they were asked for.
func (v *View) nextMode(h kit.Host) tea.Cmd {
	if v.mode = (v.mode + 1) % nModes; v.mode == effectMode && v.trial == nil {
		v.mode = gridMode
	}
	if v.mode == effectMode {
		return v.try(h)
	}
	return nil
}

// move goes through layers, up as the state goes, or heads, or the effects.
func (v *View) move(by int) {
	switch {
	case v.mode == effectMode:
		v.effect = max(0, min(v.effect-by, v.trial.lines()-1))
		return
	case v.pane == headPane:
		v.head = max(0, min(v.head-by, v.anatomy.Heads[v.layer]-1))
	default:
		v.layer = max(0, min(v.layer+by, v.anatomy.Layers()-1))
		v.head = min(v.head, v.anatomy.Heads[v.layer]-1)
	}
	v.steered = true
}

// walk looks at another position.
func (v *View) walk(h kit.Host, a *kit.Action) tea.Cmd {
	most := len(v.lane.View.Prompt) + run.ShownIndex(v.lane) - 1
	by, _ := a.Columns(most)
	to := max(0, min(v.back-by, most))
	if to == v.back {
		if by < 0 {
			h.Say("the first position of the text")
		} else {
			h.Say("the position of the step; n takes the next token")
		}
		return nil
	}
	v.back = to
	return v.want(h)
}

// Header says what runs and how it is built; see [kit.Headed].
func (v *View) Header(h kit.Host, k kit.Class) (left, right []kit.HeaderPart) {
	muted := viz.Ink{Role: viz.Muted}
	l, info := v.lane, v.lane.Model.Info()
	if k < kit.Class160 {
		info.Params = 0 // there is no room for it
	}
	left = []kit.HeaderPart{
		{Text: "logitscope", Rank: 9, Ink: muted}, {Text: viz.Printable(run.FullModelName(info), h.Screen().ASCII()), Rank: 6, Ink: muted},
		{Text: run.PhaseWords(l), Ink: viz.Ink{}.With(viz.Bold)},
	}
	if k <= kit.Class80 {
		left = left[2:]
	}
	if off := v.offNow(); off != nil {
		left = append(left, kit.HeaderPart{Text: run.OffWords(off, 3), Ink: viz.Ink{Role: viz.Warning}})
	}
	left = append(left, kit.HeaderPart{Text: viz.Printable(l.ShownLabel(), h.Screen().ASCII()), Rank: 5, Ink: run.LabelInk(l.ShownLabel())},
		kit.HeaderPart{Text: fmt.Sprintf("seed %d", l.ShownConfig().Uint("seed")), Rank: 4},
		kit.HeaderPart{Text: fmt.Sprintf("step %s", viz.Count(run.ShownIndex(l)+1)), Rank: 1})
	heads := v.anatomy.Heads
	if slices.Min(heads) == slices.Max(heads) {
		heads = heads[:1]
	}
	words := viz.Plural(heads[0], "head")
	if len(heads) > 1 {
		words = fmt.Sprintf("%d to %d heads", slices.Min(heads), slices.Max(heads))
	}
	right = append(right, kit.HeaderPart{Text: viz.Plural(v.anatomy.Layers(), "layer"), Rank: 2}, kit.HeaderPart{Text: words, Rank: 3},
		kit.HeaderPart{Text: fmt.Sprintf("width %d", info.Embedding), Rank: 7})
	return left, right
}
