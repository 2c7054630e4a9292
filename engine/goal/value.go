package goal

import (
	"math"
	"strconv"
)

// A Kind is what a value is.
type Kind uint8

const (
	None   Kind = iota
	Number      // a plain number
	Share       // a probability; 1 is 100%
	Bits        // information
	Text        // a text
	Token       // a token, by its piece
	Truth       // yes or no

	quoted // a text in quotes: a text or a token, as the other side has it
)

// String returns the kind in a few words, with its article.
func (k Kind) String() string {
	return [...]string{"nothing", "a number", "a share", "bits", "a text", "a token", "yes or no", "a text in quotes"}[k]
}

// IsNumber reports whether values of the kind are numbers.
func (k Kind) IsNumber() bool { return k == Number || k == Share || k == Bits }

// A Value is what an expression comes to. The zero value is undefined.
type Value struct {
	Kind    Kind
	Defined bool
	Points  bool    // of a share: a difference of two, to be shown in percentage points
	Num     float64 // of numbers
	Str     string  // of texts and tokens
	Yes     bool    // of yes or no
}

// Holds reports whether v is yes.
func (v Value) Holds() bool { return v.Defined && v.Yes }

func number(k Kind, x float64) Value {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return Value{Kind: k}
	}
	return Value{Kind: k, Defined: true, Num: x}
}

// NumberOf returns x as a value of a kind of numbers; it is undefined if x is
// beyond all numbers.
func NumberOf(k Kind, x float64) Value { return number(k, x) }

// TextOf returns s as a value of kind Text or Token.
func TextOf(k Kind, s string) Value { return Value{Kind: k, Defined: true, Str: s} }

func truth(yes bool) Value { return Value{Kind: Truth, Defined: true, Yes: yes} }

// exact returns f as the number that its shortest decimal form says, which is
// how it is shown and saved: 0.4 is 40%.
func exact(f float32) float64 {
	x, err := strconv.ParseFloat(strconv.FormatFloat(float64(f), 'g', -1, 32), 64)
	if err != nil {
		return float64(f)
	}
	return x
}

// Equal reports whether two numbers count as equal.
func Equal(a, b float64) bool {
	return math.Abs(a-b) <= 1e-9*max(1, math.Abs(a), math.Abs(b))
}
