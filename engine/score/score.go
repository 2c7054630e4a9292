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
	"slices"

	"logitscope/models"
	"logitscope/models/tape"
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
	At     int // which of the text it is, from 1
	ID     int32
	Scored bool // false for the first token of a model without BOS, which has nothing before it; see [Input.Gaps]

	Of    sampling.Given // under the law
	Other sampling.Given // under the second law, if there is one
	Step  Step           // the two laws at this step

	// Beside are the best tokens of both rows, of the steps that may be among
	// the most different: see [Summary.Most].
	Beside []Beside

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

	// Chunks reads as llama.cpp's perplexity tool does: whole windows that do
	// not overlap, of which the second half is scored.
	Chunks bool

	// Gaps leaves tokens unscored of which a recorded model of either law has no
	// row, or one that does not name them. Without it they are errors.
	Gaps bool

	// Most is how many of the steps that differ most keep both rows.
	Most int
}

// chunk is how many tokens whose rows are asked for are given to a model of a
// vocabulary at a time: as many rows of logits are held. It is as many as a
// model takes through its layers together, or fewer where rows are large.
func chunk(vocab int) int {
	const most, held = 128, 32 << 20 // tokens, bytes
	return min(max(held/(4*max(vocab, 1)), 8), most)
}

// Read reads the text and calls each with its tokens in order. Its error is
// that of the model or of each; a partial row that does not name a token is an
// error that says so.
//
// Windows do not depend on each other, so a model that is here reads as many at
// a time as there are processors. What is held is bounded by them, not by the
// text.
func Read(ctx context.Context, in Input, each func(Token) error) error {
	r := &reader{in: in, all: append(append([]int32(nil), in.Prefix...), in.Text...)}
	first := len(in.Prefix)
	if len(in.Text) > 0 && first == 0 {
		if err := each(Token{At: 1, ID: in.Text[0]}); err != nil {
			return err
		}
		first = 1
	}
	if n := r.context(); n == 1 && first < len(r.all) {
		return errors.New("a context of 1 token has no room for one before the token that is read: it must be 2 or more")
	}
	wins := windows(len(r.all), r.context(), first)
	if in.Chunks {
		if wins = chunks(len(r.all), r.context(), first); len(wins) == 0 && len(in.Text) > 0 {
			return fmt.Errorf("the text fills no whole window whose second half could be scored: it has %d tokens with what stands before it, a window %d", len(r.all), r.context())
		}
	}
	return r.read(ctx, wins, each)
}

// A window is a part of the text that is read at once.
type window struct {
	start    int // index of its first token; BOS takes its place in all but the first
	from, to int // the tokens that it scores, to excluded
}

