package engine

import (
	"context"
	"errors"

	"logitscope/engine/speculative"
	"logitscope/models"
	"logitscope/sampling"
)

// Prover returns a prover for the next token of v, which m wrote: whether
// drafting with d and judging by a gives it the law it has without a draft.
// It runs both models over the text in sessions of its own, so it may be
// called while a lane goes on. The error names the setting that is in the way.
func (v View) Prover(ctx context.Context, m models.Model, d Draft, a speculative.Algorithm) (*speculative.Prover, error) {
	if v.Settings == nil || !d.Active() {
		return nil, errors.New("nothing to prove: no draft")
	}
	opt := speculative.Options{State: func(n int) sampling.State { return stateAfter(v.Steps, n) }, Vocab: vocabOf(m), Algorithm: a, Lookahead: d.Lookahead}
	if v.Settings.constraint != nil || v.Settings.schedule != nil {
		opt.Mask = func(output []int32) ([]uint64, bool, error) {
			return v.Settings.maskAfter(nil, output, v.Settings.limit-len(output))
		}
	}
	if v.Settings.schedule != nil {
		opt.Switch = func(output []int32) (*sampling.Pipeline, error) { return v.Settings.pipelineAfter(nil, output) }
	}
	dec, err := speculative.New(m, d.Model, v.Settings.Pipeline, nil, v.Prompt, opt)
	if err != nil {
		return nil, err
	}
	defer dec.Close()
	output := make([]int32, len(v.Steps))
	for i, s := range v.Steps {
		output[i] = s.Token
	}
	dec.Restore(output, roundsOf(v.Steps))
	return dec.Prover(ctx, a)
}
