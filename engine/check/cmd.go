package check

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"
)

// cmdLimit is how long a program of cmd may run.
const cmdLimit = 10 * time.Second

func command(r *Reader, raw json.RawMessage) (judge, error) {
	var value string
	if err := readText(raw, &value); err != nil {
		return nil, err
	}
	args := strings.Fields(value)
	switch {
	case len(args) == 0:
		return nil, errors.New("must name a program")
	case !r.AllowCmd:
		return nil, errors.New("runs programs only with --allow-cmd")
	}
	path, err := exec.LookPath(args[0])
	if err != nil {
		return nil, fmt.Errorf("%s: no such program", args[0])
	}
	return func(ctx context.Context, _ *Subject, text string) (finding, error) {
		limited, cancel := context.WithTimeout(ctx, cmdLimit)
		defer cancel()
		c := exec.CommandContext(limited, path, args[1:]...)
		var out bytes.Buffer
		c.Stdin, c.Stdout, c.Stderr = strings.NewReader(text), limit{&out}, limit{&out}
		c.WaitDelay = time.Second
		err := c.Run()
		var exit *exec.ExitError
		switch {
		case ctx.Err() != nil:
			return passed, ctx.Err()
		case limited.Err() != nil:
			return finding{why: fmt.Sprintf("no answer after %s", cmdLimit), at: -1}, nil
		case errors.As(err, &exit):
			return finding{why: fmt.Sprintf("exit %d", exit.ExitCode()), found: strings.TrimSpace(strings.ToValidUTF8(out.String(), "\ufffd")), at: -1}, nil
		case err != nil && !errors.Is(err, exec.ErrWaitDelay) && c.ProcessState == nil:
			return passed, fmt.Errorf("%s: %w", args[0], err)
		}
		return passed, nil
	}, nil
}

// limit keeps the beginning of what is written.
type limit struct{ b *bytes.Buffer }

func (l limit) Write(p []byte) (int, error) {
	l.b.Write(p[:min(len(p), maxFound-min(maxFound, l.b.Len()))])
	return len(p), nil
}
