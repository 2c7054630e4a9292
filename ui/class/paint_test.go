package class

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/ssh"
	"github.com/charmbracelet/x/vt"

	"logitscope/viz"
)

// A deaf terminal takes nothing and types nothing, until its connection is
// closed.
type deaf struct {
	ssh.Session
	ctx deafContext
}

type deafContext struct {
	ssh.Context
	of     context.Context
	caller *caller
}

func (d deaf) Context() ssh.Context               { return d.ctx }
func (d deaf) Read(b []byte) (int, error)         { return d.ctx.caller.conn.Read(b) }
func (c deafContext) Deadline() (time.Time, bool) { return c.of.Deadline() }
func (c deafContext) Done() <-chan struct{}       { return c.of.Done() }
func (c deafContext) Err() error                  { return c.of.Err() }
func (c deafContext) Value(key any) any {
	if _, ok := key.(callerKey); ok {
		return c.caller
	}
	return nil
}

// A still screen draws one frame.
type still struct{}

func (still) Init() tea.Cmd          { return nil }
func (still) Update(tea.Msg) tea.Cmd { return nil }
func (still) Draw() sheet            { return sheetOf("still", 5, 1) }

// A terminal that never reads is not waited for: whatever ends its session
// closes its connection in a while, and the session's goroutines with it.
func TestDeafTerminalIsClosed(t *testing.T) {
	for name, end := range map[string]error{"the class ends": ErrEnded, "the seat is taken": errElsewhere, "nothing is typed": errQuiet} {
		synctest.Test(t, func(t *testing.T) {
			class, stop := context.WithCancel(t.Context())
			mine, theirs := net.Pipe() // nobody reads theirs
			defer theirs.Close()
			v := &visitor{Conn: mine, of: &doorway{}}
			v.of.all = map[*visitor]struct{}{v: {}}
			s := &shell{ctx: class, fps: 10}
			sess := &session{Session: deaf{ctx: deafContext{of: t.Context(), caller: &caller{conn: v, out: v}}}}
			hub := newHub(Options{Max: 1})
			sess.seat, _ = hub.join("theirs", nil)
			var why error
			done := make(chan struct{})
			go func() {
				defer close(done)
				winch := make(chan ssh.Window)
				defer close(winch)
				why = s.run(sess, winch, func(*session) (screen, func()) { return still{}, func() {} })
			}()
			start := time.Now()
			time.Sleep(time.Minute)
			want := time.Minute + closingTime
			switch end {
			case ErrEnded:
				stop()
			case errElsewhere:
				hub.join("theirs", nil)
			default:
				want = idleTime + closingTime
			}
			<-done
			if d := time.Since(start); d != want || !errors.Is(why, end) {
				t.Errorf("%s: ended after %v with %v, want %v", name, d, why, want)
			}
			here := 0
			if end == errElsewhere {
				here = 1
			}
			if n := hub.Standing().Here; n != here {
				t.Errorf("%s: %d here, want %d", name, n, here)
			}
			if _, err := mine.Write([]byte("x")); !errors.Is(err, io.ErrClosedPipe) || inside(v.of) != 0 {
				t.Errorf("%s: the connection is open: %v, %d in the doorway", name, err, inside(v.of))
			}
			stop()
		})
	}
}

// What a terminal shows after any sheets in a row is the last one, and nothing
// of those before it.
func TestPainter(t *testing.T) {
	t.Parallel()
	const w, h = 30, 8
	em := vt.NewEmulator(w, h)
	defer em.Close()
	p := &painter{out: em, entered: true}
	pal := viz.NewPalette(true, viz.TrueColor, false)
	draw := func(left, top, wide, high int, text string) sheet {
		c := viz.NewCanvas(wide, high, false)
		for y := range high {
			c.Put(y%3, y, viz.Cut(fmt.Sprint(text, y), wide), viz.Ink{Role: viz.Role(y % 4)})
		}
		s := sheetOf(c.Render(pal), w, h)
		s.left, s.top = left, top
		return s
	}
	for i, s := range []sheet{
		draw(0, 0, w, h, "whole"), draw(0, 0, w, h, "other"), draw(3, 2, 20, 4, "framed"), draw(3, 2, 20, 4, "again"), draw(2, 2, 20, 4, "moved"), draw(0, 0, w, h, "漢字"), draw(0, 0, 10, 2, "small"),
	} {
		if err := p.show(s); err != nil {
			t.Fatal(err)
		}
		fresh := vt.NewEmulator(w, h)
		(&painter{out: fresh, entered: true}).show(s)
		if got, want := em.String(), fresh.String(); got != want {
			t.Errorf("sheet %d: %q, want %q", i, got, want)
		}
		fresh.Close()
	}
}

