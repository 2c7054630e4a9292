package class

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	gossh "golang.org/x/crypto/ssh"

	"logitscope/ui/tui"
	"logitscope/viz"
)

// opened starts a class on loopback.
func opened(t testing.TB, change func(*Setup)) *Class {
	t.Helper()
	s := Setup{Options: Options{Max: 120}, SSH: "127.0.0.1:0", Web: "127.0.0.1:0", Code: "4821", StateDir: t.TempDir(), FPS: 10}
	if change != nil {
		change(&s)
	}
	c, err := Open(context.Background(), s)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close("the test is over") })
	return c
}

// port is where the class takes SSH.
func (c *Class) port() string {
	f := strings.Fields(c.Card.SSH)
	return net.JoinHostPort(f[3], f[2])
}

// dial opens a connection, with the code as the answer or as the user.
func dial(t testing.TB, c *Class, user, answer string, auth ...gossh.AuthMethod) (*gossh.Client, error) {
	t.Helper()
	auth = append(auth, gossh.KeyboardInteractive(func(_, _ string, questions []string, _ []bool) ([]string, error) {
		out := make([]string, len(questions))
		for i := range out {
			out[i] = answer
		}
		return out, nil
	}))
	return gossh.Dial("tcp", c.port(), &gossh.ClientConfig{User: user, Auth: auth, HostKeyCallback: gossh.InsecureIgnoreHostKey(), Timeout: 10 * time.Second})
}

func dialed(t testing.TB, c *Class) *gossh.Client {
	t.Helper()
	cl, err := dial(t, c, "somebody", "4821")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cl.Close() })
	return cl
}

// A window is a terminal of a test.
type window struct {
	*gossh.Session
	in  io.Writer
	mu  sync.Mutex
	out bytes.Buffer
	got chan struct{}
}

func (w *window) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.out.Write(p)
	select {
	case w.got <- struct{}{}:
	default:
	}
	return len(p), nil
}

func (w *window) text() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.out.String()
}

// shows waits until the terminal was sent s.
func (w *window) shows(t testing.TB, s string) {
	t.Helper()
	limit := time.After(2 * time.Minute)
	for !strings.Contains(w.text(), s) {
		select {
		case <-w.got:
		case <-limit:
			t.Fatalf("%q never came; got %q", s, w.text())
		}
	}
}

// terminal opens a session with a terminal.
func terminal(t testing.TB, cl *gossh.Client, w, h int) *window {
	t.Helper()
	s, err := cl.NewSession()
	if err != nil {
		t.Fatal(err)
	}
	win := &window{Session: s, got: make(chan struct{}, 1)}
	s.Stdout = win
	win.in, _ = s.StdinPipe()
	s.Setenv("COLORTERM", "truecolor")
	if err := s.RequestPty("xterm-256color", h, w, gossh.TerminalModes{}); err != nil {
		t.Fatal(err)
	}
	if err := s.Shell(); err != nil {
		t.Fatal(err)
	}
	return win
}

// frames is a scene with a frame of plain text for each window looked at.
func frames(h *Hub, text string) tui.Scene {
	s := tui.Scene{Text: text, Frames: map[tui.Window]string{}}
	for _, w := range h.Windows() {
		s.Frames[w] = strings.Repeat(fmt.Sprintf("%-*s\n", w.W, text), w.H-1) + strings.Repeat(" ", w.W)
	}
	return s
}

// showing shows text on all windows until the test is over, as the lab does.
func showing(t testing.TB, c *Class, text string) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(20 * time.Millisecond)
		defer tick.Stop()
		for {
			c.Show(frames(c.Hub, text))
			select {
			case <-tick.C:
			case <-ctx.Done():
				return
			}
		}
	}()
	t.Cleanup(func() { cancel(); <-done })
}

