package stats

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
)

func close(t *testing.T, what string, got, want, rel float64) {
	t.Helper()
	if math.Abs(got-want) > rel*math.Abs(want) || math.IsNaN(got) {
		t.Errorf("%s: %.17g, want %.17g", what, got, want)
	}
}

// Computed with mpmath at 40 digits.
func TestT(t *testing.T) {
	for _, tt := range []struct{ nu, quantile, at5, at40, at0 float64 }{
		{1, 12.7062047361747046, 0.242237883181686797, 0.0159121798240516266, 0.999993633802276536},
		{2, 4.30265272974946385, 0.129611720221510809, 0.000624414672184740637, 0.999992928932188311},
		{3, 3.18244630528370959, 0.0877066470080655473, 0.0000343806807891585283, 0.999992648948061206},
		{7, 2.36462425159278534, 0.0409922185857528969, 1.59021799848503705e-9, 0.999992300170983501},
		{29, 2.0452296421327043, 0.0183253443384260769, 6.34687732972934799e-27, 0.999992089628419902},
		{199, 1.97195654425175383, 0.0132272599665077028, 4.33945856692916411e-97, 0.999992031171731717},
		{9999, 1.96020126362135768, 0.0124352211400201705, 0, 0.999992021353880699},
		{1e6, 1.95996635681410704, 0.0124194895021632462, 0, 0.999992021156386815},
	} {
		close(t, fmt.Sprintf("quantile for %g", tt.nu), tQuantile(0.975, tt.nu), tt.quantile, 2e-10)
		close(t, fmt.Sprintf("p of 2.5 for %g", tt.nu), tTwoSided(-2.5, tt.nu), tt.at5, 2e-9)
		close(t, fmt.Sprintf("p of 40 for %g", tt.nu), tTwoSided(40, tt.nu), tt.at40, 1e-9)
		close(t, fmt.Sprintf("p of 1e-5 for %g", tt.nu), tTwoSided(1e-5, tt.nu), tt.at0, 1e-12)
	}
	if p := tTwoSided(0, 3); p != 1 {
		t.Errorf("p of 0: %g, want 1", p)
	}
}

func TestMcNemarIsTheBinomialSum(t *testing.T) {
	for _, c := range [][2]int{{2, 12}, {0, 5}, {0, 60}, {480, 520}, {3, 997}, {4900, 5100}, {7, 7}, {0, 0}} {
		n := int64(c[0] + c[1])
		sum, term := new(big.Int), big.NewInt(1)
		for k := range int64(min(c[0], c[1])) + 1 {
			sum.Add(sum, term)
			term.Div(term.Mul(term, big.NewInt(n-k)), big.NewInt(k+1))
		}
		sum.Lsh(sum, 1)
		want, _ := new(big.Rat).SetFrac(sum, new(big.Int).Lsh(big.NewInt(1), uint(n))).Float64()
		close(t, fmt.Sprint(c), mcNemar(c[0], c[1]), min(1, want), 1e-10)
		close(t, fmt.Sprint(c, " turned"), mcNemar(c[1], c[0]), min(1, want), 1e-10)
	}
}

func TestPassAtKIsTheQuotientOfBinomials(t *testing.T) {
	for n := int64(1); n <= 24; n++ {
		for c := range n + 1 {
			for k := int64(1); k <= n; k++ {
				miss, _ := new(big.Rat).SetFrac(new(big.Int).Binomial(n-c, k), new(big.Int).Binomial(n, k)).Float64()
				got := PassAtK(int(n), int(c), int(k))
				if math.Abs(got-(1-miss)) > 1e-14 {
					t.Fatalf("n %d, correct %d, k %d: %g, want %g", n, c, k, got, 1-miss)
				}
			}
		}
	}
	close(t, "one of a million", PassAtK(1_000_000, 1, 1), 1e-6, 1e-12)
}

// A difference of A and B is that of B and A turned round, and stays within
// what shares can differ by.
func TestPairedShareTurnsRound(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 2000 {
		c := Pairs{r.IntN(20), r.IntN(20), r.IntN(20), 1 + r.IntN(20)}
		a, p := PairedShare(c)
		b, q := PairedShare(Pairs{c.Both, c.OnlyB, c.OnlyA, c.Neither})
		b = b.minus()
		if math.Abs(a.Low-b.Low) > 1e-12 || math.Abs(a.High-b.High) > 1e-12 || p != q {
			t.Fatalf("%+v: %v %g, turned %v %g", c, a, p, b, q)
		}
		if a.Low < -1 || a.High > 1 || !a.Contains(a.Value) || p < 0 || p > 1 {
			t.Fatalf("%+v: %v %g", c, a, p)
		}
	}
}

