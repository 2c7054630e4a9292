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
	"logitscope/ui/cli/setup"
	"logitscope/viz"
)

// A textReport is what score --text --report json prints: the tokens, and what
// they come to.
type textReport struct {
	Tokens []textToken `json:"tokens"`
	textSums
	Watermark *markReport `json:"watermark,omitempty"`
}

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
	BitsPerToken *float64      `json:"bits_per_token"`
	BitsPerByte  *float64      `json:"bits_per_byte"`
	Perplexity   *float64      `json:"perplexity"`
	Impossible   int           `json:"impossible"`
	FinalBits    *float64      `json:"final_bits_per_token"`
	Distance     *textDistance `json:"distance,omitempty"`
	Against      *textAgainst  `json:"against,omitempty"`
	Weights      *textWeights  `json:"weights,omitempty"`
}

type textDistance struct {
	TV           *float64 `json:"tv_mean"`
	KLab         *float64 `json:"kl_ab"`
	KLba         *float64 `json:"kl_ba"`
	ImpossibleAB int      `json:"impossible_ab"`
	ImpossibleBA int      `json:"impossible_ba"`
	JS           *float64 `json:"js_mean"`
	SameTop      *float64 `json:"same_top"`
}

type textAgainst struct {
	Impossible int      `json:"impossible"`
	FinalBits  *float64 `json:"final_bits_per_token"`
	Bits       *float64 `json:"bits_per_token"` // under the second law's own model
}

// textWeights compares two models before any setting.
type textWeights struct {
	KL      *float64 `json:"kl_mean"`
	StdErr  *float64 `json:"kl_stderr"`
	Median  *float64 `json:"kl_median"`
	P99     *float64 `json:"kl_p99"`
	Most    *float64 `json:"kl_max"`
	SameTop *float64 `json:"same_top"`
}

// known is a number as JSON has it: null for none.
func known(x float64) *float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil
	}
	return &x
}

// sumsOf are the means of a summary.
func sumsOf(sum *score.Summary, bytes int, against, weights bool) textSums {
	out := textSums{
		BitsPerToken: known(sum.BitsPerToken()), BitsPerByte: known(sum.BitsPerByte(bytes)), Perplexity: known(sum.Perplexity()),
		Impossible: sum.Impossible, FinalBits: known(sum.FinalBitsPerToken()),
	}
	if !against {
		return out
	}
	d := sum.Distance()
	out.Distance = &textDistance{known(d.TV), known(d.KLab), known(d.KLba), d.ImpossibleAB, d.ImpossibleBA, known(d.JS), known(d.SameTop)}
	out.Against = &textAgainst{sum.OtherImpossible, known(sum.OtherFinalBitsPerToken()), known(sum.OtherBitsPerToken())}
	if weights {
		w := sum.Weights()
		out.Weights = &textWeights{known(w.Mean), known(w.StdErr), known(w.Median), known(w.P99), known(w.Most), known(w.SameTop)}
	}
	return out
}

// tokenOf is a token as the report has it.
func tokenOf(t score.Token, piece string, green *bool) textToken {
	out := textToken{ID: t.ID, Piece: piece, Green: green}
	if !t.Scored {
		return out
	}
	out.Logprob, out.Rank, out.Entropy = known(t.Logprob), &t.Rank, known(t.Entropy)
	if t.Kept {
		out.Final = known(t.Final)
	} else if t.CutBy != "" {
		out.CutBy = &t.CutBy
	}
	return out
}

// A reading is a text that is to be read, and under what.
type reading struct {
	in    score.Input
	bytes int
	mark  *marking // nil for none
	close func()
}

