package viz

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
	"github.com/mattn/go-runewidth"
)

// maxCluster and maxMarks are the most runes drawn as one cluster and the most
// nonspacing marks in a row. Real scripts stay below them; a letter buried
// under combining marks does not.
const (
	maxCluster = 10
	maxMarks   = 4
)

// next splits the first grapheme cluster from s. Its width is the most cells
// that a terminal gives it, or 0 if it must not be drawn as it is.
func next(s string) (cluster string, w int, rest string) {
	if b := s[0]; b < utf8.RuneSelf {
		if len(s) == 1 || s[1] < utf8.RuneSelf {
			if b < ' ' || b == 0x7f {
				return s[:1], 0, s[1:]
			}
			return s[:1], 1, s[1:]
		}
	}
	r, n := utf8.DecodeRuneInString(s)
	if r == utf8.RuneError && n <= 1 {
		return invalid(s)
	}
	if own(r) && (n == len(s) || s[n] < utf8.RuneSelf || s[n] == 0xe2) {
		return s[:n], 1, s[n:]
	}
	cluster, _ = ansi.FirstGraphemeCluster(s, ansi.GraphemeWidth)
	rest = s[len(cluster):]
	if !utf8.ValidString(cluster) { // a cluster may end in a broken byte
		_, n := utf8.DecodeRuneInString(s)
		cluster, rest = s[:n], s[n:]
	}
	return cluster, clusterWidth(cluster), rest
}

// FirstCluster returns what moves and is deleted as one character at the
// beginning of s: a grapheme cluster, or a byte that is part of no character.
// It is empty only if s is.
func FirstCluster(s string) string {
	if s == "" {
		return ""
	}
	if r, n := utf8.DecodeRuneInString(s); r == utf8.RuneError && n <= 1 {
		return s[:1]
	}
	g, _, _ := next(s)
	return g
}

// own reports whether r is a box, block or shape that the program draws
// itself, which spares most cells of a screen the cluster rules.
func own(r rune) bool { return r >= 0x2500 && r <= 0x25cf && r != noBase }

// invalid splits the longest run of bytes that are not characters from s.
func invalid(s string) (string, int, string) {
	n := 0
	for n < len(s) {
		r, k := utf8.DecodeRuneInString(s[n:])
		if r != utf8.RuneError || k > 1 {
			break
		}
		n++
	}
	return s[:n], 0, s[n:]
}

// noBase is the dotted circle, which carries a mark that has no letter.
const noBase = '◌'

// joiner is what asks for the joined form of two letters.
const joiner = '\u200d'

// clusterWidth returns the most cells that a terminal gives to a cluster, or
// 0 if it must not reach one. Terminals count in two ways: a cluster as a
// whole, or its runes one by one, where nonspacing marks take no cell. Where
// the two differ in a script that is written with them (a Devanagari vowel
// sign, a Khmer subscript), a [Canvas] puts the cursor right itself.
func clusterWidth(g string) int {
	n, marks, sum, letters := 0, 0, 0, true
	for _, r := range g {
		if n++; n > maxCluster || n == 1 && needsBase(r) {
			return 0
		}
		if r == joiner && marks > 0 { // as Sinhala writes "sri"
			continue
		}
		if !drawable(r) {
			return 0
		}
		if unicode.Is(unicode.Mn, r) {
			if marks++; marks > maxMarks {
				return 0
			}
		} else {
			marks = 0
		}
		letters = letters && (r == noBase || unicode.In(r, unicode.L, unicode.M, unicode.N))
		sum += runeWidth(r)
	}
	switch w := ansi.StringWidth(g); {
	case w < 1 || w > 2 || sum < w:
		return 0
	case joins(g, " "): // it waits for a letter to stand before
		return 0
	case sum > w && !letters:
		return 0
	}
	return sum
}

// runeWidth is how many cells r takes where runes are counted one by one.
func runeWidth(r rune) int {
	switch {
	case unicode.In(r, unicode.Mn, unicode.Me):
		return 0
	case r >= 0x1160 && r <= 0x11ff, r >= 0xd7b0 && r <= 0xd7ff: // vowels and finals of Hangul
		return 0
	}
	return perRune.RuneWidth(r)
}

// needsBase reports whether r joins the character before it, so that it
// cannot stand alone.
func needsBase(r rune) bool {
	return r >= 0x300 && (runeWidth(r) == 0 || joins(" ", string(r)))
}

// joins reports whether the end of a and the beginning of b are one cluster
// when they stand side by side.
func joins(a, b string) bool {
	g, _ := ansi.FirstGraphemeCluster(a+b, ansi.GraphemeWidth)
	return len(g) > len(a)
}

// perRune is how terminals count that add up runes, whatever the locale.
var perRune = &runewidth.Condition{StrictEmojiNeutral: true}

// drawable reports whether r may be sent to a terminal. Controls, bidi and
// zero-width characters may not; nor may the parts of flags, keycaps and
// joined emoji, whose width terminals disagree on.
func drawable(r rune) bool {
	switch {
	case unicode.IsControl(r), unicode.In(r, unicode.Cf, unicode.Cs, unicode.Zl, unicode.Zp):
		return false
	case r == 0xfe0e, r == 0xfe0f, r == 0x20e3, r >= 0x1f1e6 && r <= 0x1f1ff, r >= 0x1f3fb && r <= 0x1f3ff:
		return false
	}
	return true
}

