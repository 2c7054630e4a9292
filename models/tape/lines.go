package tape

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Limits of a file, which is not trusted: sizes are checked before memory is
// taken.
const (
	MaxLine  = 16 << 20 // bytes
	maxFile  = 2 << 30  // bytes
	maxVocab = 1 << 22
	maxLanes = 64
)

// A LineError says which line of a file is wrong.
type LineError struct {
	Line int // from 1
	Err  error
}

func (e *LineError) Error() string { return fmt.Sprintf("line %d: %v", e.Line, e.Err) }
func (e *LineError) Unwrap() error { return e.Err }

// A Line is one JSON object of a run file.
type Line struct {
	N    int    // from 1
	Type string // "run", "step", …; empty if it has none
	Data []byte // valid until the next line
}

// ErrCut means that the last line of a file has no end: the program that wrote
// it was stopped.
var ErrCut = errors.New("the last line has no end")

// Lines calls visit for every line of r that is not empty. What is wrong with
// one, and what visit says of it, comes back as a [LineError]. If the last
// line has no line end and is no JSON, the error wraps [ErrCut]: all lines
// before it were visited.
func Lines(r io.Reader, visit func(Line) error) error {
	b := bufio.NewReaderSize(r, 64<<10)
	var total int64
	for n := 1; ; n++ {
		data, err := readLine(b)
		total += int64(len(data)) + 1
		last := err == io.EOF
		if err != nil && !last {
			return &LineError{n, err}
		}
		if total > maxFile {
			return &LineError{n, fmt.Errorf("the file is larger than %d GiB", maxFile>>30)}
		}
		if n == 1 {
			data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
		}
		if data = bytes.TrimSpace(data); len(data) > 0 {
			err := visitLine(n, data, visit)
			if last && err != nil && !json.Valid(data) && (n > 1 || data[0] == '{') {
				err = ErrCut
			}
			if err != nil {
				return &LineError{n, err}
			}
		}
		if last {
			return nil
		}
	}
}

func visitLine(n int, data []byte, visit func(Line) error) error {
	var head struct {
		Type string `json:"type"`
	}
	if n == 1 && (data[0] != '{' || json.Unmarshal(data, &head) != nil) {
		return &notRunError{json: data[0] == '{' || data[0] == '[', form: formOf(data)}
	}
	if data[0] != '{' {
		return errors.New("not a JSON object")
	}
	if err := json.Unmarshal(data, &head); err != nil {
		return plainJSON(err)
	}
	return visit(Line{n, head.Type, data})
}

// readLine reads up to the next line end, which it leaves out.
func readLine(b *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := b.ReadSlice('\n')
		if len(line)+len(part) > MaxLine+1 {
			return nil, fmt.Errorf("longer than %d MiB", MaxLine>>20)
		}
		line = append(line, part...)
		switch err {
		case nil:
			return line[:len(line)-1], nil
		case bufio.ErrBufferFull:
		default:
			return line, err
		}
	}
}

// plainJSON says what is wrong with a line in the words of JSON, not of Go.
func plainJSON(err error) error {
	var wrong *json.UnmarshalTypeError
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &wrong):
		field := wrong.Field
		if field == "" {
			field = "the line"
		}
		return fmt.Errorf("%s: must not be a %s", field, wrong.Value)
	case errors.As(err, &syntax):
		return fmt.Errorf("not JSON at byte %d", syntax.Offset)
	}
	return err
}

// Decode reads a line into v.
func (l Line) Decode(v any) error {
	if err := json.Unmarshal(l.Data, v); err != nil {
		return plainJSON(err)
	}
	return nil
}