// Lines that stay are not sent again, and no write is long.
func TestPainterSendsWhatChanged(t *testing.T) {
	t.Parallel()
	var out writes
	p := &painter{out: &out}
	line := strings.Repeat("x", 1<<10)
	s := sheet{w: 1 << 10, h: 40}
	for range 40 {
		s.lines = append(s.lines, line)
	}
	p.show(s)
	if len(out.text) < 40<<10 || out.longest > longestWrite {
		t.Errorf("%d bytes, the longest write %d", len(out.text), out.longest)
	}
	out = writes{}
	p.show(s)
	if len(out.text) > 0 {
		t.Errorf("the same frame again sends %d bytes", len(out.text))
	}
	changed := s
	changed.lines = append([]string(nil), s.lines...)
	changed.lines[7] = "y"
	p.show(changed)
	if string(out.text) != "\x1b[8;1Hy" {
		t.Errorf("%q", out.text)
	}
}

type writes struct {
	text    []byte
	longest int
}

func (w *writes) Write(b []byte) (int, error) {
	w.text, w.longest = append(w.text, b...), max(w.longest, len(b))
	return len(b), nil
}

// However often a screen changes, so many frames a second are sent, and the
// last one is.
func TestFramesASecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		sc := &counting{}
		g := &guarded{screen: sc, paint: &painter{out: &out, pause: time.Second / 10}, fail: func(err error) { t.Error(err) }}
		p := tea.NewProgram(g, tea.WithContext(t.Context()), tea.WithInput(nil), tea.WithOutput(io.Discard), tea.WithoutRenderer(), tea.WithoutSignalHandler())
		done := make(chan struct{})
		go func() { defer close(done); p.Run() }()
		for range 1000 { // 200 a second
			p.Send(tea.KeyMsg{})
			time.Sleep(5 * time.Millisecond)
		}
		time.Sleep(time.Second)
		p.Quit()
		<-done
		if n := strings.Count(out.String(), "H"); n < 45 || n > 52 || !strings.HasSuffix(out.String(), "1000") {
			t.Errorf("%d frames in five seconds, the last %q", n, out.String()[max(out.Len()-10, 0):])
		}
	})
}

// A counting screen shows how many keys it got.
type counting struct{ n int }

func (c *counting) Init() tea.Cmd { return nil }
func (c *counting) Update(msg tea.Msg) tea.Cmd {
	if _, ok := msg.(tea.KeyMsg); ok {
		c.n++
	}
	return nil
}
func (c *counting) Draw() sheet { return sheetOf(fmt.Sprintf("%4d", c.n), 4, 1) }

// A frame in the middle of a terminal is the one at its left, moved: what
// names columns as well.
func TestPainterMovesColumns(t *testing.T) {
	t.Parallel()
	const w, h = 40, 3
	c := viz.NewCanvas(20, 1, false)
	c.Put(0, 0, "aस्तेb", viz.Ink{Role: viz.Chosen}) // terminals give it one cell or two
	line := c.Render(viz.NewPalette(true, viz.TrueColor, false))
	if !strings.Contains(line, "G") {
		t.Fatalf("%q names no column", line)
	}
	cells := func(left int) string {
		em := vt.NewEmulator(w, h)
		defer em.Close()
		(&painter{out: em, entered: true}).show(sheet{left: left, w: w, h: h, lines: []string{line}})
		return strings.Split(em.String(), "\n")[0]
	}
	if got, want := strings.TrimRight(cells(7), " "), strings.Repeat(" ", 7)+strings.TrimRight(cells(0), " "); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := moved("\x1b[1;3mx\x1b[4Gy\x1b[12Xz\x1b[", 10); got != "\x1b[1;3mx\x1b[14Gy\x1b[12Xz\x1b[" {
		t.Errorf("%q", got)
	}
}
