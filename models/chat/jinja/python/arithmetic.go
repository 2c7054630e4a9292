package python

import (
	"math"
	"math/big"
	"math/bits"
	"strconv"
)

// Signed is + or - before a value.
func Signed(v Value, minus bool) Value {
	n, ok := Numeric(v)
	if !ok {
		if u, ok := v.(*Undefined); ok {
			Fail("%s", u.Hint)
		}
		Fail("%s has no sign", TypeName(v))
	}
	if !minus {
		return n
	}
	if f, ok := n.(float64); ok {
		return -f
	}
	i, _ := Integer(n)
	return Normal(new(big.Int).Neg(i))
}

// Arithmetic computes with two numbers.
func Arithmetic(op string, a, b Value) Value {
	_, fa := a.(float64)
	_, fb := b.(float64)
	if fa || fb || op == "/" {
		return floatArithmetic(op, a, b)
	}
	if x, ok := a.(int64); ok {
		if y, ok := b.(int64); ok {
			if v, ok := smallArithmetic(op, x, y); ok {
				return v
			}
		}
	}
	x, _ := Integer(a)
	y, _ := Integer(b)
	z := new(big.Int)
	switch op {
	case "+":
		z.Add(x, y)
	case "-":
		z.Sub(x, y)
	case "*":
		z.Mul(x, y)
	case "**":
		return power(x, y)
	default:
		if y.Sign() == 0 {
			Fail("division by zero")
		}
		m := new(big.Int)
		z.DivMod(x, y, m)
		if y.Sign() < 0 && m.Sign() != 0 { // Python rounds down
			z.Sub(z, big.NewInt(1))
			m.Add(m, y)
		}
		if op == "%" {
			z = m
		}
	}
	return Normal(z)
}

// smallArithmetic computes where nothing overflows.
func smallArithmetic(op string, x, y int64) (Value, bool) {
	switch op {
	case "+":
		z := x + y
		return z, (z > x) == (y > 0)
	case "-":
		z := x - y
		return z, (z < x) == (y > 0)
	case "*":
		if hi, lo := bits.Mul64(magnitude(x), magnitude(y)); hi == 0 && lo < 1<<63 {
			return x * y, true
		}
	}
	return nil, false
}

func magnitude(x int64) uint64 {
	if x < 0 {
		return -uint64(x)
	}
	return uint64(x)
}

func power(x, y *big.Int) Value {
	if y.Sign() < 0 {
		if x.Sign() == 0 {
			Fail("division by zero")
		}
		return floatPower(ToFloat(x), ToFloat(y))
	}
	if x.BitLen() > 1 && (!y.IsInt64() || int64(x.BitLen()-1)*min(y.Int64(), 1<<30) > MaxDigits*4) {
		Exceed("an integer has more than %d digits", MaxDigits)
	}
	if x.BitLen() <= 1 && !y.IsInt64() { // 0, 1 and -1
		y = new(big.Int).And(y, big.NewInt(1))
		y.Add(y, big.NewInt(2))
	}
	return Normal(new(big.Int).Exp(x, y, nil))
}

func floatArithmetic(op string, a, b Value) Value {
	if op == "/" {
		if x, ok := Integer(a); ok {
			if y, ok := Integer(b); ok && y.Sign() != 0 {
				f, _ := new(big.Rat).SetFrac(x, y).Float64()
				if x.Sign() == 0 {
					return math.Copysign(0, float64(y.Sign()))
				}
				if math.IsInf(f, 0) {
					Fail("an int is too large for a float")
				}
				return f
			}
		}
	}
	x, y := ToFloat(a), ToFloat(b)
	switch op {
	case "+":
		return x + y
	case "-":
		return x - y
	case "*":
		return x * y
	case "**":
		if x == 0 && y < 0 {
			Fail("division by zero")
		}
		if x < 0 && y != math.Floor(y) && !math.IsInf(y, 0) && !math.IsInf(x, 0) {
			Refuse("a complex number")
		}
		return floatPower(x, y)
	}
	if y == 0 {
		Fail("division by zero")
	}
	if op == "/" {
		return x / y
	}
	m := math.Mod(x, y)
	div := (x - m) / y
	if m != 0 {
		if (y < 0) != (m < 0) {
			m += y
			div--
		}
	} else {
		m = math.Copysign(0, y)
	}
	if op == "%" {
		return m
	}
	if div == 0 {
		return math.Copysign(0, x/y)
	}
	floor := math.Floor(div)
	if div-floor > 0.5 {
		floor++
	}
	return floor
}

// floatPower is x**y, rounded once, as C's pow nearly always does. A power
// with a fraction is known for square roots alone.
func floatPower(x, y float64) Value {
	switch {
	case x == 0, x == 1, y == 0, math.IsNaN(x), math.IsNaN(y), math.IsInf(x, 0), math.IsInf(y, 0):
		return math.Pow(x, y)
	case y == 0.5:
		return math.Sqrt(x)
	case y != math.Trunc(y):
		Refuse("a power with a fraction")
	case math.Abs(y) > 1<<20:
		Refuse("a power of more than a million")
	}
	z := new(big.Float).SetPrec(400).SetInt64(1)
	base := new(big.Float).SetPrec(400).SetFloat64(x)
	for n := int(math.Abs(y)); n > 0; n >>= 1 {
		if n&1 == 1 {
			z.Mul(z, base)
		}
		base.Mul(base, base)
	}
	if y < 0 {
		z.Quo(new(big.Float).SetPrec(400).SetInt64(1), z)
	}
	f, _ := z.Float64()
	if math.IsInf(f, 0) {
		Fail("a float is too large")
	}
	return f
}

// RoundNumber is Python's round(v, places): half to even, of the exact value.
func RoundNumber(v Value, places int) Value {
	n, _ := Numeric(v)
	f, isFloat := n.(float64)
	switch {
	case isFloat && (math.IsNaN(f) || math.IsInf(f, 0)):
		return f
	case isFloat && places > 330:
		return f
	case isFloat && places >= 0:
		r, _ := strconv.ParseFloat(strconv.FormatFloat(f, 'f', places, 64), 64)
		return r
	case isFloat && places < -310:
		return math.Copysign(0, f)
	case !isFloat && places >= 0:
		return n
	case !isFloat && places < -MaxDigits:
		return int64(0)
	}
	unit := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(-places)), nil)
	var q *big.Rat
	if isFloat {
		q, _ = exactly(f).Rat(nil)
		if q == nil {
			q = new(big.Rat)
		}
	} else {
		i, _ := Integer(n)
		q = new(big.Rat).SetInt(i)
	}
	q = new(big.Rat).Quo(q, new(big.Rat).SetInt(unit))
	i := new(big.Int).Mul(halfEven(q), unit)
	if isFloat {
		return math.Copysign(ToFloat(i), f)
	}
	return Normal(i)
}

// halfEven rounds to the nearest integer, to an even one if two are as near.
func halfEven(q *big.Rat) *big.Int {
	two := big.NewInt(2)
	num := new(big.Int).Mul(q.Num(), two)
	num.Add(num, q.Denom())
	den := new(big.Int).Mul(q.Denom(), two)
	i, m := new(big.Int).DivMod(num, den, new(big.Int))
	if m.Sign() == 0 && i.Bit(0) == 1 {
		i.Sub(i, big.NewInt(1))
	}
	return i
}
