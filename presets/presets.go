// Package presets answers: which settings go by which name? It names
// configurations and exchanges them with other engines' formats. It reads from
// readers and writes to writers: where files live is the caller's business.
package presets

import (
	"bytes"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"logitscope/sampling"
)

// A Preset is a named configuration.
type Preset struct {
	Name   string // as typed to choose it
	About  string // one line
	Config sampling.Config
}

//go:embed builtin/*.json
var builtin embed.FS

// order is the order of the built-in presets, tame to wild, then the two
// reference points. It is the order of the keys that choose them.
var order = []string{"factual", "chat", "creative", "neutral", "greedy"}

// Names returns the names of the built-in presets.
func Names() []string { return append([]string(nil), order...) }

// Builtin returns the presets that come with the program. They are files in
// the format that [Decode] reads.
func Builtin() []Preset {
	all := make([]Preset, len(order))
	for i, name := range order {
		p, err := Named(name)
		if err != nil {
			panic(err) // a fault of the program: a test reads them all
		}
		all[i] = p
	}
	return all
}

// Named returns the built-in preset of that name. The error lists the names
// there are.
func Named(name string) (Preset, error) {
	b, err := builtin.ReadFile("builtin/" + name + ".json")
	if err != nil {
		return Preset{}, fmt.Errorf("%s: no such preset; %s", name, strings.Join(order, ", "))
	}
	return Decode(bytes.NewReader(b), name+".json")
}

// file is a preset as it is stored.
type file struct {
	Version int `json:"version,omitempty"` // of this form; 0 is 1

	Name   string          `json:"name"`
	About  string          `json:"about,omitempty"`
	Config json.RawMessage `json:"config"`
}

// fields are what a preset's file may hold.
var fields = []string{"version", "name", "about", "config"}

// version is the version of a preset's file.
const version = 1

// Decode reads a preset. It is strict: an unknown key or a value out of range
// is an error that names file, line and key.
func Decode(r io.Reader, name string) (Preset, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxFile+1))
	if err != nil {
		return Preset{}, fmt.Errorf("%s: %w", name, err)
	}
	if len(data) > maxFile {
		return Preset{}, fmt.Errorf("%s: larger than %d bytes", name, maxFile)
	}
	var f file
	d := json.NewDecoder(bytes.NewReader(data))
	if err := d.Decode(&f); err != nil {
		return Preset{}, fmt.Errorf("%s:%d: %s; a preset has name, about and config", name, line(data, d.InputOffset()), inWords(err))
	}
	var members map[string]json.RawMessage
	_ = json.Unmarshal(data[:d.InputOffset()], &members) // what was an object is one still
	for _, key := range slices.Sorted(maps.Keys(members)) {
		if !slices.ContainsFunc(fields, func(s string) bool { return strings.EqualFold(s, key) }) {
			return Preset{}, fmt.Errorf("%s:%d: unknown field %q; a preset has name, about and config", name, line(data, d.InputOffset()), key)
		}
	}
	at := max(bytes.Index(data, f.Config), 0)
	switch {
	case f.Version > version:
		return Preset{}, fmt.Errorf("%s: version: %d is of a newer program, this one reads %d", name, f.Version, version)
	case f.Name == "":
		return Preset{}, fmt.Errorf("%s: name is missing", name)
	case f.Config == nil:
		return Preset{}, fmt.Errorf("%s: config is missing", name)
	case f.Config[0] != '{':
		return Preset{}, fmt.Errorf("%s:%d: config: an object of parameters such as {\"temperature\": 0.7}", name, line(data, int64(at)))
	}
	// The decoder of configurations counts lines from the top of the file.
	pad := bytes.Repeat([]byte("\n"), line(data, int64(at))-1)
	cfg, err := sampling.DecodeConfig(io.MultiReader(bytes.NewReader(pad), bytes.NewReader(f.Config)), name, sampling.FromPreset)
	if err != nil {
		return Preset{}, err
	}
	return Preset{Name: f.Name, About: f.About, Config: cfg}, nil
}

// inWords says what keeps a preset from being read.
func inWords(err error) string {
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &kind) && kind.Field != "":
		return fmt.Sprintf("%s: want a text, not %s", kind.Field, kind.Value)
	case errors.As(err, &kind):
		return "want an object, not " + kind.Value
	}
	return err.Error()
}

// maxFile bounds what a preset file may hold.
const maxFile = 1 << 20

func line(data []byte, offset int64) int {
	return 1 + bytes.Count(data[:min(int64(len(data)), offset)], []byte("\n"))
}

// Encode writes p in the format that [Decode] reads.
func Encode(w io.Writer, p Preset) error {
	cfg, err := json.Marshal(p.Config)
	if err != nil {
		return err
	}
	b, err := json.MarshalIndent(file{Name: p.Name, About: p.About, Config: cfg}, "", "  ")
	if err != nil {
		return err
	}
	_, err = w.Write(append(b, '\n'))
	return err
}
