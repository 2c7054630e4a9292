package screen

import (
	"errors"
	"maps"
	"os"
	"slices"
	"sync"
	"time"

	"golang.org/x/term"

	"logitscope/engine/record"
	"logitscope/models"
	"logitscope/models/chat"
	"logitscope/ui/cli/setup"
	"logitscope/ui/handout"
	"logitscope/ui/tui"
)

// A taping is the recording of a lab: it takes the views as they come, and
// writes them on a goroutine of its own, so that the screen waits for no disk.
type taping struct {
	rec *setup.Recording

	mu      sync.Mutex
	queue   []tui.Recorded
	wake    chan struct{}
	done    chan struct{}
	writers map[int]*labWriter // by the lab's lane
	lanes   int                // numbers given so far
	err     error
	told    bool
}

// A labWriter is the writer of one lane on one model.
type labWriter struct {
	*record.Writer
	model models.Model
	last  tui.Recorded
}

// newTaping starts a recording, nil if there is nothing to record.
func newTaping(rec *setup.Recording) (*taping, error) {
	if !rec.On() {
		return nil, nil
	}
	if _, err := rec.Open(); err != nil {
		return nil, err
	}
	t := &taping{rec: rec, wake: make(chan struct{}, 1), done: make(chan struct{}), writers: map[int]*labWriter{}}
	go t.run()
	return t, nil
}

// take takes what there is of a lane. It returns, once, what went wrong with
// writing.
func (t *taping) take(r tui.Recorded) error {
	t.mu.Lock()
	t.queue = append(t.queue, r)
	err := t.err
	if t.told {
		err = nil
	}
	t.told = t.told || err != nil
	t.mu.Unlock()
	select {
	case t.wake <- struct{}{}:
	default:
	}
	return err
}

func (t *taping) run() {
	defer close(t.done)
	for range t.wake {
		for {
			t.mu.Lock()
			batch := t.queue
			t.queue = nil
			t.mu.Unlock()
			if len(batch) == 0 {
				break
			}
			for _, v := range batch {
				if err := t.write(v); err != nil {
					t.mu.Lock()
					t.err = errors.Join(t.err, err)
					t.mu.Unlock()
				}
			}
		}
	}
}

func (t *taping) write(v tui.Recorded) error {
	w := t.writers[v.Lane]
	if w == nil || w.model != v.Model {
		if w != nil {
			if err := w.End(w.last.View); err != nil {
				return err
			}
		}
		t.lanes++
		n := t.lanes
		file, err := t.rec.Open()
		if err != nil {
			return err
		}
		opt := t.rec.Options(&n)
		w = &labWriter{model: v.Model}
		opt.Messages = func(prompt string) []chat.Message {
			if prompt != w.last.View.PromptText {
				return nil
			}
			return w.last.Turns
		}
		w.Writer = record.NewWriter(file, v.Model, opt)
		t.writers[v.Lane] = w
	}
	w.last = v
	return errors.Join(w.View(v.View), w.Marks(v.Cues))
}

// close writes the ends and closes the file.
func (t *taping) close() error {
	if t == nil {
		return nil
	}
	close(t.wake)
	<-t.done
	err := t.err
	for _, lane := range slices.Sorted(maps.Keys(t.writers)) {
		if w := t.writers[lane]; w.last.View.Settings != nil {
			err = errors.Join(err, w.End(w.last.View))
		}
	}
	return t.rec.Closed(err)
}

// A castFile is a terminal whose output goes into a cast as well.
type castFile struct {
	*os.File
	cast  *handout.Cast
	start time.Time
}

// newCastFile begins a cast of what is written to f.
func newCastFile(f *os.File, to *os.File) *castFile {
	w, h, err := term.GetSize(int(f.Fd()))
	if err != nil {
		w, h = 80, 24
	}
	return &castFile{f, handout.NewCast(to, "logitscope", w, h), time.Now()}
}

// Write writes to the terminal, and to the cast.
func (c *castFile) Write(b []byte) (int, error) {
	c.cast.Output(time.Since(c.start), b)
	return c.File.Write(b)
}
