package cases

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"unsafe"
)

// Logits are the row of a case: inline values, or what makes a row.
type Logits struct {
	Kind      string     `json:"kind"`
	Values    Values     `json:"values"`
	Vocab     int        `json:"vocab"`
	Seed      uint64     `json:"seed"`
	Scale     float64    `json:"scale"`
	Quant     float64    `json:"quant"`
	Peaks     int        `json:"peaks"`
	PeakTop   float64    `json:"peak_top"`
	PeakStep  float64    `json:"peak_step"`
	Overrides [][2]Float `json:"overrides"`
}

// Values are float32 logits; "nan", "inf" and "-inf" are strings in JSON.
type Values []float32

// A Float is a number that may be "nan", "inf" or "-inf" in JSON.
type Float float64

// maxVocab bounds the rows that a case may ask to be generated.
const maxVocab = 1 << 24

// UnmarshalJSON reads an array without allocating for its elements.
func (v *Values) UnmarshalJSON(b []byte) error {
	*v = (*v)[:0]
	if string(b) == "null" {
		return nil
	}
	if len(b) < 2 || b[0] != '[' {
		return errors.New("logits.values: a list of numbers")
	}
	for i := 1; i < len(b); {
		switch c := b[i]; {
		case c == ',' || c == ' ' || c == '\t' || c == '\n' || c == '\r':
			i++
		case c == ']':
			return nil
		default:
			end := i + 1
			for end < len(b) && b[end] != ',' && b[end] != ']' {
				end++
			}
			f, err := parseFloat(b[i:end])
			if err != nil {
				return fmt.Errorf("logits.values[%d]: %w", len(*v), err)
			}
			*v = append(*v, float32(f))
			i = end
		}
	}
	return nil
}

// UnmarshalJSON reads a number or one of the three names.
func (f *Float) UnmarshalJSON(b []byte) error {
	v, err := parseFloat(b)
	*f = Float(v)
	return err
}

func parseFloat(b []byte) (float64, error) {
	for len(b) > 0 && (b[len(b)-1] == ' ' || b[len(b)-1] == '\t' || b[len(b)-1] == '\r' || b[len(b)-1] == '\n') {
		b = b[:len(b)-1]
	}
	if len(b) > 0 && b[0] == '"' {
		var s string
		if err := json.Unmarshal(b, &s); err != nil {
			return 0, err
		}
		switch s {
		case "nan", "NaN":
			return math.NaN(), nil
		case "inf", "+inf", "Infinity":
			return math.Inf(1), nil
		case "-inf", "-Infinity":
			return math.Inf(-1), nil
		}
		return 0, fmt.Errorf("%q is not a number", s)
	}
	if string(b) == "null" {
		return math.Inf(-1), nil // a masked logit
	}
	// The string does not outlive the call.
	f, err := strconv.ParseFloat(unsafe.String(unsafe.SliceData(b), len(b)), 32)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		return 0, fmt.Errorf("%q is not a number", b)
	}
	return f, nil
}

// generate fills Values as the kind says.
func (l *Logits) generate(vocab int) error {
	switch l.Kind {
	case "", "inline":
		return nil
	case "irwin4":
	default:
		return fmt.Errorf("logits.kind: %q; inline, irwin4", l.Kind)
	}
	n := l.Vocab
	if n == 0 {
		n = vocab
	}
	if n <= 0 || n > maxVocab {
		return fmt.Errorf("logits.vocab: %d is out of range, 1 to %d", n, maxVocab)
	}
	l.Values = Generate(l.Values, n, l.Seed, l.Scale, l.Quant)
	for r := range min(l.Peaks, n) {
		i := mix(l.Seed^0x5DEECE66D, uint64(r)) % uint64(n)
		l.Values[i] = float32(l.PeakTop - l.PeakStep*float64(r))
	}
	for _, o := range l.Overrides {
		i := int(o[0])
		if i < 0 || i >= n {
			return fmt.Errorf("logits.overrides: token %d is out of range, 0 to %d", i, n-1)
		}
		l.Values[i] = float32(o[1])
	}
	return nil
}

// Generate returns a row of n made-up logits in dst: the sum of four uniform
// numbers (Irwin-Hall), near to normal, with the given scale. quant, if not
// zero, rounds down to that fraction. The same seed gives the same row.
func Generate(dst []float32, n int, seed uint64, scale, quant float64) []float32 {
	if cap(dst) < n {
		dst = make([]float32, n)
	}
	dst = dst[:n]
	for i := range dst {
		z := mix(seed, uint64(i))
		sum := int64(z&0xffff + z>>16&0xffff + z>>32&0xffff + z>>48)
		v := float64(sum-131070) * scale / 65536
		if quant != 0 {
			v = math.Floor(v*quant) / quant
		}
		dst[i] = float32(v)
	}
	return dst
}

func mix(s, i uint64) uint64 {
	z := s + (i+1)*0x9E3779B97F4A7C15
	z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>27) * 0x94D049BB133111EB
	return z ^ z>>31
}
