package sampling

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"logitscope/sampling/dist"
	"logitscope/sampling/luck"
	"logitscope/sampling/param"
)

// raceSettings are five settings that the law of a draw is tried under.
var raceSettings = []struct {
	name string
	set  map[string]any
	mask []uint64
}{
	{"nothing on", nil, nil},
	{"chat", map[string]any{"temperature": 0.7, "top_k": 20, "top_p": 0.9, "repetition_penalty": 1.1}, nil},
	{"flat with min_p", map[string]any{"temperature": 1.6, "min_p": 0.03}, nil},
	{"typical under vllm", map[string]any{"order": "vllm", "temperature": 0.9, "top_p": 0.95, "frequency_penalty": 0.4}, nil},
	{"drawn, then checked", map[string]any{"top_p": 0.8, "draw_order": "draw_then_check"}, []uint64{0xF5F5_5F5A_F0F3_A5E4}},
}

// TestLawOfTheDraw: over 100,000 seeds the draw has the law of
// Distribution, by chi-square, with either kind of luck.
func TestLawOfTheDraw(t *testing.T) {
	draws := 100_000
	if testing.Short() {
		draws = 20_000
	}
	rnd := rand.New(rand.NewPCG(11, 12))
	row := make([]float32, 64)
	for i := range row {
		row[i] = float32(2 * rnd.NormFloat64())
	}
	for _, tt := range raceSettings {
		for _, kind := range []string{param.LuckCDF, param.LuckRace} {
			c := Config{}.MustWith("luck", kind, FromYou).MustWith("seed", uint64(7), FromYou).MustWith("top_k", 0, FromYou)
			for k, v := range tt.set {
				c = c.MustWith(k, v, FromYou)
			}
			p, err := Compile(c, nil)
			if err != nil {
				t.Fatal(err)
			}
			var s Scratch
			var tr Trace
			var d dist.Dist
			seen := make(map[int32]int)
			in := Input{Logits: row, Prompt: []int32{3}, Mask: tt.mask}
			if err := p.Distribution(&d, &s, in); err != nil {
				t.Fatal(err)
			}
			for p.seed = range uint64(draws) {
				id, err := p.Sample(&tr, &s, in)
				if err != nil {
					t.Fatal(err)
				}
				if seen[id]++; tr.Race.Ran != (kind == param.LuckRace) {
					t.Fatalf("%s: %+v under %s", tt.name, tr.Race, kind)
				}
			}
			chi, cells, rest, restSeen := 0.0, 0, 0.0, 0
			add := func(want float64, got int) {
				if want > 0 {
					chi += (float64(got) - want) * (float64(got) - want) / want
					cells++
				}
			}
			for i, id := range d.IDs {
				if want := d.Probs[i] * float64(draws); want >= 10 {
					add(want, seen[id])
				} else {
					rest, restSeen = rest+want, restSeen+seen[id]
				}
				delete(seen, id)
			}
			add(rest, restSeen)
			for id := range seen {
				t.Errorf("%s, %s: drew token %d, which is cut", tt.name, kind, id)
			}
			// Five standard deviations above the mean of chi-square.
			if free := float64(cells - 1); chi > free+5*math.Sqrt(2*free) {
				t.Errorf("%s, %s: chi-square %.1f over %d cells", tt.name, kind, chi, cells)
			}
		}
	}
}

