package class

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"
	gossh "golang.org/x/crypto/ssh"

	"logitscope/ui/tui"
	"logitscope/viz"
)

// A desk is an own lab that writes its keys down.
type desk struct {
	own   Own
	keys  string
	push  string
	wide  int
	tasks []bool
}

func (d *desk) Init() tea.Cmd { return nil }
func (d *desk) Close()        {}
func (d *desk) Tasks() []bool { return d.tasks }
func (d *desk) View() string {
	return fmt.Sprintf("keys<%s> push<%s> high<%d>", d.keys, d.push, d.wide)
}
func (d *desk) Picture(w, h int) *viz.Canvas {
	c := viz.NewCanvas(w, h, false)
	c.Put(0, 0, "a picture of "+d.keys, viz.Ink{})
	return c
}
func (d *desk) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.KeyMsg:
		d.keys += msg.String()
		if msg.String() == "!" {
			panic("a fault in the lab")
		}
		if msg.String() == "t" {
			d.tasks = slices.Clone(d.tasks)
			d.tasks[0] = true
		}
	case tea.WindowSizeMsg:
		d.wide = msg.Height
	case tui.BringMsg:
		d.push = msg.Push.Prompt
	}
	return d, nil
}

// Own labs get the keys, but for a question, which comes over them; they are
// brought to the teacher's, seen by task, and looked into.
func TestOwnLabs(t *testing.T) {
	c := opened(t, func(s *Setup) {
		s.Own = func(_ context.Context, o Own) (Lab, error) { return &desk{own: o, tasks: []bool{false, false}}, nil }
	})
	w := terminal(t, dialed(t, c), 80, 24)
	w.shows(t, "keys<> push<> high<23>")
	io.WriteString(w.in, "a?qt")
	w.shows(t, "keys<a?qt>")
	if l := c.Labs(); len(l) != 1 || fmt.Sprint(l[0].Tasks) != "[true false]" {
		t.Errorf("%+v", l)
	}
	c.Ask(three)
	w.shows(t, "question 1")
	io.WriteString(w.in, "j\r")
	w.shows(t, "ctrl+v answers it")
	io.WriteString(w.in, "b")
	w.shows(t, "keys<a?qtb>")
	io.WriteString(w.in, "\x16")
	w.shows(t, "Handed in")
	c.Reveal(drawnFirst(), nil)
	w.shows(t, "you had 0 chips on it")
	c.Bring(tui.Push{Prompt: "Once"})
	w.shows(t, "push<Once>")
	_, next := c.Now()
	c.Watch(c.Labs()[0].Name, 40, 12)
	<-next
	for c.Seen() == nil {
		_, next = c.Now()
		c.soon()
		<-next
	}
	if text := c.Seen().Text(); !strings.HasPrefix(text, "a picture of a?qtb") {
		t.Errorf("%q", text)
	}
	io.WriteString(w.in, "!")
	w.shows(t, "an internal error ended this session")
}

// soon publishes a view soon, so that waiting for one ends.
func (c *Class) soon() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.count()
}

// The notes open with the teacher's key alone.
func TestNotes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	c := opened(t, func(s *Setup) { s.Notes, s.StateDir = true, dir })
	teacher, err := keyIn(dir, teacherKeyFile)
	if err != nil {
		t.Fatal(err)
	}
	if cl, err := dial(t, c, notesUser, "4821", gossh.PublicKeys(newKey(t))); err == nil {
		cl.Close()
		t.Error("the notes open with any key")
	}
	cl, err := dial(t, c, notesUser, "", gossh.PublicKeys(teacher))
	if err != nil {
		t.Fatal(err)
	}
	defer cl.Close()
	w := terminal(t, cl, 80, 24)
	w.shows(t, "No lesson is open")
	c.Show(tui.Scene{Notes: tui.Notes{Title: "Temperature", Lines: []string{"Ask them first.\x1b[31m"}}})
	w.shows(t, "Ask them first.␛[31m")
	if n := c.Standing().Here; n != 0 {
		t.Errorf("the teacher counts as %d students", n)
	}
	if cl, err := dial(t, opened(t, nil), notesUser, "4821", gossh.PublicKeys(teacher)); err == nil {
		cl.Close()
		t.Error("notes open where they were not asked for")
	}
}
