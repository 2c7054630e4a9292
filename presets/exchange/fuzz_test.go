package exchange

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"logitscope/presets/exchange/carrier"
)

// seeds gives a fuzz target every file of the corpora.
func seeds(f *testing.F) {
	for _, dir := range []string{"testdata/golden", "testdata/ollama"} {
		err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || filepath.Ext(name) == ".jsonl" {
				return err
			}
			data, err := os.ReadFile(name)
			f.Add(data)
			return err
		})
		if err != nil {
			f.Fatal(err)
		}
	}
}

// checkLines reports entries whose lines are none of the text's.
func checkLines(t *testing.T, text string, s *source) {
	if s == nil {
		return
	}
	last := strings.Count(text, "\n") + strings.Count(text, "\r") + 1
	for _, e := range s.entries {
		if e.Line < 0 || e.Line > last {
			t.Errorf("%s stands in line %d of %d", e.Key, e.Line, last)
		}
	}
	for _, u := range s.unread {
		if u.Line < 0 || u.Line > last {
			t.Errorf("%s stands in line %d of %d", u.Key, u.Line, last)
		}
	}
}

func FuzzPython(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		s, _, _ := pythonSource(string(data), 1)
		checkLines(t, string(data), s)
	})
}

func FuzzShell(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		s, _ := shellSource(string(data), 1, 1)
		checkLines(t, string(data), s)
	})
}

func FuzzYAML(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		s, _ := yamlSource(data, 1)
		checkLines(t, string(data), s)
	})
}

func FuzzINI(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		if lines, ok := readINI(string(data)); ok {
			s, _ := iniSource(lines, 1)
			checkLines(t, string(data), s)
		}
		s, _ := unitSource(string(data))
		checkLines(t, string(data), s)
	})
}

func FuzzModelfile(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		checkLines(t, string(data), modelfileSource(string(data)))
	})
}

func FuzzJSON(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		o, err := carrier.ReadObject(data, 1)
		if err != nil {
			return
		}
		s, _ := jsonSource(o, nil)
		checkLines(t, string(data), s)
	})
}
