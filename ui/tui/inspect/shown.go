package inspect

import (
	"logitscope/engine"
	"logitscope/sampling"
	"logitscope/ui/tui/kit"
	"logitscope/ui/tui/run"
)

// A shown is the step on the screen, with what it is sampled from under the
// settings that are shown with it.
type shown struct {
	lane     *run.Lane
	step     *engine.Step
	settings *engine.Settings
	in       sampling.Input
	key      run.EffectKey // of what is worked out from it
}

// shownStep returns the step on the screen, for a job about key; ok is false if
// there is nothing to work out, and job fails if the step cannot be sampled again.
func shownStep[R any](host kit.Host, key string, job *kit.Job[run.EffectKey, R]) (on shown, ok bool) {
	l := host.Lane()
	on = shown{lane: l, step: l.Step(), settings: l.ShownSettings()}
	if on.step == nil || on.step.Trace == nil || on.settings == nil {
		return on, false
	}
	on.key = run.EffectKey{Step: on.step, Settings: on.settings, Key: key}
	var err error
	if on.in, err = l.Input(); err != nil {
		job.Fail(on.key, err)
		return on, false
	}
	return on, true
}
