package record

import (
	"encoding/json"
	"fmt"
	"io"

	"logitscope/models/tape"
)

// WithoutPrompts copies the recording r to w without what was asked: prompt
// and messages are empty, and each token of the prompt is one that says
// nothing. What was written, its rows and all positions stay, so it plays as
// before; [Verify] counts steps that a penalty on the prompt decides.
func WithoutPrompts(w io.Writer, r io.Reader) error {
	runs := 0
	return tape.Lines(r, func(l tape.Line) error {
		line := append([]byte(nil), l.Data...)
		_, carried, err := checksum(line)
		if err != nil {
			return err
		}
		if runs == 0 && l.Type != "run" {
			return fmt.Errorf("want a recording, whose first line is a run")
		}
		if l.Type == "run" {
			var run struct {
				Run
				Config json.RawMessage `json:"config"` // as it is written
			}
			if err := l.Decode(&run); err != nil {
				return err
			}
			if run.Model.Vocab < 1 {
				return fmt.Errorf("model.vocab: %d is out of range, 1 or more", run.Model.Vocab)
			}
			run.Version = max(run.Version, Version)
			run.Prompt, run.Messages, run.Hidden = "", nil, true
			for i := range run.PromptTokens {
				run.PromptTokens[i] = int32(runs % run.Model.Vocab) // another one for each prompt, to tell them apart
			}
			runs++
			if line, err = encode(run); err == nil && carried != "" {
				line, err = seal(line)
			}
			if err != nil {
				return err
			}
		}
		_, err = w.Write(append(line, '\n'))
		return err
	})
}
