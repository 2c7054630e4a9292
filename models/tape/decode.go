package tape

import (
	"encoding/base64"
	"errors"
	"fmt"
	"math"
	"regexp"

	"logitscope/models"
)

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
	Version int `json:"version"`
	Lane    int `json:"lane"`
	Model   Head
	Prompt  string  `json:"prompt"`
	Tokens  []int32 `json:"prompt_tokens"`
}

// A Head is what a run file says of its model.
type Head struct {
	Name       string  `json:"name"`
	Arch       string  `json:"arch"`
	Vocab      int     `json:"vocab"`
	Context    int     `json:"context"`
	SHA256     string  `json:"sha256,omitempty"` // of the model's file, in hex
	EOG        []int32 `json:"eog,omitempty"`
	Normalised bool    `json:"normalised,omitempty"` // rows are log-probabilities

	Arith models.Arithmetic `json:"arith,omitzero"` // of a model that ran beside the program
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

// Version is the version of the run files that are written. A reader of version
// 1 finds in version 2 all that it knows.
const Version = 2

// sum is a SHA-256 in hex.
var sum = regexp.MustCompile(`^[0-9a-f]{64}$`)

func (d *Decoder) run(l Line) error {
	var r RunLine
	if err := l.Decode(&r); err != nil {
		return err
	}
	h := &r.Model
	switch {
	case r.Version > Version:
		return fmt.Errorf("version: %d is of a newer program, this one reads 1 to %d", r.Version, Version)
	case h.Vocab < 1 || h.Vocab > maxVocab:
		return fmt.Errorf("model.vocab: %d is out of range, 1 to %d", h.Vocab, maxVocab)
	case h.Context < 0 || h.Context > math.MaxInt32:
		return fmt.Errorf("model.context: %d is out of range, 0 to %d", h.Context, math.MaxInt32)
	case h.SHA256 != "" && !sum.MatchString(h.SHA256):
		return errors.New("model.sha256: want 64 hex digits in lower case")
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
		m = &Model{lane: r.Lane, full: true, sum: h.SHA256, vocab: newVocab(h.Vocab, h.EOG)}
		m.info = models.Info{
			Name: h.Name, Arch: h.Arch, ContextLen: h.Context, VocabSize: h.Vocab,
			Caps: models.Caps{Normalised: h.Normalised, Recorded: true}, Arithmetic: h.Arith,
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

// laneOf returns the model of the lane that a line names, the first if it names
// none.
func (d *Decoder) laneOf(n *int) (*Model, error) {
	if n == nil {
		return d.lane(0)
	}
	return d.lane(*n)
}

func (d *Decoder) pieces(l Line) error {
	var p Pieces
	if err := l.Decode(&p); err != nil {
		return err
	}
	m, err := d.laneOf(p.Lane)
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
	m, err := d.laneOf(t.Lane)
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
	m.keep(at, row)
	m.branches[s.Branch] = append(path, at.child(s.Token))
	return nil
}

// keep gives a node the row that says most: one with more values, and of two
// alike the one that has a second row.
func (m *Model) keep(at *node, row *Row) {
	switch {
	case row == nil:
	case at.row == nil || len(at.row.Values) < len(row.Values):
		at.row = row
		m.count(row)
	case len(at.row.Values) == len(row.Values) && at.row.Second == nil && row.Second != nil:
		at.row = row
	}
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
