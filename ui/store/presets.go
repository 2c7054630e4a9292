// Package store answers: where are the user's own files, and are they whole? It
// keeps the user's files: presets of their own, one file each in the platform's
// config folder, written whole or not at all.
package store

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"

	"logitscope/models"
	"logitscope/presets"
)

const (
	suffix  = ".json"
	deleted = ".json.deleted"
)

// Presets are the presets in a folder. The folder need not exist before the
// first is saved.
type Presets struct{ dir string }

// UserPresets returns the presets kept in configDir, the folder of the
// program's own files. Without one there are none, and none can be saved.
func UserPresets(configDir string) Presets {
	if configDir == "" {
		return Presets{}
	}
	return Presets{filepath.Join(configDir, "presets")}
}

// errNowhere says that no folder is known.
var errNowhere = errors.New("no folder to keep presets in: the environment names no home; LOGITSCOPE_CONFIG_DIR can name one")

// Dir returns the folder.
func (s Presets) Dir() string { return s.dir }

// maxName is the longest name of a preset.
const maxName = 64

// reserved are names that some file systems keep for devices.
var reserved = []string{"con", "prn", "aux", "nul"}

// CheckName returns why a preset cannot be called name, nil if it can.
func CheckName(name string) error {
	lower := strings.ToLower(name)
	for _, b := range presets.Names() {
		if lower == b {
			return fmt.Errorf("%s is a built-in preset; choose another name", name)
		}
	}
	device := len(lower) == 4 && (lower[:3] == "com" || lower[:3] == "lpt") && lower[3] >= '0' && lower[3] <= '9'
	switch {
	case name == "" || len(name) > maxName || strings.ContainsFunc(lower, notInName):
		return fmt.Errorf("%q: a name has letters a to z, digits, - and _, 1 to %d of them", name, maxName)
	case device || slices.Contains(reserved, lower):
		return fmt.Errorf("%s: Windows keeps this name for a device; choose another", name)
	}
	return nil
}

func notInName(r rune) bool {
	return r != '-' && r != '_' && (r < 'a' || r > 'z') && (r < '0' || r > '9')
}

// A file is a preset and where it lies.
type file struct {
	path string
	presets.Preset
}

// A Broken is why a file of the folder is no preset that can be chosen. Err
// names the file.
type Broken struct {
	Name string // of the file without its suffix, as which one would look for it
	Err  error
}

func (b *Broken) Error() string { return b.Err.Error() }

func (b *Broken) Unwrap() error { return b.Err }

// files reads the folder, by file name.
func (s Presets) files() (list []file, problems []error) {
	if s.dir == "" {
		return nil, nil
	}
	entries, err := os.ReadDir(s.dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		problems = append(problems, of(s.dir, err))
	}
	seen := map[string]string{}
	for _, e := range entries {
		path := filepath.Join(s.dir, e.Name())
		if e.IsDir() || filepath.Ext(e.Name()) != suffix || strings.HasPrefix(e.Name(), ".") {
			continue
		}
		p, err := read(path)
		if err == nil {
			err = nameError(path, p.Name, seen)
		}
		if err != nil {
			problems = append(problems, &Broken{e.Name()[:len(e.Name())-len(suffix)], err})
			continue
		}
		seen[p.Name] = path
		list = append(list, file{path, p})
	}
	return list, problems
}

// nameError reports a preset that could not be chosen by its name.
func nameError(path, name string, seen map[string]string) error {
	if slices.Contains(presets.Names(), name) {
		return fmt.Errorf("%s: %s is the name of a built-in preset; skipped", path, name)
	}
	if other, ok := seen[name]; ok {
		return fmt.Errorf("%s: %s is also the name in %s; skipped", path, name, filepath.Base(other))
	}
	return nil
}

func read(path string) (presets.Preset, error) {
	f, err := models.OpenFile(path)
	if err != nil {
		return presets.Preset{}, err
	}
	defer f.Close()
	return presets.Decode(f, path)
}

// List returns the presets by name. A file that cannot be read, or whose name
// is taken, is reported as [Broken] and skipped.
func (s Presets) List() (list []presets.Preset, problems []error) {
	files, problems := s.files()
	for _, f := range files {
		list = append(list, f.Preset)
	}
	sort.SliceStable(list, func(i, j int) bool { return list[i].Name < list[j].Name })
	return list, problems
}

// find returns the file of the preset called name. The error lists the names
// there are.
func (s Presets) find(name string) (file, error) {
	files, _ := s.files()
	var names []string
	for _, f := range files {
		if f.Name == name {
			return f, nil
		}
		names = append(names, f.Name)
	}
	if slices.Contains(presets.Names(), name) {
		return file{}, fmt.Errorf("%s is built in and stays", name)
	}
	sort.Strings(names)
	if len(names) == 0 {
		return file{}, fmt.Errorf("%s: no preset of yours; there are none", name)
	}
	return file{}, fmt.Errorf("%s: no preset of yours; %s", name, strings.Join(names, ", "))
}

