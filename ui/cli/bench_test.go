package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"logitscope/models/fable"
	"logitscope/models/llama"
	"logitscope/ui/cli/console"
)

// goldenSet is a case of testdata/checks/prompts.jsonl.
type goldenSet struct {
	ID, File string
	Make     pieces[string]
	Argv     []string
	Want     json.RawMessage
	Bad      []int
	Has      map[string]string
	Error    []string
}

// plainPrompt brings a prompt into one form: checks are a list, a check is an
// object, what is empty is absent.
func plainPrompt(t *testing.T, raw json.RawMessage) map[string]any {
	t.Helper()
	var p map[string]any
	if err := json.Unmarshal(raw, &p); err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	for _, key := range []string{"tags", "vars"} {
		switch v := p[key].(type) {
		case []any:
			if len(v) == 0 {
				delete(p, key)
			}
		case map[string]any:
			if len(v) == 0 {
				delete(p, key)
			}
		}
	}
	if e, ok := p["expect"]; ok {
		list, ok := e.([]any)
		if !ok {
			list = []any{e}
		}
		for i, c := range list {
			if name, ok := c.(string); ok {
				c = map[string]any{name: true}
			}
			m := c.(map[string]any)
			if n, ok := m["number"].(float64); ok {
				m["number"] = map[string]any{"value": n}
			}
			list[i] = m
		}
		p["expect"] = list
	}
	return p
}

