package main

import (
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// floors are the top folders, each above those that it may use.
var floors = []string{"ui", "engine", "presets", "viz", "models", "sampling"}

// The marks around the figure in the README.
const (
	figureBegin = "<!-- the figure is made from the imports: go test . -run Figure -update -->\n```text\n"
	figureEnd   = "```\n<!-- end of the figure -->\n"
)

// The figure of the architecture in the README is what the imports say.
func TestFigure(t *testing.T) {
	page, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(page), figureBegin)
	_, after, ok2 := strings.Cut(rest, figureEnd)
	if !ok || !ok2 {
		t.Fatal("the README lacks the marks of the figure")
	}
	want := before + figureBegin + figure(t) + figureEnd + after
	if *update {
		if err := os.WriteFile("README.md", []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if want != string(page) {
		t.Error("the figure in the README is not what the imports say: go test . -run Figure -update")
	}
}

// figure draws the floors with the packages on each, and what each uses.
func figure(t *testing.T) string {
	rooms, uses := imports(t)
	var b strings.Builder
	fmt.Fprintf(&b, "%-9s uses ui\n", "main")
	for _, f := range floors {
		if below := slices.Sorted(maps.Keys(uses[f])); len(below) > 0 {
			fmt.Fprintf(&b, "%-9s uses %s\n", f, strings.Join(below, ", "))
		} else {
			fmt.Fprintf(&b, "%-9s uses nothing of ours\n", f)
		}
		line := ""
		for _, r := range slices.Sorted(maps.Keys(rooms[f])) {
			if len(line)+len(r) > 84 {
				fmt.Fprintf(&b, "          %s\n", strings.TrimRight(line, " "))
				line = ""
			}
			line += r + "  "
		}
		if line != "" {
			fmt.Fprintf(&b, "          %s\n", strings.TrimRight(line, " "))
		}
	}
	return b.String()
}

// imports returns the packages below each floor, and the floors that each uses.
func imports(t *testing.T) (rooms, uses map[string]map[string]bool) {
	rooms, uses = map[string]map[string]bool{}, map[string]map[string]bool{}
	for _, f := range floors {
		rooms[f], uses[f] = map[string]bool{}, map[string]bool{}
		err := filepath.WalkDir(f, func(file string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || filepath.Ext(file) != ".go" || strings.HasSuffix(file, "_test.go") {
				return err
			}
			if dir := path.Dir(filepath.ToSlash(file)); dir != f {
				rooms[f][strings.TrimPrefix(dir, f+"/")] = true
			}
			parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
			if err != nil {
				return err
			}
			for _, spec := range parsed.Imports {
				name, _ := strconv.Unquote(spec.Path.Value)
				if rest, ours := strings.CutPrefix(name, "logitscope/"); ours {
					if top, _, _ := strings.Cut(rest, "/"); top != f {
						uses[f][top] = true
					}
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return rooms, uses
}
