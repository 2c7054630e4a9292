package files

import (
	"fmt"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"logitscope/presets/exchange"
	"logitscope/ui/tui/kit"
	"logitscope/ui/tui/run"
	"logitscope/viz"
)

// Import reads settings that were pasted, in any engine's words.
type Import struct {
	lanes *run.Lanes
	area  kit.TextArea
	file  *kit.Field // the name of a file being asked for, nil if none is
	name  string     // where the text came from
	said  string
	pick  *picker // of the formats, nil while it is closed
	from  int     // index in formatChoices: whose words the text is said to be
	call  int     // which of several calls is read, from 1

	of    importKey // what the outcome is of
	in    *exchange.Imported
	err   error
	known bool
}

// NewImport opens the view, empty.
func NewImport(lanes *run.Lanes) *Import {
	return &Import{lanes: lanes, area: kit.NewTextArea(""), name: "pasted", call: 1}
}

// An importMsg brings what was read.
type importMsg struct {
	of  importKey
	in  *exchange.Imported
	err error
}

// An importKey says what an outcome is of.
type importKey struct {
	text       string
	from, call int
}

func (v *Import) key() importKey { return importKey{v.area.Text(), v.from, v.call} }

func (v *Import) read() tea.Cmd {
	of, name := v.key(), v.name
	v.known = false
	if strings.TrimSpace(of.text) == "" {
		return nil
	}
	opt := exchange.Options{Call: of.call}
	if of.from > 0 {
		opt.From = exchange.Formats()[of.from-1]
	}
	return func() tea.Msg {
		in, err := exchange.Import([]byte(of.text), name, opt)
		return importMsg{of, in, err}
	}
}

// Follow takes results and new views; see [kit.Follower].
func (v *Import) Follow(host kit.Host, msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case importMsg:
		if msg.of == v.key() {
			v.of, v.in, v.err, v.known = msg.of, msg.in, msg.err, true
		}
	case kit.FileMsg:
		if msg.Err != nil {
			v.said = "! " + msg.Err.Error()
			return nil
		}
		v.name = msg.Name
		v.area.Replace(msg.Text)
		v.said = v.area.Said
		return v.read()
	}
	return nil
}

// Frame titles the box; see [kit.Overlay].
func (v *Import) Frame(host kit.Host) viz.Frame {
	return viz.Frame{Title: "import settings · " + viz.Printable(v.name, host.Screen().ASCII()), Right: v.area.Count()}
}

// Size is how large the box wants to be; see [kit.Overlay].
func (v *Import) Size(host kit.Host) (int, int) {
	return min(max(84, host.Screen().W*3/4), 120), max(18, host.Screen().H*2/3)
}

// Hints are what the footer offers; see [kit.View].
func (v *Import) Hints(host kit.Host) []kit.ID { return []kit.ID{kit.ActClose} }

// Act takes the actions it names; see [kit.View].
func (v *Import) Act(kit.Host, *kit.Action) (tea.Cmd, bool) { return nil, true }

// Draw draws the view; see [kit.View].
func (v *Import) Draw(c *viz.Canvas, host kit.Host) {
	muted := viz.Ink{Role: viz.Muted}
	if v.pick != nil {
		v.pick.draw(c)
		return
	}
	lines := v.outcomeLines(c.W-2, max(c.H/2-1, 1), c.ASCII)
	h := max(c.H-1-max(len(lines), 4), 2)
	if v.area.Text() == "" {
		c.Put(4, 0, viz.FirstFit(c.W-6, "Paste settings of any engine: Python, JSON, curl, a command line, YAML, a Modelfile", "Paste settings of any engine: Python, JSON, curl, YAML, a command line", "Paste settings of any engine"), muted)
	}
	v.area.Draw(c.Sub(viz.Rect{X: 0, Y: 1, W: c.W, H: h - 1}), 4, -1)
	if v.file != nil {
		v.file.Draw(c, c.Put(1, c.H-3, "file to read: ", viz.Ink{Role: viz.Focus}), c.H-3)
		c.Put(1, c.H-2, "enter reads it · esc leaves it", muted)
		return
	}
	for i, line := range lines {
		c.Put(1, h+i, line.text, line.ink)
	}
	last := "ctrl+d puts them in force · ctrl+o from a file · ctrl+f formats · esc leave unchanged"
	if v.known && v.err == nil && v.in.Calls > 1 {
		last = fmt.Sprintf("call %d of %d · ctrl+n reads the next · ctrl+d puts it in force · esc leave unchanged", v.call, v.in.Calls)
	}
	if v.said != "" {
		last = v.said
	}
	c.Put(1, c.H-1, viz.CutTitle(viz.Printable(last, c.ASCII), c.W-2), muted)
}

