package cli

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"logitscope/ui/cli/console"
)

// A run is recorded beside what it writes, plays as a model, derives again and
// becomes a page, a picture and a cast; a changed file is found.
func TestRecordAndReplay(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "run.jsonl")
	run := []string{"run", "--prompt", "Once upon a time", "--preset", "chat", "--seed", "7", "--max-new-tokens", "6"}
	plain, _, _ := try(t, "", run...)
	for _, rows := range []string{"full", "256", "top"} {
		out, errs, code := try(t, "", append(run, "--record", file, "--rows", rows)...)
		if code != console.ExitDone || out != plain {
			t.Fatalf("--rows %s: exit %d, %q, %q; without a recording %q", rows, code, out, errs, plain)
		}
		out, errs, code = try(t, "", "replay", file, "--verify")
		if code != console.ExitDone || rows != "top" && !strings.Contains(out, ": 6 steps derived again, all equal") || rows == "top" && !strings.Contains(out, "6 of 6 steps not decidable") {
			t.Errorf("--rows %s: exit %d, %q, %q", rows, code, out, errs)
		}
		if rows == "top" {
			continue
		}
		out, errs, code = try(t, "", "run", "--model", "tape:"+file, "--preset", "chat", "--seed", "7", "--max-new-tokens", "6")
		if code != console.ExitDone || out != plain {
			t.Errorf("--rows %s: the recording writes %q, %q, want %q", rows, out, errs, plain)
		}
	}
	if _, errs, code := try(t, "", append(run, "--record", file)...); code != console.ExitDone {
		t.Fatal(errs)
	}
	// Of a step that weighs two rows both are kept with whole rows, and the tape
	// gives both; else it is counted.
	two := []string{"--order", "lab", "--contrastive-alpha", "0.1", "--contrastive-beta", "0.5", "--seed", "3", "--max-new-tokens", "3"}
	for rows, want := range map[string]string{"256": "3 of 3 steps not decidable: the second row that it weighs is not in the file", "full": ": 3 steps derived again, all equal"} {
		plain, errs, code := try(t, "", append([]string{"run", "--prompt", "Once upon a time", "--record", file, "--rows", rows}, two...)...)
		if code != console.ExitDone {
			t.Fatal(errs)
		}
		if out, errs, code := try(t, "", "replay", file, "--verify"); code != console.ExitDone || !strings.Contains(out, want) {
			t.Errorf("two rows, --rows %s: exit %d, %q, %q", rows, code, out, errs)
		}
		if again, errs, _ := try(t, "", append([]string{"run", "--model", "tape:" + file}, two...)...); rows == "full" && again != plain {
			t.Errorf("two rows: the recording writes %q, %q, want %q", again, errs, plain)
		}
	}
	// Shared without its prompts it still plays and derives again.
	secret := []string{"run", "--chat", "--system", "Zanzibar forty two", "--prompt", "Quixotic walrus", "--preset", "chat", "--seed", "7", "--max-new-tokens", "6", "--record", file}
	if _, errs, code := try(t, "", secret...); code != console.ExitDone {
		t.Fatal(errs)
	}
	shared := filepath.Join(dir, "shared.jsonl")
	if _, errs, code := try(t, "", "replay", file, "--without-prompts", shared); code != console.ExitDone {
		t.Fatal(errs)
	}
	if out, errs, code := try(t, "", "replay", shared, "--verify"); code != console.ExitDone || !strings.Contains(out, "steps not decidable: its prompt was taken out, and a setting looks at it") {
		t.Errorf("without its prompts: exit %d, %q, %q", code, out, errs)
	}
	for args, want := range map[string]string{
		"--without-prompts " + file:               "is also read",
		"--html " + file:                          "is also read",
		"--cast " + dir + "/./run.jsonl":          "is also read",
		"--without-prompts x.jsonl --html x.html": "one at a time",
		"--verify --svg x.svg":                    "one at a time",
		"--without-prompts=":                      "want the name of a file",
		"--svg=":                                  "want the name of a file",
	} {
		if _, errs, code := try(t, "", append([]string{"replay", file}, strings.Fields(args)...)...); code != console.ExitUsage || !strings.Contains(errs, want) {
			t.Errorf("replay %s: exit %d, %q, want %q", args, code, errs, want)
		}
	}
	if _, errs, code := try(t, "", append(run, "--record", file, "--rows", "top")...); code != console.ExitDone {
		t.Fatal(errs)
	}
	short := filepath.Join(dir, "short.jsonl")
	if _, errs, code := try(t, "", "replay", file, "--without-prompts", short); code != console.ExitDone {
		t.Fatal(errs)
	}
	if out, errs, code := try(t, "", "replay", short, "--verify"); code != console.ExitDone || !strings.Contains(out, "6 of 6 steps not decidable") {
		t.Errorf("without prompts and rows: exit %d, %q, %q", code, out, errs)
	}
	guided := []string{"run", "--prompt", "Once upon a time", "--order", "lab", "--guidance-scale", "2", "--negative-prompt", "Zanzibar", "--max-new-tokens", "2", "--record", file, "--rows", "full"}
	if _, errs, code := try(t, "", guided...); code != console.ExitDone {
		t.Fatal(errs)
	}
	if _, errs, code := try(t, "", "replay", file, "--without-prompts", short); code != console.ExitDone || strings.Contains(readText(t, short), "Zanzibar") {
		t.Errorf("the negative prompt is shared: %s", errs)
	}
	if out, errs, code := try(t, "", "replay", short, "--verify"); code != console.ExitDone || !strings.Contains(out, "2 of 2 steps not decidable") {
		t.Errorf("without its negative prompt: exit %d, %q, %q", code, out, errs)
	}
	if _, errs, code := try(t, "", "replay", shared, "--html", filepath.Join(dir, "shared.html")); code != console.ExitDone {
		t.Error(errs)
	}
	for _, name := range []string{"shared.jsonl", "shared.html"} {
		data, err := os.ReadFile(filepath.Join(dir, name))
		for _, word := range []string{"Zanzibar", "Quixotic", "walrus"} {
			if err != nil || strings.Contains(string(data), word) {
				t.Errorf("%s has %s, %v", name, word, err)
			}
		}
	}
	if _, errs, code := try(t, "", append(run, "--record", file)...); code != console.ExitDone {
		t.Fatal(errs)
	}
	weights, err := os.ReadFile("../../models/fable/fable.q8_0.gguf")
	if err != nil {
		t.Fatal(err)
	}
	if out, errs, _ := try(t, "", "models", "info", "tape:"+file); !strings.Contains(out, fmt.Sprintf("%x", sha256.Sum256(weights))) {
		t.Errorf("a recording does not say which model it is of: %s%s", out, errs)
	}
	for flag, head := range map[string]string{"--html": "<!doctype html>", "--svg": "<svg ", "--cast": `{"env"`} {
		to := filepath.Join(dir, "out"+flag)
		_, errs, code := try(t, "", "replay", file, flag, to)
		got, err := os.ReadFile(to)
		if code != console.ExitDone || err != nil || !strings.HasPrefix(string(got), head) {
			t.Errorf("%s: exit %d, %q, %v, %.40s", flag, code, errs, err, got)
		}
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	at := bytes.LastIndex(data, []byte(`"rank":`)) + len(`"rank":`)
	data[at]++
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
	if out, errs, code := try(t, "", "replay", file, "--verify"); code != console.ExitFailed || out != "" || !strings.Contains(errs, "step 6 (line ") || !strings.Contains(errs, "): rank is ") {
		t.Errorf("a changed rank: exit %d, %q, %q", code, out, errs)
	}
}

