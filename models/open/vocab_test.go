package open

import (
	"bytes"
	"context"
	"encoding/binary"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"logitscope/models"
)

// vocabFile writes a GGUF file with a SentencePiece vocabulary of the pieces
// and no tensors, for an architecture that there is no transformer for.
func vocabFile(t *testing.T, pieces []string, after string) string {
	t.Helper()
	var b bytes.Buffer
	put := func(vs ...any) {
		for _, v := range vs {
			if s, ok := v.(string); ok {
				binary.Write(&b, binary.LittleEndian, uint64(len(s)))
				b.WriteString(s)
				continue
			}
			binary.Write(&b, binary.LittleEndian, v)
		}
	}
	const typeI32, typeF32, typeString, typeArray = uint32(5), uint32(6), uint32(8), uint32(9)
	b.WriteString("GGUF")
	put(uint32(3), uint64(0), uint64(5))
	put("general.architecture", typeString, "baichuan")
	put("tokenizer.ggml.model", typeString, "llama")
	n := uint64(len(pieces))
	put("tokenizer.ggml.tokens", typeArray, typeString, n)
	for _, p := range pieces {
		put(p)
	}
	put("tokenizer.ggml.scores", typeArray, typeF32, n)
	for i := range pieces {
		put(-float32(i))
	}
	put("tokenizer.ggml.token_type", typeArray, typeI32, n)
	for i := range pieces {
		put(map[bool]int32{true: 3, false: 1}[i < 3]) // control, normal
	}
	b.WriteString(after)
	path := filepath.Join(t.TempDir(), "vocab.gguf")
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestVocab(t *testing.T) {
	pieces := []string{"<unk>", "<s>", "</s>", "▁ab", "ab", "▁a", "b", "▁", "a"}
	v, holder, err := Vocab(context.Background(), vocabFile(t, pieces, ""), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got := v.Encode("ab b", models.EncodeOptions{}); !slices.Equal(got, []int32{3, 7, 6}) {
		t.Errorf("%v, want [3 7 6]", got)
	}
	if err := holder.Close(); err != nil {
		t.Error(err)
	}
	v, holder, err = Vocab(context.Background(), "fable", Options{})
	if err != nil || v.Size() != 4096 {
		t.Fatalf("fable: %v", err)
	}
	holder.Close()
	// A file whose tensors went missing is no vocabulary, nor is a bad list.
	for name, file := range map[string]string{
		"tensors":     vocabFile(t, pieces, strings.Repeat("\x00", 100)),
		"vocabulary":  vocabFile(t, nil, ""),
		"no file":     filepath.Join(t.TempDir(), "none.gguf"),
		"not a model": filepath.Join("..", "open", "vocab_test.go"),
	} {
		if _, _, err := Vocab(context.Background(), file, Options{}); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want an error of one line", name, err)
		}
	}
}
