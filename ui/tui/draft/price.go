package draft

import (
	"fmt"
	"strconv"

	"logitscope/engine/speculative"
	"logitscope/ui/tui/kit"
	"logitscope/viz"
)

// prices are what a draft token may cost, in passes of the target: 1/n.
var prices = []int{1, 2, 3, 5, 10, 20, 35, 70, 150}

// startPrice is where the slider begins: a draft of a hundredth of the size
// costs about as much.
const startPrice = 7

// price is what a draft token costs on the slider.
func (v *View) price() float64 { return 1 / float64(prices[v.priced]) }

// priceName writes it as people say it.
func (v *View) priceName() string {
	if prices[v.priced] == 1 {
		return "a whole pass"
	}
	return "1/" + strconv.Itoa(prices[v.priced]) + " of a pass"
}

// turnPrice makes a draft token dearer or cheaper.
func (v *View) turnPrice(host kit.Host, d int) {
	to := v.priced + d
	if to < 0 || to >= len(prices) {
		host.Say("< >: a draft token costs from a whole pass of the target to 1/150 of one here")
		return
	}
	v.priced = to
}

// bestOf is the largest k that the best one is looked for among.
const bestOf = 32

// bestName writes the best k; the largest that was looked at may have better
// ones beyond.
func bestName(k int) string {
	if k == bestOf {
		return strconv.Itoa(k) + " or more"
	}
	return strconv.Itoa(k)
}

// priceWords compute the speed-up from the tokens a pass that were seen, if a
// draft token cost what the slider says and checking k tokens no more than one:
// both read the target's weights once. The second line says which k would be
// best at the acceptance seen, and the third where it begins to lose. Each
// comes in forms, the longest first; all have the result.
func (v *View) priceWords(d *speculative.View) [][]string {
	c := v.price()
	k := float64(d.Drafted) / float64(max(d.Counted, 1))
	if sideBySide(d) {
		if d.DraftSteps == 0 {
			return [][]string{{"no model drafts here: what drafts cost is the tokens that a pass runs beside the text", "no model drafts here: drafts cost the tokens run beside the text"}}
		}
		k = float64(d.DraftSteps) / float64(max(d.Counted, 1))
	}
	if d.Counted == 0 || k == 0 {
		return [][]string{{"drafted tokens first: then < > changes what one costs"}}
	}
	sum, gain := fmt.Sprintf("%.2f ÷ (1 + %.3g · %.3g)", d.PerPass, k, c), fmt.Sprintf("%.2f×", d.PerPass/(1+k*c))
	out := [][]string{{
		"then tokens a pass ÷ (1 + k · cost) = " + sum + " = " + gain + " plain decoding",
		"then " + sum + " = " + gain + " plain decoding",
		"then " + gain + " plain decoding",
	}}
	if theory(d) {
		best := speculative.BestK(d.Rate, c, bestOf)
		head, gain := fmt.Sprintf("at the %s that stood, k %s would be best: ", viz.Percent(d.Rate), bestName(best)), fmt.Sprintf("%.2f×", speculative.ExpectedSpeedup(d.Rate, best, c))
		words := []string{head + "(1 − α^(k+1)) ÷ (1 − α) ÷ (1 + k · cost) = " + gain, head + gain}
		if best == 0 {
			head = fmt.Sprintf("at the %s that stood no k pays", viz.Percent(d.Rate))
			words = []string{head + ": every drafted token costs more than it saves", head}
		}
		out = append(out, words)
	}
	if even := (d.PerPass - 1) / k; even < 1 {
		s := fmt.Sprintf("it loses where a draft token costs more than %.2f of a pass", even)
		out = append(out, []string{s + ": (tokens a pass − 1) ÷ k", s})
	}
	return out
}

// drawPrice draws the slider and what it comes to.
func (v *View) drawPrice(c *viz.Canvas, d *speculative.View) {
	if c.H < 1 {
		return
	}
	x := c.Put(2, 0, "< > if a draft token cost ", viz.Ink{Role: viz.Focus})
	w := min(18, max(c.W-x-40, 6))
	viz.Slider(c.Sub(viz.Rect{X: x, Y: 0, W: w, H: 1}), float64(v.priced)/float64(len(prices)-1), false, viz.Ink{Role: viz.Focus})
	x = c.Put(x+w+1, 0, v.priceName(), viz.Ink{}.With(viz.Bold))
	words, y := v.priceWords(d), 1
	if viz.Width(words[0][0]) <= c.W-x-4 { // on the slider's own line
		c.Put(x+2, 0, words[0][0], viz.Ink{})
		words = words[1:]
	}
	for _, forms := range words {
		if y < c.H {
			c.Put(2, y, viz.FirstFit(c.W-4, forms...), viz.Ink{})
		}
		y++
	}
}

// readingIt explains what the round shows.
var readingIt = []string{
	"q: the draft proposes k tokens by its own law, one after the other, and should be much cheaper than a pass.",
	"p: the target reads all of them in one pass and has its own law at every place.",
	"A token stands if u is below min(1, p ÷ q). At the first that does not, one is drawn from max(p − q, 0).",
	"So what comes out has the target's law, whatever the draft is: d proves it, o tries rules that break it.",
}

// readingSeveral is the same of several drafts side by side, by what drafts.
var readingSeveral = map[bool][]string{
	false: {
		"q: the draft proposes several tokens for one place, each drawn from its own law, and more after each of them.",
		"p: the target goes along all branches in one pass; what they begin with is run once.",
		"Drafts of a place are tested in turn. specinfer: each against what those before it left of p. spectr: each against p ÷ ρ.",
		"Where one stands, those drafted after it come next. So the law stays the target's: d proves it, o goes on to a rule that breaks it.",
	},
	true: {
		"Beside the text the model guesses many later places at once, and each pass improves the guesses once (Jacobi's iteration).",
		"n-grams that the guesses went through are drafts, if they begin with the text's last token. They were chosen, not drawn: q is 100%.",
		"Each stands with what is left of p at its token; a refusal takes that token away.",
		"So what comes out has the target's law, whatever was guessed: d proves it.",
	},
}

// drawReading draws it in the free lines of c, whole paragraphs only.
func (v *View) drawReading(c *viz.Canvas) {
	y, reading := 0, readingIt
	if sideBySide(v.lane.View.Draft) {
		reading = readingSeveral[v.draft.Lookahead]
	}
	for _, s := range reading {
		lines := viz.WrapWords(s, c.W-4)
		if y+len(lines) > c.H {
			return
		}
		for _, line := range lines {
			c.Put(2, y, line, viz.Ink{Role: viz.Muted})
			y++
		}
	}
}
