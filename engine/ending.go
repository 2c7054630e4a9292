package engine

import "logitscope/models"

// EndsWith returns why the text of v would end with the token proposed, "" if
// it would go on or nothing is proposed.
func (v View) EndsWith(voc models.Vocab) Reason {
	s, set := v.Next, v.Settings
	if s == nil || set == nil {
		return ""
	}
	n := len(v.Steps) + 1
	text := appendPiece(v.Written[:len(v.Written):len(v.Written)], voc, s.Token)
	output := append(v.output(len(v.Steps)), s.Token)
	loops := func() bool { _, ends := set.repetition.Ends(output); return ends }
	switch {
	case set.Ends(s.Token):
		return EOS
	case s.after.complete():
		return Constraint
	case set.stopper.find(text, len(v.Written)) >= 0:
		return Stop
	case n >= set.limit:
		return Length
	case set.repetition.On() && n >= set.Config().Int("min_new_tokens") && loops():
		return Repetition
	case s.left == 1:
		return ContextFull
	}
	return ""
}
