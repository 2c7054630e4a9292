package files

import (
	"errors"
	"fmt"

	"logitscope/ui/store"
	"logitscope/ui/tui/kit"
	"logitscope/viz"
)

func (v *Export) actOnPresets(host kit.Host, a *kit.Action) {
	own := v.presets.own()
	_, body := v.body(host)
	h := presetRows(body)
	if v.list.Act(a, len(own)+1, h) {
		return
	}
	switch a.ID {
	case kit.ActOpen:
		if v.list.At == 0 {
			v.ask("")
			return
		}
		v.ask(v.lanes.Book.List()[own[v.list.At-1]].Name)
	case kit.ActTake:
		if v.list.At == 0 || v.list.At > len(own) {
			host.Say("x: ↓ chooses a preset to delete")
			return
		}
		p, err := v.presets.Delete(own[v.list.At-1])
		if err != nil {
			host.Complain(viz.FirstLine(err.Error()))
			return
		}
		v.deleted = &p
		v.list.Move(0, len(own), h)
		host.Say("deleted " + p.Name + "; u brings it back")
	case kit.ActUndo:
		if v.deleted == nil {
			host.Say("u: no preset was deleted")
			return
		}
		p := *v.deleted
		if err := v.presets.Save(p.Name, p.About, p.Config, false); err != nil {
			host.Complain(viz.FirstLine(err.Error()))
			return
		}
		v.deleted = nil
		host.Say(p.Name + " is back")
	default:
		host.Say(a.First() + ": enter saves or renames, x deletes, u undoes, tab shows the next page")
	}
}

func (v *Export) enterPreset(host kit.Host, name string) {
	l := host.Lane()
	own := v.presets.own()
	if v.list.At > 0 && v.list.At <= len(own) {
		old := v.lanes.Book.List()[own[v.list.At-1]].Name
		if err := v.presets.rename(own[v.list.At-1], name); err != nil {
			host.Complain(viz.FirstLine(err.Error()))
			return
		}
		v.field = nil
		host.Say(old + " is called " + name + " now")
		return
	}
	err := v.presets.Save(name, "", l.Config, v.asked == name)
	switch {
	case errors.Is(err, store.ErrExists):
		v.asked = name
		host.Complain("you have a preset " + name + "; enter again writes over it, or type another name")
	case err != nil:
		host.Complain(viz.FirstLine(err.Error()))
	default:
		v.field = nil
		host.Say(fmt.Sprintf("saved as %s: %s", name, v.keyOf(name)))
		l.Preset = v.presets.Find(name) // its values are those in force
	}
}
