package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"time"
)

// A Progress is what was done of lessons, in a file that several programs may
// write to. It holds no names, and nothing of it leaves the machine.
type Progress struct{ path string }

// NewProgress returns the progress in a file. With no path nothing is kept.
func NewProgress(path string) Progress { return Progress{path} }

// A LessonProgress is what was done of one lesson.
type LessonProgress struct {
	SHA   string         `json:"sha"` // of the lesson's file when it was last read
	Tasks []TaskProgress `json:"tasks"`
}

// A TaskProgress is what was done of one task.
type TaskProgress struct {
	Done      *time.Time `json:"done,omitempty"` // when its goal was met first; nil while it is open
	Skipped   bool       `json:"skipped,omitempty"`
	Tries     int        `json:"tries,omitempty"`     // times it was set up
	Hints     int        `json:"hints,omitempty"`     // most hints shown
	Predicted *float64   `json:"predicted,omitempty"` // what was answered, where it is a number
	Answer    *float64   `json:"answer,omitempty"`    // and what was right
	Right     *bool      `json:"right,omitempty"`     // whether the answer counted; nil if none was given
}

// Open reports whether a task is neither done nor left out.
func (t TaskProgress) Open() bool { return t.Done == nil && !t.Skipped }

// Count returns how many tasks of the lesson are done.
func (l LessonProgress) Count() int {
	n := 0
	for _, t := range l.Tasks {
		if t.Done != nil {
			n++
		}
	}
	return n
}

// A progressFile is the file.
type progressFile struct {
	Version int                       `json:"version"`
	Lessons map[string]LessonProgress `json:"lessons"`
}

const progressVersion = 1

// maxProgress bounds what is read of the file.
const maxProgress = 8 << 20

// Load returns what was done, by the ids of lessons. A file that cannot be read
// is put aside, under a name that the error gives; one of a newer program is
// left as it is.
func (p Progress) Load() (map[string]LessonProgress, error) {
	f, err := p.read()
	return f.Lessons, err
}

// errNewer says that the file is a newer program's.
var errNewer = errors.New("of a newer version of the program")

func (p Progress) read() (progressFile, error) {
	f := progressFile{Version: progressVersion, Lessons: map[string]LessonProgress{}}
	if p.path == "" {
		return f, nil
	}
	file, err := os.Open(p.path)
	if errors.Is(err, fs.ErrNotExist) {
		return f, nil
	}
	if err != nil {
		return f, err
	}
	b, err := io.ReadAll(io.LimitReader(file, maxProgress))
	file.Close()
	if err != nil {
		return f, err
	}
	var got progressFile
	d := json.NewDecoder(bytes.NewReader(b))
	switch err := d.Decode(&got); {
	case err != nil || got.Lessons == nil || got.Version < 1:
		return f, putAside(p.path, "not the progress of lessons")
	case got.Version > progressVersion:
		return f, fmt.Errorf("%s: %w", p.path, errNewer)
	}
	return got, nil
}

// Update changes what is known of task i, from 0, of a lesson whose file has
// the sum sha. change gets what the file holds now, which another program may
// have written.
func (p Progress) Update(id, sha string, i int, change func(*TaskProgress)) error {
	return p.change(func(all map[string]LessonProgress) {
		l := all[id]
		l.SHA = sha
		l.Tasks = slices.Clone(l.Tasks)
		for len(l.Tasks) <= i {
			l.Tasks = append(l.Tasks, TaskProgress{})
		}
		change(&l.Tasks[i])
		all[id] = l
	})
}

// Reset forgets what was done of a lesson, or of all with no id.
func (p Progress) Reset(id string) error {
	return p.change(func(all map[string]LessonProgress) {
		if id == "" {
			clear(all)
		}
		delete(all, id)
	})
}

func (p Progress) change(f func(map[string]LessonProgress)) error {
	if p.path == "" {
		return nil
	}
	return locked(p.path, func() error {
		file, err := p.read()
		if errors.Is(err, errNewer) {
			return err
		}
		f(file.Lessons)
		b, err := json.Marshal(file)
		if err != nil {
			return err
		}
		return WriteFile(p.path, append(b, '\n'), true)
	})
}
