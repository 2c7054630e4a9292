//go:build unix

package quant

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"logitscope/models/gguf"
)

// TestTruncatedFileIsAnError cuts a mapped file short while it is being
// multiplied by: the kernels must not take the program down with them.
func TestTruncatedFileIsAnError(t *testing.T) {
	const rows, cols = 64, 4096
	for _, typ := range []gguf.Type{gguf.F32, gguf.Q8_0, gguf.Q4_K, gguf.IQ2_XS} {
		path := filepath.Join(t.TempDir(), "m.gguf")
		if err := os.WriteFile(path, fileOf(typ, rows, cols), 0o644); err != nil {
			t.Fatal(err)
		}
		f, err := gguf.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		m, err := New(&f.Tensors[0])
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range []int{1, 4, 9} {
			var a Activations
			a.Set(make([]float32, n*cols), n, cols)
			dst := make([]float32, n*rows)
			if err := f.Guard(func() { m.Mul(dst, &a, 0, rows) }); (err != nil) != (n > 1) {
				t.Errorf("%s, %d vectors: error %v", typ, n, err)
			}
			if err := os.Truncate(path, 8192); err != nil {
				t.Fatal(err)
			}
			err := f.Guard(func() { m.Mul(dst, &a, 0, rows) })
			var e *gguf.Error
			if !errors.As(err, &e) || e.File != path {
				t.Errorf("%s, %d vectors, truncated: error %v", typ, n, err)
			}
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
}

// fileOf returns a GGUF file with one matrix of zeros.
func fileOf(typ gguf.Type, rows, cols uint64) []byte {
	var b bytes.Buffer
	put := func(v any) { binary.Write(&b, binary.LittleEndian, v) }
	b.WriteString("GGUF")
	put(uint32(3))
	put([]uint64{1, 0, 1}) // tensors, keys, length of the name
	b.WriteByte('w')
	put(uint32(2))
	put([]uint64{cols, rows})
	put(uint32(typ))
	put(uint64(0))
	b.Write(make([]byte, (32-b.Len()%32)%32))
	b.Write(make([]byte, int(rows*cols)/typ.BlockSize()*typ.BlockBytes()))
	return b.Bytes()
}
