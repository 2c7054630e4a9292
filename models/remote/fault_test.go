package remote_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"logitscope/models"
	"logitscope/models/remote"
	"logitscope/models/remote/remotetest"
)

// A failing proxy passes requests on to a server and spoils some answers.
type failing struct {
	next    http.Handler
	rate    float64
	other   string // address of another host that serves the same
	mu      sync.Mutex
	rand    *rand.Rand
	counts  map[string]int
	spoiled int
}

// A spoiler spoils the answer body in its way.
type spoiler struct {
	name string
	do   func(p *failing, w http.ResponseWriter, r *http.Request, body []byte)
}

// hangUp closes the connection after the bytes sent so far.
func hangUp(http.ResponseWriter) { panic(http.ErrAbortHandler) }

func write(w http.ResponseWriter, status int, kind, body string) {
	w.Header().Set("Content-Type", kind)
	w.WriteHeader(status)
	io.WriteString(w, body)
}

var spoilers = [...]spoiler{
	{"no answer", func(_ *failing, w http.ResponseWriter, _ *http.Request, _ []byte) { hangUp(w) }},
	{"cut answer", func(_ *failing, w http.ResponseWriter, _ *http.Request, b []byte) {
		w.Header().Set("Content-Length", strconv.Itoa(len(b)))
		w.Write(b[:len(b)/2])
		hangUp(w)
	}},
	{"cut JSON", func(_ *failing, w http.ResponseWriter, _ *http.Request, b []byte) { w.Write(b[:len(b)*2/3]) }},
	{"500", func(_ *failing, w http.ResponseWriter, _ *http.Request, _ []byte) {
		write(w, 500, "application/json", `{"error":{"code":500,"message":"parse error at line 1","type":"server_error"}}`)
	}},
	{"loading", func(_ *failing, w http.ResponseWriter, _ *http.Request, _ []byte) {
		write(w, 503, "application/json", `{"error":{"message":"Loading model","type":"unavailable_error","code":503}}`)
	}},
	{"too many requests", func(_ *failing, w http.ResponseWriter, _ *http.Request, _ []byte) {
		w.Header().Set("Retry-After", "0.001")
		write(w, 429, "application/json", `{"error":{"message":"slow down"}}`)
	}},
	{"bad gateway", func(_ *failing, w http.ResponseWriter, _ *http.Request, _ []byte) {
		write(w, 502, "text/html", "<html><head><title>502 Bad Gateway</title></head></html>")
	}},
	{"login page", func(_ *failing, w http.ResponseWriter, _ *http.Request, _ []byte) {
		write(w, 200, "text/html", "<!DOCTYPE html><title>Sign in</title>")
	}},
	{"NaN", func(_ *failing, w http.ResponseWriter, _ *http.Request, b []byte) {
		w.Write(bytes.Replace(b, []byte(`"logprob":-`), []byte(`"logprob":NaN,"x":-`), 5))
	}},
	{"wrong id", func(_ *failing, w http.ResponseWriter, _ *http.Request, b []byte) {
		w.Write(bytes.Replace(b, []byte(`"id":`), []byte(`"id":99999`), 9))
	}},
	{"an id twice", func(_ *failing, w http.ResponseWriter, _ *http.Request, b []byte) {
		w.Write(bytes.ReplaceAll(b, []byte(`"id":25`), []byte(`"id":24`)))
	}},
	{"huge", func(_ *failing, w http.ResponseWriter, _ *http.Request, b []byte) {
		w.Write(append(bytes.Repeat([]byte(" "), 3*remote.MiB), b...))
	}},
	{"huge by its own account", func(_ *failing, w http.ResponseWriter, _ *http.Request, b []byte) {
		w.Header().Set("Content-Length", "1099511627776")
		w.Write(b)
		hangUp(w)
	}},
	{"deep", func(_ *failing, w http.ResponseWriter, _ *http.Request, _ []byte) {
		io.WriteString(w, `{"x":`+strings.Repeat("[", 100000))
	}},
	{"silence", func(_ *failing, _ http.ResponseWriter, r *http.Request, _ []byte) { <-r.Context().Done() }},
	{"drip", func(_ *failing, w http.ResponseWriter, r *http.Request, b []byte) {
		for i := range b {
			w.Write(b[i : i+1])
			w.(http.Flusher).Flush()
			select {
			case <-r.Context().Done():
				return
			case <-time.After(5 * time.Millisecond):
			}
		}
	}},
	{"error inside", func(_ *failing, w http.ResponseWriter, _ *http.Request, _ []byte) {
		write(w, 200, "application/json", `{"error":{"code":500,"message":"no slot","type":"server_error"}}`)
	}},
	{"no probabilities", func(_ *failing, w http.ResponseWriter, _ *http.Request, b []byte) {
		w.Write(bytes.Replace(b, []byte("completion_probabilities"), []byte("completion_xprobabilities"), 1))
	}},
	{"another name", func(_ *failing, w http.ResponseWriter, _ *http.Request, b []byte) {
		w.Write(bytes.Replace(b, []byte(`"model":"toy"`), []byte(`"model":"top"`), 1))
	}},
	{"closed afterwards", func(_ *failing, w http.ResponseWriter, _ *http.Request, b []byte) {
		w.Header().Set("Content-Length", strconv.Itoa(len(b)))
		w.Write(b)
		hangUp(w)
	}},
}

