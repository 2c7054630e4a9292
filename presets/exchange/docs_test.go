package exchange

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"logitscope/sampling/param"
)

var update = flag.Bool("update", false, "rewrite docs/formats.md from the tables")

// formatsDoc is where the tables stand for people to read.
const formatsDoc = "../../docs/formats.md"

// begin and end enclose what is generated.
const (
	begin = "<!-- generated from the tables of presets/exchange: go test ./presets/exchange -run Docs -update -->\n"
	end   = "<!-- end of what is generated -->\n"
)

// The documentation of formats says what the tables say.
func TestDocs(t *testing.T) {
	old, err := os.ReadFile(formatsDoc)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(old), begin)
	_, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatalf("%s lacks the marks of what is generated", formatsDoc)
	}
	want := before + begin + tables() + end + after
	if *update {
		if err := os.WriteFile(formatsDoc, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if want != string(old) {
		t.Errorf("%s is not what the tables say: go test ./presets/exchange -run Docs -update", formatsDoc)
	}
}

// tables writes the targets, the keys by parameter, and the keys that are no
// parameter.
func tables() string {
	var b strings.Builder
	b.WriteString("\n### Written\n\n| `--to` | what | checked against |\n|---|---|---|\n")
	for _, t := range targets {
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", t.Name, t.About, t.Checked)
	}
	b.WriteString("\n### Keys\n\nA key in brackets is read and not written.\n\n| parameter |")
	shown := formats[:len(formats)-1] // our own words are the first column
	for _, f := range shown {
		fmt.Fprintf(&b, " %s |", f.Name)
	}
	b.WriteString("\n|---|" + strings.Repeat("---|", len(shown)) + "\n")
	for _, p := range param.All() {
		row, any := "", false
		for _, f := range shown {
			words := keysOf(f, p.Key)
			any = any || words != ""
			row += " " + words + " |"
		}
		if any {
			fmt.Fprintf(&b, "| `%s` |%s\n", p.Key, row)
		}
	}
	b.WriteString("\n### Keys that choose tokens and are no parameter here\n\nThey are named at every import, but for the values at which they do nothing.\n\n")
	for _, f := range shown {
		if len(f.acts) > 0 {
			fmt.Fprintf(&b, "- %s: %s\n", f.Name, code(slices.Sorted(maps.Keys(f.acts))))
		}
	}
	b.WriteString("\n### Assumed where a file is silent\n\n")
	for _, f := range shown {
		if f.implied == nil {
			continue
		}
		var said []string
		for _, a := range f.implied(&source{format: f}) {
			s := fmt.Sprintf("`%s` %v", a.ours, a.value)
			if a.with != "" {
				s += fmt.Sprintf(" (where `%s` is set)", a.with)
			}
			if !a.quiet {
				said = append(said, s)
			}
		}
		if len(said) > 0 {
			fmt.Fprintf(&b, "- %s: %s\n", f.Name, strings.Join(said, ", "))
		}
	}
	return b.String()
}

// keysOf are a format's keys for a parameter.
func keysOf(f *Format, ours string) string {
	var written, read []string
	for i := range f.fields {
		x := &f.fields[i]
		switch {
		case !x.sets(ours):
		case x.once:
			read = append(read, x.theirs)
		default:
			written = append(written, x.theirs)
			read = append(read, x.also...)
		}
	}
	if len(written)+len(read) == 0 && len(f.kin) > 0 {
		return keysOf(f.kin[0], ours)
	}
	out := code(written)
	if len(read) > 0 {
		out = strings.TrimSpace(out + " (" + code(read) + ")")
	}
	return out
}

func code(keys []string) string {
	quoted := make([]string, len(keys))
	for i, k := range keys {
		quoted[i] = "`" + k + "`"
	}
	return strings.Join(quoted, ", ")
}
