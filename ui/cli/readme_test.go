package cli

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"logitscope/presets/exchange/carrier"
	"logitscope/ui/cli/console"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

var update = flag.Bool("update", false, "rewrite docs/lab.svg")

// pictureKeys lead to the screen that the README shows.
var pictureKeys = []string{"shot", "--keys", strings.TrimSpace(strings.Repeat("n ", 14)), "--size", "110x36", "--prompt", "Once upon a time there was a little fox who lived in the"}

// The picture of the README is what the program draws: go test ./ui/cli -run
// Picture -update.
func TestPicture(t *testing.T) {
	t.Parallel()
	const name = "../../docs/lab.svg"
	out, errs, code := try(t, "", pictureKeys...)
	if code != console.ExitDone {
		t.Fatalf("exit %d: %s", code, errs)
	}
	if *update {
		if err := os.WriteFile(name, []byte(out), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if old, err := os.ReadFile(name); err != nil || string(old) != out {
		t.Errorf("%s is not what the program draws (%v)", name, err)
	}
}

// inline is a command in the text of a page, which may run over a line's end.
var inline = regexp.MustCompile("`(logitscope [^`]+)`")

// commandsOf returns the commands that a page shows as they are to be typed:
// without places for a file or a value.
func commandsOf(page string) (out []string) {
	for _, m := range inline.FindAllStringSubmatch(page, -1) {
		out = append(out, strings.ReplaceAll(m[1], "\n", " "))
	}
	fenced := false
	for line := range strings.Lines(page) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "```") {
			fenced = !fenced
		}
		if fenced && strings.HasPrefix(line, "logitscope ") {
			out = append(out, line)
		}
	}
	placeholder := regexp.MustCompile(`[A-Z]{3,}|  |…|\[|<| \| |\\$`)
	return slices.DeleteFunc(out, func(c string) bool { return placeholder.MatchString(c) })
}

// What the README says can be typed, can be typed.
func TestReadmeCommands(t *testing.T) {
	page, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	commands := commandsOf(string(page))
	if len(commands) < 8 {
		t.Errorf("%d commands found: %q", len(commands), commands)
	}
	t.Chdir(t.TempDir())
	if err := os.MkdirAll(filepath.Join("home"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, c := range commands {
		words, err := carrier.SplitWords(c, 1)
		if err != nil {
			t.Errorf("%s: %v", c, err)
			continue
		}
		var args []string
		for _, w := range words[1:] {
			args = append(args, w.Text)
		}
		_, errs, code := try(t, "", args...)
		// A command that needs more than is said there says so: it is named in a
		// sentence, not shown to be typed.
		needs := len(args) == 1 || args[0] == "config" && len(args) == 2
		if code != console.ExitDone && !(needs && code == console.ExitUsage && strings.Count(errs, "\n") == 1) {
			t.Errorf("%s: exit %d, %s", c, code, errs)
		}
	}
}

// named is what a page says of the command line: a command with its flags, or
// a flag by itself.
var named = regexp.MustCompile("`((?:logitscope |--)[^`]+)`")

// Every command and every flag that a page names is there, whatever stands
// for its values.
func TestPagesNameWhatIsThere(t *testing.T) {
	t.Parallel()
	pages, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	root := newRoot(console.System{})
	anywhere := map[string]bool{"help": true}
	theirs := map[string]bool{"formats.md": true, "servers.md": true} // flags of other programs stand here too
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		c.LocalFlags().VisitAll(func(f *pflag.Flag) { anywhere[f.Name] = true })
		for _, sub := range c.Commands() {
			walk(sub)
		}
	}
	walk(root)
	flags := regexp.MustCompile(`(?:^|[ \[|(])--([a-z][a-z0-9-]*)`)
	found := 0
	for _, name := range append(pages, "../../README.md", "../../CONTRIBUTING.md", "../../SECURITY.md") {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range said(string(data)) {
			cmd := root
			if args, ok := strings.CutPrefix(line, "logitscope "); ok {
				if cmd, _, err = root.Find(strings.Fields(args)); err != nil {
					t.Errorf("%s: %s: %v", name, line, err)
					continue
				}
			}
			if cmd == root && theirs[filepath.Base(name)] {
				continue
			}
			for _, m := range flags.FindAllStringSubmatch(line, -1) {
				found++
				cmd.InitDefaultHelpFlag()
				there := cmd.Flags().Lookup(m[1]) != nil || cmd.InheritedFlags().Lookup(m[1]) != nil
				if cmd == root {
					there = anywhere[m[1]]
				}
				if !there {
					t.Errorf("%s: %s has no flag --%s", name, line, m[1])
				}
			}
		}
	}
	if found < 50 {
		t.Errorf("%d flags found in the pages", found)
	}
}

// said returns the commands and the flags that a page names, in its text and
// in its blocks of code, a command that goes over several lines as one.
func said(page string) (out []string) {
	for _, m := range named.FindAllStringSubmatch(page, -1) {
		out = append(out, strings.ReplaceAll(m[1], "\n", " "))
	}
	for line := range strings.Lines(strings.ReplaceAll(strings.ReplaceAll(page, " | ", "\n"), "\\\n", " ")) {
		line = strings.TrimPrefix(strings.TrimSpace(line), "$ ")
		if strings.HasPrefix(line, "logitscope ") {
			out = append(out, line)
		}
	}
	return out
}