// What cannot be recorded, or replayed, is one line, and loses nothing.
func TestRecordingsRefused(t *testing.T) {
	t.Parallel()
	other := write(t, "notes.txt", "hello\n")
	zip := write(t, "a.zip", "PK\x03\x04\x00")
	for _, tt := range []struct {
		args []string
		want string
	}{
		{[]string{"run", "--prompt", "x", "--rows", "full"}, "there is no --record"},
		{[]string{"run", "--prompt", "x", "--record", other + "x", "--rows", "5"}, "--rows 5: full, 256 or top"},
		{[]string{"run", "--prompt", "x", "--record", other}, "is not a recording; it stays as it is"},
		{[]string{"run", "--prompt", "x", "--record", filepath.Join(other, "y")}, "--record "},
		{[]string{"replay"}, "want one FILE"},
		{[]string{"replay", other + "x", "--verify"}, "replay "},
		{[]string{"replay", zip, "--verify"}, "not a recording: is packed as zip; unpack it first"},
		{[]string{"replay", zip}, "not a recording"},
		{[]string{"run", "--model", "tape:" + zip, "--prompt", "x"}, "not a recording"},
		{[]string{"replay", other, "--verify", "--step", "3"}, "--step: belongs to --svg"},
		{[]string{"replay", other, "--verify", "--lane", "1"}, "--lane: --verify takes all lanes"},
		{[]string{"replay", other, "--html", other + "x", "--size", "80x24"}, "--size: belongs to --svg or --cast"},
		{[]string{"shot", "--size", "9x9"}, "--size 9x9: want WxH"},
		{[]string{"shot", "--keys", "wobble"}, "wobble: no such key"},
	} {
		out, errs, code := try(t, "", tt.args...)
		if code != console.ExitUsage || out != "" || strings.Count(errs, "\n") != 1 || !strings.Contains(errs, tt.want) {
			t.Errorf("%v: exit %d, %q, %q, want %q", tt.args, code, out, errs, tt.want)
		}
	}
	if got, err := os.ReadFile(other); err != nil || string(got) != "hello\n" {
		t.Errorf("the file that was there: %q, %v", got, err)
	}
}

