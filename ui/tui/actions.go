package tui

import (
	tea "github.com/charmbracelet/bubbletea"
)

// actions is the table of everything keys, mouse and palette can ask for. An
// overlay or a view sees an action first and may take it; run is what it
// means otherwise.
func actions() []action {
	say := func(s string) func(*Model) tea.Cmd {
		return func(m *Model) tea.Cmd { m.say(s); return nil }
	}
	do := func(f func(*Model)) func(*Model) tea.Cmd {
		return func(m *Model) tea.Cmd { f(m); return nil }
	}
	knob := func(steps int) func(*Model) tea.Cmd {
		return func(m *Model) tea.Cmd { m.nudge(steps); return nil }
	}
	table := []action{
		{"run", []string{" "}, "run/pause", "run / pause; from a past step: go on from here", "run", do((*Model).runOrPause)},
		{"right", []string{"right", "l"}, "step", "along the pane: next token, value up", "move", do(func(m *Model) { m.along(1) })},
		{"left", []string{"left", "h"}, "rewind", "along the pane: back one token, value down", "move", do(func(m *Model) { m.along(-1) })},
		{"next", []string{"n"}, "next", "next token", "run", do(func(m *Model) { m.next(1) })},
		{"back", []string{"b"}, "back", "back one token", "run", do(func(m *Model) { m.back(1) })},
		{"down", []string{"down", "j"}, "choose", "next row or knob", "move", do(func(m *Model) { m.move(1) })},
		{"up", []string{"up", "k"}, "", "previous row or knob", "move", do(func(m *Model) { m.move(-1) })},
		{"right10", []string{"shift+right", "pgdown"}, "", "ten times as far", "move", do(func(m *Model) { m.far(1) })},
		{"left10", []string{"shift+left", "pgup"}, "", "ten times as far back", "move", do(func(m *Model) { m.far(-1) })},
		{"first", []string{"home", "g"}, "", "first row or token", "move", do(func(m *Model) { m.end(-1) })},
		{"last", []string{"end", "G"}, "", "last row or token", "move", do(func(m *Model) { m.end(1) })},
		{"pane", []string{"tab"}, "pane", "next pane", "move", do(func(m *Model) { m.focusNext(1) })},
		{"paneback", []string{"shift+tab"}, "", "previous pane", "move", do(func(m *Model) { m.focusNext(-1) })},
		{"open", []string{"enter"}, "open", "type a value / open what is selected", "move", (*Model).openSelected},
		{"close", []string{"esc"}, "close", "back, close", "move", (*Model).closeLevel},
		{"zoom", []string{"z"}, "zoom", "this pane alone, and back", "show", do((*Model).toggleZoom)},
		{"again", []string{"r"}, "again", "again from the prompt, same seed", "run", (*Model).again},
		{"reseed", []string{"s"}, "new seed", "again with a new seed", "run", (*Model).reseed},
		{"slower", []string{","}, "slower", "slower", "run", do(func(m *Model) { m.setPace(-1) })},
		{"faster", []string{"."}, "faster", "faster", "run", do(func(m *Model) { m.setPace(1) })},
		{"lower", []string{"-"}, "value", "lower the selected knob", "settings", knob(-1)},
		{"raise", []string{"+", "="}, "", "raise the selected knob", "settings", knob(1)},
		{"off", []string{"0"}, "off", "selected knob to its off value", "settings", do((*Model).knobOff)},
		{"reset", []string{"backspace"}, "preset's", "selected knob as the preset has it", "settings", do((*Model).knobReset)},
		{"undo", []string{"u"}, "undo", "undo the last change of a setting, pin, branch", "settings", do((*Model).undo)},
		{"redo", []string{"U"}, "", "redo it", "settings", do((*Model).redo)},
		{"flip", []string{"a"}, "", "flip A / B, two slots of settings", "settings", do((*Model).flip)},
		{"order", []string{"o"}, "order", "next engine's order", "settings", do((*Model).nextOrder)},
		{"take", []string{"x"}, "out/in", "take the selected thing out / put it back", "settings", do((*Model).takeOut)},
		{"earlier", []string{"<"}, "earlier", "move the selected stage earlier", "settings", do(func(m *Model) { m.moveStage(-1) })},
		{"later", []string{">"}, "later", "move the selected stage later", "settings", do(func(m *Model) { m.moveStage(1) })},
		{"inspect", []string{"i"}, "what it does", "what the selected thing does here", "show", (*Model).inspect},
		{"force", []string{"f"}, "force", "force the row's token", "run", do((*Model).force)},
		{"pin", []string{"p"}, "pin", "pin / unpin the row's token", "show", do((*Model).togglePin)},
		{"find", []string{"/"}, "find", "find any token of the vocabulary", "show", opens("find")},
		{"draw", []string{"d"}, "draw again", "draw 1,000 against the expected law", "show", opens("draw")},
		{"marks", []string{"m"}, "text colours", "text colour: preset, probability, surprisal, rank, window", "show", do((*Model).nextMarks)},
		{"prevmark", []string{"["}, "", "previous mark: switch, forced", "move", do(func(m *Model) { m.toMark(-1) })},
		{"nextmark", []string{"]"}, "", "next mark", "move", do(func(m *Model) { m.toMark(1) })},
		{"prompt", []string{"e"}, "prompt", "edit the prompt", "text", (*Model).editPrompt},
		{"examples", []string{"E"}, "examples", "examples with known shapes", "text", opens("examples")},
		{"copy", []string{"y"}, "copy", "copy what is selected", "text", (*Model).copySelected},
		{"timeline", []string{"T"}, "timeline", "timeline and branches", "show", opens("timeline")},
		{"name", []string{"N"}, "name", "name the branch selected in the timeline", "text", opens("name")},
		{"compare", []string{"C"}, "compare", "compare: this run and a copy as lanes", "lanes", opens("compare")},
		{"predict", []string{"P"}, "predict", "predict; again: you sample; again: off", "show", opens("predict")},
		{"beam", []string{"B"}, "beams", "beam search: the tree, the line, what could still win", "show", opens("beam")},
		{"draft", []string{"S"}, "draft", "speculative decoding, round by round", "show", opens("draft")},
		{"constraint", []string{"J"}, "structured", "structured output: JSON, schema, regex, grammar, SQL", "show", opens("constraint")},
		{"source", nil, "constraint", "constraint: write or paste one", "settings", opens("source")},
		{"model", []string{"M"}, "model", "model: pick one, details", "show", opens("model")},
		{"export", []string{"W"}, "write out", "write out: export, save preset, save run", "text", opens("export")},
		{"import", nil, "import", "import: paste settings in the words of any engine", "settings", opens("import")},
		{"engines", []string{"O"}, "engines", "same settings, four engines", "show", opens("engines")},
		{"values", []string{"V"}, "values", "effective values", "show", opens("values")},
		{"since", nil, "since the switch", "what the last switch of settings changed", "show", opens("since")},
		{"commands", []string{":", "ctrl+k"}, "commands", "all commands, by name", "show", opens("commands")},
		{"help", []string{"?"}, "help", "help of this view and pane", "show", opens("help")},
		{"quit", []string{"q"}, "quit", "quit; asks once if something is not saved", "run", (*Model).quit},
		{"interrupt", []string{"ctrl+c"}, "", "quit at once", "run", func(m *Model) tea.Cmd { return tea.Quit }},
		{"all", []string{"t"}, "", "keys act on this lane / all lanes", "lanes", say("t: there is one lane")},
		{"sync", []string{"w"}, "", "lanes wait for each other / run free", "lanes", say("w: there is one lane")},
	}
	for i := range 9 {
		table = append(table, action{
			id: "preset" + string(rune('1'+i)), keys: []string{string(rune('1' + i))},
			help: "preset " + string(rune('1'+i)), group: "settings",
			run: do(func(m *Model) { m.takePreset(i) }),
		})
	}
	return table
}

// opens returns the action that opens the view of that id, or closes it if it
// is on top.
func opens(id string) func(*Model) tea.Cmd {
	return func(m *Model) tea.Cmd { return m.open(id) }
}
