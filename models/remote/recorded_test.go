package remote_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"logitscope/models"
	"logitscope/models/fable"
	"logitscope/models/llama"
	"logitscope/models/remote"
	"logitscope/models/remote/remotetest"
)

// TestFakeIsFaithful sends recorded requests to the fake server over the same
// model and compares its answers with those of the real one.
func TestFakeIsFaithful(t *testing.T) {
	local, err := fable.Open(llama.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer local.Close()
	h := remotetest.LlamaServer(local, remotetest.Options{Name: "fable"})
	ask := func(x *remotetest.Exchange) (int, []byte) {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(x.Request.Method, x.Request.Path, bytes.NewReader(x.Request.Body)))
		return w.Code, w.Body.Bytes()
	}
	n := 0
	for _, x := range remotetest.Recorded(t, "llama-server.tokens") {
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
	for _, x := range remotetest.Recorded(t, "llama-server.completion-options") {
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
	for _, x := range remotetest.Recorded(t, "llama-server.errors") {
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
	fake := remotetest.LlamaServer(local, remotetest.Options{Name: "fable"})
	pages := map[string]*remotetest.Exchange{}
	var loading *remotetest.Exchange
	for _, x := range remotetest.Recorded(t, "llama-server.info") {
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
			loading.Replay(w)
			return
		}
		if x := pages[r.URL.Path]; x != nil && r.Method == "GET" {
			x.Replay(w)
			return
		}
		fake.ServeHTTP(w, r)
	}), "llama-server:URL", remote.Options{TopN: 20, Logits: remote.LogitsNever})
	info := m.Info()
	want := models.Info{Server: "llama-server", Parallel: 1, Address: info.Address, Name: "fable", Quant: "q8_0", Params: 4492032, ContextLen: 511, VocabSize: 4096, Embedding: 256,
		ChatTemplate: info.ChatTemplate, BOS: "<|endoftext|>", EOS: "<|endoftext|>", Caps: models.Caps{TopN: 20, Normalised: true}}
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
