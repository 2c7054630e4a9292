package sampling

import "strconv"

// inertHere says why a parameter changes nothing at the step of a trace.
func inertHere(p *Pipeline, prm *Param, t *Trace) Inert {
	if t == nil || t.nstages == 0 {
		return Inert{}
	}
	if prm.Key == "seed" && t.Survived == 1 {
		return Inert{Reason: OneLeft}
	}
	if prm.Key == "min_new_tokens" && t.Output >= p.cfg.Int("min_new_tokens") {
		return Inert{Reason: TokensOut, N: t.Output}
	}
	name := p.order.StageOf(prm.Key)
	if name == "" {
		return Inert{}
	}
	at := -1
	for i := range t.Stages() {
		if t.stages[i].Name == name {
			at = i
		}
	}
	if at < 1 {
		return Inert{}
	}
	st, before := &t.stages[at], &t.stages[at-1]
	switch prm.Key {
	case "temperature":
		if before.Kept == 1 {
			return Inert{Reason: OneLeft}
		}
	case "top_k":
		if k := p.cfg.Int("top_k"); k >= before.Kept {
			return Inert{Reason: KeepsAll, By: strconv.Itoa(k), N: before.Kept}
		}
	case "top_p":
		if i := topPKeepsOne(p, t, at); i.Reason != Acts {
			return i
		}
	case "repetition_penalty", "frequency_penalty", "presence_penalty":
		return penaltyHere(t, at)
	case "xtc_probability", "xtc_threshold":
		if st.Removed == 0 && sureTokens(p, t, at) < 2 {
			return Inert{Reason: OneSure}
		}
	}
	return overruled(p, t, at)
}

// topPKeepsOne says that the best token alone holds the share.
func topPKeepsOne(p *Pipeline, t *Trace, at int) Inert {
	if t.stages[at].Kept != 1 || t.stages[at-1].Kept == 1 {
		return Inert{}
	}
	best := float32(0)
	for i := range t.Rows() {
		best = max(best, t.rows[i].Probs[at-1])
	}
	top := p.cfg.Float("top_p")
	if float64(best) < top {
		return Inert{}
	}
	return Inert{Reason: KeepsOne, P: min(float64(best), 1-1e-9), By: formatFloat(top, 0.01)}
}

// penaltyHere says that none of the tokens a penalty touched is likely.
func penaltyHere(t *Trace, at int) Inert {
	n := t.stages[at].Touched
	if n == 0 {
		return Inert{Reason: TouchesNone}
	}
	for i := range t.Rows() {
		r := &t.rows[i]
		moved := (r.Lowered|r.Raised)>>at&1 != 0
		if moved && (r.Prob > 0 || r.RawProb >= 0.001 || r.Probs[at-1] >= 0.001) {
			return Inert{}
		}
	}
	return Inert{Reason: TouchesFew, N: n}
}

// sureTokens counts the tokens above xtc's threshold before its stage.
func sureTokens(p *Pipeline, t *Trace, at int) int {
	n, threshold := 0, float32(p.cfg.Float("xtc_threshold"))
	for i := range t.Rows() {
		if t.rows[i].Probs[at-1] >= threshold {
			n++
		}
	}
	return n
}

// overruled says that a later cut removes at least what this one did.
func overruled(p *Pipeline, t *Trace, at int) Inert {
	st := &t.stages[at]
	if !isCut(st.Name) {
		return Inert{}
	}
	if st.Removed == 0 {
		return Inert{}
	}
	for i := at + 1; i < t.nstages; i++ {
		later := &t.stages[i]
		// Only cuts that do not look at the share of what is left are sure to
		// keep the same tokens without the earlier one.
		if later.Removed > 0 && later.Kept < st.Kept && independent(later.Name) {
			return Inert{Reason: CutAgain, By: later.Name, N: later.Kept, Of: st.Kept}
		}
	}
	return Inert{}
}

func isCut(name string) bool {
	switch name {
	case "top_k", "top_p", "min_p", "top_n_sigma", "typical_p", "epsilon_cutoff", "eta_cutoff", "top_h":
		return true
	}
	return false
}

// independent reports whether a cut keeps the same best tokens whether or not
// worse ones were removed before it.
func independent(name string) bool { return name == "top_k" || name == "min_p" }
