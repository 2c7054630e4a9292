package lab

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"testing"

	"logitscope/engine"
	"logitscope/sampling"
	"logitscope/ui/tui/kit"
)

// traceUnder traces the story's step 16 under changed settings.
func traceUnder(t *testing.T, lb *View, change map[string]any) *sampling.Trace {
	t.Helper()
	l := lb.lanes.Lane()
	cfg := l.Config
	var err error
	for k, v := range change {
		if cfg, err = cfg.With(k, v, sampling.FromYou); err != nil {
			t.Fatal(err)
		}
	}
	set, err := l.Compile(cfg, l.Preset)
	if err != nil {
		t.Fatal(err)
	}
	s, err := l.View.Retrace(15, set)
	if err != nil {
		t.Fatal(err)
	}
	return s.Trace
}

// Whatever the settings and the size, the lines account for every token and
// all of the probability, and the marked tokens have rows.
func TestChartAccountsForEverything(t *testing.T) {
	lb := storyLab(t)
	ref := lb.lanes.Lane().View.Next.Trace
	configs := []map[string]any{
		{}, {"top_k": 0, "top_p": 1.0}, {"top_k": 1}, {"top_k": 3, "top_p": 1.0}, {"temperature": 0.0}, {"top_p": 0.1}, {"min_p": 0.3},
		{"temperature": 2.0, "top_k": 0}, {"typical_p": 0.3}, {"top_n_sigma": 1.0}, {"order": "llama.cpp"}, {"order": "ollama-go"},
		{"repetition_penalty": 1.9}, {"do_sample": false}, {"epsilon_cutoff": 0.05, "top_k": 40, "top_p": 0.95},
	}
	for _, change := range configs {
		tr := traceUnder(t, lb, change)
		for h := 3; h <= 40; h++ {
			for _, k := range []kit.Class{kit.Class160, kit.Class100, kit.Class40} {
				plan := chartPlanFor(lb.lanes.Lane(), k, h)
				lines := chartLines(tr, ref, plan)
				what := fmt.Sprintf("%v, %d lines, class %d", change, h, k)
				if len(lines) > plan.lines && len(lines) > 1 {
					t.Errorf("%s: %d lines", what, len(lines))
				}
				account(t, tr, lines, what, h >= 6)
			}
		}
	}
}

func account(t *testing.T, tr *sampling.Trace, lines []chartLine, what string, marked bool) {
	t.Helper()
	tokens, raw, final := 0, 0.0, 0.0
	last := int32(0)
	chosen := false
	for _, ln := range lines {
		switch ln.kind {
		case tokenLine:
			tokens++
			raw += float64(ln.row.RawProb)
			final += float64(ln.row.Prob)
			if ln.row.Rank <= last {
				t.Errorf("%s: rank %d after %d", what, ln.row.Rank, last)
			}
			last = ln.row.Rank
			chosen = chosen || ln.row.ID == tr.Token
		case keptLine, gapLine, othersLine, elsewhereLine:
			if ln.count < 0 {
				t.Errorf("%s: a line for %d tokens", what, ln.count)
			}
			tokens += ln.count
			raw += ln.raw
			final += ln.final
			if ln.cut && ln.final != 0 {
				t.Errorf("%s: a cut line keeps %v", what, ln.final)
			}
		}
	}
	if tokens != tr.Vocab-tr.NoPiece {
		t.Errorf("%s: the lines stand for %d of %d tokens", what, tokens, tr.Vocab-tr.NoPiece)
	}
	if math.Abs(raw-1) > 1e-4 || math.Abs(final-1) > 1e-4 {
		t.Errorf("%s: raw adds up to %v, final to %v", what, raw, final)
	}
	if marked && !chosen {
		t.Errorf("%s: the token drawn has no row", what)
	}
}

