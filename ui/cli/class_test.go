package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"logitscope/ui/cli/console"
)

// What is wrong with a class is said before anything listens: one line that
// names the flag and what is allowed.
func TestClassWrongUse(t *testing.T) {
	t.Parallel()
	taken := filepath.Join(t.TempDir(), "votes.csv")
	if err := os.WriteFile(taken, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for args, want := range map[string][]string{
		"":                                {"the lab needs a terminal"},
		"--max 0":                         {"--max 0", "1 to 500"},
		"--max many":                      {"--max many", "whole number"},
		"--code 12":                       {"--code 12", "4 to 12 digits"},
		"--code 12a4":                     {"--code 12a4", "digits"},
		"--code 1234 --open":              {"--code and --open"},
		"--names any":                     {"--names any", "given or free"},
		"--ssh off --web off":             {"--ssh off --web off", "count hands"},
		"--ssh off --own":                 {"--own", "--ssh"},
		"--ssh off --notes":               {"--notes", "--ssh"},
		"--ssh nowhere":                   {"--ssh nowhere", "ADDRESS:PORT"},
		"--web 10.0.0.7:99999":            {"--web 10.0.0.7:99999", "ADDRESS:PORT"},
		"--csv " + taken:                  {"--csv", "is there already"},
		"--csv " + taken + "/votes.csv":   {"--csv " + taken + "/votes.csv"},
		"--record x --rows what":          {"--rows what", "full, 256 or top"},
		"--lesson no-such-lesson":         {"--lesson no-such-lesson"},
		"--lesson class_test.go":          {"--lesson class_test.go:1: no title", "lessons check class_test.go"},
		"--fps 0":                         {"--fps 0", "1 to 60"},
		"a-word":                          {"a-word"},
		"--web 127.0.0.1:0 --lesson /dev": {"--lesson /dev"},
	} {
		out, errs, code := try(t, "", append([]string{"class"}, strings.Fields(args)...)...)
		if code != console.ExitUsage || out != "" || strings.Count(errs, "\n") != 1 {
			t.Errorf("%s: exit %d, out %q, %s", args, code, out, errs)
		}
		for _, w := range want {
			if !strings.Contains(errs, w) {
				t.Errorf("%s: %q lacks %q", args, errs, w)
			}
		}
	}
}
