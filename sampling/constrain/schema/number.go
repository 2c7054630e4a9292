package schema

import (
	"math/big"
	"strings"

	"logitscope/sampling/constrain/jsonvalue"
	"logitscope/sampling/constrain/lang"
)

// A numberLang is a set of JSON numbers in plain decimal or, see number_sci.go,
// scientific notation.
type numberLang struct {
	integer, fraction bool // whole numbers and others that are allowed
	canonical         bool // whole numbers have no fraction, not even .0, and no exponent if all are whole
	decimal           bool // no number is in scientific notation
	compare           []comparison
	multiple          *big.Rat   // nil: any
	notMultiple       []*big.Rat // none of these
}

// A comparison is a bound on a number: its sign against value must be one of
// those allowed.
type comparison struct {
	value                *big.Rat
	less, equal, greater bool
}

// allows reports whether a number may have the absolute value that compares so
// with that of the bound.
func (c comparison) allows(cmp int8, negative, nonzero bool) bool {
	switch signed := c.value.Sign(); {
	case !nonzero:
		cmp = int8(-signed)
	case negative && signed >= 0:
		cmp = -1
	case !negative && signed < 0:
		cmp = 1
	case negative:
		cmp = -cmp
	}
	return cmp < 0 && c.less || cmp == 0 && c.equal || cmp > 0 && c.greater
}

// simplified drops a multipleOf that every whole number satisfies.
func (n numberLang) simplified() numberLang {
	if n.multiple != nil && !n.fraction && divides(n.multiple, big.NewRat(1, 1)) {
		n.multiple = nil
	}
	return n
}

// plain matches whole numbers without a bound. They may be written with a
// fraction of zeros or an exponent unless only the canonical form counts.
func (n *numberLang) plain() string {
	if n.canonical {
		return `-?(0|[1-9][0-9]*)`
	}
	return `-?(0|[1-9][0-9]*)(\.0+|[eE]\+?[0-9]{1,3})?`
}

func (n *numberLang) restricted() bool {
	return len(n.compare) > 0 || n.multiple != nil || len(n.notMultiple) > 0
}

// matches reports whether a number belongs to the set.
func (n *numberLang) matches(v *big.Rat) bool {
	if v.IsInt() && !n.integer || !v.IsInt() && !n.fraction {
		return false
	}
	for _, c := range n.compare {
		if s := v.Cmp(c.value); s < 0 && !c.less || s == 0 && !c.equal || s > 0 && !c.greater {
			return false
		}
	}
	if n.multiple != nil && !divides(n.multiple, v) {
		return false
	}
	for _, m := range n.notMultiple {
		if divides(m, v) {
			return false
		}
	}
	return true
}

func divides(m, v *big.Rat) bool { return new(big.Rat).Quo(v, m).IsInt() }

// decimal is a non-negative decimal as digits before and after the point.
type decimal struct{ whole, part string }

// decimalOf splits the absolute value of v, whose denominator is a product of
// twos and fives.
func decimalOf(v *big.Rat) decimal {
	a := new(big.Rat).Abs(v)
	whole, part, _ := strings.Cut(a.FloatString(places(a)), ".")
	return decimal{whole, part}
}

// places is the number of decimals that v needs.
func places(v *big.Rat) int {
	d, n := new(big.Int).Set(v.Denom()), 0
	for two, five, r := big.NewInt(2), big.NewInt(5), new(big.Int); ; n++ {
		if d.Cmp(big.NewInt(1)) == 0 {
			return n
		}
		// Multiplying by ten removes one factor of two and one of five.
		if q, m := new(big.Int).QuoRem(d, two, r); m.Sign() == 0 {
			d = q
		}
		if q, m := new(big.Int).QuoRem(d, five, r); m.Sign() == 0 {
			d = q
		}
		if n > 4*jsonvalue.MaxExponent {
			return n
		}
	}
}

const (
	maxNumberStates = 60_000
	maxNumberWork   = 600_000 // states of all sets of a schema
	maxModulus      = 20_000
	maxComparisons  = 8
	maxBoundDigits  = 5000
	maxModuli       = 3
)