// Nothing but a terminal can be asked for.
func TestStudentsCanDoNothing(t *testing.T) {
	t.Parallel()
	c := opened(t, nil)
	cl := dialed(t, c)
	if _, err := cl.Dial("tcp", c.port()); err == nil {
		t.Error("-L: a connection was forwarded")
	}
	if _, _, err := cl.OpenChannel("direct-streamlocal@openssh.com", gossh.Marshal(struct{ Path, R string }{"/tmp/x", ""})); err == nil {
		t.Error("-L: a socket was forwarded")
	}
	if _, err := cl.Listen("tcp", "127.0.0.1:0"); err == nil {
		t.Error("-R: a port was opened")
	}
	if _, err := cl.ListenUnix(filepath.Join(t.TempDir(), "s")); err == nil {
		t.Error("-R: a socket was opened")
	}
	if _, _, err := cl.OpenChannel("x11", nil); err == nil {
		t.Error("-X: a channel was opened")
	}
	win := terminal(t, cl, 80, 24)
	win.shows(t, "you look on")
	if _, err := cl.NewSession(); err == nil {
		t.Error("a second session on one connection")
	}
	for _, c := range []struct {
		name string
		do   func(*gossh.Session) error
	}{
		{"agent", func(s *gossh.Session) error { return asks(s, "auth-agent-req@openssh.com", nil) }},
		{"x11", func(s *gossh.Session) error { return asks(s, "x11-req", make([]byte, 20)) }},
		{"sftp", func(s *gossh.Session) error { return s.RequestSubsystem("sftp") }},
		{"a subsystem", func(s *gossh.Session) error { return s.RequestSubsystem("netconf") }},
		{"env", func(s *gossh.Session) error { return s.Setenv("LD_PRELOAD", "/tmp/x.so") }},
		{"break", func(s *gossh.Session) error { return asks(s, "break", make([]byte, 4)) }},
		{"a long request", func(s *gossh.Session) error {
			return s.RequestPty(strings.Repeat("x", longestRequest), 24, 80, nil)
		}},
		{"many variables", func(s *gossh.Session) (err error) {
			for range maxEnv {
				if err := s.Setenv("LANG", "C"); err != nil {
					t.Error(err)
				}
			}
			return s.Setenv("LANG", "C")
		}},
	} {
		s, err := dialed(t, opened(t, nil)).NewSession()
		if err != nil {
			t.Fatal(err)
		}
		if err := c.do(s); err == nil {
			t.Errorf("%s was granted", c.name)
		}
	}
	for i, command := range []string{"ls", "scp -t /tmp", "/bin/sh -c id", "sftp-server"} {
		s, err := dialed(t, c).NewSession()
		if err != nil {
			t.Fatal(err)
		}
		if i%2 == 1 { // ssh -t host command
			if err := s.RequestPty("xterm", 24, 80, nil); err != nil {
				t.Fatal(err)
			}
		}
		var errs bytes.Buffer
		s.Stderr = &errs
		err = s.Run(command)
		var exit *gossh.ExitError
		if !errors.As(err, &exit) || exit.ExitStatus() != 1 || strings.Count(errs.String(), "\n") != 1 {
			t.Errorf("%s: %v, said %q", command, err, errs.String())
		}
	}
	s, err := dialed(t, c).NewSession()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Shell(); err != nil {
		t.Fatal(err)
	}
	if err := s.Wait(); err == nil {
		t.Error("a shell without a terminal ended well")
	}
}

func asks(s *gossh.Session, what string, payload []byte) error {
	ok, err := s.SendRequest(what, true, payload)
	if err == nil && !ok {
		return errors.New("refused")
	}
	return err
}

func TestCodeOverSSH(t *testing.T) {
	t.Parallel()
	c := opened(t, nil)
	for _, ok := range [][2]string{{"somebody", "4821"}, {"4821", "nothing"}, {"4821", ""}} {
		cl, err := dial(t, c, ok[0], ok[1])
		if err != nil {
			t.Errorf("user %s, answer %q: %v", ok[0], ok[1], err)
			continue
		}
		cl.Close()
	}
	for _, bad := range [][2]string{{"somebody", "4822"}, {"4822", ""}, {"root", ""}, {"notes", "4821"}, {"48210", "48210"}, {"", ""}} {
		if cl, err := dial(t, c, bad[0], bad[1]); err == nil {
			cl.Close()
			t.Errorf("user %q, answer %q got in", bad[0], bad[1])
		}
	}
	for _, auth := range []gossh.AuthMethod{gossh.Password("4821"), gossh.PublicKeys(newKey(t))} {
		if cl, err := dial(t, c, "somebody", "no", auth); err == nil {
			cl.Close()
			t.Error("got in without the code")
		}
	}
	free := opened(t, func(s *Setup) { s.Anybody = true })
	cl, err := dial(t, free, "anybody", "")
	if err != nil {
		t.Fatal(err)
	}
	cl.Close()
}

