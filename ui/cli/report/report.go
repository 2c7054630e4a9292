// Package report answers: how is a bench written out? As a table on the terminal,
// as a page, as lines; the bench command and the lab write the same.
package report

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"logitscope/engine/bench"
	"logitscope/engine/bench/prompts"
	"logitscope/presets"
	"logitscope/presets/exchange"
	"logitscope/sampling"
	"logitscope/sampling/param"
	"logitscope/ui/cli/console"
	"logitscope/ui/handout"
	"logitscope/ui/store"
	"logitscope/viz"
)

// reportForms are the extensions of --report, each with what writes it.
var reportForms = map[string]func(w io.Writer, b *Benched) error{
	".md":    func(w io.Writer, b *Benched) error { return b.handout().WriteMarkdown(w) },
	".html":  func(w io.Writer, b *Benched) error { return b.handout().WriteHTML(w) },
	".csv":   func(w io.Writer, b *Benched) error { return b.Summary.WriteCSV(w, b.Plan, b.Write) },
	".jsonl": func(w io.Writer, b *Benched) error { return b.jsonl(w) },
}

// A Benched is a bench that was run, for its reports.
type Benched struct {
	Sys     console.System
	Plan    *bench.Plan
	Results bench.Texts
	Summary *bench.Summary
	Sum     bench.SummaryOptions
	Write   bench.WriteOptions

	NoPrompts bool // reports are without what was asked
	found     []handout.Disagreement
}

// CheckReports refuses names of reports that say no form, or lie in no folder.
func CheckReports(names []string) error {
	for _, name := range names {
		if _, ok := reportForms[strings.ToLower(filepath.Ext(name))]; !ok && name != "json" {
			return console.Wrong("--report %s: must end in .md, .html, .csv or .jsonl, or be the word json", name)
		}
		if info, err := os.Stat(filepath.Dir(name)); err != nil || !info.IsDir() {
			return console.Wrong("--report %s: %s is not a folder", name, filepath.Dir(name))
		}
		if info, err := os.Stat(name); err == nil && info.IsDir() {
			return console.Wrong("--report %s: is a folder, not a file", name)
		}
	}
	return nil
}

// ReportOf returns what writes the report of a bench in the lab; the name's
// ending says in which form.
func ReportOf(sys console.System) func(name string, p *bench.Plan, texts bench.Texts) error {
	return func(name string, p *bench.Plan, texts bench.Texts) error { return writeReport(sys, name, p, texts) }
}

func writeReport(sys console.System, name string, p *bench.Plan, texts bench.Texts) error {
	if err := CheckReports([]string{name}); err != nil || name == "json" {
		return fmt.Errorf("%s: must end in .md, .html, .csv or .jsonl", name)
	}
	b := &Benched{Sys: sys, Plan: p, Results: texts}
	var err error
	if b.Summary, err = bench.Summarise(p, texts, b.Sum, b.Visit()); err != nil {
		return err
	}
	return b.Reports([]string{name})
}

// Reports writes the reports; the word json writes one object on standard
// output.
func (b *Benched) Reports(names []string) error {
	for _, name := range names {
		if name == "json" {
			if err := b.object(b.Sys.Out); err != nil {
				return err
			}
			continue
		}
		var content bytes.Buffer
		if err := reportForms[strings.ToLower(filepath.Ext(name))](&content, b); err != nil {
			return err
		}
		if err := store.WriteFile(name, content.Bytes(), true); err != nil {
			return fmt.Errorf("--report %w", err)
		}
	}
	return nil
}

func (b *Benched) jsonl(w io.Writer) error {
	out := bufio.NewWriter(w)
	opt := b.Write
	opt.NoPrompts = b.NoPrompts
	_, err := bench.WriteJSONL(out, b.Plan, b.Results, b.Sum, opt)
	return errors.Join(err, out.Flush())
}

// object writes all lines but those of the texts as one JSON object.
func (b *Benched) object(w io.Writer) error {
	var lines bytes.Buffer
	if err := b.jsonl(&lines); err != nil {
		return err
	}
	var head []byte
	var rest [][]byte
	for line := range bytes.Lines(lines.Bytes()) {
		line = bytes.TrimSuffix(line, []byte("\n"))
		switch {
		case head == nil:
			head = bytes.Clone(line)
		case bytes.HasPrefix(line, []byte(bench.SummaryStart)):
			rest = append(rest, bytes.Clone(line))
		}
	}
	_, err := fmt.Fprintf(w, `{"bench":%s,"summaries":[%s]}`+"\n", head, bytes.Join(rest, []byte(",")))
	return err
}

// maxExamples is how many disagreements of each kind a report has.
const maxExamples = 5

