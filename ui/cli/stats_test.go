package cli

import (
	"testing"

	"logitscope/ui/cli/console"
)

func TestStatsCommand(t *testing.T) {
	t.Parallel()
	out, errs, code := try(t, `{"id":"a","kind":"majority","input":{"answers":["4","5","4"]}}

nonsense
{"id":[2],"kind":"holm","input":{"p":[2]}}
`, "stats")
	want := `{"id":"a","result":{"answer":"4","of":3,"votes":2}}
{"id":null,"error":"must be a JSON object with kind and input"}
{"id":[2],"error":"p: 2: must be 0 to 1"}
`
	if out != want || errs != "" || code != console.ExitFailed {
		t.Errorf("%d\n%s%s\nwant %d\n%s", code, out, errs, console.ExitFailed, want)
	}
	if _, _, code := try(t, `{"id":"a","kind":"holm","input":{"p":[0.5]}}`, "stats"); code != console.ExitDone {
		t.Errorf("exit %d where all lines were answered", code)
	}
}
