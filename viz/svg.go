package viz

import (
	"fmt"
	"html"
	"strings"
)

// Sizes of a cell in an SVG.
const (
	svgCell = 8.4  // wide
	svgLine = 16.5 // high
	svgFont = 14
	svgRoom = 10 // around the screen
)

// SVG returns the canvas as a picture: one text element a run of equal ink,
// whose length is set, so that columns hold in any font. It has the colours of
// a dark and of a light background, and takes those that the reader's screen
// asks for. Equal canvases give equal bytes.
func (c *Canvas) SVG(title string) string {
	var b strings.Builder
	w, h := float64(c.W)*svgCell+2*svgRoom, float64(c.H)*svgLine+2*svgRoom
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %s %s" width="%s" height="%s" role="img">`+"\n", short(w), short(h), short(w), short(h))
	fmt.Fprintf(&b, "<title>%s</title>\n", html.EscapeString(Printable(title, false)))
	b.WriteString(svgStyle(c))
	fmt.Fprintf(&b, `<rect class="paper" width="100%%" height="100%%" rx="6"/>`+"\n")
	for y := range c.H {
		c.svgRow(&b, y)
	}
	b.WriteString("</svg>\n")
	return b.String()
}

// svgStyle has the classes of the roles that c uses.
func svgStyle(c *Canvas) string {
	var used [nRoles]bool
	for y := range c.H {
		for x := range c.W {
			used[c.at(x, y).ink.Role] = true
		}
	}
	var dark, light strings.Builder
	for r := range nRoles {
		if r != Plain && used[r] {
			fmt.Fprintf(&dark, ".r%d{fill:%s}", r, shades[r][0].rgb)
			fmt.Fprintf(&light, ".r%d{fill:%s}", r, shades[r][1].rgb)
		}
	}
	return fmt.Sprintf("<style>text{font:%dpx ui-monospace,Menlo,Consolas,monospace;white-space:pre;fill:#e6e6e6}.paper{fill:#16181c}.ink{fill:#e6e6e6}.b{font-weight:bold}.i{font-style:italic}.u{text-decoration:underline}.v{fill:#16181c}%s"+
		"@media (prefers-color-scheme:light){text{fill:#1a1a1a}.paper{fill:#fff}.ink{fill:#1a1a1a}.v{fill:#fff}%s}</style>\n", svgFont, dark.String(), light.String())
}

// svgRow writes one row: runs of cells that are drawn alike.
func (c *Canvas) svgRow(b *strings.Builder, y int) {
	for x := 0; x < c.W; {
		ink, from := c.at(x, y).ink, x
		var text strings.Builder
		blank := true
		for x < c.W && (c.at(x, y).text == "" || c.at(x, y).ink == ink) {
			if s := c.shown(c.at(x, y), true); s != "" {
				text.WriteString(s)
				blank = blank && s == " "
			}
			x++
		}
		c.svgRun(b, text.String(), blank, ink, from, x, y)
	}
}

func (c *Canvas) svgRun(b *strings.Builder, text string, blank bool, ink Ink, from, to, y int) {
	left, wide := svgRoom+float64(from)*svgCell, float64(to-from)*svgCell
	reverse := ink.Attr&Reverse != 0
	if blank && !reverse && ink.Attr&Underline == 0 {
		return
	}
	if reverse {
		class := "ink"
		if ink.Role != Plain {
			class = fmt.Sprintf("r%d", ink.Role)
		}
		fmt.Fprintf(b, `<rect class="%s" x="%s" y="%s" width="%s" height="%s"/>`, class, short(left), short(svgRoom+float64(y)*svgLine), short(wide), short(svgLine))
	}
	if !reverse { // blanks at the ends need no place
		trimmed := strings.TrimRight(text, " ")
		wide -= float64(len(text)-len(trimmed)) * svgCell
		lead := len(trimmed) - len(strings.TrimLeft(trimmed, " "))
		left, wide, text = left+float64(lead)*svgCell, wide-float64(lead)*svgCell, trimmed[lead:]
	}
	fmt.Fprintf(b, `<text%s x="%s" y="%s" textLength="%s" lengthAdjust="spacingAndGlyphs">%s</text>`+"\n",
		svgClass(ink), short(left), short(svgRoom+float64(y)*svgLine+svgFont), short(wide), html.EscapeString(text))
}

func svgClass(ink Ink) string {
	var list []string
	if ink.Attr&Reverse != 0 {
		list = append(list, "v")
	} else if ink.Role != Plain {
		list = append(list, fmt.Sprintf("r%d", ink.Role))
	}
	if ink.Attr&Bold != 0 || alwaysBold[ink.Role] {
		list = append(list, "b")
	}
	if ink.Attr&Italic != 0 {
		list = append(list, "i")
	}
	if ink.Attr&Underline != 0 {
		list = append(list, "u")
	}
	if len(list) == 0 {
		return ""
	}
	return fmt.Sprintf(` class="%s"`, strings.Join(list, " "))
}

// short writes a length with one decimal, where it has one.
func short(x float64) string { return strings.TrimSuffix(fmt.Sprintf("%.1f", x), ".0") }
