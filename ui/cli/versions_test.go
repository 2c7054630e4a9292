package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Files that earlier programs wrote open, and what a newer one would write is
// refused by its version. The files in testdata/versions stay as they are: a
// new form adds a file.
func TestVersionsOfOurFiles(t *testing.T) {
	t.Parallel()
	type use struct {
		file  string
		home  string // where the program looks for it in its folder; empty for a file that is named
		args  string // FILE stands for the file
		shows string
		newer [2]string // what makes it a newer program's file; empty for a form without versions
		says  string    // of that
	}
	for _, u := range []use{
		{"run.1.jsonl", "", "replay FILE --verify", "4 of 4 steps not decidable", [2]string{`"version":1`, `"version":3`}, "version: 3 is of a newer program, this one reads 1 to 2"},
		{"run.2.jsonl", "", "replay FILE --verify", "2 of 2 steps not decidable", [2]string{`"version":2`, `"version":3`}, "version: 3 is of a newer program, this one reads 1 to 2"},
		{"run.2.jsonl", "", "models info tape:FILE", "fable", [2]string{`"version":2`, `"version":3`}, "version: 3 is of a newer program, this one reads 1 to 2"},
		{"bench.2.jsonl", "", "bench --prompt x --config chat --baseline FILE --max-new-tokens 2", "no prompt of the set was recorded", [2]string{`"version":2`, `"version":3`}, "version: 3 is of a newer program, this one reads 2"},
		{"votes.1.jsonl", "", "vote --tally FILE", "2 votes", [2]string{`"pair"`, `"version":2,"pair"`}, "version: 2 is of a newer program, this one reads 1"},
		{"preset.1.json", "presets/mine.json", "config show --preset mine", "temperature", [2]string{`"name"`, `"version": 2, "name"`}, "version: 2 is of a newer program, this one reads 1"},
		{"progress.1.json", "progress.json", "lessons progress", "temperature", [2]string{`"version":1`, `"version":2`}, "of a newer version of the program"},
		{"lesson.md", "", "lessons check FILE", "temperature", [2]string{"\norder:", "\nversion: 2\norder:"}, "version"},
	} {
		data, err := os.ReadFile(filepath.Join("testdata/versions", u.file))
		if err != nil {
			t.Fatal(err)
		}
		run := func(text string) string {
			dir := t.TempDir()
			path := filepath.Join(dir, filepath.FromSlash(u.home))
			if u.home == "" {
				path = filepath.Join(dir, u.file)
			}
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
			out, errs, _ := tryIn(t, dir, "", strings.Fields(strings.ReplaceAll(u.args, "FILE", path))...)
			return out + errs
		}
		if got := run(string(data)); !strings.Contains(got, u.shows) || strings.Contains(got, "newer") {
			t.Errorf("%s: %.600s\nwant %q", u.file, got, u.shows)
		}
		changed := strings.Replace(string(data), u.newer[0], u.newer[1], 1)
		if changed == string(data) {
			t.Fatalf("%s has no %s", u.file, u.newer[0])
		}
		if got := run(changed); !strings.Contains(got, u.says) {
			t.Errorf("%s of a newer program: %.600s\nwant %q", u.file, got, u.says)
		}
	}
}
