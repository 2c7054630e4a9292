package measure

import (
	"fmt"
	"io"
	"math"
	"strings"
	"unicode/utf8"

	"logitscope/engine/score"
	"logitscope/models"
	"logitscope/sampling/watermark"
	"logitscope/ui/cli/console"
	"logitscope/ui/cli/laws"
	"logitscope/ui/cli/setup"
	"logitscope/viz"
)

// A marking is a watermark looked for in a text, and what it costs there. A nil
// marking looks for none.
type marking struct {
	mark   *watermark.Mark
	found  watermark.Detection
	places []watermark.Place
	greedy bool // the settings take the best token: there is no law to mark
}

// markBiases are the strengths of which the cost is told.
var markBiases = []float64{0.5, 1, 2, 3, 4, 6, 8}

// A markReport is what is said of a watermark.
type markReport struct {
	Ratio  float64 `json:"greenlist_ratio"`
	Key    uint64  `json:"hashing_key"`
	Scheme string  `json:"seeding_scheme"`
	Width  int     `json:"context_width"`

	Scored     int     `json:"num_tokens_scored"`
	Green      int     `json:"num_green_tokens"`
	Part       float64 `json:"green_fraction"`
	Z          float64 `json:"z_score"`
	P          float64 `json:"p_value"`  // transformers' approximation
	PNormal    float64 `json:"p_normal"` // the normal tail
	Prediction bool    `json:"prediction"`

	Cost []markCost `json:"cost"`
}

// A markCost is what a mark of one strength costs on the text.
type markCost struct {
	Bias   float64  `json:"bias"`
	Green  float64  `json:"green_fraction"`
	Bits   float64  `json:"bits_per_token"`
	Tokens *float64 `json:"tokens"` // after which z is expected at the threshold; null for never
}

// readMark looks for the watermark of the settings.
func (s bencher) readMark(r *reading, j *setup.Job) error {
	cfg := j.Settings.Config()
	m, err := cfg.Watermark()
	if err != nil {
		return console.Wrong("--watermark: %v", err)
	}
	mark := &marking{mark: m, greedy: j.Settings.Pipeline.Greedy()}
	if mark.found, err = m.Detect(r.in.Text, j.Model.Info().VocabSize, r.in.BOS); err != nil {
		return console.Wrong("--watermark: %v", err)
	}
	if r.mark = mark; mark.greedy {
		return nil
	}
	plain, err := j.Compiler.Settings(cfg.Without("watermark_bias"), "")
	if err != nil {
		return err
	}
	r.in.Mark = &score.Mark{Mark: m, Plain: plain.Pipeline}
	return nil
}

// add takes in the law before a token, and returns whether the token is green;
// nil if it does not count.
func (m *marking) add(t score.Token) *bool {
	if m == nil {
		return nil
	}
	if t.Marked {
		m.places = append(m.places, t.Green)
	}
	c := m.found.Colours[t.At-1]
	if c == watermark.Unscored {
		return nil
	}
	green := c == watermark.Green
	return &green
}

func (m *marking) cost() []watermark.Point {
	if len(m.places) == 0 {
		return nil
	}
	return m.mark.Cost(m.places, markBiases, watermark.DefaultThreshold)
}

func (m *marking) report() *markReport {
	if m == nil {
		return nil
	}
	c, d := m.mark.Config, &m.found
	out := &markReport{
		Ratio: c.Ratio, Key: c.Key, Scheme: string(c.Scheme), Width: c.Width,
		Scored: d.Scored, Green: d.Greens, Part: float64(d.Greens) / float64(d.Scored), Z: d.Z, P: d.P(), PNormal: d.PNormal(),
		Prediction: d.Z > watermark.DefaultThreshold, Cost: []markCost{},
	}
	for _, p := range m.cost() {
		out.Cost = append(out.Cost, markCost{p.Bias, p.Green, p.Bits, laws.Known(p.Tokens)})
	}
	return out
}

// print writes the text with its green tokens in brackets, what the detector
// says, and the cost as curves.
func (m *marking) print(out io.Writer, text []int32, vocab models.Vocab) error {
	if m == nil {
		return nil
	}
	c, r := m.mark.Config, m.report()
	fmt.Fprintf(out, "\nwatermark %s · key %d · ratio %v · context %d\n", c.Scheme, c.Key, c.Ratio, c.Width)
	fmt.Fprintln(out, greenText(text, m.found.Colours, vocab))
	fmt.Fprintf(out, "[green] %d of %d tokens, %s; %s without a mark\n", r.Green, r.Scored, viz.Percent(r.Part), viz.Percent(c.Ratio))
	says := "no mark is seen"
	if r.Prediction {
		says = "marked"
	}
	fmt.Fprintf(out, "z %.2f: %s (threshold %v) · p %.3g, normal tail · transformers approximates %.3g\n", r.Z, says, watermark.DefaultThreshold, r.PNormal, r.P)
	if m.greedy {
		_, err := fmt.Fprintln(out, "the settings take the best token without a draw: there is no law whose marking could be priced")
		return err
	}
	fmt.Fprintln(out, "what a mark would cost here, and after how many tokens z would be expected above the threshold:")
	fmt.Fprintln(out, "  bias    green                 bits a token              tokens")
	points := m.cost()
	most := 0.0
	for _, p := range points {
		most = max(most, p.Bits)
	}
	for _, p := range points {
		tokens := "never"
		if !math.IsInf(p.Tokens, 1) {
			tokens = fmt.Sprintf("%.0f", p.Tokens)
		}
		fmt.Fprintf(out, "%6v  %7s  %s  %9.4f  %s  %10s\n", p.Bias, viz.Percent(p.Green), bar(p.Green, 12), p.Bits, bar(p.Bits/max(most, 1e-12), 12), tokens)
	}
	return nil
}

// bar draws a part of n cells.
func bar(part float64, n int) string {
	full := int(math.Round(part * float64(n)))
	return strings.Repeat("█", full) + strings.Repeat("·", n-full)
}

// greenText is a text with its green tokens in brackets. A space that begins a
// token stands outside, and a character of several tokens goes with the last.
func greenText(text []int32, colours []watermark.Colour, vocab models.Vocab) string {
	var b strings.Builder
	run := ""
	for i, id := range text {
		green := colours[i] == watermark.Green
		run += vocab.Piece(id)
		if i+1 < len(text) && green == (colours[i+1] == watermark.Green) {
			continue
		}
		var rest string
		if i+1 < len(text) {
			run, rest = wholeRunes(run)
		}
		if word := strings.TrimLeft(run, " "); green && word != "" {
			run = run[:len(run)-len(word)] + "[" + word + "]"
		}
		b.WriteString(console.Visible(run))
		run = rest
	}
	return b.String()
}

// wholeRunes parts a text from the beginning of a character that it ends in.
func wholeRunes(s string) (whole, rest string) {
	for k := 1; k <= min(len(s), utf8.UTFMax-1); k++ {
		if at := len(s) - k; utf8.RuneStart(s[at]) {
			if !utf8.FullRuneInString(s[at:]) {
				return s[:at], s[at:]
			}
			break
		}
	}
	return s, ""
}
