package lesson

import (
	"bufio"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"logitscope/sampling"
)

// names are what the cases name besides their own: presets without settings.
var names = Names{Preset: func(n string) (sampling.Config, error) {
	if slices.Contains([]string{"factual", "chat", "creative", "neutral", "greedy"}, n) {
		return sampling.Config{}, nil
	}
	return sampling.Config{}, errors.New(n + ": no such preset")
}}

// TestCases holds what can be said of a file without a model against cases
// made from the rules by hand: files without a fault, and files with one.
func TestCases(t *testing.T) {
	dir := "testdata"
	f, err := os.Open(filepath.Join(dir, "cases.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	s := bufio.NewScanner(f)
	for s.Scan() {
		var c struct {
			ID         string
			Files      []string
			Exit       int
			Task, Line int
			Has        []string
		}
		if err := json.Unmarshal(s.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		var faults []Fault
		ids := map[string]bool{}
		for _, name := range c.Files {
			src, _ := os.ReadFile(filepath.Join(dir, name))
			l, bad := Parse(src, name, names)
			if l != nil && ids[l.ID] {
				bad = []Fault{{Line: l.IDLine, Why: l.ID}}
			} else if l != nil {
				ids[l.ID] = true
			}
			faults = append(faults, bad...)
		}
		if c.Exit != 2 {
			if len(faults) > 0 {
				t.Errorf("%s: %+v", c.ID, faults)
			}
			continue
		}
		if len(faults) != 1 {
			t.Errorf("%s: want one fault, have %d: %+v", c.ID, len(faults), faults)
			continue
		}
		if faults[0].Task != c.Task || faults[0].Line != c.Line {
			t.Errorf("%s: task %d line %d, want %d %d: %s", c.ID, faults[0].Task, faults[0].Line, c.Task, c.Line, faults[0].Why)
		}
		for _, w := range c.Has {
			if !strings.Contains(strings.ToLower(faults[0].Why), strings.ToLower(w)) {
				t.Errorf("%s: %q lacks %q", c.ID, faults[0].Why, w)
			}
		}
	}
}

// names0 are settings that nobody set.
func names0(testing.TB) sampling.Config { return sampling.Config{} }
