package viz

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/muesli/termenv"
)

func TestPaletteCodes(t *testing.T) {
	for _, c := range []struct {
		dark bool
		d    Depth
		ink  Ink
		want string
	}{
		{true, TrueColor, Ink{Role: Kept}, "\x1b[38;2;91;155;255m"},
		{false, TrueColor, Ink{Role: Kept}, "\x1b[38;2;47;98;174m"},
		{true, Colors256, Ink{Role: Warning}, "\x1b[38;5;214m"},
		{false, Colors256, Ink{Role: Warning}, "\x1b[38;5;94m"}, // the nearest colour, 130, is too pale
		{true, Colors16, Ink{Role: Kept}, "\x1b[94m"},
		{false, Colors16, Ink{Role: Kept}, "\x1b[34m"},
		{true, Colors16, Ink{Role: Warning}, "\x1b[1;93m"},
		{true, Colors16, Ink{Role: Chat}, ""},
		{true, TrueColor, Ink{Role: Chosen}, "\x1b[1;38;2;255;255;255m"},
		{true, NoColors, Ink{Role: Chosen}, "\x1b[1m"},
		{true, NoColors, Ink{Role: Kept}, ""},
		{true, NoColors, Ink{Role: Factual, Attr: Underline}, "\x1b[4m"},
		{true, NoSGR, Ink{Role: Chosen, Attr: Reverse}, ""},
		{true, TrueColor, Ink{Attr: Bold | Reverse}, "\x1b[1;7m"},
	} {
		if got := NewPalette(c.dark, c.d, false).sgr[c.ink.Role][c.ink.Attr]; got != c.want {
			t.Errorf("dark %v, depth %d, %+v: %q, want %q", c.dark, c.d, c.ink, got, c.want)
		}
	}
	for p, want := range map[termenv.Profile]Depth{termenv.TrueColor: TrueColor, termenv.ANSI256: Colors256, termenv.ANSI: Colors16, termenv.Ascii: NoColors} {
		if got := DepthOf(p); got != want {
			t.Errorf("profile %v has depth %d, want %d", p, got, want)
		}
	}
}

// Every role keeps a contrast of 4.5 against the usual backgrounds of its
// kind, as WCAG 2.1 computes it; one that only fills cells, as much as what is
// no text needs.
func TestContrast(t *testing.T) {
	for r := Kept; r < nRoles; r++ {
		for side, backs := range [][]string{{"#000000", "#1e1e1e"}, {"#ffffff", "#fdf6e3"}} {
			for _, back := range backs {
				least := 4.5
				if r == LostFill || r == RefusedFill {
					least = 3
				}
				if c := contrast(t, shades[r][side].rgb, back); c < least {
					t.Errorf("role %d: %s on %s has contrast %.2f", r, shades[r][side].rgb, back, c)
				}
			}
		}
	}
}

// coverage is how much of a cell the ink of a glyph covers.
var coverage = map[rune]float64{
	'█': 1, '▓': .75, '▒': .5, '░': .25, '╱': .15, '▀': 1,
	// A part cell is a shape: all of what it shows is ink.
	'▉': 1, '▊': 1, '▋': 1, '▌': 1, '▍': 1, '▎': 1, '▏': 1, '»': 1,
}

// seen is the colour the eye makes of a glyph: its ink and what is behind it,
// mixed as light.
func seen(ink, back string, cover float64) float64 {
	return cover*luminanceOf(ink) + (1-cover)*luminanceOf(back)
}

// With colours every cell of a bar has at least 3:1 against its background as
// it is seen, not as its ink alone would be.
func TestBarsAreSeenFromTheBackRow(t *testing.T) {
	bars := []Bar{{Raw: .3, Final: .6}, {Raw: .6, Final: .31}, {Raw: .5}, {Raw: .8, Refused: true}, {Raw: .123, Final: .456}}
	drawn := NewCanvas(32, len(bars), false)
	Bars(drawn, bars, 1)
	fills := map[Role]bool{}
	for side, backs := range [][]string{{"#000000", "#1e1e1e"}, {"#ffffff", "#fdf6e3"}} {
		for _, d := range []Depth{TrueColor, Colors256} {
			out := drawn.Render(NewPalette(side == 0, d, false))
			text := strings.Split(ansi.Strip(out), "\n")
			for y, line := range text {
				for x, r := range []rune(line) {
					if r == ' ' {
						continue
					}
					role := drawn.at(x, y).ink.Role
					fills[role] = true
					ink := shades[role][side].rgb
					if d == Colors256 {
						ink = rgb256(shades[role][side].c256)
					}
					for _, back := range backs {
						a, b := seen(ink, back, coverage[r]), luminanceOf(back)
						if c := (max(a, b) + .05) / (min(a, b) + .05); c < 3 {
							t.Errorf("%c of role %d, %s on %s: %.2f", r, role, ink, back, c)
						}
					}
				}
			}
		}
	}
	for _, r := range []Role{Kept, Boosted, LostFill, RefusedFill} {
		if !fills[r] {
			t.Errorf("no bar has a cell of role %d", r)
		}
	}
	if out := drawn.Render(NewPalette(true, NoColors, false)); !strings.ContainsAny(out, "░") || !strings.ContainsAny(out, "▓") {
		t.Error("without colours the segments must differ by their glyphs")
	}
}

// rgb256 is a colour of the 256-colour table: a cube of six levels, and greys.
func rgb256(i uint8) string {
	if i >= 232 {
		v := 8 + 10*(int(i)-232)
		return fmt.Sprintf("#%02x%02x%02x", v, v, v)
	}
	level := func(n int) int { return [...]int{0, 95, 135, 175, 215, 255}[n%6] }
	n := int(i) - 16
	return fmt.Sprintf("#%02x%02x%02x", level(n/36), level(n/6), level(n))
}