func TestPromptSets(t *testing.T) {
	data, err := os.ReadFile("testdata/checks/prompts.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir("testdata/checks")
	lineOf := regexp.MustCompile(`\bline (\d+)`)
	for raw := range bytes.Lines(data) {
		var g goldenSet
		if err := json.Unmarshal(raw, &g); err != nil {
			t.Fatal(err)
		}
		if g.Make != nil {
			var b strings.Builder
			for _, x := range g.Make {
				b.WriteString(strings.Repeat(x.part, x.times))
			}
			g.File = write(t, filepath.Base(g.File), b.String())
		}
		args := g.Argv
		if args == nil {
			args = []string{"bench", "--prompts", g.File, "--dry-run", "--format", "jsonl"}
		}
		out, errs, code := try(t, "", args...)
		if g.Want == nil {
			if code != console.ExitUsage || out != "" {
				t.Errorf("%s: exit %d, stdout %.80q, want exit 2 and none", g.ID, code, out)
			}
			for _, w := range g.Error {
				if !strings.Contains(strings.ToLower(errs), strings.ToLower(w)) {
					t.Errorf("%s: %q does not name %q", g.ID, errs, w)
				}
			}
			var said []int
			for line := range strings.Lines(errs) {
				if m := lineOf.FindStringSubmatch(line); m != nil && g.Bad != nil {
					n, _ := strconv.Atoi(m[1])
					said = append(said, n)
					if w := g.Has[m[1]]; !strings.Contains(strings.ToLower(line), strings.ToLower(w)) {
						t.Errorf("%s: %q does not name %q", g.ID, line, w)
					}
				}
			}
			if more := len(g.Bad) - 20; more > 0 && !strings.Contains(errs, strconv.Itoa(more)+" more") {
				t.Errorf("%s: %q does not say %d more", g.ID, errs, more)
			}
			if !slices.Equal(said, g.Bad[:min(len(g.Bad), 20)]) {
				t.Errorf("%s: bad lines %v, want %v", g.ID, said, g.Bad)
			}
			continue
		}
		if code != console.ExitDone {
			t.Errorf("%s: exit %d: %s", g.ID, code, errs)
			continue
		}
		got := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
		var want []json.RawMessage
		if json.Unmarshal(g.Want, &want) != nil {
			var many struct {
				Count int
				Last  json.RawMessage
			}
			if err := json.Unmarshal(g.Want, &many); err != nil {
				t.Fatal(err)
			}
			if len(got) != many.Count {
				t.Errorf("%s: %d prompts, want %d", g.ID, len(got), many.Count)
			}
			got, want = got[len(got)-1:], []json.RawMessage{many.Last}
		}
		if len(got) != len(want) {
			t.Errorf("%s: %d prompts, want %d", g.ID, len(got), len(want))
			continue
		}
		for i := range want {
			if diff := cmp.Diff(plainPrompt(t, want[i]), plainPrompt(t, json.RawMessage(got[i]))); diff != "" {
				t.Errorf("%s: prompt %d: %s", g.ID, i+1, diff)
			}
		}
	}
}

const capitals = `country,city,prompt,expect
France,Paris,The capital of {{country}} is,contains: {{city}}
Italy,Rome,The capital of {{country}} is,contains: {{city}}
Spain,Madrid,The capital of {{country}} is,"[{""contains"": ""{{city}}""}, ""no_loop""]"
Denmark,Copenhagen,The capital of {{country}} is,contains: {{city}}
`

func TestBenchCommand(t *testing.T) {
	set, dir := write(t, "set.csv", capitals), t.TempDir()
	args := []string{"bench", "--prompts", set, "--config", "chat", "--lane", "chat,temperature=0,repetition_penalty=off", "--seeds", "2",
		"--max-new-tokens", "8", "--dir", dir}
	out, errs, code := try(t, "", args...)
	if code != console.ExitDone || errs != "" {
		t.Fatalf("exit %d: %s", code, errs)
	}
	for _, w := range []string{"config ", "pass ", "chat,temperature=0", "100.0%", "against chat:", "4 prompts × 2 configs × 2 seeds", "not distinguishable"} {
		if !strings.Contains(out, w) {
			t.Errorf("the table lacks %q:\n%s", w, out)
		}
	}
	if again, _, _ := try(t, "", args...); again != out {
		t.Error("from the disk: another table")
	}
	out, _, _ = try(t, "", append(args, "--format", "jsonl", "--holdout", "0.5", "--pass-at", "1,2", "--price", "in=1,out=2")...)
	all := lines(t, out)
	kinds := map[any]int{}
	for _, l := range all {
		kinds[l["type"]]++
	}
	if kinds["bench"] != 1 || kinds["cell"] != 8 || kinds["summary"] != 6 {
		t.Errorf("lines %v", kinds)
	}
	last := all[len(all)-1]
	if last["part"] != "held out" || last["config"] != "chat,temperature=0,repetition_penalty=off" {
		t.Errorf("%v", last)
	}
	sum := all[9]
	if sum["part"] != "all" || sum["pass_at"].(map[string]any)["2"] == nil || sum["cost"].(float64) <= 0 || sum["metrics"].(map[string]any)["first_ms"] != nil {
		t.Errorf("%v", sum)
	}
	fresh, _, _ := try(t, "", append(args, "--format", "jsonl", "--holdout", "0.5", "--pass-at", "1,2", "--price", "in=1,out=2", "--fresh", "--workers", "3")...)
	if fresh != out {
		t.Error("decoded again: other bytes")
	}
	csv, _, code := try(t, "", append(args, "--format", "csv")...)
	if code != console.ExitDone || strings.Count(csv, "\n") != 3 || !strings.HasPrefix(csv, "config,part,prompts,texts,tokens_total,pass,") {
		t.Errorf("%s", csv)
	}
	head, _, _ := strings.Cut(csv, "\n")
	columns := strings.Split(head, ",")
	slices.Sort(columns)
	if n := len(slices.Compact(slices.Clone(columns))); n != len(columns) {
		t.Errorf("%d of %d columns have a name of their own: %s", n, len(columns), head)
	}
}

func TestBenchGrid(t *testing.T) {
	out, errs, code := try(t, "", "bench", "--prompt", "Once", "--prompt", "The", "--check", "json", "--json", "--max-new-tokens", "12",
		"--grid", "constraint=on,off", "--grid", "preset=chat,greedy", "--format", "jsonl", "--dir", t.TempDir())
	if code != console.ExitDone {
		t.Fatalf("exit %d: %s", code, errs)
	}
	all := lines(t, out)
	configs := all[0]["configs"].([]any)
	if len(configs) != 4 || configs[1].(map[string]any)["name"] != "constraint=on, preset=greedy" {
		t.Fatalf("%v", configs)
	}
	for i, want := range []bool{true, true, false, false} {
		if _, has := configs[i].(map[string]any)["config"].(map[string]any)["constraint"]; has != want {
			t.Errorf("%v: constraint %v, want %v", configs[i], has, want)
		}
	}
}

func TestSweepOverASet(t *testing.T) {
	t.Parallel()
	set := write(t, "set.csv", capitals)
	args := []string{"sweep", "--prompts", set, "--grid", "temperature=0.1,1.5", "--preset", "chat", "--seeds", "2", "--max-new-tokens", "6", "--dir", t.TempDir()}
	out, errs, code := try(t, "", args...)
	if code != console.ExitDone || errs != "" || !strings.Contains(out, "against temperature=0.1:") || !strings.Contains(out, "4 prompts × 2 configs × 2 seeds") {
		t.Errorf("exit %d: %s%s", code, errs, out)
	}
	for _, extra := range [][]string{{"--prompt", "x"}, {"--format", "lab"}} {
		if _, _, code := try(t, "", append(args, extra...)...); code != console.ExitUsage {
			t.Errorf("%v: exit %d", extra, code)
		}
	}
}

func TestBenchWrongUse(t *testing.T) {
	set := write(t, "set.jsonl", `{"prompt":"a"}`)
	for _, tt := range []struct {
		args string
		want string
	}{
		{"bench", "--prompts FILE"},
		{"bench --prompt a --prompts " + set, "one of them"},
		{"bench --prompts -", "must be a file"},
		{"bench --prompts nope.jsonl", "nope.jsonl: no such file"},
		{"bench --prompt a --config nope", "neither a preset"},
		{"bench --prompt a --config chat --seeds 0", "--seeds 0: 1 to"},
		{"bench --prompt a --check Paris", "unknown check"},
		{"bench --prompt a --check cmd:true", "--allow-cmd"},
		{"bench --prompt a --extract (", "extract"},
		{"bench --prompt a --holdout 1", "--holdout 1"},
		{"bench --prompt a --holdout NaN", "--holdout"},
		{"bench --prompt a --budget tokens", "tokens=NUMBER"},
		{"bench --prompt a --budget tokens=NaN", "tokens=NUMBER"},
		{"bench --prompt a --budget tokens=0", "above 0"},
		{"bench --prompt a --budget tokens=9,seconds=0", "above 0"},
		{"bench --prompt a --grid nope=1", `--grid nope: no parameter "nope"`},
		{"bench --prompt a --price in=-1", "in=NUMBER or out=NUMBER"},
		{"bench --prompt a --pass-at 3 --seeds 2", "--pass-at 3"},
		{"bench --prompt a --format xml", "table, csv or jsonl"},
		{"bench --prompt a --grid top_k=1 --grid top_k=2", "two axes"},
		{"bench --prompt a --grid constraint=on", "no constraint"},
		{"bench --prompt a --grid constraint=maybe", "on or off"},
		{"bench --prompt a --grid preset=nope", "no such preset"},
		{"bench --prompt a --grid temperature=5 --order vllm", "temperature"},
		{"bench --prompt a --workers -1", "--workers"},
		{"bench --prompt a --lane chat,temprature=1", "temperature is meant"},
		{"run --prompt-file " + set, "--prompts"},
	} {
		out, errs, code := try(t, "", strings.Fields(tt.args)...)
		if code != console.ExitUsage || out != "" || strings.Count(errs, "\n") != 1 || !strings.Contains(errs, tt.want) {
			t.Errorf("logitscope %s: exit %d, stdout %q, stderr %q; want exit 2 and one line with %q", tt.args, code, out, errs, tt.want)
		}
	}
}

// names are prompts that a penalty on seen tokens makes fail.
const names = `{"id":"<b>tom|","prompt":"Extract the person's name and age from: Tom Reed is 7 years old.\n","expect":{"contains":"{\"name\": \"Tom Reed\", \"age\": 7}"}}
{"id":"ana","prompt":"Extract the person's name and age from: Ana Lima is 12 years old.\n","expect":["json",{"contains":"Ana Lima"}]}
{"id":"ben","prompt":"Extract the person's name and age from: Ben Cole is 9 years old.\n","expect":{"contains":"Ben Cole"}}
{"id":"lea","prompt":"Extract the person's name and age from: Lea Marsh is 30 years old.\n","expect":{"contains":"Lea Marsh"}}
{"id":"max","prompt":"Extract the person's name and age from: Max Stone is 45 years old.\n","expect":{"contains":"Max Stone"}}
`

func TestBenchReports(t *testing.T) {
	set, dir := write(t, "names.jsonl", names), t.TempDir()
	args := []string{"bench", "--prompts", set, "--config", "greedy", "--lane", "greedy,repetition_penalty=1.3", "--max-new-tokens", "24", "--dir", dir}
	var reports []string
	for _, ext := range []string{".md", ".html", ".csv", ".jsonl"} {
		reports = append(reports, "--report", filepath.Join(dir, "report"+ext))
	}
	table, errs, code := try(t, "", append(args, reports...)...)
	if code != console.ExitDone || errs != "" {
		t.Fatalf("exit %d: %s", code, errs)
	}
	read := func(ext string) string {
		b, err := os.ReadFile(filepath.Join(dir, "report"+ext))
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	page, md := read(".html"), read(".md")
	for _, w := range []string{"Which settings are better", "5 prompts × 2 configs × 1 seed", "repetition_penalty off → 1.30", "passes less often", "Where they disagree", "for vllm", "for ollama", "repetition_penalty=1.3", "&lt;b&gt;tom|"} {
		if !strings.Contains(page, w) {
			t.Errorf("the page lacks %q", w)
		}
	}
	for _, never := range []string{"<script", "http://", "https://", "src=", "<b>tom"} {
		if strings.Contains(page, never) {
			t.Errorf("the page has %s", never)
		}
	}
	if !strings.Contains(md, "| greedy |") || !strings.Contains(md, "&lt;b>tom\\|") || !strings.Contains(md, "## Where they disagree") {
		t.Errorf("%s", md)
	}
	// The numbers of all are those of the table.
	pass := strings.Fields(strings.Split(table, "\n")[1])[1]
	if !strings.Contains(page, pass) || !strings.Contains(md, pass) || !strings.HasPrefix(read(".csv"), "config,part,") {
		t.Errorf("no report has %s", pass)
	}
	jsonl, _, _ := try(t, "", append(args, "--format", "jsonl")...)
	if read(".jsonl") != jsonl {
		t.Error("the report is not what --format jsonl writes")
	}
	object, _, code := try(t, "", append(args, "--report", "json")...)
	var o struct {
		Bench     map[string]any
		Summaries []map[string]any
	}
	if err := json.Unmarshal([]byte(object), &o); err != nil || code != console.ExitDone || len(o.Summaries) != 2 || o.Bench["prompts"] != 5.0 {
		t.Errorf("%v: %s", err, object)
	}
	if _, errs, code := try(t, "", append(args, "--report", "x.pdf")...); code != console.ExitUsage || !strings.Contains(errs, ".html") {
		t.Errorf("exit %d: %s", code, errs)
	}
}

// A bench that does worse than the recorded one fails with a code of its own,
// only where the interval says so.
func TestBenchBaseline(t *testing.T) {
	set, dir := write(t, "names.jsonl", names), t.TempDir()
	old := filepath.Join(dir, "old.jsonl")
	run := func(args ...string) (string, string, int) {
		return try(t, "", append([]string{"bench", "--prompts", set, "--seeds", "4", "--max-new-tokens", "24", "--dir", filepath.Join(dir, "d")}, args...)...)
	}
	if _, errs, code := run("--config", "greedy", "--report", old); code != console.ExitDone {
		t.Fatal(errs)
	}
	two, other := filepath.Join(dir, "two.jsonl"), write(t, "other.jsonl", `{"id":"zoe","prompt":"Who?"}`)
	if _, errs, code := run("--config", "greedy", "--config", "creative", "--report", two); code != console.ExitDone {
		t.Fatal(errs)
	}
	same, errs, code := run("--config", "greedy", "--baseline", old, "--fail-if", "pass drops")
	if code != console.ExitDone || errs != "" || !strings.Contains(same, "20 of 20 texts are the same") || !strings.Contains(same, "now: not distinguishable") {
		t.Errorf("exit %d: %s%s", code, errs, same)
	}
	worse, _, code := run("--lane", "greedy,repetition_penalty=1.8", "--baseline", old, "--fail-if", "pass drops", "--fail-if", "pass rises")
	if code != 3 || !strings.Contains(worse, "now passes less often") || !strings.Contains(worse, "--fail-if holds: pass drops") || !strings.Contains(worse, "prompts pass less often: <b>tom|") {
		t.Errorf("exit %d: %s", code, worse)
	}
	if out, _, code := run("--lane", "greedy,repetition_penalty=1.8", "--baseline", old); code != console.ExitDone || !strings.Contains(out, "passes less often") {
		t.Errorf("without --fail-if: exit %d: %s", code, out)
	}
	// A condition that nothing was measured for is no success.
	_, errs, code = run("--config", "greedy", "--baseline", old, "--times", "--fail-if", "first_ms rises")
	if code != console.ExitFailed || !strings.Contains(errs, "--fail-if first_ms rises: cannot be told of greedy: it is known of 0 prompts") {
		t.Errorf("times that were not recorded: exit %d: %s", code, errs)
	}
	for _, tt := range []struct{ args, want string }{
		{"--baseline nope.jsonl", "no such file"}, {"--baseline " + set, "line 1: must be the head of a bench"}, {"--fail-if", "argument"},
		{"--baseline " + old + " --fail-if drops", "pass drops"}, {"--baseline " + old + " --against " + old, "one of them"},
		{"--against " + old + " --config chat", "its configs are repeated"},
		{"--baseline " + old + " --fail-if tokens_per_s|drops", "needs --times"},
		{"--against " + old, "its seeds are repeated; no --seed or --seeds"},
		{"--baseline " + two + " --config chat", "--baseline " + two + ": chat: no such config was recorded; must be greedy or creative"},
		{"--baseline " + old + " --config greedy --prompts " + other, "--baseline " + old + ": greedy: no prompt of the set was recorded"},
	} {
		args := strings.Fields(tt.args)
		for i := range args {
			args[i] = strings.ReplaceAll(args[i], "|", " ")
		}
		if out, errs, code := run(args...); code != console.ExitUsage || out != "" || !strings.Contains(errs, tt.want) {
			t.Errorf("%s: exit %d: %q %s", tt.args, code, out, errs)
		}
	}
}

// An interval of t ends where its metric does: no entropy is below 0, no
// perplexity below 1.
func TestTableKeepsToTheRange(t *testing.T) {
	set := write(t, "set.jsonl", "{\"prompt\":\"The\"}\n{\"prompt\":\"Extract the person's name and age from: Tom Reed is 7 years old.\\n\"}\n")
	out, errs, code := try(t, "", "bench", "--prompts", set, "--config", "greedy", "--config", "creative", "--max-new-tokens", "8", "--dir", t.TempDir(), "--format", "csv")
	if code != console.ExitDone || !strings.Contains(out, ",-") {
		t.Fatalf("exit %d: want intervals that leave the range: %s%s", code, out, errs)
	}
	out, _, _ = try(t, "", "bench", "--prompts", set, "--config", "greedy", "--config", "creative", "--max-new-tokens", "8", "--dir", t.TempDir())
	head, _, _ := strings.Cut(out, "against")
	if strings.Contains(head, "[-") || !strings.Contains(head, "[0.00 ") {
		t.Errorf("%s", head)
	}
}

// A prompt that asks something else under an id that was recorded is named and
// left out, one with other checks is named; a file that does not say what was
// asked is said to.
func TestBenchBaselineOfChangedPrompts(t *testing.T) {
	dir := t.TempDir()
	run := func(set string, args ...string) (string, string, int) {
		return try(t, "", append([]string{"bench", "--prompts", write(t, "set.jsonl", set), "--config", "greedy", "--max-new-tokens", "4", "--dir", dir}, args...)...)
	}
	const set = `{"id":"a","prompt":"The cat","expect":{"contains":"sat"}}
{"id":"b","prompt":"The capital of {{land}} is","vars":{"land":"France"},"expect":{"contains":"Paris"}}
{"id":"c","prompt":"Once upon","expect":{"min_tokens":2}}
`
	old := filepath.Join(dir, "old.jsonl")
	if _, errs, code := run(set, "--report", old); code != console.ExitDone {
		t.Fatal(errs)
	}
	data, err := os.ReadFile(old)
	if err != nil {
		t.Fatal(err)
	}
	without := write(t, "older.jsonl", regexp.MustCompile(`,"(asked|judged_by)":"\w+"`).ReplaceAllString(string(data), ""))
	const changed, rejudged, unsaid = "asks something else than it did and is not compared: b", "is judged by other checks than it was: c", "known by their ids alone"
	other := strings.NewReplacer("France", "Denmark", `tokens":2`, `tokens":3`).Replace(set)
	for _, tt := range []struct {
		set, old    string
		want, never []string
	}{
		{set, old, []string{"3 of 3 texts are the same"}, []string{changed, rejudged, unsaid}},
		{other, old, []string{", 2 prompts:", "2 of 2 texts are the same", "1 prompt " + changed, "1 prompt " + rejudged}, []string{unsaid}},
		{other, without, []string{", 3 prompts:", "2 of 3 texts are the same", unsaid}, []string{changed, rejudged}},
	} {
		out, errs, code := run(tt.set, "--baseline", tt.old)
		if code != console.ExitDone {
			t.Fatal(errs)
		}
		for _, w := range tt.want {
			if !strings.Contains(out, w) {
				t.Errorf("%s says nothing of %q", out, w)
			}
		}
		for _, w := range tt.never {
			if strings.Contains(out, w) {
				t.Errorf("%s says %q", out, w)
			}
		}
	}
	all := strings.NewReplacer("cat", "dog", "{{land}}", "Spain", "upon", "more").Replace(set)
	if _, errs, code := run(all, "--baseline", old); code != console.ExitUsage || !strings.Contains(errs, "greedy: prompt a, and every other that was recorded, asks something else now") {
		t.Errorf("exit %d: %s", code, errs)
	}
	if _, errs, code := run(set, "--report", old, "--without-prompts"); code != console.ExitDone {
		t.Fatal(errs)
	}
	if data, err := os.ReadFile(old); err != nil || strings.Contains(string(data), `"asked"`) {
		t.Errorf("a report without prompts has their digests: %v", err)
	}
}

// The chosen config is repeated on the server it was written out for: the same
// law gives the same texts, another temperature does not.
func TestBenchAgainstAServer(t *testing.T) {
	set, dir := write(t, "names.jsonl", names), t.TempDir()
	old := filepath.Join(dir, "old.jsonl")
	if _, errs, code := try(t, "", "bench", "--prompts", set, "--config", "chat", "--seeds", "2", "--max-new-tokens", "10", "--report", old, "--dir", dir); code != console.ExitDone {
		t.Fatal(errs)
	}
	url := serve(t, vllm(-1))
	out, errs, code := try(t, "", "bench", "--prompts", set, "--model", "vllm:"+url, "--against", old, "--dir", dir)
	if code != console.ExitDone || !strings.Contains(out, "10 of 10 texts are the same") || !strings.Contains(out, "5 prompts × 1 config × 2 seeds") {
		t.Errorf("exit %d: %s%s", code, errs, out)
	}
	out, _, code = try(t, "", "bench", "--prompts", set, "--model", "vllm:"+url, "--against", old, "--dir", dir, "--temperature", "1.9", "--top-p", "1", "--top-k", "0")
	if code != console.ExitDone || strings.Contains(out, "10 of 10 texts are the same") {
		t.Errorf("exit %d: %s", code, out)
	}
}

// Tags and the prompts held out are parts of the whole: their texts and tokens
// add up, and the prompts of a tag have numbers of their own.
func TestBenchParts(t *testing.T) {
	set := write(t, "set.jsonl", `{"id":"a","prompt":"The","tags":["short","the"],"expect":{"max_tokens":4}}
{"id":"b","prompt":"The old","tags":["the","the"],"expect":{"max_tokens":3}}
{"id":"c","prompt":"Once upon a time","expect":{"max_tokens":4}}
{"id":"d","prompt":"A king","expect":{"max_tokens":4},"tags":["short"]}
`)
	args := []string{"bench", "--prompts", set, "--config", "greedy", "--seeds", "2", "--max-new-tokens", "4", "--holdout", "0.5", "--dir", t.TempDir()}
	out, errs, code := try(t, "", append(args, "--format", "csv")...)
	if code != console.ExitDone {
		t.Fatal(errs)
	}
	rows := map[string][]string{}
	for line := range strings.Lines(out) {
		cells := strings.Split(line, ",")
		rows[cells[1]] = cells[2:6]
	}
	for part, want := range map[string]string{"all": "[4 8 32 0.75]", "tag short": "[2 4 16 1]", "tag the": "[2 4 16 0.5]"} {
		if got := fmt.Sprint(rows[part]); got != want {
			t.Errorf("%s: %s, want %s", part, got, want)
		}
	}
	for i, sum := range []int{4, 8, 32} {
		seen, _ := strconv.Atoi(rows["seen"][i])
		held, _ := strconv.Atoi(rows["held out"][i])
		if seen == 0 || held == 0 || seen+held != sum {
			t.Errorf("seen %v and held out %v, want a sum of %d", rows["seen"], rows["held out"], sum)
		}
	}
	if out, _, _ := try(t, "", args...); !strings.Contains(out, "by tag, pass:\nconfig ") || !strings.Contains(out, " the\n") || !strings.Contains(out, "n 2") {
		t.Errorf("%s", out)
	}
}

// What the model cannot read is named with its lines, all of it, before the
// first token.
func TestBenchNamesWhatDoesNotFit(t *testing.T) {
	dir := t.TempDir()
	set := write(t, "set.jsonl", `{"prompt":"a"}
{"id":"long","prompt":"`+strings.Repeat("word ", 600)+`"}
{"tokens":[1,99999999]}
`)
	want := "logitscope: --prompts " + set + ": line 2: prompt long: has 603 tokens, the context holds 512\n" +
		"logitscope: --prompts " + set + ": line 3: prompt 3: token 99999999: must be 0 to 4095\n"
	out, errs, code := try(t, "", "bench", "--prompts", set, "--config", "greedy", "--max-new-tokens", "2", "--dir", dir)
	if code != console.ExitFailed || out != "" || errs != want {
		t.Errorf("exit %d, %q, %s, want %s", code, out, errs, want)
	}
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("something was begun: %v", left)
	}
}

// A server that names its best tokens alone does not say how sure the model was:
// the least that an entropy can be is no entropy, and no mean of such.
func TestBenchOfPartialRows(t *testing.T) {
	set := write(t, "names.jsonl", names)
	args := []string{"bench", "--prompts", set, "--config", "greedy", "--max-new-tokens", "4", "--format", "csv", "--dir", t.TempDir(), "--model"}
	for model, known := range map[string]bool{"fable": true, "vllm:" + serve(t, vllm(-1)): true, "vllm:" + serve(t, vllm(50)): false} {
		out, errs, code := try(t, "", append(args, model)...)
		if code != console.ExitDone {
			t.Fatal(errs)
		}
		lines := strings.Split(out, "\n")
		head, cells := strings.Split(lines[0], ","), strings.Split(lines[1], ",")
		if k := slices.Index(head, "entropy"); (cells[k] != "") != known || cells[slices.Index(head, "bits")] == "" {
			t.Errorf("%s: %q bits of entropy, want a number: %v\n%s", model, cells[k], known, out)
		}
	}
}

func TestTuneCommand(t *testing.T) {
	set := write(t, "set.csv", capitals)
	args := []string{"tune", "--prompts", set, "--over", "temperature=0.2:2.5", "--over", "xtc_threshold=0.6:0.9", "--max-new-tokens", "6", "--dir", t.TempDir(),
		"--seeds", "2", "--tried", "6", "--holdout", "0", "--set", "top_k=200"}
	out, errs, code := try(t, "", args...)
	if code != console.ExitDone || errs != "" {
		t.Fatalf("exit %d: %s", code, errs)
	}
	for _, w := range []string{"rounds of 4 prompts", "best: ", "xtc_threshold does nothing here", "chosen: ", "logitscope config export --to vllm", "--set top_k=200"} {
		if !strings.Contains(out, w) {
			t.Errorf("lacks %q:\n%s", w, out)
		}
	}
	if again, _, _ := try(t, "", args...); !strings.Contains(again, out[strings.Index(out, "best: "):]) {
		t.Errorf("from the disk: another result:\n%s\n%s", out, again)
	}
	for _, tt := range []struct{ args, want string }{
		{"tune --prompts " + set, "--over"},
		{"tune --prompts " + set + " --over temperature=2:1", "below"},
		{"tune --prompts " + set + " --over temperature=0:1 --maximise pss", "--maximise pss: must be one of pass"},
		{"tune --prompts " + set + " --over temperature=0:1 --maximise pass --minimise loop", "one of them"},
		{"tune --prompts " + set + " --over temperature=0:1 --subject loop", "--subject"},
		{"tune --prompts " + set + " --over temperature=0:1 --tried -1", "--tried -1"},
		{"tune --prompts " + set + " --over temperature=0:1 --over temperature=0:2", "given twice"},
		{"tune --over temperature=0:1", "--prompts FILE"},
		{"tune --prompts " + set + " --over nope=1:2", `--over nope: no parameter "nope"`},
		{"tune --prompts " + set + " --over temperature=0:1 --holdout 0.99", "--holdout 0.99: leaves 0 of 4 prompts to choose by; must be 4 or more"},
	} {
		if out, errs, code := try(t, "", strings.Fields(tt.args)...); code != console.ExitUsage || out != "" || !strings.Contains(errs, tt.want) {
			t.Errorf("%s: exit %d, %q", tt.args, code, errs)
		}
	}
}

// A budget stops early, says what is missing, and the next run goes on.
func TestBenchBudget(t *testing.T) {
	set, dir := write(t, "set.csv", capitals), t.TempDir()
	args := []string{"bench", "--prompts", set, "--seeds", "3", "--max-new-tokens", "8", "--dir", dir, "--workers", "1", "--format", "jsonl"}
	out, errs, code := try(t, "", append(args, "--budget", "tokens=30")...)
	if code != console.ExitDone || !strings.Contains(errs, "stopped by --budget: 8 of 12 texts are missing") || strings.Count(out, `"seed":`) != 4 {
		t.Errorf("exit %d: %s%s", code, errs, out)
	}
	rest, errs, code := try(t, "", args...)
	whole, _, _ := try(t, "", append(args, "--fresh")...)
	if code != console.ExitDone || errs != "" || rest != whole {
		t.Errorf("exit %d, %s: the rest is another report", code, errs)
	}
}

// busy answers every third request with 429 or 503 once it was told to, or,
// where it has a wait, takes so long for each.
type busy struct {
	http.Handler
	wait  time.Duration
	after int32 // requests that are served at once, as opening a model needs several
	n     atomic.Int32
	no    atomic.Int32 // of them, those that were refused
}

func (b *busy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/v1/completions" {
		if n := b.n.Add(1); n > b.after && n%3 == 0 && b.wait == 0 {
			b.no.Add(1)
			http.Error(w, "slow down", []int{http.StatusTooManyRequests, http.StatusServiceUnavailable}[n%2])
			return
		}
		time.Sleep(b.wait)
	}
	b.Handler.ServeHTTP(w, r)
}

