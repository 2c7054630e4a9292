package handout

import (
	_ "embed"
	"html/template"
	"io"
	"strings"
	text "text/template"
)

// A Bench is a report of a bench: what was asked, what came out, and how to
// carry it on. Its texts are ready to be read; texts of models are as they are.
type Bench struct {
	Title         string
	Command       string // that repeats it
	Program       string // with its version
	Models        []string
	Configs       []BenchConfig
	Prompts       string // "9 prompts × 4 configs × 10 seeds"
	Checks        []string
	Parts         []BenchPart
	Notes         []string
	Disagreements []Disagreement
}

// A BenchConfig is a config as its differences from the first, and as the
// engines read it.
type BenchConfig struct {
	Name        string
	Differences []string
	Exports     []BenchExport
}

// A BenchExport is a config in an engine's words, and what does not translate.
type BenchExport struct {
	Engine, Text string
	Lost         []string
}

// A BenchPart is a table of a part of the prompts, and what may be said of it.
type BenchPart struct {
	Name     string // empty where there is one part
	Columns  []string
	Rows     [][]string // the name of the config first
	Verdicts []string
}

// A Disagreement is a prompt under which one config passes and another does
// not, with a text of each.
type Disagreement struct {
	Config, Prompt, Asked string
	Passes, Fails         string // texts
	Why                   string // what is wrong with the one that fails
	BasePasses            bool
}

//go:embed bench.html
var benchHTML string

//go:embed bench.md
var benchMarkdown string

var (
	benchPage = template.Must(template.New("bench").Parse(benchHTML))
	benchText = text.Must(text.New("bench").Funcs(text.FuncMap{"cell": cell, "fence": fence, "join": strings.Join}).Parse(benchMarkdown))
)

// WriteHTML writes the report as one page that needs no network and no
// scripts.
func (b *Bench) WriteHTML(w io.Writer) error { return benchPage.Execute(w, b) }

// WriteMarkdown writes the report as Markdown.
func (b *Bench) WriteMarkdown(w io.Writer) error { return benchText.Execute(w, b) }

// cell is a text inside a table of Markdown, or a line of it.
func cell(s string) string {
	return strings.NewReplacer("|", `\|`, "\n", " ", "\r", " ", "<", "&lt;", "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`).Replace(s)
}

// fence puts a text into a block that nothing in it ends.
func fence(s string) string {
	mark := "```"
	for strings.Contains(s, mark) {
		mark += "`"
	}
	return mark + "\n" + strings.TrimSuffix(s, "\n") + "\n" + mark
}
