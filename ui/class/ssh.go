package class

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/ssh"
	"github.com/charmbracelet/wish"
	gossh "golang.org/x/crypto/ssh"

	"logitscope/ui/tui"
)

// How long things may take over SSH.
const (
	handshakeTime = 10 * time.Second
	answerTime    = time.Minute // to type the code
	idleTime      = 30 * time.Minute
	idleWarning   = 29 * time.Minute
	longestStay   = 4 * time.Hour
	closingTime   = 3 * time.Second // for the terminal to be restored
	partingTime   = 500 * time.Millisecond
	codeTries     = 3  // a connection
	authTries     = 20 // keys that an agent offers count as well
)

// notesUser is who the teacher's notes are for.
const notesUser = "notes"

// A shell serves terminals over SSH. What a client can ask for is a terminal
// with one of our screens in it; every other request is refused before the
// library sees it.
type shell struct {
	hub     *Hub
	gate    *gate
	teacher gossh.PublicKey // opens the notes; nil for none
	screens screens
	fps     int
	dark    bool
	door    *doorway
	srv     *ssh.Server
	ctx     context.Context // of the class
}

// screens makes what the sessions show.
type screens struct {
	student func(*session) (screen, func())
	notes   func(*session) (screen, func())
}

func newShell(ctx context.Context, s shell, host gossh.Signer) (*shell, error) {
	s.ctx = ctx
	srv, err := wish.NewServer(
		func(srv *ssh.Server) error { srv.AddHostKey(host); return nil }, // without one wish writes a file here
		ssh.EmulatePty(),
		ssh.WrapConn(s.meet),
		ssh.PublicKeyAuth(s.byKey),
		ssh.KeyboardInteractiveAuth(s.byCode),
	)
	if err != nil {
		return nil, err
	}
	srv.Handler = s.handle
	srv.ServerConfigCallback = func(ssh.Context) *gossh.ServerConfig { return &gossh.ServerConfig{MaxAuthTries: authTries} }
	srv.ChannelHandlers = map[string]ssh.ChannelHandler{"session": s.channel}
	srv.RequestHandlers = map[string]ssh.RequestHandler{}     // no forwarding
	srv.SubsystemHandlers = map[string]ssh.SubsystemHandler{} // no files
	s.srv = srv
	return &s, nil
}

// channel takes up the one session that a connection may open.
func (s *shell) channel(srv *ssh.Server, conn *gossh.ServerConn, ch gossh.NewChannel, ctx ssh.Context) {
	defer recovered()
	c := callerOf(ctx)
	c.mu.Lock()
	second := c.shown
	c.shown = true
	c.mu.Unlock()
	if second {
		ch.Reject(gossh.Prohibited, "one session a connection")
		return
	}
	ssh.DefaultSessionHandler(srv, conn, narrow{ch, c}, ctx)
}

// A session is one terminal.
type session struct {
	ssh.Session
	look Terminal
	seat *Seat // nil for the teacher
	key  Key
	ctx  context.Context
	fail func(error) // ends the session and says why
	fps  int
}

// handle shows a terminal what it came for.
func (s *shell) handle(sess ssh.Session) {
	defer recovered()
	pty, winch, ok := sess.Pty()
	switch {
	case sess.RawCommand() != "":
		s.refuse(sess, errors.New("a class takes no commands and has no files: ssh without a command shows the lab"))
		return
	case !ok:
		s.refuse(sess, errors.New("want a terminal: ssh -t"))
		return
	}
	t := &session{Session: sess, look: terminalOf(pty.Term, sess.Environ(), pty.Window.Width, pty.Window.Height), key: keyOf(sess), fps: s.fps}
	t.look.Dark = s.dark
	if t.look.Depth == NoScreen {
		s.refuse(sess, fmt.Errorf("TERM %q: want a terminal with a screen; the web page works everywhere", pty.Term))
		return
	}
	make := s.screens.notes
	if sess.User() != notesUser || s.teacher == nil {
		seat, err := s.hub.join(t.key, t.look.window())
		if err != nil {
			s.refuse(sess, err)
			return
		}
		t.seat, make = seat, s.screens.student
	}
	conn := callerOf(sess.Context()).conn
	conn.enter()
	fmt.Fprintf(sess, "logitscope: %s\r\n", s.run(t, winch, make))
	sess.Exit(0)
	time.AfterFunc(partingTime, func() { conn.Close() }) // there is nothing else to do here
}

// refuse says why there is nothing to see.
func (s *shell) refuse(sess ssh.Session, why error) {
	fmt.Fprintf(sess.Stderr(), "logitscope: %s\r\n", why)
	sess.Exit(1)
}

// keyOf is who a session belongs to: the owner of its key, else nobody known.
func keyOf(sess ssh.Session) Key {
	if k := sess.PublicKey(); k != nil {
		return Key(gossh.FingerprintSHA256(k))
	}
	return Key("ssh " + randomHex(16))
}

