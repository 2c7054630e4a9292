package measure

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strings"

	"logitscope/engine/score"
	"logitscope/sampling/dist"
	"logitscope/ui/cli/console"
	"logitscope/viz"
)

// A scoreWriter writes a text that was read, token by token, so that a long
// text takes no more memory than a short one.
type scoreWriter interface {
	begin() error
	token(t *score.Token, green *bool) error
	end(sum *score.Summary) error
	scored() int // bytes of the tokens that were scored
}

// scoreForms are the ways of writing it, by name.
var scoreForms = map[string]func(out io.Writer, r *reading) scoreWriter{
	"table": func(out io.Writer, r *reading) scoreWriter { return &scoreTable{written{out: out, r: r}} },
	"jsonl": func(out io.Writer, r *reading) scoreWriter { return &scoreLines{written{out: out, r: r}} },
	"html":  func(out io.Writer, r *reading) scoreWriter { return &scorePage{written: written{out: out, r: r}} },
	"json":  func(out io.Writer, r *reading) scoreWriter { return &scoreObject{written: written{out: out, r: r}} },
}

// written is what all forms share.
type written struct {
	out   io.Writer
	r     *reading
	bytes int
}

func (w *written) scored() int { return w.bytes }

func (w *written) piece(t *score.Token) string {
	piece := w.r.in.Law.Model.Vocab().Piece(t.ID)
	if t.Scored {
		w.bytes += len(piece)
	}
	return piece
}

// scoreLines is a record a token and a summary.
type scoreLines struct{ written }

func (w *scoreLines) begin() error { return nil }

func (w *scoreLines) token(t *score.Token, green *bool) error {
	return console.WriteLine(w.out, struct {
		Type string `json:"type"`
		textToken
	}{"token", tokenOf(t, strings.ToValidUTF8(w.piece(t), "\ufffd"), green)})
}

func (w *scoreLines) end(sum *score.Summary) error {
	return console.WriteLine(w.out, struct {
		Type string `json:"type"`
		textSums
	}{"summary", sumsOf(sum, w.r)})
}

// scoreObject is one object: the tokens, then what they come to.
type scoreObject struct {
	written
	more bool
}

func (w *scoreObject) begin() error {
	_, err := io.WriteString(w.out, `{"tokens":[`)
	return err
}

func (w *scoreObject) token(t *score.Token, green *bool) error {
	w.piece(t)
	b, err := json.Marshal(tokenOf(t, "", green))
	if err != nil {
		return err
	}
	if w.more {
		b = append([]byte(","), b...)
	}
	w.more = true
	_, err = w.out.Write(b)
	return err
}

func (w *scoreObject) end(sum *score.Summary) error {
	b, err := json.Marshal(sumsOf(sum, w.r))
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w.out, "],%s\n", b[1:]) // the fields after the tokens
	return err
}

// scoreTable is for people.
type scoreTable struct{ written }

func (w *scoreTable) begin() error {
	_, err := fmt.Fprintln(w.out, "     raw   rank   final  cut by      token")
	return err
}

func (w *scoreTable) token(t *score.Token, green *bool) error {
	raw, rank, final := "–", "–", "–"
	if t.Scored {
		raw, rank = viz.Percent(math.Exp(float64(t.Of.RawLogprob))), fmt.Sprint(t.Of.Rank)
		if t.Of.Kept {
			final = viz.Percent(math.Exp(float64(t.Of.Logprob)))
		}
	}
	_, err := fmt.Fprintf(w.out, "%8s %6s %7s  %-10s  %s\n", raw, rank, final, t.Of.CutBy, viz.Label(w.piece(t), false))
	return err
}

// end writes the means in words.
func (w *scoreTable) end(sum *score.Summary) error {
	out := w.out
	fmt.Fprintf(out, "%s in %s", bitsOf(sum.Bits), viz.Plural(sum.Scored, "token"))
	if sum.Scored > 0 {
		fmt.Fprintf(out, " · %.4f bits a token · %.4f bits a byte · perplexity %.4g · best token in %d", sum.BitsPerToken(), sum.BitsPerByte(w.r.bytes), sum.Perplexity(), sum.Best)
	}
	fmt.Fprintf(out, "\nunder the settings: %s\n", crossWords(&sum.A))
	if w.r.in.Against != nil {
		if err := w.endAgainst(sum); err != nil {
			return err
		}
	}
	return w.r.mark.print(out, w.r.in.Text, w.r.in.Law.Model.Vocab())
}

