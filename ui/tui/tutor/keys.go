package tutor

import (
	"fmt"
	"strconv"

	tea "github.com/charmbracelet/bubbletea"

	"logitscope/engine/lesson"
	"logitscope/ui/tui/kit"
)

// types reports whether an answer is being typed.
func (p *Pane) types(r lesson.Reading) bool {
	return p.takes(r) && r.Task().Predict.Form != lesson.Choice
}

// letters reports whether letters are part of the answer, and so no keys.
func (p *Pane) letters(r lesson.Reading) bool {
	return p.types(r) && (p.field.Text() != "" || r.Task().Predict.Form == lesson.Token)
}

// takes reports whether the question has the keys.
func (p *Pane) takes(r lesson.Reading) bool { return p.Shown && p.Focused && p.asks(r) }

// Key answers the question of the task: a digit chooses a line, or begins an
// answer that is typed; what follows is typed too, so that no word of an answer
// steers the lab, and esc takes it out. Every other key is left.
func (p *Pane) Key(host kit.Host, k tea.KeyMsg) (tea.Cmd, bool) {
	r, open := p.course.Reading()
	if !open || !p.takes(r) {
		return nil, false
	}
	form := r.Task().Predict.Form
	begun := p.letters(r)
	digit := k.Type == tea.KeyRunes && (k.Runes[0] >= '0' && k.Runes[0] <= '9' || k.Runes[0] == '.')
	switch {
	case form == lesson.Choice:
		if !digit || len(k.Runes) != 1 {
			return nil, false
		}
		p.choose(host, r, int(k.Runes[0]-'0'))
	case k.Type == tea.KeyEsc && p.field.Text() != "":
		p.field = kit.NewField("")
	case digit, begun && (k.Type == tea.KeyRunes || k.Type == tea.KeySpace),
		p.field.Text() != "" && (k.Type == tea.KeyBackspace || k.Type == tea.KeyDelete):
		p.field.Key(k)
	default:
		return nil, false
	}
	return nil, true
}

// choose puts the mark on line n of the question, from 1. It takes the key
// where there is no such line too: elsewhere digits take presets.
func (p *Pane) choose(host kit.Host, r lesson.Reading, n int) {
	if most := len(r.Task().Predict.Choices); n < 1 || n > most {
		host.Say(fmt.Sprintf("%d: the answers are 1 to %d", n, most))
		return
	}
	p.pick, p.follow = n-1, true
}

// acts are what the lab's actions mean in the pane.
var acts = actsTable()

func actsTable() map[kit.ID]func(*Pane, kit.Host, lesson.Reading) tea.Cmd {
	scroll := func(n int) func(*Pane, kit.Host, lesson.Reading) tea.Cmd {
		return func(p *Pane, host kit.Host, _ lesson.Reading) tea.Cmd { p.scroll(host, n); return nil }
	}
	task := func(d int) func(*Pane, kit.Host, lesson.Reading) tea.Cmd {
		return func(p *Pane, host kit.Host, r lesson.Reading) tea.Cmd { return p.turn(host, r, d) }
	}
	return map[kit.ID]func(*Pane, kit.Host, lesson.Reading) tea.Cmd{
		kit.ActOpen: (*Pane).enter, kit.ActInspect: (*Pane).hint, kit.ActReset: (*Pane).again, kit.ActTake: (*Pane).skip,
		kit.ActLeft10: scroll(-5), kit.ActRight10: scroll(5), kit.ActFirst: scroll(-1000), kit.ActLast: scroll(1000),
		kit.ActPrevMark: task(-1), kit.ActNextMark: task(1),
		kit.ActZoom: func(p *Pane, _ kit.Host, _ lesson.Reading) tea.Cmd { p.Alone = !p.Alone; p.top = 0; return nil },
	}
}

// Act takes an action while keys act in the pane.
func (p *Pane) Act(host kit.Host, a *kit.Action) (tea.Cmd, bool) {
	r, open := p.course.Reading()
	if a.ID == kit.ActUp || a.ID == kit.ActDown {
		d, _ := a.Rows(0)
		return nil, open && p.move(host, r, d)
	}
	do := acts[a.ID]
	if !open || do == nil {
		return nil, false
	}
	cmd := do(p, host, r)
	p.Sync()
	return cmd, true
}

