package logprobs

import (
	"fmt"
	"math"
)

// readBatch reads a line of batch output.
func readBatch(g *gatherer, p place, _ bool) error {
	body := p.at("response").at("body")
	if body.kind != object {
		g.without++ // it failed or expired
		return nil
	}
	return g.take(&item{value: *body.value, line: body.line, path: body.path})
}

// readChoices reads chat completions and completions, whole or a chunk.
func readChoices(g *gatherer, p place, stream bool) error {
	choices, err := p.at("choices").all()
	if err != nil {
		return err
	}
	model, err := p.at("model").text()
	if err != nil {
		return err
	}
	id, err := p.at("id").text()
	if err != nil {
		return err
	}
	if len(choices) == 0 && !stream {
		g.without++
		return nil
	}
	var x *group
	for i, c := range choices {
		chat := c.has("message") || c.has("delta")
		chunk := c.has("delta") || stream && !c.has("message")
		if chunk && id == "" {
			id = anonymous
		}
		if x == nil {
			x = g.group(id, chunk)
		}
		part := part{chunk: chunk, over: !chunk || c.at("finish_reason").kind != null}
		part.Format, part.Model, part.index = Completions, model, i
		if chat {
			part.Format = Chat
		}
		if n := c.at("index"); n.kind == number && n.num == math.Trunc(n.num) && math.Abs(n.num) < 1<<30 {
			part.index = int(n.num)
		}
		if err := part.readText(c); err != nil {
			return err
		}
		if err := part.readLogprobs(c); err != nil {
			return err
		}
		if err := part.readPrompt(p, c); err != nil {
			return err
		}
		g.add(x, part)
	}
	return nil
}

// anonymous is the key of a stream whose chunks have no id.
const anonymous = "\x00stream"

// readText reads the text of a choice.
func (r *part) readText(c place) error {
	from := []place{c.at("text")}
	for _, message := range []string{"message", "delta"} {
		if c.has(message) {
			from = []place{c.at(message).at("content"), c.at(message).at("refusal")}
		}
	}
	for _, p := range from {
		if p.kind == null {
			continue
		}
		s, err := p.parts()
		if err != nil {
			return err
		}
		if r.Text, r.said = s, true; s != "" {
			return nil
		}
	}
	return nil
}

// parts reads a text, or the texts of a list of parts.
func (p place) parts() (string, error) {
	if p.kind != list {
		return p.text()
	}
	all := ""
	for i := range p.items {
		s, err := p.item(i).at("text").text()
		if err != nil {
			return "", err
		}
		all += s
	}
	return all, nil
}

// readLogprobs reads the log probabilities of a choice, in either way.
func (r *part) readLogprobs(c place) error {
	p := c.at("logprobs")
	switch {
	case p.kind == null:
		return nil
	case p.kind != object:
		return &Error{p.line, p.path, errNoObject}
	case p.has("tokens") || p.has("token_logprobs"):
		r.has = true
		return r.readParallel(p, c)
	}
	tokens := p.at("content")
	if tokens.kind == null {
		tokens = p.at("refusal")
	}
	if tokens.kind == null {
		return nil
	}
	r.has = true
	return r.readTokens(tokens)
}

// readTokens reads a list of tokens in the way of the chat API.
func (r *part) readTokens(p place) error {
	all, err := p.all()
	if err != nil {
		return err
	}
	for _, q := range all {
		t, err := q.token()
		if err != nil {
			return err
		}
		r.Tokens = append(r.Tokens, t)
	}
	return nil
}

// readParallel reads the parallel lists of the completions API.
func (r *part) readParallel(p, c place) error {
	names, err := p.at("tokens").all()
	if err != nil {
		return err
	}
	values, err := p.at("token_logprobs").all()
	if err != nil {
		return err
	}
	best, err := p.at("top_logprobs").all()
	if err != nil {
		return err
	}
	if len(values) != len(names) {
		return p.at("token_logprobs").errorf("%d values for %d tokens", len(values), len(names))
	}
	if best != nil && len(best) != len(names) {
		return p.at("top_logprobs").errorf("%d lists for %d tokens", len(best), len(names))
	}
	ids, err := r.responseIDs(c, len(names))
	if err != nil {
		return err
	}
	for i, n := range names {
		s, err := n.text()
		if err != nil {
			return err
		}
		v, err := values[i].logprob()
		if err != nil {
			return err
		}
		t := Token{Piece: spelled(s), Logprob: v.x, Floor: v.floor, Clipped: v.clipped}
		if ids != nil && ids[i] >= 0 {
			t.ID = ids[i]
		}
		if best != nil {
			if err := t.readMap(best[i]); err != nil {
				return err
			}
		}
		r.Tokens = append(r.Tokens, t)
	}
	return nil
}

