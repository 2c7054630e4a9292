package files

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"logitscope/engine"
	"logitscope/engine/compare"
	"logitscope/engine/goal"
	"logitscope/models"
	"logitscope/presets/exchange"
	"logitscope/sampling"
	"logitscope/sampling/param"
	"logitscope/ui/store"
	"logitscope/ui/tui/kit"
	"logitscope/ui/tui/run"
	"logitscope/viz"
)

// checkSteps is how many steps an export is checked on.
const checkSteps = 64

// A writePage is one of the things that can be written out.
type writePage uint8

const (
	exportPage writePage = iota
	presetPage
	runPage
	nWritePages
)

var writePageNames = [nWritePages]string{"export", "your presets", "this run"}

// Export writes out: the settings for another engine, a preset of the
// user's own, or the run.
type Export struct {
	lanes   *run.Lanes
	presets *Presets
	page    writePage
	target  int // index in exchange.Targets
	of      exportKey
	out     exchange.Exported
	check   compare.Check
	err     error // why there is no export
	bad     error // why there is no check
	ready   bool
	top     int // first line shown

	list    kit.List // of the user's presets; 0 is the line that saves a new one
	deleted *run.Preset

	pick  *picker    // of the targets, nil while it is closed
	field *kit.Field // a name being typed, nil if none is
	asked string     // the file that is there already, to be asked about once
}

// An exportKey says what an export is of.
type exportKey struct {
	settings *engine.Settings
	steps    int
	target   int
}

// firstTarget is the target that is shown first.
const firstTarget = "llama.cpp"

// NewExport opens the view on the settings of the lane that keys act on.
func NewExport(host kit.Host, lanes *run.Lanes, presets *Presets) (*Export, tea.Cmd) {
	v := &Export{lanes: lanes, presets: presets, target: slices.Index(exchange.TargetNames(), firstTarget)}
	return v, v.compute(host)
}

// An exportMsg brings an export and its check.
type exportMsg struct {
	key   exportKey
	out   exchange.Exported
	check compare.Check
	err   error
	bad   error
}

// compute exports and checks in the background: the check puts up to 64
// steps through the target's rules.
func (v *Export) compute(host kit.Host) tea.Cmd {
	l := host.Lane()
	key := exportKey{l.Settings, len(l.View.Steps), v.target}
	if key == v.of || l.Settings == nil {
		return nil
	}
	v.of, v.ready = key, false
	cfg, format, view, comp, mine := l.Config, exchange.Targets()[v.target], l.View, l.Comp, l.Settings
	vocab := l.Vocab()
	return func() tea.Msg {
		out := exportMsg{key: key}
		cfg := exchange.WithIDs(cfg, func(text string) []int32 { return vocab.Encode(text, models.EncodeOptions{}) })
		if out.out, out.err = exchange.Export(cfg, format); out.err != nil {
			return out
		}
		set, err := comp.Settings(out.out.Config, format.Name)
		if err != nil {
			out.bad = err
			return out
		}
		out.check, out.bad = compare.Against(view, mine, set, checkSteps)
		return out
	}
}

// Witness tells for whom settings were written out; see [kit.Witness].
func (v *Export) Witness() goal.Facts {
	if v.page == exportPage && v.ready && v.err == nil {
		return goal.Facts{Exported: []string{v.out.Target.Name}}
	}
	return goal.Facts{}
}

// Follow takes results and new views; see [kit.Follower].
func (v *Export) Follow(host kit.Host, msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case exportMsg:
		if msg.key == v.of {
			v.out, v.check, v.err, v.bad, v.ready = msg.out, msg.check, msg.err, msg.bad, true
		}
	case writtenMsg:
		if msg.of == v {
			v.written(host, msg)
		}
	case run.ViewMsg:
		if !host.Lane().Running() {
			return v.compute(host)
		}
	}
	return nil
}

// Frame titles the box; see [kit.Overlay].
func (v *Export) Frame(host kit.Host) viz.Frame {
	title := "write out · " + writePageNames[v.page]
	if v.page == exportPage {
		title = "export · " + host.Lane().ShownLabel() + " → " + exchange.Targets()[v.target].Name
	}
	return viz.Frame{Title: title, Right: "tab " + writePageNames[(v.page+1)%nWritePages] + " · W"}
}

