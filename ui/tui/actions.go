package tui

import (
	tea "github.com/charmbracelet/bubbletea"
)

// actions is the table of everything keys, mouse and palette can ask for. An
// overlay or a view sees an action first and may take it; run is what it
// means otherwise.
func actions() []action {
	say := func(s string) func(*Model) tea.Cmd {
		return func(m *Model) tea.Cmd { m.Say(s); return nil }
	}
	do := func(f func(*Model)) func(*Model) tea.Cmd {
		return func(m *Model) tea.Cmd { f(m); return nil }
	}
	knob := func(steps int) func(*Model) tea.Cmd {
		return func(m *Model) tea.Cmd { m.Nudge(steps); return nil }
	}
	table := []action{
		{"run", bind("run / pause; from a past step: go on from here", " "), "run/pause", "run", do((*Model).RunOrPause)},
		{"right", bind("along the pane: next token, value up", "right", "l"), "step", "move", do(func(m *Model) { m.along(1) })},
		{"left", bind("along the pane: back one token, value down", "left", "h"), "rewind", "move", do(func(m *Model) { m.along(-1) })},
		{"next", bind("next token", "n"), "next", "run", do(func(m *Model) { m.Next(1) })},
		{"back", bind("back one token", "b"), "back", "run", do(func(m *Model) { m.Back(1) })},
		{"down", bind("next row or knob", "down", "j"), "choose", "move", do(func(m *Model) { m.move(1) })},
		{"up", bind("previous row or knob", "up", "k"), "", "move", do(func(m *Model) { m.move(-1) })},
		{"right10", bind("ten times as far", "shift+right", "pgdown"), "", "move", do(func(m *Model) { m.far(1) })},
		{"left10", bind("ten times as far back", "shift+left", "pgup"), "", "move", do(func(m *Model) { m.far(-1) })},
		{"first", bind("first row or token", "home", "g"), "", "move", do(func(m *Model) { m.end(-1) })},
		{"last", bind("last row or token", "end", "G"), "", "move", do(func(m *Model) { m.end(1) })},
		{"pane", bind("next pane", "tab"), "pane", "move", do(func(m *Model) { m.focusNext(1) })},
		{"paneback", bind("previous pane", "shift+tab"), "", "move", do(func(m *Model) { m.focusNext(-1) })},
		{"open", bind("type a value / open what is selected", "enter"), "open", "move", (*Model).openSelected},
		{"close", bind("back, close", "esc"), "close", "move", (*Model).closeLevel},
		{"zoom", bind("this pane alone, and back", "z"), "zoom", "show", do((*Model).toggleZoom)},
		{"again", bind("again from the prompt, same seed", "r"), "again", "run", (*Model).Again},
		{"reseed", bind("again with a new seed", "s"), "new seed", "run", (*Model).Reseed},
		{"slower", bind("slower", ","), "slower", "run", do(func(m *Model) { m.SetPace(-1) })},
		{"faster", bind("faster", "."), "faster", "run", do(func(m *Model) { m.SetPace(1) })},
		{"lower", bind("lower the selected knob", "-"), "value", "settings", knob(-1)},
		{"raise", bind("raise the selected knob", "+", "="), "", "settings", knob(1)},
		{"off", bind("selected knob to its off value", "0"), "off", "settings", do((*Model).KnobOff)},
		{"reset", bind("selected knob as the preset has it", "backspace"), "preset's", "settings", do((*Model).KnobReset)},
		{"undo", bind("undo the last change of a setting, pin, branch", "u"), "undo", "settings", do((*Model).Undo)},
		{"redo", bind("redo it", "U"), "", "settings", do((*Model).Redo)},
		{"flip", bind("flip A / B, two slots of settings", "a"), "", "settings", do((*Model).Flip)},
		{"order", bind("next engine's order", "o"), "order", "settings", do((*Model).NextOrder)},
		{"take", bind("take the selected thing out / put it back", "x"), "out/in", "settings", do(func(m *Model) { m.TakeOut(m.focus == panePipeline) })},
		{"earlier", bind("move the selected stage earlier", "<"), "earlier", "settings", do(func(m *Model) { m.moveSelected(-1) })},
		{"later", bind("move the selected stage later", ">"), "later", "settings", do(func(m *Model) { m.moveSelected(1) })},
		{"inspect", bind("what the selected thing does here", "i"), "what it does", "show", (*Model).inspect},
		{"force", bind("force the row's token", "f"), "force", "run", do((*Model).Force)},
		{"pin", bind("pin / unpin the row's token", "p"), "pin", "show", do((*Model).TogglePin)},
		{"find", bind("find any token of the vocabulary", "/"), "find", "show", opens("find")},
		{"draw", bind("draw 1,000 against the expected law", "d"), "draw again", "show", opens("draw")},
		{"marks", bind("text colour: preset, probability, surprisal, rank, window", "m"), "text colours", "show", do((*Model).nextMarks)},
		{"prevmark", bind("previous mark: switch, forced", "["), "", "move", do(func(m *Model) { m.toMark(-1) })},
		{"nextmark", bind("next mark", "]"), "", "move", do(func(m *Model) { m.toMark(1) })},
		{"prompt", bind("edit the prompt", "e"), "prompt", "text", (*Model).editPrompt},
		{"examples", bind("examples with known shapes", "E"), "examples", "text", opens("examples")},
		{"copy", bind("copy what is selected", "y"), "copy", "text", (*Model).copySelected},
		{"timeline", bind("timeline and branches", "T"), "timeline", "show", opens("timeline")},
		{"sweep", bind("sweep: the grid of settings as a heat map"), "sweep", "show", opens("sweep")},
		{"name", bind("name the branch selected in the timeline", "N"), "name", "text", opens("name")},
		{"compare", bind("compare: this run and a copy as lanes", "C"), "compare", "lanes", opens("compare")},
		{"predict", bind("predict; again: you sample; again: off", "P"), "predict", "show", opens("predict")},
		{"beam", bind("beam search: the tree, the line, what could still win", "B"), "beams", "show", opens("beam")},
		{"draft", bind("speculative decoding, round by round", "S"), "draft", "show", opens("draft")},
		{"constraint", bind("structured output: JSON, schema, regex, grammar, SQL", "J"), "structured", "show", opens("constraint")},
		{"source", bind("constraint: write or paste one"), "constraint", "settings", opens("source")},
		{"model", bind("model: pick one, details", "M"), "model", "show", opens("model")},
		{"export", bind("write out: export, save preset, save run", "W"), "write out", "text", opens("export")},
		{"import", bind("import: paste settings in the words of any engine"), "import", "settings", opens("import")},
		{"engines", bind("same settings, four engines", "O"), "engines", "show", opens("engines")},
		{"values", bind("effective values", "V"), "values", "show", opens("values")},
		{"since", bind("what the last switch of settings changed"), "since the switch", "show", opens("since")},
		{"commands", bind("all commands, by name", ":", "ctrl+k"), "commands", "show", opens("commands")},
		{"help", bind("help of this view and pane", "?"), "help", "show", opens("help")},
		{"quit", bind("quit; asks once if something is not saved", "q"), "quit", "run", (*Model).quit},
		{"interrupt", bind("quit at once", "ctrl+c"), "", "run", func(m *Model) tea.Cmd { return tea.Quit }},
		{"all", bind("keys act on this lane / all lanes", "t"), "", "lanes", say("t: the lab shows one lane; C puts lanes side by side")},
		{"sync", bind("lanes wait for each other / run free", "w"), "", "lanes", say("w: the lab shows one lane; C puts lanes side by side")},
	}
	for i := range presetIDs {
		table = append(table, action{
			id: presetIDs[i], Binding: bind("preset "+string(rune('1'+i)), string(rune('1'+i))),
			group: "settings", run: do(func(m *Model) { m.TakePreset(i) }),
		})
	}
	return table
}

// presetIDs are the actions that take a preset, in its order.
var presetIDs = []string{"preset1", "preset2", "preset3", "preset4", "preset5", "preset6", "preset7", "preset8", "preset9"}

// opens returns the action that opens the view of that id, or closes it if it
// is on top.
func opens(id string) func(*Model) tea.Cmd {
	return func(m *Model) tea.Cmd { return m.open(id) }
}
