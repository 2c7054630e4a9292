//go:build !race

package quant

const underRace = false
