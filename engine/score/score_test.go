package score

import (
	"context"
	"errors"
	"math"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"logitscope/engine"
	"logitscope/models"
	"logitscope/models/fable"
	"logitscope/models/llama"
	"logitscope/models/tape"
	"logitscope/sampling"
	"logitscope/sampling/dist"
)

// Windows by hand: a context of 8, a stride of 4.
func TestWindows(t *testing.T) {
	for _, tt := range []struct {
		total, n, first int
		want            []window
	}{
		{0, 8, 1, nil}, {1, 8, 1, nil}, {2, 8, 1, []window{{0, 1, 2}}}, {8, 8, 1, []window{{0, 1, 8}}},
		{9, 8, 1, []window{{0, 1, 8}, {4, 8, 9}}},
		{12, 8, 1, []window{{0, 1, 8}, {4, 8, 12}}},
		{13, 8, 1, []window{{0, 1, 8}, {4, 8, 12}, {8, 12, 13}}},
		{13, 8, 9, []window{{4, 9, 12}, {8, 12, 13}}}, // a long prompt: what scores nothing is not read
		{13, 8, 12, []window{{8, 12, 13}}},
		{13, 0, 1, []window{{0, 1, 13}}},
		{13, 1, 1, nil},
		{3, 2, 1, []window{{0, 1, 2}, {1, 2, 3}}},
		{10, 7, 1, []window{{0, 1, 7}, {3, 7, 10}}}, // an odd context
	} {
		if got := windows(tt.total, tt.n, tt.first); !slices.Equal(got, tt.want) {
			t.Errorf("windows(%d, %d, %d) = %v, want %v", tt.total, tt.n, tt.first, got, tt.want)
		}
	}
	// Every token is scored once, after at least half a window, whatever the sizes.
	for total := 1; total < 60; total++ {
		for n := 2; n < 20; n++ {
			next := 1
			for _, w := range windows(total, n, 1) {
				if w.from != next || w.to <= w.from || w.to-w.start > n || w.start > 0 && w.from-w.start < n/2 {
					t.Fatalf("%d tokens, %d a window: %v, want from %d", total, n, w, next)
				}
				next = w.to
			}
			if next != max(total, 1) {
				t.Fatalf("%d tokens, %d a window: read to %d", total, n, next)
			}
		}
	}
}

