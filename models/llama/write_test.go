package llama

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"logitscope/models/gguf"
)

// shapeOf is a llama model to be made of random weights.
type shapeOf struct {
	layers, embed, ff, heads, kvHeads, headLen, vocab, context int
}

// smol135 is the shape of a model of 135 million weights that people use.
var smol135 = shapeOf{layers: 30, embed: 576, ff: 1536, heads: 9, kvHeads: 3, headLen: 64, vocab: 49152, context: 2048}

// writeModel writes a model whose matrices are of a type and hold random
// blocks, and returns the path. The numbers are small, for logits that stay
// finite; they mean nothing.
func writeModel(b testing.TB, s shapeOf, typ gguf.Type) string {
	b.Helper()
	le := binary.LittleEndian
	str := func(out []byte, v string) []byte { return append(le.AppendUint64(out, uint64(len(v))), v...) }
	tokens := le.AppendUint64(le.AppendUint32(le.AppendUint32(nil, 9), 8), uint64(s.vocab))
	for i := range s.vocab {
		name := fmt.Sprintf("t%d", i)
		if i < 256 {
			name = byteName(i)
		}
		tokens = str(tokens, name)
	}
	var keys []byte
	n := uint64(0)
	put := func(key string, v []byte) {
		keys = append(str(keys, key), v...)
		n++
	}
	put("general.architecture", value("llama"))
	for key, v := range map[string]int{
		"context_length": s.context, "embedding_length": s.embed, "block_count": s.layers, "feed_forward_length": s.ff,
		"attention.head_count": s.heads, "attention.head_count_kv": s.kvHeads, "attention.key_length": s.headLen, "attention.value_length": s.headLen,
	} {
		put("llama."+key, value(v))
	}
	put("llama.attention.layer_norm_rms_epsilon", value(1e-5))
	put("tokenizer.ggml.model", value("gpt2"))
	put("tokenizer.ggml.pre", value("gpt-2"))
	put("tokenizer.ggml.tokens", tokens)
	put("tokenizer.ggml.merges", le.AppendUint64(le.AppendUint32(le.AppendUint32(nil, 9), 8), 0))

	var infos, data []byte
	tensors := uint64(0)
	r := rand.New(rand.NewPCG(1, 2))
	add := func(name string, typ gguf.Type, rows, cols int) {
		infos = str(infos, name)
		infos = le.AppendUint32(infos, 2)
		infos = le.AppendUint64(le.AppendUint64(infos, uint64(cols)), uint64(rows))
		infos = le.AppendUint64(le.AppendUint32(infos, uint32(typ)), uint64(len(data)))
		data = appendBlocks(data, r, typ, rows*cols)
		data = append(data, make([]byte, -len(data)&31)...)
		tensors++
	}
	q, kv := s.heads*s.headLen, s.kvHeads*s.headLen
	add("token_embd.weight", typ, s.vocab, s.embed)
	add("output_norm.weight", gguf.F32, 1, s.embed)
	for l := range s.layers {
		at := fmt.Sprintf("blk.%d.", l)
		add(at+"attn_norm.weight", gguf.F32, 1, s.embed)
		add(at+"attn_q.weight", typ, q, s.embed)
		add(at+"attn_k.weight", typ, kv, s.embed)
		add(at+"attn_v.weight", typ, kv, s.embed)
		add(at+"attn_output.weight", typ, s.embed, q)
		add(at+"ffn_norm.weight", gguf.F32, 1, s.embed)
		add(at+"ffn_gate.weight", typ, s.ff, s.embed)
		add(at+"ffn_up.weight", typ, s.ff, s.embed)
		add(at+"ffn_down.weight", typ, s.embed, s.ff)
	}
	out := le.AppendUint64(le.AppendUint64(le.AppendUint32([]byte("GGUF"), 3), tensors), n)
	out = append(append(out, keys...), infos...)
	out = append(out, make([]byte, -len(out)&31)...)
	path := b.TempDir() + "/model.gguf"
	if err := os.WriteFile(path, append(out, data...), 0o600); err != nil {
		b.Fatal(err)
	}
	return path
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
	le := binary.LittleEndian
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
