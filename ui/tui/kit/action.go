package kit

import (
	"strings"

	"github.com/charmbracelet/bubbles/key"
)

// An ID names an action, as a keys file does.
type ID string

// The actions. Their keys and words are in the table of the router.
const (
	ActRun        ID = "run"
	ActRight      ID = "right"
	ActLeft       ID = "left"
	ActNext       ID = "next"
	ActBack       ID = "back"
	ActDown       ID = "down"
	ActUp         ID = "up"
	ActRight10    ID = "right10"
	ActLeft10     ID = "left10"
	ActFirst      ID = "first"
	ActLast       ID = "last"
	ActPane       ID = "pane"
	ActPaneBack   ID = "paneback"
	ActOpen       ID = "open"
	ActClose      ID = "close"
	ActZoom       ID = "zoom"
	ActAgain      ID = "again"
	ActReseed     ID = "reseed"
	ActSlower     ID = "slower"
	ActFaster     ID = "faster"
	ActLower      ID = "lower"
	ActRaise      ID = "raise"
	ActOff        ID = "off"
	ActReset      ID = "reset"
	ActUndo       ID = "undo"
	ActRedo       ID = "redo"
	ActFlip       ID = "flip"
	ActOrder      ID = "order"
	ActTake       ID = "take"
	ActEarlier    ID = "earlier"
	ActLater      ID = "later"
	ActInspect    ID = "inspect"
	ActForce      ID = "force"
	ActPin        ID = "pin"
	ActFind       ID = "find"
	ActDraw       ID = "draw"
	ActMarks      ID = "marks"
	ActFold       ID = "fold"
	ActPrevMark   ID = "prevmark"
	ActNextMark   ID = "nextmark"
	ActCue        ID = "cue"
	ActResplit    ID = "resplit"
	ActPrompt     ID = "prompt"
	ActExamples   ID = "examples"
	ActCopy       ID = "copy"
	ActTimeline   ID = "timeline"
	ActCache      ID = "cache"
	ActSweep      ID = "sweep"
	ActBench      ID = "bench"
	ActNumber     ID = "number"
	ActVote       ID = "vote"
	ActName       ID = "name"
	ActLayers     ID = "layers"
	ActCompare    ID = "compare"
	ActPredict    ID = "predict"
	ActHands      ID = "hands"
	ActJoin       ID = "join"
	ActBring      ID = "bring"
	ActLabs       ID = "labs"
	ActBeam       ID = "beam"
	ActDraft      ID = "draft"
	ActConstraint ID = "constraint"
	ActSource     ID = "source"
	ActModel      ID = "model"
	ActExport     ID = "export"
	ActImport     ID = "import"
	ActRead       ID = "read"
	ActSeeds      ID = "seeds"
	ActAnswer     ID = "answer"
	ActEngines    ID = "engines"
	ActValues     ID = "values"
	ActSince      ID = "since"
	ActCommands   ID = "commands"
	ActLessons    ID = "lessons"
	ActHelp       ID = "help"
	ActQuit       ID = "quit"
	ActInterrupt  ID = "interrupt"
	ActAll        ID = "all"
	ActSync       ID = "sync"
	ActPreset1    ID = "preset1"
	ActPreset2    ID = "preset2"
	ActPreset3    ID = "preset3"
	ActPreset4    ID = "preset4"
	ActPreset5    ID = "preset5"
	ActPreset6    ID = "preset6"
	ActPreset7    ID = "preset7"
	ActPreset8    ID = "preset8"
	ActPreset9    ID = "preset9"
)

// Presets are the actions that put a preset in force, by its place in the
// list.
var Presets = [...]ID{ActPreset1, ActPreset2, ActPreset3, ActPreset4, ActPreset5, ActPreset6, ActPreset7, ActPreset8, ActPreset9}

