package llama

import (
	"context"
	"fmt"
	"testing"
	"time"

	"logitscope/models/gguf"
)

// BenchmarkDecode135M decodes 32 tokens after 32, over and over.
func BenchmarkDecode135M(b *testing.B) {
	for _, typ := range []gguf.Type{gguf.Q8_0, gguf.Q4_K} {
		shape := smol135
		if typ == gguf.Q4_K { // rows in blocks of 256
			shape.embed, shape.heads, shape.headLen = 512, 8, 64
			shape.kvHeads = 2
		}
		path := writeModel(b, shape, typ)
		for _, workers := range []int{1, 2} {
			b.Run(fmt.Sprintf("%v/workers=%d", typ, workers), func(b *testing.B) {
				m, err := Open(path, Options{Workers: workers})
				if err != nil {
					b.Fatal(err)
				}
				defer m.Close()
				s := m.newSession()
				forward(b, s, make([]int32, 32), 0)
				tokens, ctx := []int32{300}, context.Background()
				b.ReportAllocs()
				for b.Loop() {
					if s.Len() == 64 {
						s.Truncate(32)
					}
					if _, err := s.Forward(ctx, tokens, 1); err != nil {
						b.Fatal(err)
					}
				}
				perToken := b.Elapsed().Seconds() / float64(b.N)
				b.ReportMetric(1/perToken, "tokens/s")
				b.ReportMetric(float64(m.file.Size)/perToken/1e9, "GB/s")
			})
		}
	}
}

// BenchmarkPrefill runs prompts through a few layers of a model of 240 million
// weights with one worker. It reports the fastest of its runs.
func BenchmarkPrefill(b *testing.B) {
	shape := shapeOf{layers: 5, embed: 1024, ff: 3072, heads: 16, kvHeads: 4, headLen: 64, vocab: 512, context: 2048}
	for _, typ := range []gguf.Type{gguf.Q4_K, gguf.Q8_0, gguf.Q5_K, gguf.Q6_K, gguf.F16} {
		path := writeModel(b, shape, typ)
		for _, n := range []int{512, 2000} {
			b.Run(fmt.Sprintf("%v/n=%d", typ, n), func(b *testing.B) {
				m, err := Open(path, Options{Workers: 1})
				if err != nil {
					b.Fatal(err)
				}
				defer m.Close()
				s, tokens, least := m.newSession(), make([]int32, n), time.Hour
				for b.Loop() {
					s.Truncate(0)
					start := time.Now()
					forward(b, s, tokens, 1)
					least = min(least, time.Since(start))
				}
				b.ReportMetric(float64(n)/least.Seconds(), "tokens/s")
			})
		}
	}
}

// BenchmarkFirstToken opens a file of about 1 GB that is in memory already,
// and computes one token.
func BenchmarkFirstToken(b *testing.B) {
	shape := smol135
	shape.layers, shape.embed, shape.ff, shape.heads, shape.kvHeads, shape.vocab = 24, 1792, 4864, 28, 4, 32000
	path := writeModel(b, shape, gguf.Q8_0)
	var took time.Duration
	for b.Loop() {
		start := time.Now()
		m, err := Open(path, Options{})
		if err != nil {
			b.Fatal(err)
		}
		forward(b, m.newSession(), []int32{5}, 1)
		took += time.Since(start)
		b.ReportMetric(float64(m.file.Size)/1e9, "GB")
		m.Close()
	}
	b.ReportMetric(took.Seconds()/float64(b.N), "s")
}
