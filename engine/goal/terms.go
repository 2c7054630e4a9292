package goal

import (
	"strings"

	"logitscope/engine"
	"logitscope/engine/compare"
	"logitscope/engine/loops"
	"logitscope/engine/speculative"
)

// presetKey is the name by which changed and only speak of the preset, and
// orderKey the parameter that is the order.
const (
	presetKey = "preset"
	orderKey  = "order"
)

// A term is a fact that expressions may name.
type term struct {
	kind  Kind                       // None for what the reader predicted, and for calls, whose last argument says it
	args  func(*parser, *node) error // reads the arguments; nil: there are none
	usage string
	eval  func(f *frame, n *node) Value
}

// terms are all of them. A term that is undefined before it has what it needs
// returns the zero Value; one that is 0, "" or no there returns that.
var terms map[string]*term

func init() { // its functions look it up again
	terms = map[string]*term{
		"prob":   ofToken(Share, "prob"),
		"raw":    ofToken(Share, "raw"),
		"rank":   ofToken(Number, "rank"),
		"cut_by": ofToken(Text, "cut_by"),
		"kept":   ofToken(Truth, "kept"),

		"survivors":  ofStep(Number, func(s *engine.Step) (float64, bool) { return float64(s.Summary.Survived), true }),
		"raw_bits":   ofStep(Bits, func(s *engine.Step) (float64, bool) { return exact(s.Summary.RawBits), true }),
		"bits":       ofStep(Bits, func(s *engine.Step) (float64, bool) { return exact(s.Summary.Bits), true }),
		"rank_drawn": ofStep(Number, func(s *engine.Step) (float64, bool) { return float64(s.Summary.Rank), s.Summary.Rank > 0 }),
		"u": ofStep(Number, func(s *engine.Step) (float64, bool) {
			if s.Trace == nil || s.Trace.Greedy || s.Observed {
				return 0, false
			}
			return s.Trace.U, true
		}),
		"drawn":    {kind: Token, eval: drawn},
		"outside":  {kind: Share, args: oneNumber, usage: "outside(5)", eval: outsideBest},
		"raw_best": {kind: Share, args: oneNumber, usage: "raw_best(5)", eval: rawBest},

		"step":   count(func(f *frame) int { return f.at() + 1 }),
		"steps":  count(func(f *frame) int { return f.lane().length() }),
		"forced": count(forced),
		"text":   words(func(f *frame) string { return f.text() }),
		"ended":  words(func(f *frame) string { return f.lane().ended() }),
		"vocab":  count(func(f *frame) int { return f.lane().Model.Info().VocabSize }),
		"contains": {kind: Truth, args: textAndQuote, usage: `contains(text, "…")`, eval: func(f *frame, n *node) Value {
			a, b := f.eval(n.args[0]), f.eval(n.args[1])
			return truth(a.Defined && b.Defined && strings.Contains(a.Str, b.Str))
		}},

		"perplexity": measured(Number, func(s compare.Stats) float64 { return s.Perplexity }),
		"repeated4":  measured(Share, func(s compare.Stats) float64 { return s.Repeated4 }),
		"distinct2":  measured(Share, func(s compare.Stats) float64 { return s.Distinct2 }),
		"loop": count(func(f *frame) int {
			l, _ := loops.Find(f.tokens())
			return l.Copies
		}),

		"beam_width":  count(beamWidth),
		"leads":       {kind: Text, eval: leads},
		"greedy_text": words(greedyText),
		"gain":        {kind: Number, eval: gain},

		"rounds":        count(func(f *frame) int { return len(f.draft().Rounds) }),
		"accepted":      drafted(Number, func(v *speculative.View) float64 { return float64(v.Accepted) / float64(v.Counted) }),
		"tokens_a_pass": drafted(Number, func(v *speculative.View) float64 { return v.PerPass }),
		"alpha":         drafted(Share, func(v *speculative.View) float64 { return v.Alpha }),
		"refused_seen": flag(func(f *frame) bool {
			return f.round(func(r *speculative.Round) bool { return r.Kind == speculative.Residual })
		}),
		"all_accepted_seen": flag(func(f *frame) bool { return f.round(allStood) }),
		"rule":              words(func(f *frame) string { return string(f.draft().Algorithm) }),

		"constrained": flag(func(f *frame) bool { return f.constraint() != nil }),
		"allowed": {kind: Number, eval: func(f *frame, _ *node) Value {
			if c := f.constraint(); c != nil {
				return number(Number, float64(c.Allowed))
			}
			return Value{Kind: Number}
		}},
		"spent_bits":  {kind: Bits, eval: func(f *frame, _ *node) Value { spent, _ := f.spent(); return number(Bits, spent) }},
		"max_spent":   {kind: Bits, eval: func(f *frame, _ *node) Value { _, most := f.spent(); return number(Bits, most) }},
		"end_allowed": flag(func(f *frame) bool { c := f.constraint(); return c != nil && c.EOS }),

		orderKey:  words(func(f *frame) string { return f.config().Order().Name() }),
		presetKey: words(func(f *frame) string { return f.preset() }),
		"changed": {kind: Truth, args: theKeys, usage: "changed(temperature)", eval: changed},
		"only":    {kind: Truth, args: theKeys, usage: "only(temperature)", eval: only},

		"lane":   {args: laneOf, usage: "lane(2, survivors)", kind: Truth, eval: ofLane},
		"at":     {args: changes, usage: "at(temperature=0.3, survivors)", kind: Truth, eval: atSettings},
		"parted": count(parted),
		"tv":     {kind: Share, args: oneNumber, usage: "tv(2)", eval: variation},

		"predicted": {eval: func(f *frame, n *node) Value {
			v := f.s.Predicted
			if v.Kind != n.kind {
				return Value{Kind: n.kind}
			}
			return v
		}},
		"questions": count(func(f *frame) int { return f.s.Facts.Questions }),
		"opened":    oneOf(`opened("values")`, func(p *parser) []string { return p.names.Views }, func(x Facts) []string { return x.Opened }),
		"exported":  oneOf(`exported("vllm")`, func(p *parser) []string { return p.names.Exports }, func(x Facts) []string { return x.Exported }),
		"drew": {kind: Truth, args: oneNumber, usage: "drew(1000)", eval: func(f *frame, n *node) Value {
			v := f.eval(n.args[0])
			return truth(v.Defined && f.s.Facts.Drew > 0 && float64(f.s.Facts.Drew) >= v.Num)
		}},
		"looked": flag(func(f *frame) bool { return f.s.Facts.Looked }),
		"voted":  flag(func(f *frame) bool { return f.s.Facts.Voted }),
	}
}

