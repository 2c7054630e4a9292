package speculative

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"testing"
)

// fixed are coins whose every side is known.
type fixed struct {
	accepts []float64
	last    float64
}

func (f *fixed) draft(int) float64    { panic("the draft is given") }
func (f *fixed) accept(i int) float64 { return f.accepts[i] }
func (f *fixed) final() float64       { return f.last }

// toy is a pair of order-1 tables as laws, by ascending token.
type toy struct {
	p, q []Law
	eos  int32
}

func newToy(g *golden, pair string, s cutSettings) *toy {
	t := &toy{eos: g.Models.EOS}
	m := g.Models.Pairs[pair]
	for i := range m.Target {
		t.p = append(t.p, s.law(m.Target[i]))
		t.q = append(t.q, s.draft().law(m.Draft[i]))
	}
	return t
}

func (t *toy) ends(id int32) bool { return id == t.eos }

// verify judges a draft from context ctx with the package's own code.
func (t *toy) verify(tb testing.TB, m *method, ctx int32, tokens []int32, c coins) verdict {
	tb.Helper()
	d := draft{tokens: tokens}
	at := append([]int32{ctx}, tokens...)
	for i := range tokens {
		d.laws = append(d.laws, t.q[at[i]])
	}
	v, err := verify(m, d, func(i int) (*Law, error) { return &t.p[at[i]], nil }, t.ends, c)
	if err != nil {
		tb.Fatal(err)
	}
	return v
}

// outcomes enumerates one round from ctx: each sequence of emitted tokens
// with its exact probability, and the law of the number accepted. Every
// branch is taken by the package's own verify, steered by coins.
func (t *toy) outcomes(tb testing.TB, m *method, ctx int32, k int) (emitted map[string]float64, pmf []float64) {
	emitted, pmf = map[string]float64{}, make([]float64, k+1)
	var walk func(tokens []int32, prob float64)
	walk = func(tokens []int32, prob float64) {
		last := ctx
		if n := len(tokens); n > 0 {
			last = tokens[n-1]
		}
		if len(tokens) < k && !(len(tokens) > 0 && t.ends(last)) {
			for i, id := range t.q[last].IDs {
				walk(append(slices.Clip(tokens), id), prob*t.q[last].Probs[i])
			}
			return
		}
		for j, w := range t.branches(tb, m, ctx, tokens) {
			if w <= 0 {
				continue
			}
			v := t.verify(tb, m, ctx, tokens, steer(m, len(tokens), j))
			if v.accepted != j {
				tb.Fatalf("draft %v: %d accepted where %d were meant to be", tokens, v.accepted, j)
			}
			pmf[j] += prob * w
			if len(v.final.IDs) == 0 {
				emitted[name(tokens[:j])] += prob * w
			}
			for i, id := range v.final.IDs {
				emitted[name(append(slices.Clone(tokens[:j]), id))] += prob * w * v.final.Probs[i]
			}
		}
	}
	walk(nil, 1)
	return emitted, pmf
}

// branches returns the probability that j tokens stand, for each j.
func (t *toy) branches(tb testing.TB, m *method, ctx int32, tokens []int32) []float64 {
	n := len(tokens)
	// With all coins at their lowest every chance is looked at, unless one is
	// 0: then the ones after it do not matter.
	chance := t.verify(tb, m, ctx, tokens, steer(m, n, n)).chance
	out := make([]float64, n+1)
	if m.block {
		rest := 1.0
		for j := n; j > 0; j-- {
			out[j] = rest * chance[j-1]
			rest *= 1 - chance[j-1]
		}
		out[0] = rest
		return out
	}
	stand := 1.0
	for j, a := range chance {
		out[j] = stand * (1 - a)
		stand *= a
	}
	if len(chance) == n {
		out[n] = stand
	}
	return out
}

// steer returns coins with which exactly j of n tokens stand, if that is
// possible at all.
func steer(m *method, n, j int) coins {
	f := &fixed{accepts: make([]float64, n)}
	for i := range f.accepts {
		if i >= j || m.block && i != j-1 {
			f.accepts[i] = math.Nextafter(1, 0)
		}
	}
	return f
}

func name(tokens []int32) string {
	s := ""
	for _, t := range tokens {
		s += strconv.Itoa(int(t)) + " "
	}
	return s
}

