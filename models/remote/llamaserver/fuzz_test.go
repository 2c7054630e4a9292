package llamaserver

import (
	"testing"

	"logitscope/models/remote"
	"logitscope/models/remote/jsonscan"
	"logitscope/models/remote/remotetest"
)

// FuzzAnswer reads answers, whatever they hold.
func FuzzAnswer(f *testing.F) {
	for _, s := range []string{
		`{"completion_probabilities":[{"id":1,"logprob":-1,"top_logprobs":[{"id":1,"logprob":-1.5},{"id":2,"logprob":-2}]}],"model":"m","timings":{"cache_n":1,"prompt_n":1},"truncated":false}`,
		`{"error":{"message":"x","type":"exceed_context_size_error"}}`, `{"error":"{\"error\":{\"message\":\"y\"}}"}`, `<html><title>x</title>`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		b := &backend{c: remotetest.FuzzClient()}
		var out remote.Rows
		s := jsonscan.Scanner{Data: data}
		scanAnswer(&s, func(s *jsonscan.Scanner, _ int) { scanEntries(s, out.Next()) }, new(answer))
		remotetest.CheckAnswer(t, s.End(), &out)
		s = jsonscan.Scanner{Data: data}
		scanPieces(&s, remote.NewVocab(b.c, 300, nil))
	})
}
