package tui

import (
	"fmt"
	"path/filepath"
	"reflect"
	"runtime"
	"runtime/debug"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"logitscope/ui/tui/files"
	"logitscope/ui/tui/kit"
	"logitscope/ui/tui/run"
)

// rescue keeps the session after a panic while a message was taken: the lanes
// stop, what they wrote and their settings are saved, whatever was open is
// closed, and one line says where it happened.
func (m *Model) rescue(value any) {
	where, stack := placeOfPanic(), debug.Stack()
	m.overlays = nil
	m.show(opened{kit.ViewLab, m.lab}) // nothing is asked of the view that failed
	m.AdvanceAll(0)
	said := "internal error in " + where
	report := fmt.Sprintf("internal error in %s: %v\n\n%s", where, value, stack)
	m.panics = append(m.panics, report)
	name, err := m.save(report)
	switch {
	case err != nil:
		said += "; the run could not be saved: " + err.Error()
	case name != "":
		said += "; the run is saved as " + name
	}
	m.Complain(said)
	m.dirty = true
}

// goOn asks again for what msg would have asked for, so that nothing waits for
// ever after a panic: the lane's next view, the next effect.
func (m *Model) goOn(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case run.ViewMsg:
		if l := m.ByID(msg.Lane); l != nil && msg.OK {
			return m.NextView(l, msg.At)
		}
	case run.EffectMsg:
		m.EffectLost()
	case sceneMsg:
		return nextScene()
	case run.MeterMsg:
		return run.MeterTick()
	}
	return nil
}

// save writes the run of every lane, and the report beside the first, and
// returns the name of the first. A text that was saved is not saved again:
// name is empty then.
func (m *Model) save(report string) (name string, err error) {
	for _, l := range m.All {
		if l.View.Prompt == nil || l.Rescued == len(l.View.Steps)+1 {
			continue
		}
		lines, err := files.RunLines(l)
		if err != nil {
			return name, err
		}
		file, err := m.door.Rescue(lines)
		if err != nil {
			return name, err
		}
		l.Rescued = len(l.View.Steps) + 1
		if name == "" {
			name = file
			if err := m.door.Write(strings.TrimSuffix(file, filepath.Ext(file))+".txt", []byte(report), true); err != nil {
				return name, err
			}
		}
	}
	return name, nil
}

// placeOfPanic returns the file and line of the program's own that was under
// way when it panicked: "ui/tui/kit/field.go:44". It is called while the panic
// is recovered.
func placeOfPanic() string {
	pcs := make([]uintptr, 64)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(1, pcs)])
	own := reflect.TypeFor[Model]().PkgPath()
	module, _, _ := strings.Cut(own, "/")
	panicked := false
	for {
		f, more := frames.Next()
		pkg, inner := filepath.Split(f.Function)
		if panicked && strings.HasPrefix(pkg, module+"/") {
			inner, _, _ = strings.Cut(inner, ".")
			return strings.TrimPrefix(pkg, module+"/") + inner + "/" + fmt.Sprint(filepath.Base(f.File), ":", f.Line)
		}
		panicked = panicked || f.Function == "runtime.gopanic"
		if !more {
			return own
		}
	}
}
