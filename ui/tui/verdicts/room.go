package verdicts

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"logitscope/engine/bench"
	"logitscope/engine/bench/prompts"
	"logitscope/engine/bench/votes"
	"logitscope/sampling"
	"logitscope/ui/tui/disk"
	"logitscope/ui/tui/kit"
	"logitscope/ui/tui/run"
	"logitscope/viz"
)

const (
	maxPrompts  = 1000 // of a set in the lab
	maxConfigs  = 12
	firstSeeds  = 10 // texts of a cell, unless more are asked for
	mostSeeds   = 320
	mostWorkers = 64
)

// Options are what a room starts with.
type Options struct {
	File     string // set of prompts to open first; empty for none
	Dir      string // folder that keeps finished texts; empty to keep them as long as the program runs
	AllowCmd bool

	// Report writes a report of texts to a file whose ending says its form;
	// nil if there are none.
	Report func(name string, p *bench.Plan, texts bench.Texts) error
}

// A Room is a bench in the lab. It belongs to the screen's goroutine.
type Room struct {
	opt   Options
	lanes *run.Lanes

	name    string // of the set
	prompts []prompts.Prompt
	out     map[string]bool // ids of prompts that are taken out
	configs []config
	seeds   int
	workers int // 0 for as many as usual

	run     *running
	now     bench.Progress
	took    time.Duration
	texts   map[place][]*bench.Text // by seed; nil where there is none yet
	plan    *bench.Plan             // of the texts
	shown   []int                   // places of prompts, hardest first once all is done
	sum     *bench.Summary          // of a run that is complete; nil before
	changed bool                    // prompts were taken out or put back after looking
	problem string                  // why the run stopped

	at, col int
	metric  int        // index in numbers
	field   *kit.Field // the name of a file being typed; nil when none is
	writes  bool       // it is that of a report, and not of prompts
	opening bool       // the first file is being read
}

// A config is a column.
type config struct {
	label  string
	config sampling.Config
}

// A place is a cell: places in the plan.
type place struct{ prompt, config int }

// wroteMsg says that a report was written, or why not.
type wroteMsg struct {
	name string
	err  error
}

// openedMsg brings a set of prompts.
type openedMsg struct {
	name string
	list []prompts.Prompt
	err  error
}

// NewRoom returns a room without prompts. Its runs end with the lanes.
func NewRoom(lanes *run.Lanes, opt Options) *Room {
	return &Room{opt: opt, lanes: lanes, seeds: firstSeeds, out: map[string]bool{}}
}

// Open returns the room as a view, with the lab's settings as the first config.
func (r *Room) Open(h kit.Host) (kit.View, tea.Cmd) {
	if len(r.configs) == 0 {
		r.add(h)
	}
	if r.prompts == nil && r.opt.File != "" && !r.opening {
		r.opening = true
		return r, r.load(h, r.opt.File)
	}
	return r, nil
}

// Running reports whether texts are being written, and what share of them is.
func (r *Room) Running() (percent int, ok bool) {
	if r.run == nil || r.now.Texts == 0 {
		return 0, r.run != nil
	}
	return 100 * (r.now.Done + r.now.Failed) / r.now.Texts, true
}

// Close ends the run.
func (r *Room) Close() {
	if r.run != nil {
		r.run.stop()
	}
}

// load reads a set of prompts.
func (r *Room) load(h kit.Host, name string) tea.Cmd {
	door, allow := h.Files(), r.opt.AllowCmd
	return func() tea.Msg {
		set, err := door.PromptSet(name, allow)
		n := 0
		if err == nil {
			n, err = set.Check()
		}
		if err == nil && n > maxPrompts {
			err = fmt.Errorf("%s prompts; the lab takes %s, logitscope bench any number", viz.Count(n), viz.Count(maxPrompts))
		}
		var list []prompts.Prompt
		if err == nil {
			err = set.Each(func(_ int, p prompts.Prompt) error { list = append(list, p); return nil })
		}
		return openedMsg{name, list, err}
	}
}

