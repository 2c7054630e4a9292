package store

import (
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// A Kind is one kind of what the program keeps on disk.
type Kind struct {
	Name  string // as named on the command line
	About string
	Paths []string // files and folders, whether they are there or not
}

// Kinds are all that the program keeps in its folders for settings, for
// what can be had again, and for keys of its own. Each may be empty, for none.
func Kinds(configDir, cacheDir, stateDir string) []Kind {
	in := func(dir string, names ...string) (paths []string) {
		if dir == "" {
			return nil
		}
		for _, n := range names {
			paths = append(paths, filepath.Join(dir, n))
		}
		return paths
	}
	return []Kind{
		{"class", "keys that a class is known by", in(stateDir, "class_ed25519", "class_teacher_ed25519")},
		{"presets", "presets of your own", in(configDir, "presets")},
		{"keys", "keys of your own", in(configDir, "keys")},
		{"history", "prompts that were typed in the lab", in(configDir, "history.json", "history.json.unread", "history.json.lock")},
		{"progress", "what was done of the lessons", in(configDir, "progress.json", "progress.json.unread", "progress.json.lock")},
		{"votes", "answers of blind votes", in(configDir, "votes")},
		{"lessons", "lessons of your own", in(configDir, "lessons")},
		{"rescued", "texts saved after an internal error", matching(configDir, "rescued-*")},
		{"models", "models that were pulled", in(cacheDir, "models")},
		{"sweeps", "cells of sweeps, to go on from", in(cacheDir, "sweeps")},
		{"bench", "cells of benches, to go on from", in(cacheDir, "bench")},
	}
}

// matching are the files of dir whose names match pattern.
func matching(dir, pattern string) []string {
	if dir == "" {
		return nil
	}
	paths, _ := filepath.Glob(filepath.Join(dir, pattern)) // the pattern is well formed
	return paths
}

// A Usage is how much of a kind there is.
type Usage struct {
	Files  int
	Bytes  int64
	Oldest time.Time // when the oldest file was written; zero without files
	Newest time.Time
}

// Usage measures what there is of k. Links are counted as they are and not
// followed.
func (k Kind) Usage() (u Usage, err error) {
	for _, path := range k.Paths {
		err := filepath.WalkDir(path, func(_ string, d fs.DirEntry, err error) error {
			if os.IsNotExist(err) {
				return nil
			}
			if err != nil || d.IsDir() {
				return err
			}
			info, err := d.Info()
			if err != nil {
				return err
			}
			t := info.ModTime()
			u.Files++
			u.Bytes += info.Size()
			if u.Oldest.IsZero() || t.Before(u.Oldest) {
				u.Oldest = t
			}
			if t.After(u.Newest) {
				u.Newest = t
			}
			return nil
		})
		if err != nil {
			return u, err
		}
	}
	return u, nil
}

// Delete deletes what there is of k.
func (k Kind) Delete() error {
	for _, path := range k.Paths {
		if err := os.RemoveAll(path); err != nil {
			return err
		}
	}
	return nil
}

// leftover is how old a temporary file must be to be one of a save that was
// killed, and not of one under way.
const leftover = time.Hour

// SweepLeftovers deletes the temporary files of saves that were killed, in dir
// and its folder of presets.
func SweepLeftovers(dir string, now time.Time) {
	for _, d := range []string{dir, UserPresets(dir).Dir()} {
		entries, err := os.ReadDir(d)
		if err != nil {
			continue
		}
		for _, e := range entries {
			info, err := e.Info()
			ours, _ := filepath.Match(tempPrefix+"*", e.Name())
			if err == nil && ours && info.Mode().IsRegular() && now.Sub(info.ModTime()) > leftover {
				os.Remove(filepath.Join(d, e.Name()))
			}
		}
	}
}
