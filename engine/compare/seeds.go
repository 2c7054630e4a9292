package compare

import (
	"slices"

	"logitscope/engine"
	"logitscope/engine/loops"
	"logitscope/engine/stats"
)

// A SeedText is what one lane wrote under one seed.
type SeedText struct {
	Tokens  []int32 // the token that ended it included
	Reason  string
	Bits    float64 // surprise a token under the model itself
	Entropy float64 // mean of the model's distributions, bits; 0 where it is not known
}

// Seeds are lanes over many seeds: the same ones in each, so that what differs
// comes from the settings.
type Seeds struct {
	N     int
	Lanes []SeedLane
	Parts []SeedParting // of each lane after the first, from the first
}

// A SeedLane describes the texts of one lane, each a mean over seeds with its
// 95 % interval.
type SeedLane struct {
	Tokens, Bits, Entropy, Distinct2, Repeated4 stats.Estimate
	Loops                                       stats.Estimate // share of texts that end in a loop
	Reasons                                     map[string]int
}

// A SeedParting is where the texts of two lanes part, over seeds.
type SeedParting struct {
	Lane   int            // from 0
	Parted stats.Estimate // share of seeds
	Steps  []int          // by seed: the first token, from 1, that differs; 0 where the texts agree
	Median int            // of the tokens at which texts part or, where half of them do not, 0
	Rate   stats.Estimate // partings a token that was reached: the hazard, over all seeds

	// Paired differences from the first lane: this lane's less the first's.
	Tokens, Bits stats.Estimate
}

// OverSeeds sums up the texts of lanes, one a seed, in the same order of seeds
// in each lane. Texts that were not written are nil in all lanes or left out.
func OverSeeds(lanes [][]SeedText) Seeds {
	s := Seeds{}
	if len(lanes) == 0 {
		return s
	}
	s.N = len(lanes[0])
	for _, texts := range lanes {
		s.Lanes = append(s.Lanes, seedLane(texts))
	}
	for i, texts := range lanes[1:] {
		s.Parts = append(s.Parts, seedParting(i+1, lanes[0], texts))
	}
	return s
}

func seedLane(texts []SeedText) SeedLane {
	l := SeedLane{Reasons: map[string]int{}}
	mean := func(of func(t *SeedText) (float64, bool)) stats.Estimate {
		var values []float64
		for i := range texts {
			if x, ok := of(&texts[i]); ok {
				values = append(values, x)
			}
		}
		return stats.Mean(values)
	}
	written := func(t *SeedText) bool { return len(t.Tokens) > 0 }
	l.Tokens = mean(func(t *SeedText) (float64, bool) { return float64(len(t.Tokens)), true })
	l.Bits = mean(func(t *SeedText) (float64, bool) { return t.Bits, written(t) })
	l.Entropy = mean(func(t *SeedText) (float64, bool) { return t.Entropy, t.Entropy > 0 })
	l.Distinct2 = mean(func(t *SeedText) (float64, bool) { d, n := stats.Distinct(t.Tokens, 2); return d, n > 0 })
	l.Repeated4 = mean(func(t *SeedText) (float64, bool) { d, n := stats.Distinct(t.Tokens, 4); return 1 - d, n > 0 })
	looped := 0
	for i := range texts {
		tokens := texts[i].Tokens
		if n := len(tokens); n > 0 && texts[i].Reason == string(engine.EOS) {
			tokens = tokens[:n-1] // what ends a text is none of its loop
		}
		if _, ok := loops.Find(tokens); ok {
			looped++
		}
		l.Reasons[texts[i].Reason]++
	}
	l.Loops = stats.Wilson(looped, len(texts))
	return l
}

func seedParting(lane int, a, b []SeedText) SeedParting {
	p := SeedParting{Lane: lane}
	parted, reached := 0, 0
	var tokens, bits []float64
	for i := range a {
		k := firstDifference(a[i].Tokens, b[i].Tokens)
		p.Steps = append(p.Steps, k)
		if k > 0 {
			parted++
			reached += k
		} else {
			reached += len(a[i].Tokens)
		}
		tokens = append(tokens, float64(len(b[i].Tokens)-len(a[i].Tokens)))
		if len(a[i].Tokens) > 0 && len(b[i].Tokens) > 0 {
			bits = append(bits, b[i].Bits-a[i].Bits)
		}
	}
	p.Parted, p.Rate = stats.Wilson(parted, len(a)), stats.Wilson(parted, reached)
	p.Tokens, _ = stats.PairedMean(tokens)
	p.Bits, _ = stats.PairedMean(bits)
	if 2*parted > len(a) {
		// Texts that agree part later than all that do not.
		steps := slices.DeleteFunc(slices.Clone(p.Steps), func(k int) bool { return k == 0 })
		slices.Sort(steps)
		p.Median = steps[(len(a)-1)/2]
	}
	return p
}

// firstDifference returns the first token, from 1, at which two texts differ, 0
// if they are the same; one that goes on after the other has ended differs
// there.
func firstDifference(a, b []int32) int {
	for i := range max(len(a), len(b)) {
		if i >= len(a) || i >= len(b) || a[i] != b[i] {
			return i + 1
		}
	}
	return 0
}
