package cli

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"logitscope/ui/cli/console"
)

// A flag that changes nothing is named on standard error; the text is written.
func TestFlagsWithoutEffect(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		"--length-penalty 2":                                       "length_penalty has no effect: num_beams is 1",
		"--num-drafts 3":                                           "num_drafts has no effect: draft_method is off",
		"--temperature 0 --top-p 0.5":                              "top_p has no effect: greedy (temperature 0)",
		"--order llama.cpp --dry-base 3":                           "dry_base has no effect: dry_multiplier is off",
		"--order vllm --dry-base 3":                                "dry_base has no effect: vllm has no such parameter; --order takes another engine's rules",
		"--lookahead-window 4":                                     "lookahead_window has no effect: only --draft lookahead reads it",
		"--draft fable-draft --ngram-min 2":                        "ngram_min has no effect: only --draft ngram reads it",
		"--draft ngram --assistant-confidence 0.5":                 "assistant_confidence has no effect: there is no draft model; name one with --draft",
		"--draft-method spectr --draft-tree 2,2 --num-drafts 3":    "num_drafts has no effect: draft_tree says how many drafts follow each token",
		"--draft lookahead --lookahead-window 4":                   "",
		"--draft-method specinfer --num-drafts 2 --top-p 0.9":      "",
		"--num-beams 2 --length-penalty 2":                         "",
		"--order llama.cpp --dry-multiplier 0.8 --dry-base 2":      "",
		"--draft fable-draft --assistant-confidence 0.5 --top-k 9": "",
	} {
		out, errs, code := try(t, "", append([]string{"run", "--prompt", "Once", "--max-new-tokens", "2"}, strings.Fields(args)...)...)
		if want != "" {
			want = "logitscope: " + want + "\n"
		}
		if code != console.ExitDone || out == "" || errs != want {
			t.Errorf("%s: exit %d, %q, %q, want %q", args, code, out, errs, want)
		}
	}
}

// A recording and a table read no flags of a model that runs here.
func TestModelFlagsWithoutEffect(t *testing.T) {
	tape := filepath.Join(t.TempDir(), "run.jsonl")
	if _, errs, code := try(t, "", "run", "--prompt", "Once", "--max-new-tokens", "2", "--rows", "full", "--record", tape); code != console.ExitDone {
		t.Fatal(errs)
	}
	for args, want := range map[string]string{
		"--model tape:" + tape + " --kv-type f16": "--kv-type has no effect: a recording has its logits already",
		"--model tape:" + tape + " --context 9":   "--context has no effect: a recording has its logits already",
		"--model fable --prompt Once --context 9": "",
	} {
		out, errs, code := try(t, "", append([]string{"run", "--max-new-tokens", "2"}, strings.Fields(args)...)...)
		if want != "" {
			want = "logitscope: " + want + "\n"
		}
		if code != console.ExitDone || out == "" || errs != want {
			t.Errorf("%s: exit %d, %q, %q, want %q", args, code, out, errs, want)
		}
	}
}

// A flag that nothing of its command line reads is refused, before anything is
// decoded or written.
func TestUnreadFlags(t *testing.T) {
	set, rec := write(t, "set.jsonl", `{"prompt":"a"}`), filepath.Join(t.TempDir(), "run.jsonl")
	for args, want := range map[string]string{
		"run --prompt a --top 3":                                        "--top: has no effect, only --format jsonl shows it",
		"compare --lane chat --lane creative --seeds 2 --top 3":         "--top: has no effect",
		"compare --lane chat --lane creative --seeds 2 --record " + rec: "--record: has no effect, --seeds records nothing",
		"compare --lane chat --lane creative --format jsonl --fps 9":    "--fps: has no effect, there is no screen",
		"sweep --prompt a --grid top_k=1,2 --theme pink":                "--theme: has no effect, only --format lab opens the screen",
		"sweep --prompt a --grid top_k=1,2 --top-k 3":                   "--grid top_k: no point has the 3 that is set beside it",
		"sweep --prompt a --grid top_k=1,2 --set top_k=3":               "--grid top_k: no point has the 3 that is set beside it",
		"sweep --prompts " + set + " --grid top_k=1,2 --system b":       "--system and --prompts: one of them",
		"bench --prompt a --grid top_k=1,2 --lane chat,top_k=3":         "--grid top_k: no point has the 3 that is set beside it",
		"config show --prompt a":                                        "--prompt: has no effect, nothing is decoded",
		"config show --arith nope":                                      "--arith: has no effect, only a --model reads it",
		"config show --model fable --arith nope":                        "--arith must be one of",
		"config export --to vllm --draft nope":                          "--draft: has no effect, only --check decodes",
		"config presets save mine --top-k 3 --model fable":              "--model: has no effect, a preset is of no model",
		"config presets save mine --top-k 3 --messages nope":            "--messages: has no effect, nothing is decoded",
	} {
		out, errs, code := try(t, "", strings.Fields(args)...)
		if code != console.ExitUsage || out != "" || !strings.HasPrefix(errs, "logitscope: "+want) || strings.Count(errs, "\n") != 1 {
			t.Errorf("%s: exit %d, %q, %q, want %q", args, code, out, errs, want)
		}
	}
	if _, err := os.Stat(rec); err == nil {
		t.Error("a recording was begun")
	}
}

