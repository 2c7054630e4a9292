package layers

import (
	"context"
	"fmt"

	tea "github.com/charmbracelet/bubbletea"

	"logitscope/engine"
	"logitscope/engine/inside"
	"logitscope/models"
	"logitscope/ui/tui/kit"
	"logitscope/ui/tui/run"
)

// A sight is what was seen, and what DoLa makes of it by each rule.
type sight struct {
	*inside.Insight
	dola [len(dolaRules)]struct {
		inside.DoLa
		err error
	}
}

func see(ctx context.Context, src inside.Source, rows int) (*sight, error) {
	in, err := inside.Look(ctx, src, rows)
	if err != nil {
		return nil, err
	}
	s := &sight{Insight: in}
	for i, r := range dolaRules {
		s.dola[i].DoLa, s.dola[i].err = in.DoLa(r.rule, r.which)
	}
	return s, ctx.Err()
}

// A lookKey is what a look depends on.
type lookKey struct {
	row     *engine.Row // of the step; nil where it is no longer kept
	step    int
	born    int // which text
	n, rows int // tokens, the position looked at last; positions of the map
	off     string
}

// place is the key of a look however many positions the map has.
func (k lookKey) place() lookKey {
	k.rows = 0
	return k
}

// position is the key of a place whatever is off there.
func (k lookKey) position() lookKey { return lookKey{step: k.step, born: k.born, n: k.n} }

// want asks for a look at the position on the screen, while the lane rests.
func (v *View) want(h kit.Host) tea.Cmd {
	if v.lane.Running() || v.lane.Step() == nil {
		return nil
	}
	v.back = min(v.back, max(len(v.lane.View.Prompt)+run.ShownIndex(v.lane)-1, 0))
	key := lookKey{step: run.ShownIndex(v.lane), born: v.lane.Born, n: v.position(), rows: min(v.columns(h.Screen()), v.position()), off: fmt.Sprint(v.offNow())}
	if off := v.offNow(); off != nil {
		key.off = fmt.Sprint(*off)
	}
	if s := v.lane.Step(); s != nil {
		key.row = s.Row
	}
	if v.asked && key == v.look.Key {
		return nil
	}
	v.cancel()
	ctx, stop := context.WithCancel(v.work.Ctx)
	v.asked, v.stop = true, stop
	b := v.borrower()
	return v.look.Start(key, run.Work(v.work, func() (*sight, error) {
		src, err := b.source(ctx, key.n)
		if err != nil {
			return nil, err
		}
		defer src.Session.Close()
		return see(ctx, src, key.rows)
	}))
}

// A borrower gets copies of a lane's session. It belongs to no goroutine.
type borrower struct {
	eng   *engine.Lane
	model models.Model
	all   context.Context // of the screen
	off   *engine.Off
}

func (v *View) borrower() borrower {
	return borrower{v.lane.Eng, v.lane.Model, v.work.Ctx, v.offNow()}
}

// source returns the first n tokens of the text with a session of their own,
// which the caller closes.
func (b borrower) source(ctx context.Context, n int) (inside.Source, error) {
	to := make(chan engine.Lent, 1)
	b.eng.Post(engine.Lend{Len: n, To: to})
	select {
	case got := <-to:
		if got.Err == nil && got.Session == nil {
			got.Err = inside.ErrClosed
		}
		src := inside.Source{Model: b.model, Session: got.Session, Tokens: got.Tokens}
		if b.off != nil {
			src.Off, src.From = b.off.Parts, b.off.From
		}
		return src, got.Err
	case <-ctx.Done():
		go func() { // the answer may still come
			select {
			case got := <-to:
				if got.Session != nil {
					got.Session.Close()
				}
			case <-b.all.Done():
			}
		}()
		return inside.Source{}, ctx.Err()
	}
}