// Rounds of drafts are judged again from the rows and the laws in the file, by
// every rule that judges token by token; a changed chance or token is found.
func TestReplayJudgesRoundsAgain(t *testing.T) {
	t.Parallel()
	for i, more := range [][]string{
		{"--draft", "fable-draft"}, {"--draft-method", "specinfer", "--draft-tree", "3,2"}, {"--draft-method", "spectr"},
		{"--draft", "self:3", "--temperature", "0"}, {"--draft", "ngram"}, {"--draft", "lookahead", "--lookahead-ngram", "2", "--temperature", "0"},
		{"--draft", "fable-draft", "--block-verification"},
	} {
		file := filepath.Join(t.TempDir(), "run.jsonl")
		args := append([]string{"run", "--prompt", "Once upon a time there was a little", "--max-new-tokens", "30", "--record", file, "--rows", "full"}, more...)
		if _, errs, code := try(t, "", args...); code != console.ExitDone {
			t.Fatal(errs)
		}
		out, errs, code := try(t, "", "replay", file, "--verify")
		judged := strings.Contains(out, "of drafts judged again, all equal")
		if block := i == 6; code != console.ExitDone || judged == block || !strings.Contains(out, "30 steps derived again") {
			t.Errorf("%v: exit %d, %s%s", more, code, out, errs)
		}
		if !judged {
			continue
		}
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		sum, changed := regexp.MustCompile(`,"check":"?[0-9a-f]+"?`), false
		all := strings.Split(string(data), "\n")
		const field = `"accept_prob":[`
		for k, l := range all {
			all[k] = sum.ReplaceAllString(l, "")
			if at := strings.Index(l, field) + len(field); !changed && at >= len(field) && l[at] != ']' {
				all[k], changed = sum.ReplaceAllString(l[:at]+"0.123,"+l[at:], ""), true
			}
		}
		if out, errs, code := try(t, "", "replay", write(t, "changed.jsonl", strings.Join(all, "\n")), "--verify"); changed && (code != console.ExitFailed || !strings.Contains(errs, "accept_prob is [0.123,")) {
			t.Errorf("%v, a chance more: exit %d, %s%s", more, code, out, errs)
		}
	}
}

// A line that was taken out is missed by those after it, and what --verify
// could not derive is counted, never called equal.
func TestVerifyMissesLines(t *testing.T) {
	story := []string{"run", "--prompt", "Once upon a time there was a little", "--max-new-tokens", "9"}
	for _, c := range []struct {
		more []string
		says []string
	}{
		{[]string{"--schedule", "at token 4: temperature=1.5", "--temperature", "0.5"}, []string{": 9 steps derived again, all equal"}},
		{[]string{"--draft", "fable-draft"}, []string{": 9 steps derived again, all equal", "of drafts not judged again: the file lacks"}},
		{[]string{"--num-beams", "2", "--do-sample=false"}, []string{"no step can be derived again", "9 steps of a beam search not decidable"}},
		{[]string{"--rows", "top"}, []string{"no step can be derived again\nevery line is as it was written", "9 of 9 steps not decidable"}},
	} {
		file := filepath.Join(t.TempDir(), "run.jsonl")
		if _, errs, code := try(t, "", append(append(story, "--record", file), c.more...)...); code != console.ExitDone {
			t.Fatal(errs)
		}
		out, errs, code := try(t, "", "replay", file, "--verify")
		if code != console.ExitDone || strings.Contains(out, "without a last line") {
			t.Errorf("%v: exit %d, %q, %q", c.more, code, out, errs)
		}
		for _, want := range c.says {
			if !strings.Contains(out, want) {
				t.Errorf("%v: %q says nothing of %q", c.more, out, want)
			}
		}
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.SplitAfter(strings.TrimSuffix(string(data), "\n"), "\n")
		for i, l := range lines {
			var head struct{ Type string }
			if err := json.Unmarshal([]byte(l), &head); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, []byte(strings.Join(lines[:i], "")+strings.Join(lines[i+1:], "")), 0o600); err != nil {
				t.Fatal(err)
			}
			out, errs, code := try(t, "", "replay", file, "--verify")
			found := code != console.ExitDone
			if head.Type == "end" {
				found = code == console.ExitDone && strings.Contains(out, "1 run without a last line")
			}
			if !found {
				t.Errorf("%v: without line %d, %s: exit %d, %q, %q", c.more, i+1, head.Type, code, out, errs)
			}
		}
	}
}

// A lane of beams is recorded with its steps, as a run of beams is.
func TestCompareRecordsASearch(t *testing.T) {
	file := filepath.Join(t.TempDir(), "lanes.jsonl")
	out, errs, code := try(t, "", "compare", "--prompt", "Once upon a time", "--lane", "chat", "--lane", "greedy,num_beams=3",
		"--max-new-tokens", "5", "--format", "jsonl", "--record", file)
	if code != console.ExitDone {
		t.Fatal(errs)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"the file": string(data), "the output": out} {
		if n := strings.Count(text, `{"lane":2,"type":"beam_step"`); n != 5 {
			t.Errorf("%s has %d steps of the search: %.300s", name, n, text)
		}
	}
}