func parse(s string) []int32 {
	var out []int32
	for len(s) > 0 {
		var x int32
		n := 0
		for s[n] != ' ' {
			x = 10*x + int32(s[n]-'0')
			n++
		}
		out, s = append(out, x), s[n+1:]
	}
	return out
}

// jointBy returns the exact law of the first n tokens when rounds follow one
// another.
func (t *toy) jointBy(tb testing.TB, m *method, ctx int32, k, n int) map[string]float64 {
	rounds := map[int32]map[string]float64{}
	out := map[string]float64{}
	var walk func(ctx int32, done []int32, prob float64)
	walk = func(ctx int32, done []int32, prob float64) {
		if len(done) >= n || len(done) > 0 && t.ends(ctx) {
			out[name(done)] += prob
			return
		}
		r, ok := rounds[ctx]
		if !ok {
			whole, _ := t.outcomes(tb, m, ctx, k)
			r = map[string]float64{}
			for s, p := range whole { // only n tokens matter
				tokens := parse(s)
				r[name(tokens[:min(n, len(tokens))])] += p
			}
			rounds[ctx] = r
		}
		for s, p := range r {
			tokens := parse(s)
			tokens = tokens[:min(len(tokens), n-len(done))]
			walk(tokens[len(tokens)-1], append(slices.Clip(done), tokens...), prob*p)
		}
	}
	walk(ctx, nil, 1)
	return out
}

// joint is the target's own law of the first n tokens.
func (t *toy) joint(ctx int32, n int) map[string]float64 {
	out := map[string]float64{}
	var walk func(done []int32, prob float64)
	walk = func(done []int32, prob float64) {
		last := ctx
		if len(done) > 0 {
			last = done[len(done)-1]
		}
		if len(done) == n || len(done) > 0 && t.ends(last) {
			out[name(done)] += prob
			return
		}
		for i, id := range t.p[last].IDs {
			walk(append(slices.Clip(done), id), prob*t.p[last].Probs[i])
		}
	}
	walk(nil, 1)
	return out
}

func worst(a, b map[string]float64) float64 {
	w := 0.0
	for s := range a {
		w = max(w, math.Abs(a[s]-b[s]))
	}
	for s := range b {
		w = max(w, math.Abs(a[s]-b[s]))
	}
	return w
}

// The text has the target's law exactly: enumerated for every pair, setting
// and k, against the target alone and against the golden figures.
func TestExactLaw(t *testing.T) {
	g := readGolden(t)
	const tol = 1e-12
	for pair, e := range g.Exact {
		t.Run(pair, func(t *testing.T) {
			t.Parallel()
			for i, c := range e.Cases {
				toy := newToy(g, pair, c.Settings)
				checkLaws(t, toy, &e.Cases[i])
				want := toy.joint(c.Start, 3)
				for _, row := range c.Joint {
					if d := math.Abs(want[name(row.Tokens)] - row.P); d > 1.1e-12 {
						t.Fatalf("settings %v: target's law of %v off by %g", c.Settings, row.Tokens, d)
					}
				}
				for _, by := range c.ByK {
					if by.K > 3 && (testing.Short() || len(toy.q[c.Start].IDs) > 4) {
						continue // 6^k drafts; the longest are enumerated for the settings that cut
					}
					where := fmt.Sprintf("settings %+v, k %d", c.Settings, by.K)
					m := Exact.method()
					if d := worst(toy.jointBy(t, m, c.Start, by.K, 3), want); d > tol {
						t.Errorf("%s: law of 3 tokens off by %g", where, d)
					}
					_, pmf := toy.outcomes(t, m, c.Start, by.K)
					checkPMF(t, where, pmf, by.PMF, by.Accepted)
					if by.Block == nil {
						continue
					}
					b := Block.method()
					if d := worst(toy.jointBy(t, b, c.Start, by.K, 3), want); d > tol {
						t.Errorf("%s, block: law of 3 tokens off by %g", where, d)
					}
					_, pmf = toy.outcomes(t, b, c.Start, by.K)
					checkPMF(t, where+", block", pmf, by.Block.PMF, by.Block.Accepted)
				}
			}
		})
	}
}

func checkPMF(t *testing.T, where string, got, want []float64, mean float64) {
	t.Helper()
	if d := far(got, want); d > 2e-12 {
		t.Errorf("%s: accepted %v, want %v", where, got, want)
	}
	sum := 0.0
	for i, p := range got {
		sum += float64(i) * p
	}
	if math.Abs(sum-mean) > 1e-11 {
		t.Errorf("%s: %v accepted on average, want %v", where, sum, mean)
	}
}

