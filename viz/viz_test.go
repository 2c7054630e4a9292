package viz

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
)

func TestPercent(t *testing.T) {
	for _, c := range []struct {
		p    float64
		want string
	}{
		{.577, "57.7%"}, {.0951, "9.51%"}, {.00787, "0.787%"}, {.00035, "0.035%"},
		{.00995, "0.995%"}, {.009996, "1.00%"}, {.09996, "10.0%"}, {.9994, "99.9%"}, {.9996, ">99.9%"},
		{.0000999, "<0.01%"}, {1e-11, "<0.01%"}, {0, "0"}, {1, "100%"}, {math.NaN(), "–"},
		{.0001, "0.010%"}, {.5, "50.0%"}, {1 - 1e-12, ">99.9%"},
	} {
		if got := Percent(c.p); got != c.want {
			t.Errorf("Percent(%v) = %q, want %q", c.p, got, c.want)
		}
		if got := Percent(c.p); Width(got) > 6 {
			t.Errorf("Percent(%v) = %q takes %d cells", c.p, got, Width(got))
		}
	}
}

func TestNumbers(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{Two(11.111), "11.11"}, {Two(-0.16), "−0.16"}, {Two(-0.001), "0.00"}, {Logprob(-0.001), "−0.00"}, {Two(3.8), "3.80"},
		{Two(999.994), "999.99"}, {Two(999.996), "1,000.00"}, {Two(-6264.22), "−6,264.22"}, {Two(1234567.8), "1,234,567.80"},
		{Two(math.Inf(-1)), "−∞"}, {Perplexity(1.706), "1.71"}, {Perplexity(999.994), "999.99"}, {Perplexity(999.996), "1,000"}, {Perplexity(31527.96), "31,528"},
		{About(3.8), "about 14"}, {About(0.5), "one"}, {About(10.34), "about 1,300"}, {About(0), "one"}, {About(1), "about 2"},
		{Three(.705), "0.705"}, {Three(.9999), "0.999"}, {Interval(.674, .778), "[0.674, 0.778)"}, {Interval(0, .578), "[0, 0.578)"},
		{Interval(.9, 1), "[0.900, 1)"},
		{Count(4096), "4,096"}, {Count(128256), "128,256"}, {Count(999), "999"}, {Count(-1234567), "−1,234,567"},
		{Duration(600 * time.Nanosecond), "0.6 µs"}, {Duration(31600 * time.Microsecond), "31.6 ms"},
		{Duration(2100 * time.Millisecond), "2.10 s"}, {Duration(65 * time.Second), "1:05"}, {Duration(40 * time.Millisecond), "40.0 ms"},
		{Milliseconds(2100 * time.Microsecond), "2.1 ms"},
		{Rate(412.3), "412"}, {Rate(4.2), "4.2"}, {Rate(9.96), "10"}, {Rate(0), "–"}, {Rate(13000), "13,000"},
		{Bytes(4908000), "4.68 MiB"}, {Bytes(12), "12 B"},
		{Params(4492032), "4.5M"}, {Params(787296), "787K"}, {Params(135e6), "135M"}, {Params(7e9), "7B"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}

func TestLabel(t *testing.T) {
	for _, c := range []struct{ piece, want, ascii string }{
		{" deep", "␣deep", "_deep"},
		{"日本語", "日本語", "日本語"},
		{" 🦊", "␣🦊", "_🦊"},
		{"\n\n", "↵↵", `\n\n`},
		{"\treturn\r", "⇥return␍", `\treturn\r`},
		{"\xe2\x96", "‹E2 96›", "‹E2 96›"},
		{"\u202eabc", "‹U+202E›abc", `\u202eabc`},
		{"\x1b[31m", "␛[31m", `\x1b[31m`},
		{"\x7f", "␡", `\x7f`},
		{"\u0085", "‹U+0085›", `\u0085`},
		{"a\u200bb", "a‹U+200B›b", `a\u200bb`},
		{"👨\u200d👩", "‹1F468 …›", "‹1F468 …›"},
		{"🇵🇹", "‹1F1F5 …›", "‹1F1F5 …›"},
		{"1\ufe0f\u20e3", "‹31 …›", "‹31 …›"},
		{"❤\ufe0f", "‹2764 …›", "‹2764 …›"},
		{"e\u0301", "e\u0301", "e\u0301"},
		{"\u0301", "◌\u0301", `\u0301`},
		{"a\u0301\u0302\u0303\u0304\u0305", "‹61 …›", "‹61 …›"},
		{"a\xff\xfe b", "a‹FF FE›␣b", "a‹FF FE›_b"},
		{"سلام", "سلام", "سلام"},
	} {
		if got := Label(c.piece, false); got != c.want {
			t.Errorf("Label(%q) = %q, want %q", c.piece, got, c.want)
		}
		if got := Label(c.piece, true); got != c.ascii {
			t.Errorf("ASCII Label(%q) = %q, want %q", c.piece, got, c.ascii)
		}
	}
}

func TestFitCutsByCluster(t *testing.T) {
	for _, c := range []struct {
		s    string
		w    int
		want string
	}{
		{"deep", 6, "deep  "}, {"narrow", 4, "nar…"}, {"日本語", 5, "日本…"}, {"日本語", 4, "日… "}, {"日本語", 6, "日本語"},
		{"a🦊b", 3, "a… "}, {"", 2, "  "}, {"x", 0, ""}, {"e\u0301e\u0301e\u0301", 2, "e\u0301…"},
	} {
		if got := Fit(c.s, c.w); got != c.want || Width(got) != c.w {
			t.Errorf("Fit(%q, %d) = %q, want %q", c.s, c.w, got, c.want)
		}
	}
}

// rows draws f on a w×h canvas and returns its lines without trailing blanks.
func rows(w, h int, f func(*Canvas)) []string {
	c := NewCanvas(w, h, false)
	f(c)
	lines := strings.Split(c.Text(), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return lines
}

func TestBars(t *testing.T) {
	for _, c := range []struct {
		b    Bar
		want string
	}{
		{Bar{Raw: .4, Final: .4}, "████"},
		{Bar{Raw: .42, Final: .66}, "████▓▓▋"}, // 4.2 to 6.6 cells
		{Bar{Raw: .61, Final: .66}, "██████▋"}, // within one cell: nothing gained whole
		{Bar{Raw: .66, Final: .42}, "████▎░░"}, // the part cell is the solid bar's
		{Bar{Raw: .66, Final: 0}, "░░░░░░░"},   // removed
		{Bar{Raw: .0126, Final: 0}, "░"},       // from an eighth of a cell on it shows as lost
		{Bar{Raw: .0124, Final: 0}, ""},
		{Bar{Raw: .011, Final: .011}, "▏"},  // rounds to an eighth
		{Bar{Raw: .005, Final: .005}, ""},   // below half an eighth
		{Bar{Raw: .2, Final: .397}, "██▓█"}, // eighths that round up stay a block
		{Bar{Raw: .3, Final: .3, Refused: true}, "╱╱╱"},
		{Bar{Raw: 2, Final: .95}, "█████████»"},
		{Bar{Raw: .1, Final: 1}, "█▓▓▓▓▓▓▓▓▓"},
		{Bar{Raw: math.NaN(), Final: math.Inf(1)}, "▓▓▓▓▓▓▓▓▓»"},
		{Bar{Raw: .5, Final: .5, Blank: true}, ""},
		{Bar{Raw: .5, Final: .3, Single: true}, "███"},
	} {
		got := rows(10, 1, func(cv *Canvas) { Bars(cv, []Bar{c.b}, 1) })[0]
		if got != c.want {
			t.Errorf("%+v: %q, want %q", c.b, got, c.want)
		}
	}
}

// A chart that is kept draws what a fresh one draws.
func TestBarChartKeepsWhatItDrew(t *testing.T) {
	var kept BarChart
	for _, bars := range [][]Bar{{{Raw: .3, Final: .6}}, {{Raw: .3, Final: .6}}, {{Raw: .6, Final: .3}}, {}, {{Raw: math.NaN()}}, {{Raw: math.NaN()}}} {
		for _, w := range []int{0, 10, 20} {
			for range 2 {
				a, b := NewCanvas(w, 2, false), NewCanvas(w, 2, false)
				Bars(a, bars, 1)
				kept.Draw(b, bars, 1)
				if a.Text() != b.Text() {
					t.Errorf("%v at %d: kept %q, fresh %q", bars, w, b.Text(), a.Text())
				}
			}
		}
	}
}

func TestStrip(t *testing.T) {
	spans := []Span{{Label: "deep", Hi: .5}, {Label: "wide", Hi: .8, Chosen: true}, {Label: "tall", Hi: 1}}
	got := rows(21, 2, func(c *Canvas) { Strip(c, spans, .6) })
	if got[0] != "├──deep───┼wide─┼tal┤" || got[1] != "            ↑" {
		t.Errorf("%q", got)
	}
	// The marker stays inside the chosen interval at every width and draw.
	for w := 3; w < 120; w++ {
		for _, s := range []Span{{Hi: .0004}, {Hi: .3}, {Hi: 1}} {
			for _, u := range []float64{0, .2, .5, .999, 1 - 1e-9} {
				lo := max(s.Hi-.3, 0)
				list := []Span{{Hi: lo, Label: "a"}, {Hi: s.Hi, Chosen: true, Label: "日"}, {Hi: 1, Label: "b"}}
				c := NewCanvas(w, 2, false)
				Strip(c, list, u)
				x := strings.IndexRune(strings.Split(c.Text(), "\n")[1], '↑')
				if x < 1 || x >= w-1 {
					t.Fatalf("w %d, hi %v, u %v: marker at %d\n%s", w, s.Hi, u, x, c.Text())
				}
			}
		}
	}
}

func TestSpark(t *testing.T) {
	got := rows(6, 1, func(c *Canvas) { Spark(c, []float64{9, 0, 4.73, 3.8, 2.2, math.NaN(), 1}, 4.73, Ink{}) })[0]
	if got != "▁█▇▄▁▂" {
		t.Errorf("%q", got)
	}
}

func TestHeat(t *testing.T) {
	v := [][]float64{{1, .3}, {0, .6}, {math.NaN(), .01}}
	got := rows(6, 2, func(c *Canvas) {
		Heat(c, 3, 2, 2, func(x, y int) float64 { return v[x][y] }, Ink{})
	})
	if got[0] != "██" || got[1] != "▒▒▓▓░░" {
		t.Errorf("%q", got)
	}
}

func TestLines(t *testing.T) {
	got := rows(8, 3, func(c *Canvas) {
		Lines(c, []Series{{Values: []float64{0, 1, math.NaN(), math.Inf(1), 1, 0}}}, 6, 1)
	})
	if got[0] == "" || got[2] == "" {
		t.Errorf("%q", got)
	}
}

// Every chart survives every size and every number.
func TestChartsNeverPanic(t *testing.T) {
	bad := []float64{math.NaN(), math.Inf(1), math.Inf(-1), -1, 0, 1e-300, .5, 1, 1e300}
	for w := 0; w < 9; w++ {
		for h := 0; h < 4; h++ {
			for _, v := range bad {
				for _, max := range bad {
					c := NewCanvas(w, h, w%2 == 0)
					Bars(c, []Bar{{Raw: v, Final: max}, {Raw: max, Final: v, Refused: true}, {}, {}, {}, {}}, max)
					Spark(c, []float64{v, max, v}, max, Ink{})
					Heat(c, 3, 3, 1, func(int, int) float64 { return v }, Ink{})
					Lines(c, []Series{{Values: []float64{v, max, 1}}}, 3, max)
					Strip(c, []Span{{Hi: v, Label: "日"}, {Hi: max, Chosen: true}, {Hi: 1}}, v)
					Slider(c, v, false, Ink{})
					Box(c, Frame{Title: "a · b", Right: "c"})
					for _, line := range strings.Split(c.Text(), "\n") {
						if h > 0 && ansi.StringWidth(line) != w {
							t.Fatalf("%d×%d: %q", w, h, line)
						}
					}
				}
			}
		}
	}
}

// What stands at the right of a border gives way to the title's first part.
func TestTitleGoesFirst(t *testing.T) {
	for w, want := range map[int]string{
		43: "╭─ what each layer says · more ─ A · esc ─╮", 36: "╭─ what each layer says ─ A · esc ─╮",
		35: "╭─ what each layer says ────── A ─╮", 30: "╭─ what each layer says ─ A ─╮", 29: "╭─ what each layer sa… ─ A ─╮",
	} {
		c := NewCanvas(w, 3, false)
		Box(c, Frame{Title: "what each layer says · more", Right: "A · esc"})
		if got, _, _ := strings.Cut(c.Text(), "\n"); got != want {
			t.Errorf("%d cells: %s\n         want %s", w, got, want)
		}
	}
}

func TestCutTitle(t *testing.T) {
	for _, c := range []struct {
		s    string
		w    int
		want string
	}{{"a · bb · ccc", 12, "a · bb · ccc"}, {"a · bb · ccc", 11, "a · bb"}, {"a · bb", 5, "a"}, {"abcdef", 4, "abc…"}, {"abc", 1, ""}} {
		if got := CutTitle(c.s, c.w); got != c.want {
			t.Errorf("CutTitle(%q, %d) = %q, want %q", c.s, c.w, got, c.want)
		}
	}
}

// In ASCII a part cell too small for a sign belongs to what the bar lost, so
// that a bar has no hole. Of 10 cells, 3.2 stay and 3.4 are lost: 3 signs, a
// part cell, and up to the end of the seventh.
func TestASCIIBarsHaveNoHoles(t *testing.T) {
	for _, tt := range []struct {
		bar  Bar
		want string
	}{
		{Bar{Raw: 0.66, Final: 0.32}, "###....   "},
		{Bar{Raw: 0.66, Final: 0.36}, "####...   "}, // a part cell over a half counts
		{Bar{Raw: 0.32, Final: 0.66}, "###+++#   "},
		{Bar{Raw: 0.02, Final: 0.02}, "          "}, // nothing to draw
	} {
		c := NewCanvas(10, 1, true)
		Bars(c, []Bar{tt.bar}, 1)
		if got := c.Text(); got != tt.want {
			t.Errorf("%+v is %q, want %q", tt.bar, got, tt.want)
		}
	}
}

func TestLine(t *testing.T) {
	for _, tt := range []struct {
		text string
		w    int
		want string
	}{
		{"a\nb\tc", 9, "a↵b⇥c"}, {"abcdef", 6, "abcdef"}, {"abcdefg", 6, "abcde…"}, {"日本語", 5, "日本…"},
		{"\x1b[31mred", 9, "␛[31mred"}, {"a\u200bb", 9, "a‹U+200B…"}, {"", 3, ""},
		{strings.Repeat("\u202e", 500), 12, "‹U+202E›‹U+…"}, {"abc", 1, "…"},
	} {
		if got := Line(tt.text, tt.w, false); got != tt.want || Width(got) > tt.w {
			t.Errorf("%q in %d cells: %q, want %q", tt.text, tt.w, got, tt.want)
		}
	}
}
