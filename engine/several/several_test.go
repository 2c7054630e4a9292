package several

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"logitscope/models/goldentest"
)

// A fraction is a number such as "3/10".
type fraction float64

func (f *fraction) UnmarshalJSON(b []byte) error {
	var s string
	if err := json.Unmarshal(b, &s); err != nil {
		return err
	}
	r, ok := new(big.Rat).SetString(s)
	if !ok {
		return fmt.Errorf("%q is no fraction", s)
	}
	x, _ := r.Float64()
	*f = fraction(x)
	return nil
}

type fractions []fraction

func (f fractions) law() Law {
	l := make(Law, len(f))
	for i, x := range f {
		l[i] = float64(x)
	}
	return l
}

type goldenCase struct {
	ID, Kind    string
	Target      fractions
	TargetAfter []fractions `json:"target_after"`
	DraftLaws   []fractions `json:"draft_laws"`
	DraftLaw    fractions   `json:"draft_law"`
	DraftAfter  []fractions `json:"draft_after"`
	Drafts      []int
	K           json.RawMessage
	Rho         *fraction
	Expected    struct {
		Law          fractions
		Accepted     float64
		AcceptedEach []float64            `json:"accepted_each"`
		GivenDrafts  map[string][]float64 `json:"given_drafts"`
		Beta         float64
		AcceptEach   []float64 `json:"accept_each_token"`
		Residual     []float64
		RhoStar      float64              `json:"rho_star"`
		AcceptedStar float64              `json:"accepted_at_rho_star"`
		After        map[string]fractions `json:"law_after_an_accepted_token"`
		TokensAPass  float64              `json:"tokens_a_pass"`
	}
	Control struct {
		Law []float64 `json:"law_without_residual_update"`
	}
}

func golden(t *testing.T) (all []goldenCase) {
	t.Helper()
	for _, line := range goldentest.Group(t, "drafts", "testdata/drafts.jsonl") {
		var c goldenCase
		if err := json.Unmarshal(line, &c); err != nil {
			t.Fatal(err)
		}
		all = append(all, c)
	}
	return all
}

func near(a, b Law, by float64) bool {
	return len(a) == len(b) && !slices.ContainsFunc(slices.Collect(func(yield func(float64) bool) {
		for i := range a {
			if !yield(math.Abs(a[i] - b[i])) {
				return
			}
		}
	}), func(d float64) bool { return !(d <= by) })
}

func name(drafts []int) string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(drafts), " ", ","), "[]")
}

// Every case of exact fractions: the law of the output, the chance that a
// draft stands, the law for each tuple of drafts; and the wrong rule, which
// tests every draft against the target, is caught.
func TestGolden(t *testing.T) {
	kinds := map[string]int{}
	for _, c := range golden(t) {
		t.Run(c.ID, func(t *testing.T) {
			kinds[c.Kind]++
			check[c.Kind](t, c)
		})
	}
	if len(kinds) != len(check) {
		t.Errorf("kinds seen: %v", kinds)
	}
}

