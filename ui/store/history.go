package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
)

// A History is the prompts of earlier runs, in a file that several windows may
// write to.
type History struct {
	path string
	most int // prompts that are kept
}

// NewHistory returns the history in a file, of at most most prompts.
func NewHistory(path string, most int) History { return History{path, most} }

// lockWait bounds how long a window waits for another one's save, and lockRetry
// is how long it waits between two tries.
const (
	lockWait  = 30 * time.Second
	lockRetry = 10 * time.Millisecond
)

// Load reads the prompts, oldest first. A file that cannot be read as a history
// is put aside, under a name that the error gives, so that nothing overwrites
// it.
func (h History) Load() ([]string, error) {
	b, err := os.ReadFile(h.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var list []string
	if err := json.Unmarshal(b, &list); err != nil {
		return nil, putAside(h.path, "not a list of texts")
	}
	return list, nil
}

// putAside gives a file that cannot be read another name, so that nothing
// overwrites it, and returns the error that says so.
func putAside(path, why string) error {
	aside := path + ".unread"
	if err := os.Rename(path, aside); err != nil {
		return err
	}
	return fmt.Errorf("%s: %s; it is kept as %s", path, why, filepath.Base(aside))
}

// locked does f while no other window writes the file at path.
func locked(path string, f func() error) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	lock := flock.New(path + ".lock")
	ctx, stop := context.WithTimeout(context.Background(), lockWait)
	defer stop()
	if ok, err := lock.TryLockContext(ctx, lockRetry); err != nil || !ok {
		return fmt.Errorf("%s: another window is writing it: %w", path, err)
	}
	defer lock.Unlock()
	return f()
}

// Add puts a prompt at the end of what the file holds now, which another window
// may have written, and drops the oldest beyond what is kept. A prompt that is
// the last already changes nothing.
func (h History) Add(prompt string) error {
	return locked(h.path, func() error {
		list, _ := h.Load() // one that cannot be read was put aside: a new one begins
		if n := len(list); n > 0 && list[n-1] == prompt {
			return nil
		}
		list = append(list, prompt)
		list = list[max(0, len(list)-h.most):]
		b, err := json.Marshal(list)
		if err != nil {
			return err
		}
		return WriteFile(h.path, b, true)
	})
}
