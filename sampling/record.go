package sampling

import (
	"math"
	"slices"

	"logitscope/sampling/row"
)

// A recorder fills a trace while the stages run. Its zero value with no
// trace records nothing.
type recorder struct {
	t *Trace

	// What a token's logit went through, stage by stage, so that the tokens
	// worth showing can be named when the last stage is done.
	log []logEntry

	bent  [][]float32 // logits by position after stages that changed them all
	nbent int

	tracked  []track // the best raw tokens and the pinned ones
	nbest    int     // how many of tracked are the best raw ones
	show     []shown
	n, nfin  int
	ref      float32
	sum      float64
	named    float64 // share of the tokens that the row names
	rawOrder bool    // no logit has changed on its own account so far
}

type logEntry struct {
	ref       float32
	sum       float64
	from, to  int     // touches of the stage
	scaled    float32 // divisor of every logit; 0 if none
	shifted   float32 // taken off every logit before it was divided
	added     bool    // it added to many tokens alone
	bent      int     // which of the recorder's rows holds the logits after a stage that changed them all; -1 if it did not
	unchanged bool    // nothing changed since the stage before
}

type track struct {
	pos int32
	cut int8
	cum float64 // raw exponentials down to and with it; best raw ones only
}

func (c *recorder) begin(p *Pipeline, r *step, t *Trace) {
	c.t = t
	r.RawStats(p.rawExact)
	t.Vocab, t.NoPiece, t.Rest, t.Output = len(r.Raw), r.NoPiece, r.in.Rest, len(r.in.Output)
	c.named = 1
	if r.HasRest() {
		c.named = 1 - float64(r.in.Rest)
	}
	t.RawBits = row.EntropyBits(r.RawSum, r.RawDot)
	if r.HasRest() {
		lo, _ := r.EntropyBounds()
		t.RawBits = float32(lo / math.Ln2)
	}
	t.nstages = 0
	c.log, c.nbent = c.log[:0], 0
	c.track(r)
	c.rawOrder = true
	c.n, c.nfin = r.N, r.Finite
	c.add(StageTrace{Name: "logits", Label: "logits", Kept: r.Finite, Size: r.N, Mass: 1, Bits: t.RawBits})
	c.log = append(c.log, logEntry{ref: r.Ref, sum: r.Sum, bent: -1})
}

// track notes the best tokens by raw probability and the pinned ones.
func (c *recorder) track(r *step) {
	c.tracked = c.tracked[:0]
	cum := 0.0
	for _, it := range r.Best(MaxRows) {
		cum += float64(r.RawE[it.I])
		c.tracked = append(c.tracked, track{it.I, NoStage, cum})
	}
	c.nbest = len(c.tracked)
	for i, id := range r.in.Pins {
		if i == MaxPins {
			break
		}
		if pos, ok := r.Position(id); ok && !c.isTracked(pos) {
			c.tracked = append(c.tracked, track{pos: pos, cut: NoStage})
		}
	}
}

func (c *recorder) isTracked(pos int32) bool {
	for i := range c.tracked {
		if c.tracked[i].pos == pos {
			return true
		}
	}
	return false
}

func (c *recorder) add(s StageTrace) {
	if c.t.nstages < MaxStages {
		c.t.stages[c.t.nstages] = s
		c.t.nstages++
	}
}

// before prepares for the next stage.
func (c *recorder) before(r *step) {
	r.Touched, r.Scaled, r.Shifted, r.Bent = 0, 0, 0, false
	r.TouchFrom = len(r.Touches)
	if c == nil || c.t == nil {
		return
	}
	r.Sums()
	c.nfin, c.ref, c.sum = r.Finite, r.Ref, r.Sum
}

// after records what the stage that s names did.
func (c *recorder) after(r *step, s StageTrace, exact bool) {
	if c == nil || c.t == nil {
		return
	}
	if exact && !r.SumOK {
		r.Exps()
	}
	r.Sums()
	s.Kept, s.Size, s.Removed, s.Mass = r.Finite, r.N, c.nfin-r.Finite, 1
	s.Bits, s.Touched = r.Bits(), r.Touched
	if r.Touched > 0 || r.Bent {
		c.rawOrder = false
	}
	if s.Removed > 0 {
		s.Mass = float32(min(1, r.Sum*math.Exp(float64(r.Ref-c.ref))/c.sum))
		if r.Scaled != 0 {
			s.Mass = 1
		}
		s.LastRank, s.LastCum = c.last(r)
		c.updateCuts(r)
	}
	c.log = append(c.log, logEntry{
		ref: r.Ref, sum: r.Sum, from: r.TouchFrom, to: len(r.Touches), scaled: r.Scaled, shifted: r.Shifted, bent: c.keepBent(r), added: r.Bent && r.Touched > 0,
		unchanged: s.Removed == 0 && r.Touched == 0 && r.Scaled == 0 && !r.Bent,
	})
	c.add(s)
}