func TestPairedMeanWithoutSpread(t *testing.T) {
	for _, tt := range []struct {
		diffs     []float64
		mean, low float64
		p         float64
	}{
		{[]float64{0, 0, 0}, 0, 0, 1},
		{[]float64{2, 2}, 2, 2, 0},
		{[]float64{5}, 5, math.NaN(), math.NaN()},
		{nil, math.NaN(), math.NaN(), math.NaN()},
	} {
		e, p := PairedMean(tt.diffs)
		if !same(e.Value, tt.mean) || !same(e.Low, tt.low) || !same(p, tt.p) || e.N != len(tt.diffs) {
			t.Errorf("%v: %v, p %g", tt.diffs, e, p)
		}
	}
}

func same(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }

func TestMeanHoldsAtTheEdges(t *testing.T) {
	wide := Mean([]float64{1e308, -1e308, 1e308})
	close(t, "mean of large values", wide.Value, 1e308/3, 1e-12)
	far := Mean([]float64{1e9 + 1, 1e9 + 2, 1e9 + 3})
	close(t, "half width far from 0", far.High-far.Value, 4.30265272974946385/math.Sqrt(3), 1e-7)
	values := make([]float64, NormalFrom)
	for i := range values {
		values[i] = float64(i % 2)
	}
	sd := math.Sqrt(0.25 * NormalFrom / (NormalFrom - 1))
	close(t, "normal from 200", Mean(values).High, 0.5+1.959963984540054*sd/math.Sqrt(NormalFrom), 1e-12)
	if e := Mean(values[1:]); e.High-e.Value <= 1.97*0.5/math.Sqrt(NormalFrom-1) {
		t.Errorf("t below 200: %v", e)
	}
	if e := Mean([]float64{math.Inf(1), 1}); !math.IsInf(e.Value, 1) || e.Bounded() {
		t.Errorf("with an infinite value: %v", e)
	}
}

// Prompts that all say the same are no proof of what others would: t has no
// width there, and what stands for it is that of one text a prompt.
func TestSharesWithoutSpread(t *testing.T) {
	ones, none, halves := make([]float64, 13), make([]float64, 13), make([]float64, 13)
	for i := range ones {
		ones[i], halves[i] = 1, 0.5
	}
	if got, want := OverPrompts(ones), Wilson(13, 13); got != want {
		t.Errorf("all pass: %v, want %v", got, want)
	}
	if got, want := OverPrompts(none), Wilson(0, 13); got != want {
		t.Errorf("none passes: %v, want %v", got, want)
	}
	if e := OverPrompts(halves); e.Value != 0.5 || math.Abs(e.Low+e.High-1) > 1e-12 || e.High-e.Low < 0.4 {
		t.Errorf("half of each: %v", e)
	}
	mixed := []float64{1, 0.5, 1, 0}
	if got, want := OverPrompts(mixed), Mean(mixed); got != want {
		t.Errorf("with spread: %v, want %v", got, want)
	}
	same := ContrastRates(ones, ones)
	pairs, _ := PairedShare(Pairs{Both: 13})
	if same.Diff != pairs || same.P != 1 || same.Diff.Low > -0.2 {
		t.Errorf("the same: %+v, want %v", same, pairs)
	}
	if math.Signbit(same.Diff.Value) {
		t.Error("no difference is written -0")
	}
	// Two prompts are not enough to tell, whatever they say.
	two := ContrastRates(none[:2], ones[:2])
	if two.P != 0.5 || two.Diff.Value != 1 || two.Diff.Low > 0.2 {
		t.Errorf("two prompts: %+v", two)
	}
	if v := Judge([]Contrast{same})[0]; v.Finding != Same || !math.IsInf(v.Needed, 1) {
		t.Errorf("%+v", v)
	}
	some := []float64{0, 1, 0.5, 1}
	if got, want := ContrastRates(mixed, some), ContrastMeans([]float64{-1, 0.5, -0.5, 1}); got != want {
		t.Errorf("with spread: %+v, want %+v", got, want)
	}
}