func (p *failing) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	rec := httptest.NewRecorder()
	body, _ := io.ReadAll(r.Body)
	r.Body = io.NopCloser(bytes.NewReader(body))
	p.next.ServeHTTP(rec, r)
	p.mu.Lock()
	which := -1
	if p.rand.Float64() < p.rate {
		which = p.rand.IntN(len(spoilers))
		if s := spoilers[which].name; (s == "silence" || s == "drip") && p.rand.IntN(4) > 0 {
			which = 0 // these take their time
		}
		p.counts[spoilers[which].name]++
		p.spoiled++
	}
	p.mu.Unlock()
	if which < 0 {
		w.Header().Set("Content-Type", rec.Header().Get("Content-Type"))
		w.WriteHeader(rec.Code)
		w.Write(rec.Body.Bytes())
		return
	}
	spoilers[which].do(p, w, r, rec.Body.Bytes())
}

// TestFailingProxy takes 2,000 steps through a proxy that spoils every fifth
// answer, now and then cancelling a step as well. Each row must be the one of
// the local model after the same tokens: nothing lost, nothing twice. The
// other servers take a tenth of the steps.
func TestFailingProxy(t *testing.T) {
	before := runtime.NumGoroutine()
	for i, f := range fakes {
		n := steps()
		if i > 0 {
			n /= 10
		}
		t.Run(f.name, func(t *testing.T) {
			p := failingRun(t, n, f.spec, f.like, f.logits, func(m models.Model) http.Handler { return f.serve(m, f.opt) })
			for _, s := range spoilers {
				if p.counts[s.name] == 0 && n == 2000 {
					t.Errorf("%s: never tried", s.name)
				}
			}
		})
	}
	for range 1000 {
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	buf := make([]byte, 1<<16)
	t.Errorf("%d goroutines, %d before:\n%s", runtime.NumGoroutine(), before, buf[:runtime.Stack(buf, true)])
}

// failingRun takes n steps at one server behind a failing proxy.
func failingRun(t *testing.T, n int, spec string, like likeness, logits remote.Logits, serve func(models.Model) http.Handler) *failing {
	local := newToy(20)
	const key = "sk-secret-key"
	fake := serve(local)
	var leaked atomic.Int32
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "" {
			leaked.Add(1)
		}
		fake.ServeHTTP(w, r)
	}))
	defer other.Close()
	p := &failing{next: fake, other: other.URL, counts: map[string]int{}, rand: rand.New(rand.NewPCG(1, 2))}
	srv := httptest.NewUnstartedServer(p)
	srv.Config.ErrorLog = quietLog()
	srv.Start()
	defer srv.Close()
	opt := remote.Options{Logits: logits, Getenv: func(k string) string {
		if strings.HasSuffix(k, "_API_KEY") {
			return key
		}
		return ""
	}}
	opt.Timeouts = remote.Timeouts{Idle: 60 * time.Millisecond, Request: 120 * time.Millisecond, Retry: 5 * time.Second, Backoff: 200 * time.Microsecond}
	if raceEnabled {
		opt.Timeouts.Idle, opt.Timeouts.Request = 400*time.Millisecond, 800*time.Millisecond
	}
	calm := opt
	calm.Timeouts = fast // discovery is not what is tried here
	m, err := dial(t.Context(), strings.ReplaceAll(spec, "URL", srv.URL), calm)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	remote.SetTimeouts(m, opt.Timeouts)
	p.mu.Lock()
	p.rate = 0.2
	p.mu.Unlock()
	walk(t, m, local, n, like, key)
	st := m.(models.Meter).Stats()
	t.Logf("%d answers spoiled, %d requests, %d retries", p.spoiled, st.Requests, st.Retries)
	if st.InFlight != 0 || st.Waiting != "" || st.Retries == 0 {
		t.Errorf("Stats = %+v", st)
	}
	if leaked.Load() > 0 {
		t.Errorf("the key went to another host %d times", leaked.Load())
	}
	return p
}

func steps() int {
	switch {
	case testing.Short():
		return 200
	case raceEnabled:
		return 500
	}
	return 2000
}

