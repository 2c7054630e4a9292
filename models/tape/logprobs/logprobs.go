// Package logprobs answers: which log probabilities did somebody save? It reads
// the log probabilities that servers send, as people save them: responses of
// the OpenAI APIs and of everybody who speaks them (vLLM, SGLang,
// llama-server), of llama-server, Ollama, SGLang and TGI by their own, whole,
// as a list, one a line, as batch output or as a stream. The shape is known by
// the content. Nothing is filled in: a floor is not a value, a list is never
// changed, and what must be said about the numbers comes as notes.
package logprobs

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"unicode/utf8"
)

// A Format is a shape of response.
type Format string

const (
	Chat        Format = "openai-chat"
	Completions Format = "openai-completions"
	Responses   Format = "openai-responses"
	LlamaServer Format = "llama-server"
	Ollama      Format = "ollama"
	SGLang      Format = "sglang"
	TGI         Format = "tgi"
)

// A File is the responses of one file.
type File struct {
	Responses []*Response // with log probabilities, in order
	Without   int         // responses that have none
}

// A Response is one text and its tokens.
type Response struct {
	Format     Format
	Model      string // empty if the file does not say
	Text       string
	Tokens     []Token
	Prompt     []Token // nil if the file gives none
	Unfinished bool    // a stream without its end

	said  bool // Text is the file's own
	index int
}

// A Piece names a token.
type Piece struct {
	Text  string
	Bytes []byte // nil if they are not known; those of Text, or of half a character
	ID    int32  // -1 if unknown
	blank bool   // neither text nor bytes are known
}

// Known reports whether the token has a text, and not only an id.
func (p *Piece) Known() bool { return !p.blank }

// Replaced reports whether the text stands for bytes that are not known.
func (p *Piece) Replaced() bool {
	return p.Bytes == nil && strings.ContainsRune(p.Text, utf8.RuneError)
}

// same reports whether two pieces are one token.
func (p *Piece) same(q *Piece) bool {
	if p.ID >= 0 && q.ID >= 0 {
		return p.ID == q.ID
	}
	if p.blank || q.blank {
		return false
	}
	if p.Bytes != nil && q.Bytes != nil {
		return string(p.Bytes) == string(q.Bytes)
	}
	return p.Text == q.Text
}

// A Token is one token of a text.
type Token struct {
	Piece
	Logprob float64 // nats; NaN if it has none
	Floor   bool    // it has none because it is less likely than what is listed
	Rank    int     // from 1; 0 if unknown
	Top     []Entry // best first
	Clipped bool    // a value stood a little above 0
	Sampled bool    // the numbers are probabilities after sampling
	Special bool    // it is no part of the text: a special token

	listed int  // entries of its list in the file, those without a value too
	itself bool // it is one of them
}

// Has reports whether the token has a value.
func (t *Token) Has() bool { return !math.IsNaN(t.Logprob) }

// Outside reports whether the token is not in its own list, as the file has it,
// which is not empty.
func (t *Token) Outside() bool { return t.listed > 0 && !t.itself }

// An Entry is one token of a list.
type Entry struct {
	Piece
	Logprob float64
}

// maxFile bounds a file.
const maxFile = 512 << 20

// Read reads a file. The error is an [*Error].
func Read(r io.Reader) (*File, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxFile+1))
	if err != nil {
		return nil, &Error{Err: err}
	}
	if len(data) > maxFile {
		return nil, &Error{Err: fmt.Errorf("larger than %d MiB", maxFile>>20)}
	}
	items, err := carry(string(data))
	if err != nil {
		return nil, err
	}
	g := gatherer{}
	for i := range items {
		if err := g.take(&items[i]); err != nil {
			return nil, err
		}
	}
	f := g.file()
	if len(f.Responses) == 0 {
		return nil, &Error{Err: errors.New("no log probabilities of tokens in it")}
	}
	for _, r := range f.Responses {
		r.finish()
	}
	return f, nil
}

// finish orders the lists, finds ranks and fills in the text where the file
// gives none.
func (r *Response) finish() {
	for _, tokens := range [][]Token{r.Tokens, r.Prompt} {
		for i := range tokens {
			t := &tokens[i]
			slices.SortStableFunc(t.Top, func(a, b Entry) int {
				switch {
				case a.Logprob > b.Logprob:
					return -1
				case a.Logprob < b.Logprob:
					return 1
				}
				return 0
			})
			if t.Rank == 0 && t.Has() {
				t.Rank = t.rank()
			}
		}
	}
	if !r.said {
		r.Text = strings.ToValidUTF8(string(r.joined()), "\uFFFD")
	}
}

// rank returns the rank that the token's own list proves, 0 if it proves none.
func (t *Token) rank() int {
	at := slices.IndexFunc(t.Top, func(e Entry) bool { return e.same(&t.Piece) })
	if at < 0 || !(t.Top[len(t.Top)-1].Logprob < t.Top[at].Logprob) {
		return 0
	}
	n := 1
	for _, e := range t.Top {
		if e.Logprob > t.Top[at].Logprob {
			n++
		}
	}
	return n
}

// joined returns the text of the tokens.
func (r *Response) joined() []byte {
	var b []byte
	for i := range r.Tokens {
		t := &r.Tokens[i]
		switch {
		case t.Special:
		case t.Bytes != nil:
			b = append(b, t.Bytes...)
		default:
			b = append(b, t.Text...)
		}
	}
	return b
}

// Differs reports whether the bytes of all tokens are known and do not join to
// the text.
func (r *Response) Differs() bool {
	for i := range r.Tokens {
		if t := &r.Tokens[i]; t.Bytes == nil && !t.Special {
			return false
		}
	}
	return r.said && string(r.joined()) != r.Text
}
