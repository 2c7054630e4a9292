package remote

import (
	"logitscope/models/remote/jsonscan"
)

// A TextToken is a token that a server names by its text.
type TextToken struct {
	Bytes   []byte
	text    []byte
	Logprob float64
}

// Scan reads {"token","bytes","logprob"} and skips the rest. Without bytes the
// text stands for them.
func (t *TextToken) Scan(s *jsonscan.Scanner) { t.ScanWith(s, nil) }

// ScanWith is scan with a reader for the value of top_logprobs.
func (t *TextToken) ScanWith(s *jsonscan.Scanner, top func(*jsonscan.Scanner)) {
	t.Bytes, t.text, t.Logprob = t.Bytes[:0], t.text[:0], 0
	exact := false
	s.Enter('{')
	for first := true; s.More('}', &first); {
		switch k := string(s.Key()); {
		case k == "token" && s.Peek() == '"':
			t.text = s.String(t.text)
		case k == "bytes" && s.Peek() == '[':
			exact = true
			s.Enter('[')
			for first := true; s.More(']', &first); {
				t.Bytes = append(t.Bytes, byte(s.Integer()))
			}
		case k == "logprob":
			t.Logprob = s.Number()
		case k == "top_logprobs" && s.Peek() == '[' && top != nil:
			top(s)
		default:
			s.Skip()
		}
	}
	if !exact {
		t.Bytes = append(t.Bytes, t.text...)
	}
}
