// Package ollamastore answers: which models does Ollama keep on this disk? It
// finds models in the store that an Ollama server keeps on disk, so that they
// can be opened without the server.
//
// The store holds manifests by name, manifests/HOST/NAMESPACE/MODEL/TAG, each
// a JSON list of layers, and their content by digest, blobs/sha256-HEX. The
// layer of weights is a GGUF file. Nothing is written.
package ollamastore

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"sort"
	"strings"

	"logitscope/models"
)

// Defaults of a name's parts.
const (
	defaultHost      = "registry.ollama.ai"
	defaultNamespace = "library"
	defaultTag       = "latest"
)

const (
	maxManifest = 1 << 20 // bytes of a manifest
	maxLayer    = 4 << 20 // bytes of a layer that is text
)

// Media types of the layers that are read.
const (
	mediaModel    = "application/vnd.ollama.image.model"
	mediaParams   = "application/vnd.ollama.image.params"
	mediaTemplate = "application/vnd.ollama.image.template"
	mediaSystem   = "application/vnd.ollama.image.system"
	mediaMessages = "application/vnd.ollama.image.messages"
	mediaAdapter  = "application/vnd.ollama.image.adapter"
)

// Blob is a model of the store.
type Blob struct {
	Path string // the GGUF file
	Name string // in full, such as "llama3.2:1b" or "someone/model:latest"

	// Params are the sampling settings the model recommends, under Ollama's
	// key names, such as "temperature" or "stop"; nil if it recommends none.
	// Numbers are json.Number.
	Params map[string]any

	Template string // the prompt template, in Go's template language; may be empty
	System   string // the system message; may be empty
	Adapter  bool   // the model is meant to run with an adapter, which Path does not hold

	// Messages are what every conversation begins with, after System.
	Messages []models.Message

	// Renderer names the code of the server that wraps conversations of this
	// model in the place of Template; may be empty.
	Renderer string
}

// DefaultStore returns the place of the store: OLLAMA_MODELS if the
// environment has it, .ollama/models below the home directory otherwise.
func DefaultStore(env func(string) string, home string) string {
	if dir := strings.Trim(strings.TrimSpace(env("OLLAMA_MODELS")), `"'`); dir != "" {
		return dir
	}
	return filepath.Join(home, ".ollama", "models")
}

