package record

import (
	"encoding/json"
	"logitscope/engine"
	"logitscope/sampling"
)

// settings writes how s, in force from pos on, differs from the settings before.
func (w *Writer) settings(s *engine.Settings, pos int) error {
	base := s.Base()
	if base != w.base {
		old := w.base
		set := w.change(pos, old.Config(), base.Config(), base.Label)
		w.base, w.set = base, base
		if len(set.Changes) > 0 || base.Label != old.Label {
			if err := w.putSet(set, base); err != nil {
				return err
			}
		}
	}
	if s == w.set {
		return nil
	}
	w.set = s
	set := w.change(pos, base.Config(), s.Config(), s.Label)
	rules := append([]string{}, s.Scheduled()...)
	set.Scheduled = &rules
	return w.putSet(set, s)
}

func (w *Writer) putSet(set Set, s *engine.Settings) error {
	w.configID++
	if err := w.name(s); err != nil {
		return err
	}
	return w.line(set)
}

// change returns the line that leads from one configuration to another.
func (w *Writer) change(pos int, from, to sampling.Config, label string) Set {
	set := Set{Type: "set", Lane: w.opt.Lane, BeforePos: pos, Changes: map[string]json.RawMessage{}, Preset: label, At: w.now()}
	var values map[string]json.RawMessage
	if b, err := to.MarshalJSON(); err == nil {
		json.Unmarshal(b, &values)
	}
	for _, key := range from.Keys() {
		if _, ok := to.Lookup(key); !ok {
			set.Changes[key] = json.RawMessage("null")
		}
	}
	for _, key := range to.Keys() {
		a, had := from.Lookup(key)
		if b, _ := to.Lookup(key); !had || a.Origin != b.Origin || !same(a.Value, b.Value) {
			set.Changes[key] = values[key]
		}
	}
	set.Origins = originsOf(to, func(key string) bool { _, ok := set.Changes[key]; return ok })
	if a, b := from.Order().Name(), to.Order().Name(); a != b {
		set.Order = &b
	}
	return set
}

func same(a, b any) bool {
	x, err := json.Marshal(a)
	y, err2 := json.Marshal(b)
	return err == nil && err2 == nil && string(x) == string(y)
}
