package record

import (
	"encoding/json"
	"errors"
	"io"

	"logitscope/models/tape"
)

// WithoutPrompts copies the recording r to w without what was asked: prompt,
// messages and negative prompt are empty, and each token of the prompt is one
// that says nothing. What was written, its rows, its marks and all positions
// stay, so it plays as before; [Verify] counts steps that a penalty on the
// prompt, or a negative prompt, decides. Of a recording that was cut short what
// is whole is copied.
func WithoutPrompts(w io.Writer, r io.Reader) error {
	s := sharing{w: w}
	err := tape.Lines(r, s.line)
	if errors.Is(err, tape.ErrCut) {
		return nil
	}
	return err
}

// A sharing is a copy under way.
type sharing struct {
	w    io.Writer
	runs int // so far
}

func (s *sharing) line(l tape.Line) error {
	if s.runs == 0 && l.Type != "run" {
		return errors.New("want a recording, whose first line is a run")
	}
	line := append([]byte(nil), l.Data...)
	was, err := sealingOf(line)
	if err != nil {
		return err
	}
	changed := false
	switch l.Type {
	case "run":
		changed = true
		line, err = s.run(l)
	case "set":
		var set Set
		if err = l.Decode(&set); err == nil && set.Changes["negative_prompt"] != nil {
			changed = true
			delete(set.Changes, "negative_prompt")
			line, err = encode(set)
		}
	}
	if err == nil && changed && was.check != "" {
		line, err = seal(line, was.n)
	}
	if err == nil {
		_, err = s.w.Write(append(line, '\n'))
	}
	return err
}

// run is the first line of a run without what was asked.
func (s *sharing) run(l tape.Line) ([]byte, error) {
	var run struct {
		Run
		Config map[string]json.RawMessage `json:"config"` // as it is written
	}
	if err := l.Decode(&run); err != nil {
		return nil, err
	}
	if run.Model.Vocab < 1 {
		return nil, errors.New("model.vocab: must be 1 or more")
	}
	run.Version = max(run.Version, Version)
	run.Prompt, run.Messages, run.Hidden = "", nil, true
	delete(run.Config, "negative_prompt")
	for i := range run.PromptTokens {
		run.PromptTokens[i] = int32(s.runs % run.Model.Vocab) // another one for each prompt, to tell them apart
	}
	s.runs++
	return encode(run)
}
