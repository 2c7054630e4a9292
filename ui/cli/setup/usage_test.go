package setup

import (
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"logitscope/ui/cli/console"
)

// TestUsage holds that every flag of a command that is not hidden stands in its
// help once, below the heading of its subject, the command's own first.
func TestUsage(t *testing.T) {
	cmd := &cobra.Command{Use: "x", Run: func(*cobra.Command, []string) {}}
	Add(console.System{}, cmd)
	cmd.Flags().Int("own", 0, "the command's own")
	var out strings.Builder
	cmd.SetOut(&out)
	cmd.SetUsageFunc(Usage)
	if err := cmd.Usage(); err != nil {
		t.Fatal(err)
	}
	under, at := map[string][]string{}, ""
	for line := range strings.Lines(out.String()) {
		if line[0] != ' ' && strings.HasSuffix(line, ":\n") {
			at = strings.TrimSuffix(line, ":\n")
		}
		if _, rest, ok := strings.Cut(line, "--"); ok && (strings.HasPrefix(line, "      --") || strings.HasPrefix(line, "  -")) && !strings.HasPrefix(line, "       ") {
			name, _, _ := strings.Cut(rest, " ")
			name, _, _ = strings.Cut(strings.TrimSpace(name), "[")
			under[name] = append(under[name], at)
		}
	}
	for name, want := range map[string]string{
		"own": "Flags", "model": "Model and prompt", "chat": "Conversation", "order": "Settings", "seed": "Settings", "top-p": "Temperature and cuts",
		"dry-base": "Penalties and bans", "stop": "Length and ends", "regex": "Constraint", "whitespace": "Constraint",
		"draft-method": "Speculative decoding", "num-beams": "Beam search",
	} {
		if !slices.Equal(under[name], []string{want}) {
			t.Errorf("--%s stands under %q, want %q", name, under[name], want)
		}
	}
	for name, at := range under {
		if f := cmd.Flags().Lookup(name); f == nil || len(at) != 1 {
			t.Errorf("--%s stands under %q", name, at)
		}
	}
	for _, h := range headings {
		for _, name := range h.flags {
			elsewhere := []string{"record", "rows", "cast", "theme", "ascii", "no-mouse", "fps"} // of some commands
			if cmd.Flags().Lookup(name) == nil && !slices.Contains(elsewhere, name) {
				t.Errorf("%s has --%s, which no command declares", h.title, name)
			}
		}
	}
	if _, ok := under["top-h"]; ok {
		t.Error("--top-h is hidden and no heading names it, yet it is in the help")
	}
}
