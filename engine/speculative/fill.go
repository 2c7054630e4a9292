package speculative

import (
	"slices"

	"logitscope/models"
)

// shown is the number of tokens a list of bars holds.
const shown = 12

// fill writes what a verification found into a round.
func (d *Decoder) fill(r *Round, dr *draft, v *verdict, tl *targetLaws) {
	r.Drafted = dr.tokens
	r.Accepted = v.accepted
	r.Emitted = slices.Clone(dr.tokens[:v.accepted])
	r.Positions = make([]Position, len(dr.tokens))
	for i, x := range dr.tokens {
		p := Position{Token: x, Q: dr.laws[i].prob(x), DraftU: dr.us[i]}
		if i < len(v.chance) {
			law := tl.laws[i]
			p.Accept, p.U, p.P = v.chance[i], v.us[i], law.prob(x)
			p.Verdict = Refused
			if i < v.accepted {
				p.Verdict = Accepted
			}
			p.Alpha = overlap(law, &dr.laws[i])
			p.Top = bars(law, &dr.laws[i], x)
		}
		r.Positions[i] = p
	}
	if len(v.final.IDs) > 0 {
		r.Kind = Bonus
		var q *Law
		if v.refused {
			r.Kind, q = Residual, &dr.laws[v.accepted]
		}
		r.Final = finalDraw(v, tl.laws[v.accepted], q)
		r.Emitted = append(r.Emitted, v.token)
	} else {
		r.Kind = None
	}
	if d.opt.Rows {
		drawn := d.drafter.source() == ByModel
		laws := make([]Law, len(v.chance))
		for i := range laws {
			if drawn {
				laws[i] = dr.laws[i]
			}
		}
		r.keep(tl.rows, laws)
	}
}

// keep keeps the rows before the emitted tokens, which are the first of of, and
// what was drafted from.
func (r *Round) keep(of []models.Logits, laws []Law) {
	rows := make([]Row, len(r.Emitted))
	for i := range rows {
		l := of[i]
		rows[i] = Row{slices.Clone(l.IDs), slices.Clone(l.Values), l.Rest}
	}
	r.rows = new(rowStore)
	r.rows.rows.Store(&rows)
	r.rows.laws.Store(&laws)
}

// finalDraw describes the last draw: q is nil for a bonus.
func finalDraw(v *verdict, p, q *Law) *Draw {
	w := &Draw{Mass: v.mass, U: v.u, Lo: v.lo, Hi: v.hi, Token: v.token, Prob: v.final.prob(v.token)}
	if q == nil {
		q = &Law{}
	}
	w.Top = bars(p, q, v.token)
	for i := range w.Top {
		w.Top[i].Final = v.final.prob(w.Top[i].Token)
	}
	return w
}

// bars returns the likeliest tokens under p or q and the token always, best p
// first.
func bars(p, q *Law, always int32) []Bar {
	ids := append(likeliest(p, shown/2), likeliest(q, shown/2)...)
	ids = append(ids, always)
	slices.Sort(ids)
	ids = slices.Compact(ids)
	out := make([]Bar, len(ids))
	for i, id := range ids {
		out[i] = Bar{Token: id, P: p.prob(id), Q: q.prob(id)}
	}
	slices.SortStableFunc(out, func(a, b Bar) int {
		switch {
		case a.P > b.P || a.P == b.P && a.Q > b.Q:
			return -1
		case a.P < b.P || a.P == b.P && a.Q < b.Q:
			return 1
		}
		return 0
	})
	return out
}

// likeliest returns the n likeliest tokens of l, in no certain order. Laws
// come best first as a rule, but need not.
func likeliest(l *Law, n int) []int32 {
	var ids []int32
	var probs []float64
	for i, p := range l.Probs {
		if p <= 0 || len(ids) == n && p <= probs[n-1] {
			continue
		}
		at, _ := slices.BinarySearchFunc(probs, p, func(a, b float64) int {
			if a >= b {
				return -1
			}
			return 1
		})
		ids = slices.Insert(ids, at, l.IDs[i])
		probs = slices.Insert(probs, at, p)
		if len(ids) > n {
			ids, probs = ids[:n], probs[:n]
		}
	}
	return ids
}
