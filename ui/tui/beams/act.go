package beams

import (
	tea "github.com/charmbracelet/bubbletea"

	"logitscope/ui/tui/kit"
)

// Act takes the actions it names; see [kit.View].
func (v *View) Act(host kit.Host, a *kit.Action) (tea.Cmd, bool) {
	if v.simple() {
		return nil, v.actSimply(host, a)
	}
	switch a.ID {
	case kit.ActPane:
		v.turn(host, 1)
	case kit.ActPaneBack:
		v.turn(host, -1)
	case kit.ActBack:
		v.back(host, 1)
	case kit.ActLower, kit.ActRaise, kit.ActOff, kit.ActReset:
		return v.knobs.Act(host, a)
	case kit.ActNumber:
		v.turnKind(host)
	case kit.ActOrder:
		v.nextRule(host)
	case kit.ActPrevMark:
		v.alongWinner(host, -1)
	case kit.ActNextMark:
		v.alongWinner(host, 1)
	case kit.ActTake:
		v.all = !v.all
		v.tree = v.layout(host)
		if v.all {
			host.Say("dead ends too, all of them")
		} else {
			host.Say("dead ends give way where there is no room")
		}
	case kit.ActZoom:
		v.alone = !v.alone
		v.tree = v.layout(host)
	case kit.ActInspect:
		host.Say(v.story())
	case kit.ActDraw:
		if v.seen.Settings.Sample {
			host.Say("d: all beams are drawn together, so no single token has a law to test")
		} else {
			host.Say("d: a beam search draws nothing; do_sample true makes it beam sampling")
		}
	default:
		return v.actInPane(host, a)
	}
	return nil, true
}

// Lends are what steps and undoes, which a search does as any run does.
func (v *View) Lends(kit.Host) []kit.ID {
	return []kit.ID{kit.ActRun, kit.ActNext, kit.ActAgain, kit.ActReseed, kit.ActUndo, kit.ActRedo}
}

// NotHere says what to do for what acts on the lab alone.
func (v *View) NotHere(kit.Host) string {
	if v.simple() {
		return "nothing to do here; n steps, b goes back, esc leaves"
	}
	return "not in beam search; esc goes back to the lab"
}

// simple reports whether the search has no tree to show.
func (v *View) simple() bool { return v.lane.View.Contrastive != nil || v.seen == nil }

// actInPane takes what depends on the pane that has the focus.
func (v *View) actInPane(host kit.Host, a *kit.Action) (tea.Cmd, bool) {
	if v.pane == beamKnobPane {
		switch a.ID {
		case kit.ActUp:
			v.knobs.Move(-1)
			return nil, true
		case kit.ActDown:
			v.knobs.Move(1)
			return nil, true
		case kit.ActOpen:
			if p := v.knobs.Param(); !p.Hidden {
				v.lanes.SelectKnob(p.Key)
				return host.Open(kit.ViewValue), true
			}
			host.Say("enter: ← → change it")
			return nil, true
		}
		return v.knobs.Act(host, a)
	}
	switch a.ID {
	case kit.ActRight:
		v.lanes.Next(1)
	case kit.ActLeft:
		v.back(host, 1)
	case kit.ActRight10:
		v.lanes.Next(10)
	case kit.ActLeft10:
		v.back(host, 10)
	case kit.ActOpen:
		host.Say(v.story())
	case kit.ActFirst, kit.ActLast:
		v.toEnd(host, a.ID == kit.ActFirst)
	case kit.ActUp, kit.ActDown:
		d, _ := a.Rows(0)
		if v.pane == beamTablePane {
			v.list.Move(d, len(v.candidates()), 1)
			break
		}
		v.otherText(host, d)
	default:
		return nil, false
	}
	return nil, true
}

// actSimply takes the actions of a search that has no tree.
func (v *View) actSimply(host kit.Host, a *kit.Action) bool {
	switch a.ID {
	case kit.ActRight:
		v.lanes.Next(1)
	case kit.ActLeft, kit.ActBack:
		v.back(host, 1)
	case kit.ActUp, kit.ActDown, kit.ActPane:
		v.contrast.Move(1)
	case kit.ActLower, kit.ActRaise, kit.ActReset:
		v.contrast.Act(host, a)
	default:
		return false
	}
	return true
}
