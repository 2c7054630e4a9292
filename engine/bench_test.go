package engine

import (
	"context"
	"testing"
	"time"

	"logitscope/models/fable"
	"logitscope/models/llama"
)

func benchModel(b *testing.B) *llama.Model {
	m, err := fable.Open(llama.Options{Workers: 1})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { m.Close() })
	return m
}

const benchTokens = 300

// decodeAll runs lanes to their end and returns how long it took.
func decodeAll(b *testing.B, lanes ...*Lane) time.Duration {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	done := make(chan View)
	start := time.Now()
	for _, l := range lanes {
		go l.Run(ctx)
		go func() {
			for v := range l.Views() {
				if v.Phase == Done || v.Phase == Failed {
					done <- v
					return
				}
			}
		}()
	}
	for range lanes {
		if v := <-done; len(v.Steps) != benchTokens {
			b.Fatalf("%d steps: %v", len(v.Steps), v.Err)
		}
	}
	return time.Since(start)
}

func benchLane(b *testing.B, m *llama.Model, i int, gate *Gate) *Lane {
	l := NewLane(i, m, Options{Gate: gate})
	s := settings(b, m, "max_new_tokens", benchTokens, "min_new_tokens", benchTokens, "temperature", 0.7, "top_p", 0.9, "top_k", 50, "seed", i)
	l.Post(Start{Prompt: []int32{0, 300, 400}, Settings: s})
	l.Post(Advance{-1})
	return l
}

// Four lanes in free mode against one lane: total tokens a second, as a share.
func BenchmarkFourLanes(b *testing.B) {
	m := benchModel(b)
	var one, four time.Duration
	for b.Loop() {
		gate := NewGate(1)
		one += decodeAll(b, benchLane(b, m, 0, nil))
		four += decodeAll(b, benchLane(b, m, 1, gate), benchLane(b, m, 2, gate), benchLane(b, m, 3, gate), benchLane(b, m, 4, gate))
	}
	b.ReportMetric(4*one.Seconds()/four.Seconds(), "x-one-lane")
	b.ReportMetric(0, "ns/op")
}

// A lane, with its trace of every step, against the model alone.
func BenchmarkLane(b *testing.B) {
	m := benchModel(b)
	var lane, bare time.Duration
	for b.Loop() {
		lane += decodeAll(b, benchLane(b, m, 0, nil))
		start := time.Now()
		sess, err := m.NewSession()
		if err != nil {
			b.Fatal(err)
		}
		for i := range benchTokens + 3 {
			if _, err := sess.Forward(context.Background(), []int32{int32(300 + i)}, 1); err != nil {
				b.Fatal(err)
			}
		}
		sess.Close()
		bare += time.Since(start)
	}
	b.ReportMetric(lane.Seconds()/bare.Seconds(), "x-model-alone")
	b.ReportMetric(float64(b.N*benchTokens)/lane.Seconds(), "tok/s")
	b.ReportMetric(0, "ns/op")
}
