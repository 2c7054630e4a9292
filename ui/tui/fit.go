package tui

import (
	"strings"

	"logitscope/viz"
)

// firstFit returns the first of forms that fits w cells, else the last one
// cut. Forms go from long to short.
func firstFit(w int, forms ...string) string {
	for _, s := range forms {
		if viz.Width(s) <= w {
			return s
		}
	}
	if len(forms) == 0 {
		return ""
	}
	return viz.CutTitle(forms[len(forms)-1], max(w, 0))
}

// cutWords fits a sentence into w cells, cut behind a word where one ends in
// the second half.
func cutWords(s string, w int) string {
	if viz.Width(s) <= w {
		return s
	}
	head := viz.Cut(s, max(w-1, 0))
	if i := strings.LastIndexByte(head, ' '); i > len(head)/2 && s[len(head)] != ' ' {
		head = head[:i]
	}
	return head + "…"
}
