package screen

import (
	"io"
	"maps"
	"os"
	"path/filepath"
	"testing"

	"github.com/spf13/cobra"

	"logitscope/ui/cli/console"
	"logitscope/ui/cli/setup"
)

// The lab is told how the file of a constraint reads, blanks and all: the
// stored form has none.
func TestLabKnowsTheFileOfAConstraint(t *testing.T) {
	const schema = "{ \"type\":\"object\",\n        \"properties\" : {\"a\":{\"type\":\"integer\"}} }\n"
	const tables = "{\"tables\": {\n\t\"users\": [ \"id\" ]}}"
	for _, tt := range []struct {
		flag, text string
		want       map[string]string
	}{
		{"--json-schema", "\ufeff" + schema, map[string]string{`{"schema":{"type":"object","properties":{"a":{"type":"integer"}}},"type":"json_schema"}`: schema}},
		{"--sql", tables, map[string]string{`{"sql":{"tables":{"users":["id"]}},"type":"sql"}`: tables}},
		{"--grammar", "root ::= \"a\"\n", nil},
	} {
		path := filepath.Join(t.TempDir(), "source")
		if err := os.WriteFile(path, []byte(tt.text), 0o600); err != nil {
			t.Fatal(err)
		}
		cmd := &cobra.Command{}
		s := Add(setup.Add(console.System{Getenv: func(string) string { return "" }, Out: io.Discard, Err: io.Discard}, cmd), cmd)
		if err := cmd.ParseFlags([]string{tt.flag, path, "--prompt", "x"}); err != nil {
			t.Fatal(err)
		}
		j, err := s.Prepare(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		opt := s.Screen(t.Context(), []*setup.Job{j}, false)
		j.Close()
		if !maps.Equal(opt.Written, tt.want) {
			t.Errorf("%s: %q, want %q", tt.flag, opt.Written, tt.want)
		}
	}
}
