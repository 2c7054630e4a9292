package remote

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"unicode"

	"logitscope/models"
	"logitscope/models/fable"
	"logitscope/models/llama"
	"logitscope/models/remote/fakeserver"
)

// An exchange is one recorded request with its answer.
type exchange struct {
	Name    string
	Request struct {
		Method, Path string
		Body         json.RawMessage
	}
	Response struct {
		Status      int
		ContentType string `json:"content_type"`
		Body        json.RawMessage
		BodyText    string `json:"body_text"`
		Events      []json.RawMessage
		Lines       []json.RawMessage
	}
}

func unzip(t testing.TB, path string, v any) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.NewDecoder(z).Decode(v); err != nil {
		t.Fatal(err)
	}
}

// recorded returns the exchanges of one recording.
func recorded(t testing.TB, name string) []exchange {
	var r struct{ Exchanges []exchange }
	unzip(t, filepath.Join("testdata", "servers", name+".json.gz"), &r)
	if len(r.Exchanges) == 0 {
		t.Fatalf("%s is empty", name)
	}
	return r.Exchanges
}

// raw is the body as it went over the wire.
func (x *exchange) raw() []byte {
	var b bytes.Buffer
	switch {
	case x.Response.Events != nil:
		for _, e := range x.Response.Events {
			if string(e) == `"[DONE]"` {
				e = []byte("[DONE]")
			}
			fmt.Fprintf(&b, "data: %s\n\n", e)
		}
	case x.Response.Lines != nil:
		for _, l := range x.Response.Lines {
			fmt.Fprintf(&b, "%s\n", l)
		}
	case x.Response.Body != nil:
		return x.Response.Body
	default:
		return []byte(x.Response.BodyText)
	}
	return b.Bytes()
}

func (x *exchange) replay(w http.ResponseWriter) {
	w.Header().Set("Content-Type", x.Response.ContentType)
	w.WriteHeader(x.Response.Status)
	w.Write(x.raw())
}

// replaying returns a client of a server that answers everything with x.
func replaying(t testing.TB, kind string, x *exchange) *client {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		x.replay(w)
	}))
	t.Cleanup(srv.Close)
	tg, err := parse(kind+":"+srv.URL, Options{Timeouts: fast})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(tg.c.http.CloseIdleConnections)
	return tg.c
}

// TestRecordedSteps reads every recorded answer of /completion with
// log-probabilities as a session does, and as encoding/json does.
func TestRecordedSteps(t *testing.T) {
	type entry struct {
		ID      int32   `json:"id"`
		Logprob float64 `json:"logprob"`
	}
	steps := 0
	for _, name := range []string{"llama-server.completion-matrix", "llama-server.completion-options", "llama-server.extra", "llama-server.errors"} {
		for _, x := range recorded(t, name) {
			var body struct {
				Post  bool `json:"post_sampling_probs"`
				Model string
				Probs []struct {
					entry
					Top []entry `json:"top_logprobs"`
				} `json:"completion_probabilities"`
			}
			if json.Unmarshal(x.Response.Body, &body) != nil || len(body.Probs) == 0 || body.Probs[0].Top == nil {
				continue
			}
			b := &llamaServer{c: replaying(t, "llama-server", &x), model: "fable", size: 4096, top: 4096}
			var out rows
			if err := b.fetch(t.Context(), query{tokens: []int32{0}, want: 1, buf: new(buffers)}, &out); err != nil {
				t.Fatalf("%s: %v", x.Name, err)
			}
			if len(out.list) != len(body.Probs) {
				t.Fatalf("%s: %d rows, want %d", x.Name, len(out.list), len(body.Probs))
			}
			for i, p := range body.Probs {
				r := out.list[i]
				steps++
				if r.chosen != p.ID || len(r.ids) != len(p.Top) {
					t.Fatalf("%s: step %d: token %d, %d entries; want %d, %d", x.Name, i, r.chosen, len(r.ids), p.ID, len(p.Top))
				}
				for j, e := range p.Top {
					if r.ids[j] != e.ID || r.values[j] != float32(e.Logprob) {
						t.Fatalf("%s: step %d: entry %d is %d %v, want %d %v", x.Name, i, j, r.ids[j], r.values[j], e.ID, e.Logprob)
					}
				}
				g := grid{size: 4096}
				if wrong := g.finish(r); wrong != "" {
					t.Errorf("%s: step %d: %s", x.Name, i, wrong)
				}
			}
		}
	}
	if steps < 40 {
		t.Errorf("%d steps were recorded, want at least 40", steps)
	}
}

