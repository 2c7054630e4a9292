//go:build !windows

package tui

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"runtime/debug"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"

	"logitscope/ui/tui/kit"
	"logitscope/viz"
)

// The test binary is the program when it is told so: a child in a
// pseudo-terminal.
func TestMain(m *testing.M) {
	if os.Getenv("LAB_CHILD") == "" {
		debug.SetGCPercent(400) // the heap is small
		os.Exit(m.Run())
	}
	opt := testOptions(nil)
	opt.Output, opt.Environ = nil, nil
	opt.Prompt = storyPrompt
	if os.Getenv("LAB_CHILD") == "panic" {
		views["panic"] = viewEntry{"panic", func(*Model) (kit.View, tea.Cmd) { return panicView{}, nil }}
		views[kit.ViewEngines] = views["panic"]
	}
	ctx, stop := Signalled(context.Background())
	if os.Getenv("LAB_CHILD") == "deaf" { // as one that is stuck, but repeats what it reads
		fmt.Println("deaf")
		go func() { _, _ = io.Copy(os.Stdout, os.Stdin) }()
		<-ctx.Done()
		fmt.Println("heard")
		select {}
	}
	defer stop()
	if err := Run(ctx, opt); err != nil {
		fmt.Fprintln(os.Stderr, "error:", strings.SplitN(err.Error(), "\n", 2)[0])
		os.Exit(1)
	}
	os.Exit(0)
}

// panicView panics when it is drawn.
type panicView struct{}

func (panicView) Draw(*viz.Canvas, kit.Host)                { panic("drawn") }
func (panicView) Act(kit.Host, *kit.Action) (tea.Cmd, bool) { return nil, false }
func (panicView) Frame(kit.Host) viz.Frame                  { return viz.Frame{} }
func (panicView) Size(kit.Host) (int, int)                  { return 10, 5 }
func (panicView) Hints(kit.Host) []kit.ID                   { return nil }

// A terminal runs the program in a pseudo-terminal and emulates the screen.
type terminal struct {
	t    *testing.T
	cmd  *exec.Cmd
	file *os.File
	em   *vt.Emulator
	raw  bytes.Buffer
	mu   sync.Mutex
	more chan bool // something was written since the screen was looked at
	done chan error
}

func startTerminal(t *testing.T, w, h int, env ...string) *terminal {
	t.Helper()
	if testing.Short() {
		t.Skip("starts a program")
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "TERM=xterm-256color", "COLORTERM=truecolor", "NO_COLOR=", "LAB_CHILD=1")
	cmd.Env = append(cmd.Env, env...)
	f, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: uint16(h), Cols: uint16(w)})
	if err != nil {
		t.Skipf("no pseudo-terminal: %v", err)
	}
	x := &terminal{t: t, cmd: cmd, file: f, em: vt.NewEmulator(w, h), more: make(chan bool, 1), done: make(chan error, 1)}
	go func() { _, _ = io.Copy(f, x.em) }() // answers to queries
	go func() {
		buf := make([]byte, 1<<16)
		for {
			n, err := f.Read(buf)
			x.mu.Lock()
			x.raw.Write(buf[:n])
			_, _ = x.em.Write(buf[:n])
			x.mu.Unlock()
			select {
			case x.more <- true:
			default:
			}
			if err != nil {
				x.done <- cmd.Wait()
				return
			}
		}
	}()
	t.Cleanup(func() { _ = cmd.Process.Kill(); f.Close() })
	return x
}

// shows waits until the screen holds s.
func (x *terminal) shows(s string) {
	x.t.Helper()
	if !x.until(func() bool { return strings.Contains(x.screen(), s) }) {
		x.t.Fatalf("the terminal never showed %q:\n%s", s, x.screen())
	}
}

// until looks at what was written, whenever something was, until ok says that
// it will do. It reports whether that came to pass.
func (x *terminal) until(ok func() bool) bool {
	late := time.After(time.Minute)
	for !ok() {
		select {
		case <-x.more:
		case <-late:
			return false
		}
	}
	return true
}

func (x *terminal) screen() string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.em.String()
}

func (x *terminal) keys(s string) {
	x.t.Helper()
	if _, err := io.WriteString(x.file, s); err != nil {
		x.t.Fatal(err)
	}
}

