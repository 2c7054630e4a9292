package tokenizer

import (
	"bytes"
	"encoding/binary"
	"math"
	"testing"

	"logitscope/models/gguf"
)

// metadata builds a GGUF file that holds keys and no tensors.
type metadata struct {
	keys int
	body []byte
}

func appendString(b []byte, s string) []byte {
	b = binary.LittleEndian.AppendUint64(b, uint64(len(s)))
	return append(b, s...)
}

func (m *metadata) key(name string, kind uint32) {
	m.keys++
	m.body = appendString(m.body, name)
	m.body = binary.LittleEndian.AppendUint32(m.body, kind)
}

func (m *metadata) array(name string, kind uint32, n int) {
	m.key(name, 9)
	m.body = binary.LittleEndian.AppendUint32(m.body, kind)
	m.body = binary.LittleEndian.AppendUint64(m.body, uint64(n))
}

func (m *metadata) str(name, v string) {
	m.key(name, 8)
	m.body = appendString(m.body, v)
}

func (m *metadata) u32(name string, v uint32) {
	m.key(name, 4)
	m.body = binary.LittleEndian.AppendUint32(m.body, v)
}

func (m *metadata) boolean(name string, v bool) {
	m.key(name, 7)
	m.body = append(m.body, map[bool]byte{true: 1}[v])
}

func (m *metadata) strings(name string, vs []string) {
	m.array(name, 8, len(vs))
	for _, v := range vs {
		m.body = appendString(m.body, v)
	}
}

func (m *metadata) ints(name string, vs []int32) {
	m.array(name, 5, len(vs))
	for _, v := range vs {
		m.body = binary.LittleEndian.AppendUint32(m.body, uint32(v))
	}
}

func (m *metadata) floats(name string, vs []float32) {
	m.array(name, 6, len(vs))
	for _, v := range vs {
		m.body = binary.LittleEndian.AppendUint32(m.body, math.Float32bits(v))
	}
}

// file returns the bytes of the file.
func (m *metadata) file() []byte {
	b := []byte("GGUF")
	b = binary.LittleEndian.AppendUint32(b, 3)
	b = binary.LittleEndian.AppendUint64(b, 0)
	b = binary.LittleEndian.AppendUint64(b, uint64(m.keys))
	b = append(b, m.body...)
	for len(b)%32 != 0 {
		b = append(b, 0)
	}
	return b
}

// load parses a file and reads its vocabulary.
func load(t testing.TB, data []byte) *Vocab {
	t.Helper()
	f, err := gguf.Parse("test", data)
	if err != nil {
		t.Fatal(err)
	}
	v, err := New(f)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// bpeFile is a byte-level BPE vocabulary: the byte alphabet, the results of
// the merges that are no token yet, and more tokens of type control.
func bpeFile(pre string, merges []string, controls ...string) []byte {
	var m metadata
	m.str("tokenizer.ggml.model", "gpt2")
	m.str("tokenizer.ggml.pre", pre)
	var tokens []string
	seen := map[string]bool{}
	add := func(s string) {
		if !seen[s] {
			seen[s] = true
			tokens = append(tokens, s)
		}
	}
	for _, r := range byteRunes {
		add(string(r))
	}
	for _, mg := range merges {
		at := bytes.IndexByte([]byte(mg)[1:], ' ') + 1
		if at > 0 {
			add(mg[:at] + mg[at+1:])
		}
	}
	types := make([]int32, len(tokens), len(tokens)+len(controls))
	for i := range types {
		types[i] = 1
	}
	for _, c := range controls {
		tokens, types = append(tokens, c), append(types, 3)
	}
	m.strings("tokenizer.ggml.tokens", tokens)
	m.ints("tokenizer.ggml.token_type", types)
	m.strings("tokenizer.ggml.merges", merges)
	return m.file()
}

// spmFile is an SPM vocabulary: three specials, the bytes, and pieces whose
// scores fall in the order given. Settings are added by more.
func spmFile(pieces []string, more func(*metadata)) []byte {
	var m metadata
	m.str("tokenizer.ggml.model", "llama")
	tokens := []string{"<unk>", "<s>", "</s>"}
	types := []int32{2, 3, 3}
	const hexDigits = "0123456789ABCDEF"
	for b := range 256 {
		tokens = append(tokens, "<0x"+string(hexDigits[b>>4])+string(hexDigits[b&15])+">")
		types = append(types, 6)
	}
	for _, p := range pieces {
		tokens, types = append(tokens, p), append(types, 1)
	}
	scores := make([]float32, len(tokens))
	for i := range pieces {
		scores[259+i] = -float32(i)
	}
	m.strings("tokenizer.ggml.tokens", tokens)
	m.ints("tokenizer.ggml.token_type", types)
	m.floats("tokenizer.ggml.scores", scores)
	if more != nil {
		more(&m)
	}
	return m.file()
}

// replacePre returns a file that has no tensors with another value of
// tokenizer.ggml.pre.
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
