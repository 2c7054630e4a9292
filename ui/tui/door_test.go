package tui

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"logitscope/engine"
	"logitscope/ui/tui/kit"
	"logitscope/viz"
)

// harmless are the identifiers of packages that lead to files, which the
// screen may use outside its door: they touch no file.
var harmless = map[string][]string{
	"os":                              {"Stdout", "Getenv", "LookupEnv", "Setenv", "Environ", "File", "Interrupt", "Signal", "Getpid", "FindProcess"},
	"path/filepath":                   {"Base", "Ext", "Join", "Split", "Dir"},
	"logitscope/ui/store":             {"ErrExists", "CheckName", "History", "Presets", "LessonProgress", "TaskProgress"},
	"logitscope/engine/bench/prompts": {"OfTokens", "Prompt", "Set", "List"},
	"logitscope/engine/bench/votes":   {"Pair", "NewPair", "Box", "Bad", "Shuffle", "Count", "Tally", "Answer", "Answers", "Left", "Right", "Tie", "Neither", "Side"},
}

// throughFiles are the functions of the bench whose texts pass through files.
var throughFiles = []string{"Run", "Sweep", "Lanes", "Tune"}

// noWay are packages that the screen has no business with at all.
var noWay = []string{"os/exec", "io/ioutil", "net", "net/http", "syscall", "plugin", "unsafe"}

// The screen has one door to files, ui/tui/disk: no other file of it opens,
// reads or writes one, by its own hand or by a package that does.
func TestOneDoorToFiles(t *testing.T) {
	t.Parallel()
	files := 0
	err := filepath.WalkDir(".", func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") || filepath.Dir(file) == "disk" {
			return err
		}
		files++
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			return err
		}
		allowed := map[string][]string{} // by the name in this file
		benches := ""
		for _, spec := range f.Imports {
			path, _ := strconv.Unquote(spec.Path.Value)
			if slices.Contains(noWay, path) && file != "signals.go" {
				t.Errorf("%s imports %s", file, path)
			}
			if path == "logitscope/engine/bench" {
				benches = "bench"
				if spec.Name != nil {
					benches = spec.Name.Name
				}
			}
			if list, ok := harmless[path]; ok {
				name := path[strings.LastIndexByte(path, '/')+1:]
				if spec.Name != nil {
					name = spec.Name.Name
				}
				allowed[name] = list
			}
		}
		ast.Inspect(f, func(n ast.Node) bool {
			s, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			if x, ok := s.X.(*ast.Ident); ok && x.Obj == nil {
				list, ok := allowed[x.Name]
				if ok && !slices.Contains(list, s.Sel.Name) || x.Name == benches && slices.Contains(throughFiles, s.Sel.Name) {
					t.Errorf("%s uses %s.%s: files are behind ui/tui/disk", file, x.Name, s.Sel.Name)
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if files < 80 {
		t.Errorf("looked at %d files only", files)
	}
}

// newGuest opens a guest's lab on a story; see [newBench].
func newGuest(t *testing.T) *bench {
	t.Helper()
	opt := testOptions(t)
	opt.ConfigDir = t.TempDir()
	g := NewGuest(t.Context(), opt, Window{W: 120, H: 40, Depth: viz.NoColors}, true, engine.NewGate(1))
	t.Cleanup(g.Close)
	b := &bench{t: t, m: g.m}
	for _, l := range b.m.All {
		b.m.StartLane(l)
		s, err := l.Compile(l.Config, l.Preset)
		if err != nil {
			t.Fatal(err)
		}
		l.Settings = s
	}
	b.start(storyPrompt)
	return b
}

// write types s.
func (b *bench) write(s string) {
	for _, r := range s {
		b.send(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune{r}})
	}
}

// A guest is refused every file: written runs and presets, files to read into
// the prompt, other models, benches and votes. Nothing appears anywhere.
func TestGuestsHaveNoFiles(t *testing.T) {
	home := t.TempDir()
	t.Chdir(home)
	t.Setenv("HOME", home)
	secret := filepath.Join(t.TempDir(), "secret.txt")
	if err := os.WriteFile(secret, []byte("the teacher's secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	b := newGuest(t)
	for _, k := range []string{"K", "D", "M"} {
		b.keys(k)
		if !strings.Contains(b.m.Notice.Text, "another machine") || b.m.screen.id != kit.ViewLab || len(b.m.overlays) > 0 {
			t.Errorf("%s: %q", k, b.m.Notice.Text)
		}
	}
	b.keys("e", "ctrl+o")
	b.write(secret)
	b.keys("enter")
	if text := b.m.draw().Text(); strings.Contains(text, "the teacher's secret") {
		t.Errorf("a file was read into the prompt:\n%s", text)
	}
	b.keys("esc", "esc", "esc")
	b.keys("W")
	for range 6 {
		b.keys("enter")
		b.write("stolen")
		b.keys("enter", "tab")
	}
	b.keys("esc", "esc", "esc", "y")
	if b.m.opt.OpenModel != nil || b.m.opt.ConfigDir != "" || len(b.m.opt.Models) > 0 {
		t.Errorf("%+v", b.m.opt)
	}
	b.panics = true
	b.m.rescue("a fault") // saves the run, where there are files
	if list, _ := os.ReadDir(home); len(list) > 0 {
		t.Errorf("a guest wrote %v", list)
	}
	if list, _ := os.ReadDir(filepath.Dir(secret)); len(list) != 1 {
		t.Errorf("a guest wrote beside the secret: %v", list)
	}
}

// Whatever keys a guest presses, no file appears.
func TestGuestsPressAnything(t *testing.T) {
	home := t.TempDir()
	t.Chdir(home)
	t.Setenv("HOME", home)
	b := newGuest(t)
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		b.monkey(r)
		if r.IntN(4) == 0 {
			b.write("x")
			b.keys("enter")
		}
		b.takeViews()
	}
	if list, _ := os.ReadDir(home); len(list) > 0 {
		t.Errorf("a guest wrote %v", list)
	}
}

// A guest's lab keeps to its share of the machine.
func TestGuestsShareTheMachine(t *testing.T) {
	t.Parallel()
	b := newGuest(t)
	for range 20 {
		b.keys(".")
	}
	if b.m.Pace != guestPace {
		t.Errorf("pace %d", b.m.Pace)
	}
}