// ends waits for the program to end and checks that the terminal is as it
// was: main screen, cursor shown, no mouse, no bracketed paste.
func (x *terminal) ends() error {
	x.t.Helper()
	select {
	case err := <-x.done:
		x.mu.Lock()
		out := x.raw.String()
		x.mu.Unlock()
		for on, off := range map[string]string{"\x1b[?1049h": "\x1b[?1049l", "\x1b[?25l": "\x1b[?25h", "\x1b[?1002h": "\x1b[?1002l", "\x1b[?2004h": "\x1b[?2004l"} {
			if strings.LastIndex(out, on) > strings.LastIndex(out, off) {
				x.t.Errorf("%q was left on", on)
			}
		}
		return err
	case <-time.After(time.Minute):
		x.t.Fatal("the program does not end")
		return nil
	}
}

func TestTerminalRunSwitchResizeQuit(t *testing.T) {
	x := startTerminal(t, 100, 30)
	x.shows("next token · step 1")
	x.shows("space starts it")
	x.keys(" ")
	x.shows("► decoding")
	x.keys("3")
	x.shows("⟨3 creative⟩")
	for _, s := range [][2]int{{160, 45}, {80, 24}, {40, 12}, {30, 8}, {120, 40}} {
		x.mu.Lock()
		x.em.Resize(s[0], s[1])
		x.mu.Unlock()
		if err := pty.Setsize(x.file, &pty.Winsize{Rows: uint16(s[1]), Cols: uint16(s[0])}); err != nil {
			t.Fatal(err)
		}
		switch {
		case s[0] < 40:
			x.shows("is too small")
		case s[0] == 40:
			x.shows("step")
		default:
			x.shows("creative")
		}
	}
	x.keys("q")
	if err := x.ends(); err != nil {
		t.Errorf("ended with %v", err)
	}
}

func TestTerminalInterrupt(t *testing.T) {
	x := startTerminal(t, 80, 24)
	x.shows("step 1")
	x.keys("e\x03") // in a text field too
	if err := x.ends(); err != nil {
		t.Errorf("ended with %v", err)
	}
}

// A signal ends the program, every time: nothing that ends with it may wait
// for something that has ended.
func TestTerminalTerminate(t *testing.T) {
	for i := range 12 {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			s := []os.Signal{syscall.SIGTERM, syscall.SIGHUP}[i%3/2]
			if signal.Ignored(s) {
				t.Skipf("%v is ignored, and a child inherits it", s)
			}
			x := startTerminal(t, 80, 24)
			x.shows("step 1")
			if i%2 == 1 {
				x.keys(". . . . ")
			}
			if err := x.cmd.Process.Signal(s); err != nil {
				t.Fatal(err)
			}
			if err := x.ends(); err == nil {
				t.Error("ended as if it had not been told to")
			}
		})
	}
}

// The second signal ends a program that the first did not.
func TestTheSecondSignalEnds(t *testing.T) {
	for _, s := range endSignals {
		if signal.Ignored(s) { // the tests were started so, and a child inherits it
			t.Logf("%v is ignored", s)
			continue
		}
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), "LAB_CHILD=deaf")
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		for _, want := range []string{"deaf", "heard"} {
			if !lines.Scan() || lines.Text() != want {
				t.Fatalf("%v: %q, want %q", s, lines.Text(), want)
			}
			if err := cmd.Process.Signal(s); err != nil {
				t.Fatal(err)
			}
		}
		if err := cmd.Wait(); err == nil {
			t.Errorf("%v: ended without an error", s)
		}
	}
}

// A signal that was ignored when the program started, as by nohup, does not
// end it; the others still do.
func TestIgnoredSignalsStayIgnored(t *testing.T) {
	cmd := exec.Command("sh", "-c", `trap "" HUP; exec "$0"`, os.Args[0])
	cmd.Env = append(os.Environ(), "LAB_CHILD=deaf")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	says := func(want string) {
		t.Helper()
		if !lines.Scan() || lines.Text() != want {
			t.Fatalf("says %q, want %q", lines.Text(), want)
		}
	}
	send := func(s os.Signal) {
		t.Helper()
		if err := cmd.Process.Signal(s); err != nil {
			t.Fatal(err)
		}
	}
	alive := func(word string) { // for as long as it takes to hear a signal
		t.Helper()
		for range 100 {
			if _, err := fmt.Fprintln(in, word); err != nil {
				t.Fatal(err)
			}
			says(word)
		}
	}
	says("deaf")
	send(syscall.SIGHUP)
	alive("the first")
	send(syscall.SIGTERM)
	says("heard")
	// Had the hang-up counted, either first or now, the program would be gone.
	send(syscall.SIGHUP)
	alive("the second")
	send(syscall.SIGTERM)
	if err := cmd.Wait(); err == nil {
		t.Error("ended without an error")
	}
}

