package remote_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"logitscope/models"
	"logitscope/models/remote"
	"logitscope/models/remote/remotetest"
)

// A gated writer counts what is written and waits after each flush for a value
// of gate, or until the client has gone.
type gated struct {
	http.ResponseWriter
	gate <-chan bool
	gone <-chan struct{}
	rows *atomic.Int32
}

func (g *gated) Write(p []byte) (int, error) {
	g.rows.Add(1)
	return g.ResponseWriter.Write(p)
}

func (g *gated) Flush() {
	g.ResponseWriter.(http.Flusher).Flush()
	select {
	case <-g.gate:
	case <-g.gone:
	}
}

// TestRowsAsTheyAreMade takes each row before the server has made the next but
// one. After a wrong guess the server makes no more of them.
func TestRowsAsTheyAreMade(t *testing.T) {
	local := newToy(50)
	fake := remotetest.LlamaServer(local, remotetest.Options{})
	gate := make(chan bool)
	var rows atomic.Int32
	m := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/completion" {
			w = &gated{w, gate, r.Context().Done(), &rows}
		}
		fake.ServeHTTP(w, r)
	}), "llama-server:URL", remote.Options{Logits: remote.LogitsNever})
	s, _ := m.NewSession()
	defer s.Close()
	s.(models.Lookahead).SetAhead(models.Ahead{Rows: 30, Greedy: true})
	tokens := []int32{258, 259, 260}
	fed := 0
	rows.Store(0)
	for made := int32(1); made <= 8; made++ {
		l, err := s.Forward(t.Context(), tokens[fed:], 1)
		if err != nil {
			t.Fatal(err)
		}
		if rows.Load() != made {
			t.Fatalf("%d rows were made before row %d was there", rows.Load(), made)
		}
		compare(t, "as made", l[0], local.row(tokens), upToConstant)
		fed = len(tokens)
		tokens = append(tokens, int32(argmax(l[0].Values)))
		if made < 8 {
			gate <- true
		}
	}
	tokens[len(tokens)-1] = 7 // not what the server took
	before := rows.Load()
	l, err := s.Forward(t.Context(), tokens[fed:], 1)
	if err != nil {
		t.Fatal(err)
	}
	compare(t, "another way", l[0], local.row(tokens), upToConstant)
	if n := rows.Load() - before; n > 2 {
		t.Errorf("%d rows were made after a wrong guess", n)
	}
}

// streamFaults are what may happen to a stream of events on its way.
var streamFaults = []struct {
	name    string
	quiet   bool // it casts no doubt on the model
	deliver func(w http.ResponseWriter, r *http.Request, events []string)
}{
	{"all is well", true, func(w http.ResponseWriter, _ *http.Request, events []string) {
		write(w, 200, "text/event-stream", strings.Join(events, ""))
	}},
	{"cut within an event", false, func(w http.ResponseWriter, _ *http.Request, events []string) {
		all := strings.Join(events, "")
		io.WriteString(w, all[:len(all)/2])
		hangUp(w)
	}},
	{"ends early", false, func(w http.ResponseWriter, _ *http.Request, events []string) {
		write(w, 200, "text/event-stream", strings.Join(events[:len(events)/2], ""))
	}},
	{"no last event", false, func(w http.ResponseWriter, _ *http.Request, events []string) {
		write(w, 200, "text/event-stream", strings.Join(events[:len(events)-1], ""))
	}},
	{"error", false, func(w http.ResponseWriter, _ *http.Request, events []string) {
		write(w, 200, "text/event-stream", events[0]+`error: {"code":500,"message":"no room","type":"server_error"}`+"\n\n")
	}},
	{"error as data", false, func(w http.ResponseWriter, _ *http.Request, events []string) {
		write(w, 200, "text/event-stream", events[0]+`data: {"error":{"code":500,"message":"no room","type":"server_error"}}`+"\n\n")
	}},
	{"broken JSON", false, func(w http.ResponseWriter, _ *http.Request, events []string) {
		write(w, 200, "text/event-stream", events[0]+events[1][:len(events[1])/2]+"\n\n"+strings.Join(events[2:], ""))
	}},
	{"never ends", true, func(w http.ResponseWriter, r *http.Request, events []string) {
		io.WriteString(w, strings.Join(events[:len(events)-1], ""))
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}},
	{"a step is missing", true, func(w http.ResponseWriter, _ *http.Request, events []string) {
		write(w, 200, "text/event-stream", events[0]+strings.Join(events[2:], ""))
	}},
	{"a step comes twice", true, func(w http.ResponseWriter, _ *http.Request, events []string) {
		write(w, 200, "text/event-stream", events[0]+strings.Join(events, ""))
	}},
	{"too many steps", false, func(w http.ResponseWriter, _ *http.Request, events []string) {
		n := len(events) - 1
		more := strings.Replace(events[n-1], fmt.Sprintf(`"tokens_predicted":%d,`, n), fmt.Sprintf(`"tokens_predicted":%d,`, n+1), 1)
		write(w, 200, "text/event-stream", strings.Join(events[:n], "")+more+events[n])
	}},
	{"another model", false, func(w http.ResponseWriter, _ *http.Request, events []string) {
		write(w, 200, "text/event-stream", strings.Replace(strings.Join(events, ""), `"model":"toy"`, `"model":"top"`, 1))
	}},
	{"comments and carriage returns", true, func(w http.ResponseWriter, _ *http.Request, events []string) {
		write(w, 200, "text/event-stream", ": hello\r\n\r\nevent: x\r\nretry: 3\r\n"+strings.ReplaceAll(strings.Join(events, ": still here\n\n"), "\n", "\r\n"))
	}},
	{"a line without end", false, func(w http.ResponseWriter, _ *http.Request, events []string) {
		write(w, 200, "text/event-stream", events[0]+"data: "+strings.Repeat(" ", 4*remote.MiB))
	}},
	{"nothing", false, func(w http.ResponseWriter, _ *http.Request, _ []string) { write(w, 200, "text/event-stream", "") }},
}

