package class

import (
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/subtle"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"logitscope/engine/quiz"
)

// page is the whole web page: it asks for nothing but the events below it.
//
//go:embed page.html
var page []byte

// Bounds of the web page.
const (
	longestPost = 1 << 10
	headerBytes = 8 << 10
	writeTime   = 15 * time.Second // for one event to be taken
	heartbeat   = 20 * time.Second
	webPause    = 100 * time.Millisecond // between two events
	cookieName  = "logitscope_class"
	cookieBytes = 16
	keepAlive   = time.Minute
)

// A site serves the web page of a class: the page, a stream of what everybody
// sees, and a door for votes. There is nothing else behind it.
type site struct {
	hub    *Hub
	gate   *gate
	ctx    context.Context // of the class
	host   string          // the name that was printed
	policy string          // the page's content security policy
}

func newSite(ctx context.Context, hub *Hub, g *gate, host string) *site {
	return &site{hub: hub, gate: g, ctx: ctx, host: host, policy: policyOf(page)}
}

// server returns an HTTP server of the site.
func (s *site) server() *http.Server {
	root := "/"
	if s.gate.code != "" {
		root = "/{code}/"
	}
	mux := http.NewServeMux()
	if s.gate.code != "" {
		mux.HandleFunc("GET /{code}", s.page)
		mux.HandleFunc("GET /{$}", withoutCode)
	}
	mux.HandleFunc("GET "+root+"{$}", s.page)
	mux.HandleFunc("GET "+root+"events", s.events)
	mux.HandleFunc("POST "+root+"vote", s.post(vote))
	mux.HandleFunc("POST "+root+"name", s.post(rename))
	mux.HandleFunc("POST "+root+"here", s.post(stillHere))
	return &http.Server{
		Handler:           s.guard(mux),
		ReadHeaderTimeout: handshakeTime,
		ReadTimeout:       2 * handshakeTime,
		WriteTimeout:      answerTime, // a stream has a deadline for each event
		IdleTimeout:       keepAlive,
		MaxHeaderBytes:    headerBytes,
		ErrorLog:          log.New(io.Discard, "", 0), // the terminal is the teacher's
		BaseContext:       func(net.Listener) context.Context { return s.ctx },
		ConnState: func(c net.Conn, state http.ConnState) {
			if v, ok := c.(*visitor); ok && state == http.StateActive {
				v.come()
			}
		},
	}
}