// walk takes n steps and compares every row with the local model's.
func walk(t *testing.T, m models.Model, local *toy, n int, like likeness, secret string) {
	s, err := m.NewSession()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	rnd := rand.New(rand.NewPCG(3, 4))
	mirror := []int32{1, 2, 3}
	next := mirror
	mirror = nil
	failed, cancelled := 0, 0
	for step := 0; step < n; {
		if len(mirror) > 300 {
			cut := rnd.IntN(300)
			s.Truncate(cut)
			mirror = mirror[:cut]
		}
		if step%50 == 0 {
			s.(models.Lookahead).SetAhead(models.Ahead{Rows: rnd.IntN(8), Greedy: rnd.IntN(2) == 0})
		}
		ctx, cancel := context.WithCancel(t.Context())
		if rnd.IntN(20) == 0 {
			time.AfterFunc(time.Duration(rnd.IntN(1000))*time.Microsecond, cancel)
		}
		l, err := s.Forward(ctx, next, 1)
		stopped := ctx.Err() != nil
		cancel()
		if s.Len() != len(mirror)+map[bool]int{true: len(next)}[err == nil] {
			t.Fatalf("step %d: %d tokens after %v, had %d", step, s.Len(), err, len(mirror))
		}
		switch {
		case err != nil && stopped && errors.Is(err, context.Canceled):
			cancelled++
			continue
		case err != nil:
			var e *remote.Error
			if !errors.As(err, &e) || strings.ContainsAny(err.Error(), "\n\x1b") || strings.Contains(err.Error(), secret) {
				t.Fatalf("step %d: %v", step, err)
			}
			if failed++; failed > n/10+5 {
				t.Fatalf("step %d: %d calls failed, the last with: %v", step, failed, err)
			}
			continue // the same step once more
		}
		mirror = append(mirror, next...)
		compare(t, fmt.Sprint("step ", step), l[0], local.row(mirror), like)
		next = []int32{int32(rnd.IntN(local.Vocab().Size()))}
		if rnd.IntN(2) == 0 {
			next[0] = int32(argmax(l[0].Values))
		}
		step++
	}
	if !slices.Equal(remote.TokensOf(s), mirror) {
		t.Error("the session holds other tokens than it was given")
	}
	t.Logf("%d calls failed and were made again, %d were cancelled", failed, cancelled)
}

// TestModelSwapped puts another model behind the address, in the ways that
// happens: a restart, and a proxy that loads models by itself.
func TestModelSwapped(t *testing.T) {
	for _, f := range fakes {
		for _, down := range []bool{false, true} {
			t.Run(fmt.Sprint(f.name, " ", down), func(t *testing.T) {
				local := newToy(20)
				var h atomic.Value
				type box struct{ http.Handler }
				h.Store(box{f.serve(local, f.opt)})
				m := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { h.Load().(box).ServeHTTP(w, r) }), f.spec, remote.Options{Logits: f.logits})
				s, _ := m.NewSession()
				defer s.Close()
				if _, err := s.Forward(t.Context(), []int32{1, 2}, 1); err != nil {
					t.Fatal(err)
				}
				// A restart of the same model is nothing to speak of.
				again := f.serve(newToy(20), f.opt)
				var n atomic.Int32
				h.Store(box{http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if n.Add(1) < 3 {
						hangUp(w)
					}
					again.ServeHTTP(w, r)
				})})
				if _, err := s.Forward(t.Context(), []int32{3}, 1); err != nil {
					t.Fatal(err)
				}
				swapped := newToy(33)
				swapped.name = "another"
				opt := f.opt
				opt.Name = "another"
				other := f.serve(swapped, opt)
				n.Store(0)
				h.Store(box{http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if n.Add(1) < 3 && down {
						hangUp(w)
					}
					other.ServeHTTP(w, r)
				})})
				_, err := s.Forward(t.Context(), []int32{4}, 1)
				if err == nil || s.Len() != 3 {
					t.Fatalf("%v, %d tokens", err, s.Len())
				}
				if !errors.Is(err, remote.ErrModelChanged) {
					t.Errorf("error %v, want remote.ErrModelChanged", err)
				}
			})
		}
	}
}

