package bench

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"

	"logitscope/engine/bench/prompts"
	"logitscope/engine/check"
	"logitscope/engine/stats"
	"logitscope/sampling"
	"logitscope/sampling/param"
)

// A Search looks for the settings that do best in a metric.
type Search struct {
	Backend *Backend
	Base    sampling.Config
	Over    []Range
	Prompts []prompts.Prompt
	Checks  check.List
	Seeds   []uint64
	Chat    bool

	Metric  int // in [Metrics]
	Less    bool
	Subject []Bound
	Configs int     // tried at first; 0 for 8 for each range, 16 at least
	Holdout float64 // share of the prompts that the choice does not see
	Seed    uint64  // of the start
}

// A Trial is a config that a search has tried.
type Trial struct {
	Name    string
	Config  sampling.Config
	Value   stats.Estimate // on the prompts it was tried with
	Dropped int            // the round in which it was dropped, from 1; 0 if it was not
	Set     int            // how many of the ranges' parameters it sets
	Bounds  bool           // whether it keeps the bounds
	Base    bool           // it is the base
}

// An Influence says what a parameter does to the best config.
type Influence struct {
	Key   string
	Value any              // that the best config has
	Ends  [2]any           // the ends of the range
	Moved [2]stats.Verdict // against the best config, with the parameter at an end
	Same  [2]bool          // the texts are the same throughout
}

// Idle reports whether the parameter does nothing that can be seen.
func (i *Influence) Idle() bool { return !i.Moved[0].Found() && !i.Moved[1].Found() }

// A Tuned is what a search has found.
type Tuned struct {
	Trials    []Trial // the base first
	Rounds    []int   // prompts of each round
	Best      int     // in Trials
	Equal     []int   // those not distinguishable from it, the simplest first, itself among them
	Simplest  Trial   // the best without what does nothing
	Influence []Influence
	Gain      stats.Verdict  // the simplest against the base
	Held      *stats.Verdict // the same on the prompts that the choice did not see; nil if none are held out
	HeldValue stats.Estimate
	HeldOut   int // prompts that the choice did not see
	Texts     int
	Stopped   bool // by the budget
}

// Tune searches by successive halving: a space-filling start, prompts added
// round by round, and configs dropped when their paired interval says that they
// do worse than the best. Then each parameter of the best config is moved to
// the ends of its range, and left out where that changes nothing.
func Tune(ctx context.Context, s *Search, opt Options) (*Tuned, error) {
	t := &tuning{Search: s, opt: opt, began: time.Now(), out: &Tuned{}}
	if err := t.split(); err != nil {
		return nil, err
	}
	if err := t.start(); err != nil {
		return nil, err
	}
	if err := t.halve(ctx); err != nil {
		return nil, err
	}
	if err := t.explain(ctx); err != nil {
		return nil, err
	}
	return t.out, t.heldOut(ctx)
}

type tuning struct {
	*Search
	opt        Options
	began      time.Time
	tokens     int64
	seen, held []prompts.Prompt
	out        *Tuned
}

// LeastPrompts is how many prompts a choice needs.
const LeastPrompts = 4

// Seen is how many prompts the choice sees.
func (s *Search) Seen() (n int) {
	for i := range s.Prompts {
		if !heldOut(s.Prompts[i].ID, s.Holdout) {
			n++
		}
	}
	return n
}

// split parts the prompts, and mixes those that are seen: a file may have the
// easy ones first.
func (t *tuning) split() error {
	for _, p := range t.Prompts {
		if heldOut(p.ID, t.Holdout) {
			t.held = append(t.held, p)
		} else {
			t.seen = append(t.seen, p)
		}
	}
	t.out.HeldOut = len(t.held)
	if len(t.seen) < LeastPrompts {
		return fmt.Errorf("a choice needs %d prompts; %d are not held out", LeastPrompts, len(t.seen))
	}
	r := rand.New(rand.NewPCG(t.Seed, 0x5eed))
	r.Shuffle(len(t.seen), func(i, k int) { t.seen[i], t.seen[k] = t.seen[k], t.seen[i] })
	return nil
}

// start makes the first configs: the base, and a Latin hypercube over the
// ranges (McKay et al. 1979), where every range is visited evenly.
func (t *tuning) start() error {
	n := t.Configs
	if n == 0 {
		n = max(16, 8*len(t.Over))
	}
	r := rand.New(rand.NewPCG(t.Seed, 1))
	order := make([][]int, len(t.Over))
	for k := range order {
		order[k] = r.Perm(n)
	}
	t.out.Trials = append(t.out.Trials, t.trial("base", t.Base))
	for i := range n {
		cfg := t.Base
		var parts []string
		for k := range t.Over {
			v := t.Over[k].at((float64(order[k][i]) + r.Float64()) / float64(n))
			var err error
			if cfg, err = cfg.With(t.Over[k].Key, v, sampling.FromFlag); err != nil {
				return err
			}
			parts = append(parts, t.Over[k].Key+"="+plain(v))
		}
		if _, err := t.Backend.Compiler.Settings(cfg, ""); err != nil {
			return err
		}
		name := strings.Join(parts, ",")
		if !slices.ContainsFunc(t.out.Trials, func(x Trial) bool { return x.Name == name }) {
			t.out.Trials = append(t.out.Trials, t.trial(name, cfg))
		}
	}
	return nil
}

