package vec

import "math"

// Exp is Cody and Waite's reduction with the polynomial of Moshier's Cephes
// library (1989), within 2 units in the last place.
const (
	expHigh  = 88  // above it Exp is +Inf
	expLow   = -87 // below it Exp is 0: there are no subnormal results
	expLog2e = 1.44269504
	expLn2Hi = 0.693359375
	expLn2Lo = -2.12194440e-4
	expMagic = 12582912 // 1.5 * 2^23: adding it rounds to a whole number
	expP0    = 1.9875691500e-4
	expP1    = 1.3981999507e-3
	expP2    = 8.3334519073e-3
	expP3    = 4.1665795894e-2
	expP4    = 1.6666665459e-1
	expP5    = 5.0000001201e-1
)

// Exp returns e to the x. It is +Inf above 88, 0 below -87 and NaN for NaN.
func Exp(x float32) float32 {
	switch {
	case x > expHigh:
		return float32(math.Inf(1))
	case x < expLow:
		return 0
	case x != x:
		return x
	}
	t := float32(x*expLog2e) + expMagic
	n := t - expMagic
	r := x - float32(n*expLn2Hi)
	r -= float32(n * expLn2Lo)
	p := float32(expP0*r) + expP1
	p = float32(p*r) + expP2
	p = float32(p*r) + expP3
	p = float32(p*r) + expP4
	p = float32(p*r) + expP5
	p = float32(p*float32(r*r)) + r + 1
	return float32(p * math.Float32frombits((math.Float32bits(t)<<23)+(127<<23)))
}

// ExpSub replaces every element by e to the element minus top, and returns
// the sum of the results.
func ExpSub(a []float32, top float32) float32 { return expSub(a, top) }

func expSubGeneric(a []float32, top float32) float32 {
	for i, v := range a {
		a[i] = Exp(v - top)
	}
	return sum(a)
}

// Softmax replaces logits by probabilities. An empty a stays empty.
func Softmax(a []float32) {
	Scale(a, 1/ExpSub(a, Max(a)))
}

// Sigmoid returns 1/(1+exp(-x)).
func Sigmoid(x float32) float32 { return 1 / (1 + Exp(-x)) }

// SiluMul multiplies a by SiLU(gate) = gate·sigmoid(gate), element by element
// of gate, and puts the result in gate: SwiGLU (Shazeer 2020).
func SiluMul(gate, a []float32) { siluMul(gate, a[:len(gate)]) }

func siluMulGeneric(gate, a []float32) {
	for i, g := range gate {
		gate[i] = (g / (1 + Exp(-g))) * a[i]
	}
}

// GeluMul is SiluMul with GELU in the place of SiLU: GeGLU (Shazeer 2020).
func GeluMul(gate, a []float32) {
	a = a[:len(gate)]
	for i, g := range gate {
		gate[i] = gelu(g) * a[i]
	}
}

// Gelu replaces every element by its GELU (Hendrycks and Gimpel 2016), in the
// form with tanh.
func Gelu(a []float32) {
	for i, v := range a {
		a[i] = gelu(v)
	}
}

// gelu uses (1 + tanh u)/2 = 1/(1 + exp(-2u)).
func gelu(x float32) float32 {
	const c, d = 2 * 0.79788456080286535587989211986876, 0.044715
	u := float32(c*x) * (1 + float32(float32(d*x)*x))
	return x / (1 + Exp(-u))
}

// ClampedSwiglu is the activation of gpt-oss: with the gate at most limit and
// a between -limit and limit, gate·sigmoid(alpha·gate)·(a+1). The result is
// in gate.
func ClampedSwiglu(gate, a []float32, alpha, limit float32) {
	a = a[:len(gate)]
	for i, g := range gate {
		g = min(g, limit)
		v := max(-limit, min(a[i], limit))
		gate[i] = (g / (1 + Exp(-float32(alpha*g)))) * (v + 1)
	}
}

// Softcap replaces every element x by limit·tanh(x/limit) (Gemma 2, 2024).
func Softcap(a []float32, limit float32) {
	for i, v := range a {
		a[i] = limit * tanh(v/limit)
	}
}

func tanh(x float32) float32 {
	a := x
	if a < 0 {
		a = -a
	}
	e := Exp(-2 * a)
	t := (1 - e) / (1 + e)
	if x < 0 {
		return -t
	}
	return t
}