// numberState is how far a number has been read, as far as it matters.
type numberState struct {
	phase    uint8
	negative bool
	nonzero  bool // a digit other than 0 was read
	part     bool // and after the point
	digits   int16
	cmp      [maxComparisons]int8
	rem      [maxModuli]int32 // remainder so far, -1 once not a multiple
}

const (
	numberStart = iota
	numberMinus
	numberZero
	numberWhole
	numberPoint
	numberPart
)

// A numberMachine reads a number digit by digit, comparing with each bound and
// keeping the remainder for each modulus.
type numberMachine struct {
	lang   *numberLang
	bounds []decimal
	moduli []modulus
	whole  int16 // digits before the point that still matter
	places int16 // and after it
}

// A modulus is a step of p/10^k.
type modulus struct {
	p      int64
	k      int16
	wanted bool
}

// A numberPlace is where a number stands that may be read in both notations.
type numberPlace struct {
	plain   numberState
	sci     sciState
	inPlain bool
	inSci   bool
}

// automaton returns the numbers as a deterministic automaton without moves
// that lead nowhere. ok is false if it would be too large.
func (n *numberLang) automaton() (out *lang.NFA, ok bool) {
	m := &numberMachine{lang: n, whole: 1}
	if !m.prepare() {
		return nil, false
	}
	sci := m.scientific()
	out = &lang.NFA{}
	w := &exponentWriter{out: out, done: map[string]int32{}}
	ids := map[numberPlace]int32{}
	var places []numberPlace
	var nodes []int32
	add := func(p numberPlace) int32 {
		id, known := ids[p]
		if !known {
			id = out.Node()
			ids[p] = id
			places, nodes = append(places, p), append(nodes, id)
			out.Final[id] = p.inPlain && m.accepts(p.plain)
		}
		return id
	}
	out.Start = add(numberPlace{inPlain: true, inSci: sci != nil})
	for i := 0; i < len(places); i++ {
		p, at := places[i], nodes[i]
		for _, b := range []byte("-.0123456789") {
			if next := m.next(sci, p, b); next.inPlain || next.inSci {
				to := add(next)
				out.Edges[at] = append(out.Edges[at], lang.Edge{Lo: b, Hi: b, To: to})
			}
		}
		if p.inSci && sci.ready(p.sci) {
			if to := w.afterE(sci.exponents(p.sci)); to != lang.Dead {
				out.Edges[at] = append(out.Edges[at], lang.Edge{Lo: 'E', Hi: 'E', To: to}, lang.Edge{Lo: 'e', Hi: 'e', To: to})
			}
		}
		if len(places) > maxNumberStates {
			return nil, false
		}
	}
	return out.Trimmed(), true
}

// next reads a byte in both notations.
func (m *numberMachine) next(sci *sciMachine, p numberPlace, b byte) (next numberPlace) {
	if p.inPlain {
		if next.plain, next.inPlain = m.step(p.plain, b); !next.inPlain {
			next.plain = numberState{}
		}
	}
	if p.inSci {
		if next.sci, next.inSci = sci.step(p.sci, b); !next.inSci {
			next.sci = sciState{}
		}
	}
	return next
}

func (m *numberMachine) prepare() bool {
	if len(m.lang.compare) > maxComparisons {
		return false
	}
	for _, c := range m.lang.compare {
		d := decimalOf(c.value)
		if len(d.whole)+len(d.part) > maxBoundDigits {
			return false
		}
		m.bounds = append(m.bounds, d)
		m.whole = max(m.whole, int16(len(d.whole)))
		m.places = max(m.places, int16(len(d.part)))
	}
	add := func(v *big.Rat, wanted bool) bool {
		k := places(v)
		p := new(big.Int).Mul(v.Num(), new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(k)), nil))
		p.Quo(p, v.Denom())
		if !p.IsInt64() || p.Int64() > maxModulus || len(m.moduli) == maxModuli {
			return false
		}
		m.moduli = append(m.moduli, modulus{p.Int64(), int16(k), wanted})
		m.places = max(m.places, int16(k))
		return true
	}
	if v := m.lang.multiple; v != nil && !add(v, true) {
		return false
	}
	for _, v := range m.lang.notMultiple {
		if !add(v, false) {
			return false
		}
	}
	return true
}

