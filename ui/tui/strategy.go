package tui

import (
	"logitscope/engine"
	"logitscope/sampling"
)

// borrowed are settings that a view changed for as long as it is open.
type borrowed struct {
	lane *lane
	keys []string
	was  sampling.Config
	set  *engine.Settings // what was in force
}

// borrow puts cfg in force without an undo: a view does it by being opened,
// and gives back the keys when it is left. It reports whether cfg was taken.
func (m *board) borrow(l *lane, cfg sampling.Config, keys ...string) (*borrowed, bool) {
	b := &borrowed{l, keys, l.config, l.settings}
	return b, m.quietly(l, cfg)
}

// quietly puts cfg in force without a trace in the undo list.
func (m *board) quietly(l *lane, cfg sampling.Config) bool {
	s, err := l.compile(cfg, l.preset)
	if err != nil {
		m.complain(err.Error())
		return false
	}
	l.config = cfg
	l.tune(s)
	return true
}

// giveBack puts the keys back as they were.
func (b *borrowed) giveBack(m *board) {
	if b == nil {
		return
	}
	cfg := b.lane.config
	for _, key := range b.keys {
		s, set := b.was.Lookup(key)
		if !set {
			cfg = cfg.Without(key)
			continue
		}
		if c, err := cfg.With(key, s.Value, s.Origin); err == nil {
			cfg = c
		}
	}
	switch {
	case cfg.Equal(b.was):
		b.lane.config = b.was
		b.lane.tune(b.set)
	case !cfg.Equal(b.lane.config):
		m.quietly(b.lane, cfg)
	}
	b.lane.rebase = true // nothing was tried on the step
}
