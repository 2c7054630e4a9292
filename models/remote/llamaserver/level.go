package llamaserver

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"

	"logitscope/models/remote"
	"logitscope/models/remote/jsonscan"
)

// A level is what must be added to the log-probabilities of a row to have the
// logits. llama-server does not report it, but there is one thing it does to
// logits that depends on it: the repetition penalty halves those above zero.
// How much the odds of a penalised token change tells where its logit was. So
// a second request on the same cached prefix asks for the probabilities after
// the penalty of one token of the prompt, and gives back the logits of the
// whole row; without it a repetition penalty could not be applied here.
//
// Odds alone do not tell on which side of zero the logit was, so two tokens
// are watched, moved to different logits by a bias: only the true level
// explains both.

// levelPenalty is the penalty in that request.
const levelPenalty = 2

// levelGuesses are the levels to try where nothing is known. A guess only has
// to be near enough for both tokens to be seen. Tokens that are parts of
// characters must stay below the other, or the server's own choice is no text
// and it sends nothing; for them these are the log-probabilities to move them
// to.
var (
	levelGuesses = []float64{15, -40, 60, -100, 120}
	partGuesses  = []float64{-15, 0, 40, -40, 15, 80}
)

// levelWindow is how many tokens are looked through for suitable ones.
const levelWindow = 64

// A watchedToken is one of the prompt whose odds are watched.
type watchedToken struct {
	id      int32
	logprob float64 // NaN where the row does not have it
}

// A levelQuery is what the requests for one row have in common.
type levelQuery struct {
	remote.Query
	tokens []watchedToken // one or two
	window int            // how many tokens of the prompt are penalised
	part   bool           // the tokens are parts of characters
	u      int32          // a token that is not penalised
	ulog   float64        // its log-probability
	seed   int
	best   int // only so many of the best tokens are left; 0 is all
}

// The quick way needs a level that was found before, to know about where this
// one is. A bias and a penalty of 2^±anchorBits put the last token of the
// prompt at a known logit, whatever its own was: float32 has no room for it
// beside so large a bias. The odds of that anchor and of the best other token,
// whose log-probability is known, tell the level by one equation, and the
// server need print nothing else.
const (
	anchorBits  = 40
	anchorAbove = 6 // where the best token is expected; above the others, or it would not be seen
)

// quickLevel returns the level of r by an anchor. ok is false if it cannot be
// had so.
func (b *backend) quickLevel(ctx context.Context, q remote.Query, r *remote.Row) (level float64, ok bool, err error) {
	t := q.Tokens[len(q.Tokens)-1]
	i := slices.IndexFunc(r.IDs, func(id int32) bool { return id != t })
	if q.Buf.Level == nil || i < 0 || remote.Incomplete(b.vocab.Piece(t)) || remote.Incomplete(b.vocab.Piece(r.IDs[i])) {
		return 0, false, nil
	}
	u, ulog := r.IDs[i], float64(r.Values[i])
	anchor, bits := math.Round(ulog+*q.Buf.Level)+anchorAbove, anchorBits
	if anchor <= 0 { // logits below zero are multiplied by the penalty
		anchor, bits = min(anchor, -1), -anchorBits
	}
	l := levelQuery{Query: q, tokens: []watchedToken{{id: t}}, window: 1, best: 2}
	probs, err := b.probsAfter(ctx, &l, math.Ldexp(1, bits), l.best, map[int32]float64{t: math.Ldexp(anchor, anchorBits)})
	if pt, pu := probs[t], probs[u]; err == nil && pt > 0 && pu > 0 {
		level, ok = anchor-math.Log(pt/pu)-ulog, true
	}
	return level, ok, err
}