// prepareReading opens the models, splits the text and makes the settings.
func (s bencher) prepareReading(ctx context.Context, name, against string, mark bool) (*reading, error) {
	data, err := console.ReadFile(s.Sys, name)
	if err != nil {
		return nil, console.Wrong("--text %v", err)
	}
	if err := console.CheckUTF8(string(data)); err != nil {
		return nil, console.Wrong("--text %s: %s", name, err.Bare())
	}
	j, err := s.Prepare(ctx)
	if err != nil {
		return nil, err
	}
	r := &reading{bytes: len(data), close: func() { j.Release(ctx) }}
	if j.Settings.Config().Text("constraint") != "" {
		r.close()
		return nil, console.Wrong("score reads a text as it is and takes no constraint; constrain and check judge texts")
	}
	r.in.Law = score.Law{Model: j.Model, Pipeline: j.Settings.Pipeline}
	if err = s.readTokens(ctx, r, j, string(data)); err == nil && against != "" {
		err = s.readAgainst(ctx, r, j, against)
	}
	if err == nil && mark {
		err = s.readMark(r, j)
	}
	if err != nil {
		r.close()
		return nil, err
	}
	return r, nil
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
func (s bencher) scoreText(ctx context.Context, name, against, form string, mark bool) error {
	r, err := console.Within(ctx, func() (*reading, error) { return s.prepareReading(ctx, name, against, mark) })
	if err != nil {
		return err
	}
	defer r.close()
	s.TellNotes()
	out := bufio.NewWriter(s.Sys.Out)
	return console.Flushed(out, s.writeScore(ctx, out, r, form))
}

// forms are how a scored text is written.
var forms = []string{"table", "jsonl", "json"}

func (s bencher) writeScore(ctx context.Context, out io.Writer, r *reading, form string) error {
	var sum score.Summary
	vocab := r.in.Law.Model.Vocab()
	weights := r.in.Against != nil && r.in.Against.Model != r.in.Law.Model
	tokens := []textToken{}
	if form == "table" {
		fmt.Fprintln(out, "     raw   rank   final  cut by      token")
	}
	read := 0
	err := score.Read(ctx, r.in, func(t score.Token) error {
		sum.Add(t, r.in.Against != nil)
		green := r.mark.add(t, read)
		read++
		switch form {
		case "json":
			tokens = append(tokens, tokenOf(t, "", green))
			return nil
		case "jsonl":
			return console.WriteLine(out, struct {
				Type string `json:"type"`
				textToken
			}{"token", tokenOf(t, strings.ToValidUTF8(vocab.Piece(t.ID), "\ufffd"), green)})
		}
		return tableRow(out, t, vocab.Piece(t.ID))
	})
	if err != nil {
		if errors.Is(err, context.Canceled) {
			return ctx.Err()
		}
		return err
	}
	sums := sumsOf(&sum, r.bytes, r.in.Against != nil, weights)
	switch form {
	case "json":
		return console.WriteLine(out, textReport{tokens, sums, r.mark.report()})
	case "jsonl":
		return console.WriteLine(out, struct {
			Type string `json:"type"`
			textSums
			Watermark *markReport `json:"watermark,omitempty"`
		}{"summary", sums, r.mark.report()})
	}
	if err := tableSums(out, &sum, r.bytes, r.in.Against != nil, weights); err != nil {
		return err
	}
	return r.mark.print(out, r.in.Text, vocab)
}

func tableRow(out io.Writer, t score.Token, piece string) error {
	raw, rank, final, cut := "–", "–", "–", ""
	if t.Scored {
		raw, rank = viz.Percent(math.Exp(t.Logprob)), fmt.Sprint(t.Rank)
		if cut = t.CutBy; t.Kept {
			final = viz.Percent(t.Final)
		}
	}
	_, err := fmt.Fprintf(out, "%8s %6s %7s  %-10s  %s\n", raw, rank, final, cut, viz.Label(piece, false))
	return err
}

// tableSums writes the means in words.
func tableSums(out io.Writer, sum *score.Summary, bytes int, against, weights bool) error {
	fmt.Fprintf(out, "%s in %s", bitsOf(sum.Bits), viz.Plural(sum.Scored, "token"))
	if sum.Scored > 0 {
		fmt.Fprintf(out, " · %.4f bits a token · %.4f bits a byte · perplexity %.4g", sum.BitsPerToken(), sum.BitsPerByte(bytes), sum.Perplexity())
	}
	fmt.Fprintf(out, "\nunder the settings: %d impossible", sum.Impossible)
	if sum.Kept > 0 {
		fmt.Fprintf(out, " · %.4f bits a token over the other %d", sum.FinalBitsPerToken(), sum.Kept)
	}
	fmt.Fprintln(out)
	if !against {
		return nil
	}
	d := sum.Distance()
	fmt.Fprintf(out, "against B: total variation %s · KL %s, from B %s bits · Jensen–Shannon %s bits · same best token %s\n", number(d.TV), number(d.KLab), number(d.KLba), number(d.JS), viz.Percent(d.SameTop))
	fmt.Fprintf(out, "A allows what B cuts at %s, B what A cuts at %d\n", viz.Plural(d.ImpossibleAB, "step"), d.ImpossibleBA)
	fmt.Fprintf(out, "under B: %d impossible", sum.OtherImpossible)
	if sum.OtherKept > 0 {
		fmt.Fprintf(out, " · %.4f bits a token over the other %d", sum.OtherFinalBitsPerToken(), sum.OtherKept)
	}
	fmt.Fprintln(out)
	if weights {
		w := sum.Weights()
		_, err := fmt.Fprintf(out, "the models alone: KL %s ± %s bits · median %s · 99%% %s · largest %s · same best token %s · B %s bits a token\n",
			number(w.Mean), number(w.StdErr), number(w.Median), number(w.P99), number(w.Most), viz.Percent(w.SameTop), number(sum.OtherBitsPerToken()))
		return err
	}
	return nil
}

// number is a mean in words, "–" where nothing goes into it.
func number(x float64) string {
	if math.IsNaN(x) {
		return "–"
	}
	return fmt.Sprintf("%.4f", x)
}
