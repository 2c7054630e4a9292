package ollama

import (
	"encoding/binary"
	"math"
	"slices"
	"strings"

	"logitscope/models"
	"logitscope/models/gguf"
	"logitscope/models/tokenizer"
)

// Types of values in a GGUF file.
const (
	ggufUint32  = 4
	ggufInt32   = 5
	ggufFloat32 = 6
	ggufBool    = 7
	ggufString  = 8
	ggufArray   = 9
)

// tokenizerOf makes a vocabulary from the metadata of a GGUF file that came
// as JSON, by writing the keys that tokenizers have back as such a file.
func tokenizerOf(info map[string]any) (models.Vocab, error) {
	var keys []string
	for k, v := range info {
		if v != nil && (strings.HasPrefix(k, "tokenizer.ggml.") || k == "general.name" || k == "general.architecture") {
			keys = append(keys, k)
		}
	}
	slices.Sort(keys)
	var body []byte
	n := 0
	for _, k := range keys {
		if next, ok := appendValue(appendText(body, k), k, info[k]); ok {
			body = next
			n++
		}
	}
	file := append([]byte("GGUF"), 3, 0, 0, 0)
	file = binary.LittleEndian.AppendUint64(file, 0) // tensors
	file = binary.LittleEndian.AppendUint64(file, uint64(n))
	f, err := gguf.Parse("metadata", append(file, body...))
	if err != nil {
		return nil, err
	}
	return tokenizer.New(f)
}

func appendText(b []byte, s string) []byte {
	b = binary.LittleEndian.AppendUint64(b, uint64(len(s)))
	return append(b, s...)
}

// appendValue appends the type and the value of a key. It reports false for a
// value that no tokenizer needs.
func appendValue(b []byte, key string, v any) ([]byte, bool) {
	switch v := v.(type) {
	case string:
		return appendText(binary.LittleEndian.AppendUint32(b, ggufString), v), true
	case bool:
		b = binary.LittleEndian.AppendUint32(b, ggufBool)
		if v {
			return append(b, 1), true
		}
		return append(b, 0), true
	case float64:
		if v != math.Trunc(v) || v < 0 || v > math.MaxUint32 {
			return b, false
		}
		b = binary.LittleEndian.AppendUint32(b, ggufUint32)
		return binary.LittleEndian.AppendUint32(b, uint32(v)), true
	case []any:
		return appendArray(b, key, v)
	}
	return b, false
}

// appendArray appends a list of strings or of numbers: scores are floats, all
// other numbers are whole.
func appendArray(b []byte, key string, list []any) ([]byte, bool) {
	elem := uint32(ggufInt32)
	if key == "tokenizer.ggml.scores" {
		elem = ggufFloat32
	}
	if len(list) > 0 {
		if _, ok := list[0].(string); ok {
			elem = ggufString
		}
	}
	b = binary.LittleEndian.AppendUint32(b, ggufArray)
	b = binary.LittleEndian.AppendUint32(b, elem)
	b = binary.LittleEndian.AppendUint64(b, uint64(len(list)))
	for _, v := range list {
		switch elem {
		case ggufString:
			s, _ := v.(string)
			b = appendText(b, s)
		case ggufFloat32:
			f, _ := v.(float64)
			b = binary.LittleEndian.AppendUint32(b, math.Float32bits(float32(f)))
		default:
			f, _ := v.(float64)
			b = binary.LittleEndian.AppendUint32(b, uint32(int32(max(math.MinInt32, min(f, math.MaxInt32)))))
		}
	}
	return b, true
}
