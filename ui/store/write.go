package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// ErrExists says that a file is there already.
var ErrExists = errors.New("is there already")

// tempPrefix begins the names of files that are being written.
const tempPrefix = ".logitscope-"

// WriteFile writes data to a new file beside name, syncs it and renames it to
// name: whoever looks sees the old file or the new one, never half of it. A
// file that was there keeps its permissions, a symbolic link still leads where
// it led, and a device or pipe is written to. Unless over is set, a file that
// is there already stays and the error wraps [ErrExists].
func WriteFile(name string, data []byte, over bool) error {
	if _, err := os.Lstat(name); !over && err == nil {
		return fmt.Errorf("%s %w", name, ErrExists)
	}
	target, perm := name, fs.FileMode(0o644)
	switch info, err := os.Stat(name); {
	case err != nil: // a new file
	case info.IsDir():
		return fmt.Errorf("%s: is a directory", name)
	case !info.Mode().IsRegular():
		return of(name, writeThrough(name, data))
	default:
		perm = info.Mode().Perm()
		if target, err = filepath.EvalSymlinks(name); err != nil {
			return of(name, err)
		}
	}
	f, err := os.CreateTemp(filepath.Dir(target), tempPrefix+"*")
	if err != nil {
		return of(name, err)
	}
	defer os.Remove(f.Name()) // nothing is left of it once it is renamed
	_, err = f.Write(data)
	if err == nil {
		err = f.Chmod(perm)
	}
	if err == nil {
		err = f.Sync()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = place(f.Name(), target, over)
	}
	if errors.Is(err, ErrExists) {
		return err
	}
	return of(name, err)
}

// writeThrough writes data to what is not a regular file: a device, a pipe.
func writeThrough(name string, data []byte) error {
	f, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Close())
}

// place gives the finished file its name. A link, unlike a rename, refuses a
// name that was taken meanwhile.
func place(temp, name string, over bool) error {
	if !over {
		switch err := os.Link(temp, name); {
		case err == nil:
			return nil
		case errors.Is(err, fs.ErrExist):
			return fmt.Errorf("%s %w", name, ErrExists)
		}
		// A file system without links.
	}
	return os.Rename(temp, name)
}

// of makes err speak of the file that was meant, not of one beside it.
func of(name string, err error) error {
	if err == nil {
		return nil
	}
	var p *fs.PathError
	var l *os.LinkError
	switch {
	case errors.As(err, &p):
		err = p.Err
	case errors.As(err, &l):
		err = l.Err
	}
	return fmt.Errorf("%s: %w", name, err)
}
