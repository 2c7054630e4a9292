package class

import (
	"strings"

	"logitscope/viz"
)

// A Terminal is what a client says its terminal is.
type Terminal struct {
	W, H  int
	Depth viz.Depth
	ASCII bool
	Dark  bool
}

// NoScreen is the depth of a terminal that has no screen to draw on.
const NoScreen = viz.NoSGR

// kinds of terminals by what their names end with or are.
var kinds = []struct {
	name  string
	depth viz.Depth
	ascii bool
}{
	{"dumb", NoScreen, true}, {"", NoScreen, true}, {"linux", viz.Colors16, true}, {"vt100", viz.NoColors, true}, {"vt220", viz.NoColors, true},
}

// suffixes of the names of terminals that say how many colours there are.
var suffixes = []struct {
	end   string
	depth viz.Depth
}{
	{"-direct", viz.TrueColor}, {"-256color", viz.Colors256}, {"-mono", viz.NoColors}, {"-m", viz.NoColors},
}

// fullColours are the values of COLORTERM that promise all colours.
var fullColours = map[string]bool{"truecolor": true, "24bit": true}

// terminalOf reads what a client says of its terminal.
func terminalOf(term string, environ []string, w, h int) Terminal {
	t := Terminal{W: clampSide(w), H: clampSide(h), Depth: viz.Colors16, Dark: true}
	for _, s := range suffixes {
		if rest := len(term) - len(s.end); rest >= 0 && term[rest:] == s.end {
			t.Depth = s.depth
			break
		}
	}
	for _, k := range kinds {
		if k.name == term {
			t.Depth, t.ASCII = k.depth, k.ascii
		}
	}
	env := map[string]string{}
	for _, e := range environ {
		name, value, _ := strings.Cut(e, "=")
		env[name] = value
	}
	switch {
	case t.Depth >= viz.NoColors:
	case env["NO_COLOR"] != "":
		t.Depth = viz.NoColors
	case fullColours[env["COLORTERM"]]:
		t.Depth = viz.TrueColor
	}
	return t
}