func (m *numberMachine) step(s numberState, b byte) (numberState, bool) {
	switch {
	case b == '-':
		s.negative = true
		ok := s.phase == numberStart
		s.phase = numberMinus
		return s, ok
	case b == '.':
		ok := s.phase == numberZero || s.phase == numberWhole
		if m.lang.canonical && !m.lang.fraction {
			ok = false
		}
		m.endWhole(&s)
		s.phase, s.digits = numberPoint, 0
		return s, ok
	}
	switch s.phase {
	case numberStart, numberMinus:
		s.phase = numberWhole
		if b == '0' {
			s.phase = numberZero
		}
		m.wholeDigit(&s, b)
	case numberZero:
		return s, false
	case numberWhole:
		m.wholeDigit(&s, b)
	default:
		s.phase = numberPart
		m.partDigit(&s, b)
	}
	s.nonzero = s.nonzero || b != '0'
	return s, !s.part || m.lang.fraction
}

func (m *numberMachine) wholeDigit(s *numberState, b byte) {
	for i, d := range m.bounds {
		if int(s.digits) < len(d.whole) && s.cmp[i] == 0 {
			s.cmp[i] = sign(int(b) - int(d.whole[s.digits]))
		}
	}
	for i, x := range m.moduli {
		s.rem[i] = int32((int64(s.rem[i])*10 + int64(b-'0')) % x.p)
	}
	s.digits = min(s.digits+1, m.whole+1)
}

// endWhole settles comparisons by the number of digits before the point.
func (m *numberMachine) endWhole(s *numberState) {
	for i, d := range m.bounds {
		if n := len(d.whole); int(s.digits) != n {
			s.cmp[i] = sign(int(s.digits) - n)
		}
	}
}

func (m *numberMachine) partDigit(s *numberState, b byte) {
	s.part = s.part || b != '0'
	for i, d := range m.bounds {
		if s.cmp[i] != 0 {
			continue
		}
		want := byte('0')
		if int(s.digits) < len(d.part) {
			want = d.part[s.digits]
		}
		s.cmp[i] = sign(int(b) - int(want))
	}
	for i, x := range m.moduli {
		switch {
		case s.rem[i] < 0:
		case s.digits < x.k:
			s.rem[i] = int32((int64(s.rem[i])*10 + int64(b-'0')) % x.p)
		case b != '0':
			s.rem[i] = -1
		}
	}
	s.digits = min(s.digits+1, m.places+1)
}

func sign(n int) int8 {
	switch {
	case n < 0:
		return -1
	case n > 0:
		return 1
	}
	return 0
}

// accepts reports whether the number may end here.
func (m *numberMachine) accepts(s numberState) bool {
	inPart := s.phase == numberPart
	switch s.phase {
	case numberStart, numberMinus, numberPoint:
		return false
	case numberZero, numberWhole:
		m.endWhole(&s)
		s.digits = 0
	}
	if !s.part && !m.lang.integer || s.part && !m.lang.fraction {
		return false
	}
	if inPart && !s.part && m.lang.canonical {
		return false
	}
	for i, c := range m.lang.compare {
		cmp := s.cmp[i]
		if cmp == 0 && int(s.digits) < len(m.bounds[i].part) && strings.Trim(m.bounds[i].part[s.digits:], "0") != "" {
			cmp = -1
		}
		if !c.allows(cmp, s.negative, s.nonzero) {
			return false
		}
	}
	for i, x := range m.moduli {
		rem := int64(s.rem[i])
		for j := s.digits; rem > 0 && j < x.k; j++ {
			rem = rem * 10 % x.p
		}
		if (rem == 0) != x.wanted {
			return false
		}
	}
	return true
}
