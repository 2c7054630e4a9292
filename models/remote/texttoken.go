package remote

// A textToken is a token that a server names by its text.
type textToken struct {
	bytes   []byte
	text    []byte
	logprob float64
}

// scan reads {"token","bytes","logprob"} and skips the rest. Without bytes the
// text stands for them.
func (t *textToken) scan(s *scanner) { t.scanWith(s, nil) }

// scanWith is scan with a reader for the value of top_logprobs.
func (t *textToken) scanWith(s *scanner, top func(*scanner)) {
	t.bytes, t.text, t.logprob = t.bytes[:0], t.text[:0], 0
	exact := false
	s.enter('{')
	for first := true; s.more('}', &first); {
		switch k := string(s.key()); {
		case k == "token" && s.peek() == '"':
			t.text = s.str(t.text)
		case k == "bytes" && s.peek() == '[':
			exact = true
			s.enter('[')
			for first := true; s.more(']', &first); {
				t.bytes = append(t.bytes, byte(s.integer()))
			}
		case k == "logprob":
			t.logprob = s.number()
		case k == "top_logprobs" && s.peek() == '[' && top != nil:
			top(s)
		default:
			s.skip()
		}
	}
	if !exact {
		t.bytes = append(t.bytes, t.text...)
	}
}
