// Package open answers: which model does a name mean? It finds the model that a
// name on the command line means: the built-in one, a file, Ollama's store on
// disk, or a server.
package open

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"logitscope/models"
	"logitscope/models/fable"
	"logitscope/models/llama"
	"logitscope/models/ollamastore"
	"logitscope/models/remote"
	"logitscope/models/remote/llamaserver"
	"logitscope/models/remote/ollama"
	"logitscope/models/remote/openai"
	"logitscope/models/remote/sglang"
	"logitscope/models/remote/vllm"
	"logitscope/models/table"
	"logitscope/models/tape"
)

// Options are what opening a model can depend on.
type Options struct {
	Llama  llama.Options // for models that run here
	Home   string        // the user's home folder, where Ollama's store is by default
	Server remote.Options
}

// servers are the kinds of server. A new kind is a package below remote, a row
// here, and a server to test it with in remote/remotetest.
var servers = []remote.Kind{ollama.Kind, llamaserver.Kind, vllm.Kind, sglang.Kind, openai.Kind}

// A scheme is one kind of name: PREFIX:REST.
type scheme struct {
	prefix string
	usage  string // as listed for the user
	open   func(ctx context.Context, rest string, opt Options) (models.Model, error)
}

// schemes are in the order in which they are listed.
var schemes = func() []scheme {
	list := []scheme{
		{"table", "table:FILE", openTable},
		{"tape", "tape:FILE", openTape},
		{"ollama", "ollama:NAME", openOllama},
	}
	for _, k := range servers {
		list = append(list, scheme{k.Name, k.Usage, func(ctx context.Context, rest string, opt Options) (models.Model, error) {
			return openServer(ctx, k, rest, opt)
		}})
	}
	return list
}()

// Usage lists the forms a name may have.
func Usage() string {
	forms := []string{"fable", "FILE.gguf"}
	for _, s := range schemes {
		forms = append(forms, s.usage)
	}
	return strings.Join(forms, ", ")
}

func openServer(ctx context.Context, k remote.Kind, rest string, opt Options) (models.Model, error) {
	m, err := remote.Open(ctx, k, rest, opt.Server)
	if err != nil {
		return nil, remote.Explain(ctx, err, k, rest, opt.Server, servers)
	}
	return m, nil
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

func openTape(_ context.Context, path string, _ Options) (models.Model, error) {
	m, err := tape.Open(path)
	if err != nil {
		return nil, fmt.Errorf("tape:%w", err)
	}
	return m, nil
}

// openOllama reads a model from Ollama's own store, or asks the Ollama server
// where the store does not have it.
func openOllama(ctx context.Context, name string, opt Options) (models.Model, error) {
	getenv := opt.Server.Getenv
	if getenv == nil {
		getenv = func(string) string { return "" }
	}
	blob, err := ollamastore.Resolve(ollamastore.DefaultStore(getenv, opt.Home), name)
	if err != nil {
		m, remoteErr := openServer(ctx, ollama.Kind, name, opt)
		if remoteErr != nil {
			return nil, fmt.Errorf("ollama:%s: %w; and no server: %w", name, err, remoteErr)
		}
		if opt.Server.Notice != nil {
			opt.Server.Notice(fmt.Sprintf("ollama:%s: not in the store on disk; the server at %s has it", name, m.Info().Address))
		}
		return m, nil
	}
	if blob.Adapter {
		return nil, fmt.Errorf("ollama:%s: has an adapter, which is not applied here; with the server it is: ollama-api:%s", name, name)
	}
	o := opt.Llama
	o.Amend = func(info *models.Info) {
		info.Name = blob.Name
		if blob.Renderer == "" {
			info.GoTemplate, info.System, info.First = blob.Template, blob.System, blob.Messages
		}
		if info.GoTemplate != "" {
			info.ChatTemplate = "" // Ollama uses its own
		}
		if len(blob.Params) > 0 {
			info.Defaults, info.DefaultsOf = blob.Params, ollama.Params
		}
	}
	m, err := llama.Open(blob.Path, o)
	if err != nil {
		return nil, err
	}
	if blob.Renderer != "" && opt.Server.Notice != nil {
		opt.Server.Notice(fmt.Sprintf("ollama:%s: the server wraps conversations by code (%q), which is not here; the weights' own template is used, without a system message of the Modelfile. As the server does it: ollama-api:%s", name, blob.Renderer, name))
	}
	return m, nil
}
