package viz

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Removed is shown in place of the probability of a token that a stage cut.
const Removed = "–"

// Percent returns a probability, 0 to 1, as the screen shows it: three
// significant digits, one decimal from 10 %, two from 1 %, three below, in at
// most six cells. Nothing that is not exactly 0 or 1 is rounded to it.
func Percent(p float64) string {
	pct := p * 100
	switch {
	case math.IsNaN(p):
		return Removed
	case p <= 0:
		return "0"
	case p == 1:
		return "100%"
	case p > 1:
		return ">100%"
	case pct < 0.01:
		return "<0.01%"
	}
	for _, d := range [...]struct {
		decimals int
		below    float64
	}{{3, 1}, {2, 10}, {1, 100}} {
		unit := math.Pow10(d.decimals)
		if r := math.Round(pct*unit) / unit; r < d.below {
			return strconv.FormatFloat(r, 'f', d.decimals, 64) + "%"
		}
	}
	return ">99.9%"
}

// Count returns n with thousands separated by commas.
func Count(n int) string {
	s := strconv.Itoa(n)
	sign := ""
	if n < 0 {
		sign, s = "−", s[1:]
	}
	return sign + commas(s)
}

// commas separates the thousands of digits.
func commas(digits string) string {
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// Two returns a logit, bits or entropy with two decimals and a true minus
// sign, never negative zero.
func Two(x float64) string { return decimals(x, 2) }

// Perplexity returns a perplexity: two decimals, from 1,000 on a whole number.
func Perplexity(x float64) string {
	if x >= 999.995 && x < 1e15 {
		return Count(int(math.Round(x)))
	}
	return Two(x)
}

// Logprob is [Two], but shows the −0.00 of a token that is nearly sure.
func Logprob(x float64) string {
	if s := Two(x); s != "0.00" || x == 0 {
		return s
	}
	return "−0.00"
}

// Three returns a draw, interval bound or distance with three decimals. What
// is below 1 is not rounded to it.
func Three(x float64) string {
	if x < 1 && x >= 0.9995 {
		return "0.999"
	}
	return decimals(x, 3)
}

// ArrivalTime returns the time at which a token comes in, in three digits.
func ArrivalTime(t float64) string {
	if math.IsInf(t, 1) {
		return "never"
	}
	return strconv.FormatFloat(t, 'g', 3, 64)
}

// Divergence returns a Kullback-Leibler divergence: its mean over the steps
// where it is finite, in bits, and at how many of all steps it is not.
func Divergence(mean float64, infinite, steps int) string {
	switch {
	case steps == 0:
		return "–"
	case infinite == 0:
		return Three(mean) + " b"
	case infinite == steps:
		return "infinite at all " + Count(steps)
	}
	return fmt.Sprintf("infinite at %s of %s, else %s b", Count(infinite), Count(steps), Three(mean))
}

func decimals(x float64, n int) string {
	switch {
	case math.IsNaN(x):
		return "NaN"
	case math.IsInf(x, 1):
		return "∞"
	case math.IsInf(x, -1):
		return "−∞"
	}
	s := strconv.FormatFloat(math.Abs(x), 'f', n, 64)
	if len(s) > 4+n { // from 1,000 on
		whole, part, _ := strings.Cut(s, ".")
		s = commas(whole) + "." + part
	}
	if x < 0 && strings.Trim(s, "0.") != "" {
		return "−" + s
	}
	return s
}

// Estimate returns a value with its interval, "1.52 [1.40, 1.64]"; the value
// alone where there is no interval, and "–" for none.
func Estimate(value, low, high float64, format func(float64) string) string {
	switch {
	case math.IsNaN(value):
		return "–"
	case math.IsNaN(low) || math.IsNaN(high):
		return format(value)
	}
	return fmt.Sprintf("%s [%s, %s]", format(value), format(low), format(high))
}

// Interval returns the half-open interval [lo, hi).
func Interval(lo, hi float64) string {
	return "[" + strings.TrimSuffix(Three(lo), ".000") + ", " + strings.TrimSuffix(decimals(hi, 3), ".000") + ")"
}

// About returns how many equally likely tokens an entropy in bits is worth:
// "about 14", "one", "about 1,300".
func About(bits float64) string {
	s, rough := Many(bits)
	if rough {
		return "about " + s
	}
	return s
}

// Many is [About] as a number, and whether it is a rough one: "14", "one".
func Many(bits float64) (s string, rough bool) {
	n := math.Exp2(bits)
	switch {
	case math.IsNaN(n) || n < 1.5:
		return "one", false
	case n >= 1e15:
		return "very many", false
	case n >= 1000:
		unit := math.Pow10(int(math.Log10(n)) - 1)
		return Count(int(math.Round(n/unit) * unit)), true
	}
	return strconv.Itoa(int(math.Round(n))), true
}

// Duration returns d in three digits: µs, ms or s, and from a minute m:ss.
func Duration(d time.Duration) string {
	if d < 0 {
		return "−" + Duration(-d)
	}
	us := float64(d) / float64(time.Microsecond)
	switch {
	case us < 999.5:
		if us < 10 {
			return strconv.FormatFloat(us, 'f', 1, 64) + " µs"
		}
		return strconv.FormatFloat(us, 'f', 0, 64) + " µs"
	case us < 999.5e3:
		return digits3(us/1e3) + " ms"
	case us < 59.995e6:
		return digits3(us/1e6) + " s"
	}
	s := int(math.Round(d.Seconds()))
	return fmt.Sprintf("%d:%02d", s/60, s%60)
}

// Milliseconds returns a short time as the header shows it: "2.1 ms".
func Milliseconds(d time.Duration) string {
	if ms := float64(d) / float64(time.Millisecond); ms < 100 {
		return strconv.FormatFloat(ms, 'f', 1, 64) + " ms"
	}
	return Duration(d)
}

// digits3 returns x, 1 to 1000, in three significant digits.
func digits3(x float64) string {
	switch {
	case x < 9.995:
		return strconv.FormatFloat(x, 'f', 2, 64)
	case x < 99.95:
		return strconv.FormatFloat(x, 'f', 1, 64)
	}
	return strconv.FormatFloat(x, 'f', 0, 64)
}

// Rate returns tokens per second: whole from 10, one decimal below.
func Rate(perSecond float64) string {
	switch {
	case math.IsNaN(perSecond) || math.IsInf(perSecond, 0) || perSecond <= 0:
		return "–"
	case perSecond >= 9.95:
		return Count(int(math.Round(perSecond)))
	}
	return strconv.FormatFloat(perSecond, 'f', 1, 64)
}

// Bytes returns a size in binary units and three digits.
func Bytes(n int64) string {
	if n < 1024 {
		return strconv.FormatInt(n, 10) + " B"
	}
	x := float64(n)
	for _, unit := range [...]string{"KiB", "MiB", "GiB", "TiB"} {
		x /= 1024
		if x < 999.5 || unit == "TiB" {
			return digits3(x) + " " + unit
		}
	}
	return ""
}

// Params returns a number of weights: "4.5M", "135M", "7.2B".
func Params(n int64) string {
	for _, u := range [...]struct {
		unit float64
		name string
	}{{1e12, "T"}, {1e9, "B"}, {1e6, "M"}, {1e3, "K"}} {
		if x := float64(n) / u.unit; x >= 0.9995 {
			if x < 99.5 {
				return strings.TrimSuffix(strconv.FormatFloat(x, 'f', 1, 64), ".0") + u.name
			}
			return strconv.FormatFloat(x, 'f', 0, 64) + u.name
		}
	}
	return strconv.FormatInt(n, 10)
}