var check = map[string]func(*testing.T, goldenCase){
	"draft_chain": func(t *testing.T, c goldenCase) {
		var laws []Law
		for _, l := range c.DraftLaws {
			laws = append(laws, l.law())
		}
		chained(t, c, func(yield func(float64, Drawn) bool) { Of(laws)(yield) })
		if c.Control.Law != nil {
			wrong := Proved(len(c.Target), Of(laws), func(d Drawn) Law {
				out, left, p := make(Law, len(c.Target)), 1.0, c.Target.law()
				for i, x := range d.Drafts {
					a := accept(p, d.Laws[i], x)
					out[x] += left * a
					left *= 1 - a
				}
				for x, r := range p.minus(d.Laws[0]) {
					out[x] += left * r
				}
				return out
			})
			if !near(wrong, c.Control.Law, 1e-6) {
				t.Errorf("without taking q away: %v, want %v", wrong, c.Control.Law)
			}
		}
	},
	"draft_without_replacement": func(t *testing.T, c goldenCase) {
		var k int
		if err := json.Unmarshal(c.K, &k); err != nil {
			t.Fatal(err)
		}
		chained(t, c, Different(c.DraftLaw.law(), k))
	},
	"draft_fixed": func(t *testing.T, c goldenCase) {
		var laws []Law
		for _, x := range c.Drafts {
			laws = append(laws, Point(len(c.Target), x))
		}
		out, stand := ChainGiven(c.Target.law(), c.Drafts, laws)
		if !near(out, c.Expected.Law.law(), 1e-9) || !near(stand, c.Expected.AcceptedEach, 1e-8) {
			t.Errorf("%v, each stands with %v", out, stand)
		}
	},
	"draft_k_seq": func(t *testing.T, c goldenCase) {
		var k int
		if err := json.Unmarshal(c.K, &k); err != nil {
			t.Fatal(err)
		}
		p, q := c.Target.law(), c.DraftLaw.law()
		s := Selection{p, q, k, float64(*c.Rho)}
		for x, want := range c.Expected.AcceptEach {
			if math.Abs(s.Accept(x)-want) > 1e-8 {
				t.Errorf("%d stands with %v, want %v", x, s.Accept(x), want)
			}
		}
		r, ok := s.residual()
		if ok != (c.Expected.Residual != nil) || ok && !near(r, c.Expected.Residual, 1e-8) {
			t.Errorf("residual %v, %v, want %v", r, ok, c.Expected.Residual)
		}
		star := rhoStar(p, q, k)
		if math.Abs(s.beta()-c.Expected.Beta) > 1e-8 || math.Abs(s.accepted()-c.Expected.Accepted) > 1e-8 || math.Abs(star-c.Expected.RhoStar) > 1e-6 ||
			math.Abs(Selection{p, q, k, star}.accepted()-c.Expected.AcceptedStar) > 1e-6 {
			t.Errorf("beta %v, accepted %v, rho* %v", s.beta(), s.accepted(), star)
		}
		law := Proved(len(p), Of(slices.Repeat([]Law{q}, k)), func(d Drawn) Law {
			out, left := make(Law, len(p)), 1.0
			for _, x := range d.Drafts {
				out[x] += left * s.Accept(x)
				left *= 1 - s.Accept(x)
			}
			for x := range r {
				out[x] += left * r[x]
			}
			return out
		})
		if !near(law, c.Expected.Law.law(), 1e-9) {
			t.Errorf("law %v", law)
		}
		random, plan := rand.New(rand.NewPCG(7, 8)), s.plan()
		counts, stood := make([]int, len(p)), 0
		const n = 100_000
		for range n {
			drafts, u := make([]int, k), make([]float64, k+1)
			for i := range drafts {
				drafts[i] = q.Draw(random.Float64())
			}
			for i := range u {
				u[i] = random.Float64()
			}
			x, stands := plan.choose(drafts, u)
			counts[x]++
			if stands >= 0 {
				stood++
			}
		}
		chi(t, "chosen", counts, c.Expected.Law.law())
		if got := float64(stood) / n; math.Abs(got-c.Expected.Accepted) > 0.01 {
			t.Errorf("%v stand, want %v", got, c.Expected.Accepted)
		}
	},
	"draft_tree": func(t *testing.T, c goldenCase) {
		tree := treeOf(t, c)
		if got := tree.TokensAPass(); math.Abs(got-c.Expected.TokensAPass) > 1e-8 {
			t.Errorf("%v tokens a pass, want %v", got, c.Expected.TokensAPass)
		}
		laws := slices.Repeat([]Law{c.DraftLaw.law()}, tree.K[0])
		if law := Proved(len(c.Target), Of(laws), func(d Drawn) Law { l, _ := ChainGiven(c.Target.law(), d.Drafts, d.Laws); return l }); !near(law, c.Expected.Law.law(), 1e-9) {
			t.Errorf("law %v", law)
		}
		// What comes after each first token, by 200,000 walks.
		r := rand.New(rand.NewPCG(1, 2))
		first, after := make([]int, len(c.Target)), make([][]int, len(c.Target))
		for x := range after {
			after[x] = make([]int, len(c.Target))
		}
		tokens := 0
		for range 200_000 {
			walked := tree.Walk(r.Float64)
			tokens += len(walked)
			first[walked[0]]++
			if len(walked) > 1 {
				after[walked[0]][walked[1]]++
			}
		}
		chi(t, "the first token", first, c.Target.law())
		for x, want := range c.Expected.After {
			chi(t, "after "+x, after[x[0]-'0'], want.law())
		}
		if got := float64(tokens) / 200_000; math.Abs(got-c.Expected.TokensAPass) > 0.01 {
			t.Errorf("%v tokens a pass were seen, want %v", got, c.Expected.TokensAPass)
		}
	},
}

func treeOf(t *testing.T, c goldenCase) Tree {
	var k []int
	if err := json.Unmarshal(c.K, &k); err != nil {
		t.Fatal(err)
	}
	at := func(root fractions, after []fractions) func([]int) Law {
		return func(path []int) Law {
			if len(path) == 0 {
				return root.law()
			}
			return after[path[len(path)-1]].law()
		}
	}
	return Tree{k, at(c.Target, c.TargetAfter), at(c.DraftLaw, c.DraftAfter)}
}

