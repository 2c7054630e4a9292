package sglang

import (
	"testing"

	"logitscope/models/remote"
	"logitscope/models/remote/remotetest"
)

// FuzzAnswer reads answers, whatever they hold.
func FuzzAnswer(f *testing.F) {
	for _, s := range []string{
		`{"meta_info":{"output_top_logprobs":[[[-0.5,1,null],[-2,2,"x"]]],"input_top_logprobs":[null,[[-1,1]]],"output_token_logprobs":[[-1,2,null]],"finish_reason":{"type":"abort","message":"x"}}}`,
		`{"error":{"message":"x","type":"exceed_context_size_error"}}`, `{"error":"{\"error\":{\"message\":\"y\"}}"}`, `<html><title>x</title>`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		q := remote.Query{Tokens: []int32{1, 2}, Want: 2}
		r := &remote.Reply{Status: 200, Body: data}
		var out remote.Rows
		remotetest.CheckAnswer(t, (&backend{c: remotetest.FuzzClient()}).scan(r, q, &out), &out)
	})
}
