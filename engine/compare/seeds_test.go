package compare

import (
	"math"
	"slices"
	"testing"

	"logitscope/engine/stats"
)

// Four seeds by hand.
func TestOverSeeds(t *testing.T) {
	text := func(bits float64, reason string, ids ...int32) SeedText {
		return SeedText{Tokens: ids, Reason: reason, Bits: bits, Entropy: 2 * bits}
	}
	loop := slices.Repeat([]int32{7}, 20)
	a := []SeedText{text(1, "length", 1, 2, 3), text(2, "length", 1, 2, 3), text(3, "eos", 4), text(1, "length", loop...)}
	b := []SeedText{text(1, "length", 1, 2, 3), text(3, "length", 1, 5, 3), text(3, "length", 4, 4), text(2, "eos", 7)}
	s := OverSeeds([][]SeedText{a, b})
	if s.N != 4 || len(s.Lanes) != 2 || len(s.Parts) != 1 {
		t.Fatalf("%+v", s)
	}
	p := s.Parts[0]
	if !slices.Equal(p.Steps, []int{0, 2, 2, 2}) || p.Parted.Value != 0.75 || p.Median != 2 || p.Lane != 1 {
		t.Errorf("partings: %+v", p)
	}
	// Three partings in the 3 + 2 + 2 + 2 tokens that were reached.
	if want := stats.Wilson(3, 9); p.Rate != want {
		t.Errorf("rate %+v, want %+v", p.Rate, want)
	}
	if p.Tokens.Value != (0+0+1-19)/4.0 || p.Bits.Value != (0+1+0+1)/4.0 {
		t.Errorf("differences: %+v, %+v", p.Tokens, p.Bits)
	}
	l := s.Lanes[0]
	if l.Tokens.Value != (3+3+1+20)/4.0 || l.Bits.Value != 1.75 || l.Entropy.Value != 3.5 || l.Loops != stats.Wilson(1, 4) || l.Reasons["length"] != 3 || l.Reasons["eos"] != 1 {
		t.Errorf("lane 1: %+v", l)
	}
	// Pairs of the texts that have any: 2 of 2, 2 of 2, 1 of 19.
	if want := (1 + 1 + 1.0/19) / 3; math.Abs(l.Distinct2.Value-want) > 1e-12 {
		t.Errorf("distinct-2 %v, want %v", l.Distinct2.Value, want)
	}
	if want := 16.0 / 17; math.Abs(l.Repeated4.Value-want) > 1e-12 {
		t.Errorf("repeated 4-grams %v, want %v", l.Repeated4.Value, want)
	}
	if m := OverSeeds([][]SeedText{a, a}).Parts[0]; m.Parted.Value != 0 || m.Median != 0 || m.Bits.Value != 0 {
		t.Errorf("the same texts: %+v", m)
	}
	if OverSeeds(nil).N != 0 {
		t.Error("no lanes have seeds")
	}
}
