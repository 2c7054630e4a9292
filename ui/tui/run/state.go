package run

import (
	"math"
	"strconv"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"logitscope/engine"
	"logitscope/engine/loops"
	"logitscope/models"
	"logitscope/sampling"
	"logitscope/sampling/dist"
	"logitscope/sampling/inert"
	"logitscope/viz"
)

// Take makes v the lane's view and keeps what the screen remembers about the
// step it shows in step with it.
func (l *Lane) Take(v engine.View) {
	shown := l.Step()
	l.View = v
	l.findLoop()
	if l.Look.At > len(v.Steps) {
		l.Look = Lookback{}
	}
	if l.rebase && v.Settings == l.Settings {
		l.Base, l.rebase = nil, false
	}
	if v.Phase == engine.Paused && v.Next != nil {
		if l.Base == nil || l.Base.Row != v.Next.Row || l.Base.Pos != v.Next.Pos {
			l.Base = v.Next
		}
	} else {
		l.Base = nil
	}
	if l.Look.At > 0 && v.Looked != nil && v.Looked.Index == l.Look.At && l.Look.Under != nil && l.Look.Tried == nil {
		l.Look.Tried, _ = v.Retrace(l.Look.At-1, l.Look.Under)
	}
	l.settle(shown)
}

// findLoop says whether the text ends in a loop.
func (l *Lane) findLoop() {
	steps := l.View.Steps
	var last *engine.Step
	if n := len(steps); n > 0 {
		last = steps[n-1]
	}
	if last == l.looped {
		return
	}
	l.looped, l.Loop = last, nil
	ids := make([]int32, len(steps))
	for i, s := range steps {
		ids[i] = s.Token
	}
	if found, ok := loops.Find(ids); ok {
		l.Loop = &found
	}
}

// settle keeps scale and cursor while the step on the screen stays, and
// chooses them anew when another one comes.
func (l *Lane) settle(before *engine.Step) {
	s := l.Step()
	if s == nil || s.Trace == nil {
		return
	}
	fit := FitScale(s.Trace)
	if before == nil || before.Pos != s.Pos || before.Row != s.Row || before.Trace == nil {
		l.Scale, l.Row = fit, s.Token
		return
	}
	l.Scale = max(l.Scale, fit)
}

// FitScale returns the smallest of the scales that holds every bar of t.
func FitScale(t *sampling.Trace) float64 {
	most := float64(0)
	for _, r := range t.Rows() {
		most = max(most, float64(r.RawProb), float64(r.Prob))
	}
	for _, s := range [...]float64{.05, .10, .20, .25, .50} {
		if most <= s {
			return s
		}
	}
	return 1
}

// LookAt shows step k, from 1, as it was; 0 shows the newest.
func (l *Lane) LookAt(k int) {
	before := l.Step()
	l.Look = Lookback{At: k}
	if k > 0 {
		if s := l.Committed(k); s != nil && (s.Trace == nil || s.Row == nil) {
			l.Eng.Post(engine.Look{Index: k})
		}
	}
	l.settle(before)
}

// tune makes s the settings of the next token.
func (l *Lane) tune(s *engine.Settings) {
	l.Settings = s
	l.Eng.Post(engine.Tune{Settings: s})
}

// BranchOff keeps the text as a branch and goes back to its first n tokens.
// It returns the branch's index, or -1 if nothing is lost by going back.
func (l *Lane) BranchOff(n int) int {
	l.Look = Lookback{}
	at := -1
	if n < len(l.View.Steps) {
		at = l.shelve()
	}
	if at < 0 || l.View.Contrastive != nil {
		l.Eng.Post(engine.Rewind{Len: n})
		return at
	}
	// Unlike a rewind, this keeps what the cache holds of the text left.
	l.Eng.Post(engine.Adopt{Text: l.View.PromptText, Prompt: l.View.Prompt, Steps: l.View.Steps[:n], Settings: l.Settings})
	return at
}

// Snapshot returns what undo needs to come back to the present.
func (l *Lane) Snapshot(what string, branch int) Snapshot {
	return Snapshot{what: what, config: l.Config, Preset: l.Preset, Pins: l.Pins, Branch: branch, taken: -1}
}

// Remember puts the present on the undo list.
func (l *Lane) Remember(s Snapshot) {
	l.Undo = append(l.Undo, s)
	l.Redo = nil
	if len(l.Undo) > 1000 {
		l.Undo = l.Undo[1:]
	}
}

// Label returns the printable form of token id, at any id.
func Label(v models.Vocab, id int32, ascii bool) string {
	p := v.Piece(id)
	if p == "" {
		return "‹" + strconv.Itoa(int(id)) + "›"
	}
	return viz.Label(p, ascii)
}

// An EffectKey says what an effect was computed for.
type EffectKey struct {
	Step     *engine.Step
	Settings *engine.Settings
	Key      string
}

// effectCache holds the effect of the selected knob at the shown step.
type effectCache struct {
	Key     EffectKey // what effect and why are of
	Effect  sampling.Effect
	Why     inert.Inert
	Err     error
	Verdict string  // how exact the knob is on this row; empty where it is
	Words   string  // the same in a few words
	TV      float64 // distance to the step before the what-if
	pending bool    // a computation is on its way
	at      time.Time
}

// effectPause is the least time between two effects while a text is written:
// nobody reads faster, and a large vocabulary takes its time.
const effectPause = time.Second / 5

// An EffectMsg brings a computed effect.
type EffectMsg effectCache

// WantEffect starts computing the effect of the selected knob unless it is
// known. One computation runs at a time.
func (ls *Lanes) WantEffect() tea.Cmd {
	l := ls.Lane()
	s, set := l.Step(), l.ShownSettings()
	if s == nil || s.Trace == nil || s.Row == nil || set == nil || ls.Effect.pending {
		return nil
	}
	if s.Settings != nil {
		set = s.Settings
	}
	k := EffectKey{s, set, ls.Selected().Key}
	if ls.Effect.Key == k || l.Running() && time.Since(ls.Effect.at) < effectPause {
		return nil
	}
	in, err := l.Input()
	if err != nil {
		return nil
	}
	before, model := l.Before(), l.Model
	ls.Effect.pending = true
	return func() tea.Msg {
		var scratch sampling.Scratch
		r := effectCache{Key: k}
		r.Why = set.Pipeline.Inert(k.Key, s.Trace)
		r.Effect, r.Err = set.Pipeline.Effect(k.Key, &scratch, in)
		v, ok := engine.VerdictOf(model, set, s, in, k.Key)
		r.Verdict, r.Words = v.Text, VerdictWords(v, ok)
		if before != nil {
			r.TV = Distance(set, before.Settings, in)
		}
		return EffectMsg(r)
	}
}

// Distance is the total variation between the laws of two settings on one
// input.
func Distance(a, b *engine.Settings, in sampling.Input) float64 {
	var s sampling.Scratch
	var da, db dist.Dist
	if a.Pipeline.Distribution(&da, &s, in) != nil || b.Pipeline.Distribution(&db, &s, in) != nil {
		return math.NaN()
	}
	return dist.TotalVariation(&da, &db)
}

// OnEffect takes a computed effect.
func (ls *Lanes) OnEffect(msg EffectMsg) tea.Cmd {
	ls.Effect = effectCache(msg)
	ls.Effect.pending, ls.Effect.at = false, time.Now()
	return ls.WantEffect() // the knob or the step may have moved on
}

// EffectLost says that the effect under way will not come: it may be asked for
// again.
func (ls *Lanes) EffectLost() { ls.Effect.pending = false }
