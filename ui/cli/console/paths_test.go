package console

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

func TestNamesOfFiles(t *testing.T) {
	dir := t.TempDir()
	a, b, link := filepath.Join(dir, "a"), filepath.Join(dir, "b#x"), filepath.Join(dir, "link")
	for _, name := range []string{a, b} {
		if err := os.WriteFile(name, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	links := os.Symlink(a, link) == nil
	for _, c := range []struct{ line, want string }{
		{"--in " + a + " --out " + b, ""},
		{"--in " + a + " --out " + a, "--out " + a + ": is also read, as " + a + "; want another file"},
		{"--in x --in " + a + " --out " + dir + "/./a", "is also read"},
		{"--in tape:" + a + " --out " + a, "is also read, as tape:" + a},
		{"--in tape:" + a + "#2 --out " + a, "is also read"},
		{"--in " + b + " --out " + b, "is also read"},
		{a + " --out " + a, "is also read"},
		{"--in " + link + " --out " + a, "is also read"},
		{"--in " + a + " --out " + filepath.Join(dir, "new"), ""},
		{"--in " + dir + " --out " + dir, ""}, // whoever writes says what is wrong with a folder
		{"--in=", "--in: want the name of a model"},
		{"--out=", "--out: want the name of a file"},
		{"--other= --out " + a, "--other: want a value, given an empty one"},
		{"--prompt= --out " + a, ""},
		{"--list= --out " + a, ""}, // whoever reads a list knows what an empty one is
	} {
		if !links && strings.Contains(c.line, link) {
			continue
		}
		f := pflag.NewFlagSet("x", pflag.ContinueOnError)
		f.StringArray("in", nil, "")
		f.String("out", "", "")
		f.String("other", "", "")
		f.String("prompt", "", "")
		f.StringArray("list", nil, "")
		Reads(f, "a model", "in")
		Writes(f, "out")
		if err := f.Parse(strings.Fields(c.line)); err != nil {
			t.Fatal(err)
		}
		got := ""
		if err := CheckNames(f, f.Args()); err != nil {
			got = err.Error()
		}
		if err := CheckNames(f, []string{"a", ""}); err == nil {
			t.Errorf("%s: an empty argument is let through", c.line)
		}
		if (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", c.line, got, c.want)
		}
	}
}
