package tutor

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"logitscope/engine/goal"
	"logitscope/engine/lesson"
	"logitscope/ui/tui/course"
	"logitscope/ui/tui/kit"
	"logitscope/ui/tui/run"
	"logitscope/viz"
)

// Cells around the text: the box, and the blank inside it.
const (
	border = 1
	margin = 1
)

// A page is the pane's text in rows, and which of them hold the line that is
// chosen.
type page struct {
	rows          []row
	pick, pickEnd int
}

// Glyphs of the marks.
const (
	metMark  = "✓"
	openMark = "○"
	skipMark = "–"
)

// Draw draws the pane into the whole window.
func (p *Pane) Draw(c *viz.Canvas, host kit.Host) {
	r, open := p.course.Reading()
	if !open || !p.Drawn() {
		return
	}
	at := p.Rect()
	box := c.Sub(at)
	box.Clear()
	pg, h := p.page(host)
	f := viz.Frame{Title: p.title(r, at.W-16), Right: "L · esc", Focused: p.Focused}
	in := viz.Box(box, f)
	most := max(len(pg.rows)-h, 0)
	top := min(p.top, most)
	draw(in, pg.rows, top)
	if p.types(r) {
		p.drawField(in, pg, top)
	}
	below := ""
	switch {
	case most > 0 && top < most:
		below = fmt.Sprintf("⋮ %s below · ↓", viz.Plural(most-top, "line"))
	case top > 0:
		below = fmt.Sprintf("⋮ %s above · ↑", viz.Plural(top, "line"))
	}
	if below != "" {
		box.Right(box.W-2, box.H-1, " "+below+" ", viz.Ink{Role: viz.Muted})
	}
}

// title names lesson and task in w cells.
func (p *Pane) title(r lesson.Reading, w int) string {
	l := r.Lesson
	title, short := viz.Printable(l.Title, false), "lesson"
	if l.Order > 0 {
		short = fmt.Sprintf("lesson %d", l.Order)
		title = short + " · " + title
	}
	if p.intro {
		return title
	}
	task := fmt.Sprintf(" · task %d of %d", r.At+1, len(l.Tasks))
	name := " · " + viz.Printable(inside(r.Task().Title), false)
	return viz.FirstFit(w, title+task+name, title+task, short+task+name, short+task)
}

// inside is a heading as it stands inside a line: with a small letter, unless
// its first word is written in capitals.
func inside(title string) string {
	first, n := utf8.DecodeRuneInString(title)
	if n == 0 {
		return ""
	}
	if next, _ := utf8.DecodeRuneInString(title[n:]); unicode.IsUpper(next) {
		return title
	}
	return string(unicode.ToLower(first)) + title[n:]
}

// set sets the text in rows of w cells.
func (p *Pane) set(w int, ascii bool) page {
	r, _ := p.course.Reading()
	s := &sheet{w: max(w, narrowest), ascii: ascii, scene: p.begun}
	pg := page{}
	if p.intro {
		s.intro(r.Lesson.Intro)
		pg.rows = s.rows
		return pg
	}
	t := r.Task()
	if err := p.course.Err(); err != nil {
		s.text("! ", err.Error(), viz.Ink{Role: viz.Warning})
		s.blank()
	}
	s.prose(t.Text, viz.Ink{})
	s.blank()
	if t.Predict != nil && (!p.passed || r.Done || r.Skipped) {
		pg.pick, pg.pickEnd = p.question(s, r)
		s.blank()
	}
	if !p.asks(r) {
		s.scene = p.course.Scene()
		p.goals(s, r)
		p.hints(s, r)
		if p.seen != nil {
			s.scene = p.seen
		}
		p.reveal(s, r)
	}
	pg.rows = s.rows
	for n := len(pg.rows); n > 0 && len(pg.rows[n-1].spans) == 0; n-- {
		pg.rows = pg.rows[:n-1]
	}
	return pg
}

// codeBeside is how many cells code takes where it stands beside the text.
const codeBeside = 58

// intro sets the page before the first task, its code beside the text where
// there is room for both.
func (s *sheet) intro(p lesson.Prose) {
	if s.w < 2*codeBeside-6 {
		s.prose(p, viz.Ink{})
		return
	}
	var text, code lesson.Prose
	for _, b := range p {
		if b.Kind == lesson.Code {
			code = append(code, b)
		} else {
			text = append(text, b)
		}
	}
	left, right := *s, *s
	left.w, right.w = s.w-codeBeside-2, codeBeside
	left.prose(text, viz.Ink{})
	right.prose(code, viz.Ink{})
	for i := range max(len(left.rows), len(right.rows)) {
		var row row
		x := 0
		if i < len(left.rows) {
			row.spans = left.rows[i].spans
			for _, y := range row.spans {
				x += viz.Width(y.text)
			}
		}
		if i < len(right.rows) && len(right.rows[i].spans) > 0 {
			row.spans = append(append(row.spans, span{text: strings.Repeat(" ", max(left.w+2-x, 0))}), right.rows[i].spans...)
		}
		s.rows = append(s.rows, row)
	}
}

