package layers

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"logitscope/engine"
	"logitscope/engine/inside"
	"logitscope/models"
	"logitscope/ui/tui/kit"
)

// layerParts are what x leaves out of a layer, one after the other.
var layerParts = [...]models.PartKind{models.AttentionPart, models.MLPPart, models.LayerPart}

// switchPart switches the head under the cursor off or on; of a layer its
// attention, its MLP, both, and neither again.
func (v *View) switchPart(h kit.Host) tea.Cmd {
	if v.lane.Look.At > 0 {
		h.Say("x: parts are off from the newest step on; → in the lab goes there")
		return nil
	}
	var parts []models.Part
	if off := v.lane.View.Off; off != nil {
		parts = slices.Clone(off.Parts)
	}
	if v.mode == effectMode && v.trial.ready() {
		parts = toggled(parts, v.trial.effects[v.effect].Part)
	} else if v.pane == headPane {
		parts = toggled(parts, models.Part{Kind: models.HeadPart, Layer: v.layer, Head: v.head})
	} else {
		parts = turned(parts, v.layer)
	}
	return v.switchOff(h, parts)
}

// toggled returns the parts with p put in, or taken out.
func toggled(parts []models.Part, p models.Part) []models.Part {
	if i := slices.Index(parts, p); i >= 0 {
		return slices.Delete(parts, i, i+1)
	}
	return append(parts, p)
}

// turned returns the parts with the next of layerParts off in a layer.
func turned(parts []models.Part, layer int) []models.Part {
	now := -1
	parts = slices.DeleteFunc(parts, func(p models.Part) bool {
		i := slices.Index(layerParts[:], p.Kind)
		if p.Layer != layer || i < 0 {
			return false
		}
		now = i
		return true
	})
	if now++; now < len(layerParts) {
		parts = append(parts, models.Part{Kind: layerParts[now], Layer: layer})
	}
	return parts
}

func (v *View) switchOff(h kit.Host, parts []models.Part) tea.Cmd {
	v.lane.Eng.Post(engine.SwitchOff{Parts: parts})
	if len(parts) == 0 {
		h.Say("all parts are on; what was read without them is read again")
		return nil
	}
	h.Say(inside.Name(parts[len(parts)-1]) + " off from this step on; what was read before stays. backspace puts all parts on")
	return nil
}

// allOn takes back what is off.
func (v *View) allOn(h kit.Host) tea.Cmd {
	if v.lane.View.Off == nil {
		h.Say("backspace: all parts are on")
		return nil
	}
	return v.switchOff(h, nil)
}

// isOff reports whether a part, or all that it is part of, is off.
func (v *View) isOff(p models.Part) bool {
	off := v.offNow()
	if off == nil {
		return false
	}
	whole := models.Part{Kind: models.LayerPart, Layer: p.Layer}
	return slices.Contains(off.Parts, p) || slices.Contains(off.Parts, whole) ||
		p.Kind == models.HeadPart && slices.Contains(off.Parts, models.Part{Kind: models.AttentionPart, Layer: p.Layer})
}

// A trial is what switching each part off by itself does to the step, found out
// in the background.
type trial struct {
	key     lookKey
	stop    context.CancelFunc
	done    atomic.Int64
	of      int
	ended   atomic.Pointer[outcome]
	effects []inside.Effect // once it has ended
	err     error
	seen    bool // effects and err are of the outcome
}

type outcome struct {
	effects []inside.Effect
	err     error
}

// A trialMsg says that it is time to look how far a trial has come.
type trialMsg struct{ of *trial }

func (t *trial) cancel() {
	if t != nil {
		t.stop()
	}
}

func (t *trial) ready() bool { return t != nil && t.seen && t.err == nil && len(t.effects) > 0 }

func (t *trial) lines() int {
	if !t.ready() {
		return 1
	}
	return len(t.effects)
}

// try begins a trial at the position looked at, unless there is one.
func (v *View) try(h kit.Host) tea.Cmd {
	switch {
	case v.lane.Running():
		h.Say("i: while the lane runs it has the cores; space pauses")
		return nil
	case !v.look.Ready || v.look.Err != nil:
		h.Say("i: nothing has been seen yet")
		return nil
	case v.trial != nil && v.trial.key == v.look.Key.place() && !errors.Is(v.trial.err, context.Canceled):
		return nil
	}
	v.trial.cancel()
	ctx, stop := context.WithCancel(v.work.Ctx)
	parts := inside.Heads(v.anatomy)
	for l := range v.anatomy.Layers() {
		for _, kind := range layerParts {
			parts = append(parts, models.Part{Kind: kind, Layer: l})
		}
	}
	t := &trial{key: v.look.Key.place(), stop: stop, of: len(parts)}
	v.trial, v.effect = t, 0
	b, n := v.borrower(), v.look.Key.n
	token, _ := v.next()
	v.work.Go(func() {
		var out outcome
		src, err := b.source(ctx, n)
		if out.err = err; err == nil {
			out.effects, out.err = inside.Effects(ctx, src, parts, token, func(done, _ int) { t.done.Store(int64(done)) })
			src.Session.Close()
		}
		t.ended.Store(&out)
	})
	return t.tick()
}

// tick asks for the progress again.
func (t *trial) tick() tea.Cmd {
	return tea.Tick(50*time.Millisecond, func(time.Time) tea.Msg { return trialMsg{t} })
}

// follow takes the progress of the trial.
func (t *trial) follow(v *View, msg tea.Msg) (tea.Cmd, bool) {
	m, ok := msg.(trialMsg)
	if !ok {
		return nil, false
	}
	if m.of != v.trial {
		return nil, true
	}
	out := m.of.ended.Load()
	if out == nil {
		return m.of.tick(), true
	}
	m.of.effects, m.of.err, m.of.seen = out.effects, out.err, true
	return nil, true
}

// progress says how far the trial is.
func (t *trial) progress() string {
	return fmt.Sprintf("switching parts off one by one: %d of %d …", t.done.Load(), t.of)
}
