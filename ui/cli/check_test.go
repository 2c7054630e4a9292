package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"logitscope/ui/cli/console"
	"logitscope/viz"
)

// pieces are texts or lists of token ids, and how often each stands.
type pieces[T any] []struct {
	part  T
	times int
}

func (p *pieces[T]) UnmarshalJSON(b []byte) error {
	var list [][2]json.RawMessage
	if err := json.Unmarshal(b, &list); err != nil {
		return err
	}
	*p = make(pieces[T], len(list))
	for i, x := range list {
		for k, to := range []any{&(*p)[i].part, &(*p)[i].times} {
			if err := json.Unmarshal(x[k], to); err != nil {
				return err
			}
		}
	}
	return nil
}

// goldenCheck is a case of testdata/checks/cases.jsonl.
type goldenCheck struct {
	Case map[string]json.RawMessage
	Want struct {
		Pass   bool
		Failed []string
		Error  bool
	}
	Has []string
}

// line is the case as it is given to the program.
func (g *goldenCheck) line(t *testing.T) []byte {
	put := func(name, as string, value any) {
		b, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		delete(g.Case, name)
		g.Case[as] = b
	}
	if raw, ok := g.Case["text_of"]; ok {
		var p pieces[string]
		if err := json.Unmarshal(raw, &p); err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		for _, x := range p {
			b.WriteString(strings.Repeat(x.part, x.times))
		}
		put("text_of", "text", b.String())
	}
	if raw, ok := g.Case["tokens_of"]; ok {
		var p pieces[[]int32]
		if err := json.Unmarshal(raw, &p); err != nil {
			t.Fatal(err)
		}
		ids := []int32{}
		for _, x := range p {
			ids = append(ids, slices.Repeat(x.part, x.times)...)
		}
		put("tokens_of", "tokens", ids)
	}
	b, err := json.Marshal(g.Case)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestCheckCommand(t *testing.T) {
	t.Chdir("testdata/checks")
	data, err := os.ReadFile("cases.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	var cases []*goldenCheck
	var in bytes.Buffer
	for line := range bytes.Lines(data) {
		g := &goldenCheck{}
		if err := json.Unmarshal(line, g); err != nil {
			t.Fatal(err)
		}
		cases = append(cases, g)
		in.Write(append(g.line(t), '\n'))
	}
	out, _, code := try(t, in.String(), "check")
	answers := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
	if len(answers) != len(cases) || code != console.ExitFailed {
		t.Fatalf("%d answers to %d cases, exit %d", len(answers), len(cases), code)
	}
	for i, g := range cases {
		var got struct {
			ID     json.RawMessage
			Pass   bool
			Failed []struct{ Check, Why string }
			Error  string
		}
		if err := json.Unmarshal([]byte(answers[i]), &got); err != nil {
			t.Fatalf("%s: %v", answers[i], err)
		}
		said := got.Error
		var failed []string
		for _, f := range got.Failed {
			failed = append(failed, f.Check)
			said += " " + f.Why
			if w := viz.Width(f.Why); w == 0 || w > 80 || f.Why != viz.Printable(f.Why, false) {
				t.Errorf("%s: %q takes %d cells", got.ID, f.Why, w)
			}
		}
		if !bytes.Equal(got.ID, g.Case["id"]) || (got.Error != "") != g.Want.Error || got.Pass != g.Want.Pass || !slices.Equal(failed, g.Want.Failed) {
			t.Errorf("%s: %.200s, want %+v", g.Case["id"], answers[i], g.Want)
		}
		for _, h := range g.Has {
			if !strings.Contains(strings.ToLower(said), strings.ToLower(h)) {
				t.Errorf("%s: %q does not name %q", got.ID, said, h)
			}
		}
	}
}

func TestCheckLines(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ in, want string }{
		{`{`, `{"id":null,"error":"must be a JSON object"}`},
		{`[]`, `{"id":null,"error":"must be a JSON object"}`},
		{`{"id":{"a":1},"text":"x","expect":{"equals":"x"}}`, `{"id":{"a":1},"pass":true,"failed":[]}`},
		{`{"text":"x"}`, `{"id":null,"error":"expect: missing"}`},
		{`{"id":1,"expect":"json"}`, `{"id":1,"error":"text: missing"}`},
		{`{"id":1,"text":"x","text":"y","expect":"json"}`, `{"id":1,"error":"\"text\" stands twice"}`},
		{`{"id":1,"Text":"x","expect":"json"}`, `{"id":1,"error":"\"Text\": unknown field; must be id, text, tokens, reason, expect or extract"}`},
		{`{"id":1,"text":"x","reason":5,"expect":"json"}`, `{"id":1,"error":"reason: must be a text"}`},
		{"{\"id\":\"\xff\",\"text\":\"\xff\",\"expect\":{\"equals\":\"\xff\"}}", `{"id":"` + "\ufffd" + `","pass":true,"failed":[]}`},
	} {
		if out, _, _ := try(t, tt.in, "check"); out != tt.want+"\n" {
			t.Errorf("%s\n%swant %s", tt.in, out, tt.want)
		}
	}
	cmd := `{"id":1,"text":"x","expect":{"cmd":"` + filepath.Join(t.TempDir(), "none") + `"}}`
	if out, _, code := try(t, cmd, "check"); code != console.ExitFailed || !strings.Contains(out, "--allow-cmd") {
		t.Errorf("%d %s", code, out)
	}
	if out, _, code := try(t, `{"id":1,"text":"x","expect":{"cmd":"go version"}}`, "check", "--allow-cmd"); code != console.ExitDone {
		t.Errorf("%d %s", code, out)
	}
}
