package tape

import (
	"fmt"
	"io"
	"math"

	"logitscope/models"
	"logitscope/models/tape/logprobs"
)

// Foreign makes models of responses that a server sent and somebody saved, one
// a response, as lanes from 1. Ids that the file does not tell are made up:
// a token is one text. A position without a list of the best has no row.
func Foreign(r io.Reader) ([]*Model, error) {
	f, err := logprobs.Read(r)
	if err != nil {
		return nil, err
	}
	var out []*Model
	for i, resp := range f.Responses {
		m, err := OfResponse(resp)
		if err != nil {
			return nil, fmt.Errorf("response %d: %w", i+1, err)
		}
		if m.lane = i + 1; len(f.Responses) == 1 {
			m.lane = 0
		}
		out = append(out, m)
	}
	return out, nil
}

// A namer gives tokens ids: the file's own, or the next that is free.
type namer struct {
	ids   map[string]int32 // by bytes, of tokens without an id
	taken map[int32]bool
	next  int32
}

func (n *namer) id(p *logprobs.Piece) int32 {
	if p.ID >= 0 {
		return p.ID
	}
	key := string(p.Bytes)
	if p.Bytes == nil {
		key = "\x00" + p.Text
	}
	if id, ok := n.ids[key]; ok {
		return id
	}
	for n.taken[n.next] {
		n.next++
	}
	n.ids[key] = n.next
	n.next++
	return n.ids[key]
}

// OfResponse makes a model of one response; see [Foreign].
func OfResponse(r *logprobs.Response) (*Model, error) {
	n := namer{ids: map[string]int32{}, taken: map[int32]bool{}}
	most := int32(0)
	each := func(f func(p *logprobs.Piece)) {
		for _, tokens := range [][]logprobs.Token{r.Prompt, r.Tokens} {
			for i := range tokens {
				f(&tokens[i].Piece)
				for k := range tokens[i].Top {
					f(&tokens[i].Top[k].Piece)
				}
			}
		}
	}
	each(func(p *logprobs.Piece) {
		if p.ID >= 0 {
			n.taken[p.ID] = true
			most = max(most, p.ID)
		}
	})
	each(func(p *logprobs.Piece) { most = max(most, n.id(p)) })
	if most >= maxVocab {
		return nil, fmt.Errorf("token id %d is out of range, 0 to %d", most, maxVocab-1)
	}
	size := int(most) + 2 // one more than is named: a server has others
	m := &Model{full: true, vocab: newVocab(size, nil)}
	m.vocab.of = m
	m.info = models.Info{
		Name: r.Model, Arch: string(r.Format), VocabSize: size, ContextLen: len(r.Prompt) + len(r.Tokens) + 1,
		Note: "log probabilities that a server sent; ids may be made up",
		Caps: models.Caps{Normalised: true, Recorded: true},
	}
	if r.Model == "" {
		m.info.Name = string(r.Format)
	}
	each(func(p *logprobs.Piece) {
		text := p.Text
		if p.Bytes != nil {
			text = string(p.Bytes)
		}
		m.vocab.set(n.id(p), text, models.Normal)
	})
	var prompt []int32
	text := ""
	for i := range r.Prompt {
		prompt, text = append(prompt, n.id(&r.Prompt[i].Piece)), text+r.Prompt[i].Text
	}
	if len(prompt) == 0 {
		// A lane needs a token to follow; a server does not say which it was.
		id := int32(size - 1)
		m.vocab.set(id, "", models.Control)
		prompt = []int32{id}
	}
	m.begin(text, prompt)
	at := m.prompts[0].end
	for i := range r.Tokens {
		t := &r.Tokens[i]
		if at.row = foreignRow(&n, t); at.row != nil {
			m.count(at.row)
		}
		at = at.child(n.id(&t.Piece))
	}
	return m, nil
}

// Road returns the tokens recorded after the prompt, up to where the recording
// ends or branches.
func (m *Model) Road() (tokens []int32) {
	if len(m.prompts) == 0 {
		return nil
	}
	for at := m.prompts[0].end; len(at.next) == 1; {
		for id, next := range at.next {
			tokens, at = append(tokens, id), next
		}
	}
	return tokens
}

// foreignRow returns the row of a token: its list, and the token itself where
// it has a value and is not in it. It is nil if nothing is known.
func foreignRow(n *namer, t *logprobs.Token) *Row {
	r := Row{Scores: true}
	sum := 0.0
	seen := map[int32]bool{}
	add := func(p *logprobs.Piece, logprob float64) {
		id := n.id(p)
		if seen[id] {
			return
		}
		seen[id] = true
		r.IDs, r.Values = append(r.IDs, id), append(r.Values, float32(logprob))
		sum += math.Exp(logprob)
	}
	for i := range t.Top {
		add(&t.Top[i].Piece, t.Top[i].Logprob)
	}
	if t.Has() {
		add(&t.Piece, t.Logprob)
	}
	if len(r.Values) == 0 {
		return nil
	}
	r.Rest = min(max(1-sum, 1e-7), 1-1e-7)
	all := All(r.Logits(), true)
	return &all
}
