package engine

import (
	"logitscope/models"
	"logitscope/sampling"
	"logitscope/sampling/luck"
	"logitscope/sampling/param"
)

// mostAhead is how many rows beyond the next one a server may be asked for.
const mostAhead = 96

// ahead returns how a server may look ahead: not at all while somebody looks at
// each step, and never beyond what the lane is to write.
func (l *Lane) ahead() models.Ahead {
	n := mostAhead
	if l.budget >= 0 {
		n = min(n, l.budget-1)
	}
	if l.every > 0 || n <= 0 {
		return models.Ahead{}
	}
	p := l.settings.Pipeline
	a := models.Ahead{Rows: n, Greedy: p.Greedy()}
	if !a.Greedy {
		l.foretell(&a)
	}
	return a
}

// mostForetold is how many draws a server is told of.
const mostForetold = 24

// lawful are the settings that a server is told, by stage.
var lawful = map[string][]string{
	"penalties":          {"repetition_penalty", "frequency_penalty", "presence_penalty"},
	"repetition_penalty": {"repetition_penalty"},
	"frequency_penalty":  {"frequency_penalty"},
	"presence_penalty":   {"presence_penalty"},
	"top_k":              {"top_k"},
	"typical_p":          {"typical_p"},
	"top_p":              {"top_p"},
	"min_p":              {"min_p"},
	"temperature":        {"temperature"},
}

// foretell adds the numbers of the next draws to a, where one number decides a
// draw, and what they are drawn from as far as it is usual.
func (l *Lane) foretell(a *models.Ahead) {
	p := l.settings.Pipeline
	kind, seed := p.Luck()
	draws := make([]float64, mostForetold)
	switch kind {
	case sampling.DrawCoin:
		for i := range draws {
			draws[i] = luck.Coin(seed, len(l.tokens)+i, 0)
		}
	case sampling.DrawMT:
		spent := uint32(0)
		if s := previous(l.steps, len(l.steps)); s != nil {
			spent = s.state.Draws
		}
		l.mt.Seek(uint32(seed), spent)
		for i := range draws {
			draws[i] = l.mt.Float64()
		}
	default:
		return
	}
	a.Draws, a.Lone = draws, kind == sampling.DrawCoin || !p.LoneFree()
	for _, stage := range p.StageNames() {
		for _, key := range lawful[stage] {
			prm, _ := param.Lookup(key)
			switch v := p.Config().Value(prm.Key).(type) {
			case float64:
				a.Law = append(a.Law, models.Setting{Name: key, Value: v})
			case int64:
				a.Law = append(a.Law, models.Setting{Name: key, Value: float64(v)})
			}
		}
	}
}
