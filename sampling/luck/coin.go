// Package luck answers: where do the numbers come from that a draw is made with?
// From a coin or a race that depends on seed and position alone, and the generators of
// llama.cpp and of Ollama's own sampler at any place in their sequences.
package luck

// Coin returns the uniform draw in [0, 1) for one position under one seed.
// Stream 0 draws tokens; other streams are independent of it.
//
// It depends on nothing else, so rewinding needs no saved generator, and two
// lanes with the same seed meet the same luck at the same position: whatever
// differs between them comes from their parameters.
//
// It is a hash of a counter (two rounds of the finaliser of Steele, Lea and
// Flood 2014, "SplitMix"), with 53 bits of resolution.
func Coin(seed uint64, pos int, stream uint32) float64 {
	return float64(counter(seed, pos, stream)>>11) / (1 << 53)
}

// counter hashes a counter: 64 bits for one position of a stream.
func counter(seed uint64, pos int, stream uint32) uint64 {
	z := mix64(seed + 0x9E3779B97F4A7C15*(uint64(pos)+1))
	return mix64(z ^ (uint64(stream)+1)*0xD1342543DE82EF95)
}

func mix64(z uint64) uint64 {
	z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>27) * 0x94D049BB133111EB
	return z ^ z>>31
}
