// Package script answers: how is the lab driven without a terminal?
//
// A [Player] presses keys and waits for what the engine sends, so that a
// session can be written down: one command a line, as tests and lessons have
// them.
//
//	size W H       the window
//	start TEXT     reads a prompt; \n is a newline
//	keys K K …     presses keys
//	type TEXT      types a text
//	steps N        waits until N tokens are written and the next is proposed
//	beams N        waits until a beam search has taken N steps
//	rounds N       waits until N speculative rounds are drafted
//	together N     waits until every lane has N tokens and the next proposed
//	off N          waits until the proposal is made with N parts of the model off
//	tuned          waits until the proposal is under the newest settings
//	done           waits until the text has ended
//
// What only some sessions need, such as comparing a frame, a caller adds to
// [Player.Verbs].
package script

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"logitscope/engine"
	"logitscope/ui/tui/run"
)

// A Screen is what a player drives: the lab's model.
type Screen interface {
	tea.Model

	// Runs are the lanes on the screen.
	Runs() *run.Lanes

	// TakeView makes a lane's view the newest, without asking for the next
	// one: the player takes views itself, one at a time.
	TakeView(run.ViewMsg) tea.Cmd
}

// A Player drives a screen. It belongs to one goroutine.
type Player struct {
	Ctx     context.Context // ends the session; nil for one that nothing ends
	Screen  Screen
	Steady  func(*engine.View)                 // changes a view that was waited for before the screen sees it; nil for nothing
	Timeout time.Duration                      // for one wait; 0 means 20 s
	Verbs   map[string]func(rest string) error // commands of the caller's own
}

// Send gives msg to the screen and runs the commands that come back, until
// none is left. None of them waits for a lane.
func (p *Player) Send(msg tea.Msg) {
	_, cmd := p.Screen.Update(msg)
	p.Do(cmd)
}

// Do runs a command, and what comes of it.
func (p *Player) Do(cmd tea.Cmd) {
	if cmd == nil || p.context().Err() != nil {
		return
	}
	switch msg := cmd().(type) {
	case nil, tea.QuitMsg:
	case tea.BatchMsg:
		for _, c := range msg {
			p.Do(c)
		}
	case run.ViewMsg:
		p.Take(msg)
	default:
		p.Send(msg)
	}
}

// Take gives the screen a lane's view.
func (p *Player) Take(msg run.ViewMsg) { p.Do(p.Screen.TakeView(msg)) }

// came takes a view that lane l has sent.
func (p *Player) came(l *run.Lane, v engine.View) {
	if p.Steady != nil {
		p.Steady(&v)
	}
	p.Take(run.ViewMsg{Lane: l.ID, View: v, OK: true, At: time.Now()})
}

// Keys presses keys, named as Bubble Tea names them; "space" is the blank.
func (p *Player) Keys(names ...string) {
	for _, n := range names {
		p.Send(KeyMsg(n))
	}
}

// Type types a text in one piece.
func (p *Player) Type(text string) { p.Send(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(text)}) }

// Start begins on text and waits for the first proposal.
func (p *Player) Start(text string) error {
	l := p.Screen.Runs().Lane()
	ids, err := engine.Prompt(p.context(), l.Model, text)
	if err != nil {
		return err
	}
	p.Send(run.PromptMsg{Lane: l.ID, Text: text, IDs: ids})
	return p.Wait(func(v engine.View) bool {
		return v.Phase == engine.Paused && v.Next != nil && len(v.Steps) == 0 && v.PromptText == text
	})
}

// Steps waits until n tokens are written and the next is proposed.
func (p *Player) Steps(n int) error {
	return p.Wait(func(v engine.View) bool { return v.Phase == engine.Paused && len(v.Steps) == n && v.Next != nil })
}

// Beams waits until a beam search has taken n steps and rests.
func (p *Player) Beams(n int) error {
	return p.Wait(func(v engine.View) bool {
		return v.Beam != nil && len(v.Beam.Steps) == n && (v.Phase == engine.Paused || v.Phase == engine.Done)
	})
}

