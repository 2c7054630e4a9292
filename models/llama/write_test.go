package llama

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"logitscope/models/gguf"
)

// shapeOf is a model to be made of random weights.
type shapeOf struct {
	arch                                                       string // of those with the tensors of llama; empty is llama
	layers, embed, ff, heads, kvHeads, headLen, vocab, context int
}

// smol135 is the shape of a model of 135 million weights that people use.
var smol135 = shapeOf{layers: 30, embed: 576, ff: 1536, heads: 9, kvHeads: 3, headLen: 64, vocab: 49152, context: 2048}

// A ggufWriter collects the parts of a file.
type ggufWriter struct {
	keys, infos, data []byte
	nKeys, nTensors   uint64
	rand              *rand.Rand
}

var le = binary.LittleEndian

func appendString(out []byte, v string) []byte {
	return append(le.AppendUint64(out, uint64(len(v))), v...)
}

func (w *ggufWriter) key(name string, v []byte) {
	w.keys = append(appendString(w.keys, name), v...)
	w.nKeys++
}

// tensor adds a (rows, cols) tensor of random blocks.
func (w *ggufWriter) tensor(name string, typ gguf.Type, rows, cols int) {
	w.infos = le.AppendUint32(appendString(w.infos, name), 2)
	w.infos = le.AppendUint64(le.AppendUint64(w.infos, uint64(cols)), uint64(rows))
	w.infos = le.AppendUint64(le.AppendUint32(w.infos, uint32(typ)), uint64(len(w.data)))
	w.data = appendBlocks(w.data, w.rand, typ, rows*cols)
	w.data = append(w.data, make([]byte, -len(w.data)&31)...)
	w.nTensors++
}

func (w *ggufWriter) bytes() []byte {
	out := le.AppendUint64(le.AppendUint64(le.AppendUint32([]byte("GGUF"), 3), w.nTensors), w.nKeys)
	out = append(append(out, w.keys...), w.infos...)
	out = append(out, make([]byte, -len(out)&31)...)
	return append(out, w.data...)
}

// writeModel writes a model whose matrices are of a type and hold random
// blocks, and returns the path. The numbers are small, for logits that stay
// finite; they mean nothing.
func writeModel(b testing.TB, s shapeOf, typ gguf.Type) string {
	b.Helper()
	w := &ggufWriter{rand: rand.New(rand.NewPCG(1, 2))}
	arch := cmp.Or(s.arch, "llama")
	w.key("general.architecture", value(arch))
	for key, v := range map[string]int{
		"context_length": s.context, "embedding_length": s.embed, "block_count": s.layers, "feed_forward_length": s.ff,
		"attention.head_count": s.heads, "attention.head_count_kv": s.kvHeads, "attention.key_length": s.headLen, "attention.value_length": s.headLen,
	} {
		w.key(arch+"."+key, value(v))
	}
	w.key(arch+".attention.layer_norm_rms_epsilon", value(1e-5))
	w.key("tokenizer.ggml.model", value("gpt2"))
	w.key("tokenizer.ggml.pre", value("gpt-2"))
	w.key("tokenizer.ggml.tokens", tokenList(s.vocab))
	w.key("tokenizer.ggml.merges", le.AppendUint64(le.AppendUint32(le.AppendUint32(nil, 9), 8), 0))

	q, kv := s.heads*s.headLen, s.kvHeads*s.headLen
	w.tensor("token_embd.weight", typ, s.vocab, s.embed)
	w.tensor("output_norm.weight", gguf.F32, 1, s.embed)
	for l := range s.layers {
		at := fmt.Sprintf("blk.%d.", l)
		w.tensor(at+"attn_norm.weight", gguf.F32, 1, s.embed)
		w.tensor(at+"attn_q.weight", typ, q, s.embed)
		w.tensor(at+"attn_k.weight", typ, kv, s.embed)
		w.tensor(at+"attn_v.weight", typ, kv, s.embed)
		w.tensor(at+"attn_output.weight", typ, s.embed, q)
		w.tensor(at+"ffn_norm.weight", gguf.F32, 1, s.embed)
		w.tensor(at+"ffn_gate.weight", typ, s.ff, s.embed)
		w.tensor(at+"ffn_up.weight", typ, s.ff, s.embed)
		w.tensor(at+"ffn_down.weight", typ, s.embed, s.ff)
	}
	path := filepath.Join(b.TempDir(), "model.gguf")
	if err := os.WriteFile(path, w.bytes(), 0o600); err != nil {
		b.Fatal(err)
	}
	return path
}

// tokenList encodes names for n tokens, of which the first are the bytes.
func tokenList(n int) []byte {
	out := le.AppendUint64(le.AppendUint32(le.AppendUint32(nil, 9), 8), uint64(n))
	for i := range n {
		name := fmt.Sprintf("t%d", i)
		if i < 256 {
			name = byteName(i)
		}
		out = appendString(out, name)
	}
	return out
}

// byteName is how byte-level BPE writes a byte.
func byteName(b int) string {
	printable := func(b int) bool { return b > ' ' && b < 0x7f || b > 0xa0 && b != 0xad }
	if printable(b) {
		return string(rune(b))
	}
	n := 0
	for i := range b {
		if !printable(i) {
			n++
		}
	}
	return string(rune(256 + n))
}

// appendBlocks appends random elements of a type.
func appendBlocks(data []byte, r *rand.Rand, typ gguf.Type, elems int) []byte {
	const small = 0x1800 // 0.002 as a half
	if typ == gguf.F32 {
		for range elems {
			data = le.AppendUint32(data, math.Float32bits(1))
		}
		return data
	}
	block := make([]byte, typ.BlockBytes())
	for range elems / typ.BlockSize() {
		for i := 0; i+8 <= len(block); i += 8 {
			le.PutUint64(block[i:], r.Uint64())
		}
		le.PutUint16(block, small)
		if typ == gguf.Q4_K {
			le.PutUint16(block[2:], small)
		}
		data = append(data, block...)
	}
	return data
}
