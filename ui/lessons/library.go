package lessons

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"logitscope/engine/lesson"
	"logitscope/models"
	"logitscope/presets"
	"logitscope/presets/exchange"
	"logitscope/sampling"
	"logitscope/ui/store"
)

// StartPreset is what the lab, and so every lesson, begins with.
const StartPreset = "chat"

// Names are what a lesson may name: the built-in presets and the formats that
// settings are exported to.
func Names() lesson.Names {
	return lesson.Names{
		Preset: func(name string) (sampling.Config, error) {
			p, err := presets.Named(name)
			return p.Config, err
		},
		Exports: exchange.TargetNames(),
	}
}

// Progress is where it is kept what was done of lessons: in the folder of the
// configuration, nowhere if there is none.
func Progress(configDir string) store.Progress {
	if configDir == "" {
		return store.NewProgress("")
	}
	return store.NewProgress(filepath.Join(configDir, "progress.json"))
}

// Read reads a lesson from r, of which no more is taken than a lesson may
// hold. name is the file's.
func Read(r io.Reader, name string) (*lesson.Lesson, []lesson.Fault, error) {
	src, err := io.ReadAll(io.LimitReader(r, lesson.MaxBytes+1))
	if err != nil {
		return nil, nil, err
	}
	l, faults := lesson.Parse(src, name, Names())
	return l, faults, nil
}

// ReadFile is [Read] for a file. Its name in faults is the last part of path.
func ReadFile(path string) (*lesson.Lesson, []lesson.Fault, error) {
	f, err := models.OpenFile(path)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	return Read(f, filepath.Base(path))
}

// A Library is the lessons at hand.
type Library struct {
	List   []*lesson.Lesson
	Own    map[*lesson.Lesson]string // the files of those that are the user's own
	Notes  []string                  // that an own lesson stands in the place of a built-in one
	Faults []lesson.Fault            // of own files that cannot be read; Lesson is the file's name
}

// Dir is the folder of the user's own lessons in that of the configuration;
// empty for none.
func Dir(configDir string) string {
	if configDir == "" {
		return ""
	}
	return filepath.Join(configDir, "lessons")
}

// Open returns the built-in lessons and after them those in the folder dir,
// which need not exist. Of two with one id the own one wins.
func Open(dir string) (Library, error) {
	builtin, bad := lesson.Builtin(Names())
	lib := Library{List: builtin, Own: map[*lesson.Lesson]string{}}
	if len(bad) > 0 {
		return lib, bad[0]
	}
	if dir == "" {
		return lib, nil
	}
	files, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return lib, nil
	}
	if err != nil {
		return lib, err
	}
	for _, f := range files {
		if f.IsDir() || filepath.Ext(f.Name()) != ".md" {
			continue
		}
		path := filepath.Join(dir, f.Name())
		l, faults, err := ReadFile(path)
		if err != nil {
			faults = []lesson.Fault{{Line: 1, Why: err.Error()}}
		}
		if len(faults) > 0 {
			faults[0].Lesson = f.Name()
			lib.Faults = append(lib.Faults, faults[0])
			continue
		}
		lib.add(l, path)
	}
	return lib, nil
}

// add puts a lesson of the user's after the others, or in the place of one of the same
// id.
func (lib *Library) add(l *lesson.Lesson, path string) {
	lib.Own[l] = path
	i := slices.IndexFunc(lib.List, func(x *lesson.Lesson) bool { return x.ID == l.ID })
	if i < 0 {
		lib.List = append(lib.List, l)
		return
	}
	lib.Notes = append(lib.Notes, l.ID+": "+path+" stands in the place of the lesson before it")
	lib.List[i] = l
}

// Find returns the lesson of an id. The error lists the ids there are.
func (lib Library) Find(id string) (*lesson.Lesson, error) {
	var ids []string
	for _, l := range lib.List {
		if l.ID == id {
			return l, nil
		}
		ids = append(ids, l.ID)
	}
	return nil, &UnknownError{id, ids}
}

// An UnknownError reports a lesson that does not exist.
type UnknownError struct {
	ID  string
	IDs []string // that there are
}

func (e *UnknownError) Error() string {
	return e.ID + ": no such lesson; want a file or one of " + strings.Join(e.IDs, ", ")
}

// Named returns the lesson that a person names: an id, or a file. The error has
// a line for every fault of a file.
func (lib Library) Named(name string) (*lesson.Lesson, error) {
	l, missing := lib.Find(name)
	if missing == nil {
		return l, nil
	}
	if _, err := os.Stat(name); errors.Is(err, fs.ErrNotExist) && filepath.Ext(name) != ".md" {
		return nil, missing
	}
	l, faults, err := ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: no such file", name)
	}
	all := []error{err}
	for _, f := range faults {
		all = append(all, fmt.Errorf("%s:%d: %s", name, f.Line, f.Why))
	}
	return l, errors.Join(all...)
}
