package vllm

import (
	"testing"

	"logitscope/models/remote"
	"logitscope/models/remote/remotetest"
)

// FuzzAnswer reads answers, whatever they hold.
func FuzzAnswer(f *testing.F) {
	for _, s := range []string{
		`{"model":"m","choices":[{"logprobs":{"tokens":["token_id:1"],"top_logprobs":[{"token_id:1":-0.5,"token_id:2":-1e300}]},"prompt_logprobs":[null,{"2":{"logprob":-1,"rank":1}}]}],"usage":{"prompt_tokens":2,"prompt_tokens_details":{"cached_tokens":1}}}`,
		`{"error":{"message":"x","type":"exceed_context_size_error"}}`, `{"error":"{\"error\":{\"message\":\"y\"}}"}`, `<html><title>x</title>`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		q := remote.Query{Tokens: []int32{1, 2}, Want: 2}
		r := &remote.Reply{Status: 200, Body: data}
		var out remote.Rows
		remotetest.CheckAnswer(t, (&backend{c: remotetest.FuzzClient(), model: "m"}).scan(r, q, &out), &out)
	})
}