// Wherever a stage has cut, two tokens that it cut have rows, from the lab of 40
// by 12 on; and what is kept and what is cut never share a line.
func TestTwoCutRowsAtEverySize(t *testing.T) {
	lb := storyLab(t)
	ref := lb.lanes.Lane().View.Next.Trace
	for _, change := range []map[string]any{{}, {"top_k": 1}, {"top_p": 0.1}, {"temperature": 2.0, "top_k": 0, "top_p": 0.99}, {"temperature": 0.0}, {"min_p": 0.3}, {"top_k": 4000, "top_p": 1.0}} {
		tr := traceUnder(t, lb, change)
		for h := 6; h <= 40; h++ {
			for _, k := range []kit.Class{kit.Class160, kit.Class80, kit.Class40} {
				if k != kit.Class40 && h < 8 {
					continue
				}
				for _, fixed := range []*sampling.Trace{nil, ref} {
					cut, survivors := 0, 0
					for _, ln := range chartLines(tr, fixed, chartPlanFor(lb.lanes.Lane(), k, h)) {
						switch {
						case ln.row == nil && ln.cut && ln.final != 0:
							t.Errorf("%v, %d lines: %s is cut and keeps %v", change, h, restName(ln, false, 40), ln.final)
						case ln.row == nil && ln.kind == othersLine && !ln.cut:
							t.Errorf("%v, %d lines: kept and cut share %q", change, h, restName(ln, false, 40))
						case ln.row != nil && ln.row.Cut == sampling.NoStage:
							survivors++
						case ln.row != nil:
							cut++
						}
					}
					if fixed == nil && cut < 2 || survivors == 0 {
						t.Errorf("%v, %d lines, class %d: rows of %d cut and %d kept tokens", change, h, k, cut, survivors)
					}
				}
			}
		}
	}
}

// The tokens that show a cut far below the best are the best that it took out,
// and the stage that did it is theirs.
func TestCutRowsFarBelow(t *testing.T) {
	lb := storyLab(t)
	tr := traceUnder(t, lb, map[string]any{"top_k": 300, "top_p": 1.0, "repetition_penalty": 1.0})
	want := int32(301)
	for _, ln := range chartLines(tr, nil, chartPlanFor(lb.lanes.Lane(), kit.Class80, 14)) {
		if r := ln.row; r != nil && r.Cut != sampling.NoStage && !r.Pinned {
			if r.Rank != want || tr.Stages()[r.Cut].Name != "top_k" {
				t.Errorf("a cut row of rank %d, by %s; want rank %d, by top_k", r.Rank, tr.Stages()[r.Cut].Name, want)
			}
			want++
		}
	}
	if want != 303 {
		t.Errorf("%d cut rows, want 2", want-301)
	}
}

// Trying another value moves no row: the reference alone says which tokens have one.
func TestTryingMovesNoRow(t *testing.T) {
	lb := storyLab(t)
	ref := lb.lanes.Lane().View.Next.Trace
	rows := func(tr *sampling.Trace) (out []int32) {
		for _, ln := range chartLines(tr, ref, chartPlanFor(lb.lanes.Lane(), kit.Class80, 16)) {
			if ln.row != nil {
				out = append(out, ln.row.ID)
			}
		}
		return out
	}
	want := rows(ref)
	for _, change := range []map[string]any{{"top_p": 0.92}, {"top_k": 45}, {"temperature": 0.75}} {
		if got := rows(traceUnder(t, lb, change)); !slices.Equal(got, want) {
			t.Errorf("%v: rows %v, want %v", change, got, want)
		}
	}
}

// A cut line stands after the last survivor of its stage and before the first
// token that only it removed.
func TestCutLinesStandBelowTheirSurvivors(t *testing.T) {
	lb := storyLab(t)
	for _, change := range []map[string]any{{}, {"top_k": 4, "top_p": 1.0}, {"top_p": 0.5}, {"min_p": 0.5}} {
		tr := traceUnder(t, lb, change)
		below := false
		for _, ln := range chartLines(tr, nil, chartPlanFor(lb.lanes.Lane(), kit.Class160, 30)) {
			if ln.kind == cutLine {
				below = true
			}
			if ln.row != nil && below && ln.row.Cut == sampling.NoStage {
				t.Errorf("%v: a survivor of rank %d stands below a cut line", change, ln.row.Rank)
			}
		}
		if !below {
			t.Errorf("%v: no cut line", change)
		}
	}
}

func TestStagesAtOnePlaceShareALine(t *testing.T) {
	lb := storyLab(t)
	tr := traceUnder(t, lb, map[string]any{"top_k": 1, "top_p": 0.9})
	var texts []string
	for _, ln := range chartLines(tr, nil, chartPlanFor(lb.lanes.Lane(), kit.Class160, 30)) {
		if ln.kind == cutLine {
			texts = append(texts, cutWords(ln.marks))
		}
	}
	if len(texts) != 1 {
		t.Errorf("cut lines %q, want one", texts)
	}
}