// escape returns the visible form of a cluster or of bytes that must not be
// drawn as they are.
func escape(g string, ascii bool) string {
	r, n := utf8.DecodeRuneInString(g)
	if r == utf8.RuneError && n <= 1 {
		return "‹" + strings.TrimSpace(fmt.Sprintf("% X", g)) + "›"
	}
	if v, ok := visible[g[0]]; ok && r < ' ' {
		if ascii {
			return v[1]
		}
		return v[0]
	}
	switch more := n < len(g); {
	case r < ' ' && ascii, r == 0x7f && ascii:
		return fmt.Sprintf(`\x%02x`, r)
	case r < ' ':
		return string(rune(0x2400) + r)
	case r == 0x7f:
		return "␡"
	case !ascii && needsBase(r) && FirstCluster(string(noBase)+g) == string(noBase)+g && clusterWidth(string(noBase)+g) > 0:
		return string(noBase) + g
	case more:
		return fmt.Sprintf("‹%X …›", r)
	case ascii:
		return fmt.Sprintf(`\u%04x`, r)
	default:
		return fmt.Sprintf("‹U+%04X›", r)
	}
}

// visible are the blanks that a label shows, and their ASCII forms.
var visible = map[byte][2]string{
	' ': {"␣", "_"}, '\n': {"↵", `\n`}, '\t': {"⇥", `\t`}, '\r': {"␍", `\r`},
}

// Label returns the printable form of a token's bytes: every blank, control
// and stray byte is visible, and nothing in it moves a cursor.
func Label(piece string, ascii bool) string {
	form := 0
	if ascii {
		form = 1
	}
	var b strings.Builder
	for len(piece) > 0 {
		if v, ok := visible[piece[0]]; ok {
			b.WriteString(v[form])
			piece = piece[1:]
			continue
		}
		var g string
		var w int
		g, w, piece = next(piece)
		if w == 0 {
			g = escape(g, ascii)
		}
		b.WriteString(g)
	}
	return b.String()
}

// Printable returns s with everything that must not reach a terminal made
// visible. Spaces stay.
func Printable(s string, ascii bool) string {
	clean := true
	for i := 0; i < len(s) && clean; i++ {
		clean = s[i] >= ' ' && s[i] < 0x7f
	}
	if clean {
		return s
	}
	var b strings.Builder
	for len(s) > 0 {
		var g string
		var w int
		g, w, s = next(s)
		if w == 0 {
			g = escape(g, ascii)
		}
		b.WriteString(g)
	}
	return b.String()
}

// Line returns s on one line of at most w cells: what moves a cursor is made
// visible, spaces stay, and … stands where it is cut.
func Line(s string, w int, ascii bool) string {
	s = Printable(breaks.Replace(Cut(s, 2*w)), ascii)
	if Width(s) <= w {
		return s
	}
	return Cut(s, max(0, w-1)) + "…"
}

var breaks = strings.NewReplacer("\n", "↵", "\t", "⇥", "\r", "␍")

// Width returns how many cells s takes on a [Canvas].
func Width(s string) int {
	n := 0
	for len(s) > 0 {
		var g string
		var w int
		g, w, s = next(s)
		if w == 0 {
			w = Width(escape(g, false))
		}
		n += w
	}
	return n
}

// Cut returns the longest prefix of s that takes at most w cells, by grapheme
// clusters.
func Cut(s string, w int) string {
	n, i := 0, 0
	for rest := s; len(rest) > 0; {
		g, k, r := next(rest)
		if k == 0 {
			k = Width(escape(g, false))
		}
		if n+k > w {
			break
		}
		n += k
		i += len(g)
		rest = r
	}
	return s[:i]
}

// Fit returns s in exactly w cells: padded with spaces, or cut and ended with
// an ellipsis. A wide cluster that would straddle the edge is left out.
func Fit(s string, w int) string {
	if w <= 0 {
		return ""
	}
	n := Width(s)
	if n > w {
		s = Cut(s, w-1) + "…"
		n = Width(s)
	}
	return s + strings.Repeat(" ", w-n)
}

// A Cluster is one grapheme cluster ready to draw.
type Cluster struct {
	Text  string // printable
	W     int    // cells
	Bytes int    // bytes of the source it stands for
}

// Clusters appends the printable clusters of s to dst. Newlines, tabs and
// carriage returns become the glyphs of a label; spaces stay.
func Clusters(dst []Cluster, s string, ascii bool) []Cluster {
	for len(s) > 0 {
		if v, ok := visible[s[0]]; ok && s[0] != ' ' {
			t := v[0]
			if ascii {
				t = v[1]
			}
			dst = append(dst, Cluster{t, len([]rune(t)), 1})
			s = s[1:]
			continue
		}
		g, w, rest := next(s)
		n := len(g)
		if w == 0 {
			g = escape(g, ascii)
			w = Width(g)
		}
		dst = append(dst, Cluster{g, w, n})
		s = rest
	}
	return dst
}
