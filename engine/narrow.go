package engine

import (
	"context"
	"slices"

	"logitscope/models"
)

// Where a row of the whole vocabulary is dear, a lane that runs freely asks for
// the most probable tokens first, and for the whole row only where it is
// needed: by a stage that looks at it, by a pin on a token that was left out,
// and by whoever looks at the proposal once the lane has stopped.

// A narrow row names between leastRow and narrowRow tokens: twice as many after
// one that did not do, and half as many after evenRows that did.
const (
	leastRow  = 40
	narrowRow = 256
	evenRows  = 48
)

// A width is how many tokens rows have had to name of late.
type width struct {
	most int // 0 stands for leastRow
	even int // rows that did, since it changed
}

// see notes whether a narrow row did.
func (w *width) see(did bool) {
	switch {
	case !did:
		*w = width{most: min(2*max(w.most, leastRow), narrowRow)}
	case w.even >= evenRows:
		*w = width{most: max(w.most/2, leastRow)}
	default:
		w.even++
	}
}

// narrow returns how many tokens the next row need name, 0 for all.
func (l *Lane) narrow() int {
	free := l.every == 0 && (l.budget < 0 || l.budget > 1) && l.opt.Rows <= narrowRow
	if !free || l.settings.weighs() || l.settings.constraint != nil || l.settings.schedule != nil || !l.settings.Pipeline.MaySuffice(narrowRow) {
		return 0
	}
	n := max(l.width.most, l.opt.Rows, leastRow)
	for n < narrowRow && !l.settings.Pipeline.MaySuffice(n) {
		n = min(2*n, narrowRow)
	}
	return n
}

// needsMore reports whether the next step cannot be made from r as it would be
// from the whole row.
func (l *Lane) needsMore(r *Row) bool {
	if r.IDs == nil {
		return false
	}
	for _, id := range l.pins {
		if !slices.Contains(r.IDs, id) {
			return true
		}
	}
	return !l.settings.Pipeline.Suffices(l.input().sampling(r))
}

// row returns what the next step is made from, of the narrow row r or the
// whole one. If that cannot be had, the lane has failed and row returns nil.
func (l *Lane) row(ctx context.Context, r models.Logits) *Row {
	row := l.memory.keep(r)
	l.narrowed = l.cache.narrow > 0 && row.IDs != nil
	more := l.narrowed && l.needsMore(row)
	if l.narrowed {
		l.width.see(!more)
	}
	if !more {
		return row
	}
	whole, cut, err := l.wholeRow(ctx)
	if err != nil && ctx.Err() == nil && !cut {
		l.fail(err)
	}
	return whole
}

// wholeRow asks for the row after the text once more, whole. cut reports that
// a command came in between.
func (l *Lane) wholeRow(ctx context.Context) (row *Row, cut bool, err error) {
	inner, stop := l.attend(ctx)
	defer stop()
	r, err := l.cache.whole(inner, l.tokens)
	if err != nil {
		return nil, interrupted(inner), err
	}
	l.narrowed = false
	return l.memory.keep(r), false, nil
}

// widen makes the proposal again from the whole row, for whoever looks at it.
// Where that cannot be had the narrow row stays: it is right as far as it
// goes. It reports whether the proposal is another.
func (l *Lane) widen(ctx context.Context) bool {
	old := l.pending[0]
	row, cut, err := l.wholeRow(ctx)
	if err != nil {
		l.narrowed = cut // once more after the command
		return false
	}
	s := &Step{Index: old.Index, Pos: old.Pos, Took: old.Took, Row: row}
	if l.trace(s) {
		l.pending = append(l.pending[:0:0], s)
	}
	return true
}
