package class

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/ssh"
)

// A typist is a terminal that types what it is given.
type typist struct {
	ssh.Session
	keys chan string
}

func (t typist) Read(b []byte) (int, error) {
	s, ok := <-t.keys
	if !ok {
		return 0, io.EOF
	}
	return copy(b, s), nil
}

// Keys beyond what anybody types are dropped, but for the one that leaves; and
// who types stays.
func TestTypes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var got []tea.KeyMsg
		var why error
		var mu sync.Mutex
		send := func(msg tea.Msg) {
			if k, ok := msg.(tea.KeyMsg); ok {
				got = append(got, k)
			}
		}
		typed := newQuiet(func(err error) { mu.Lock(); why = err; mu.Unlock() }, func(tea.Msg) {})
		defer typed.stop()
		keys := make(chan string)
		done := make(chan struct{})
		go func() { defer close(done); types(&session{Session: typist{keys: keys}}, typed, send) }()
		keys <- strings.Repeat("x", 1000) + "\x03"
		synctest.Wait()
		if n := len(got); n != keysAtOnce+1 || got[n-1].Type != tea.KeyCtrlC {
			t.Errorf("%d keys of a flood, the last %v", n, got[n-1])
		}
		for range 8 {
			time.Sleep(idleWarning)
			keys <- "j"
		}
		synctest.Wait()
		mu.Lock()
		if why != nil && !errors.Is(why, errLong) {
			t.Errorf("who types is put out: %v", why)
		}
		mu.Unlock()
		close(keys)
		<-done
	})
}

// A reader takes a stream, or does not from some time on.
type reader struct {
	header   http.Header
	stuck    atomic.Bool
	deadline time.Time
	got      strings.Builder
}

func (r *reader) Header() http.Header                { return r.header }
func (r *reader) WriteHeader(int)                    {}
func (r *reader) FlushError() error                  { return nil }
func (r *reader) SetWriteDeadline(t time.Time) error { r.deadline = t; return nil }
func (r *reader) Write(b []byte) (int, error) {
	if r.stuck.Load() {
		if r.deadline.IsZero() {
			select {} // for ever
		}
		time.Sleep(time.Until(r.deadline))
		return 0, os.ErrDeadlineExceeded
	}
	return r.got.Write(b)
}

// A page on which nothing is done is warned and ends; who does something
// stays, for four hours; one that takes nothing is let go.
func TestStreamEnds(t *testing.T) {
	for _, x := range []struct {
		name  string
		acts  bool
		stuck bool
		after time.Duration
		said  string
	}{
		{"quiet", false, false, idleTime, errQuiet.Error()},
		{"busy", true, false, longestStay, errLong.Error()},
		{"stuck", true, true, time.Minute + writeTime, ""},
	} {
		synctest.Test(t, func(t *testing.T) {
			h := newHub(Options{Max: 2})
			seat, err := h.join("web", nil)
			if err != nil {
				t.Fatal(err)
			}
			r := &reader{}
			st := stream{w: r, out: http.NewResponseController(r), hub: h, seat: seat}
			ctx, stop := context.WithCancel(t.Context())
			defer stop()
			if x.acts {
				go func() {
					for ctx.Err() == nil {
						time.Sleep(10 * time.Minute)
						h.seat("web")
					}
				}()
			}
			if x.stuck {
				time.AfterFunc(time.Minute, func() { r.stuck.Store(true); h.Lock(true); h.Ask(three) })
			}
			start := time.Now()
			st.run(ctx)
			stop()
			if d := time.Since(start); d < x.after || d > x.after+heartbeat+writeTime {
				t.Errorf("%s: ended after %v, want %v", x.name, d, x.after)
			}
			text := r.got.String()
			if x.said != "" && !strings.HasSuffix(text, fmt.Sprintf("event: end\ndata: %q\n\n", x.said)) {
				t.Errorf("%s: ends with %q", x.name, text[max(len(text)-100, 0):])
			}
			if warned := strings.Contains(text, "event: quiet\ndata: true"); warned != (x.name == "quiet") {
				t.Errorf("%s: warned %v", x.name, warned)
			}
			time.Sleep(11 * time.Minute)
		})
	}
}

