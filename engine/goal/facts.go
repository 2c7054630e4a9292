package goal

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"logitscope/engine"
	"logitscope/engine/speculative"
	"logitscope/models"
	"logitscope/sampling"
	"logitscope/sampling/dist"
)

// nameOf names a frame among those of a scene.
func nameOf(lane int, sets []setting) string {
	var b strings.Builder
	fmt.Fprint(&b, lane)
	for _, s := range sets {
		fmt.Fprintf(&b, " %s=%q", s.key, fmt.Sprint(s.value))
	}
	return b.String()
}

func (f *frame) lane() Lane { return f.s.Lanes[f.of] }

func (f *frame) config() sampling.Config {
	if f.set == nil {
		return sampling.Config{}
	}
	return f.set.Base().Config()
}

// preset returns the preset in force, whatever was changed since.
func (f *frame) preset() string {
	if f.set == nil {
		return ""
	}
	return engine.NameOf(f.set.Base().Label).Preset
}

// at returns the index of the step looked at, -1 if there is none.
func (f *frame) at() int {
	l := f.lane()
	if n := l.length(); l.Look < 1 || l.Look > n {
		return n - 1
	}
	return l.Look - 1
}

// decoded returns the steps decoded, the proposal included if it counts.
func (f *frame) decoded() []*engine.Step {
	l := f.lane()
	if l.View.Beam == nil && l.Proposal && l.View.Next != nil {
		return append(slices.Clip(l.View.Steps), l.View.Next)
	}
	return l.View.Steps
}

// written returns the steps of the text: those decoded, or of a beam search
// those of the text that leads, with what is known of them.
func (f *frame) written() []*engine.Step {
	b := f.lane().View.Beam
	if b == nil {
		return f.decoded()
	}
	r := b.Result()
	if len(r) == 0 {
		return nil
	}
	var list []*engine.Step
	for n := r[0].Node; n != nil; n = n.Parent {
		list = append(list, &engine.Step{Token: n.Token, Summary: engine.Summary{RawLogprob: float32(n.Logprob), Logprob: float32(n.Logprob)}})
	}
	slices.Reverse(list)
	return list
}

// tokens returns the ids decoded.
func (f *frame) tokens() []int32 {
	var ids []int32
	for _, s := range f.written() {
		ids = append(ids, s.Token)
	}
	return ids
}

// text is what the tokens decoded say.
func (f *frame) text() string {
	l := f.lane()
	if n := l.View.Next; l.View.Beam == nil && l.Proposal && n != nil {
		return engine.TextOf(l.Model.Vocab(), n.Settings, f.tokens())
	}
	return l.View.Text()
}

// step returns the step looked at under the frame's settings, nil if there is
// none or it cannot be made.
func (f *frame) step() *engine.Step {
	if !f.traced {
		f.traced = true
		f.made = f.retrace()
	}
	return f.made
}

func (f *frame) retrace() *engine.Step {
	k := f.at()
	if k < 0 || f.set == nil {
		return nil
	}
	v := f.lane().View
	old := v.Step(k)
	if old == nil {
		return nil
	}
	if old.Settings != nil && old.Settings.Base() == f.set.Base() && !old.Forced {
		return old
	}
	s, err := v.Retrace(k, f.set.Base())
	if err != nil {
		return nil
	}
	return s
}

// A rowOf is what is known of one token at the step looked at.
type rowOf struct {
	row *sampling.Row
	cut string // the stage that removed it
}

// row returns what is known of a token, nil if nothing is.
func (f *frame) row(piece string) *rowOf {
	s := f.step()
	if s == nil || s.Trace == nil {
		return nil
	}
	id, ok := f.s.word(f.of, piece)
	if !ok {
		return nil
	}
	if r, ok := f.rows[id]; ok {
		return r
	}
	f.rows[id] = f.find(s, id)
	return f.rows[id]
}

func (f *frame) find(s *engine.Step, id int32) *rowOf {
	t := s.Trace
	r := t.Row(id)
	if r == nil {
		pinned, err := f.lane().View.Retrace(f.at(), f.set.Base(), id)
		if err != nil {
			return nil
		}
		t = pinned.Trace
		if r = t.Row(id); r == nil {
			return impossible(s.Row, id)
		}
	}
	out := &rowOf{row: r}
	if r.Cut != sampling.NoStage {
		out.cut = t.Stages()[r.Cut].Name
	}
	return out
}

// impossible is what is known of a token that the model gives no probability,
// which no trace shows; nil if the row does not name it.
func impossible(row *engine.Row, id int32) *rowOf {
	if row == nil || row.IDs != nil || int(id) >= len(row.Values) || !math.IsInf(float64(row.Values[id]), -1) {
		return nil
	}
	rank := int32(1)
	for i, x := range row.Values {
		if x > row.Values[id] || x == row.Values[id] && int32(i) < id {
			rank++
		}
	}
	return &rowOf{row: &sampling.Row{ID: id, Rank: rank, Cut: sampling.NoStage}}
}

// word returns the token of a piece for a lane's model.
func (s *Scene) word(lane int, piece string) (int32, bool) {
	if id, ok := s.Lanes[lane].Words[piece]; ok {
		return id, id >= 0
	}
	return Word(s.Lanes[lane].Model, piece)
}

