package luck

import (
	"encoding/json"
	"math"
	"testing"

	"logitscope/models/goldentest"
)

func TestGeneratorsOfTheEngines(t *testing.T) {
	for _, line := range goldentest.Lines(t, "testdata/rng.jsonl.gz") {
		var c struct {
			RNG      string    `json:"rng"`
			Seed     uint64    `json:"seed"`
			U32      []uint32  `json:"u32"`
			F64      []float64 `json:"uniform_f64"`
			F32      []float32 `json:"uniform_f32"`
			Float32  []float32 `json:"float32"`
			Discrete struct {
				Weights []float32 `json:"weights"`
				Draws   []int     `json:"draws"`
			} `json:"discrete"`
		}
		if err := json.Unmarshal(line, &c); err != nil {
			t.Fatal(err)
		}
		if c.RNG == "go-pcg" {
			var p PCG
			for i, want := range c.Float32 {
				if got := p.Float32(c.Seed, uint32(i)); math.Abs(float64(got-want)) > 1e-7 {
					t.Errorf("pcg %d: output %d is %v, want %v", c.Seed, i, got, want)
				}
			}
			continue
		}
		var g MT
		check := func(what string, i int, ok bool) {
			if !ok {
				t.Errorf("mt19937 seed %d: %s %d differs", c.Seed, what, i)
			}
		}
		for i, want := range c.U32 {
			g.Seek(uint32(c.Seed), uint32(i))
			check("u32", i, g.Uint32() == want)
		}
		g.Seek(uint32(c.Seed), 0)
		for i, want := range c.F64 {
			check("double", i, g.Float64() == want)
		}
		g.Seek(uint32(c.Seed), 0)
		for i, want := range c.F32 {
			check("float", i, math.Abs(float64(g.Float32()-want)) < 1e-8)
		}
		g.Seek(uint32(c.Seed), 0)
		for i, want := range c.Discrete.Draws {
			got, _, _ := Discrete(c.Discrete.Weights, g.Float64())
			check("discrete", i, got == want)
		}
	}
}

func TestSeekIsWalking(t *testing.T) {
	var a, b MT
	a.Seek(7, 0)
	var outs []uint32
	for range 2000 {
		outs = append(outs, a.Uint32())
	}
	for _, n := range []uint32{0, 5, 623, 624, 625, 1247, 1248, 1999, 3} {
		b.Seek(7, n)
		if got := b.Uint32(); got != outs[n] {
			t.Errorf("output %d is %d, want %d", n, got, outs[n])
		}
	}
}

func TestCoinIsUniform(t *testing.T) {
	const n, cells = 200000, 64
	for _, stream := range []uint32{0, 1} {
		var count [cells]int
		var sum, prod, prev float64
		for i := range n {
			u := Coin(42, i, stream)
			if u < 0 || u >= 1 {
				t.Fatalf("coin %v is outside [0, 1)", u)
			}
			count[int(u*cells)]++
			sum += u
			prod += (u - 0.5) * (prev - 0.5)
			prev = u
		}
		chi := 0.0
		for _, c := range count {
			d := float64(c) - n/cells
			chi += d * d / (n / cells)
		}
		// 63 degrees of freedom: mean 63, standard deviation 11.2.
		if chi > 110 || chi < 25 {
			t.Errorf("stream %d: chi-square %.1f over %d cells", stream, chi, cells)
		}
		if r := prod / n * 12; math.Abs(r) > 0.01 {
			t.Errorf("stream %d: serial correlation %.4f", stream, r)
		}
	}
	if Coin(1, 5, 0) == Coin(2, 5, 0) || Coin(1, 5, 0) == Coin(1, 5, 1) || Coin(1, 5, 0) == Coin(1, 6, 0) {
		t.Error("seed, position or stream does not matter")
	}
}
