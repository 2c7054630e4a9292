// Package seeds answers: with what seed would llama-server draw as we are about
// to? Its last sampler walks the tokens that are left, the most probable first,
// until their shares reach a number in [0, 1) that comes from the generator
// mt19937. A seed whose first numbers are near those of our own draws makes it
// choose the same tokens most of the time, so that the rows that follow them can
// be asked for in one request.
package seeds

import (
	"math"
	"sync"
)

// Most is how many numbers are matched, and count how many seeds are looked
// through. Measured on a model of 0.5 bits a token: with 8,192 seeds 10 rows of 16
// come before the first wrong guess at temperature 0.7, with a million 10.5; at
// temperature 1 it is 7.5 and 9.
const (
	Most  = 16
	count = 8192
)

// table holds the first numbers of every seed below count.
var table = sync.OnceValue(func() *[count][Most]float32 {
	t := new([count][Most]float32)
	var u [Most]float64
	for seed := range t {
		First(u[:], uint32(seed))
		for i, x := range u {
			t[seed][i] = float32(x)
		}
	}
	return t
})

// Prepare makes the first call of [Near] as fast as the others; it takes some
// milliseconds.
func Prepare() { table() }

const (
	size  = 624 // words of the generator's state
	apart = 397
)

// First fills u with the first numbers in [0, 1) that a server with a seed
// draws with: the C++ library's, of two outputs of mt19937 each (Matsumoto and
// Nishimura 1998). It panics if there are more than 100.
func First(u []float64, seed uint32) {
	if len(u) > 100 {
		panic("seeds: too many numbers")
	}
	var s [size]uint32
	s[0] = seed
	for i := uint32(1); i < uint32(min(size, 2*len(u)+apart)); i++ {
		s[i] = 1812433253*(s[i-1]^s[i-1]>>30) + i
	}
	for i := range u {
		u[i] = (float64(output(&s, 2*i)) + float64(output(&s, 2*i+1))*(1<<32)) / (1 << 64)
	}
}

// output is the i-th output of the seed's state, for i below size - apart.
func output(s *[size]uint32, i int) uint32 {
	y := s[i]&(1<<31) | s[i+1]&(1<<31-1)
	y = s[i+apart] ^ y>>1 ^ (y&1)*0x9908b0df
	y ^= y >> 11
	y ^= y << 7 & 0x9d2c5680
	y ^= y << 15 & 0xefc60000
	return y ^ y>>18
}

// Near returns the seed whose first numbers are nearest to draws, of which at
// most [Most] count: the first most, since those after a number that fails are
// in vain, and the more the nearer they are to 1, where tokens lie closer.
func Near(draws []float64) uint32 {
	var u, weight [Most]float32
	n, w := min(len(draws), Most), 1.0
	for i, x := range draws[:n] {
		u[i], weight[i] = float32(x), float32(w/(1.02-x))
		w *= 0.7
	}
	best, least := uint32(0), float32(math.Inf(1))
	t := table()
	for seed := range t {
		miss := float32(0)
		for i := 0; i < n && miss < least; i++ {
			d := t[seed][i] - u[i]
			miss += weight[i] * max(d, -d)
		}
		if miss < least {
			best, least = uint32(seed), miss
		}
	}
	return best
}