// A server that asks to come back later is waited for, and the texts are those
// of one that does not.
func TestBenchOnABusyServer(t *testing.T) {
	b := &busy{}
	url := serve(t, func(m *llama.Model) http.Handler {
		b.Handler = vllm(-1)(m)
		return b
	})
	set := write(t, "set.csv", capitals)
	args := []string{"bench", "--prompts", set, "--config", "chat", "--max-new-tokens", "6", "--format", "jsonl"}
	texts := func(extra ...string) []any {
		out, errs, code := try(t, "", append(append(args, extra...), "--dir", t.TempDir())...)
		if code != console.ExitDone || errs != "" {
			t.Fatalf("exit %d: %s", code, errs)
		}
		var all []any
		for _, l := range lines(t, out) {
			if l["type"] == "cell" {
				for _, x := range l["texts"].([]any) {
					all = append(all, x.(map[string]any)["tokens"])
				}
			}
		}
		return all
	}
	b.after = math.MaxInt32
	if _, errs, code := try(t, "", "models", "info", "vllm:"+url); code != console.ExitDone {
		t.Fatal(errs)
	}
	b.after = 2 * b.n.Load()
	here, there := texts(), texts("--model", "vllm:"+url, "--workers", "3")
	if diff := cmp.Diff(here, there); diff != "" || len(here) != 4 || b.no.Load() < 2 {
		t.Errorf("%d requests, %d of them refused: %s", b.n.Load(), b.no.Load(), diff)
	}
}

