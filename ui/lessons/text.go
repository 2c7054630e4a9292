package lessons

import (
	"fmt"
	"io"
	"strings"

	"logitscope/ui/handout"
	"logitscope/viz"
)

// A Writer writes lessons as plain text.
type Writer struct {
	Out   io.Writer
	Width int // cells of a line; 0 means 80
	ASCII bool
}

// Marks of a goal.
const (
	metMark, openMark   = "✓", "○"
	metASCII, openASCII = "v", "o"
)

func (w *Writer) mark(yes bool) string {
	switch {
	case yes && w.ASCII:
		return metASCII
	case yes:
		return metMark
	case w.ASCII:
		return openASCII
	}
	return openMark
}

func (w *Writer) width() int {
	if w.Width <= 0 {
		return 80
	}
	return w.Width
}

// wrapped writes s in lines, the first after lead and the others below its
// text.
func (w *Writer) wrapped(lead, s string) {
	indent := strings.Repeat(" ", viz.Width(lead))
	for i, l := range viz.WrapWords(s, max(w.width()-len(indent), 20)) {
		if i > 0 {
			lead = indent
		}
		fmt.Fprintln(w.Out, strings.TrimRight(lead+l, " "))
	}
}

func (w *Writer) blocks(lead string, list []handout.SheetBlock) {
	for i, b := range list {
		if i > 0 && (b.Kind != handout.SheetItem || list[i-1].Kind != handout.SheetItem) {
			fmt.Fprintln(w.Out)
		}
		switch b.Kind {
		case handout.SheetCode:
			for l := range strings.SplitSeq(b.Text, "\n") {
				fmt.Fprintln(w.Out, strings.TrimRight("    "+viz.Printable(l, w.ASCII), " "))
			}
		case handout.SheetItem:
			w.wrapped(lead+"- ", b.Text)
		default:
			w.wrapped(lead, b.Text)
		}
		lead = strings.Repeat(" ", viz.Width(lead))
	}
}

// A Show says which parts of a sheet are written.
type Show struct {
	Task    int // from 1; 0 for all
	Answers bool
	Notes   bool
}

// Sheet writes a lesson.
func (w *Writer) Sheet(s *handout.Sheet, show Show) {
	fmt.Fprintf(w.Out, "%s\n", s.Title)
	var about []string
	if s.Section != "" {
		about = append(about, s.Section)
	}
	if s.Minutes > 0 {
		about = append(about, fmt.Sprintf("%d minutes", s.Minutes))
	}
	if len(about) > 0 {
		fmt.Fprintln(w.Out, strings.Join(about, " · "))
	}
	if show.Task == 0 && len(s.Intro) > 0 {
		fmt.Fprintln(w.Out)
		w.blocks("", s.Intro)
	}
	for i := range s.Tasks {
		if show.Task == 0 || show.Task == i+1 {
			w.task(i+1, &s.Tasks[i], show)
		}
	}
}

func (w *Writer) task(n int, t *handout.SheetTask, show Show) {
	fmt.Fprintf(w.Out, "\n%d. %s\n", n, t.Title)
	if len(t.Text) > 0 {
		fmt.Fprintln(w.Out)
		w.blocks("", t.Text)
	}
	if t.Ask != "" {
		fmt.Fprintln(w.Out)
		w.question(t, show.Answers)
	}
	if len(t.Goals) > 0 {
		fmt.Fprintln(w.Out)
	}
	for _, g := range t.Goals {
		w.wrapped(w.mark(false)+" ", g)
	}
	for i, h := range t.Hints {
		fmt.Fprintln(w.Out)
		w.blocks(fmt.Sprintf("hint %d: ", i+1), h)
	}
	if show.Answers {
		if len(t.Reveal) > 0 {
			fmt.Fprintln(w.Out)
			w.blocks("seen: ", t.Reveal)
		}
		for i, s := range t.Solution {
			lead := "          "
			if i == 0 {
				fmt.Fprintln(w.Out)
				lead = "solution: "
			}
			fmt.Fprintln(w.Out, lead+viz.Printable(s, w.ASCII))
		}
	}
	if show.Notes {
		for _, x := range t.Notes {
			fmt.Fprintln(w.Out)
			w.blocks("note: ", x)
		}
	}
}

// question writes what is asked, with the right answer where it is asked for.
func (w *Writer) question(t *handout.SheetTask, answers bool) {
	w.wrapped("? ", t.Ask)
	for i, c := range t.Choices {
		lead := fmt.Sprintf("  %d  ", i+1)
		if answers && c.Right {
			lead = fmt.Sprintf("  %d* ", i+1)
		}
		w.wrapped(lead, c.Text)
		if answers {
			w.wrapped("     ", c.Why)
		}
	}
	if !answers {
		return
	}
	if len(t.Choices) == 0 {
		s := "answer: " + t.Answer
		if t.Within != "" {
			s += ", " + t.Within + " off still count"
		}
		w.wrapped("  ", s)
	}
	if t.Because != "" {
		w.wrapped("  ", t.Because)
	}
}
