package setup

import (
	"context"
	"fmt"

	"logitscope/engine"
	"logitscope/models"
	"logitscope/models/chat"
	"logitscope/sampling"
	"logitscope/ui/cli/console"
)

// checkPrompt refuses a prompt that the model's context cannot hold.
func (j *Job) checkPrompt() error {
	if n, limit := len(j.Prompt), j.Model.Info().ContextLen; limit > 0 && n > limit {
		return fmt.Errorf("the prompt has %d tokens, the context holds %d; cut %d or more, or load another model", n, limit, n-limit)
	}
	return nil
}

// Release closes the models, unless ctx has ended: then what was not waited for
// may still read them, and they go with the program.
func (j *Job) Release(ctx context.Context) {
	if ctx.Err() == nil {
		j.Close()
	}
}

// Close closes the models.
func (j *Job) Close() {
	if j.Draft.Model != nil {
		j.Draft.Model.Close()
	}
	j.Model.Close()
}

// A Job is one lane's worth of decoding: what the flags asked for, made ready.
type Job struct {
	Model    models.Model
	Draft    engine.Draft
	Compiler *engine.Compiler
	Settings *engine.Settings
	Text     string
	Prompt   []int32
	Talk     *chat.Conversation // that the prompt renders; nil for a plain text
	Ends     chat.Ends          // of the model's turn in it
	Turns    []models.Message   // for a server that wraps them itself
	Config   sampling.Config    // of settings, without what ends the turn
	Until    *Until             // what the run stops at; nil for its end

	// Tell says what a reader of the text should know, once it has ended; it
	// may be nil.
	Tell func(engine.View)
}

// Decode runs one lane to its end.
func (j *Job) Decode(ctx context.Context, out Sink, opt engine.Options) error {
	lane := engine.NewLane(0, j.Model, opt)
	lane.Post(engine.Start{Text: j.Text, Prompt: j.Prompt, Settings: j.Settings, Turns: j.Turns})
	held := j.Until.post(lane)
	lane.Post(engine.Advance{N: Batch})
	wait, stop := Background(ctx, lane.Run)
	defer stop()
	if err := out.Begin(); err != nil {
		return err
	}
	var last engine.View
	for {
		select {
		case v, ok := <-lane.Views():
			if !ok {
				return wait()
			}
			last = v
			if err := out.View(v); err != nil {
				return err
			}
			if j.Until.stops(held, lane, &v) {
				return j.Until.finish(out, v, j.Tell)
			}
			switch v.Phase {
			case engine.Done, engine.Failed:
				return finish(out, v, j.Tell)
			case engine.Paused:
				if !j.Until.met() {
					lane.Post(engine.Advance{N: Batch})
				}
			}
		case <-ctx.Done():
			if err := finish(out, last, j.Tell); err != nil {
				return err
			}
			return &console.ExitError{Code: console.ExitInterrupted}
		}
	}
}
