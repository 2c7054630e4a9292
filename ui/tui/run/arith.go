package run

import (
	"logitscope/models"
)

// ModelName names a model, and the engine whose arithmetic it repeats.
func ModelName(info models.Info) string { return withArithmetic(info.Name, info) }

// FullModelName is ModelName with the number and the type of the weights.
func FullModelName(info models.Info) string {
	name := info.Name
	for _, part := range []string{nonZero(info.Params), info.Quant} {
		if part != "" {
			name += " " + part
		}
	}
	return withArithmetic(name, info)
}

func withArithmetic(name string, info models.Info) string {
	if !info.Arithmetic.Foreign() {
		return name
	}
	return name + ", arith " + info.Arithmetic.Name
}

// ArithmeticWords says in one line what the logits of a model depend on beside
// its weights, and what differs elsewhere; empty where there is nothing to
// say.
func ArithmeticWords(info models.Info) string {
	a := info.Arithmetic
	switch {
	case info.Server != "":
		return "Arithmetic: the server's own."
	case a.Name == "":
		return ""
	case !a.Foreign():
		return "Arithmetic: exact; llama.cpp rounds to 8 bits (--arith llama.cpp)."
	}
	flash := "off"
	if a.FlashAttention {
		flash = "on"
	}
	return "Arithmetic: " + a.Name + "'s, step by step; " + a.KVType + " cache, flash attention " + flash + "."
}
