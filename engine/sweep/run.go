package sweep

import (
	"context"
	"fmt"
	"runtime"
	"sync"

	"logitscope/engine"
	"logitscope/engine/record"
	"logitscope/models"
	"logitscope/sampling"
)

// A Plan is what a sweep decodes.
type Plan struct {
	Model    models.Model
	Draft    engine.Draft // used by cells that ask for drafted tokens
	Compiler *engine.Compiler
	Text     string // the prompt, for the report
	Prompt   []int32
	Base     sampling.Config // what the axes do not set
	Axes     []Axis
	Seeds    []uint64
}

// Options say how a sweep is run. The zero value is usable.
type Options struct {
	Dir      string         // folder that keeps finished cells; empty to keep none
	Fresh    bool           // do not take up the cells that Dir has
	Workers  int            // texts decoded at once; 0 for as many as there are cores
	Progress func(Progress) // called after every text and every cell taken up, one call at a time; may be nil
}

// A Progress says how far a sweep is.
type Progress struct {
	Cells, CellsDone int
	Reused           int // cells taken up from the folder
	Texts, TextsDone int // of the cells that were not
	Cell             *Cell
	CellIndex        int // of Cell in the report; Cell is nil if none was finished just now
}

// Run decodes every cell of p. It returns an error at once for a grid that is
// not allowed; if ctx ends first, its error, and the finished cells stay in
// opt.Dir. A text whose decoding fails is recorded as such and stops nothing.
// The report depends on p alone.
func Run(ctx context.Context, p Plan, opt Options) (*Report, error) {
	s, err := newSweep(p, opt)
	if err != nil {
		return nil, err
	}
	if s.prompt, err = readPrompt(ctx, p.Model, p.Prompt); err != nil {
		return nil, err
	}
	defer s.prompt.close()
	if s.store, err = newStore(opt.Dir, p.Model, s.prompt, draftName(p.Draft), p.Seeds); err != nil {
		return nil, err
	}
	s.takeUp()
	if err := s.decode(ctx); err != nil {
		return nil, err
	}
	for i := range s.report.Axes {
		s.report.Axes[i].Inert = s.report.inert(i, p.Compiler).String()
	}
	return s.report, nil
}

func draftName(d engine.Draft) string {
	switch {
	case d.NGram:
		return "ngram"
	case d.Model != nil:
		return d.Model.Info().Name
	}
	return ""
}

// A running is a sweep under way.
type running struct {
	plan   Plan
	opt    Options
	report *Report
	prompt *prompt
	store  store
	fits   []func(string) bool // of each cell; nil without a constraint

	mu       sync.Mutex
	progress Progress
	texts    [][]Text // of each cell, while it is decoded
	left     []int    // texts still to come
}

// newSweep makes the grid and checks every point of it.
func newSweep(p Plan, opt Options) (*running, error) {
	if len(p.Prompt) == 0 {
		return nil, errNoPrompt
	}
	if len(p.Seeds) == 0 {
		return nil, fmt.Errorf("a sweep needs 1 seed or more")
	}
	cells, err := grid(p.Base, p.Axes)
	if err != nil {
		return nil, err
	}
	info := p.Model.Info()
	s := &running{plan: p, opt: opt, fits: make([]func(string) bool, len(cells)), texts: make([][]Text, len(cells)), left: make([]int, len(cells))}
	s.report = &Report{
		Model: record.Model{Name: info.Name, Arch: info.Arch, Vocab: info.VocabSize, Context: info.ContextLen},
		Text:  p.Text, Prompt: p.Prompt, Base: p.Base, Axes: append([]Axis(nil), p.Axes...), Seeds: p.Seeds, Cells: cells,
	}
	known := map[string]func(string) bool{}
	for i, c := range cells {
		if _, err := p.Compiler.Settings(c.Config, ""); err != nil {
			return nil, fmt.Errorf("%s: %w", s.report.point(i), err)
		}
		source := c.Config.Text("constraint")
		if _, ok := known[source]; !ok {
			if known[source], err = fits(source); err != nil {
				return nil, err
			}
		}
		s.fits[i] = known[source]
	}
	return s, nil
}

// point names a cell by its values: "temperature=0.10, top_p=0.90".
func (r *Report) point(i int) string {
	text := ""
	for k := range r.Axes {
		if k > 0 {
			text += ", "
		}
		text += r.Axes[k].Key + "=" + r.Axes[k].Label(r.Cells[i].At[k])
	}
	if text == "" {
		return "the settings"
	}
	return text
}

// takeUp fills in the cells that the folder has.
func (s *running) takeUp() {
	s.progress.Cells = len(s.report.Cells)
	for i := range s.report.Cells {
		if !s.opt.Fresh {
			if texts := s.store.load(s.report.Cells[i].Config, s.plan.Seeds); texts != nil {
				s.progress.Reused++
				s.finish(i, texts)
				continue
			}
		}
		s.texts[i] = make([]Text, len(s.plan.Seeds))
		s.left[i] = len(s.plan.Seeds)
		s.progress.Texts += len(s.plan.Seeds)
	}
}

// finish makes texts those of cell i.
func (s *running) finish(i int, texts []Text) {
	c := &s.report.Cells[i]
	for k := range texts {
		texts[k].Unfit = s.fits[i] != nil && !s.fits[i](texts[k].Text)
	}
	c.Runs, c.Values = texts, measure(texts, s.fits[i] != nil)
	s.progress.CellsDone++
	s.tell(c, i)
}

func (s *running) tell(c *Cell, i int) {
	if s.opt.Progress != nil {
		p := s.progress
		p.Cell, p.CellIndex = c, i
		s.opt.Progress(p)
	}
}

// A task is one text to decode.
type task struct{ cell, seed int }

// decode writes all texts that are missing, several at once, cell by cell.
func (s *running) decode(ctx context.Context) error {
	workers := s.opt.Workers
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	tasks := make(chan task)
	var group sync.WaitGroup
	for range workers {
		group.Go(func() {
			for t := range tasks {
				if err := s.do(ctx, t); err != nil {
					cancel(err)
				}
			}
		})
	}
	for i := range s.report.Cells {
		for k := range s.left[i] {
			select {
			case tasks <- task{i, k}:
			case <-ctx.Done():
			}
		}
	}
	close(tasks)
	group.Wait()
	return context.Cause(ctx)
}

// do decodes one text, and finishes its cell if it is the last.
func (s *running) do(ctx context.Context, t task) error {
	cfg := s.report.Cells[t.cell].Config.MustWith("seed", s.plan.Seeds[t.seed], sampling.FromFlag)
	set, err := s.plan.Compiler.Settings(cfg, "")
	if err != nil {
		return err
	}
	text, err := s.prompt.write(ctx, set, s.plan.Draft, s.plan.Text)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.texts[t.cell][t.seed] = text
	s.left[t.cell]--
	s.progress.TextsDone++
	if s.left[t.cell] > 0 {
		s.tell(nil, 0)
		return nil
	}
	texts := s.texts[t.cell]
	s.texts[t.cell] = nil
	if err := s.store.save(s.report.Cells[t.cell].Config, texts); err != nil {
		return err
	}
	s.finish(t.cell, texts)
	return nil
}

// Check returns the error [Run] would return for the grid of p, which names
// the point and the parameter.
func (p Plan) Check() error {
	_, err := newSweep(p, Options{})
	return err
}
