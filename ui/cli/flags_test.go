package cli

import (
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"logitscope/ui/cli/console"
	"logitscope/ui/cli/setup"
)

// Every line about a file names it.
func TestEveryLineNamesTheFile(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"{\"temperature\":900,\n\"top_p\":7}", `{"temperature":3,"top_p":0,"order":"vllm"}`} {
		file := write(t, "c.json", text)
		_, errs, code := try(t, "", "run", "--prompt", "x", "--config", file)
		if got := strings.Count(errs, "logitscope: --config "+file+":"); code != console.ExitUsage || got != 2 || strings.Count(errs, "\n") != 2 {
			t.Errorf("exit %d: %s", code, errs)
		}
	}
}

// A flag of a list collects what it is given; off empties it.
func TestListFlagsCollect(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ args, want string }{
		{"--stop a --stop b,c", `"stop":["a","b","c"]`},
		{"--stop a --stop off --stop b", `"stop":["b"]`},
		{"--bad-words a --bad-words b", `"bad_words":["a","b"]`},
		{"--logit-bias 1=2 --logit-bias 3=4", `"logit_bias":[[1,2],[3,4]]`},
		{"--eos-token-id 1 --eos-token-id 2", `"eos_token_id":[1,2]`},
		{"--bad-words-ids [[1]] --bad-words-ids [[2,3]]", `"bad_words_ids":[[1],[2,3]]`},
		{"--top-k 3 --top-k 4", `"top_k":4`},
	} {
		out, errs, code := try(t, "", append(strings.Fields("config show --as-file"), strings.Fields(tt.args)...)...)
		if got := strings.Join(strings.Fields(out), ""); code != console.ExitDone || !strings.Contains(got, tt.want) {
			t.Errorf("%s: exit %d, %s%s, want %s", tt.args, code, got, errs, tt.want)
		}
	}
}

// A value with line ends stays one line of error, whoever quotes it.
func TestValuesOfLinesAreOneLine(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{
		{"run", "--top-k", "a\nb"}, {"run", "--order", "a\nb"}, {"run", "--luck", "a\nb"}, {"run", "--set", "a\nb"}, {"run", "--schedule", "a\nb"},
		{"run", "--model", "a\nb"}, {"run", "--config", "a\nb"}, {"run", "--preset", "a\nb\n"}, {"run", "--\na"}, {"bench", "--prompts", "a\nb\x1b[2J"},
		{"a\nb"}, {"models", "info", "a\nb"}, {"config", "import", "a\nb"}, {"config", "diff", "a\nb", "chat"}, {"lesson", "a\r\nb"},
	} {
		_, errs, code := try(t, "", append(args, "--prompt=x")...)
		if args[0] != "run" && args[0] != "bench" {
			_, errs, code = try(t, "", args...)
		}
		if code != console.ExitUsage || strings.Count(errs, "\n") != 1 || strings.ContainsAny(errs, "\r\x1b") {
			t.Errorf("%q: exit %d: %q", args, code, errs)
		}
	}
}

// A flag of every command that is not a text says what it takes, in our words.
func TestEveryTypeOfFlagHasWords(t *testing.T) {
	t.Parallel()
	typed := 0
	var walk func(cmd *cobra.Command, path []string)
	walk = func(cmd *cobra.Command, path []string) {
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if f.Value.Type() == "string" || f.Value.Type() == "stringArray" || f.Name == "help" {
				return
			}
			if _, isParam := f.Value.(*setup.ParamFlag); isParam {
				return // its text may be of any form
			}
			typed++
			_, errs, code := try(t, "", append(slices.Clone(path), "--"+f.Name+"=abc")...)
			if code != console.ExitUsage || !strings.HasPrefix(errs, "logitscope: --"+f.Name+" abc: want ") {
				t.Errorf("%v --%s=abc (%s): exit %d: %s", path, f.Name, f.Value.Type(), code, errs)
			}
		})
		for _, c := range cmd.Commands() {
			walk(c, append(slices.Clone(path), c.Name()))
		}
	}
	walk(newRoot(console.System{Getenv: func(string) string { return "" }}), nil)
	if typed < 20 {
		t.Errorf("%d flags were tried", typed)
	}
}

// A dry run refuses what the bench itself would refuse before it opens a model.
func TestDryRunChecksWhatTakesNoModel(t *testing.T) {
	t.Parallel()
	set := write(t, "set.jsonl", `{"prompt":"x"}`)
	for _, args := range []string{"--grid nope=1", "--preset nope", "--config nope", "--lane chat:temperature=900", "--check nope", "--extract (", "--seeds 0", "--holdout 1", "--pass-at 0", "--budget x", "--baseline nope", "--temperature 0.5 --grid temperature=1,2"} {
		out, errs, code := try(t, "", append(strings.Fields("bench --dry-run --prompts"), append([]string{set}, strings.Fields(args)...)...)...)
		if flag := args[:strings.IndexByte(args[2:], ' ')+2]; out != "" || code != console.ExitUsage || strings.Count(errs, "\n") != 1 || !strings.Contains(errs, flag) && !strings.Contains(errs, "--grid") {
			t.Errorf("%s: exit %d: %s%s", args, code, out, errs)
		}
	}
}
