package console

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"unicode/utf8"

	"logitscope/sampling/constrain"
)

// CheckUTF8 reports the first byte of a text that is not UTF-8, as a
// *constrain.SyntaxError.
func CheckUTF8(text string) *constrain.SyntaxError {
	n := 0
	for n < len(text) {
		r, size := utf8.DecodeRuneInString(text[n:])
		if r == utf8.RuneError && size == 1 {
			break
		}
		n += size
	}
	if n == len(text) {
		return nil
	}
	head := text[:n]
	line := head[strings.LastIndexByte(head, '\n')+1:]
	return &constrain.SyntaxError{
		Line: 1 + strings.Count(head, "\n"), Column: 1 + utf8.RuneCountInString(line), Offset: n, Msg: "not valid UTF-8",
	}
}

// maxFile bounds the files that are read whole.
const maxFile = 64 << 20

// ReadFile reads a file; "-" is standard input.
func ReadFile(sys System, name string) ([]byte, error) {
	if name == "-" {
		return readAll(sys.Input, "standard input")
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, FileError(name, err)
	}
	defer f.Close()
	return readAll(f, name)
}

func readAll(r io.Reader, name string) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxFile+1))
	if err != nil {
		return nil, FileError(name, err)
	}
	if len(data) > maxFile {
		return nil, fmt.Errorf("%s: larger than %d MiB", name, maxFile>>20)
	}
	return data, nil
}

// FileError says what is wrong with a file, after its name as it was typed.
func FileError(name string, err error) error {
	if name == "" {
		name = `""`
	}
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: no such file", name)
	}
	var p *fs.PathError
	if errors.As(err, &p) {
		err = p.Err
	}
	return fmt.Errorf("%s: %w", name, err)
}

// Flagged puts a flag in front of every error that is joined in err.
func Flagged(flag string, err error) error {
	list := Each(err)
	for i, e := range list {
		list[i] = fmt.Errorf("%s %w", flag, e)
	}
	return errors.Join(list...)
}