// fableInput is a text of the built-in model.
func fableInput(t testing.TB, text string, set ...string) Input {
	t.Helper()
	m, err := fable.Open(llama.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	prefix, err := engine.Prompt(context.Background(), m, "")
	if err != nil {
		t.Fatal(err)
	}
	return Input{
		Law: Law{m, pipeline(t, m, set...)}, Prefix: prefix, BOS: prefix[0],
		Text: m.Vocab().Encode(text, models.EncodeOptions{ParseSpecial: true}),
	}
}

func pipeline(t testing.TB, m models.Model, set ...string) *sampling.Pipeline {
	t.Helper()
	c := sampling.Config{}.MustWith("top_k", 0, sampling.FromFile)
	for _, kv := range set {
		key, value, _ := strings.Cut(kv, "=")
		c = c.MustWith(key, value, sampling.FromFile)
	}
	s, err := engine.NewCompiler(m).Settings(c, "")
	if err != nil {
		t.Fatal(err)
	}
	return s.Pipeline
}

func read(t *testing.T, in Input) (out []Token) {
	t.Helper()
	if err := Read(context.Background(), in, func(tok Token) error { out = append(out, tok); return nil }); err != nil {
		t.Fatal(err)
	}
	return out
}

const tale = "Once upon a time there was a little fox who lived in the old forest. She was clever, and she knew it."

// The slow twin: each token after a pass of its own over all that is before it
// in its window, and every number from its definition.
func TestReadAgainstSlowTwin(t *testing.T) {
	long := strings.Repeat(tale+"\n", 24) // more than one window
	for _, text := range []string{tale, long, "", "a", "\u00e9\u4e2d\U0001f98a"} {
		in := fableInput(t, text, "temperature=0.7", "top_k=20", "top_p=0.9", "repetition_penalty=1.1")
		other := pipeline(t, in.Law.Model, "temperature=1.2", "min_p=0.05")
		in.Against = &Law{in.Law.Model, other}
		got := read(t, in)
		if len(got) != len(in.Text) {
			t.Fatalf("%.20q: %d tokens, want %d", text, len(got), len(in.Text))
		}
		all := append(slices.Clone(in.Prefix), in.Text...)
		step := 1
		if len(all) > 200 {
			step = 37
		}
		for _, w := range windows(len(all), in.Law.Model.Info().ContextLen, len(in.Prefix)) {
			for at := w.from; at < w.to; at += step {
				checkToken(t, in, all, w.start, at, got[at-len(in.Prefix)])
			}
		}
	}
}

func checkToken(t *testing.T, in Input, all []int32, start, at int, got Token) {
	t.Helper()
	s, err := in.Law.Model.NewSession()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	tokens := slices.Clone(all[start:at])
	if start > 0 {
		tokens[0] = in.BOS
	}
	rows, err := s.Forward(context.Background(), tokens, 1)
	if err != nil {
		t.Fatal(err)
	}
	id, row := all[at], rows[0].Values
	sum, rank := 0.0, 1
	for i, v := range row {
		sum += math.Exp(float64(v))
		if v > row[id] || v == row[id] && int32(i) < id {
			rank++
		}
	}
	bits := 0.0
	for _, v := range row {
		p := math.Exp(float64(v)) / sum
		bits -= p * math.Log2(p)
	}
	n := len(in.Prefix)
	input := sampling.Input{Logits: row, Prompt: all[:n], Output: all[n:at]}
	var a, b dist.Dist
	var scratch sampling.Scratch
	if err := in.Law.Pipeline.Distribution(&a, &scratch, input); err != nil {
		t.Fatal(err)
	}
	if err := in.Against.Pipeline.Distribution(&b, &scratch, input); err != nil {
		t.Fatal(err)
	}
	near := func(name string, got, want, within float64) {
		t.Helper()
		if math.IsInf(want, 1) != math.IsInf(got, 1) || !math.IsInf(want, 1) && math.Abs(got-want) > within {
			t.Errorf("token %d: %s %v, want %v", at, name, got, want)
		}
	}
	near("logprob", float64(got.Of.RawLogprob), float64(row[id])-math.Log(sum), 1e-5)
	near("entropy", float64(got.Of.RawBits), bits, 1e-5)
	near("final", math.Exp(float64(got.Of.Logprob)), a.Prob(id), 1e-6)
	near("other", math.Exp(float64(got.Other.Logprob)), b.Prob(id), 1e-6)
	near("tv", got.Step.TV, slowTV(&a, &b), 1e-12)
	near("kl", got.Step.KLab, slowKL(&a, &b), 1e-9)
	near("lk", got.Step.KLba, slowKL(&b, &a), 1e-9)
	if g := got.Of; got.ID != id || int(g.Rank) != rank || g.Kept != slices.Contains(a.IDs, id) || g.Kept != (g.CutBy == "") || got.Step.SameTop() != (a.IDs[0] == b.IDs[0]) {
		t.Errorf("token %d: %+v, want rank %d", at, got, rank)
	}
}

func slowTV(a, b *dist.Dist) (sum float64) {
	ids := append(slices.Clone(a.IDs), b.IDs...)
	slices.Sort(ids)
	for _, id := range slices.Compact(ids) {
		sum += math.Abs(a.Prob(id)-b.Prob(id)) / 2
	}
	return sum
}

func slowKL(a, b *dist.Dist) (sum float64) {
	for i, id := range a.IDs {
		j := slices.Index(b.IDs, id)
		if j < 0 {
			return math.Inf(1)
		}
		sum += a.Probs[i] * math.Log2(a.Probs[i]/b.Probs[j])
	}
	return max(0, sum)
}

// One law under two seeds has no distance; what one cuts and the other allows
// is counted, not averaged.
func TestDistance(t *testing.T) {
	sum := func(in Input) (s Summary) {
		for _, tok := range read(t, in) {
			s.Add(&tok, true)
		}
		return s
	}
	in := fableInput(t, tale, "temperature=0.7", "seed=1")
	in.Against = &Law{in.Law.Model, pipeline(t, in.Law.Model, "temperature=0.7", "seed=99")}
	s := sum(in)
	if d := s.Distances; d.TV() != 0 || d.JS() != 0 || d.KLab() != 0 || d.KLba() != 0 || d.SameTop != len(in.Text) || s.A.BitsPerToken() != s.B.BitsPerToken() {
		t.Errorf("one law: %+v", d)
	}
	in.Against = &Law{in.Law.Model, pipeline(t, in.Law.Model, "top_k=3")}
	s = sum(in)
	if d := s.Distances; d.ImpossibleAB != len(in.Text) || !math.IsNaN(d.KLab()) || d.ImpossibleBA != 0 || d.SameTop != len(in.Text) || d.TV() <= 0 {
		t.Errorf("top_k 3: %+v", d)
	}
	if s.B.CutBy["top_k"] != s.B.Impossible || s.B.Impossible == 0 || s.A.Impossible != 0 {
		t.Errorf("cut by %v of %d", s.B.CutBy, s.B.Impossible)
	}
	var empty Summary
	if d := empty.Distances; !math.IsNaN(d.TV()) || !math.IsNaN(empty.Perplexity()) || !math.IsNaN(empty.Weights().KL.Median) {
		t.Errorf("nothing: %+v", d)
	}
}

// Windows read at the same time give what they give one after the other, in
// order, and an error or the end of each stops them all.
func TestAtOnceIsOneByOne(t *testing.T) {
	in := fableInput(t, strings.Repeat(tale+"\n", 60), "temperature=0.7", "top_p=0.9")
	in.Against = &Law{in.Law.Model, pipeline(t, in.Law.Model, "min_p=0.1")}
	was := runtime.GOMAXPROCS(1)
	want := read(t, in)
	runtime.GOMAXPROCS(5)
	defer runtime.GOMAXPROCS(was)
	if got := read(t, in); !reflect.DeepEqual(got, want) || len(got) != len(in.Text) {
		t.Error("windows at once give other tokens")
	}
	fault := errors.New("enough")
	n := 0
	err := Read(t.Context(), in, func(Token) error {
		if n++; n == 700 {
			return fault
		}
		return nil
	})
	if err != fault || n != 700 {
		t.Errorf("%v after %d tokens, want the error of each", err, n)
	}
	ctx, cancel := context.WithCancel(t.Context())
	err = Read(ctx, in, func(Token) error { cancel(); return nil })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want that it was cancelled", err)
	}
	in.Text[900] = 1 << 20
	err = Read(t.Context(), in, func(Token) error { return nil })
	if err == nil {
		t.Error("a token beyond the vocabulary is read")
	}
}

