package tui

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"io"
	"math"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"logitscope/engine"
	"logitscope/models"
	"logitscope/models/fable"
	"logitscope/models/llama"
	"logitscope/presets"
	"logitscope/sampling"
	"logitscope/ui/tui/lab"
	"logitscope/ui/tui/run"
	"logitscope/ui/tui/script"
	"logitscope/viz"
)

const (
	storyPrompt = "Once upon a time there was a little fox who lived in the"
	storyText   = " edge of the sea.\nOne day, a big wolf came to a"
)

var openFable = sync.OnceValues(func() (models.Model, error) { return fable.Open(llama.Options{Workers: 1}) })

func testModel() models.Model {
	m, err := openFable()
	if err != nil {
		panic(err)
	}
	return m
}

func testPresets() []run.Preset {
	var out []run.Preset
	for _, p := range presets.Builtin() {
		out = append(out, run.Preset{Name: p.Name, About: p.About, Config: p.Config})
	}
	return out
}

// testOptions are the lab's with chat and seed 42.
func testOptions(testing.TB) Options {
	opt := Options{Output: io.Discard, Model: testModel(), PresetName: "chat", Presets: testPresets(), Environ: []string{"TERM=xterm-256color", "COLORTERM=truecolor"}}
	for _, p := range opt.Presets {
		if p.Name == "chat" {
			opt.Config = p.Config.MustWith("seed", 42, sampling.FromFlag)
		}
	}
	return opt
}

// A bench drives a model without a terminal: keys in, frames out. Lanes run
// for real, but views are taken only when the test waits for them.
type bench struct {
	t      testing.TB
	m      *Model
	panics bool // the test means to panic
}

func newBench(t testing.TB, opt Options, w, h int) *bench {
	t.Helper()
	return newBenchOn(t, opt, w, h, engine.Options{Greedy: true})
}

// newBenchOn is newBench with lanes of other options.
func newBenchOn(t testing.TB, opt Options, w, h int, eng engine.Options) *bench {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	if opt.Clock == nil {
		opt.Clock = ticking(8 * time.Millisecond)
	}
	m := newModel(ctx, opt, doorOf(opt), viz.NewPalette(true, viz.NoColors, opt.ASCII), newKeymap(actions()))
	t.Cleanup(func() { cancel(); m.End() })
	m.Frugal = true // what a test wants beside the run it asks for
	b := &bench{t: t, m: m}
	b.send(tea.WindowSizeMsg{Width: w, Height: h})
	for _, l := range m.All {
		if len(m.All) == 1 {
			eng.Draft, eng.Gate = opt.Draft, m.Gate
			l.Eng = engine.NewLane(l.ID, l.Model, eng)
		}
		m.StartLane(l)
		s, err := l.Compile(l.Config, l.Preset)
		if err != nil {
			t.Fatal(err)
		}
		l.Settings = s
	}
	return b
}

// ticking is a clock that goes on by d whenever it is looked at.
func ticking(d time.Duration) func() time.Time {
	var now atomic.Int64
	return func() time.Time { return time.Unix(0, now.Add(int64(d))) }
}

// send gives msg to the model and runs the commands that come back.
func (b *bench) send(msg tea.Msg) {
	b.t.Helper()
	b.player().Send(msg)
	b.unharmed()
}

// unharmed fails the test if the model was rescued from a panic.
func (b *bench) unharmed() {
	b.t.Helper()
	if len(b.m.panics) > 0 && !b.panics {
		b.t.Fatal(b.m.panics[0])
	}
}

func (b *bench) run(cmd tea.Cmd) { b.player().Do(cmd) }

// apply gives a view to the model without asking for the next one.
func (b *bench) apply(msg run.ViewMsg) { b.player().Take(msg) }

// player drives the model; what it waits for has the times of the screen book.
// It has the patience of a busy machine: what never comes ends the test binary.
func (b *bench) player() *script.Player {
	return &script.Player{Screen: b.m, Steady: steady, Timeout: 2 * time.Minute}
}