func count(of func(*frame) int) *term {
	return &term{kind: Number, eval: func(f *frame, _ *node) Value { return number(Number, float64(of(f))) }}
}

func words(of func(*frame) string) *term {
	return &term{kind: Text, eval: func(f *frame, _ *node) Value { return TextOf(Text, of(f)) }}
}

func flag(of func(*frame) bool) *term {
	return &term{kind: Truth, eval: func(f *frame, _ *node) Value { return truth(of(f)) }}
}

// oneOf is a term that asks whether a name is in a list of the facts.
func oneOf(usage string, all func(*parser) []string, seen func(Facts) []string) *term {
	return &term{kind: Truth, args: oneQuote(all), usage: usage, eval: func(f *frame, n *node) Value {
		for _, x := range seen(f.s.Facts) {
			if x == n.args[0].text {
				return truth(true)
			}
		}
		return truth(false)
	}}
}

// ofStep is a term about the step looked at; of reports whether it exists.
func ofStep(k Kind, of func(*engine.Step) (float64, bool)) *term {
	return &term{kind: k, eval: func(f *frame, _ *node) Value {
		s := f.step()
		if s == nil {
			return Value{Kind: k}
		}
		if x, ok := of(s); ok {
			return number(k, x)
		}
		return Value{Kind: k}
	}}
}

func measured(k Kind, of func(compare.Stats) float64) *term {
	return &term{kind: k, eval: func(f *frame, _ *node) Value {
		steps := f.written()
		if len(steps) == 0 {
			return Value{Kind: k}
		}
		return number(k, of(compare.Measure(steps)))
	}}
}

func drafted(k Kind, of func(*speculative.View) float64) *term {
	return &term{kind: k, eval: func(f *frame, _ *node) Value {
		if v := f.draft(); v.Counted > 0 {
			return number(k, of(v))
		}
		return Value{Kind: k}
	}}
}

func allStood(r *speculative.Round) bool { return len(r.Drafted) > 0 && r.Accepted == len(r.Drafted) }
