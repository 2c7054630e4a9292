package reading

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"logitscope/engine"
	"logitscope/engine/score"
	"logitscope/models"
	"logitscope/sampling"
	"logitscope/ui/tui/kit"
	"logitscope/ui/tui/run"
	"logitscope/viz"
)

// View shows a text that was read.
type View struct {
	work  *run.Background
	area  kit.TextArea
	file  *kit.Field // the name of a file being asked for, nil if none is
	typed bool       // the field to paste into is open
	said  string

	text    string   // that is read; empty for none
	from    string   // where it came from
	of      *saved   // what the text is, if a server sent it with log probabilities
	all     []*saved // the responses of its file
	at      int      // token shown, from 1
	row     int      // of the chart
	measure int      // that the strip shows

	opening kit.Job[string, []*saved]
	reading kit.Job[readKey, *reading]
	looking kit.Job[lookKey, *sampling.Trace]
	ctx     context.Context
	stop    context.CancelFunc
}

// New opens the view with the field to paste a text into.
func New(work *run.Background) *View {
	v := &View{work: work, area: kit.NewTextArea(""), typed: true, at: 1, from: "pasted text"}
	v.ctx, v.stop = context.WithCancel(work.Ctx)
	return v
}

// Leave stops what is still being read; see [kit.Leaver].
func (v *View) Leave(kit.Host) { v.stop() }

// A measure is what the strip under the words shows of a token, from 0 to the
// most of the text.
type measure struct {
	name string
	of   func(t *score.Token) float64
}

var measures = []measure{
	{"surprisal", surprisal},
	{"entropy", func(t *score.Token) float64 { return float64(t.Of.RawBits) }},
	{"rank", func(t *score.Token) float64 { return math.Log2(float64(max(t.Of.Rank, 1))) }},
	{"surprisal under the settings", func(t *score.Token) float64 {
		if !t.Scored || !t.Of.Kept {
			return 0
		}
		return -float64(t.Of.Logprob) / math.Ln2
	}},
}

// surprisal of a token under the model, bits.
func surprisal(t *score.Token) float64 {
	if !t.Scored {
		return 0
	}
	return -float64(t.Of.RawLogprob) / math.Ln2
}

// want asks for the reading under the settings in force, and for the row of
// the token shown.
func (v *View) want(host kit.Host) tea.Cmd {
	l := host.Lane()
	set := l.ShownSettings()
	if set == nil {
		set = l.Settings
	}
	if v.text == "" || set == nil {
		return nil
	}
	k := readKey{v.text, v.of, l.Model, set}
	if !set.Plain() {
		v.reading.Fail(k, errNotPlain)
		return nil
	}
	if v.reading.Key != k { // what is being read for other settings is not wanted any more
		v.stop()
		v.ctx, v.stop = context.WithCancel(v.work.Ctx)
	}
	ctx := v.ctx
	cmd := v.reading.Want(k, run.Work(v.work, func() (*reading, error) { return read(ctx, k) }))
	return tea.Batch(cmd, v.look())
}

// look asks for the row of the token shown.
func (v *View) look() tea.Cmd {
	r := v.shown()
	if r == nil || v.at > len(r.tokens) || !r.tokens[v.at-1].Scored {
		return nil
	}
	k := lookKey{r, v.at}
	ctx := v.ctx
	return v.looking.Want(k, run.Work(v.work, func() (*sampling.Trace, error) { return look(ctx, k) }))
}

// shown is the reading on the screen: that of earlier settings until the new
// one is there.
func (v *View) shown() *reading {
	if v.reading.Err != nil || v.reading.Result == nil || len(v.reading.Result.tokens) == 0 || v.reading.Key.text != v.text || v.reading.Key.of != v.of {
		return nil
	}
	return v.reading.Result
}

// trace is that of the token shown, nil while it is being made.
func (v *View) trace() *sampling.Trace {
	if !v.looking.Ready || v.looking.Err != nil || v.looking.Key != (lookKey{v.shown(), v.at}) {
		return nil
	}
	return v.looking.Result
}

// Follow takes results and new settings; see [kit.Follower].
func (v *View) Follow(host kit.Host, msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case kit.FileMsg:
		if msg.Err != nil {
			v.said = "! " + msg.Err.Error()
			return nil
		}
		v.from = filepath.Base(msg.Name)
		return v.opening.Start(msg.Text, func() ([]*saved, error) { return openSaved(msg.Text) })
	case run.ViewMsg:
		return v.want(host)
	}
	if v.opening.Take(msg) {
		return v.opened(host)
	}
	if v.reading.Take(msg) {
		if r := v.shown(); r != nil {
			v.at = min(max(v.at, 1), len(r.tokens))
		}
		return v.look()
	}
	v.looking.Take(msg)
	return nil
}