// Size is how large the box wants to be; see [kit.Overlay].
func (v *Export) Size(host kit.Host) (int, int) {
	return 100, max(min(host.Screen().H-4, 26), 10)
}

// Hints are what the footer offers; see [kit.View].
func (v *Export) Hints(host kit.Host) []kit.ID {
	if v.field != nil {
		return []kit.ID{kit.ActClose}
	}
	switch v.page {
	case presetPage:
		return []kit.ID{kit.ActOpen, kit.ActTake, kit.ActUndo, kit.ActDown, kit.ActPane, kit.ActClose}
	case runPage:
		return []kit.ID{kit.ActOpen, kit.ActPane, kit.ActClose}
	}
	return []kit.ID{kit.ActRight, kit.ActFind, kit.ActCopy, kit.ActOpen, kit.ActDown, kit.ActPane, kit.ActClose}
}

// Footer words the hints; see [kit.Footed].
func (v *Export) Footer(host kit.Host) []kit.Hint {
	if v.pick != nil {
		return []kit.Hint{{Keys: "←→↑↓", Word: "choose"}, {Keys: "enter", Word: "take it"}, {Keys: "esc", Word: "leave it"}}
	}
	if v.field != nil {
		return []kit.Hint{{Keys: "enter", Word: "writes it"}, {Keys: "esc", Word: "leaves it"}}
	}
	switch v.page {
	case presetPage:
		return []kit.Hint{{ID: kit.ActOpen, Word: "save, rename"}, {ID: kit.ActTake, Word: "delete"}, {ID: kit.ActUndo, Word: "undo"}, {ID: kit.ActPane, Word: "next page"}, {ID: kit.ActClose}}
	case runPage:
		return []kit.Hint{{ID: kit.ActOpen, Word: "write a file"}, {ID: kit.ActPane, Word: "next page"}, {ID: kit.ActClose}}
	}
	return []kit.Hint{{ID: kit.ActRight, Keys: "←→", Word: "target"}, {ID: kit.ActFind, Word: "list"}, {ID: kit.ActCopy}, {ID: kit.ActOpen, Word: "write a file"}, {ID: kit.ActDown, Keys: "↑↓", Word: "scroll"},
		{ID: kit.ActPane, Word: "next page"}, {ID: kit.ActClose}}
}

// Act takes the actions it names; see [kit.View].
func (v *Export) Act(host kit.Host, a *kit.Action) (tea.Cmd, bool) {
	switch a.ID {
	case kit.ActPane, kit.ActPaneBack:
		d := writePage(1)
		if a.ID == kit.ActPaneBack {
			d = nWritePages - 1
		}
		v.page, v.top = (v.page+d)%nWritePages, 0
		return nil, true
	case kit.ActZoom, kit.ActTake, kit.ActUndo, kit.ActRedo, kit.ActLeft, kit.ActRight, kit.ActFind, kit.ActCopy, kit.ActOpen, kit.ActUp, kit.ActDown, kit.ActLeft10, kit.ActRight10, kit.ActFirst, kit.ActLast:
	default:
		return nil, false
	}
	switch v.page {
	case presetPage:
		v.actOnPresets(host, a)
		return nil, true
	case runPage:
		if a.ID == kit.ActOpen {
			v.ask("logitscope-run.jsonl")
			return nil, true
		}
		host.Say(a.First() + ": enter writes a file, tab shows the next page")
		return nil, true
	}
	return v.actOnExport(host, a), true
}

func (v *Export) ask(name string) {
	f := kit.NewField(name)
	v.field, v.asked = &f, ""
}

// turn chooses another target.
func (v *Export) turn(host kit.Host, d int) tea.Cmd {
	n := len(exchange.Targets())
	v.target, v.top = (v.target+d+n)%n, 0
	return v.compute(host)
}

