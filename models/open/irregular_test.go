//go:build unix

package open

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"logitscope/models/remote"
)

// TestIrregular opens what is not a file in every form a model's name can have.
// A named pipe that nobody writes to would otherwise be waited for.
func TestIrregular(t *testing.T) {
	dir, err := os.MkdirTemp("", "open") // t.TempDir is too long for a socket
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	pipe, sock := filepath.Join(dir, "pipe"), filepath.Join(dir, "sock")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("unix", sock)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	inside := filepath.Join(dir, "model") // a folder that holds a pipe
	manifest := filepath.Join(dir, "manifests", "registry.ollama.ai", "library", "m", "latest")
	os.MkdirAll(inside, 0o700)
	os.MkdirAll(filepath.Dir(manifest), 0o700)
	for _, p := range []string{filepath.Join(inside, "a.gguf"), manifest, filepath.Join(dir, "x-00001-of-00002.gguf")} {
		if err := syscall.Mkfifo(p, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	opt := Options{Server: remote.Options{Getenv: func(k string) string {
		return map[string]string{"OLLAMA_MODELS": dir, "OLLAMA_HOST": "127.0.0.1:1"}[k]
	}}}
	names := []string{inside, "ollama:m", filepath.Join(dir, "x-00001-of-00002.gguf")}
	for _, file := range []string{pipe, sock, "/dev/null", "/dev/zero", dir} {
		names = append(names, file, "table:"+file, "tape:"+file, "table:"+file+"#a/target", "tape:"+file+"#1")
	}
	for _, name := range names {
		for _, try := range []func() error{
			func() error { m, err := Model(t.Context(), name, opt); closeIf(m); return err },
			func() error { _, c, err := Vocab(t.Context(), name, opt); closeIf(c); return err },
		} {
			err := try()
			if err == nil || strings.Contains(err.Error(), "\n") {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

func closeIf(c any) {
	if c, ok := c.(interface{ Close() error }); ok && c != nil {
		c.Close()
	}
}
