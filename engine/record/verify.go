package record

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"logitscope/engine"
	"logitscope/models"
	"logitscope/models/tape"
	"logitscope/sampling"
)

// A Report is what became of deriving every step again.
type Report struct {
	Steps     int         // looked at
	Rounds    int         // of drafts, judged again
	Unjudged  int         // rounds that the file does not hold enough for
	Searched  int         // steps of a search, which keep no rows
	Undecided []Undecided // steps that the file does not hold enough for
	First     *Difference // nil if there is none

	Unended    int // runs without a last line
	Unsealed   int // runs without checksums: a change of what follows from no row is not found
	Unnumbered int // runs of older programs, whose lines have no numbers: nor is a line that is missing
}

// An Undecided is a step that could not be derived again.
type Undecided struct {
	Line, Step int
	Why        string
}

// A Difference is the first place where the file does not say what follows
// from its rows.
type Difference struct {
	Line     int
	Lane     int    // 0 if there is only one
	Step     int    // from 1; 0 if the line is not that of a step
	Branch   int    // 1 is the first
	Field    string // of the line; empty if only its checksum tells
	Recorded string
	Derived  string
	Gap      bool // lines before it are missing, or in another order
}

func (d *Difference) Error() string {
	where := fmt.Sprintf("line %d", d.Line)
	if d.Step > 0 {
		where = fmt.Sprintf("step %d (line %d)", d.Step, d.Line)
	}
	if d.Gap {
		return fmt.Sprintf("%s: lines before it are missing or moved: %s is %s, want %s", where, d.Field, d.Recorded, d.Derived)
	}
	if d.Field == "" {
		return where + ": changed after it was written: its checksum is of another line"
	}
	return fmt.Sprintf("%s: %s is %s, derived again %s", where, d.Field, d.Recorded, d.Derived)
}

// Verify derives every step of r again from its row: survivors, probabilities
// and draws. Rows that are whole must give the very numbers of the file; what
// follows from the best of a row and bins may differ by [Slack].
func Verify(r *Recording) (Report, error) {
	var out Report
	for _, t := range r.Takes {
		if err := t.verify(&out); err != nil || out.First != nil {
			return out, err
		}
	}
	return out, nil
}

// Slack is how far a probability that follows from a partial row may be from
// the one recorded: what the bins of the tail are good for.
const Slack = 5e-4

// A verifier derives the steps of one take.
type verifier struct {
	take     *Take
	report   *Report
	compiler *engine.Compiler
	settings map[int]*engine.Settings // by configuration
	branches map[int]*branchState
	judging  *judging // the round that the next steps are of; nil if it is not judged again
}

// A branchState is a branch as far as it was told.
type branchState struct {
	telling engine.Retelling
	path    []engine.Retelling // before each of its tokens
}

func (t *Take) verify(out *Report) error {
	v := &verifier{
		take: t, report: out, compiler: engine.NewCompiler(t.Model), settings: map[int]*engine.Settings{},
		branches: map[int]*branchState{1: {telling: engine.Retell(t.Model, t.Run.PromptTokens)}},
	}
	n, judged := newTally(t), out.Rounds
	sealed := slices.ContainsFunc(t.Events, func(e Event) bool { return e.check != "" })
	for i := range t.Events {
		e := &t.Events[i]
		var d *Difference
		var err error
		switch {
		case e.Branch != nil:
			from := v.branches[e.Branch.From]
			all := append(from.path[:len(from.path):len(from.path)], from.telling)
			k := e.Branch.Keep
			v.branches[e.Branch.ID] = &branchState{telling: all[k], path: all[:k:k]}
		case e.Round != nil:
			v.judge(e)
		case e.Step != nil:
			d, err = v.step(e)
		}
		if lost := n.line(e); d == nil {
			d = lost
		}
		if d == nil && sealed {
			d = e.broken(len(t.Run.PromptTokens))
		}
		if d == nil && err != nil {
			return &tape.LineError{Line: e.Line, Err: err}
		}
		if d != nil {
			if d.Lane = t.Model.Lane(); d.Line == 0 {
				d.Line = e.Line
			}
			out.First = d
			return nil
		}
	}
	switch {
	case !sealed:
		out.Unsealed++
	case t.Events[0].n == 0:
		out.Unnumbered++
	}
	out.Unjudged += n.rounds - (out.Rounds - judged)
	out.Searched += n.searched
	if t.End == nil && !t.left {
		out.Unended++
	}
	return nil
}

// broken is what the sealing of a line says against it, nil if nothing.
func (e *Event) broken(prompt int) *Difference {
	var d Difference
	switch {
	case e.check != e.sum:
	case e.n > 0 && e.n != e.after+1:
		d = Difference{Gap: true, Field: "n", Recorded: strconv.Itoa(e.n), Derived: strconv.Itoa(e.after + 1)}
	default:
		return nil
	}
	if e.Step != nil {
		d.Step = e.Step.Pos - prompt + 1
	}
	return &d
}

