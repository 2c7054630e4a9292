package engine

import (
	"logitscope/engine/phrases"
	"logitscope/models"
	"logitscope/sampling"
)

// phrasesOf returns the rules of banned_phrases.
func (c *Compiler) phrasesOf(cfg sampling.Config) *phrases.Rules {
	list := cfg.Strings("banned_phrases")
	if len(list) == 0 {
		return nil
	}
	count := func(text string) int { return len(c.model.Vocab().Encode(text, models.EncodeOptions{})) }
	return phrases.New(list, count, func(yield func(id int32, text string) bool) {
		for id := range int32(c.vocab.Size()) {
			if c.vocab.HasPiece(id) && !yield(id, c.vocab.Piece(id)) {
				return
			}
		}
	})
}

// repent takes the newest tokens back if they have said a banned phrase, and
// bans the first of them at its place. It reports whether it did.
func (l *Lane) repent() bool {
	r, n := l.settings.phrases, len(l.steps)
	if !r.On() || l.observing() {
		l.said.Free = n
		return false
	}
	first := 0
	if len(l.prompt) == 0 {
		first = 1
	}
	piece := func(i int) string {
		if s := l.steps[i]; !s.Settings.Ends(s.Token) {
			return string(appendPiece(nil, l.model.Vocab(), s.Token))
		}
		return ""
	}
	x, ok := l.said.After(r, n, first, piece, func(i int) int32 { return l.steps[i].Token })
	if !ok {
		return false
	}
	budget := l.budget
	l.hold(l.steps[:x.At:x.At])
	l.budget = budget
	return true
}

// unsaid returns how many bytes of the text, and how many steps, may still be
// taken back.
func (l *Lane) unsaid() (n, steps int) {
	if l.settings == nil || !l.settings.phrases.On() || l.observing() {
		return 0, 0
	}
	held := l.steps[min(l.said.Free, len(l.steps)):]
	for _, s := range held {
		if !s.Settings.Ends(s.Token) {
			n += len(appendPiece(nil, l.model.Vocab(), s.Token))
		}
	}
	return n, len(held)
}
