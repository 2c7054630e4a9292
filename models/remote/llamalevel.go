package remote

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
)

// A level is what must be added to the log-probabilities of a row to have the
// logits. llama-server does not report it, but there is one thing it does to
// logits that depends on it: the repetition penalty halves those above zero.
// How much the odds of a penalised token change tells where its logit was. So
// a second request on the same cached prefix asks for the probabilities after
// the penalty of one token of the prompt, and gives back the logits of the
// whole row; without it a repetition penalty could not be applied here.

// levelPenalty is the penalty in that request, and levelBiases what is added
// to the logit of the token before it, in the order of trying: it should end
// above zero, and neither so high nor so low that the other token vanishes.
// A token that is a part of a character must not become the server's own
// choice, or it sends no probabilities; it gets partBiases.
const levelPenalty = 2

var (
	levelBiases = []float64{50, 25, 75, 0, 100, 12}
	partBiases  = []float64{0, -12, 6, -25, 12}
)

// level returns the level of the row r that follows q.tokens.
func (b *llamaServer) level(ctx context.Context, q query, r *row) (float64, error) {
	p := b.penalised(q.tokens, r)
	u := b.reference(q.tokens[len(q.tokens)-p.window:], r)
	if u < 0 {
		return 0, b.c.fault(Malformed, "sent no token but those of the prompt, which is too few to find the logits")
	}
	lp := float64(r.values[u])
	if !p.listed {
		odds, err := b.odds(ctx, q, p, r.ids[u], 1)
		if err != nil {
			return 0, err
		}
		p.logprob = odds.log - odds.bias + lp
	}
	odds, err := b.odds(ctx, q, p, r.ids[u], levelPenalty)
	if err != nil {
		return 0, err
	}
	c, ok := solveLevel(odds.log, p.logprob+odds.bias, lp)
	if !ok {
		return 0, b.c.fault(Malformed, "did not show the effect of a repetition penalty, which is needed to find the logits")
	}
	return c, nil
}

// odds are the logarithm of the odds of two tokens, and the bias with which
// they could be seen.
type odds struct{ log, bias float64 }

// odds asks for the odds of the penalised token against u.
func (b *llamaServer) odds(ctx context.Context, q query, p penalised, u int32, penalty int) (odds, error) {
	biases, n := levelBiases, p.window+8
	if p.part {
		biases, n = partBiases, b.size
	}
	for try, bias := range biases {
		probs, err := b.probsAfter(ctx, q, p, n, penalty, bias, try)
		if err != nil {
			return odds{}, err
		}
		// Without one of them they are too far apart, or the server's own
		// choice was no text.
		if pt, pu := probs[p.id], probs[u]; pt > 0 && pu > 0 {
			return odds{math.Log(pt) - math.Log(pu), bias}, nil
		}
	}
	return odds{}, b.c.fault(Malformed, "did not show the odds of two tokens, which are needed to find the logits")
}

// solveLevel finds c in odds = f(t+c) - (u+c), where f divides by the penalty
// above zero and multiplies by it below.
func solveLevel(odds, t, u float64) (c float64, ok bool) {
	const k = levelPenalty
	if c = (odds + u - t/k) / (1.0/k - 1); t+c > 0 {
		return c, !math.IsInf(c, 0)
	}
	if c = (odds + u - t*k) / (k - 1); t+c <= 0 {
		return c, !math.IsInf(c, 0)
	}
	return 0, false
}

// levelWindow is how many tokens are looked through for a suitable one.
const levelWindow = 64

// A penalised token is the one of the prompt whose odds are watched.
type penalised struct {
	id      int32
	window  int  // how many tokens from the end it is, 1 for the last
	listed  bool // the row has it, with logprob
	part    bool // it is a part of a character
	logprob float64
}