// part is what one part of a name may be: nothing that means a place to a
// file system.
var part = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.\-]{0,127}$`)

// name is a model's name, complete.
type name struct{ host, namespace, model, tag string }

// parseName reads [HOST/][NAMESPACE/]MODEL[:TAG].
func parseName(s string) (name, error) {
	n := name{host: defaultHost, namespace: defaultNamespace, tag: defaultTag}
	rest := s
	if i := strings.LastIndexByte(rest, ':'); i > strings.LastIndexByte(rest, '/') {
		rest, n.tag = rest[:i], rest[i+1:]
	}
	parts := strings.Split(rest, "/")
	switch len(parts) {
	case 3:
		n.host, n.namespace, n.model = parts[0], parts[1], parts[2]
	case 2:
		n.namespace, n.model = parts[0], parts[1]
	case 1:
		n.model = parts[0]
	default:
		return name{}, fmt.Errorf("ollama model name %.80q has too many parts, want [HOST/][NAMESPACE/]MODEL[:TAG]", s)
	}
	host, port, hasPort := strings.Cut(n.host, ":")
	checks := []struct{ what, value string }{{"host", host}, {"namespace", n.namespace}, {"model", n.model}, {"tag", n.tag}}
	if hasPort {
		checks = append(checks, struct{ what, value string }{"port", port})
	}
	for _, c := range checks {
		if !part.MatchString(c.value) || strings.Contains(c.value, "..") {
			return name{}, fmt.Errorf("ollama model name %.80q: %s is %.80q, want letters, digits, '.', '_' and '-'", s, c.what, c.value)
		}
	}
	return n, nil
}

// String returns the name without the parts that are default, the tag aside.
func (n name) String() string {
	s := n.model + ":" + n.tag
	if n.namespace != defaultNamespace || n.host != defaultHost {
		s = n.namespace + "/" + s
	}
	if n.host != defaultHost {
		s = n.host + "/" + s
	}
	return s
}

// manifest is the part of a manifest that is read.
type manifest struct {
	Config layer   `json:"config"`
	Layers []layer `json:"layers"`
}

type layer struct {
	MediaType string `json:"mediaType"`
	Digest    string `json:"digest"`
	Size      int64  `json:"size"`
}

// Resolve finds a model in the store by its name, such as "llama3.2",
// "llama3.2:1b" or "someone/model:tag". A model that is not there is an error
// that wraps [fs.ErrNotExist] and lists what is.
func Resolve(store, modelName string) (Blob, error) {
	n, err := parseName(modelName)
	if err != nil {
		return Blob{}, err
	}
	path := filepath.Join(store, "manifests", n.host, n.namespace, n.model, n.tag)
	data, err := readLimited(path, maxManifest)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return Blob{}, notFound(store, n)
		}
		return Blob{}, fmt.Errorf("ollama model %s: %w", n, err)
	}
	var m manifest
	if err := json.Unmarshal(data, &m); err != nil {
		return Blob{}, fmt.Errorf("ollama model %s: manifest %s is not valid: %w", n, path, err)
	}
	b := Blob{Name: n.String()}
	if m.Config.Digest != "" {
		if err := b.configure(store, m.Config); err != nil {
			return Blob{}, fmt.Errorf("ollama model %s: config of %s: %w", n, path, err)
		}
	}
	for i, l := range m.Layers {
		if err := b.add(store, l); err != nil {
			return Blob{}, fmt.Errorf("ollama model %s: layer %d of %s: %w", n, i, path, err)
		}
	}
	if b.Path == "" {
		return Blob{}, fmt.Errorf("ollama model %s: manifest %s has no layer of type %s", n, path, mediaModel)
	}
	return b, nil
}

// configure reads what the server is told of the model into b.
func (b *Blob) configure(store string, l layer) error {
	var config struct {
		Renderer string `json:"renderer"`
	}
	text, err := readLayer(store, l)
	if err == nil {
		err = json.Unmarshal(text, &config)
	}
	b.Renderer = config.Renderer
	return err
}

// add reads one layer into b.
func (b *Blob) add(store string, l layer) error {
	switch l.MediaType {
	case mediaModel:
		path, err := blobPath(store, l)
		if err != nil {
			return err
		}
		if b.Path == "" { // a second one would be a projector or the like
			b.Path = path
		}
	case mediaTemplate, mediaSystem:
		text, err := readLayer(store, l)
		if err != nil {
			return err
		}
		if l.MediaType == mediaSystem {
			b.System = string(text)
		} else {
			b.Template = string(text)
		}
	case mediaParams:
		text, err := readLayer(store, l)
		if err != nil {
			return err
		}
		dec := json.NewDecoder(strings.NewReader(string(text)))
		dec.UseNumber()
		if err := dec.Decode(&b.Params); err != nil {
			return fmt.Errorf("params are not a JSON object: %w", err)
		}
	case mediaMessages:
		text, err := readLayer(store, l)
		if err != nil {
			return err
		}
		if err := json.Unmarshal(text, &b.Messages); err != nil {
			return fmt.Errorf("messages are not a JSON list of role and content: %w", err)
		}
	case mediaAdapter:
		b.Adapter = true
	}
	return nil
}

var digest = regexp.MustCompile(`^sha256[:-]([0-9a-f]{64})$`)

// blobPath returns the file of a layer, which must have the size that the
// manifest states.
func blobPath(store string, l layer) (string, error) {
	m := digest.FindStringSubmatch(l.Digest)
	if m == nil {
		return "", fmt.Errorf("digest is %.80q, want sha256: and 64 hex digits", l.Digest)
	}
	path := filepath.Join(store, "blobs", "sha256-"+m[1])
	st, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	if !st.Mode().IsRegular() {
		return "", fmt.Errorf("%s is not a file", path)
	}
	if l.Size > 0 && st.Size() != l.Size {
		return "", fmt.Errorf("%s has %d bytes, want %d: the download may not be complete", path, st.Size(), l.Size)
	}
	return path, nil
}

func readLayer(store string, l layer) ([]byte, error) {
	path, err := blobPath(store, l)
	if err != nil {
		return nil, err
	}
	return readLimited(path, maxLayer)
}

// readLimited reads a file of at most limit bytes.
func readLimited(path string, limit int64) ([]byte, error) {
	f, err := models.OpenFile(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err != nil {
		return nil, err
	}
	if int64(len(data)) > limit {
		return nil, fmt.Errorf("%s is larger than %d bytes", path, limit)
	}
	return data, nil
}

// maxNamed is how many models an error lists.
const maxNamed = 12

// notFound says that a model is absent, and which are there.
func notFound(store string, n name) error {
	have, err := list(store)
	if err != nil || len(have) == 0 {
		return fmt.Errorf("ollama model %s is not in %s, which holds no models: %w", n, store, fs.ErrNotExist)
	}
	more := ""
	if len(have) > maxNamed {
		more = fmt.Sprintf(" and %d more", len(have)-maxNamed)
		have = have[:maxNamed]
	}
	return fmt.Errorf("ollama model %s is not in %s, which holds %s%s: %w", n, store, strings.Join(have, ", "), more, fs.ErrNotExist)
}

// list returns the names of the models of a store, sorted. A store that does
// not exist has none.
func list(store string) ([]string, error) {
	root := filepath.Join(store, "manifests")
	var names []string
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			if path == root && errors.Is(err, fs.ErrNotExist) {
				return filepath.SkipAll
			}
			return err
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		parts := strings.Split(filepath.ToSlash(rel), "/")
		if d.IsDir() {
			if len(parts) >= 4 {
				return filepath.SkipDir
			}
			return nil
		}
		if len(parts) != 4 || !d.Type().IsRegular() {
			return nil
		}
		n := name{parts[0], parts[1], parts[2], parts[3]}
		if _, err := parseName(n.String()); err == nil {
			names = append(names, n.String())
		}
		return nil
	})
	sort.Strings(names)
	return names, err
}
