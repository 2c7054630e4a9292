package speculative

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"logitscope/engine/several"
	"logitscope/models"
	"logitscope/models/shallow"
	"logitscope/sampling"
	"logitscope/sampling/dist"
)

// One draft side by side is one draft: the same text, chances and draws.
func TestOneOfSeveral(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"close", "far", "peaky"} {
		target, draft := pair(t, name)
		for seed := range 20 {
			base := off.and(set{"max_new_tokens": 40, "seed": uint64(seed)})
			one := start(t, target, draft, compile(t, target, base), nil, []int32{2}, Options{})
			many := start(t, target, draft, compile(t, target, base.and(set{"draft_method": "specinfer", "num_drafts": 1})), nil, []int32{2}, Options{})
			for one.Done() == "" {
				a, b := round(t, one), round(t, many)
				if !slices.Equal(a.Emitted, b.Emitted) || a.Accepted != b.Accepted || a.Kind != b.Kind || !slices.Equal(a.Drafted, b.Drafted) {
					t.Fatalf("%s, seed %d, round %d: %v of %v, %v of %v", name, seed, a.Index, a.Emitted, a.Drafted, b.Emitted, b.Drafted)
				}
				for i, p := range a.Positions {
					q := b.Positions[i]
					if p.Verdict != q.Verdict || p.U != q.U || math.Abs(p.Accept-q.Accept) > 1e-12 || math.Abs(p.Alpha-q.Alpha) > 1e-12 || p.DraftU != q.DraftU {
						t.Fatalf("%s, seed %d: %+v, %+v", name, seed, p, q)
					}
				}
			}
		}
	}
}

// What a round says of several drafts is what fresh sessions of both models
// and the rules give; and after any rewinds the caches hold the text alone.
func TestBranchesAreTraced(t *testing.T) {
	t.Parallel()
	target, draft := openFable(t)
	in := prompt(target, "Once upon a time there was a")
	for _, more := range []set{{"draft_method": "specinfer", "draft_tree": "3,2"}, {"draft_method": "spectr", "num_drafts": 4}, {"lookahead_window": 16, "lookahead_ngram": 2}} {
		p := compile(t, target, set{"do_sample": true, "temperature": 0.7, "top_k": 40, "max_new_tokens": 80, "num_assistant_tokens": 3}.and(more))
		fresh := func(m models.Model, out []int32) *Law {
			s, err := m.NewSession()
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			rows, err := s.Forward(context.Background(), slices.Concat(in, out), 1)
			if err != nil {
				t.Fatal(err)
			}
			var dist dist.Dist
			if err := p.Distribution(&dist, new(sampling.Scratch), sampling.Input{Logits: rows[0].Values, Prompt: in, Output: out}); err != nil {
				t.Fatal(err)
			}
			l := copyLaw(&dist)
			return &l
		}
		by, opt := draft, Options{Rows: true}
		if more["draft_method"] == nil {
			by, opt.Lookahead = nil, true
		}
		d := start(t, target, by, p, nil, in, opt)
		stood, tried := 0, 0
		for i := 0; i < 30 && d.Done() == ""; i++ {
			r := round(t, d)
			stood, tried = stood+r.Accepted, tried+r.Tried()
			if r.Passes != 1 || len(r.Rows()) != len(r.Emitted) || r.Fed < r.Tried()+r.Guessed+1 || r.late && i > 0 && i%4 != 3 {
				t.Fatalf("round %d: %d passes of %d tokens, %d drafted; %d rows", r.Index, r.Passes, r.Fed, r.Tried(), len(r.Rows()))
			}
			before := slices.Clone(d.Output()[:r.Start])
			for depth, trials := range r.Trials {
				prefix := append(slices.Clip(before), r.Drafted[:depth]...)
				p := fresh(target, prefix)
				rule := several.SpecInfer
				if r.Algorithm == SpecTr {
					rule = several.SpecTr
				}
				var laws []*Law
				for _, c := range trials {
					q := point(c.Token)
					if by != nil {
						q = *fresh(draft, prefix)
					}
					laws = append(laws, &q)
				}
				sp := spaceOf(p, laws)
				plan := rule.Plan(sp.dense(p), sp.denseAll(laws))
				for k, c := range trials {
					at := sp.at[c.Token]
					if c.Q != laws[k].prob(c.Token) {
						t.Fatalf("round %d, place %d, draft %d: q %v, want %v", r.Index, depth, k, c.Q, laws[k].prob(c.Token))
					}
					if c.Verdict != Dropped && (math.Abs(c.Accept-plan.Accept(k, at)) > 1e-12 || math.Abs(c.P-plan.Against[k][at]) > 1e-12 || (c.U < c.Accept) != (c.Verdict == Accepted)) {
						t.Fatalf("round %d, place %d, draft %d: %+v, want %v", r.Index, depth, k, c, plan.Accept(k, at))
					}
				}
				if got := r.Positions[depth]; math.Abs(got.Alpha-plan.Stands) > 1e-12 || got.Verdict == Refused && math.Abs(r.Final.Mass-plan.Mass) > 1e-12 {
					t.Fatalf("round %d, place %d: %+v, want %v", r.Index, depth, got, plan.Stands)
				}
			}
			switch i % 4 {
			case 1:
				d.Rewind(max(0, len(d.Output())-3))
			case 2:
				d.Rewind(max(0, len(d.Output())-4))
				for j := range 3 {
					d.Force(int32(300 + 10*i + j))
				}
			}
		}
		if tried == 0 || by != nil && stood == 0 {
			t.Errorf("%v: %d drafted, %d stood", more, tried, stood)
		}
	}
}

