package tui

import (
	tea "github.com/charmbracelet/bubbletea"

	"logitscope/ui/tui/kit"
)

// actions is the table of everything keys, mouse and palette can ask for. An
// overlay or a view sees an action first and may take it; run is what it
// means otherwise.
func actions() []entry {
	say := func(s string) func(*Model) tea.Cmd {
		return func(m *Model) tea.Cmd { m.Say(s); return nil }
	}
	do := func(f func(*Model)) func(*Model) tea.Cmd {
		return func(m *Model) tea.Cmd { f(m); return nil }
	}
	knob := func(steps int) func(*Model) tea.Cmd {
		return func(m *Model) tea.Cmd { m.Nudge(steps); return nil }
	}
	table := []entry{
		{kit.Action{ID: kit.ActRun, Binding: kit.Bind("run / pause; from a past step: go on from here", " "), Hint: "run/pause", Group: "run"}, do((*Model).RunOrPause)},
		{kit.Action{ID: kit.ActRight, Binding: kit.Bind("along the pane: next token, value up", "right", "l"), Hint: "step", Group: "move"}, do(func(m *Model) { m.lab.Along(1) })},
		{kit.Action{ID: kit.ActLeft, Binding: kit.Bind("along the pane: back one token, value down", "left", "h"), Hint: "rewind", Group: "move"}, do(func(m *Model) { m.lab.Along(-1) })},
		{kit.Action{ID: kit.ActNext, Binding: kit.Bind("next token", "n"), Hint: "next", Group: "run"}, do(func(m *Model) { m.Next(1) })},
		{kit.Action{ID: kit.ActBack, Binding: kit.Bind("back one token", "b"), Hint: "back", Group: "run"}, do(func(m *Model) { m.Back(1) })},
		{kit.Action{ID: kit.ActDown, Binding: kit.Bind("next row or knob", "down", "j"), Hint: "choose", Group: "move"}, do(func(m *Model) { m.lab.Move(1) })},
		{kit.Action{ID: kit.ActUp, Binding: kit.Bind("previous row or knob", "up", "k"), Group: "move"}, do(func(m *Model) { m.lab.Move(-1) })},
		{kit.Action{ID: kit.ActRight10, Binding: kit.Bind("ten times as far", "shift+right", "pgdown"), Group: "move"}, do(func(m *Model) { m.lab.Far(1) })},
		{kit.Action{ID: kit.ActLeft10, Binding: kit.Bind("ten times as far back", "shift+left", "pgup"), Group: "move"}, do(func(m *Model) { m.lab.Far(-1) })},
		{kit.Action{ID: kit.ActFirst, Binding: kit.Bind("first row or token", "home", "g"), Group: "move"}, do(func(m *Model) { m.lab.End(-1) })},
		{kit.Action{ID: kit.ActLast, Binding: kit.Bind("last row or token", "end", "G"), Group: "move"}, do(func(m *Model) { m.lab.End(1) })},
		{kit.Action{ID: kit.ActPane, Binding: kit.Bind("next pane", "tab"), Hint: "pane", Group: "move"}, do(func(m *Model) { m.focusNext(1) })},
		{kit.Action{ID: kit.ActPaneBack, Binding: kit.Bind("previous pane", "shift+tab"), Group: "move"}, do(func(m *Model) { m.focusNext(-1) })},
		{kit.Action{ID: kit.ActOpen, Binding: kit.Bind("type a value / open what is selected", "enter"), Hint: "open", Group: "move"}, func(m *Model) tea.Cmd {
			if m.canTalkOn() {
				return m.prompts.NextTurn(m)
			}
			return m.lab.OpenSelected(m)
		}},
		{kit.Action{ID: kit.ActClose, Binding: kit.Bind("back, close", "esc"), Hint: "close", Group: "move"}, (*Model).closeLevel},
		{kit.Action{ID: kit.ActZoom, Binding: kit.Bind("this pane alone, and back", "z"), Hint: "zoom", Group: "show"}, do(func(m *Model) { m.lab.ToggleZoom() })},
		{kit.Action{ID: kit.ActAgain, Binding: kit.Bind("again from the prompt, same seed", "r"), Hint: "again", Group: "run"}, (*Model).Again},
		{kit.Action{ID: kit.ActReseed, Binding: kit.Bind("again with a new seed", "s"), Hint: "new seed", Group: "run"}, (*Model).Reseed},
		{kit.Action{ID: kit.ActSlower, Binding: kit.Bind("slower", ","), Hint: "slower", Group: "run"}, do(func(m *Model) { m.SetPace(-1) })},
		{kit.Action{ID: kit.ActFaster, Binding: kit.Bind("faster", "."), Hint: "faster", Group: "run"}, do(func(m *Model) { m.SetPace(1) })},
		{kit.Action{ID: kit.ActLower, Binding: kit.Bind("lower the selected knob", "-"), Hint: "value", Group: "settings"}, knob(-1)},
		{kit.Action{ID: kit.ActRaise, Binding: kit.Bind("raise the selected knob", "+", "="), Group: "settings"}, knob(1)},
		{kit.Action{ID: kit.ActOff, Binding: kit.Bind("selected knob to its off value", "0"), Hint: "off", Group: "settings"}, do((*Model).KnobOff)},
		{kit.Action{ID: kit.ActReset, Binding: kit.Bind("selected knob as the preset has it", "backspace"), Hint: "preset's", Group: "settings"}, do((*Model).KnobReset)},
		{kit.Action{ID: kit.ActUndo, Binding: kit.Bind("undo the last change of a setting, pin, branch", "u"), Hint: "undo", Group: "settings"}, do((*Model).Undo)},
		{kit.Action{ID: kit.ActRedo, Binding: kit.Bind("redo it", "U"), Group: "settings"}, do((*Model).Redo)},
		{kit.Action{ID: kit.ActFlip, Binding: kit.Bind("flip A / B, two slots of settings", "a"), Group: "settings"}, do((*Model).Flip)},
		{kit.Action{ID: kit.ActOrder, Binding: kit.Bind("next engine's order", "o"), Hint: "order", Group: "settings"}, do((*Model).NextOrder)},
		{kit.Action{ID: kit.ActTake, Binding: kit.Bind("take the selected thing out / put it back", "x"), Hint: "out/in", Group: "settings"}, do(func(m *Model) { m.lab.TakeOut() })},
		{kit.Action{ID: kit.ActEarlier, Binding: kit.Bind("move the selected stage earlier", "<"), Hint: "earlier", Group: "settings"}, do(func(m *Model) { m.lab.MoveSelected(-1) })},
		{kit.Action{ID: kit.ActLater, Binding: kit.Bind("move the selected stage later", ">"), Hint: "later", Group: "settings"}, do(func(m *Model) { m.lab.MoveSelected(1) })},
		{kit.Action{ID: kit.ActInspect, Binding: kit.Bind("what the selected thing does here", "i"), Hint: "what it does", Group: "show"}, do(func(m *Model) { m.lab.Inspect() })},
		{kit.Action{ID: kit.ActForce, Binding: kit.Bind("force the row's token", "f"), Hint: "force", Group: "run"}, do((*Model).Force)},
		{kit.Action{ID: kit.ActPin, Binding: kit.Bind("pin / unpin the row's token", "p"), Hint: "pin", Group: "show"}, do((*Model).TogglePin)},
		{kit.Action{ID: kit.ActFind, Binding: kit.Bind("find any token of the vocabulary", "/"), Hint: "find", Group: "show"}, opens(kit.ViewFind)},
		{kit.Action{ID: kit.ActDraw, Binding: kit.Bind("draw 1,000 against the expected law", "d"), Hint: "draw again", Group: "show"}, opens(kit.ViewDraw)},
		{kit.Action{ID: kit.ActMarks, Binding: kit.Bind("text colour: preset, probability, surprisal, rank, window", "m"), Hint: "text colours", Group: "show"}, do((*Model).NextMarks)},
		{kit.Action{ID: kit.ActFold, Binding: kit.Bind("fold a chat template's text and hidden reasoning", "ctrl+f"), Hint: "fold", Group: "show"}, do((*Model).Fold)},
		{kit.Action{ID: kit.ActPrevMark, Binding: kit.Bind("previous mark: switch, forced", "["), Group: "move"}, do(func(m *Model) { m.lab.ToMark(-1) })},
		{kit.Action{ID: kit.ActNextMark, Binding: kit.Bind("next mark", "]"), Group: "move"}, do(func(m *Model) { m.lab.ToMark(1) })},
		{kit.Action{ID: kit.ActCue, Binding: kit.Bind("a cue at the token looked at: a mark with words", "c"), Hint: "cue", Group: "text"}, opens(kit.ViewCue)},
		{kit.Action{ID: kit.ActResplit, Binding: kit.Bind("go on from the server's own split of the text"), Hint: "server's split", Group: "text"}, (*Model).Resplit},
		{kit.Action{ID: kit.ActPrompt, Binding: kit.Bind("edit the prompt", "e"), Hint: "prompt", Group: "text"}, func(m *Model) tea.Cmd { return m.prompts.Edit(m) }},
		{kit.Action{ID: kit.ActExamples, Binding: kit.Bind("examples with known shapes", "E"), Hint: "examples", Group: "text"}, opens(kit.ViewExamples)},
		{kit.Action{ID: kit.ActCopy, Binding: kit.Bind("copy what is selected", "y"), Hint: "copy", Group: "text"}, (*Model).copySelected},
		{kit.Action{ID: kit.ActTimeline, Binding: kit.Bind("timeline and branches", "T"), Hint: "timeline", Group: "show"}, opens(kit.ViewTimeline)},
		{kit.Action{ID: kit.ActCache, Binding: kit.Bind("prompt and cache: what reading, writing and the KV cache cost", "F"), Hint: "prompt, cache", Group: "show"}, opens(kit.ViewCache)},
		{kit.Action{ID: kit.ActSweep, Binding: kit.Bind("sweep of the selected knob: a map of settings over texts", "H"), Hint: "sweep", Group: "show"}, opens(kit.ViewSweep)},
		{kit.Action{ID: kit.ActBench, Binding: kit.Bind("bench: settings against prompts, with verdicts", "K"), Hint: "bench", Group: "show"}, opens(kit.ViewBench)},
		{kit.Action{ID: kit.ActVote, Binding: kit.Bind("decide: a blind vote between the bench's texts", "D"), Hint: "vote", Group: "show"}, opens(kit.ViewVote)},
		{kit.Action{ID: kit.ActNumber, Binding: kit.Bind("bench: the next number in the cells", "v"), Group: "show"}, say("v: the next number of the bench; K opens it")},
		{kit.Action{ID: kit.ActName, Binding: kit.Bind("name the branch selected in the timeline", "N"), Hint: "name", Group: "text"}, opens(kit.ViewName)},
		{kit.Action{ID: kit.ActCompare, Binding: kit.Bind("compare: this run and a copy as lanes", "C"), Hint: "compare", Group: "lanes"}, opens(kit.ViewCompare)},
		{kit.Action{ID: kit.ActPredict, Binding: kit.Bind("predict with ten chips; again: you sample; again: off", "P"), Hint: "predict", Group: "show"}, opens(kit.ViewPredict)},
		{kit.Action{ID: kit.ActLayers, Binding: kit.Bind("layers and attention: what goes on inside the model", "A"), Hint: "layers", Group: "show"}, opens(kit.ViewLayers)},
		{kit.Action{ID: kit.ActHands, Binding: kit.Bind("count hands: a class without a network votes on what comes next"), Hint: "hands", Group: "show"}, (*Model).countHands},
		{kit.Action{ID: kit.ActJoin, Binding: kit.Bind("join: how students get into the class, lock it"), Hint: "join", Group: "show"}, opens(kit.ViewJoin)},
		{kit.Action{ID: kit.ActLabs, Binding: kit.Bind("labs of their own: who has done which task, look into one"), Hint: "labs", Group: "show"}, opens(kit.ViewLabs)},
		{kit.Action{ID: kit.ActBring, Binding: kit.Bind("bring everybody here: prompt and settings to all own labs"), Hint: "bring", Group: "show"}, (*Model).bring},
		{kit.Action{ID: kit.ActBeam, Binding: kit.Bind("beam search: the tree, the line, what could still win", "B"), Hint: "beams", Group: "show"}, opens(kit.ViewBeam)},
		{kit.Action{ID: kit.ActDraft, Binding: kit.Bind("speculative decoding, round by round", "S"), Hint: "draft", Group: "show"}, opens(kit.ViewDraft)},
		{kit.Action{ID: kit.ActConstraint, Binding: kit.Bind("structured output: JSON, schema, regex, grammar, SQL", "J"), Hint: "structured", Group: "show"}, opens(kit.ViewConstraint)},
		{kit.Action{ID: kit.ActSource, Binding: kit.Bind("constraint: write or paste one"), Hint: "constraint", Group: "settings"}, opens(kit.ViewSource)},
		{kit.Action{ID: kit.ActModel, Binding: kit.Bind("model: pick one, details", "M"), Hint: "model", Group: "show"}, opens(kit.ViewModel)},
		{kit.Action{ID: kit.ActExport, Binding: kit.Bind("write out: export, save preset, save run", "W"), Hint: "write out", Group: "text"}, opens(kit.ViewExport)},
		{kit.Action{ID: kit.ActImport, Binding: kit.Bind("import: paste settings in the words of any engine", "I"), Hint: "import", Group: "settings"}, opens(kit.ViewImport)},
		{kit.Action{ID: kit.ActSeeds, Binding: kit.Bind("across seeds: where the lanes part, how often, what they write", "X"), Hint: "over seeds", Group: "lanes"}, opens(kit.ViewSeeds)},
		{kit.Action{ID: kit.ActAnswer, Binding: kit.Bind("what lanes vote with: first line, last number, whole text, expression", "ctrl+e"), Hint: "answer", Group: "lanes"}, say("ctrl+e: what the lanes of a comparison vote with; C puts lanes side by side")},
		{kit.Action{ID: kit.ActRead, Binding: kit.Bind("read: a text that is there, token by token", "R"), Hint: "read a text", Group: "show"}, opens(kit.ViewRead)},
		{kit.Action{ID: kit.ActEngines, Binding: kit.Bind("same settings, four engines", "O"), Hint: "engines", Group: "show"}, opens(kit.ViewEngines)},
		{kit.Action{ID: kit.ActValues, Binding: kit.Bind("effective values", "V"), Hint: "values", Group: "show"}, opens(kit.ViewValues)},
		{kit.Action{ID: kit.ActSince, Binding: kit.Bind("what the last switch of settings changed"), Hint: "since the switch", Group: "show"}, opens(kit.ViewSince)},
		{kit.Action{ID: kit.ActLessons, Binding: kit.Bind("lessons: choose one, fold it, read on", "L"), Hint: "lessons", Group: "show"}, (*Model).lessonKey},
		{kit.Action{ID: kit.ActCommands, Binding: kit.Bind("all commands, by name", ":", "ctrl+k"), Hint: "commands", Group: "show"}, opens(kit.ViewCommands)},
		{kit.Action{ID: kit.ActHelp, Binding: kit.Bind("help of this view and pane", "?"), Hint: "help", Group: "show"}, opens(kit.ViewHelp)},
		{kit.Action{ID: kit.ActQuit, Binding: kit.Bind("quit; asks once if something is not saved", "q"), Hint: "quit", Group: "run"}, (*Model).quit},
		{kit.Action{ID: kit.ActInterrupt, Binding: kit.Bind("quit at once", "ctrl+c"), Group: "run"}, func(m *Model) tea.Cmd { return tea.Quit }},
		{kit.Action{ID: kit.ActAll, Binding: kit.Bind("keys act on this lane / all lanes", "t"), Group: "lanes"}, say("t: the lab shows one lane; C puts lanes side by side")},
		{kit.Action{ID: kit.ActSync, Binding: kit.Bind("lanes wait for each other / run free", "w"), Group: "lanes"}, say("w: the lab shows one lane; C puts lanes side by side")},
	}
	for i := range kit.Presets {
		table = append(table, entry{
			kit.Action{ID: kit.Presets[i], Binding: kit.Bind("preset "+string(rune('1'+i)), string(rune('1'+i))), Group: "settings"},
			do(func(m *Model) { m.TakePreset(i) }),
		})
	}
	return table
}

// opens returns the action that opens the view of that id, or closes it if it
// is on top.
func opens(id kit.ViewID) func(*Model) tea.Cmd {
	return func(m *Model) tea.Cmd { return m.Open(id) }
}