// TestRecordedWholeVocabulary checks that the rows which a real server gave of
// a whole vocabulary are whole, and are distributions.
func TestRecordedWholeVocabulary(t *testing.T) {
	seen := 0
	for _, x := range recorded(t, "llama-server.extra") {
		if !strings.HasPrefix(x.Name, "full-vocabulary-") {
			continue
		}
		seen++
		b := &llamaServer{c: replaying(t, "llama-server", &x), model: "fable", size: 300, top: 300}
		var out rows
		if err := b.fetch(t.Context(), query{tokens: []int32{1}, want: 1, buf: new(buffers)}, &out); err != nil {
			t.Fatal(err)
		}
		g := grid{size: 300}
		if wrong := g.finish(out.list[0]); wrong != "" {
			t.Fatal(wrong)
		}
		l := out.list[0].logits()
		if l.IDs != nil || len(l.Values) != 300 || l.Rest != 0 || math.Abs(logSum(l.Values)) > 1e-6 {
			t.Errorf("%s: %d ids, %d values, rest %v, logarithm of the sum %g", x.Name, len(l.IDs), len(l.Values), l.Rest, logSum(l.Values))
		}
	}
	if seen != 3 {
		t.Errorf("%d rows, want 3", seen)
	}
}

// TestRecordedErrors turns every recorded answer of another status into an
// error: one printable line with the right kind.
func TestRecordedErrors(t *testing.T) {
	kinds := map[string]Kind{
		"bad-json": Failed, "prompt-missing": Refused, "prompt-too-long": TooLong, "prompt-exactly-full": TooLong,
		"no-key-completion": Denied, "wrong-key": Denied, "completion-while-loading": Busy, "get-nope": Refused,
		"too-long-truncate-false": TooLong, "missing-model": Refused, "top-logprobs-21": Refused,
		"context-shift-off-fills-up": TooLong, "invalid-utf8-output": Failed, "nope": Refused,
	}
	files, err := filepath.Glob("testdata/servers/*.gz")
	if err != nil || len(files) < 12 {
		t.Fatalf("%d recordings, %v", len(files), err)
	}
	n := 0
	for _, f := range files {
		for _, x := range recorded(t, strings.TrimSuffix(filepath.Base(f), ".json.gz")) {
			if x.Response.Status == 200 {
				continue
			}
			n++
			c := replaying(t, "llama-server", &x)
			_, err := c.send(t.Context(), "POST", "/x", []byte("{}"), smallBody, nil)
			e, ok := err.(*Error)
			if !ok {
				t.Fatalf("%s: %v", x.Name, err)
			}
			if e.Status != x.Response.Status || len(e.Msg) < 12 || len(e.Msg) > 450 || strings.ContainsFunc(e.Msg, func(r rune) bool { return !unicode.IsPrint(r) }) {
				t.Errorf("%s: %q of status %d", x.Name, e.Msg, e.Status)
			}
			if want, ok := kinds[x.Name]; ok {
				delete(kinds, x.Name)
				if e.Kind != want {
					t.Errorf("%s: kind %d, want %d: %s", x.Name, e.Kind, want, e.Msg)
				}
			}
		}
	}
	if n < 60 || len(kinds) > 0 {
		t.Errorf("%d errors were recorded; not among them: %v", n, kinds)
	}
	// An error inside an answer of status 200.
	x := exchange{Name: "inside"}
	x.Response.Status, x.Response.ContentType = 200, "application/json"
	x.Response.Body = []byte(`{"error":{"code":500,"message":"The model produced output that does not match","type":"server_error"}}`)
	b := &llamaServer{c: replaying(t, "llama-server", &x), size: 300, top: 300}
	err = b.fetch(t.Context(), query{tokens: []int32{1}, want: 1, buf: new(buffers)}, new(rows))
	if err == nil || !strings.Contains(err.Error(), "does not match") {
		t.Errorf("error inside an answer: %v", err)
	}
}

