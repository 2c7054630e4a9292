package beams

import (
	"fmt"
	"slices"
	"strings"

	"logitscope/engine"
	"logitscope/engine/beam"
	"logitscope/sampling/param"
	"logitscope/ui/tui/kit"
	"logitscope/viz"
)

func (v *View) turn(host kit.Host, d int) {
	v.pane = beamPane((int(v.pane) + d + int(nBeamPanes)) % int(nBeamPanes))
	host.Say(beamPaneHelp[v.pane])
}

// back takes back n steps of the search.
func (v *View) back(host kit.Host, n int) {
	steps, _ := v.lane.Searched()
	if steps == 0 {
		host.Say("b: this is the prompt; n takes the first step")
		return
	}
	v.node = nil
	v.lane.Eng.Post(engine.Rewind{Len: max(steps-n, 0)})
}

// nextRule changes whose beam search it is.
func (v *View) nextRule(host kit.Host) {
	p, _ := param.Lookup("beam_rule")
	cfg := v.lane.Config
	if v.seen.Settings.Rule == beam.VLLM {
		host.Say("o: under order vllm its own rule applies; set the order in the lab")
		return
	}
	to := p.Choices[(slices.Index(p.Choices, cfg.Text("beam_rule"))+1)%len(p.Choices)]
	if host.Set("beam_rule", to) {
		host.Say("beam_rule " + to + ": " + rulesOf[to] + ", the search runs again from the prompt")
	}
}

var rulesOf = map[string]string{"vectorized": "transformers 4.50 and later", "legacy": "the older scorer of transformers"}

// alongWinner moves the cursor along the path that wins so far.
func (v *View) alongWinner(host kit.Host, d int) {
	path := v.tree.winner()
	if len(path) == 0 {
		host.Say("[ ]: no text leads yet")
		return
	}
	at := len(path)
	if i := v.tree.find(v.node); i >= 0 {
		at = slices.IndexFunc(path, func(j int) bool { return v.tree.Nodes[j].Depth >= v.tree.Nodes[i].Depth })
		if at < 0 {
			at = len(path)
		} else if path[at] != i && d > 0 {
			at--
		}
	}
	switch to := at + d; {
	case to < 0:
		host.Say("[: this is the winner's first token")
	case to >= len(path):
		host.Say("]: the winner goes no further")
	default:
		v.node = v.tree.Nodes[path[to]].Node
	}
}

// toEnd moves the cursor to the first token or back to the newest step.
func (v *View) toEnd(host kit.Host, first bool) {
	v.node = nil
	if first && len(v.tree.Roots) > 0 {
		if path := v.tree.winner(); len(path) > 0 {
			v.node = v.tree.Nodes[path[0]].Node
			return
		}
		v.node = v.tree.Nodes[v.tree.Roots[0]].Node
		return
	}
	host.Say("the newest step")
}

// otherText moves the cursor to the end of the text above or below.
func (v *View) otherText(host kit.Host, d int) {
	t := v.tree
	if t == nil || len(t.rows) == 0 || len(t.Nodes) == 0 {
		host.Say("no texts yet: n takes the first step")
		return
	}
	r := -1
	if i := t.find(v.node); i >= 0 {
		r = t.row[i]
	} else if d < 0 {
		r = len(t.rows)
	}
	r += d
	if r < 0 || r >= len(t.rows) || len(t.rows[r]) == 0 {
		host.Say("no text further on that way")
		return
	}
	v.node = t.Nodes[t.rows[r][len(t.rows[r])-1]].Node
}

// candidates are those of the step shown, all groups one after another.
func (v *View) candidates() []beam.Candidate {
	var out []beam.Candidate
	if s := v.step(); s != nil {
		for _, g := range s.Groups {
			out = append(out, g.Candidates...)
		}
	}
	return out
}

// story tells what became of the selected thing.
func (v *View) story() string {
	if v.pane == beamTablePane {
		list := v.candidates()
		if v.list.At < len(list) {
			c := list[v.list.At]
			return fmt.Sprintf("%s: %s · sum %s over %d tokens, score %s", viz.OneLine(strings.TrimLeft(v.text(c.Node), " "), false), c.Fate, viz.Two(c.Node.Sum), c.Node.Depth, viz.Three(c.Score))
		}
	}
	if i := v.tree.find(v.node); i >= 0 {
		n := v.tree.Nodes[i]
		s := fmt.Sprintf("%s: step %d, logprob %s, sum %s", viz.OneLine(strings.TrimLeft(v.text(n.Node), " "), false), n.Depth, viz.Logprob(n.Logprob), viz.Two(n.Sum))
		return s + " · " + v.note(i)
	}
	return v.seen.Summary()
}

// text is the text of a path.
func (v *View) text(n *beam.Node) string {
	var b strings.Builder
	for _, id := range n.Tokens() {
		if s := v.lane.View.Settings; s != nil && s.Ends(id) {
			continue
		}
		b.WriteString(v.lane.Vocab().Piece(id))
	}
	return b.String()
}
