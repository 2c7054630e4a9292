// Package partial answers: is this choice the one that the whole row would
// give? It says how far sampling from a part of a distribution can be trusted.
// A server that names only the most probable tokens of a step leaves a rest:
// its share is known, how it is spread over the unnamed tokens is not.
//
// The odds among named tokens are known whatever happens to the rest. So for
// each control there are two questions: are the named tokens that survive it
// the ones that would survive with the whole distribution, and what share of
// the probability is left to unnamed tokens after it. A [Verdict] answers
// both, the second with bounds that hold for every distribution that fits
// what the server said (no unnamed token is more probable than a named one).
// Sampling from the named survivors alone is then off by at most
// Verdict.RestMax in total variation distance.
//
// All functions are pure and look at one control alone, applied to the
// model's distribution.
package partial

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// A Row is what is known of a distribution.
type Row struct {
	Probs   []float64 // of the named tokens, descending
	Rest    float64   // share of the unnamed tokens together
	Unnamed int       // how many there are
}

// slack is how far shares that were sent as float32 may be off.
const slack = 1e-6

// Of returns what is known of a row of a vocabulary of size tokens: the
// values of l are log-probabilities, or logits if the row is whole.
func Of(values []float32, rest float32, size int) Row {
	top := math.Inf(-1)
	for _, v := range values {
		top = max(top, float64(v))
	}
	r := Row{Probs: make([]float64, len(values)), Rest: float64(rest), Unnamed: max(0, size-len(values))}
	sum := 0.0
	for i, v := range values {
		r.Probs[i] = math.Exp(float64(v) - top)
		sum += r.Probs[i]
	}
	for i := range r.Probs {
		r.Probs[i] *= (1 - r.Rest) / sum
	}
	slices.SortFunc(r.Probs, func(a, b float64) int { return cmp.Compare(b, a) })
	if r.Unnamed == 0 {
		r.Rest = 0
	}
	return r
}

// Whole reports that no token is unnamed, or that those have no share.
func (r Row) Whole() bool { return r.Unnamed == 0 || r.Rest <= 0 }

// Covered is the share of the named tokens.
func (r Row) Covered() float64 {
	sum := 0.0
	for _, p := range r.Probs {
		sum += p
	}
	return sum
}

// largest is the most that one unnamed token can have: as much as the least
// of the named ones, and not more than all unnamed ones together.
func (r Row) largest() float64 {
	if r.Whole() || len(r.Probs) == 0 {
		return 0
	}
	return min(r.Probs[len(r.Probs)-1], r.Rest) + slack/float64(len(r.Probs)+1)
}

// powers returns bounds of the sum of (p/unit)^a over the unnamed tokens.
func (r Row) powers(a, unit float64) (lo, hi float64) {
	if r.Whole() {
		return 0, 0
	}
	n := float64(r.Unnamed)
	spread := n * math.Pow(r.Rest/n/unit, a)
	packed := r.Rest / unit * math.Pow(r.largest()/unit, a-1)
	return min(spread, packed), max(spread, packed)
}

// entropy returns bounds of the entropy of the whole distribution, in nats.
func entropy(r Row) (lo, hi float64) {
	for _, p := range r.Probs {
		if p > 0 {
			lo -= p * math.Log(p)
		}
	}
	if r.Whole() {
		return lo, lo
	}
	return lo - r.Rest*math.Log(r.largest()), lo - r.Rest*math.Log(r.Rest/float64(r.Unnamed))
}

// A Verdict says what is known after one control.
type Verdict struct {
	// Exact means that the result is what the whole distribution would give:
	// the named survivors are the right ones and the share of the unnamed
	// tokens, RestMin, is known.
	Exact            bool
	Off              bool    // the control does nothing: it is at its off value
	RestMin, RestMax float64 // bounds of that share, 0 to 1
	Text             string  // one sentence that says so
}

func exact(rest float64, format string, args ...any) Verdict {
	return Verdict{Exact: true, RestMin: rest, RestMax: rest, Text: fmt.Sprintf(format, args...)}
}

// Off is the verdict on a control that does nothing.
func Off(r Row, name string) Verdict {
	v := exact(r.Rest, "%s: off", name)
	v.Off = true
	return v
}