// A model that cannot run branches in one pass is asked for each of them, the
// text is the same, and the passes are counted.
func TestBranchesWithoutForest(t *testing.T) {
	t.Parallel()
	target, draft := openFable(t)
	in := prompt(target, "Once upon a time there was a")
	for _, more := range []set{{"draft_method": "specinfer", "draft_tree": "2,2"}, {"lookahead_window": 3, "lookahead_ngram": 3}} {
		p := compile(t, target, set{"do_sample": true, "temperature": 1.0, "top_k": 0, "max_new_tokens": 40}.and(more))
		by, opt := draft, Options{}
		if more["draft_method"] == nil {
			by, opt.Lookahead = nil, true
		}
		one := start(t, target, by, p, nil, in, opt)
		apart := start(t, struct{ models.Model }{target}, by, p, nil, in, opt)
		if a, b := finish(t, one), finish(t, apart); !slices.Equal(a, b) {
			t.Errorf("%v: %v, %v", more, a, b)
		}
		a, b := one.View(), apart.View()
		if a.Passes != len(a.Rounds) || b.Passes <= 2*len(b.Rounds) || b.PerPass >= a.PerPass {
			t.Errorf("%v: %d and %d passes in %d rounds, %.2f and %.2f tokens a pass", more, a.Passes, b.Passes, len(a.Rounds), a.PerPass, b.PerPass)
		}
	}
}

// The law of several drafts on the built-in model, by calculation and by many
// draws; the wrong rule is told.
func TestProveSeveral(t *testing.T) {
	t.Parallel()
	target, draft := openFable(t)
	self, err := shallow.New(target, []int{3})
	if err != nil {
		t.Fatal(err)
	}
	small, _ := pair(t, "far")
	in := prompt(target, "Once upon a time there was a")
	n := 40_000
	for _, c := range []struct {
		name   string
		target models.Model
		draft  models.Model
		in     []int32
		rounds int
		opt    Options
		by     []Algorithm
	}{
		{"a draft model", target, draft, in, 0, Options{}, []Algorithm{SpecInfer, SpecTr, AgainstTarget}},
		{"its own layers", target, self, in, 0, Options{}, []Algorithm{SpecInfer, SpecTr}},
		{"ngram", small, nil, []int32{1, 2, 3, 1, 2, 2, 1, 4, 1}, 0, Options{}, []Algorithm{SpecInfer, AgainstTarget}},
		{"lookahead", small, nil, []int32{1, 2, 3}, 12, Options{Lookahead: true}, []Algorithm{Exact, SpecInfer}},
	} {
		s := off.and(set{"num_drafts": 4, "lookahead_ngram": 3, "max_new_tokens": 300, "logit_bias": map[string]any{"0": -100.0}})
		d := start(t, c.target, c.draft, compile(t, c.target, s), nil, c.in, c.opt)
		for range c.rounds {
			round(t, d)
		}
		for _, a := range c.by {
			pr, err := d.Prover(context.Background(), a)
			if err != nil {
				t.Fatal(err)
			}
			res, err := pr.Run(context.Background(), n, nil)
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%s, %s: %d drafts, %d of %d stood, p %.3g, off by %.2g", c.name, a, len(pr.drafts), res.Accepted, n, res.PValue, res.LawTV)
			if a.IsExact() && (!res.Agrees() || res.LawTV > 1e-12 || res.Accepted == 0 || len(pr.drafts) == 0) {
				t.Errorf("%s, %s: %+v", c.name, a, res)
			}
			if !a.IsExact() && (res.Agrees() || res.LawTV < 0.01) {
				t.Errorf("%s, %s: %+v; want it to differ", c.name, a, res)
			}
		}
		if _, err := d.Prover(context.Background(), SpecTr); c.draft == nil && (err == nil || !strings.Contains(err.Error(), "want one of")) {
			t.Errorf("%s by spectr: %v", c.name, err)
		}
	}
}