// checkLaws compares the processed laws, the overlap and the residual with
// the golden ones.
func checkLaws(t *testing.T, toy *toy, c *exactCase) {
	t.Helper()
	for ctx := range toy.p {
		if d := max(far(dense(toy.p[ctx], 6), c.P[ctx]), far(dense(toy.q[ctx], 6), c.Q[ctx])); d > 1e-12 {
			t.Fatalf("settings %+v, context %d: laws off by %g", c.Settings, ctx, d)
		}
		if d := math.Abs(overlap(&toy.p[ctx], &toy.q[ctx]) - c.Alpha[ctx]); d > 2e-12 {
			t.Errorf("settings %+v, context %d: overlap off by %g", c.Settings, ctx, d)
		}
		if c.Residual[ctx] == nil {
			continue
		}
		rest := excess(&toy.p[ctx], &toy.q[ctx], 1)
		// The golden residual is scaled from differences rounded to float64.
		if d := far(dense(rest.scaled(), 6), c.Residual[ctx]); d > 1e-11 && rest.mass() > 1e-3 {
			t.Errorf("settings %+v, context %d: residual off by %g", c.Settings, ctx, d)
		}
	}
}

// Replays with every uniform number given go token for token.
func TestTraces(t *testing.T) {
	t.Parallel()
	g := readGolden(t)
	for i, tr := range g.Traces.Traces {
		toy := newToy(g, tr.Pair, tr.Settings)
		ctx := tr.Start
		var text []int32
		for n, r := range tr.Rounds {
			where := fmt.Sprintf("trace %d, round %d", i, n)
			tokens := []int32{}
			for j := range r.Draft {
				last := ctx
				if j > 0 {
					last = tokens[j-1]
				}
				x, _, _ := toy.q[last].Draw(r.UDraft[j])
				tokens = append(tokens, x)
			}
			if !slices.Equal(tokens, r.Draft) {
				t.Fatalf("%s: drafted %v, want %v", where, tokens, r.Draft)
			}
			c := &fixed{accepts: make([]float64, len(tokens))}
			for j, s := range r.Steps {
				c.accepts[j] = s.U
				if !s.Accepted {
					c.last = s.UResidual
				}
			}
			if r.Bonus != nil {
				c.last = r.Bonus.U
			}
			v := toy.verify(t, Exact.method(), ctx, tokens, c)
			for j, s := range r.Steps {
				if math.Abs(v.chance[j]-s.Accept) > 1e-9 {
					t.Errorf("%s: token %d accepted with %v, want %v", where, j, v.chance[j], s.Accept)
				}
				if s.Residual != nil && far(dense(v.final, 6), s.Residual) > 1e-9 {
					t.Errorf("%s: residual %v, want %v", where, dense(v.final, 6), s.Residual)
				}
			}
			got := slices.Clone(tokens[:v.accepted])
			if len(v.final.IDs) > 0 {
				got = append(got, v.token)
			}
			if v.accepted != r.Accepted || !slices.Equal(got, r.Emitted) {
				t.Fatalf("%s: %d accepted, emitted %v; want %d, %v", where, v.accepted, got, r.Accepted, r.Emitted)
			}
			text = append(text, got...)
			ctx = got[len(got)-1]
		}
		if !slices.Equal(text[:len(tr.Tokens)], tr.Tokens) {
			t.Errorf("trace %d: text %v, want %v", i, text, tr.Tokens)
		}
	}
}