// within makes a verdict of weights: named survivors have kept, unnamed ones
// between lo and hi.
func within(kept, lo, hi float64, format string, args ...any) Verdict {
	v := Verdict{RestMin: share(lo, kept), RestMax: share(hi, kept)}
	v.Text = fmt.Sprintf(format, args...) + ": unnamed tokens keep " + between(v.RestMin, v.RestMax)
	return v
}

// unknown is the verdict where nothing can be said.
func unknown(format string, args ...any) Verdict {
	return Verdict{RestMax: 1, Text: fmt.Sprintf(format, args...)}
}

func share(x, others float64) float64 {
	switch {
	case x <= 0:
		return 0
	case math.IsInf(x, 1):
		return 1
	}
	return x / (x + others)
}

func between(lo, hi float64) string {
	if lo < 5e-5 {
		return fmt.Sprintf("at most %.2g %%", 100*hi)
	}
	return fmt.Sprintf("%.2g to %.2g %%", 100*lo, 100*hi)
}

// TopK keeps the k most probable tokens; 0 or less keeps all.
func TopK(r Row, k int) Verdict {
	n := len(r.Probs)
	switch {
	case r.Whole():
		return exact(0, "top_k: exact, all tokens are named")
	case k <= 0:
		return Off(r, "top_k")
	case k <= n:
		return exact(0, "top_k %d: exact, %d tokens are named", k, n)
	case k >= n+r.Unnamed:
		return exact(r.Rest, "top_k %d: keeps all", k)
	}
	more := float64(k - n)
	// Of the unnamed tokens the k-n most probable stay: at least their even part.
	lo, hi := r.Rest*more/float64(r.Unnamed), min(r.Rest, more*r.largest())
	return within(r.Covered(), lo, hi, "top_k %d: not exact, only %d tokens are named", k, n)
}

// TopP keeps the smallest set of most probable tokens with a share of at
// least p; 1 or more keeps all.
func TopP(r Row, p float64) Verdict {
	c := r.Covered()
	switch {
	case r.Whole():
		return exact(0, "top_p: exact, all tokens are named")
	case p >= 1:
		return Off(r, "top_p")
	case p <= c-slack:
		return exact(0, "top_p %g: exact, the named tokens have %.4f", p, c)
	}
	return within(c, max(0, p-c-slack), min(r.Rest, p-c+r.largest()+slack), "top_p %g: not exact, the named tokens have %.4f", p, c)
}

// threshold keeps tokens of at least p. It is the common part of min_p,
// epsilon_cutoff and mirostat 2.
func threshold(r Row, p float64, name string) Verdict {
	if r.Whole() {
		return exact(0, "%s: exact, all tokens are named", name)
	}
	if p <= 0 {
		return Off(r, name)
	}
	kept := 0.0
	for _, q := range r.Probs {
		if q >= p {
			kept += q
		}
	}
	if kept == 0 && len(r.Probs) > 0 {
		kept = r.Probs[0] // one token always stays
	}
	if r.largest() < p {
		return exact(0, "%s: exact, no unnamed token can reach it", name)
	}
	return within(kept, 0, r.Rest, "%s: not exact, unnamed tokens may reach %.2g", name, p)
}

// MinP keeps tokens of at least p times the most probable one's probability;
// 0 or less keeps all.
func MinP(r Row, p float64) Verdict {
	top := 0.0
	if len(r.Probs) > 0 {
		top = r.Probs[0]
	}
	return threshold(r, p*top, fmt.Sprintf("min_p %g", p))
}

// EpsilonCutoff keeps tokens of at least epsilon; 0 or less keeps all.
func EpsilonCutoff(r Row, epsilon float64) Verdict {
	return threshold(r, epsilon, fmt.Sprintf("epsilon_cutoff %g", epsilon))
}

// Mirostat2 keeps tokens whose surprise is at most mu bits (Basu et al. 2021,
// version 2).
func Mirostat2(r Row, mu float64) Verdict {
	return threshold(r, math.Exp2(-mu), fmt.Sprintf("mirostat 2 at mu %.3g", mu))
}