func (t *tuning) trial(name string, cfg sampling.Config) Trial {
	x := Trial{Name: name, Config: cfg, Value: stats.None, Base: len(t.moved(cfg)) == 0}
	for _, r := range t.Over {
		p, ok := param.Lookup(r.Key)
		if _, set := cfg.Lookup(r.Key); set && ok && !p.IsOff(cfg.Value(r.Key)) {
			x.Set++
		}
	}
	return x
}

// A measuredRun is what configs came to on some prompts.
type measuredRun struct {
	plan    *Plan
	tallies [][]tally
	digests []uint64
}

// ErrBudget is the error of a search whose budget ended before its first round.
var ErrBudget = errors.New("the budget is spent before the first round is finished; the texts that were written are kept")

// measure runs configs on prompts.
func (t *tuning) measure(ctx context.Context, configs []sampling.Config, on []prompts.Prompt) (*measuredRun, error) {
	p := &Plan{Prompts: prompts.List(on), Count: len(on), Seeds: t.Seeds, Chat: t.Chat, Checks: t.Checks}
	for i, c := range configs {
		p.Configs = append(p.Configs, Config{strconv.Itoa(i), t.Backend, c})
	}
	opt := t.opt
	if b := &opt.Budget; b.Time > 0 {
		if b.Time -= time.Since(t.began); b.Time <= 0 {
			return nil, ErrBudget
		}
	}
	if b := &opt.Budget; b.Tokens > 0 {
		if b.Tokens -= t.tokens; b.Tokens <= 0 {
			return nil, ErrBudget
		}
	}
	tell, written := opt.Progress, int64(0)
	opt.Progress = func(now Progress) {
		written = now.Tokens
		if tell != nil {
			tell(now)
		}
	}
	r, err := Run(ctx, p, opt)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	t.tokens += written
	t.out.Texts += r.Done
	if r.Stopped && r.Done < p.Texts() {
		return nil, ErrBudget
	}
	m := &measuredRun{plan: p}
	m.tallies, m.digests, err = tallyUp(p, r)
	return m, err
}

// value returns the estimate of metric k under config c.
func (m *measuredRun) value(c, k int) stats.Estimate {
	return estimate(len(m.plan.Seeds), k, &m.plan.Configs[c], m.tallies[c], nil)
}

// sign is 1 where more is better.
func (t *tuning) sign() float64 {
	if t.Less {
		return -1
	}
	return 1
}

// firstPrompts is how many prompts the first round has at least.
const firstPrompts = 12

// halve runs the rounds.
func (t *tuning) halve(ctx context.Context) error {
	for n := max(firstPrompts, len(t.seen)/8); ; n *= 2 {
		n = min(n, len(t.seen))
		var alive []int
		var configs []sampling.Config
		for i := range t.out.Trials {
			if t.out.Trials[i].Dropped == 0 {
				alive, configs = append(alive, i), append(configs, t.out.Trials[i].Config)
			}
		}
		m, err := t.measure(ctx, configs, t.seen[:n])
		if errors.Is(err, ErrBudget) && len(t.out.Rounds) > 0 {
			t.out.Stopped = true
			return nil
		}
		if err != nil {
			return err
		}
		t.out.Rounds = append(t.out.Rounds, n)
		t.judge(m, alive)
		if n == len(t.seen) {
			return nil
		}
	}
}

// judge finds the best of those alive, and drops what does worse. The base
// stays, to be compared with.
func (t *tuning) judge(m *measuredRun, alive []int) {
	best := -1
	for c, i := range alive {
		x := &t.out.Trials[i]
		x.Value, x.Bounds = m.value(c, t.Metric), t.keepsBounds(m, c)
		if best < 0 || t.better(x, &t.out.Trials[alive[best]]) {
			best = c
		}
	}
	t.out.Best, t.out.Equal = alive[best], nil
	for c, i := range alive {
		d := contrast(t.Metric, m.tallies[best], m.tallies[c])
		worse := d.Diff.Bounded() && (t.sign() > 0 && d.Diff.High < 0 || t.sign() < 0 && d.Diff.Low > 0)
		switch x := &t.out.Trials[i]; {
		case !worse && x.Bounds:
			t.out.Equal = append(t.out.Equal, i)
		case worse && i != 0 && x.Bounds:
			x.Dropped = len(t.out.Rounds)
		}
	}
	slices.SortStableFunc(t.out.Equal, func(a, b int) int { return t.out.Trials[a].Set - t.out.Trials[b].Set })
}

// keepsBounds reports whether config c keeps all bounds.
func (t *tuning) keepsBounds(m *measuredRun, c int) bool {
	return !slices.ContainsFunc(t.Subject, func(b Bound) bool { return !b.holds(m.value(c, b.Metric).Value) })
}