// What rounding leaves of a sum that is 0 is 0, and no number of prompts would
// see it.
func TestRoundingIsNoDifference(t *testing.T) {
	a, b, both := 0.1, 0.2, 0.3
	d := []float64{a, b, -both}
	c := ContrastMeans(d)
	if m, _ := moments(d); m == 0 {
		t.Fatal("nothing is left of this sum; want one that rounds")
	}
	if v := Judge([]Contrast{c})[0]; v.Diff.Value != 0 || v.P != 1 || !math.IsInf(v.Needed, 1) {
		t.Errorf("%+v", v)
	}
}

func TestHolm(t *testing.T) {
	got := Holm([]float64{0.01, 0.04, 0.03, 0.005})
	if want := []float64{0.03, 0.06, 0.06, 0.02}; !slices.EqualFunc(got, want, func(a, b float64) bool { return math.Abs(a-b) < 1e-15 }) {
		t.Errorf("%v, want %v", got, want)
	}
	if got := Holm([]float64{0.9, 0.8}); got[0] != 1 || got[1] != 1 {
		t.Errorf("%v, want 1 at most", got)
	}
}

// The strengths are where the wins that are expected equal those that were
// counted.
func TestBradleyTerryIsTheLikeliest(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 200 {
		n := 2 + r.IntN(6)
		wins := make([][]float64, n)
		for i := range wins {
			wins[i] = make([]float64, n)
			for j := range n {
				if i != j {
					wins[i][j] = math.Floor(math.Exp(r.Float64() * 8))
				}
			}
		}
		s, err := BradleyTerry(wins)
		if err != nil {
			t.Fatal(err)
		}
		sum := 0.0
		for i := range s {
			sum += s[i]
			counted, expected := 0.0, 0.0
			for j := range s {
				if i != j {
					counted += wins[i][j]
					expected += (wins[i][j] + wins[j][i]) / (1 + math.Exp(s[j]-s[i]))
				}
			}
			close(t, "wins", expected, counted, 1e-9)
		}
		if math.Abs(sum) > 1e-9 {
			t.Fatalf("the strengths sum to %g", sum)
		}
	}
}

func TestMajorityAndBest(t *testing.T) {
	if a, n := Majority([]string{"b", "a", "a", "b"}); a != "b" || n != 2 {
		t.Errorf("%s %d, want the one seen first, b 2", a, n)
	}
	if a, n := Majority(nil); a != "" || n != 0 {
		t.Errorf("of none: %q %d", a, n)
	}
	for _, tt := range []struct {
		scores []float64
		want   int
	}{{nil, -1}, {[]float64{-2, -1, -1}, 1}, {[]float64{math.NaN(), -5}, 1}, {[]float64{math.Inf(-1)}, 0}} {
		if got := BestOf(tt.scores); got != tt.want {
			t.Errorf("best of %v: %d, want %d", tt.scores, got, tt.want)
		}
	}
}

func TestBLEU(t *testing.T) {
	for _, tt := range []struct {
		text []int32
		refs [][]int32
		want float64
	}{
		{[]int32{1, 2, 3, 4}, [][]int32{{1, 2, 3, 4}}, 1},
		// Half as long: precisions 1, 1; the penalty is e to -1.
		{[]int32{1, 2}, [][]int32{{1, 2, 3, 4}}, math.Exp(-1)},
		// 2 of 4, 1 of 3, a tenth of 2, a tenth of 1.
		{[]int32{1, 2, 8, 9}, [][]int32{{1, 2, 3, 4}}, math.Pow(0.5/3*0.05*0.1, 0.25)},
		{nil, [][]int32{{1}}, 0},
	} {
		close(t, fmt.Sprint(tt.text), bleu(tt.text, tt.refs), tt.want, 1e-12)
	}
}