// TestRaceIsTheFirstArrival: what is drawn is what comes in first by the
// times themselves, one logarithm a token, whatever the order of the row.
func TestRaceIsTheFirstArrival(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for trial := range 400 {
		row := make([]float32, 1+rnd.IntN(300))
		for i := range row {
			row[i] = float32(4 * rnd.NormFloat64())
		}
		c := Config{}.MustWith("luck", param.LuckRace, FromYou).MustWith("seed", rnd.Uint64(), FromYou).
			MustWith("top_k", rnd.IntN(60), FromYou).MustWith("temperature", 0.2+2*rnd.Float64(), FromYou)
		p, err := Compile(c, nil)
		if err != nil {
			t.Fatal(err)
		}
		var s Scratch
		var tr Trace
		var d dist.Dist
		in := Input{Logits: row, Prompt: make([]int32, trial)}
		if err := p.Distribution(&d, &s, in); err != nil {
			t.Fatal(err)
		}
		id, err := p.Sample(&tr, &s, in)
		if err != nil {
			t.Fatal(err)
		}
		times := p.ArrivalTimes(&d, trial, false)
		order := make([]int, len(times))
		for i := range order {
			order[i] = i
		}
		slices.SortFunc(order, func(a, b int) int {
			if times[a] < times[b] {
				return -1
			}
			return 1
		})
		if want := d.IDs[order[0]]; id != want || d.IDs[p.Pick(&d, trial)] != want {
			t.Fatalf("trial %d: drew %d, picked %d, first to come in is %d", trial, id, d.IDs[p.Pick(&d, trial)], want)
		}
		if r := tr.Race; !r.Ran || math.Abs(r.Time/times[order[0]]-1) > 1e-6 || tr.U != 0 || tr.Hi != 0 {
			t.Fatalf("trial %d: %+v, want time %v", trial, r, times[order[0]])
		}
		if len(order) > 1 && (tr.Race.Next != d.IDs[order[1]] || math.Abs(tr.Race.NextTime/times[order[1]]-1) > 1e-6) {
			t.Fatalf("trial %d: next %+v, want %d at %v", trial, tr.Race, d.IDs[order[1]], times[order[1]])
		}
		if len(order) == 1 && (tr.Race.Next != -1 || !math.IsInf(tr.Race.NextTime, 1)) {
			t.Fatalf("trial %d: %+v of one token", trial, tr.Race)
		}
	}
}

// TestRaceTimesAreExponential by mean, second moment and independence of
// tokens, positions, seeds and the shared u.
func TestRaceTimesAreExponential(t *testing.T) {
	const n = 200_000
	var sum, squares, tokens, places, coin float64
	for i := range n {
		r := luck.NewRace(5, i, 0)
		x, y := r.Time(9), r.Time(10)
		if !(x > 0) || math.IsInf(x, 0) {
			t.Fatalf("time %v", x)
		}
		sum, squares = sum+x, squares+x*x
		tokens += (x - 1) * (y - 1)
		places += (x - 1) * (luck.NewRace(5, i+1, 0).Time(9) - 1)
		coin += (x - 1) * (luck.Coin(5, i, 0) - 0.5)
	}
	for name, v := range map[string]float64{
		"mean": sum/n - 1, "second moment": (squares/n - 2) / 4, "of two tokens": tokens / n, "of two positions": places / n, "with the coin": coin / n * 2,
	} {
		if math.Abs(v) > 0.012 {
			t.Errorf("%s: off by %.4f", name, v)
		}
	}
}

// TestEnginesKeepTheirDraw: where an engine's own draw is reproduced luck
// changes nothing, and says so.
func TestEnginesKeepTheirDraw(t *testing.T) {
	row := []float32{1, 2, 3, 2.5, 0, 1.5}
	for _, o := range Orders() {
		c := Config{}.MustWith("order", o.Name(), FromYou)
		r := c.MustWith("luck", param.LuckRace, FromYou)
		p, err := Compile(c, nil)
		q, err2 := Compile(r, nil)
		if err != nil || err2 != nil {
			t.Fatal(err, err2)
		}
		own := o.Rules().Draw != DrawCoin
		if q.Races() == own || own != q.Inert("luck", nil).NoEffect() {
			t.Errorf("%s: races %v, its own draw %v, inert %q", o.Name(), q.Races(), own, q.Inert("luck", nil))
		}
		if !own {
			continue
		}
		for seed := range uint64(50) {
			var s Scratch
			var a, b Trace
			in := Input{Logits: row, Prompt: make([]int32, seed)}
			if _, err := p.Sample(&a, &s, in); err != nil {
				t.Fatal(err)
			}
			if _, err := q.Sample(&b, &s, in); err != nil {
				t.Fatal(err)
			}
			if a != b {
				t.Fatalf("%s: race changes the draw at position %d", o.Name(), seed)
			}
		}
	}
}
