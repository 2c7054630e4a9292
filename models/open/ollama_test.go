package open

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"logitscope/models"
	"logitscope/models/fable"
	"logitscope/models/llama"
	"logitscope/models/remote"
	"logitscope/models/remote/remotetest"
)

// stored puts a model into a store of Ollama's form: its weights, and further
// layers by media type.
func stored(t *testing.T, dir, name string, layers map[string][]byte) {
	t.Helper()
	type layer struct {
		MediaType string `json:"mediaType"`
		Digest    string `json:"digest"`
		Size      int    `json:"size"`
	}
	var list []layer
	write := func(path string, data []byte) {
		path = filepath.Join(dir, filepath.FromSlash(path))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for kind, data := range layers {
		sum := fmt.Sprintf("%x", sha256.Sum256(data))
		write("blobs/sha256-"+sum, data)
		list = append(list, layer{"application/vnd.ollama.image." + kind, "sha256:" + sum, len(data)})
	}
	page := map[string]any{"layers": list}
	for i, l := range list {
		if strings.HasSuffix(l.MediaType, ".config") {
			page["config"] = l
			page["layers"] = slices.Delete(list, i, i+1)
			break
		}
	}
	data, err := json.Marshal(page)
	if err != nil {
		t.Fatal(err)
	}
	write("manifests/registry.ollama.ai/library/"+name+"/latest", data)
}

// A model of Ollama's store is its whole manifest: what is not applied is an
// error, and that the server was asked instead is said.
func TestOllama(t *testing.T) {
	weights, err := os.ReadFile("../fable/fable-draft.q8_0.gguf")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	stored(t, dir, "whole", map[string][]byte{"model": weights, "template": []byte("{{ .Prompt }}!"), "system": []byte("Be kind."), "messages": []byte(`[{"role":"user","content":"one"}]`), "config": []byte("{}"), "params": []byte(`{"temperature":0.4}`)})
	stored(t, dir, "coded", map[string][]byte{"model": weights, "template": []byte("{{ .Prompt }}"), "config": []byte(`{"renderer":"coder"}`)})
	stored(t, dir, "tuned", map[string][]byte{"model": weights, "adapter": []byte("lora")})
	local, err := fable.Open(llama.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer local.Close()
	srv := httptest.NewServer(remotetest.Ollama(local, remotetest.Metadata(t, local), remotetest.Options{Name: "served"}))
	defer srv.Close()
	var said []string
	env := map[string]string{"OLLAMA_MODELS": dir, "OLLAMA_HOST": srv.URL}
	opt := Options{Server: remote.Options{Getenv: func(k string) string { return env[k] }, Notice: func(s string) { said = append(said, s) }}}

	m, err := Model(t.Context(), "ollama:whole", opt)
	if err != nil {
		t.Fatal(err)
	}
	info := m.Info()
	m.Close()
	if info.GoTemplate != "{{ .Prompt }}!" || info.System != "Be kind." || len(info.First) != 1 || info.First[0] != (models.Message{Role: "user", Content: "one"}) || fmt.Sprint(info.Defaults["temperature"]) != "0.4" || len(said) > 0 {
		t.Errorf("%+v, said %q", info, said)
	}
	m, err = Model(t.Context(), "ollama:coded", opt)
	if err != nil {
		t.Fatal(err)
	}
	info = m.Info()
	m.Close()
	if info.GoTemplate != "" || info.ChatTemplate != local.Info().ChatTemplate || len(said) != 1 || !strings.Contains(said[0], `by code ("coder")`) {
		t.Errorf("%+v, said %q", info, said)
	}
	said = nil
	if _, err := Model(t.Context(), "ollama:tuned", opt); err == nil || !strings.Contains(err.Error(), "ollama:tuned: has an adapter, which is not applied here") {
		t.Errorf("with an adapter: %v", err)
	}
	m, err = Model(t.Context(), "ollama:served", opt)
	if err != nil {
		t.Fatal(err)
	}
	m.Close()
	if len(said) != 1 || !strings.Contains(said[0], "ollama:served: not in the store on disk; the server at") {
		t.Errorf("said %q", said)
	}
}
