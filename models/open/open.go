// Package open finds the model that a name on the command line means: the
// built-in one, a file, Ollama's store on disk, or a server.
package open

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"logitscope/models"
	"logitscope/models/fable"
	"logitscope/models/llama"
	"logitscope/models/remote"
	"logitscope/models/store"
	"logitscope/models/table"
)

// Options are what opening a model can depend on.
type Options struct {
	Llama  llama.Options // for models that run here
	Getenv func(string) string
	Home   string // the user's home folder, where Ollama's store is by default
	Client *http.Client
	TopN   int // logits a server is asked for at each step; 0 is its own choice
}

// A scheme is one kind of name: PREFIX:REST.
type scheme struct {
	prefix string
	usage  string // as listed for the user
	open   func(ctx context.Context, rest string, opt Options) (models.Model, error)
}

// schemes is set by init because ollama falls back to a server.
var schemes []scheme

func init() {
	server := func(prefix string) func(context.Context, string, Options) (models.Model, error) {
		return func(ctx context.Context, rest string, opt Options) (models.Model, error) {
			return remote.Open(ctx, prefix+":"+rest, remote.Options{Getenv: opt.Getenv, Client: opt.Client, TopN: opt.TopN})
		}
	}
	schemes = []scheme{
		{"table", "table:FILE", openTable},
		{"ollama", "ollama:NAME", openOllama},
		{"ollama-api", "ollama-api:NAME", server("ollama-api")},
		{"llama-server", "llama-server:URL", server("llama-server")},
		{"vllm", "vllm:URL[#MODEL]", server("vllm")},
		{"sglang", "sglang:URL", server("sglang")},
		{"openai", "openai:MODEL[@URL]", server("openai")},
	}
}

// Usage lists the forms a name may have.
func Usage() string {
	forms := []string{"fable", "FILE.gguf"}
	for _, s := range schemes {
		forms = append(forms, s.usage)
	}
	return strings.Join(forms, ", ")
}

// builtin are the models inside the program, by name.
var builtin = map[string]func(llama.Options) (*llama.Model, error){
	"":            fable.Open,
	"fable":       fable.Open,
	"fable-draft": fable.OpenDraft,
}

// Model opens the model that name means. The caller must close it. The error
// is one line that begins with the name.
func Model(ctx context.Context, name string, opt Options) (models.Model, error) {
	if f, ok := builtin[name]; ok {
		m, err := f(opt.Llama)
		if err != nil {
			return nil, err
		}
		return m, nil
	}
	for _, s := range schemes {
		if rest, ok := strings.CutPrefix(name, s.prefix+":"); ok {
			return s.open(ctx, rest, opt)
		}
	}
	m, err := openFile(name, opt)
	if err != nil {
		return nil, err
	}
	return m, nil
}

func openFile(name string, opt Options) (models.Model, error) {
	if _, err := os.Stat(name); errors.Is(err, fs.ErrNotExist) {
		if scheme, _, ok := strings.Cut(name, ":"); ok && !strings.ContainsAny(scheme, `/\.`) && len(scheme) > 1 {
			return nil, fmt.Errorf("%s: no such kind of model; %s", name, Usage())
		}
		return nil, fmt.Errorf("%s: no such file; the built-in model is fable", name)
	}
	if filepath.Ext(name) == ".json" {
		return nil, fmt.Errorf("%s: a table of logits is opened as table:%s", name, name)
	}
	m, err := llama.Open(name, opt.Llama)
	if err != nil {
		return nil, err
	}
	return m, nil
}

func openTable(_ context.Context, path string, _ Options) (models.Model, error) {
	m, err := table.Open(path)
	if err != nil {
		return nil, fmt.Errorf("table:%w", err)
	}
	return m, nil
}

// openOllama reads a model from Ollama's own store, or asks the Ollama server
// where the store does not have it.
func openOllama(ctx context.Context, name string, opt Options) (models.Model, error) {
	blob, err := store.Resolve(store.DefaultStore(opt.Getenv, opt.Home), name)
	if err != nil {
		m, remoteErr := remote.Open(ctx, "ollama-api:"+name, remote.Options{Getenv: opt.Getenv, Client: opt.Client, TopN: opt.TopN})
		if remoteErr != nil {
			return nil, fmt.Errorf("ollama:%s: %w; and no server: %w", name, err, remoteErr)
		}
		return m, nil
	}
	m, err := llama.Open(blob.Path, opt.Llama)
	if err != nil {
		return nil, err
	}
	return m, nil
}
