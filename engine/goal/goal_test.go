package goal

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"logitscope/engine"
	"logitscope/models/table"
	"logitscope/sampling"
)

// The table of lesson 8: after "The" cat .4, dog .3, man .2, slept .1.
const catTable = `{"kind":"markov1","vocab":["<end>","The"," cat"," dog"," man"," sat"," is"," ran"," slept"," walked","."],"bos_id":0,"eos_id":0,"logits":[
[null,0,null,null,null,null,null,null,null,null,null],
[null,null,-0.916290731874155,-1.2039728043259361,-1.6094379124341003,null,null,null,-2.3025850929940455,null,null],
[null,null,null,null,null,-0.7985076962177716,-1.0498221244986778,-1.6094379124341003,null,null,null],
[null,null,null,null,null,null,null,-0.10536051565782628,-2.3025850929940455,null,null],
[null,null,null,null,null,-0.916290731874155,null,null,null,-0.5108256237659907,null],
[null,null,null,null,null,null,null,null,null,null,0],
[null,null,null,null,null,null,null,null,null,null,0],
[null,null,null,null,null,null,null,null,null,null,0],
[null,null,null,null,null,null,null,null,null,null,0],
[null,null,null,null,null,null,null,null,null,null,0],
[0,null,null,null,null,null,null,null,null,null,null]]}`

