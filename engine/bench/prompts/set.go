package prompts

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"logitscope/engine/check"
)

// MaxPrompt is the most bytes that a line, record or block may have.
const MaxPrompt = 16 << 20

// MaxBad is how many bad lines a [BadError] lists.
const MaxBad = 20

// A Form is how a file holds its prompts.
type Form uint8

const (
	JSONLines Form = iota
	CSV
	TSV
	Text
)

// forms are the extensions that decide.
var forms = map[string]Form{
	".jsonl": JSONLines, ".ndjson": JSONLines, ".json": JSONLines, ".csv": CSV, ".tsv": TSV, ".txt": Text, ".md": Text,
}

// A Set is a set of prompts. It is read anew by every call.
type Set struct {
	form   Form
	open   func() (io.ReadCloser, error)
	reader *check.Reader
	given  []Prompt // of the command line, in the place of a file
}

// Of returns a set of texts that are taken as they are.
func Of(texts ...string) *Set {
	s := &Set{}
	for i, t := range texts {
		s.given = append(s.given, Prompt{ID: strconv.Itoa(i + 1), Text: t})
	}
	return s
}

// List returns a set of prompts that were read before.
func List(list []Prompt) *Set { return &Set{given: list} }

// OfTokens returns a set of one prompt that is given by its tokens; text is
// what it says.
func OfTokens(text string, tokens []int32) *Set {
	return &Set{given: []Prompt{{ID: "1", Text: text, Tokens: tokens}}}
}

// File returns the set in a file. The extension or else the first byte that is
// no blank decides on its form. Files that checks name are looked for from the
// file's folder. The error says why the file as a whole cannot be read.
func File(path string, allowCmd bool) (*Set, error) {
	s := &Set{
		open:   func() (io.ReadCloser, error) { return open(path) },
		reader: &check.Reader{Dir: filepath.Dir(path), AllowCmd: allowCmd},
	}
	return s, s.begin(strings.ToLower(filepath.Ext(path)))
}

var errIrregular = errors.New("is not a regular file; a set is read more than once")

// open opens a file that can be read again and that has an end.
func open(path string) (io.ReadCloser, error) {
	switch st, err := os.Stat(path); {
	case err != nil:
		return nil, err
	case !st.Mode().IsRegular() && !st.IsDir(): // reading a folder says what it is
		return nil, &fs.PathError{Op: "open", Path: path, Err: errIrregular}
	}
	return os.Open(path)
}

// begin finds the form of the set's file.
func (s *Set) begin(ext string) error {
	r, err := s.open()
	if err != nil {
		return err
	}
	defer r.Close()
	in := bufio.NewReader(r)
	head, err := in.Peek(4)
	if err != nil && err != io.EOF {
		return err
	}
	// A text has no byte 0, and UTF-16 has one beside every Latin letter.
	if bytes.HasPrefix(head, []byte{0xff, 0xfe}) || bytes.HasPrefix(head, []byte{0xfe, 0xff}) || len(head) > 1 && (head[0] == 0) != (head[1] == 0) {
		return errors.New("is UTF-16; must be UTF-8")
	}
	first := firstByte(in)
	form, known := forms[ext]
	if !known {
		form = Text
		if first == '{' || first == '[' {
			form = JSONLines
		}
	}
	if s.form = form; form == JSONLines && first == '[' {
		return errors.New("is an array; must be JSON lines, one object a line (jq -c '.[]' makes them)")
	}
	return nil
}

// firstByte returns the first byte that is not a blank, after a byte order mark;
// 0 if there is none.
func firstByte(in *bufio.Reader) byte {
	if head, _ := in.Peek(len(bom)); string(head) == bom {
		in.Discard(len(bom))
	}
	for {
		b, err := in.ReadByte()
		if err != nil {
			return 0
		}
		if b != ' ' && b != '\t' && b != '\r' && b != '\n' {
			return b
		}
	}
}

// IsSet reports whether a text is a set in JSON lines: its first line that is
// not blank is an object with a prompt.
func IsSet(text []byte) bool {
	text = bytes.TrimSpace(bytes.TrimPrefix(text, []byte(bom)))
	line, _, _ := bytes.Cut(text, []byte("\n"))
	members, err := check.Fields(line)
	if err != nil {
		return false
	}
	for _, m := range members {
		if fields[m.Name] == nil {
			return false
		}
	}
	return slices.ContainsFunc(members, func(f check.Field) bool {
		return f.Name == "prompt" || f.Name == "messages" || f.Name == "tokens"
	})
}

const bom = "\ufeff"

// A BadLine is a line of a set and what is wrong with it.
type BadLine struct {
	Line int // from 1; 0 for what no file has
	Err  error
}

// A BadError lists the first [MaxBad] bad lines of a set, and says how many
// more there are.
type BadError struct {
	Lines []BadLine
	More  int
}

// Error has a line for each.
func (e *BadError) Error() string { return errors.Join(e.Unwrap()...).Error() }

// Unwrap returns the errors with their lines.
func (e *BadError) Unwrap() (list []error) {
	for _, l := range e.Lines {
		if l.Line > 0 {
			l.Err = fmt.Errorf("line %d: %w", l.Line, l.Err)
		}
		list = append(list, l.Err)
	}
	if e.More > 0 {
		list = append(list, fmt.Errorf("and %d more", e.More))
	}
	return list
}

// Add adds what is wrong with a line.
func (e *BadError) Add(line int, err error) {
	if len(e.Lines) < MaxBad {
		e.Lines = append(e.Lines, BadLine{line, err})
	} else {
		e.More++
	}
}

