package speculative

import (
	"context"
	"maps"
	"slices"
	"time"
)

// A View is the running account of a speculative decoder: of all rounds that
// the present draft drafted and the present algorithm judged, since others say
// nothing of these two. It is immutable and may be kept.
type View struct {
	Draft     string // name of the draft model, or "ngram"
	Algorithm Algorithm
	Schedule  Schedule
	K         int      // tokens the next round will ask for
	Rounds    []*Round // all of them; read-only

	Counted int // rounds that the account is of
	Passes  int // of the target in them
	Drafted int // tokens drafted; of several drafts, in the branch gone along
	Tried   int // tokens drafted in all branches
	Fed     int // tokens that the target ran

	DraftSteps int // passes of the draft model
	Judged     int // drafted tokens that were judged, not dropped
	Accepted   int // drafted tokens that stand
	Emitted    int // tokens the rounds wrote

	// Rate is Accepted/Judged, and Alpha the mean over the judged tokens of
	// the chance to stand, sum of min(p, q): what Rate should come to. Both
	// are 0 before the first round.
	Rate, Alpha float64

	// AlphaAt[i] is the mean chance of the i-th token of a draft to stand,
	// given that those before it stood.
	AlphaAt []float64

	// Accepts[i] is the number of rounds in which i drafted tokens stood, and
	// Expected[i] how many there would be if every token stood with
	// probability Alpha.
	Accepts  []int
	Expected []float64

	PerPass float64 // tokens emitted for each pass of the target
	Formula float64 // what (1-Alpha^(k+1))/(1-Alpha) says it should be

	TargetTime, DraftTime time.Duration // sums over the rounds
	PassTime              time.Duration // a verification in the latest rounds
	DraftStep             time.Duration // drafting one token in them, 0 if no model did
	PlainTime             time.Duration // median of a plain decoding step, 0 if not measured

	// Speedup is tokens a second against plain decoding as measured, 0 if
	// plain decoding was not measured. Cost is a draft step's time in plain
	// steps, Verify a verification's. BreakEven is the Cost at which
	// speculative decoding would be as fast as plain decoding; below 0 it
	// cannot pay, whatever the draft costs.
	Speedup, Cost, Verify, BreakEven float64

	Done string // "eos", "length" or "context"; empty while it goes on
}

// Last returns the latest round, or nil.
func (v *View) Last() *Round {
	if len(v.Rounds) == 0 {
		return nil
	}
	return v.Rounds[len(v.Rounds)-1]
}

// View returns the account so far. It never changes afterwards.
func (d *Decoder) View() *View {
	v := &View{
		Draft: d.drafter.name(), Algorithm: d.set.algorithm, Schedule: d.set.schedule,
		K: d.room(d.schedule().k), Rounds: slices.Clip(d.rounds), Done: d.Done(),
	}
	v.account(d.plain)
	return v
}

// account fills in what the rounds come to; plain are the times of plain
// decoding steps.
func (v *View) account(plain []time.Duration) {
	rounds := v.alike()
	v.count(rounds)
	v.expect(rounds)
	v.timing(rounds, plain)
}

// alike returns the rounds of the present draft and algorithm.
func (v *View) alike() []*Round {
	var out []*Round
	for _, r := range v.Rounds {
		if r.Drafter == v.Draft && r.Algorithm == v.Algorithm {
			out = append(out, r)
		}
	}
	return out
}

// count sums over the rounds.
func (v *View) count(rounds []*Round) {
	var at []int
	v.Counted = len(rounds)
	for _, r := range rounds {
		v.Drafted += len(r.Drafted)
		v.Tried += r.Tried()
		v.Passes += r.Passes
		v.Fed += r.Fed
		v.DraftSteps += r.DraftSteps
		v.Accepted += r.Accepted
		v.Emitted += len(r.Emitted)
		v.TargetTime += r.Target
		v.DraftTime += r.Draft
		for len(v.Accepts) <= max(r.Accepted, len(r.Drafted)) {
			v.Accepts = append(v.Accepts, 0)
		}
		v.Accepts[r.Accepted]++
		for i := range r.Positions {
			p := &r.Positions[i]
			if p.Verdict == Dropped {
				continue
			}
			if i == len(at) {
				at, v.AlphaAt = append(at, 0), append(v.AlphaAt, 0)
			}
			v.Judged++
			v.Alpha += p.Alpha
			v.AlphaAt[i] += p.Alpha
			at[i]++
		}
	}
	for i := range at {
		v.AlphaAt[i] /= float64(at[i])
	}
	if v.Judged > 0 {
		v.Rate = float64(v.Accepted) / float64(v.Judged)
		v.Alpha /= float64(v.Judged)
	}
	if v.Passes > 0 {
		v.PerPass = float64(v.Emitted) / float64(v.Passes)
	}
}

