package class

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"logitscope/engine/quiz"
	"logitscope/ui/tui"
	"logitscope/ui/tui/predict"
	"logitscope/viz"
)

// pupil is a student's screen without a terminal.
func pupil(t *testing.T, h *Hub, w, high int, ascii bool) *student {
	t.Helper()
	look := Terminal{W: w, H: high, Depth: viz.NoColors, ASCII: ascii, Dark: true}
	seat, err := h.join("pupil", look.window())
	if err != nil {
		t.Fatal(err)
	}
	m, _ := newStudent(h)(&session{look: look, seat: seat, ctx: t.Context(), fail: func(err error) { t.Error(err) }, fps: 10})
	st := m.(*student)
	st.pal = viz.NewPalette(true, viz.NoSGR, ascii)
	return st
}

func (m *student) press(keys ...tea.KeyType) {
	for _, k := range keys {
		m.Update(tea.KeyMsg{Type: k})
	}
}

func (m *student) type1(s string) {
	for _, r := range s {
		m.Update(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune{r}})
	}
}

// View is the screen as text.
func (m *student) View() string { return m.Draw().text() }

func (s sheet) text() string { return strings.Join(s.lines, "\n") }

// sees gives the student the newest view.
func (m *student) sees(h *Hub) {
	h.mu.Lock()
	h.flush()
	h.mu.Unlock()
	v, _ := h.Now()
	m.Update(changedMsg{v})
}

// hostile are options whose names are long, wide, or want to be escaped.
var hostile = predict.Asked{
	Context: strings.Repeat("a very long text ", 40),
	Options: []string{viz.Label(" an", false), viz.Label("\x1b[31mred", false), viz.Label("漢字漢字漢字漢字漢字漢字", false), viz.Label("\u202eright", false),
		viz.Label(strings.Repeat("long", 30), false), "␣e", "␣f", "␣g", "␣h", "␣i", "something else"},
}

// Every screen of a student is exactly the window, at every size, and only
// the last line of the lab is its own.
func TestStudentScreensAreExact(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{200, 60}, {131, 41}, {120, 40}, {80, 24}, {61, 19}, {40, 12}} {
		for _, ascii := range []bool{false, true} {
			h := newHub(Options{Max: 5, FreeNames: true})
			m := pupil(t, h, size[0], size[1], ascii)
			theirs := strings.ReplaceAll(strings.Join(hostile.Options, ""), "␣", "") // what a token is, is shown
			check := func(state string) {
				t.Helper()
				s := m.Draw()
				lines := s.lines
				if s.top+len(lines) > size[1] || s.left < 0 || s.top < 0 {
					t.Errorf("%v, %s: %d lines below %d", size, state, len(lines), s.top)
				}
				for _, l := range lines {
					if s.left+viz.Width(l) > size[0] || viz.Width(l) != viz.Width(lines[0]) || strings.ContainsAny(l, "\r\t\u202e") {
						t.Errorf("%v, %s: %d cells: %q", size, state, viz.Width(l), l)
					}
					for _, r := range l {
						if ascii && r > 0x7e && !strings.ContainsRune(theirs, r) {
							t.Errorf("%v, %s: %q in ASCII: %q", size, state, r, l)
							break
						}
					}
				}
			}
			check("nothing yet")
			scene := frames(h, "the lab")
			scene.Title = strings.Repeat("title ", 40)
			for i := range 20 {
				scene.Rows = append(scene.Rows, tui.SceneRow{Token: hostile.Options[i%len(hostile.Options)], Raw: 0.05, Final: 0.05, Chosen: i == 3, Cut: i == 4})
			}
			h.Show(scene)
			m.sees(h)
			check("the lab")
			if lines := strings.Split(m.View(), "\n"); !strings.Contains(lines[len(lines)-1], m.you.Name) || !strings.Contains(m.View(), "the lab") {
				t.Errorf("%v: %q", size, lines[len(lines)-1])
			}
			for _, k := range []string{"?", "r", "N"} {
				m.type1(k)
				check(k)
				if k == "N" {
					m.type1(strings.Repeat("x", 100))
					check("a long name")
					m.press(tea.KeyEnter)
					check("refused")
				}
				m.press(tea.KeyEsc)
			}
			h.Ask(hostile)
			m.sees(h)
			for range len(hostile.Options) + 2 {
				check("the question")
				m.press(tea.KeyDown)
			}
			m.type1("+++")
			check("three chips")
			m.press(tea.KeyEnter)
			check("handed in")
			m.press(tea.KeyEsc)
			check("folded")
			h.Reveal(quiz.NewQuestion([]float64{0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1}, 4, 0.1), nil)
			m.sees(h)
			check("the result")
			m.Update(quietMsg{})
			check("quiet")
		}
	}
	m := pupil(t, newHub(Options{Max: 1}), 39, 11, false)
	if !strings.Contains(m.View(), "too small") {
		t.Errorf("%q", m.View())
	}
}