// Who asks the page slowly, or for too much, is let go.
func TestSlowRequests(t *testing.T) {
	const head = "POST /4821/vote HTTP/1.1\r\nHost: 10.0.0.7:8089\r\nOrigin: http://10.0.0.7:8089\r\n"
	const wrong = "GET /4822 HTTP/1.1\r\nHost: 10.0.0.7:8089\r\n\r\n"
	const whole = "GET /4821 HTTP/1.1\r\nHost: 10.0.0.7:8089\r\n\r\n"
	for _, x := range []struct {
		name, sent string
		after      time.Duration
		answer     string
	}{
		{"nothing", "", handshakeTime, ""},
		{"half a header", head, handshakeTime, ""},
		{"after a wrong code", wrong, 0, "404"},
		{"after another path", "GET / HTTP/1.1\r\nHost: 10.0.0.7:8089\r\n\r\n", 0, "404"},
		{"after another name", "GET /4821 HTTP/1.1\r\nHost: evil.example\r\n\r\n", 0, "421"},
		{"idle after a request", whole, keepAlive, "200"},
		{"half a header after a request", whole + head, handshakeTime, "200"},
		{"no body", head + "Content-Length: 10\r\n\r\n", 2 * handshakeTime, "403"},
		{"a long header", head + "X: " + strings.Repeat("x", 2*headerBytes) + "\r\n\r\n", 0, "431"},
	} {
		synctest.Test(t, func(t *testing.T) {
			ctx, stop := context.WithCancel(t.Context())
			defer stop()
			srv := newSite(ctx, newHub(Options{Max: 1}), newGate("4821"), "10.0.0.7:8089").server()
			d := &doorway{most: 10, half: 4, timeout: handshakeTime}
			mine, theirs := net.Pipe()
			v, _ := d.take(addressed{mine})
			one := &once{c: make(chan net.Conn, 1)}
			one.c <- v
			go srv.Serve(one)
			go io.WriteString(theirs, x.sent)
			start := time.Now()
			text, _ := io.ReadAll(bufio.NewReader(theirs))
			if took := time.Since(start); took < x.after || took > x.after+2*time.Second || !strings.Contains(string(text), x.answer) {
				t.Errorf("%s: let go after %v, want %v; said %.40q", x.name, took, x.after, text)
			}
			srv.Close()
			theirs.Close()
			time.Sleep(time.Minute)
		})
	}
}

// A browser that takes nothing of the page is let go as well, and one that
// looks on stays.
func TestSlowAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		h := newHub(Options{Max: 1})
		srv := newSite(ctx, h, newGate("4821"), "10.0.0.7:8089").server()
		d := &doorway{most: 10, half: 4, timeout: handshakeTime}
		serve := func(send string) net.Conn {
			mine, theirs := net.Pipe()
			v, _ := d.take(addressed{mine})
			one := &once{c: make(chan net.Conn, 1)}
			one.c <- v
			go srv.Serve(one)
			io.WriteString(theirs, send)
			return theirs
		}
		deaf := serve("GET /4821 HTTP/1.1\r\nHost: 10.0.0.7:8089\r\n\r\n")
		defer deaf.Close()
		looks := serve("GET /4821/events HTTP/1.1\r\nHost: 10.0.0.7:8089\r\nCookie: " + cookieName + "=" + strings.Repeat("a", 2*cookieBytes) + "\r\n\r\n")
		go io.Copy(io.Discard, looks)
		time.Sleep(answerTime + time.Second)
		if inside(d) != 1 || h.Standing().Here != 1 {
			t.Errorf("%d connections, %d here", inside(d), h.Standing().Here)
		}
		time.Sleep(10 * time.Minute)
		if h.Standing().Here != 1 {
			t.Error("who looks on was put out")
		}
		looks.Close()
		time.Sleep(time.Minute)
		if inside(d) != 0 || h.Standing().Here != 0 {
			t.Errorf("%d connections, %d here after all left", inside(d), h.Standing().Here)
		}
		srv.Close()
	})
}

// inside is how many connections a doorway has, standing or in.
func inside(d *doorway) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.all)
}

// addressed is a pipe with an address, as a gate wants it.
type addressed struct{ net.Conn }

func (addressed) RemoteAddr() net.Addr { return addr("10.0.0.9:1000") }

// once is a listener of one connection.
type once struct {
	c      chan net.Conn
	mu     sync.Mutex
	closed bool
}

func (o *once) Accept() (net.Conn, error) {
	c, ok := <-o.c
	if !ok {
		return nil, net.ErrClosed
	}
	return c, nil
}

func (o *once) Close() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.closed {
		o.closed = true
		close(o.c)
	}
	return nil
}

func (o *once) Addr() net.Addr { return addr("10.0.0.7:8089") }
