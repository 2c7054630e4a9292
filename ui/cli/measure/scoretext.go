package measure

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"logitscope/engine"
	"logitscope/engine/score"
	"logitscope/models"
	"logitscope/sampling"
	"logitscope/ui/cli/console"
	"logitscope/ui/cli/laws"
	"logitscope/ui/cli/setup"
)

// A textToken is one token of a text that was read under the model.
type textToken struct {
	ID      int32    `json:"id"`
	Piece   string   `json:"piece,omitempty"`
	Logprob *float64 `json:"logprob"`
	Rank    *int     `json:"rank"`
	Entropy *float64 `json:"entropy"`
	Final   *float64 `json:"final"`
	CutBy   *string  `json:"cut_by"`
	Green   *bool    `json:"green,omitempty"` // of a watermark; absent where it is not counted
}

// textSums are the means of a text.
type textSums struct {
	BitsPerToken *float64       `json:"bits_per_token"`
	BitsPerByte  *float64       `json:"bits_per_byte"`
	Perplexity   *float64       `json:"perplexity"`
	Impossible   int            `json:"impossible"`
	FinalBits    *float64       `json:"final_bits_per_token"`
	Distance     *laws.Distance `json:"distance,omitempty"`
	Against      *textAgainst   `json:"against,omitempty"`
	Weights      *textWeights   `json:"weights,omitempty"`
	Differ       []textDiffer   `json:"most_different,omitempty"`
	Watermark    *markReport    `json:"watermark,omitempty"`
}

type textAgainst struct {
	laws.Cross
	Bits *float64 `json:"bits_per_token"` // under the second law's own model
}

// textWeights compares two models before any setting, in the numbers of
// llama.cpp's perplexity tool; divergences are in bits.
type textWeights struct {
	KL          *float64 `json:"kl_mean"`
	StdErr      *float64 `json:"kl_stderr"`
	Median      *float64 `json:"kl_median"`
	P90         *float64 `json:"kl_p90"`
	P95         *float64 `json:"kl_p95"`
	P99         *float64 `json:"kl_p99"`
	P999        *float64 `json:"kl_p999"`
	Most        *float64 `json:"kl_max"`
	Least       *float64 `json:"kl_min"`
	SameTop     *float64 `json:"same_top"`
	SameStdErr  *float64 `json:"same_top_stderr"`
	Ratio       *float64 `json:"ln_ppl_ratio"` // of B's perplexity to A's
	RatioErr    *float64 `json:"ln_ppl_ratio_stderr"`
	Correlation *float64 `json:"ln_ppl_correlation"`
	DeltaP      *float64 `json:"delta_p_mean"` // of the text's tokens, B's less A's
	DeltaErr    *float64 `json:"delta_p_stderr"`
	RMSDelta    *float64 `json:"delta_p_rms"`
	BitsErr     *float64 `json:"bits_stderr"`       // of A's bits_per_token
	Bits2Err    *float64 `json:"other_bits_stderr"` // of B's
}

func weightsOf(w score.Weights) *textWeights {
	k := laws.Known
	return &textWeights{
		k(w.KL.Value), k(w.KL.StdErr), k(w.KL.Median), k(w.KL.P90), k(w.KL.P95), k(w.KL.P99), k(w.KL.P999), k(w.KL.Most), k(w.KL.Least),
		k(w.SameTop.Value), k(w.SameTop.StdErr), k(w.LogRatio.Value), k(w.LogRatio.StdErr), k(w.Correlation),
		k(w.DeltaP.Value), k(w.DeltaP.StdErr), k(w.RMSDeltaP), k(w.Bits.StdErr), k(w.Bits2.StdErr),
	}
}

// A textDiffer is one of the steps that differ most, with both rows.
type textDiffer struct {
	At     int          `json:"token"` // of the text, from 1
	ID     int32        `json:"id"`
	TV     *float64     `json:"tv"`
	RawKL  *float64     `json:"raw_kl"` // of the models alone, bits
	Beside []textBeside `json:"rows"`
}

// A textBeside is one token in both rows: under the model, and under the
// settings (null if they cut it).
type textBeside struct {
	ID     int32    `json:"id"`
	Piece  string   `json:"piece"`
	Raw    float64  `json:"raw"`
	Final  *float64 `json:"final"`
	Raw2   float64  `json:"other_raw"`
	Final2 *float64 `json:"other_final"`
}