func cat(t testing.TB) *table.Model {
	t.Helper()
	m, err := table.Parse("cat", strings.NewReader(catTable))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func config(t testing.TB, pairs ...any) sampling.Config {
	t.Helper()
	var c sampling.Config
	var err error
	for i := 0; i < len(pairs); i += 2 {
		if c, err = c.With(pairs[i].(string), pairs[i+1], sampling.FromYou); err != nil {
			t.Fatal(err)
		}
	}
	return c
}

// decoded runs a lane over "The" and n tokens more, and returns it as it then
// is; the proposal counts as the last of them.
func decoded(t testing.TB, n int, pairs ...any) Lane {
	t.Helper()
	m := cat(t)
	comp := engine.NewCompiler(m)
	set, err := comp.Settings(config(t, append([]any{"seed", 42, "top_k", 0}, pairs...)...), "neutral")
	if err != nil {
		t.Fatal(err)
	}
	l := engine.NewLane(0, m, engine.Options{Greedy: true})
	ctx, stop := context.WithCancel(context.Background())
	end := make(chan error, 1)
	go func() { end <- l.Run(ctx) }()
	defer func() { stop(); <-end }()
	l.Post(engine.Start{Text: "The", Prompt: []int32{1}, Settings: set})
	if set.Searches() {
		n++
	}
	if n > 1 {
		l.Post(engine.Advance{N: n - 1})
	}
	done := make(chan engine.View, 1)
	l.Post(engine.Settle{Done: done})
	return Lane{View: <-done, Model: m, Compile: comp.Settings, Proposal: n > 0}
}

func state(t testing.TB, l Lane) State {
	s := State{Lanes: []Lane{l}}
	if set := l.View.Settings; set != nil {
		s.Base, s.Preset = set.Config(), "neutral"
	}
	return s
}

// tuned makes other settings the newest ones, as a knob does.
func tuned(t testing.TB, l Lane, pairs ...any) Lane {
	t.Helper()
	cfg := l.View.Settings.Config().Merge(config(t, pairs...))
	set, err := l.Compile(cfg, "neutral*")
	if err != nil {
		t.Fatal(err)
	}
	l.Settings = set
	return l
}

func eval(t testing.TB, s State, src string, names Names) Value {
	t.Helper()
	e, err := Parse(src, names)
	if err != nil {
		t.Fatalf("%s: %v", src, err)
	}
	return e.Eval(NewScene(s))
}

// All wanted values are worked out by hand from the table.
func TestValues(t *testing.T) {
	one := decoded(t, 1)
	s := state(t, one)
	for src, want := range map[string]float64{
		`raw(" cat")`: 0.4, `prob(" man")`: 0.2, `rank(" dog")`: 2, `rank(" walked")`: 10, `prob(" walked")`: 0, `raw(" walked")`: 0,
		`survivors`: 4, `raw_bits`: 1.8464393, `bits`: 1.8464393, `vocab`: 11, `step`: 1, `steps`: 1, `forced`: 0,
		`outside(2)`: 0.3, `outside(0)`: 1, `raw_best(3)`: 0.9, `raw_best(99)`: 1,
		`at(top_k=2, prob(" cat"))`: 4. / 7, `at(top_k=2, survivors)`: 2, `at(top_k=2, outside(1))`: 3. / 7, `at(top_k=2, raw(" man"))`: 0.2,
		`at(top_k=3, at(top_k=1, survivors) + survivors)`: 4, `at(temperature=0.5, prob(" cat"))`: 0.16 / 0.30,
		`prob(" cat") / prob(" dog")`: 4. / 3, `prob(" cat") - prob(" dog")`: 0.1, `-2 * -3`: 6, `10 - 3 - 4`: 3, `8 / 4 / 2`: 1, `1 + 2 * 3`: 7,
		`temperature`: 1, `top_k`: 0, `seed`: 42, `5%`: 0.05, `.5`: 0.5, `beam_width`: 0, `rounds`: 0, `loop`: 0, `spent_bits`: 0, `parted`: 0, `questions`: 0,
	} {
		v := eval(t, s, src, Names{})
		if !v.Defined || math.Abs(v.Num-want) > 2e-7 {
			t.Errorf("%s: %+v, want %v", src, v, want)
		}
	}
	drawn := one.View.Next.Token
	if v := eval(t, s, "drawn", Names{}); v.Str != one.Model.Vocab().Piece(drawn) {
		t.Errorf("drawn: %+v, want token %d", v, drawn)
	}
	if u := eval(t, s, "u", Names{}); u.Num != one.View.Next.Trace.U {
		t.Errorf("u: %+v", u)
	}
}

func TestTruths(t *testing.T) {
	two := tuned(t, decoded(t, 1), "top_k", 2)
	cold := decoded(t, 1)
	s := state(t, two)
	s.Base = cold.View.Settings.Config()
	s.Predicted = NumberOf(Share, 0.57)
	s.Facts = Facts{Opened: []string{"values"}, Exported: []string{"vllm"}, Drew: 1000, Voted: true}
	for src, want := range map[string]bool{
		`survivors = 2`: true, `kept(" man")`: false, `kept(" dog") and not kept(" man")`: true, `cut_by(" man") = "top_k"`: true, `cut_by(" cat") = ""`: true,
		`prob(" cat") > 57.1% and prob(" cat") < 57.2%`: true, `prob(" cat") + prob(" dog") >= 0.9999`: true,
		`changed(top_k)`: true, `changed(top_k, temperature)`: false, `only(top_k)`: true, `only(top_k, top_p)`: true, `only(temperature)`: false,
		`at(top_k=0, only(temperature))`: true, `at(temperature=2, only(top_k))`: false, `changed(preset)`: false, `preset = "neutral"`: true,
		`order = "transformers"`: true, `at(order="llama.cpp", changed(order) and only(order, top_k))`: true, `at(order=vllm, order = "vllm")`: true, `at(order=llama.cpp, order = "llama.cpp")`: true,
		`opened("values")`: true, `opened("export")`: false, `exported("vllm")`: true, `drew(1000)`: true, `drew(1001)`: false, `looked`: false, `voted`: true,
		`predicted = 57%`: true, `predicted > 50%`: true, `contains("a b", "a")`: true, `contains(text, "zebra")`: false, `text = ""`: false,
		`not (gain > 0) and not (gain <= 0) and not (gain != 0)`: true, `not (lane(2, survivors) = 2)`: true, `lane(1, survivors) = 2`: true, `lane(2, constrained)`: false,
		`not (1 / (survivors - survivors) = 0)`: true, `1 / (survivors - 2) = 0 or survivors = 2`: true, `do_sample`: true, `not do_sample`: false,
		`0.1 + 0.2 = 0.3`: true, `0.1 + 0.2 <= 0.3`: true, `0.1 + 0.2 > 0.3`: false, `1 < 1 + 0.0000000001`: false, `1000000 < 1000000.0005`: false, `1000000 < 1000000.1`: true,
		`survivors = 2 or 1 = 2 and 1 = 3`: true, `not 1 = 2 and survivors = 2`: true, `early_stopping = "false"`: true, `raw(" cat") = 40%`: true,
		`drawn = " cat" or drawn = " dog"`: true, `drawn != drawn`: false, `constrained`: false, `end_allowed`: false, `ended = ""`: true,
	} {
		if v := eval(t, s, src, Names{Predicted: Share}); v.Holds() != want {
			t.Errorf("%s: %+v, want %v", src, v, want)
		}
	}
}

// Before the first token what is about one is undefined, and every comparison
// with it false.
func TestBeforeTheFirstToken(t *testing.T) {
	none := decoded(t, 0)
	none.Proposal = false
	for _, l := range []Lane{none, {Model: cat(t)}} {
		s := state(t, l)
		for _, src := range []string{
			`prob(" cat")`, `raw(" cat")`, `rank(" cat")`, `cut_by(" cat")`, `survivors`, `raw_bits`, `bits`, `u`, `drawn`, `rank_drawn`, `outside(2)`, `raw_best(2)`,
			`leads`, `gain`, `accepted`, `tokens_a_pass`, `alpha`, `allowed`, `tv(1)`, `perplexity`, `distinct2`, `repeated4`, `predicted`, `at(top_k=1, survivors)`,
			`lane(2, text)`, `survivors + 1`, `-survivors`, `1 / steps`,
		} {
			if v := eval(t, s, src, Names{Predicted: Share}); v.Defined {
				t.Errorf("%s: %+v, want undefined", src, v)
			}
		}
		for src, want := range map[string]bool{
			`step = 0 and steps = 0 and forced = 0 and beam_width = 0 and rounds = 0`: true, `text = "" and ended = "" and greedy_text = "" and rule = ""`: true,
			`kept(" cat")`: false, `not kept(" cat")`: true, `survivors != 3`: false, `survivors = survivors`: false, `drawn = " cat"`: false, `drawn != " cat"`: false,
			`constrained or end_allowed or refused_seen or all_accepted_seen or looked or voted or opened("values") or drew(1) or exported("vllm")`: false,
			`spent_bits = 0 and max_spent = 0 and loop = 0 and parted = 0 and questions = 0`:                                                        true,
		} {
			if v := eval(t, s, src, Names{}); v.Holds() != want {
				t.Errorf("%s: %+v, want %v", src, v, want)
			}
		}
	}
}

// The end token counts, and the text is what was written.
func TestAWholeText(t *testing.T) {
	l := decoded(t, 99, "do_sample", false)
	s := state(t, l)
	for src, want := range map[string]bool{
		`text = " cat sat." and steps = 4 and ended = "eos"`: true, `contains(text, "sat")`: true, `perplexity < 1.54 and perplexity > 1.53`: true,
		`distinct2 = 1 and repeated4 = 0`: true, `drawn = "<end>"`: true,
	} {
		if v := eval(t, s, src, Names{}); v.Holds() != want {
			t.Errorf("%s: %+v, want %v (perplexity %+v)", src, v, want, eval(t, s, "perplexity", Names{}))
		}
	}
	// The end token proposed is decoded: the text has ended with it.
	four := decoded(t, 4, "do_sample", false)
	if four.View.Phase != engine.Paused || len(four.View.Steps) != 3 {
		t.Fatalf("%v, %d steps", four.View.Phase, len(four.View.Steps))
	}
	for src, want := range map[string]bool{`ended = "eos" and steps = 4 and text = " cat sat."`: true} {
		if v := eval(t, state(t, four), src, Names{}); v.Holds() != want {
			t.Errorf("proposed: %s: %+v, want %v", src, v, want)
		}
	}
	if v := eval(t, state(t, decoded(t, 2, "do_sample", false, "max_new_tokens", 2)), `ended = "length" and steps = 2`, Names{}); !v.Holds() {
		t.Error("a proposal that is the last one allowed ends the text by its length")
	}
	s.Lanes[0].Look = 1
	for src, want := range map[string]bool{`step = 1 and steps = 4`: true, `drawn = " cat" and raw(" cat") = 40%`: true, `survivors = 1`: true} {
		if v := eval(t, s, src, Names{}); v.Holds() != want {
			t.Errorf("looking back: %s: %+v, want %v", src, v, want)
		}
	}
}

// Beam search finds " dog ran" at .27, where greedy takes " cat sat" at .18.
func TestBeams(t *testing.T) {
	l := decoded(t, 2, "num_beams", 2, "do_sample", false)
	s := state(t, l)
	for src, want := range map[string]bool{
		`beam_width = 2 and steps = 2`: true, `leads = " dog ran" and greedy_text = " cat sat"`: true, `gain > 0.405 and gain < 0.406`: true, `text = leads`: true,
		`survivors > 0`: false, `distinct2 = 1`: true,
	} {
		if v := eval(t, s, src, Names{}); v.Holds() != want {
			t.Errorf("%s: %+v, want %v", src, v, want)
		}
	}
}

func TestLanes(t *testing.T) {
	a, b := decoded(t, 2, "do_sample", false), decoded(t, 2, "do_sample", false, "num_beams", 1, "seed", 7)
	c := decoded(t, 1, "top_k", 2)
	d := decoded(t, 1)
	s := State{Lanes: []Lane{a, b, c, d}, Base: a.View.Settings.Config()}
	for src, want := range map[string]bool{
		`lane(2, text) = text`: true, `lane(3, steps) = 1 and lane(4, steps) = 1 and steps = 2`: true, `lane(3, survivors) = 2`: true, `lane(0, steps) = 1 or lane(5, steps) = 1 or lane(1.5, steps) = 2`: false,
		`lane(3, at(top_k=1, survivors)) = 1`: true, `lane(4, tv(3)) > 0.2999 and lane(4, tv(3)) < 0.3001`: true, `tv(2) = 0`: true, `lane(3, tv(1)) >= 0`: false,
	} {
		if v := eval(t, s, src, Names{}); v.Holds() != want {
			t.Errorf("%s: %+v, want %v", src, v, want)
		}
	}
}

func TestKinds(t *testing.T) {
	for src, want := range map[string]Kind{
		`1`: Number, `5%`: Share, `2 * 5%`: Share, `5% / 5%`: Number, `raw_bits / 2`: Bits, `raw_bits / bits`: Number, `1 + raw_bits`: Bits, `prob("a") * prob("b")`: Share,
		`"a"`: Text, `drawn`: Token, `text`: Text, `1 = 1`: Truth, `order`: Text, `do_sample`: Truth, `temperature + 1%`: Share, `at(top_k=1, drawn)`: Token, `lane(2, raw_bits)`: Bits,
		`-5%`: Share, `predicted`: Bits,
	} {
		e, err := Parse(src, Names{Predicted: Bits})
		if err != nil || e.Kind() != want {
			t.Errorf("%s: %v, %v; want %v", src, e, err, want)
		}
	}
}

// An error names what is wrong as it is spelled.
func TestErrors(t *testing.T) {
	deep := strings.Repeat("(", 33) + "1" + strings.Repeat(")", 33) + " = 1"
	for src, want := range map[string]string{
		"": "too early", "1 +": "too early", "1 2": "2", "survivors(1)": "survivors takes no", "prob": "prob needs", "prob()": "prob needs", `prob("a", "b")`: ",",
		"surviors = 2": "surviors", "temprature = 1": "temprature", "logit_bias = 1": "logit_bias", "(1 = 1": ")", `text = "a`: "quote", `text = "\q"`: `\q`,
		"1 < 2 < 3": "comparison", "1 = 1 = 1": "comparison", "not 1": "kind", "1 and 1 = 1": "kind", `prob("a") = "many"`: "kind", "raw_bits = 5%": "kind",
		`"a" = "b"`: "kind", "do_sample = do_sample": "kind", `text < "b"`: "kind", "1 / 0": "0", "1 / (0)": "0", "1 / 0%": "0", "1 / -0.0": "0", "5% / raw_bits": "kind",
		deep: "32", strings.Repeat("-", 33) + "1": "32", strings.Repeat("not ", 33) + "1 = 1": "32", "1" + strings.Repeat("+1", 100): "200",
		"changed()": "changed", "changed(x)": "x", "changed(1)": "changed", "at(1)": "at", "at(survivors)": "at", "at(top_k=2)": "at", "at(temprature=1, u)": "temprature",
		"at(top_p=2, u)": "top_p", "at(top_k=x, u)": "top_k", "lane(1)": "lane", "lane(text, u)": "kind", "contains(text)": "contains", `contains(u, "a")`: "kind",
		`opened("cellar")`: "cellar", `exported("abacus")`: "abacus", "opened(values)": "values", "predicted": "predicted", "@": "@", "1e3": "e3", `prob(5)`: "kind", "or": "or", "-text": "kind",
		"survivors == 2": "want =", "u < 1 && u > 0": "by and", "u < 1 || u > 2": "by or", "!(u < 1)": "want not", "prob(' Paris') > 0": "straight", "prob(“ Paris”) > 0": "straight", "u ≥ 0": ">=",
		"\x1b": `\u001B`, "drew(5%)": "kind", `outside("a")`: "kind", "\u202e": `\u202E`,
	} {
		e, err := Parse(src, Names{Views: []string{"values"}, Exports: []string{"vllm"}})
		if err == nil {
			t.Errorf("%q is read as %v", src, e)
			continue
		}
		if !strings.Contains(err.Error(), want) || strings.ContainsAny(err.Error(), "\n\x1b\u202e") {
			t.Errorf("%q: %q, want it to name %q", src, err, want)
		}
	}
}

// The limits themselves are allowed.
func TestLimits(t *testing.T) {
	for _, src := range []string{
		strings.Repeat("(", 32) + "1" + strings.Repeat(")", 32) + " = 1", strings.Repeat("-", 32) + "1", strings.Repeat("not ", 32) + "1 = 1",
		"1" + strings.Repeat("+1", 99), "(" + "1" + strings.Repeat("+1", 99) + ")",
	} {
		if _, err := Parse(src, Names{}); err != nil {
			t.Errorf("%.40s…: %v", src, err)
		}
	}
}

func TestTokens(t *testing.T) {
	e, err := Parse(`prob("␣a") > 1% and drawn = "b\n" and text = "no" and kept(" a") and contains(text, "no") and opened("values") and "c" != drawn`, Names{})
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(e.Tokens(), "|"); got != " a|b\n|c" {
		t.Errorf("tokens %q", got)
	}
}

func TestLeaves(t *testing.T) {
	s := state(t, decoded(t, 1))
	e, err := Parse(`not (survivors = 4) or prob(" cat") > 1% and at(top_k=2, survivors) = 2 and survivors < 9`, Names{})
	if err != nil {
		t.Fatal(err)
	}
	sc := NewScene(s)
	var now, answers []string
	for _, l := range e.Now(sc) {
		now = append(now, l.Source)
	}
	for _, l := range e.answers(sc) {
		if l.Value.Holds() {
			answers = append(answers, l.Source)
		}
	}
	if got := strings.Join(now, "|"); got != `survivors|prob(" cat")|at(top_k=2, survivors)` {
		t.Errorf("now %s", got)
	}
	if got := strings.Join(answers, "|"); got != `survivors = 4|prob(" cat") > 1%|at(top_k=2, survivors) = 2|survivors < 9` {
		t.Errorf("answers %s", got)
	}
}

func TestWatch(t *testing.T) {
	e, err := Parse(`steps >= 99 or drawn = "."`, Names{})
	if err != nil {
		t.Fatal(err)
	}
	l := decoded(t, 99, "do_sample", false)
	w := NewWatch(e, l, State{})
	for n := range l.View.Steps {
		v := l.View
		v.Phase, v.Steps, v.Next = engine.Paused, l.View.Steps[:n], l.View.Steps[n]
		if holds := w.Holds(v); holds != (n == 2) {
			t.Fatalf("step %d: %v", n+1, holds)
		} else if holds {
			break
		}
	}
	if got := w.Became(); len(got) != 1 || got[0].Source != `drawn = "."` || len(got[0].Of) != 1 || got[0].Of[0].Value.Str != "." {
		t.Errorf("became %+v", got)
	}
}

// Every goal and answer of the example lessons, evaluated on every state here.
func FuzzParse(f *testing.F) {
	for _, src := range []string{`at(top_k=2, prob("a")) > 5% and not (u < 1)`, `lane(2, text) = "x"`, `-(-1) / 2 != .5`, `changed(order) or only(top_p, seed)`, `contains(text, "\"")`} {
		f.Add(src)
	}
	files, _ := filepath.Glob("../lesson/testdata/files/*.md")
	for _, name := range files {
		if b, err := os.ReadFile(name); err == nil && len(b) < 4096 {
			for line := range strings.SplitSeq(string(b), "\n") {
				if expr, _, ok := Cut(line); ok {
					f.Add(expr)
				}
			}
		}
	}
	states := []State{state(f, decoded(f, 2)), state(f, Lane{Model: cat(f)}), state(f, decoded(f, 3, "num_beams", 2, "do_sample", false))}
	f.Fuzz(func(t *testing.T, src string) {
		e, err := Parse(src, Names{Predicted: Share})
		if err != nil {
			if strings.ContainsAny(err.Error(), "\x1b\u202e\r\n") {
				t.Errorf("%q: the error acts on a terminal: %q", src, err)
			}
			return
		}
		again, err := Parse(e.String(), Names{Predicted: Share})
		if err != nil || again.Kind() != e.Kind() {
			t.Fatalf("%q: read again %v", src, err)
		}
		for _, s := range states {
			sc := NewScene(s)
			v := e.Eval(sc)
			if v.Kind != e.Kind() || v.Defined && (math.IsNaN(v.Num) || math.IsInf(v.Num, 0)) {
				t.Errorf("%q comes to %+v", src, v)
			}
			e.Now(sc)
			e.answers(sc)
		}
	})
}
