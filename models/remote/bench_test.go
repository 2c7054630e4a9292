package remote

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"logitscope/models/remote/fakeserver"
)

// BenchmarkStep measures what a step costs beyond the server's own time, on
// loopback, with 256 log-probabilities: the server answers from memory. The
// time that a bare net/http client needs for the same is measured too. With
// logits each step is two requests.
func BenchmarkStep(b *testing.B) {
	for _, c := range []struct {
		name   string
		logits Logits
	}{{"log-probabilities", LogitsNever}, {"logits", LogitsAuto}} {
		b.Run(c.name, func(b *testing.B) { benchmarkStep(b, c.logits) })
	}
}

func benchmarkStep(b *testing.B, logits Logits) {
	fake := fakeserver.LlamaServer(newToy(20000), fakeserver.Options{})
	var rows, odds []byte
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if rows == nil || r.URL.Path != "/completion" {
			fake.ServeHTTP(w, r)
			return
		}
		req, _ := io.ReadAll(r.Body)
		w.Header().Set("Content-Type", "application/json")
		if bytes.Contains(req, []byte(`"post_sampling_probs":true`)) {
			w.Write(odds)
		} else {
			w.Write(rows)
		}
	}))
	defer srv.Close()
	m, err := Open(b.Context(), "llama-server:"+srv.URL, Options{TopN: 256, Logits: logits})
	if err != nil {
		b.Fatal(err)
	}
	defer m.Close()
	ls := m.(*server).b.(*llamaServer)
	post := func(body string) []byte {
		rec := httptest.NewRecorder()
		fake.ServeHTTP(rec, httptest.NewRequest("POST", "/completion", strings.NewReader(body)))
		return rec.Body.Bytes()
	}
	var body, list []byte
	token := int32(300) // the first whose row has it
	for ; !bytes.Contains(list, fmt.Appendf(nil, `{"id":%d,`, token-1)); token++ {
		body = ls.request(nil, query{tokens: []int32{1, 2, token}, want: 1}, 256)
		list = post(string(body))
	}
	token--
	odds = post(fmt.Sprintf(`{"prompt":[1,2,%d],"n_predict":1,"n_probs":9,"post_sampling_probs":true,"samplers":["penalties"],"repeat_penalty":2,"repeat_last_n":1,"logit_bias":[[%[1]d,50]]}`, token))
	rows = list
	s, _ := m.NewSession()
	defer s.Close()
	// The answers are those after that token, so each step ends with it.
	if _, err := s.Forward(b.Context(), []int32{1, 2}, 0); err != nil {
		b.Fatal(err)
	}
	var times []time.Duration
	b.ReportAllocs()
	for b.Loop() {
		start := time.Now()
		if _, err := s.Forward(b.Context(), []int32{token}, 1); err != nil {
			b.Fatal(err)
		}
		times = append(times, time.Since(start))
		if s.Len() > 500 {
			s.Truncate(2)
		}
	}
	slices.Sort(times)
	half := times[len(times)/2]
	b.ReportMetric(float64(half)/float64(timeBare(b, srv.URL+"/completion", body)), "x-bare-http")
	b.ReportMetric(float64(half.Microseconds())/1000, "ms/token-median")
	b.ReportMetric(float64(len(rows)), "bytes/answer")
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
