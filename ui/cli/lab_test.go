package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The lab has no seed of its own: one of a file holds, and a flag is over it.
func TestLabTakesTheSeedOfAFile(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "seed.json")
	if err := os.WriteFile(file, []byte(`{"seed":7}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		args []string
		want string
	}{
		{nil, "seed 42"},
		{[]string{"--config", file}, "seed 7"},
		{[]string{"--config", file, "--seed", "8"}, "seed 8"},
	} {
		out, errs, code := try(t, "", append([]string{"shot", "--size", "120x40"}, tt.args...)...)
		if code != 0 || !strings.Contains(out, tt.want+" ") && !strings.Contains(out, tt.want+"<") {
			t.Errorf("%v: exit %d, no %q; %s", tt.args, code, tt.want, errs)
		}
	}
}
