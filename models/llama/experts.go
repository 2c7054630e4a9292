package llama

import (
	"logitscope/models/llama/vec"
)

// A mixture is what a pass needs for layers with experts.
type mixture struct {
	probs  []float32 // (rows, experts): weight of each expert, 0 for those not chosen
	scores []float32 // (experts)
	rows   []int     // those that chose the expert at hand
	in     []float32 // (rows, embed): their vectors
	out    []float32 // (rows, embed): what the expert made of them
	sum    []float32 // (rows, embed)
}

func (x *mixture) resize(c *config, n int) {
	if c.experts == 0 {
		return
	}
	x.probs = grow(x.probs, n*c.experts)
	x.scores = grow(x.scores, c.experts)
	x.rows = grow(x.rows, n)
	x.in = grow(x.in, n*c.embed)
	x.out = grow(x.out, n*c.embed)
	x.sum = grow(x.sum, n*c.embed)
}

// mixExperts sets p.h to the weighted sum of the experts that each row of in
// chooses (Shazeer et al. 2017). Experts go one after the other, each with
// the rows that chose it; so a row's terms are added in the order of the
// experts, whatever other rows are there.
func (p *pass) mixExperts(x *experts, in []float32) {
	c, mix := p.m.cfg, &p.mix
	n := len(p.rows)
	p.acts.Set(in, n, c.embed)
	p.products = append(p.products[:0], product{w: x.router, dst: mix.probs, bias: x.bias})
	p.multiply()
	for i := range n {
		mix.choose(mix.probs[i*c.experts:(i+1)*c.experts], c.expertsUsed, c.arch.routing)
	}
	sum := mix.sum[:n*c.embed]
	clear(sum)
	for e := range x.each {
		mix.rows = mix.rows[:0]
		for i := range n {
			if mix.probs[i*c.experts+e] != 0 {
				mix.rows = append(mix.rows, i)
			}
		}
		if len(mix.rows) == 0 {
			continue
		}
		if len(mix.rows) < n { // otherwise p.acts holds them as they are
			for k, i := range mix.rows {
				copy(mix.in[k*c.embed:(k+1)*c.embed], in[i*c.embed:])
			}
			p.picked.Set(mix.in, len(mix.rows), c.embed)
			p.feedForward(&x.each[e], p.picked, mix.out)
		} else {
			p.feedForward(&x.each[e], p.acts, mix.out)
		}
		for k, i := range mix.rows {
			vec.AddScaled(sum[i*c.embed:(i+1)*c.embed], mix.probs[i*c.experts+e], mix.out[k*c.embed:])
		}
	}
	if x.shared != nil {
		p.addShared(x, sum)
	}
	copy(p.h, sum)
}

// addShared adds the expert that every row uses, weighted by a gate of its own.
func (p *pass) addShared(x *experts, sum []float32) {
	c, mix := p.m.cfg, &p.mix
	gates := mix.probs[:len(p.rows)] // the weights are not needed any more
	p.products = append(p.products[:0], product{w: x.sharedGate, dst: gates})
	p.multiply()
	p.feedForward(x.shared, p.acts, mix.out)
	for i, g := range gates {
		vec.AddScaled(sum[i*c.embed:(i+1)*c.embed], vec.Sigmoid(g), mix.out[i*c.embed:])
	}
}

// choose replaces the router's logits by the weights of the used best, and 0
// for all others. Equal ones rank by number.
func (x *mixture) choose(logits []float32, used int, how routing) {
	copy(x.scores, logits)
	if how != softmaxChosen {
		vec.Softmax(x.scores)
	}
	clear(logits)
	// NaN compares below everything, so that there are always enough.
	for range used {
		best := -1
		for e, s := range x.scores {
			if logits[e] == 0 && (best < 0 || s > x.scores[best] || x.scores[best] != x.scores[best]) {
				best = e
			}
		}
		logits[best] = 1
	}
	x.weigh(logits, how)
}

// weigh turns marks of 1 into weights.
func (x *mixture) weigh(marks []float32, how routing) {
	top := vec.Max(x.scores)
	var sum float32
	for e, m := range marks {
		if m == 0 {
			continue
		}
		w := x.scores[e]
		if how == softmaxChosen {
			w = vec.Exp(w - top)
		}
		marks[e] = w
		sum += w
	}
	if how == unnormalised {
		return
	}
	// ggml keeps the sum from being 0 with the smallest normal half.
	sum = max(sum, 6.103515625e-5)
	for e := range marks {
		marks[e] /= sum
	}
}
