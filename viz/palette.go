package viz

import (
	"fmt"
	"strconv"
	"strings"
	"sync"

	"github.com/muesli/termenv"
)

// A Depth is how many colours a terminal shows.
type Depth uint8

const (
	TrueColor Depth = iota
	Colors256
	Colors16
	NoColors // attributes only: NO_COLOR
	NoSGR    // nothing at all: a dumb terminal
)

// DepthOf returns the depth of a termenv profile, as a lipgloss renderer
// reports it.
func DepthOf(p termenv.Profile) Depth {
	switch p {
	case termenv.TrueColor:
		return TrueColor
	case termenv.ANSI256:
		return Colors256
	case termenv.ANSI:
		return Colors16
	}
	return NoColors
}

// A Palette maps inks to the SGR sequences that show them. It is immutable.
type Palette struct {
	ASCII bool // draw with ASCII glyphs only
	Depth Depth
	Dark  bool
	sgr   [nRoles][nAttrs]string
}

// palettes are those that were asked for, by background, depth and glyphs.
var palettes [2][NoSGR + 1][2]struct {
	once sync.Once
	p    Palette
}

// NewPalette returns the palette for a dark or light background at one depth.
// Who asks for the same gets the same.
func NewPalette(dark bool, d Depth, ascii bool) *Palette {
	made := &palettes[index(dark)][d][index(ascii)]
	made.once.Do(func() { made.p.fill(dark, d, ascii) })
	return &made.p
}

func index(b bool) int {
	if b {
		return 1
	}
	return 0
}

func (p *Palette) fill(dark bool, d Depth, ascii bool) {
	p.ASCII, p.Depth, p.Dark = ascii, d, dark
	if d == NoSGR {
		return
	}
	for r := range p.sgr {
		for a := range p.sgr[r] {
			p.sgr[r][a] = sequence(Role(r), Attr(a), dark, d)
		}
	}
}

func sequence(r Role, a Attr, dark bool, d Depth) string {
	var codes []string
	s := shades[r][1]
	if dark {
		s = shades[r][0]
	}
	if a&Bold != 0 || alwaysBold[r] || d == Colors16 && s.bold {
		codes = append(codes, "1")
	}
	for _, x := range [...]struct {
		a Attr
		c string
	}{{Italic, "3"}, {Underline, "4"}, {Reverse, "7"}} {
		if a&x.a != 0 {
			codes = append(codes, x.c)
		}
	}
	if r != Plain {
		if c := s.code(d); c != "" {
			codes = append(codes, c)
		}
	}
	if len(codes) == 0 {
		return ""
	}
	return "\x1b[" + strings.Join(codes, ";") + "m"
}

// code returns the SGR parameters that select the shade's foreground.
func (s shade) code(d Depth) string {
	switch d {
	case TrueColor:
		var r, g, b uint8
		fmt.Sscanf(s.rgb, "#%02x%02x%02x", &r, &g, &b)
		return fmt.Sprintf("38;2;%d;%d;%d", r, g, b)
	case Colors256:
		return "38;5;" + strconv.Itoa(int(s.c256))
	case Colors16:
		switch {
		case s.c16 < 0:
			return ""
		case s.c16 < 8:
			return strconv.Itoa(30 + int(s.c16))
		default:
			return strconv.Itoa(90 + int(s.c16) - 8)
		}
	}
	return ""
}
