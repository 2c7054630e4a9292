package draft

import (
	"logitscope/engine/speculative"
)

// A row is one drafted token as the list shows it. Of several drafts side by
// side those of one place follow one another.
type row struct {
	speculative.Position
	place int    // in the draft, from 0
	why   string // it was not judged
}

// rowsOf are the drafted tokens of a round, in the order of their tests.
func rowsOf(r *speculative.Round) (rows []row) {
	for place, trials := range r.Trials {
		for _, p := range trials {
			rows = append(rows, row{p, place, "not tested: one before it stands"})
		}
	}
	for place := len(r.Trials); place < len(r.Positions); place++ {
		rows = append(rows, row{r.Positions[place], place, "after a refusal the rest is dropped"})
	}
	return rows
}

// sideBySide reports whether the newest round has several drafts.
func sideBySide(d *speculative.View) bool {
	last := d.Last()
	return last != nil && last.Branches != nil
}
