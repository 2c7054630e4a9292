package engine

import (
	"fmt"

	"logitscope/models"
	"logitscope/sampling"
)

// Effective is what every parameter comes to for a text of m that follows
// prompt tokens, 0 before it is known: as [sampling.Pipeline.Effective] has
// it, but a text is no longer than the model's context has room for.
func Effective(p *sampling.Pipeline, m models.Info, prompt int) []sampling.Effective {
	list := p.Effective()
	room := room(m, prompt)
	for i := range list {
		e := &list[i]
		if limit, ok := e.InForce.(int64); ok && e.Key == "max_new_tokens" && room > 0 && int64(room) < limit {
			e.InForce = int64(room)
			e.Note = fmt.Sprintf("the context holds %d tokens", m.ContextLen)
			if prompt > 0 {
				e.Note += fmt.Sprintf(", %d of them the prompt's", prompt)
			}
		}
	}
	return list
}

// room is how many tokens a model can write after a prompt: as many as its
// context holds besides, and a last one that need not be read again. It is 0
// for a model that does not say how much it holds.
func room(m models.Info, prompt int) int {
	if m.ContextLen <= 0 {
		return 0
	}
	return max(m.ContextLen-max(prompt, 1)+1, 1)
}
