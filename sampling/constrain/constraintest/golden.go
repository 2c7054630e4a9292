package constraintest

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"logitscope/sampling/constrain/automaton"
	"logitscope/sampling/constrain/lang"
)

// ReadFixture reads JSON of the testdata of sampling/constrain, or of an
// absolute path.
func ReadFixture(t testing.TB, path string, v any) {
	t.Helper()
	if !filepath.IsAbs(path) {
		path = filepath.Join(root(), "sampling", "constrain", "testdata", path)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, v); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

// Golden reads a file of testdata/grammar.
func Golden(t testing.TB, name string, v any) {
	t.Helper()
	ReadFixture(t, filepath.Join("grammar", name), v)
}

// Compile compiles a source that must compile.
func Compile(t testing.TB, src lang.Source) *automaton.Grammar {
	t.Helper()
	g, err := TryCompile(src)
	if err != nil {
		t.Fatalf("%v: %v", src, err)
	}
	return g
}

// TryCompile compiles a source.
func TryCompile(src lang.Source) (*automaton.Grammar, error) {
	def, err := src.Define()
	if err != nil {
		return nil, err
	}
	return automaton.Compile(def)
}

// Shared returns the path of data that lies beside the project and is not part
// of it, or skips the test.
func Shared(t testing.TB, parts ...string) string {
	t.Helper()
	path, ok := FindShared(parts...)
	if !ok {
		t.Skip("the shared data is not here: ", filepath.Join(parts...))
	}
	return path
}

// FindShared is the path of data that lies beside the project, if it is there.
func FindShared(parts ...string) (string, bool) {
	path := filepath.Join(append([]string{root(), "..", "shared"}, parts...)...)
	_, err := os.Stat(path)
	return path, err == nil
}

// root is the folder of the module.
func root() string {
	dir, _ := os.Getwd()
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil || dir == filepath.Dir(dir) {
			return dir
		}
		dir = filepath.Dir(dir)
	}
}
