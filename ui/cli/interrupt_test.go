//go:build unix

package cli

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"logitscope/ui/cli/console"
	"logitscope/ui/cli/setup"
)

// soon fails the test if f does not return, on a busy machine either.
func soon(t *testing.T, what string, f func()) {
	t.Helper()
	done := make(chan bool)
	go func() { f(); close(done) }()
	select {
	case <-done:
	case <-time.After(2 * time.Minute):
		t.Fatalf("%s: still waiting", what)
	}
}

// A signal ends a command while its constraint is made, however long that
// takes: here for ever, since nobody writes the file it is read from.
func TestInterruptedWhileCompiling(t *testing.T) {
	never := filepath.Join(t.TempDir(), "never.gbnf")
	if err := syscall.Mkfifo(never, 0o600); err != nil {
		t.Skip(err)
	}
	defer func() { // lets go of who still reads
		if w, err := os.OpenFile(never, os.O_WRONLY|syscall.O_NONBLOCK, 0); err == nil {
			w.Close()
		}
	}()
	for _, args := range []string{
		"run --prompt x", "constrain", "compare --prompt x --lane chat --lane greedy --format jsonl", "sweep --prompt x --grid top_k=1,2",
		"config show", "config presets save mine",
	} {
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
		defer cancel()
		var out, errs bytes.Buffer
		sys := console.System{
			Args: append(strings.Fields(args), "--grammar", never), In: strings.NewReader(""), Out: &out, Err: &errs,
			Getenv: func(string) string { return "" },
		}
		soon(t, args, func() {
			if code := Run(ctx, sys); code != console.ExitInterrupted || out.Len() > 0 || errs.Len() > 0 {
				t.Errorf("%s: exit %d, %q, %q", args, code, out.String(), errs.String())
			}
		})
	}
}

// Nor does anybody wait for a lane that is busy with one mask when the signal
// comes; without a signal its end is waited for.
func TestInterruptedWhileDecoding(t *testing.T) {
	hold := make(chan bool)
	ctx, cancel := context.WithCancel(context.Background())
	_, stop := setup.Background(ctx, func(context.Context) error { <-hold; return nil })
	cancel()
	soon(t, "after a signal", stop)
	close(hold)

	synctest.Test(t, func(t *testing.T) {
		over := false
		_, stop := setup.Background(context.Background(), func(context.Context) error { time.Sleep(time.Second); over = true; return nil })
		if stop(); !over {
			t.Error("stop did not wait")
		}
	})
}
