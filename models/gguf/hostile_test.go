package gguf

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"logitscope/models/goldentest"
)

type hostileCase struct {
	File, Wrong, Must string
	Byte              *int64
}

// readHostile returns the golden malformed files by name, and what each must
// give.
func readHostile(t testing.TB) (map[string][]byte, []hostileCase) {
	t.Helper()
	files := goldentest.Archive(t, "testdata/hostile.tar.gz")
	var m struct{ Cases []hostileCase }
	if err := json.Unmarshal(files["manifest.json"], &m); err != nil {
		t.Fatal(err)
	}
	delete(files, "manifest.json")
	return files, m.Cases
}

// modelLevel reports whether a file is sound as a file, and wrong only as a
// model: the reader must open it so that the model can refuse it.
func modelLevel(name string) bool {
	switch n := name[:3]; {
	case n == "025", n == "114", n == "120", n >= "072" && n <= "085":
		return true
	default:
		return n >= "158" && n < "285"
	}
}

// noticedAt is where the reader notices what began at another byte: a count
// that is off by one, a tensor whose size no longer fits the next offset, a
// file that ends early.
var noticedAt = map[string]int64{
	"011-one-byte.gguf":                              0,
	"023-n-tensors-plus-1.gguf":                      7390,
	"029-n-kv-minus-1.gguf":                          6741,
	"053-dup-key-same.gguf":                          6746,
	"063-array-nesting-2000.gguf":                    87,
	"069-string-array-one-more.gguf":                 4370,
	"092-alignment-2-31.gguf":                        6828,
	"094-alignment-4096-not-kept.gguf":               6882,
	"111-dims-product-overflow.gguf":                 6783,
	"113-dims-bytes-wrap.gguf":                       6795,
	"119-type-f64.gguf":                              6967,
	"121-type-i8.gguf":                               6849,
	"128-last-dims-wrap-to-0.gguf":                   7362,
	"129-last-dims-product-overflow.gguf":            7362,
	"132-truncated-inside-n_tensors.gguf":            8,
	"133-truncated-before-n_kv.gguf":                 8,
	"134-truncated-after-the-header.gguf":            8,
	"136-truncated-inside-a-key.gguf":                8,
	"137-truncated-inside-a-value-type.gguf":         8,
	"138-truncated-inside-a-value-length.gguf":       8,
	"139-truncated-inside-a-string-value.gguf":       8,
	"142-truncated-inside-an-array-of-f32.gguf":      4378,
	"143-truncated-inside-an-array-of-strings.gguf":  684,
	"144-truncated-inside-a-tensor-name-length.gguf": 6746,
	"146-truncated-inside-a-dimension.gguf":          6775,
	"147-truncated-inside-a-tensor-type.gguf":        6791,
	"149-truncated-before-the-padding.gguf":          6795,
	"150-truncated-before-the-data.gguf":             6795,
	"151-truncated-one-byte-into-the-data.gguf":      6795,
	"152-truncated-in-the-middle-of-the-data.gguf":   6795,
	"286-split-second-of-2.gguf":                     6791,
}

func TestHostileFiles(t *testing.T) {
	files, cases := readHostile(t)
	dir := t.TempDir()
	for _, c := range cases {
		path := filepath.Join(dir, c.File)
		if err := os.WriteFile(path, files[c.File], 0o644); err != nil {
			t.Fatal(err)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		f, err := Open(path)
		runtime.ReadMemStats(&after)
		if used := after.TotalAlloc - before.TotalAlloc; used > 1<<20 {
			t.Errorf("%s: %d bytes allocated for a file of %d", c.File, used, len(files[c.File]))
		}
		if err == nil {
			readAll(f)
			if c.Must == "reject" && !modelLevel(c.File) {
				t.Errorf("%s: accepted, though %s", c.File, c.Wrong)
			}
			if err := f.Close(); err != nil {
				t.Error(err)
			}
			continue
		}
		if c.Must == "accept" || modelLevel(c.File) {
			t.Errorf("%s: %v", c.File, err)
		}
		var e *Error
		if !errors.As(err, &e) || e.File != path || e.Field == "" || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: error %q does not say file and field on one line", c.File, err)
			continue
		}
		want, ok := noticedAt[c.File]
		if !ok && c.Byte != nil {
			want = *c.Byte
		}
		if e.Offset != want {
			t.Errorf("%s: noticed at byte %d, want %d: %v", c.File, e.Offset, want, err)
		}
	}
}

// readAll uses everything a file offers.
func readAll(f *File) {
	for _, k := range f.Keys() {
		v, _ := f.Value(k)
		_ = v.Any()
		_ = v.String()
		f.Uint(k)
		f.Int(k)
		f.Float(k)
		f.Bool(k)
		f.String(k)
		f.Uints(k)
		f.Ints(k)
		f.Floats(k)
		f.Bools(k)
		f.Strings(k)
	}
	for i := range f.Tensors {
		x := &f.Tensors[i]
		if n := len(x.Data); n > 0 {
			_ = x.Data[0] + x.Data[n-1]
		}
	}
}

func TestEveryPrefixAndEveryFlippedByte(t *testing.T) {
	data, err := os.ReadFile("testdata/reader/all-types-v3.gguf")
	if err != nil {
		t.Fatal(err)
	}
	whole, err := Parse("whole", data)
	if err != nil {
		t.Fatal(err)
	}
	last := whole.Tensors[len(whole.Tensors)-1]
	end := int(last.Offset) + len(last.Data)
	for n := range len(data) {
		_, err := Parse("prefix", data[:n:n])
		if ok := n >= end; ok != (err == nil) {
			t.Errorf("%d of %d bytes, data ends at %d: error %v", n, len(data), end, err)
		}
	}
	for i := range whole.DataOffset {
		for _, flip := range []byte{0x01, 0x80, 0xff} {
			bad := append([]byte(nil), data...)
			bad[i] ^= flip
			if f, err := Parse("flipped", bad); err == nil {
				readAll(f)
			}
		}
	}
}

func FuzzParse(f *testing.F) {
	files, _ := readHostile(f)
	for _, data := range files {
		if len(data) < 20000 {
			f.Add(data)
		}
	}
	for _, name := range []string{"all-types-v3.gguf", "all-types-v2.gguf", "all-types-align64.gguf"} {
		data, err := os.ReadFile("testdata/reader/" + name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := Parse("fuzz", data)
		if err != nil {
			var e *Error
			if !errors.As(err, &e) || strings.ContainsAny(err.Error(), "\n\x1b") || e.Offset > int64(len(data)) {
				t.Errorf("error %q", err)
			}
			return
		}
		readAll(file)
		next := file.DataOffset
		for _, x := range file.Tensors {
			if x.Offset != next || x.Elems()/uint64(x.Type.BlockSize())*uint64(x.Type.BlockBytes()) != uint64(len(x.Data)) {
				t.Errorf("tensor %q of %s %v has %d bytes at %d, want them at %d", x.Name, x.Type, x.Dims, len(x.Data), x.Offset, next)
			}
			next = pad(x.Offset-file.DataOffset+uint64(len(x.Data)), file.Alignment) + file.DataOffset
		}
	})
}
