package schema

import (
	"math/big"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"logitscope/sampling/constrain/automaton"
	"logitscope/sampling/constrain/lang"
)

func rat(s string) *big.Rat {
	r, ok := new(big.Rat).SetString(s)
	if !ok {
		panic(s)
	}
	return r
}

// TestNumbersAgainstArithmetic compares the digit automata with exact
// arithmetic on numbers near their bounds and random ones.
func TestNumbersAgainstArithmetic(t *testing.T) {
	atLeast := func(s string) comparison { return comparison{rat(s), false, true, true} }
	atMost := func(s string) comparison { return comparison{rat(s), true, true, false} }
	above := func(s string) comparison { return comparison{rat(s), false, false, true} }
	below := func(s string) comparison { return comparison{rat(s), true, false, false} }
	not := func(s string) comparison { return comparison{rat(s), true, false, true} }
	langs := []numberLang{
		{integer: true, compare: []comparison{atLeast("3")}},
		{integer: true, compare: []comparison{atLeast("-17"), atMost("1000")}},
		{integer: true, compare: []comparison{above("0"), below("10")}},
		{integer: true, fraction: true, compare: []comparison{atLeast("-1.25"), below("99.995")}},
		{integer: true, fraction: true, compare: []comparison{above("0.01"), atMost("0.1")}},
		{integer: true, fraction: true, multiple: rat("0.01")},
		{integer: true, fraction: true, multiple: rat("1.5"), compare: []comparison{atMost("20")}},
		{integer: true, multiple: rat("7"), compare: []comparison{atLeast("100"), atMost("5000")}},
		{fraction: true, compare: []comparison{atLeast("-2"), atMost("2")}},
		{integer: true, fraction: true, compare: []comparison{not("0"), not("1.5")}},
		{integer: true, fraction: true, notMultiple: []*big.Rat{rat("0.5")}},
		{integer: true, fraction: true, canonical: true, compare: []comparison{above("0")}},
		{integer: true, canonical: true, compare: []comparison{atMost("-1")}},
		{integer: true, fraction: true, compare: []comparison{above("1e-400"), atMost("1e300")}},
		{integer: true, fraction: true, compare: []comparison{atLeast("-9.99e1500")}},
	}
	texts := []string{"0", "-0", "0.0", "-0.0", "1", "1.0", "1.5", "1.50", "-1", "-1.25", "-1.250", "-1.2501", "-1.26", "10", "9", "9.0", "9.5", "99.995", "99.99", "99.9949999", "100", "1000", "1001", "1000.0", "-17", "-18", "-17.0", "3", "2", "2.9999", "0.01", "0.010", "0.0100001", "0.1", "0.10001", "20", "21", "19.5", "105", "4998", "4999", "5000.0", "0.5", "0.25", "-2", "-2.0", "-2.0001", "-1.9999"}
	rng := rand.New(rand.NewPCG(1, 2))
	for i := 0; i < 400; i++ {
		s := new(big.Rat).SetFrac64(rng.Int64N(4_000_000)-2_000_000, []int64{1, 10, 100, 1000, 10000}[rng.IntN(5)])
		texts = append(texts, strings.TrimSuffix(s.FloatString(rng.IntN(5)), "."))
	}
	scientific := []string{"1e0", "1E0", "1.0e0", "1.0E+1", "1e1", "1e+1", "1e-1", "1e-2", "1e-02", "1e-002", "1.0e-2", "9.9995e1", "9.99949e1", "9.9994999e+01", "1e3", "1e03", "1.001e3", "1.0001e3", "-1e0", "-1.7e1", "-1.8e1", "-1.25e0", "-1.2501e0", "-1.25e-5", "3e0", "2.9e0", "2.9e1", "2e1", "2.1e1", "1.95e1", "1.05e2", "4.998e3", "4.999e3", "1.5e1", "1.5e0", "2.5e-1", "5e-1", "5e-2", "0e0", "-0e5", "0.0e9", "0e-9", "7e1", "7e0", "7e2", "1.4e1", "1.4e2", "1.05e1", "1e307", "1e-307", "-1e307", "1e308", "1e-400", "-1E-0400", "1e400", "9.99e+2001", "-1e12345", "2e-12345", "0e400", "0.0e-999", "1e0001", "5e-0000", "5e00000000000000000000", "1.23456789012345e14", "1.23456789012345e13", "1.1e-1"}
	for range 400 {
		digits := strconv.Itoa(1 + rng.IntN(9))
		if rng.IntN(3) > 0 {
			digits += "." + strconv.Itoa(rng.IntN(1000)) + strconv.Itoa(1+rng.IntN(9))
		}
		scientific = append(scientific, []string{"", "-"}[rng.IntN(2)]+digits+"e"+[]string{"", "+", "-", "-0"}[rng.IntN(4)]+strconv.Itoa(rng.IntN(8)))
	}
	for _, l := range langs {
		n, ok := l.automaton()
		if !ok {
			t.Fatalf("%+v is too large", l)
		}
		d := &lang.Definition{}
		d.Root = d.Add("n", &lang.Expr{Op: lang.OpNFA, NFA: n})
		g, err := automaton.Compile(d)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range texts {
			want := l.matches(rat(s)) && !(l.canonical && strings.Contains(s, ".") && rat(s).IsInt())
			if got, _ := g.Check([]byte(s)); got != want {
				t.Errorf("%+v: %s accepted %v, want %v", l, s, got, want)
			}
		}
		steps := l.multiple != nil || len(l.notMultiple) > 0
		for _, s := range scientific {
			_, exponent, _ := strings.Cut(strings.ToLower(s), "e")
			far := len(strings.TrimLeft(exponent, "+-0")) > 2
			zero := strings.Contains(strings.ToLower(s), ".0e") && strings.Trim(s, "-")[0] != '0'
			digits := strings.TrimLeft(s[:len(s)-len(exponent)-1], "-")
			long := !l.fraction && strings.Trim(digits[1:], ".") != "" && strings.Trim(digits, ".0") != ""
			want := l.matches(rat(s)) && (!l.canonical || l.fraction) && !long && !(steps && (far || zero))
			if got, _ := g.Check([]byte(s)); got != want {
				t.Errorf("%+v: %s accepted %v, want %v", l, s, got, want)
			}
		}
		for _, s := range []string{"", "-", "01", "1.", ".5", "+1", "00", "-01", "1..0", "--1", "1e", "1e+", "1e1.0", "1e0x", "10e1", "0.5e1", "1ee1", "1e1e1", "e1", "-e1", ".e1"} {
			if got, _ := g.Check([]byte(s)); got {
				t.Errorf("%+v: %q accepted", l, s)
			}
		}
	}
}
