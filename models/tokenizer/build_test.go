package tokenizer

import (
	"bytes"
	"encoding/binary"
	"testing"
)

// replacePre returns a GGUF file with another value of tokenizer.ggml.pre.
// The file must hold no tensors, or be aligned anew by chance: the probe
// vocabulary holds none.
func replacePre(t testing.TB, data []byte, name string) []byte {
	t.Helper()
	key := []byte("tokenizer.ggml.pre")
	at := bytes.Index(data, key)
	if at < 0 {
		t.Fatal("no tokenizer.ggml.pre in the file")
	}
	at += len(key) + 4 // the type of the value
	old := binary.LittleEndian.Uint64(data[at:])
	out := append([]byte(nil), data[:at]...)
	out = appendString(out, name)
	return append(out, data[at+8+int(old):]...)
}

func appendString(b []byte, s string) []byte {
	b = binary.LittleEndian.AppendUint64(b, uint64(len(s)))
	return append(b, s...)
}