// chained checks a case of [Chain]: exactly, and by draws.
func chained(t *testing.T, c goldenCase, drafts func(yield func(float64, Drawn) bool)) {
	t.Helper()
	target, accepted, tuples := c.Target.law(), 0.0, 0
	law := Proved(len(target), drafts, func(d Drawn) Law {
		out, stand := ChainGiven(target, d.Drafts, d.Laws)
		want, ok := c.Expected.GivenDrafts[name(d.Drafts)]
		if tuples++; ok && !near(out, want, 1e-8) {
			t.Errorf("given %v: %v, want %v", d.Drafts, out, want)
		} else if !ok && c.Expected.GivenDrafts != nil {
			t.Errorf("%v are no drafts of the case", d.Drafts)
		}
		_ = stand
		return out
	})
	for prob, d := range drafts {
		_, stand := ChainGiven(target, d.Drafts, d.Laws)
		for _, p := range stand {
			accepted += prob * p
		}
	}
	if !near(law, c.Expected.Law.law(), 1e-9) || math.Abs(accepted-c.Expected.Accepted) > 1e-8 || c.Expected.GivenDrafts != nil && tuples != len(c.Expected.GivenDrafts) {
		t.Errorf("law %v, accepted %v of %v, %d tuples", law, accepted, c.Expected.Accepted, tuples)
	}
	r := rand.New(rand.NewPCG(3, 4))
	counts, stood, n := make([]int, len(target)), 0, 0
	for prob, d := range drafts {
		for range int(prob * 100_000) { // each tuple by its chance
			u := make([]float64, len(d.Drafts)+1)
			for i := range u {
				u[i] = r.Float64()
			}
			x, k := Chain(target, d.Drafts, d.Laws, u)
			counts[x]++
			if n++; k >= 0 {
				stood++
			}
		}
	}
	chi(t, "drawn", counts, target)
	if got := float64(stood) / float64(n); math.Abs(got-c.Expected.Accepted) > 0.01 {
		t.Errorf("%v stand, want %v", got, c.Expected.Accepted)
	}
}

// chi fails where counts are not of law: Pearson's statistic beyond what one
// run in a million exceeds, for up to 5 degrees of freedom.
func chi(t *testing.T, what string, counts []int, law Law) {
	t.Helper()
	n, stat := 0, 0.0
	for _, k := range counts {
		n += k
	}
	for x, k := range counts {
		switch e := law[x] * float64(n); {
		case law[x] == 0 && k > 0:
			t.Errorf("%s: token %d, which the target never gives", what, x)
		case e > 0:
			stat += (float64(k) - e) * (float64(k) - e) / e
		}
	}
	if stat > 38 {
		t.Errorf("%s: %v is not of %v: chi-square %.1f", what, counts, law, stat)
	}
}

// The law that a rule gives by calculation is the target's for the right rules
// and any laws of the drafts, and it is what summing over all drafts gives;
// the rule that forgets refusals is caught.
func TestRuleLaw(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 9))
	any := func(n int) Law {
		l := make(Law, n)
		for x := range l {
			if r.IntN(3) > 0 {
				l[x] = r.Float64()
			}
		}
		l[r.IntN(n)] += 0.1
		l, _ = l.normalised()
		return l
	}
	wrong := 0
	for range 300 {
		n, k := 2+r.IntN(5), r.IntN(5)
		p := any(n)
		laws := make([]Law, k)
		for i := range laws {
			if laws[i] = any(n); r.IntN(4) == 0 {
				laws[i] = Point(n, r.IntN(n))
			}
		}
		same := slices.Repeat([]Law{any(n)}, k)
		plan := SpecInfer.Plan(p, laws)
		infer, stands := plan.Law(), 0.0
		if !near(infer, p, 1e-12) {
			t.Fatalf("SpecInfer of %v by %v: %v", p, laws, infer)
		}
		tr := SpecTr.Plan(p, same).Law()
		if !near(tr, p, 1e-12) {
			t.Fatalf("SpecTr of %v by %v: %v", p, same, tr)
		}
		// The chance that a draft stands, over all drafts there can be.
		for prob, d := range Of(laws) {
			_, each := ChainGiven(p, d.Drafts, laws)
			for _, a := range each {
				stands += prob * a
			}
		}
		if math.Abs(plan.Stands-stands) > 1e-12 || len(plan.Against) != k {
			t.Fatalf("a draft stands with %v, want %v; %+v", plan.Stands, stands, plan)
		}
		if bad := AgainstTarget.Plan(p, same).Law(); k > 1 && !near(bad, p, 1e-6) {
			wrong++
		}
	}
	if wrong < 100 {
		t.Errorf("the wrong rule was caught %d times", wrong)
	}
}

// What is left where no draft stands is what Before has above Taken.
func TestLeft(t *testing.T) {
	p, q := Law{.5, .3, .2}, Law{.2, .3, .5}
	for _, rule := range []Rule{SpecInfer, SpecTr, AgainstTarget} {
		o := rule.Plan(p, []Law{q, q})
		left := make(Law, 3)
		for x := range left {
			left[x] = math.Max(0, o.Before[x]-o.Taken[x])
		}
		sum := left[0] + left[1] + left[2]
		got, ok := left.normalised()
		if !ok || !near(got, o.Left, 1e-12) || math.Abs(sum-o.Mass) > 1e-12 {
			t.Errorf("rule %d: %+v", rule, o)
		}
	}
}