// ofTokens are what a row says, by the name of the term.
var ofTokens = map[string]func(*rowOf) Value{
	"prob":   func(r *rowOf) Value { return number(Share, exact(r.row.Prob)) },
	"raw":    func(r *rowOf) Value { return number(Share, exact(r.row.RawProb)) },
	"rank":   func(r *rowOf) Value { return number(Number, float64(r.row.Rank)) },
	"cut_by": func(r *rowOf) Value { return TextOf(Text, r.cut) },
	"kept":   func(r *rowOf) Value { return truth(r.row.Cut == sampling.NoStage && r.row.Prob > 0) },
}

// ofToken is a term about one token of the step looked at.
func ofToken(k Kind, name string) *term {
	return &term{kind: k, args: oneToken, usage: name + `("…")`, eval: func(f *frame, n *node) Value {
		piece := f.eval(n.args[0])
		if !piece.Defined {
			return Value{Kind: k}
		}
		if r := f.row(piece.Str); r != nil {
			return ofTokens[name](r)
		}
		return Value{Kind: k}
	}}
}

func drawn(f *frame, _ *node) Value {
	s := f.step()
	if s == nil {
		return Value{Kind: Token}
	}
	return TextOf(Token, f.lane().Model.Vocab().Piece(s.Token))
}

func forced(f *frame) int {
	n := 0
	for _, s := range f.lane().View.Steps {
		if s.Forced {
			n++
		}
	}
	return n
}

// best returns the n that a term asks for, and whether it is a whole number.
func (f *frame) best(n *node) (int, bool) {
	v := f.eval(n.args[0])
	if !v.Defined || v.Num < 0 || v.Num > math.MaxInt32 || v.Num != math.Trunc(v.Num) {
		return 0, false
	}
	return int(v.Num), true
}

// outsideBest is the final mass outside the best n tokens.
func outsideBest(f *frame, n *node) Value {
	most, ok := f.best(n)
	d := f.distribution()
	if !ok || d == nil {
		return Value{Kind: Share}
	}
	sum := 0.0
	for _, p := range d.Probs[min(most, len(d.Probs)):] {
		sum += p
	}
	return number(Share, sum)
}

// distribution returns the law of the step looked at, nil if it is not known.
func (f *frame) distribution() *dist.Dist {
	s := f.step()
	if f.law != nil || s == nil || s.Row == nil || s.Settings == nil {
		return f.law
	}
	v := f.lane().View
	in, err := v.Input(f.at())
	if s.Settings != v.Step(f.at()).Settings {
		in, err = v.InputUnder(f.at(), s.Settings)
	}
	d := new(dist.Dist)
	if err != nil || s.Settings.Pipeline.Distribution(d, new(sampling.Scratch), in) != nil {
		return nil
	}
	f.law = d
	return d
}

// rawBest is the model's own mass of its n best tokens.
func rawBest(f *frame, n *node) Value {
	most, ok := f.best(n)
	s := f.step()
	if !ok || s == nil || s.Row == nil {
		return Value{Kind: Share}
	}
	v := f.lane().Model.Vocab()
	var x []float64
	for i, logit := range s.Row.Values {
		id := int32(i)
		if s.Row.IDs != nil {
			id = s.Row.IDs[i]
		}
		if v.Attr(id) != models.Unused && v.Piece(id) != "" {
			x = append(x, float64(logit))
		}
	}
	slices.SortFunc(x, func(a, b float64) int { return cmp.Compare(b, a) })
	sum, all := 0.0, 0.0
	for i, y := range x {
		p := math.Exp(y - x[0])
		if all += p; i < most {
			sum += p
		}
	}
	return number(Share, sum/all*(1-float64(s.Row.Rest)))
}

func beamWidth(f *frame) int {
	if b := f.lane().View.Beam; b != nil {
		return b.Settings.Beams
	}
	return 0
}

func leads(f *frame, _ *node) Value {
	l := f.lane()
	if b := l.View.Beam; b == nil || len(b.Result()) == 0 {
		return Value{Kind: Text}
	}
	return TextOf(Text, l.View.Text())
}

func greedyText(f *frame) string {
	l := f.lane()
	if b := l.View.Beam; b != nil && b.Last() != nil && b.Last().Greedy != nil {
		return engine.TextOf(l.Model.Vocab(), l.View.Settings, b.Last().Greedy.Tokens())
	}
	return ""
}

// gain is how many nats the best text of a beam search has over the greedy one.
func gain(f *frame, _ *node) Value {
	b := f.lane().View.Beam
	if b == nil || b.Last() == nil || b.Last().Greedy == nil || len(b.Result()) == 0 {
		return Value{Kind: Number}
	}
	return number(Number, b.Result()[0].Node.Sum-b.Last().Greedy.Sum)
}

var noDraft = new(speculative.View)

func (f *frame) draft() *speculative.View {
	if d := f.lane().View.Draft; d != nil {
		return d
	}
	return noDraft
}

func (f *frame) round(is func(*speculative.Round) bool) bool {
	return slices.ContainsFunc(f.draft().Rounds, is)
}

func (f *frame) constraint() *engine.ConstraintStep {
	if s := f.step(); s != nil {
		return s.Constraint
	}
	return nil
}

// spent returns the bits that constraints forced out of the text, and out of
// the token that cost most.
func (f *frame) spent() (sum, most float64) {
	for _, s := range f.decoded() {
		if s.Constraint != nil {
			sum += float64(s.Constraint.Bits)
			most = max(most, float64(s.Constraint.Bits))
		}
	}
	return sum, most
}