// opened shows a file: saved responses as they are, any other as a text to be
// read.
func (v *View) opened(host kit.Host) tea.Cmd {
	if v.opening.Err != nil {
		v.area.Replace(v.opening.Key)
		v.said = v.area.Said
		return nil
	}
	v.all = v.opening.Result
	return v.response(host, 0)
}

// response shows one of the responses of a file.
func (v *View) response(host kit.Host, n int) tea.Cmd {
	v.of = v.all[n]
	v.text, v.typed, v.at, v.row = v.of.Text, false, 1, 0
	host.Lane().Eng.Post(engine.Advance{N: 0})
	return v.want(host)
}

// otherResponse goes to another response of the file.
func (v *View) otherResponse(host kit.Host, d int) tea.Cmd {
	if v.of == nil || len(v.all) < 2 {
		host.Say("one text is open")
		return nil
	}
	n := len(v.all)
	return v.response(host, (slices.Index(v.all, v.of)+d+n)%n)
}

// Key takes what is typed into the field; see [kit.Typist].
func (v *View) Key(host kit.Host, k tea.KeyMsg) (tea.Cmd, bool) {
	if !v.typed {
		return nil, false
	}
	v.said = ""
	if v.file != nil {
		return kit.FileKey(host, &v.file, k), true
	}
	switch k.Type {
	case tea.KeyEsc:
		if v.text == "" {
			host.Close()
		}
		v.typed = false
		return nil, true
	case tea.KeyCtrlO:
		f := kit.NewField("")
		v.file = &f
		return nil, true
	case tea.KeyCtrlD:
		return v.take(host), true
	}
	v.area.W = max(host.Screen().W-8, 1)
	if v.area.Key(k) {
		v.from = "pasted text"
	}
	v.said = v.area.Said
	return nil, true
}

// Undoes makes ctrl+z take back what was typed; see [kit.Writer].
func (v *View) Undoes() {}

// take reads the text in the field.
func (v *View) take(host kit.Host) tea.Cmd {
	text := v.area.Text()
	if text == "" {
		v.said = "nothing to read yet: paste a text, or ctrl+o for a file"
		return nil
	}
	v.of, v.all = nil, nil
	v.opening.Fail("", context.Canceled) // a file that comes now is not wanted any more
	v.text, v.typed, v.at, v.row = text, false, 1, 0
	host.Lane().Eng.Post(engine.Advance{N: 0})
	return v.want(host)
}

// Act takes the actions it names; see [kit.View].
func (v *View) Act(host kit.Host, a *kit.Action) (tea.Cmd, bool) {
	if do, ok := acts[a.ID]; ok {
		return do(v, host), true
	}
	if settings[a.ID] {
		cmd := host.Do(a.ID)
		return tea.Batch(cmd, v.want(host)), true
	}
	return nil, false
}

// settings are the actions that change the settings in force, which all steps
// are read under at once.
var settings = map[kit.ID]bool{
	kit.ActLower: true, kit.ActRaise: true, kit.ActOff: true, kit.ActReset: true, kit.ActUndo: true, kit.ActRedo: true, kit.ActFlip: true, kit.ActOrder: true,
	kit.ActPreset1: true, kit.ActPreset2: true, kit.ActPreset3: true, kit.ActPreset4: true, kit.ActPreset5: true,
	kit.ActPreset6: true, kit.ActPreset7: true, kit.ActPreset8: true, kit.ActPreset9: true,
}

var acts = actsTable()

