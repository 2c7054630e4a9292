//go:build race

package quant

// underRace says that the race detector is on. It makes sync.Pool forget at
// random, so that allocations cannot be counted.
const underRace = true