// Settings that cannot be are refused in a line that names the allowed ones.
func TestSeveralRefused(t *testing.T) {
	t.Parallel()
	target, draft := pair(t, "close")
	for _, c := range []struct {
		s     set
		draft models.Model
		opt   Options
		want  string
	}{
		{set{"draft_tree": "3,x"}, draft, Options{}, `draft_tree: "3,x" is not a list`},
		{set{"draft_tree": "0"}, draft, Options{}, "draft_tree"},
		{set{"draft_tree": "4,5"}, draft, Options{}, "draft_tree: 4,5 has more than 16 branches"},
		{set{"draft_tree": "9999999999,9999999999"}, draft, Options{}, "more than 16 branches"},
		{set{"draft_tree": strings.Repeat("1,", 16) + "1"}, draft, Options{}, "at most 16 numbers"},
		{set{"draft_method": "specinfer", "block_verification": true}, draft, Options{}, "block_verification: true judges one chain of drafts; want draft_method chain, not specinfer"},
		{set{"draft_method": "spectr"}, nil, Options{}, "draft_method: spectr cannot judge what ngram drafts; want one of chain, chain with block_verification, specinfer"},
		{set{"draft_method": "spectr"}, nil, Options{Lookahead: true}, "draft_method: spectr cannot judge what lookahead drafts; want one of chain, specinfer"},
		{set{"block_verification": true}, nil, Options{Lookahead: true}, "draft_method: chain with block_verification cannot judge what lookahead drafts; want one of chain, specinfer"},
		{set{}, nil, Options{Lookahead: true, Algorithm: NoResidual}, "rule: no_residual cannot judge"},
	} {
		_, err := New(target, c.draft, compile(t, target, c.s), nil, []int32{1}, c.opt)
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v: %v, want %q", c.s, err, c.want)
		}
	}
}

// Paths and counts of drafts by hand: 1 twice with 2 and 3 after them, 4 alone.
func TestPaths(t *testing.T) {
	t.Parallel()
	n := func(x int32, kids ...*node) *node { return &node{token: x, kids: kids} }
	roots := []*node{n(1, n(2)), n(4), n(1, n(3, n(5)), n(2))}
	got := paths(roots)
	if fmt.Sprint(got) != "[[1 2] [1 3 5] [4]]" || count(got) != 5 {
		t.Errorf("%v, %d tokens", got, count(got))
	}
	if fmt.Sprint(paths(nil)) != "[[]]" || count(paths(nil)) != 0 {
		t.Errorf("without drafts: %v", paths(nil))
	}
	end := func(x int32) bool { return x == 9 }
	got = paths(trie([][]int32{{1, 2}, {1, 9, 4}, {1, 2}, {3}}, end))
	if fmt.Sprint(got) != "[[1 2] [1 9] [3]]" {
		t.Errorf("as a trie: %v", got)
	}
	l := Lookup{Rule: "transformers", Min: 1, Max: 2}
	text := []int32{5, 6, 1, 2, 3, 6, 1, 2, 4, 1, 2}
	if got := l.proposeSeveral(text, 2, 3, end); fmt.Sprint(got) != "[[3 6] [4 1]]" {
		t.Errorf("look-ups %v", got)
	}
	if got := l.proposeSeveral(text, 2, 1, end); fmt.Sprint(got) != "[[3 6]]" {
		t.Errorf("one look-up %v", got)
	}
}

// A stage that draws by itself has a coin of its own at every place of the
// text: XTC leaves the surest tokens out at some places, not at all or none.
func TestXTCUnderDrafts(t *testing.T) {
	t.Parallel()
	target, draft := pair(t, "close")
	p := compile(t, target, off.and(set{"order": "llama.cpp", "xtc_probability": 0.5, "xtc_threshold": 0.1, "max_new_tokens": 120, "logit_bias": map[string]any{"0": -100.0}}))
	plain := compile(t, target, off.and(set{"order": "llama.cpp", "logit_bias": map[string]any{"0": -100.0}}))
	d := start(t, target, draft, p, nil, []int32{2}, Options{Rows: true})
	cut, places := 0, 0
	for d.Done() == "" {
		r := round(t, d)
		for i, pos := range r.Positions {
			if pos.Verdict == Dropped || len(pos.Top) == 0 {
				break
			}
			var whole dist.Dist
			if err := plain.Distribution(&whole, new(sampling.Scratch), sampling.Input{Logits: r.Rows()[i].Values, Prompt: []int32{2}}); err != nil {
				t.Fatal(err)
			}
			law := copyLaw(&whole)
			best := law.IDs[0]
			for k, q := range law.Probs {
				if q > law.prob(best) {
					best = law.IDs[k]
				}
			}
			places++
			if j := slices.IndexFunc(pos.Top, func(b Bar) bool { return b.Token == best }); j < 0 || pos.Top[j].P == 0 {
				cut++
			}
		}
	}
	if places < 40 || cut < places/5 || cut > places*4/5 {
		t.Errorf("the surest token was left out at %d of %d places; want about half", cut, places)
	}
}
