package run

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"logitscope/sampling"
	"logitscope/viz"
)

// Short is a stage as the one-liner names it.
func Short(name string) string {
	if d := sampling.StageNamed(name); d != nil {
		return cmp.Or(d.Tiny, d.Name)
	}
	if name == "constraint" {
		return "mask"
	}
	return name
}

// ShortLabel is a stage's label without its value: "repetition".
func ShortLabel(st sampling.StageTrace) string {
	if i := strings.LastIndexByte(st.Label, ' '); i > 0 {
		return st.Label[:i]
	}
	if st.Label != "" {
		return st.Label
	}
	return st.Name
}

// Traces returns the trace on the screen and the one that fixes its rows.
func Traces(l *Lane) (t, ref *sampling.Trace) {
	s, b := l.Step(), l.reference()
	if s == nil || s.Trace == nil {
		return nil, nil
	}
	if b != nil && b.Trace != nil {
		ref = b.Trace
	}
	return s.Trace, ref
}

// Refused reports whether a constraint removed the token.
func Refused(t *sampling.Trace, r *sampling.Row) bool {
	return r.Cut != sampling.NoStage && t.Stages()[r.Cut].Name == "constraint"
}

// Among says among how many tokens the model chooses. Of a row that names
// only some of them the least is known.
func Among(t *sampling.Trace) string {
	if t.Rest > 0 {
		least, _ := viz.Many(float64(t.RawBits))
		return "at least " + least
	}
	return viz.About(float64(t.RawBits))
}

// UnnamedLabel names that line in at most w cells.
func UnnamedLabel(t *sampling.Trace, w int) string {
	for _, s := range []string{"outside the top " + viz.Count(t.Vocab), "outside top " + viz.Count(t.Vocab), "outside " + viz.Count(t.Vocab)} {
		if viz.Width(s) <= w {
			return s
		}
	}
	return "unnamed"
}

// A Refusal is why a constraint does not allow a token.
type Refusal struct {
	At   int  // the byte of the token at which it dies, -1 for no byte
	What byte // that byte
}

// MaxOf returns the largest of list, at least 0.
func MaxOf(list []float64) float64 {
	most := 0.0
	for _, x := range list {
		most = math.Max(most, x)
	}
	return most
}

// Words says at which byte a token dies.
func (r Refusal) Words() string { return r.Forms()[0] }

// Forms are its words from long to short.
func (r Refusal) Forms() []string {
	short := fmt.Sprintf("byte %d, %02X", r.At+1, r.What)
	named := short
	if r.What < 0x80 {
		named += " " + viz.Label(string(rune(r.What)), false)
	}
	return []string{"dies at " + named, named, short}
}