// EtaCutoff keeps tokens of at least min(eta, sqrt(eta)*exp(-H)) with H the
// entropy of the whole distribution (Hewitt et al. 2022); 0 or less keeps all.
func EtaCutoff(r Row, eta float64) Verdict {
	name := fmt.Sprintf("eta_cutoff %g", eta)
	if r.Whole() || eta <= 0 {
		return threshold(r, eta, name)
	}
	lo, hi := entropy(r)
	low, high := min(eta, math.Sqrt(eta)*math.Exp(-hi)), min(eta, math.Sqrt(eta)*math.Exp(-lo))
	low, high = low*(1-slack), high*(1+slack)
	for _, p := range r.Probs[min(1, len(r.Probs)):] {
		if p >= low && p < high {
			return unknown("%s: not exact, the entropy is known within %.2g bits only", name, (hi-lo)/math.Ln2)
		}
	}
	return threshold(r, low, name)
}

// TypicalP keeps tokens whose surprise is nearest the entropy until they have
// p (Meister et al. 2022); 1 or more keeps all.
func TypicalP(r Row, p float64) Verdict { return needsAll(r, p >= 1, fmt.Sprintf("typical_p %g", p)) }

// TopNSigma keeps tokens whose logit is within n standard deviations of the
// largest (Tang et al. 2024); 0 or less keeps all.
func TopNSigma(r Row, n float64) Verdict {
	return needsAll(r, n <= 0, fmt.Sprintf("top_n_sigma %g", n))
}

func needsAll(r Row, off bool, name string) Verdict {
	switch {
	case r.Whole():
		return exact(0, "%s: exact, all tokens are named", name)
	case off:
		return Off(r, name)
	}
	return unknown("%s: not exact, it depends on the logits of all tokens", name)
}

// PLess keeps tokens of at least the sum of the squares of all probabilities
// (Tan et al. 2025); normalised, of that brought to the scale of 0 to 1.
func PLess(r Row, normalised bool) Verdict {
	name := "p_less"
	lo, hi := r.powers(2, 1)
	for _, p := range r.Probs {
		lo, hi = lo+p*p, hi+p*p
	}
	if normalised {
		name = "p_less_norm"
		n := float64(len(r.Probs) + r.Unnamed)
		lo, hi = (n*lo-1)/(n-1), (n*hi-1)/(n-1)
	}
	lo, hi = lo*(1-slack), hi*(1+slack)
	for _, p := range r.Probs[min(1, len(r.Probs)):] {
		if p >= lo && p < hi && !r.Whole() {
			return unknown("%s: not exact, its threshold is known within %.2g only", name, hi-lo)
		}
	}
	return threshold(r, lo, name)
}

// TopA keeps tokens of at least a times the square of the best one's
// probability; 0 or less keeps all.
func TopA(r Row, a float64) Verdict {
	top := 0.0
	if len(r.Probs) > 0 {
		top = r.Probs[0]
	}
	return threshold(r, a*top*top, fmt.Sprintf("top_a %g", a))
}

// TailFree cuts by the curve of all sorted probabilities; 1 or more keeps all.
func TailFree(r Row, z float64) Verdict { return needsAll(r, z >= 1, fmt.Sprintf("tfs_z %g", z)) }

// Shape is the verdict on a setting, off at 0, that bends the odds of all
// tokens.
func Shape(name string) func(r Row, v float64) Verdict {
	return func(r Row, v float64) Verdict { return needsAll(r, v == 0, fmt.Sprintf("%s %g", name, v)) }
}

// XTC removes all tokens of at least threshold but the least probable of
// them, when its coin says so. A threshold above 1/2 removes nothing.
func XTC(r Row, limit float64) Verdict {
	name := fmt.Sprintf("xtc_threshold %g", limit)
	switch {
	case r.Whole():
		return exact(0, "%s: exact, all tokens are named", name)
	case r.largest() >= limit:
		return unknown("%s: not exact, unnamed tokens may reach it", name)
	}
	above := 0
	for above < len(r.Probs) && r.Probs[above] >= limit {
		above++
	}
	kept := r.Covered()
	for i := 0; i < above-1; i++ {
		kept -= r.Probs[i]
	}
	return exact(share(r.Rest, kept), "%s: exact, all tokens that reach it are named", name)
}