// endAgainst says how far the second law is from the first.
func (w *scoreTable) endAgainst(sum *score.Summary) error {
	if err := w.endDistance(&sum.Distances); err != nil {
		return err
	}
	fmt.Fprintf(w.out, "under B: %s\n", crossWords(&sum.B))
	if sum.Models {
		w.endWeights(sum)
	}
	return w.endDiffer(sum)
}

func (w *scoreTable) endDistance(d *dist.Distances) error {
	_, err := fmt.Fprintf(w.out, "against B: total variation %s · KL %s, back %s · Jensen–Shannon %s bits · same best token in %d of %d\n",
		number(d.TV()), viz.Divergence(d.KLab(), d.ImpossibleAB, d.Steps), viz.Divergence(d.KLba(), d.ImpossibleBA, d.Steps), number(d.JS()), d.SameTop, d.Steps)
	return err
}

// crossWords say how likely a text is under settings.
func crossWords(c *score.Cross) string {
	s := fmt.Sprintf("%d impossible", c.Impossible)
	var by []string
	for _, stage := range c.Stages() {
		by = append(by, fmt.Sprintf("%d by %s", c.CutBy[stage], stage))
	}
	if len(by) > 0 {
		s += " (" + strings.Join(by, ", ") + ")"
	}
	if c.Kept > 0 {
		s += fmt.Sprintf(" · %.4f bits a token over the other %d", c.BitsPerToken(), c.Kept)
	}
	return s
}

// endWeights says how far the models are apart before any setting.
func (w *scoreTable) endWeights(sum *score.Summary) {
	x := sum.Weights()
	pm := func(m score.Mean) string { return number(m.Value) + " ± " + number(m.StdErr) }
	fmt.Fprintf(w.out, "the models alone: A %s bits a token, B %s · ln of the perplexities' ratio %s\n", pm(x.Bits), pm(x.Bits2), pm(x.LogRatio))
	fmt.Fprintf(w.out, "  KL %s bits · median %s · 90%% %s · 99%% %s · 99.9%% %s · largest %s\n",
		short(x.KL.Value)+" ± "+short(x.KL.StdErr), short(x.KL.Median), short(x.KL.P90), short(x.KL.P99), short(x.KL.P999), short(x.KL.Most))
	fmt.Fprintf(w.out, "  same best token %s ± %s · Δp of the text's tokens %s, root mean square %s\n",
		viz.Percent(x.SameTop.Value), viz.Percent(x.SameTop.StdErr), pm(x.DeltaP.Mean), number(x.RMSDeltaP))
}

// endDiffer shows the steps that differ most, both rows beside each other.
func (w *scoreTable) endDiffer(sum *score.Summary) error {
	vocab := w.r.in.Law.Model.Vocab()
	for i, m := range sum.Most {
		how := "total variation " + number(m.Step.TV)
		if sum.Models {
			how = "KL of the models " + short(m.Step.RawKL) + " bits"
		}
		fmt.Fprintf(w.out, "%d. token %d %s: %s\n      raw A   raw B   final A final B  token\n", i+1, m.At, viz.Label(vocab.Piece(m.ID), false), how)
		for _, b := range m.Beside {
			mark := " "
			if b.ID == m.ID {
				mark = "◆"
			}
			if _, err := fmt.Fprintf(w.out, "   %s %7s %7s  %7s %7s  %s\n", mark, viz.Percent(b.A.Raw), viz.Percent(b.B.Raw), finalWords(b.A), finalWords(b.B), viz.Label(vocab.Piece(b.ID), false)); err != nil {
				return err
			}
		}
	}
	return nil
}

func finalWords(p score.Place) string {
	if !p.Kept {
		return "✗"
	}
	return viz.Percent(p.Final)
}

// number is a mean in words, "–" where nothing goes into it.
func number(x float64) string {
	if math.IsNaN(x) {
		return "–"
	}
	return fmt.Sprintf("%.4f", x)
}

// short is a number that may be far below 1, in four digits.
func short(x float64) string {
	if math.IsNaN(x) {
		return "–"
	}
	return fmt.Sprintf("%.4g", x)
}
