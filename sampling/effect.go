package sampling

import (
	"slices"

	"logitscope/sampling/dist"
	"logitscope/sampling/inert"
	"logitscope/sampling/param"
	"logitscope/sampling/value"
)

// An Effect is what one parameter changes at a step: the result with its
// value against the result with its off value.
type Effect struct {
	Kept, KeptOff   int         // tokens left
	Token, TokenOff int32       // tokens chosen by the same draw
	TV              float64     // total variation between the two distributions
	Why             inert.Inert // why there is no effect or nothing to compare with; zero if there is one
}

// noOff says why a parameter without an off value has no effect to show.
func noOff(prm *param.Param) inert.Inert {
	i := inert.Inert{Reason: inert.NoOff, Key: prm.Key}
	switch {
	case prm.Key == "seed":
		i.Reason = inert.OnlySeed
	case prm.Key == "luck":
		i.Reason = inert.OnlyLuck
	case prm.Key == "max_new_tokens":
		i.Reason = inert.OnlyLimit
	case prm.Master != "":
		i.Reason, i.By = inert.NoOffOfOwn, prm.Master
	}
	return i
}

// Effect compares this step with the one that the key's off value would
// give. Parameters without an off value, and those that no stage reads,
// change nothing at a step.
func (p *Pipeline) Effect(key string, s *Scratch, in Input) (Effect, error) {
	var e Effect
	prm, ok := param.Lookup(key)
	if !ok {
		return e, param.Unknown(key)
	}
	token, err := p.Sample(&s.tr, s, in)
	if err != nil {
		return e, err
	}
	e.Kept, e.Token = s.tr.Survived, token
	e.KeptOff, e.TokenOff = e.Kept, e.Token
	overruled := p.cutAgain(prm, &s.tr)
	e.Why = p.Inert(key, &s.tr)
	off, err := p.without(prm)
	if err != nil || off == nil {
		switch {
		case e.Why.Reason != inert.Acts:
		case prm.Off == nil && prm.Key != "do_sample":
			e.Why = noOff(prm)
		default:
			e.Why = inert.Inert{Reason: inert.NotThisStep, Key: key}
		}
		return e, nil
	}
	var a, b dist.Dist
	if err := p.Distribution(&a, s, in); err != nil {
		return e, err
	}
	if e.TokenOff, err = off.Sample(&s.tr, s, in); err != nil {
		return e, err
	}
	e.KeptOff = s.tr.Survived
	if err := off.Distribution(&b, s, in); err != nil {
		return e, err
	}
	e.TV = dist.TotalVariation(&a, &b)
	switch {
	case e.TV > 1e-9 || e.Kept != e.KeptOff || e.Token != e.TokenOff:
		e.Why = inert.Inert{}
	case e.Why.Reason == inert.Acts && overruled.Reason != inert.Acts:
		e.Why = overruled
	case e.Why.Reason == inert.Acts:
		e.Why = inert.Inert{Reason: inert.SameTokens, Key: key, N: e.Kept}
	}
	return e, nil
}

// cutAgain says which later stage cut below what the key's stage left; it
// explains why the key has no effect where it has none.
func (p *Pipeline) cutAgain(prm *param.Param, t *Trace) inert.Inert {
	name := p.order.StageOf(prm.Key)
	for i, st := range t.Stages() {
		if st.Name != name || st.Removed == 0 {
			continue
		}
		for _, later := range t.Stages()[i+1:] {
			if later.Removed > 0 {
				return inert.Inert{Reason: inert.CutAgain, Key: prm.Key, By: later.Name, N: later.Kept, Of: st.Kept}
			}
		}
	}
	return inert.Inert{}
}

// without returns the pipeline with a parameter at its off value, or nil if
// that is the same pipeline.
func (p *Pipeline) without(prm *param.Param) (*Pipeline, error) {
	off := prm.Off
	if prm.Key == "do_sample" {
		off = false
	}
	if off == nil || p.order.StageOf(prm.Key) == "" && prm.Key != "do_sample" {
		return nil, nil
	}
	c := p.cfg
	if value.Equal(c.Value(prm.Key), off) {
		return nil, nil
	}
	c, err := c.With(prm.Key, off, FromYou)
	if err != nil {
		return nil, err
	}
	q, err := Compile(c, p.v)
	return q, err
}

// A Touch is one token that a stage raised or lowered.
type Touch struct {
	ID            int32
	Count         int     // times it occurs where the stage looks
	Before, After float32 // logits around the stage
}

// Touched returns the tokens that a stage touched at this step, in order of
// ids, and how many tokens of the history the stage looks at. A stage that is
// not on touches nothing.
func (p *Pipeline) Touched(stage string, s *Scratch, in Input) (touches []Touch, window int, err error) {
	r := &s.r
	if err := p.begin(r, in); err != nil {
		return nil, 0, err
	}
	p.prepare(s, in)
	for i := range p.stages {
		if p.stages[i].def.Name != stage {
			continue
		}
		if err := p.run(s, nil, false, p.stages[:i+1]); err != nil {
			return nil, 0, err
		}
		prompt, output := in.Prompt, in.Output
		if pen, ok := p.stages[i].s.(*penaltyStage); ok {
			if pen.outputOnly {
				prompt = nil
			}
			if pen.window >= 0 {
				prompt, output = lastN(prompt, output, pen.window)
			}
		}
		window = len(prompt) + len(output)
		counts := make(map[int32]int)
		for _, tokens := range [2][]int32{prompt, output} {
			for _, id := range tokens {
				counts[id]++
			}
		}
		for _, t := range r.Touches[r.TouchFrom:] {
			id := r.ID(t.Pos)
			touches = append(touches, Touch{id, counts[id], t.Before, t.After})
		}
		slices.SortFunc(touches, func(a, b Touch) int { return int(a.ID - b.ID) })
		return touches, window, nil
	}
	return nil, 0, nil
}
