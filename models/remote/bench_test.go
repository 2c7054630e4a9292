package remote

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"logitscope/models/remote/fakeserver"
)

// BenchmarkStep measures what a step costs beyond the server's own time, on
// loopback, with 256 log-probabilities. The server answers from memory, in
// the time that a bare net/http client needs it is measured too.
func BenchmarkStep(b *testing.B) {
	local := newToy(20000)
	fake := fakeserver.LlamaServer(local, fakeserver.Options{})
	var canned []byte
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if canned != nil && r.URL.Path == "/completion" {
			w.Header().Set("Content-Type", "application/json")
			w.Write(canned)
			return
		}
		fake.ServeHTTP(w, r)
	}))
	defer srv.Close()
	m, err := Open(b.Context(), "llama-server:"+srv.URL, Options{TopN: 256})
	if err != nil {
		b.Fatal(err)
	}
	defer m.Close()
	rec := httptest.NewRecorder()
	q := query{tokens: []int32{1, 2, 3}, want: 1}
	body := m.(*server).b.(*llamaServer).request(nil, q, 256)
	fake.ServeHTTP(rec, httptest.NewRequest("POST", "/completion", readerOf(body)))
	canned = rec.Body.Bytes()
	s, _ := m.NewSession()
	defer s.Close()
	ctx := context.Background()
	var times []time.Duration
	b.ReportAllocs()
	for b.Loop() {
		start := time.Now()
		if _, err := s.Forward(ctx, []int32{5}, 1); err != nil {
			b.Fatal(err)
		}
		times = append(times, time.Since(start))
		if s.Len() > 500 {
			s.Truncate(0)
		}
	}
	bare := timeBare(b, srv.URL+"/completion", body)
	slices.Sort(times)
	b.ReportMetric(float64(times[len(times)/2])/float64(bare), "x-bare-http")
	b.ReportMetric(float64(times[len(times)/2].Microseconds())/1000, "ms/token-median")
	b.ReportMetric(float64(len(canned)), "bytes/answer")
}

// timeBare is the median time of a request that only reads the answer.
func timeBare(b *testing.B, url string, body []byte) time.Duration {
	var times []time.Duration
	for range 500 {
		start := time.Now()
		resp, err := http.Post(url, "application/json", readerOf(body))
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

// BenchmarkScan measures reading one answer, and how much faster that is than
// encoding/json.
func BenchmarkScan(b *testing.B) {
	local := newToy(20000)
	fake := fakeserver.LlamaServer(local, fakeserver.Options{})
	ls := &llamaServer{model: "toy", size: local.Vocab().Size()}
	rec := httptest.NewRecorder()
	fake.ServeHTTP(rec, httptest.NewRequest("POST", "/completion", readerOf(ls.request(nil, query{tokens: []int32{1}, want: 1}, 256))))
	body := rec.Body.Bytes()
	var out rows
	g := grid{size: ls.size}
	b.SetBytes(int64(len(body)))
	start, n := time.Now(), 0
	for b.Loop() {
		out.reset()
		s := scanner{b: body}
		ls.scanAnswer(&s, func(s *scanner, chosen int) { scanEntries(s, out.next()) }, nil)
		if s.end() != nil || g.finish(out.list[0]) != "" {
			b.Fatal("not read")
		}
		n++
	}
	own := time.Since(start) / time.Duration(n)
	std := timeStd(b, body)
	b.ReportMetric(float64(std)/float64(own), "x-encoding/json")
}
