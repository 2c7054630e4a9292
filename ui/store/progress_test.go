package store

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestProgressOfSeveralPrograms(t *testing.T) {
	path := filepath.Join(t.TempDir(), "deep", "progress.json")
	const each = 8
	var wg sync.WaitGroup
	for w := range 3 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			p := NewProgress(path) // a program of its own
			for i := range each {
				if err := p.Update("a", "sum", i, func(x *TaskProgress) { x.Tries++ }); err != nil {
					t.Error(err)
				}
				id := string(rune('b' + w))
				at := time.Unix(int64(i), 0).UTC()
				if err := p.Update(id, "sum", i, func(x *TaskProgress) { x.Done = &at }); err != nil {
					t.Error(err)
				}
			}
		}()
	}
	wg.Wait()
	all, err := NewProgress(path).Load()
	if err != nil {
		t.Fatal(err)
	}
	for i := range each {
		if n := all["a"].Tasks[i].Tries; n != 3 {
			t.Errorf("task %d: %d tries, want 3", i, n)
		}
	}
	for _, id := range []string{"b", "c", "d"} {
		if all[id].Count() != each {
			t.Errorf("%s: %d tasks done, want %d", id, all[id].Count(), each)
		}
	}
}

func TestProgressReset(t *testing.T) {
	p := NewProgress(filepath.Join(t.TempDir(), "progress.json"))
	for _, id := range []string{"a", "b"} {
		if err := p.Update(id, "s", 1, func(x *TaskProgress) { x.Hints = 2 }); err != nil {
			t.Fatal(err)
		}
	}
	if err := p.Reset("a"); err != nil {
		t.Fatal(err)
	}
	all, err := p.Load()
	if err != nil || len(all) != 1 || all["b"].Tasks[1].Hints != 2 || len(all["b"].Tasks) != 2 {
		t.Errorf("after a reset of a: %+v, %v", all, err)
	}
	if err := p.Reset(""); err != nil {
		t.Fatal(err)
	}
	if all, _ := p.Load(); len(all) != 0 {
		t.Errorf("after a reset of all: %+v", all)
	}
}

// A file that is not a progress is kept under another name, one of a newer
// program is not touched.
func TestProgressThatCannotBeRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "progress.json")
	p := NewProgress(path)
	for _, text := range []string{"{", "[]", `{"version":1}`, `{"lessons":{}}`, `{"version":1,"lessons":{"a":7}}`} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := p.Load(); err == nil || !strings.Contains(err.Error(), "progress.json.unread") {
			t.Errorf("%s: %v", text, err)
		}
		if b, _ := os.ReadFile(path + ".unread"); string(b) != text {
			t.Errorf("%s became %s", text, b)
		}
	}
	const newer = `{"version":2,"lessons":{},"stars":5}`
	if err := os.WriteFile(path, []byte(newer), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := p.Update("a", "s", 0, func(x *TaskProgress) { x.Tries++ }); err == nil {
		t.Error("the file of a newer program was taken")
	}
	if b, _ := os.ReadFile(path); string(b) != newer {
		t.Errorf("the file of a newer program became %s", b)
	}
}

func TestProgressWithoutAFolder(t *testing.T) {
	p := NewProgress("")
	if err := p.Update("a", "s", 0, func(x *TaskProgress) { x.Tries++ }); err != nil {
		t.Error(err)
	}
	if all, err := p.Load(); err != nil || len(all) != 0 {
		t.Errorf("%v, %v", all, err)
	}
}

func TestKeeperWritesAllInOrder(t *testing.T) {
	p := NewProgress(filepath.Join(t.TempDir(), "progress.json"))
	k := NewKeeper(p)
	for i := range 20 {
		k.Update("a", "s", i%3, func(x *TaskProgress) { x.Tries, x.Hints = x.Tries+1, i })
	}
	if err := k.Close(); err != nil {
		t.Fatal(err)
	}
	all, err := p.Load()
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []TaskProgress{{Tries: 7, Hints: 18}, {Tries: 7, Hints: 19}, {Tries: 6, Hints: 17}} {
		if got := all["a"].Tasks[i]; got != want {
			t.Errorf("task %d: %+v, want %+v", i, got, want)
		}
	}
}