// must fails the test if what was waited for did not come.
func (b *bench) must(err error) {
	b.t.Helper()
	if err != nil {
		b.t.Fatalf("%v\n%s", err, b.frame())
	}
}

// wait takes views of the lane until ok says that one will do.
func (b *bench) wait(ok func(v engine.View) bool) {
	b.t.Helper()
	b.must(b.player().Wait(ok))
}

// pump takes views of all lanes until ok says that what has come will do.
func (b *bench) pump(ok func() bool) {
	b.t.Helper()
	b.must(b.player().Pump(ok))
}

// steady gives a view the times of the screen book, so that frames do not
// depend on the machine.
func steady(v *engine.View) {
	if v.Prefill.Took > 0 {
		v.Prefill.Took = 2100 * time.Microsecond
	}
	if v.Rate > 0 {
		v.Rate = 412
	}
	v.Decode.Took = 40 * time.Millisecond
	if v.Draft != nil {
		d := *v.Draft
		d.PassTime, d.DraftStep, d.PlainTime = 2900*time.Microsecond, 100*time.Microsecond, 1600*time.Microsecond
		d.Speedup, d.Cost, d.Verify, d.BreakEven = 2.27, 0.06, 1.8, 0.5
		v.Draft = &d
	}
}

// start begins on text and waits for the first proposal.
func (b *bench) start(text string) {
	b.t.Helper()
	b.must(b.player().Start(text))
}

// steps waits until n tokens are written and the next is proposed.
func (b *bench) steps(n int) {
	b.t.Helper()
	b.must(b.player().Steps(n))
}

// keys presses keys, named as Bubble Tea names them.
func (b *bench) keys(names ...string) {
	b.t.Helper()
	b.player().Keys(names...)
	b.unharmed()
}

func keyMsg(name string) tea.KeyMsg { return script.KeyMsg(name) }

// frame returns the screen without colours.
func (b *bench) frame() string { return b.m.draw().Text() }

// has fails the test unless the screen shows s.
func (b *bench) has(s string) {
	b.t.Helper()
	if !strings.Contains(b.frame(), s) {
		b.t.Errorf("the screen lacks %q:\n%s", s, b.frame())
	}
}

// lacks fails the test if the screen shows s.
func (b *bench) lacks(s string) {
	b.t.Helper()
	if strings.Contains(b.frame(), s) {
		b.t.Errorf("the screen has %q:\n%s", s, b.frame())
	}
}

// A story is a recorded run of the built-in model: what each step was like,
// and the row of logits after the last.
type story struct {
	Output    []int32          `json:"output"`
	Summaries []engine.Summary `json:"summaries"`
	row       []float32
}