// TestModelSwappedQuietly puts a model of the same name and size behind the
// address, which only a look at the model itself can tell.
func TestModelSwappedQuietly(t *testing.T) {
	var h atomic.Value
	type box struct{ http.Handler }
	h.Store(box{remotetest.SGLang(newToy(20), remotetest.Options{})})
	m := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { h.Load().(box).ServeHTTP(w, r) }), "sglang:URL", remote.Options{})
	s, _ := m.NewSession()
	defer s.Close()
	if _, err := s.Forward(t.Context(), []int32{1, 2}, 1); err != nil {
		t.Fatal(err)
	}
	other := newToy(20)
	other.pieces[260] = " quick" // it splits text another way
	other.index()
	h.Store(box{remotetest.SGLang(other, remotetest.Options{})})
	remote.CheckAgain(m)
	if _, err := s.Forward(t.Context(), []int32{3}, 1); !errors.Is(err, remote.ErrModelChanged) || s.Len() != 2 {
		t.Errorf("%v with %d tokens, want remote.ErrModelChanged with 2", err, s.Len())
	}
}

// TestOpenFaults opens servers that are not what they should be.
func TestOpenFaults(t *testing.T) {
	page := func(status int, kind, body string) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { write(w, status, kind, body) })
	}
	quick := fast
	quick.Retry = 50 * time.Millisecond
	for _, c := range []struct {
		name string
		h    http.Handler
		want string
		kind remote.Fault
	}{
		{"web page", page(200, "text/html", "<html>hello"), "a web page, not JSON", remote.Malformed},
		{"404", page(404, "text/plain", "404 page not found"), "404 page not found", remote.Refused},
		{"empty", page(200, "application/json", ""), "answered with nothing", remote.Malformed},
		{"loading for ever", page(503, "application/json", `{"error":{"message":"Loading model"}}`), "Loading model", remote.Busy},
		{"come back tomorrow", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "86400")
			write(w, 429, "application/json", `{"error":"quota"}`)
		}), "quota; it asks to come back in 24h0m0s", remote.Busy},
		{"login", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/login", http.StatusFound) }), "redirects too often", remote.Refused},
		{"no key", remotetest.LlamaServer(newToy(1), remotetest.Options{Key: "k"}), "set LLAMA_API_KEY", remote.Denied},
		{"escapes", page(400, "application/json", `{"error":{"message":"\u001b[2J\u202ebad\nnews"}}`), `\u{1b}[2J\u{202e}bad news`, remote.Refused},
		{"a vocabulary of 2^40", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			io.WriteString(w, `{"data":[{"id":"x","meta":{"n_vocab":1099511627776}}]}`)
		}), "vocabulary has 1099511627776 tokens", remote.Malformed},
		{"not a llama-server", page(200, "application/json", "{}"), "how large its vocabulary is", remote.Unsuitable},
	} {
		t.Run(c.name, func(t *testing.T) {
			srv := httptest.NewServer(c.h)
			defer srv.Close()
			m, err := dial(t.Context(), "llama-server:"+srv.URL, remote.Options{Timeouts: quick})
			var e *remote.Error
			if !errors.As(err, &e) || m != nil || e.Kind != c.kind || !strings.Contains(e.Error(), c.want) || strings.Contains(e.Error(), "\n") {
				t.Errorf("%v (%+v), want kind %d, %q", err, e, c.kind, c.want)
			}
		})
	}
	t.Run("nobody there", func(t *testing.T) {
		srv := httptest.NewServer(nil)
		srv.Close()
		start := time.Now()
		_, err := dial(t.Context(), "llama-server:"+srv.URL, remote.Options{})
		if err == nil || !strings.HasSuffix(err.Error(), "connection refused: is the server running?") || time.Since(start) > 20*time.Second {
			t.Errorf("%v after %v", err, time.Since(start))
		}
	})
	t.Run("TLS", func(t *testing.T) {
		srv := httptest.NewUnstartedServer(page(200, "text/plain", ""))
		srv.Config.ErrorLog = quietLog()
		srv.StartTLS()
		defer srv.Close()
		for addr, want := range map[string]string{
			srv.URL: "signed by nobody this machine trusts",
			strings.Replace(srv.URL, "https", "http", 1): "400",
		} {
			_, err := dial(t.Context(), "llama-server:"+addr, remote.Options{Timeouts: quick})
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want %q", addr, err, want)
			}
		}
		plain := httptest.NewServer(page(200, "text/plain", ""))
		defer plain.Close()
		_, err := dial(t.Context(), "llama-server:"+strings.Replace(plain.URL, "http", "https", 1), remote.Options{Timeouts: quick})
		if err == nil || !strings.Contains(err.Error(), "does not speak TLS") {
			t.Error(err)
		}
	})
	t.Run("cancelled", func(t *testing.T) {
		srv := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
		defer srv.Close()
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
		defer cancel()
		start := time.Now()
		_, err := dial(ctx, "llama-server:"+srv.URL, remote.Options{})
		if !errors.Is(err, context.DeadlineExceeded) || time.Since(start) > 20*time.Second {
			t.Errorf("%v after %v", err, time.Since(start))
		}
	})
}

func quietLog() *log.Logger { return log.New(io.Discard, "", 0) }