// A token the target cannot give is refused even when u is 0, and one that it
// gives at least as often as the draft stands even when u is just below 1.
func TestStrict(t *testing.T) {
	t.Parallel()
	p := Law{[]int32{1, 2}, []float64{0.5, 0.5}}
	q := Law{[]int32{0, 1}, []float64{0.5, 0.5}}
	one := func(x int32, u float64) verdict {
		d := draft{tokens: []int32{x}, laws: []Law{q}}
		v, err := verify(Exact.method(), d, func(int) (*Law, error) { return &p, nil }, func(int32) bool { return false }, &fixed{accepts: []float64{u}})
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	if v := one(0, 0); v.accepted != 0 || v.token != 2 {
		t.Errorf("impossible token at u 0: %d accepted, then %d; want refused, then 2", v.accepted, v.token)
	}
	if v := one(1, math.Nextafter(1, 0)); v.accepted != 1 {
		t.Error("p = q at u just below 1: refused, want accepted")
	}
}

func TestFormula(t *testing.T) {
	t.Parallel()
	g := readGolden(t)
	for _, r := range g.Formula.Table {
		if d := math.Abs(expectedTokens(r.Alpha, r.K) - r.Expected); d > 1e-11 {
			t.Errorf("ExpectedTokens(%v, %d) off by %g", r.Alpha, r.K, d)
		}
		for cost, want := range r.Speedup {
			c, err := strconv.ParseFloat(cost, 64)
			if err != nil {
				t.Fatal(err)
			}
			if d := math.Abs(ExpectedSpeedup(r.Alpha, r.K, c) - want); d > 1e-11 {
				t.Errorf("ExpectedSpeedup(%v, %d, %v) off by %g", r.Alpha, r.K, c, d)
			}
		}
	}
	for _, r := range g.Formula.BestK {
		if k := BestK(r.Alpha, r.Cost, 64); k != r.K {
			t.Errorf("BestK(%v, %v, 64) = %d, want %d", r.Alpha, r.Cost, k, r.K)
		}
	}
}

func TestLookup(t *testing.T) {
	t.Parallel()
	g := readGolden(t)
	for _, c := range g.Lookup.Cases {
		ends := func(id int32) bool { return id == c.EOS }
		for rule, want := range map[string][]int32{"transformers": c.HF, "vllm": c.VLLM} {
			got := Lookup{Rule: rule, Min: c.Min, Max: c.Max}.propose(c.Tokens, c.K, ends)
			if !slices.Equal(got, want) {
				t.Errorf("%s %d..%d of %v, k %d: %v, want %v", rule, c.Min, c.Max, c.Tokens, c.K, got, want)
			}
		}
	}
	if got := (Lookup{Rule: "transformers", Min: 1, Max: 2}).propose([]int32{1, 1}, 0, func(int32) bool { return false }); got != nil {
		t.Errorf("k 0: %v, want none", got)
	}
}

// Over a long text without an end the tokens for each pass come to the golden
// figure, and for a pair whose laws never change to the closed form.
func TestPerPass(t *testing.T) {
	t.Parallel()
	g := readGolden(t)
	for pair, e := range g.Exact {
		for _, c := range e.Cases {
			toy := newToy(g, pair, c.Settings)
			toy.eos = -1
			for _, by := range c.ByK {
				if by.K > 2 {
					continue
				}
				where := fmt.Sprintf("%s, settings %+v, k %d", pair, c.Settings, by.K)
				_, pmf := toy.outcomes(t, Exact.method(), c.Start, by.K)
				if d := far(pmf, by.NoEOS.PMF); d > 2e-12 {
					t.Errorf("%s: accepted %v, want %v", where, pmf, by.NoEOS.PMF)
				}
				got := toy.perPass(t, by.K)
				if math.Abs(got-by.NoEOS.PerPass) > 1e-9 {
					t.Errorf("%s: %v tokens a pass, want %v", where, got, by.NoEOS.PerPass)
				}
				if want := expectedTokens(c.Alpha[0], by.K); pair == "iid" && math.Abs(got-want) > 1e-9 {
					t.Errorf("%s: %v tokens a pass, by the formula %v", where, got, want)
				}
			}
		}
	}
}

// perPass returns the long-run mean of the tokens a round emits: the mean
// over the contexts that rounds start from, each weighed by how often they do.
func (t *toy) perPass(tb testing.TB, k int) float64 {
	n := len(t.p)
	next, length := make([][]float64, n), make([]float64, n)
	for ctx := range n {
		next[ctx] = make([]float64, n)
		emitted, _ := t.outcomes(tb, Exact.method(), int32(ctx), k)
		for s, p := range emitted {
			tokens := parse(s)
			next[ctx][tokens[len(tokens)-1]] += p
			length[ctx] += p * float64(len(tokens))
		}
	}
	at, mean := make([]float64, n), make([]float64, n)
	for i := range at {
		at[i] = 1 / float64(n)
	}
	// The mean over many rounds, so that chains that go in circles settle too.
	const rounds = 4000
	for i := range 2 * rounds {
		to := make([]float64, n)
		for a := range n {
			for b := range n {
				to[b] += at[a] * next[a][b]
			}
			if i >= rounds {
				mean[a] += at[a] / rounds
			}
		}
		at = to
	}
	sum := 0.0
	for a := range n {
		sum += mean[a] * length[a]
	}
	return sum
}
