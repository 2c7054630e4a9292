package lanes

import (
	"fmt"

	tea "github.com/charmbracelet/bubbletea"

	"logitscope/engine/check"
	"logitscope/engine/stats"
	"logitscope/ui/tui/kit"
	"logitscope/ui/tui/run"
	"logitscope/viz"
)

// fewestVoters is how many lanes can vote.
const fewestVoters = 3

// voted is the answer that most lanes gave, once three or more have ended.
func (v *View) voted() string {
	if len(v.lanes.All) < fewestVoters || !run.AllEnded(v.lanes.All) {
		return ""
	}
	var answers []string
	for _, l := range v.lanes.All {
		if answer, ok := v.answer.Of(l.View.Text()); ok {
			answers = append(answers, answer)
		}
	}
	answer, votes := stats.Majority(answers)
	of := "by " + v.answer.String()
	if none := len(v.lanes.All) - len(answers); none > 0 {
		of += fmt.Sprintf(", %d without one", none)
	}
	switch votes {
	case 0:
		return "voted: no lane has an answer (" + of + "; ctrl+e takes another)"
	case 1:
		return "voted: no two lanes gave the same answer (" + of + "; ctrl+e takes another)"
	}
	return fmt.Sprintf("voted: %s (%d of %d lanes; %s)", answer, votes, len(v.lanes.All), of)
}

// nextAnswer takes the next rule of what of a text is its answer; an expression
// is typed.
func (v *View) nextAnswer(host kit.Host) {
	if len(v.lanes.All) < fewestVoters {
		host.Say(fmt.Sprintf("ctrl+e: %d lanes or more vote; C adds one", fewestVoters))
		return
	}
	next := (v.answer.Rule + 1) % check.Rule(check.Rules)
	if next == check.ByMatch {
		text := ""
		if v.answer.Extract != nil {
			text = v.answer.Extract.String()
		}
		f := kit.NewField(text)
		v.field, v.part = &f, partTable
		host.Say("an RE2 expression; its first group, else its match, is the answer")
		return
	}
	v.answer.Rule = next
	host.Say("the answer of a lane is " + v.answer.String())
}

// Key takes what is typed; see [kit.Typist].
func (v *View) Key(host kit.Host, k tea.KeyMsg) (tea.Cmd, bool) {
	if v.field == nil {
		return nil, false
	}
	switch k.Type {
	case tea.KeyEsc, tea.KeyCtrlE:
		v.field, v.answer.Rule = nil, check.ByFirstLine
		host.Say("the answer of a lane is " + v.answer.String())
	case tea.KeyEnter, tea.KeyCtrlJ:
		e, err := check.CompileExtract(v.field.Text())
		if err != nil {
			host.Complain(viz.FirstLine(err.Error()))
			return nil, true
		}
		v.field, v.answer = nil, check.Answer{Rule: check.ByMatch, Extract: e}
		host.Say("the answer of a lane is " + viz.Printable(v.answer.String(), host.Screen().ASCII()))
	default:
		v.field.Key(k)
	}
	return nil, true
}
