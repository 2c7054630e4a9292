package cache

import (
	"fmt"
	"strconv"
	"time"

	"logitscope/engine/cost"
	"logitscope/ui/tui/kit"
	"logitscope/viz"
)

// measures are what the two phases took here.
type measures struct {
	shape    cost.Shape
	known    bool // the shape
	here     bool // passes can be timed
	model    string
	pass     int // tokens of a pass over the prompt
	prompt   int // tokens read, in passes
	passes   int
	perRead  time.Duration // a token of the prompt; 0 if not known
	text     int           // tokens written
	used     int           // positions of the next one
	textTime time.Duration // a token of the text; 0 if not known
}

// measured sums up what was measured: of the last reading in the view, else of
// the lane's own.
func (v *View) measured(host kit.Host) measures {
	l := host.Lane()
	m := measures{here: here(l), model: l.Model.Info().Name, pass: v.passTokens(), used: len(l.View.Prompt) + len(l.View.Steps)}
	m.shape, m.known = shapeOf(l.Model)
	if r := v.reader; r != nil && r.done > 0 {
		m.prompt, m.passes = r.done, r.passes
		m.pass = r.size
		m.perRead = r.took / time.Duration(r.done)
	} else if p := l.View.Prefill; p.Done > 0 && m.here {
		m.prompt, m.passes = p.Done, (p.Done+m.pass-1)/m.pass
		m.perRead = p.Took / time.Duration(p.Done)
	}
	m.pass = min(m.pass, m.prompt)
	if d := l.View.Decode; d.Done > 0 && m.here {
		m.text, m.textTime = d.Done, d.Took/time.Duration(d.Done)
	} else {
		m.text = len(l.View.Steps)
	}
	return m
}

// work is the mean work of a token of the prompt and of the next one of the
// text.
func (m *measures) work() (prompt, text cost.Work) {
	if m.prompt > 0 {
		prompt = m.shape.Passes(m.prompt, m.pass)
		n := float64(m.prompt)
		prompt.Weights, prompt.KV, prompt.Ops = prompt.Weights/n, prompt.KV/n, prompt.Ops/n
	}
	return prompt, m.shape.Pass(max(m.used-1, 0), 1, 1)
}

const unknown = "–"

// A figure is a row of the table of the two phases.
type figure struct{ name, prompt, text string }

// figures are the rows of the table.
func (m *measures) figures() []figure {
	prompt, text := m.work()
	perSecond := func(d time.Duration) string {
		if d <= 0 {
			return ""
		}
		return viz.Rate(float64(time.Second) / float64(d))
	}
	span := func(d time.Duration) string {
		if d <= 0 {
			return ""
		}
		return viz.Duration(d)
	}
	out := []figure{
		{"tokens a pass", some(m.pass), "1"},
		{"passes", some(m.passes), some(m.text)},
		{"time a token", span(m.perRead), span(m.textTime)},
		{"tokens a second", perSecond(m.perRead), perSecond(m.textTime)},
	}
	if m.known {
		bytes := func(w cost.Work, x float64, of bool) string {
			if !of {
				return ""
			}
			return viz.Bytes(int64(x))
		}
		read := m.prompt > 0
		out = append(out,
			figure{"weights read a token", bytes(prompt, prompt.Weights, read), bytes(text, text.Weights, true)},
			figure{"KV read a token", bytes(prompt, prompt.KV, read), bytes(text, text.KV, m.used > 0)},
			figure{"operations a byte", intensity(prompt), intensity(text)},
			figure{"read a second", reached(prompt.Bytes(), m.perRead, "B"), reached(text.Bytes(), m.textTime, "B")},
			figure{"operations a second", reached(prompt.Ops, m.perRead, ""), reached(text.Ops, m.textTime, "")})
	}
	return out
}

// some is a number of tokens or passes, empty for none.
func some(n int) string {
	if n == 0 {
		return ""
	}
	return viz.Count(n)
}

func intensity(w cost.Work) string {
	if w.Bytes() == 0 {
		return ""
	}
	return short(w.Intensity())
}

// short writes a number above zero in two or three digits.
func short(x float64) string {
	switch {
	case x >= 100:
		return viz.Count(int(x + .5))
	case x >= 9.95:
		return strconv.FormatFloat(x, 'f', 0, 64)
	case x >= 1.995:
		return strconv.FormatFloat(x, 'f', 1, 64)
	}
	return strconv.FormatFloat(x, 'f', 2, 64)
}

// reached is how much a second was done of x a token.
func reached(x float64, a time.Duration, unit string) string {
	if a <= 0 || x == 0 {
		return ""
	}
	per := x / a.Seconds() / 1e9
	return short(per) + " G" + unit
}

// verdict says which limit binds here, as far as what was measured tells.
func (m *measures) verdict() []string {
	if !m.here {
		return []string{"this server does not say what a pass takes"}
	}
	if !m.known {
		return []string{"this model does not say what it is built of"}
	}
	if weights := m.shape.Weights * m.shape.WeightBytes; weights < 32<<20 {
		return []string{fmt.Sprintf("Its %s fit in the caches of most processors: no", viz.Bytes(int64(weights))), "limit binds here. The right side shows where one does."}
	}
	if m.perRead == 0 || m.textTime == 0 {
		return []string{"read a prompt and write some tokens to see what binds"}
	}
	prompt, text := m.work()
	promptOps, textOps := prompt.Ops/m.perRead.Seconds(), text.Ops/m.textTime.Seconds()
	if promptOps > 1.5*textOps {
		return []string{"The text waits for bytes: the prompt's passes do", short(promptOps/textOps) + " times the operations in the same time."}
	}
	return []string{"Operations bind both: a pass of many tokens computes", "no faster than one of a single token."}
}

// brief is the shortest account of both phases.
func (m *measures) brief() string {
	s := "a token of the prompt " + unknown
	if m.perRead > 0 {
		s = "a token of the prompt " + viz.Duration(m.perRead)
	}
	if m.textTime > 0 {
		s += ", of the text " + viz.Duration(m.textTime)
	}
	return s
}