func TestReasonsNameTheStages(t *testing.T) {
	lb := storyLab(t)
	l := lb.lanes.Lane()
	tr := l.View.Next.Trace
	for i := range tr.Rows() {
		r := &tr.Rows()[i]
		if l.Piece(r.ID, false) != "␣little" {
			continue
		}
		if got := fmt.Sprint(reasons(tr, r)); got != "[↓ repetition ✗ top_p]" {
			t.Errorf("little: %s", got)
		}
		return
	}
	t.Error("little has no row")
}

// Survivors without a row stand as one line above the first cut line, so that
// what is below it is all cut.
func TestSurvivorsInAGapHaveALine(t *testing.T) {
	lb := storyLab(t)
	tr := traceUnder(t, lb, map[string]any{"temperature": 1.5, "top_p": 0.98, "top_k": 30})
	lines := chartLines(tr, nil, chartPlanFor(lb.lanes.Lane(), kit.Class160, 20))
	for i, ln := range lines {
		if ln.kind != cutLine {
			continue
		}
		before := lines[i-1]
		if before.kind == gapLine && before.final == 0 {
			t.Errorf("the gap above the cut line keeps nothing")
		}
		for _, after := range lines[i+1:] {
			if after.final != 0 {
				t.Errorf("a line below the cut keeps %v", after.final)
			}
		}
		return
	}
	t.Error("no cut line")
}

// A stage that takes the best tokens out, or tokens here and there, has no
// line of its own; its tokens say so.
func TestScatteredRemovalsHaveNoLine(t *testing.T) {
	lb := storyLab(t)
	tr := traceUnder(t, lb, map[string]any{"order": "llama.cpp", "xtc_probability": 1.0, "xtc_threshold": 0.1, "top_k": 0, "top_p": 1.0, "min_p": 0.0})
	lines := chartLines(tr, nil, chartPlanFor(lb.lanes.Lane(), kit.Class160, 30))
	if lines[0].row == nil || lines[0].row.Cut == sampling.NoStage {
		t.Fatalf("xtc left the best token in")
	}
	for _, ln := range lines {
		if ln.kind == cutLine {
			t.Errorf("a cut line %q although nothing is cut below it", cutWords(ln.marks))
		}
	}
	account(t, tr, lines, "xtc", true)
}

// The lines of a row that names twenty tokens account for the others too.
func TestChartOfAPartialRow(t *testing.T) {
	lb := storyLab(t)
	l := lb.lanes.Lane()
	v := l.View
	n := len(v.Steps)
	type entry struct {
		id int32
		p  float64
	}
	var all []entry
	var sum float64
	for i, x := range v.Next.Row.Values {
		p := math.Exp(float64(x))
		all, sum = append(all, entry{int32(i), p}), sum+p
	}
	slices.SortFunc(all, func(a, b entry) int { return cmp.Compare(b.p, a.p) })
	row := &engine.Row{Rest: 1}
	for _, e := range all[:20] {
		row.IDs, row.Values = append(row.IDs, e.id), append(row.Values, float32(math.Log(e.p/sum)))
		row.Rest -= float32(e.p / sum)
	}
	next := *v.Next
	next.Row, next.Trace = row, new(sampling.Trace)
	v.Next = &next
	in, err := v.Input(n)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.Settings.Pipeline.Sample(next.Trace, new(sampling.Scratch), in); err != nil {
		t.Fatal(err)
	}
	for _, k := range []kit.Class{kit.Class160, kit.Class100, kit.Class80, kit.Class60, kit.Class40} {
		for h := 6; h < 40; h++ {
			sum, elsewhere := 0.0, 0.0
			for _, ln := range chartLines(next.Trace, nil, chartPlanFor(l, k, h)) {
				sum += ln.raw
				if ln.row != nil {
					sum += float64(ln.row.RawProb)
				}
				if ln.kind == elsewhereLine {
					elsewhere = ln.raw
				}
			}
			if math.Abs(sum-1) > 1e-3 || math.Abs(elsewhere-float64(row.Rest)) > 1e-3 {
				t.Errorf("class %d, %d lines: the rows have %v together, those unnamed %v of %v", k, h, sum, elsewhere, row.Rest)
			}
		}
	}
}