// Take takes a message of the room's own, whether its view is open or not.
func (r *Room) Take(h kit.Host, msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case openedMsg:
		r.opening = false
		if msg.err != nil {
			h.Complain(msg.name + ": " + viz.FirstLine(msg.err.Error()))
			return nil
		}
		r.take(msg.name, msg.list)
	case wroteMsg:
		if msg.err != nil {
			h.Complain(viz.FirstLine(msg.err.Error()))
			return nil
		}
		h.Say("written to " + msg.name)
	case updateMsg:
		if msg.of == r.run {
			return r.update(h)
		}
	}
	return nil
}

// take makes a set the room's own. The texts of the one before go.
func (r *Room) take(name string, list []prompts.Prompt) {
	r.Close()
	r.run, r.name, r.prompts, r.out = nil, name, list, map[string]bool{}
	r.at = 0
	r.forget()
}

// forget drops the texts, which no longer are those of what is asked.
func (r *Room) forget() {
	r.texts, r.plan, r.sum, r.shown, r.changed, r.problem = nil, nil, nil, nil, false, ""
	r.now = bench.Progress{}
}

// asked returns the plan of the prompts that are not taken out.
func (r *Room) asked(l *run.Lane) *bench.Plan {
	b := &bench.Backend{Name: l.Model.Info().Name, Model: l.Model, Compiler: l.Comp}
	var in []prompts.Prompt
	for _, p := range r.prompts {
		if !r.out[p.ID] {
			in = append(in, p)
		}
	}
	p := &bench.Plan{Prompts: prompts.List(in), Count: len(in), Plain: len(r.prompts) == 1}
	for i, c := range r.configs {
		p.Configs = append(p.Configs, bench.Config{Name: letter(i) + " " + c.label, Backend: b, Config: c.config})
	}
	if len(r.configs) > 0 {
		first := r.configs[0].config.Uint("seed")
		for i := range r.seeds {
			p.Seeds = append(p.Seeds, first+uint64(i))
		}
	}
	return p
}

// A written gives the texts of a plan as they were written so far.
type written struct {
	plan  *bench.Plan
	texts map[place][]*bench.Text
}

// Each implements [bench.Texts].
func (w written) Each(f func(i int, p *prompts.Prompt, config int, texts []*bench.Text) error) error {
	return w.plan.Prompts.Each(func(i int, p prompts.Prompt) error {
		for c := range w.plan.Configs {
			texts := w.texts[place{i, c}]
			if texts == nil {
				texts = make([]*bench.Text, len(w.plan.Seeds))
			}
			if err := f(i, &p, c, texts); err != nil {
				return err
			}
		}
		return nil
	})
}

// report writes a report of what was written so far.
func (r *Room) report(h kit.Host, name string) tea.Cmd {
	write, path, w := r.opt.Report, h.Files().Expand(name), written{r.plan, maps.Clone(r.texts)}
	for at, texts := range w.texts {
		w.texts[at] = slices.Clone(texts)
		for k, t := range texts {
			if t != nil && t.Error != "" {
				w.texts[at][k] = nil // as on disk
			}
		}
	}
	if h.Files().Closed() {
		return func() tea.Msg { return wroteMsg{name, disk.ErrClosed} }
	}
	return func() tea.Msg { return wroteMsg{name, write(path, w.plan, w)} }
}

// letter names a config by its place.
func letter(i int) string { return string(rune('A' + i)) }

// start decodes what is missing.
func (r *Room) start(h kit.Host) tea.Cmd {
	if len(r.prompts) == len(r.out) {
		h.Say("no prompts: enter opens a file, e takes the lab's prompt")
		return nil
	}
	plan := r.asked(h.Lane())
	if err := plan.Check(); err != nil {
		h.Complain(viz.FirstLine(err.Error()))
		return nil
	}
	ctx, stop := context.WithCancel(r.lanes.Ctx)
	now := &running{stop: stop, began: time.Now(), notify: make(chan struct{}, 1)}
	r.forget()
	r.run, r.plan, r.texts, r.took = now, plan, map[place][]*bench.Text{}, 0
	r.now.Texts = plan.Texts()
	for i := range plan.Count {
		r.shown = append(r.shown, i)
	}
	r.at = min(r.at, plan.Count-1)
	opt := bench.Options{Dir: r.opt.Dir, Name: r.name, Workers: r.workers, Progress: now.put}
	door := h.Files()
	r.lanes.Go(func() { defer stop(); now.decode(ctx, door, plan, opt) })
	return now.wait()
}