// penalised picks the latest of tokens that the row r has and that is text;
// else the latest that is text; else the last one.
func (b *llamaServer) penalised(tokens []int32, r *row) penalised {
	last := len(tokens) - 1
	best := penalised{id: tokens[last], window: 1, part: incomplete(b.vocab.Piece(tokens[last]))}
	if i := slices.Index(r.ids, tokens[last]); i >= 0 && r.values[i] > -80 {
		best.listed, best.logprob = true, float64(r.values[i])
	}
	for n := 1; n <= min(levelWindow, len(tokens)) && (best.part || !best.listed); n++ {
		id := tokens[len(tokens)-n]
		if incomplete(b.vocab.Piece(id)) {
			continue
		}
		if i := slices.Index(r.ids, id); i >= 0 && r.values[i] > -80 {
			return penalised{id: id, window: n, listed: true, logprob: float64(r.values[i])}
		}
		if best.part {
			best = penalised{id: id, window: n}
		}
	}
	return best
}

// reference returns the place of the most probable token that is not among
// the penalised ones.
func (b *llamaServer) reference(penalised []int32, r *row) int {
	best := -1
	for i, id := range r.ids {
		if (best < 0 || r.values[i] > r.values[best]) && !slices.Contains(penalised, id) {
			best = i
		}
	}
	return best
}

// probsAfter asks for the n largest probabilities after bias and penalty.
func (b *llamaServer) probsAfter(ctx context.Context, q query, p penalised, n, penalty int, bias float64, seed int) (map[int32]float64, error) {
	req := append(q.buf.req[:0], `{"prompt":[`...)
	req = appendIDs(req, q.tokens)
	req = fmt.Appendf(req, `],"n_predict":1,"n_probs":%d,"cache_prompt":true,"post_sampling_probs":true,"stream":false,"samplers":["penalties"]`+
		`,"repeat_penalty":%d,"repeat_last_n":%d,"frequency_penalty":0,"presence_penalty":0,"temperature":1,"seed":%d,"logit_bias":[[%d,`,
		n, penalty, p.window, seed+1, p.id)
	req = strconv.AppendFloat(req, bias, 'g', -1, 64)
	req = append(req, `]]`...)
	if q.slot >= 0 {
		req = fmt.Appendf(req, `,"id_slot":%d`, q.slot)
	}
	q.buf.req = append(req, '}')
	r, err := b.c.send(ctx, "POST", "/completion", q.buf.req, bodyLimit(n), &q.buf.resp)
	if err != nil {
		return nil, err
	}
	probs := map[int32]float64{}
	s := scanner{b: r.body}
	var a llamaAnswer
	b.scanAnswer(&s, func(s *scanner, _ int) { scanProbs(s, probs) }, &a)
	switch {
	case s.end() != nil:
		return nil, b.c.malformed(r, "/completion")
	case a.failed:
		return nil, b.c.inside(r.body)
	}
	return probs, nil
}

// scanProbs reads an array of {"id","prob"}.
func scanProbs(s *scanner, probs map[int32]float64) {
	s.enter('[')
	for first := true; s.more(']', &first); {
		id, p := int32(-1), 0.0
		s.enter('{')
		for first := true; s.more('}', &first); {
			switch s.key() {
			case "id":
				id = clampID(s.integer())
			case "prob":
				p = s.number()
			default:
				s.skip()
			}
		}
		if id >= 0 && p > 0 && p < 1.01 {
			probs[id] = p
		}
	}
}

// levels reports whether the server shows levels: those found for one row by
// a token that the row has and by one whose place in it is hidden must agree.
func (b *llamaServer) levels(ctx context.Context) (bool, error) {
	ids, _, err := b.tokenize(ctx, "The cat, the dog", false, false)
	if err != nil || len(ids) < 3 {
		return false, err
	}
	q := query{tokens: ids, want: 1, slot: -1, buf: new(buffers)}
	var out rows
	whole := *b
	whole.top = b.size
	if err := whole.fetch(ctx, q, &out); err != nil {
		return false, err
	}
	r := out.list[0]
	first, err := b.level(ctx, q, r)
	if err != nil {
		return false, ignoreFault(err)
	}
	for i, id := range r.ids {
		if slices.Contains(ids, id) {
			r.values[i] = float32(math.Inf(-1))
		}
	}
	second, err := b.level(ctx, q, r)
	if err != nil {
		return false, ignoreFault(err)
	}
	return math.Abs(first-second) < 1e-3, nil
}

// ignoreFault drops an error that only says that the server cannot do it.
func ignoreFault(err error) error {
	if e, ok := err.(*Error); ok && (e.Kind == Malformed || refused(err)) {
		return nil
	}
	return err
}
