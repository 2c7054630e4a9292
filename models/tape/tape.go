// Package tape answers: what did the model say then? It answers where a model
// would, from a file: a recorded run, or the log probabilities that a server sent and somebody saved. What was
// recorded can be decoded again, under any settings, as far as the rows that
// the file holds allow; off the recorded road it says so.
//
// It owns the lines "pieces" and "row" of a run file and reads of the others
// what a model needs; package engine/record has all lines.
package tape

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"logitscope/models"
)

// A Model is what one lane of a recording says of its model.
type Model struct {
	info     models.Info
	sum      string // SHA-256 of the recorded model's file, in hex; empty if the file does not say it
	vocab    *Vocab
	lane     int
	root     node
	prompts  []prompt
	branches map[int][]*node // of the run being read: the nodes of its tokens, that of the prompt first
	full     bool            // every row is whole
	rows     int
}

type prompt struct {
	text   string
	tokens []int32
	end    *node
}

// A node is a text that was recorded: the tokens from the root to it.
type node struct {
	depth int // tokens
	next  map[int32]*node
	row   *Row // after it; nil if none was recorded
}

func (n *node) child(token int32) *node {
	c := n.next[token]
	if c == nil {
		c = &node{depth: n.depth + 1}
		if n.next == nil {
			n.next = map[int32]*node{}
		}
		n.next[token] = c
	}
	return c
}

// SecondRow implements [models.Rememberer].
func (m *Model) SecondRow(tokens []int32, of string) []float32 {
	if r := m.RowAfter(tokens); r != nil && r.SecondOf == of {
		return r.Second
	}
	return nil
}

// Facts are what the recording says of the model that it was made with; see
// [models.Describer].
func (m *Model) Facts() []models.Fact {
	return []models.Fact{{Name: "recorded from", Value: m.sum}}
}

