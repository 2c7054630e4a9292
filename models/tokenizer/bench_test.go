package tokenizer

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"logitscope/models"
	"logitscope/models/gguf"
	"logitscope/models/goldentest"
)

func parse(b *testing.B, data []byte) *gguf.File {
	b.Helper()
	f, err := gguf.Parse("bench", data)
	if err != nil {
		b.Fatal(err)
	}
	return f
}

// largeFile is a BPE vocabulary of about n tokens with a merge for each.
func largeFile(n int) []byte {
	merges := make([]string, 0, n)
	level := []string{}
	for _, r := range byteRunes {
		level = append(level, string(r))
	}
	seen := map[string]bool{}
	for i := 0; len(merges) < n; i++ {
		l, r := level[i*7919%len(level)], level[i*104729%len(level)]
		if len(l)+len(r) > 24 || seen[l+r] {
			l = level[i%len(level)]
			r = level[(i*31+len(merges))%256]
			if len(l)+len(r) > 24 || seen[l+r] {
				continue
			}
		}
		seen[l+r] = true
		merges = append(merges, l+" "+r)
		level = append(level, l+r)
	}
	return bpeFile("llama-bpe", merges, "<|end_of_text|>")
}

func BenchmarkNew(b *testing.B) {
	for _, c := range []struct {
		name string
		data []byte
	}{
		{"fable-4096", goldentest.Read(b, "testdata/fable-vocab.gguf.gz")},
		{"150k", largeFile(150_000)},
	} {
		f := parse(b, c.data)
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				if _, err := New(f); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

const prose = "Once upon a time, in 1897, there lived an old man; he didn't speak much — but \"oh!\" he'd say, tab\there.\n\n  Then näive Привет 你好 😀 3.14159\n"

func BenchmarkEncode(b *testing.B) {
	text := strings.Repeat(prose, 100)
	v := fable(b)
	b.Run("fable", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			v.Encode(text, models.EncodeOptions{})
		}
	})
}

// BenchmarkLongWord reports how much more a byte costs in a word of 1 MiB than
// in one of 16 KiB: 1 is linear, 64 would be quadratic.
func BenchmarkLongWord(b *testing.B) {
	v := fable(b)
	perByte := func(n int) float64 {
		text := strings.Repeat("abracadabra", n/11)
		start := time.Now()
		v.Encode(text, models.EncodeOptions{})
		return float64(time.Since(start)) / float64(n)
	}
	var ratios float64
	n := 0
	for b.Loop() {
		ratios += perByte(1<<20) / perByte(1<<14)
		n++
	}
	b.ReportMetric(ratios/float64(n), "x-per-byte")
}

// BenchmarkSplit reports the speed of each pre-tokenizer alone.
func BenchmarkSplit(b *testing.B) {
	text := strings.Repeat(prose, 100)
	for _, name := range []string{"gpt-2", "llama-bpe", "qwen2", "gpt-4o", "deepseek-v3", "deepseek-llm", "chameleon"} {
		p := findPre(name)
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				n := 0
				p.splits(text, func(s string) { n += len(s) })
				if n != len(text) {
					b.Fatal(fmt.Sprint(n, " of ", len(text), " bytes"))
				}
			}
		})
	}
}
