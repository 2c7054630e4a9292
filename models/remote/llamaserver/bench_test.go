package llamaserver

import (
	"bytes"
	"encoding/json"
	"net/http/httptest"
	"testing"
	"time"

	"logitscope/models/fable"
	"logitscope/models/llama"
	"logitscope/models/remote"
	"logitscope/models/remote/jsonscan"
	"logitscope/models/remote/remotetest"
)

// BenchmarkScan measures reading one answer, and how much faster that is than
// encoding/json.
func BenchmarkScan(b *testing.B) {
	local, err := fable.Open(llama.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer local.Close()
	fake := remotetest.LlamaServer(local, remotetest.Options{})
	ls := &backend{name: "fable", size: local.Vocab().Size()}
	rec := httptest.NewRecorder()
	fake.ServeHTTP(rec, httptest.NewRequest("POST", "/completion", bytes.NewReader(ls.request(nil, remote.Query{Tokens: []int32{1}, Want: 1}, 256))))
	body := rec.Body.Bytes()
	var out remote.Rows
	b.SetBytes(int64(len(body)))
	start, n := time.Now(), 0
	for b.Loop() {
		out.Reset()
		s := jsonscan.Scanner{Data: body}
		scanAnswer(&s, func(s *jsonscan.Scanner, chosen int) { scanEntries(s, out.Next()) }, new(answer))
		if s.End() != nil {
			b.Fatal("not read")
		}
		n++
	}
	own := time.Since(start) / time.Duration(n)
	std := timeStd(b, body)
	b.ReportMetric(float64(std)/float64(own), "x-encoding/json")
}

func timeStd(b *testing.B, body []byte) time.Duration {
	const n = 20
	start := time.Now()
	for range n {
		var v struct {
			Probs []struct {
				Top []struct {
					ID      int32   `json:"id"`
					Logprob float64 `json:"logprob"`
				} `json:"top_logprobs"`
			} `json:"completion_probabilities"`
		}
		if err := json.Unmarshal(body, &v); err != nil {
			b.Fatal(err)
		}
	}
	return time.Since(start) / n
}
