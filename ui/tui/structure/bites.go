package structure

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"logitscope/engine"
	"logitscope/models"
	"logitscope/sampling"
	"logitscope/ui/tui/kit"
	"logitscope/ui/tui/run"
	"logitscope/viz"
)

// biteTokens is how many tokens a text has at most that is written to see what a
// template costs.
const biteTokens = 64

// Bites are what the templates would cost on the prompt of a lane, under its
// settings: a text is written under each, in the background, while the view is
// open. What is there is kept until they are asked of another prompt.
type bites struct {
	lanes  *run.Lanes
	model  models.Model
	cfg    sampling.Config // without a constraint
	text   string
	prompt []int32
	job    kit.Job[int, engine.Spending] // the template under way
	ctx    context.Context
	stop   context.CancelFunc
	of     []*engine.Spending // of patterns, as far as there are any
	failed error
}

// start begins anew for the model, prompt and settings of l.
func (b *bites) start(lanes *run.Lanes, l *run.Lane) tea.Cmd {
	b.leave()
	b.lanes, b.model, b.cfg, b.failed = lanes, l.Model, l.Config.Without("constraint"), nil
	b.text, b.prompt = l.Text, l.Prompt
	b.of = make([]*engine.Spending, len(patterns))
	return b.resume()
}

// resume goes on where the view was left.
func (b *bites) resume() tea.Cmd {
	b.ctx, b.stop = context.WithCancel(b.lanes.Ctx)
	return b.next()
}

// next writes the text of the next template.
func (b *bites) next() tea.Cmd {
	i := slices.Index(b.of, nil)
	if i < 0 {
		return nil
	}
	ctx, model, text, prompt := b.ctx, b.model, b.text, b.prompt
	cfg, err := b.cfg.With("constraint", patterns[i].stored(), sampling.FromYou)
	if err == nil {
		cfg, err = cfg.With("max_new_tokens", int64(min(biteTokens, cfg.Int("max_new_tokens"))), sampling.FromYou)
	}
	return b.job.Start(i, run.Work(b.lanes.Background, func() (engine.Spending, error) {
		if err != nil {
			return engine.Spending{}, err
		}
		set, err := engine.NewCompiler(model).Settings(cfg, "") // that of the lane is the lane's
		if err != nil {
			return engine.Spending{}, err
		}
		return engine.Spend(ctx, model, set, text, prompt)
	}))
}

// take takes a result, and goes on with the next template. One that comes once
// they were left is of no use.
func (b *bites) take(msg tea.Msg) tea.Cmd {
	if !b.job.Take(msg) || b.stop == nil {
		return nil
	}
	if b.job.Err != nil {
		if b.failed = b.job.Err; b.ctx.Err() != nil {
			b.failed = nil
		}
		return nil
	}
	s := b.job.Result
	b.of[b.job.Key] = &s
	return b.next()
}

// current reports whether the bites are those of the model, prompt and settings of l.
func (b *bites) current(l *run.Lane) bool {
	return b.of != nil && b.model == l.Model && slices.Equal(b.prompt, l.Prompt) && b.cfg.Equal(l.Config.Without("constraint"))
}

// leave stops what is still being written.
func (b *bites) leave() {
	if b.stop != nil {
		b.stop()
		b.stop = nil
	}
}

// weigh writes the texts of the templates where they are not there yet and may
// be written; asked says that a key wants them.
func (v *View) weigh(host kit.Host, asked bool) tea.Cmd {
	l, b := host.Lane(), &v.texts.bites
	if !b.current(l) { // nobody looks at those under way any more
		b.leave()
	}
	switch {
	case len(l.Prompt) == 0 || l.Config.Text("constraint") != "" && l.Settings == nil:
		if asked {
			host.Say("v: no prompt yet; e writes one, E has examples")
		}
		return nil
	case l.Model.Info().Caps.Recorded:
		if asked {
			host.Say("v: a recording has no model that could write under a template")
		}
		return nil
	case !asked && !v.lanes.Unasked(l):
		return nil
	case b.current(l) && b.failed == nil && slices.Contains(b.of, nil):
		if b.stop != nil {
			return nil // they are being written
		}
		return b.resume()
	case !asked && b.current(l):
		return nil
	}
	return b.start(v.lanes, l)
}

// bitsWords writes bits in few cells: "145", "3.20", "0.001".
func bitsWords(b float64) string {
	switch {
	case b >= 100:
		return fmt.Sprintf("%.0f", b)
	case b >= 0.1 || b == 0:
		return viz.Two(b)
	}
	return viz.Three(b)
}

// biteWords say what pattern i would cost: in all, a token, and the least mass
// that a mask kept; short without the last.
func (v *View) biteWords(l *run.Lane, i int) (long, short string) {
	b := &v.texts.bites
	switch {
	case !b.current(l):
		if v.lanes.Unasked(l) {
			return "", ""
		}
		return "v writes a text under it", "v: bits"
	case b.of[i] == nil && b.failed != nil:
		return "! " + viz.FirstLine(b.failed.Error()), "!"
	case b.of[i] == nil && b.stop == nil:
		return "v writes a text under it", "v: bits"
	case b.of[i] == nil:
		return "…", "…"
	}
	s := b.of[i]
	each, noun := s.Bits/float64(max(s.Tokens, 1)), "tokens"
	if s.Tokens == 1 {
		noun = "token"
	}
	short = fmt.Sprintf("%s bits, %s a token", bitsWords(s.Bits), bitsWords(each))
	return fmt.Sprintf("%7s bits in %s %5s a token · least mass kept %s", bitsWords(s.Bits), fmt.Sprintf("%2d %-7s", s.Tokens, noun+","), bitsWords(each), viz.Percent(s.Least)), short
}

// biteLine names the templates with their bits, the ones that bite most in
// front, in w cells.
func (v *View) biteLine(l *run.Lane, w int) string {
	out, word := "templates (enter, then tab): ", " bits"
	order := make([]int, len(patterns))
	for i := range order {
		order[i] = i
	}
	b := &v.texts.bites
	if b.current(l) && !slices.Contains(b.of, nil) { // none moves while they come in
		slices.SortStableFunc(order, func(x, y int) int { return cmp.Compare(b.of[y].Bits, b.of[x].Bits) })
	}
	for n, i := range order {
		name := patterns[i].name
		if b.current(l) && b.of[i] != nil {
			name += " (" + bitsWords(b.of[i].Bits) + word + ")"
			word = ""
		}
		if n > 0 {
			name = " · " + name
		}
		if viz.Width(out)+viz.Width(name) > w {
			break
		}
		out += name
	}
	return out
}
