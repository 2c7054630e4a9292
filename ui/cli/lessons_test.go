package cli

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"logitscope/ui/cli/console"
)

// in runs the command line with its own files in dir.
func in(t *testing.T, dir, input string, args ...string) (out, errs string, code int) {
	t.Helper()
	var o, e bytes.Buffer
	env := map[string]string{"LOGITSCOPE_CONFIG_DIR": dir, "LOGITSCOPE_CACHE_DIR": filepath.Join(dir, "cache")}
	code = Run(context.Background(), console.System{Args: args, In: strings.NewReader(input), Out: &o, Err: &e, Getenv: func(k string) string { return env[k] }})
	return o.String(), e.String(), code
}

// The cases say of files, right ones and ones with one fault each, what the
// check must find, where, and with which exit code.
func TestLessonCases(t *testing.T) {
	t.Parallel()
	const dir = "../../engine/lesson/testdata"
	cases, err := os.ReadFile(filepath.Join(dir, "cases.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.SplitSeq(strings.TrimSpace(string(cases)), "\n") {
		var c struct {
			ID                      string
			Files, Has              []string
			Exit, Tasks, Task, Line int
		}
		if err := json.Unmarshal([]byte(line), &c); err != nil {
			t.Fatal(err)
		}
		args := []string{"lessons", "check", "--format", "jsonl"}
		for _, f := range c.Files {
			args = append(args, filepath.Join(dir, f))
		}
		out, errs, code := try(t, "", args...)
		if code != c.Exit || errs != "" {
			t.Errorf("%s: exit %d, want %d: %s", c.ID, code, c.Exit, errs)
		}
		var bad []map[string]any
		right := 0
		for _, m := range lines(t, out) {
			if m["ok"] == true {
				right++
			} else {
				bad = append(bad, m)
			}
		}
		if c.Exit == 0 {
			if len(bad) > 0 || right != c.Tasks {
				t.Errorf("%s: %d tasks right, want %d; %v", c.ID, right, c.Tasks, bad)
			}
			continue
		}
		if len(bad) != 1 || bad[0]["task"] != float64(c.Task) || bad[0]["line"] != float64(c.Line) {
			t.Errorf("%s: %v, want one fault in task %d, line %d", c.ID, bad, c.Task, c.Line)
			continue
		}
		for _, w := range c.Has {
			if !strings.Contains(strings.ToLower(bad[0]["why"].(string)), strings.ToLower(w)) {
				t.Errorf("%s: %q does not name %q", c.ID, bad[0]["why"], w)
			}
		}
	}
}

// A lesson is read line by line: answers, settings, hints and skipping have the
// marks that the lab gives, and they are kept.
func TestPlainLesson(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	out, errs, code := in(t, dir, "97%\nset temperature=0.2\nfly\nset temprature=1\nset temperature=0.3\n\nhint\nshow\nskip\n", "lesson", "temperature", "--plain", "--task", "1")
	if code != console.ExitDone || errs != "" {
		t.Fatalf("exit %d: %s", code, errs)
	}
	for _, want := range []string{"right: it is 96.8%", "fly: no such verb", "did you mean", "✓ temperature 0.30", "hint 1 of 1", "␣Copenhagen  model 0.238%", "skipped"} {
		if !strings.Contains(out, want) && !(want == "did you mean" && strings.Contains(out, "temperature is meant?")) {
			t.Errorf("it does not say %q:\n%s", want, out)
		}
	}
	table, _, _ := in(t, dir, "", "lessons", "progress")
	rows, err := csv.NewReader(strings.NewReader(table)).ReadAll()
	if err != nil || len(rows) < 3 {
		t.Fatalf("%v: %s", err, table)
	}
	if a := rows[1]; a[0] != "temperature" || a[1] != "1" || a[2] == "" || a[3] != "false" || a[6] != "0.97" || !strings.HasPrefix(a[7], "0.968") || a[8] != "true" {
		t.Errorf("task 1: %v", a)
	}
	if b := rows[2]; b[2] != "" || b[3] != "true" || b[5] != "1" {
		t.Errorf("task 2: %v", b)
	}
	list, _, _ := in(t, dir, "", "lessons", "list", "--format", "jsonl")
	for _, m := range lines(t, list) {
		if want := map[bool]float64{true: 1}[m["id"] == "temperature"]; m["done"] != want || m["changed"] != false {
			t.Errorf("%v", m)
		}
	}
	// It goes on at the first task that is open.
	out, _, _ = in(t, dir, "", "lesson", "temperature", "--plain")
	if !strings.Contains(out, "Task 3 of 4") {
		t.Errorf("it goes on with\n%s", out)
	}
	if _, errs, code := in(t, dir, "", "lessons", "progress", "--reset", "temprature"); code != console.ExitUsage || !strings.Contains(errs, "temprature") {
		t.Errorf("exit %d: %s", code, errs)
	}
	if _, errs, code := in(t, dir, "", "lessons", "progress", "--reset", "temperature"); code != console.ExitDone {
		t.Errorf("exit %d: %s", code, errs)
	}
	if table, _, _ := in(t, dir, "", "lessons", "progress"); strings.Count(table, "\n") != 1 {
		t.Errorf("after the reset: %s", table)
	}
}

// Own lessons stand behind the built-in ones; one of the same id stands in its
// place and says so; one that cannot be read is named with its line.
func TestOwnLessons(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	own := filepath.Join(dir, "lessons")
	if err := os.MkdirAll(own, 0o700); err != nil {
		t.Fatal(err)
	}
	begun, errs, code := in(t, dir, "", "lessons", "new", "my-own")
	if code != console.ExitDone {
		t.Fatal(errs)
	}
	german, errs, code := in(t, dir, "", "lessons", "new", "--from", "temperature", "--lang", "de")
	if code != console.ExitDone {
		t.Fatal(errs)
	}
	for name, text := range map[string]string{"mine.md": begun, "t.md": german, "broken.md": "# T\n\n```gaol\n```\n", "note.txt": "no lesson"} {
		if err := os.WriteFile(filepath.Join(own, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	out, errs, code := in(t, dir, "", "lessons", "list")
	if code != console.ExitDone || !strings.Contains(errs, "broken.md:1: ") && !strings.Contains(errs, "broken.md:3: ") || !strings.Contains(out, "my-own") || !strings.Contains(out, "stands in the place") || strings.Contains(out, "note.txt") {
		t.Errorf("exit %d: %s%s", code, out, errs)
	}
	if out, errs, code := in(t, dir, "", "lessons", "check", filepath.Join(own, "mine.md"), filepath.Join(own, "t.md")); code != console.ExitDone || strings.Count(out, ": right\n") != 6 {
		t.Errorf("exit %d: %s%s", code, out, errs)
	}
	changed := strings.Replace(german, "seed: 42", "seed: 41", 1)
	if err := os.WriteFile(filepath.Join(own, "t.md"), []byte(changed), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, _, code := in(t, dir, "", "lessons", "check", filepath.Join(own, "t.md")); code != console.ExitFailed || !strings.Contains(out, "only words may differ") {
		t.Errorf("a translation with another seed: exit %d: %s", code, out)
	}
}

// The sheet of a lesson has every number computed, and answers only where they
// are asked for.
func TestShowLesson(t *testing.T) {
	t.Parallel()
	out, errs, code := try(t, "", "lessons", "show", "temperature", "--task", "1")
	if code != console.ExitDone || !strings.Contains(out, "holds\n59.1%") && !strings.Contains(out, "holds 59.1%") || strings.Contains(out, "96.8%") || strings.Contains(out, "solution") {
		t.Errorf("exit %d: %s%s", code, out, errs)
	}
	out, _, _ = try(t, "", "lessons", "show", "temperature", "--answers", "--notes")
	for _, want := range []string{"96.8%", "solution: set temperature=0.3", "note: ", "seen: "} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	page := filepath.Join(t.TempDir(), "page.html")
	run := write(t, "run.jsonl", "")
	if _, errs, code := try(t, "", "run", "--prompt", "The capital of France is", "--max-new-tokens", "3", "--record", run); code != console.ExitDone {
		t.Fatal(errs)
	}
	for _, answers := range []bool{false, true} {
		args := []string{"replay", run, "--html", page, "--lesson", "temperature"}
		if answers {
			args = append(args, "--answers")
		}
		if _, errs, code := try(t, "", args...); code != console.ExitDone {
			t.Fatal(errs)
		}
		html, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(string(html), "<fieldset>"); n != 3 || strings.Contains(string(html), "set temperature=1.55") != answers || strings.Contains(string(html), "checked") != answers {
			t.Errorf("answers %v: %d questions", answers, n)
		}
	}
}

func TestLessonUsage(t *testing.T) {
	t.Parallel()
	for want, args := range map[string][]string{
		"cellar: no such lesson; want a file or one of one-token": {"lesson", "cellar", "--plain"},
		"no-such.md: no such file":                                {"lessons", "show", "no-such.md"},
		"--task 9: temperature has tasks 1 to 4":                  {"lessons", "show", "temperature", "--task", "9"},
		"want one lesson, given 2":                                {"lesson", "a", "b"},
		"need the name of a lesson":                               {"lesson", "--plain"},
		"without one: logitscope lesson ID --plain":               {"lesson", "temperature"},
		"--format xml: text or jsonl":                             {"lessons", "check", "--format", "xml"},
		"--format yes: csv or jsonl":                              {"lessons", "progress", "--format", "yes"},
		"--from: it needs --lang":                                 {"lessons", "new", "--from", "temperature"},
		"--lang: it needs --from":                                 {"lessons", "new", "x", "--lang", "de"},
		"id: X: want a-z":                                         {"lessons", "new", "X"},
		"--lang 7: want a language":                               {"lessons", "new", "--from", "temperature", "--lang", "7"},
		"--lesson: belongs to --html":                             {"replay", "../../engine/record/testdata/v1.jsonl", "--lesson", "temperature"},
		"--until temprature: no such term":                        {"run", "--prompt", "x", "--until", "temprature > 1"},
		"--until u: its kind is a number":                         {"run", "--prompt", "x", "--until", "u"},
		"is 5 tokens of this model":                               {"run", "--prompt", "x", "--until", `drawn = " Copenhagens"`},
	} {
		if out, errs, code := try(t, "", args...); code != console.ExitUsage || !strings.Contains(errs, want) || strings.Count(errs, "\n") != 1 {
			t.Errorf("%v: exit %d, %q, %q; want %q", args, code, out, errs, want)
		}
	}
}

// A run stops with the first token for which the expression holds, as the
// whole run has it.
func TestRunUntil(t *testing.T) {
	t.Parallel()
	args := []string{"run", "--prompt", "The capital of France is", "--max-new-tokens", "40", "--format", "jsonl"}
	whole, _, _ := try(t, "", args...)
	first := 0
	for _, m := range lines(t, whole) {
		if m["type"] == "step" && m["entropy_bits"].(float64) > 4 {
			first = int(m["pos"].(float64))
			break
		}
	}
	out, errs, code := try(t, "", append(args, "--until", "raw_bits > 4 or steps >= 99")...)
	all := lines(t, out)
	end, mark, step := all[len(all)-1], all[len(all)-2], all[len(all)-3]
	if code != console.ExitDone || step["pos"] != float64(first) || mark["pos"] != float64(first) || end["reason"] != "until" {
		t.Errorf("exit %d: %v %v %v, want position %d", code, step["pos"], mark, end["reason"], first)
	}
	if !strings.Contains(errs, "raw_bits > 4 (raw_bits is ") {
		t.Errorf("it says %q", errs)
	}
	text, errs, _ := try(t, "", "run", "--prompt", "The capital of France is", "--temperature", "0", "--until", `drawn = " Paris"`)
	if text != " Paris\n" || !strings.Contains(errs, "stopped at step 1") {
		t.Errorf("%q, %q", text, errs)
	}
	if out, errs, _ := try(t, "", "run", "--prompt", "The capital of France is", "--max-new-tokens", "5", "--until", "steps > 99"); errs != "" || strings.TrimSpace(out) == "" {
		t.Errorf("nothing held: %q, %q", out, errs)
	}
	if out, errs, _ := try(t, "", "run", "--prompt", "The capital of France is", "--num-beams", "3", "--max-new-tokens", "20", "--format", "jsonl", "--until", "steps = 4"); strings.Count(out, `"beam_step"`) != 4 || !strings.Contains(errs, "stopped at step 4") {
		t.Errorf("beams: %d steps, %q", strings.Count(out, `"beam_step"`), errs)
	}
}
