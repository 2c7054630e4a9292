package handout

import (
	_ "embed"
	"html/template"
	"io"

	"logitscope/viz"
)

// A Sheet is a lesson as it is handed out: all numbers in it are computed, so
// that it is text alone.
type Sheet struct {
	ID, Title, Section string
	Minutes            int // 0 where the lesson does not say
	Intro              []SheetBlock
	Tasks              []SheetTask
}

// A SheetTask is one task of a lesson.
type SheetTask struct {
	Title    string
	Text     []SheetBlock
	Ask      string // the question; empty for none
	Form     string // how it is answered: choice, percent, bits, number, token
	Choices  []SheetChoice
	Answer   string // the right one
	Within   string // how far off still counts; empty for exactly right
	Because  string
	Goals    []string
	Hints    [][]SheetBlock
	Reveal   []SheetBlock
	Notes    [][]SheetBlock
	Solution []string
}

// A SheetChoice is a line to choose from.
type SheetChoice struct {
	Text, Why string
	Right     bool
}

// The kinds of blocks.
const (
	SheetParagraph = "paragraph"
	SheetItem      = "item"
	SheetHeading   = "heading"
	SheetCode      = "code"
)

// A SheetBlock is a paragraph, an item of a list, a small heading, or code.
type SheetBlock struct {
	Kind string
	Text string // of code with its line ends
}

//go:embed sheet.html
var sheetHTML string

var sheetPage = template.Must(template.New("sheet").Funcs(template.FuncMap{
	"safe":  func(s string) string { return viz.Printable(s, false) },
	"lines": printableLines,
	"next":  func(i int) int { return i + 1 },
}).Parse(sheetHTML))

// writeHTML writes s as part of a page. Without answers it is the reader's
// copy: questions with fields, hints and what was seen folded.
func (s *Sheet) writeHTML(w io.Writer, answers bool) error {
	return sheetPage.Execute(w, struct {
		*Sheet
		Answers bool
	}{s, answers})
}
