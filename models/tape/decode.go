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
		return &notRunError{json: true}
	}
	if read := lines[l.Type]; read != nil {
		return read(d, l)
	}
	return nil
}

// lines are the readers of lines, by type.
var lines = map[string]func(*Decoder, Line) error{
	"run":    (*Decoder).run,
	"pieces": of((*Model).pieces, func(p *Pieces) *int { return p.Lane }),
	"texts":  of((*Model).texts, func(t *Texts) *int { return t.Lane }),
	"branch": of((*Model).branch, func(b *branchLine) *int { return &b.Lane }),
	"step":   of((*Model).step, func(s *stepLine) *int { return &s.Lane }),
	"next":   of((*Model).next, func(s *stepLine) *int { return &s.Lane }),
}

// of returns the reader of a line about the model of one lane: the one it names,
// the first if it names none.
func of[V any](take func(m *Model, v *V) error, lane func(*V) *int) func(*Decoder, Line) error {
	return func(d *Decoder, l Line) error {
		var v V
		if err := l.Decode(&v); err != nil {
			return err
		}
		n := 0
		if at := lane(&v); at != nil {
			n = *at
		}
		m, err := d.lane(n)
		if err != nil {
			return err
		}
		return take(m, &v)
	}
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

func (m *Model) pieces(p *Pieces) error {
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

func (m *Model) texts(t *Texts) error {
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

func (m *Model) branch(b *branchLine) error {
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
