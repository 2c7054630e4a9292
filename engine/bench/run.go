package bench

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"regexp"
	"runtime"
	"sync"
	"time"

	"logitscope/engine"
	"logitscope/engine/bench/prompts"
	"logitscope/engine/check"
	"logitscope/models/chat"
	"logitscope/sampling"
)

// Options say how a plan is run. The zero value is usable.
type Options struct {
	Dir      string         // folder that keeps finished texts; empty to keep none
	Name     string         // of the prompts: texts of one name share a log
	Fresh    bool           // do not take up the texts that Dir has
	Workers  int            // texts decoded at once; 0 for as many as there are cores, or as a server works on at once, 8 if it does not say
	Budget   Budget         // when to stop early
	Progress func(Progress) // called after every text, one call at a time; may be nil
}

// A Budget says when a run stops early. 0 is no limit.
type Budget struct {
	Tokens int64 // written
	Time   time.Duration
}

// A Progress says how far a run is.
type Progress struct {
	Texts, Done int   // Done are those there are now
	Failed      int   // texts whose decoding failed
	Reused      int   // of those done, taken up from the folder
	Tokens      int64 // of those that were decoded
	Newest      Event
}

// An Event is a text that is finished, by its place in the plan.
type Event struct {
	Config, Prompt, Seed int
	Text                 *Text
}

// keepPrompts is up to how many prompts a set keeps what was computed for each
// from one seed to the next.
const keepPrompts = 16

// serverWorkers is how many requests a server gets at once that does not say
// how many it works on, unless another number is asked for.
const serverWorkers = 8

// Run decodes the texts of p that there are not yet, seed by seed through all
// prompts and configs, so that every cell has as many texts wherever it stops.
// It returns an error at once for a plan that is not allowed; if ctx ends first,
// its error, and what is finished stays in opt.Dir. A text whose decoding fails
// is given to opt.Progress with its error, is not kept, and stops nothing. The
// results must be closed. They depend on p alone, but for times.
func Run(ctx context.Context, p *Plan, opt Options) (*Results, error) {
	if err := p.Check(); err != nil {
		return nil, err
	}
	r := &running{plan: p, opt: opt, results: &Results{Plan: p, stores: map[*Backend]*store{}}, began: time.Now()}
	r.progress.Texts = p.Texts()
	if err := r.open(ctx); err != nil {
		r.results.Close()
		return nil, err
	}
	if err := r.decode(ctx); err != nil {
		r.results.Close()
		return nil, err
	}
	r.results.Done, r.results.Stopped = r.progress.Done, r.spent()
	return r.results, nil
}

// A running is a plan under way.
type running struct {
	plan    *Plan
	opt     Options
	results *Results
	fits    []func(string) bool // of each config; nil without a constraint
	began   time.Time

	mu       sync.Mutex
	progress Progress
}

// open opens the logs, reads what the models must be able to read, and
// compiles the constraints.
func (r *running) open(ctx context.Context) error {
	known := map[string]func(string) bool{}
	for i := range r.plan.Configs {
		c := &r.plan.Configs[i]
		if r.results.stores[c.Backend] == nil {
			if err := r.openBackend(ctx, c.Backend); err != nil {
				return err
			}
		}
		k, err := settingsKey(c.Config)
		if err != nil {
			return err
		}
		r.results.keys = append(r.results.keys, k)
		source := c.Config.Text("constraint")
		if _, ok := known[source]; !ok {
			if known[source], err = fits(source); err != nil {
				return err
			}
		}
		r.fits = append(r.fits, known[source])
	}
	return nil
}

// openBackend opens the log of a backend. What a model here cannot read is a
// [prompts.BadError] before the first token; a server is asked text by text.
func (r *running) openBackend(ctx context.Context, b *Backend) error {
	var first []int32
	if b.Model.Info().Server == "" {
		bad := &prompts.BadError{}
		err := r.plan.Prompts.Each(func(i int, p prompts.Prompt) error {
			read, err := r.plan.read(ctx, b.Model, &p)
			if i == 0 {
				first = read.Tokens
			}
			if err != nil {
				bad.Add(p.Line, err)
			}
			return ctx.Err()
		})
		if err != nil {
			return err
		}
		if len(bad.Lines) > 0 {
			return bad
		}
	}
	print, err := fingerprint(ctx, b, first)
	if err != nil {
		return err
	}
	name := sha256.Sum256(append(print, r.opt.Name...))
	s, err := openStore(r.opt.Dir, name[:], r.opt.Fresh)
	if err == nil {
		r.results.stores[b] = s
	}
	return err
}

// A work is a prompt whose texts are still to be made.
type work struct {
	index   int
	prompt  prompts.Prompt
	key     key
	expect  check.List
	extract *regexp.Regexp
	by      string
	opened  map[*Backend]*opened
}

func (r *running) newWork(i int, p prompts.Prompt) *work {
	w := &work{index: i, prompt: p, key: promptKey(&p, r.plan.Chat), opened: map[*Backend]*opened{}}
	w.expect, w.extract = r.plan.expect(&p), r.plan.extract(&p)
	w.by = judgedBy(w.expect, w.extract)
	for b := range r.results.stores {
		w.opened[b] = (&opened{backend: b, read: func(ctx context.Context) (chat.Prompt, error) {
			return r.plan.read(ctx, b.Model, &w.prompt)
		}}).retain()
	}
	return w
}