// An empty value of a flag that takes a word, and an empty argument, are what an
// unset variable of a shell leaves: they are refused by every command.
func TestEmptyValues(t *testing.T) {
	for _, line := range []string{"run --prompt a --preset", "bench --prompt a --budget", "bench --prompt a --dir", "tune --prompt a --over top_k=1:9 --maximise",
		"config import x --from", "config show --kv-type", "score --text x --against", "sweep --prompt a --grid top_k=1,2 --format"} {
		args := strings.Fields(line)
		flag := args[len(args)-1]
		out, errs, code := try(t, "", append(args, "")...)
		if want := "logitscope: " + flag + ": want a value, given an empty one\n"; code != console.ExitUsage || out != "" || errs != want {
			t.Errorf("%s '': exit %d, %q, %q", line, code, out, errs)
		}
	}
	for _, line := range []string{"models info", "config diff chat", "config import", "lesson", "config presets delete"} {
		if out, errs, code := try(t, "", append(strings.Fields(line), "")...); code != console.ExitUsage || out != "" || !strings.Contains(errs, "is empty") {
			t.Errorf("%s '': exit %d, %q, %q", line, code, out, errs)
		}
	}
}

// What no draft can do is wrong use, and nothing is decoded.
func TestDraftsRefused(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		"--draft-tree 2,x": `draft_tree: "2,x" is not a list`,
		"--draft fable-draft --draft-method specinfer --draft-tree 9,9":  "draft_tree: 9,9 has more than 16 branches",
		"--draft ngram --ngram-min 5 --ngram-max 2":                      "ngram_min: 5 is out of range, 1 to ngram_max 2",
		"--draft lookahead --draft-method spectr":                        "draft_method: spectr cannot judge what lookahead drafts; want one of chain, specinfer",
		"--draft fable-draft --block-verification --draft-method spectr": "block_verification: true judges one chain of drafts",
		"--draft fable-draft --order llama.cpp --mirostat 2":             "mirostat: 2 is not possible with a draft",
	} {
		out, errs, code := try(t, "", append([]string{"run", "--prompt", "Once"}, strings.Fields(args)...)...)
		if code != console.ExitUsage || out != "" || !strings.HasPrefix(errs, "logitscope: "+want) || strings.Count(errs, "\n") != 1 {
			t.Errorf("%s: exit %d, %q, %q, want %q", args, code, out, errs, want)
		}
	}
}

// failing is an output that takes nothing, as a full disk.
type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errors.New("no space left on device") }

// What could not be written is said, whatever wrote it.
func TestOutputThatFails(t *testing.T) {
	t.Parallel()
	for _, args := range []string{"--help", "run --help", "--version", "--licenses", "lessons", "lessons show temperature", "config show", "models info fable", "run --prompt Once --max-new-tokens 2"} {
		var errs strings.Builder
		sys := console.System{Args: strings.Fields(args), In: strings.NewReader(""), Out: failing{}, Err: &errs, Getenv: func(string) string { return "" }, Licenses: os.DirFS("../..")}
		if code := Run(t.Context(), sys); code != console.ExitFailed || !strings.Contains(errs.String(), "no space left on device") {
			t.Errorf("%s: exit %d, %q", args, code, errs.String())
		}
	}
}

// A flag of the other kind of score is wrong use, not passed over.
func TestScoreFlagsThatDoNotGoTogether(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		"--text - --response 2":             "--response goes with --logprobs",
		"--logprobs x.json --temperature 1": "--temperature goes with --text",
		"--logprobs x.json --prompt a":      "--prompt goes with --text",
		"--logprobs x.json --watermark":     "--watermark goes with --text",
		"--logprobs x.json --against chat":  "--against goes with --text",
		"--logprobs x.json --model tape:a":  "--model goes with --text",
	} {
		if _, errs, code := try(t, "", append([]string{"score"}, strings.Fields(args)...)...); code != console.ExitUsage || errs != "logitscope: "+want+"\n" {
			t.Errorf("score %s: exit %d, %q, want %q", args, code, errs, want)
		}
	}
	if _, errs, code := try(t, "", "models", "logits", "fable", "--tokens", "1", "--arith", "llama.cpp", "--kv-type", "f32", "--flash-attn", "on"); code != console.ExitUsage || !strings.Contains(errs, "flash attention takes a cache of f16") {
		t.Errorf("f32 with flash attention: exit %d, %q", code, errs)
	}
}