// expect fills in what a constant chance to stand would give.
func (v *View) expect(rounds []*Round) {
	v.Expected = make([]float64, len(v.Accepts))
	for _, r := range rounds {
		k := len(r.Drafted)
		stand := 1.0
		for i := 0; i < k; i++ {
			v.Expected[i] += stand * (1 - v.Alpha)
			stand *= v.Alpha
		}
		v.Expected[k] += stand
		v.Formula += expectedTokens(v.Alpha, k)
	}
	if n := len(rounds); n > 0 {
		v.Formula /= float64(n)
	}
}

// timed is the number of latest rounds whose times count.
const timed = 64

// timing compares with plain decoding. Each round counts as the median of the
// rounds that drafted as many tokens: an interruption does not count, but that
// some rounds draft and others do not does.
func (v *View) timing(rounds []*Round, plain []time.Duration) {
	alike := make(map[int][]*Round)
	n := 0
	for _, r := range rounds[max(0, len(rounds)-timed):] {
		if k := len(r.Drafted); !r.late {
			alike[k] = append(alike[k], r)
			n++
		}
	}
	v.PlainTime = median(plain)
	var pass, drafting, drafted, steps float64
	for _, k := range slices.Sorted(maps.Keys(alike)) { // in one order, so that the sums are one
		rounds := alike[k]
		var p, d, s, asked []time.Duration
		for _, r := range rounds {
			p, d, s = append(p, r.Target), append(d, r.Draft), append(s, time.Duration(r.DraftSteps))
			if r.Branches != nil {
				k = r.DraftSteps
			}
			asked = append(asked, time.Duration(k))
		}
		share := float64(len(rounds)) / float64(n)
		pass += share * float64(median(p))
		drafting += share * float64(median(d))
		steps += share * float64(median(s))
		drafted += share * float64(median(asked))
	}
	v.PassTime = time.Duration(pass)
	if steps > 0 {
		v.DraftStep = time.Duration(drafting / steps)
	}
	if v.PlainTime == 0 || n == 0 {
		return
	}
	one, perRound := float64(v.PlainTime), float64(v.Emitted)/float64(v.Counted)
	v.Speedup = perRound * one / (pass + drafting)
	v.Cost = float64(v.DraftStep) / one
	v.Verify = pass / one
	if drafted > 0 {
		v.BreakEven = (perRound - v.Verify) / drafted
	}
}

func median(d []time.Duration) time.Duration {
	if len(d) == 0 {
		return 0
	}
	s := slices.Clone(d)
	slices.Sort(s)
	return s[len(s)/2]
}

// plainKept is the number of plain steps remembered.
const plainKept = 9

// measure times a plain decoding step at the present position every
// Options.Plain rounds: the pass, the law and a draw. It leaves the text and
// the caches as they were.
func (d *Decoder) measure(ctx context.Context) error {
	every := d.opt.Plain
	if every <= 0 || len(d.rounds)%every != 0 && len(d.plain) > 0 {
		return nil
	}
	all := append(slices.Clone(d.prompt), d.output...)
	if err := d.verifier.sync(ctx, all[:len(all)-1]); err != nil {
		return err
	}
	n := 1
	if len(d.plain) == 0 {
		n = 3
	}
	for i := 0; i < n; i++ {
		began := time.Now()
		rows, err := d.verifier.forward(ctx, all[len(all)-1:], 1)
		if err != nil {
			return err
		}
		l, err := d.laws.law(d.laws.target, d, rows[0], d.output)
		if err != nil {
			return err
		}
		l.Draw(0.5)
		d.plain = append(d.plain, time.Since(began))
		d.verifier.truncate(len(all) - 1)
	}
	d.plain = d.plain[max(0, len(d.plain)-plainKept):]
	return nil
}
