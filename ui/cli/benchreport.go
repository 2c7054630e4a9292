package cli

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"logitscope/engine/bench"
	"logitscope/engine/bench/prompts"
	"logitscope/presets"
	"logitscope/presets/exchange"
	"logitscope/sampling"
	"logitscope/ui/handout"
)

// reportForms are the extensions of --report, each with what writes it.
var reportForms = map[string]func(w io.Writer, b *benched) error{
	".md":    func(w io.Writer, b *benched) error { return b.handout().WriteMarkdown(w) },
	".html":  func(w io.Writer, b *benched) error { return b.handout().WriteHTML(w) },
	".csv":   func(w io.Writer, b *benched) error { return b.summary.WriteCSV(w, b.plan, b.write) },
	".jsonl": func(w io.Writer, b *benched) error { return b.jsonl(w) },
}

// A benched is a bench that was run, for its reports.
type benched struct {
	sys     System
	plan    *bench.Plan
	results bench.Texts
	summary *bench.Summary
	sum     bench.SummaryOptions
	write   bench.WriteOptions
	found   []handout.Disagreement
}

// checkReports refuses names of reports that say no form.
func checkReports(names []string) error {
	for _, name := range names {
		if _, ok := reportForms[strings.ToLower(filepath.Ext(name))]; !ok && name != "json" {
			return wrong("--report %s: must end in .md, .html, .csv or .jsonl, or be the word json", name)
		}
	}
	return nil
}

// reportOf returns what writes the report of a bench in the lab; the name's
// ending says in which form.
func reportOf(sys System) func(name string, p *bench.Plan, texts bench.Texts) error {
	return func(name string, p *bench.Plan, texts bench.Texts) error { return writeReport(sys, name, p, texts) }
}

func writeReport(sys System, name string, p *bench.Plan, texts bench.Texts) error {
	if err := checkReports([]string{name}); err != nil || name == "json" {
		return fmt.Errorf("%s: must end in .md, .html, .csv or .jsonl", name)
	}
	b := &benched{sys: sys, plan: p, results: texts}
	var err error
	if b.summary, err = bench.Summarise(p, texts, b.sum, b.visit()); err != nil {
		return err
	}
	return b.reports([]string{name})
}

// reports writes the reports; the word json writes one object on standard
// output.
func (b *benched) reports(names []string) error {
	for _, name := range names {
		if name == "json" {
			if err := b.object(b.sys.Out); err != nil {
				return err
			}
			continue
		}
		var content bytes.Buffer
		if err := reportForms[strings.ToLower(filepath.Ext(name))](&content, b); err != nil {
			return err
		}
		if err := os.WriteFile(name, content.Bytes(), 0o644); err != nil {
			return fmt.Errorf("--report %w", fileError(name, err))
		}
	}
	return nil
}

func (b *benched) jsonl(w io.Writer) error {
	out := bufio.NewWriter(w)
	_, err := bench.WriteJSONL(out, b.plan, b.results, b.sum, b.write)
	return errors.Join(err, out.Flush())
}

// object writes all lines but those of the texts as one JSON object.
func (b *benched) object(w io.Writer) error {
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

// visit returns what collects the prompts on which configs disagree with the
// first.
func (b *benched) visit() func(i int, p *prompts.Prompt, config int, texts []*bench.Text) error {
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
				whys = append(whys, f.Check+": "+why(f))
			}
			asked := p.Text
			for _, m := range p.Messages {
				asked += m.Role + ": " + m.Content + "\n"
			}
			b.found = append(b.found, handout.Disagreement{Config: b.plan.Configs[c].Name, Prompt: p.ID, Asked: asked,
				Passes: passing[i].Text, Fails: failing[k].Text, Why: strings.Join(whys, "; "), BasePasses: basePasses})
		}
		return nil
	}
}