// keepBent keeps the logits by position after a stage that changed them all,
// and returns where; -1 for other stages.
func (c *recorder) keepBent(r *step) int {
	if !r.Bent {
		return -1
	}
	if c.nbent == len(c.bent) {
		c.bent = append(c.bent, nil)
	}
	x := slices.Grow(c.bent[c.nbent][:0], len(r.Raw))[:len(r.Raw)]
	for i := range x {
		x[i] = negInf
	}
	for i := range r.N {
		x[r.Pos(i)] = r.X[i]
	}
	c.bent[c.nbent] = x
	c.nbent++
	return c.nbent - 1
}

// updateCuts notes which tracked tokens the running stage removed.
func (c *recorder) updateCuts(r *step) {
	for i := range c.tracked {
		t := &c.tracked[i]
		if t.cut != NoStage {
			continue
		}
		if e := r.Entry(t.pos); e < 0 || r.X[e] == negInf {
			t.cut = int8(c.t.nstages)
		}
	}
	c.trackCut(r)
}

// trackCut adds the best tokens that were removed to those tracked, where fewer
// than cutRows of these are: a cut far below the best would have no row to
// show it.
func (c *recorder) trackCut(r *step) {
	known := 0
	for i := range c.tracked {
		if c.tracked[i].cut != NoStage {
			known++
		}
	}
	for ; known < cutRows; known++ {
		best := int32(-1)
		for pos, x := range r.Raw {
			if x == negInf || best >= 0 && x <= r.Raw[best] {
				continue
			}
			if e := r.Entry(int32(pos)); (e < 0 || r.X[e] == negInf) && !c.isTracked(int32(pos)) {
				best = int32(pos)
			}
		}
		if best < 0 {
			return
		}
		c.tracked = append(c.tracked, track{pos: best, cut: int8(c.t.nstages)})
	}
}

// addCut shows the best tokens that were removed.
func (c *recorder) addCut(r *step) {
	var best [cutRows]int32
	n := 0
	for i := range c.tracked {
		pos := c.tracked[i].pos
		if c.tracked[i].cut == NoStage {
			continue
		}
		at := n
		for at > 0 && (r.Raw[pos] > r.Raw[best[at-1]] || r.Raw[pos] == r.Raw[best[at-1]] && pos < best[at-1]) {
			at--
		}
		if at == cutRows {
			continue
		}
		n = min(n+1, cutRows)
		copy(best[at+1:n], best[at:n-1])
		best[at] = pos
	}
	for _, pos := range best[:n] {
		c.addShown(r, pos, false)
	}
}

// last returns where the cut line of the tokens left stands: the largest raw
// rank among them, and the raw probability down to it.
func (c *recorder) last(r *step) (rank int32, cum float32) {
	if c.rawOrder && !r.Holes && r.Finite <= c.nbest {
		// What is left are the best tokens by raw probability.
		return int32(r.Finite), float32(c.tracked[r.Finite-1].cum / r.RawSum * c.named)
	}
	worst := int32(-1)
	if at := r.WorstUntouched(); at >= 0 {
		worst = r.Pos(at)
	}
	for _, t := range r.Touches {
		if worst >= 0 && (r.Raw[t.Pos] > r.Raw[worst] || r.Raw[t.Pos] == r.Raw[worst] && t.Pos <= worst) {
			continue
		}
		if e := r.Entry(t.Pos); e >= 0 && r.X[e] > negInf {
			worst = t.Pos
		}
	}
	if worst < 0 {
		return 0, 0
	}
	return c.rankOf(r, worst)
}

func (c *recorder) rankOf(r *step, pos int32) (rank int32, cum float32) {
	for i := range c.tracked[:c.nbest] {
		if c.tracked[i].pos == pos {
			return int32(i + 1), float32(c.tracked[i].cum / r.RawSum * c.named)
		}
	}
	n, sum := r.RawRank(pos)
	return n, float32(sum / r.RawSum * c.named)
}