// BenchmarkBenchOnAServer decodes 48 texts of a server that takes 20 ms for a
// token, with one worker and with 8, and reports how much faster that is.
func BenchmarkBenchOnAServer(b *testing.B) {
	m, err := fable.Open(llama.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer m.Close()
	slow := &busy{Handler: vllm(20)(m), wait: 20 * time.Millisecond}
	srv := httptest.NewServer(slow)
	defer srv.Close()
	run := func(workers string) time.Duration {
		began := time.Now()
		var errs bytes.Buffer
		code := Run(b.Context(), console.System{Args: []string{"bench", "--prompt", "a", "--prompt", "b", "--prompt", "c", "--seeds", "16", "--max-new-tokens", "10",
			"--model", "vllm:" + srv.URL, "--workers", workers, "--dir", b.TempDir()},
			In: strings.NewReader(""), Out: io.Discard, Err: &errs, Getenv: func(string) string { return "" }})
		if code != console.ExitDone {
			b.Fatal(errs.String())
		}
		return time.Since(began)
	}
	for b.Loop() {
		one, eight := run("1"), run("8")
		b.ReportMetric(one.Seconds()/eight.Seconds(), "times")
	}
}

// The commands of docs/tuning.md write what it says.
func TestWorkedExample(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("decodes some hundred texts")
	}
	doc, err := os.ReadFile("../../docs/tuning.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := strings.Split(string(doc), "```\n")
	dir, digits := t.TempDir(), regexp.MustCompile(`[+−]?[0-9][0-9.,]*[0-9]|[+−]?[0-9]`)
	for i := 1; i+2 < len(blocks) && i < 8; i += 4 {
		args := strings.Fields(strings.TrimPrefix(blocks[i], "logitscope "))
		for k := range args {
			if args[k] == "docs/tuning.jsonl" {
				args[k] = "../../docs/tuning.jsonl"
			}
		}
		out, errs, code := try(t, "", append(args, "--dir", dir)...)
		if code != console.ExitDone {
			t.Fatalf("%s: exit %d: %s", blocks[i], code, errs)
		}
		// Another processor may round a logit otherwise and turn a text.
		for line := range strings.Lines(blocks[i+2]) {
			if !strings.Contains(digits.ReplaceAllString(out, "#"), digits.ReplaceAllString(line, "#")) {
				t.Errorf("%s does not say %s\n%s", blocks[i], line, out)
			}
		}
	}
}

func TestVoteTally(t *testing.T) {
	t.Parallel()
	ana := write(t, "ana.jsonl", `{"pair":"1","lanes":["A","B"],"answer":"left"}
{"pair":"2","lanes":["B","A"],"answer":"both bad"}
`)
	ben := write(t, "ben.jsonl", `{"pair":"1","lanes":["B","A"],"answer":"right"}
{"pair":"2","lanes":["A","B"],"answer":"tie"}
`)
	out, errs, code := try(t, "", "vote", "--tally", ana, "--tally", ben)
	want := `A wins 2 of 2 against B without ties, 100% (34 to 100): not distinguishable
4 votes, 1 tie, 1 both bad
voters agree on 50% (9 to 91) of 2 pairs of answers
`
	if code != console.ExitDone || errs != "" || out != want {
		t.Errorf("exit %d: %s%s", code, errs, out)
	}
	for _, tt := range []struct{ args, want string }{
		{"vote --tally nope", "no such file"}, {"vote --tally " + write(t, "x", "{}\n"), "line 1"},
		{"vote --tally " + ana + " --tally " + ana, `on "1" is in ` + ana + " already"}, {"vote --tally " + ana + " --lane chat", "--lane: has no effect, --tally counts votes and stops"},
		{"vote --prompt a --lane chat", "2 to 4 lanes"}, {"vote --prompt a --lane chat --lane creative", "needs a terminal"},
	} {
		if _, errs, code := try(t, "", strings.Fields(tt.args)...); code != console.ExitUsage || !strings.Contains(errs, tt.want) {
			t.Errorf("%s: exit %d: %s", tt.args, code, errs)
		}
	}
}
