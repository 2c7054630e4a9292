//go:build unix

package store

import (
	"path/filepath"
	"syscall"
	"testing"
)

// TestPipeIsNoPreset lists a folder that has a named pipe among its presets,
// which opening would wait for.
func TestPipeIsNoPreset(t *testing.T) {
	dir := t.TempDir()
	s := UserPresets(dir)
	if _, err := s.Save(preset("mine", 0.5), false); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(s.dir, "pipe.json")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Skip(err)
	}
	list, problems := s.List()
	if len(list) != 1 || len(problems) != 1 || problems[0].Error() != path+" is a named pipe, not a file" {
		t.Errorf("%v, %v", list, problems)
	}
}