// question sets what is asked before the goals, and what the answer was worth;
// it returns the rows of the line that is chosen.
func (p *Pane) question(s *sheet, r lesson.Reading) (pick, end int) {
	q := r.Task().Predict
	asking := p.asks(r)
	if p.answered != nil {
		s.scene = p.answered
	}
	s.prose(q.Ask, viz.Ink{}.With(viz.Bold))
	switch {
	case !r.Answered && !asking:
		p.unanswered(s, q)
	case q.Form == lesson.Choice:
		for i, o := range q.Choices {
			chosen := r.Answered && r.Answer.Str == o.Text.Plain()
			head, ink := fmt.Sprintf("  %d ", i+1), viz.Ink{}
			if asking && i == p.pick {
				head, pick = fmt.Sprintf("▸ %d ", i+1), len(s.rows)
				ink = ink.With(viz.Bold)
			}
			if r.Answered && !chosen && !o.Right {
				continue // what was neither said nor right has had its time
			}
			if r.Answered {
				head = "✗ "
				if o.Right {
					head = metMark + " "
				}
			}
			said := s.inline(o.Text, ink)
			if r.Answered {
				said = append(append(said, span{text: ": "}), s.inline(o.Why, viz.Ink{})...)
			}
			s.wrap(head, said)
			if asking && i == p.pick {
				end = len(s.rows)
			}
		}
	case asking:
		pick = len(s.rows)
		s.text("▸ ", answerHeads[q.Form], viz.Ink{Role: viz.Focus})
		end = len(s.rows)
	default:
		p.judged(s, r)
	}
	return pick, end
}

// answerHeads ask for answers of each form.
var answerHeads = map[lesson.Form]string{
	lesson.Percent: "your answer in percent: ", lesson.Bits: "your answer in bits: ",
	lesson.Number: "your answer: ", lesson.Token: "your token (␣ is a blank): ",
}

// drawField draws the answer being typed after its head.
func (p *Pane) drawField(c *viz.Canvas, pg page, top int) {
	r, _ := p.course.Reading()
	y := pg.pick - top
	if y < 0 || y >= c.H || pg.pickEnd == 0 {
		return
	}
	x := margin + mark + viz.Width(answerHeads[r.Task().Predict.Form])
	p.field.Draw(c.Sub(viz.Rect{X: 0, Y: 0, W: c.W, H: c.H}), x, y)
}

// unanswered says what is right, where the task is over without an answer.
func (p *Pane) unanswered(s *sheet, q *lesson.Predict) {
	said := s.inline(q.Because, viz.Ink{})
	if _, right := q.Right(goal.Value{}, s.scene); q.Form != lesson.Choice && right.Defined {
		said = append([]span{{course.Words(right, s.ascii) + ". ", viz.Ink{}}}, said...)
	}
	for _, o := range q.Choices {
		if o.Right {
			said = append(append(s.inline(o.Text, viz.Ink{}), span{text: ": "}), s.inline(o.Why, viz.Ink{})...)
		}
	}
	s.wrap(skipMark+" ", append([]span{{"not answered: ", viz.Ink{}}}, said...))
}

// judged says what a number or a token was worth.
func (p *Pane) judged(s *sheet, r lesson.Reading) {
	head := "✗ "
	if p.verdict.ok {
		head = metMark + " "
	}
	said := "you said " + course.Words(r.Answer, s.ascii)
	if right := course.Words(p.verdict.right, s.ascii); p.verdict.right.Defined && right != course.Words(r.Answer, s.ascii) {
		said += "; it is " + right
	}
	spans := []span{{said + ". ", viz.Ink{}}}
	s.wrap(head, append(spans, s.inline(r.Task().Predict.Because, viz.Ink{})...))
}

// inline sets the spans of all blocks of p, for a row that goes on.
func (s *sheet) inline(p lesson.Prose, ink viz.Ink) []span {
	var out []span
	for i, b := range p {
		if i > 0 {
			out = append(out, span{text: " "})
		}
		out = append(out, s.spans(b, ink)...)
	}
	return out
}

