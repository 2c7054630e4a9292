// Package score answers: how likely was this text, token by token, and what
// would these settings have done to it?
//
// A text that is already there is read under the model, each token after the
// true tokens before it (teacher forcing). Longer texts than the context are
// read in windows that overlap by half, so that memory does not grow with the
// text. Beside the settings a second law may read along: other settings, or
// other weights of the same vocabulary; the two are compared on the same
// context at every step, which is the only place where laws can be compared.
package score

import (
	"context"
	"errors"
	"fmt"
	"math"

	"logitscope/models"
	"logitscope/sampling"
	"logitscope/sampling/dist"
	"logitscope/sampling/watermark"
)

// A Law is a model under settings.
type Law struct {
	Model    models.Model
	Pipeline *sampling.Pipeline
}

// A Token is one token of the text.
type Token struct {
	ID      int32
	Scored  bool    // false for the first token of a model without BOS, which has nothing before it
	Logprob float64 // natural logarithm of its probability under the model: no temperature, nothing cut
	Rank    int     // by that probability, from 1; equals rank by ascending id
	Entropy float64 // of the model's distribution, bits
	Kept    bool    // the settings leave it in
	Final   float64 // its probability under the settings; 0 if they cut it
	CutBy   string  // the stage that removed it, as in an order list; empty if it is kept

	// With a second law:
	OtherKept  bool
	OtherFinal float64
	OtherLog   float64 // as Logprob, under the second law's model
	Step       Step    // the two laws at this step

	// With a mark: what the law without it gives the green tokens here, if the
	// context is long enough for a list.
	Marked bool
	Green  watermark.Place
}

// A Mark is a watermark whose cost is to be known.
type Mark struct {
	*watermark.Mark
	Plain *sampling.Pipeline // the settings without it
}

// An Input is what is to be read.
type Input struct {
	Law     Law
	Against *Law    // nil for none
	Mark    *Mark   // nil for none
	Prefix  []int32 // what stands before the text and is not scored: BOS, a prompt
	Text    []int32
	BOS     int32 // begins each later window; [models.NoToken] for a model without
}

// maxChunk is how many tokens are given to the model at a time: as many rows
// of logits are held.
const maxChunk = 32

// Read reads the text and calls each with its tokens in order. Its error is
// that of the model or of each; a partial row that does not name a token is an
// error that says so.
func Read(ctx context.Context, in Input, each func(Token) error) error {
	r := reader{in: in, all: append(append([]int32(nil), in.Prefix...), in.Text...)}
	first := len(in.Prefix)
	if len(in.Text) > 0 && first == 0 {
		if err := each(Token{ID: in.Text[0]}); err != nil {
			return err
		}
		first = 1
	}
	for _, w := range windows(len(r.all), r.context(), first) {
		if err := r.window(ctx, w, each); err != nil {
			return err
		}
	}
	return nil
}

// A window is a part of the text that is read at once.
type window struct {
	start    int // index of its first token; BOS takes its place in all but the first
	from, to int // the tokens that it scores, to excluded
}

// windows lays windows of n tokens over a text of so many, with half of n as
// stride; tokens before first are not scored. Windows that would score nothing
// are left out. n of 0 is no bound.
func windows(total, n, first int) []window {
	if first >= total {
		return nil
	}
	if n <= 0 || total <= n {
		return []window{{0, first, total}}
	}
	half := n / 2
	var out []window
	for k := 0; ; k++ {
		w := window{start: half * k, from: half*k + n - half, to: min(half*k+n, total)}
		if k == 0 {
			w.from = 0
		}
		w.from = max(w.from, first)
		if w.from < w.to {
			out = append(out, w)
		}
		if w.to == total {
			return out
		}
	}
}

type reader struct {
	in   Input
	all  []int32
	mine half
	its  half

	plain  half // the law without a mark
	lists  watermark.Scratch
	before []int32 // the tokens that seed a list
}

// half is what one of the two laws is worked out in.
type half struct {
	scratch sampling.Scratch
	dist    dist.Dist
	trace   sampling.Trace
	probs   []float64 // by token id; negative for one that is cut
}

// context is how many tokens both models hold; 0 for no bound.
func (r *reader) context() int {
	n := r.in.Law.Model.Info().ContextLen
	if r.in.Against != nil {
		if m := r.in.Against.Model.Info().ContextLen; m > 0 && (n == 0 || m < n) {
			n = m
		}
	}
	return n
}