// A connection has so many tries at the code.
func TestTriesOfAConnection(t *testing.T) {
	t.Parallel()
	c := opened(t, nil)
	asked := 0
	ask := gossh.KeyboardInteractive(func(string, string, []string, []bool) ([]string, error) {
		asked++
		return []string{"0000"}, nil
	})
	cl, err := gossh.Dial("tcp", c.port(), &gossh.ClientConfig{User: "somebody", Auth: []gossh.AuthMethod{gossh.RetryableAuthMethod(ask, 10)}, HostKeyCallback: gossh.InsecureIgnoreHostKey()})
	if err == nil {
		cl.Close()
		t.Error("got in")
	}
	if asked != codeTries {
		t.Errorf("the code was asked for %d times", asked)
	}
	// A user name that may be a code is one guess, whatever keys are offered.
	if cl, err := dial(t, c, "0000", "no", gossh.PublicKeys(newKey(t), newKey(t), newKey(t))); err == nil {
		cl.Close()
		t.Error("got in")
	}
	// A login name of as many letters is none.
	for range 3 {
		cl, err := dial(t, c, "anna", c.shell.gate.code)
		if err != nil {
			t.Fatal(err)
		}
		cl.Close()
	}
	c.shell.gate.mu.Lock()
	defer c.shell.gate.mu.Unlock()
	for _, f := range c.shell.gate.from {
		if len(f.wrong) != codeTries+1 {
			t.Errorf("%d wrong codes, want %d and a name", len(f.wrong), codeTries)
		}
	}
}

func newKey(t testing.TB) gossh.Signer {
	t.Helper()
	_, key, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	s, err := gossh.NewSignerFromKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// One session a key: the newer window has the seat and its name.
func TestOneSessionAKey(t *testing.T) {
	t.Parallel()
	c := opened(t, nil)
	key := newKey(t)
	in := func() *window {
		cl, err := dial(t, c, "4821", "", gossh.PublicKeys(key))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { cl.Close() })
		return terminal(t, cl, 80, 24)
	}
	a := in()
	a.shows(t, "you look on")
	b := in()
	b.shows(t, "you look on")
	a.shows(t, errElsewhere.Error())
	if n := c.Standing().Here; n != 1 || len(c.seats) != 1 {
		t.Errorf("%d here, %d seats", n, len(c.seats))
	}
}

// The host key is made once, for its owner alone, and nothing is written into
// the current folder.
func TestHostKey(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	t.Chdir(t.TempDir())
	a := opened(t, func(s *Setup) { s.StateDir = dir })
	b := opened(t, func(s *Setup) { s.StateDir = dir })
	if a.Card.Fingerprint != b.Card.Fingerprint || a.Card.Fingerprint == "" {
		t.Errorf("%q, then %q", a.Card.Fingerprint, b.Card.Fingerprint)
	}
	info, err := os.Stat(filepath.Join(dir, hostKeyFile))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	if list, _ := os.ReadDir("."); len(list) > 0 {
		t.Errorf("%v was written here", list)
	}
	os.WriteFile(filepath.Join(dir, hostKeyFile), []byte("no key"), 0o600)
	if _, err := Open(t.Context(), Setup{Options: Options{Max: 1}, SSH: "127.0.0.1:0", Web: Off, StateDir: dir}); err == nil || !strings.Contains(err.Error(), hostKeyFile) {
		t.Errorf("a broken key: %v", err)
	}
}

// Votes over SSH: keys in, chips out.
func TestVoteOverSSH(t *testing.T) {
	c := opened(t, nil)
	showing(t, c, "the lab")
	win := terminal(t, dialed(t, c), 80, 24)
	win.shows(t, "the lab")
	c.Ask(three)
	win.shows(t, "something else")
	io.WriteString(win.in, "\x1b[B++++\x1b[A++++-\r") // 4 on the second, 3 and the rest on the first
	win.shows(t, "Handed in")
	c.mu.Lock()
	var got []int
	for _, m := range c.seats {
		got = m.guess
	}
	c.mu.Unlock()
	if fmt.Sprint(got) != "[6 4 0]" {
		t.Errorf("chips %v", got)
	}
	c.Reveal(drawnFirst(), nil)
	win.shows(t, "you had 6 chips on it: 0.82 bits")
}

