package console

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// maxLine is the longest line, in bytes, of the commands that read one answer
// a line.
const maxLine = 16 << 20

// errLongLine is what eachLine says of a line that is longer.
var errLongLine = fmt.Errorf("longer than %d MiB", maxLine>>20)

// EachLine calls f with every line of r that is not empty, numbered from 1,
// or with [errLongLine] for one of more than maxLine bytes.
// What f wrote to out is out by the end, and whenever no line waits: somebody
// may ask only when the last answer came.
func EachLine(r io.Reader, out *bufio.Writer, f func(n int, line []byte, err error) error) error {
	in := bufio.NewReaderSize(r, 1<<16)
	for n := 1; ; n++ {
		line, long, err := readLine(in)
		if line = bytes.TrimSpace(line); len(line) > 0 || long != nil {
			if err := f(n, line, long); err != nil {
				return errors.Join(err, out.Flush())
			}
		}
		if in.Buffered() == 0 || err != nil {
			if err := out.Flush(); err != nil {
				return err
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// readLine reads a line of at most maxLine bytes. Of a longer one it reads all
// and keeps nothing.
func readLine(in *bufio.Reader) (line []byte, long, err error) {
	for {
		part, err := in.ReadSlice('\n')
		if long == nil {
			line = append(line, part...)
		}
		if len(line) > maxLine {
			line, long = nil, errLongLine
		}
		if err != bufio.ErrBufferFull {
			return line, long, err
		}
	}
}

// AnswerLines writes what answer gives for each line, or {"id","error"} where
// it fails: then it ends with exit code 1. The id is that of the line, null
// where it has none.
func AnswerLines(sys System, answer func(id json.RawMessage, line []byte) (any, error)) error {
	out := bufio.NewWriter(sys.Out)
	bad := false
	err := EachLine(sys.Input, out, func(_ int, line []byte, err error) error {
		var q struct {
			ID json.RawMessage `json:"id"`
		}
		if json.Unmarshal(line, &q) != nil || q.ID == nil {
			q.ID = json.RawMessage("null")
		}
		q.ID = bytes.ToValidUTF8(q.ID, []byte("\ufffd"))
		var v any
		if err == nil {
			v, err = answer(q.ID, line)
		}
		if err != nil {
			bad = true
			v = struct {
				ID    json.RawMessage `json:"id"`
				Error string          `json:"error"`
			}{q.ID, err.Error()}
		}
		return WriteLine(out, v)
	})
	if err == nil && bad {
		return &ExitError{ExitFailed}
	}
	return err
}
