package tui

import (
	"fmt"
	"math"

	"logitscope/engine"
	"logitscope/models"
	"logitscope/ui/tui/kit"
	"logitscope/ui/tui/run"
	"logitscope/viz"
)

// drawHeader draws the header: what runs, under what, and how fast. Parts
// give way as the window narrows: prefill figures, KV, order, model name.
func (m *Model) drawHeader(c *viz.Canvas, k kit.Class) {
	l := m.Lane()
	if m.player != nil {
		left, right := m.player.Header(m, k)
		if k <= kit.Class80 {
			left, right = left[2:], right[1:]
		}
		drawHeaderParts(c, left, right, "  ")
		return
	}
	cfg := l.ShownConfig()
	name := l.ShownLabel()
	order := cfg.Order()
	orderName := order.Name()
	if len(order.Custom()) > 0 {
		orderName = "custom"
	}
	phase := viz.Ink{}.With(viz.Bold)
	if l.View.Phase == engine.Failed || l.WaitingLine() != "" {
		phase = viz.Ink{Role: viz.Warning}
	}
	model := modelWords(l, k)
	gap := "  "
	if k == kit.Class160 {
		gap = "   "
		orderName = "order " + orderName
	}
	muted := viz.Ink{Role: viz.Muted}
	left := []kit.HeaderPart{
		{Text: "logitscope", Rank: 9, Ink: muted}, {Text: viz.Printable(model, c.ASCII), Rank: 6, Ink: muted}, {Text: run.PhaseWords(l), Rank: 0, Ink: phase},
		{Text: viz.Printable(name, c.ASCII), Rank: 0, Ink: run.LabelInk(l.ShownLabel())}, {Text: orderName, Rank: 5, Ink: viz.Ink{}}, {Text: l.SeedWords(), Rank: 4, Ink: viz.Ink{}},
	}
	switch {
	case k <= kit.Class80:
		left = left[2:]
	}
	if off := shownOff(l); off != nil {
		left = append(left, kit.HeaderPart{Text: run.OffWords(off, 1), Rank: 1, Ink: viz.Ink{Role: viz.Warning}})
	}
	if k == kit.Class60 {
		left[2].Rank = 10 // the order gives way before the seed
	}
	if percent, ok := m.bench.Running(); ok {
		left = append(left, kit.HeaderPart{Text: fmt.Sprintf("bench %d%%", percent), Rank: 3, Ink: muted})
	}
	if s := m.tutor.Header(); s != "" && k >= kit.Class100 {
		left = append(left, kit.HeaderPart{Text: s, Rank: 4})
	}
	right := figures(l, k)
	if m.opt.Class != nil {
		class, door := m.headerOfClass()
		left, right = append(left, class), []kit.HeaderPart{door}
	}
	if k == kit.Class40 {
		gap = " "
	}
	minRank := map[kit.Class]int{kit.Class40: 2, kit.Class60: 6, kit.Class80: 7, kit.Class100: 7}
	if r, ok := minRank[k]; ok {
		left, right = give(left, r), give(right, r)
	}
	drawHeaderParts(c, left, right, gap)
}

// shownOff is what the model of the step on the screen leaves out; nil for
// nothing.
func shownOff(l *run.Lane) *engine.Off {
	if s := l.Step(); s != nil && l.Look.At > 0 {
		return s.Off
	}
	return l.View.Off
}

// figures are the parts at the right of the header: how fast, and how full.
func figures(l *run.Lane, k kit.Class) []kit.HeaderPart {
	muted := viz.Ink{Role: viz.Muted}
	var right []kit.HeaderPart
	v := l.View
	if l.Model.Info().Caps.Recorded {
		return append(right, kit.HeaderPart{Text: "no model loaded", Rank: 7, Ink: muted})
	}
	stats, remote := l.Meter()
	if remote {
		right = serverParts(stats, k)
		if l.Observing() && v.Rate > 0 {
			right = append([]kit.HeaderPart{{Text: viz.Rate(v.Rate) + " tok/s", Rank: 3, Ink: viz.Ink{}}}, right...)
		}
	}
	// A copied lane has read its last token again, not the prompt.
	if whole := v.Prefill.Done >= v.Prefill.Total; !remote && whole && v.Prefill.Done > 1 && v.Prefill.Took > 0 && v.Phase != engine.Prefill {
		right = append(right, kit.HeaderPart{Text: fmt.Sprintf("prefill %s tok %s", viz.Count(v.Prefill.Done), viz.Milliseconds(v.Prefill.Took)), Rank: 8, Ink: muted})
	}
	if !remote && v.Rate > 0 && (len(v.Steps) > 0 || v.Phase == engine.Running) {
		rate := viz.Rate(v.Rate) + " tok/s"
		switch k {
		case kit.Class160:
			rate = "decode " + rate
		case kit.Class40:
			rate = viz.Rate(v.Rate) + "/s"
		}
		right = append(right, kit.HeaderPart{Text: rate, Rank: 3, Ink: viz.Ink{}})
	}
	// A search and a draft keep sessions of their own; the lane's says nothing of them.
	own := v.Beam != nil || v.Contrastive != nil || v.Draft != nil
	if v.KV.Context > 0 && !own && (v.KV.Used > 0 || len(v.Prompt) == 0) {
		right = append(right, kit.HeaderPart{Text: fmt.Sprintf("kv %s/%s", viz.Count(v.KV.Used), viz.Count(v.KV.Context)), Rank: 7, Ink: muted})
	}
	return right
}

