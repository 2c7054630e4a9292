package reading

import (
	"fmt"
	"strings"

	"logitscope/engine"
	"logitscope/engine/score"
	"logitscope/models"
	"logitscope/models/tape"
	"logitscope/models/tape/logprobs"
	"logitscope/viz"
)

// A saved is a response that a server sent with log probabilities and somebody
// saved: its rows are as recorded, and what the file does not say stays unknown.
type saved struct {
	*logprobs.Response
	model *tape.Model
	rows  int // the most tokens that a list of the file names
	bytes int // of the tokens that have a value; -1 if some are not known
}

// openSaved finds saved responses by their content. An error says that there
// are none.
func openSaved(text string) (all []*saved, err error) {
	f, err := logprobs.Read(strings.NewReader(text))
	if err != nil {
		return nil, err
	}
	for _, r := range f.Responses {
		s := &saved{Response: r}
		if s.model, err = tape.OfResponse(r); err != nil {
			return nil, err
		}
		for i := range r.Tokens {
			t := &r.Tokens[i]
			if s.rows = max(s.rows, len(t.Top)); t.Has() {
				s.rows = max(s.rows, 1)
			}
			switch {
			case !t.Has() || t.Special || s.bytes < 0:
			case t.Bytes == nil:
				s.bytes = -1
			default:
				s.bytes += len(t.Bytes)
			}
		}
		all = append(all, s)
	}
	return all, nil
}

// input is the response as a text under its own rows and the values of
// settings: their tokens are named anew, since a file has ids of its own. A
// watermark, whose lists are of ids, stays out.
func (s *saved) input(set *engine.Settings) (score.Input, error) {
	set, err := engine.NewCompiler(s.model).Settings(set.Config().Without("watermark_bias"), "")
	if err != nil {
		return score.Input{}, err
	}
	_, prompt := s.model.Prompt()
	return score.Input{
		Law: score.Law{Model: s.model, Pipeline: set.Pipeline}, BOS: models.NoToken,
		Prefix: prompt, Text: s.model.Road(), Gaps: true,
	}, nil
}

// holds says what the file has of a step.
func (s *saved) holds() string {
	return fmt.Sprintf("this file holds %s a step", viz.Plural(s.rows, "row"))
}