// better reports whether a is a better choice than b: one that keeps the bounds
// before one that does not.
func (t *tuning) better(a, b *Trial) bool {
	if a.Bounds != b.Bounds {
		return a.Bounds
	}
	if math.IsNaN(b.Value.Value) {
		return !math.IsNaN(a.Value.Value)
	}
	return t.sign()*(a.Value.Value-b.Value.Value) > 0
}

// explain moves each parameter of the best config to the ends of its range, and
// leaves out those without which it does no worse.
func (t *tuning) explain(ctx context.Context) error {
	best := t.out.Trials[t.out.Best]
	t.out.Simplest = best
	on := t.seen[:t.out.Rounds[len(t.out.Rounds)-1]]
	configs := []sampling.Config{best.Config}
	for _, r := range t.Over {
		for _, end := range r.ends() {
			configs = append(configs, best.Config.MustWith(r.Key, end, sampling.FromFlag))
		}
	}
	m, err := t.measure(ctx, configs, on)
	if errors.Is(err, ErrBudget) {
		t.out.Stopped = true
		return nil
	}
	if err != nil {
		return err
	}
	var contrasts []stats.Contrast
	for c := 1; c < len(configs); c++ {
		contrasts = append(contrasts, contrast(t.Metric, m.tallies[0], m.tallies[c]))
	}
	verdicts := stats.Judge(contrasts)
	for k, r := range t.Over {
		t.out.Influence = append(t.out.Influence, Influence{Key: r.Key, Value: best.Config.Value(r.Key), Ends: r.ends(),
			Moved: [2]stats.Verdict{verdicts[2*k], verdicts[2*k+1]}, Same: [2]bool{m.digests[2*k+1] == m.digests[0], m.digests[2*k+2] == m.digests[0]}})
	}
	return t.simplify(ctx, on)
}

// simplify leaves out the idle parameters, all together if that is no worse, or
// else one after the other.
func (t *tuning) simplify(ctx context.Context, on []prompts.Prompt) error {
	best := t.out.Trials[t.out.Best].Config
	plainest := best
	var idle []string
	for i := range t.out.Influence {
		if x := &t.out.Influence[i]; x.Idle() {
			idle = append(idle, x.Key)
			plainest = t.unset(plainest, x.Key)
		}
	}
	tries := []sampling.Config{plainest}
	for _, key := range idle {
		tries = append(tries, t.unset(best, key))
	}
	m, err := t.measure(ctx, append([]sampling.Config{best, t.Base}, tries...), on)
	if errors.Is(err, ErrBudget) {
		t.out.Stopped = true
		return nil
	}
	if err != nil {
		return err
	}
	at := 0 // in the configs of m
	for c := 2; c < len(tries)+2 && len(idle) > 0 && at == 0; c++ {
		d := contrast(t.Metric, m.tallies[0], m.tallies[c]).Diff
		worse := !d.Bounded() || t.sign()*d.Value < 0 && !d.Contains(0)
		if !worse && (t.keepsBounds(m, c) || !t.keepsBounds(m, 0)) {
			at = c
		}
	}
	if at > 0 {
		t.out.Simplest = t.trial(t.nameOf(tries[at-2]), tries[at-2])
	}
	t.out.Simplest.Value, t.out.Simplest.Bounds = m.value(at, t.Metric), t.keepsBounds(m, at)
	t.out.Gain = stats.Judge([]stats.Contrast{contrast(t.Metric, m.tallies[1], m.tallies[at])})[0]
	return nil
}

// unset gives a parameter the base's value.
func (t *tuning) unset(cfg sampling.Config, key string) sampling.Config {
	if s, ok := t.Base.Lookup(key); ok {
		return cfg.MustWith(key, s.Value, s.Origin)
	}
	return cfg.Without(key)
}

// moved returns what a config sets beyond the base.
func (t *tuning) moved(cfg sampling.Config) (parts []string) {
	for _, r := range t.Over {
		if v, ok := cfg.Lookup(r.Key); ok {
			if base, had := t.Base.Lookup(r.Key); !had || plain(base.Value) != plain(v.Value) {
				parts = append(parts, r.Key+"="+plain(v.Value))
			}
		}
	}
	return parts
}

// nameOf names a config by what it sets beyond the base.
func (t *tuning) nameOf(cfg sampling.Config) string {
	if parts := t.moved(cfg); len(parts) > 0 {
		return strings.Join(parts, ",")
	}
	return "base"
}

// heldOut compares the choice with the base on the prompts that it did not see.
func (t *tuning) heldOut(ctx context.Context) error {
	if len(t.held) < 2 {
		return nil
	}
	m, err := t.measure(ctx, []sampling.Config{t.Base, t.out.Simplest.Config}, t.held)
	if errors.Is(err, ErrBudget) {
		t.out.Stopped = true
		return nil
	}
	if err != nil {
		return err
	}
	v := stats.Judge([]stats.Contrast{contrast(t.Metric, m.tallies[0], m.tallies[1])})[0]
	t.out.Held, t.out.HeldValue = &v, m.value(1, t.Metric)
	return nil
}