// give leaves out the parts whose rank is above r.
func give(parts []kit.HeaderPart, r int) []kit.HeaderPart {
	var out []kit.HeaderPart
	for _, p := range parts {
		if p.Rank <= r || p.Rank == 9 || p.Rank == 3 {
			out = append(out, p)
		}
	}
	return out
}

func drawHeaderParts(c *viz.Canvas, left, right []kit.HeaderPart, gap string) {
	for {
		w := 3 + partsWidth(left, gap) + partsWidth(right, " · ")
		if w <= c.W || !dropHighest(&left, &right) {
			break
		}
	}
	x := 1
	for i, p := range left {
		if i > 0 {
			x = c.Put(x, 0, gap, viz.Ink{})
		}
		x = c.Put(x, 0, p.Text, p.Ink)
	}
	x = c.W - 1 - partsWidth(right, " · ")
	for i, p := range right {
		if i > 0 {
			x = c.Put(x, 0, " · ", viz.Ink{Role: viz.Muted})
		}
		x = c.Put(x, 0, p.Text, p.Ink)
	}
}

func partsWidth(parts []kit.HeaderPart, gap string) int {
	n := 0
	for i, p := range parts {
		if i > 0 {
			n += viz.Width(gap)
		}
		n += viz.Width(p.Text)
	}
	return n
}

// dropHighest removes the part that gives way first. It reports false if only
// parts that stay are left.
func dropHighest(left, right *[]kit.HeaderPart) bool {
	from, at := (*[]kit.HeaderPart)(nil), -1
	for _, list := range []*[]kit.HeaderPart{left, right} {
		for i, p := range *list {
			if p.Rank > 0 && (from == nil || p.Rank > (*from)[at].Rank) {
				from, at = list, i
			}
		}
	}
	if from == nil {
		return false
	}
	*from = append((*from)[:at:at], (*from)[at+1:]...)
	return true
}

// modelWords names the model and, where it runs on a server, that.
func modelWords(l *run.Lane, k kit.Class) string {
	info := l.Model.Info()
	if k < kit.Class160 {
		info.Params = 0 // there is no room for it
	}
	name := run.FullModelName(info)
	kind, address := l.Server()
	switch {
	case kind == "":
		return name
	case k == kit.Class160:
		return name + " on " + kind + " " + address
	}
	return name + " on " + kind
}

// serverParts are the right side of the header for a model on a server.
func serverParts(s models.Stats, k kit.Class) []kit.HeaderPart {
	muted := viz.Ink{Role: viz.Muted}
	var out []kit.HeaderPart
	if s.Latency > 0 {
		unit := " a token"
		if k <= kit.Class80 {
			unit = "/tok"
		}
		out = append(out, kit.HeaderPart{Text: viz.Milliseconds(s.Latency) + unit, Rank: 3, Ink: viz.Ink{}})
	}
	if k > kit.Class60 {
		out = append(out, kit.HeaderPart{Text: fmt.Sprintf("%d in flight", s.InFlight), Rank: 6, Ink: muted})
	}
	out = append(out, kit.HeaderPart{Text: viz.Bytes(int64(s.BytesIn + s.BytesOut)), Rank: 8, Ink: muted})
	if n := s.Cached + s.Evaluated; n > 0 {
		out = append(out, kit.HeaderPart{Text: fmt.Sprintf("cache %.0f%%", math.Floor(100*float64(s.Cached)/float64(n))), Rank: 8, Ink: muted})
	}
	if s.AheadHits > 0 {
		out = append(out, kit.HeaderPart{Text: fmt.Sprintf("ahead %.0f%%", math.Floor(100*float64(s.AheadHits)/float64(s.Rows))), Rank: 9, Ink: muted})
	}
	return out
}