// under returns the settings of a configuration: what a schedule made of them
// is in it already.
func (v *verifier) under(i int) (*engine.Settings, error) {
	if s, ok := v.settings[i]; ok {
		return s, nil
	}
	c := v.take.configs[i]
	s, err := v.compiler.Settings(c.Config.Without("schedule"), c.Preset)
	v.settings[i] = s
	return s, err
}

func (v *verifier) step(e *Event) (*Difference, error) {
	s := e.Step
	v.report.Steps++
	at := v.branches[s.Branch]
	set, err := v.under(e.Config)
	if err != nil {
		return nil, fmt.Errorf("the settings of this step: %w", err)
	}
	why := v.unknown(s, set)
	var derived *engine.Step
	if why == "" {
		derived, why, err = v.derive(at, s, set)
		if err != nil {
			return nil, err
		}
	}
	var d *Difference
	if why == "" {
		d, why = v.compare(at, s, derived, set)
	}
	if (d != nil || why != "") && v.take.Run.Hidden && looksBack(derived) {
		d, why = nil, "its prompt was taken out, and a setting looks at it"
	}
	if why != "" {
		v.report.Undecided = append(v.report.Undecided, Undecided{e.Line, s.Pos - len(v.take.Run.PromptTokens) + 1, why})
	}
	if d == nil {
		d = v.judgeStep(at, s, set)
	}
	if d != nil {
		d.Step, d.Branch = s.Pos-len(v.take.Run.PromptTokens)+1, s.Branch
		return d, nil
	}
	if derived == nil || derived.Token != s.Token {
		derived = at.telling.Bare(set, s.Token)
	}
	at.path = append(at.path, at.telling)
	at.telling.Write(derived)
	return nil, nil
}

// unknown says what the file lacks for a step, "" if it may be enough.
func (v *verifier) unknown(s *Step, set *engine.Settings) string {
	cfg := set.Config()
	switch {
	case s.Kept == nil && len(s.Stages) == 0:
		return "nothing was drawn here"
	case len(set.Pipeline.Seconds()) > 0 && (s.Kept == nil || s.Kept.Second == nil || s.Kept.SecondOf != set.SecondOf()):
		return "the second row that it weighs is not in the file"
	case s.Kept == nil:
		return "the file has no row of it"
	case s.Kept.Whole():
		return ""
	case cfg.Text("constraint") != "" && !v.complete():
		return "the file does not name every token, which its constraint may allow"
	case len(s.Kept.Bins) == 0 && s.Kept.Rest > 0 && !s.Observed:
		return "" // a server's row is all there was
	}
	return ""
}

// looksBack reports whether a stage of the step looks at the text before it.
func looksBack(s *engine.Step) bool {
	if s == nil || s.Trace == nil {
		return false
	}
	return slices.ContainsFunc(s.Trace.Stages(), func(st sampling.StageTrace) bool {
		d := sampling.StageNamed(st.Name)
		return d != nil && d.Penalty
	})
}

func (v *verifier) complete() bool {
	return v.take.Model.Vocab().(*tape.Vocab).Complete()
}

// derive makes the step again from its row.
func (v *verifier) derive(at *branchState, s *Step, set *engine.Settings) (_ *engine.Step, why string, _ error) {
	row := v.row(at, s)
	var d *engine.Step
	var err error
	switch {
	case s.Forced:
		d, err = at.telling.Choose(set, row, engine.Choice{Token: s.Token, Forced: true})
	case s.Observed:
		d, err = at.telling.Choose(set, row, engine.Choice{Token: s.Token, Observed: true})
	case s.Round > 0 && s.U != nil:
		d, err = at.telling.Choose(set, row, engine.Choice{Token: s.Token, U: *s.U})
	case s.Round > 0:
		d, err = at.telling.Choose(set, row, engine.Choice{Token: s.Token})
	default:
		d, err = at.telling.Next(set, row, nil)
	}
	if err != nil && !s.Kept.Whole() {
		return nil, "the tokens that the row names leave nothing to choose", nil
	}
	return d, "", err
}

// row returns the row of a step as a lane has it. Of a row with bins the tail
// is spread over tokens that did not come before.
func (v *verifier) row(at *branchState, s *Step) *engine.Row {
	k := s.Kept
	if k.Whole() || len(k.Bins) == 0 {
		l := k.Logits()
		return &engine.Row{IDs: l.IDs, Values: l.Values, Rest: l.Rest, Second: k.Second}
	}
	seen := map[int32]bool{s.Token: true}
	for _, list := range [][]int32{v.take.Run.PromptTokens, at.telling.Output()} {
		for _, id := range list {
			seen[id] = true
		}
	}
	vocab := v.take.Model.Vocab()
	avoid := func(id int32) bool { return seen[id] || vocab.Attr(id) == models.Unused }
	return &engine.Row{Values: k.Spread(v.take.Model.Info().VocabSize, avoid)}
}