// Open opens the recording in the file path, or its lane N for path#N. The
// error begins with the path.
func Open(path string) (*Model, error) {
	name, lane := path, 0
	if _, err := os.Stat(path); err != nil {
		if i := strings.LastIndexByte(path, '#'); i > 0 {
			if n, err := strconv.Atoi(path[i+1:]); err == nil {
				name, lane = path[:i], n
			}
		}
	}
	f, err := models.OpenFile(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	all, err := readAny(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	for _, m := range all {
		if lane == 0 || m.lane == lane {
			return m, nil
		}
	}
	return nil, fmt.Errorf("%s: no lane %d; it has %d", name, lane, len(all))
}

// readAny reads a run file, or, if it is none, the saved responses of a server.
func readAny(f io.ReadSeeker) ([]*Model, error) {
	all, err := Read(f)
	var none *notRunError
	if !errors.As(err, &none) {
		return all, err
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	if all, ferr := Foreign(f); ferr == nil {
		return all, nil
	} else if none.json {
		return nil, ferr
	}
	return nil, err
}

// A notRunError says that a file is no run file.
type notRunError struct {
	json bool
	form string // that the file is in instead, as far as its first bytes tell
}

func (e *notRunError) Error() string {
	return "not a recording: " + cmp.Or(e.form, "want a line of type run first")
}

// forms are what a recording may have become on its way, by how they begin.
var forms = map[string]string{
	"\x1f\x8b":   "is packed by gzip; unpack it first",
	"PK\x03\x04": "is packed as zip; unpack it first",
	"\xff\xfe":   "is UTF-16; must be UTF-8",
	"\xfe\xff":   "is UTF-16; must be UTF-8",
}

// formOf is the form that a file is in which begins so, empty if that is not
// known.
func formOf(begin []byte) string {
	for head, form := range forms {
		if bytes.HasPrefix(begin, []byte(head)) {
			return form
		}
	}
	return ""
}

// Read reads a recording, one model a lane, in the order of their first lines.
// A last line that was cut off is left out.
func Read(r io.Reader) ([]*Model, error) {
	var d Decoder
	if err := Lines(r, d.Line); err != nil && !errors.Is(err, ErrCut) {
		return nil, err
	}
	return d.Models()
}

// Info describes the recorded model. Caps.TopN is how many tokens its largest
// partial row names, 0 if all are whole.
func (m *Model) Info() models.Info { return m.info }

// Vocab returns the tokens that the recording names.
func (m *Model) Vocab() models.Vocab { return m.vocab }

// Lane returns the lane that the recording is of, 0 if there is only one.
func (m *Model) Lane() int { return m.lane }

// Whole reports whether every recorded row has a value for every token.
func (m *Model) Whole() bool { return m.full && m.rows > 0 }

// Rows returns the number of rows.
func (m *Model) Rows() int { return m.rows }

// Prompt returns the prompt of the first run.
func (m *Model) Prompt() (text string, tokens []int32) {
	if len(m.prompts) == 0 {
		return "", nil
	}
	return m.prompts[0].text, m.prompts[0].tokens
}

// Close does nothing: the file was read when it was opened.
func (m *Model) Close() error { return nil }

// NewSession returns an empty session.
func (m *Model) NewSession() (models.Session, error) {
	return &session{m: m, path: []*node{&m.root}}, nil
}

// RowAfter returns what the recording has after tokens, nil if nothing.
func (m *Model) RowAfter(tokens []int32) *Row {
	at := &m.root
	for _, id := range tokens {
		if at = at.next[id]; at == nil {
			return nil
		}
	}
	return at.row
}

// A NotRecordedError says where a text leaves the recorded road.
type NotRecordedError struct {
	Pos   int      // tokens generated before the one that was not recorded
	Token string   // its text; empty if no text goes on from here
	Have  []string // the texts of the tokens that were
	End   bool     // the recording ends here

	// Prompts are those that were recorded, where the text leaves the road
	// before the end of any.
	Prompts []string
}

func (e *NotRecordedError) Error() string {
	switch {
	case len(e.Prompts) > 0:
		return "this prompt was not recorded, only " + quoted(e.Prompts)
	case e.End:
		return fmt.Sprintf("the recording ends after token %d", e.Pos)
	case len(e.Have) == 0:
		return fmt.Sprintf("this road was not recorded: nothing follows token %d", e.Pos)
	}
	return fmt.Sprintf("this road was not recorded: at token %d only %s, not %q", e.Pos+1, quoted(e.Have), e.Token)
}

// longestQuote is how many bytes of a text an error shows.
const longestQuote = 80

// quoted lists texts: "a", "b" and "c".
func quoted(texts []string) string {
	list := make([]string, len(texts))
	for i, s := range texts {
		if list[i] = strconv.Quote(s); len(s) > longestQuote {
			list[i] = strconv.Quote(strings.ToValidUTF8(s[:longestQuote], "")) + "…"
		}
	}
	n := len(list) - 1
	if n == 0 {
		return list[0]
	}
	return strings.Join(list[:n], ", ") + " and " + list[n]
}

// A session is a place in the recording.
type session struct {
	m    *Model
	path []*node // the root first
}

func (s *session) Len() int { return len(s.path) - 1 }

// Forward walks on. What was not recorded is a [NotRecordedError].
func (s *session) Forward(ctx context.Context, tokens []int32, want int) ([]models.Logits, error) {
	if len(tokens) == 0 || want < 0 || want > len(tokens) {
		panic("tape: Forward of nothing, or of fewer tokens than rows")
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if limit := s.m.info.ContextLen; limit > 0 && s.Len()+len(tokens) > limit {
		return nil, fmt.Errorf("%d tokens: %w", s.Len()+len(tokens), models.ErrContextFull)
	}
	path := s.path
	var rows []models.Logits
	for i, id := range tokens {
		at := path[len(path)-1]
		next := at.next[id]
		if next == nil {
			return nil, s.m.off(path, id)
		}
		path = append(path[:len(path):len(path)], next)
		if i < len(tokens)-want {
			continue
		}
		if next.row == nil {
			return nil, &NotRecordedError{Pos: s.m.generated(next), End: len(next.next) == 0}
		}
		rows = append(rows, next.row.Logits())
	}
	s.path = path
	return rows, nil
}

// generated returns how many of the tokens to at follow a prompt.
func (m *Model) generated(at *node) int {
	n := 0
	for _, p := range m.prompts {
		if len(p.tokens) <= at.depth {
			n = max(n, len(p.tokens))
		}
	}
	return at.depth - n
}

// maxHave is how many tokens an error names.
const maxHave = 4

// off says that id does not follow the text of path.
func (m *Model) off(path []*node, id int32) error {
	at := path[len(path)-1]
	e := &NotRecordedError{Pos: m.generated(at), Token: m.vocab.Piece(id)}
	if !slices.ContainsFunc(m.prompts, func(p prompt) bool { return slices.Contains(path, p.end) }) {
		for _, p := range m.prompts {
			if p.text != "" && !slices.Contains(e.Prompts, p.text) && len(e.Prompts) < maxHave {
				e.Prompts = append(e.Prompts, p.text)
			}
		}
	}
	for _, b := range sortedKeys(at.next) {
		if e.Have = append(e.Have, m.vocab.Piece(b)); len(e.Have) == maxHave {
			break
		}
	}
	return e
}

func (s *session) Truncate(n int) {
	if n < 0 || n > s.Len() {
		panic(fmt.Sprintf("tape: Truncate(%d) of %d tokens", n, s.Len()))
	}
	s.path = s.path[: n+1 : n+1]
}

func (s *session) Fork() (models.Session, error) {
	return &session{s.m, s.path[:len(s.path):len(s.path)]}, nil
}

func (s *session) Close() error { return nil }
