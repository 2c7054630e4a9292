package speculative

import (
	"context"
	"errors"
	"math"
	"testing"
)

// whole is s without what cuts.
func (s cutSettings) whole() cutSettings { return cutSettings{Temperature: s.Temperature, TopP: 1} }

func goldenProver(g *golden, i int, a Algorithm) *Prover {
	c := g.Negative.Cases[i]
	m := g.Models.Pairs[c.Pair]
	pr := &Prover{
		method: a.method(), seed: uint64(i + 1), pos: 7, ends: func(int32) bool { return false },
		p: c.Settings.law(m.Target[c.Context]), q: c.Settings.law(m.Draft[c.Context]),
	}
	pr.believe, pr.judge = pr.p, pr.q
	if pr.method.uncutP {
		pr.believe = c.Settings.whole().law(m.Target[c.Context])
	}
	if pr.method.uncutQ {
		pr.judge = c.Settings.whole().law(m.Draft[c.Context])
	}
	return pr
}

// The six wrong algorithms have the laws they are known to have, and the test
// of many draws passes for the right algorithms and fails for each wrong one.
func TestProve(t *testing.T) {
	t.Parallel()
	g := readGolden(t)
	ctx := context.Background()
	caught := map[Algorithm]int{}
	for i, c := range g.Negative.Cases {
		for _, a := range []Algorithm{Exact, Block} {
			pr := goldenProver(g, i, a)
			if d := far(dense(pr.law(), 6), c.Target); d > 1e-11 {
				t.Errorf("case %d, %s: law off the target's by %g", i, a, d)
			}
			p, err := pr.Run(ctx, 60_000, nil)
			if err != nil || !p.Agrees() || p.Need != 0 {
				t.Errorf("case %d, %s: %+v, %v; want it to agree", i, a, p, err)
			}
		}
		for a, w := range c.Wrong {
			pr := goldenProver(g, i, a)
			law := pr.law()
			if d := far(dense(law, 6), w.Law); d > 1e-11 {
				t.Errorf("case %d, %s: law off by %g", i, a, d)
			}
			n := 50_000
			if w.Per > 0 {
				n = max(n, int(50/w.Per))
			}
			if testing.Short() && n > 200_000 {
				continue
			}
			p, err := pr.Run(ctx, n, nil)
			if err != nil {
				t.Fatal(err)
			}
			if math.Abs(p.LawTV-w.TV) > 1e-11 {
				t.Errorf("case %d, %s: total variation %v, want %v", i, a, p.LawTV, w.TV)
			}
			if wrong := w.TV > 1e-9; p.Agrees() == wrong {
				t.Errorf("case %d, %s: %s after %d draws (p %g), want differing %v", i, a, p.Verdict(), n, p.PValue, wrong)
			} else if wrong {
				caught[a]++
			}
		}
	}
	for _, a := range Algorithms() {
		if !a.Exact && a.Algorithm.method().several == 0 && caught[a.Algorithm] == 0 {
			t.Errorf("%s was never caught", a.Algorithm)
		}
	}
}

// A proof stops where it is when its context ends, and reports on the way.
func TestProveCancel(t *testing.T) {
	t.Parallel()
	g := readGolden(t)
	ctx, cancel := context.WithCancel(context.Background())
	calls := 0
	p, err := goldenProver(g, 0, Exact).Run(ctx, 1_000_000, func(p Proof) {
		calls++
		if p.Draws >= 10_000 {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) || p.Draws != 10_000 || calls != 5 {
		t.Errorf("%d draws, %d reports, %v; want 10000, 5, context canceled", p.Draws, calls, err)
	}
}

// Known values of the chi-square distribution.
func TestUpperTail(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		x    float64
		df   int
		want float64
	}{
		{3.841458820694124, 1, 0.05}, {5.991464547107979, 2, 0.05}, {18.307038053275146, 10, 0.05},
		{6.634896601021213, 1, 0.01}, {124.34211340400407, 100, 0.05}, {1, 2, math.Exp(-0.5)}, {0, 3, 1},
		{27.631021115928547, 2, 1e-6},
	} {
		if got := upperTail(c.x, c.df); math.Abs(got-c.want) > 1e-12*max(1, c.want/1e-3) {
			t.Errorf("upperTail(%v, %d) = %v, want %v", c.x, c.df, got, c.want)
		}
	}
}
