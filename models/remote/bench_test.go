package remote_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"logitscope/models"
	"logitscope/models/remote"
	"logitscope/models/remote/remotetest"
)

// BenchmarkStep measures what a step costs beyond the server's own time, on
// loopback, with 256 log-probabilities: the server answers from memory. The
// time that a bare net/http client needs for the same is measured too. With
// logits each step is two requests.
func BenchmarkStep(b *testing.B) {
	for _, c := range []struct {
		name   string
		logits remote.Logits
	}{{"log-probabilities", remote.LogitsNever}, {"logits", remote.LogitsAuto}} {
		b.Run(c.name, func(b *testing.B) { benchmarkStep(b, c.logits) })
	}
}

func benchmarkStep(b *testing.B, logits remote.Logits) {
	fake := remotetest.LlamaServer(newToy(20000), remotetest.Options{})
	var memory sync.Map    // answers by request
	var plain atomic.Value // a request for 256 log-probabilities
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		answer, ok := memory.Load(string(body))
		if !ok {
			rec := httptest.NewRecorder()
			r.Body = io.NopCloser(bytes.NewReader(body))
			fake.ServeHTTP(rec, r)
			answer = rec.Body.Bytes()
			if r.URL.Path == "/completion" {
				memory.Store(string(body), answer)
				if bytes.Contains(body, []byte(`"n_probs":256,`)) {
					plain.Store(body)
				}
			}
		}
		w.Header().Set("Content-Type", "application/json")
		w.Write(answer.([]byte))
	}))
	defer srv.Close()
	m, err := dial(b.Context(), "llama-server:"+srv.URL, remote.Options{TopN: 256, Logits: logits})
	if err != nil {
		b.Fatal(err)
	}
	defer m.Close()
	s, _ := m.NewSession()
	defer s.Close()
	if _, err := s.Forward(b.Context(), []int32{1, 400, 300}, 1); err != nil {
		b.Fatal(err)
	}
	var times []time.Duration
	before := m.(models.Meter).Stats()
	b.ReportAllocs()
	for b.Loop() {
		s.Truncate(2)
		start := time.Now()
		if _, err := s.Forward(b.Context(), []int32{300}, 1); err != nil {
			b.Fatal(err)
		}
		times = append(times, time.Since(start))
	}
	after := m.(models.Meter).Stats()
	b.ReportMetric(float64(after.Requests-before.Requests)/float64(len(times)), "requests/token")
	slices.Sort(times)
	half := times[len(times)/2]
	b.ReportMetric(float64(half)/float64(timeBare(b, srv.URL+"/completion", plain.Load().([]byte))), "x-bare-http")
	b.ReportMetric(float64(half.Microseconds())/1000, "ms/token-median")
}

// timeBare is the median time of a request that only reads the answer.
func timeBare(b *testing.B, url string, body []byte) time.Duration {
	var times []time.Duration
	for range 500 {
		start := time.Now()
		resp, err := http.Post(url, "application/json", bytes.NewReader(body))
		if err != nil {
			b.Fatal(err)
		}
		io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
		times = append(times, time.Since(start))
	}
	slices.Sort(times)
	return times[len(times)/2]
}