// windows lays windows of n tokens over a text of total, with half of n as
// stride; tokens before first are not scored. Windows that would score nothing
// are left out. n of 0 is no bound.
func windows(total, n, first int) []window {
	if first >= total || n == 1 { // [Read] refuses that
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

// chunks lays the windows of llama.cpp's perplexity tool: n tokens each, one
// after the other, of which the places after the middle are scored; a last one
// that is not whole is left out.
func chunks(total, n, first int) []window {
	var out []window
	for start := 0; n > 0 && start+n <= total; start += n {
		if w := (window{start, max(start+n/2+1, first), start + n}); w.from < w.to {
			out = append(out, w)
		}
	}
	return out
}

type reader struct {
	in  Input
	all []int32
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

// A worker reads windows, one after the other, with memory of its own.
type worker struct {
	*reader
	mine, its models.Session // its is nil where the laws have one model
	scratch   sampling.Scratch
	a, b      dist.Dist
	meter     dist.Meter
	before    sampling.State // of the token before, under the law
	other     sampling.State // and under the second
	most      []float64      // the largest differences it has seen, ascending

	plain dist.Dist // the law without a mark
	lists watermark.Scratch
	seeds []int32 // the tokens that seed a list
}

func (r *reader) worker() (*worker, error) {
	w := &worker{reader: r}
	var err error
	if w.mine, err = r.in.Law.Model.NewSession(); err != nil {
		return nil, err
	}
	if a := r.in.Against; a != nil && a.Model != r.in.Law.Model {
		if w.its, err = a.Model.NewSession(); err != nil {
			w.mine.Close()
			return nil, err
		}
	}
	return w, nil
}

func (w *worker) close() {
	w.mine.Close()
	if w.its != nil {
		w.its.Close()
	}
}

// window reads one window and gives its tokens to each.
func (w *worker) window(ctx context.Context, win window, each func(Token) error) error {
	w.truncate(0)
	tokens := append([]int32(nil), w.all[win.start:win.to-1]...)
	if win.start > 0 && w.in.BOS != models.NoToken {
		tokens[0] = w.in.BOS
	}
	// Row j of the window is the law of token start+j+1. Rows before the first
	// that is scored are not asked for.
	most, unread := chunk(w.in.Law.Model.Info().VocabSize), win.from-win.start-1
	if unread > 0 {
		if _, _, err := w.forward(ctx, tokens[:unread], 0); err != nil {
			return err
		}
	}
	if w.in.Gaps {
		most = 1
	}
	for i := unread; i < len(tokens); i += most {
		part := tokens[i:min(i+most, len(tokens))]
		rows, others, err := w.forward(ctx, part, len(part))
		if gap := (*tape.NotRecordedError)(nil); w.in.Gaps && errors.As(err, &gap) {
			w.truncate(i)
			rows = nil
			if _, _, err = w.forward(ctx, part, 0); err == nil {
				err = each(w.unscored(win.start + i + 1))
			}
		}
		if err != nil {
			return err
		}
		for j, row := range rows {
			t, err := w.token(win.start+i+j+1, row, others[j])
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

// forward gives tokens to the models of both laws and returns the last want
// rows of each.
func (w *worker) forward(ctx context.Context, tokens []int32, want int) (mine, its []models.Logits, err error) {
	if mine, err = w.mine.Forward(ctx, tokens, want); err != nil || w.its == nil {
		return mine, mine, err
	}
	its, err = w.its.Forward(ctx, tokens, want)
	return mine, its, err
}

// truncate leaves the first n tokens of the window in the models of both laws.
func (w *worker) truncate(n int) {
	w.mine.Truncate(n)
	if w.its != nil {
		w.its.Truncate(n)
	}
}

// unscored is the token at an index of all, of which nothing is known.
func (r *reader) unscored(at int) Token { return Token{At: at - len(r.in.Prefix) + 1, ID: r.all[at]} }

// token scores the token at an index of all.
func (w *worker) token(at int, row, other models.Logits) (Token, error) {
	t := w.unscored(at)
	for _, r := range [...]models.Logits{row, other} {
		if w.in.Gaps && r.IDs != nil && !slices.Contains(r.IDs, t.ID) {
			return t, nil
		}
	}
	t.Scored = true
	var err error
	if t.Of, err = w.in.Law.Pipeline.Given(&w.scratch, w.input(at, row, w.before), t.ID); err != nil {
		return t, fmt.Errorf("token %d of the text: %w", t.At, err)
	}
	w.before = t.Of.State
	if w.in.Against != nil {
		w.scratch.Law(&w.a)
	}
	if w.in.Mark != nil {
		if err := w.mark(&t, at, row); err != nil {
			return t, err
		}
	}
	if w.in.Against == nil {
		return t, nil
	}
	if t.Other, err = w.in.Against.Pipeline.Given(&w.scratch, w.input(at, other, w.other), t.ID); err != nil {
		return t, fmt.Errorf("token %d of the text, under the second law: %w", t.At, err)
	}
	w.other = t.Other.State
	w.scratch.Law(&w.b)
	t.Step = Step{Distance: w.meter.Between(&w.a, &w.b), SameRaw: true}
	if w.its != nil {
		t.Step.RawKL, t.Step.SameRaw = rawDivergence(row, other)
	}
	if w.among(t.Step.size(w.its != nil)) {
		t.Beside = w.beside(t.ID, row, other)
	}
	return t, nil
}

// mark works out what the law without the mark gives its green tokens.
func (w *worker) mark(t *Token, at int, row models.Logits) error {
	m := w.in.Mark
	if at < m.Width {
		return nil
	}
	if row.IDs != nil {
		return errors.New("a watermark needs the whole row, and the server names some tokens only")
	}
	if err := m.Plain.Distribution(&w.plain, &w.scratch, w.input(at, row, sampling.State{})); err != nil {
		return err
	}
	w.seeds = m.Before(w.seeds[:0], w.all[:at])
	t.Marked, t.Green = true, m.Place(&w.lists, w.seeds, len(row.Values), w.plain.IDs, w.plain.Probs)
	return nil
}

// input is a row with the true tokens before it.
func (r *reader) input(at int, row models.Logits, before sampling.State) sampling.Input {
	n := min(at, len(r.in.Prefix))
	return sampling.Input{IDs: row.IDs, Logits: row.Values, Rest: row.Rest, Prompt: r.all[:n], Output: r.all[n:at], Grows: true, State: before}
}