func (v *Export) actOnExport(host kit.Host, a *kit.Action) tea.Cmd {
	switch a.ID {
	case kit.ActRight:
		return v.turn(host, 1)
	case kit.ActLeft:
		return v.turn(host, -1)
	case kit.ActUp, kit.ActDown, kit.ActLeft10, kit.ActRight10, kit.ActFirst, kit.ActLast:
		d, _ := a.Rows(v.last(host))
		to := min(max(v.top+d, 0), v.last(host))
		if to == v.top {
			host.Say("nothing more that way")
		}
		v.top = to
	case kit.ActFind:
		v.pick = newPicker(targetChoices(), v.target)
	case kit.ActCopy:
		if !v.ready || v.err != nil {
			host.Say("y: nothing to copy yet")
			return nil
		}
		return host.Copy("the settings for "+v.out.Target.Name, v.out.Text, v.out.Target.File)
	case kit.ActOpen:
		v.ask(exchange.Targets()[v.target].File)
	default:
		host.Say(a.First() + ": ←→ choose a target, / lists them, y copies, enter writes a file")
	}
	return nil
}

// Key takes a name.
func (v *Export) Key(host kit.Host, k tea.KeyMsg) (tea.Cmd, bool) {
	if v.pick != nil {
		chosen, done := v.pick.key(k)
		if done {
			v.pick = nil
		}
		if done && chosen >= 0 {
			v.target, v.top = chosen, 0
			return v.compute(host), true
		}
		return nil, true
	}
	if v.field == nil {
		return nil, false
	}
	switch k.Type {
	case tea.KeyEsc:
		v.field = nil
	case tea.KeyEnter:
		return v.enter(host, strings.TrimSpace(v.field.Text())), true
	default:
		v.asked = ""
		v.field.Key(k)
	}
	return nil, true
}

// enter writes under the name typed; a file that is there already is asked
// about first.
func (v *Export) enter(host kit.Host, name string) tea.Cmd {
	if name == "" {
		host.Say("enter: type a name first; esc leaves it")
		return nil
	}
	if v.page == presetPage {
		v.enterPreset(host, name)
		return nil
	}
	data, what := []byte(v.out.Text), "settings for "+exchange.Targets()[v.target].Name
	if v.page == exportPage && (!v.ready || v.err != nil) {
		host.Say("enter: the export is not ready yet")
		return nil
	}
	door, file := host.Files(), host.Files().Expand(name)
	if v.page == runPage {
		var err error
		if data, what, err = runFile(host, filepath.Ext(name)); err != nil {
			host.Complain(viz.FirstLine(err.Error()))
			return nil
		}
	}
	over := v.asked == file
	return func() tea.Msg {
		return writtenMsg{v, file, what, len(data), door.Write(file, data, over)}
	}
}

// A writtenMsg says what became of a file.
type writtenMsg struct {
	of    *Export
	file  string
	what  string
	bytes int
	err   error
}

// written tells the user what became of a file.
func (v *Export) written(host kit.Host, msg writtenMsg) {
	switch {
	case errors.Is(msg.err, store.ErrExists):
		v.asked = msg.file
		host.Complain(msg.file + " is there already; enter again writes over it, or type another name")
	case msg.err != nil:
		host.Complain(viz.FirstLine(msg.err.Error()))
	default:
		v.field, v.asked = nil, ""
		host.Say(fmt.Sprintf("%s: wrote %s, %s", msg.file, msg.what, viz.Bytes(int64(msg.bytes))))
	}
}

// keyOf says how a preset is chosen.
func (v *Export) keyOf(name string) string {
	if i := v.presets.Find(name); i >= 0 && i < 9 {
		return "key " + strconv.Itoa(i+1) + " takes it"
	}
	return ": finds it"
}

// wholeConfig is what is in force, as a preset lists it.
func wholeConfig(cfg sampling.Config) string {
	var parts []string
	for _, key := range cfg.Keys() {
		if key == "seed" {
			continue
		}
		if p, ok := param.Lookup(key); ok {
			parts = append(parts, key+" "+run.ValueWords(p, cfg.Value(key)))
		}
	}
	if len(parts) == 0 {
		return "everything off"
	}
	return strings.Join(parts, " · ")
}