// Rounds waits until n rounds are drafted, the last of them not yet written.
func (p *Player) Rounds(n int) error {
	return p.Wait(func(v engine.View) bool {
		return v.Draft != nil && len(v.Draft.Rounds) == n && v.Phase == engine.Paused && v.Next != nil
	})
}

// Settle waits until every lane has done what it was asked for, and takes what
// came of it. It returns an error if a lane has ended, or p.Ctx.
func (p *Player) Settle() error {
	for _, l := range p.Screen.Runs().All {
		done := make(chan engine.View, 1)
		l.Eng.Post(engine.Settle{Done: done})
		select {
		case v := <-done:
			if p.Steady != nil {
				p.Steady(&v)
			}
			p.Take(run.ViewMsg{Lane: l.ID, View: v, OK: true})
		case err := <-l.Done:
			return fmt.Errorf("lane %d has ended: %w", l.ID+1, err)
		case <-p.context().Done():
			return p.context().Err()
		}
	}
	return nil
}

func (p *Player) context() context.Context {
	if p.Ctx == nil {
		return context.Background()
	}
	return p.Ctx
}

// Together waits until every lane has n tokens and the next proposed.
func (p *Player) Together(n int) error {
	return p.Pump(func() bool {
		return !slices.ContainsFunc(p.Screen.Runs().All, func(l *run.Lane) bool {
			return len(l.View.Steps) != n || l.View.Next == nil || l.View.Phase != engine.Paused
		})
	})
}

// Off waits until the proposal is made with n parts of the model off.
func (p *Player) Off(n int) error {
	return p.Wait(func(v engine.View) bool {
		return v.Phase == engine.Paused && v.Next != nil && v.Next.Off.Count() == n && v.Off.Count() == n
	})
}

// tuned waits until the proposal is under the newest settings.
func (p *Player) tuned() error {
	return p.Wait(func(v engine.View) bool { return v.Next != nil && v.Next.Settings == p.Screen.Runs().Lane().Settings })
}

// Done waits until the text has ended.
func (p *Player) Done() error {
	return p.Wait(func(v engine.View) bool { return v.Phase == engine.Done })
}

// errTimeout says that what was waited for did not come.
var errTimeout = errors.New("still waiting")

// Wait takes views of the lane that keys act on until ok says that one will
// do.
func (p *Player) Wait(ok func(engine.View) bool) error {
	l := p.Screen.Runs().Lane()
	timeout := time.NewTimer(p.timeout())
	defer timeout.Stop()
	for !ok(l.View) {
		select {
		case v, open := <-l.Eng.Views():
			if !open {
				return fmt.Errorf("the lane has ended: %v", l.Ended)
			}
			p.came(l, v)
		case <-timeout.C:
			return fmt.Errorf("%w: %d steps, phase %v", errTimeout, len(l.View.Steps), l.View.Phase)
		}
	}
	return nil
}

// look is how long Pump rests before it asks again where no lane has sent
// anything: what it waits for may change without a view.
const look = time.Millisecond

// Pump takes views of all lanes, those parked among them, until ok says that
// what has come will do and nothing more is on its way.
func (p *Player) Pump(ok func() bool) error {
	end := time.Now().Add(p.timeout())
	for {
		lanes := slices.Concat(p.Screen.Runs().All, p.Screen.Runs().Parked)
		if p.takeAny(lanes, 0) {
			continue
		}
		if ok() {
			return nil
		}
		if time.Now().After(end) {
			return errTimeout
		}
		p.takeAny(lanes, look)
	}
}

// takeAny takes a view of one of lanes, and reports false if none came in
// wait.
func (p *Player) takeAny(lanes []*run.Lane, wait time.Duration) bool {
	var cases []reflect.SelectCase
	for _, l := range lanes {
		cases = append(cases, reflect.SelectCase{Dir: reflect.SelectRecv, Chan: reflect.ValueOf(l.Eng.Views())})
	}
	none := reflect.SelectCase{Dir: reflect.SelectDefault}
	if wait > 0 {
		none = reflect.SelectCase{Dir: reflect.SelectRecv, Chan: reflect.ValueOf(time.After(wait))}
	}
	i, v, open := reflect.Select(append(cases, none))
	if i == len(lanes) || !open {
		return false
	}
	p.came(lanes[i], v.Interface().(engine.View))
	return true
}

