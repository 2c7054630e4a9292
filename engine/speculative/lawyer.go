package speculative

import (
	"fmt"

	"logitscope/models"
	"logitscope/sampling"
	"logitscope/sampling/dist"
	"logitscope/sampling/param"
)

// A lawyer turns logits into laws with the two pipelines.
type lawyer struct {
	target, drafts *sampling.Pipeline
	uncutDraft     *sampling.Pipeline // nil unless the algorithm needs it
	scratch        *sampling.Scratch
	dist           *dist.Dist

	uncutTarget bool // target is without its cuts

	next sampling.State // what the target's law after at tokens is given, as in plain decoding
	at   int
	// switched are the pipelines that [Options.Switch] returned, and what they
	// are without their cuts.
	switched map[*sampling.Pipeline]*sampling.Pipeline
}

func newLawyer(p, q *sampling.Pipeline, m *method, opt Options) (lawyer, error) {
	l := lawyer{
		target: p, drafts: q, scratch: new(sampling.Scratch), dist: new(dist.Dist),
		uncutTarget: m.uncutP, switched: make(map[*sampling.Pipeline]*sampling.Pipeline),
	}
	var err error
	if m.uncutP {
		if l.target, err = uncut(p, opt.Vocab); err != nil {
			return l, err
		}
	}
	if m.uncutQ {
		l.uncutDraft, err = uncut(q, opt.Vocab)
	}
	return l, err
}

// uncut returns the pipeline without the stages that remove tokens by their
// probability.
func uncut(p *sampling.Pipeline, v sampling.Vocab) (*sampling.Pipeline, error) {
	c := p.Config()
	for _, key := range sampling.CutKeys() {
		param, ok := param.Lookup(key)
		if !ok || param.IsOff(c.Value(key)) {
			continue
		}
		var err error
		if c, err = c.With(key, param.Off, sampling.FromYou); err != nil {
			return nil, err
		}
	}
	return sampling.Compile(c, v)
}

// draft returns the draft's law of the token after output.
func (l *lawyer) draft(d *Decoder, row models.Logits, output []int32) (Law, error) {
	return l.under(l.drafts, places(output), d, row, output)
}

// wholeDraft is draft before its cuts.
func (l *lawyer) wholeDraft(d *Decoder, row models.Logits, output []int32) (Law, error) {
	return l.under(l.uncutDraft, places(output), d, row, output)
}

// law returns the target's law of the token after output. Within a round the
// places are asked for one after the other: a stage that draws goes on from
// where it stood after the place before, whether or not it drew there.
func (l *lawyer) law(p *sampling.Pipeline, d *Decoder, row models.Logits, output []int32) (Law, error) {
	n, state := len(output), places(output)
	switch {
	case n > len(d.output) && n == l.at:
		state = l.next
	case n <= len(d.output) && d.opt.State != nil:
		state = d.opt.State(n)
	}
	law, err := l.under(p, state, d, row, output)
	l.next, l.at = l.scratch.State(), n+1
	return law, err
}

// places is the state after output if a stage that draws drew once at every
// place.
func places(output []int32) sampling.State {
	if len(output) == 0 {
		return sampling.State{}
	}
	return sampling.State{Started: true, XTCDraws: uint32(len(output))}
}

// under returns p's law of the token after output, in the state before it.
func (l *lawyer) under(p *sampling.Pipeline, state sampling.State, d *Decoder, row models.Logits, output []int32) (Law, error) {
	in := sampling.Input{IDs: row.IDs, Logits: row.Values, Rest: row.Rest, Prompt: d.prompt, Output: output, State: state}
	if d.opt.Mask != nil {
		var err error
		if in.Mask, in.MaskEOS, err = d.opt.Mask(output); err != nil {
			return Law{}, err
		}
	}
	p, err := l.inForce(p, d.opt, output)
	if err != nil {
		return Law{}, err
	}
	if err := p.Distribution(l.dist, l.scratch, in); err != nil {
		return Law{}, err
	}
	return copyLaw(l.dist), nil
}

// inForce returns the pipeline in force in p's place after output.
func (l *lawyer) inForce(p *sampling.Pipeline, opt Options, output []int32) (*sampling.Pipeline, error) {
	if opt.Switch == nil {
		return p, nil
	}
	now, err := opt.Switch(output)
	if err != nil || now == l.target || now == l.drafts {
		return p, err
	}
	whole, seen := l.switched[now]
	if !seen {
		if err := memoryless(now.Config()); err != nil {
			return nil, err
		}
		if whole, err = uncut(now, opt.Vocab); err != nil {
			return nil, err
		}
		l.switched[now] = whole
	}
	if p == l.uncutDraft || l.uncutTarget && p == l.target {
		return whole, nil
	}
	return now, nil
}

// targetLaws computes the target's laws of a round as they are asked for.
type targetLaws struct {
	d      *Decoder
	rows   []models.Logits
	output []int32 // with the drafted tokens
	start  int     // tokens of output before the round
	laws   []*Law
}

func (t *targetLaws) law(i int) (*Law, error) {
	for len(t.laws) <= i {
		n := len(t.laws)
		l, err := t.d.laws.law(t.d.laws.target, t.d, t.rows[n], t.output[:t.start+n])
		if err != nil {
			return nil, fmt.Errorf("token %d: %w", t.start+n+1, err)
		}
		t.laws = append(t.laws, &l)
	}
	return t.laws[i], nil
}
