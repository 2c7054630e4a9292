package llamaserver

import (
	"slices"
	"strconv"

	"logitscope/models/remote"
	"logitscope/models/remote/llamaserver/seeds"
)

// The server goes on by itself to the rows ahead. Where it is known how the
// tokens will be drawn, it is given samplers like ours and a seed under which
// its draws fall where ours do. Its choice is only a guess: rows do not depend
// on it, and the token is drawn here.

// laws are the server's own names: of the setting and of the sampler.
var laws = map[string]struct{ setting, sampler string }{
	"repetition_penalty": {"repeat_penalty", "penalties"},
	"frequency_penalty":  {"frequency_penalty", "penalties"},
	"presence_penalty":   {"presence_penalty", "penalties"},
	"top_k":              {"top_k", "top_k"},
	"typical_p":          {"typical_p", "typ_p"},
	"top_p":              {"top_p", "top_p"},
	"min_p":              {"min_p", "min_p"},
	"temperature":        {"temperature", "temperature"},
}

// appendLaw appends the members that make the server draw as q says. A law
// without top_k gets the number of tokens in a row: that spares the server
// sorting them all.
func (b *backend) appendLaw(dst []byte, q remote.Query) []byte {
	samplers := make([]string, 0, len(q.Law)+1)
	member := func(name string, v float64) {
		dst = append(append(append(dst, `,"`...), name...), `":`...)
		dst = strconv.AppendFloat(dst, v, 'f', -1, 64)
	}
	top := false
	for _, s := range q.Law {
		l, ok := laws[s.Name]
		if !ok {
			continue
		}
		member(l.setting, s.Value)
		if top = top || s.Name == "top_k"; !slices.Contains(samplers, l.sampler) {
			samplers = append(samplers, l.sampler)
		}
	}
	if !top {
		member("top_k", float64(q.Top))
		at := 0
		if len(samplers) > 0 && samplers[0] == "penalties" {
			at = 1
		}
		samplers = slices.Insert(samplers, at, "top_k")
	}
	if slices.Contains(samplers, "penalties") {
		member("repeat_last_n", float64(b.slot))
	}
	if q.Lone { // its draw takes no number where one token is left
		member("min_keep", 2)
	}
	member("seed", float64(seeds.Near(q.Draws)))
	dst = append(dst, `,"samplers":[`...)
	for i, s := range samplers {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = strconv.AppendQuote(dst, s)
	}
	return append(dst, ']')
}