// A SIGQUIT prints where the goroutines are, on a terminal that was given back
// first: on the main screen, and with whole line ends.
func TestTerminalDump(t *testing.T) {
	if signal.Ignored(syscall.SIGQUIT) {
		t.Skip("SIGQUIT is ignored, and a child inherits it")
	}
	x := startTerminal(t, 80, 24)
	x.shows("step 1")
	if err := x.cmd.Process.Signal(syscall.SIGQUIT); err != nil {
		t.Fatal(err)
	}
	if err := x.ends(); err == nil {
		t.Error("ended as if it had not been told to")
	}
	out := x.raw.String()
	dump := strings.Index(out, "SIGQUIT")
	if dump < 0 || dump < strings.LastIndex(out, "\x1b[?1049l") {
		t.Fatalf("the trace begins at %d, the screen was left at %d", dump, strings.LastIndex(out, "\x1b[?1049l"))
	}
	if !strings.Contains(out[dump:], "goroutine 1 ") || strings.Contains(strings.ReplaceAll(out[dump:], "\r\n", ""), "\n") {
		t.Errorf("the trace is not whole:\n%q", out[dump:])
	}
}

func TestTerminalPanic(t *testing.T) {
	x := startTerminal(t, 80, 24, "LAB_CHILD=panic")
	x.shows("step 1")
	x.keys("O")
	if err := x.ends(); err == nil {
		t.Error("a panic ended without an error")
	}
}

func TestTerminalNoColor(t *testing.T) {
	x := startTerminal(t, 80, 24, "NO_COLOR=yes")
	x.shows("step 1")
	x.keys("q")
	_ = x.ends()
	if out := x.raw.String(); strings.Contains(out, "38;2;") || strings.Contains(out, "38;5;") {
		t.Error("colours although NO_COLOR is set")
	}
}

func TestTerminalMouse(t *testing.T) {
	x := startTerminal(t, 120, 40)
	x.shows("step 1")
	x.keys("\x1b[<0;79;9M\x1b[<0;79;9m") // the first preset
	x.shows("[1 factual]")
	x.keys("\x1b[<0;108;11M\x1b[<32;109;11M\x1b[<0;109;11m") // drag temperature
	x.shows("*")
	x.keys("\x03")
	_ = x.ends()
}

// The terminal is asked for nothing, since one that does not answer would
// hold up the first frame.
func TestTerminalIsNotAsked(t *testing.T) {
	x := startTerminal(t, 80, 24)
	x.shows("step 1")
	x.keys("\x03")
	_ = x.ends()
	for _, q := range []string{"\x1b]11;?", "\x1b]10;?", "\x1b[6n", "\x1b[c"} {
		if strings.Contains(x.raw.String(), q) {
			t.Errorf("the terminal was asked %q", q)
		}
	}
	if !strings.Contains(x.raw.String(), "\x1b[38;2;") {
		t.Error("no colours although the terminal has them")
	}
}

// ctrl+z gives the terminal back, and fg brings the lab, with its mouse.
func TestTerminalSuspends(t *testing.T) {
	x := startTerminal(t, 100, 30)
	x.shows("next token · step 1")
	x.keys("\x1a")
	x.wrote("\x1b[?1049l", 1)
	// As fg, until it is heard: the system stops nobody whose parent leads no
	// job control, and the program does not say when it begins to listen.
	fg := time.NewTicker(20 * time.Millisecond)
	defer fg.Stop()
	go func() {
		for t.Context().Err() == nil {
			select {
			case <-fg.C:
				_ = x.cmd.Process.Signal(syscall.SIGCONT)
			case <-t.Context().Done():
			}
		}
	}()
	x.wrote("\x1b[?1049h", 2)
	x.wrote("\x1b[?1002h", 2)
	x.keys("n")
	x.shows("next token · step 2")
}

// wrote waits until the program has written a sequence n times.
func (x *terminal) wrote(seq string, n int) {
	x.t.Helper()
	if !x.until(func() bool {
		x.mu.Lock()
		defer x.mu.Unlock()
		return strings.Count(x.raw.String(), seq) >= n
	}) {
		x.t.Fatalf("the program never wrote %q %d times", seq, n)
	}
}
