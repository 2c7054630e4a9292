// Package replay answers: when was what token written, and what did it look
// like? It plays a recording in the lab. The lane runs on the recording in
// place of a model; a step is what the file has of it.
package replay

import (
	"path/filepath"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"logitscope/engine"
	"logitscope/engine/record"
	"logitscope/ui/tui/kit"
	"logitscope/ui/tui/run"
	"logitscope/viz"
)

// A Player is where a replay stands.
type Player struct {
	name  string // of the file
	take  *record.Take
	told  []record.Told
	first *engine.Settings // the run began under
	steps []*engine.Step

	at      int // tokens shown
	playing bool
	speed   int // index in speeds
	ticket  int // of the tick that is awaited
	started bool
}

// speeds are how many times as fast as recorded a replay can play.
var speeds = [...]float64{0.25, 0.5, 1, 2, 4, 8, 16}

const asRecorded = 2 // index in speeds

// longest is the longest pause between two tokens; longer ones are cut to it.
const longest = 2 * time.Second

// New returns a player of a take, which the file called name has.
func New(name string, take *record.Take) *Player {
	return &Player{name: filepath.Base(name), take: take, speed: asRecorded}
}

// Start shows the beginning on the lane of h, which is on the take's model.
func (p *Player) Start(h kit.Host) error {
	l := h.Lane()
	var err error
	if p.first, err = p.take.Settings(l.Comp); err != nil {
		return err
	}
	last := p.take.Last()
	if p.told, err = p.take.Tell(l.Comp, last); err != nil {
		return err
	}
	for _, t := range p.told {
		p.steps = append(p.steps, t.Step)
	}
	for _, b := range p.take.Branches() {
		if b == last {
			continue
		}
		told, err := p.take.Tell(l.Comp, b)
		if err != nil || len(told) == 0 {
			continue
		}
		var steps []*engine.Step
		for _, t := range told {
			steps = append(steps, t.Step)
		}
		l.Shelve(p.take.Run.Prompt, p.take.Run.PromptTokens, steps, told[len(told)-1].Under)
	}
	l.Cues = p.take.Marks()
	p.started = true
	p.show(l, 0)
	return nil
}

// show makes the first k tokens the lane's text.
func (p *Player) show(l *run.Lane, k int) {
	p.at = max(0, min(k, len(p.told)))
	next := p.first
	if p.at < len(p.told) {
		next = p.told[p.at].Under
	} else if p.at > 0 {
		next = p.told[p.at-1].Under
	}
	l.Recall(p.take.Run.Prompt, p.take.Run.PromptTokens, p.steps[:p.at:p.at], next)
}

// Go shows the first k tokens and stops playing.
func (p *Player) Go(h kit.Host, k int) {
	p.stop()
	p.show(h.Lane(), k)
}

func (p *Player) stop() {
	p.playing = false
	p.ticket++
}

// A tickMsg says that the next token is due.
type tickMsg struct{ ticket int }

// wait returns how long the next token takes.
func (p *Player) wait() time.Duration {
	ms := p.told[p.at].At
	if p.at > 0 {
		ms -= p.told[p.at-1].At
	}
	d := time.Duration(ms * float64(time.Millisecond))
	d = time.Duration(float64(min(max(d, 0), longest)) / speeds[p.speed])
	return max(d, time.Second/60)
}

// play asks for the next token at its time.
func (p *Player) play() tea.Cmd {
	p.ticket++
	if p.playing = p.at < len(p.told); !p.playing {
		return nil
	}
	ticket := p.ticket
	return tea.Tick(p.wait(), func(time.Time) tea.Msg { return tickMsg{ticket} })
}

// Follow takes the ticks.
func (p *Player) Follow(h kit.Host, msg tea.Msg) tea.Cmd {
	if t, ok := msg.(tickMsg); !ok || t.ticket != p.ticket || !p.playing {
		return nil
	}
	p.show(h.Lane(), p.at+1)
	return p.play()
}

