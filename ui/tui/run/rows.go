package run

import (
	"cmp"
	"slices"

	"logitscope/sampling"
)

// Keep says which tokens have a row besides the best.
type Keep struct {
	DeadPins bool // pinned tokens that were cut
	NoPins   bool // no pinned token, cut or not

	Cursor int32 // token that keeps its row in any window it fits
}

// Choose returns the rows to show: the token drawn and the pins, then the n
// best by raw probability joined with the n/2 best by final, in raw order.
func Choose(t, ref *sampling.Trace, n int, keep Keep) []*sampling.Row {
	want := make(map[int32]bool)
	rows := slices.Clone(ref.Rows())
	for i := range min(n, len(rows)) {
		want[rows[i].ID] = true
	}
	slices.SortStableFunc(rows, func(a, b sampling.Row) int { return -cmp.Compare(a.Prob, b.Prob) })
	for i := range min(n/2, len(rows)) {
		if rows[i].Prob > 0 {
			want[rows[i].ID] = true
		}
	}
	for i := range t.Rows() {
		r := &t.Rows()[i]
		switch {
		case r.ID == t.Token, n > 0 && (r.ID == ref.Token || r.ID == keep.Cursor):
			want[r.ID] = true
		case r.Pinned && !keep.NoPins && (keep.DeadPins || r.Cut == sampling.NoStage):
			want[r.ID] = true
		}
	}
	var out []*sampling.Row
	for i := range t.Rows() {
		if r := &t.Rows()[i]; want[r.ID] {
			out = append(out, r)
		}
	}
	return out
}