func actsTable() map[kit.ID]func(*View, kit.Host) tea.Cmd {
	move := func(d int) func(*View, kit.Host) tea.Cmd {
		return func(v *View, host kit.Host) tea.Cmd { return v.move(host, v.at+d) }
	}
	row := func(d int) func(*View, kit.Host) tea.Cmd {
		return func(v *View, host kit.Host) tea.Cmd { v.moveRow(host, d); return nil }
	}
	return map[kit.ID]func(*View, kit.Host) tea.Cmd{
		kit.ActRight: move(1), kit.ActLeft: move(-1), kit.ActRight10: move(10), kit.ActLeft10: move(-10), kit.ActNext: move(1), kit.ActBack: move(-1),
		kit.ActFirst: move(math.MinInt32), kit.ActLast: move(math.MaxInt32),
		kit.ActDown: row(1), kit.ActUp: row(-1),
		kit.ActPane:     func(v *View, host kit.Host) tea.Cmd { return v.otherResponse(host, 1) },
		kit.ActPaneBack: func(v *View, host kit.Host) tea.Cmd { return v.otherResponse(host, -1) },
		kit.ActNextMark: func(v *View, host kit.Host) tea.Cmd { return v.toCut(host, 1) },
		kit.ActPrevMark: func(v *View, host kit.Host) tea.Cmd { return v.toCut(host, -1) },
		kit.ActMarks: func(v *View, host kit.Host) tea.Cmd {
			v.measure = (v.measure + 1) % len(measures)
			host.Say("the strip shows " + measures[v.measure].name)
			return nil
		},
		kit.ActRun:   func(v *View, host kit.Host) tea.Cmd { return v.goOn(host, v.at, models.NoToken) },
		kit.ActForce: (*View).branch,
		kit.ActRead: func(v *View, host kit.Host) tea.Cmd {
			v.typed = true
			return nil
		},
		kit.ActClose: func(v *View, host kit.Host) tea.Cmd { host.Close(); return nil },
	}
}

// move shows another token.
func (v *View) move(host kit.Host, to int) tea.Cmd {
	r := v.shown()
	if r == nil {
		host.Say("nothing is read yet; R pastes a text")
		return nil
	}
	to = min(max(to, 1), len(r.tokens))
	if to == v.at {
		host.Say("no more tokens that way")
		return nil
	}
	v.at, v.row = to, 0
	return v.look()
}

// toCut goes to the next token that the settings could not have written.
func (v *View) toCut(host kit.Host, d int) tea.Cmd {
	if r := v.shown(); r != nil {
		for k := v.at + d; k >= 1 && k <= len(r.tokens); k += d {
			if t := &r.tokens[k-1]; t.Scored && !t.Of.Kept {
				return v.move(host, k)
			}
		}
	}
	host.Say("[ ]: the settings could have written all tokens that way")
	return nil
}

func (v *View) moveRow(host kit.Host, d int) {
	n := 0
	if t := v.trace(); t != nil {
		n = len(t.Rows())
	}
	if to := min(max(v.row+d, 0), max(n-1, 0)); to != v.row {
		v.row = to
		return
	}
	host.Say("no more rows that way")
}

// branch goes on in the lab with the token of the row in place of the text's
// own.
func (v *View) branch(host kit.Host) tea.Cmd {
	t := v.trace()
	if t == nil || v.row >= len(t.Rows()) {
		host.Say("f: the rows are not there yet")
		return nil
	}
	return v.goOn(host, v.at-1, t.Rows()[v.row].ID)
}

// goOn writes on in the lab after n tokens of the text and one more, if there
// is one.
func (v *View) goOn(host kit.Host, n int, more int32) tea.Cmd {
	r := v.shown()
	if r == nil {
		host.Say("nothing is read yet; R pastes a text")
		return nil
	}
	if v.of != nil {
		host.Say("a server wrote this: the file has no model to go on with")
		return nil
	}
	l := host.Lane()
	ids := append(append([]int32(nil), r.in.Prefix...), r.in.Text[:n]...)
	if more != models.NoToken {
		ids = append(ids, more)
	}
	if limit := l.Model.Info().ContextLen; limit > 0 && len(ids) >= limit {
		// As in the last window: BOS, and the end of what came before.
		keep := limit / 2
		ids = append(append([]int32(nil), r.in.Prefix...), ids[len(ids)-keep:]...)
	}
	var text strings.Builder
	for _, id := range ids[len(r.in.Prefix):] {
		text.WriteString(l.Vocab().Piece(id))
	}
	if err := l.Restart(text.String(), ids, l.Config, l.Preset); err != nil {
		host.Complain(viz.FirstLine(err.Error()))
		return nil
	}
	host.Close()
	host.Say(fmt.Sprintf("the text up to token %s is the prompt now: space writes on, T has the run before", viz.Count(n)))
	return nil
}

// NotHere says what to do for what acts on the lab alone; see [kit.Denier].
func (v *View) NotHere(kit.Host) string { return "not while a text is read; esc goes to the lab" }