// Temperature divides the logits by t; 0 or less takes the most probable token.
func Temperature(r Row, t float64) Verdict {
	switch {
	case r.Whole():
		return exact(0, "temperature: exact, all tokens are named")
	case t <= 0:
		return exact(0, "temperature 0: exact, the most probable token is named")
	case t == 1:
		return Off(r, "temperature")
	}
	// Against the most probable token: a high power of a small number is 0.
	top, kept := 1.0, 0.0
	if len(r.Probs) > 0 && r.Probs[0] > 0 {
		top = r.Probs[0]
	}
	for _, p := range r.Probs {
		kept += math.Pow(p/top, 1/t)
	}
	lo, hi := r.powers(1/t, top)
	return within(kept, lo, hi, "temperature %g: bounded", t)
}

// DynamicTemperature divides the logits by a temperature between lo and hi
// that follows the entropy of the whole distribution.
func DynamicTemperature(r Row, lo, hi float64) Verdict {
	switch {
	case r.Whole():
		return exact(0, "dynamic temperature: exact, all tokens are named")
	case lo == hi:
		return Temperature(r, lo)
	}
	h1, h2 := entropy(r)
	return unknown("dynamic temperature: not exact, the entropy is known within %.2g bits only", (h2-h1)/math.Ln2)
}

// Additive adds a number to the logits of some tokens: frequency and presence
// penalties, DRY, logit bias. kept is the sum of p*exp(change) over the named
// tokens, lowered and raised how many unnamed tokens get less and more.
func Additive(r Row, kept float64, lowered, raised int) Verdict {
	switch {
	case r.Whole():
		return exact(0, "additive penalties: exact, all tokens are named")
	case raised > 0:
		return unknown("logit_bias: not exact, it raises %d unnamed tokens from an unknown level", raised)
	case lowered > 0:
		return within(kept, 0, r.Rest, "additive penalties: exact among the named tokens; %d unnamed ones are lowered", lowered)
	}
	return exact(share(r.Rest, kept), "additive penalties: exact, they do not depend on the level of the logits")
}

// Repetition divides positive logits and multiplies negative ones (Keskar et
// al. 2019) of some tokens. raw says that the row holds logits; kept is then
// the sum of p*exp(change of the logit) over the named tokens, and unnamed how
// many unnamed tokens are touched, which a penalty above 1 makes less probable.
func Repetition(r Row, penalty, kept float64, unnamed int, raw bool) Verdict {
	switch {
	case penalty == 1:
		return Off(r, "repetition_penalty")
	case !raw:
		return unknown("repetition_penalty %g: not exact, it needs logits and the server gives log-probabilities", penalty)
	case r.Whole() || unnamed == 0:
		return exact(share(r.Rest, kept), "repetition_penalty %g: exact, the server gives logits", penalty)
	case penalty < 1:
		return unknown("repetition_penalty %g: not exact, it raises %d unnamed tokens from an unknown level", penalty, unnamed)
	}
	return within(kept, 0, r.Rest, "repetition_penalty %g: exact among the named tokens; %d unnamed ones are lowered", penalty, unnamed)
}

// Mask removes tokens: a constraint, bad_words, no_repeat_ngram_size. kept is
// the share of the named tokens that stay, unnamed how many unnamed ones stay.
func Mask(r Row, kept float64, unnamed int) Verdict {
	switch {
	case r.Whole():
		return exact(0, "mask: exact, all tokens are named")
	case unnamed <= 0:
		return exact(0, "mask: exact, all tokens it lets through are named")
	case unnamed >= r.Unnamed:
		return exact(share(r.Rest, kept), "mask: exact, it removes named tokens only")
	case kept <= 0:
		return Verdict{RestMin: 1, RestMax: 1, Text: "mask: it lets no named token through"}
	}
	// The unnamed tokens removed are at most as probable as the least named one.
	lo := max(0, r.Rest-float64(r.Unnamed-unnamed)*r.largest())
	return within(kept, lo, min(r.Rest, float64(unnamed)*r.largest()), "mask: not exact, %d of the tokens it lets through are not named", unnamed)
}
