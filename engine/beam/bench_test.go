package beam

import (
	"context"
	"slices"
	"strconv"
	"testing"
	"time"

	"logitscope/engine/enginetest"
	"logitscope/models"
	"logitscope/models/fable"
	"logitscope/models/llama"
)

func openFable(t testing.TB) models.Model {
	t.Helper()
	m, err := fable.Open(llama.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	return m
}

func encode(m models.Model, s string) []int32 {
	return m.Vocab().Encode(s, models.EncodeOptions{AddSpecial: true, ParseSpecial: true})
}

// neverEnd bans the tokens that end a text, so that runs are of one length.
func neverEnd(m models.Model) map[string]any {
	bias := map[string]any{}
	for _, id := range m.Vocab().EOG() {
		bias[strconv.Itoa(int(id))] = -1000.0
	}
	return bias
}

// On the built-in model one beam writes the greedy text, and the greedy path
// followed beside four beams is that text.
func TestFable(t *testing.T) {
	m := openFable(t)
	in := encode(m, "Once upon a time there was a")
	const n = 24
	set := map[string]any{"temperature": 0.0, "max_new_tokens": n, "logit_bias": neverEnd(m)}
	want, _ := enginetest.Decode(t, m, enginetest.Compile(t, m, set), in, n)
	set["num_beams"] = 1
	one := finish(t, start(t, m, enginetest.Compile(t, m, set), in, Options{}))
	if got := one.Result()[0].Tokens(); !slices.Equal(got, want) {
		t.Errorf("one beam wrote %v, want the greedy %v", got, want)
	}
	set["num_beams"] = 4
	search := start(t, m, enginetest.Compile(t, m, set), in, Options{Greedy: true})
	var read []int
	if err := search.prefill(context.Background(), func(done, total int) { read = append(read, done, total) }); err != nil {
		t.Fatal(err)
	}
	if want := []int{len(in) - 1, len(in) - 1}; !slices.Equal(read, want) {
		t.Errorf("prefill reported %v, want %v", read, want)
	}
	four := finish(t, search)
	if plain := finish(t, start(t, m, enginetest.Compile(t, m, set), in, Options{})); summary(plain) != summary(four) {
		t.Errorf("without a prefill %s, with one %s", summary(plain), summary(four))
	}
	if got := four.Last().Greedy; !slices.Equal(got.Tokens(), want) || !near(got.Sum, one.Result()[0].Node.Sum) {
		t.Errorf("greedy path %v of sum %v, want %v of %v", got.Tokens(), got.Sum, want, one.Result()[0].Node.Sum)
	}
}

// BenchmarkFourBeams reports what a step of four beams costs in steps of a
// greedy lane, on the built-in model: with nothing but the model, and with a
// penalty on both sides.
func BenchmarkFourBeams(b *testing.B) {
	m := openFable(b)
	in := encode(m, "Once upon a time there was a little boy. His")
	for name, penalty := range map[string]float64{"plain": 1, "penalty": 1.1} {
		b.Run(name, func(b *testing.B) { fourBeams(b, m, in, penalty) })
	}
}

func fourBeams(b *testing.B, m models.Model, in []int32, penalty float64) {
	const n = 96
	set := map[string]any{"temperature": 0.0, "max_new_tokens": n, "repetition_penalty": penalty, "early_stopping": "never"}
	one := enginetest.Compile(b, m, set)
	set["num_beams"] = 4
	four := enginetest.Compile(b, m, set)
	var lane, beams []float64 // seconds for each step
	for b.Loop() {
		began := time.Now()
		enginetest.Decode(b, m, one, in, n)
		lane = append(lane, time.Since(began).Seconds()/n)
		s, err := New(m, four, in, Options{})
		if err != nil {
			b.Fatal(err)
		}
		began = time.Now()
		steps := len(finish(b, s).Steps)
		beams = append(beams, time.Since(began).Seconds()/float64(steps))
		s.Close()
	}
	slices.Sort(lane)
	slices.Sort(beams)
	b.ReportMetric(beams[len(beams)/2]/lane[len(lane)/2], "x-greedy")
	b.ReportMetric(beams[0]/lane[0], "x-greedy-best")
	b.ReportMetric(1e6*lane[0], "µs/greedy-step")
	b.ReportMetric(1e6*beams[0], "µs/beam-step")
}
