package goal

import (
	"slices"

	"logitscope/engine/compare"
	"logitscope/sampling"
	"logitscope/sampling/dist"
	"logitscope/sampling/param"
)

// differs reports whether the value of a key is not that of the base. Values
// that nobody set count as those of the base's engine, so that another order
// alone changes nothing else.
func (f *frame) differs(key string) bool {
	if key == presetKey {
		return f.preset() != f.s.Preset
	}
	if f.changes == nil {
		f.changes = map[string]bool{}
		now, base := f.config(), f.s.Base
		if now.Order() != base.Order() {
			f.changes[orderKey] = true
			now = now.MustWith(orderKey, base.Order().Name(), sampling.FromDefault)
		}
		for _, k := range now.Differences(base) {
			f.changes[k] = true
		}
	}
	return f.changes[key]
}

func changed(f *frame, n *node) Value {
	for _, k := range n.keys {
		if !f.differs(k) {
			return truth(false)
		}
	}
	return truth(true)
}

func only(f *frame, n *node) Value {
	for _, p := range param.All() {
		if f.differs(p.Key) && !slices.Contains(n.keys, p.Key) {
			return truth(false)
		}
	}
	return truth(true)
}

func ofLane(f *frame, n *node) Value {
	v := f.eval(n.args[0])
	i := int(v.Num)
	if !v.Defined || float64(i) != v.Num || i < 1 || i > len(f.s.Lanes) {
		return Value{Kind: n.kind}
	}
	return f.s.frame(i-1, f.sets).eval(n.args[1])
}

func atSettings(f *frame, n *node) Value {
	return f.s.frame(f.of, append(slices.Clip(f.sets), n.sets...)).eval(n.args[0])
}

// parted is the step, from 1, at which the texts of two lanes first differ.
func parted(f *frame) int {
	for i := range f.s.Lanes {
		if i == f.of {
			continue
		}
		if k, ok := compare.Differ(f.lane().View, f.s.Lanes[i].View); ok {
			return k + 1
		}
	}
	return 0
}

// variation is the total variation between this lane and another.
func variation(f *frame, n *node) Value {
	i, ok := f.best(n)
	if !ok || i < 1 || i > len(f.s.Lanes) {
		return Value{Kind: Share}
	}
	other := f.s.frame(i-1, nil)
	if other.at() != f.at() || f.at() < 0 {
		return Value{Kind: Share}
	}
	a, b := f.distribution(), other.distribution()
	if a == nil || b == nil {
		return Value{Kind: Share}
	}
	return number(Share, dist.TotalVariation(a, b))
}
