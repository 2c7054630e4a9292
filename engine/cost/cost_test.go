package cost

import (
	"math"
	"math/rand/v2"
	"testing"
)

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if math.Abs(got-want) > tolerance*math.Abs(want) {
		t.Errorf("%s: %g, want %g", what, got, want)
	}
}

const (
	kib = 1 << 10
	gib = 1 << 30
)

// The numbers that lectures give for known shapes on an accelerator of 3,350
// GB and 989 T operations a second, each worked out by hand.
func TestKnownShapes(t *testing.T) {
	m := Machine{3350e9, 989e12}
	for _, tt := range []struct {
		shape                       int
		weights, token, text        float64
		read, readIntensity         float64
		step, stepIntensity, active float64
	}{
		// 2·32·8·128·2 bytes a token; 8,192 of them are a GiB. The prompt:
		// 2·8.03e9·8192 + 4·32·128·32·8192·8193/2 = 1.4916e14 operations; a
		// step reads 16.06e9 + 1.07e9 bytes.
		{0, 14.96 * gib, 128 * kib, 1 * gib, .15082, 8705, .005115, 1.188, 8.030e9},
		{1, 131.4 * gib, 320 * kib, 2.5 * gib, 1.2584, 8650, .04295, 1.130, 70.55e9},
	} {
		s := Known()[tt.shape]
		near(t, s.Name+" weights", s.Weights*s.WeightBytes, tt.weights, 1e-3)
		near(t, s.Name+" token", s.TokenBytes(), tt.token, 0)
		near(t, s.Name+" text", s.CacheBytes(8192), tt.text, 0)
		sec, binds := m.Time(s.Pass(0, 8192, 1))
		near(t, s.Name+" prompt", sec, tt.read, 2e-3)
		near(t, s.Name+" prompt's intensity", s.Pass(0, 8192, 1).Intensity(), tt.readIntensity, 2e-3)
		if binds != ByOperations {
			t.Errorf("%s: bytes bind the prompt", s.Name)
		}
		sec, binds = m.Time(s.Pass(8191, 1, 1))
		near(t, s.Name+" step", sec, tt.step, 2e-3)
		near(t, s.Name+" step's intensity", s.Pass(8191, 1, 1).Intensity(), tt.stepIntensity, 2e-3)
		if binds != ByBytes {
			t.Errorf("%s: operations bind a step", s.Name)
		}
		near(t, s.Name+" active", s.active(), tt.active, 1e-3)
	}
	if n := Known()[0].Outgrows(); n < 122_000 || n > 123_000 { // 16.06e9 / 131,072
		t.Errorf("the cache of 8B outgrows its weights at %d", n)
	}
}

// A token of the mixture uses 12.9 of 46.7 billion weights; many tokens at once
// read them all.
func TestMixture(t *testing.T) {
	s := Known()[2]
	near(t, "active", s.active(), 12.88e9, 1e-3)
	near(t, "read by one", s.Read(1), s.active(), 1e-9)
	near(t, "read by two", s.Read(2), s.Weights-s.ExpertWeights*9/16, 1e-9)
	near(t, "read by many", s.Read(1000), s.Weights, 1e-9)
}

// Windows: a layer that sees w positions keeps and reads w of them.
func TestWindow(t *testing.T) {
	s := Shape{Layers: []Layer{{Heads: 2, KVHeads: 1, Window: 4}, {Heads: 2, KVHeads: 1}}, KeySize: 8, ValueSize: 8, NumberBytes: 4, Weights: 100, WeightBytes: 1}
	near(t, "cache of 3", s.CacheBytes(3), 2*3*16*4, 0)
	near(t, "cache of 10", s.CacheBytes(10), (4+10)*16*4, 0)
	// Positions 9 and 10 look at 4 each in one layer, at 9 and 10 in the other;
	// each is 4·8 operations for each of 2 heads.
	near(t, "operations", s.Pass(8, 2, 1).Ops, 2*100*2+2*2*16*(4+4+9+10), 0)
}

// The sum over passes is the work token by token, but for the bytes, which a
// pass reads once for all its tokens.
func TestPassesAddUp(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		s := Shape{Layers: []Layer{{Heads: 1 + r.IntN(4), KVHeads: 1, Window: r.IntN(9)}, {Heads: 2, KVHeads: 1 + r.IntN(2)}}, KeySize: 4, ValueSize: 4, NumberBytes: 2, Weights: 50, WeightBytes: 2}
		n, size := 1+r.IntN(40), 1+r.IntN(9)
		slow := 0.0
		for i := range n {
			slow += s.Pass(i, 1, 1).Ops
		}
		near(t, "operations", s.Passes(n, size).Ops, slow, 1e-12)
		near(t, "weights", s.Passes(n, size).Weights, float64((n+size-1)/size)*100, 0)
		near(t, "two texts", s.Pass(n, 1, 2).Ops, 2*s.Pass(n, 1, 1).Ops, 1e-12)
		if a, b := s.Pass(n, 1, 2), s.Pass(n, 1, 1); a.Weights != b.Weights || a.KV != 2*b.KV {
			t.Errorf("two texts read %v, one %v", a, b)
		}
	}
}
