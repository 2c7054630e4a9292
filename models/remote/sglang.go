package remote

import (
	"context"
	"fmt"
	"hash/fnv"
	"net/http"
	"strconv"
	"strings"

	"logitscope/models"
)

// sgLang talks to an SGLang server through its own /generate, which takes
// token ids, reports ids, and scores the end of a prompt in one request. Its
// shapes are those of its documentation and source; see docs/servers.md.
type sgLang struct {
	c    *client
	path string // of the model, which is its name
	size int
	top  int
}

// sglangInfo is the part of GET /get_model_info that is of use.
type sglangInfo struct {
	Path       string         `json:"model_path"`
	Generation *bool          `json:"is_generation"`
	Preferred  map[string]any `json:"preferred_sampling_params"`
	Version    string         `json:"weight_version"`
}

func openSGLang(ctx context.Context, t target) (models.Model, error) {
	b := &sgLang{c: t.c}
	var m *server
	err := t.c.retry(ctx, false, func(ctx context.Context) (err error) {
		m, err = b.discover(ctx, t.opt)
		return err
	})
	if err != nil {
		return nil, err
	}
	return m, nil
}

func (b *sgLang) discover(ctx context.Context, opt Options) (*server, error) {
	info, err := b.about(ctx)
	if err != nil {
		return nil, err
	}
	if info.Generation != nil && !*info.Generation {
		return nil, b.c.fault(Unsuitable, "serves a model that does not generate text")
	}
	b.path = info.Path
	maxLen, version, err := b.limits(ctx)
	if err != nil {
		return nil, err
	}
	if b.size, err = b.measure(ctx); err != nil {
		return nil, err
	}
	if err := checkSize(b.c, b.size, maxLen); err != nil {
		return nil, err
	}
	b.top = opt.top(b.size)
	v := newVocab(b.size, b.c.timeouts)
	v.split = b.encode
	lossy, err := b.pieces(ctx, v)
	if err != nil {
		return nil, err
	}
	id, err := b.identity(ctx)
	if err != nil {
		return nil, err
	}
	m := &server{b: b, c: b.c, vocab: v, id: id}
	m.info = models.Info{
		Name: b.c.clean(b.path), ContextLen: maxLen - 1, VocabSize: b.size, Defaults: info.Preferred,
		Caps: models.Caps{Normalised: true, PromptScores: true},
	}
	if b.top < b.size {
		m.info.Caps.TopN = b.top
	}
	m.facts = []models.Fact{
		{Name: "server", Value: b.c.name + ", SGLang " + version},
		{Name: "model", Value: m.info.Name},
		{Name: "control", Value: "stepwise: one token a request, chosen here"},
		{Name: "input", Value: "token ids"},
		{Name: "rows", Value: topWords(b.top, b.size, "log-probabilities of the raw logits")},
		{Name: "several positions", Value: "yes: logprobs of the prompt's end"},
		{Name: "tokenizer", Value: "the server's; names of control tokens are always read as such"},
		{Name: "grammar", Value: "here; the server's own structured output is not used"},
		{Name: "prefix cache", Value: "the server's radix cache, unless it was started without"},
		{Name: "context", Value: fmt.Sprintf("%d tokens", maxLen)},
	}
	m.addLossyFact(lossy)
	m.addKeyFact()
	return m, nil
}

func (b *sgLang) about(ctx context.Context) (info sglangInfo, err error) {
	err = b.c.get(ctx, "/get_model_info", &info)
	if err != nil && refused(err) { // its name in later versions
		err = b.c.get(ctx, "/model_info", &info)
	}
	if err == nil && info.Path == "" {
		err = b.c.fault(Unsuitable, "does not name its model: is it an SGLang server?")
	}
	return info, err
}

