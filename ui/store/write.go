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
// name: whoever looks sees the old file or the new one, never half of it.
// Unless over is set, a file that is there already stays and the error wraps
// [ErrExists].
func WriteFile(name string, data []byte, over bool) error {
	if !over {
		if _, err := os.Lstat(name); err == nil {
			return fmt.Errorf("%s %w", name, ErrExists)
		}
	}
	f, err := os.CreateTemp(filepath.Dir(name), tempPrefix+"*")
	if err != nil {
		return of(name, err)
	}
	defer os.Remove(f.Name()) // nothing is left of it once it is renamed
	_, err = f.Write(data)
	if err == nil {
		err = f.Chmod(0o644)
	}
	if err == nil {
		err = f.Sync()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = place(f.Name(), name, over)
	}
	if errors.Is(err, ErrExists) {
		return err
	}
	return of(name, err)
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
