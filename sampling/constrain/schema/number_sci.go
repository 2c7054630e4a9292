package schema

import (
	"fmt"
	"slices"
	"strings"

	"logitscope/sampling/constrain/lang"
)

// Numbers in scientific notation have one digit before the point, as programs
// write them: the mantissa is compared with the bounds digit by digit, and at
// the "e" it is known which exponents lead into the set.

// Exponents have no end, but under a multipleOf, where each is tried. The digits
// of a mantissa are counted where that matters.
const (
	maxStepExponent = 30
	maxSciDigits    = 17
	maxSciModulus   = 16
)

// sciState is how far a mantissa has been read, as far as it matters.
type sciState struct {
	phase    uint8 // as of numberState
	negative bool
	nonzero  bool
	trailing bool // the last digit is a 0 after the point
	digits   int16
	cmp      [maxComparisons]int8
	rem      [maxModuli]int32
}

// A sciMachine reads mantissas.
type sciMachine struct {
	*numberMachine
	bounds  []significand
	counted bool  // the number of digits matters
	most    int16 // digits that matter
}

// A significand is the absolute value of a bound: its digits without zeros
// around them, none for 0, and the power of ten of the first.
type significand struct {
	digits   string
	exponent int
}

// scientific returns the machine for a set, or nil if its numbers are written
// in plain decimal notation alone.
func (m *numberMachine) scientific() *sciMachine {
	if m.lang.canonical && !m.lang.fraction || m.lang.decimal {
		return nil
	}
	s := &sciMachine{numberMachine: m}
	for _, x := range m.moduli {
		if x.p > maxSciModulus {
			return nil
		}
		s.counted = true
	}
	s.counted = s.counted || !m.lang.integer || !m.lang.fraction
	for _, d := range m.bounds {
		b := significand{strings.Trim(d.whole+d.part, "0"), len(d.whole) - 1}
		b.exponent -= len(d.whole+d.part) - len(strings.TrimLeft(d.whole+d.part, "0"))
		s.bounds = append(s.bounds, b)
		s.most = max(s.most, int16(len(b.digits)))
	}
	return s
}

func (m *sciMachine) step(s sciState, b byte) (sciState, bool) {
	from := s.phase
	switch {
	case b == '-':
		s.negative, s.phase = true, numberMinus
		return s, from == numberStart
	case b == '.':
		s.phase = numberPoint
		return s, from == numberZero || from == numberWhole
	case from == numberZero, from == numberWhole:
		return s, false
	case from == numberStart || from == numberMinus:
		if s.phase = numberWhole; b == '0' {
			s.phase = numberZero
			return s, true
		}
	default:
		s.phase = numberPart
		if !s.nonzero {
			return s, b == '0'
		}
		s.trailing = m.counted && b == '0'
	}
	return m.digit(s, b)
}

func (m *sciMachine) digit(s sciState, b byte) (sciState, bool) {
	s.nonzero = true
	for i, d := range m.bounds {
		if s.cmp[i] == 0 {
			s.cmp[i] = sign(int(b) - int(d.at(s.digits)))
		}
	}
	for i, x := range m.moduli {
		s.rem[i] = int32((int64(s.rem[i])*10 + int64(b-'0')) % x.p)
	}
	s.digits++
	if !m.counted {
		s.digits = min(s.digits, m.most)
	}
	return s, !m.counted || s.digits <= m.limit()
}

// limit is the most digits of a mantissa. Whole numbers have one.
func (m *sciMachine) limit() int16 {
	if !m.lang.fraction {
		return 1
	}
	return maxSciDigits
}

// at is a digit, zero after the last.
func (d significand) at(i int16) byte {
	if int(i) < len(d.digits) {
		return d.digits[i]
	}
	return '0'
}

// ready reports whether an exponent may come. Where digits are counted no zero
// may stand before it but that of "1.0e5".
func (m *sciMachine) ready(s sciState) bool {
	return (s.phase == numberZero || s.phase == numberWhole || s.phase == numberPart) && (!s.trailing || s.digits == 2 && len(m.moduli) == 0)
}

// allows reports whether the mantissa with an exponent belongs to the set.
func (m *sciMachine) allows(s sciState, exponent int) bool {
	after := max(int(s.digits)-1, 0) // digits after the point
	if s.trailing {
		after--
	}
	if whole := !s.nonzero || exponent >= after; m.counted && (whole && !m.lang.integer || !whole && !m.lang.fraction) {
		return false
	}
	for i, c := range m.lang.compare {
		d := m.bounds[i]
		cmp := sign(exponent - d.exponent)
		switch {
		case d.digits == "":
			cmp = 1
		case cmp == 0 && s.cmp[i] == 0 && int(s.digits) < len(d.digits):
			cmp = -1
		case cmp == 0:
			cmp = s.cmp[i]
		}
		if !c.allows(cmp, s.negative, s.nonzero) {
			return false
		}
	}
	for i, x := range m.moduli {
		rem, shift := int64(s.rem[i]), exponent-after+int(x.k)
		for j := 0; j < shift && rem != 0; j++ {
			rem = rem * 10 % x.p
		}
		if multiple := !s.nonzero || shift >= 0 && rem == 0; multiple != x.wanted {
			return false
		}
	}
	return true
}

