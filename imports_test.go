package main

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// A rule says what the packages in a folder may never import. What they do is
// the figure in the README.
type rule struct {
	dir   string   // the folder, its subfolders included
	never []string // import paths, their subpackages included
	but   []string // exceptions within never
}

const charm = "github.com/charmbracelet/"

var rules = []rule{
	{"sampling", []string{"logitscope/", "os", "context", "net", charm}, []string{"logitscope/sampling", "net/url"}},
	{"sampling/constrain/lang", []string{"logitscope/"}, nil},
	{"sampling/constrain/jsonvalue", []string{"logitscope/"}, []string{"logitscope/sampling/constrain/lang"}},
	{"sampling/constrain/schema", []string{"logitscope/"}, []string{"logitscope/sampling/constrain/lang", "logitscope/sampling/constrain/jsonvalue"}},
	{"sampling/constrain/grammar", []string{"logitscope/"}, []string{"logitscope/sampling/constrain/lang", "logitscope/sampling/constrain/jsonvalue"}},
	{"sampling/constrain/program", []string{"logitscope/"}, []string{"logitscope/sampling/constrain/lang"}},
	{"sampling/constrain/automaton", []string{"logitscope/"}, []string{"logitscope/sampling/constrain/lang", "logitscope/sampling/constrain/program"}},
	{"sampling/dist", []string{"logitscope/"}, nil},
	{"sampling/dry", []string{"logitscope/"}, nil},
	{"sampling/inert", []string{"logitscope/"}, []string{"logitscope/sampling/value"}},
	{"sampling/luck", []string{"logitscope/"}, nil},
	{"sampling/param", []string{"logitscope/"}, []string{"logitscope/sampling/value"}},
	{"sampling/partial", []string{"logitscope/"}, nil},
	{"sampling/simd", []string{"logitscope/"}, nil},
	{"sampling/thinking", []string{"logitscope/"}, nil},
	{"sampling/value", []string{"logitscope/"}, nil},
	{"sampling/watermark", []string{"logitscope/"}, []string{"logitscope/sampling/luck"}},
	{"sampling/row", []string{"logitscope/"}, []string{"logitscope/sampling/simd"}},
	{"models", []string{"logitscope/", charm}, []string{"logitscope/models"}},
	{"models/chat/jinja/python", []string{"logitscope/"}, nil},
	{"models/chat/jinja", []string{"logitscope/"}, []string{"logitscope/models/chat/jinja/python"}},
	{"viz", []string{"logitscope/", charm + "bubbletea", "os", "net"}, []string{"logitscope/viz"}},
	{"presets", []string{"logitscope/", "os", charm}, []string{"logitscope/presets", "logitscope/sampling"}},
	{"engine", []string{"logitscope/ui", "logitscope/viz", "logitscope/presets", charm}, nil},
	{"engine/rows", []string{"logitscope/"}, []string{"logitscope/models", "logitscope/sampling"}},
	{"engine/beam", []string{"logitscope/engine"}, []string{"logitscope/engine/rows"}},
	{"engine/contrastive", []string{"logitscope/engine"}, []string{"logitscope/engine/rows"}},
	{"engine/loops", []string{"logitscope/"}, nil},
	{"engine/several", []string{"logitscope/"}, nil},
	{"engine/lookahead", []string{"logitscope/"}, nil},
	{"engine/phrases", []string{"logitscope/"}, nil},
	{"engine/cost", []string{"logitscope/"}, nil},
	{"engine/score", []string{"logitscope/engine"}, []string{"logitscope/engine/stats"}},
	{"engine/speculative", []string{"logitscope/engine"}, []string{"logitscope/engine/several", "logitscope/engine/lookahead"}},
	{"engine/goal", []string{"logitscope/engine/lesson", "logitscope/engine/record", "logitscope/engine/bench", "os"}, nil},
	{"engine/lesson", []string{"logitscope/engine/record", "logitscope/engine/bench", "os"}, nil},
	{"engine/check", []string{"logitscope/"}, []string{"logitscope/engine/check", "logitscope/engine/loops", "logitscope/sampling/constrain"}},
	{"engine/quiz", []string{"logitscope/", "os"}, nil},
	{"engine/stats", []string{"logitscope/"}, []string{"logitscope/engine/stats"}},
	{"engine/schedule", []string{"logitscope/"}, []string{"logitscope/sampling"}},
	{"engine/inside", []string{"logitscope/"}, []string{"logitscope/models"}},
	{"ui/handout", []string{"logitscope/ui", charm}, nil},
	{"ui/tui", []string{"logitscope/ui/cli", "logitscope/ui/class", "net"}, nil},
	{"ui/class", []string{"logitscope/ui/cli", "logitscope/models", "os/exec"}, nil},
	{"ui/store", []string{"net"}, nil},
}