// randomHex is n random bytes as text.
func randomHex(n int) string {
	b := make([]byte, n)
	rand.Read(b) // never fails
	return hex.EncodeToString(b)
}

// Why a session ends.
var (
	errQuiet = errors.New("nothing was typed for 30 minutes; come back any time")
	errLong  = errors.New("four hours are over; come back any time")
	errLeft  = errors.New("you have left the class")
)

// run shows a screen until the student leaves, the class ends, or something
// goes wrong with this session. It returns why; the seat is free by then, so
// that who comes back at once finds it.
func (s *shell) run(t *session, winch <-chan ssh.Window, make func(*session) (screen, func())) error {
	if t.seat != nil {
		defer t.seat.Leave()
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	stop := context.AfterFunc(s.ctx, func() { cancel(ErrEnded) })
	defer stop()
	t.ctx, t.fail = ctx, cancel

	var shows screen
	release := func() {}
	safely(cancel, func() { shows, release = make(t) })
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	defer release()
	// A terminal that takes nothing any more is not waited for.
	context.AfterFunc(ctx, func() {
		time.AfterFunc(closingTime, func() { callerOf(t.Context()).conn.Close() })
	})
	paint := &painter{out: callerOf(t.Context()).out, pause: time.Second / time.Duration(max(s.fps, 1))}
	defer paint.leave()
	p := tea.NewProgram(&guarded{screen: shows, paint: paint, fail: cancel}, tea.WithContext(ctx), tea.WithInput(nil), tea.WithOutput(io.Discard),
		tea.WithoutRenderer(), tea.WithoutSignalHandler(), tea.WithoutCatchPanics(), tea.WithFilter(onlyOwn))
	typed := newQuiet(cancel, p.Send)
	defer typed.stop()
	var gone <-chan struct{} // a terminal that takes nothing would never be told
	if t.seat != nil {
		gone = t.seat.Gone()
	}
	go safely(cancel, func() { resizes(ctx, winch, gone, cancel, p.Send) })
	go safely(cancel, func() { types(t, typed, p.Send); cancel(errLeft) })
	safely(cancel, func() { p.Run() })
	cancel(errLeft) // unless there is a reason already
	if cause := context.Cause(ctx); !errors.Is(cause, context.Canceled) {
		return cause
	}
	return errLeft
}

// resizes passes on how large the window is, and ends the session when another
// connection took its seat.
func resizes(ctx context.Context, winch <-chan ssh.Window, gone <-chan struct{}, cancel func(error), send func(tea.Msg)) {
	for {
		select {
		case w, ok := <-winch:
			if !ok {
				return
			}
			send(tea.WindowSizeMsg{Width: clampSide(w.Width), Height: clampSide(w.Height)})
			select { // more often nobody drags a corner
			case <-time.After(resizePause):
			case <-ctx.Done():
			}
		case <-gone:
			cancel(errElsewhere)
			gone = nil
		case <-ctx.Done():
			for range winch { // the library waits for who reads this
			}
			return
		}
	}
}

const resizePause = 50 * time.Millisecond

// longestSide bounds a window, whatever a client says it has.
const longestSide = 500

func clampSide(n int) int { return min(max(n, 1), longestSide) }

// types passes on what is typed, until the terminal is gone.
func types(t *session, typed *quiet, send func(tea.Msg)) {
	var k keyboard
	spend := newAllowance()
	b := make([]byte, longestRead)
	for {
		n, err := t.Read(b)
		for _, key := range k.read(b[:n]) {
			if key.Type == tea.KeyCtrlC || spend.take() {
				typed.reset()
				send(key)
			}
		}
		if err != nil {
			return
		}
	}
}

// A quietMsg says that the session is about to end since nothing is typed.
type quietMsg struct{}

// A quiet watches for keys, and for how long a session is open.
type quiet struct {
	warn, end, last *time.Timer
}

func newQuiet(cancel func(error), send func(tea.Msg)) *quiet {
	return &quiet{
		warn: time.AfterFunc(idleWarning, func() { send(quietMsg{}) }),
		end:  time.AfterFunc(idleTime, func() { cancel(errQuiet) }),
		last: time.AfterFunc(longestStay, func() { cancel(errLong) }),
	}
}

func (q *quiet) reset() { q.warn.Reset(idleWarning); q.end.Reset(idleTime) }

func (q *quiet) stop() { q.warn.Stop(); q.end.Stop(); q.last.Stop() }

// window is what the lab is drawn for where a terminal looks on; nil if it is
// too small for any.
func (t Terminal) window() *tui.Window {
	w, ok := windowFor(t.W, t.H, t.Depth, t.ASCII)
	if !ok {
		return nil
	}
	return &w
}