// Chips: enter puts the rest on the row; a row chosen after handing in takes
// them all.
func TestChipsByKeys(t *testing.T) {
	t.Parallel()
	h := newHub(Options{Max: 5})
	m := pupil(t, h, 80, 24, false)
	h.Ask(three)
	m.sees(h)
	for _, x := range []struct {
		keys string
		want string
	}{
		{"\r", "[10 0 0]"}, {"j\r", "[0 10 0]"}, {"---", "[0 7 0]"}, {"\r", "[0 10 0]"}, {"----j+\r", "[0 6 4]"}, {"+", "[0 6 4]"}, {"k\r", "[0 6 4]"}, {"kk-", "[0 6 4]"},
	} {
		for _, r := range x.keys {
			if r == '\r' {
				m.press(tea.KeyEnter)
			} else {
				m.type1(string(r))
			}
		}
		if got := fmt.Sprint([]int(m.guess)); got != x.want {
			t.Errorf("%q: %s, want %s", x.keys, got, x.want)
		}
	}
	if h.Standing().Voted != 1 {
		t.Errorf("%d voted", h.Standing().Voted)
	}
}

// A panel opens and closes as often as its key is pressed, for one student as
// for the next.
func TestPanelsReopen(t *testing.T) {
	t.Parallel()
	h := newHub(Options{Max: 5, FreeNames: true})
	for range 2 {
		m := pupil(t, h, 120, 40, false)
		for k := range 5 {
			m.type1("?")
			if open := m.open != noPanel; open != (k%2 == 0) {
				t.Fatalf("open %v after ? was pressed %d times", open, k+1)
			}
		}
	}
}

// What is pasted goes into a name, and nowhere else.
func TestPasteIsIgnored(t *testing.T) {
	t.Parallel()
	h := newHub(Options{Max: 5, FreeNames: true})
	m := pupil(t, h, 80, 24, false)
	paste := func(s string) tea.Cmd {
		return m.Update(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(s), Paste: true})
	}
	for _, s := range []string{"q", "?", "r", "N"} {
		if cmd := paste(s); cmd != nil || m.open != noPanel {
			t.Errorf("%s pasted: %v, %v", s, cmd != nil, m.open)
		}
	}
	m.type1("N")
	paste("Ada")
	m.press(tea.KeyEnter)
	if m.you.Name != "Ada" {
		t.Errorf("the name is %q", m.you.Name)
	}
}

// Without a clock on the screen nothing ticks.
func TestTicksWithAClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHub(Options{Max: 5})
		m := pupil(t, h, 80, 24, false)
		if m.tick() != nil {
			t.Error("it ticks while nothing is asked")
		}
		h.Ask(three)
		m.sees(h)
		if m.tick() != nil {
			t.Error("it ticks for a question without an end")
		}
		q := three
		q.Ends = time.Now().Add(3 * time.Second)
		h.Ask(q)
		m.view, _ = h.Now()
		n := 0
		for cmd := m.tick(); cmd != nil; n++ {
			if m.tick() != nil {
				t.Error("it ticks twice")
			}
			if n == 4 {
				h.Reveal(drawnFirst(), nil)
				m.view, _ = h.Now()
			}
			cmd = m.Update(cmd())
		}
		if n != 5 || m.ticking {
			t.Errorf("%d ticks, want 5: until the question is closed", n)
		}
	})
}
