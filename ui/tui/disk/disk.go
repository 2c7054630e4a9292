// Package disk answers: what does the screen read and write on disk? It is the
// one door from the screen to files.
//
// Whatever under ui/tui reads or writes a file asks its [Door]. A nil door is
// closed: a lab that is shown to a guest of this machine has one, and every
// file is refused there with [ErrClosed].
package disk

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
	"unicode/utf8"

	"logitscope/engine/bench"
	"logitscope/engine/bench/prompts"
	"logitscope/engine/bench/votes"
	"logitscope/engine/compare"
	"logitscope/ui/store"
	"logitscope/viz"
)

// ErrClosed says that this screen has no files.
var ErrClosed = errors.New("no files here: this lab is another machine's")

// A Door leads to the files of the machine that the program runs on.
type Door struct {
	dir string // of the program's own files; empty for none
}

// Open returns the door of whoever sits at this machine. Keys, presets and the
// history of prompts are in dir, which is empty for none.
func Open(dir string) *Door { return &Door{dir} }

// Closed reports whether there are no files here.
func (d *Door) Closed() bool { return d == nil }

// Expand replaces a leading ~/ by the home folder.
func (d *Door) Expand(name string) string {
	if rest, ok := strings.CutPrefix(name, "~/"); ok && d != nil {
		if home, err := os.UserHomeDir(); err == nil {
			return filepath.Join(home, rest)
		}
	}
	return name
}

// maxText is the largest file that is read as text.
const maxText = 4 << 20

// Text reads a text file of moderate size.
func (d *Door) Text(name string) (string, error) {
	if d == nil {
		return "", ErrClosed
	}
	name = d.Expand(name)
	info, err := os.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", fmt.Errorf("%s: no such file", name)
	case err != nil:
		return "", err
	case !info.Mode().IsRegular():
		return "", fmt.Errorf("%s: not a file", name)
	case info.Size() > maxText:
		return "", fmt.Errorf("%s: %s, at most %s are read", name, viz.Bytes(info.Size()), viz.Bytes(maxText))
	}
	b, err := os.ReadFile(name)
	if err != nil {
		return "", err
	}
	if !utf8.Valid(b) {
		return "", fmt.Errorf("%s: not UTF-8 text", name)
	}
	return string(b), nil
}

// Models are the model files of the working folder.
func (d *Door) Models() []string {
	if d == nil {
		return nil
	}
	files, _ := filepath.Glob("*.gguf") // a bad pattern is the only error
	return files
}

// Write writes a file, whole or not at all; see [store.WriteFile].
func (d *Door) Write(name string, data []byte, over bool) error {
	if d == nil {
		return ErrClosed
	}
	return store.WriteFile(name, data, over)
}

// Presets are the user's own. A closed door has none, and none can be saved.
func (d *Door) Presets() store.Presets {
	if d == nil {
		return store.UserPresets("")
	}
	return store.UserPresets(d.dir)
}

// History keeps the last most prompts; it is nil without a folder.
func (d *Door) History(most int) *store.History {
	if d == nil || d.dir == "" {
		return nil
	}
	h := store.NewHistory(filepath.Join(d.dir, "history.json"), most)
	return &h
}

// Keys opens the file of the user's keys; it is nil if there is none. The
// caller must close it.
func (d *Door) Keys() (f io.ReadCloser, name string, err error) {
	if d == nil || d.dir == "" {
		return nil, "", nil
	}
	name = filepath.Join(d.dir, "keys")
	file, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, name, nil
	}
	if err != nil {
		return nil, name, err
	}
	return file, name, nil
}

// Tidy removes what an earlier run left half written.
func (d *Door) Tidy(now time.Time) {
	if d != nil && d.dir != "" {
		store.SweepLeftovers(d.dir, now)
	}
}

// mostRescued is how many files are saved before it is given up.
const mostRescued = 99

// Rescue writes a run under a name that no file has, in the program's folder
// or, if there is none, in the working folder.
func (d *Door) Rescue(lines []byte) (name string, err error) {
	if d == nil {
		return "", ErrClosed
	}
	for n := 1; n <= mostRescued; n++ {
		name = filepath.Join(d.dir, fmt.Sprintf("rescued-%d.jsonl", n))
		if d.dir != "" {
			if err := os.MkdirAll(d.dir, 0o700); err != nil {
				return "", err
			}
		}
		if err = store.WriteFile(name, lines, false); !errors.Is(err, store.ErrExists) {
			return name, err
		}
	}
	return "", fmt.Errorf("%s and %d others are there already", name, mostRescued-1)
}

// PromptSet opens a set of prompts; its checks run programs only where
// allowCmd is set.
func (d *Door) PromptSet(name string, allowCmd bool) (*prompts.Set, error) {
	if d == nil {
		return nil, ErrClosed
	}
	return prompts.File(d.Expand(name), allowCmd)
}

// Bench writes the texts of a plan, and keeps them where opt says.
func (d *Door) Bench(ctx context.Context, p *bench.Plan, opt bench.Options) (*bench.Results, error) {
	if d == nil {
		return nil, ErrClosed
	}
	return bench.Run(ctx, p, opt)
}

// Sweep writes the texts of a grid of settings; they pass through a file.
func (d *Door) Sweep(ctx context.Context, p *bench.SweepPlan, opt bench.Options) (*bench.Grid, error) {
	if d == nil {
		return nil, ErrClosed
	}
	return bench.Sweep(ctx, p, opt)
}

// Lanes decodes lanes under many seeds; their texts pass through a file.
func (d *Door) Lanes(ctx context.Context, lanes []bench.Config, prompt *prompts.Set, seeds []uint64, opt bench.Options) (compare.Seeds, error) {
	if d == nil {
		return compare.Seeds{}, ErrClosed
	}
	return bench.Lanes(ctx, lanes, prompt, seeds, opt)
}

// Votes opens the file of a voter's votes.
func (d *Door) Votes(name, voter string) (*votes.Box, error) {
	if d == nil {
		return nil, ErrClosed
	}
	return votes.Open(name, voter)
}

// VotesOn names the file of the votes on a bench's texts; empty where there is
// no folder to keep it in.
func (d *Door) VotesOn(set string) string {
	if d == nil || d.dir == "" {
		return ""
	}
	name := filepath.Base(set)
	return filepath.Join(d.dir, "votes", strings.TrimSuffix(name, filepath.Ext(name))+".jsonl")
}