// OfLab are the actions that act on the lab's panes, which the views that fill
// the screen hide.
var OfLab = []ID{
	ActRun, ActNext, ActBack, ActRight, ActLeft, ActDown, ActUp, ActRight10, ActLeft10, ActFirst, ActLast, ActPane, ActPaneBack,
	ActOpen, ActZoom, ActAgain, ActReseed, ActLower, ActRaise, ActOff, ActReset, ActUndo, ActRedo, ActFlip, ActOrder, ActTake,
	ActEarlier, ActLater, ActInspect, ActForce, ActPin, ActFind, ActDraw, ActMarks, ActFold, ActPrevMark, ActNextMark, ActCue, ActResplit, ActAll, ActSync,
}

// A ViewID names a view that can be opened.
type ViewID string

// The views.
const (
	ViewLab        ViewID = "lab"
	ViewHelp       ViewID = "help"
	ViewCache      ViewID = "cache"
	ViewLessons    ViewID = "lessons"
	ViewCommands   ViewID = "commands"
	ViewExamples   ViewID = "examples"
	ViewPrompt     ViewID = "prompt"
	ViewValue      ViewID = "value"
	ViewFind       ViewID = "find"
	ViewValues     ViewID = "values"
	ViewEngines    ViewID = "engines"
	ViewDraw       ViewID = "draw"
	ViewStages     ViewID = "stages"
	ViewPenalties  ViewID = "penalties"
	ViewSince      ViewID = "since"
	ViewLayers     ViewID = "layers"
	ViewCompare    ViewID = "compare"
	ViewTimeline   ViewID = "timeline"
	ViewSweep      ViewID = "sweep"
	ViewBench      ViewID = "bench"
	ViewVote       ViewID = "vote"
	ViewName       ViewID = "name"
	ViewCue        ViewID = "cue"
	ViewPredict    ViewID = "predict"
	ViewJoin       ViewID = "join"
	ViewLabs       ViewID = "labs"
	ViewBeam       ViewID = "beam"
	ViewDraft      ViewID = "draft"
	ViewModel      ViewID = "model"
	ViewExport     ViewID = "export"
	ViewImport     ViewID = "import"
	ViewRead       ViewID = "read"
	ViewSeeds      ViewID = "seeds"
	ViewProof      ViewID = "proof"
	ViewConstraint ViewID = "constraint"
	ViewSource     ViewID = "source"
)

// An Action is one thing the user can ask for. Its binding holds the keys as
// Bubble Tea names them, the first of which the footer shows, and their help.
type Action struct {
	ID ID
	key.Binding
	Hint  string // in the footer: "run/pause"; empty leaves it out
	Group string // heading it belongs to in the palette
}

// Bind returns a binding of keys, if any, with its words for help overlay and
// palette.
func Bind(words string, keys ...string) key.Binding {
	return key.NewBinding(key.WithKeys(keys...), key.WithHelp(keyNames(keys), words))
}

// Rekey gives the action other keys; its words stay.
func (a *Action) Rekey(keys []string) { a.Binding = Bind(a.Words(), keys...) }

// Words say what the action does.
func (a *Action) Words() string { return a.Help().Desc }

// First returns the key of a that the footer shows, empty if it has none.
func (a *Action) First() string {
	if len(a.Keys()) == 0 {
		return ""
	}
	return KeyName(a.Keys()[0])
}

// arrows are the keys that the screen shows as arrows.
var arrows = map[string]string{" ": "space", "right": "→", "left": "←", "up": "↑", "down": "↓", "shift+right": "shift+→", "shift+left": "shift+←"}

// KeyName returns a key as the screen shows it.
func KeyName(key string) string {
	if s, ok := arrows[key]; ok {
		return s
	}
	return key
}

// keyNames returns keys as the help shows them.
func keyNames(keys []string) string {
	names := make([]string, len(keys))
	for i, k := range keys {
		names[i] = KeyName(k)
	}
	return strings.Join(names, " ")
}