func contrast(t *testing.T, a, b string) float64 {
	x, y := luminance(t, a), luminance(t, b)
	return (max(x, y) + .05) / (min(x, y) + .05)
}

func luminance(t *testing.T, hex string) float64 {
	t.Helper()
	return luminanceOf(hex)
}

func luminanceOf(hex string) float64 {
	sum := 0.0
	for i, weight := range [...]float64{.2126, .7152, .0722} {
		v := 0
		for _, d := range strings.ToLower(hex[1+2*i : 3+2*i]) {
			v = v*16 + strings.IndexRune("0123456789abcdef", d)
		}
		c := float64(v) / 255
		if c <= .04045 {
			c /= 12.92
		} else {
			c = math.Pow((c+.055)/1.055, 2.4)
		}
		sum += weight * c
	}
	return sum
}

// Rendering adds sequences and nothing else, and leaves none open.
func TestRenderIsTextInColour(t *testing.T) {
	c := NewCanvas(30, 4, false)
	c.Put(0, 0, "plain ", Ink{})
	c.Put(6, 0, "kept 日本", Ink{Role: Kept})
	c.Put(20, 0, "under lined", Ink{Attr: Underline})
	c.Put(0, 1, "reverse and", Ink{Attr: Reverse})
	c.Put(12, 1, "x", Ink{Role: Chosen})
	Box(c.Sub(Rect{0, 2, 30, 2}), Frame{Title: "t", Focused: true})
	for d := TrueColor; d <= NoSGR; d++ {
		got := c.Render(NewPalette(true, d, false))
		if ansi.Strip(got) != c.Text() {
			t.Errorf("depth %d: %q", d, got)
		}
		for _, line := range strings.Split(got, "\n") {
			if n := strings.LastIndex(line, "\x1b["); n >= 0 && !strings.HasPrefix(line[n:], "\x1b[0m") {
				t.Errorf("depth %d leaves a sequence open: %q", d, line)
			}
		}
	}
}

// Half of a wide cluster never stays behind.
func TestWideClustersAreWhole(t *testing.T) {
	for x := -1; x < 6; x++ {
		c := NewCanvas(6, 1, false)
		c.Put(1, 0, "日本", Ink{})
		c.Put(x, 0, "x", Ink{})
		if n := ansi.StringWidth(c.Text()); n != 6 {
			t.Errorf("x at %d: %q is %d cells wide", x, c.Text(), n)
		}
		c.Put(x, 0, "語", Ink{})
		if n := ansi.StringWidth(c.Text()); n != 6 {
			t.Errorf("語 at %d: %q is %d cells wide", x, c.Text(), n)
		}
	}
}

// Whatever a token holds, its label moves no column and sends no control.
func FuzzLabel(f *testing.F) {
	for _, s := range []string{"", " deep", "日本語", "👨\u200d👩\u200d👧", "🇵🇹🇵", "\x1b]0;x\x07", "\u202eabc", "\xe2\x96", "e\u0301", "\u0301", "ก็", "क्षि", "한", "\u1112\u1161\u11ab", "a\u00adb", "\ufeff", "\U000e0041", "ﷺ", "㍿"} {
		f.Add(s, 12)
	}
	f.Fuzz(func(t *testing.T, s string, w int) {
		w = min(max(w, 0), 60)
		for _, ascii := range []bool{false, true} {
			label := Label(s, ascii)
			c := NewCanvas(w+2, 1, ascii)
			c.Fit(1, 0, w, label, Ink{})
			c.Put(w+1, 0, "|", Ink{})
			line := c.Text()
			if n := ansi.StringWidth(line); n != w+2 {
				t.Fatalf("%q in %d cells: %q is %d wide", s, w, line, n)
			}
			if !strings.HasSuffix(line, "|") {
				t.Fatalf("%q in %d cells: %q lost its edge", s, w, line)
			}
			for _, r := range line + label + Printable(s, ascii) {
				if r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 {
					t.Fatalf("%q: %q holds %U", s, line, r)
				}
			}
			total := 0
			for _, cl := range Clusters(nil, s, ascii) {
				total += cl.Bytes
			}
			if total != len(s) {
				t.Fatalf("%q: clusters stand for %d of %d bytes", s, total, len(s))
			}
		}
	})
}

// A lane's colour is no preset's: in compare both stand side by side.
func TestLaneColoursAreNoPresets(t *testing.T) {
	rgb := func(hex string) (c [3]float64) {
		for i := range c {
			var n int
			fmt.Sscanf(hex[1+2*i:3+2*i], "%02x", &n)
			c[i] = float64(n)
		}
		return c
	}
	for lane := Lane1; lane <= Lane4; lane++ {
		for preset := Factual; preset <= Custom; preset++ {
			for side := range 2 {
				a, b := shades[lane][side], shades[preset][side]
				x, y := rgb(a.rgb), rgb(b.rgb)
				if d := math.Hypot(math.Hypot(x[0]-y[0], x[1]-y[1]), x[2]-y[2]); d < 50 {
					t.Errorf("role %d %s and %d %s are %.0f apart", lane, a.rgb, preset, b.rgb, d)
				}
				if a.c256 == b.c256 {
					t.Errorf("roles %d and %d share colour %d of 256", lane, preset, a.c256)
				}
				if a.c16 == b.c16 {
					t.Errorf("roles %d and %d share colour %d of 16", lane, preset, a.c16)
				}
			}
		}
	}
}
