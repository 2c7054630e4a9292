package lessons

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"logitscope/engine/lesson"
	"logitscope/sampling"
	"logitscope/ui/handout"
	"logitscope/ui/store"
	"logitscope/ui/tui"
	"logitscope/ui/tui/course"
	"logitscope/viz"
)

// Plain reads a lesson line by line, from task i on: it writes texts and
// numbers to w, and takes answers, settings and steps from in, until the lesson
// or the input ends. kept is told what was done, as the lab does.
func (c *Checker) Plain(ctx context.Context, l *lesson.Lesson, i int, in io.Reader, w *Writer, kept func(id, sha string, task int, change func(*store.TaskProgress))) error {
	opt := c.options(l)
	opt.Lessons.Task, opt.Lessons.Kept = i, kept
	lab, err := tui.NewOffscreen(ctx, opt, wide, high)
	if err != nil {
		return err
	}
	defer lab.Close()
	p := &plain{Writer: w, lab: lab, lesson: l, in: bufio.NewScanner(in)}
	p.in.Buffer(nil, 1<<16)
	w.Sheet(&handout.Sheet{Title: l.Title, Section: l.Section, Minutes: l.Minutes}, Show{})
	_, sc, _ := lab.Lesson()
	if i == 0 && len(l.Intro) > 0 {
		fmt.Fprintln(w.Out)
		w.blocks("", blocks(l.Intro, sc))
	}
	for {
		if err := p.begin(); err != nil {
			return err
		}
		if p.task().Predict != nil && !p.ask() {
			return p.ended()
		}
		p.goals()
		if !p.work() {
			return p.ended()
		}
		r, _, _ := lab.Lesson()
		if r.At+1 == len(l.Tasks) {
			fmt.Fprintln(w.Out, "\nThat was the last task.")
			return nil
		}
		if err := lab.Task(r.At + 1); err != nil {
			return err
		}
	}
}

// A plain is a lesson that is read line by line.
type plain struct {
	*Writer
	lab    *tui.Offscreen
	lesson *lesson.Lesson
	in     *bufio.Scanner
	told   bool // that the goals are met
}

func (p *plain) task() *lesson.Task {
	r, _, _ := p.lab.Lesson()
	return r.Task()
}

// line asks for a line; ok is false at the end of the input.
func (p *plain) line(prompt string) (s string, ok bool) {
	fmt.Fprint(p.Out, prompt)
	if !p.in.Scan() {
		fmt.Fprintln(p.Out)
		return "", false
	}
	return strings.TrimSpace(p.in.Text()), true
}

func (p *plain) ended() error {
	if p.lab.Err() != nil {
		return p.lab.Err()
	}
	return p.in.Err()
}

// begin writes the text of the task.
func (p *plain) begin() error {
	r, sc, err := p.lab.Lesson()
	if err != nil {
		return err
	}
	t := r.Task()
	p.told = false
	fmt.Fprintf(p.Out, "\nTask %d of %d: %s\n", r.At+1, len(p.lesson.Tasks), t.Title)
	if len(t.Text) > 0 {
		fmt.Fprintln(p.Out)
		p.blocks("", blocks(t.Text, sc))
	}
	return nil
}

// ask asks the question of the task and says whether the answer was right. An
// empty line leaves it out.
func (p *plain) ask() bool {
	_, sc, _ := p.lab.Lesson()
	q := p.task().Predict
	fmt.Fprintln(p.Out)
	p.wrapped("? ", Plain(q.Ask, sc))
	for i, c := range q.Choices {
		p.wrapped(fmt.Sprintf("  %d  ", i+1), Plain(c.Text, sc))
	}
	for {
		s, ok := p.line("your answer (" + string(q.Form) + "; enter skips): ")
		if !ok || s == "" {
			return ok
		}
		v, err := q.Read(s)
		if err != nil {
			p.say(err.Error())
			continue
		}
		p.lab.Guess(v)
		right, answer := q.Right(v, sc)
		word := "not right"
		if right {
			word = "right"
		}
		if len(q.Choices) == 0 {
			word += ": it is " + course.Words(answer, p.ASCII)
		}
		p.say(word)
		for _, c := range q.Choices {
			if c.Text.Plain() == v.Str || c.Right && !right {
				p.wrapped("  ", Plain(c.Text, sc)+": "+Plain(c.Why, sc))
			}
		}
		if len(q.Because) > 0 {
			p.wrapped("  ", Plain(q.Because, sc))
		}
		return true
	}
}

func (p *plain) say(s string) { p.wrapped("", viz.Printable(s, p.ASCII)) }

// goals writes each goal with its mark and what it comes to now.
func (p *plain) goals() {
	r, sc, _ := p.lab.Lesson()
	for i, g := range r.Task().Goals {
		s := g.Words
		if sc != nil {
			s += now(g.Expr, sc)
		}
		p.wrapped(p.mark(r.Met[i])+" ", s)
	}
	if len(r.Task().Goals) > 0 && r.Done && !p.told {
		p.told = true
		p.reveal()
	}
}

// reveal writes what was to be seen.
func (p *plain) reveal() {
	r, sc, _ := p.lab.Lesson()
	fmt.Fprintln(p.Out)
	if rest := r.Task().Reveal; len(rest) > 0 {
		p.blocks("", blocks(rest, sc))
		fmt.Fprintln(p.Out)
	}
	if r.Done {
		p.say("Done. enter goes on; stay as long as you like.")
	}
}

