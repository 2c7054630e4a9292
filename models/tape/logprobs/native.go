package logprobs

import (
	"math"
)

// readLlamaServer reads llama-server's own completions.
func readLlamaServer(g *gatherer, p place, stream bool) error {
	r := part{over: true}
	r.Format = LlamaServer
	var err error
	if r.Model, err = p.at("model").text(); err != nil {
		return err
	}
	if r.Text, err = p.at("content").text(); err != nil {
		return err
	}
	r.said = p.at("content").kind == text
	if n := p.at("index"); n.kind == number && n.num == math.Trunc(n.num) && math.Abs(n.num) < 1<<30 {
		r.index = int(n.num)
	}
	stop := p.at("stop")
	r.chunk = stream || stop.kind == boolean && !stop.yes || g.open(llamaStream)[r.index] != nil
	r.over = !r.chunk || stop.yes
	all, err := p.at("completion_probabilities").all()
	if err != nil {
		return err
	}
	r.has = p.at("completion_probabilities").kind == list
	for _, q := range all {
		var t Token
		if q.has("probs") {
			t, err = q.oldToken()
		} else {
			t, err = q.token()
		}
		if err != nil {
			return err
		}
		r.Tokens = append(r.Tokens, t)
	}
	key := ""
	if r.chunk {
		key = llamaStream
	}
	g.add(g.group(key, r.chunk), r)
	return nil
}

// llamaStream is the key of the responses that llama-server streams: it names
// none, and tells them apart by index.
const llamaStream = "\x00llama"

// oldToken reads a token of llama-server before December 2024: it has no value
// of its own but that in its list.
func (p place) oldToken() (Token, error) {
	t := Token{Logprob: math.NaN(), Sampled: true}
	s, err := p.at("content").text()
	if err != nil {
		return t, err
	}
	t.Piece = piece(s, nil)
	all, err := p.at("probs").all()
	if err != nil {
		return t, err
	}
	for _, q := range all {
		e, err := q.entry()
		if err != nil {
			return t, err
		}
		if !t.Has() && !t.Floor && e.same(&t.Piece) {
			t.Logprob, t.Floor = e.x, e.floor
		}
		t.add(e)
	}
	return t, nil
}

// readOllama reads Ollama's generate and chat. Lines belong to one response
// until one of them is done.
func readOllama(g *gatherer, p place, _ bool) error {
	r := part{chunk: true, over: p.at("done").yes}
	r.Format = Ollama
	var err error
	if r.Model, err = p.at("model").text(); err != nil {
		return err
	}
	from := p.at("response")
	if p.at("message").kind == object {
		from = p.at("message").at("content")
	}
	if r.Text, err = from.text(); err != nil {
		return err
	}
	r.said = from.kind == text
	if tokens := p.at("logprobs"); tokens.kind != null {
		r.has = true
		if err := r.readTokens(tokens); err != nil {
			return err
		}
	}
	key := ollamaStream
	if len(g.open(key)) == 0 {
		for _, x := range g.groups {
			if x.key == key {
				x.key = "" // that one is done
			}
		}
	}
	g.add(g.group(key, true), r)
	return nil
}

const ollamaStream = "\x00ollama"

// readSGLang reads SGLang's own generate.
func readSGLang(g *gatherer, p place, _ bool) error {
	r := part{over: true}
	r.Format = SGLang
	var err error
	if r.Text, err = p.at("text").text(); err != nil {
		return err
	}
	r.said = p.at("text").kind == text
	meta := p.at("meta_info")
	for _, l := range []struct {
		tokens, best string
		out          *[]Token
	}{{"output_token_logprobs", "output_top_logprobs", &r.Tokens}, {"input_token_logprobs", "input_top_logprobs", &r.Prompt}} {
		if meta.at(l.tokens).kind == null {
			continue
		}
		r.has = true
		if *l.out, err = triples(meta.at(l.tokens), meta.at(l.best)); err != nil {
			return err
		}
	}
	g.add(g.group("", false), r)
	return nil
}