// inRooms is what a package below ui/tui may import of ui: a view the kit and
// the run, and what writes files, never the root nor another view.
func inRooms(dir string) []string {
	switch dir {
	case "ui/tui/run":
		return nil
	case "ui/tui/disk":
		return []string{"logitscope/ui/store"}
	case "ui/tui/kit":
		return []string{"logitscope/ui/tui/run", "logitscope/ui/tui/disk"}
	case "ui/tui/tutor": // the lesson on the screen, over what a course knows
		return []string{"logitscope/ui/tui/kit", "logitscope/ui/tui/run", "logitscope/ui/tui/course"}
	}
	return []string{"logitscope/ui/tui/kit", "logitscope/ui/tui/run", "logitscope/ui/tui/disk", "logitscope/ui/store", "logitscope/ui/handout"}
}

// inCommands is what a package below ui/cli may import of it: what all commands
// begin with, each the one before it; a family of commands never another.
func inCommands(dir string) []string {
	base := []string{"logitscope/ui/cli/console", "logitscope/ui/cli/setup", "logitscope/ui/cli/report", "logitscope/ui/cli/screen", "logitscope/ui/cli/laws"}
	switch dir {
	case "ui/cli/console", "ui/cli/laws":
		return nil
	case "ui/cli/setup", "ui/cli/report":
		return base[:1]
	case "ui/cli/screen":
		return base[:3]
	}
	return base
}

// pure are folders whose code must also have no clock, no locks and no
// goroutines of its own; constrain keeps a cache that several lanes share.
var pure = map[string][]string{
	"sampling":          {"time", "sync"},
	"sampling/cases":    {"time", "sync"},
	"sampling/dist":     {"time", "sync"},
	"sampling/dry":      {"time", "sync"},
	"sampling/inert":    {"time", "sync"},
	"sampling/luck":     {"time", "sync"},
	"sampling/partial":  {"time", "sync"},
	"sampling/row":      {"time", "sync"},
	"sampling/simd":     {"time", "sync"},
	"sampling/thinking": {"time", "sync"},
	"sampling/value":    {"time", "sync"},
	"engine/quiz":       {"time", "sync"},
}

func TestImports(t *testing.T) {
	files := 0
	address := map[string]string{} // of a package's name
	err := filepath.WalkDir(".", func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
			return err
		}
		files++
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		dir := path.Dir(filepath.ToSlash(file))
		if other := address[f.Name.Name]; other == "" {
			address[f.Name.Name] = dir
		} else if other != dir && f.Name.Name != "main" {
			t.Errorf("package %s stands in %s and in %s", f.Name.Name, other, dir)
		}
		if strings.HasSuffix(dir, "test") {
			return nil // what tests of several packages share
		}
		for _, spec := range f.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			if imported == "C" {
				t.Errorf("%s imports C: the program has no cgo", file)
			}
			for _, r := range rules {
				if within(dir, r.dir) && matches(imported, r.never) && !matches(imported, r.but) {
					t.Errorf("%s imports %s, which %s may not", file, imported, r.dir)
				}
			}
			if strings.HasPrefix(dir, "ui/tui/") && within(imported, "logitscope/ui") && !matches(imported, inRooms(dir)) {
				t.Errorf("%s imports %s, which a room of ui/tui may not", file, imported)
			}
			if strings.HasPrefix(dir, "ui/cli/") && within(imported, "logitscope/ui/cli") && !matches(imported, inCommands(dir)) {
				t.Errorf("%s imports %s, which a room of ui/cli may not", file, imported)
			}
			if matches(imported, pure[dir]) {
				t.Errorf("%s imports %s, which %s may not", file, imported, dir)
			}
			if strings.HasPrefix(imported, "logitscope/") && strings.HasSuffix(imported, "test") {
				t.Errorf("%s imports %s: only tests do", file, imported)
			}
			if within(imported, "logitscope/ui") && dir != "." && !within(dir, "ui") {
				t.Errorf("%s imports %s: only main does", file, imported)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if files < 50 {
		t.Errorf("looked at %d files: run this test in the project's root", files)
	}
}

// Each package's comment begins with the question that it answers.
func TestQuestions(t *testing.T) {
	asks := map[string]bool{} // of a folder
	err := filepath.WalkDir(".", func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
			return err
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.PackageClauseOnly|parser.ParseComments)
		if err != nil {
			return err
		}
		dir := path.Dir(filepath.ToSlash(file))
		if f.Name.Name == "main" || strings.HasSuffix(dir, "test") {
			return nil
		}
		q, ok := strings.CutPrefix(f.Doc.Text(), "Package "+f.Name.Name+" answers: ")
		asks[dir] = asks[dir] || ok && strings.Contains(q, "?")
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for dir, ok := range asks {
		if !ok {
			t.Errorf("the comment of the package in %s does not begin with the question that it answers", dir)
		}
	}
}

func within(dir, root string) bool { return dir == root || strings.HasPrefix(dir, root+"/") }

func matches(imported string, list []string) bool {
	for _, x := range list {
		if imported == x || strings.HasPrefix(imported, strings.TrimSuffix(x, "/")+"/") || strings.HasSuffix(x, "/") && strings.HasPrefix(imported, x) {
			return true
		}
	}
	return false
}
