package exchange

import (
	"fmt"
	"slices"
	"strings"

	"logitscope/presets/exchange/carrier"
	"logitscope/sampling"
	"logitscope/sampling/inert"
	"logitscope/sampling/param"
)

// A Reason says in which way a setting does not carry over.
type Reason string

const (
	Absent    Reason = "absent"    // the target has no such setting, or no place for it in this form
	Range     Reason = "range"     // the target does not take this value, or makes another of it
	Moved     Reason = "order"     // the target's stages run in another order
	Scope     Reason = "scope"     // the target counts other tokens
	Default   Reason = "default"   // the target's own default stands where nothing was set, or had to be overruled
	Generator Reason = "generator" // the target draws with another generator
	Meaning   Reason = "meaning"   // the target means something else by it
	Unused    Reason = "unused"    // it has no effect here and would have one there: left out
)

// LostTitle heads the losses of an export: "does not translate (2)".
func LostTitle(n int) string { return fmt.Sprintf("does not translate (%d)", n) }

// A Loss is something that does not translate, and what follows from it.
type Loss struct {
	Key    string `json:"key"`
	Reason Reason `json:"reason"`
	Text   string `json:"text"`
}

// Lossy reports whether the text will be decoded differently because of it. A
// default that was overruled, or a setting without effect that was left out,
// is worth knowing and loses nothing.
func (l Loss) Lossy() bool { return l.Reason != Default && l.Reason != Unused }

// anyVocab stands for the vocabulary of a model nobody knows here: with it,
// settings that hold texts compile, and their stages can be compared.
type anyVocab struct{}

func (anyVocab) Size() int             { return 2 }
func (anyVocab) Encode(string) []int32 { return []int32{1} }
func (anyVocab) Piece(int32) string    { return "x" }
func (anyVocab) EOG() []int32          { return []int32{0} }
func (anyVocab) HasPiece(int32) bool   { return true }

// silent returns the settings that have no effect under the source's rules and
// would have one in target, each with why it has none.
func (x *exporter) silent(target sampling.Config) map[string]inert.Inert {
	here, err := sampling.Compile(x.source, anyVocab{})
	there, err2 := sampling.Compile(target, anyVocab{})
	if err != nil || err2 != nil {
		return nil
	}
	leave := map[string]inert.Inert{}
	for _, p := range param.All() {
		if p.Stage == "" || p.Off == nil || p.Key == "temperature" || p.Key == "constraint" || x.to.takes(p.Key) == nil {
			continue
		}
		v := x.source.Value(p.Key)
		if _, left := x.leave[p.Key]; left || p.IsOff(v) || p.IsOff(target.Value(p.Key)) {
			continue
		}
		if why := here.Inert(p.Key, nil); why.Always() && !there.Inert(p.Key, nil).Always() {
			leave[p.Key] = why
		}
	}
	return leave
}

// compare says what the target does differently with the same values.
func (x *exporter) compare(target sampling.Config) {
	here, err := sampling.Compile(x.source, anyVocab{})
	if err != nil {
		return
	}
	there, err := sampling.Compile(target, anyVocab{})
	if err != nil {
		return
	}
	x.compareValues(here, there)
	if x.from.Engine() == x.target.Engine() && x.from.Custom() == nil && target.Order() == x.from {
		return
	}
	x.compareOrder(here, there)
	x.compareRules(here, there)
	x.comparePenalties(target)
	_, set := x.source.Lookup("seed")
	if set && x.source.Bool("do_sample") && x.to.takes("seed") != nil && x.from.Rules().Generator != x.target.Rules().Generator {
		x.lose("seed", Generator, "another generator: the same seed gives other text")
	}
}