// Has returns an error that lists the names there are if no preset is called
// name.
func (s Presets) Has(name string) error {
	_, err := s.find(name)
	return err
}

// path returns where the preset called name is written: where it lies, or a
// file of its own name.
func (s Presets) path(name string) string {
	if f, err := s.find(name); err == nil {
		return f.path
	}
	return filepath.Join(s.dir, name+suffix)
}

// encode returns what the file of p holds.
func (s Presets) encode(p presets.Preset) ([]byte, error) {
	if err := CheckName(p.Name); err != nil {
		return nil, err
	}
	if s.dir == "" {
		return nil, errNowhere
	}
	var b bytes.Buffer
	err := presets.Encode(&b, p)
	return b.Bytes(), err
}

// Save writes p and returns its file. A preset of that name stays unless over
// is set, and the error wraps [ErrExists]; with over set it is kept as deleted
// presets are.
func (s Presets) Save(p presets.Preset, over bool) (path string, err error) {
	data, err := s.encode(p)
	if err != nil {
		return "", err
	}
	if _, err := presets.Decode(bytes.NewReader(data), p.Name); err != nil {
		return "", err // a file that could not be read back
	}
	if err := os.MkdirAll(s.dir, 0o755); err != nil {
		return "", of(s.dir, err)
	}
	path = s.path(p.Name)
	if _, err := os.Lstat(path); err == nil {
		if !over {
			return "", fmt.Errorf("%s: a preset of that name %w", p.Name, ErrExists)
		}
		if err := s.keep(path, p.Name); err != nil {
			return "", err
		}
	}
	return path, WriteFile(path, data, over)
}

// keep copies the file at path to where the deleted preset called name lies.
func (s Presets) keep(path, name string) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return of(path, err)
	}
	return WriteFile(filepath.Join(s.dir, name+deleted), data, true)
}

// Rename gives the preset called old another name and returns its file. A
// preset that has the name stays unless over is set, as for [Presets.Save].
func (s Presets) Rename(old, name string, over bool) (path string, err error) {
	f, err := s.find(old)
	if err != nil {
		return "", err
	}
	if old == name {
		return f.path, nil
	}
	p := f.Preset
	p.Name = name
	if a, err := os.Stat(f.path); err == nil {
		if b, err := os.Stat(filepath.Join(s.dir, name+suffix)); err == nil && os.SameFile(a, b) {
			return s.respell(f, p) // the names differ in case alone, and the file system does not tell them apart
		}
	}
	if path, err = s.Save(p, over); err != nil {
		return "", err
	}
	return path, of(f.path, os.Remove(f.path))
}

// respell changes the case of a preset's name, in its file and of it.
func (s Presets) respell(f file, p presets.Preset) (string, error) {
	data, err := s.encode(p)
	if err != nil {
		return "", err
	}
	if err := WriteFile(f.path, data, true); err != nil {
		return "", err
	}
	path := filepath.Join(s.dir, p.Name+suffix)
	return path, of(path, os.Rename(f.path, path))
}

// Delete takes the preset called name out. Its file is kept under another name
// until the next of that name is deleted: see [Presets.Restore].
func (s Presets) Delete(name string) error {
	f, err := s.find(name)
	if err != nil {
		return err
	}
	if CheckName(name) != nil {
		// A name that could not be a file's: keep it under the file's own.
		file := filepath.Base(f.path)
		name = file[:len(file)-len(filepath.Ext(file))]
	}
	return of(f.path, os.Rename(f.path, filepath.Join(s.dir, name+deleted)))
}

// Restore brings the preset called name back that was deleted or written over
// last, and returns its file. A preset that has the name now stays unless over
// is set; then the two change places.
func (s Presets) Restore(name string, over bool) (path string, err error) {
	from := filepath.Join(s.dir, name+deleted)
	if CheckName(name) != nil {
		return "", s.nothingDeleted(name)
	}
	p, err := read(from)
	if errors.Is(err, fs.ErrNotExist) {
		return "", s.nothingDeleted(name)
	}
	if err != nil {
		return "", err
	}
	path = s.path(p.Name)
	if _, err := os.Lstat(path); err == nil {
		// Save keeps what it writes over where this one lay.
		return s.Save(p, over)
	}
	return path, of(from, os.Rename(from, path))
}

func (s Presets) nothingDeleted(name string) error {
	names := s.deleted()
	if len(names) == 0 {
		return fmt.Errorf("%s: no deleted preset; there are none", name)
	}
	return fmt.Errorf("%s: no deleted preset; %s", name, strings.Join(names, ", "))
}

// deleted returns the names of the presets that [Presets.Restore] brings back.
func (s Presets) deleted() []string {
	entries, _ := os.ReadDir(s.dir)
	var names []string
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), deleted); ok && CheckName(name) == nil {
			names = append(names, name)
		}
	}
	return names
}