// goals sets a line for each goal: its mark, its words, and what its terms are
// now.
func (p *Pane) goals(s *sheet, r lesson.Reading) {
	for i, g := range r.Task().Goals {
		glyph, ink := openMark, viz.Ink{}
		switch {
		case r.Met[i]:
			glyph, ink = metMark, viz.Ink{Role: viz.Chosen}
		case r.Skipped:
			glyph = skipMark
		}
		before := len(s.rows)
		now := p.now(s, r, g)
		at := s.w * 2 / 3
		words := viz.Printable(g.Words, s.ascii)
		if now == "" || mark+viz.Width(words)+2+viz.Width(now) > s.w {
			at = s.w
		} else {
			at = max(min(at, s.w-viz.Width(now)), mark+viz.Width(words)+2)
		}
		s.wrap(glyph+" ", []span{{words, viz.Ink{}}})
		s.rows[before].spans[0].ink = ink
		if now == "" {
			continue
		}
		if at == s.w { // the words take the row
			s.text("  ", now, viz.Ink{Role: viz.Muted})
			continue
		}
		gap := strings.Repeat(" ", at-mark-viz.Width(words))
		s.rows[before].spans = append(s.rows[before].spans, span{text: gap}, span{now, viz.Ink{Role: viz.Muted}})
	}
}

// hints sets the hints that were asked for.
func (p *Pane) hints(s *sheet, r lesson.Reading) {
	for i, h := range r.Task().Hints[:r.Hints] {
		head := "hint: "
		if len(r.Task().Hints) > 1 {
			head = "hint " + strconv.Itoa(i+1) + ": "
		}
		s.wrap("", append([]span{{head, viz.Ink{Role: viz.Muted}}}, s.inline(h, viz.Ink{})...))
	}
}

// reveal sets what there was to see, once the task is over.
func (p *Pane) reveal(s *sheet, r lesson.Reading) {
	reveal := r.Task().Reveal
	if len(reveal) == 0 || !r.Done && !r.Skipped {
		return
	}
	head := "What you saw: "
	switch {
	case r.Skipped:
		head = "Skipped. Once done it says, here with the numbers of now: "
	case len(r.Task().Goals) == 0:
		head = ""
	}
	if len(r.Task().Goals) == 0 || s.w < codeBeside*2-6 {
		s.blank()
	}
	first := true
	for _, b := range reveal {
		spans := s.spans(b, viz.Ink{})
		if first && head != "" {
			spans = append([]span{{head, viz.Ink{}.With(viz.Bold)}}, spans...)
		}
		first = false
		if b.Kind == lesson.Code {
			s.prose(lesson.Prose{b}, viz.Ink{})
			continue
		}
		s.wrap("", spans)
	}
}

// now says what a goal's terms are, and under which settings.
func (p *Pane) now(s *sheet, r lesson.Reading, g lesson.Goal) string {
	list := terms(s.scene, g)
	switch len(list) {
	case 0:
		return ""
	case 1:
		if knob := knobNow(s.scene, list[0].Term, s.ascii); knob != "" {
			return "now " + knob
		}
		return "now " + course.Words(list[0].Value, s.ascii) + under(s.scene, r, s.ascii)
	}
	var parts []string
	for _, l := range list {
		parts = append(parts, cmp.Or(knobNow(s.scene, l.Term, s.ascii), course.Named(l, s.ascii)))
	}
	return "now " + strings.Join(parts, " · ")
}

// knobNow is the knob called key and its value as the controls write it, empty
// if there is none or it is off, which a goal's number is not.
func knobNow(sc *goal.Scene, key string, ascii bool) string {
	l := sc.Lanes[sc.At]
	for _, k := range run.Knobs {
		if k.Key != key || l.Settings == nil {
			continue
		}
		if v := l.Settings.Base().Config().Value(key); !k.IsOff(v) {
			return key + " " + viz.Printable(run.ValueWords(k, v), ascii)
		}
	}
	return ""
}

// terms are the terms of a goal that are more than yes or no.
func terms(sc *goal.Scene, g lesson.Goal) []goal.Leaf {
	if sc == nil {
		return nil
	}
	return slices.DeleteFunc(g.Expr.Now(sc), func(l goal.Leaf) bool {
		return l.Value.Kind == goal.Truth || l.Value.Defined && l.Value.Kind == goal.Text && l.Value.Str == ""
	})
}

// under names the settings that differ from those the task began with, the
// first two.
func under(sc *goal.Scene, r lesson.Reading, ascii bool) string {
	l := sc.Lanes[sc.At]
	if l.Settings == nil {
		return ""
	}
	cfg := l.Settings.Base().Config()
	var list []string
	for _, k := range run.Knobs {
		if !run.SameSetting(cfg, r.Base, k.Key) && len(list) < 2 {
			list = append(list, k.Key+" "+viz.Printable(run.ValueWords(k, cfg.Value(k.Key)), ascii))
		}
	}
	if len(list) == 0 {
		return ""
	}
	return "   at " + strings.Join(list, ", ")
}
