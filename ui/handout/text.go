package handout

import (
	_ "embed"
	"fmt"
	"html"
	"html/template"
	"io"
)

//go:embed text.html
var textHTML string

var textPage = template.Must(template.New("text").Parse(textHTML))

// A Text is a page of a text that was read: its words coloured by how
// surprising they were. It is written token by token, so that a long text takes
// no more memory than a short one.
type Text struct {
	Title, About string

	w   io.Writer
	err error
}

// A TextToken is one token of the page.
type TextToken struct {
	Piece string  // valid UTF-8
	Bits  float64 // its surprise
	Cut   bool    // the settings could not have written it
	Note  string  // its numbers
}

// A TextTable is a table at the end of the page: rows of cells, the first of
// them names.
type TextTable struct {
	Caption string
	Rows    [][]string
}

// bitsAShade is how much more surprising a token is from one shade to the next.
const bitsAShade = 1.5

// Begin writes the head of the page.
func (t *Text) Begin(w io.Writer) error {
	t.w = w
	t.err = textPage.Execute(w, t)
	return t.err
}

// Token writes the next token.
func (t *Text) Token(x TextToken) error {
	class := ""
	if n := min(int(x.Bits/bitsAShade), 7); n > 0 {
		class = fmt.Sprintf("s%d", n)
	}
	if x.Cut {
		class += " cut"
	}
	t.printf(`<span class="%s" title="%s">%s</span>`, class, html.EscapeString(x.Note), html.EscapeString(x.Piece))
	return t.err
}

// End writes what the text comes to and closes the page.
func (t *Text) End(tables []TextTable) error {
	t.printf("</p>\n")
	for _, table := range tables {
		t.printf("<table><caption>%s</caption>\n", html.EscapeString(table.Caption))
		for _, row := range table.Rows {
			t.printf("<tr>")
			for i, cell := range row {
				tag := "td"
				if i == 0 {
					tag = "th"
				}
				t.printf("<%s>%s</%s>", tag, html.EscapeString(cell), tag)
			}
			t.printf("</tr>\n")
		}
		t.printf("</table>\n")
	}
	t.printf("</body>\n</html>\n")
	return t.err
}

func (t *Text) printf(format string, args ...any) {
	if t.err == nil {
		_, t.err = fmt.Fprintf(t.w, format, args...)
	}
}
