package lanes

import (
	"math"

	tea "github.com/charmbracelet/bubbletea"

	"logitscope/engine"
	"logitscope/engine/compare"
	"logitscope/engine/score"
	"logitscope/models"
	"logitscope/sampling"
	"logitscope/sampling/dist"
	"logitscope/ui/tui/run"
)

// An acrossKey is what one lane's text is under the law of a lane with another
// model: that model has to read the text itself.
type acrossKey struct {
	text, law int // ids of lanes
	n         int // tokens of the text
	last      *engine.Step
	a, b      *engine.Settings
}

// An across is such a reading, token by token.
type across struct {
	key  acrossKey
	list []acrossAt
	err  error
}

type acrossAt struct {
	d    dist.Distance
	a, b compare.Chance
}

// An acrossMsg brings one.
type acrossMsg struct{ across }

// acrossJob returns the reading of a lane's text by another lane's model, nil if
// it is known, or the lanes still write.
func (v *View) acrossJob(l, o *run.Lane) tea.Cmd {
	n := len(l.View.Steps)
	if l.Model == o.Model || n == 0 || l.Running() || o.Running() || v.unread(l, o) != "" || l.Settings == nil || o.Settings == nil || !l.Settings.Plain() || !o.Settings.Plain() {
		return nil
	}
	k := acrossKey{l.ID, o.ID, n, l.View.Steps[n-1], l.Settings, o.Settings}
	if old := v.across[[2]int{l.ID, o.ID}]; old != nil && old.key == k {
		return nil
	}
	in := score.Input{
		Law: score.Law{Model: l.Model, Pipeline: l.Settings.Pipeline}, Against: &score.Law{Model: o.Model, Pipeline: o.Settings.Pipeline},
		Prefix: l.View.Prompt, BOS: models.NoToken,
	}
	for _, s := range l.View.Steps {
		in.Text = append(in.Text, s.Token)
	}
	ctx := v.lanes.Ctx
	read := run.Work(v.lanes.Background, func() (across, error) {
		out := across{key: k}
		if bos, err := engine.Prompt(ctx, in.Law.Model, ""); err == nil && len(bos) > 0 {
			in.BOS = bos[0]
		}
		out.err = score.Read(ctx, in, func(t score.Token) error {
			out.list = append(out.list, acrossAt{t.Step.Distance, chance(&t.Of), chance(&t.Other)})
			return nil
		})
		return out, nil
	})
	return func() tea.Msg {
		out, err := read()
		if err != nil { // the program ends
			out = across{key: k, err: err}
		}
		return acrossMsg{out}
	}
}

func chance(g *sampling.Given) compare.Chance {
	return compare.Chance{Kept: g.Kept, Prob: math.Exp(float64(g.Logprob))}
}

// acrossOf returns what a lane's text is under the law of a lane with another
// model, nil while it is not known.
func (v *View) acrossOf(text, law *run.Lane) []acrossAt {
	x := v.across[[2]int{text.ID, law.ID}]
	if x == nil || x.err != nil || text.Model == law.Model || x.key.n > len(text.View.Steps) || !sameStep(x.key.last, text.View.Steps[x.key.n-1]) || x.key.a != text.Settings || x.key.b != law.Settings {
		return nil
	}
	return x.list
}