// A panicking is a screen with a fault in it.
type panicking struct{ in, where string }

func (p panicking) at(where string) {
	if p.in == where {
		panic("a fault in " + where)
	}
}

func (p panicking) Init() tea.Cmd {
	p.at("init")
	return func() tea.Msg {
		p.at("cmd")
		return tea.BatchMsg{func() tea.Msg { p.at("batch"); return nil }, tea.Sequence(func() tea.Msg { p.at("sequence"); return nil }, nil)}
	}
}

func (p panicking) Update(msg tea.Msg) tea.Cmd {
	switch msg.(type) {
	case tea.WindowSizeMsg:
		p.at("resize")
	case tea.KeyMsg:
		p.at("update")
	}
	return nil
}

func (p panicking) Draw() sheet { p.at("draw"); return sheetOf("fine", 80, 24) }

// A fault in one session ends that one; the class and the process go on.
func TestPanicEndsOneSession(t *testing.T) {
	t.Parallel()
	for _, where := range []string{"make", "init", "cmd", "batch", "sequence", "update", "resize", "draw"} {
		c := opened(t, nil)
		other := terminal(t, dialed(t, c), 80, 24)
		other.shows(t, "you look on")
		c.shell.screens.student = func(s *session) (screen, func()) {
			panicking{where, "make"}.at("make")
			return panicking{in: where}, func() {}
		}
		if where == "make" {
			c.shell.screens.student = func(s *session) (screen, func()) { panic("a fault in make") }
		}
		win := terminal(t, dialed(t, c), 80, 24)
		io.WriteString(win.in, "x")
		win.shows(t, "an internal error ended this session")
		if err := win.Wait(); err != nil {
			t.Errorf("%s: %v", where, err)
		}
		io.WriteString(other.in, "?")
		other.shows(t, "leave the class")
	}
}

// Bubble Tea would suspend or replace the whole process.
func TestSessionsCannotStopTheProcess(t *testing.T) {
	t.Parallel()
	for _, msg := range []tea.Msg{tea.SuspendMsg{}, tea.Suspend(), tea.Exec(nil, nil)(), tea.ExecProcess(nil, nil)()} {
		if onlyOwn(nil, msg) != nil {
			t.Errorf("%T passes", msg)
		}
	}
	for _, msg := range []tea.Msg{tea.QuitMsg{}, tea.KeyMsg{}, tea.WindowSizeMsg{}, changedMsg{}, nil} {
		if msg != nil && onlyOwn(nil, msg) == nil {
			t.Errorf("%T is lost", msg)
		}
	}
}

// A runner asks to run a program of the teacher's, and leaves.
type runner struct {
	still
	program *program
}

type program struct{ ran atomic.Bool }

func (p *program) Run() error        { p.ran.Store(true); return nil }
func (*program) SetStdin(io.Reader)  {}
func (*program) SetStdout(io.Writer) {}
func (*program) SetStderr(io.Writer) {}

func (r runner) Init() tea.Cmd { return tea.Sequence(tea.Exec(r.program, nil), tea.Quit) }

// Whatever a screen asks for, its session runs nothing.
func TestSessionsRunNothing(t *testing.T) {
	t.Parallel()
	c := opened(t, nil)
	p := new(program)
	c.shell.screens.student = func(*session) (screen, func()) { return runner{program: p}, func() {} }
	win := terminal(t, dialed(t, c), 80, 24)
	win.shows(t, errLeft.Error())
	if p.ran.Load() {
		t.Error("a program ran")
	}
}

// The teacher leaves: every terminal says so and is as it was before.
func TestTeacherLeaves(t *testing.T) {
	t.Parallel()
	c := opened(t, nil)
	showing(t, c, "the lab")
	var wins []*window
	for range 3 {
		wins = append(wins, terminal(t, dialed(t, c), 80, 24))
	}
	for _, w := range wins {
		w.shows(t, "the lab")
	}
	web := browse(t, c)
	web.shows(t, "you")
	c.Close("the class has ended")
	for _, w := range wins {
		w.shows(t, ErrEnded.Error())
		if err := w.Wait(); err != nil {
			t.Errorf("ended with %v", err)
		}
		text := w.text()
		if back, said := strings.LastIndex(text, "\x1b[?1049l"), strings.LastIndex(text, ErrEnded.Error()); back < 0 || said < back || !strings.Contains(text, "\x1b[?25h") {
			t.Errorf("the terminal is not restored: %q", text[max(len(text)-200, 0):])
		}
	}
	web.shows(t, "event: end\ndata: \"the class has ended\"")
	if conn, err := net.Dial("tcp", c.port()); err == nil {
		conn.Close()
		t.Error("somebody still listens")
	}
}

