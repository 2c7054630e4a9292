// Package tape answers where a model would, from a file: a recorded run, or
// the log probabilities that a server sent and somebody saved. What was
// recorded can be decoded again, under any settings, as far as the rows that
// the file holds allow; off the recorded road it says so.
//
// It owns the lines "pieces" and "row" of a run file and reads of the others
// what a model needs; package engine/record has all lines.
package tape

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"strings"

	"logitscope/models"
)

// A Model is what one lane of a recording says of its model.
type Model struct {
	info     models.Info
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
type notRunError struct{ json bool }

func (*notRunError) Error() string { return "not a recording: want a line of type run first" }

// Read reads a recording, one model a lane, in the order of their first lines.
// A last line that was cut off is left out.
func Read(r io.Reader) ([]*Model, error) {
	var d Decoder
	if err := Lines(r, d.Line); err != nil && !errors.Is(err, ErrCut) {
		return nil, err
	}
	return d.Models()
}

// A Decoder makes models from the lines of a run file. The zero value is
// ready.
type Decoder struct {
	lanes []*Model
}

// Models returns what was read, an error if that is nothing.
func (d *Decoder) Models() ([]*Model, error) {
	if len(d.lanes) == 0 {
		return nil, &notRunError{}
	}
	return d.lanes, nil
}

// Lane returns the model of a lane, nil if there is none.
func (d *Decoder) Lane(n int) *Model {
	for _, m := range d.lanes {
		if m.lane == n {
			return m
		}
	}
	return nil
}

// A RunLine is what a model needs of a run line.
type RunLine struct {
	Lane   int `json:"lane"`
	Model  Head
	Prompt string  `json:"prompt"`
	Tokens []int32 `json:"prompt_tokens"`
}

// A Head is what a run file says of its model.
type Head struct {
	Name       string  `json:"name"`
	Arch       string  `json:"arch"`
	Vocab      int     `json:"vocab"`
	Context    int     `json:"context"`
	EOG        []int32 `json:"eog,omitempty"`
	Normalised bool    `json:"normalised,omitempty"` // rows are log-probabilities
}

// A Pieces is the line that names tokens: a run of ids from From, or those of
// IDs.
type Pieces struct {
	Type   string   `json:"type"` // "pieces"
	Lane   *int     `json:"lane,omitempty"`
	From   int32    `json:"from"`
	IDs    []int32  `json:"ids,omitempty"`
	Base64 []string `json:"base64"`
	Attr   []byte   `json:"attr,omitempty"` // [models.Attr] of each; all normal where left out
}

// Texts is the line that says how the model splits texts of the settings.
type Texts struct {
	Type  string `json:"type"` // "texts"
	Lane  *int   `json:"lane,omitempty"`
	Texts []Text `json:"texts"`
}

// A Text is a text and its tokens.
type Text struct {
	Base64 string  `json:"base64"`
	Tokens []int32 `json:"tokens"`
}

// A stepLine is what a model needs of a step line.
type stepLine struct {
	Lane   int     `json:"lane"`
	Branch int     `json:"branch"`
	Pos    int     `json:"pos"`
	Token  int32   `json:"token"`
	Piece  string  `json:"piece"`
	Bytes  *string `json:"bytes"`
	Row    *Row    `json:"row"`
	Rest   float64 `json:"rest"`
	Top    []struct {
		Token   int32    `json:"token"`
		Piece   string   `json:"piece"`
		Bytes   *string  `json:"bytes"`
		RawProb *float64 `json:"raw_prob"`
	} `json:"top"`
}

type branchLine struct {
	Lane int `json:"lane"`
	ID   int `json:"id"`
	From int `json:"from"`
	Keep int `json:"keep"`
}

// Line takes the next line. Lines that say nothing of the model are passed
// over.
func (d *Decoder) Line(l Line) error {
	if len(d.lanes) == 0 && l.Type != "run" {
		return &notRunError{true}
	}
	switch l.Type {
	case "run":
		return d.run(l)
	case "pieces":
		return d.pieces(l)
	case "texts":
		return d.texts(l)
	case "branch":
		return d.branch(l)
	case "step":
		return d.step(l)
	case "next":
		return d.next(l)
	}
	return nil
}

func (d *Decoder) run(l Line) error {
	var r RunLine
	if err := l.Decode(&r); err != nil {
		return err
	}
	h := &r.Model
	switch {
	case h.Vocab < 1 || h.Vocab > maxVocab:
		return fmt.Errorf("model.vocab: %d is out of range, 1 to %d", h.Vocab, maxVocab)
	case h.Context < 0 || h.Context > math.MaxInt32:
		return fmt.Errorf("model.context: %d is out of range, 0 to %d", h.Context, math.MaxInt32)
	}
	for _, list := range []struct {
		name string
		ids  []int32
	}{{"prompt_tokens", r.Tokens}, {"model.eog", h.EOG}} {
		for _, id := range list.ids {
			if id < 0 || int(id) >= h.Vocab {
				return fmt.Errorf("%s: %d is out of range, 0 to %d", list.name, id, h.Vocab-1)
			}
		}
	}
	m := d.Lane(r.Lane)
	if m == nil {
		if len(d.lanes) == maxLanes {
			return fmt.Errorf("lane: more than %d lanes", maxLanes)
		}
		m = &Model{lane: r.Lane, full: true, vocab: newVocab(h.Vocab, h.EOG)}
		m.info = models.Info{
			Name: h.Name, Arch: h.Arch, ContextLen: h.Context, VocabSize: h.Vocab,
			Caps: models.Caps{Normalised: h.Normalised},
		}
		m.vocab.of = m
		d.lanes = append(d.lanes, m)
	} else if m.info.VocabSize != h.Vocab || m.info.Name != h.Name {
		return fmt.Errorf("model: another one than before in this lane: %s of %d tokens, was %s of %d", h.Name, h.Vocab, m.info.Name, m.info.VocabSize)
	}
	m.begin(r.Prompt, r.Tokens)
	return nil
}

// begin begins a run of the model.
func (m *Model) begin(text string, tokens []int32) {
	at := &m.root
	for _, id := range tokens {
		at = at.child(id)
	}
	m.prompts = append(m.prompts, prompt{text, tokens, at})
	m.branches = map[int][]*node{1: {at}}
}

// lane returns the model that a line is of.
func (d *Decoder) lane(n int) (*Model, error) {
	if m := d.Lane(n); m != nil {
		return m, nil
	}
	return nil, fmt.Errorf("lane: %d has no run line", n)
}

func (d *Decoder) pieces(l Line) error {
	var p Pieces
	if err := l.Decode(&p); err != nil {
		return err
	}
	lane := 0
	if p.Lane != nil {
		lane = *p.Lane
	}
	m, err := d.lane(lane)
	if err != nil {
		return err
	}
	switch {
	case p.IDs != nil && len(p.IDs) != len(p.Base64):
		return fmt.Errorf("pieces: %d ids and %d texts", len(p.IDs), len(p.Base64))
	case p.Attr != nil && len(p.Attr) != len(p.Base64):
		return fmt.Errorf("pieces: %d kinds and %d texts", len(p.Attr), len(p.Base64))
	}
	for i, s := range p.Base64 {
		id := int64(p.From) + int64(i)
		if p.IDs != nil {
			id = int64(p.IDs[i])
		}
		if id < 0 || id >= int64(m.info.VocabSize) {
			return fmt.Errorf("pieces: %d is out of range, 0 to %d", id, m.info.VocabSize-1)
		}
		text, err := base64.StdEncoding.DecodeString(s)
		if err != nil {
			return fmt.Errorf("pieces: the text of %d is not base64", id)
		}
		attr := models.Normal
		if p.Attr != nil {
			attr = models.Attr(p.Attr[i])
		}
		if attr > models.Unused {
			return fmt.Errorf("pieces: %d is of no kind there is (%d)", id, attr)
		}
		m.vocab.set(int32(id), string(text), attr)
	}
	return nil
}

func (d *Decoder) texts(l Line) error {
	var t Texts
	if err := l.Decode(&t); err != nil {
		return err
	}
	lane := 0
	if t.Lane != nil {
		lane = *t.Lane
	}
	m, err := d.lane(lane)
	if err != nil {
		return err
	}
	for _, x := range t.Texts {
		text, err := base64.StdEncoding.DecodeString(x.Base64)
		if err != nil {
			return errors.New("texts: one is not base64")
		}
		for _, id := range x.Tokens {
			if id < 0 || int(id) >= m.info.VocabSize {
				return fmt.Errorf("texts: %d is out of range, 0 to %d", id, m.info.VocabSize-1)
			}
		}
		m.vocab.texts[string(text)] = x.Tokens
	}
	return nil
}

func (d *Decoder) branch(l Line) error {
	var b branchLine
	if err := l.Decode(&b); err != nil {
		return err
	}
	m, err := d.lane(b.Lane)
	if err != nil {
		return err
	}
	from := m.branches[b.From]
	switch {
	case from == nil:
		return fmt.Errorf("branch: from %d, which does not come before it", b.From)
	case m.branches[b.ID] != nil:
		return fmt.Errorf("branch: %d stands twice", b.ID)
	case b.Keep < 0 || b.Keep >= len(from):
		return fmt.Errorf("branch: keeps %d tokens, branch %d has %d", b.Keep, b.From, len(from)-1)
	}
	m.branches[b.ID] = from[: b.Keep+1 : b.Keep+1]
	return nil
}

func (d *Decoder) step(l Line) error {
	var s stepLine
	if err := l.Decode(&s); err != nil {
		return err
	}
	m, err := d.lane(s.Lane)
	if err != nil {
		return err
	}
	if s.Branch == 0 {
		s.Branch = 1
	}
	path := m.branches[s.Branch]
	if path == nil {
		return fmt.Errorf("branch: %d does not come before it", s.Branch)
	}
	at := path[len(path)-1]
	switch {
	case s.Pos != at.depth:
		return fmt.Errorf("pos: %d, want %d", s.Pos, at.depth)
	case s.Token < 0 || int(s.Token) >= m.info.VocabSize:
		return fmt.Errorf("token: %d is out of range, 0 to %d", s.Token, m.info.VocabSize-1)
	}
	if err := m.name(s.Token, s.Piece, s.Bytes); err != nil {
		return err
	}
	row, err := m.rowOf(&s)
	if err != nil {
		return err
	}
	if row != nil && (at.row == nil || len(at.row.Values) < len(row.Values)) {
		at.row = row
		m.count(row)
	}
	m.branches[s.Branch] = append(path, at.child(s.Token))
	return nil
}

// next takes the row of a token that was not written.
func (d *Decoder) next(l Line) error {
	var s stepLine
	if err := l.Decode(&s); err != nil {
		return err
	}
	m, err := d.lane(s.Lane)
	if err != nil {
		return err
	}
	path := m.branches[max(s.Branch, 1)]
	if path == nil {
		return fmt.Errorf("branch: %d does not come before it", s.Branch)
	}
	at := path[len(path)-1]
	if s.Pos != at.depth || s.Row == nil {
		return fmt.Errorf("pos: %d without a row, or not %d", s.Pos, at.depth)
	}
	if err := s.Row.Check(m.info.VocabSize); err != nil {
		return err
	}
	if at.row == nil {
		at.row = s.Row
		m.count(at.row)
	}
	return nil
}

// rowOf returns the row of a step: its own, or what its best tokens tell.
func (m *Model) rowOf(s *stepLine) (*Row, error) {
	for i := range s.Top {
		t := &s.Top[i]
		if t.Token < 0 || int(t.Token) >= m.info.VocabSize {
			return nil, fmt.Errorf("top: %d is out of range, 0 to %d", t.Token, m.info.VocabSize-1)
		}
		if err := m.name(t.Token, t.Piece, t.Bytes); err != nil {
			return nil, err
		}
	}
	if s.Row != nil {
		return s.Row, s.Row.Check(m.info.VocabSize)
	}
	if len(s.Top) == 0 {
		return nil, nil
	}
	r := &Row{Scores: true, Rest: 1}
	seen := map[int32]bool{}
	for _, t := range s.Top {
		if t.RawProb == nil {
			continue
		}
		p := *t.RawProb
		switch {
		case !(p >= 0 && p <= 1):
			return nil, fmt.Errorf("top: raw_prob %v is out of range, 0 to 1", p)
		case seen[t.Token]:
			return nil, fmt.Errorf("top: %d stands twice", t.Token)
		}
		seen[t.Token] = true
		if p > 0 {
			r.IDs, r.Values, r.Rest = append(r.IDs, t.Token), append(r.Values, float32(math.Log(p))), r.Rest-p
		}
	}
	if r.Rest < -1e-3 {
		return nil, fmt.Errorf("top: the raw probabilities come to %.4g", 1-r.Rest)
	}
	if len(r.Values) == 0 {
		return nil, nil
	}
	r.Rest = min(max(r.Rest, 0), 1-1e-7)
	if r.Rest < 1e-6 && len(r.IDs) < m.info.VocabSize {
		r.Rest = 1e-7 // rounding hides it, but there are others
	}
	all := All(r.Logits(), true)
	return &all, nil
}

func (m *Model) count(r *Row) {
	m.rows++
	if r.Whole() {
		return
	}
	m.full = false
	m.info.Caps.TopN = max(m.info.Caps.TopN, len(r.Values))
	m.info.Caps.Normalised = m.info.Caps.Normalised || r.Scores
}

// name notes the text of a token, as steps and best tokens give it.
func (m *Model) name(id int32, piece string, bytes *string) error {
	if bytes != nil {
		b, err := base64.StdEncoding.DecodeString(*bytes)
		if err != nil {
			return fmt.Errorf("bytes: those of token %d are not base64", id)
		}
		piece = string(b)
	}
	if m.vocab.known(id) {
		return nil
	}
	attr := models.Normal
	if m.vocab.ends(id) {
		attr = models.Control
	}
	m.vocab.set(id, piece, attr)
	return nil
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
}

func (e *NotRecordedError) Error() string {
	switch {
	case e.End:
		return fmt.Sprintf("the recording ends after token %d", e.Pos)
	case len(e.Have) == 0:
		return fmt.Sprintf("this road was not recorded: nothing follows token %d", e.Pos)
	}
	have := make([]string, len(e.Have))
	for i, s := range e.Have {
		have[i] = strconv.Quote(s)
	}
	list := have[0]
	if n := len(have) - 1; n > 0 {
		list = strings.Join(have[:n], ", ") + " and " + have[n]
	}
	return fmt.Sprintf("this road was not recorded: at token %d only %s, not %q", e.Pos+1, list, e.Token)
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
			return nil, s.m.off(at, id)
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

func (m *Model) off(at *node, id int32) error {
	e := &NotRecordedError{Pos: m.generated(at), Token: m.vocab.Piece(id)}
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