// Visit returns what collects the prompts on which configs disagree with the
// first.
func (b *Benched) Visit() func(i int, p *prompts.Prompt, config int, texts []*bench.Text) error {
	var base []*bench.Text
	seen := map[[2]int]int{}
	return func(_ int, p *prompts.Prompt, c int, texts []*bench.Text) error {
		if c == 0 {
			base = texts
			return nil
		}
		for _, basePasses := range []bool{true, false} {
			passing, failing := base, texts
			kind := [2]int{c, 0}
			if !basePasses {
				passing, failing, kind[1] = texts, base, 1
			}
			i := slices.IndexFunc(passing, (*bench.Text).Pass)
			k := slices.IndexFunc(failing, func(t *bench.Text) bool { return t.Judged && !t.Pass() })
			if i < 0 || k < 0 || seen[kind] == maxExamples {
				continue
			}
			seen[kind]++
			var whys []string
			for _, f := range failing[k].Failed {
				whys = append(whys, f.Check+": "+Why(f))
			}
			asked := p.Asked()
			if b.NoPrompts {
				asked = ""
			}
			b.found = append(b.found, handout.Disagreement{Config: b.Plan.Configs[c].Name, Prompt: p.ID, Asked: asked,
				Passes: passing[i].Text, Fails: failing[k].Text, Why: strings.Join(whys, "; "), BasePasses: basePasses})
		}
		return nil
	}
}

// handout makes the report that is read.
func (b *Benched) handout() *handout.Bench {
	p := b.Plan
	out := &handout.Bench{
		Title: "Which settings are better", Command: "logitscope " + shellWords(b.Sys.Args), Program: "logitscope " + console.Version(),
		Prompts:       sizeWords(p),
		Notes:         strings.Split(benchFooter(p, b.Summary), "\n")[1:],
		Disagreements: b.found,
	}
	for _, c := range p.Checks {
		out.Checks = append(out.Checks, c.String())
	}
	for i, c := range p.Configs {
		if name := c.Backend.Model.Info().Name; !slices.Contains(out.Models, name) {
			out.Models = append(out.Models, name)
		}
		x := handout.BenchConfig{Name: c.Name, Exports: exportsOf(c.Config)}
		if i > 0 {
			x.Differences = presets.Diff(p.Configs[0].Config, c.Config, p.Configs[0].Name, c.Name)
		} else {
			x.Differences = settingWords(c.Config)
		}
		out.Configs = append(out.Configs, x)
	}
	for _, part := range b.Summary.Parts() {
		name := ""
		if b.Summary.Held != nil {
			name = part.Name + ", " + viz.Plural(part.Prompts, "prompt")
		}
		x := tableOf(p, name, benchColumns(p, b.Summary, part, b.Write))
		var verdicts bytes.Buffer
		w := bufio.NewWriter(&verdicts)
		writeVerdicts(w, p, part, b.Write)
		w.Flush()
		for line := range strings.SplitSeq(strings.TrimSpace(verdicts.String()), "\n") {
			if line = strings.TrimSpace(line); line != "" && len(p.Configs) > 1 {
				x.Verdicts = append(x.Verdicts, line)
			}
		}
		if len(x.Verdicts) > 0 {
			x.Verdicts = x.Verdicts[1:] // the head of the list
		}
		out.Parts = append(out.Parts, x)
	}
	if tags := tagColumns(p, b.Summary); len(tags) > 0 {
		out.Parts = append(out.Parts, tableOf(p, tagHead(b.Summary), tags))
	}
	return out
}

// tableOf is a table of a page: a line for each config.
func tableOf(p *bench.Plan, name string, columns []Column) handout.BenchPart {
	x := handout.BenchPart{Name: name}
	for i, c := range p.Configs {
		row := []string{c.Name}
		for _, column := range columns {
			row = append(row, column.Cells[i])
		}
		x.Rows = append(x.Rows, row)
	}
	for _, column := range columns {
		x.Columns = append(x.Columns, column.Head)
	}
	return x
}

// settingWords are the settings of a config, a line each.
func settingWords(cfg sampling.Config) []string {
	var out []string
	for _, key := range cfg.Keys() {
		if p, ok := param.Lookup(key); ok && key != "seed" {
			out = append(out, key+" "+p.Format(cfg.Value(key)))
		}
	}
	return out
}

// reportTargets are the engines that a report writes settings for.
var reportTargets = []string{"vllm", "llama-server", "transformers", "ollama"}

func exportsOf(cfg sampling.Config) []handout.BenchExport {
	var out []handout.BenchExport
	for _, name := range reportTargets {
		target, err := exchange.TargetNamed(name)
		if err != nil {
			continue
		}
		x, err := exchange.Export(cfg, target)
		if err != nil {
			continue
		}
		e := handout.BenchExport{Engine: name, Text: x.Text}
		for _, l := range x.Lost {
			if l.Lossy() {
				e.Lost = append(e.Lost, l.Text)
			}
		}
		out = append(out, e)
	}
	return out
}

func shellWords(args []string) string {
	out := make([]string, len(args))
	for i, a := range args {
		out[i] = ShellWord(a)
	}
	return strings.Join(out, " ")
}

// ShellWord quotes a word for a shell where it needs it.
func ShellWord(word string) string {
	plain := strings.IndexFunc(word, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("=._,:/-+", r))
	}) < 0
	if plain {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
