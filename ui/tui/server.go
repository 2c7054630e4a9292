package tui

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"logitscope/engine"
	"logitscope/models"
)

// What the screen shows of a model that runs on a server: what talking to it
// costs, that it is being waited for, and whose choice a token is.

// meter returns the counts of the lane's server; ok is false for a model that
// runs here.
func (l *lane) meter() (s models.Stats, ok bool) {
	m, ok := l.model.(models.Meter)
	if ok {
		s = m.Stats()
	}
	return s, ok
}

// observing reports whether the server chooses the tokens, so that the lane
// can only watch.
func (l *lane) observing() bool { return l.model.Info().Caps.ObserveOnly }

// server returns the kind of the lane's server and its address, both empty
// for a model that runs here.
func (l *lane) server() (kind, address string) {
	info := l.model.Info()
	return info.Server, info.Address
}

// waitingLine says what the server is being waited for, "" while all is well.
func (l *lane) waitingLine() string {
	s, ok := l.meter()
	if !ok || s.Waiting == "" {
		return ""
	}
	line := "waiting: " + s.Waiting
	if s.Retries > 0 {
		line += fmt.Sprintf(" (tried again %d times)", s.Retries)
		line = strings.Replace(line, " 1 times", " once", 1)
	}
	return line
}

// waitingLine says what the lanes wait for, that keys act on first.
func (m *board) waitingLine() string {
	if s := m.lane().waitingLine(); s != "" || len(m.lanes) == 1 {
		return s
	}
	for i, l := range m.lanes {
		if s := l.waitingLine(); s != "" {
			return "lane " + strconv.Itoa(i+1) + " " + s
		}
	}
	return ""
}

// canRetry reports whether going on may get past the lane's failure, as with
// a server that did not answer.
func (l *lane) canRetry() bool {
	v := l.view
	var t interface{ Temporary() bool }
	return v.Phase == engine.Failed && errors.As(v.Err, &t) && t.Temporary() && (!l.observing() || len(v.Steps) == 0)
}

// serverChooses says why key does nothing on a text that the server writes.
func (m *board) serverChooses(key string) {
	kind, _ := m.lane().server()
	m.say(key + ": " + kind + " chooses the tokens itself; they can be watched, not chosen")
}

// A meterMsg asks for a new frame, since a server's counts change without a
// view of its lane.
type meterMsg struct{}

// meterEvery is the time between two looks at the counts.
const meterEvery = time.Second / 4

func meterTick() tea.Cmd {
	return tea.Tick(meterEvery, func(time.Time) tea.Msg { return meterMsg{} })
}

// watchMeter begins looking at the counts of l's server, if it has one.
func (m *board) watchMeter(l *lane) tea.Cmd {
	if _, ok := l.meter(); !ok || m.metered {
		return nil
	}
	m.metered = true
	return meterTick()
}
