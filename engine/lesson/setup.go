package lesson

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"logitscope/engine/goal"
	"logitscope/sampling"
	"logitscope/sampling/param"
)

// setupKeys read the setup block, in the order in which they act.
var setupKeys = []struct {
	key  string
	read func(*reader, *Setup, pair) error
}{
	{"prompt", func(_ *reader, s *Setup, p pair) error {
		s.Prompt, s.HasPrompt = spelled(p.value), true
		return nil
	}},
	{"preset", func(r *reader, s *Setup, p pair) (err error) {
		s.Preset = p.value
		s.preset, err = r.preset(p.value)
		return err
	}},
	{"order", func(r *reader, s *Setup, p pair) error { return r.one(s, "order", p.value) }},
	{"schema", func(r *reader, s *Setup, p pair) error {
		text, err := r.fileNamed(p.key, p.value)
		s.Set = append(s.Set, Setting{"constraint", text})
		return err
	}},
	{"set", func(r *reader, s *Setup, p pair) error {
		set, err := r.settings(p.value)
		s.Set = append(s.Set, set...)
		return err
	}},
	{"seed", func(r *reader, s *Setup, p pair) error { return r.one(s, "seed", p.value) }},
	{"draft", (*reader).draft},
	{"lanes", (*reader).lanes},
	{"pin", func(r *reader, s *Setup, p pair) error {
		for _, t := range strings.Split(p.value, ",") {
			t = spelled(strings.TrimSpace(t))
			if t == "" {
				return errors.New("pin: a token is missing; want tokens parted by commas")
			}
			s.Pins = append(s.Pins, t)
		}
		r.quote(p.n, s.Pins, true)
		return nil
	}},
	{"view", func(_ *reader, s *Setup, p pair) error {
		if s.View = p.value; !slices.Contains(views, s.View) {
			return fmt.Errorf("view: %s: no such view; want %s", goal.Shown(p.value), strings.Join(views, ", "))
		}
		return nil
	}},
	{"steps", func(_ *reader, s *Setup, p pair) (err error) {
		s.Steps, err = whole(p)
		return err
	}},
	{"point", func(_ *reader, s *Setup, p pair) error {
		s.Point = p.value
		if _, ok := param.Lookup(p.value); !ok {
			_, err := sampling.Config{}.With(p.value, "", sampling.FromYou)
			return fmt.Errorf("point: %w", err)
		}
		return nil
	}},
}

func (r *reader) setup(b fenced) *Setup {
	var keys []string
	for _, k := range setupKeys {
		keys = append(keys, k.key)
	}
	s := &Setup{Line: b.n, Steps: 1}
	list, _ := r.pairs(b, keys)
	for _, k := range setupKeys {
		for _, p := range list {
			if p.key != k.key {
				continue
			}
			if err := k.read(r, s, p); err != nil {
				r.fault(p.n, err)
			}
		}
	}
	return s
}

func (r *reader) preset(name string) (sampling.Config, error) {
	if r.names.Preset == nil {
		return sampling.Config{}, fmt.Errorf("preset: %s: there are no presets", goal.Shown(name))
	}
	cfg, err := r.names.Preset(name)
	if err != nil {
		return cfg, fmt.Errorf("preset: %w", err)
	}
	return cfg, nil
}

// one puts one setting into a setup.
func (r *reader) one(s *Setup, key, value string) error {
	x, err := r.setting(key + "=" + value)
	if err == nil {
		s.Set = append(s.Set, x)
	}
	return err
}

var draftForm = regexp.MustCompile(`^(on|off)(?:\s+k\s*=\s*(\S+))?$`)

// draft reads on, on k=5 or off.
func (r *reader) draft(s *Setup, p pair) error {
	m := draftForm.FindStringSubmatch(p.value)
	if m == nil {
		return fmt.Errorf("draft: %s: want on, on k=5 or off", goal.Shown(p.value))
	}
	s.Draft = On
	if m[1] == offWord {
		s.Draft = Off
	}
	if m[2] == "" {
		return nil
	}
	return r.one(s, "num_assistant_tokens", m[2])
}

// maxLanes is the most lanes a comparison has.
const maxLanes = 4

// lanes reads SPEC | SPEC: a preset, then settings.
func (r *reader) lanes(s *Setup, p pair) error {
	specs := strings.Split(p.value, "|")
	if len(specs) < 2 || len(specs) > maxLanes {
		return fmt.Errorf("lanes: want 2 to %d lanes parted by |, each a preset and settings, as in greedy | chat, temperature=1.5", maxLanes)
	}
	for _, text := range specs {
		spec := Spec{Text: strings.TrimSpace(text)}
		name, set, more := strings.Cut(spec.Text, ",")
		spec.Preset = strings.TrimSpace(name)
		var err error
		if spec.config, err = r.preset(spec.Preset); err != nil {
			return fmt.Errorf("lanes: %w", err)
		}
		if more {
			if spec.Set, err = r.settings(set); err != nil {
				return fmt.Errorf("lanes: %w", err)
			}
		}
		s.Lanes = append(s.Lanes, spec)
	}
	return nil
}
