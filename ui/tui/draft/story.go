package draft

import (
	"fmt"

	tea "github.com/charmbracelet/bubbletea"

	"logitscope/engine"
	"logitscope/engine/speculative"
	"logitscope/ui/tui/kit"
	"logitscope/viz"
)

// viewAtCursor is the lane's view as it was before the token under the cursor.
// Where none is, it is the place of the round at which the two laws differ
// most: elsewhere there is little to see.
func (v *View) viewAtCursor() engine.View {
	view, r := v.lane.View, v.shownRound()
	if r == nil {
		return view
	}
	at := min(r.Accepted, len(r.Drafted)) // where the last draw stands
	rows := rowsOf(r)
	switch {
	case v.pos >= 0 && v.pos < len(rows) && rows[v.pos].place < at:
		at = rows[v.pos].place
	case v.pos < 0:
		least := 2.0
		for i := range r.Positions {
			if p := r.Positions[i]; p.Verdict != speculative.Dropped && p.Alpha < least {
				at, least = i, p.Alpha
			}
		}
	}
	n := min(r.Start, len(view.Steps))
	view.Steps = view.Steps[:n:n]
	for _, id := range r.Drafted[:at] {
		view.Steps = append(view.Steps, &engine.Step{Token: id})
	}
	return view
}

// story tells how the token under the cursor was judged.
func (v *View) story(host kit.Host) string {
	r := v.shownRound()
	if r == nil {
		return "i: no round yet"
	}
	if rows := rowsOf(r); v.pos >= 0 && v.pos < len(rows) {
		p := rows[v.pos]
		if p.Verdict == speculative.Dropped {
			return v.lane.Piece(p.Token, host.Screen().ASCII()) + ": " + p.why
		}
		head := fmt.Sprintf("%s: p %s, q %s", v.lane.Piece(p.Token, host.Screen().ASCII()), viz.Percent(p.P), viz.Percent(p.Q))
		if r.Algorithm == speculative.Block {
			return fmt.Sprintf("%s: the draft up to it stands with %s; u %s, %s", head, viz.Percent(p.Accept), viz.Three(p.U), p.Verdict)
		}
		return fmt.Sprintf("%s: stands with %s; u %s, %s. Any token drawn here stands with %s", head, viz.Percent(p.Accept), viz.Three(p.U), p.Verdict, viz.Percent(p.Alpha))
	}
	if f := r.Final; f != nil {
		return fmt.Sprintf("%s: u %s fell into [%s, %s), probability %s", v.lane.Piece(f.Token, host.Screen().ASCII()), viz.Three(f.U), viz.Three(f.Lo), viz.Three(f.Hi), viz.Percent(f.Prob))
	}
	return "the last drafted token stood and ended the text: nothing more was drawn"
}

// Key takes a draft's name.
func (v *View) Key(host kit.Host, k tea.KeyMsg) (tea.Cmd, bool) {
	if v.field != nil && k.Type == tea.KeyTab {
		f := kit.NewField(v.nextOffer(v.field.Text()))
		v.field = &f
		return nil, true
	}
	return kit.AskKey(&v.field, k, func(name string) (tea.Cmd, bool) {
		if name == "" {
			host.Say("the draft stays " + v.name)
			return nil, false
		}
		return v.use(host, host.Files().Expand(name)), false
	})
}
