package report

import (
	"fmt"

	"logitscope/engine/check"
	"logitscope/viz"
)

// CheckTable is the table of checks for a help text: each form, and what passes.
func CheckTable() string {
	out := ""
	for _, k := range check.Kinds() {
		out += fmt.Sprintf("  %-15s %s: %s\n", k.Name, k.Form, k.Help)
	}
	return out
}

// whyCells is how much of a line the reason for a failure may take.
const whyCells = 80

// Why says why a check failed, on a line of at most whyCells cells.
func Why(f check.Failure) string {
	text := f.Why
	if f.Found != "" {
		text += ": " + f.Found
	}
	return viz.Line(text, whyCells, false)
}
