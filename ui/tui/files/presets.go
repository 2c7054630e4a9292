package files

import (
	"fmt"
	"slices"
	"sort"

	"logitscope/presets"
	"logitscope/sampling"
	"logitscope/ui/store"
	"logitscope/ui/tui/disk"
	"logitscope/ui/tui/run"
)

// Presets are the user's own presets: their files, and their places in the
// lanes' book.
type Presets struct {
	lanes *run.Lanes
	door  *disk.Door
}

// NewPresets keeps the presets behind door.
func NewPresets(lanes *run.Lanes, door *disk.Door) *Presets { return &Presets{lanes, door} }

// own returns the indices of the user's presets in the book.
func (u *Presets) own() []int {
	var out []int
	for i, p := range u.lanes.Book.List() {
		if p.User {
			out = append(out, i)
		}
	}
	return out
}

// Dir is the folder of the user's presets, empty for none.
func (u *Presets) Dir() string { return u.store().Dir() }

// store is where the user's presets are kept.
func (u *Presets) store() store.Presets { return u.door.Presets() }

// check returns why a preset cannot be called name, nil if it can.
func (u *Presets) check(name string) error {
	if u.Dir() == "" {
		return fmt.Errorf("there is no config folder to keep presets in")
	}
	return store.CheckName(name)
}

// Find returns the index of the user's preset called name, -1 if there
// is none.
func (u *Presets) Find(name string) int {
	return slices.IndexFunc(u.lanes.Book.List(), func(p run.Preset) bool { return p.User && p.Name == name })
}

// Save writes cfg as the user's preset called name and takes it into
// the list.
func (u *Presets) Save(name, about string, cfg sampling.Config, over bool) error {
	if err := u.check(name); err != nil {
		return err
	}
	p := presets.Preset{Name: name, About: about, Config: asPreset(cfg)}
	if _, err := u.store().Save(p, over); err != nil {
		return err
	}
	list := slices.DeleteFunc(slices.Clone(u.lanes.Book.List()), func(q run.Preset) bool { return q.User && q.Name == name })
	u.set(append(list, run.Preset{Name: p.Name, About: p.About, Config: p.Config, User: true}))
	return nil
}

// asPreset returns cfg as a preset keeps it: its values are the preset's, and
// a preset does not hold the seed.
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

// Delete removes the file of a user's preset and returns what undoing
// it needs.
func (u *Presets) Delete(i int) (run.Preset, error) {
	p := u.lanes.Book.List()[i]
	if u.store().Has(p.Name) == nil { // its file may be gone
		if err := u.store().Delete(p.Name); err != nil {
			return p, err
		}
	}
	u.set(slices.Delete(slices.Clone(u.lanes.Book.List()), i, i+1))
	return p, nil
}

// rename gives a user's preset another name.
func (u *Presets) rename(i int, name string) error {
	p := u.lanes.Book.List()[i]
	if p.Name == name {
		return nil
	}
	if err := u.check(name); err != nil {
		return err
	}
	if _, err := u.store().Rename(p.Name, name, false); err != nil {
		return err
	}
	u.set(append(slices.Clone(u.lanes.Book.List()), run.Preset{Name: name, About: p.About, Config: p.Config, User: true}))
	old, now := u.Find(p.Name), u.Find(name)
	for _, l := range append(slices.Clone(u.lanes.All), u.lanes.Parked...) {
		if l.Preset == old {
			l.Preset = now
		}
	}
	u.set(slices.Delete(slices.Clone(u.lanes.Book.List()), old, old+1))
	return nil
}

// set makes list the presets, the user's by name.
func (u *Presets) set(list []run.Preset) {
	sort.SliceStable(list, func(i, j int) bool {
		return list[j].User && (!list[i].User || list[i].Name < list[j].Name)
	})
	u.lanes.SetPresets(list)
}
