package sampling

import (
	"fmt"
	"strconv"
)

// inertHere says why a parameter changes nothing at the step of a trace.
func inertHere(p *Pipeline, prm *Param, t *Trace) string {
	if t == nil || t.nstages == 0 {
		return ""
	}
	if prm.Key == "seed" && t.Survived == 1 {
		return "no effect here: one token left"
	}
	if prm.Key == "min_new_tokens" && t.Output >= p.cfg.Int("min_new_tokens") {
		return fmt.Sprintf("no effect now: %s tokens are out", commas(t.Output))
	}
	name := p.order.StageOf(prm.Key)
	if name == "" {
		return ""
	}
	at := -1
	for i := range t.Stages() {
		if t.stages[i].Name == name {
			at = i
		}
	}
	if at < 1 {
		return ""
	}
	st, before := &t.stages[at], &t.stages[at-1]
	switch prm.Key {
	case "temperature":
		if before.Kept == 1 {
			return "no effect here: one token left"
		}
	case "top_k":
		if k := p.cfg.Int("top_k"); k >= before.Kept {
			return fmt.Sprintf("no effect: %d ≥ %s tokens left", k, commas(before.Kept))
		}
	case "top_p":
		if note := topPKeepsOne(p, t, at); note != "" {
			return note
		}
	case "repetition_penalty", "frequency_penalty", "presence_penalty":
		return penaltyHere(t, at)
	case "xtc_probability", "xtc_threshold":
		if st.Removed == 0 && sureTokens(p, t, at) < 2 {
			return "no effect here: one sure token"
		}
	}
	return overruled(p, t, at)
}

// topPKeepsOne says that the best token alone holds the share.
func topPKeepsOne(p *Pipeline, t *Trace, at int) string {
	if t.stages[at].Kept != 1 || t.stages[at-1].Kept == 1 {
		return ""
	}
	best := float32(0)
	for i := range t.Rows() {
		best = max(best, t.rows[i].Probs[at-1])
	}
	top := p.cfg.Float("top_p")
	if float64(best) < top {
		return ""
	}
	return fmt.Sprintf("keeps one token here: %s ≥ %s (acts like greedy)", percent(min(float64(best), 1-1e-9)), formatFloat(top, 0.01))
}

// percent writes a probability with the decimals that tell it from 1.
func percent(p float64) string {
	s := strconv.FormatFloat(100*p, 'f', 2, 64)
	if s == "100.00" && p < 1 {
		return ">99.99%"
	}
	return s + "%"
}

// penaltyHere says that none of the tokens a penalty touched is likely.
func penaltyHere(t *Trace, at int) string {
	n := t.stages[at].Touched
	if n == 0 {
		return "no effect here: touches no token"
	}
	for i := range t.Rows() {
		r := &t.rows[i]
		moved := (r.Lowered|r.Raised)>>at&1 != 0
		if moved && (r.Prob > 0 || r.RawProb >= 0.001 || r.Probs[at-1] >= 0.001) {
			return ""
		}
	}
	return fmt.Sprintf("no effect here: touches %s tokens, none of them likely", commas(n))
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
func overruled(p *Pipeline, t *Trace, at int) string {
	st := &t.stages[at]
	if !isCut(st.Name) {
		return ""
	}
	if st.Removed == 0 {
		return ""
	}
	for i := at + 1; i < t.nstages; i++ {
		later := &t.stages[i]
		// Only cuts that do not look at the share of what is left are sure to
		// keep the same tokens without the earlier one.
		if later.Removed > 0 && later.Kept < st.Kept && independent(later.Name) {
			return fmt.Sprintf("no effect here: %s keeps %s of the %s", later.Name, commas(later.Kept), commas(st.Kept))
		}
	}
	return ""
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