// ErrNone says that a set has no prompts.
var ErrNone = errors.New("no prompts")

// Check reads the whole set and returns how many prompts it has. The error is
// a *BadError, [ErrNone], or what keeps the file from being read.
func (s *Set) Check() (int, error) {
	bad := &BadError{}
	n := 0
	ids := map[[16]byte]bool{}
	err := s.each(func(p Prompt, line int, err error) error {
		n++
		if err == nil {
			sum := sha256.Sum256([]byte(p.ID))
			key := [16]byte(sum[:16])
			if ids[key] {
				err = fmt.Errorf("id %s stands twice", strconv.Quote(p.ID))
			}
			ids[key] = true
		}
		if err != nil {
			bad.Add(line, err)
		}
		return nil
	})
	switch {
	case err != nil:
		return 0, err
	case len(bad.Lines) > 0:
		return 0, bad
	case n == 0:
		return 0, ErrNone
	}
	return n, nil
}

// Each calls f with every prompt in order, until it returns an error. The set
// must have passed [Set.Check]; what is wrong with it since is an error that
// names the line.
func (s *Set) Each(f func(i int, p Prompt) error) error {
	i := 0
	return s.each(func(p Prompt, line int, err error) error {
		if err != nil {
			return fmt.Errorf("line %d: %w", line, err)
		}
		i++
		return f(i-1, p)
	})
}

// A visit takes a prompt or what is wrong with it.
type visit func(p Prompt, line int, err error) error

func (s *Set) each(f visit) error {
	if s.open == nil {
		for _, p := range s.given {
			if err := f(p, 0, nil); err != nil {
				return err
			}
		}
		return nil
	}
	r, err := s.open()
	if err != nil {
		return err
	}
	defer r.Close()
	in := &lines{in: bufio.NewReaderSize(r, 1<<16)}
	if head, _ := in.in.Peek(len(bom)); string(head) == bom {
		in.in.Discard(len(bom))
	}
	switch s.form {
	case CSV:
		return s.table(in, ',', f)
	case TSV:
		return s.table(in, '\t', f)
	case Text:
		return s.texts(in, f)
	}
	return s.jsonLines(in, f)
}

// lines reads lines and counts them.
type lines struct {
	in *bufio.Reader
	n  int // number of the line that was read last
}

var (
	errLong = fmt.Errorf("longer than %d MiB", MaxPrompt>>20)
	errUTF8 = errors.New("is not UTF-8")
)

// next returns the next line without its end; the end is LF or CR LF, and whole
// says whether there was one. A line that is too long is skipped, and is
// errLong; io.EOF is the end of the file.
func (l *lines) next() (line []byte, whole bool, err error) {
	long := false
	for {
		part, err := l.in.ReadSlice('\n')
		if len(line)+len(part) > MaxPrompt+2 {
			long, line = true, line[:0]
		}
		if !long {
			line = append(line, part...)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if err == io.EOF && len(line) == 0 && !long {
			return nil, false, io.EOF
		}
		if err != nil && err != io.EOF {
			return nil, false, err
		}
		l.n++
		whole = err == nil
		break
	}
	if long {
		return nil, whole, errLong
	}
	line = bytes.TrimSuffix(line, []byte("\n"))
	if whole {
		line = bytes.TrimSuffix(line, []byte("\r"))
	}
	return line, whole, nil
}

// jsonLines reads one object a line.
func (s *Set) jsonLines(in *lines, f visit) error {
	for number := 1; ; {
		line, _, err := in.next()
		switch {
		case err == io.EOF:
			return nil
		case err != nil && err != errLong:
			return err
		case err == nil && len(bytes.TrimSpace(line)) == 0:
			continue
		}
		var p Prompt
		if err == nil && !utf8.Valid(line) {
			err = errUTF8
		}
		if err == nil {
			p, err = s.object(line)
		}
		if p.ID == "" {
			p.ID = strconv.Itoa(number)
		}
		p.Line = in.n
		number++
		if err := f(p, in.n, err); err != nil {
			return err
		}
	}
}

// texts reads prompts that lines of three hyphens part.
func (s *Set) texts(in *lines, f visit) error {
	var block []byte
	var bad error
	first, badLine, number := 1, 0, 1
	give := func() error {
		text := string(bytes.TrimSuffix(block, []byte("\n")))
		p, line, err := Prompt{Text: text, ID: strconv.Itoa(number), Line: first}, first, bad
		if err == nil && strings.TrimSpace(text) == "" {
			return nil
		}
		if err != nil {
			line = badLine
		}
		number++
		return f(p, line, err)
	}
	for {
		line, whole, err := in.next()
		if err == io.EOF {
			return give()
		}
		if err != nil && err != errLong {
			return err
		}
		if err == nil && bytes.HasPrefix(line, []byte("---")) && len(bytes.Trim(line[3:], " \t")) == 0 {
			if err := give(); err != nil {
				return err
			}
			block, bad, first = block[:0], nil, in.n+1
			continue
		}
		if err == nil && !utf8.Valid(line) {
			err = errUTF8
		}
		if err == nil {
			var text string
			if text, err = fill("", string(line), nil); err == nil {
				line = []byte(text)
			}
		}
		if err == nil && len(block)+len(line) > MaxPrompt {
			err = errLong
		}
		if err != nil && bad == nil {
			bad, badLine = err, in.n
		}
		if bad == nil {
			block = append(block, line...)
			if whole {
				block = append(block, '\n')
			}
		}
	}
}