// An inkedLine is a line with its ink.
type inkedLine struct {
	text string
	ink  viz.Ink
}

// outcomeLines is the outcome in at most h lines of w cells, broken at words.
func (v *Import) outcomeLines(w, h int, ascii bool) []inkedLine {
	var out []inkedLine
	for _, s := range v.outcome() {
		for _, text := range viz.WrapWords(viz.OneLine(s.text, ascii), w) {
			out = append(out, inkedLine{text, s.ink})
		}
	}
	if len(out) > h {
		out = out[:h]
		out[h-1].text = viz.CutWords(out[h-1].text+" …", w)
	}
	return out
}

// outcome says what was read, and what of it is not known here.
func (v *Import) outcome() []inkedLine {
	fault := func(s string) inkedLine { return inkedLine{"! " + s, viz.Ink{Role: viz.Warning}} }
	plain := func(s string) inkedLine { return inkedLine{text: s} }
	switch {
	case strings.TrimSpace(v.area.Text()) == "":
		return nil
	case !v.known:
		return []inkedLine{plain("reading …")}
	case v.err != nil:
		return []inkedLine{fault(viz.FirstLine(v.err.Error()))}
	}
	var out []inkedLine
	if len(v.in.Unknown) > 0 {
		out = append(out, fault("not known: "+joinWords(v.in.Unknown)))
	}
	if len(v.in.Unread) > 0 {
		out = append(out, fault("not read: "+joinWords(v.in.Unread)))
	}
	if len(v.in.Acts) > 0 {
		out = append(out, fault("acts on tokens, not modelled: "+joinWords(v.in.Acts)))
	}
	out = append(out, plain(fmt.Sprintf("read as %s: %s", v.in.Format.Name, wholeConfig(v.in.Config))))
	if len(v.in.Implied) > 0 {
		out = append(out, plain("implied, not in the text: "+strings.Join(v.in.Implied, " · ")))
	}
	if len(v.in.Notes) > 0 {
		out = append(out, plain(strings.Join(v.in.Notes, " · ")))
	}
	if len(v.in.Aside) > 0 {
		out = append(out, plain("not about choosing tokens: "+joinWords(v.in.Aside)))
	}
	return out
}

// joinWords is a list of values in words.
func joinWords[T fmt.Stringer](list []T) string {
	words := make([]string, len(list))
	for i, x := range list {
		words[i] = x.String()
	}
	return strings.Join(words, " · ")
}

// Undoes marks the view as a [kit.Writer].
func (v *Import) Undoes() {}

// Key takes what is typed; see [kit.Typist].
func (v *Import) Key(host kit.Host, k tea.KeyMsg) (tea.Cmd, bool) {
	v.said = ""
	if v.file != nil {
		return kit.FileKey(host, &v.file, k), true
	}
	if v.pick != nil {
		chosen, done := v.pick.key(k)
		if done {
			v.pick = nil
		}
		if done && chosen >= 0 {
			v.from = chosen
			return v.read(), true
		}
		return nil, true
	}
	switch k.Type {
	case tea.KeyCtrlF:
		v.pick = newPicker(formatChoices(), v.from)
		return nil, true
	case tea.KeyCtrlN:
		if !v.known || v.err != nil || v.in.Calls < 2 {
			v.said = "ctrl+n: the text has one call that holds settings"
			return nil, true
		}
		v.call = v.call%v.in.Calls + 1
		return v.read(), true
	case tea.KeyEsc:
		host.Close()
		return nil, true
	case tea.KeyCtrlD:
		v.take(host)
		return nil, true
	case tea.KeyCtrlO:
		f := kit.NewField("")
		v.file = &f
		return nil, true
	}
	v.area.W = max(host.Screen().Box(v.Size(host)).W-7, 1)
	changed := v.area.Key(k)
	v.said = v.area.Said
	if changed {
		v.call = 1
		return v.read(), true
	}
	return nil, true
}

// take puts what was read in force, in place of all that a preset decides.
func (v *Import) take(host kit.Host) {
	switch {
	case !v.known:
		v.said = "nothing is read yet; paste settings first"
		return
	case v.err != nil:
		v.said = "! not yet: " + viz.FirstLine(v.err.Error())
		return
	}
	if len(v.in.Places()) == 0 {
		v.said = "! not yet: nothing of it could be read as settings"
		return
	}
	l := host.Lane()
	cfg := run.WithPreset(l.Config, run.Preset{Config: v.in.Config})
	diff := run.Differences(l.Config, cfg)
	if !host.Apply(cfg, -1, "", "import") {
		v.said = "! " + v.lanes.Notice.Text
		return
	}
	host.Close()
	host.Say(viz.SomeOf("imported "+v.in.Format.Name+": ", diff, v.lanes.NoticeWidth()))
}