// Level returns the level of the row r that follows q.tokens.
func (b *backend) Level(ctx context.Context, q remote.Query, r *remote.Row) (float64, error) {
	if c, ok, err := b.quickLevel(ctx, q, r); ok || err != nil {
		if ok {
			q.Buf.Level = &c
		}
		return c, err
	}
	l := levelQuery{Query: q}
	b.watch(&l, r)
	place := b.reference(q.Tokens[len(q.Tokens)-l.window:], r)
	if place < 0 {
		return 0, b.c.Errorf(remote.Malformed, "sent no token but those of the prompt, which is too few to find the logits")
	}
	l.u, l.ulog = r.IDs[place], float64(r.Values[place])
	low := l.ulog
	for _, v := range r.Values {
		if v > -80 {
			low = min(low, float64(v))
		}
	}
	if err := b.listTokens(ctx, &l, low); err != nil {
		return 0, err
	}
	guesses, n := levelGuesses, b.size
	if l.part {
		guesses = partGuesses
	} else if q.Buf.Level != nil {
		guesses, n = append([]float64{*q.Buf.Level}, guesses...), min(b.size, l.window+32)
	}
	for _, guess := range guesses {
		eqs, err := b.equations(ctx, &l, guess, n)
		if err != nil {
			return 0, err
		}
		if c, ok := solveLevel(eqs); ok {
			q.Buf.Level = &c
			return c, nil
		}
		n = b.size
	}
	return 0, b.c.Errorf(remote.Malformed, "did not show the effect of a repetition penalty, which is needed to find the logits")
}

// watch picks the latest two different tokens of the prompt that are text,
// those that the row has before others. Where there is only text in parts of
// characters, such tokens have to do.
func (b *backend) watch(l *levelQuery, r *remote.Row) {
	type candidate struct {
		watchedToken
		back, cost int
	}
	var all []candidate
	for n := 1; n <= min(levelWindow, len(l.Query.Tokens)); n++ {
		c := candidate{watchedToken{l.Query.Tokens[len(l.Query.Tokens)-n], math.NaN()}, n, n}
		if slices.ContainsFunc(all, func(o candidate) bool { return o.id == c.id }) {
			continue
		}
		if i := slices.Index(r.IDs, c.id); i >= 0 && r.Values[i] > -80 {
			c.logprob = float64(r.Values[i])
		} else {
			c.cost += levelWindow
		}
		if remote.Incomplete(b.vocab.Piece(c.id)) {
			c.cost += 2 * levelWindow
		}
		all = append(all, c)
	}
	slices.SortStableFunc(all, func(x, y candidate) int { return x.cost - y.cost })
	for _, c := range all[:min(2, len(all))] {
		part := remote.Incomplete(b.vocab.Piece(c.id))
		if len(l.tokens) == 1 && part && !l.part {
			break // one that is text is better than two of which one is not
		}
		l.tokens, l.window, l.part = append(l.tokens, c.watchedToken), max(l.window, c.back), part
	}
}

// reference returns the place of the most probable token that is not among
// the penalised ones, one that is text if there is any.
func (b *backend) reference(penalised []int32, r *remote.Row) int {
	best, text := -1, false
	for i, id := range r.IDs {
		whole := !remote.Incomplete(b.vocab.Piece(id))
		switch {
		case text && !whole, slices.Contains(penalised, id):
		case best < 0, whole && !text, r.Values[i] > r.Values[best]:
			best, text = i, whole
		}
	}
	return best
}

