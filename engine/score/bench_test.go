package score

import (
	"strings"
	"testing"
	"time"
)

// BenchmarkLongText reads a text of many windows under chat's settings.
// "prefills" is how long it takes as a multiple of filling the cache with the
// same tokens as the program does, window by window without overlap. A stride of
// half the context puts every token twice through the layers, and once through
// the last layer and the output in full, so that more than 2 is the least on one
// core (GOMAXPROCS=1); windows that are read side by side, a core each, halve it
// on two.
func BenchmarkLongText(b *testing.B) {
	in := fableInput(b, strings.Repeat(tale+"\n", 200), "temperature=0.7", "top_k=50", "top_p=0.9", "repetition_penalty=1.05")
	n := in.Law.Model.Info().ContextLen
	tokens := append(in.Prefix, in.Text...)
	prefill := func() time.Duration {
		begun := time.Now()
		for from := 0; from+n <= len(tokens); from += n {
			s, err := in.Law.Model.NewSession()
			if err != nil {
				b.Fatal(err)
			}
			if _, err := s.Forward(b.Context(), tokens[from:from+n], 1); err != nil {
				b.Fatal(err)
			}
			s.Close()
		}
		return time.Since(begun) * time.Duration(len(tokens)) / time.Duration(len(tokens)/n*n)
	}
	var reading, filling time.Duration
	for b.Loop() {
		filling += prefill()
		begun := time.Now()
		if err := Read(b.Context(), in, func(Token) error { return nil }); err != nil {
			b.Fatal(err)
		}
		reading += time.Since(begun)
	}
	b.ReportMetric(float64(len(in.Text))*float64(b.N)/reading.Seconds(), "tokens/s")
	b.ReportMetric(reading.Seconds()/filling.Seconds(), "prefills")
}
