package verdicts

import (
	"fmt"
	"math"
	"strings"

	"logitscope/engine/bench"
	"logitscope/engine/stats"
	"logitscope/viz"
)

// verdict says what may be said, a sentence each.
func (r *Room) verdict() []string {
	switch {
	case len(r.prompts) == 0:
		return []string{"No prompts yet."}
	case r.problem != "":
		return []string{"Stopped: " + r.problem}
	case r.sum == nil && r.now.Done == 0:
		return []string{"Nothing is written yet: space writes the texts."}
	case r.sum == nil:
		least := len(r.plan.Seeds)
		for i := range r.plan.Count {
			for c := range r.plan.Configs {
				n := 0
				for _, t := range r.texts[place{i, c}] {
					if t != nil {
						n++
					}
				}
				least = min(least, n)
			}
		}
		return []string{fmt.Sprintf("Too early: %d of %d seeds. A verdict is given when all cells have their texts.", least, len(r.plan.Seeds))}
	}
	k := r.main()
	var out []string
	if r.sum.All.Prompts == 1 {
		out = append(out, "One prompt: says nothing about others.")
	} else if len(r.configs) == 1 {
		out = append(out, "One config: + adds the lab's settings as another to compare it with.")
	}
	for c := 1; c < len(r.configs) && r.sum.All.Prompts > 1; c++ {
		out = append(out, r.sentence(c, r.sum.All.Configs[c].Verdicts[k], bench.Metrics()[k].Quantity))
	}
	for _, group := range r.sum.Same {
		var names []string
		for _, c := range group {
			names = append(names, letter(c))
		}
		out = append(out, strings.Join(names, ", ")+" wrote the same texts throughout.")
	}
	if r.sum.Missing > 0 {
		out = append(out, viz.Plural(r.sum.Missing, "text")+" could not be written.")
	}
	if r.changed || len(r.out) > 0 {
		out = append(out, fmt.Sprintf("%d of %d prompts are taken out: a set that is changed after looking proves less.", len(r.out), len(r.prompts)))
	}
	return out
}

// short is the verdict in a few words, for where there are two lines of room.
func (r *Room) short(all []string) string {
	if r.sum == nil || r.sum.All.Prompts < 2 || len(r.configs) < 2 {
		return strings.Join(all, " ")
	}
	k := r.main()
	q := bench.Metrics()[k].Quantity
	var found, same []string
	for c := 1; c < len(r.configs); c++ {
		v := r.sum.All.Configs[c].Verdicts[k]
		if v.Found() {
			found = append(found, v.Sentence(letter(c), q)+".")
			continue
		}
		words := fmt.Sprintf("%s %s (%s to %s)", letter(c), q.Signed(v.Diff.Value), q.Number(v.Diff.Low), q.Number(v.Diff.High))
		if v.Needed > float64(v.Diff.N) && !math.IsInf(v.Needed, 0) {
			words += fmt.Sprintf(", about %s", viz.Count(int(v.Needed)))
		}
		same = append(same, words)
	}
	if len(same) > 0 {
		found = append(found, "Not distinguishable from A: "+strings.Join(same, "; ")+" prompts needed.")
	}
	return strings.Join(found, " ")
}

// sentence says the verdict on config c. Where an interval alone would say more
// than several together may, it says both p.
func (r *Room) sentence(c int, v stats.Verdict, q stats.Quantity) string {
	text := v.Sentence(letter(c), q)
	if several := len(r.configs) - 1; several > 1 && v.Finding == stats.Same && !v.Diff.Contains(0) {
		text += fmt.Sprintf("; p %.3f alone, %.3f as one of %d (Holm)", v.P, v.Adjusted, several)
	}
	return text + "."
}

// main is the metric that verdicts are about: passing, or how surprising texts
// are where nothing is judged.
func (r *Room) main() int {
	k := bench.MetricNamed("pass")
	if r.sum != nil && r.sum.All.Configs[0].Values[k].N == 0 {
		return bench.MetricNamed("bits")
	}
	return k
}

// group is how often a text stands in a cell.
type group struct {
	text   string
	judged bool
	passes bool
	times  int
	seed   int // the first, from 1
}

// groups returns the texts of a cell, passing ones first and the commonest of
// them first.
func (r *Room) groups(at place) []group {
	var out []group
	for k, t := range r.texts[at] {
		if t == nil {
			continue
		}
		text := t.Text
		if t.Error != "" {
			text = t.Error
		}
		found := false
		for i := range out {
			if out[i].text == text && out[i].passes == t.Pass() {
				out[i].times++
				found = true
			}
		}
		if !found {
			out = append(out, group{text, t.Judged, t.Pass(), 1, k + 1})
		}
	}
	rank := func(g group) int {
		n := g.times
		if g.passes {
			n += 1 << 20
		}
		return n
	}
	for i := range out { // few: a stable insertion sort
		for k := i; k > 0 && rank(out[k]) > rank(out[k-1]); k-- {
			out[k], out[k-1] = out[k-1], out[k]
		}
	}
	return out
}

// counted returns how many texts of a cell there are, were judged, and pass.
func (r *Room) counted(at place) (texts, judged, passed int) {
	for _, t := range r.texts[at] {
		switch {
		case t == nil:
		case t.Error != "":
			texts++
		default:
			texts++
			if t.Judged {
				judged++
			}
			if t.Pass() {
				passed++
			}
		}
	}
	return texts, judged, passed
}

// bar draws a share in w cells, to an eighth of one.
func bar(share float64, w int, ascii bool) string {
	share = min(1, max(0, share))
	eighths := int(math.Round(share * float64(8*w)))
	full, part := eighths/8, eighths%8
	if ascii {
		return strings.Repeat("#", full) + strings.Repeat(".", w-full)
	}
	text := strings.Repeat("█", full)
	if part > 0 {
		text += string([]rune("▏▎▍▌▋▊▉")[part-1])
		full++
	}
	return text + strings.Repeat("·", w-full)
}
