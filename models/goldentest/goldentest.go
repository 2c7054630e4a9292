// Package goldentest answers: where does a test find the cases that others
// computed? In its package's testdata, packed or not; a group of cases that is
// kept in a folder elsewhere, with more of them, also there.
package goldentest

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path"
	"path/filepath"
	"sync"
	"testing"
)

// Dir is the variable of the environment that names such a folder.
const Dir = "LOGITSCOPE_GOLDEN"

// Read returns what a file holds, unpacked if its name ends in .gz.
func Read(t testing.TB, name string) []byte {
	t.Helper()
	data, err := read(name)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func read(name string) ([]byte, error) {
	data, err := os.ReadFile(name)
	if err != nil || filepath.Ext(name) != ".gz" {
		return data, err
	}
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(z)
}

// JSON returns the value that a file holds, as [Read] reads it.
func JSON[V any](t testing.TB, name string) V {
	t.Helper()
	var v V
	if err := json.Unmarshal(Read(t, name), &v); err != nil {
		t.Fatal(name, err)
	}
	return v
}

// Lines returns the lines of a file, as [Read] reads it. There must be some.
func Lines(t testing.TB, name string) [][]byte {
	t.Helper()
	data := bytes.TrimSpace(Read(t, name))
	if len(data) == 0 {
		t.Fatal(name, "is empty")
	}
	return bytes.Split(data, []byte("\n"))
}

// Group returns the lines of group.jsonl in the folder "beyond" of what [Dir]
// names; those of a file of testdata where it names nothing.
func Group(t testing.TB, group, file string) [][]byte {
	t.Helper()
	if dir := os.Getenv(Dir); dir != "" {
		file = filepath.Join(dir, "beyond", group+".jsonl")
	}
	return Lines(t, file)
}

// Archive returns the files in a packed archive (.tar.gz), by their base names.
func Archive(t testing.TB, name string) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	for r := tar.NewReader(bytes.NewReader(Read(t, name))); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		if err != nil {
			t.Fatal(name, err)
		}
		if files[path.Base(h.Name)], err = io.ReadAll(r); err != nil {
			t.Fatal(name, err)
		}
	}
}

// A File is a file of one value that is read once, however many tests want it.
type File[V any] struct {
	Name string // as [Read] takes it
	once sync.Once
	v    V
}

// Value returns what the file holds. It is shared: nobody may change it.
func (f *File[V]) Value(t testing.TB) *V {
	t.Helper()
	f.once.Do(func() { f.v = JSON[V](t, f.Name) })
	return &f.v
}
