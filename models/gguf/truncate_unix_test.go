//go:build unix

package gguf

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestTruncatedWhileInUse(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.gguf")
	if err := os.WriteFile(path, new(builder).tensor("a", make([]float32, 1<<16)...).bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	f, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	sum := byte(0)
	read := func() {
		for _, b := range f.Tensors[0].Data {
			sum += b
		}
	}
	if err := f.Guard(read); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, 8192); err != nil {
		t.Fatal(err)
	}
	err = f.Guard(read)
	var e *Error
	if !errors.As(err, &e) || e.File != path || e.Offset < 8192 || !strings.Contains(e.Reason, "truncated") {
		t.Errorf("got error %v, want one at byte 8192", err)
	}
	defer func() {
		if r := recover(); r != "mine" {
			t.Errorf("Guard did not pass on another panic, but %v", r)
		}
	}()
	f.Guard(func() { panic("mine") })
}