// limits finds the length of the context and the version of the server.
func (b *sgLang) limits(ctx context.Context) (maxLen int, version string, err error) {
	var list vllmModels
	if err := b.c.get(ctx, "/v1/models", &list); err != nil {
		return 0, "", err
	}
	if len(list.Data) > 0 {
		maxLen = list.Data[0].MaxModelLen
	}
	var s struct {
		Version string `json:"version"`
		Context int    `json:"context_length"`
		Input   int    `json:"max_req_input_len"`
	}
	err = b.c.get(ctx, "/get_server_info", &s)
	if err != nil && refused(err) {
		err = b.c.get(ctx, "/server_info", &s)
	}
	if err != nil && !refused(err) {
		return 0, "", err
	}
	if maxLen == 0 {
		maxLen = s.Context
	}
	if s.Input > 0 { // what fits into the memory it was given
		maxLen = min(maxLen, s.Input+1)
	}
	if version = b.c.clean(s.Version); version == "" {
		version = "of an unknown version"
	}
	return maxLen, version, nil
}

// measure finds the size of the vocabulary: an id that is too large is
// answered with the limit, or the limit is searched for.
func (b *sgLang) measure(ctx context.Context) (int, error) {
	_, err := b.c.send(ctx, http.MethodPost, "/generate", b.request(nil, query{tokens: []int32{maxVocab - 1}, want: 1}, 1), smallBody, nil)
	if err == nil {
		return sizeUnknown, nil
	}
	if !refused(err) {
		return 0, err
	}
	if _, msg, ok := strings.Cut(err.Error(), "vocab size ("); ok {
		digits, _, _ := strings.Cut(msg, ")")
		if n := lastNumber(digits); n > 1 {
			return n, nil
		}
	}
	n, err := searchSize(ctx, func(ctx context.Context, id int32) (bool, error) {
		_, err := b.c.send(ctx, http.MethodPost, "/generate", b.request(nil, query{tokens: []int32{id}, want: 1}, 1), smallBody, nil)
		if err != nil && refused(err) {
			return false, nil
		}
		return err == nil, err
	})
	if err == nil && n == 0 {
		n = sizeUnknown
	}
	return n, err
}

func (b *sgLang) identity(ctx context.Context) (string, error) {
	info, err := b.about(ctx)
	if err != nil {
		return "", err
	}
	ids, err := b.tokenize(ctx, probeText, false)
	if err != nil {
		return "", err
	}
	h := fnv.New64a()
	fmt.Fprint(h, info.Path, info.Version, ids)
	return strconv.FormatUint(h.Sum64(), 16), nil
}

func (b *sgLang) tokenize(ctx context.Context, text string, addSpecial bool) ([]int32, error) {
	var resp struct {
		Tokens []int32 `json:"tokens"`
	}
	err := b.c.post(ctx, "/tokenize", map[string]any{"prompt": text, "add_special_tokens": addSpecial}, &resp)
	if err == nil && b.size > 0 && !inRange(resp.Tokens, b.size) {
		err = b.c.fault(Malformed, "split text into tokens outside its vocabulary of %d", b.size)
	}
	return resp.Tokens, err
}

func (b *sgLang) encode(ctx context.Context, text string, opt models.EncodeOptions) ([]int32, error) {
	var ids []int32
	err := b.c.retry(ctx, true, func(ctx context.Context) (err error) {
		ids, err = b.tokenize(ctx, strings.ToValidUTF8(text, "\ufffd"), opt.AddSpecial)
		return err
	})
	return ids, err
}

// pieces reads the text of every token, a list of tokens at a time. Pieces
// that are parts of characters are found by splitting characters.
func (b *sgLang) pieces(ctx context.Context, v *vocab) (lossy int, err error) {
	for from := 0; from < b.size; from += pieceChunk {
		var lists [][]int32
		for id := from; id < min(from+pieceChunk, b.size); id++ {
			lists = append(lists, []int32{int32(id)})
		}
		var resp struct {
			Text []string `json:"text"`
		}
		err := b.c.post(ctx, "/detokenize", map[string]any{"tokens": lists, "skip_special_tokens": false}, &resp)
		if err != nil {
			return 0, err
		}
		if len(resp.Text) != len(lists) {
			return 0, b.c.fault(Malformed, "sent the text of %d tokens in place of %d", len(resp.Text), len(lists))
		}
		for i, t := range resp.Text {
			id := from + i
			v.pieces[id] = t
			switch {
			case t == "":
				v.attrs[id] = models.Unused
			case controlLike(t):
				v.attrs[id] = models.Control
			case strings.Contains(t, "\ufffd"):
				lossy++
			}
		}
	}
	findEnds(v)
	return b.spell(ctx, v, lossy)
}