// Windows of llama.cpp's tool by hand: a context of 8.
func TestChunks(t *testing.T) {
	for _, tt := range []struct {
		total, n, first int
		want            []window
	}{
		{7, 8, 1, nil}, {8, 8, 1, []window{{0, 5, 8}}}, {17, 8, 1, []window{{0, 5, 8}, {8, 13, 16}}},
		{16, 8, 7, []window{{0, 7, 8}, {8, 13, 16}}}, {16, 8, 9, []window{{8, 13, 16}}}, {9, 0, 1, nil}, {9, 7, 1, []window{{0, 4, 7}}},
	} {
		if got := chunks(tt.total, tt.n, tt.first); !slices.Equal(got, tt.want) {
			t.Errorf("chunks(%d, %d, %d) = %v, want %v", tt.total, tt.n, tt.first, got, tt.want)
		}
	}
}

// An other model is one of the same vocabulary whose rows are a little off.
type other struct{ models.Model }

type otherSession struct{ models.Session }

func (m other) NewSession() (models.Session, error) {
	s, err := m.Model.NewSession()
	return otherSession{s}, err
}

func (s otherSession) Forward(ctx context.Context, tokens []int32, want int) ([]models.Logits, error) {
	rows, err := s.Session.Forward(ctx, tokens, want)
	out, first := make([]models.Logits, len(rows)), s.Len()-len(rows)
	for i, r := range rows {
		out[i].Values = slices.Clone(r.Values)
		for k := range out[i].Values {
			out[i].Values[k] += float32(math.Sin(float64(k*7 + first + i)))
		}
	}
	return out, err
}