// A span is the whole numbers lo..hi. Its ends may be endless, with either sign.
type span struct{ lo, hi int }

const endless = 1 << 30

// exponents lists those that lead into the set, in ascending order. Between two
// cuts all of them do, or none.
func (m *sciMachine) exponents(s sciState) (list []span) {
	cuts := []int{-endless, endless + 1, int(s.digits) - 1, int(s.digits) - 2}
	if len(m.moduli) > 0 {
		cuts = cuts[2:]
		for e := -maxStepExponent; e <= maxStepExponent+1; e++ {
			cuts = append(cuts, e)
		}
	}
	for _, d := range m.bounds {
		cuts = append(cuts, d.exponent, d.exponent+1)
	}
	slices.Sort(cuts)
	for i, lo := range cuts[:len(cuts)-1] {
		hi := cuts[i+1] - 1
		far := len(m.moduli) > 0 && (lo < -maxStepExponent || hi > maxStepExponent)
		if far || lo > hi || !m.allows(s, hi) {
			continue
		}
		if n := len(list) - 1; n >= 0 && list[n].hi == lo-1 {
			list[n].hi = hi
			continue
		}
		list = append(list, span{lo, hi})
	}
	return list
}

// An exponentWriter adds the automata of exponents to that of numbers.
type exponentWriter struct {
	out  *lang.NFA
	any  int32 // after a digit with any others to come, 0 if not made
	done map[string]int32
}

// afterE returns the node after the "e", or dead if no exponent may come.
func (w *exponentWriter) afterE(list []span) int32 {
	if len(list) == 0 {
		return lang.Dead
	}
	var key strings.Builder
	var up, down []span
	for _, s := range list {
		for _, n := range []int{s.lo, s.hi} {
			fmt.Fprint(&key, n, " ")
		}
		if s.hi >= 0 {
			up = append(up, span{max(s.lo, 0), s.hi})
		}
		if s.lo <= 0 {
			down = append(down, span{max(-s.hi, 0), -s.lo})
		}
	}
	if at, ok := w.done[key.String()]; ok {
		return at
	}
	at, plus, minus := w.node(), w.node(), w.node()
	w.first(at, up)
	w.first(plus, up)
	w.first(minus, down)
	w.out.Edges[at] = append([]lang.Edge{{Lo: '+', Hi: '+', To: plus}, {Lo: '-', Hi: '-', To: minus}}, w.out.Edges[at]...)
	w.done[key.String()] = at
	return at
}

func (w *exponentWriter) node() int32 { return w.out.Node() }

func (w *exponentWriter) edge(at int32, digit int, to int32) {
	if to != lang.Dead {
		b := byte('0' + digit)
		w.out.Edges[at] = append(w.out.Edges[at], lang.Edge{Lo: b, Hi: b, To: to})
	}
}

// first adds to a node the first digit of an exponent: zeros, then others.
func (w *exponentWriter) first(at int32, list []span) {
	if len(list) == 0 {
		return
	}
	zeros := w.node()
	w.out.Final[zeros] = holdsNumber(list, 0)
	w.edge(at, 0, zeros)
	w.edge(zeros, 0, zeros)
	for d := 1; d < 10; d++ {
		to := w.after(list, d)
		w.edge(at, d, to)
		w.edge(zeros, d, to)
	}
}

func holdsNumber(list []span, n int) bool {
	return slices.ContainsFunc(list, func(s span) bool { return s.lo <= n && n <= s.hi })
}

// after is the node after the digits of value, or dead.
func (w *exponentWriter) after(list []span, value int) int32 {
	most := 0 // the greatest end; beyond it all numbers belong to the list, or none
	for _, s := range list {
		if most = max(most, s.lo); s.hi < endless {
			most = max(most, s.hi)
		}
	}
	all, none := true, true
	for lo, hi := value, value; ; lo, hi = 10*lo, 10*hi+9 {
		all = all && slices.ContainsFunc(list, func(s span) bool { return s.lo <= lo && hi <= s.hi })
		none = none && !slices.ContainsFunc(list, func(s span) bool { return s.lo <= hi && lo <= s.hi })
		if lo > most {
			break
		}
	}
	switch {
	case none:
		return lang.Dead
	case all && w.any > 0:
		return w.any
	}
	at := w.node()
	w.out.Final[at] = holdsNumber(list, value)
	if all {
		w.any = at
		w.out.Edges[at] = append(w.out.Edges[at], lang.Edge{Lo: '0', Hi: '9', To: at})
		return at
	}
	for d := range 10 {
		w.edge(at, d, w.after(list, 10*value+d))
	}
	return at
}
