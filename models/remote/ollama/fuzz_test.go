package ollama

import (
	"testing"

	"logitscope/models/remote"
	"logitscope/models/remote/remotetest"
)

// FuzzAnswer reads answers, whatever they hold.
func FuzzAnswer(f *testing.F) {
	for _, s := range []string{
		`{"response":"a","logprobs":[{"token":"a","logprob":-1,"bytes":[97],"top_logprobs":[{"token":"a","logprob":-1},{"token":"","bytes":[],"logprob":-3}]}]}`,
		`{"error":{"message":"x","type":"exceed_context_size_error"}}`, `{"error":"{\"error\":{\"message\":\"y\"}}"}`, `<html><title>x</title>`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		q := remote.Query{Tokens: []int32{1, 2}, Want: 2}
		r := &remote.Reply{Status: 200, Body: data}
		var out remote.Rows
		b := &backend{c: remotetest.FuzzClient(), ids: map[string]int32{"a": 5}, eos: 1}
		_, err := b.scan(r, q, &out)
		remotetest.CheckAnswer(t, err, &out)
	})
}
