package remotetest

import (
	"bytes"
	"compress/gzip"
	"embed"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"logitscope/models/llama"
	"logitscope/models/remote"
)

//go:embed recordings/*.gz
var recordings embed.FS

// Fast are timeouts for tests: faults are found at once, and repeated soon.
var Fast = remote.Timeouts{Connect: 2 * time.Second, Idle: 5 * time.Second, Request: 20 * time.Second, Retry: 10 * time.Second, Backoff: time.Millisecond}

// An Exchange is one recorded request with its answer.
type Exchange struct {
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

func unzip(t testing.TB, name string, v any) {
	t.Helper()
	f, err := recordings.Open("recordings/" + name + ".json.gz")
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

// Recorded returns the exchanges of one recording.
func Recorded(t testing.TB, name string) []Exchange {
	var r struct{ Exchanges []Exchange }
	unzip(t, name, &r)
	if len(r.Exchanges) == 0 {
		t.Fatalf("%s is empty", name)
	}
	return r.Exchanges
}

// Raw is the body as it went over the wire.
func (x *Exchange) Raw() []byte {
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

// Replay sends the answer.
func (x *Exchange) Replay(w http.ResponseWriter) {
	w.Header().Set("Content-Type", x.Response.ContentType)
	w.WriteHeader(x.Response.Status)
	w.Write(x.Raw())
}

// Replaying returns a client of a server of kind k that answers everything
// with x.
func Replaying(t testing.TB, k remote.Kind, x *Exchange) *remote.Client {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		x.Replay(w)
	}))
	t.Cleanup(srv.Close)
	tg, err := remote.Parse(k, srv.URL, remote.Options{Timeouts: Fast})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tg.Client.Close() })
	return tg.Client
}

// Pointers returns the exchanges of one recording by reference.
func Pointers(t testing.TB, name string) (out []*Exchange) {
	for _, x := range Recorded(t, name) {
		out = append(out, &x)
	}
	return out
}

// Recordings returns the names that [Recorded] knows.
func Recordings(t testing.TB) (names []string) {
	list, err := recordings.ReadDir("recordings")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range list {
		names = append(names, strings.TrimSuffix(e.Name(), ".json.gz"))
	}
	return names
}

// Metadata returns what Ollama's /api/show gives of a model: the recorded
// page, with the arrays whole that the recording has cut.
func Metadata(t testing.TB, m *llama.Model) map[string]any {
	var page struct {
		Info map[string]any `json:"model_info"`
	}
	for _, x := range Recorded(t, "ollama.info") {
		if x.Name == "show-verbose" {
			if err := json.Unmarshal(x.Response.Body, &page); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, key := range []string{"tokenizer.ggml.tokens", "tokenizer.ggml.merges"} {
		list, ok, err := m.File().Strings(key)
		if err != nil || !ok {
			t.Fatal(key, err)
		}
		page.Info[key] = list
	}
	types, _, err := m.File().Ints("tokenizer.ggml.token_type")
	if err != nil {
		t.Fatal(err)
	}
	page.Info["tokenizer.ggml.token_type"] = types
	return page.Info
}
