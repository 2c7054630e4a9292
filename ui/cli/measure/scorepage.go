package measure

import (
	"fmt"
	"math"
	"strings"

	"logitscope/engine/score"
	"logitscope/ui/handout"
	"logitscope/viz"
)

// scorePage is a page that needs nothing else: the words coloured by how
// surprising they were.
type scorePage struct {
	written
	page handout.Text
}

func (w *scorePage) begin() error {
	law := w.r.in.Law
	w.page = handout.Text{
		Title: "A text under " + law.Model.Info().Name,
		About: fmt.Sprintf("%s of text, %s; rules of %s.", viz.Plural(w.r.bytes, "byte"), viz.Plural(len(w.r.in.Text), "token"), law.Pipeline.Order().Name()),
	}
	if n := w.r.in.Windows(); n > 1 {
		w.page.About += fmt.Sprintf(" The context holds %s tokens: read in %s windows.", viz.Count(law.Model.Info().ContextLen), viz.Count(n))
	}
	return w.page.Begin(w.out)
}

func (w *scorePage) token(t *score.Token, green *bool) error {
	x := handout.TextToken{Piece: strings.ToValidUTF8(w.piece(t), "\ufffd"), Note: fmt.Sprintf("token %d", t.At)}
	if t.Scored {
		x.Bits = -float64(t.Of.RawLogprob) / math.Ln2
		x.Note += fmt.Sprintf(": %s bits, rank %s, %s raw", viz.Two(x.Bits), viz.Count(int(t.Of.Rank)), viz.Percent(math.Exp(float64(t.Of.RawLogprob))))
		if x.Cut = !t.Of.Kept; x.Cut {
			x.Note += "; cut by " + t.Of.CutBy
		} else {
			x.Note += "; " + viz.Percent(math.Exp(float64(t.Of.Logprob))) + " under the settings"
		}
	}
	if green != nil && *green {
		x.Note += "; green"
	}
	return w.page.Token(x)
}

func (w *scorePage) end(sum *score.Summary) error {
	rows := [][]string{
		{"bits", fmt.Sprintf("%.4f in %s", sum.Bits, viz.Plural(sum.Scored, "token"))},
		{"bits a token", number(sum.BitsPerToken())}, {"bits a byte", number(sum.BitsPerByte(w.r.bytes))}, {"perplexity", number(sum.Perplexity())},
		{"best token", fmt.Sprintf("in %s of %s", viz.Count(sum.Best), viz.Count(sum.Scored))}, {"under the settings", crossWords(&sum.A)},
	}
	tables := []handout.TextTable{{Caption: "This text", Rows: rows}}
	if w.r.in.Against != nil {
		d := &sum.Distances
		rows := [][]string{
			{"total variation", number(d.TV())}, {"KL", viz.Divergence(d.KLab(), d.ImpossibleAB, d.Steps)}, {"KL back", viz.Divergence(d.KLba(), d.ImpossibleBA, d.Steps)},
			{"Jensen–Shannon", number(d.JS()) + " bits"}, {"same best token", fmt.Sprintf("in %d of %d", d.SameTop, d.Steps)}, {"under B", crossWords(&sum.B)},
		}
		if sum.Models {
			x := sum.Weights()
			rows = append(rows, []string{"the models' KL", fmt.Sprintf("%s ± %s bits, median %s, 99%% %s", number(x.KL.Value), number(x.KL.StdErr), number(x.KL.Median), number(x.KL.P99))})
		}
		tables = append(tables, handout.TextTable{Caption: "Against the second law, B", Rows: rows})
		vocab := w.r.in.Law.Model.Vocab()
		for _, m := range sum.Most {
			rows := [][]string{{"token", "raw A", "raw B", "final A", "final B"}}
			for _, b := range m.Beside {
				rows = append(rows, []string{viz.Label(vocab.Piece(b.ID), false), viz.Percent(b.A.Raw), viz.Percent(b.B.Raw), finalWords(b.A), finalWords(b.B)})
			}
			tables = append(tables, handout.TextTable{Caption: fmt.Sprintf("Token %d, %s", m.At, viz.Label(vocab.Piece(m.ID), false)), Rows: rows})
		}
	}
	return w.page.End(tables)
}