// window reads one window through fresh sessions.
func (r *reader) window(ctx context.Context, w window, each func(Token) error) error {
	mine, err := r.in.Law.Model.NewSession()
	if err != nil {
		return err
	}
	defer mine.Close()
	var its models.Session
	if a := r.in.Against; a != nil && a.Model != r.in.Law.Model {
		if its, err = a.Model.NewSession(); err != nil {
			return err
		}
		defer its.Close()
	}
	tokens := append([]int32(nil), r.all[w.start:w.to-1]...)
	if w.start > 0 && r.in.BOS != models.NoToken {
		tokens[0] = r.in.BOS
	}
	for i := 0; i < len(tokens); {
		n := min(maxChunk, len(tokens)-i)
		// Row j of the window is the law of token start+j+1.
		want := max(0, min(n, w.start+i+n+1-w.from))
		rows, err := mine.Forward(ctx, tokens[i:i+n], want)
		if err != nil {
			return err
		}
		others := rows
		if its != nil {
			if others, err = its.Forward(ctx, tokens[i:i+n], want); err != nil {
				return err
			}
		}
		i += n
		for j, row := range rows {
			at := w.start + i - len(rows) + j + 1
			t, err := r.token(at, row, others[j])
			if err == nil {
				err = each(t)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// token scores the token at an index of all.
func (r *reader) token(at int, row, other models.Logits) (Token, error) {
	t := Token{ID: r.all[at], Scored: true}
	place, err := find(row, t.ID)
	if err != nil {
		return t, fmt.Errorf("token %d of the text: %w", at-len(r.in.Prefix)+1, err)
	}
	t.Logprob, t.Rank, t.Entropy = raw(row, place, t.ID)
	var kept bool
	if t.Final, kept, err = r.mine.law(r.in.Law.Pipeline, r.input(at, row), t.ID); err != nil {
		return t, err
	}
	if t.Kept = kept; !kept {
		if t.CutBy, err = r.mine.cutter(r.in.Law.Pipeline, r.input(at, row), t.ID); err != nil {
			return t, err
		}
	}
	if r.in.Mark != nil {
		if err := r.mark(&t, at, row); err != nil {
			return t, err
		}
	}
	if r.in.Against == nil {
		return t, nil
	}
	if t.OtherFinal, t.OtherKept, err = r.its.law(r.in.Against.Pipeline, r.input(at, other), t.ID); err != nil {
		return t, err
	}
	if place, err = find(other, t.ID); err != nil {
		return t, err
	}
	t.OtherLog, _, _ = raw(other, place, t.ID)
	t.Step = compare(&r.mine, &r.its, row, other)
	return t, nil
}

// mark works out what the law without the mark gives its green tokens.
func (r *reader) mark(t *Token, at int, row models.Logits) error {
	m := r.in.Mark
	if at < m.Width {
		return nil
	}
	if row.IDs != nil {
		return errors.New("a watermark needs the whole row, and the server names some tokens only")
	}
	if err := m.Plain.Distribution(&r.plain.dist, &r.plain.scratch, r.input(at, row)); err != nil {
		return err
	}
	r.before = m.Before(r.before[:0], r.all[:at])
	t.Marked, t.Green = true, m.Place(&r.lists, r.before, len(row.Values), r.plain.dist.IDs, r.plain.dist.Probs)
	return nil
}

// input is a row with the true tokens before it.
func (r *reader) input(at int, row models.Logits) sampling.Input {
	n := min(at, len(r.in.Prefix))
	return sampling.Input{IDs: row.IDs, Logits: row.Values, Rest: row.Rest, Prompt: r.all[:n], Output: r.all[n:at]}
}

// errUnnamed says that a partial row lacks a token.
var errUnnamed = errors.New("the model names its best tokens alone, and this is none of them")

// find returns the place of a token in a row.
func find(row models.Logits, id int32) (int, error) {
	if row.IDs == nil {
		if int(id) >= len(row.Values) {
			return 0, fmt.Errorf("id %d is out of range, 0 to %d", id, len(row.Values)-1)
		}
		return int(id), nil
	}
	for i, x := range row.IDs {
		if x == id {
			return i, nil
		}
	}
	return 0, errUnnamed
}

// raw returns log probability and rank of the token at a place, and the entropy
// of the row, under the model alone. Of a partial row the entropy is the least
// it can be: all that is not named is one token more.
func raw(row models.Logits, place int, id int32) (logprob float64, rank int, bits float64) {
	most := math.Inf(-1)
	for _, v := range row.Values {
		most = max(most, float64(v))
	}
	sum, weighted := 0.0, 0.0
	mine := row.Values[place]
	rank = 1
	for i, v := range row.Values {
		x := float64(v) - most
		e := math.Exp(x)
		sum += e
		if e > 0 {
			weighted += e * x
		}
		lower := i < place
		if row.IDs != nil {
			lower = row.IDs[i] < id
		}
		if v > mine || v == mine && lower {
			rank++
		}
	}
	named := 1 - float64(row.Rest)
	logSum := math.Log(sum)
	logprob = float64(mine) - most - logSum + math.Log(named)
	// H of the named part, scaled, and of the rest as one token.
	bits = (logSum - weighted/sum) / math.Ln2 * named
	for _, p := range []float64{named, 1 - named} {
		if p > 0 && p < 1 {
			bits -= p * math.Log2(p)
		}
	}
	return logprob, rank, max(0, bits)
}

// law works out the distribution under settings and returns the token's
// probability, and whether it is left in.
func (h *half) law(p *sampling.Pipeline, in sampling.Input, id int32) (prob float64, kept bool, err error) {
	if err := p.Distribution(&h.dist, &h.scratch, in); err != nil {
		return 0, false, err
	}
	width := len(in.Logits)
	for _, x := range in.IDs {
		width = max(width, int(x)+1)
	}
	if len(h.probs) < width {
		h.probs = make([]float64, width)
	}
	for i := range h.probs {
		h.probs[i] = -1
	}
	for i, x := range h.dist.IDs {
		h.probs[x] = h.dist.Probs[i]
	}
	if h.probs[id] < 0 {
		return 0, false, nil
	}
	return h.probs[id], true, nil
}

// cutter returns the stage that removed a token.
func (h *half) cutter(p *sampling.Pipeline, in sampling.Input, id int32) (string, error) {
	in.Pins = []int32{id}
	if _, err := p.Sample(&h.trace, &h.scratch, in); err != nil {
		return "", err
	}
	row := h.trace.Row(id)
	if row == nil || row.Cut == sampling.NoStage {
		return "", nil
	}
	return h.trace.Stages()[row.Cut].Name, nil
}
