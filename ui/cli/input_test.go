package cli

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"logitscope/ui/cli/console"
)

// A command that waits for standard input ends with the context.
func TestInterruptedWhileReading(t *testing.T) {
	t.Parallel()
	for _, args := range []string{"trace", "constrain --json", "models tokenize fable", "run --prompt-file -", "run --prompt x --config -"} {
		in, hold := io.Pipe()
		ctx, cancel := context.WithCancel(context.Background())
		var out, errs bytes.Buffer
		done := make(chan int)
		go func() {
			done <- Run(ctx, console.System{Args: strings.Fields(args), In: in, Out: &out, Err: &errs, Getenv: func(string) string { return "" }})
		}()
		cancel()
		if code := <-done; code != console.ExitInterrupted || out.Len() > 0 || errs.Len() > 0 {
			t.Errorf("%s: exit %d, %q, %q", args, code, out.String(), errs.String())
		}
		hold.Close()
	}
}

// Who asks line by line is answered line by line.
func TestAnswersAtOnce(t *testing.T) {
	t.Parallel()
	for args, ask := range map[string][2]string{
		"constrain --regex a+":  {`{"id":1,"text":"aa"}`, `{"id":1,"accepted":true,"dead_at":null}`},
		"models tokenize fable": {`"<"`, `{"tokens":[`},
		"trace":                 {`{"id":"x"}`, `{"id":"x","error":`},
	} {
		in, question := io.Pipe()
		answer, out := io.Pipe()
		go func() {
			Run(context.Background(), console.System{Args: strings.Fields(args), In: in, Out: out, Err: io.Discard, Getenv: func(string) string { return "" }})
			out.Close()
		}()
		lines := bufio.NewScanner(answer)
		for range 3 {
			fmt.Fprintln(question, ask[0])
			if !lines.Scan() || !strings.HasPrefix(lines.Text(), ask[1]) {
				t.Errorf("%s: %q", args, lines.Text())
			}
		}
		question.Close()
		for lines.Scan() {
		}
	}
}

// Output that cannot be written is a failure.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	for args, in := range map[string]string{
		"constrain --regex a": `{"text":"a"}`, "models tokenize fable": `"a"`, "models logits fable --tokens 1": "", "models info fable": "",
		"run --prompt a --max-new-tokens 3": "", "run --prompt a --max-new-tokens 3 --format jsonl": "", "trace": "{}", "config show": "",
		"compare --lane chat --lane greedy --prompt a --max-new-tokens 3 --format jsonl": "",
	} {
		var errs bytes.Buffer
		code := Run(context.Background(), console.System{Args: strings.Fields(args), In: strings.NewReader(in), Out: full{}, Err: &errs, Getenv: func(string) string { return "" }})
		if code != console.ExitFailed || !strings.Contains(errs.String(), "disk full") {
			t.Errorf("%s: exit %d, %q", args, code, errs.String())
		}
	}
}

// full is a disk without space.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("disk full") }

func TestPromptTooLong(t *testing.T) {
	t.Parallel()
	ids := strings.Repeat("5,", 600) + "5"
	for _, args := range [][]string{{"--prompt-tokens", ids}, {"--prompt", strings.Repeat("word ", 600)}} {
		out, errs, code := try(t, "", append([]string{"run"}, args...)...)
		if code != console.ExitFailed || out != "" || !strings.Contains(errs, "the context holds 512") {
			t.Errorf("%.20s: exit %d, %q, %q", args, code, out, errs)
		}
	}
}