// responseIDs returns the ids of a choice's tokens, as vLLM gives them; with
// echo those of the prompt come first. It is nil if the file has none.
func (r *part) responseIDs(c place, n int) ([]int32, error) {
	own, err := ids(c.at("token_ids"))
	if err != nil || own == nil {
		return nil, err
	}
	if len(own) == n {
		return own, nil
	}
	before, err := ids(c.at("prompt_token_ids"))
	if err != nil {
		return nil, err
	}
	if len(before)+len(own) == n {
		return append(before, own...), nil
	}
	return nil, c.at("token_ids").errorf("%d ids for %d tokens", len(own), n)
}

func ids(p place) ([]int32, error) {
	all, err := p.all()
	if err != nil || p.kind == null {
		return nil, err
	}
	out := make([]int32, len(all))
	for i, q := range all {
		if out[i], err = q.id(); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// readMap reads an object of texts and log probabilities.
func (t *Token) readMap(p place) error {
	switch p.kind {
	case null:
		return nil
	case object:
	default:
		return &Error{p.line, p.path, errNoObject}
	}
	for i, key := range p.keys {
		v, err := place{&p.items[i], p.line, fmt.Sprintf("%s[%q]", p.path, key)}.logprob()
		if err != nil {
			return err
		}
		t.add(read{spelled(key), v})
	}
	return nil
}

// readPrompt reads vLLM's prompt_logprobs: of the choice c, or beside the
// choices of p.
func (r *part) readPrompt(p, c place) error {
	from := c
	if c.at("prompt_logprobs").kind == null {
		from = p
	}
	all, err := from.at("prompt_logprobs").all()
	if err != nil || all == nil {
		return err
	}
	r.has = true
	var tokens []int32
	for _, q := range []place{c, p} {
		if tokens == nil {
			if tokens, err = ids(q.at("prompt_token_ids")); err != nil {
				return err
			}
		}
	}
	if tokens != nil && len(tokens) != len(all) {
		return from.at("prompt_logprobs").errorf("%d positions for %d prompt_token_ids", len(all), len(tokens))
	}
	for i, q := range all {
		id := int32(-1)
		if tokens != nil {
			id = tokens[i]
		}
		t, err := q.promptToken(id)
		if err != nil {
			return err
		}
		r.Prompt = append(r.Prompt, t)
	}
	return nil
}

// promptToken reads one position of prompt_logprobs; id is that of the
// prompt's token, -1 if it is the first in the file's order.
func (p place) promptToken(id int32) (Token, error) {
	t := Token{Piece: Piece{ID: id, blank: true}, Logprob: math.NaN()}
	switch p.kind {
	case null:
		return t, nil
	case object:
	default:
		return t, &Error{p.line, p.path, errNoObject}
	}
	for i, key := range p.keys {
		q := place{&p.items[i], p.line, fmt.Sprintf("%s[%q]", p.path, key)}
		if q.kind != object {
			return t, &Error{q.line, q.path, errNoObject}
		}
		n, err := keyID(q, key)
		if err != nil {
			return t, err
		}
		if id < 0 {
			id = n
		}
		v, err := q.at("logprob").logprob()
		if err != nil {
			return t, err
		}
		e := read{Piece{blank: true}, v}
		if q.at("decoded_token").kind != null {
			s, err := q.at("decoded_token").text()
			if err != nil {
				return t, err
			}
			e.Piece = piece(s, nil)
		}
		e.ID = n
		t.add(e)
		if n != id {
			continue
		}
		t.Piece, t.Logprob, t.Floor = e.Piece, v.x, v.floor
		if rank := q.at("rank"); rank.kind == number && rank.num == math.Trunc(rank.num) && rank.num >= 1 && rank.num < 1<<31 {
			t.Rank = int(rank.num)
		}
	}
	return t, nil
}

// keyID reads a token id that stands as a key.
func keyID(p place, key string) (int32, error) {
	q := parser{s: key}
	v, err := q.value(0)
	if err != nil || q.at != len(key) {
		return 0, p.errorf("its key must be a token id")
	}
	id, err := place{&v, p.line, p.path}.id()
	if err == nil && id < 0 {
		err = p.errorf("its key must be a token id")
	}
	return id, err
}

// streamed is the key of the stream of a response that is still coming.
const streamed = "\x00response"

// open returns the responses of a key that are still coming.
func (g *gatherer) open(key string) map[int]*Response {
	for _, x := range g.groups {
		if x.key == key {
			return x.open
		}
	}
	return nil
}
