package measure

import (
	"fmt"
	"io"
	"math"
	"os"
	"strings"

	"logitscope/engine/bench"
	"logitscope/engine/stats"
	"logitscope/ui/cli/console"
	"logitscope/ui/cli/report"
	"logitscope/viz"
)

// exitWorse is the exit code where --fail-if holds.
const exitWorse = 3

// A failIf is a condition of --fail-if.
type failIf struct {
	metric int
	rises  bool
}

// String writes a condition as it is given.
func (f failIf) String() string {
	does := " drops"
	if f.rises {
		does = " rises"
	}
	return bench.Metrics()[f.metric].Key + does
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
	return failIf{}, console.Wrong("--fail-if %q: must be a metric and drops or rises, as 'pass drops'", text)
}

// readRecorded reads the bench of a flag.
func readRecorded(flag, name string) (*bench.Recorded, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, console.Wrong("%s %w", flag, console.FileError(name, err))
	}
	defer f.Close()
	rec, err := bench.ReadJSONL(f)
	if err != nil {
		return nil, console.Wrong("%s %s: %v", flag, name, err)
	}
	return rec, nil
}

// compareRecorded says how the texts differ from recorded ones, and reports
// whether a condition holds.
func compareRecorded(w io.Writer, b *report.Benched, rec *bench.Recorded, name string, conditions []failIf) (worse bool, err error) {
	list, err := bench.Compare(b.Plan, b.Results, rec)
	if err != nil {
		return false, console.Wrong("%s: %v", name, err)
	}
	metrics := bench.Metrics()
	var untold error
	pass := bench.MetricNamed("pass")
	for _, c := range list {
		fmt.Fprintf(w, "\n%s against %s of %s, %s:\n", console.Visible(c.Config), console.Visible(c.With), console.Visible(name), viz.Plural(c.Prompts, "prompt"))
		if c.Common > 0 {
			fmt.Fprintf(w, "  %d of %d texts are the same\n", c.Same, c.Common)
		}
		for _, f := range conditions {
			if v := c.Verdicts[f.metric]; v.Finding == stats.Unknown && untold == nil {
				untold = fmt.Errorf("--fail-if %s: cannot be told of %s: it is known of %s now and then, must be 2 or more", f, c.Config, viz.Plural(v.Diff.N, "prompt"))
			}
		}
		for k, v := range c.Verdicts {
			m := metrics[k]
			if m.Quantity.More == "" || m.Timed && !b.Write.Times || v.Diff.N == 0 || math.IsNaN(v.Diff.Value) {
				continue
			}
			if k == pass || k == bench.MetricNamed("bits") || v.Found() {
				fmt.Fprintln(w, "  "+v.Sentence("now", m.Quantity))
			}
			for _, f := range conditions {
				if f.metric == k && v.Found() && f.rises == (v.Diff.Value > 0) {
					fmt.Fprintf(w, "  --fail-if holds: %s\n", f)
					worse = true
				}
			}
		}
		for _, turned := range []struct {
			one, many string
			ids       []string
		}{
			{"1 prompt passes less often", "%d prompts pass less often", c.Worse},
			{"1 prompt passes more often", "%d prompts pass more often", c.Better},
			{"1 prompt asks something else than it did and is not compared", "%d prompts ask something else than they did and are not compared", c.Changed},
			{"1 prompt is judged by other checks than it was", "%d prompts are judged by other checks than they were", c.Rejudged},
		} {
			if n := len(turned.ids); n > 0 {
				words := turned.one
				if n > 1 {
					words = fmt.Sprintf(turned.many, n)
				}
				shown := turned.ids[:min(n, 20)]
				line := "  " + words + ": " + strings.Join(shown, ", ")
				if n > len(shown) {
					line += fmt.Sprintf(" and %d more", n-len(shown))
				}
				fmt.Fprintln(w, console.Visible(line))
			}
		}
		if c.Unsaid {
			fmt.Fprintln(w, "  its prompts are known by their ids alone: the file does not say what they asked")
		}
	}
	return worse, untold
}
