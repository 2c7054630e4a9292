package fable

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"logitscope/models"
	"logitscope/models/llama"
)

func benchModel(b *testing.B, workers int) *llama.Model {
	m, err := Open(llama.Options{Workers: workers})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { m.Close() })
	return m
}

func session(b testing.TB, m *llama.Model) *llama.Session {
	s, err := m.NewSession()
	if err != nil {
		b.Fatal(err)
	}
	return s.(*llama.Session)
}

func forward(b testing.TB, s *llama.Session, tokens []int32, want int) {
	if _, err := s.Forward(context.Background(), tokens, want); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkDecode decodes 128 tokens from an empty context, over and over.
func BenchmarkDecode(b *testing.B) {
	for _, workers := range []int{1, 2} {
		b.Run(fmt.Sprintf("workers=%d", workers), func(b *testing.B) {
			s := session(b, benchModel(b, workers))
			tokens := make([]int32, 1)
			n := 0
			b.ReportAllocs()
			for b.Loop() {
				if s.Len() == 128 {
					s.Truncate(0)
				}
				tokens[0] = int32(n % 4096)
				forward(b, s, tokens, 1)
				n++
			}
			b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "tokens/s")
		})
	}
}

// BenchmarkDraft decodes with the draft, as a part of what the target takes.
func BenchmarkDraft(b *testing.B) {
	target := session(b, benchModel(b, 1))
	m, err := OpenDraft(llama.Options{Workers: 1})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { m.Close() })
	draft := session(b, m)
	var small, large time.Duration
	n, tokens := 0, []int32{5}
	for b.Loop() {
		if draft.Len() == 128 {
			draft.Truncate(0)
			target.Truncate(0)
		}
		start := time.Now()
		forward(b, draft, tokens, 1)
		small += time.Since(start)
		start = time.Now()
		forward(b, target, tokens, 1)
		large += time.Since(start)
		n++
	}
	b.ReportMetric(float64(n)/small.Seconds(), "tokens/s")
	b.ReportMetric(small.Seconds()/large.Seconds(), "x-draft/target")
}

// BenchmarkPrefill compares a token of a prompt with a decoded one.
func BenchmarkPrefill(b *testing.B) {
	for _, n := range []int{256, 512} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			s := session(b, benchModel(b, 1))
			tokens := make([]int32, n)
			for i := range tokens {
				tokens[i] = int32(i * 7)
			}
			runs := 0
			var prefill, decode time.Duration
			for b.Loop() {
				start := time.Now()
				s.Truncate(0)
				forward(b, s, tokens, 1)
				prefill += time.Since(start)
				s.Truncate(n / 2)
				start = time.Now()
				for i := range 16 {
					forward(b, s, tokens[i:i+1], 1)
				}
				decode += time.Since(start)
				runs++
			}
			perToken := prefill.Seconds() / float64(runs*n)
			b.ReportMetric(1/perToken, "tokens/s")
			b.ReportMetric(decode.Seconds()/float64(runs*16)/perToken, "x-decode/prefill")
		})
	}
}

// spent is the time of many runs of one thing.
type spent []time.Duration

func (s *spent) add(d time.Duration) { *s = append(*s, d) }

// reportFour reports what four sessions cost in runs of one: by the medians,
// and by the shortest runs, which are those undisturbed on a shared machine.
func reportFour(b *testing.B, four, one spent) {
	slices.Sort(four)
	slices.Sort(one)
	b.ReportMetric(four[len(four)/2].Seconds()/one[len(one)/2].Seconds(), "x-four/one")
	b.ReportMetric(four[0].Seconds()/one[0].Seconds(), "x-four/one-best")
}

// BenchmarkBatch compares one pass over four sessions with one of them.
func BenchmarkBatch(b *testing.B) {
	m := benchModel(b, 1)
	prompt := make([]int32, 64)
	var lanes []models.Session
	for range 4 {
		s := session(b, m)
		forward(b, s, prompt, 0)
		lanes = append(lanes, s)
	}
	single := session(b, m)
	forward(b, single, prompt, 0)
	tokens := []int32{5, 6, 7, 8}
	var one, four spent
	for b.Loop() {
		start := time.Now()
		forward(b, single, tokens[:1], 1)
		one.add(time.Since(start))
		start = time.Now()
		if _, err := m.ForwardBatch(context.Background(), lanes, tokens); err != nil {
			b.Fatal(err)
		}
		four.add(time.Since(start))
		single.Truncate(64)
		for _, s := range lanes {
			s.Truncate(64)
		}
	}
	reportFour(b, four, one)
}

// BenchmarkBeams is what beam search does: at every step four sessions are
// replaced by forks of them, all of the first two, and go on together. It
// compares a step with one of a single session.
func BenchmarkBeams(b *testing.B) {
	m := benchModel(b, 1)
	prompt := make([]int32, 64)
	single := session(b, m)
	forward(b, single, prompt, 0)
	lanes := make([]models.Session, 4)
	start := func() {
		for i := range lanes {
			if lanes[i] != nil {
				lanes[i].Close()
			}
			s := session(b, m)
			forward(b, s, prompt, 0)
			lanes[i] = s
		}
		single.Truncate(64)
	}
	start()
	tokens := []int32{5, 6, 7, 8}
	var one, four spent
	b.ReportAllocs()
	for b.Loop() {
		begin := time.Now()
		forward(b, single, tokens[:1], 1)
		one.add(time.Since(begin))
		begin = time.Now()
		var next [4]models.Session
		for i := range next {
			f, err := lanes[i/2].(*llama.Session).Fork()
			if err != nil {
				b.Fatal(err)
			}
			next[i] = f
		}
		for i, s := range lanes {
			s.Close()
			lanes[i] = next[i]
		}
		if _, err := m.ForwardBatch(context.Background(), lanes, tokens); err != nil {
			b.Fatal(err)
		}
		four.add(time.Since(begin))
		if single.Len() == 400 {
			b.StopTimer()
			start()
			b.StartTimer()
		}
	}
	reportFour(b, four, one)
}

// BenchmarkOpen measures what the first frame waits for.
func BenchmarkOpen(b *testing.B) {
	for b.Loop() {
		m, err := Open(llama.Options{})
		if err != nil {
			b.Fatal(err)
		}
		m.Close()
	}
}
