package gguf

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// splitModel returns three files of one model.
func splitModel() [][]byte {
	part := func(no int) *builder { return new(builder).u16("split.no", uint16(no)).u16("split.count", 3) }
	return [][]byte{
		part(0).str("general.architecture", "llama").i32("split.tensors.count", 3).bytes(),
		part(1).tensor("a", 1, 2).tensor("b", 3).bytes(),
		part(2).tensor("c", 4, 5, 6).bytes(),
	}
}

func writeSplit(t *testing.T, dir string, parts [][]byte) []string {
	t.Helper()
	var paths []string
	for i, p := range parts {
		path := filepath.Join(dir, fmt.Sprintf("m-%05d-of-%05d.gguf", i+1, len(parts)))
		if err := os.WriteFile(path, p, 0o644); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	return paths
}

func TestSplitFilesOpenAsOne(t *testing.T) {
	dir := t.TempDir()
	paths := writeSplit(t, dir, splitModel())
	if err := os.WriteFile(filepath.Join(dir, "mmproj-m.gguf"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{dir, paths[0]} {
		f, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		if len(f.Tensors) != 3 || len(f.Parts) != 3 {
			t.Fatalf("%d tensors in %d files", len(f.Tensors), len(f.Parts))
		}
		if arch, _, _ := f.String("general.architecture"); arch != "llama" {
			t.Errorf("architecture %q", arch)
		}
		c, ok := f.Tensor("c")
		if !ok || c.File != paths[2] || len(c.Data) != 12 || c.Data[2] != 0x80 || c.Data[3] != 0x40 {
			t.Errorf("tensor c is %+v", c)
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
		if err := f.Close(); err != nil {
			t.Error("second Close:", err)
		}
	}
}

func TestSplitFilesRefused(t *testing.T) {
	again := splitModel()
	again[2] = new(builder).u16("split.no", 2).u16("split.count", 3).tensor("a", 1).bytes()
	fewer := splitModel()
	fewer[2] = new(builder).u16("split.no", 2).u16("split.count", 3).bytes()
	swapped := splitModel()
	swapped[1], swapped[2] = swapped[2], swapped[1]
	plain := splitModel()
	plain[1] = new(builder).tensor("a", 1).bytes()
	for want, parts := range map[string][][]byte{
		"occurs in an earlier file":       again,
		"is 3, but the files hold 2":      fewer,
		"is 2, not 1":                     swapped,
		"is 1, but the model has 3 files": plain,
		"is 3, but the model has 2 files": splitModel()[:2],
	} {
		_, err := Open(writeSplit(t, t.TempDir(), parts)[0])
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got error %v, want %q", err, want)
		}
	}
	paths := writeSplit(t, t.TempDir(), splitModel())
	if _, err := Open(paths[1]); err == nil || !strings.Contains(err.Error(), paths[0]) {
		t.Errorf("second file: error %v does not name the first", err)
	}
	if err := os.Remove(paths[2]); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(paths[0]); err == nil || !strings.Contains(err.Error(), paths[2]) {
		t.Errorf("missing file: error %v does not name it", err)
	}
	if _, err := Parse("one", splitModel()[0]); err == nil || !strings.Contains(err.Error(), "file 1 of a model split into 3") {
		t.Errorf("part in memory: error %v", err)
	}
}

func TestFolders(t *testing.T) {
	dir := t.TempDir()
	if _, err := Open(dir); err == nil || !strings.Contains(err.Error(), "holds no .gguf file") {
		t.Errorf("empty folder: error %v", err)
	}
	for _, name := range []string{"a.gguf", "b.GGUF"} {
		if err := os.WriteFile(filepath.Join(dir, name), new(builder).tensor("a", 1).bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		f, err := Open(dir)
		if name == "b.GGUF" {
			if err == nil || !strings.Contains(err.Error(), "holds 2 models (a.gguf, b.GGUF") {
				t.Errorf("two models: error %v", err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		f.Close()
	}
	if _, err := Open(os.DevNull); err == nil {
		t.Error("a device opened as a model")
	}
}
