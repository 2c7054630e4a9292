package cache

import (
	"fmt"
	"time"

	"logitscope/engine/cost"
	"logitscope/ui/tui/kit"
	"logitscope/viz"
)

// A row of the table of other models.
type sum struct {
	name string
	of   func(s cost.Shape) string
}

// sums are the rows of the arithmetic.
func (v *View) sums() []sum {
	n, texts, machine := v.tokens(), v.texts(), v.machine()
	prompt := func(s cost.Shape) cost.Work { return s.Pass(0, n, texts) }
	step := func(s cost.Shape) cost.Work { return s.Pass(n-1, 1, texts) }
	span := func(w cost.Work) string {
		seconds, _ := machine.Time(w)
		return viz.Duration(time.Duration(seconds * 1e9))
	}
	binds := func(w cost.Work) string {
		if _, l := machine.Time(w); l == cost.ByOperations {
			return "operations"
		}
		return "bytes"
	}
	ofTexts := "KV of one text, " + viz.Count(n)
	if texts > 1 {
		ofTexts = fmt.Sprintf("KV of %s texts, %s", viz.Count(texts), viz.Count(n))
	}
	return []sum{
		{"weights", func(s cost.Shape) string { return viz.Bytes(int64(s.Weights * s.WeightBytes)) }},
		{"KV a token", func(s cost.Shape) string { return viz.Bytes(int64(s.TokenBytes())) }},
		{ofTexts, func(s cost.Shape) string { return viz.Bytes(int64(float64(texts) * s.CacheBytes(n))) }},
		{"prompt read in", func(s cost.Shape) string { return span(prompt(s)) }},
		{"  operations a byte", func(s cost.Shape) string { return short(prompt(s).Intensity()) }},
		{"  limit that binds", func(s cost.Shape) string { return binds(prompt(s)) }},
		{"one token in", func(s cost.Shape) string { return span(step(s)) }},
		{"  operations a byte", func(s cost.Shape) string { return short(step(s).Intensity()) }},
		{"  limit that binds", func(s cost.Shape) string { return binds(step(s)) }},
		{"tokens a second, most", func(s cost.Shape) string {
			seconds, _ := machine.Time(step(s))
			return viz.Rate(float64(texts) / seconds)
		}},
	}
}

// drawModels draws the arithmetic for shapes that people know.
func (v *View) drawModels(c *viz.Canvas) {
	muted := viz.Ink{Role: viz.Muted}
	shapes := cost.Known()
	w := min(max((c.W-25)/len(shapes), 10), 16)
	for i, s := range shapes {
		c.Right(c.W-1-w*(len(shapes)-1-i), 0, s.Name, muted)
	}
	y := 1
	for _, row := range v.sums() {
		if y >= c.H {
			return
		}
		c.Put(1, y, row.name, viz.Ink{})
		for i, s := range shapes {
			c.Right(c.W-1-w*(len(shapes)-1-i), y, row.of(v.asked(s)), viz.Ink{})
		}
		y++
	}
	if y < c.H {
		c.Put(1, y, viz.FirstFit(c.W-2, "max(bytes ÷ bytes a second, operations ÷ operations a second):", "bytes ÷ bytes/s or operations ÷ operations/s, the larger:", "two limits: an upper bound"), muted)
	}
	if y+1 < c.H {
		c.Put(1, y+1, viz.FirstFit(c.W-2, "two limits of the machine, nothing else: an upper bound.", "nothing else: an upper bound."), muted)
	}
}

// formula writes what the cache keeps of a token, with a shape's numbers.
func formula(s cost.Shape, w int) string {
	total := viz.Count(int(s.TokenBytes())) + " bytes"
	l, even := s.Uniform()
	if !even || s.KeySize != s.ValueSize {
		return viz.FirstFit(w, fmt.Sprintf("KV a token = sum over %d layers of KV heads · (%d + %d) numbers · %d bytes = %s", len(s.Layers), s.KeySize, s.ValueSize, s.NumberBytes, total),
			"KV a token, summed over its layers = "+total)
	}
	return viz.FirstFit(w, fmt.Sprintf("KV a token = 2 (K and V) · %d layers · %s · %d numbers · %d bytes = %s", len(s.Layers), viz.Plural(l.KVHeads, "KV head"), s.KeySize, s.NumberBytes, total),
		fmt.Sprintf("KV a token = 2 · %d layers · %s · %d numbers · %d bytes = %s", len(s.Layers), viz.Plural(l.KVHeads, "KV head"), s.KeySize, s.NumberBytes, total),
		fmt.Sprintf("KV a token = 2·%d·%d·%d·%d = %s", len(s.Layers), l.KVHeads, s.KeySize, s.NumberBytes, total))
}

// growing are the lengths whose caches are drawn.
var growing = []int{512, 2048, 8192, 32768, 131072}

// drawGrowth draws how the cache of one text grows with it.
func (v *View) drawGrowth(c *viz.Canvas, host kit.Host) {
	muted := viz.Ink{Role: viz.Muted}
	big := v.asked(cost.Known()[0])
	y := 0
	if s, ok := shapeOf(host.Lane().Model); ok {
		line := formula(s, c.W-2)
		if more := " here; " + viz.Bytes(int64(big.TokenBytes())) + " in the " + big.Name + "."; viz.Width(line)+viz.Width(more) <= c.W-2 {
			line += more
		}
		c.Put(1, y, line, viz.Ink{})
	} else {
		c.Put(1, y, formula(big, c.W-2), viz.Ink{})
	}
	y++
	most := big.CacheBytes(growing[len(growing)-1])
	for _, n := range growing {
		if y >= c.H {
			return
		}
		name := fmt.Sprintf("%s at %7s tokens", big.Name, viz.Count(n))
		size := viz.Bytes(int64(big.CacheBytes(n)))
		c.Put(1, y, name, viz.Ink{})
		c.Right(33, y, size, viz.Ink{})
		viz.Bars(c.Sub(viz.Rect{X: 34, Y: y, W: max(c.W-36, 1), H: 1}), []viz.Bar{{Final: big.CacheBytes(n) / most, Single: true}}, 1)
		y++
	}
	if y < c.H {
		line := "bar: " + viz.Bytes(int64(most)) + "."
		if n := big.Outgrows(); n > 0 {
			line += fmt.Sprintf(" From %s tokens on the cache is larger than the %s weights (%s).", viz.Count(n), big.Name, viz.Bytes(int64(big.Weights*big.WeightBytes)))
		}
		c.Put(1, y, viz.CutSentence(line, c.W-2), muted)
	}
}
