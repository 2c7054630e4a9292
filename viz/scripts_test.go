package viz

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"
)

// living are texts in scripts written with marks, subscripts or parts.
var living = map[string]string{
	"Thai": "สวัสดี น้ำเก็บที่นี่", "Lao": "ສະບາຍດີ ນໍ້າ", "Khmer": "ភាសាខ្មែរ ស្រឡាញ់ ស្ត្រី", "Burmese": "မြန်မာဘာသာ ကျွန်ုပ်",
	"Tibetan": "བོད་ཡིག བསྒྲུབས", "Hindi": "हिन्दी में लिखा है, क्षत्रिय", "Bengali": "বাংলা ভাষায় ক্ষুদ্র", "Tamil": "தமிழ் மொழி கொண்டு",
	"Telugu": "తెలుగు భాష స్త్రీ", "Kannada": "ಕನ್ನಡ ಕ್ಷಮಿಸಿ", "Malayalam": "മലയാളം ക്ഷമ", "Sinhala": "සිංහල ශ්\u200dරී", "Gujarati": "ગુજરાતી",
	"Punjabi": "ਪੰਜਾਬੀ", "Odia": "ଓଡ଼ିଆ", "Arabic": "العَرَبِيَّةُ", "Hebrew": "שָׁלוֹם בְּרֵאשִׁ֖ית", "Hangul": "\u1112\u1161\u11ab\u1100\u1173\u11af", "Syriac": "ܫܠܳܡܳܐ",
	"Thaana": "ދިވެހި", "Vietnamese": "Tie\u0302\u0301ng Vie\u0323\u0302t", "Japanese": "か\u3099き\u3099 パ", "Ethiopic": "አማርኛ",
}

// Living scripts are drawn as they are written, not as code points.
func TestLivingScriptsAreText(t *testing.T) {
	for _, name := range slices.Sorted(maps.Keys(living)) {
		text := living[name]
		if got := Printable(text, false); got != text {
			t.Errorf("%s: %q is shown as %q", name, text, got)
		}
		for _, r := range text {
			if r == '\u200d' || r >= 0x1160 && r <= 0x11ff || r == ' ' {
				continue // joiners, and parts of Hangul that have no cell of their own
			}
			if got := Label(string(r), false); strings.Contains(got, "‹") {
				t.Errorf("%s: the token %q alone is shown as %s", name, r, got)
			}
		}
	}
}

// A terminal is a line of cells: what stands in each.
type terminal func(w int, s string) []string

// byCluster is the terminal that counts grapheme clusters.
func byCluster(w int, s string) []string {
	e := vt.NewEmulator(w, 1)
	defer e.Close()
	_, _ = e.WriteString(s)
	out := make([]string, w)
	for x := range out {
		if c := e.CellAt(x, 0); c != nil {
			out[x] = c.Content
		}
	}
	return out
}

// byRune is the terminal that counts runes, as wcwidth does.
func byRune(w int, s string) []string {
	out := make([]string, w)
	x := 0
	for len(s) > 0 {
		if seq, _, n, _ := ansi.DecodeSequence(s, ansi.NormalState, nil); strings.HasPrefix(seq, "\x1b") {
			var k int
			switch _, err := fmt.Sscanf(seq[2:], "%d", &k); {
			case err != nil:
			case strings.HasSuffix(seq, "G"):
				x = min(k-1, w-1)
			case strings.HasSuffix(seq, "X"):
				for i := x; i < min(x+k, w); i++ {
					out[i] = " "
				}
			}
			s = s[n:]
			continue
		}
		r := []rune(s)[0]
		s = s[len(string(r)):]
		switch k := runeWidth(r); {
		case k == 0 && x > 0:
			out[x-1] += string(r)
		case x < w:
			out[x] = string(r)
			for i := 1; i < k && x+i < w; i++ {
				out[x+i] = ""
			}
			x += k
		}
	}
	return out
}

// straight draws text between bars on lines that held others before, and
// reports the terminal whose bars stand elsewhere.
func straight(text string, w int) error {
	c := NewCanvas(2*w+3, 1, false)
	c.Put(0, 0, "│", Ink{})
	c.Fit(1, 0, w, text, Ink{})
	c.Put(w+1, 0, "│", Ink{})
	c.Put(w+2, 0, text, Ink{Role: Chosen})
	c.Put(2*w+2, 0, "│", Ink{})
	line := c.Render(NewPalette(true, TrueColor, false))
	if n := ansi.StringWidth(line); n != c.W {
		return fmt.Errorf("%q in %d: counted as %d cells, want %d: %q", text, w, n, c.W, line)
	}
	if n := ansi.StringWidth(c.Text()); n != c.W {
		return fmt.Errorf("%q in %d: its plain text is %d cells, want %d: %q", text, w, n, c.W, c.Text())
	}
	for name, draw := range map[string]terminal{"by cluster": byCluster, "by rune": byRune} {
		cells := draw(c.W, strings.Repeat("#", c.W)+"\x1b[1G"+line)
		for x, s := range cells {
			if bar := x == 0 || x == w+1 || x == 2*w+2; strings.HasPrefix(s, "│") != bar || bar && s != "│" || s == "#" {
				return fmt.Errorf("%q in %d, counted %s: cell %d holds %q: %q\n%q", text, w, name, x, s, cells, line)
			}
		}
	}
	return nil
}

// Columns stay straight in every script, however a terminal counts.
func TestScriptsKeepColumnsStraight(t *testing.T) {
	n := 0
	for _, name := range slices.Sorted(maps.Keys(living)) {
		for w := 0; w < 30; w += 3 {
			n++
			if err := straight(living[name], w); err != nil {
				t.Errorf("%s: %v", name, err)
				break
			}
		}
	}
	// Any runes of a script, in any order, some with letters of others between.
	r := rand.New(rand.NewPCG(1, 2))
	for _, name := range slices.Sorted(maps.Keys(unicode.Scripts)) {
		for range 6 {
			var b strings.Builder
			for range 1 + r.IntN(12) {
				table := unicode.Scripts[name]
				if r.IntN(6) == 0 {
					table = unicode.Scripts[[]string{"Latin", "Inherited", "Common", "Thai", "Han"}[r.IntN(5)]]
				}
				b.WriteRune(anyRune(r, table))
			}
			n++
			if err := straight(b.String(), 1+r.IntN(20)); err != nil {
				t.Errorf("%s: %v", name, err)
				break
			}
		}
	}
	t.Logf("%d cases", n)
}

func anyRune(r *rand.Rand, t *unicode.RangeTable) rune {
	if i := r.IntN(len(t.R16) + len(t.R32)); i < len(t.R16) {
		g := t.R16[i]
		return rune(g.Lo) + rune(g.Stride)*rune(r.IntN(int((g.Hi-g.Lo)/g.Stride)+1))
	} else {
		g := t.R32[i-len(t.R16)]
		return rune(g.Lo) + rune(g.Stride)*rune(r.IntN(int((g.Hi-g.Lo)/g.Stride)+1))
	}
}

// A blank that moves the cursor has one mark, in a label and in a text.
func TestBlanksHaveOneMark(t *testing.T) {
	for blank, marks := range visible {
		for form, ascii := range []bool{false, true} {
			text := "a" + string(blank) + "b"
			if got, want := Label(text, ascii), "a"+marks[form]+"b"; got != want {
				t.Errorf("label of %q: %q, want %q", text, got, want)
			}
			if got, want := Printable(text, ascii), "a"+marks[form]+"b"; blank != ' ' && got != want {
				t.Errorf("text %q: %q, want %q", text, got, want)
			}
		}
	}
}
