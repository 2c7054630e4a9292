package grammar

import (
	"logitscope/sampling/constrain/lang"
)

// Choice wants one of the given texts, byte for byte.
func Choice(list []string) lang.Source { return choiceSource(list) }

type choiceSource []string

func (s choiceSource) Define() (*lang.Definition, error) {
	if len(s) == 0 {
		return nil, lang.Refuse("", "choice", "at least one text is needed")
	}
	d := &lang.Definition{}
	d.Root = d.Add("choice", lang.OneOf(s))
	return d, nil
}
