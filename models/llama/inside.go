package llama

import (
	"context"
	"fmt"
	"slices"

	"logitscope/models"
)

// What is looked at inside a pass, and what is switched off in it. Both are
// nil in a pass of which nobody asked that, and cost a comparison a layer.

var _ models.Insider = (*Session)(nil)

// Anatomy implements [models.Insider].
func (s *Session) Anatomy() models.Anatomy { return s.m.Anatomy() }

// Anatomy returns what the model's layers are built of.
func (m *Model) Anatomy() models.Anatomy {
	a := models.Anatomy{
		Heads: slices.Clone(m.cfg.heads), KVHeads: slices.Clone(m.cfg.kvHeads), Windows: make([]int, len(m.w.layers)),
		Sinks: m.cfg.sinks, Tied: m.w.tied, Cache: m.store.kv.String(),
	}
	for l := range m.w.layers {
		a.Windows[l] = m.w.layers[l].window
	}
	return a
}

// A look is where a pass puts what it went through.
type look struct {
	in *models.Inside
	to int // the row of in that the first wanted one of the pass is
}

// Look implements [models.Insider].
func (s *Session) Look(ctx context.Context, tokens []int32, want int, in *models.Inside) ([]models.Logits, error) {
	if want < 1 {
		panic("llama: a look at no position")
	}
	if err := s.check(ctx, tokens); err != nil {
		return nil, err
	}
	in.Reserve(s.Anatomy(), want, s.m.cfg.embed, s.kv.len+len(tokens))
	s.look = in
	defer func() { s.look = nil }()
	return s.Forward(ctx, tokens, want)
}

// keepStates keeps the residual stream of the last want rows after a layer.
func (p *pass) keepStates(layer, want int) {
	if p.look.in == nil || want == 0 {
		return
	}
	n := p.m.cfg.embed
	states := p.x[(len(p.rows)-want)*n : len(p.rows)*n]
	copy(p.look.in.Layer(layer)[p.look.to*n:], states)
}

// looked reports whether row i is the last of all that are looked at, whose
// weights are kept.
func (a *attending) looked(i int) bool {
	return a.p.look.in != nil && a.p.rows[i].pos == a.p.look.in.Len-1
}

// keepWeights keeps what query head g of row i looks at, if it is looked at.
func (a *attending) keepWeights(i, g int, sink *float32) {
	if !a.looked(i) {
		return
	}
	in, r := a.p.look.in, a.p.rows[i]
	first, head := a.y.first(r.pos), a.head*a.group+g
	scale := a.ws.scale[(i-a.from)*a.group+g]
	weights := in.Head(a.p.layer, head)[first:]
	sum := float32(0)
	for k, v := range a.scoresOf(i, g, 0, r.pos+1-first) {
		weights[k] = v * scale
		sum += weights[k]
	}
	if sink != nil {
		in.Sinks[a.p.layer][head] = max(0, 1-sum)
	}
}

// Lens implements [models.Insider].
func (s *Session) Lens(dst, states []float32, bare bool) {
	c := s.m.cfg
	n := len(states) / c.embed
	p := s.m.pass(min(n, chunkLen))
	defer s.m.done(p)
	for at := 0; at < n; at += chunkLen {
		k := min(chunkLen, n-at)
		rows, out := states[at*c.embed:(at+k)*c.embed], dst[at*c.vocab:(at+k)*c.vocab]
		if bare {
			p.acts.Set(rows, k, c.embed)
			p.products = append(p.products[:0], product{w: s.m.w.output, dst: out, bias: s.m.w.outBias})
			p.multiply()
			continue
		}
		p.normalise(p.h[:len(rows)], rows, s.m.w.norm)
		p.logits(out, p.h[:len(rows)], k)
	}
}

// An off says what a session leaves out, by layer.
type off struct {
	parts          []models.Part
	attention, mlp []bool
	heads          [][]int
}

// SwitchOff implements [models.Insider].
func (s *Session) SwitchOff(parts ...models.Part) {
	s.off = nil
	if len(parts) == 0 {
		return
	}
	n := s.m.cfg.layers
	o := &off{parts: parts, attention: make([]bool, n), mlp: make([]bool, n), heads: make([][]int, n)}
	for _, p := range parts {
		if p.Layer < 0 || p.Layer >= n || p.Kind == models.HeadPart && (p.Head < 0 || p.Head >= s.m.cfg.heads[p.Layer]) || p.Kind > models.LayerPart {
			panic(fmt.Sprintf("llama: no such part: %+v", p))
		}
		switch p.Kind {
		case models.HeadPart:
			o.heads[p.Layer] = append(o.heads[p.Layer], p.Head)
		case models.AttentionPart:
			o.attention[p.Layer] = true
		case models.MLPPart:
			o.mlp[p.Layer] = true
		case models.LayerPart:
			o.attention[p.Layer], o.mlp[p.Layer] = true, true
		}
	}
	s.off = o
}

// notePartsOff notes whether a session of the pass leaves something out.
func (p *pass) notePartsOff() {
	p.partsOff = slices.ContainsFunc(p.rows, func(r row) bool { return r.s.off != nil })
}

// silent reports whether attention or MLP is off in every row, so that it need
// not be computed. Keys and values are kept all the same, and whoever looks
// sees the weights of attention that is off.
func (p *pass) silent(isMLP bool) bool {
	return p.partsOff && (isMLP || p.look.in == nil) && !slices.ContainsFunc(p.rows, func(r row) bool {
		o := r.s.off
		return o == nil || isMLP && !o.mlp[p.layer] || !isMLP && !o.attention[p.layer]
	})
}

// muteHeads takes the output of the heads that are off out of p.o.
func (p *pass) muteHeads(y *layer) {
	if !p.partsOff {
		return
	}
	n := p.m.cfg.valueLen
	for i, r := range p.rows {
		if r.s.off == nil {
			continue
		}
		for _, h := range r.s.off.heads[p.layer] {
			clear(p.o[(i*y.heads+h)*n : (i*y.heads+h+1)*n])
		}
	}
}

// mute takes the output of attention or MLP, in p.h, out of the rows where it
// is off.
func (p *pass) mute(isMLP bool) {
	if !p.partsOff {
		return
	}
	n := p.m.cfg.embed
	for i, r := range p.rows {
		if o := r.s.off; o != nil && (isMLP && o.mlp[p.layer] || !isMLP && o.attention[p.layer]) {
			clear(p.h[i*n : (i+1)*n])
		}
	}
}
