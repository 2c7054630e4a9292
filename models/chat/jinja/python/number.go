package python

import (
	"math"
	"math/big"
	"strconv"
	"strings"
)

// Normal returns an integer as an int64 if it fits.
func Normal(i *big.Int) Value {
	if i.IsInt64() {
		return i.Int64()
	}
	if i.BitLen() > MaxDigits*10/3 {
		Exceed("an integer has more than %d digits", MaxDigits)
	}
	return i
}

// Numeric returns a number without bools: int64, *big.Int or float64.
func Numeric(v Value) (Value, bool) {
	switch x := v.(type) {
	case bool:
		if x {
			return int64(1), true
		}
		return int64(0), true
	case int64, *big.Int, float64:
		return x, true
	}
	return nil, false
}

// Integer returns an int as a big one.
func Integer(v Value) (*big.Int, bool) {
	n, _ := Numeric(v)
	switch x := n.(type) {
	case int64:
		return big.NewInt(x), true
	case *big.Int:
		return x, true
	}
	return nil, false
}

// small returns an int that fits an int; it fails for another.
func small(v Value) (int, bool) {
	n, _ := Numeric(v)
	switch x := n.(type) {
	case int64:
		return int(x), true
	case *big.Int:
		if x.Sign() < 0 {
			return math.MinInt, true
		}
		return math.MaxInt, true
	}
	return 0, false
}

// ToFloat is Python's float() of a number.
func ToFloat(v Value) float64 {
	n, _ := Numeric(v)
	switch x := n.(type) {
	case int64:
		return float64(x)
	case *big.Int:
		f, _ := new(big.Float).SetInt(x).Float64()
		if math.IsInf(f, 0) {
			Fail("an int is too large for a float")
		}
		return f
	}
	f, _ := n.(float64)
	return f
}

// compareNumbers is -1, 0 or 1; 1 with a NaN.
func compareNumbers(a, b Value) int {
	x, _ := Numeric(a)
	y, _ := Numeric(b)
	if i, ok := x.(int64); ok {
		if j, ok := y.(int64); ok {
			switch {
			case i < j:
				return -1
			case i > j:
				return 1
			}
			return 0
		}
	}
	if isNaN(x) || isNaN(y) {
		return 1
	}
	return exactly(x).Cmp(exactly(y))
}

// exactly returns a number without loss.
func exactly(v Value) *big.Float {
	if f, ok := v.(float64); ok {
		return big.NewFloat(f)
	}
	i, _ := Integer(v)
	return new(big.Float).SetPrec(uint(max(i.BitLen(), 64))).SetInt(i)
}

func bigText(i *big.Int) string {
	s := i.String()
	if len(strings.TrimPrefix(s, "-")) > MaxDigits {
		Exceed("an integer has more than %d digits", MaxDigits)
	}
	return s
}

// FloatText is Python's repr() of a float.
func FloatText(f float64) string {
	switch {
	case math.IsNaN(f):
		return "nan"
	case math.IsInf(f, 1):
		return "inf"
	case math.IsInf(f, -1):
		return "-inf"
	}
	s := strconv.FormatFloat(f, 'e', -1, 64)
	at := strings.IndexByte(s, 'e')
	if exp, _ := strconv.Atoi(s[at+1:]); exp < -4 || exp >= 16 {
		return s
	}
	s = strconv.FormatFloat(f, 'f', -1, 64)
	if strings.IndexByte(s, '.') < 0 {
		s += ".0"
	}
	return s
}

// ParseInt is Python's int(s, base).
func ParseInt(s string, base int) (Value, bool) {
	s = strings.ToLower(TrimSpace(s))
	neg := strings.HasPrefix(s, "-")
	if neg || strings.HasPrefix(s, "+") {
		s = s[1:]
	}
	prefixed := false
	for i, b := range []int{2, 8, 16} {
		if len(s) > 1 && s[0] == '0' && s[1] == "box"[i] && (base == b || base == 0) {
			s, base, prefixed = s[2:], b, true
		}
	}
	if base == 0 {
		base = 10
		if len(s) > 1 && s[0] == '0' && strings.Trim(s, "0_") != "" {
			return nil, false
		}
	}
	if prefixed {
		s = strings.TrimPrefix(s, "_")
	}
	if base < 2 || base > 36 {
		Fail("int wants a base of 0, or 2 to 36")
	}
	set := "0123456789abcdefghijklmnopqrstuvwxyz"[:base]
	if s == "" || Digits(s, set) != len(s) {
		return nil, false
	}
	s = strings.ReplaceAll(s, "_", "")
	if len(s) > MaxDigits {
		Exceed("an integer has more than %d digits", MaxDigits)
	}
	i, ok := new(big.Int).SetString(s, base)
	if !ok {
		return nil, false
	}
	if neg {
		i.Neg(i)
	}
	return Normal(i), true
}

// ParseFloat is Python's float(s).
func ParseFloat(s string) (float64, bool) {
	s = strings.ToLower(TrimSpace(s))
	bare := strings.TrimPrefix(strings.TrimPrefix(s, "-"), "+")
	switch bare {
	case "inf", "infinity", "nan":
		if len(s)-len(bare) > 1 {
			return 0, false
		}
		f, _ := strconv.ParseFloat(s, 64)
		if bare == "nan" {
			f = math.NaN()
		}
		return f, true
	}
	plain := strings.ReplaceAll(s, "_", "")
	for i, c := range s {
		switch {
		case c == '_':
			if i == 0 || i == len(s)-1 || !isDecimal(s[i-1]) || !isDecimal(s[i+1]) {
				return 0, false
			}
		case c != '+' && c != '-' && c != '.' && c != 'e' && (c < '0' || c > '9'):
			return 0, false
		}
	}
	f, err := strconv.ParseFloat(plain, 64)
	if err != nil && !math.IsInf(f, 0) {
		return 0, false
	}
	return f, true
}

func isDecimal(c byte) bool { return c >= '0' && c <= '9' }

// Digits returns the length of the digits at the start of s, which single
// underscores may separate.
func Digits(s, allowed string) int {
	n := 0
	for n < len(s) {
		if strings.IndexByte(allowed, s[n]) >= 0 {
			n++
		} else if s[n] == '_' && n > 0 && n+1 < len(s) && strings.IndexByte(allowed, s[n+1]) >= 0 {
			n += 2
		} else {
			break
		}
	}
	return n
}