// update takes what is pending.
func (r *Room) update(h kit.Host) tea.Cmd {
	n := r.run
	n.mu.Lock()
	pending, done := n.pending, n.done
	n.pending = nil
	sum, err, took := n.sum, n.err, n.took
	n.mu.Unlock()
	for _, p := range pending {
		r.now = p
		at := place{p.Newest.Prompt, p.Newest.Config}
		if r.texts[at] == nil {
			r.texts[at] = make([]*bench.Text, len(r.plan.Seeds))
		}
		r.texts[at][p.Newest.Seed] = p.Newest.Text
	}
	if !done {
		r.took = time.Since(n.began)
		return n.wait()
	}
	r.run, r.took = nil, took
	switch {
	case errors.Is(err, context.Canceled):
	case err != nil:
		r.problem = viz.FirstLine(err.Error())
		h.Complain(r.problem)
	default:
		r.sum = sum
		r.hardestFirst()
	}
	return nil
}

// hardestFirst orders the prompts by how many of their texts pass.
func (r *Room) hardestFirst() {
	passed := func(i int) (n int) {
		for c := range r.plan.Configs {
			n += int(r.sum.Cells[i*len(r.plan.Configs)+c].Passed)
		}
		return n
	}
	selected := r.shown[r.at]
	slices.SortStableFunc(r.shown, func(a, b int) int { return passed(a) - passed(b) })
	r.at = slices.Index(r.shown, selected)
}

// mostPairs is how many texts of a cell are voted on.
const mostPairs = 2

// Pairs returns the texts that can be voted on: of every prompt and every two
// configs the first ones that differ.
func (r *Room) Pairs() []votes.Pair {
	var out []votes.Pair
	if r.plan == nil {
		return nil
	}
	for row, p := range r.rows() {
		if row >= len(r.shown) {
			break
		}
		for a := range r.configs {
			for b := range a {
				out = append(out, r.pairsOf(r.shown[row], b, a, p)...)
			}
		}
	}
	return out
}

func (r *Room) pairsOf(prompt, a, b int, p *prompts.Prompt) (out []votes.Pair) {
	for k := range r.plan.Seeds {
		x, y := r.texts[place{prompt, a}], r.texts[place{prompt, b}]
		if len(out) == mostPairs || k >= len(x) || k >= len(y) {
			break
		}
		if x[k] == nil || y[k] == nil || x[k].Text == y[k].Text {
			continue
		}
		lanes := [2]string{r.configs[a].label, r.configs[b].label}
		if lanes[0] == lanes[1] {
			lanes = [2]string{letter(a) + " " + lanes[0], letter(b) + " " + lanes[1]}
		}
		out = append(out, votes.NewPair(p.ID, p.Asked(), x[k].Seed, lanes, [2]string{x[k].Text, y[k].Text}))
	}
	return out
}

// Name returns the name of the set.
func (r *Room) Name() string { return r.name }

// add takes the lab's settings as a config.
func (r *Room) add(h kit.Host) {
	l := h.Lane()
	cfg := l.ShownConfig()
	switch {
	case len(r.configs) == maxConfigs:
		h.Say(fmt.Sprintf("+: %d configs are as many as there may be; - takes the last one out", maxConfigs))
		return
	case slices.ContainsFunc(r.configs, func(c config) bool { return c.config.Without("seed").Equal(cfg.Without("seed")) }):
		h.Say("+: the lab's settings are a config already; change them in the lab first")
		return
	}
	label := l.ShownLabel()
	if r.configs = append(r.configs, config{label, cfg}); len(r.configs) > 1 {
		h.Say(letter(len(r.configs)-1) + " is " + label + "; space writes its texts")
	}
	r.again()
}

// again drops what was summed up: the configs have changed. The texts are still
// on disk.
func (r *Room) again() {
	r.Close()
	r.run = nil
	r.forget()
}