// policyOf is the content security policy under which a page runs its own
// script and style, talks to where it came from, and does nothing else.
func policyOf(page []byte) string {
	of := func(tag string) string {
		_, rest, _ := bytes.Cut(page, []byte("<"+tag+">"))
		text, _, _ := bytes.Cut(rest, []byte("</"+tag+">"))
		sum := sha256.Sum256(text)
		return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	return "default-src 'none'; script-src " + of("script") + "; style-src " + of("style") +
		"; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
}

// guard answers what is meant for this class alone: a page of another site
// that sends its readers here, or gives its name this address, gets nothing. A
// fault in one request ends that one.
func (s *site) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer recovered()
		h := w.Header()
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cache-Control", "no-store")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Connection", "close") // who has not got in keeps no connection
		if !s.mine(r.Host) {
			http.Error(w, "this is not a class of that name", http.StatusMisdirectedRequest)
			return
		}
		if from := r.Header.Get("Origin"); r.Method != http.MethodGet && from != "http://"+r.Host && from != "https://"+r.Host {
			http.Error(w, "votes are taken from the class's own page alone", http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// mine reports whether a request for host may be for this class: by an
// address, or by the name that was printed.
func (s *site) mine(host string) bool {
	name := host
	if h, _, err := net.SplitHostPort(host); err == nil {
		name = h
	}
	_, err := netip.ParseAddr(strings.Trim(name, "[]"))
	return err == nil || strings.ToLower(name) == localName || strings.EqualFold(host, s.host)
}

const localName = "localhost"

// known returns the key of the browser, if it has a seat.
func (s *site) known(r *http.Request) (Key, bool) {
	c, err := r.Cookie(cookieName)
	if err != nil || len(c.Value) != 2*cookieBytes {
		return "", false
	}
	key := Key("web " + c.Value)
	return key, s.hub.knows(key)
}

// enter reports whether a request has the code; who has a seat is not counted
// with those who guess.
func (s *site) enter(w http.ResponseWriter, r *http.Request) bool {
	code := r.PathValue("code")
	if _, ok := s.known(r); !ok || subtle.ConstantTimeCompare([]byte(code), []byte(s.gate.code)) != 1 {
		from, err := net.ResolveTCPAddr("tcp", r.RemoteAddr)
		if err == nil {
			err = s.gate.enter(r.Context(), from, code)
		}
		if err != nil {
			http.Error(w, err.Error()+": the teacher's screen shows the address with the code", http.StatusNotFound)
			return false
		}
	}
	w.Header().Del("Connection")
	return true
}

// page hands the page out, and an id for the browser to keep its seat by.
func (s *site) page(w http.ResponseWriter, r *http.Request) {
	if !s.enter(w, r) {
		return
	}
	if _, ok := s.known(r); !ok {
		http.SetCookie(w, &http.Cookie{Name: cookieName, Value: randomHex(cookieBytes), Path: "/" + s.gate.code, HttpOnly: true, SameSite: http.SameSiteStrictMode, MaxAge: int(longestStay.Seconds())})
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Security-Policy", s.policy)
	w.Write(page)
}

// withoutCode answers who left the code off.
func withoutCode(w http.ResponseWriter, _ *http.Request) {
	http.Error(w, "the address ends with the code of the class: the teacher's screen shows it", http.StatusNotFound)
}

// post takes what a browser with a seat sends.
func (s *site) post(do func(*Seat, []byte) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if !s.enter(w, r) {
			return
		}
		key, ok := s.known(r)
		if !ok {
			http.Error(w, "load the page first", http.StatusForbidden)
			return
		}
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, longestPost))
		if err != nil {
			http.Error(w, fmt.Sprintf("want at most %d bytes", longestPost), http.StatusRequestEntityTooLarge)
			return
		}
		seat, err := s.hub.seat(key)
		if err == nil {
			err = do(seat, body)
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusConflict)
			return
		}
		w.WriteHeader(http.StatusNoContent)
	}
}

// vote takes {"question": 3, "chips": [10, 0, …]}.
func vote(s *Seat, body []byte) error {
	var v struct {
		Question int   `json:"question"`
		Chips    []int `json:"chips"`
	}
	if err := strictly(body, &v); err != nil {
		return err
	}
	return s.vote(v.Question, quiz.Guess(v.Chips))
}

// rename takes {"name": "…"}.
func rename(s *Seat, body []byte) error {
	var v struct {
		Name string `json:"name"`
	}
	if err := strictly(body, &v); err != nil {
		return err
	}
	return s.rename(strings.TrimSpace(v.Name))
}

// stillHere takes anything: who sent it is there.
func stillHere(s *Seat, _ []byte) error { return nil }

// strictly reads one JSON object with no other fields than v has.
func strictly(body []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(body))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return errors.New("want one JSON object: question and chips, or name")
	}
	if _, err := d.Token(); err != io.EOF {
		return errors.New("want one JSON object, and nothing after it")
	}
	return nil
}

// events streams what there is to see, until the browser goes, is quiet for
// too long, or has the page open elsewhere.
func (s *site) events(w http.ResponseWriter, r *http.Request) {
	if !s.enter(w, r) {
		return
	}
	c, err := r.Cookie(cookieName)
	if err != nil || len(c.Value) != 2*cookieBytes {
		http.Error(w, "load the page first", http.StatusForbidden)
		return
	}
	seat, err := s.hub.join(Key("web "+c.Value), nil)
	if err != nil {
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
		return
	}
	defer seat.Leave()
	w.Header().Set("Content-Type", "text/event-stream")
	w.WriteHeader(http.StatusOK)
	st := stream{w: w, out: http.NewResponseController(w), hub: s.hub, seat: seat}
	st.out.SetReadDeadline(time.Time{}) // nothing comes from here any more, for as long as it is looked at
	st.run(r.Context())
}
