// Package quiet answers: how is the terminal kept from being asked at every
// start? It keeps the program from asking the terminal for its background
// colour at every start.
//
// Bubble Tea asks in an init function, and where nothing answers, as in a
// pseudo-terminal of a script or a slow line, the program would stand still
// for five seconds and the late answer would arrive as typed keys. Nobody here
// needs it: dark or light is a flag, else COLORFGBG. The question is left out
// for terminals called dumb, so this one is called so while packages are
// initialised. Go initialises them in the order of their paths once what they
// import is ready: this package imports only os, so it comes before Bubble
// Tea, which waits for text/template and others; package tui imports both and
// calls [Restore] after it.
package quiet

import "os"

var term, known = os.LookupEnv("TERM")

func init() {
	if known {
		os.Setenv("TERM", "dumb")
	}
}

// Restore gives TERM back its value. Further calls do nothing.
func Restore() {
	if known {
		os.Setenv("TERM", term)
	}
	known = false
}
