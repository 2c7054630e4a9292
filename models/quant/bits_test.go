package quant

import (
	"hash/fnv"
	"math"
	"math/rand/v2"
	"testing"

	"logitscope/models/gguf"
)

// productBits are hashes of the bits of one product for each type. They were
// recorded once and must be the same on every machine and system.
var productBits = map[gguf.Type]uint64{
	gguf.BF16:    0x77e6f468cea9fc76,
	gguf.F16:     0x3e8b8777543b44ce,
	gguf.F32:     0xcc3438504fa5750d,
	gguf.IQ1_M:   0x618147c141f50d8f,
	gguf.IQ1_S:   0x7d6190631e62fac0,
	gguf.IQ2_S:   0xfba9ecc19c740445,
	gguf.IQ2_XS:  0xd020a8df1bc60fff,
	gguf.IQ2_XXS: 0x6d71833e8ce2d639,
	gguf.IQ3_S:   0xa8ba89bfcbee006f,
	gguf.IQ3_XXS: 0x7e9ca7c657240011,
	gguf.IQ4_NL:  0xabbf54af0823b9f9,
	gguf.IQ4_XS:  0x1ad0e90d99119921,
	gguf.MXFP4:   0x952b590d9adb6670,
	gguf.NVFP4:   0xfc14493d63f7231f,
	gguf.Q1_0:    0x5189b18238ba2ae,
	gguf.Q2_0:    0xf04665bab05e7476,
	gguf.Q2_K:    0xda9716421e5590d0,
	gguf.Q3_K:    0x592868a6350b82d5,
	gguf.Q4_0:    0xe722ae1bdb181bcc,
	gguf.Q4_1:    0xaf630dbef3885ef4,
	gguf.Q4_K:    0x89ad1d8dc50a34d,
	gguf.Q5_0:    0x28f6b9d70af1b586,
	gguf.Q5_1:    0x6383a0eee6b43d08,
	gguf.Q5_K:    0x70e3f04e8e25b300,
	gguf.Q6_K:    0x87d2d2cd43f730e0,
	gguf.Q8_0:    0x413e67b86cc13806,
	gguf.TQ1_0:   0x22cec3f7d2732028,
	gguf.TQ2_0:   0x63560e36b89b0352,
}

func TestBitsAreTheSameEverywhere(t *testing.T) {
	for typ := range formats {
		r := rand.New(rand.NewPCG(uint64(typ), 77))
		m := tameMatrix(r, typ, 5, 3*typ.BlockSize())
		// Uniform numbers: normal ones come from functions that may differ in
		// the last bit between machines.
		x := make([]float32, 6*m.Cols)
		for i := range x {
			x[i] = r.Float32() + r.Float32() - 1
		}
		h := fnv.New64a()
		for _, v := range mulAll(m, x, 6) {
			b := math.Float32bits(v)
			h.Write([]byte{byte(b), byte(b >> 8), byte(b >> 16), byte(b >> 24)})
		}
		if got := h.Sum64(); got != productBits[typ] {
			t.Errorf("%s: %#x, want %#x", typ, got, productBits[typ])
		}
	}
}
