package tui

import (
	"maps"

	"logitscope/ui/tui/course"
	"logitscope/ui/tui/kit"
)

// newCourse returns the course of lessons, with no lesson open yet.
func (m *Model) newCourse(opt Lessons) *course.Course {
	c := course.New(m.Lanes, course.Doors{ToLab: m.toLab, Shown: m.shown, Names: m.shownNames, OpenModel: m.opt.OpenModel}, opt.List)
	c.Start, c.Preset, c.Fixed, c.Kept = opt.Start, opt.Preset, opt.Fixed, opt.Kept
	maps.Copy(c.Progress, opt.Progress)
	return c
}

// toLab closes everything over the lab.
func (m *Model) toLab() {
	m.overlays = nil
	if m.screen.id != kit.ViewLab {
		m.Close()
	}
}

// shown returns the views on the screen, and shownNames their ids.
func (m *Model) shown() []kit.View {
	list := []kit.View{m.screen.View}
	for _, o := range m.overlays {
		list = append(list, o.View)
	}
	return list
}

func (m *Model) shownNames() []kit.ViewID {
	list := []kit.ViewID{m.screen.id}
	for _, o := range m.overlays {
		list = append(list, o.id)
	}
	return list
}