// What no window can read, or none would score, is an error and not a text of no
// tokens.
func TestNothingToScore(t *testing.T) {
	in := fableInput(t, "Once upon a time")
	in.Chunks = true
	err := Read(t.Context(), in, func(Token) error { return nil })
	if err == nil {
		t.Error("four tokens fill a window of 512")
	}
	in.Text = nil
	if err := Read(t.Context(), in, func(Token) error { return nil }); err != nil {
		t.Errorf("an empty text: %v", err)
	}
	m, err := fable.Open(llama.Options{ContextLen: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	in = Input{Law: Law{m, pipeline(t, m)}, Prefix: []int32{0}, BOS: 0, Text: []int32{5, 6}}
	if err := Read(t.Context(), in, func(Token) error { return nil }); err == nil {
		t.Error("a context of 1 scores a token")
	}
}

// Two models on one text, by the formulas of llama.cpp's perplexity tool as it
// sums them up, step by step on the rows themselves.
func TestWeightsAgainstTheToolsSums(t *testing.T) {
	in := fableInput(t, strings.Repeat(tale+"\n", 5))
	m := other{in.Law.Model}
	in.Against, in.Most = &Law{m, in.Law.Pipeline}, 4
	sum := Summary{Models: true, Keep: 4}
	for _, tok := range read(t, in) {
		sum.Add(&tok, true)
	}
	ctx := t.Context()
	all := append(slices.Clone(in.Prefix), in.Text...)
	rows := func(m models.Model) (out [][]float64) {
		s, err := m.NewSession()
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		for i := 0; i < len(all)-1; {
			n := min(64, len(all)-1-i)
			got, err := s.Forward(ctx, all[i:i+n], min(n, i+n+1-len(in.Prefix)))
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range got {
				norm := 0.0
				for _, v := range r.Values {
					norm += math.Exp(float64(v))
				}
				logs := make([]float64, len(r.Values))
				for k, v := range r.Values {
					logs[k] = float64(v) - math.Log(norm)
				}
				out = append(out, logs)
			}
			i += n
		}
		return out
	}
	base, quant := rows(in.Law.Model), rows(m)
	n := float64(len(in.Text))
	var kls, dp []float64
	var k1, k2, x1, x2, y1, y2, xy, d1, d2 float64
	same := 0.0
	for i, id := range in.Text {
		kl := 0.0
		topA, topB := 0, 0
		for k := range base[i] {
			kl += math.Exp(base[i][k]) * (base[i][k] - quant[i][k])
			if base[i][k] > base[i][topA] {
				topA = k
			}
			if quant[i][k] > quant[i][topB] {
				topB = k
			}
		}
		if topA == topB {
			same++
		}
		kls, dp = append(kls, kl/math.Ln2), append(dp, math.Exp(quant[i][id])-math.Exp(base[i][id]))
		x, y := -base[i][id], -quant[i][id]
		k1, k2 = k1+kl, k2+kl*kl
		x1, x2, y1, y2, xy = x1+x, x2+x*x, y1+y, y2+y*y, xy+x*y
		d1, d2 = d1+dp[i], d2+dp[i]*dp[i]
	}
	sigma := func(s, s2 float64) float64 { return math.Sqrt((s2/n - s/n*s/n) / (n - 1)) }
	cov := (xy/n - x1/n*y1/n) / (n - 1)
	sx, sy := sigma(x1, x2), sigma(y1, y2)
	slices.Sort(kls)
	percentile := func(f float64) float64 {
		p := f * float64(len(kls)-1)
		i := int(p)
		p -= float64(i)
		return (1-p)*kls[i] + p*kls[min(i+1, len(kls)-1)]
	}
	w := sum.Weights()
	for name, p := range map[string][2]float64{
		"KL": {w.KL.Value, k1 / n / math.Ln2}, "its error": {w.KL.StdErr, sigma(k1, k2) / math.Ln2}, "median": {w.KL.Median, percentile(0.5)},
		"99 %": {w.KL.P99, percentile(0.99)}, "99.9 %": {w.KL.P999, percentile(0.999)}, "most": {w.KL.Most, kls[len(kls)-1]}, "least": {w.KL.Least, kls[0]},
		"same top": {w.SameTop.Value, same / n}, "its": {w.SameTop.StdErr, math.Sqrt(same / n * (1 - same/n) / (n - 1))},
		"ratio": {w.LogRatio.Value, y1/n - x1/n}, "ratio's": {w.LogRatio.StdErr, math.Sqrt(sx*sx + sy*sy - 2*cov)}, "correlation": {w.Correlation, cov / sx / sy},
		"delta": {w.DeltaP.Value, d1 / n}, "delta's": {w.DeltaP.StdErr, sigma(d1, d2)}, "rms": {w.RMSDeltaP, math.Sqrt(d2 / n)},
		"bits": {w.Bits.Value, x1 / n / math.Ln2}, "other bits": {w.Bits2.Value, y1 / n / math.Ln2}, "as summed": {sum.OtherBitsPerToken(), y1 / n / math.Ln2},
	} {
		if math.Abs(p[0]-p[1]) > 2e-6 {
			t.Errorf("%s: %v, want %v", name, p[0], p[1])
		}
	}
	if len(sum.Most) != 4 {
		t.Fatalf("%d of the most different steps, want 4", len(sum.Most))
	}
	for i, x := range sum.Most {
		if want := kls[len(kls)-1-i]; math.Abs(x.Step.RawKL-want) > 1e-6 || x.ID != in.Text[x.At-1] {
			t.Errorf("step %d differs by %v, want %v", x.At, x.Step.RawKL, want)
		}
		own := false
		for k, b := range x.Beside {
			a, q := math.Exp(base[x.At-1][b.ID]), math.Exp(quant[x.At-1][b.ID])
			if math.Abs(b.A.Raw-a) > 1e-6 || math.Abs(b.B.Raw-q) > 1e-6 || !b.A.Kept || math.Abs(b.A.Final-a) > 1e-6 || k > 0 && b.A.Raw > x.Beside[k-1].A.Raw {
				t.Errorf("step %d: token %d has %+v, want %v and %v", x.At, b.ID, b, a, q)
			}
			own = own || b.ID == x.ID
		}
		if !own || len(x.Beside) < 5 {
			t.Errorf("step %d: %d tokens beside each other, its own among them: %v", x.At, len(x.Beside), own)
		}
	}
}

// A text that the model wrote has, read again, the log probabilities of its run.
// The row of a token does not depend on how many were read at once, and the
// numbers are made by the same code, so they are equal to the last bit; under
// settings that carry a state too.
func TestScoreOfARunEqualsTheRun(t *testing.T) {
	m, err := fable.Open(llama.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	prompt, err := engine.Prompt(t.Context(), m, "Once upon a time")
	if err != nil {
		t.Fatal(err)
	}
	for _, set := range [][]string{
		{"temperature=0.9", "top_p=0.95"},
		{"temperature=0.7", "top_k=40", "repetition_penalty=1.1", "luck=race"},
		{"order=vllm", "temperature=1.3", "min_p=0.02", "frequency_penalty=0.3"},
		{"order=llama.cpp", "mirostat=2", "mirostat_tau=3"},
		{"order=llama.cpp", "xtc_probability=0.5", "xtc_threshold=0.1"},
		{"order=llama.cpp", "adaptive_target=0.4"},
	} {
		p := pipeline(t, m, set...)
		s, err := m.NewSession()
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		var text []int32
		var want []sampling.Given
		var scratch sampling.Scratch
		var state sampling.State
		feed := prompt
		for range 120 {
			rows, err := s.Forward(t.Context(), feed, 1)
			if err != nil {
				t.Fatal(err)
			}
			var trace sampling.Trace
			id, err := p.Sample(&trace, &scratch, sampling.Input{Logits: rows[0].Values, Prompt: prompt, Output: text, State: state})
			if err != nil {
				t.Fatal(err)
			}
			state = trace.State
			text = append(text, id)
			want = append(want, sampling.Given{RawLogprob: trace.RawLogprob, Rank: trace.Rank, RawBits: trace.RawBits, Kept: true, Logprob: trace.Logprob})
			feed = []int32{id}
		}
		got := read(t, Input{Law: Law{m, p}, Prefix: prompt, Text: text, BOS: prompt[0]})
		for i, tok := range got {
			if tok.Of.State = (sampling.State{}); tok.Of != want[i] {
				t.Fatalf("%v, token %d: %+v, the run had %+v", set, i, tok.Of, want[i])
			}
		}
	}
}

// A row made again is the row that the token was read with, in each window.
func TestRowAgain(t *testing.T) {
	in := fableInput(t, strings.Repeat(tale+"\n", 40), "temperature=0.7", "top_p=0.9", "repetition_penalty=1.2")
	got := read(t, in)
	if n := in.Windows(); n < 3 {
		t.Fatalf("%d windows", n)
	}
	var s sampling.Scratch
	for _, at := range []int{1, 2, 500, 512, 513, 900, len(in.Text)} {
		x, err := in.At(t.Context(), at)
		if err != nil {
			t.Fatal(err)
		}
		g, err := in.Law.Pipeline.Given(&s, x, in.Text[at-1])
		if err != nil || g != got[at-1].Of {
			t.Errorf("token %d: %+v, %v; want %+v", at, g, err, got[at-1].Of)
		}
	}
	for _, at := range []int{0, len(in.Text) + 1} {
		if _, err := in.At(t.Context(), at); err == nil {
			t.Errorf("there is a row before token %d", at)
		}
	}
}

// Rows that a server sent are read as they are: a token that its row does not
// name, or that has no row, has no score and stops nothing.
func TestGapsOfASavedResponse(t *testing.T) {
	const file = `{"object": "text_completion", "model": "m", "choices": [{"text": "abcd", "index": 0, "logprobs": {
		"tokens": ["a", "b", "c", "d"], "token_logprobs": [-0.5, null, -9999, -1.25],
		"top_logprobs": [{"a": -0.5, "x": -2}, null, {"x": -0.1, "y": -3}, {"d": -1.25, "a": -0.75}]}}]}`
	all, err := tape.Foreign(strings.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	m := all[0]
	_, prompt := m.Prompt()
	in := Input{Law: Law{m, pipeline(t, m)}, BOS: models.NoToken, Prefix: prompt, Text: m.Road()}
	if err := Read(t.Context(), in, func(Token) error { return nil }); err == nil {
		t.Error("without Gaps a token without a value is no error")
	}
	in.Gaps = true
	want := []float64{-0.5, math.NaN(), math.NaN(), -1.25}
	for i, tok := range read(t, in) {
		if got, w := float64(tok.Of.RawLogprob), want[i]; tok.Scored == math.IsNaN(w) || tok.Scored && math.Abs(got-w) > 1e-6 || m.Vocab().Piece(tok.ID) != "abcd"[i:i+1] {
			t.Errorf("token %d: %+v, want %v", i+1, tok, w)
		}
	}
}

// A gap of the second law's model leaves both at the same place.
func TestGapsOfTheSecondLaw(t *testing.T) {
	saved := func(value, rows string) *tape.Model {
		all, err := tape.Foreign(strings.NewReader(`{"object": "text_completion", "model": "m", "choices": [{"text": "abcd", "index": 0, "logprobs": {
			"tokens": ["a", "b", "c", "d"], "token_logprobs": [-0.5, ` + value + `, -0.75, -1.25],
			"top_logprobs": [{"a": -0.5, "b": -2}, ` + rows + `, {"c": -0.75, "d": -3}, {"d": -1.25, "a": -0.75}]}}]}`))
		if err != nil {
			t.Fatal(err)
		}
		return all[0]
	}
	a, b := saved("-1", `{"b": -1, "a": -2}`), saved("null", "null")
	_, prompt := a.Prompt()
	in := Input{Law: Law{a, pipeline(t, a)}, Against: &Law{b, pipeline(t, b)}, BOS: models.NoToken, Prefix: prompt, Text: a.Road(), Gaps: true}
	for i, tok := range read(t, in) {
		if scored := i != 1; tok.Scored != scored || scored && tok.Of.RawLogprob != tok.Other.RawLogprob {
			t.Errorf("token %d: %+v", i+1, tok)
		}
	}
}