func differsOf(most []score.Token, vocab models.Vocab) (out []textDiffer) {
	final := func(p score.Place) *float64 {
		if !p.Kept {
			return nil
		}
		return &p.Final
	}
	for _, m := range most {
		d := textDiffer{At: m.At, ID: m.ID, TV: laws.Known(m.Step.TV), RawKL: laws.Known(m.Step.RawKL)}
		for _, b := range m.Beside {
			d.Beside = append(d.Beside, textBeside{b.ID, strings.ToValidUTF8(vocab.Piece(b.ID), "\ufffd"), b.A.Raw, final(b.A), b.B.Raw, final(b.B)})
		}
		out = append(out, d)
	}
	return out
}

// sumsOf are the means of a summary.
func sumsOf(sum *score.Summary, r *reading) textSums {
	k := laws.Known
	out := textSums{
		BitsPerToken: k(sum.BitsPerToken()), BitsPerByte: k(sum.BitsPerByte(r.bytes)), Perplexity: k(sum.Perplexity()),
		Impossible: sum.A.Impossible, FinalBits: k(sum.A.BitsPerToken()), Watermark: r.mark.report(),
	}
	if r.in.Against == nil {
		return out
	}
	d := laws.Of(&sum.Distances)
	out.Distance = &d
	out.Against = &textAgainst{laws.Cross{Impossible: sum.B.Impossible, FinalBits: k(sum.B.BitsPerToken())}, k(sum.OtherBitsPerToken())}
	if sum.Models {
		out.Weights = weightsOf(sum.Weights())
	}
	out.Differ = differsOf(sum.Most, r.in.Law.Model.Vocab())
	return out
}

// tokenOf is a token as the report has it.
func tokenOf(t *score.Token, piece string, green *bool) textToken {
	out := textToken{ID: t.ID, Piece: piece, Green: green}
	if !t.Scored {
		return out
	}
	rank := int(t.Of.Rank)
	out.Logprob, out.Rank, out.Entropy = laws.Known(float64(t.Of.RawLogprob)), &rank, laws.Known(float64(t.Of.RawBits))
	if t.Of.Kept {
		out.Final = laws.Known(math.Exp(float64(t.Of.Logprob)))
	} else {
		out.CutBy = &t.Of.CutBy
	}
	return out
}

// textOptions are the flags of a text to read.
type textOptions struct {
	text, against string
	tokens        string // ids in place of a text
	windows       string
	differ        int
	mark          bool // look for a watermark
}

// How windows are laid over a text that is longer than the context.
const (
	windowsHalf  = "half"      // they overlap by half, so that every token is scored
	windowsLlama = "llama.cpp" // as its perplexity tool: whole ones that do not overlap, the second half scored
)

// A reading is a text that is to be read, and under what.
type reading struct {
	in    score.Input
	bytes int
	mark  *marking // nil for none
	close func()
}

// prepareReading opens the models, splits the text and makes the settings.
func (s bencher) prepareReading(ctx context.Context, o textOptions) (*reading, error) {
	var data []byte
	if o.text != "" {
		var err error
		if data, err = console.ReadFile(s.Sys, o.text); err != nil {
			return nil, console.Wrong("--text %v", err)
		}
		if err := console.CheckUTF8(string(data)); err != nil {
			return nil, console.Wrong("--text %s: %s", o.text, err.Bare())
		}
	}
	j, err := s.Prepare(ctx)
	if err != nil {
		return nil, err
	}
	r := &reading{bytes: len(data), close: func() { j.Release(ctx) }}
	if !j.Settings.Plain() {
		r.close()
		return nil, console.Wrong("score reads a text as it is and takes no constraint, no schedule and no second row (contrastive_, guidance_scale); constrain and check judge texts")
	}
	r.in.Chunks, r.in.Most = o.windows == windowsLlama, o.differ
	r.in.Law = score.Law{Model: j.Model, Pipeline: j.Settings.Pipeline}
	if err = s.readTokens(ctx, r, j, string(data)); err == nil && o.tokens != "" {
		err = r.takeTokens(o.tokens)
	}
	if err == nil && o.against != "" {
		err = s.readAgainst(ctx, r, j, o.against)
	}
	if err == nil && o.mark {
		err = s.readMark(r, j)
	}
	if err != nil {
		r.close()
		return nil, err
	}
	return r, nil
}

