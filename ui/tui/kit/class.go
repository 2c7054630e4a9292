package kit

// A Class is how much the screen shows. Larger classes show everything that
// smaller ones do.
type Class uint8

// The classes, from the smallest window to the largest.
const (
	TooSmall Class = iota
	Class40        // header, last text line, chart without head, one knob
	Class60        // no boxes: rules with titles
	Class80        // text and chart boxed, the rest one line each
	Class100       // all panes; entropy in the pipeline's title
	Class120       // all panes
	Class160       // all panes, stages as a table, reasons in words
)

// classes says what each class needs. A window that is wide but low, or
// narrow but high, takes the smaller class.
var classes = [...]struct {
	class Class
	w, h  int
}{
	{Class160, 140, 40}, {Class120, 120, 36}, {Class100, 100, 28},
	{Class80, 80, 22}, {Class60, 60, 18}, {Class40, 40, 12},
}

// ClassOf returns the class of a window of w by h cells.
func ClassOf(w, h int) Class {
	for _, c := range classes {
		if w >= c.w && h >= c.h {
			return c.class
		}
	}
	return TooSmall
}

// MaxChartRows is how far the chart grows before the text takes spare lines.
const MaxChartRows = 30
