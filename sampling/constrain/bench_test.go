package constrain

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"logitscope/sampling/constrain/automaton"
	"logitscope/sampling/constrain/constraintest"
	"logitscope/sampling/constrain/schema"
)

// quantile returns the q-quantile of sorted durations, in microseconds.
func quantile(sorted []time.Duration, q float64) float64 {
	return float64(sorted[min(len(sorted)-1, int(q*float64(len(sorted))))].Nanoseconds()) / 1000
}

// documents are schemas with texts: those of the bench corpus where it is at
// hand, else the package's own.
func documents(b testing.TB) (schemas [][]byte, texts [][][]byte) {
	if _, ok := constraintest.FindShared("golden", "schemas", "bench"); !ok {
		return ownDocuments(b)
	}
	for _, c := range constraintest.BenchCases(b) {
		if _, err := Compile(schema.New(c.Schema, schema.Options{})); err != nil {
			continue
		}
		var list [][]byte
		for _, v := range c.Valid {
			list = append(list, constraintest.Spaced(constraintest.Compact(b, v)))
		}
		schemas, texts = append(schemas, c.Schema), append(texts, list)
	}
	return schemas, texts
}

// ownDocuments are the package's schemas with random texts of theirs.
func ownDocuments(b testing.TB) (schemas [][]byte, texts [][][]byte) {
	var list []json.RawMessage
	constraintest.ReadFixture(b, "schemas.json", &list)
	v := constraintest.FableVocab(b)
	rng := rand.New(rand.NewPCG(5, 6))
	for _, raw := range list {
		m, err := constraintest.Compile(b, schema.New(raw, schema.Options{})).Bind(v)
		if err != nil {
			b.Fatal(err)
		}
		least, _ := m.TokensLeft(m.Start())
		if text, ok := constraintest.RandomText(b, m, rng, least+40, 8); ok {
			schemas, texts = append(schemas, raw), append(texts, [][]byte{[]byte(text)})
		}
	}
	return schemas, texts
}

// maskTimes walks the masks along the documents, with a new matcher for each
// schema and a vocabulary that has answered nothing yet, so first visits count
// as they would in use.
func maskTimes(b *testing.B, schemas [][]byte, texts [][][]byte, fresh func() *automaton.Vocab) []time.Duration {
	v := fresh()
	mask := make([]uint64, v.Words())
	var took []time.Duration
	for i, source := range schemas {
		m, err := constraintest.Compile(b, schema.New(source, schema.Options{})).Bind(v)
		if err != nil {
			b.Fatal(err)
		}
		for _, text := range texts[i] {
			s := m.Start()
			for _, token := range append(constraintest.Longest(v, text), 0) {
				took = append(took, m.Mask(s, mask).Took)
				if s, err = m.Accept(s, token); err != nil {
					b.Fatal(err)
				}
			}
		}
	}
	return took
}

// BenchmarkMask reports two views of the same masks: all times of all rounds,
// which on a busy machine are mostly interruptions in the tail, and the least
// time of each mask over the rounds (quiet-), which leaves those out.
func BenchmarkMask(b *testing.B) {
	schemas, texts := documents(b)
	for _, size := range []int{4096, 32_000, 131_072} {
		pieces := constraintest.GrownPieces(b, size)
		b.Run(fmt.Sprintf("V=%d", size), func(b *testing.B) {
			var all, least []time.Duration
			for b.Loop() {
				round := maskTimes(b, schemas, texts, func() *automaton.Vocab { return constraintest.VocabOf(pieces, 0) })
				all = append(all, round...)
				if least == nil {
					least = slices.Clone(round)
				}
				for i, d := range round {
					least[i] = min(least[i], d)
				}
			}
			for name, list := range map[string][]time.Duration{"": all, "quiet-": least} {
				slices.Sort(list)
				b.ReportMetric(quantile(list, 0.5), name+"p50-us")
				b.ReportMetric(quantile(list, 0.9), name+"p90-us")
				b.ReportMetric(quantile(list, 0.99), name+"p99-us")
				b.ReportMetric(quantile(list, 1), name+"max-us")
			}
			b.ReportMetric(0, "ns/op")
		})
	}
}

// BenchmarkCompile measures compiling each schema of the corpus.
func BenchmarkCompile(b *testing.B) {
	schemas, _ := documents(b)
	var took []time.Duration
	for b.Loop() {
		for _, source := range schemas {
			began := time.Now()
			constraintest.Compile(b, schema.New(source, schema.Options{}))
			took = append(took, time.Since(began))
		}
	}
	slices.Sort(took)
	b.ReportMetric(quantile(took, 0.5)/1000, "p50-ms")
	b.ReportMetric(quantile(took, 0.99)/1000, "p99-ms")
	b.ReportMetric(quantile(took, 1)/1000, "max-ms")
	b.ReportMetric(0, "ns/op")
}