// compare holds a step against what was derived. Where the difference may come
// from what the row leaves open, why says so.
func (v *verifier) compare(at *branchState, s *Step, derived *engine.Step, set *engine.Settings) (d *Difference, why string) {
	want := newStep(derived, v.take.Model.Vocab(), len(s.Top))
	if s.Kept.Whole() || len(s.Kept.Bins) == 0 {
		return compareSteps(s, &want, 0), ""
	}
	if s.Kept.Index(s.Token) < 0 {
		return nil, "its token is not one of those that the row names"
	}
	for i := range min(len(s.Stages), len(want.Stages)) {
		if s.Stages[i].Kept != want.Stages[i].Kept {
			return nil, "a cut fell too near to a token, or on those that the row does not name"
		}
	}
	if n := int32(BestRows); s.Rank > n && want.Rank > n {
		want.Rank = s.Rank // among tokens of which the order is not known
	}
	if want.Token != s.Token {
		t := derived.Trace
		tail, survivors := v.tail(at, s, derived, set)
		band := tail + Slack
		near := t.U-t.Lo < band || t.Hi-t.U < band
		if t.Race.Ran {
			near = t.Race.NextTime < t.Race.Time*(1+band)
		}
		if near || survivors > len(s.Kept.Values) {
			return nil, "its draw fell too near to tokens that the row does not name"
		}
	}
	return compareSteps(s, &want, Slack), ""
}

// tail returns the final probability of the tokens that the row of s does not
// name, and how many tokens survive.
func (v *verifier) tail(at *branchState, s *Step, derived *engine.Step, set *engine.Settings) (p float64, survivors int) {
	dist, err := at.telling.Distribution(set, derived.Row)
	if err != nil {
		return 1, 0
	}
	for i, id := range dist.IDs {
		survivors++
		if s.Kept.Index(id) < 0 {
			p += float64(dist.Probs[i])
		}
	}
	return p, survivors
}

// compareSteps returns the first field that differs; numbers may by slack.
func compareSteps(got, want *Step, slack float64) *Difference {
	g, w := reflect.ValueOf(got).Elem(), reflect.ValueOf(want).Elem()
	for i := range g.NumField() {
		f := g.Type().Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if notDerived[name] || slack > 0 && ofWhole[name] {
			continue
		}
		if path, a, b, ok := differ(name, g.Field(i), w.Field(i), slack); !ok {
			return &Difference{Field: path, Recorded: a, Derived: b}
		}
	}
	return nil
}

// notDerived are fields that nothing follows from but the file itself.
var notDerived = map[string]bool{
	"type": true, "lane": true, "branch": true, "config_id": true, "preset": true, "at_ms": true, "row": true, "round": true,
	"forced": true, "observed": true,
}

// ofWhole are fields that a part of a row does not give to the last digit: the
// lists of what survived and was shown are held one by one.
var ofWhole = map[string]bool{"entropy_bits": true, "stages": true, "rest": true, "constraint": true, "top": true, "arrival": true}

// differ compares two values of one type.
func differ(path string, g, w reflect.Value, slack float64) (where, a, b string, ok bool) {
	switch g.Kind() {
	case reflect.Pointer:
		if g.IsNil() || w.IsNil() {
			if g.IsNil() == w.IsNil() {
				return "", "", "", true
			}
			return path, text(g), text(w), false
		}
		return differ(path, g.Elem(), w.Elem(), slack)
	case reflect.Slice:
		if g.Len() != w.Len() {
			return path, fmt.Sprintf("%d long", g.Len()), fmt.Sprintf("%d", w.Len()), false
		}
		for i := range g.Len() {
			if where, a, b, ok := differ(fmt.Sprintf("%s[%d]", path, i), g.Index(i), w.Index(i), slack); !ok {
				return where, a, b, false
			}
		}
		return "", "", "", true
	case reflect.Struct:
		for i := range g.NumField() {
			name, _, _ := strings.Cut(g.Type().Field(i).Tag.Get("json"), ",")
			if where, a, b, ok := differ(path+"."+name, g.Field(i), w.Field(i), slack); !ok {
				return where, a, b, false
			}
		}
		return "", "", "", true
	case reflect.Float32, reflect.Float64:
		x, y := g.Float(), w.Float()
		bad := func(f float64) bool { return math.IsNaN(f) || math.IsInf(f, 0) }
		same := x == y || bad(x) && bad(y)
		if slack > 0 && !bad(x) && !bad(y) {
			same = math.Abs(x-y) <= slack*(1+8*max(math.Abs(x), math.Abs(y))) || math.Abs(math.Exp(x)-math.Exp(y)) <= slack && x <= 0 && y <= 0
		}
		return path, text(g), text(w), same
	}
	return path, text(g), text(w), g.Interface() == w.Interface()
}

func text(v reflect.Value) string {
	b, err := json.Marshal(v.Interface())
	if err != nil {
		return fmt.Sprint(v.Interface())
	}
	return string(b)
}