// A plainVerb is a word that is typed. do is nil for those that a solution has
// as well, and for quit; it reports whether the reader goes on.
type plainVerb struct {
	name, about string
	do          func(p *plain) (leave bool)
}

var plainVerbs []plainVerb

func init() { // help lists them, so a plain table would refer to itself
	plainVerbs = []plainVerb{
		{"set", "set temperature=0.5, top_k=40: change settings", nil},
		{"steps", "steps 3: write three tokens more", nil},
		{"rounds", "rounds 2: two rounds of speculative decoding", nil},
		{"done", "write until the text ends", nil},
		{"keys", "keys V esc: press keys of the lab", nil},
		{"show", "the text, and the tokens that are likely here", func(p *plain) bool { p.show(); return false }},
		{"goals", "the goals, and what they come to now", func(p *plain) bool { p.told = false; p.goals(); return false }},
		{"hint", "the next hint", func(p *plain) bool { p.hint(); return false }},
		{"again", "set the task up again", func(p *plain) bool { p.told = false; p.failed(p.lab.Again()); p.goals(); return false }},
		{"skip", "leave the task out", func(p *plain) bool { p.skip(); return true }},
		{"next", "go on to the next task", func(*plain) bool { return true }},
		{"quit", "stop here; what is done is kept", nil},
		{"help", "this list", func(p *plain) bool { p.help(); return false }},
	}
}

// work takes lines until the reader goes on; it reports false at the end.
func (p *plain) work() bool {
	for {
		s, ok := p.line("> ")
		if !ok {
			return false
		}
		verb, _, _ := strings.Cut(s, " ")
		i := slices.IndexFunc(plainVerbs, func(v plainVerb) bool { return v.name == verb })
		r, _, _ := p.lab.Lesson()
		switch {
		case s == "" && (r.Done || len(r.Task().Goals) == 0):
			p.lab.Turn()
			return true
		case s == "":
			p.say("The goals are still open. help lists what can be typed; skip leaves the task out.")
		case verb == "quit":
			return false
		case i >= 0 && plainVerbs[i].do != nil:
			if plainVerbs[i].do(p) {
				return true
			}
		default:
			p.act(s)
		}
	}
}

// act does a line as a solution has it.
func (p *plain) act(s string) {
	cmd, err := p.lesson.Command(s)
	if err != nil {
		p.say(err.Error() + "; help lists what can be typed")
		return
	}
	p.failed(p.lab.Play(cmd))
	p.show()
	p.goals()
}

func (p *plain) failed(err error) {
	if err != nil {
		p.say(err.Error())
	}
}

func (p *plain) hint() {
	r, sc, _ := p.lab.Lesson()
	t := r.Task()
	if len(t.Hints) == 0 {
		p.say("no hint for this task")
		return
	}
	p.lab.Hint()
	r, _, _ = p.lab.Lesson()
	p.blocks(fmt.Sprintf("hint %d of %d: ", r.Hints, len(t.Hints)), blocks(t.Hints[max(r.Hints-1, 0)], sc))
}

func (p *plain) skip() {
	p.lab.Skip()
	if r, _, _ := p.lab.Lesson(); r.Skipped {
		p.say("skipped")
		p.reveal()
	}
}

func (p *plain) help() {
	for _, v := range plainVerbs {
		p.wrapped(fmt.Sprintf("%-8s", v.name), v.about)
	}
}

// shownRows is how many tokens show lists.
const shownRows = 8

// show writes the text and the tokens that are likely at the step looked at.
func (p *plain) show() {
	_, sc, _ := p.lab.Lesson()
	if sc == nil {
		return
	}
	s := sc.Step()
	p.wrapped("text: ", viz.Printable(sc.Text(), p.ASCII))
	if s == nil || s.Trace == nil {
		return
	}
	t := s.Trace
	voc := sc.Lanes[sc.At].Model.Vocab()
	fmt.Fprintf(p.Out, "step %d: %s of %s tokens are left, %s bits before the settings, %s after\n", s.Index,
		viz.Count(t.Survived), viz.Count(t.Vocab), viz.Two(float64(t.RawBits)), viz.Two(float64(t.Bits)))
	for i, r := range t.Rows() {
		if i >= shownRows && !r.Pinned && r.ID != s.Token {
			continue
		}
		p.row(voc.Piece(r.ID), &r, t, r.ID == s.Token)
	}
}

func (p *plain) row(piece string, r *sampling.Row, t *sampling.Trace, chosen bool) {
	final, note := viz.Percent(float64(r.Prob)), ""
	if r.Cut != sampling.NoStage {
		final, note = viz.Removed, "cut by "+t.Stages()[r.Cut].Name
	}
	if chosen {
		note = "chosen"
		if !t.Greedy && !math.IsNaN(t.U) {
			note += ": the draw " + viz.Three(t.U) + " falls in it"
		}
	}
	fmt.Fprintln(p.Out, strings.TrimRight(fmt.Sprintf("  rank %d  %s  model %s  final %s  %s", r.Rank, viz.Label(piece, p.ASCII), viz.Percent(float64(r.RawProb)), final, note), " "))
}