// spell finds the bytes of pieces that are parts of characters: where a
// character is split into as many tokens as it has bytes, or where all its
// tokens but one are known, the rest follows.
func (b *sgLang) spell(ctx context.Context, v *vocab, lossy int) (int, error) {
	var err error
	rareText(func(text string) bool {
		if lossy == 0 {
			return false
		}
		var chars []string
		for _, r := range text {
			chars = append(chars, string(r))
		}
		var resp struct {
			Tokens [][]int32 `json:"tokens"`
		}
		if err = b.c.post(ctx, "/tokenize", map[string]any{"prompt": chars, "add_special_tokens": false}, &resp); err != nil || len(resp.Tokens) != len(chars) {
			return false
		}
		for range 2 {
			for i, ids := range resp.Tokens {
				if inRange(ids, b.size) {
					lossy -= deduce(v, chars[i], ids)
				}
			}
		}
		return true
	})
	if err != nil && refused(err) {
		err = nil
	}
	return lossy, err
}

// deduce sets the pieces of ids that are not known yet and follow from char,
// which they spell. It returns how many.
func deduce(v *vocab, char string, ids []int32) (n int) {
	unknown := func(id int32) bool { return strings.Contains(v.pieces[id], "\ufffd") }
	if len(ids) == len(char) {
		for i, id := range ids {
			if unknown(id) {
				v.pieces[id] = char[i : i+1]
				n++
			}
		}
		return n
	}
	front := 0
	for front < len(ids) && !unknown(ids[front]) && strings.HasPrefix(char, v.pieces[ids[front]]) {
		char = char[len(v.pieces[ids[front]]):]
		front++
	}
	back := len(ids)
	for back > front && !unknown(ids[back-1]) && strings.HasSuffix(char, v.pieces[ids[back-1]]) {
		char = char[:len(char)-len(v.pieces[ids[back-1]])]
		back--
	}
	if back-front == 1 && unknown(ids[front]) && char != "" && len(char) < 4 {
		v.pieces[ids[front]] = char
		n++
	}
	return n
}

// request appends the body of POST /generate to dst. The temperature is 1
// because the server reports probabilities after it; top_k 1 makes its own
// token the most probable one.
func (b *sgLang) request(dst []byte, q query, top int) []byte {
	dst = append(dst, `{"input_ids":[`...)
	dst = appendIDs(dst, q.tokens)
	dst = append(dst, `],"sampling_params":{"max_new_tokens":`...)
	dst = strconv.AppendInt(dst, int64(1+q.ahead), 10)
	dst = append(dst, `,"temperature":1,"top_p":1,"top_k":1,"min_p":0,"repetition_penalty":1,"presence_penalty":0,"frequency_penalty":0`+
		`,"ignore_eos":true,"skip_special_tokens":false},"return_logprob":true,"return_text_in_logprobs":false,"stream":false,"top_logprobs_num":`...)
	dst = strconv.AppendInt(dst, int64(top), 10)
	dst = append(dst, `,"logprob_start_len":`...)
	start := -1
	if q.want > 1 { // the first position it reports is always empty
		start = len(q.tokens) - q.want
	}
	dst = strconv.AppendInt(dst, int64(start), 10)
	return append(dst, '}')
}

func (b *sgLang) fetch(ctx context.Context, q query, out *rows) error {
	q.buf.req = b.request(q.buf.req[:0], q, b.top)
	r, err := b.c.send(ctx, http.MethodPost, "/generate", q.buf.req, bodyLimit(b.top*(q.want+q.ahead)), &q.buf.resp)
	if err != nil {
		return err
	}
	return b.scan(r, q, out)
}

