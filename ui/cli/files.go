package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"logitscope/engine/bench/prompts"
)

// text returns the text to continue and whether one was given.
func (s *shared) text() (string, bool, error) {
	if !s.flags.Changed("prompt-file") {
		return s.prompt, s.flags.Changed("prompt"), nil
	}
	if s.promptText == nil {
		if s.flags.Changed("prompt") {
			return "", false, wrong("--prompt and --prompt-file: one of them")
		}
		data, err := s.readFile("--prompt-file", s.promptFile)
		if err != nil {
			return "", false, err
		}
		if prompts.IsSet(data) {
			return "", false, wrong("--prompt-file %s: is a set of prompts, not one; bench takes it with --prompts", s.promptFile)
		}
		text := string(data)
		s.promptText = &text
	}
	return *s.promptText, true, nil
}

// readFile reads the file that a flag names, without a byte order mark; "-" is
// standard input.
func (s *shared) readFile(flag, name string) ([]byte, error) {
	if err := s.takeInput(flag, name); err != nil {
		return nil, err
	}
	data, err := readFile(s.sys, name)
	if err != nil {
		return nil, wrong("%s %w", flag, err)
	}
	return bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")), nil
}

// takeInput marks standard input as read by a flag if that is what it names:
// only one can have it.
func (s *shared) takeInput(flag, name string) error {
	if name != "-" {
		return nil
	}
	if s.stdin != "" {
		return wrong("%s -: standard input is for %s", flag, s.stdin)
	}
	s.stdin = flag
	return nil
}

// maxFile bounds the files that are read whole.
const maxFile = 64 << 20

// readFile reads a file; "-" is standard input.
func readFile(sys System, name string) ([]byte, error) {
	if name == "-" {
		return readAll(sys.input, "standard input")
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, fileError(name, err)
	}
	defer f.Close()
	return readAll(f, name)
}

func readAll(r io.Reader, name string) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxFile+1))
	if err != nil {
		return nil, fileError(name, err)
	}
	if len(data) > maxFile {
		return nil, fmt.Errorf("%s: larger than %d MiB", name, maxFile>>20)
	}
	return data, nil
}

// fileError says what is wrong with a file, behind its name as it was typed.
func fileError(name string, err error) error {
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

// flagged puts a flag in front of every problem that err lists.
func flagged(flag string, err error) error {
	return errors.New(flag + " " + strings.ReplaceAll(strings.TrimSpace(err.Error()), "\n", "\n"+flag+" "))
}