// A terminal that reads nothing skips frames, holds nobody, and is not waited
// for at the end.
func TestSlowReader(t *testing.T) {
	c := opened(t, nil)
	cl := dialed(t, c)
	s, err := cl.NewSession()
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.StdoutPipe() // never read: the channel's window fills up
	if err != nil {
		t.Fatal(err)
	}
	if err := s.RequestPty("xterm-256color", 60, 200, nil); err != nil {
		t.Fatal(err)
	}
	if err := s.Shell(); err != nil {
		t.Fatal(err)
	}
	win := terminal(t, dialed(t, c), 80, 24)
	win.shows(t, "you look on")
	for i := range 400 { // 12 kB each, 4.8 MB: more than the window
		scene := tui.Scene{Frames: map[tui.Window]string{}}
		for _, w := range c.Windows() {
			scene.Frames[w] = strings.Repeat(strings.Repeat(string(rune('a'+i%26)), w.W)+"\n", w.H-1) + "last"
		}
		c.Show(scene)
		if i%100 == 0 {
			win.in.Write([]byte("?"))
		}
	}
	c.Show(frames(c.Hub, "the last one"))
	win.in.Write([]byte("\x1b"))
	win.shows(t, "the last one")
	start := time.Now()
	c.Close("over")
	if d := time.Since(start); d > 4*closingTime {
		t.Errorf("the end waited %v for a terminal that does not read", d)
	}
}

// A terminal that reads nothing gives its seat to a newer window of the same
// key, and its connection ends.
func TestStuckTerminalGivesWay(t *testing.T) {
	c := opened(t, func(s *Setup) { s.FPS = 120 })
	key := newKey(t)
	cl, err := dial(t, c, "4821", "", gossh.PublicKeys(key))
	if err != nil {
		t.Fatal(err)
	}
	s, err := cl.NewSession()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.StdoutPipe(); err != nil { // never read
		t.Fatal(err)
	}
	if err := s.RequestPty("xterm-256color", 60, 200, nil); err != nil {
		t.Fatal(err)
	}
	if err := s.Shell(); err != nil {
		t.Fatal(err)
	}
	tick := time.NewTicker(8 * time.Millisecond)
	defer tick.Stop()
	for i := range 100 {
		c.Show(frames(c.Hub, strings.Repeat(string(rune('a'+i%26)), 190)))
		<-tick.C
	}
	again, err := dial(t, c, "4821", "", gossh.PublicKeys(key))
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	terminal(t, again, 80, 24).shows(t, "you look on")
	cl.Wait() // ends when the server closes the connection
	if n := c.Standing().Here; n != 1 {
		t.Errorf("%d here", n)
	}
}

// What a client says of its terminal is bounded.
func TestHostileTerminals(t *testing.T) {
	t.Parallel()
	c := opened(t, nil)
	showing(t, c, "the lab")
	for _, size := range [][2]int{{1 << 30, 1 << 30}, {0, 0}, {1, 1}, {1 << 30, 1}} {
		win := terminal(t, dialed(t, c), size[0], size[1])
		win.shows(t, "\x1b[?1049h")
		win.WindowChange(1<<30, 3)
		win.WindowChange(24, 80)
		win.shows(t, "the lab")
		io.WriteString(win.in, "q")
		win.Wait()
	}
	s, _ := dialed(t, c).NewSession()
	if err := s.RequestPty("dumb", 24, 80, nil); err != nil {
		t.Fatal(err)
	}
	var errs bytes.Buffer
	s.Stderr = &errs
	s.Shell()
	if s.Wait() == nil || !strings.Contains(errs.String(), "want a terminal with a screen") {
		t.Errorf("a dumb terminal: %q", errs.String())
	}
	for _, x := range []struct {
		term  string
		env   []string
		depth viz.Depth
		ascii bool
	}{
		{"xterm-256color", nil, viz.Colors256, false},
		{"xterm", []string{"COLORTERM=truecolor"}, viz.TrueColor, false},
		{"xterm", []string{"COLORTERM=truecolor", "NO_COLOR=1"}, viz.NoColors, false},
		{"linux", nil, viz.Colors16, true},
		{"vt100", []string{"COLORTERM=truecolor"}, viz.NoColors, true},
		{"dumb", []string{"COLORTERM=truecolor"}, NoScreen, true},
	} {
		if got := terminalOf(x.term, x.env, 80, 24); got.Depth != x.depth || got.ASCII != x.ascii {
			t.Errorf("%s %v: %+v", x.term, x.env, got)
		}
	}
}