// handout makes the report that is read.
func (b *benched) handout() *handout.Bench {
	p := b.plan
	out := &handout.Bench{
		Title: "Which settings are better", Command: "logitscope " + shellWords(b.sys.Args), Program: "logitscope " + version(),
		Prompts:       sizeWords(p),
		Notes:         strings.Split(benchFooter(p, b.summary), "\n")[1:],
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
	for _, part := range b.summary.Parts() {
		x := handout.BenchPart{}
		if b.summary.Held != nil {
			x.Name = fmt.Sprintf("%s, %d prompts", part.Name, part.Prompts)
		}
		for _, c := range p.Configs {
			x.Rows = append(x.Rows, []string{c.Name})
		}
		for _, column := range benchColumns(p, b.summary, part, b.write) {
			x.Columns = append(x.Columns, column.head)
			for i := range p.Configs {
				x.Rows[i] = append(x.Rows[i], column.cells[i])
			}
		}
		var verdicts bytes.Buffer
		w := bufio.NewWriter(&verdicts)
		writeVerdicts(w, p, part, b.write)
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
	return out
}

// settingWords are the settings of a config, a line each.
func settingWords(cfg sampling.Config) []string {
	var out []string
	for _, key := range cfg.Keys() {
		if p, ok := sampling.Lookup(key); ok && key != "seed" {
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
		out[i] = shellWord(a)
	}
	return strings.Join(out, " ")
}

// exitWorse is the exit code where --fail-if holds.
const exitWorse = 3

// A failIf is a condition of --fail-if.
type failIf struct {
	metric int
	rises  bool
}

// parseFailIf reads a condition such as "pass drops".
func parseFailIf(text string) (failIf, error) {
	words := strings.Fields(text)
	if len(words) == 2 {
		k := bench.MetricNamed(words[0])
		if k >= 0 && bench.Metrics()[k].Quantity.More != "" && (words[1] == "drops" || words[1] == "rises") {
			return failIf{k, words[1] == "rises"}, nil
		}
	}
	return failIf{}, wrong("--fail-if %q: must be a metric and drops or rises, as 'pass drops'", text)
}

// readRecorded reads the bench of a flag.
func readRecorded(flag, name string) (*bench.Recorded, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, wrong("%s %w", flag, fileError(name, err))
	}
	defer f.Close()
	rec, err := bench.ReadJSONL(f)
	if err != nil {
		return nil, wrong("%s %s: %v", flag, name, err)
	}
	return rec, nil
}

// compareRecorded says how the texts differ from recorded ones, and reports
// whether a condition holds.
func compareRecorded(w io.Writer, b *benched, rec *bench.Recorded, name string, conditions []failIf) (worse bool, err error) {
	list, err := bench.Compare(b.plan, b.results, rec)
	if err != nil {
		return false, wrong("%s: %v", name, err)
	}
	metrics := bench.Metrics()
	pass := bench.MetricNamed("pass")
	for _, c := range list {
		fmt.Fprintf(w, "\n%s against %s of %s, %d prompts:\n", visible(c.Config), visible(c.With), visible(name), c.Prompts)
		if c.Common > 0 {
			fmt.Fprintf(w, "  %d of %d texts are the same\n", c.Same, c.Common)
		}
		for k, v := range c.Verdicts {
			m := metrics[k]
			if m.Quantity.More == "" || m.Timed && !b.write.Times || v.Diff.N == 0 || math.IsNaN(v.Diff.Value) {
				continue
			}
			if k == pass || k == bench.MetricNamed("bits") || v.Found() {
				fmt.Fprintln(w, "  "+v.Sentence("now", m.Quantity))
			}
			for _, f := range conditions {
				if f.metric == k && v.Found() && f.rises == (v.Diff.Value > 0) {
					fmt.Fprintf(w, "  --fail-if holds: %s %s\n", m.Key, map[bool]string{true: "rises", false: "drops"}[f.rises])
					worse = true
				}
			}
		}
		for _, turned := range []struct {
			words string
			ids   []string
		}{{"pass less often", c.Worse}, {"pass more often", c.Better}} {
			if n := len(turned.ids); n > 0 {
				shown := turned.ids[:min(n, 20)]
				line := fmt.Sprintf("  %d prompts %s: %s", n, turned.words, strings.Join(shown, ", "))
				if n > len(shown) {
					line += fmt.Sprintf(" and %d more", n-len(shown))
				}
				fmt.Fprintln(w, visible(line))
			}
		}
	}
	return worse, nil
}