// TestFakeIsFaithful sends recorded requests to the fake server over the same
// model and compares its answers with those of the real one.
func TestFakeIsFaithful(t *testing.T) {
	local, err := fable.Open(llama.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer local.Close()
	h := fakeserver.LlamaServer(local, fakeserver.Options{Name: "fable"})
	ask := func(x *exchange) (int, []byte) {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(x.Request.Method, x.Request.Path, bytes.NewReader(x.Request.Body)))
		return w.Code, w.Body.Bytes()
	}
	n := 0
	for _, x := range recorded(t, "llama-server.tokens") {
		if strings.HasPrefix(x.Name, "apply-template") || strings.Contains(x.Name, "array") || x.Response.Status != 200 {
			continue
		}
		n++
		status, got := ask(&x)
		var a, b any
		json.Unmarshal(got, &a)
		json.Unmarshal(x.Response.Body, &b)
		if status != 200 || fmt.Sprint(a) != fmt.Sprint(b) {
			t.Errorf("%s: %s\nrecorded %s", x.Name, got, x.Response.Body)
		}
	}
	type answer struct {
		Tokens []int32 `json:"tokens"`
		Stop   string  `json:"stop_type"`
		Probs  []struct {
			ID  int32 `json:"id"`
			Top []struct {
				ID      int32   `json:"id"`
				Token   string  `json:"token"`
				Bytes   []int   `json:"bytes"`
				Logprob float64 `json:"logprob"`
			} `json:"top_logprobs"`
		} `json:"completion_probabilities"`
	}
	for _, x := range recorded(t, "llama-server.completion-options") {
		switch x.Name {
		case "one-token-per-request", "partial-utf8-one-token", "partial-utf8-in-prompt", "eos-forced", "logit-bias-pairs":
		default:
			continue
		}
		n++
		var got, want answer
		status, body := ask(&x)
		if err := json.Unmarshal(body, &got); err != nil || status != 200 {
			t.Fatalf("%s: %d %s", x.Name, status, body)
		}
		json.Unmarshal(x.Response.Body, &want)
		if len(got.Probs) != len(want.Probs) || got.Stop != want.Stop {
			t.Errorf("%s: %d steps, stop %q; recorded %d, %q", x.Name, len(got.Probs), got.Stop, len(want.Probs), want.Stop)
			continue
		}
		for i := range want.Probs {
			for j, w := range want.Probs[i].Top[:min(3, len(want.Probs[i].Top))] {
				g := got.Probs[i].Top[j]
				if g.ID != w.ID || g.Token != w.Token || !slices.Equal(g.Bytes, w.Bytes) || math.Abs(g.Logprob-w.Logprob) > 0.05 {
					t.Errorf("%s: step %d: %+v, recorded %+v", x.Name, i, g, w)
				}
			}
		}
	}
	for _, x := range recorded(t, "llama-server.errors") {
		switch x.Name {
		case "bad-json", "empty-body", "prompt-empty-array", "prompt-token-out-of-range", "prompt-token-negative", "prompt-exactly-full", "put-completion", "post-nope":
			n++
			if status, body := ask(&x); status != x.Response.Status {
				t.Errorf("%s: %d %s, recorded %d", x.Name, status, body, x.Response.Status)
			}
		}
	}
	if n < 25 {
		t.Errorf("%d exchanges compared, want 25", n)
	}
}

// TestRecordedDiscovery opens a model at a server that answers from the
// recordings where they have the request, after it has said for a while that
// it is loading.
func TestRecordedDiscovery(t *testing.T) {
	local, err := fable.Open(llama.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer local.Close()
	fake := fakeserver.LlamaServer(local, fakeserver.Options{Name: "fable"})
	pages := map[string]*exchange{}
	var loading *exchange
	for _, x := range recorded(t, "llama-server.info") {
		if x.Name == "health-while-loading" {
			loading = &x
		}
		if x.Response.Status == 200 && x.Request.Method == "GET" {
			pages[x.Request.Path] = &x
		}
	}
	var asked atomic.Int32
	m := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if asked.Add(1) <= 3 {
			loading.replay(w)
			return
		}
		if x := pages[r.URL.Path]; x != nil && r.Method == "GET" {
			x.replay(w)
			return
		}
		fake.ServeHTTP(w, r)
	}), "llama-server:URL", Options{TopN: 20, Logits: LogitsNever})
	info := m.Info()
	want := models.Info{Name: "fable", Quant: "q8_0", Params: 4492032, ContextLen: 511, VocabSize: 4096, Embedding: 256,
		ChatTemplate: info.ChatTemplate, Caps: models.Caps{TopN: 20, Normalised: true}}
	if fmt.Sprint(info) != fmt.Sprint(want) || !strings.Contains(info.ChatTemplate, "add_generation_prompt") {
		t.Errorf("Info = %+v\nwant %+v", info, want)
	}
	v, lv := m.Vocab(), local.Vocab()
	for id := range int32(v.Size()) {
		if v.Piece(id) != lv.Piece(id) || v.Attr(id) != lv.Attr(id) {
			t.Errorf("token %d is %q (%v), want %q (%v)", id, v.Piece(id), v.Attr(id), lv.Piece(id), lv.Attr(id))
		}
	}
	if !slices.Equal(v.EOG(), lv.EOG()) {
		t.Errorf("EOG = %v, want %v", v.EOG(), lv.EOG())
	}
	s, _ := m.NewSession()
	defer s.Close()
	ids, err := models.Encode(t.Context(), v, "Once upon a time", models.EncodeOptions{AddSpecial: true})
	if err != nil {
		t.Fatal(err)
	}
	l, err := s.Forward(t.Context(), ids, 1)
	if err != nil || v.Piece(l[0].IDs[0]) != " there" || math.Abs(float64(l[0].Values[0])+0.408) > 0.02 {
		t.Errorf("after %v: %v, %v", ids, l, err)
	}
}