// bleu is the definition, for one text: it returns how much of text is found in the references, 0 to 1 (Papineni
// et al. 2002): the geometric mean of the clipped precisions of 1- to 4-grams,
// as far as text is long enough to have them, times the penalty for being
// shorter than the reference nearest in length. A precision of zero counts as
// a tenth of one match (method 1 of Chen and Cherry 2014).
func bleu(text []int32, refs [][]int32) float64 {
	orders := min(longestGram, len(text))
	if orders == 0 || len(refs) == 0 {
		return 0
	}
	sum := 0.0
	for n := 1; n <= orders; n++ {
		counts, total := grams(text, n)
		most := make(map[gram]int, len(counts))
		for _, r := range refs {
			theirs, _ := grams(r, n)
			for g := range counts {
				most[g] = max(most[g], theirs[g])
			}
		}
		matches := 0
		for g, c := range counts {
			matches += min(c, most[g])
		}
		hits := float64(matches)
		if matches == 0 {
			hits = 0.1
		}
		sum += math.Log(hits / float64(total))
	}
	nearest := len(refs[0])
	for _, r := range refs[1:] {
		d, best := abs(len(r)-len(text)), abs(nearest-len(text))
		if d < best || d == best && len(r) < nearest {
			nearest = len(r)
		}
	}
	brevity := 0.0
	if len(text) < nearest {
		brevity = 1 - float64(nearest)/float64(len(text))
	}
	return math.Exp(sum/float64(orders) + brevity)
}

// The measures are their definitions over the texts of a sample.
func TestMeasuresAreTheirDefinitions(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 9))
	for range 300 {
		texts := make([][]int32, 1+r.IntN(5))
		for i := range texts {
			for range r.IntN(12) {
				texts[i] = append(texts[i], int32(r.IntN(4)))
			}
		}
		pick := make([]int, len(texts))
		times := make([]int, len(texts))
		for k := range pick {
			pick[k] = r.IntN(len(texts))
			times[pick[k]]++
		}
		sum, n, different, tokens := 0.0, 0, map[int32]bool{}, 0
		for _, i := range pick {
			var others [][]int32
			for k := range texts {
				if k != i && times[k] > 0 {
					others = append(others, texts[k])
				}
			}
			if len(others) > 0 && len(texts[i]) > 0 {
				sum += bleu(texts[i], others)
				n++
			}
			for _, id := range texts[i] {
				different[id] = true
			}
			tokens += len(texts[i])
		}
		for _, m := range []struct {
			name      string
			got, want float64
		}{
			{"self-BLEU", SelfBLEU(texts)(pick), sum / float64(n)},
			{"distinct-1", Pooled(texts, 1)(pick), float64(len(different)) / float64(tokens)},
			{"EAD", EAD(texts, 4)(pick), float64(len(different)) / (4 * (1 - math.Pow(0.75, float64(tokens))))},
		} {
			if !same(m.got, m.want) && math.Abs(m.got-m.want) > 1e-12 {
				t.Fatalf("%s of %v of %v: %g, want %g", m.name, pick, texts, m.got, m.want)
			}
		}
	}
}

func TestVerdicts(t *testing.T) {
	pass := Quantity{More: "passes more often", Less: "passes less often", Unit: "points", Scale: 100, Decimals: 1}
	shares := func(both, a, b, neither int) Contrast { return ContrastShares(Pairs{both, a, b, neither}) }
	for _, tt := range []struct {
		contrasts []Contrast
		want      string // on the first
	}{
		{[]Contrast{shares(100, 5, 30, 65)}, "B passes more often: +12.5 points (6.8 to 18.0), 200 prompts"},
		{[]Contrast{shares(100, 30, 5, 65)}, "B passes less often: −12.5 points (−18.0 to −6.8), 200 prompts"},
		{[]Contrast{shares(100, 14, 10, 76)}, "B: not distinguishable: −2.0 points (−6.8 to 2.9), 200 prompts; about 2,359 prompts would be needed to see a difference this small"},
		{[]Contrast{shares(100, 9, 9, 82)}, "B: not distinguishable: +0.0 points (−4.2 to 4.2), 200 prompts"},
		// p is 0.046 alone, and too much for three.
		{[]Contrast{{Estimate{0.05, 0.001, 0.099, 40}, 0.046, 0.155}, shares(20, 2, 3, 15), shares(9, 9, 9, 13)},
			"B: not distinguishable: +5.0 points (0.1 to 9.9), 40 prompts; about 101 prompts would be needed to see a difference this small"},
		{[]Contrast{{Estimate{0.05, 0.001, 0.099, 40}, 0.046, 0.155}}, "B passes more often: +5.0 points (0.1 to 9.9), 40 prompts"},
		{[]Contrast{ContrastMeans([]float64{3})}, "B: one prompt: says nothing about others"},
		{[]Contrast{ContrastMeans(nil)}, "B: nothing to compare"},
	} {
		if got := Judge(tt.contrasts)[0].Sentence("B", pass); got != tt.want {
			t.Errorf("%s\nwant %s", got, tt.want)
		}
	}
}

