package tui

import (
	"math"
	"strconv"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"logitscope/engine"
	"logitscope/models"
	"logitscope/sampling"
	"logitscope/viz"
)

// paces are the speeds of a run: the least time between two tokens.
var paces = []struct {
	every time.Duration
	name  string
}{
	{2 * time.Second, "1 token in 2 s"}, {time.Second, "1 token a second"}, {time.Second / 2, "2 tokens a second"},
	{time.Second / 5, "5 tokens a second"}, {time.Second / 10, "10 tokens a second"},
	{time.Second / 30, "30 tokens a second"}, {0, "as fast as it goes"},
}

// startPace is how fast the lab begins: slow enough to watch every step.
const startPace = 4

// take makes v the lane's view and keeps what the screen remembers about the
// step it shows in step with it.
func (l *lane) take(v engine.View) {
	shown := l.step()
	l.view = v
	if l.look.at > len(v.Steps) {
		l.look = lookback{}
	}
	if l.rebase && v.Settings == l.settings {
		l.base, l.rebase = nil, false
	}
	if v.Phase == engine.Paused && v.Next != nil {
		if l.base == nil || l.base.Row != v.Next.Row || l.base.Pos != v.Next.Pos {
			l.base = v.Next
		}
	} else {
		l.base = nil
	}
	if l.look.at > 0 && v.Looked != nil && v.Looked.Index == l.look.at && l.look.under != nil && l.look.tried == nil {
		l.look.tried, _ = v.Retrace(l.look.at-1, l.look.under)
	}
	l.settle(shown)
}

// settle keeps scale and cursor while the step on the screen stays, and
// chooses them anew when another one comes.
func (l *lane) settle(before *engine.Step) {
	s := l.step()
	if s == nil || s.Trace == nil {
		return
	}
	fit := fitScale(s.Trace)
	if before == nil || before.Pos != s.Pos || before.Row != s.Row || before.Trace == nil {
		l.scale, l.row = fit, s.Token
		return
	}
	l.scale = max(l.scale, fit)
}

// fitScale returns the smallest of the scales that holds every bar of t.
func fitScale(t *sampling.Trace) float64 {
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

// lookAt shows step k, from 1, as it was; 0 shows the newest.
func (l *lane) lookAt(k int) {
	before := l.step()
	l.look = lookback{at: k}
	if k > 0 {
		if s := l.committed(k); s != nil && (s.Trace == nil || s.Row == nil) {
			l.eng.Post(engine.Look{Index: k})
		}
	}
	l.settle(before)
}

// tune makes s the settings of the next token.
func (l *lane) tune(s *engine.Settings) {
	l.settings = s
	l.eng.Post(engine.Tune{Settings: s})
}

// branchOff keeps the text as a branch and goes back to its first n tokens.
// It returns the branch's index, or -1 if nothing is lost by going back.
func (l *lane) branchOff(n int) int {
	l.look = lookback{}
	at := -1
	if n < len(l.view.Steps) {
		at = l.shelve()
	}
	if at < 0 || l.view.Contrastive != nil {
		l.eng.Post(engine.Rewind{Len: n})
		return at
	}
	// Unlike a rewind, this keeps what the cache holds of the text left.
	l.eng.Post(engine.Adopt{Text: l.view.PromptText, Prompt: l.view.Prompt, Steps: l.view.Steps[:n], Settings: l.settings})
	return at
}

// snapshot returns what undo needs to come back to the present.
func (l *lane) snapshot(what string, branch int) snapshot {
	return snapshot{what, l.config, l.preset, l.pins, branch, -1}
}

// remember puts the present on the undo list.
func (l *lane) remember(s snapshot) {
	l.undo = append(l.undo, s)
	l.redo = nil
	if len(l.undo) > 1000 {
		l.undo = l.undo[1:]
	}
}

// label returns the printable form of token id, at any id.
func label(v models.Vocab, id int32, ascii bool) string {
	p := v.Piece(id)
	if p == "" {
		return "‹" + strconv.Itoa(int(id)) + "›"
	}
	return viz.Label(p, ascii)
}

// An effectKey says what an effect was computed for.
type effectKey struct {
	step     *engine.Step
	settings *engine.Settings
	key      string
}

// effectCache holds the effect of the selected knob at the shown step.
type effectCache struct {
	key     effectKey // what effect and why are of
	effect  sampling.Effect
	why     sampling.Inert
	err     error
	verdict string  // how exact the knob is on this row; empty where it is
	words   string  // the same in a few words
	tv      float64 // distance to the step before the what-if
	pending bool    // a computation is on its way
	at      time.Time
}

// effectPause is the least time between two effects while a text is written:
// nobody reads faster, and a large vocabulary takes its time.
const effectPause = time.Second / 5

// An effectMsg brings a computed effect.
type effectMsg effectCache

// wantEffect starts computing the effect of the selected knob unless it is
// known. One computation runs at a time.
func (m *board) wantEffect() tea.Cmd {
	l := m.lane()
	s, set := l.step(), l.shownSettings()
	if s == nil || s.Trace == nil || s.Row == nil || set == nil || m.effect.pending {
		return nil
	}
	if s.Settings != nil {
		set = s.Settings
	}
	k := effectKey{s, set, m.selected().Key}
	if m.effect.key == k || l.running() && time.Since(m.effect.at) < effectPause {
		return nil
	}
	in, err := l.input()
	if err != nil {
		return nil
	}
	before, model := l.before(), l.model
	m.effect.pending = true
	return func() tea.Msg {
		var scratch sampling.Scratch
		r := effectCache{key: k}
		r.why = set.Pipeline.Inert(k.key, s.Trace)
		r.effect, r.err = set.Pipeline.Effect(k.key, &scratch, in)
		v, ok := judged(model, set, s, in, k.key)
		r.verdict, r.words = v.Text, verdictWords(v, ok)
		if before != nil {
			r.tv = distance(set, before.Settings, in)
		}
		return effectMsg(r)
	}
}

// distance is the total variation between the laws of two settings on one
// input.
func distance(a, b *engine.Settings, in sampling.Input) float64 {
	var s sampling.Scratch
	var da, db sampling.Dist
	if a.Pipeline.Distribution(&da, &s, in) != nil || b.Pipeline.Distribution(&db, &s, in) != nil {
		return math.NaN()
	}
	return sampling.TotalVariation(&da, &db)
}

func (m *board) onEffect(msg effectMsg) tea.Cmd {
	m.effect = effectCache(msg)
	m.effect.pending, m.effect.at = false, time.Now()
	return m.wantEffect() // the knob or the step may have moved on
}
