package vllm

import (
	"math"
	"slices"
	"testing"

	"logitscope/models/remote"
	"logitscope/models/remote/remotetest"
)

// -9999 and below is how vLLM writes minus infinity, of tokens that were
// generated and of a prompt's, in either of its forms.
func TestMinusInfinity(t *testing.T) {
	const body = `{"model":"m","choices":[{"logprobs":{"tokens":["token_id:1"],"top_logprobs":[{"token_id:1":-0.5,"token_id:2":-9999,"token_id:3":-9998.5}]},` +
		`"prompt_logprobs":[null,{"1":{"logprob":-9999.0,"rank":1},"2":-10000,"3":{"logprob":-9998.5}}]}],"usage":{"prompt_tokens":2}}`
	var out remote.Rows
	q := remote.Query{Tokens: []int32{1, 2}, Want: 2}
	if err := (&backend{c: remotetest.FuzzClient(), model: "m"}).scan(&remote.Reply{Status: 200, Body: []byte(body)}, q, &out); err != nil {
		t.Fatal(err)
	}
	inf := float32(math.Inf(-1))
	var got [][]float32
	for _, r := range out.List {
		got = append(got, r.Values)
	}
	want := [][]float32{{inf, inf, -9998.5}, {-0.5, inf, -9998.5}}
	if !slices.EqualFunc(got, want, slices.Equal[[]float32]) {
		t.Errorf("got %v, want %v", got, want)
	}
}
