package score

import (
	"context"
	"fmt"
	"slices"

	"logitscope/models"
	"logitscope/sampling"
)

// Windows returns in how many windows the text is read.
func (in *Input) Windows() int {
	r := &reader{in: *in, all: append(slices.Clip(in.Prefix), in.Text...)}
	return len(windows(len(r.all), r.context(), max(len(in.Prefix), 1)))
}

// At returns what the settings act on at token at of the text, from 1: the row
// of the law's model after the tokens before it in its window, and those tokens.
// It runs the model over the window.
func (in *Input) At(ctx context.Context, at int) (sampling.Input, error) {
	r := &reader{in: *in, all: append(slices.Clip(in.Prefix), in.Text...)}
	place := len(in.Prefix) + at - 1
	if at < 1 || at > len(in.Text) || place == 0 {
		return sampling.Input{}, fmt.Errorf("no row before token %d", at)
	}
	for _, win := range windows(len(r.all), r.context(), max(len(in.Prefix), 1)) {
		if place < win.from || place >= win.to {
			continue
		}
		s, err := in.Law.Model.NewSession()
		if err != nil {
			return sampling.Input{}, err
		}
		defer s.Close()
		tokens := slices.Clone(r.all[win.start:place])
		if win.start > 0 && in.BOS != models.NoToken {
			tokens[0] = in.BOS
		}
		most := chunk(in.Law.Model.Info().VocabSize)
		for i := 0; i < len(tokens); i += most {
			part := tokens[i:min(i+most, len(tokens))]
			want := 0
			if i+most >= len(tokens) {
				want = 1
			}
			rows, err := s.Forward(ctx, part, want)
			if err != nil {
				return sampling.Input{}, err
			}
			if want == 1 {
				row := models.Logits{IDs: slices.Clone(rows[0].IDs), Values: slices.Clone(rows[0].Values), Rest: rows[0].Rest}
				x := r.input(place, row, sampling.State{})
				x.Grows = false
				return x, nil
			}
		}
	}
	return sampling.Input{}, fmt.Errorf("token %d stands in no window", at)
}
