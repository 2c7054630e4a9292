package reading

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"logitscope/engine"
	"logitscope/engine/score"
	"logitscope/models"
	"logitscope/sampling"
	"logitscope/sampling/watermark"
)

// A readKey is what a reading is of.
type readKey struct {
	text  string
	of    *saved // nil for a text that the model reads
	model models.Model
	set   *engine.Settings
}

// A reading is a text read under a model and settings.
type reading struct {
	in      score.Input
	tokens  []score.Token
	sum     score.Summary
	windows int
	took    time.Duration
	most    float64              // the largest surprise of a token, bits
	order   []int                // tokens, from 0, the most surprising first
	mark    *watermark.Detection // of the watermark that the settings have; nil for none, or a text too short for it
}

// errNotPlain says that there is more to the settings than a law of the row.
var errNotPlain = errors.New("a text is read as it is: constraint, schedule, contrastive and guidance must be off")

// read reads a text by itself, as the command does.
func read(ctx context.Context, k readKey) (*reading, error) {
	began := time.Now()
	in, err := k.input(ctx)
	if err != nil {
		return nil, err
	}
	r := &reading{in: in, windows: in.Windows()}
	err = score.Read(ctx, r.in, func(t score.Token) error {
		if k.of != nil { // a rank among those named need not be the model's
			t.Of.Rank = int32(k.of.Tokens[len(r.tokens)].Rank)
		}
		r.tokens = append(r.tokens, t)
		r.sum.Add(&t, false)
		r.most = max(r.most, surprisal(&t))
		return nil
	})
	r.took = time.Since(began)
	r.order = bySurprise(r)
	if cfg := k.set.Config(); err == nil && k.of == nil && cfg.Float("watermark_bias") != 0 {
		r.detect(cfg)
	}
	return r, err
}

// detect looks for the watermark of settings, as the command does.
func (r *reading) detect(cfg sampling.Config) {
	m, err := cfg.Watermark()
	if err != nil {
		return
	}
	if d, err := m.Detect(r.in.Text, r.in.Law.Model.Info().VocabSize, r.in.BOS); err == nil {
		r.mark = &d
	}
}

// green reports whether the watermark's list has the token.
func (r *reading) green(t *score.Token) bool {
	return r.mark != nil && r.mark.Colours[t.At-1] == watermark.Green
}

// input is what is read.
func (k *readKey) input(ctx context.Context) (in score.Input, err error) {
	if k.of != nil {
		return k.of.input(k.set)
	}
	in = score.Input{Law: score.Law{Model: k.model, Pipeline: k.set.Pipeline}, BOS: models.NoToken}
	if in.Prefix, err = engine.Prompt(ctx, k.model, ""); err != nil {
		return in, err
	}
	if len(in.Prefix) > 0 {
		in.BOS = in.Prefix[0]
	}
	in.Text, err = models.Encode(ctx, k.model.Vocab(), k.text, models.EncodeOptions{ParseSpecial: true})
	return in, err
}

// vocab is that of the model that the text was read under.
func (r *reading) vocab() models.Vocab { return r.in.Law.Model.Vocab() }

// A lookKey is one token of a reading.
type lookKey struct {
	of *reading
	at int
}

// look traces the settings at one token, with the token itself among the rows.
func look(ctx context.Context, k lookKey) (*sampling.Trace, error) {
	in, err := k.of.in.At(ctx, k.at)
	if err != nil {
		return nil, err
	}
	in.Pins = []int32{k.of.in.Text[k.at-1]}
	t := new(sampling.Trace)
	var s sampling.Scratch
	_, err = k.of.in.Law.Pipeline.Sample(t, &s, in)
	return t, err
}

// bySurprise are the tokens of a reading, from 0, the most surprising first.
func bySurprise(r *reading) []int {
	order := make([]int, len(r.tokens))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(surprisal(&r.tokens[b]), surprisal(&r.tokens[a])) })
	return order
}