func (w *work) release() {
	for _, o := range w.opened {
		o.release()
	}
}

// A task is one text to decode.
type task struct {
	*work
	config, seed int
}

// decode writes all texts that are missing, several at once.
func (r *running) decode(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	tasks := make(chan task)
	var group sync.WaitGroup
	for range r.workers() {
		group.Go(func() {
			for t := range tasks {
				if err := r.do(ctx, t); err != nil {
					cancel(err)
				}
				t.opened[r.plan.Configs[t.config].Backend].release()
			}
		})
	}
	err := r.feed(ctx, tasks)
	close(tasks)
	group.Wait()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

func (r *running) workers() int {
	if r.opt.Workers > 0 {
		return r.opt.Workers
	}
	n := 0 // of several servers the least, since any text may be for any
	for b := range r.results.stores {
		if i := b.Model.Info(); i.Server != "" {
			at := cmp.Or(i.Parallel, serverWorkers)
			n = min(cmp.Or(n, at), at)
		}
	}
	return cmp.Or(n, runtime.GOMAXPROCS(0))
}

// feed gives out the tasks.
func (r *running) feed(ctx context.Context, tasks chan<- task) error {
	few := make([]*work, 0, keepPrompts)
	defer func() {
		for _, w := range few {
			w.release()
		}
	}()
	for s := range r.plan.Seeds {
		err := r.plan.Prompts.Each(func(i int, p prompts.Prompt) error {
			var w *work
			switch {
			case i < len(few):
				w = few[i]
			default:
				w = r.newWork(i, p)
				if r.plan.Count <= keepPrompts {
					few = append(few, w)
				} else {
					defer w.release()
				}
			}
			for c := range r.plan.Configs {
				if r.spent() {
					return errSpent
				}
				w.opened[r.plan.Configs[c].Backend].retain()
				select {
				case tasks <- task{w, c, s}:
				case <-ctx.Done():
					w.opened[r.plan.Configs[c].Backend].release()
					return ctx.Err()
				}
			}
			return nil
		})
		if err == errSpent {
			return nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}

var errSpent = errors.New("the budget is spent")

// spent reports whether the budget is used up.
func (r *running) spent() bool {
	b := r.opt.Budget
	if b.Time > 0 && time.Since(r.began) >= b.Time {
		return true
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return b.Tokens > 0 && r.progress.Tokens >= b.Tokens
}

// do takes up or decodes one text and judges it.
func (r *running) do(ctx context.Context, t task) error {
	c := &r.plan.Configs[t.config]
	s := r.results.stores[c.Backend]
	seed := r.plan.seed(t.seed, &t.prompt)
	k := textKey(r.results.keys[t.config], t.key, seed)
	text, reused := s.get(k)
	if !reused && r.spent() {
		return nil
	}
	if !reused {
		cfg := c.Config.MustWith("seed", seed, sampling.FromFlag)
		o := t.opened[c.Backend]
		set, err := c.Backend.Compiler.Settings(engine.EndTurn(cfg, o.ends(ctx)), "")
		if err != nil {
			return err
		}
		text = kept{}
		if text.Text, err = o.write(ctx, set); err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			text.Text = Text{Seed: seed, Reason: "error", Tokens: []int32{}, Error: err.Error()}
		}
		text.Unfit = r.fits[t.config] != nil && !r.fits[t.config](text.Text.Text)
	}
	if text.Error != "" {
		r.finish(t, &text.Text, false)
		return nil
	}
	if !reused || text.By != t.by || t.by == "" && len(t.expect) > 0 {
		if err := t.judge(ctx, &text); err != nil {
			return err
		}
		if err := s.put(k, text); err != nil {
			return err
		}
	}
	r.finish(t, &text.Text, reused)
	return nil
}

// judge checks a text. That it cannot be judged is no failure of the text.
func (w *work) judge(ctx context.Context, t *kept) error {
	t.By, t.Judged, t.Failed, t.Unjudged = w.by, len(w.expect) > 0, nil, ""
	s := t.subject()
	s.Extract = w.extract
	failed, err := w.expect.Judge(ctx, s)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		t.Judged, t.Unjudged = false, err.Error()
	}
	t.Failed = failed
	return nil
}

func (r *running) finish(t task, text *Text, reused bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	p := &r.progress
	switch {
	case text.Error == "":
		p.Done++
	default:
		p.Failed++
		if len(r.results.Failed) < MaxFailed {
			r.results.Failed = append(r.results.Failed, Failed{r.plan.Configs[t.config].Name, t.prompt.ID, text.Seed, text.Error})
		}
	}
	if reused {
		p.Reused++
	} else {
		p.Tokens += int64(len(text.Tokens))
	}
	p.Newest = Event{t.config, t.index, t.seed, text}
	if r.opt.Progress != nil {
		r.opt.Progress(*p)
	}
}
