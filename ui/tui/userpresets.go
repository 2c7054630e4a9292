package tui

import (
	"fmt"
	"slices"
	"sort"

	"logitscope/presets"
	"logitscope/sampling"
	"logitscope/ui/store"
	"logitscope/ui/tui/run"
)

// presetDir is the folder of the user's presets, empty for none.
func (m *Model) presetDir() string {
	if m.opt.ConfigDir == "" {
		return ""
	}
	return m.presetStore().Dir()
}

// presetStore is where the user's presets are kept.
func (m *Model) presetStore() store.Presets { return store.UserPresets(m.opt.ConfigDir) }

// checkPresetName returns why a preset cannot be called name, nil if it can.
func (m *Model) checkPresetName(name string) error {
	if m.opt.ConfigDir == "" {
		return fmt.Errorf("there is no config folder to keep presets in")
	}
	return store.CheckName(name)
}

// userPreset returns the index of the user's preset called name, -1 if there
// is none.
func (m *Model) userPreset(name string) int {
	return slices.IndexFunc(m.Book.List(), func(p run.Preset) bool { return p.User && p.Name == name })
}

// savePreset writes cfg as the user's preset called name and takes it into
// the list.
func (m *Model) savePreset(name, about string, cfg sampling.Config, over bool) error {
	if err := m.checkPresetName(name); err != nil {
		return err
	}
	p := presets.Preset{Name: name, About: about, Config: asPreset(cfg)}
	if _, err := m.presetStore().Save(p, over); err != nil {
		return err
	}
	list := slices.DeleteFunc(slices.Clone(m.Book.List()), func(q run.Preset) bool { return q.User && q.Name == name })
	m.setPresets(append(list, run.Preset{Name: p.Name, About: p.About, Config: p.Config, User: true}))
	return nil
}

// asPreset returns cfg as a preset keeps it: its values are the preset's, and
// the seed is none of its business.
func asPreset(cfg sampling.Config) sampling.Config {
	cfg = cfg.Without("seed")
	for _, key := range cfg.Keys() {
		s, _ := cfg.Lookup(key)
		if next, err := cfg.With(key, s.Value, sampling.FromPreset); err == nil {
			cfg = next
		}
	}
	return cfg
}

// deletePreset removes the file of a user's preset and returns what undoing
// it needs.
func (m *Model) deletePreset(i int) (run.Preset, error) {
	p := m.Book.List()[i]
	if m.presetStore().Has(p.Name) == nil { // its file may be gone
		if err := m.presetStore().Delete(p.Name); err != nil {
			return p, err
		}
	}
	m.setPresets(slices.Delete(slices.Clone(m.Book.List()), i, i+1))
	return p, nil
}

// renamePreset gives a user's preset another name.
func (m *Model) renamePreset(i int, name string) error {
	p := m.Book.List()[i]
	if p.Name == name {
		return nil
	}
	if err := m.checkPresetName(name); err != nil {
		return err
	}
	if _, err := m.presetStore().Rename(p.Name, name, false); err != nil {
		return err
	}
	m.setPresets(append(slices.Clone(m.Book.List()), run.Preset{Name: name, About: p.About, Config: p.Config, User: true}))
	old, now := m.userPreset(p.Name), m.userPreset(name)
	for _, l := range append(slices.Clone(m.All), m.Parked...) {
		if l.Preset == old {
			l.Preset = now
		}
	}
	m.setPresets(slices.Delete(slices.Clone(m.Book.List()), old, old+1))
	return nil
}

// setPresets makes list the presets, the user's by name, and keeps what
// refers to one by its place pointing at it.
func (m *Model) setPresets(list []run.Preset) {
	old := m.Book.List()
	sort.SliceStable(list, func(i, j int) bool {
		return list[j].User && (!list[i].User || list[i].Name < list[j].Name)
	})
	m.Book.Set(list)
	now := func(i int) int {
		if i < 0 || i >= len(old) {
			return -1
		}
		return slices.IndexFunc(list, func(p run.Preset) bool { return p.Name == old[i].Name && p.User == old[i].User })
	}
	for _, l := range append(slices.Clone(m.All), m.Parked...) {
		l.Preset = now(l.Preset)
		for _, s := range [][]run.Snapshot{l.Undo, l.Redo} {
			for k := range s {
				s[k].Preset = now(s[k].Preset)
			}
		}
	}
	for _, s := range m.Slots {
		if s != nil {
			s.Preset = now(s.Preset)
		}
	}
}
