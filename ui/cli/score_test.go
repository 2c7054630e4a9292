package cli

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"logitscope/ui/cli/console"
)

// A scoreCase is one line of testdata/logprobs/cases.jsonl. All texts and
// numbers there were made up for this project; the shapes are those of the
// servers.
type scoreCase struct {
	ID       string
	File     string
	Response int
	Expect   map[string]any
}

func scoreCases(t *testing.T) []scoreCase {
	f, err := os.Open("testdata/logprobs/cases.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out []scoreCase
	s := bufio.NewScanner(f)
	s.Buffer(nil, 4<<20)
	for s.Scan() {
		var c scoreCase
		if err := json.Unmarshal(s.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		if c.File != "" {
			out = append(out, c)
		}
	}
	if err := s.Err(); err != nil || len(out) < 60 {
		t.Fatalf("%d cases, %v", len(out), err)
	}
	return out
}

func TestScoreAgainstCases(t *testing.T) {
	t.Parallel()
	for _, c := range scoreCases(t) {
		args := []string{"score", "--logprobs", filepath.Join("testdata/logprobs", c.File), "--report", "json"}
		if c.Response > 0 {
			args = append(args, "--response", fmt.Sprint(c.Response))
		}
		out, errs, code := try(t, "", args...)
		if e, refused := c.Expect["error"].(map[string]any); refused {
			checkRefusal(t, c, e, out, errs, code)
			continue
		}
		if code != console.ExitDone {
			t.Errorf("%s: exit %d, %s", c.ID, code, errs)
			continue
		}
		var got map[string]any
		if err := json.Unmarshal([]byte(out), &got); err != nil {
			t.Errorf("%s: %v", c.ID, err)
			continue
		}
		for _, n := range got["notes"].([]any) {
			delete(n.(map[string]any), "text")
		}
		for _, n := range c.Expect["notes"].([]any) {
			delete(n.(map[string]any), "text")
		}
		if where := apart("", got, c.Expect); where != "" {
			t.Errorf("%s: %s", c.ID, where)
		}
	}
}

// A perplexity that no double holds is not a reason to give no report.
func TestScoreOfAHugePerplexity(t *testing.T) {
	file := filepath.Join(t.TempDir(), "huge.json")
	if err := os.WriteFile(file, []byte(`{"choices":[{"logprobs":{"content":[{"token":"a","logprob":-9998}]}}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for want, form := range map[string][]string{`"perplexity":null`: {"--report", "json"}, "perplexity +Inf": nil} {
		out, errs, code := try(t, "", append([]string{"score", "--logprobs", file}, form...)...)
		if code != console.ExitDone || !strings.Contains(strings.ReplaceAll(out, ": ", ":"), want) {
			t.Errorf("exit %d, %s%s; want %s", code, out, errs, want)
		}
	}
}

func checkRefusal(t *testing.T, c scoreCase, want map[string]any, out, errs string, code int) {
	t.Helper()
	if code == console.ExitDone || out != "" || strings.Count(errs, "\n") != 1 || !strings.Contains(errs, filepath.Base(c.File)) {
		t.Errorf("%s: exit %d, %q, %q", c.ID, code, out, errs)
	}
	for _, r := range errs[:max(0, len(errs)-1)] {
		if r < ' ' || r >= 0x7f && r < 0xa0 {
			t.Errorf("%s: control bytes in %q", c.ID, errs)
		}
	}
	named := want["line"] == nil && want["path"] == nil
	if lines, ok := want["line"].([]any); ok {
		for _, n := range lines {
			named = named || strings.Contains(errs, fmt.Sprintf("line %v:", n))
		}
	} else if n := want["line"]; n != nil {
		named = named || strings.Contains(errs, fmt.Sprintf("line %v:", n))
	}
	if p, ok := want["path"].(string); ok {
		named = named && strings.Contains(errs, p)
	}
	if !named {
		t.Errorf("%s: %q does not name %v", c.ID, errs, want)
	}
}

// apart returns where two JSON values differ, "" if they do not: numbers to
// 1e-9.
func apart(at string, got, want any) string {
	switch w := want.(type) {
	case map[string]any:
		g, ok := got.(map[string]any)
		if !ok {
			return at + ": not an object"
		}
		for k := range g {
			if _, ok := w[k]; !ok {
				return fmt.Sprintf("%s.%s: %v, want none", at, k, g[k])
			}
		}
		for k, x := range w {
			if _, ok := g[k]; !ok {
				return fmt.Sprintf("%s.%s: missing, want %v", at, k, x)
			}
			if s := apart(at+"."+k, g[k], x); s != "" {
				return s
			}
		}
		return ""
	case []any:
		g, ok := got.([]any)
		if !ok || len(g) != len(w) {
			return fmt.Sprintf("%s: %v, want %v", at, got, want)
		}
		for i := range w {
			if s := apart(fmt.Sprintf("%s[%d]", at, i), g[i], w[i]); s != "" {
				return s
			}
		}
		return ""
	case float64:
		if g, ok := got.(float64); ok && math.Abs(g-w) <= 1e-9+1e-9*math.Abs(w) {
			return ""
		}
	default:
		if got == want {
			return ""
		}
	}
	return fmt.Sprintf("%s: %v, want %v", at, got, want)
}