// An open transport counts the answers that are being read.
type openTransport struct{ now, most atomic.Int32 }

func (o *openTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	if n := o.now.Add(1); n > o.most.Load() {
		o.most.Store(n)
	}
	resp, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		o.now.Add(-1)
		return nil, err
	}
	resp.Body = &openBody{ReadCloser: resp.Body, of: o}
	return resp, nil
}

type openBody struct {
	io.ReadCloser
	of   *openTransport
	once sync.Once
}

func (b *openBody) Close() error {
	b.once.Do(func() { b.of.now.Add(-1) })
	return b.ReadCloser.Close()
}

// TestStreamFaults decodes while every third stream has a fault. Every row is the
// model's, no more than two answers are read at a time, and nothing is left
// behind.
func TestStreamFaults(t *testing.T) {
	before := runtime.NumGoroutine()
	local := newToy(50)
	fake := remotetest.LlamaServer(local, remotetest.Options{})
	for _, f := range streamFaults {
		t.Run(f.name, func(t *testing.T) {
			var n, looks atomic.Int32
			var open openTransport
			m := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				r.Body = io.NopCloser(bytes.NewReader(body))
				if r.URL.Path == "/props" {
					looks.Add(1)
				}
				if !bytes.Contains(body, []byte(`"stream":true`)) || n.Add(1)%3 != 2 {
					fake.ServeHTTP(w, r)
					return
				}
				rec := httptest.NewRecorder()
				fake.ServeHTTP(rec, r)
				w.Header().Set("Content-Type", "text/event-stream")
				f.deliver(w, r, strings.SplitAfter(strings.TrimSuffix(rec.Body.String(), "\n\n")+"\n\n", "\n\n")[:strings.Count(rec.Body.String(), "\n\n")])
			}), "llama-server:URL", remote.Options{Logits: remote.LogitsNever, Client: &http.Client{Transport: &open}})
			s, _ := m.NewSession()
			defer s.Close()
			looks.Store(0)
			tokens := []int32{258, 259, 260}
			fed := 0
			for range 300 {
				s.(models.Lookahead).SetAhead(models.Ahead{Rows: 7, Greedy: true})
				l, err := s.Forward(t.Context(), tokens[fed:], 1)
				if err != nil {
					t.Fatal(err)
				}
				compare(t, f.name, l[0], local.row(tokens), upToConstant)
				fed = len(tokens)
				tokens = append(tokens, int32(argmax(l[0].Values)))
			}
			st := m.(models.Meter).Stats()
			if n.Load() < 20 || st.AheadHits < 150 {
				t.Errorf("%d streams, %d rows ahead", n.Load(), st.AheadHits)
			}
			if sure := looks.Load() > 0; sure == f.quiet {
				t.Errorf("made sure of the model %d times", looks.Load())
			}
			s.Close()
			if now, most := open.now.Load(), open.most.Load(); now != 0 || most > 2 {
				t.Errorf("%d answers were read at a time, %d are still", most, now)
			}
			if st := m.(models.Meter).Stats(); st.InFlight != 0 {
				t.Errorf("%d tokens in flight after the end", st.InFlight)
			}
		})
	}
	for range 1000 {
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Errorf("%d goroutines, %d before", runtime.NumGoroutine(), before)
}

// TestNoStreams goes ahead over a server that answers with one JSON text whatever
// it is asked for, as a proxy may.
func TestNoStreams(t *testing.T) {
	local := newToy(50)
	fake := remotetest.LlamaServer(local, remotetest.Options{})
	var asked sync.Once
	streams := false
	m := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if bytes.Contains(body, []byte(`"stream":true`)) {
			asked.Do(func() { streams = true })
		}
		r.Body = io.NopCloser(bytes.NewReader(bytes.Replace(body, []byte(`"stream":true`), []byte(`"stream":false`), 1)))
		fake.ServeHTTP(w, r)
	}), "llama-server:URL", remote.Options{Logits: remote.LogitsNever})
	s, _ := m.NewSession()
	defer s.Close()
	tokens := []int32{258, 259, 260}
	fed := 0
	requests := m.(models.Meter).Stats().Requests
	for range 100 {
		s.(models.Lookahead).SetAhead(models.Ahead{Rows: 20, Greedy: true})
		l, err := s.Forward(t.Context(), tokens[fed:], 1)
		if err != nil {
			t.Fatal(err)
		}
		compare(t, "one answer", l[0], local.row(tokens), upToConstant)
		fed = len(tokens)
		tokens = append(tokens, int32(argmax(l[0].Values)))
	}
	if n := m.(models.Meter).Stats().Requests - requests; n > 20 || !streams {
		t.Errorf("%d requests for 100 rows; asked for streams: %v", n, streams)
	}
}
