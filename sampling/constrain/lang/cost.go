package lang

// Unreachable marks what no text can complete. Distances saturate below it.
const Unreachable = int32(1) << 30

// Add32 adds distances, saturating at unreachable.
func Add32(a, b int32) int32 {
	if a >= Unreachable || b >= Unreachable {
		return Unreachable
	}
	return min(a+b, Unreachable-1)
}

// Mul32 multiplies a distance, saturating at unreachable; 0 times it is 0.
func Mul32(a, n int32) int32 {
	if n == 0 {
		return 0
	}
	if a >= Unreachable {
		return Unreachable
	}
	return int32(min(int64(a)*int64(n), int64(Unreachable-1)))
}

// SetBytes adds the bytes lo to hi to a set.
func SetBytes(set *[4]uint64, lo, hi byte) {
	for w := lo >> 6; w <= hi>>6; w++ {
		from, to := byte(0), byte(63)
		if w == lo>>6 {
			from = lo & 63
		}
		if w == hi>>6 {
			to = hi & 63
		}
		set[w] |= ^uint64(0) >> (63 - to) &^ (1<<from - 1)
	}
}

// HasByte reports whether a set has b.
func HasByte(set *[4]uint64, b byte) bool { return set[b>>6]>>(b&63)&1 != 0 }