func (p *Player) timeout() time.Duration {
	if p.Timeout > 0 {
		return p.Timeout
	}
	return 20 * time.Second
}

// numbers are the commands that take a number.
var numbers = map[string]func(*Player, int) error{
	"steps": (*Player).Steps, "beams": (*Player).Beams, "rounds": (*Player).Rounds, "together": (*Player).Together, "off": (*Player).Off,
}

// Line does one command; one that begins with # is a remark. The error names it, and says what is wrong with it
// or what did not come.
func (p *Player) Line(line string) error {
	if strings.HasPrefix(line, "#") {
		return nil
	}
	verb, rest, _ := strings.Cut(line, " ")
	if f := p.Verbs[verb]; f != nil {
		return wrong(line, f(rest))
	}
	if f := numbers[verb]; f != nil {
		n, err := strconv.Atoi(rest)
		if err != nil || n < 0 {
			return fmt.Errorf("%s: want a number, as in \"%s 3\"", line, verb)
		}
		return wrong(line, f(p, n))
	}
	switch verb {
	case "":
	case "size":
		var w, h int
		if n, err := fmt.Sscan(rest, &w, &h); n != 2 || err != nil || w < 0 || h < 0 {
			return fmt.Errorf("%s: want the columns and lines of the window, as in \"size 80 24\"", line)
		}
		p.Send(tea.WindowSizeMsg{Width: w, Height: h})
	case "start":
		return wrong(line, p.Start(strings.ReplaceAll(rest, `\n`, "\n")))
	case "keys":
		p.Keys(strings.Fields(rest)...)
	case "type":
		p.Type(rest)
	case "tuned":
		return wrong(line, p.tuned())
	case "done":
		return wrong(line, p.Done())
	default:
		return fmt.Errorf("%s: no such command; %s", line, strings.Join(p.names(), ", "))
	}
	return nil
}

// names lists the commands there are.
func (p *Player) names() []string {
	list := []string{"size", "start", "keys", "type", "steps", "beams", "rounds", "together", "off", "tuned", "done"}
	var own []string
	for name := range p.Verbs {
		own = append(own, name)
	}
	slices.Sort(own)
	return append(list, own...)
}

// wrong puts the command before its error.
func wrong(line string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", line, err)
}

// Play does the commands of r, a line each, and stops at the first that
// fails.
func (p *Player) Play(r io.Reader) error {
	s := bufio.NewScanner(r)
	for n := 1; s.Scan(); n++ {
		if err := p.Line(s.Text()); err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
	}
	return s.Err()
}

// keyNames are the keys that are not one character.
var keyNames = func() map[string]tea.KeyType {
	out := map[string]tea.KeyType{}
	for t := tea.KeyType(-100); t < 128; t++ {
		if name := (tea.KeyMsg{Type: t}).String(); name != "" && t != tea.KeyRunes {
			if _, taken := out[name]; !taken {
				out[name] = t
			}
		}
	}
	return out
}()

// Key returns the key of a name: "enter", "ctrl+d", "space" or a character.
func Key(name string) (tea.KeyMsg, bool) {
	if name == "space" {
		return tea.KeyMsg{Type: tea.KeySpace, Runes: []rune{' '}}, true
	}
	if r := []rune(name); len(r) == 1 {
		return tea.KeyMsg{Type: tea.KeyRunes, Runes: r}, true
	}
	t, ok := keyNames[name]
	return tea.KeyMsg{Type: t}, ok
}

// KeyMsg is the message of a key by its name; what is not a name is typed.
func KeyMsg(name string) tea.KeyMsg {
	if k, ok := Key(name); ok {
		return k
	}
	return tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(name)}
}