// listTokens finds the log-probabilities of watched tokens that the row does
// not have: a bias lifts them to where they are seen, from below low, which is
// the least that the row has. Tokens that are parts of characters must stay
// below the other one, so these are looked for among all.
func (b *backend) listTokens(ctx context.Context, l *levelQuery, low float64) error {
	lift := l.ulog - low
	tries := []struct {
		bias float64
		n    int
	}{{lift + 12, l.window + 32}, {lift + 25, b.size}, {lift, b.size}}
	if l.part {
		tries[0].bias, tries[0].n, tries[1].bias, tries[2].bias = lift, b.size, 0, lift/2
	}
	for _, try := range tries {
		biases := map[int32]float64{}
		for _, t := range l.tokens {
			if math.IsNaN(t.logprob) {
				biases[t.id] = try.bias
			}
		}
		if len(biases) == 0 {
			return nil
		}
		probs, err := b.probsAfter(ctx, l, 1, try.n, biases)
		if err != nil {
			return err
		}
		for i, t := range l.tokens {
			if pt, pu := probs[t.id], probs[l.u]; pt > 0 && pu > 0 && math.IsNaN(t.logprob) {
				l.tokens[i].logprob = math.Log(pt) - math.Log(pu) - biases[t.id] + l.ulog
			}
		}
	}
	for _, t := range l.tokens {
		if math.IsNaN(t.logprob) {
			return b.c.Errorf(remote.Malformed, "did not show the odds of two tokens, which are needed to find the logits")
		}
	}
	return nil
}

// An equation says that the odds of a token of log-probability t, bias
// included, against one of u are such after the penalty.
type equation struct{ odds, t, u float64 }

// moved returns the log-probabilities to which a bias should move the watched
// tokens: at the level guessed their odds are then e^10 and e^2.
func (l *levelQuery) moved(guess float64) [2]float64 {
	if l.part {
		return [2]float64{guess, guess - 4}
	}
	return [2]float64{unpenalised(10+l.ulog+guess) - guess, unpenalised(2+l.ulog+guess) - guess}
}

// equations asks for the odds of the watched tokens. Those that cannot be
// seen are left out.
func (b *backend) equations(ctx context.Context, l *levelQuery, guess float64, n int) ([]equation, error) {
	var eqs []equation
	biases := map[int32]float64{}
	for i, to := range l.moved(guess) {
		t := l.tokens[min(i, len(l.tokens)-1)]
		biases[t.id] = to - t.logprob
		if len(l.tokens) == 2 && i == 0 {
			continue // both in one request
		}
		probs, err := b.probsAfter(ctx, l, levelPenalty, n, biases)
		if err != nil {
			return nil, err
		}
		for _, t := range l.tokens {
			if pt, pu := probs[t.id], probs[l.u]; pt > 0 && pu > 0 {
				eqs = append(eqs, equation{math.Log(pt) - math.Log(pu), t.logprob + biases[t.id], l.ulog})
			}
		}
	}
	return eqs, nil
}

// unpenalised is the logit that the penalty makes x.
func unpenalised(x float64) float64 {
	if x > 0 {
		return x * levelPenalty
	}
	return x / levelPenalty
}

// candidates are the levels that explain the equation: with the logit above
// zero, where it was divided, and below, where it was multiplied.
func (e equation) candidates() []float64 {
	const k = levelPenalty
	var out []float64
	if c := (e.odds + e.u - e.t/k) / (1.0/k - 1); e.t+c >= 0 && !math.IsInf(c, 0) {
		out = append(out, c)
	}
	if c := (e.odds + e.u - e.t*k) / (k - 1); e.t+c <= 0 && !math.IsInf(c, 0) {
		out = append(out, c)
	}
	return out
}

// solveLevel returns the level that explains two equations.
func solveLevel(eqs []equation) (c float64, ok bool) {
	if len(eqs) != 2 {
		return 0, false
	}
	best := 1e-3
	for _, x := range eqs[0].candidates() {
		for _, y := range eqs[1].candidates() {
			if d := math.Abs(x - y); d < best {
				best, c, ok = d, (x+y)/2, true
			}
		}
	}
	return c, ok
}