// takeTokens takes the text by its token ids.
func (r *reading) takeTokens(list string) (err error) {
	m := r.in.Law.Model
	if r.in.Text, err = setup.TokenIDs("--text-tokens", list, m.Info().VocabSize); err != nil {
		return err
	}
	r.bytes = 0
	for _, id := range r.in.Text {
		r.bytes += len(m.Vocab().Piece(id))
	}
	return nil
}

// readTokens splits the text by itself, and puts what run puts before it.
func (s bencher) readTokens(ctx context.Context, r *reading, j *setup.Job, text string) (err error) {
	r.in.Prefix = j.Prompt
	if len(j.Prompt) == 0 {
		if r.in.Prefix, err = engine.Prompt(ctx, j.Model, ""); err != nil {
			return err
		}
	}
	r.in.BOS = models.NoToken
	if bos, err := engine.Prompt(ctx, j.Model, ""); err == nil && len(bos) > 0 {
		r.in.BOS = bos[0]
	}
	if text == "" {
		return nil
	}
	r.in.Text, err = models.Encode(ctx, j.Model.Vocab(), text, models.EncodeOptions{ParseSpecial: true})
	return err
}

// readAgainst adds the second law: the settings of a lane, on the same model or
// on one of the same vocabulary.
func (s bencher) readAgainst(ctx context.Context, r *reading, j *setup.Job, spec string) error {
	lane, err := s.Lane("--against", spec)
	if err != nil {
		return err
	}
	other := *j
	if from := s.ModelOf(lane); from != s.ModelOf(setup.LaneSpec{}) {
		m, err := s.OpenAs(ctx, "--against "+spec+": model", from.Name, from.How)
		if err != nil {
			return err
		}
		closeFirst := r.close
		r.close = func() { closeFirst(); m.Close() }
		if err := sameVocab(j.Model, m); err != nil {
			return console.Wrong("--against %s: %v", spec, err)
		}
		other.Model, other.Compiler = m, s.Compiler(m)
	}
	// What A's flags set is A's alone; the engine's rules are both's.
	cfg := s.Recommended(other.Model).MustWith("order", j.Settings.Config().Order().Name(), sampling.FromFlag).Merge(lane.Preset).Merge(lane.Set)
	if err := s.Validate(cfg); err != nil {
		return console.Wrongly(fmt.Errorf("--against %s: %w", spec, err))
	}
	set, err := other.Compiler.Settings(cfg, lane.Label)
	if err != nil {
		return console.Wrongly(fmt.Errorf("--against %s: %w", spec, err))
	}
	if !set.Plain() {
		return console.Wrong("--against %s: a text is read as it is, without a constraint, a schedule or a second row", spec)
	}
	r.in.Against = &score.Law{Model: other.Model, Pipeline: set.Pipeline}
	return nil
}

// sameVocab refuses a model whose tokens are others.
func sameVocab(a, b models.Model) error {
	va, vb := a.Vocab(), b.Vocab()
	if va.Size() != vb.Size() {
		return fmt.Errorf("its vocabulary has %d tokens, that of %s %d", vb.Size(), a.Info().Name, va.Size())
	}
	for id := range va.Size() {
		if va.Piece(int32(id)) != vb.Piece(int32(id)) {
			return fmt.Errorf("its token %d is another than that of %s", id, a.Info().Name)
		}
	}
	return nil
}

// scoreText reads the text and writes what was asked for.
func (s bencher) scoreText(ctx context.Context, o textOptions, form string) error {
	r, err := console.Within(ctx, func() (*reading, error) { return s.prepareReading(ctx, o) })
	if err != nil {
		return err
	}
	defer r.close()
	s.TellNotes()
	out := bufio.NewWriter(s.Sys.Out)
	return console.Flushed(out, s.writeScore(ctx, out, r, form))
}

func (s bencher) writeScore(ctx context.Context, out io.Writer, r *reading, form string) error {
	sum := score.Summary{Models: r.in.Against != nil && r.in.Against.Model != r.in.Law.Model, Keep: r.in.Most}
	w := scoreForms[form](out, r)
	if err := w.begin(); err != nil {
		return err
	}
	err := score.Read(ctx, r.in, func(t score.Token) error {
		sum.Add(&t, r.in.Against != nil)
		return w.token(&t, r.mark.add(t))
	})
	if err != nil {
		if errors.Is(err, context.Canceled) {
			return ctx.Err()
		}
		return err
	}
	if r.in.Chunks {
		r.bytes = w.scored()
	}
	return w.end(&sum)
}