// acts are what the player makes of the lab's actions.
var acts = map[kit.ID]func(p *Player, h kit.Host) tea.Cmd{
	kit.ActRun:      (*Player).toggle,
	kit.ActNext:     func(p *Player, h kit.Host) tea.Cmd { p.Go(h, p.at+1); return nil },
	kit.ActRight:    func(p *Player, h kit.Host) tea.Cmd { p.Go(h, p.at+1); return nil },
	kit.ActBack:     func(p *Player, h kit.Host) tea.Cmd { p.Go(h, p.at-1); return nil },
	kit.ActLeft:     func(p *Player, h kit.Host) tea.Cmd { p.Go(h, p.at-1); return nil },
	kit.ActRight10:  func(p *Player, h kit.Host) tea.Cmd { p.Go(h, p.at+10); return nil },
	kit.ActLeft10:   func(p *Player, h kit.Host) tea.Cmd { p.Go(h, p.at-10); return nil },
	kit.ActFirst:    func(p *Player, h kit.Host) tea.Cmd { p.Go(h, 0); return nil },
	kit.ActLast:     func(p *Player, h kit.Host) tea.Cmd { p.Go(h, len(p.told)); return nil },
	kit.ActAgain:    func(p *Player, h kit.Host) tea.Cmd { p.Go(h, 0); return nil },
	kit.ActSlower:   func(p *Player, h kit.Host) tea.Cmd { return p.pace(h, -1) },
	kit.ActFaster:   func(p *Player, h kit.Host) tea.Cmd { return p.pace(h, +1) },
	kit.ActPrevMark: func(p *Player, h kit.Host) tea.Cmd { return p.mark(h, -1) },
	kit.ActNextMark: func(p *Player, h kit.Host) tea.Cmd { return p.mark(h, +1) },
	kit.ActReseed: func(p *Player, h kit.Host) tea.Cmd {
		h.Say("s: a recording has the one draw; - and + ask what if")
		return nil
	},
	kit.ActPrompt: func(p *Player, h kit.Host) tea.Cmd {
		h.Say("e: nothing but this prompt was recorded")
		return nil
	},
}

// Act takes an action of the lab that has another meaning in a replay.
// Horizontal arrows stay the controls' where those have the focus.
func (p *Player) Act(h kit.Host, a *kit.Action, turnsKnobs bool) (tea.Cmd, bool) {
	if turnsKnobs && (a.ID == kit.ActRight || a.ID == kit.ActLeft) {
		return nil, false
	}
	if a.ID == kit.ActClose {
		if !p.Changed(h) {
			return nil, false
		}
		p.Go(h, p.at)
		return nil, true
	}
	f := acts[a.ID]
	if f == nil {
		return nil, false
	}
	return f(p, h), true
}

// Changed reports whether the lane has been taken off the record: other
// settings, or another text.
func (p *Player) Changed(h kit.Host) bool {
	l := h.Lane()
	next := p.first
	if p.at < len(p.told) {
		next = p.told[p.at].Under
	} else if p.at > 0 {
		next = p.told[p.at-1].Under
	}
	return l.Settings != next || len(l.View.Steps) != p.at || p.at > 0 && l.View.Steps[p.at-1] != p.steps[p.at-1]
}

func (p *Player) toggle(h kit.Host) tea.Cmd {
	if p.playing {
		p.stop()
		return nil
	}
	if p.at == len(p.told) {
		p.show(h.Lane(), 0)
	} else if p.Changed(h) {
		p.show(h.Lane(), p.at)
	}
	return p.play()
}

func (p *Player) pace(h kit.Host, by int) tea.Cmd {
	p.speed = max(0, min(p.speed+by, len(speeds)-1))
	h.Say(p.pacing())
	if p.playing {
		return p.play()
	}
	return nil
}

// mark goes to the mark before or after.
func (p *Player) mark(h kit.Host, by int) tea.Cmd {
	cues := h.Lane().Cues
	for k := p.at + by; k >= 0 && k <= len(p.told); k += by {
		if text := cues[k+len(p.take.Run.PromptTokens)]; text != "" {
			p.Go(h, k)
			h.Say(viz.Printable(text, h.Screen().ASCII()))
			return nil
		}
	}
	if by < 0 {
		h.Say("no mark before this one")
	} else {
		h.Say("no mark after this one")
	}
	return nil
}
