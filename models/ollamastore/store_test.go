package ollamastore

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// store makes up a store with one model.
type store struct {
	t   *testing.T
	dir string
}

func newStore(t *testing.T) store { return store{t, t.TempDir()} }

func (s store) write(path string, data []byte) {
	s.t.Helper()
	path = filepath.Join(s.dir, filepath.FromSlash(path))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o644); err != nil {
		s.t.Fatal(err)
	}
}

// layer stores content as a blob and returns its entry.
func (s store) layer(media, content string) layer {
	sum := fmt.Sprintf("%x", sha256.Sum256([]byte(content)))
	s.write("blobs/sha256-"+sum, []byte(content))
	return layer{media, "sha256:" + sum, int64(len(content))}
}

func (s store) manifest(path string, layers ...layer) {
	data, err := json.Marshal(manifest{Layers: layers})
	if err != nil {
		s.t.Fatal(err)
	}
	s.write("manifests/"+path, data)
}

func TestResolve(t *testing.T) {
	s := newStore(t)
	s.manifest("registry.ollama.ai/library/tiny/1b",
		s.layer(mediaModel, "GGUF weights"), s.layer(mediaTemplate, "{{ .Prompt }}"), s.layer(mediaSystem, "Be kind."),
		s.layer(mediaParams, `{"temperature":0.6,"stop":["<|end|>"]}`), s.layer("application/vnd.ollama.image.license", "free"))
	s.manifest("registry.ollama.ai/someone/own/latest", s.layer(mediaModel, "other"), s.layer(mediaAdapter, "lora"))
	s.manifest("hf.co/a/b-GGUF/Q8_0", s.layer(mediaModel, "third"))

	b, err := Resolve(s.dir, "tiny:1b")
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(b.Path)
	if err != nil || string(data) != "GGUF weights" {
		t.Errorf("Path holds %q, %v", data, err)
	}
	if b.Template != "{{ .Prompt }}" || b.System != "Be kind." || b.Name != "tiny:1b" || b.Adapter {
		t.Errorf("got %+v", b)
	}
	if b.Params["temperature"] != json.Number("0.6") || len(b.Params["stop"].([]any)) != 1 {
		t.Errorf("Params = %v", b.Params)
	}
	for name, want := range map[string]string{"someone/own": "other", "someone/own:latest": "other",
		"registry.ollama.ai/someone/own": "other", "hf.co/a/b-GGUF:Q8_0": "third"} {
		b, err := Resolve(s.dir, name)
		if err != nil {
			t.Errorf("Resolve(%s): %v", name, err)
			continue
		}
		if data, _ := os.ReadFile(b.Path); string(data) != want {
			t.Errorf("Resolve(%s) holds %q, want %q", name, data, want)
		}
		if b.Adapter != (want == "other") {
			t.Errorf("Resolve(%s).Adapter = %v", name, b.Adapter)
		}
	}
	names, err := list(s.dir)
	if want := []string{"hf.co/a/b-GGUF:Q8_0", "someone/own:latest", "tiny:1b"}; err != nil || !slices.Equal(names, want) {
		t.Errorf("List = %v, %v", names, err)
	}
	_, err = Resolve(s.dir, "tiny")
	if !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "tiny:1b") {
		t.Errorf("an absent tag gave %v", err)
	}
}

// Names that would lead out of the store are refused before any file is
// touched.
func TestNames(t *testing.T) {
	s := newStore(t)
	s.manifest("registry.ollama.ai/library/m/latest", s.layer(mediaModel, "x"))
	for _, bad := range []string{"", ":", "m:", "../m", "m:../../x", "a/../m", `..\m`, "m:a/b", "/etc/passwd", "a/b/c/d", ".", "..", "m\x00", "C:\\x", "a//b", ".hidden",
		strings.Repeat("m", 300), "m: x", "a/b:c:d"} {
		if _, err := Resolve(s.dir, bad); err == nil || errors.Is(err, fs.ErrNotExist) || strings.Contains(err.Error(), "\n") {
			t.Errorf("Resolve(%q) = %v, want a refusal of the name", bad, err)
		}
	}
}

func TestBrokenStores(t *testing.T) {
	good := newStore(t).layer(mediaModel, "x")
	for _, c := range []struct {
		what, want string
		make       func(store)
	}{
		{"no JSON", "not valid", func(s store) { s.write("manifests/registry.ollama.ai/library/m/latest", []byte("{")) }},
		{"no model layer", "no layer of type", func(s store) { s.manifest("registry.ollama.ai/library/m/latest", s.layer(mediaSystem, "x")) }},
		{"missing blob", "sha256-", func(s store) { s.manifest("registry.ollama.ai/library/m/latest", good) }},
		{"wrong size", "want 99", func(s store) {
			l := s.layer(mediaModel, "x")
			l.Size = 99
			s.manifest("registry.ollama.ai/library/m/latest", l)
		}},
		{"path as digest", "digest is", func(s store) {
			s.manifest("registry.ollama.ai/library/m/latest", layer{mediaModel, "sha256:../../../../etc/passwd", 1})
		}},
		{"params not an object", "not a JSON object", func(s store) {
			s.manifest("registry.ollama.ai/library/m/latest", s.layer(mediaModel, "x"), s.layer(mediaParams, "[1]"))
		}},
		{"huge manifest", "larger than", func(s store) {
			s.write("manifests/registry.ollama.ai/library/m/latest", make([]byte, maxManifest+1))
		}},
		{"directory as blob", "not a file", func(s store) {
			l := s.layer(mediaModel, "y")
			path := filepath.Join(s.dir, "blobs", strings.Replace(l.Digest, ":", "-", 1))
			os.Remove(path)
			os.Mkdir(path, 0o755)
			s.manifest("registry.ollama.ai/library/m/latest", l)
		}},
	} {
		s := newStore(t)
		c.make(s)
		_, err := Resolve(s.dir, "m")
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: got %v, want an error with %q", c.what, err, c.want)
		}
	}
	if _, err := Resolve(filepath.Join(t.TempDir(), "none"), "m"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no store: %v", err)
	}
}

func TestDefaultStore(t *testing.T) {
	env := map[string]string{}
	get := func(k string) string { return env[k] }
	if got, want := DefaultStore(get, "home"), filepath.Join("home", ".ollama", "models"); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	env["OLLAMA_MODELS"] = "elsewhere"
	if got := DefaultStore(get, "home"); got != "elsewhere" {
		t.Errorf("OLLAMA_MODELS ignored: %s", got)
	}
}

// FuzzParseName: a name that is accepted stays inside the store.
func FuzzParseName(f *testing.F) {
	for _, s := range []string{"m", "m:t", "a/b:c", "h:80/a/b:c", "../x", "a/./b", "x:.."} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		n, err := parseName(s)
		if err != nil {
			return
		}
		if !filepath.IsLocal(filepath.Join(n.host, n.namespace, n.model, n.tag)) {
			t.Errorf("%q leads out of the store", s)
		}
		back, err := parseName(n.String())
		if err != nil || back != n {
			t.Errorf("%q: %v is read back as %v, %v", s, n, back, err)
		}
	})
}
