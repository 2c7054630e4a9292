package run

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

// Meter returns the counts of the lane's server; ok is false for a model that
// runs here.
func (l *Lane) Meter() (s models.Stats, ok bool) {
	ls, ok := l.Model.(models.Meter)
	if ok {
		s = ls.Stats()
	}
	return s, ok
}

// Observing reports whether the server chooses the tokens, so that the lane
// can only watch.
func (l *Lane) Observing() bool { return l.Model.Info().Caps.ObserveOnly }

// Server returns the kind of the lane's server and its address, both empty
// for a model that runs here.
func (l *Lane) Server() (kind, address string) {
	info := l.Model.Info()
	return info.Server, info.Address
}

// WaitingLine says what the server is being waited for, "" while all is well.
func (l *Lane) WaitingLine() string {
	s, ok := l.Meter()
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

// WaitingLine says what the lanes wait for, that keys act on first.
func (ls *Lanes) WaitingLine() string {
	if s := ls.Lane().WaitingLine(); s != "" || len(ls.All) == 1 {
		return s
	}
	for i, l := range ls.All {
		if s := l.WaitingLine(); s != "" {
			return "lane " + strconv.Itoa(i+1) + " " + s
		}
	}
	return ""
}

// CanRetry reports whether going on may get past the lane's failure, as with
// a server that did not answer.
func (l *Lane) CanRetry() bool {
	v := l.View
	var t interface{ Temporary() bool }
	return v.Phase == engine.Failed && errors.As(v.Err, &t) && t.Temporary() && (!l.Observing() || len(v.Steps) == 0)
}

// serverChooses says why key does nothing on a text that the server writes.
func (ls *Lanes) serverChooses(key string) {
	kind, _ := ls.Lane().Server()
	ls.Say(key + ": " + kind + " chooses the tokens itself; they can be watched, not chosen")
}

// A MeterMsg asks for a new frame, since a server's counts change without a
// view of its lane.
type MeterMsg struct{}

// meterEvery is the time between two looks at the counts.
const meterEvery = time.Second / 4

// MeterTick asks for a frame a moment later, for the counts of a server.
func MeterTick() tea.Cmd {
	return tea.Tick(meterEvery, func(time.Time) tea.Msg { return MeterMsg{} })
}

// watchMeter begins looking at the counts of l's server, if it has one.
func (ls *Lanes) watchMeter(l *Lane) tea.Cmd {
	if _, ok := l.Meter(); !ok || ls.metered {
		return nil
	}
	ls.metered = true
	return MeterTick()
}
