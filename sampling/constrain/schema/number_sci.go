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

// Exponents go as far as the numbers of 64 bits; under a multipleOf, where each
// is tried, less far. The digits of a mantissa are counted where that matters.
const (
	maxSciExponent  = 307
	maxStepExponent = 30
	maxSciDigits    = 17
	maxSciModulus   = 16
	maxSciPlaces    = 3 // digits of an exponent
)

// sciState is how far a mantissa has been read, as far as it matters.
type sciState struct {
	phase    uint8 // as of numberState
	negative bool
	nonzero  bool
	trailing bool // the last digit is a 0 behind the point
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

// at is a digit, zero behind the last.
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
	behind := max(int(s.digits)-1, 0) // digits behind the point
	if s.trailing {
		behind--
	}
	if whole := !s.nonzero || exponent >= behind; m.counted && (whole && !m.lang.integer || !whole && !m.lang.fraction) {
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
		rem, shift := int64(s.rem[i]), exponent-behind+int(x.k)
		for j := 0; j < shift && rem != 0; j++ {
			rem = rem * 10 % x.p
		}
		if multiple := !s.nonzero || shift >= 0 && rem == 0; multiple != x.wanted {
			return false
		}
	}
	return true
}

// A span is the whole numbers lo..hi.
type span struct{ lo, hi int }

// exponents lists those that lead into the set, in ascending order.
func (m *sciMachine) exponents(s sciState) (list []span) {
	most, cuts := maxSciExponent, []int{}
	if len(m.moduli) > 0 {
		most = maxStepExponent
		for e := -most; e <= most; e++ {
			cuts = append(cuts, e)
		}
	}
	cuts = append(cuts, -most, most+1, int(s.digits)-1, int(s.digits)-2)
	for _, d := range m.bounds {
		cuts = append(cuts, d.exponent, d.exponent+1)
	}
	slices.Sort(cuts)
	for i, lo := range cuts[:len(cuts)-1] {
		hi := cuts[i+1] - 1
		if lo < -most || hi > most || lo > hi || !m.allows(s, lo) {
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
	any  [maxSciPlaces + 1]int32 // behind a digit with any others to come, 0 if not made
	done map[string]int32
}

// behindE returns the node behind the "e", or dead if no exponent may come.
func (w *exponentWriter) behindE(list []span) int32 {
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
	at := w.node()
	w.digits(at, up, 0, maxSciPlaces)
	plus, minus := w.node(), w.node()
	w.digits(plus, up, 0, maxSciPlaces)
	w.digits(minus, down, 0, maxSciPlaces)
	w.out.Edges[at] = append([]lang.Edge{{Lo: '+', Hi: '+', To: plus}, {Lo: '-', Hi: '-', To: minus}}, w.out.Edges[at]...)
	w.done[key.String()] = at
	return at
}

func (w *exponentWriter) node() int32 { return w.out.Node() }

// digits adds to a node the next digit of numbers that begin with those of
// value, with left digits to come at most.
func (w *exponentWriter) digits(at int32, list []span, value, left int) {
	if left == 0 {
		return
	}
	for d := range 10 {
		if to := w.behind(list, 10*value+d, left-1); to != lang.Dead {
			b := byte('0' + d)
			w.out.Edges[at] = append(w.out.Edges[at], lang.Edge{Lo: b, Hi: b, To: to})
		}
	}
}

// behind is the node behind the digits of value, or dead.
func (w *exponentWriter) behind(list []span, value, left int) int32 {
	all, none := true, true
	for i, lo, hi := 0, value, value; i <= left; i, lo, hi = i+1, 10*lo, 10*hi+9 {
		whole := slices.ContainsFunc(list, func(s span) bool { return s.lo <= lo && hi <= s.hi })
		all = all && whole
		none = none && !slices.ContainsFunc(list, func(s span) bool { return s.lo <= hi && lo <= s.hi })
	}
	switch {
	case none:
		return lang.Dead
	case all && w.any[left] > 0:
		return w.any[left]
	}
	at := w.node()
	if all {
		w.any[left] = at
	}
	w.out.Final[at] = slices.ContainsFunc(list, func(s span) bool { return s.lo <= value && value <= s.hi })
	w.digits(at, list, value, left)
	return at
}
