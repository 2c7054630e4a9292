package run

import (
	"logitscope/engine"
	"logitscope/sampling"
)

// Borrowed are settings that a view changed for as long as it is open.
type Borrowed struct {
	lane *Lane
	keys []string
	was  sampling.Config
	set  *engine.Settings // what was in force
}

// Borrow puts cfg in force without an undo: a view does it by being opened,
// and gives back the keys when it is left. It reports whether cfg was taken.
func (ls *Lanes) Borrow(l *Lane, cfg sampling.Config, keys ...string) (*Borrowed, bool) {
	b := &Borrowed{l, keys, l.Config, l.Settings}
	return b, ls.quietly(l, cfg)
}

// quietly puts cfg in force without a trace in the undo list.
func (ls *Lanes) quietly(l *Lane, cfg sampling.Config) bool {
	s, err := l.Compile(cfg, l.Preset)
	if err != nil {
		ls.Complain(err.Error())
		return false
	}
	l.Config = cfg
	l.tune(s)
	return true
}

// GiveBack puts the keys back as they were.
func (b *Borrowed) GiveBack(ls *Lanes) {
	if b == nil {
		return
	}
	cfg := b.lane.Config
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
		b.lane.Config = b.was
		b.lane.tune(b.set)
	case !cfg.Equal(b.lane.Config):
		ls.quietly(b.lane, cfg)
	}
	b.lane.rebase = true // nothing was tried on the step
}
