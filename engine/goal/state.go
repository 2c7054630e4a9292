package goal

import (
	"logitscope/engine"
	"logitscope/models"
	"logitscope/sampling"
)

// A Lane is what expressions know of one lane. It is a value.
type Lane struct {
	View  engine.View
	Model models.Model

	// Compile makes settings for the lane's model, as [engine.Compiler.Settings]
	// does, for at(…). It may be nil: then at(…) is undefined.
	Compile func(cfg sampling.Config, label string) (*engine.Settings, error)

	// Settings are those in force, if they are newer than those of View; nil
	// for those of View.
	Settings *engine.Settings

	// Words are tokens by their pieces, for those that are known: a server is
	// asked for the others. A negative id means no token.
	Words map[string]int32

	// Look is the step looked at, from 1; 0 is the last one.
	Look int

	// Proposal says that the token proposed counts as decoded. It does not
	// where a lesson begins before the first token.
	Proposal bool
}

// Facts are what the screen alone knows, each latched since the task began.
type Facts struct {
	Opened    []string // views that were opened, as a lesson names them
	Exported  []string // formats that settings were exported to
	Drew      int      // draws made of one step
	Looked    bool     // the reader looked back
	Voted     bool     // the reader placed chips
	Questions int      // predictions answered so far
}

// A State is everything an expression may ask about. It is a value; nothing it
// refers to may change.
type State struct {
	Lanes []Lane // at least one
	At    int    // index of the lane that terms are about

	Base   sampling.Config // the settings that changed and only compare with
	Preset string          // the preset of Base

	Predicted Value // what the reader answered; undefined where nothing was
	Facts     Facts
}

// length returns how many tokens are decoded.
func (l Lane) length() int {
	n := len(l.View.Steps)
	switch {
	case l.View.Beam != nil:
		return len(l.View.Beam.Steps)
	case l.Proposal && l.View.Next != nil:
		n++
	}
	return n
}

// settings returns what is in force, nil before anything is.
func (l Lane) settings() *engine.Settings {
	if l.Settings != nil {
		return l.Settings
	}
	return l.View.Settings
}

// Word returns the token that a piece is, and whether it is one: encoded, it
// is one token of m whose text is the piece.
func Word(m models.Model, piece string) (id int32, ok bool) {
	v := m.Vocab()
	ids := v.Encode(piece, models.EncodeOptions{})
	if len(ids) == 1 && v.Piece(ids[0]) == piece {
		return ids[0], true
	}
	for id := range int32(v.Size()) {
		if v.Piece(id) == piece && v.Attr(id) != models.Unused {
			return id, true
		}
	}
	return models.NoToken, false
}

// Split returns the pieces that a text is of m.
func Split(m models.Model, text string) []string {
	v := m.Vocab()
	var list []string
	for _, id := range v.Encode(text, models.EncodeOptions{}) {
		list = append(list, v.Piece(id))
	}
	return list
}

// ended is why a text has ended, "" if it has not. The last token decoded may
// be one that is only proposed.
func (l Lane) ended() string {
	switch {
	case l.View.Phase == engine.Done:
		return string(l.View.Reason)
	case l.Proposal && l.View.Beam == nil && l.View.Next != nil:
		return string(l.View.EndsWith(l.Model.Vocab()))
	}
	return ""
}
