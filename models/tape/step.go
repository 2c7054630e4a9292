package tape

import (
	"encoding/base64"
	"fmt"
	"math"

	"logitscope/models"
)

// step takes a token that was written, and its row.
func (m *Model) step(s *stepLine) error {
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
	row, err := m.rowOf(s)
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
func (m *Model) next(s *stepLine) error {
	path := m.branches[max(s.Branch, 1)]
	if path == nil {
		return fmt.Errorf("branch: %d does not come before it", s.Branch)
	}
	at := path[len(path)-1]
	if s.Pos != at.depth || s.Row == nil {
		return fmt.Errorf("pos: %d without a row, or not %d", s.Pos, at.depth)
	}
	if err := s.Row.check(m.info.VocabSize); err != nil {
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
		return s.Row, s.Row.check(m.info.VocabSize)
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
