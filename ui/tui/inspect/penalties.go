package inspect

import (
	"fmt"
	"sort"
	"strconv"

	tea "github.com/charmbracelet/bubbletea"

	"logitscope/sampling"
	"logitscope/ui/tui/kit"
	"logitscope/ui/tui/run"
	"logitscope/viz"
)

// penalties lists the tokens that a penalty stage touched.
type penalties struct {
	stage string
	job   kit.Job[run.EffectKey, touchedTokens]
	list  kit.List
}

// touchedTokens are what a stage touched, and among how many tokens it looked.
type touchedTokens struct {
	touches []touched
	window  int
}

// A touched token is one whose logit a penalty moved.
type touched struct {
	sampling.Touch
	inPrompt, inOutput  int
	rankBefore, rank    int
	probBefore, probNow float64
}

// NewPenalties shows what a penalty of the step on the screen touched, or says
// why there is none.
func NewPenalties(host kit.Host, sel *run.Selection) (kit.View, tea.Cmd) {
	l := host.Lane()
	s := l.Step()
	if s == nil || s.Trace == nil {
		host.Say("enter: " + host.WhyNot(l))
		return nil, nil
	}
	v := &penalties{stage: sel.StageName(s)}
	if !run.IsPenalty(v.stage) {
		for i, st := range s.Trace.Stages() {
			if run.IsPenalty(st.Name) {
				v.stage, sel.Stage = st.Name, i
				break
			}
		}
	}
	if !run.IsPenalty(v.stage) {
		host.Say("penalties: none is on; repetition_penalty is the usual one to turn up")
		return nil, nil
	}
	return v, v.compute(host)
}

func (v *penalties) compute(host kit.Host) tea.Cmd {
	on, ok := shownStep(host, v.stage, &v.job)
	if !ok {
		return nil
	}
	set, in, stage := on.settings, on.in, v.stage
	return v.job.Want(on.key, func() (touchedTokens, error) {
		var scratch sampling.Scratch
		list, window, err := set.Pipeline.Touched(stage, &scratch, in)
		return touchedTokens{rankTouches(list, in), window}, err
	})
}

// rankTouches works out where each token stood before the stage and after it,
// and where it was seen. Ranks and probabilities are of the stage alone.
func rankTouches(list []sampling.Touch, in sampling.Input) []touched {
	out := make([]touched, len(list))
	moved := make(map[int32]float64, len(list))
	for i, t := range list {
		out[i].Touch = t
		moved[t.ID] = float64(t.After)
		for _, id := range in.Prompt {
			if id == t.ID {
				out[i].inPrompt++
			}
		}
		for _, id := range in.Output {
			if id == t.ID {
				out[i].inOutput++
			}
		}
	}
	before, after := logitsBoth(list, moved, in)
	for i := range out {
		out[i].rankBefore, out[i].probBefore = before.place(float64(out[i].Before))
		out[i].rank, out[i].probNow = after.place(float64(out[i].After))
	}
	sort.SliceStable(out, func(i, j int) bool { return out[i].Before > out[j].Before })
	return out
}

// Follow takes results and new views; see [kit.Follower].
func (v *penalties) Follow(host kit.Host, msg tea.Msg) tea.Cmd {
	return v.job.Follow(host, msg, func() tea.Cmd { return v.compute(host) })
}

// Frame titles the box; see [kit.Overlay].
func (v *penalties) Frame(host kit.Host) viz.Frame {
	l := host.Lane()
	title := "penalties"
	if s := l.Step(); s != nil && s.Trace != nil {
		title = fmt.Sprintf("penalties · step %s · %s touched %s of %s tokens", viz.Count(s.Index), v.name(s.Trace), viz.Count(len(v.job.Result.touches)), viz.Count(s.Trace.Vocab))
	}
	return viz.Frame{Title: title, Right: "enter on a penalty stage · esc"}
}

// name is the stage as the trace labels it.
func (v *penalties) name(t *sampling.Trace) string {
	for _, st := range t.Stages() {
		if st.Name == v.stage {
			return run.ShortLabel(st)
		}
	}
	return v.stage
}

// Size is how large the box wants to be; see [kit.Overlay].
func (v *penalties) Size(host kit.Host) (int, int) {
	return 100, min(max(len(v.job.Result.touches)+7, 14), max(host.Screen().H-4, 10))
}

// Hints are what the footer offers; see [kit.View].
func (v *penalties) Hints(kit.Host) []kit.ID {
	return []kit.ID{kit.ActDown, kit.ActMarks, kit.ActClose}
}
func (v *penalties) rows(host kit.Host) int { return max(host.Screen().Box(v.Size(host)).H-2-4, 1) }

