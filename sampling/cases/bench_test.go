package cases

import (
	"bytes"
	"io"
	"testing"
)

// BenchmarkRun answers the short golden cases, in cases a second.
func BenchmarkRun(b *testing.B) {
	var lines [][]byte
	for _, name := range []string{"transformers", "llama.cpp", "vllm", "ollama", "ollama-go"} {
		for _, l := range golden(b, name) {
			if !bytes.Contains(l, []byte("irwin4")) {
				lines = append(lines, l)
			}
		}
	}
	all := bytes.Join(lines, []byte("\n"))
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		if bad, err := Run(bytes.NewReader(all), io.Discard, Options{}); err != nil || bad != 0 {
			b.Fatal(bad, err)
		}
		n += len(lines)
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "cases/s")
}