// triples reads a list of [logprob, id, text] and the list of lists of the
// best beside it.
func triples(p, best place) ([]Token, error) {
	all, err := p.all()
	if err != nil {
		return nil, err
	}
	lists, err := best.all()
	if err != nil {
		return nil, err
	}
	if len(lists) > 0 && len(lists) != len(all) {
		return nil, best.errorf("%d lists for %d tokens", len(lists), len(all))
	}
	out := make([]Token, len(all))
	for i, q := range all {
		e, err := q.triple()
		if err != nil {
			return nil, err
		}
		out[i] = Token{Piece: e.Piece, Logprob: e.x, Floor: e.floor, Clipped: e.clipped}
		if len(lists) == 0 {
			continue
		}
		top, err := lists[i].all()
		if err != nil {
			return nil, err
		}
		for _, x := range top {
			e, err := x.triple()
			if err != nil {
				return nil, err
			}
			out[i].add(e)
		}
	}
	return out, nil
}

func (p place) triple() (e read, err error) {
	if p.kind != list || len(p.items) < 2 || len(p.items) > 3 {
		return e, p.errorf("must be [logprob, id, text]")
	}
	if e.reading, err = p.item(0).logprob(); err != nil {
		return e, err
	}
	e.Piece = Piece{ID: -1, blank: true}
	if len(p.items) == 3 && p.items[2].kind != null {
		s, err := p.item(2).text()
		if err != nil {
			return e, err
		}
		e.Piece = piece(s, nil)
	}
	id, err := p.item(1).id()
	if id >= 0 {
		e.ID = id
	}
	return e, err
}

// readTGI reads text-generation-inference: whole, or a token of a stream.
func readTGI(g *gatherer, p place, stream bool) error {
	r := part{over: true}
	r.Format = TGI
	var err error
	if r.Text, err = p.at("generated_text").text(); err != nil {
		return err
	}
	r.said = p.at("generated_text").kind == text
	if one := p.at("token"); one.kind == object {
		r.chunk, r.over, r.has = true, r.said, true
		t, err := one.tgiToken()
		if err != nil {
			return err
		}
		if err := t.tgiTop(p.at("top_tokens")); err != nil {
			return err
		}
		r.Tokens = []Token{t}
		key := tgiStream
		if len(g.open(key)) == 0 {
			for _, x := range g.groups {
				if x.key == key {
					x.key = ""
				}
			}
		}
		g.add(g.group(key, true), r)
		return nil
	}
	details := p.at("details")
	tokens, err := details.at("tokens").all()
	if err != nil {
		return err
	}
	best, err := details.at("top_tokens").all()
	if err != nil {
		return err
	}
	if len(best) > 0 && len(best) != len(tokens) {
		return details.at("top_tokens").errorf("%d lists for %d tokens", len(best), len(tokens))
	}
	r.has = details.at("tokens").kind == list
	for i, q := range tokens {
		t, err := q.tgiToken()
		if err != nil {
			return err
		}
		if len(best) > 0 {
			if err := t.tgiTop(best[i]); err != nil {
				return err
			}
		}
		r.Tokens = append(r.Tokens, t)
	}
	prefill, err := details.at("prefill").all()
	if err != nil {
		return err
	}
	for _, q := range prefill {
		t, err := q.tgiToken()
		if err != nil {
			return err
		}
		r.Prompt = append(r.Prompt, t)
	}
	g.add(g.group("", false), r)
	return nil
}

const tgiStream = "\x00tgi"

func (p place) tgiToken() (Token, error) {
	var t Token
	if p.kind != object {
		return t, &Error{p.line, p.path, errNoObject}
	}
	s, err := p.at("text").text()
	if err != nil {
		return t, err
	}
	id, err := p.at("id").id()
	if err != nil {
		return t, err
	}
	v, err := p.at("logprob").logprob()
	if err != nil {
		return t, err
	}
	t = Token{Piece: piece(s, nil), Logprob: v.x, Floor: v.floor, Clipped: v.clipped, Special: p.at("special").yes}
	t.ID = id
	return t, nil
}

// tgiTop reads the list of the best beside a token.
func (t *Token) tgiTop(p place) error {
	all, err := p.all()
	if err != nil {
		return err
	}
	for _, q := range all {
		e, err := q.tgiToken()
		if err != nil {
			return err
		}
		t.add(read{e.Piece, reading{e.Logprob, e.Floor, e.Clipped}})
	}
	return nil
}
