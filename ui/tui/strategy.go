package tui

import (
	tea "github.com/charmbracelet/bubbletea"

	"logitscope/engine"
	"logitscope/sampling"
)

// A leaver is a view that puts something back when it is left.
type leaver interface{ leave(m *Model) }

// leaveScreen tells the view that fills the screen that it is left.
func (m *Model) leaveScreen() {
	if v, ok := m.screen.view.(leaver); ok {
		v.leave(m)
	}
}

// borrowed are settings that a view changed for as long as it is open.
type borrowed struct {
	lane *lane
	keys []string
	was  sampling.Config
	set  *engine.Settings // what was in force
}

// borrow puts cfg in force without an undo: a view does it by being opened,
// and gives back the keys when it is left. It reports whether cfg was taken.
func (m *Model) borrow(l *lane, cfg sampling.Config, keys ...string) (*borrowed, bool) {
	b := &borrowed{l, keys, l.config, l.settings}
	return b, m.quietly(l, cfg)
}

// quietly puts cfg in force without a trace in the undo list.
func (m *Model) quietly(l *lane, cfg sampling.Config) bool {
	s, err := l.compile(m.opt.Presets, cfg, l.preset)
	if err != nil {
		m.complain(err.Error())
		return false
	}
	l.config = cfg
	l.tune(s)
	return true
}

// giveBack puts the keys back as they were.
func (b *borrowed) giveBack(m *Model) {
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

// wheelMoves moves the selection of a view that fills the screen.
func wheelMoves(m *Model, e tea.MouseMsg) (tea.Cmd, bool) {
	switch e.Button {
	case tea.MouseButtonWheelUp:
		return m.act("up"), true
	case tea.MouseButtonWheelDown:
		return m.act("down"), true
	}
	return nil, false
}

func (v *beamView) mouse(m *Model, _, _ int, e tea.MouseMsg) (tea.Cmd, bool) { return wheelMoves(m, e) }
func (v *specView) mouse(m *Model, _, _ int, e tea.MouseMsg) (tea.Cmd, bool) { return wheelMoves(m, e) }

// mouse selects the row or the kind under it.
func (v *constraintView) mouse(m *Model, _, y int, e tea.MouseMsg) (tea.Cmd, bool) {
	if cmd, done := wheelMoves(m, e); done {
		return cmd, true
	}
	if e.Button != tea.MouseButtonLeft || e.Action != tea.MouseActionPress {
		return nil, false
	}
	if !v.active(m) {
		top, n := v.kindsShown(m.bodyRect().H - 2)
		if i := y - 3; i >= 0 && i < n { // box, sentence, blank
			again := v.list.at == top+i
			if v.list.at = top + i; again {
				return m.act("open"), true
			}
		}
		return nil, true
	}
	l := m.lane()
	if s := l.step(); s != nil && s.Trace != nil {
		rows := maskRows(l, s, v.rowsShown(m))
		if i := y - 2; i >= 0 && i < len(rows) { // box, head
			l.row = rows[i].ID
		}
	}
	return nil, true
}
