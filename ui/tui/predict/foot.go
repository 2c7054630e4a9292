package predict

import (
	"fmt"

	"logitscope/engine/quiz"
	"logitscope/ui/tui/kit"
	"logitscope/viz"
)

// drawFoot draws what a guess cost below the rows, in n lines that end before
// column end in the last one.
func (v *View) drawFoot(c *viz.Canvas, host kit.Host, end, n int) {
	lines := v.feet(host, n, c.W-2)
	n = min(n, len(lines))
	for i, s := range lines[:n] {
		w := c.W - 2
		if i == n-1 {
			w = end - 1
		}
		c.Put(1, c.H-n+i, viz.CutTitle(s, w), viz.Ink{})
	}
}

// feet are the lines below the rows, most useful first, in w cells. The last
// two, of the calibration, come together or become a strip.
func (v *View) feet(host kit.Host, n, w int) []string {
	g := v.lab.Score
	if v.byHand {
		if g.picked == 0 {
			return []string{"no token picked yet"}
		}
		return []string{fmt.Sprintf("%s by you · %s bits each · the draw agreed with %d", viz.Plural(g.picked, "token"), viz.Two(g.bits/float64(g.picked)), g.agreed)}
	}
	if v.shared() {
		return v.sharedFeet(host, w)
	}
	cells, calibrated := g.Book.Calibration()
	room := w
	if calibrated && n <= 2 {
		room -= len(cells) + len(" - ")
	}
	book := bookWords(&g.Book, room)
	switch {
	case !calibrated && g.Book.Questions() > 0 && n > 2:
		book = append(book, "calibration after "+viz.Plural(quiz.MinCalibrated-g.Book.Questions(), "more question"))
	case calibrated && n >= 4 && w >= 76:
		book = append(book, calibrationTable(cells)...)
	case calibrated:
		strip := "drawn of 10% … 100%: " + calibrationStrip(cells)
		if n > 2 {
			book = append(book, strip)
		} else {
			book[0] += " · " + calibrationStrip(cells)
		}
	}
	switch {
	case v.of == nil || host.Lane().View.Next == nil:
		return book
	case !v.shown:
		return append([]string{v.chipWords(w)}, book...)
	}
	return append([]string{v.costWords(host, w)}, book...)
}

// sharedFeet are the lines where others vote as well.
func (v *View) sharedFeet(host kit.Host, w int) []string {
	switch {
	case v.of == nil || host.Lane().View.Next == nil:
		return v.soFar(w)
	case v.shown:
		lines := v.classWords(host, w)
		if v.counted {
			lines = append(lines, v.costWords(host, w))
		}
		return lines
	case v.all.counting || v.lab.Class == nil:
		return append([]string{v.handWords()}, v.soFar(w)...)
	case v.guess.Placed() > 0:
		return append([]string{v.standingWords() + " · " + v.chipWords(w)}, v.soFar(w)...)
	}
	return append([]string{v.standingWords()}, v.soFar(w)...)
}

// chipWords say how many chips are to be placed.
func (v *View) chipWords(w int) string {
	left := v.left()
	if left == 0 {
		return viz.FirstFit(w, "all ten chips are placed; enter locks them and reveals", "all ten placed")
	}
	return viz.FirstFit(w,
		viz.Plural(left, "chip")+" left · + puts one on the row, - takes one off, enter puts all that are left",
		viz.Plural(left, "chip")+" left · + puts one on the row, enter puts all that are left",
		viz.Plural(left, "chip")+" left")
}

// costWords say what the guess cost beside what others would have paid.
func (v *View) costWords(host kit.Host, w int) string {
	q := v.asks
	name := v.name(host.Lane(), q.Drawn, host.Screen().ASCII())
	you := fmt.Sprintf("%s bits", viz.Two(v.guess.Bits(q.Drawn)))
	chips := viz.Plural(v.guess[q.Drawn], "chip") + " on " + name + ": " + you
	rest := fmt.Sprintf(" · model %s · floor %s", viz.Two(q.Model()), viz.Two(q.Floor()))
	blind := fmt.Sprintf(" · blind %s", viz.Two(quiz.Blind(len(v.guess))))
	return viz.FirstFit(w,
		fmt.Sprintf("%s · the model %s · the least on average here, its entropy %s · blind, %d equal chances %s",
			chips, viz.Two(q.Model()), viz.Two(q.Floor()), len(v.guess), viz.Two(quiz.Blind(len(v.guess)))),
		chips+rest+blind, chips+rest, you+rest, you)
}

// bookWords sum up all questions so far.
func bookWords(b *quiz.Book, w int) []string {
	if b.Questions() == 0 {
		return []string{viz.FirstFit(w, "a chip is a tenth; a guess costs −log2 of the share it gave the token drawn", "a chip is a tenth")}
	}
	m := b.Mean()
	n := viz.Plural(b.Questions(), "question")
	return []string{viz.FirstFit(w,
		fmt.Sprintf("so far %s: you %s bits · model %s · floor %s · blind %s", n, viz.Two(m.Guess), viz.Two(m.Model), viz.Two(m.Floor), viz.Two(m.Blind)),
		fmt.Sprintf("%s: you %s · model %s · floor %s", n, viz.Two(m.Guess), viz.Two(m.Model), viz.Two(m.Floor)),
		fmt.Sprintf("you %s · model %s", viz.Two(m.Guess), viz.Two(m.Model)))}
}

// calibrationTable is the calibration in two lines of ten numbers.
func calibrationTable(cells [quiz.Chips]quiz.Cell) []string {
	said, drawn := "what you gave", "was drawn    "
	for _, c := range cells {
		said += fmt.Sprintf("%6s", viz.WholePercent(float64(c.Chips)/quiz.Chips))
		rate, ok := c.Rate()
		word := viz.Removed
		if ok {
			word = viz.WholePercent(rate)
		}
		drawn += fmt.Sprintf("%6s", word)
	}
	return []string{said, drawn}
}

// calibrationStrip is the calibration in ten cells, blank where nothing had as
// many chips.
func calibrationStrip(cells [quiz.Chips]quiz.Cell) string {
	const levels = "▁▂▃▄▅▆▇█"
	glyphs := []rune(levels)
	out := make([]rune, len(cells))
	for i, c := range cells {
		out[i] = '·'
		if rate, ok := c.Rate(); ok {
			out[i] = glyphs[min(int(rate*float64(len(glyphs))), len(glyphs)-1)]
		}
	}
	return string(out)
}
