package tui

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"

	"logitscope/presets"
	"logitscope/sampling"
)

// presetDir is the folder of the user's presets, empty for none.
func (m *Model) presetDir() string {
	if m.opt.ConfigDir == "" {
		return ""
	}
	return filepath.Join(m.opt.ConfigDir, "presets")
}

// checkPresetName returns why a preset cannot be called name, nil if it can.
func (m *Model) checkPresetName(name string) error {
	switch {
	case m.presetDir() == "":
		return fmt.Errorf("there is no config folder to keep presets in")
	case name == "" || len(name) > 64 || strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_") != "":
		return fmt.Errorf("%q: a name has letters, digits, - and _, 1 to 64 of them", name)
	}
	for _, p := range m.opt.Presets {
		if !p.User && strings.EqualFold(p.Name, name) {
			return fmt.Errorf("%s is a built-in preset; another name is wanted", name)
		}
	}
	return nil
}

// userPreset returns the index of the user's preset called name, -1 if there
// is none.
func (m *Model) userPreset(name string) int {
	return slices.IndexFunc(m.opt.Presets, func(p Preset) bool { return p.User && p.Name == name })
}

// savePreset writes cfg as the user's preset called name and takes it into
// the list.
func (m *Model) savePreset(name, about string, cfg sampling.Config, over bool) error {
	if err := m.checkPresetName(name); err != nil {
		return err
	}
	var b bytes.Buffer
	if err := presets.Encode(&b, presets.Preset{Name: name, About: about, Config: cfg.Without("seed")}); err != nil {
		return err
	}
	p, err := presets.Decode(bytes.NewReader(b.Bytes()), name)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(m.presetDir(), 0o755); err != nil {
		return err
	}
	if err := writeFile(m.presetFile(name), b.Bytes(), over); err != nil {
		return err
	}
	list := slices.DeleteFunc(slices.Clone(m.opt.Presets), func(q Preset) bool { return q.User && q.Name == name })
	m.setPresets(append(list, Preset{Name: p.Name, About: p.About, Config: p.Config, User: true}))
	return nil
}

func (m *Model) presetFile(name string) string { return filepath.Join(m.presetDir(), name+".json") }

// deletePreset removes the file of a user's preset and returns what undoing
// it needs.
func (m *Model) deletePreset(i int) (Preset, error) {
	p := m.opt.Presets[i]
	if err := os.Remove(m.presetFile(p.Name)); err != nil && !os.IsNotExist(err) {
		return p, err
	}
	m.setPresets(slices.Delete(slices.Clone(m.opt.Presets), i, i+1))
	return p, nil
}

// renamePreset gives a user's preset another name.
func (m *Model) renamePreset(i int, name string) error {
	p := m.opt.Presets[i]
	if p.Name == name {
		return nil
	}
	if err := m.savePreset(name, p.About, p.Config, false); err != nil {
		return err
	}
	old, now := m.userPreset(p.Name), m.userPreset(name)
	for _, l := range append(slices.Clone(m.lanes), m.parked...) {
		if l.preset == old {
			l.preset = now
		}
	}
	_, err := m.deletePreset(old)
	return err
}

// setPresets makes list the presets, the user's by name, and keeps what
// refers to one by its place pointing at it.
func (m *Model) setPresets(list []Preset) {
	old := m.opt.Presets
	sort.SliceStable(list, func(i, j int) bool {
		return list[j].User && (!list[i].User || list[i].Name < list[j].Name)
	})
	m.opt.Presets = list
	now := func(i int) int {
		if i < 0 || i >= len(old) {
			return -1
		}
		return slices.IndexFunc(list, func(p Preset) bool { return p.Name == old[i].Name && p.User == old[i].User })
	}
	for _, l := range append(slices.Clone(m.lanes), m.parked...) {
		l.preset = now(l.preset)
		for _, s := range [][]snapshot{l.undo, l.redo} {
			for k := range s {
				s[k].preset = now(s[k].preset)
			}
		}
	}
	for _, s := range m.slots {
		if s != nil {
			s.preset = now(s.preset)
		}
	}
}
