package gguf

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

// expectedFile is what a file of testdata/reader must hold.
type expectedFile struct {
	File       string
	Version    uint32
	Endian     string
	Alignment  uint64
	DataOffset uint64 `json:"data_offset"`
	Metadata   []struct {
		Key, Type, Elem string
		Value           json.RawMessage
		Values          []json.RawMessage
	}
	Tensors []struct {
		Name       string
		Type       uint32 `json:"ggml_type"`
		Dims       []uint64
		Offset     uint64
		Absolute   uint64 `json:"absolute_offset"`
		Bytes      int    `json:"nbytes"`
		FirstBytes string `json:"first_bytes_hex"`
	}
}

func readExpected(t testing.TB) []expectedFile {
	t.Helper()
	b, err := os.ReadFile("testdata/reader/expected.json")
	if err != nil {
		t.Fatal(err)
	}
	var all struct{ Files []expectedFile }
	if err := json.Unmarshal(b, &all); err != nil {
		t.Fatal(err)
	}
	return all.Files
}

func TestReaderFindsEverything(t *testing.T) {
	for _, want := range readExpected(t) {
		f, err := Open(filepath.Join("testdata/reader", want.File))
		if want.Endian == "big" {
			if err == nil || !strings.Contains(err.Error(), "big-endian") {
				t.Errorf("%s: got error %v, want one that says big-endian", want.File, err)
			}
			continue
		}
		if err != nil {
			t.Error(err)
			continue
		}
		checkFile(t, f, want)
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
}

func checkFile(t *testing.T, f *File, want expectedFile) {
	t.Helper()
	if f.Version != want.Version || f.Alignment != want.Alignment || f.DataOffset != want.DataOffset {
		t.Errorf("%s: version %d, alignment %d, data at %d; want %d, %d, %d", want.File,
			f.Version, f.Alignment, f.DataOffset, want.Version, want.Alignment, want.DataOffset)
	}
	if len(f.Keys()) != len(want.Metadata) || len(f.Tensors) != len(want.Tensors) {
		t.Fatalf("%s: %d keys and %d tensors, want %d and %d", want.File,
			len(f.Keys()), len(f.Tensors), len(want.Metadata), len(want.Tensors))
	}
	for i, w := range want.Metadata {
		v, ok := f.Value(w.Key)
		if !ok || f.Keys()[i] != w.Key {
			t.Errorf("%s: key %d is %q, want %q", want.File, i, f.Keys()[i], w.Key)
			continue
		}
		got, wanted := v.Type.String()+" "+asGolden(v.Any()), w.Type+" "+plain(w.Value)
		if w.Type == "array" {
			var parts []string
			for _, x := range w.Values {
				parts = append(parts, plain(x))
			}
			got, wanted = v.Elem.String()+asGolden(v.Any()), w.Elem+"["+strings.Join(parts, " ")+"]"
		}
		if got != wanted {
			t.Errorf("%s: %s is %s, want %s", want.File, w.Key, got, wanted)
		}
	}
	for i, w := range want.Tensors {
		x := f.Tensors[i]
		byName, ok := f.Tensor(w.Name)
		if !ok || byName.Name != x.Name || x.Name != w.Name || uint32(x.Type) != w.Type || fmt.Sprint(x.Dims) != fmt.Sprint(w.Dims) {
			t.Errorf("%s: tensor %d is %q %s %v, want %q type %d %v", want.File, i, x.Name, x.Type, x.Dims, w.Name, w.Type, w.Dims)
		}
		first, err := hex.DecodeString(w.FirstBytes)
		if err != nil {
			t.Fatal(err)
		}
		if x.Offset != w.Absolute || x.Offset-f.DataOffset != w.Offset || len(x.Data) != w.Bytes || string(x.Data[:len(first)]) != string(first) {
			t.Errorf("%s: tensor %s is %d bytes at %d beginning %x, want %d at %d beginning %s", want.File,
				x.Name, len(x.Data), x.Offset, x.Data[:len(first)], w.Bytes, w.Absolute, w.FirstBytes)
		}
	}
}

// plain returns a JSON value as text, a string without its quotes.
func plain(v json.RawMessage) string {
	var s string
	if json.Unmarshal(v, &s) == nil {
		return s
	}
	return string(v)
}

// asGolden prints a value the way the golden file does.
func asGolden(v any) string {
	switch v := v.(type) {
	case float32:
		return golden(strconv.FormatFloat(float64(v), 'g', 9, 32))
	case float64:
		return golden(strconv.FormatFloat(v, 'g', 17, 64))
	case []float32:
		var parts []string
		for _, x := range v {
			parts = append(parts, asGolden(x))
		}
		return "[" + strings.Join(parts, " ") + "]"
	case []float64:
		var parts []string
		for _, x := range v {
			parts = append(parts, asGolden(x))
		}
		return "[" + strings.Join(parts, " ") + "]"
	default:
		return fmt.Sprint(v)
	}
}

// golden shortens 1.0000000000000000e+308 as the writer of the file did.
func golden(s string) string {
	v, err := strconv.ParseFloat(s, 64)
	if err == nil {
		if short := strconv.FormatFloat(v, 'g', -1, 64); len(short) < len(s) {
			return short
		}
	}
	return s
}

func TestGettersSayWhatIsWrong(t *testing.T) {
	b := new(builder).str("s", "a").u32("n", 7).u64("big", 1<<63).i32("neg", -1).f32("x", 0.5).bool("yes", 1).
		array("ints", Int32, 2, append(u32(1), u32(2)...)).
		array("negs", Int32, 1, u32(0xffffffff)).
		array("strs", String, 2, append(str("a"), str("")...))
	f, err := Parse("t.gguf", b.bytes())
	if err != nil {
		t.Fatal(err)
	}
	if v, ok, err := f.Uint("n"); v != 7 || !ok || err != nil {
		t.Errorf("Uint(n) = %v %v %v", v, ok, err)
	}
	if v, ok, err := f.Int("neg"); v != -1 || !ok || err != nil {
		t.Errorf("Int(neg) = %v %v %v", v, ok, err)
	}
	if v, ok, err := f.Strings("strs"); fmt.Sprintf("%q", v) != `["a" ""]` || !ok || err != nil {
		t.Errorf("Strings(strs) = %q %v %v", v, ok, err)
	}
	if v, ok, err := f.Uints("ints"); fmt.Sprint(v) != "[1 2]" || !ok || err != nil {
		t.Errorf("Uints(ints) = %v %v %v", v, ok, err)
	}
	if _, ok, err := f.Uint("absent"); ok || err != nil {
		t.Errorf("Uint(absent) = %v %v", ok, err)
	}
	for call, get := range map[string]func() error{
		"s at byte 37: is of type string, not an unsigned integer":            func() error { _, _, err := f.Uint("s"); return err },
		"neg at byte 101: is of type i32, not an unsigned integer":            func() error { _, _, err := f.Uint("neg"); return err },
		"big at byte 78: 9223372036854775808 is too large":                    func() error { _, _, err := f.Int("big"); return err },
		"n at byte 59: is of type u32, not a string":                          func() error { _, _, err := f.String("n"); return err },
		"x at byte 118: is of type f32, not a bool":                           func() error { _, _, err := f.Bool("x"); return err },
		"yes at byte 137: is of type bool, not a float":                       func() error { _, _, err := f.Float("yes"); return err },
		"x at byte 118: is of type f32, not an array of floats":               func() error { _, _, err := f.Floats("x"); return err },
		"ints at byte 154: is of type array of i32, not an integer":           func() error { _, _, err := f.Int("ints"); return err },
		"strs at byte 222: is of type array of string, not an array of bools": func() error { _, _, err := f.Bools("strs"); return err },
		"negs at byte 190: element 0 is -1, not at least 0":                   func() error { _, _, err := f.Uints("negs"); return err },
	} {
		err := get()
		var e *Error
		if !errors.As(err, &e) || err.Error() != "t.gguf: "+call {
			t.Errorf("got %v, want t.gguf: %s", err, call)
		}
	}
}

func TestHostileTextStaysOnOneLine(t *testing.T) {
	evil := "a\x1b[31m\nb\u202e\xff" + strings.Repeat("x", 500)
	f, err := Parse("t.gguf", new(builder).u32(evil, 1).bytes())
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = f.String(evil)
	if s := err.Error(); strings.ContainsAny(s, "\x1b\n\u202e") || !utf8.ValidString(s) || len(s) > 250 {
		t.Errorf("the error shows raw text: %q", s)
	}
}

// BenchmarkParse reads a vocabulary of 150,000 tokens and as many merges.
func BenchmarkParse(b *testing.B) {
	var tokens []byte
	const n = 150000
	for i := range n {
		tokens = append(tokens, str(fmt.Sprintf("token%d", i))...)
	}
	build := new(builder).array("tokenizer.ggml.tokens", String, n, tokens).array("tokenizer.ggml.merges", String, n, tokens)
	for i := range 1000 {
		build.tensor(fmt.Sprintf("blk.%d.weight", i), 1, 2)
	}
	data := build.bytes()
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		f, err := Parse("b", data)
		if err != nil {
			b.Fatal(err)
		}
		if _, _, err := f.Strings("tokenizer.ggml.tokens"); err != nil {
			b.Fatal(err)
		}
	}
}
