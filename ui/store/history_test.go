package store

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"
)

// Windows that save at the same time keep one another's prompts.
func TestHistoryOfSeveralWindows(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history.json")
	var wg sync.WaitGroup
	for window := range 4 {
		wg.Go(func() {
			h := NewHistory(path, 100)
			for i := range 5 {
				if err := h.Add(fmt.Sprint(window, " ", i)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	list, err := NewHistory(path, 100).Load()
	if err != nil || len(list) != 20 {
		t.Fatalf("%d prompts, %v; want 20", len(list), err)
	}
	for window := range 4 { // each in its own order
		last := -1
		for i := range 5 {
			at := slices.Index(list, fmt.Sprint(window, " ", i))
			if at <= last {
				t.Errorf("window %d: prompt %d stands at %d, after %d", window, i, at, last)
			}
			last = at
		}
	}
}

func TestHistoryKeepsTheNewest(t *testing.T) {
	h := NewHistory(filepath.Join(t.TempDir(), "deep", "history.json"), 2)
	for _, p := range []string{"a", "b", "b", "c"} {
		if err := h.Add(p); err != nil {
			t.Fatal(err)
		}
	}
	if list, err := h.Load(); err != nil || !slices.Equal(list, []string{"b", "c"}) {
		t.Errorf("%q, %v", list, err)
	}
}

// What is no history is put aside, and nothing overwrites it.
func TestHistoryThatCannotBeRead(t *testing.T) {
	for _, text := range []string{"", "{", `{"a":1}`, `[1]`, "\x00\xff"} {
		path := filepath.Join(t.TempDir(), "history.json")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		h := NewHistory(path, 9)
		if list, err := h.Load(); err == nil || list != nil {
			t.Errorf("%q: %q, %v", text, list, err)
		}
		if err := h.Add("new"); err != nil {
			t.Error(err)
		}
		aside, err := os.ReadFile(path + ".unread")
		if list, _ := h.Load(); err != nil || string(aside) != text || !slices.Equal(list, []string{"new"}) {
			t.Errorf("%q: aside %q, %v; history %q", text, aside, err, list)
		}
	}
}

// Files of saves that were killed go; those of a save under way stay.
func TestSweepLeftovers(t *testing.T) {
	dir := t.TempDir()
	presets := UserPresets(dir).Dir()
	if err := os.MkdirAll(presets, 0o700); err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	for name, age := range map[string]time.Duration{
		filepath.Join(dir, tempPrefix+"1"): 2 * time.Hour, filepath.Join(presets, tempPrefix+"2"): 2 * time.Hour,
		filepath.Join(dir, tempPrefix+"3"): time.Minute, filepath.Join(dir, "keys"): 3 * time.Hour,
	} {
		if err := os.WriteFile(name, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(name, now.Add(-age), now.Add(-age)); err != nil {
			t.Fatal(err)
		}
	}
	SweepLeftovers(dir, now)
	left, _ := filepath.Glob(filepath.Join(dir, "*"))
	more, _ := filepath.Glob(filepath.Join(presets, ".*"))
	if len(left) != 3 || len(more) != 0 {
		t.Errorf("left %q %q", left, more)
	}
}

func TestKinds(t *testing.T) {
	config, cache := t.TempDir(), t.TempDir()
	write := func(name string, n int) {
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, make([]byte, n), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(filepath.Join(config, "presets", "a.json"), 10)
	write(filepath.Join(config, "history.json"), 5)
	write(filepath.Join(cache, "models", "x", "m.gguf"), 100)
	want := map[string]int64{"presets": 10, "history": 5, "models": 100}
	for _, k := range Kinds(config, cache, config) {
		u, err := k.Usage()
		if err != nil || u.Bytes != want[k.Name] || (u.Files > 0) != (want[k.Name] > 0) {
			t.Errorf("%s: %+v, %v, want %d bytes", k.Name, u, err, want[k.Name])
		}
		if err := k.Delete(); err != nil {
			t.Error(err)
		}
		if u, _ := k.Usage(); u.Files != 0 {
			t.Errorf("%s: %d files are left", k.Name, u.Files)
		}
	}
	for _, k := range Kinds("", "", "") {
		if u, err := k.Usage(); err != nil || u.Files > 0 || len(k.Paths) > 0 {
			t.Errorf("%s without folders: %+v, %v", k.Name, u, err)
		}
	}
}