// A difference that was found is never written as +0.0, whichever its sign.
func TestSmallDifferencesShow(t *testing.T) {
	points := Quantity{More: "passes more often", Less: "passes less often", Unit: "points", Scale: 100, Decimals: 1}
	for _, tt := range []struct {
		v    Verdict
		want string
	}{
		{Verdict{Finding: Less, Diff: Estimate{-0.0002, -0.00035, -0.00004, 9999}}, "B passes less often: −0.020 points (−0.035 to −0.004), 9,999 prompts"},
		{Verdict{Finding: More, Diff: Estimate{0.2, 0.1, 0.3, 99}}, "B passes more often: +20.0 points (10.0 to 30.0), 99 prompts"},
		{Verdict{Finding: Same, Diff: Estimate{-0.0002, -0.0004, 0.0001, 9999}, Needed: 1}, "B: not distinguishable: +0.0 points (0.0 to 0.0), 9,999 prompts"},
	} {
		if got := tt.v.Sentence("B", points); got != tt.want {
			t.Errorf("%q, want %q", got, tt.want)
		}
	}
}

func TestNeeded(t *testing.T) {
	for _, tt := range []struct{ sd, d, level, want float64 }{
		{0.45, 0.02, 0.05, 3974}, {1, 0.1, 0.05, 785}, {0.3, 0.3, 0.05, 8}, {0.3, -0.3, 0.05, 8},
		{1, 0.1, 0.05 / 3, 1047}, // (2.3940 + 0.8416)² · 100
	} {
		if got := Needed(tt.sd, tt.d, Power, tt.level); got != tt.want {
			t.Errorf("sd %g, difference %g, level %g: %g, want %g", tt.sd, tt.d, tt.level, got, tt.want)
		}
	}
	if n := Needed(1, 0, Power, 0.05); !math.IsInf(n, 1) {
		t.Errorf("for no difference: %g", n)
	}
}

func TestDistinct(t *testing.T) {
	for _, tt := range []struct {
		ids   []int32
		n     int
		want  float64
		count int
	}{
		{[]int32{1, 2, 1, 2}, 1, 0.5, 4},     // 1 2 of 4
		{[]int32{1, 2, 1, 2}, 2, 2.0 / 3, 3}, // 12 21 of 12 21 12
		{[]int32{1, 2, 3}, 3, 1, 1},
		{[]int32{1, 2, 3}, 4, 0, 0},
		{nil, 1, 0, 0},
	} {
		if got, n := Distinct(tt.ids, tt.n); math.Abs(got-tt.want) > 1e-12 || n != tt.count {
			t.Errorf("Distinct(%v, %d) = %v of %d, want %v of %d", tt.ids, tt.n, got, n, tt.want, tt.count)
		}
	}
}

// A check that 60 % and 80 % of 200 prompts pass is told apart, and one that
// as many pass is not.
func TestPlantedDifferences(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	found := func(a, b float64, repeats int) (n int) {
		for range repeats {
			var c Pairs
			for range 200 {
				switch x, y := r.Float64() < a, r.Float64() < b; {
				case x && y:
					c.Both++
				case x:
					c.OnlyA++
				case y:
					c.OnlyB++
				default:
					c.Neither++
				}
			}
			if Judge([]Contrast{ContrastShares(c)})[0].Found() {
				n++
			}
		}
		return n
	}
	if n := found(0.6, 0.8, 1000); n < 800 {
		t.Errorf("found %d times of 1,000, want 800", n)
	}
	if n := found(0.7, 0.7, 1000); n > 70 {
		t.Errorf("found where there is none %d times of 1,000, want at most 70", n)
	}
	// Over prompts and seeds: a prompt's share is a mean of 5.
	clustered := func(by float64, repeats int) (n int) {
		for range repeats {
			d := make([]float64, 60)
			for i := range d {
				hard := r.Float64() * 0.8
				for range 5 {
					if r.Float64() < hard+by {
						d[i] += 0.2
					}
					if r.Float64() < hard {
						d[i] -= 0.2
					}
				}
			}
			if Judge([]Contrast{ContrastMeans(d)})[0].Found() {
				n++
			}
		}
		return n
	}
	if n := clustered(0.15, 500); n < 450 {
		t.Errorf("clustered: found %d times of 500", n)
	}
	if n := clustered(0, 1000); n > 70 {
		t.Errorf("clustered: found where there is none %d times of 1,000", n)
	}
}
