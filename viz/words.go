package viz

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// FirstFit returns the first of forms that fits w cells, else the last one
// cut. Forms go from long to short.
func FirstFit(w int, forms ...string) string {
	for _, s := range forms {
		if Width(s) <= w {
			return s
		}
	}
	if len(forms) == 0 {
		return ""
	}
	return CutTitle(forms[len(forms)-1], max(w, 0))
}

// CutWords fits a sentence into w cells, cut after a word where one ends in
// the second half.
func CutWords(s string, w int) string {
	if Width(s) <= w {
		return s
	}
	head := Cut(s, max(w-1, 0))
	if i := strings.LastIndexByte(head, ' '); i > len(head)/2 && s[len(head)] != ' ' {
		head = head[:i]
	}
	return head + "…"
}

// SomeOf joins as many parts after head as fit w cells, and says how many
// more there are.
func SomeOf(head string, parts []string, w int) string {
	for n := len(parts); n > 0; n-- {
		s := head + strings.Join(parts[:n], " · ")
		if n < len(parts) {
			s += fmt.Sprintf(" · and %d more", len(parts)-n)
		}
		if Width(s) <= w {
			return s
		}
	}
	return head + Plural(len(parts), "change")
}

// WholePercent is a bar scale as the head shows it: "20%".
func WholePercent(scale float64) string { return strconv.Itoa(int(math.Round(scale*100))) + "%" }

// WrapWords breaks s into lines of w cells, at blanks where it has some.
func WrapWords(s string, w int) []string {
	w = max(w, 8)
	var out []string
	for Width(s) > w {
		cut := Cut(s, w)
		if i := strings.LastIndexByte(cut, ' '); i > w/3 && s[len(cut)] != ' ' {
			cut = cut[:i]
		}
		if cut == "" {
			break
		}
		out = append(out, cut)
		s = strings.TrimLeft(s[len(cut):], " ")
	}
	return append(out, s)
}

// CutEnd fits a value to w cells.
func CutEnd(s string, w int, ascii bool) string {
	s = Printable(s, ascii)
	if Width(s) <= w {
		return s
	}
	return Cut(s, w-1) + "…"
}

// FirstLine is s up to its first newline.
func FirstLine(s string) string {
	if i := strings.IndexByte(s, '\n'); i >= 0 {
		return s[:i]
	}
	return s
}

// Fold breaks s into at most n lines of w cells, at spaces.
func Fold(s string, w, n int) []string {
	var out []string
	for len(out) < n-1 && Width(s) > w {
		head := Cut(s, w+1)
		i := strings.LastIndexByte(head, ' ')
		if i <= 0 {
			break
		}
		out = append(out, s[:i])
		s = s[i+1:]
	}
	return append(out, s)
}

// CutHead fits s into w cells by cutting its beginning.
func CutHead(s string, w int) string {
	if Width(s) <= w {
		return s
	}
	r := []rune(s)
	for len(r) > 0 && Width(string(r)) > w-1 {
		r = r[1:]
	}
	return "…" + string(r)
}

// Plural counts things in words: "1 token", "2,000 tokens".
func Plural(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return Count(n) + " " + word + "s"
}

// CutSentence leaves out whole sentences from the end until s fits w cells,
// then what stands after a semicolon, else cuts the title way.
func CutSentence(s string, w int) string {
	for Width(s) > w {
		if i := strings.LastIndex(s, ". "); i >= 0 {
			s = s[:i+1]
		} else if i := strings.LastIndex(s, "; "); i >= 0 {
			s = s[:i]
		} else {
			return CutTitle(s, w)
		}
	}
	return s
}

// OneLine is a text in one line, for a table.
func OneLine(s string, ascii bool) string {
	return Printable(strings.NewReplacer("\n", "↵", "\t", "⇥", "\r", "␍").Replace(s), ascii)
}