// enter answers the question, turns a page, or goes on.
func (p *Pane) enter(host kit.Host, r lesson.Reading) tea.Cmd {
	switch {
	case p.intro:
		p.intro, p.top = false, 0
	case p.course.Err() != nil:
		host.Complain(p.course.Err().Error())
	case p.course.Scene() == nil:
		host.Say("the task is being set up")
	case p.asks(r):
		p.answer(host, r)
	case r.Done || r.Skipped:
		return p.turn(host, r, 1)
	case len(r.Task().Goals) == 0:
		p.course.Change(lesson.Reading.Turn)
		if len(r.Task().Reveal) == 0 {
			return p.turn(host, r, 1)
		}
	default:
		host.Say("enter: " + openWords(r) + "; i shows a hint, x leaves the task out, ] goes to the next all the same")
	}
	return nil
}

// answer takes what is chosen or typed.
func (p *Pane) answer(host kit.Host, r lesson.Reading) {
	q := r.Task().Predict
	text := p.field.Text()
	if q.Form == lesson.Choice {
		text = strconv.Itoa(p.pick + 1)
	} else if text == "" && q.Form == lesson.Token { // where x is a letter
		p.skip(host, r)
		return
	} else if text == "" {
		host.Say("enter: type your answer first; x leaves the question out")
		return
	}
	v, err := q.Read(text)
	if err != nil {
		host.Say("enter: " + err.Error())
		return
	}
	p.answered = p.course.Scene()
	p.verdict.ok, p.verdict.right = q.Right(v, p.answered)
	p.course.Change(func(r lesson.Reading) lesson.Reading { return r.Guess(v) })
	p.follow = true
}

// hint shows the next hint.
func (p *Pane) hint(host kit.Host, r lesson.Reading) tea.Cmd {
	switch n := len(r.Task().Hints); {
	case p.intro || n == 0:
		host.Say("i: there is no hint here")
	case r.Hints == n:
		host.Say("i: no more hints; they stand in the lesson")
		p.follow = true
	default:
		p.course.Change(lesson.Reading.Hint)
		p.follow = true
	}
	return nil
}

// again sets the task up as the lesson has it.
func (p *Pane) again(host kit.Host, r lesson.Reading) tea.Cmd {
	if p.intro {
		host.Say("backspace: nothing is set up here yet")
		return nil
	}
	host.Say("set up as the lesson has it")
	return p.course.Again()
}

// skip leaves the question out, or the task.
func (p *Pane) skip(host kit.Host, r lesson.Reading) tea.Cmd {
	switch {
	case p.intro:
		p.intro, p.top = false, 0
	case p.asks(r):
		p.passed, p.top = true, 0
		host.Say("the question is left out")
	case r.Done:
		host.Say("x: the task is done; enter goes on")
	default:
		p.course.Change(lesson.Reading.Skip)
		p.follow = true
	}
	return nil
}

// turn goes to the task d further on.
func (p *Pane) turn(host kit.Host, r lesson.Reading, d int) tea.Cmd {
	last := len(r.Lesson.Tasks) - 1
	switch i := r.At + d; {
	case d > 0 && p.intro:
		p.intro, p.top = false, 0
		return nil
	case d < 0 && p.intro:
		host.Say("[: this is where the lesson begins")
		return nil
	case i < 0:
		p.intro, p.top = len(r.Lesson.Intro) > 0, 0
		if !p.intro {
			host.Say("[: this is the first task")
		}
		return nil
	case i > last:
		return host.Open(kit.ViewLessons)
	default:
		return p.course.Next(i)
	}
}

// move chooses a line of the question, else scrolls. Where there is nothing to
// choose or to scroll it leaves the key to the lab and reports false.
func (p *Pane) move(host kit.Host, r lesson.Reading, d int) bool {
	if p.asks(r) && r.Task().Predict.Form == lesson.Choice {
		if i := p.pick + d; i >= 0 && i < len(r.Task().Predict.Choices) {
			p.pick, p.follow = i, true
			return true
		}
	}
	return p.scroll(host, d) || p.asks(r)
}

// scroll moves the rows by d and reports whether there are more than are
// shown.
func (p *Pane) scroll(host kit.Host, d int) bool {
	pg, h := p.page(host)
	most := max(len(pg.rows)-h, 0)
	p.top = min(max(min(p.top, most)+d, 0), most)
	p.follow = false
	return most > 0
}