// A room that is locked or full says so in one line.
func TestLockedAndFull(t *testing.T) {
	t.Parallel()
	c := opened(t, func(s *Setup) { s.Max = 1 })
	a := terminal(t, dialed(t, c), 80, 24)
	a.shows(t, "you look on")
	for _, x := range []struct {
		lock bool
		want error
	}{{false, errFull}, {true, errLocked}} {
		c.Lock(x.lock)
		s, _ := dialed(t, c).NewSession()
		var errs bytes.Buffer
		s.Stderr = &errs
		if err := s.RequestPty("xterm", 24, 80, nil); err != nil {
			t.Fatal(err)
		}
		s.Shell()
		if s.Wait() == nil || errs.String() != "logitscope: "+x.want.Error()+"\r\n" {
			t.Errorf("%q, want %v", errs.String(), x.want)
		}
	}
}

// Who leaves a terminal has left a seat when the terminal hears of it, so that
// they may come back at once.
func TestLeavingFreesTheSeat(t *testing.T) {
	t.Parallel()
	c := opened(t, func(s *Setup) { s.Max = 1 })
	for range 3 {
		w := terminal(t, dialed(t, c), 80, 24)
		w.shows(t, "you look on")
		io.WriteString(w.in, "q")
		w.shows(t, errLeft.Error())
		w.Wait()
		if here := c.Standing().Here; here != 0 {
			t.Fatalf("%d still here", here)
		}
	}
}

// A class listens where it was asked to, and nowhere else; what is off is off.
func TestClassListensOnTwoAddresses(t *testing.T) {
	t.Parallel()
	for _, x := range []struct {
		ssh, web string
		n        int
	}{{"127.0.0.1:0", "127.0.0.1:0", 2}, {Off, "127.0.0.1:0", 1}, {"127.0.0.1:0", Off, 1}} {
		c := opened(t, func(s *Setup) { s.SSH, s.Web = x.ssh, x.web })
		for _, d := range c.doors {
			if a, ok := d.Addr().(*net.TCPAddr); !ok || !a.IP.IsLoopback() {
				t.Errorf("listens on %v", d.Addr())
			}
		}
		if len(c.doors) != x.n || (c.Card.SSH == "") != (x.ssh == Off) || (c.Card.Web == "") != (x.web == Off) || c.Card.Exposed {
			t.Errorf("%+v: %d doors, %+v", x, len(c.doors), c.Card)
		}
	}
	if _, err := Open(t.Context(), Setup{Options: Options{Max: 1}, SSH: Off, Web: Off}); err == nil {
		t.Error("a class without a way in")
	}
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	_, err = Open(t.Context(), Setup{Options: Options{Max: 1}, SSH: "127.0.0.1:0", Web: taken.Addr().String(), StateDir: t.TempDir()})
	if err == nil || !strings.Contains(err.Error(), "--web") {
		t.Errorf("a port that is taken: %v", err)
	}
}

// Terminals that come in while the class ends are closed with it: when Close
// returns, nobody is in.
func TestCloseWhileTheyCome(t *testing.T) {
	t.Parallel()
	for range 10 {
		c := opened(t, nil)
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				cl, err := dial(t, c, "somebody", "4821")
				if err != nil {
					return // too late
				}
				if err := cl.Wait(); err == nil {
					t.Error("a connection goes on without an end")
				}
			})
		}
		runtime.Gosched()
		c.Close("the test is over")
		all.Wait()
	}
}