// Hints are what the footer offers; see [kit.View].
func (v *View) Hints(kit.Host) []kit.ID { return nil }

// Footer words the hints; see [kit.Footed].
func (v *View) Footer(kit.Host) []kit.Hint {
	if v.typed {
		return []kit.Hint{{Keys: "ctrl+d", Word: "read it"}, {Keys: "ctrl+o", Word: "from a file"}, {Keys: "esc", Word: "leave"}}
	}
	if v.of != nil {
		hints := []kit.Hint{{ID: kit.ActRight, Keys: "←→", Word: "token"}, {ID: kit.ActNextMark, Keys: "[ ]", Word: "✗"}, {ID: kit.ActMarks, Word: "colours"},
			{ID: kit.ActLower, Keys: "-/+", Word: "knob"}, {Keys: "1-5", Word: "preset"}, {ID: kit.ActRead, Word: "other text"}, {ID: kit.ActClose}, {ID: kit.ActHelp}}
		if len(v.all) > 1 {
			hints = slices.Insert(hints, 1, kit.Hint{ID: kit.ActPane, Keys: "tab", Word: fmt.Sprintf("response %d of %d", slices.Index(v.all, v.of)+1, len(v.all))})
		}
		return hints
	}
	return []kit.Hint{{ID: kit.ActRight, Keys: "←→", Word: "token"}, {ID: kit.ActRun, Word: "write on from here"}, {ID: kit.ActForce, Word: "branch at the row"},
		{ID: kit.ActNextMark, Keys: "[ ]", Word: "✗"}, {ID: kit.ActMarks, Word: "colours"}, {ID: kit.ActLower, Keys: "-/+", Word: "knob"}, {Keys: "1-5", Word: "preset"},
		{ID: kit.ActRead, Word: "other text"}, {ID: kit.ActClose}, {ID: kit.ActHelp}}
}

// Help is the help line while nothing was said; see [kit.Helper].
func (v *View) Help(kit.Host) (string, viz.Ink) {
	switch {
	case v.said != "":
		return v.said, viz.Ink{}
	case v.typed:
		return "enter is a new line; ctrl+d reads what stands here", viz.Ink{Role: viz.Muted}
	case v.of != nil:
		return "What a server sent: ◆ is its own token; what it leaves out is not known.", viz.Ink{Role: viz.Muted}
	}
	return "The text was read, not written: ◆ is its own token, whatever was likelier.", viz.Ink{Role: viz.Muted}
}

// Header has the parts of the header; see [kit.Headed].
func (v *View) Header(host kit.Host, k kit.Class) (left, right []kit.HeaderPart) {
	l := host.Lane()
	name := l.Model.Info().Name
	if v.of != nil {
		name = v.of.model.Info().Name
	}
	muted := viz.Ink{Role: viz.Muted}
	phase := "■ read"
	switch {
	case v.typed && v.text == "":
		phase = "read a text"
	case !v.reading.Ready:
		phase = "▒ reading"
	}
	left = []kit.HeaderPart{{Text: "logitscope", Rank: 9, Ink: muted}, {Text: viz.Printable(name, host.Screen().ASCII()), Rank: 8, Ink: muted},
		{Text: phase, Rank: 0, Ink: viz.Ink{}.With(viz.Bold)}, {Text: viz.Printable(l.ShownLabel(), host.Screen().ASCII()), Rank: 1, Ink: run.LabelInk(l.ShownLabel())},
		{Text: l.ShownConfig().Order().Name(), Rank: 5}}
	if k <= kit.Class80 {
		left = left[2:]
	}
	if v.text != "" {
		left = append(left, kit.HeaderPart{Text: fmt.Sprintf("%s, %s", viz.Printable(v.from, host.Screen().ASCII()), viz.Plural(len(v.text), "byte")), Rank: 4})
	}
	if r := v.shown(); r != nil {
		how := fmt.Sprintf("read in one pass %s ms · kv %d/%d", tenth(r.took.Seconds()*1e3), len(r.in.Prefix)+len(r.tokens), l.Model.Info().ContextLen)
		switch {
		case v.of != nil:
			how = v.of.holds()
		case r.windows > 1:
			how = fmt.Sprintf("%s, the context holds %s: read in %s windows", viz.Plural(len(r.tokens), "token"), viz.Count(l.Model.Info().ContextLen), viz.Count(r.windows))
		}
		right = []kit.HeaderPart{{Text: how, Rank: 3, Ink: muted}}
	}
	return left, right
}
