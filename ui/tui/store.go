package tui

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// errExists says that a file is there already.
var errExists = errors.New("is there already")

// writeFile writes data to a new file beside name, syncs it and renames it
// to name: whoever looks sees the old file or the new one, never half of it.
// Unless over is set, a file that is there already stays and the error is
// errExists.
func writeFile(name string, data []byte, over bool) error {
	if !over {
		if _, err := os.Lstat(name); err == nil {
			return fmt.Errorf("%s %w", name, errExists)
		}
	}
	f, err := os.CreateTemp(filepath.Dir(name), ".logitscope-*")
	if err != nil {
		var p *fs.PathError
		if errors.As(err, &p) {
			err = p.Err
		}
		return fmt.Errorf("%s: %w", name, err)
	}
	defer os.Remove(f.Name()) // nothing is left of it once it is renamed
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil && !over {
		// A link, unlike a rename, refuses a name that was taken meanwhile.
		if err = os.Link(f.Name(), name); err == nil {
			return os.Chmod(name, 0o644)
		} else if errors.Is(err, fs.ErrExist) {
			return fmt.Errorf("%s %w", name, errExists)
		}
		err = nil // a file system without links
	}
	if err == nil {
		err = os.Chmod(f.Name(), 0o644)
	}
	if err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}