// readStory returns the one story; it is not to be changed.
func readStory(t testing.TB) story {
	t.Helper()
	s, err := theStory()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

var theStory = sync.OnceValues(func() (s story, err error) {
	b, err := os.ReadFile("testdata/story.json")
	if err != nil {
		return s, err
	}
	if err := json.Unmarshal(b, &s); err != nil {
		return s, err
	}
	if b, err = os.ReadFile("testdata/story.f32"); err != nil {
		return s, err
	}
	for ; len(b) >= 4; b = b[4:] {
		s.row = append(s.row, math.Float32frombits(binary.LittleEndian.Uint32(b)))
	}
	return s, nil
})

// storyAt16 is the story of the screen book at step 16 under chat: recorded
// logits, with the draw and speeds of the golden frames. No lane runs behind it.
func storyAt16(t testing.TB, w, h int) *bench {
	t.Helper()
	return storyWith(t, testOptions(t), w, h)
}

func storyWith(t testing.TB, opt Options, w, h int) *bench {
	t.Helper()
	b := newBench(t, opt, w, h)
	l := b.m.Lane()
	rec := readStory(t)
	prompt, err := engine.Prompt(context.Background(), l.Model, storyPrompt)
	if err != nil {
		t.Fatal(err)
	}
	v := engine.View{
		Phase: engine.Paused, Settings: l.Settings, PromptText: storyPrompt, Prompt: prompt, Written: []byte(storyText), StopAt: -1,
		Prefill: engine.Timing{Done: 14, Total: 14, Took: 2100 * time.Microsecond}, Rate: 412,
		KV: engine.KV{Used: 29, Context: 512},
	}
	for i, id := range rec.Output {
		v.Steps = append(v.Steps, &engine.Step{Index: i + 1, Pos: len(prompt) + i, Token: id, Settings: l.Settings, Summary: rec.Summaries[i]})
	}
	n := len(rec.Output)
	next := &engine.Step{Index: n + 1, Pos: len(prompt) + n, Settings: l.Settings, Row: &engine.Row{Values: rec.row}}
	v.Next = next
	in, err := v.Input(n)
	if err != nil {
		t.Fatal(err)
	}
	in.Pins = l.Vocab().Encode(" forest", models.EncodeOptions{})
	l.Pins = in.Pins
	tr := new(sampling.Trace)
	if _, err := l.Settings.Pipeline.Sample(tr, new(sampling.Scratch), in); err != nil {
		t.Fatal(err)
	}
	next.Trace = bookDraw(t, l, tr)
	next.Token = next.Trace.Token
	next.Summary = engine.Summary{RawBits: tr.RawBits, Bits: tr.Bits, Survived: int32(tr.Survived), Rank: next.Trace.Rank,
		RawLogprob: next.Trace.RawLogprob, Logprob: next.Trace.Logprob}
	l.Text, l.Prompt = storyPrompt, prompt
	b.apply(run.ViewMsg{Lane: l.ID, View: v, OK: true, At: time.Now()})
	b.m.fresh = false
	return b
}

// bookDraw returns t with the draw that the golden frames show: u 0.705, which
// falls on " narrow".
func bookDraw(t testing.TB, l *run.Lane, tr *sampling.Trace) *sampling.Trace {
	t.Helper()
	c := *tr
	c.U = 0.705
	lo := 0.0
	for _, s := range lab.Spans(&c, l.Vocab(), false) {
		if s.Hi > c.U {
			c.Lo, c.Hi = lo, s.Hi
			for i := range c.Rows() {
				if r := &c.Rows()[i]; run.StripLabel(l.Vocab(), r.ID, false) == s.Label {
					c.Token, c.Rank, c.RawProb, c.Prob = r.ID, r.Rank, r.RawProb, r.Prob
					c.RawLogprob, c.Logprob = ln(r.RawProb), ln(r.Prob)
				}
			}
			return &c
		}
		lo = s.Hi
	}
	t.Fatal("no survivor at the golden frames' draw")
	return nil
}

// classSizes are windows of every class, at its borders and beside them. A
// short run takes every third.
func classSizes() [][2]int {
	return some([][2]int{{1, 1}, {10, 3}, {40, 12}, {41, 13}, {59, 17}, {60, 18}, {61, 40}, {79, 22}, {80, 22}, {80, 24}, {99, 28}, {100, 28}, {119, 39},
		{120, 36}, {120, 40}, {139, 40}, {140, 40}, {160, 45}, {200, 22}, {40, 60}, {200, 60}}, 3)
}

// some is list, of which a short run takes every n-th.
func some[T any](list []T, n int) []T {
	if !testing.Short() {
		return list
	}
	var out []T
	for i := n - 1; i < len(list); i += n {
		out = append(out, list[i])
	}
	return out
}

func readFrame(t testing.TB, name string) string {
	t.Helper()
	b, err := os.ReadFile("testdata/frames/" + name + ".txt")
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSuffix(string(b), "\n")
}

// typed is text as a terminal delivers it.
func typed(s string) tea.KeyMsg { return tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(s)} }
