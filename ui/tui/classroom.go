package tui

import (
	"fmt"
	"slices"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"logitscope/engine"
	"logitscope/sampling"
	"logitscope/ui/tui/course"
	"logitscope/ui/tui/kit"
	"logitscope/ui/tui/lab"
	"logitscope/ui/tui/predict"
	"logitscope/ui/tui/run"
	"logitscope/viz"
)

// scenePause is how often a class gets to see what changed.
const scenePause = 100 * time.Millisecond

// A sceneMsg says that it is time to show the class what changed.
type sceneMsg struct{}

func nextScene() tea.Cmd { return tea.Tick(scenePause, func(time.Time) tea.Msg { return sceneMsg{} }) }

// onScene hands the class a scene, if there is anything new in it.
func (m *Model) onScene() tea.Cmd {
	class := m.opt.Class
	now := class.Standing()
	if now != m.standing {
		m.standing, m.dirty = now, true
		m.changes++
	}
	windows := class.Windows()
	if m.changes != m.published || !slices.Equal(windows, m.windows) {
		m.published, m.windows = m.changes, windows
		class.Show(m.scene(windows))
	}
	return nextScene()
}

// scene is what the lab looks like in each of these windows, and what it
// shows in numbers.
func (m *Model) scene(windows []Window) Scene {
	s := Scene{Frames: make(map[Window]string, len(windows))}
	type size struct {
		w, h  int
		ascii bool
	}
	drawn := map[size]*viz.Canvas{} // a canvas is rendered at any depth
	for _, w := range windows {
		z := size{w.W, w.H, w.ASCII}
		if drawn[z] == nil {
			drawn[z] = m.sized(w).draw()
		}
		s.Frames[w] = drawn[z].Render(viz.NewPalette(m.pal.Dark, w.Depth, w.ASCII))
	}
	l := m.Lane()
	s.Text, s.Notes = sceneText(l), m.notes()
	step := l.Step()
	if step == nil || step.Trace == nil {
		return s
	}
	if v, ok := m.screen.View.(*predict.View); ok && v.Hides() {
		s.Hidden = true
		return s
	}
	s.Title = "step " + viz.Count(step.Index)
	if name := l.ShownLabel(); name != "" {
		s.Title += " · " + viz.Printable(name, false)
	}
	s.Rows = sceneRows(l, step)
	return s
}

// sized is the lab in a window of another size. It shares all that drawing
// reads and none of what it keeps.
func (m *Model) sized(w Window) *Model {
	n := *m
	n.w, n.h, n.cache = w.W, w.H, new(string)
	n.pal = viz.NewPalette(m.pal.Dark, w.Depth, w.ASCII)
	n.lab = m.lab.Sized(w.W, w.H, n.pal)
	if m.screen.id == kit.ViewLab {
		n.screen.View = n.lab
	}
	n.tutor = m.tutor.At(n.lessonRect, n.lessonOver)
	if n.tutor.Shown {
		n.lab.LeaveAbove(lab.RoomAbove(w.W, w.H))
	} else {
		n.lab.LeaveAbove(0)
	}
	return &n
}

// sceneTextRunes is how much of the text a scene has, its end.
const sceneTextRunes = 500

func sceneText(l *run.Lane) string {
	text := []rune(l.View.PromptText + l.View.Text())
	cut := ""
	if n := len(text) - sceneTextRunes; n > 0 {
		text, cut = text[n:], "… "
	}
	var lines []string
	for line := range strings.SplitSeq(string(text), "\n") {
		lines = append(lines, viz.Printable(line, false))
	}
	return cut + strings.Join(lines, "\n")
}

// bestRows is how many of the best rows by raw probability a scene has, half
// as many more by final, and all others as one.
const bestRows = 12

// sceneRows are the best rows of a step, and the others together.
func sceneRows(l *run.Lane, s *engine.Step) []SceneRow {
	rows := run.Choose(s.Trace, s.Trace, bestRows, run.Keep{})
	var out []SceneRow
	raw, final := 1.0, 1.0
	for _, r := range rows {
		out = append(out, SceneRow{Token: l.Piece(r.ID, false), Raw: float64(r.RawProb), Final: float64(r.Prob), Cut: r.Cut != sampling.NoStage, Chosen: r.ID == s.Token})
		raw -= float64(r.RawProb)
		final -= float64(r.Prob)
	}
	if n := l.Model.Info().VocabSize - len(rows); n > 0 {
		out = append(out, SceneRow{Token: viz.Count(n) + " others", Raw: max(raw, 0), Final: max(final, 0)})
	}
	return out
}

// notes are those of the task that is open, and what comes next.
func (m *Model) notes() Notes {
	r, open := m.tutor.Reading()
	if !open || r.At >= len(r.Lesson.Tasks) {
		return Notes{}
	}
	t := &r.Lesson.Tasks[r.At]
	n := Notes{Title: fmt.Sprintf("%s · task %d of %d · %s", r.Lesson.Title, r.At+1, len(r.Lesson.Tasks), t.Title)}
	for _, p := range t.Notes {
		for _, b := range p {
			line := ""
			for _, span := range b.Spans {
				line += course.Text(span, m.course.Scene(), false)
			}
			n.Lines = append(n.Lines, line)
		}
	}
	if len(t.Notes) == 0 {
		n.Lines = append(n.Lines, "This task has no notes.")
	}
	if r.At+1 < len(r.Lesson.Tasks) {
		n.Lines = append(n.Lines, "Next: "+r.Lesson.Tasks[r.At+1].Title)
	}
	return n
}

// headerOfClass are the parts that a class adds to the header.
func (m *Model) headerOfClass() (left, right kit.HeaderPart) {
	s := m.standing
	words := viz.Plural(s.Here, "student")
	if v, ok := m.screen.View.(*predict.View); ok && v.Hides() {
		words += " · " + viz.Count(s.Voted) + " voted"
	}
	if s.Locked {
		words += " · locked"
	}
	left = kit.HeaderPart{Text: words, Rank: 1, Ink: viz.Ink{}.With(viz.Bold)}
	if m.opt.Join.Web != "" {
		right = kit.HeaderPart{Text: "join: " + m.opt.Join.Web, Rank: 3}
	} else {
		right = kit.HeaderPart{Text: "join: " + m.opt.Join.SSH, Rank: 3}
	}
	return left, right
}

// countHands opens predict and counts there. The view takes the action itself
// where it is open.
func (m *Model) countHands() tea.Cmd {
	cmd := m.Open(kit.ViewPredict)
	if m.screen.id != kit.ViewPredict {
		return cmd
	}
	return tea.Batch(cmd, m.act(kit.ActHands))
}

// bring asks all own labs to show the prompt under the settings in force.
func (m *Model) bring() tea.Cmd {
	if m.opt.Class == nil {
		m.Say("bring everybody here: logitscope class --own gives students labs of their own")
		return nil
	}
	l := m.Lane()
	m.opt.Class.Bring(Push{Prompt: l.View.PromptText, Config: l.ShownConfig(), Preset: l.ShownPreset()})
	m.Say("everybody is brought here: prompt and settings")
	return nil
}

// onBring takes the prompt and the settings that the teacher sent.
func (m *Model) onBring(p Push) tea.Cmd {
	m.dropOverlays(0)
	if m.screen.id != kit.ViewLab {
		m.leaveScreen()
		m.show(opened{kit.ViewLab, m.lab})
	}
	if !m.Apply(p.Config, p.Preset, "", "the teacher's settings") {
		return nil
	}
	m.Say("the teacher brought you here")
	return m.ReadPrompt(m.Lane(), run.Asked{Text: p.Prompt})
}