// scan reads the answer, whose meta_info holds the rows.
func (b *sgLang) scan(r *reply, q query, out *rows) error {
	s := scanner{b: r.body}
	var at sglangPlaces
	failed := false
	s.enter('{')
	for first := true; s.more('}', &first); {
		switch k := s.key(); {
		case k == "meta_info" && s.peek() == '{':
			at.scan(&s)
		case k == "error":
			failed = s.peek() != 'n'
			s.skip()
		default:
			s.skip()
		}
	}
	switch {
	case s.end() != nil:
		return b.c.malformed(r, "/generate")
	case failed:
		return b.c.inside(r.body)
	case at.abort != "":
		if tooLong(at.abort) {
			e := b.c.fault(TooLong, "the tokens do not fit: %s", oneLine(at.abort, maxMessage))
			e.err = models.ErrContextFull
			return e
		}
		return b.c.fault(Failed, "gave up: %s", oneLine(at.abort, maxMessage))
	case at.made == 0:
		return b.c.fault(Malformed, "sent no log-probabilities")
	}
	b.c.meter.cache(at.cached, at.prompt-at.cached)
	if q.want > 1 {
		p := scanner{b: r.body, i: at.given}
		if at.given > 0 {
			scanTriples(&p, q.want-1, out)
		}
		if p.bad || len(out.list) != q.want-1 {
			return b.c.fault(Malformed, "sent no log-probabilities of the prompt")
		}
	}
	base := len(out.list)
	l := scanner{b: r.body, i: at.made}
	scanTriples(&l, -1, out)
	if l.bad {
		return b.c.fault(Malformed, "sent log-probabilities of a shape that is not known")
	}
	if at.chosen > 0 {
		c := scanner{b: r.body, i: at.chosen}
		scanChosen(&c, out.list[base:])
	}
	return nil
}

// sglangPlaces are the places in an answer where the parts of meta_info begin.
type sglangPlaces struct {
	made, given, chosen int
	prompt, cached      int
	abort               string
}

func (at *sglangPlaces) scan(s *scanner) {
	s.enter('{')
	for first := true; s.more('}', &first); {
		k, p := s.key(), s.peek()
		switch {
		case k == "output_top_logprobs" && p == '[':
			at.made = s.i
		case k == "input_top_logprobs" && p == '[':
			at.given = s.i
		case k == "output_token_logprobs" && p == '[':
			at.chosen = s.i
		case k == "prompt_tokens":
			at.prompt = s.integer()
			continue
		case k == "cached_tokens":
			at.cached = s.integer()
			continue
		case k == "finish_reason" && p == '{':
			at.scanReason(s)
			continue
		}
		s.skip()
	}
}

// scanReason keeps the message of {"type":"abort","message":…}.
func (at *sglangPlaces) scanReason(s *scanner) {
	typ, msg := "", "no reason given"
	s.enter('{')
	for first := true; s.more('}', &first); {
		switch k := s.key(); {
		case k == "type" && s.peek() == '"':
			typ = string(s.str(nil))
		case k == "message" && s.peek() == '"':
			msg = string(s.str(nil))
		default:
			s.skip()
		}
	}
	if typ == "abort" {
		at.abort = msg
	}
}

// scanTriples reads [[[logprob,id,text],…],…] and appends the rows that are
// not empty, the last n of them if n is not negative.
func scanTriples(s *scanner, n int, out *rows) {
	base := len(out.list)
	s.enter('[')
	for first := true; s.more(']', &first); {
		if s.null() {
			continue
		}
		r := out.next()
		s.enter('[')
		for first := true; s.more(']', &first); {
			v, id := scanTriple(s)
			r.add(id, v)
		}
		if len(r.ids) == 0 {
			out.list = out.list[:len(out.list)-1]
		}
	}
	if extra := len(out.list) - base - n; n >= 0 && extra > 0 {
		list := out.list[base:]
		for i := range n { // swapped, not copied: rows are reused
			list[i], list[extra+i] = list[extra+i], list[i]
		}
		out.list = out.list[:base+n]
	}
}

func scanTriple(s *scanner) (v float64, id int32) {
	id = models.NoToken
	i := 0
	s.enter('[')
	for first := true; s.more(']', &first); i++ {
		switch i {
		case 0:
			v = s.number()
		case 1:
			id = clampID(s.integer())
		default:
			s.skip()
		}
	}
	return v, id
}

// scanChosen reads [[logprob,id,text],…]: the server's own tokens.
func scanChosen(s *scanner, list []*row) {
	i := 0
	s.enter('[')
	for first := true; s.more(']', &first); i++ {
		if _, id := scanTriple(s); i < len(list) {
			list[i].chosen = id
		}
	}
}
