package models

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// kinds of file that cannot hold a model.
var irregular = []struct {
	mode fs.FileMode
	name string
}{
	{fs.ModeDir, "a folder"}, {fs.ModeNamedPipe, "a named pipe"}, {fs.ModeSocket, "a socket"}, {fs.ModeDevice, "a device"},
}

// OpenFile opens a file to read a model or settings from. What is not a
// regular file is refused without being touched: opening a named pipe could
// wait for ever, and a device may have no end. The error begins with the path.
func OpenFile(path string) (*os.File, error) {
	st, err := os.Stat(path)
	if err == nil && !st.Mode().IsRegular() {
		what := "an irregular file"
		for _, k := range irregular {
			if st.Mode()&k.mode != 0 {
				what = k.name
				break
			}
		}
		return nil, fmt.Errorf("%s is %s, not a file", path, what)
	}
	var f *os.File
	if err == nil {
		f, err = os.Open(path)
	}
	if err != nil {
		var p *fs.PathError
		if errors.Is(err, fs.ErrNotExist) {
			err = fs.ErrNotExist
		} else if errors.As(err, &p) {
			err = p.Err
		}
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return f, nil
}