// probsAfter asks for the n largest probabilities after biases and penalty.
func (b *backend) probsAfter(ctx context.Context, l *levelQuery, penalty float64, n int, biases map[int32]float64) (map[int32]float64, error) {
	l.seed++
	samplers := `"penalties"`
	if l.best > 0 {
		samplers = `"penalties","top_k"`
	}
	req := append(l.Buf.Req[:0], `{"prompt":[`...)
	req = remote.AppendIDs(req, l.Query.Tokens)
	req = fmt.Appendf(req, `],"n_predict":1,"n_probs":%d,"cache_prompt":true,"post_sampling_probs":true,"stream":false,"samplers":[%s],"top_k":%d`+
		`,"repeat_penalty":%g,"repeat_last_n":%d,"frequency_penalty":0,"presence_penalty":0,"temperature":1,"seed":%d,"logit_bias":[`,
		n, samplers, l.best, penalty, l.window, l.seed)
	for _, t := range l.tokens {
		if bias, ok := biases[t.id]; ok {
			if req[len(req)-1] == ']' {
				req = append(req, ',')
			}
			req = fmt.Appendf(req, "[%d,", t.id)
			req = append(strconv.AppendFloat(req, float64(float32(bias)), 'f', -1, 64), ']')
			biases[t.id] = float64(float32(bias)) // as the server has it
		}
	}
	req = append(req, ']')
	if l.Slot >= 0 {
		req = fmt.Appendf(req, `,"id_slot":%d`, l.Slot)
	}
	l.Buf.Req = append(req, '}')
	r, err := b.c.Send(ctx, "POST", "/completion", l.Buf.Req, remote.BodyLimit(n), &l.Buf.Resp)
	if err != nil {
		return nil, err
	}
	probs := map[int32]float64{}
	s := jsonscan.Scanner{Data: r.Body}
	var a answer
	scanAnswer(&s, func(s *jsonscan.Scanner, _ int) { scanProbs(s, probs) }, &a)
	switch {
	case s.End() != nil:
		return nil, b.c.NotJSON(r, "/completion")
	case a.failed:
		return nil, b.c.ErrorInside(r.Body)
	}
	return probs, nil
}

// scanProbs reads an array of {"id","prob"}.
func scanProbs(s *jsonscan.Scanner, probs map[int32]float64) {
	s.Enter('[')
	for first := true; s.More(']', &first); {
		id, p := int32(-1), 0.0
		s.Enter('{')
		for first := true; s.More('}', &first); {
			switch string(s.Key()) {
			case "id":
				id = remote.ClampID(s.Integer())
			case "prob":
				p = s.Number()
			default:
				s.Skip()
			}
		}
		if id >= 0 && p > 1e-37 && p < 1.01 { // below, float32 loses digits
			probs[id] = p
		}
	}
}

// levels reports whether the server shows levels: those found for one row by
// a token that the row has, by one whose place in it is hidden, and by an anchor
// must agree.
func (b *backend) levels(ctx context.Context) (bool, error) {
	ids, _, err := b.tokenize(ctx, "The cat, the dog", false, false)
	if err != nil || len(ids) < 3 {
		return false, err
	}
	q := remote.Query{Tokens: ids, Want: 1, Top: b.size, Slot: -1, Buf: new(remote.Buffers)}
	var out remote.Rows
	if err := b.Fetch(ctx, q, &out); err != nil {
		return false, err
	}
	r := out.List[0]
	first, err := b.Level(ctx, q, r)
	if err != nil {
		return false, ignoreFault(err)
	}
	third, quick, err := b.quickLevel(ctx, q, r)
	if err != nil {
		return false, ignoreFault(err)
	}
	for i, id := range r.IDs {
		if slices.Contains(ids, id) {
			r.Values[i] = float32(math.Inf(-1))
		}
	}
	q.Buf.Level = nil
	second, err := b.Level(ctx, q, r)
	if err != nil {
		return false, ignoreFault(err)
	}
	return math.Abs(first-second) < 1e-3 && (!quick || math.Abs(first-third) < 1e-3), nil
}

// ignoreFault drops an error that only says that the server cannot do it.
func ignoreFault(err error) error {
	if e, ok := err.(*remote.Error); ok && (e.Kind == remote.Malformed || remote.IsRefusal(err)) {
		return nil
	}
	return err
}
