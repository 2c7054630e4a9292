package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode"
)

// readers are the files that may look for words in a text, since the text is
// a file's or a protocol's, with the words they look for.
var readers = map[string]struct{ words, why string }{
	"ui/tui/clipboard.go":          {"screen", "TERM names the terminal"},
	"ui/cli/setup/import.go":       {"general.sampling.", "keys of a GGUF file"},
	"ui/store/presets.go":          {".json.deleted", "names of files"},
	"presets/exchange/llamacpp.go": {"LLAMA_ARG_", "variables of the environment"},
	"ui/tui/keys.go":               {"alt+", "names of keys in a file"},
	"engine/record/seal.go":        {".eE", "numbers of a run file"},
}

// Nothing is decided by matching our own words: what a text says is a value
// until the line that prints it. So no function of strings or bytes that looks
// for a text, or takes one off, is given words.
func TestFactsAreNotReadFromWords(t *testing.T) {
	used := make(map[string]bool)
	files := 0
	for _, dir := range []string{"ui", "presets", "engine"} {
		err := filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
				return err
			}
			files++
			file = filepath.ToSlash(file)
			for _, w := range wordsLookedFor(t, file, nil) {
				if r, ok := readers[file]; ok && r.words == w.words {
					used[file] = true
					continue
				}
				t.Errorf("%s: %s looks for %q: let what it says be a value", w.at, w.call, w.words)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if files < 100 {
		t.Errorf("only %d files", files)
	}
	for file := range readers {
		if !used[file] {
			t.Errorf("%s looks for no words any more", file)
		}
	}
	if len(readers) > 12 {
		t.Errorf("%d readers: at most 12 may look for words", len(readers))
	}
}

// A wordsFound is a call that looks for words in a text.
type wordsFound struct{ at, call, words string }

var looks = regexp.MustCompile(`^(Has|Trim(Left|Right|Prefix|Suffix)?$|Cut|Contains|Index|LastIndex|EqualFold)`)

// wordsLookedFor returns the calls of a file's that look for words, given as
// a literal or as a constant of the package. src replaces the file's text.
func wordsLookedFor(t *testing.T, file string, src any) []wordsFound {
	t.Helper()
	set := token.NewFileSet()
	f, err := parser.ParseFile(set, file, src, 0)
	if err != nil {
		t.Fatal(err)
	}
	consts := constants(f)
	if src == nil {
		consts = named(path.Dir(file))
	}
	var out []wordsFound
	ast.Inspect(f, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		fun, ok := call.Fun.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		pkg, ok := fun.X.(*ast.Ident)
		if !ok || pkg.Name != "strings" && pkg.Name != "bytes" || !looks.MatchString(fun.Sel.Name) {
			return true
		}
		for _, arg := range call.Args {
			if words := textOf(arg, consts); strings.ContainsFunc(words, unicode.IsLetter) {
				out = append(out, wordsFound{fmt.Sprint(set.Position(call.Pos())), pkg.Name + "." + fun.Sel.Name, words})
			}
		}
		return true
	})
	return out
}

var namedIn = make(map[string]map[string]string)

// named are the texts that the files of a folder give names.
func named(dir string) map[string]string {
	all, ok := namedIn[dir]
	if ok {
		return all
	}
	all = make(map[string]string)
	files, _ := filepath.Glob(dir + "/*.go")
	for _, file := range files {
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil || strings.HasSuffix(file, "_test.go") {
			continue
		}
		maps.Copy(all, constants(f))
	}
	namedIn[dir] = all
	return all
}

// constants are the texts that a file gives names at its top level.
func constants(f *ast.File) map[string]string {
	out := make(map[string]string)
	for _, d := range f.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok {
			continue
		}
		for _, s := range g.Specs {
			if v, ok := s.(*ast.ValueSpec); ok {
				for i, name := range v.Names {
					if i < len(v.Values) {
						out[name.Name] = textOf(v.Values[i], nil)
					}
				}
			}
		}
	}
	return out
}

// textOf returns the literals in an expression, calls left out.
func textOf(e ast.Expr, consts map[string]string) string {
	switch e := e.(type) {
	case *ast.BasicLit:
		if e.Kind == token.STRING {
			s, _ := strconv.Unquote(e.Value)
			return s
		}
	case *ast.Ident:
		return consts[e.Name]
	case *ast.BinaryExpr:
		return textOf(e.X, consts) + textOf(e.Y, consts)
	case *ast.ParenExpr:
		return textOf(e.X, consts)
	case *ast.CallExpr: // a conversion, such as []byte("…")
		if _, ok := e.Fun.(*ast.ArrayType); ok && len(e.Args) == 1 {
			return textOf(e.Args[0], consts)
		}
	}
	return ""
}

// The check finds words however they are given, and only words.
func TestWordsAreFound(t *testing.T) {
	const head = "package p\nimport \"strings\"\nimport \"bytes\"\nconst sign = \"no \"\nvar s string\nvar b []byte\nvar _ = "
	for code, want := range map[string]bool{
		`strings.HasPrefix(s, "no ")`: true, `strings.CutPrefix(s, sign)`: true, `strings.TrimSuffix(s, " "+"x")`: true,
		`strings.Contains(("é"), s)`: true, `bytes.Contains(b, []byte("all"))`: true, `strings.Index(s, "of")`: true,
		`strings.HasPrefix(s, "○")`: false, `strings.TrimRight(s, "\n")`: false, `strings.Cut(s, "=")`: false, `strings.Repeat("ab", 2)`: false,
		`strings.HasPrefix(s, string(b))`: false,
	} {
		if got := len(wordsLookedFor(t, "p.go", head+code)) > 0; got != want {
			t.Errorf("%s: found %v, want %v", code, got, want)
		}
	}
}

// A map has no order, so what is ranged over where it is written is a slice:
// else which fault is reported, or which row comes first, is luck. And a table
// has a name: it is not built anew where it is looked up.
func TestTablesHaveOrderAndNames(t *testing.T) {
	files := 0
	err := filepath.WalkDir(".", func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
			return err
		}
		files++
		for _, fault := range mapLiterals(t, file, nil) {
			t.Error(fault)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if files < 500 {
		t.Errorf("only %d files", files)
	}
	src := "package p\nfunc f(k string) {\nfor range map[string]int{} {}\nprint(map[string]int{}[k])\nprint((map[string]int{})[k])\n}"
	if got := mapLiterals(t, "p.go", src); len(got) != 3 {
		t.Errorf("three faults: %q", got)
	}
}

// mapLiterals returns where maps are ranged over or looked up in as they are
// written. src replaces the file's text.
func mapLiterals(t *testing.T, file string, src any) (out []string) {
	t.Helper()
	set := token.NewFileSet()
	f, err := parser.ParseFile(set, file, src, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	isMap := func(x ast.Expr) bool {
		c, ok := ast.Unparen(x).(*ast.CompositeLit)
		if ok {
			_, ok = c.Type.(*ast.MapType)
		}
		return ok
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.RangeStmt:
			if isMap(n.X) {
				out = append(out, fmt.Sprintf("%s: a map is ranged over where it is written: want a slice", set.Position(n.Pos())))
			}
		case *ast.IndexExpr:
			if isMap(n.X) {
				out = append(out, fmt.Sprintf("%s: a map is looked up in where it is written: give it a name", set.Position(n.Pos())))
			}
		}
		return true
	})
	return out
}