// finish fills the choice and the rows.
func (c *recorder) finish(r *step, d drawn) {
	t := c.t
	r.Exps()
	pos := r.Pos(d.entry)
	t.Token = r.ID(pos)
	t.Survived = r.Finite
	t.Bits = r.Bits()
	t.Greedy, t.U, t.Lo, t.Hi, t.Race = d.greedy, d.u, d.lo, d.hi, d.race
	rawLp := float64(r.Raw[pos]-r.RawMax) - math.Log(r.RawSum) + math.Log(c.named)
	lp := float64(r.X[d.entry]-r.Ref) - math.Log(r.Sum)
	if r.Finite == 1 {
		lp = 0
	}
	t.RawLogprob, t.Logprob = float32(rawLp), float32(lp)
	t.RawProb, t.Prob = float32(math.Exp(rawLp)), float32(math.Exp(lp))
	t.Rank, _ = c.rankOf(r, pos)
	c.rows(r, pos)
}

// A shown is a token on its way into the trace's rows.
type shown struct {
	pos, rank int32
	cum       float32
	pinned    bool
}

// rows chooses the tokens worth showing: the chosen and the pinned ones, the
// best that were cut, then by turns the best left by raw and by final
// probability.
func (c *recorder) rows(r *step, chosen int32) {
	c.show = c.show[:0]
	c.addShown(r, chosen, false)
	for i, id := range r.in.Pins {
		if i == MaxPins {
			break
		}
		if pos, ok := r.Position(id); ok {
			c.addShown(r, pos, true)
		}
	}
	c.addCut(r)
	final := r.Best(MaxRows)
	for i := 0; i < c.nbest || i < len(final); i++ {
		if i < c.nbest {
			c.addShown(r, c.tracked[i].pos, false)
		}
		if i < len(final) {
			c.addShown(r, r.Pos(int(final[i].I)), false)
		}
	}
	slices.SortFunc(c.show, func(a, b shown) int { return int(a.rank - b.rank) })
	c.t.nrows = len(c.show)
	for i := range c.show {
		c.fillRow(r, &c.t.rows[i], c.show[i])
	}
}

func (c *recorder) addShown(r *step, pos int32, pinned bool) {
	for i := range c.show {
		if c.show[i].pos == pos {
			c.show[i].pinned = c.show[i].pinned || pinned
			return
		}
	}
	if len(c.show) < MaxRows && r.Raw[pos] > negInf {
		rank, cum := c.rankOf(r, pos)
		c.show = append(c.show, shown{pos, rank, cum, pinned})
	}
}

// fillRow replays what the stages did to one token.
func (c *recorder) fillRow(r *step, row *Row, s shown) {
	x := r.Raw[s.pos]
	p := math.Exp(float64(x-r.RawMax)) / r.RawSum
	*row = Row{
		ID: r.ID(s.pos), Rank: s.rank, RawLogit: x, RawProb: float32(p * c.named), RawCum: s.cum,
		Cut: NoStage, Pinned: s.pinned,
	}
	for i := range c.tracked {
		if c.tracked[i].pos == s.pos {
			row.Cut = c.tracked[i].cut
		}
	}
	row.Probs[0] = row.RawProb
	for i := 1; i < len(c.log); i++ {
		if int(row.Cut) == i {
			p = 0
			break
		}
		l := &c.log[i]
		if !l.unchanged {
			x = c.replay(l, r, row, i, x)
			p = math.Exp(float64(x-l.ref)) / l.sum
		}
		row.Probs[i] = float32(p)
	}
	row.Logit, row.Prob = x, float32(p)
}

// moved notes which way a stage moved the token's logit on its own account.
func (row *Row) moved(stage int, before, after float32) {
	if after < before {
		row.Lowered |= 1 << stage
	} else if after > before {
		row.Raised |= 1 << stage
	}
}

// replay returns the logit that a stage made of x and notes which way it moved.
func (c *recorder) replay(l *logEntry, r *step, row *Row, stage int, x float32) float32 {
	for k := l.from; k < l.to; k++ {
		t := &r.Touches[k]
		if t.Pos != r.PosOf(row.ID) || t.After == negInf {
			continue
		}
		row.moved(stage, x, t.After)
		x = t.After
	}
	if l.scaled != 0 {
		x = (x - l.shifted) / l.scaled
	}
	if l.bent >= 0 {
		after := c.bent[l.bent][r.PosOf(row.ID)]
		if l.added {
			row.moved(stage, x, after)
		}
		x = after
	}
	return x
}
