package llamaserver

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"
	"unicode"

	"logitscope/models/remote"
	"logitscope/models/remote/remotetest"
)

// TestRecordedSteps reads every recorded answer of /completion with
// log-probabilities as a session does, and as encoding/json does.
func TestRecordedSteps(t *testing.T) {
	type entry struct {
		ID      int32   `json:"id"`
		Logprob float64 `json:"logprob"`
	}
	steps := 0
	for _, name := range []string{"llama-server.completion-matrix", "llama-server.completion-options", "llama-server.extra", "llama-server.errors"} {
		for _, x := range remotetest.Recorded(t, name) {
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
			b := &backend{c: remotetest.Replaying(t, Kind, &x), name: "fable", size: 4096, top: 4096}
			var out remote.Rows
			if err := b.Fetch(t.Context(), remote.Query{Tokens: []int32{0}, Want: 1, Buf: new(remote.Buffers)}, &out); err != nil {
				t.Fatalf("%s: %v", x.Name, err)
			}
			if len(out.List) != len(body.Probs) {
				t.Fatalf("%s: %d rows, want %d", x.Name, len(out.List), len(body.Probs))
			}
			for i, p := range body.Probs {
				r := out.List[i]
				steps++
				if r.Chosen != p.ID || len(r.IDs) != len(p.Top) {
					t.Fatalf("%s: step %d: token %d, %d entries; want %d, %d", x.Name, i, r.Chosen, len(r.IDs), p.ID, len(p.Top))
				}
				for j, e := range p.Top {
					if r.IDs[j] != e.ID || r.Values[j] != float32(e.Logprob) {
						t.Fatalf("%s: step %d: entry %d is %d %v, want %d %v", x.Name, i, j, r.IDs[j], r.Values[j], e.ID, e.Logprob)
					}
				}
				if !r.Normalised() {
					t.Errorf("%s: step %d: not log-probabilities", x.Name, i)
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
	for _, x := range remotetest.Recorded(t, "llama-server.extra") {
		if !strings.HasPrefix(x.Name, "full-vocabulary-") {
			continue
		}
		seen++
		b := &backend{c: remotetest.Replaying(t, Kind, &x), name: "fable", size: 300, top: 300}
		var out remote.Rows
		if err := b.Fetch(t.Context(), remote.Query{Tokens: []int32{1}, Want: 1, Buf: new(remote.Buffers)}, &out); err != nil {
			t.Fatal(err)
		}
		r := out.List[0]
		if slices.Sort(r.IDs); len(slices.Compact(r.IDs)) != 300 || r.IDs[0] != 0 || r.IDs[299] != 299 || math.Abs(logSumExp(r.Values)) > 1e-6 {
			t.Errorf("%s: ids %d to %d, logarithm of the sum %g", x.Name, r.IDs[0], r.IDs[len(r.IDs)-1], logSumExp(r.Values))
		}
	}
	if seen != 3 {
		t.Errorf("%d rows, want 3", seen)
	}
}

// TestRecordedErrors turns every recorded answer of another status into an
// error: one printable line with the right kind.
func TestRecordedErrors(t *testing.T) {
	kinds := map[string]remote.Fault{
		"bad-json": remote.Failed, "prompt-missing": remote.Refused, "prompt-too-long": remote.TooLong, "prompt-exactly-full": remote.TooLong,
		"no-key-completion": remote.Denied, "wrong-key": remote.Denied, "completion-while-loading": remote.Busy, "get-nope": remote.Refused,
		"too-long-truncate-false": remote.TooLong, "missing-model": remote.Refused, "top-logprobs-21": remote.Refused,
		"context-shift-off-fills-up": remote.TooLong, "invalid-utf8-output": remote.Failed, "nope": remote.Refused,
	}
	n := 0
	for _, name := range remotetest.Recordings(t) {
		for _, x := range remotetest.Recorded(t, name) {
			if x.Response.Status == 200 {
				continue
			}
			n++
			c := remotetest.Replaying(t, Kind, &x)
			_, err := c.Send(t.Context(), "POST", "/x", []byte("{}"), remote.SmallBody, nil)
			e, ok := err.(*remote.Error)
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
	x := remotetest.Exchange{Name: "inside"}
	x.Response.Status, x.Response.ContentType = 200, "application/json"
	x.Response.Body = []byte(`{"error":{"code":500,"message":"The model produced output that does not match","type":"server_error"}}`)
	b := &backend{c: remotetest.Replaying(t, Kind, &x), size: 300, top: 300}
	err := b.Fetch(t.Context(), remote.Query{Tokens: []int32{1}, Want: 1, Buf: new(remote.Buffers)}, new(remote.Rows))
	if err == nil || !strings.Contains(err.Error(), "does not match") {
		t.Errorf("error inside an answer: %v", err)
	}
}

func logSumExp(row []float32) float64 {
	sum := 0.0
	for _, v := range row {
		sum += math.Exp(float64(v))
	}
	return math.Log(sum)
}
