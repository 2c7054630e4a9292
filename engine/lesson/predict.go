package lesson

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"logitscope/engine/goal"
)

var predictKeys = []string{"ask", "kind", "answer", "within", "because"}

var forms = []Form{Choice, Percent, Bits, Number, Token}

// An asked is a predict block as it stands, before its texts are read.
type asked struct {
	list    map[string]pair
	choices []line
	ok      bool
}

// asked parts a predict block into keys and choices.
func (r *reader) asked(b fenced, quiet bool) asked {
	a := asked{list: map[string]pair{}}
	keys := fenced{n: b.n, word: b.word}
	for _, l := range b.lines {
		text := strings.TrimSpace(l.text)
		if strings.HasPrefix(text, "- ") || strings.HasPrefix(text, "* ") {
			a.choices = append(a.choices, line{l.n, text})
		} else {
			keys.lines = append(keys.lines, l)
		}
	}
	before := len(r.faults)
	var list []pair
	list, a.ok = r.pairs(keys, predictKeys)
	if quiet {
		r.faults = r.faults[:before]
	}
	for _, p := range list {
		a.list[p.key] = p
	}
	return a
}

// predict reads what kind of answer a question has, which the texts of the
// task may speak of.
func (r *reader) predict(b fenced) *Predict {
	a := r.asked(b, false)
	p := &Predict{Line: b.n}
	kind, has := a.list["kind"]
	p.Form = Form(kind.value)
	switch {
	case has && !slices.Contains(forms, p.Form):
		r.faultf(kind.n, "kind: %s: want choice, percent, bits, number or token", goal.Shown(kind.value))
		p.Form = ""
	case !has && a.ok:
		r.faultf(b.n, "the predict block needs a kind")
	}
	if _, has := a.list["ask"]; !has && a.ok {
		r.faultf(b.n, "the predict block needs a question: ask")
	}
	if r.predicted = p.Form.Kind(); r.predicted == goal.None {
		r.predicted = goal.Number
	}
	return p
}

// question reads the texts of a question and its right answer.
func (r *reader) question(p *Predict, b fenced) {
	a := r.asked(b, true)
	text := func(key string) Prose {
		if l, ok := a.list[key]; ok {
			return r.prose([]line{{l.n, l.value}})
		}
		return nil
	}
	p.Ask, p.Because = text("ask"), text("because")
	if p.Form == "" {
		return
	}
	if p.Form == Choice {
		r.choices(p, b, a)
		return
	}
	for _, c := range a.choices {
		r.faultf(c.n, "%s: only a question of kind choice has lines to choose from", goal.Shown(c.text))
	}
	r.answer(p, b, a)
	r.within(p, b, a)
}

func (r *reader) answer(p *Predict, b fenced, a asked) {
	answer, has := a.list["answer"]
	if !has {
		if a.ok {
			r.faultf(b.n, "the predict block needs an answer")
		}
		return
	}
	predicted := r.predicted
	r.predicted = goal.None // an answer cannot speak of itself
	e := r.expr(answer.n, answer.value)
	r.predicted = predicted
	if e == nil {
		return
	}
	want := p.Form.Kind()
	quote, quoted := e.Quotes()
	switch k := e.Kind(); {
	case p.Form == Token && quoted:
		r.quote(answer.n, []string{quote}, false)
	case k == want, k == goal.Number && want.IsNumber():
	default:
		r.faultf(answer.n, "answer: %s is %s; a question of kind %s wants %s", goal.Shown(e.String()), k, p.Form, want)
	}
	p.Answer = e
}

// units are the words after a number in within.
var units = map[Form][]string{Percent: {"points"}, Bits: {"", "bits"}, Number: {""}}

func (r *reader) within(p *Predict, b fenced, a asked) {
	w, has := a.list["within"]
	switch {
	case has && p.Form == Token:
		r.faultf(w.n, "within: a token is right or not")
		return
	case !has && a.ok && p.Form == Percent:
		r.faultf(b.n, "the predict block needs within: how many points off still count")
		return
	case !has && a.ok && p.Form == Bits:
		r.faultf(b.n, "the predict block needs within: how many bits off still count")
		return
	case !has:
		return
	}
	number, unit, _ := strings.Cut(w.value, " ")
	x, ok := plainNumber(number)
	if !ok || !slices.Contains(units[p.Form], strings.TrimSpace(unit)) {
		r.faultf(w.n, "within: %s: want %s", goal.Shown(w.value), withinForms[p.Form])
		return
	}
	if p.Within = x; p.Form == Percent {
		p.Within = x / 100
	}
}

var withinForms = map[Form]string{Percent: "points, as in 5 points", Bits: "bits, as in 1 bits", Number: "a number"}

// choices reads the lines to choose from.
func (r *reader) choices(p *Predict, b fenced, a asked) {
	for _, key := range []string{"answer", "within"} {
		if l, has := a.list[key]; has {
			r.faultf(l.n, "%s: a question of kind choice has none: its right line begins with *", key)
		}
	}
	right := 0
	for _, c := range a.choices {
		text, why, found := strings.Cut(c.text[2:], " :: ")
		text, why = strings.TrimSpace(text), strings.TrimSpace(why)
		o := Option{Line: c.n, Right: c.text[0] == '*'}
		if o.Right {
			right++
		}
		var err error
		switch {
		case !found || why == "":
			err = fmt.Errorf("%s: its why is missing: want - text :: why", goal.Shown(text))
		case text == "":
			err = errors.New("no words before :: in a line to choose")
		case o.Right && right > 1:
			err = errors.New("two lines are right; want exactly one with *")
		}
		if err != nil {
			r.fault(c.n, err)
			continue
		}
		o.Text, o.Why = r.prose([]line{{c.n, text}}), r.prose([]line{{c.n, why}})
		p.Choices = append(p.Choices, o)
	}
	switch {
	case !a.ok:
	case len(a.choices) < 2:
		r.faultf(b.n, "a question of kind choice needs two lines or more")
	case right == 0:
		r.faultf(b.n, "no line is right: one must begin with *")
	}
}
