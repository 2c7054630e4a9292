package tui

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/aymanbagabas/go-osc52/v2"
	tea "github.com/charmbracelet/bubbletea"

	"logitscope/engine"
	"logitscope/ui/tui/run"
	"logitscope/viz"
)

// maxClipboard is the largest copy sent through OSC 52: terminals drop longer
// ones without a word.
const maxClipboard = 74_994

// A clipMsg says what became of a copy.
type clipMsg struct{ say string }

// copySelected copies the selected thing: the settings from the controls, a
// report of a failed run, else the text.
func (m *Model) copySelected() tea.Cmd {
	l := m.Lane()
	switch {
	case m.lab.TurnsKnobs():
		b, err := json.MarshalIndent(l.ShownConfig(), "", "  ")
		if err != nil {
			m.Complain(err.Error())
			return nil
		}
		return m.Copy("the settings", string(b), "logitscope-config.json")
	case l.View.Phase == engine.Failed && l.Look.At == 0:
		return m.Copy("the report", report(l), "logitscope-report.txt")
	case l.View.Phase == engine.Idle:
		m.Say("y: " + m.WhyNot(l))
		return nil
	}
	return m.Copy("prompt and text", l.View.PromptText+l.View.Text(), "logitscope-text.txt")
}

// report describes a failed run for whoever has to look into it.
func report(l *run.Lane) string {
	info := l.Model.Info()
	return fmt.Sprintf("logitscope: failed at step %d\nmodel %s %s %s, arithmetic %s, %d tokens of vocabulary\ncause: %v\nprompt: %q\ntext: %q\n",
		len(l.View.Steps)+1, info.Name, info.Arch, info.Quant, info.Arithmetic.Name, info.VocabSize, l.View.Err, l.View.PromptText, l.View.Text())
}

// Copy sends text to the terminal's clipboard, or saves it in file where
// that cannot be.
func (m *Model) Copy(what, text, file string) tea.Cmd {
	if m.opt.Sealed {
		m.Say("copied " + what)
		return nil
	}
	if len(text) > maxClipboard || m.pal.Depth == viz.NoSGR {
		door := m.door
		return func() tea.Msg {
			if err := door.Write(file, []byte(text), true); err != nil {
				return clipMsg{"y: " + err.Error()}
			}
			return clipMsg{"the terminal does not take the copy; saved as ./" + file}
		}
	}
	m.Say("copied " + what + ": " + viz.Count(len([]rune(text))) + " characters (OSC 52)")
	out := m.opt.Output
	if out == nil {
		out = os.Stdout
	}
	seq := osc52.New(text)
	env := environ(m.opt.Environ)
	if env["TMUX"] != "" {
		seq = seq.Tmux()
	} else if strings.HasPrefix(env["TERM"], "screen") {
		seq = seq.Screen()
	}
	return func() tea.Msg {
		if _, err := io.WriteString(out, seq.String()); err != nil {
			return clipMsg{"y: " + err.Error()}
		}
		return nil
	}
}