// compareValues finds the values that the target changes: in its format, or
// when it takes them.
func (x *exporter) compareValues(here, there *sampling.Pipeline) {
	known := func(key string) bool { return slices.ContainsFunc(x.lost, func(l Loss) bool { return l.Key == key }) }
	for _, e := range x.values {
		if e.Ours == "" || e.Ours == "order" || known(e.Ours) {
			continue
		}
		p, _ := param.Lookup(e.Ours)
		if was, is := x.c.Value(p.Key), there.Config().Value(p.Key); !carrier.SameValue(was, is) && !(p.IsOff(was) && p.IsOff(is)) {
			x.lose(p.Key, Range, "%s becomes %s there", p.Format(was), p.Format(is))
		} else if p.Stage != "" && p.Key != "temperature" && !p.IsOff(was) && !here.Inert(p.Key, nil).Always() && there.Inert(p.Key, nil).Always() {
			x.lose(p.Key, Absent, "%s has no effect there: %s", p.Format(was), there.Inert(p.Key, nil).Why())
		}
	}
	for _, n := range there.Adjusted() {
		same := slices.ContainsFunc(here.Adjusted(), func(m sampling.Note) bool { return m.Key == n.Key })
		if !same && !known(n.Key) && !here.Inert(n.Key, nil).Always() {
			x.lose(n.Key, Range, "%s", n.Text)
		}
	}
}

// compareRules names stages that two engines call alike and do not mean alike.
func (x *exporter) compareRules(here, there *sampling.Pipeline) {
	both := func(name string) bool {
		return slices.Contains(here.StageNames(), name) && slices.Contains(there.StageNames(), name)
	}
	for _, name := range here.StageNames() {
		if !both(name) {
			continue
		}
		a, b := x.from.Stage(name), x.target.Stage(name)
		switch {
		case a == nil || b == nil || a.Apart == b.Apart:
		case b.Apart.Here != "":
			x.lose(a.Keys[0], Meaning, "there %s", b.Apart.Here)
		default:
			x.lose(a.Keys[0], Meaning, "there %s", a.Apart.Other)
		}
	}
}

// compareOrder finds the first pair of stages that change places.
func (x *exporter) compareOrder(here, there *sampling.Pipeline) {
	a, b := names(here), names(there)
	for i, first := range a {
		for _, second := range a[i+1:] {
			p, q := slices.Index(b, first), slices.Index(b, second)
			if p >= 0 && q >= 0 && p > q {
				x.lose("order", Moved, "%s acts before %s there, after it here: other tokens survive", second, first)
				return
			}
		}
	}
}

func names(p *sampling.Pipeline) []string {
	var out []string
	for _, n := range p.StageNames() {
		if n = canonical(n); !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	return out
}

// A scope is which tokens an engine's penalties look at.
type scope struct {
	last   int  // how many of the newest; 0 for all
	prompt bool // the prompt's too
}

func scopeOf(o sampling.Order, key string, n int) scope {
	d := o.Reads(key)
	switch {
	case d == nil:
		return scope{}
	case d.Window == "":
		n = 0
	}
	return scope{last: n, prompt: d.Prompt}
}

func (s scope) String() string {
	switch {
	case s.last > 0:
		return fmt.Sprintf("the last %d tokens, prompt included", s.last)
	case s.prompt:
		return "all tokens, prompt included"
	}
	return "all tokens of the output, not the prompt"
}

// against says what follows from there where here is meant.
func (s scope) against(here scope) string {
	var out []string
	if s.prompt && !here.prompt {
		out = append(out, "words of the prompt are lowered too")
	}
	if here.prompt && !s.prompt {
		out = append(out, "words of the prompt are not lowered")
	}
	switch {
	case s.last > 0 && (here.last == 0 || s.last < here.last):
		out = append(out, "older tokens are free again")
	case here.last > 0 && (s.last == 0 || s.last > here.last):
		out = append(out, "older tokens are lowered too")
	}
	return strings.Join(out, ", ")
}

func (x *exporter) comparePenalties(target sampling.Config) {
	for _, key := range []string{"repetition_penalty", "frequency_penalty", "presence_penalty"} {
		p, _ := param.Lookup(key)
		if p.IsOff(target.Value(key)) || p.IsOff(x.source.Value(key)) || !x.from.Supports(key) {
			continue
		}
		here := scopeOf(x.from, key, x.source.Int("repeat_last_n"))
		there := scopeOf(target.Order(), key, target.Int("repeat_last_n"))
		if here != there {
			x.lose(key, Scope, "there it counts %s: %s; here it counts %s", there, there.against(here), here)
		}
	}
}
