package automaton

import (
	"sync"
	"unicode/utf8"

	"logitscope/sampling/constrain/lang"
	"logitscope/sampling/constrain/program"
)

// maxCheckStates bounds the states kept while checking one text.
const maxCheckStates = 1 << 17

// A Checker reads a text in parts and tells whether a grammar accepts it. It
// needs no vocabulary. It is not safe for concurrent use.
type Checker struct {
	g      *Grammar
	a      *automaton
	at     int32
	points int // code points begun so far
	rest   int // bytes still expected by the code point under way
	deadAt int
	most   int // states kept
}

// Checker returns a checker at the beginning of a text.
func (g *Grammar) Checker() *Checker {
	c := &Checker{g: g, a: newAutomaton(g.prog), deadAt: -1, most: maxCheckStates}
	c.at = c.a.start
	return c
}

// Write reads more of the text. It never fails; once the text is dead further
// bytes are ignored.
func (c *Checker) Write(text []byte) (int, error) {
	for i, b := range text {
		if c.deadAt >= 0 {
			break
		}
		c.count(text[i:], b)
		to := c.a.step(c.at, b)
		if to == lang.Dead {
			c.deadAt = c.points - 1
			break
		}
		c.at = to
		if c.a.states.n > c.most {
			c.forget()
		}
	}
	return len(text), nil
}

// count advances the number of code points begun; a byte that belongs to none
// counts as one.
func (c *Checker) count(rest []byte, b byte) {
	if c.rest > 0 && b&0xC0 == 0x80 {
		c.rest--
		return
	}
	c.points++
	c.rest = 0
	if r, n := utf8.DecodeRune(rest); r != utf8.RuneError || n > 1 {
		c.rest = n - 1
	} else if !utf8.FullRune(rest) {
		c.rest = int(lang.UTF8Left[max(lang.UTF8Lead(b), 0)])
	}
}

// forget starts a fresh automaton at the current place, so that a long text
// with ever new states does not grow without bound. What is kept is the
// current items with their stacks.
func (c *Checker) forget() {
	old, st := c.a, c.a.states.at(c.at)
	c.a = newAutomaton(c.g.prog)
	moved := map[int32]int32{bottom: bottom}
	items := make([]item, len(st.items))
	for i, it := range st.items {
		if it.at < 0 {
			it.at, _ = c.a.internString(c.a.adoptString(old, old.strings[^it.at].StringState))
		}
		items[i] = item{it.at, c.a.adopt(old, it.stack, moved)}
	}
	c.a.begin()
	c.a.set.items = append(c.a.set.items, items...)
	c.a.set.accept = st.accept
	c.at = c.a.finish()
}

// adopt copies a stack from another automaton of the same program.
func (a *automaton) adopt(from *automaton, stack int32, moved map[int32]int32) int32 {
	var chain []int32
	for {
		if _, ok := moved[stack]; ok {
			break
		}
		chain = append(chain, stack)
		stack = from.frames[stack].parent
	}
	to := moved[stack]
	for i := len(chain) - 1; i >= 0; i-- {
		f := from.frames[chain[i]]
		x := f.a
		if a.p.Nodes[f.place].Kind == program.NodeObject {
			x = a.adoptData(from, f.a)
		}
		to = a.frame(f.place, x, f.b, to)
		moved[chain[i]] = to
	}
	return to
}

// adoptString copies the state of a string from another automaton.
func (a *automaton) adoptString(from *automaton, st lang.StringState) lang.StringState {
	if st.Text != 0 {
		st.Text, st.Seen = a.internText(emptyText, from.textOf(st)), a.adoptData(from, st.Seen)
	}
	return st
}

func (a *automaton) adoptData(from *automaton, id int32) int32 {
	d := from.data[id]
	d.Texts = a.taken.Adopt(d.Texts)
	return a.internData(d)
}

// Accepted reports whether the text so far is complete.
func (c *Checker) Accepted() bool { return c.deadAt < 0 && c.a.states.at(c.at).accept }

// DeadAt returns the index of the first code point after which nothing can
// complete the text, or -1 while something still can. A byte that is part of
// no code point counts as one.
func (c *Checker) DeadAt() int { return c.deadAt }

// Check reports whether the grammar accepts a text, and if not whether it is
// only unfinished: DeadAt is the index of the first code point after which
// nothing can complete it, or -1.
func (g *Grammar) Check(text []byte) (accepted bool, deadAt int) {
	c, _ := g.checkers.Get().(*Checker)
	if c == nil {
		c = g.Checker()
	}
	c.at, c.points, c.rest, c.deadAt = c.a.start, 0, 0, -1
	c.Write(text)
	accepted, deadAt = c.Accepted(), c.DeadAt()
	g.checkers.Put(c)
	return accepted, deadAt
}

// checkerPool lets repeated checks reuse what they have built.
type checkerPool struct{ sync.Pool }
