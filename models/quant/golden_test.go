package quant

import (
	"encoding/hex"
	"math"
	"strconv"
	"testing"

	"logitscope/models/gguf"
	"logitscope/models/goldentest"
)

// blockVectors are rows of every type with the values that ggml's to_float
// gives for them.
type blockVectors struct {
	Types map[string]struct {
		Type       uint32 `json:"ggml_type"`
		BlockSize  int    `json:"block_size"`
		BlockBytes int    `json:"block_bytes"`
		Vectors    []struct {
			Source   string
			N        int
			BytesHex string `json:"bytes_hex"`
			Values   []float32
		}
		Special struct {
			BytesHex string   `json:"bytes_hex"`
			Bits     []string `json:"float32_bits_hex"`
		}
	}
}

func readVectors(t testing.TB) blockVectors {
	t.Helper()
	return goldentest.JSON[blockVectors](t, "testdata/blocks.json.gz")
}

func unhex(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// rowMatrix makes a matrix of one row by way of a tensor, as callers do.
func rowMatrix(t testing.TB, typ gguf.Type, n int, data []byte) Matrix {
	t.Helper()
	m, err := New(&gguf.Tensor{Name: "row", Type: typ, Dims: []uint64{uint64(n)}, Data: data})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestRowMatchesGgmlBitForBit(t *testing.T) {
	golden := readVectors(t)
	for name, want := range golden.Types {
		typ := gguf.Type(want.Type)
		if typ.String() != name || typ.BlockSize() != want.BlockSize || typ.BlockBytes() != want.BlockBytes {
			t.Errorf("type %d is %s of %d in %d bytes, want %s of %d in %d", want.Type,
				typ, typ.BlockSize(), typ.BlockBytes(), name, want.BlockSize, want.BlockBytes)
			continue
		}
		for _, v := range want.Vectors {
			got := make([]float32, v.N)
			rowMatrix(t, typ, v.N, unhex(t, v.BytesHex)).Row(got, 0)
			for i := range got {
				if math.Float32bits(got[i]) != math.Float32bits(v.Values[i]) {
					t.Errorf("%s, %s: element %d is %v, want %v", name, v.Source, i, got[i], v.Values[i])
					break
				}
			}
		}
		for i, bits := range want.Special.Bits {
			w, err := strconv.ParseUint(bits, 16, 32)
			if err != nil {
				t.Fatal(err)
			}
			got := make([]float32, len(want.Special.Bits))
			rowMatrix(t, typ, len(got), unhex(t, want.Special.BytesHex)).Row(got, 0)
			if math.Float32bits(got[i]) != uint32(w) {
				t.Errorf("%s special %d is %#x, want %#x", name, i, math.Float32bits(got[i]), w)
			}
		}
	}
	for typ := range formats {
		if _, ok := golden.Types[typ.String()]; !ok {
			t.Errorf("no golden vectors for %s", typ)
		}
	}
}