// penaltyHeads are the number columns: head and right edge.
var penaltyHeads = []struct {
	head  string
	right int
}{{"seen", 18}, {"logit", 42}, {"after", 50}, {"moved", 58}, {"rank", 64}, {"after", 71}, {"p raw", 80}, {"p after", 89}}

// Draw draws the view; see [kit.View].
func (v *penalties) Draw(c *viz.Canvas, host kit.Host) {
	muted := viz.Ink{Role: viz.Muted}
	if v.job.Err != nil {
		c.Put(1, 0, "! "+viz.Printable(viz.FirstLine(v.job.Err.Error()), c.ASCII), viz.Ink{Role: viz.Warning})
		return
	}
	c.Put(1, 0, "token", muted)
	c.Put(20, 0, "where", muted)
	for _, h := range penaltyHeads {
		c.Right(h.right, 0, h.head, muted)
	}
	h := max(c.H-4, 1)
	top := min(v.list.Top, max(len(v.job.Result.touches)-h, 0))
	for y := 0; y < h && top+y < len(v.job.Result.touches); y++ {
		v.drawRow(c, host, 1+y, v.job.Result.touches[top+y], top+y == v.list.At)
	}
	below := 0
	for _, t := range v.job.Result.touches {
		if t.Before < 0 {
			below++
		}
	}
	more := ""
	if n := len(v.job.Result.touches) - top - h; n > 0 {
		more = fmt.Sprintf("%s more below · ", viz.Count(n))
	}
	if below > 0 {
		more += fmt.Sprintf("%s of them below zero (multiplied, not divided, by a repetition penalty)", viz.Count(below))
	}
	c.Put(1, c.H-3, viz.CutTitle(more, c.W-2), muted)
	l := host.Lane()
	scope := "all tokens"
	if s := l.Step(); s != nil && v.job.Result.window > 0 {
		scope = viz.Plural(v.job.Result.window, "token")
		if v.job.Result.window >= s.Pos {
			scope += ": prompt and output, no window"
		}
	}
	c.Put(1, c.H-2, viz.CutTitle(fmt.Sprintf("order %s looks at the last %s.", l.ShownConfig().Order().Name(), scope), c.W-2), viz.Ink{})
	c.Put(1, c.H-1, viz.CutTitle("Window in the text: ⟦ ⟧ around the tokens looked at (m marks).", c.W-2), muted)
}

func (v *penalties) drawRow(c *viz.Canvas, host kit.Host, y int, t touched, selected bool) {
	ink := viz.Ink{}
	if selected {
		c.Put(0, y, "▸", viz.Ink{Role: viz.Focus})
		ink = ink.With(viz.Bold)
	}
	c.Fit(1, y, 12, host.Lane().Piece(t.ID, c.ASCII), ink)
	c.Right(18, y, strconv.Itoa(t.Count), ink)
	c.Put(20, y, where(t), viz.Ink{Role: viz.Muted})
	moved := float64(t.After) - float64(t.Before)
	move := viz.Ink{Role: viz.Penalised}
	if moved > 0 {
		move.Role = viz.Boosted
	}
	for i, s := range [...]string{viz.Two(float64(t.Before)), viz.Two(float64(t.After)), viz.Two(moved),
		viz.Count(t.rankBefore), viz.Count(t.rank), viz.Percent(t.probBefore), viz.Percent(t.probNow)} {
		k := ink
		if i == 2 {
			k = move
		}
		c.Right(penaltyHeads[i+1].right, y, s, k)
	}
}

// where says where a token was seen.
func where(t touched) string {
	switch {
	case t.inPrompt > 0 && t.inOutput > 0:
		return fmt.Sprintf("prompt %d, out. %d", t.inPrompt, t.inOutput)
	case t.inPrompt > 0:
		return fmt.Sprintf("prompt %d", t.inPrompt)
	}
	return fmt.Sprintf("output %d", t.inOutput)
}

// Act takes the actions it names; see [kit.View].
func (v *penalties) Act(host kit.Host, a *kit.Action) (tea.Cmd, bool) {
	if v.list.Act(a, len(v.job.Result.touches), v.rows(host)) {
		if v.list.At < len(v.job.Result.touches) {
			host.Lane().Row = v.job.Result.touches[v.list.At].ID
		}
		return nil, true
	}
	switch a.ID {
	case kit.ActPane, kit.ActPaneBack, kit.ActZoom, kit.ActOpen:
		return nil, true
	}
	return nil, false
}
