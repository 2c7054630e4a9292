package setup

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"logitscope/models"
	"logitscope/models/gguf"
	"logitscope/presets/exchange"
	"logitscope/sampling"
	"logitscope/ui/cli/console"
)

// ImportFile reads settings from a file, or from standard input if it is
// named "-". A model file gives the settings it recommends.
func ImportFile(sys console.System, name string, opt exchange.Options) (*exchange.Imported, error) {
	if name != "-" && opt.From == nil && isGGUF(name) {
		return importGGUF(name)
	}
	data, err := console.ReadFile(sys, name)
	if err != nil {
		return nil, err
	}
	if name == "-" {
		name = "standard input"
	}
	in, err := exchange.Import(data, name, opt)
	if err != nil {
		return in, err
	}
	if _, ok := in.Config.Lookup("constraint"); !ok {
		return in, nil // bytes elsewhere harm nothing
	}
	if err := console.CheckUTF8(string(data)); err != nil {
		return nil, &SourceError{name, err}
	}
	return in, nil
}

// isGGUF reports whether the file begins as model files do: those are too
// large to be read as text. What is not a file on disk is not touched, since a
// pipe can be read only once.
func isGGUF(name string) bool {
	if info, err := os.Stat(name); err != nil || !info.Mode().IsRegular() {
		return false
	}
	f, err := os.Open(name)
	if err != nil {
		return false
	}
	defer f.Close()
	var magic [4]byte
	_, err = io.ReadFull(f, magic[:])
	return err == nil && bytes.Equal(magic[:], []byte("GGUF"))
}

// importGGUF reads the settings that a model file recommends. What it says
// wrongly is an error here, since it is all there is.
func importGGUF(name string) (*exchange.Imported, error) {
	f, err := gguf.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	values := map[string]any{}
	for _, key := range f.Keys() {
		if strings.HasPrefix(key, "general.sampling.") {
			if v, ok := ggufValue(f, key); ok {
				values[key] = v
			}
		}
	}
	if len(values) == 0 {
		return nil, fmt.Errorf("%s: the model file recommends no settings; it has no key general.sampling.…", name)
	}
	in, err := exchange.ImportDefaults(values, "")
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return in, nil
}

// ggufValue returns a number or a text.
func ggufValue(f *gguf.File, key string) (any, bool) {
	if v, ok, err := f.Int(key); ok && err == nil {
		return v, true
	}
	if v, ok, err := f.Float(key); ok && err == nil {
		return v, true
	}
	v, ok, err := f.String(key)
	return v, ok && err == nil
}

// importModelDefaults reads the settings that a model recommends. What it says
// wrongly is left out, and returned as problems: nobody can mend the file.
func importModelDefaults(values map[string]any, of string) (cfg sampling.Config, problems error) {
	in, problems := exchange.ImportDefaults(values, of)
	for _, key := range in.Config.Keys() {
		s, _ := in.Config.Lookup(key)
		cfg = cfg.MustWith(key, s.Value, sampling.FromModel)
	}
	return cfg, problems
}

// Recommended returns the settings that m recommends. What the program has no
// parameter for is left out; what is wrong is told once.
func (s *Flags) Recommended(m models.Model) sampling.Config {
	cfg, problems := importModelDefaults(m.Info().Defaults, m.Info().DefaultsOf)
	if problems != nil && !s.told {
		s.told = true
		console.Complain(s.Sys.Err, console.Flagged("left out:", problems))
	}
	return cfg
}

// Undecoded refuses flags of what is decoded, for a command that decodes
// nothing, and those of a model that runs here where none is named. why says what
// would read the former.
func (s *Flags) Undecoded(why string) error {
	err := console.Unused(s.FlagSet, why, "prompt", "prompt-file", "prompt-tokens", "draft",
		"chat", "system", "messages", "prefill", "chat-template", "template-kwargs", "tools")
	if err == nil && !s.FlagSet.Changed("model") {
		err = console.Unused(s.FlagSet, "only a --model reads it", "context", "kv-type", "arith", "flash-attn")
	}
	return err
}

// ModelConfiguration is configuration over what the model recommends, if one
// was named.
func (s *Flags) ModelConfiguration(ctx context.Context) (cfg sampling.Config, model models.Info, err error) {
	base := sampling.Config{}
	if s.FlagSet.Changed("model") {
		m, err := s.Open(ctx, "--model", s.Model)
		if err != nil {
			return base, model, err
		}
		defer m.Close()
		base, model = s.Recommended(m), m.Info()
	}
	cfg, err = s.Settings(ctx, base)
	return cfg, model, err
}

// Settings is configuration for commands that have no lanes, with what is worth
// saying told.
func (s *Flags) Settings(ctx context.Context, base sampling.Config) (sampling.Config, error) {
	return console.Within(ctx, func() (sampling.Config, error) {
		cfg, err := s.Configuration(base, LaneSpec{})
		s.TellNotes()
		return cfg, err
	})
}
