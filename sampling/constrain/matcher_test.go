package constrain

import (
	"errors"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"sync"
	"testing"
	"time"

	"logitscope/sampling/constrain/automaton"
	"logitscope/sampling/constrain/constraintest"
	"logitscope/sampling/constrain/grammar"
	"logitscope/sampling/constrain/schema"
)

// TestBenchTokenised feeds every instance token by token, in the built-in
// vocabulary cut in several ways and in a vocabulary of bytes.
func TestBenchTokenised(t *testing.T) {
	t.Parallel()
	fable, single := constraintest.FableVocab(t), constraintest.ByteVocab()
	rng := rand.New(rand.NewPCG(8, 8))
	for i, c := range constraintest.BenchCases(t) {
		if testing.Short() && i%5 != 0 {
			continue
		}
		g, err := Compile(schema.New(c.Schema, schema.Options{}))
		if err != nil {
			continue
		}
		a, _ := g.Bind(fable)
		b, _ := g.Bind(single)
		texts := [][]byte{}
		for _, v := range c.Valid {
			texts = append(texts, constraintest.Spaced(constraintest.Compact(t, v)))
		}
		for _, v := range c.Invalid {
			texts = append(texts, constraintest.Compact(t, v.Data))
		}
		for _, text := range texts {
			want, _ := g.Check(text)
			if got := acceptAll(a, constraintest.Longest(fable, text), 0); got != want {
				t.Errorf("%s: longest tokens accepted %v, want %v: %.100s", c.ID, got, want, text)
			}
			if got := acceptAll(a, ragged(fable, text, rng), 0); got != want {
				t.Errorf("%s: random tokens accepted %v, want %v: %.100s", c.ID, got, want, text)
			}
			if got := acceptAll(b, constraintest.Longest(single, text), 256); got != want {
				t.Errorf("%s: bytes accepted %v, want %v: %.100s", c.ID, got, want, text)
			}
		}
	}
}

// acceptAll feeds tokens and the end.
func acceptAll(m *automaton.Matcher, tokens []int32, end int32) bool {
	s := m.Start()
	for _, t := range append(tokens, end) {
		next, err := m.Accept(s, t)
		if err != nil {
			return false
		}
		s = next
	}
	return s == m.End()
}

// ragged cuts a text into tokens of random length.
func ragged(v *automaton.Vocab, text []byte, rng *rand.Rand) []int32 {
	var out []int32
	for len(text) > 0 {
		fits := constraintest.Prefixes(v, text)
		n := fits[rng.IntN(len(fits))]
		out = append(out, constraintest.TokenOf(v, text[:n]))
		text = text[n:]
	}
	return out
}

// TestGoldenBias recomputes the mass that each mask keeps.
func TestGoldenBias(t *testing.T) {
	t.Parallel()
	var model struct {
		Vocab  []string
		EOS    int32 `json:"eos_id"`
		Logits [][]float64
	}
	constraintest.Golden(t, "tiny8.json", &model)
	var data struct {
		Cases []struct {
			Name, GBNF string
			MaxTokens  int `json:"max_tokens"`
			Prompt     []int32
			Outputs    []struct {
				Tokens    []int32
				LogWeight float64 `json:"log_weight"`
				PLocal    float64 `json:"p_local"`
			}
			Steps []struct {
				Prefix  string
				Allowed []int32
				Z       float64
			}
		}
	}
	constraintest.Golden(t, "constraint_bias.json", &data)
	v := automaton.NewVocab(func(id int32) []byte { return []byte(model.Vocab[id]) }, len(model.Vocab), []int32{model.EOS}, func(id int32) bool { return id < 2 })
	for _, c := range data.Cases {
		m, err := constraintest.Compile(t, grammar.GBNF(c.GBNF)).Bind(v)
		if err != nil {
			t.Fatalf("%s: %v", c.Name, err)
		}
		mask := make([]uint64, v.Words())
		mass := func(s automaton.State, last int32) (float64, []float64) {
			m.Mask(s, mask)
			p := make([]float64, v.Size())
			sum, kept := 0.0, 0.0
			for id, l := range model.Logits[last] {
				p[id] = math.Exp(l)
				sum += p[id]
				if mask[0]>>id&1 == 0 {
					p[id] = 0
				}
				kept += p[id]
			}
			for id := range p {
				p[id] /= kept
			}
			return kept / sum, p
		}
		for _, step := range c.Steps {
			s, _, _ := m.AcceptBytes(m.Start(), []byte(step.Prefix))
			last := c.Prompt[len(c.Prompt)-1]
			if n := len(step.Prefix); n > 0 {
				last = int32(slices.Index(model.Vocab, step.Prefix[n-1:]))
			}
			z, _ := mass(s, last)
			var allowed []int32
			for id := range int32(v.Size()) {
				if mask[0]>>id&1 != 0 {
					allowed = append(allowed, id)
				}
			}
			if !slices.Equal(allowed, step.Allowed) || math.Abs(z-step.Z) > 1e-9 {
				t.Errorf("%s after %q: %v mass %.9f, want %v %.9f", c.Name, step.Prefix, allowed, z, step.Allowed, step.Z)
			}
		}
		for _, o := range c.Outputs {
			s, last, weight, local := m.Start(), c.Prompt[len(c.Prompt)-1], 0.0, 1.0
			for i := 0; i <= len(o.Tokens) && i < c.MaxTokens; i++ {
				z, p := mass(s, last)
				next := model.EOS
				if i < len(o.Tokens) {
					next = o.Tokens[i]
				}
				weight, local = weight+math.Log(z), local*p[next]
				if s, err = m.Accept(s, next); err != nil {
					t.Fatalf("%s: %v: %v", c.Name, o.Tokens, err)
				}
				last = next
			}
			if math.Abs(weight-o.LogWeight) > 1e-8 || math.Abs(local-o.PLocal) > 1e-9 {
				t.Errorf("%s: %v: log weight %.9f, local %.9f, want %.9f, %.9f", c.Name, o.Tokens, weight, local, o.LogWeight, o.PLocal)
			}
		}
	}
}

// TestRegexAgainstGo compares verdicts with Go's regexp on random texts.
func TestRegexAgainstGo(t *testing.T) {
	t.Parallel()
	exprs := []string{`a*b|c+`, `^a|b$`, `(^|x)a($|y)`, `^$`, `a?b?c?`, `[^ab]+c`, `(ab|a)(bc|c)?`, `(?i)ab`, `a{2,3}b{0,2}`, `.`, `(a|b)*abb`, `x*$`, `^(a|^b)c*`, `(?s).b`, `(a$|b)c?`, `é|[à-ä]+`, `(?:)|a`}
	rng := rand.New(rand.NewPCG(2, 9))
	alphabet := []rune("abcxy é\nàB")
	for _, e := range exprs {
		full, search := constraintest.Compile(t, grammar.Regex(e, false)), constraintest.Compile(t, grammar.Regex(e, true))
		whole, part := regexp.MustCompile(`\A(?:`+e+`)\z`), regexp.MustCompile(e)
		for range 300 {
			r := make([]rune, rng.IntN(6))
			for i := range r {
				r[i] = alphabet[rng.IntN(len(alphabet))]
			}
			s := string(r)
			if got, _ := full.Check([]byte(s)); got != whole.MatchString(s) {
				t.Errorf("%s: full match of %q is %v", e, s, got)
			}
			if got, _ := search.Check([]byte(s)); got != part.MatchString(s) {
				t.Errorf("%s: search in %q is %v", e, s, got)
			}
		}
	}
}

func TestStatesAreValues(t *testing.T) {
	t.Parallel()
	m, err := constraintest.Compile(t, schema.JSON(schema.JSONOptions{})).Bind(constraintest.FableVocab(t))
	if err != nil {
		t.Fatal(err)
	}
	at := func(text string) automaton.State {
		s, n, died := m.AcceptBytes(m.Start(), []byte(text))
		if died || n != len(text) {
			t.Fatalf("%q dies at %d", text, n)
		}
		return s
	}
	if at(`{"a":1,"b":`) != at(`{"ccc":true,"d":`) {
		t.Error("equal positions have different states")
	}
	if at(`[`) == at(`[[`) {
		t.Error("different depths have one state")
	}
	fork := at(`["x`)
	a, _, _ := m.AcceptBytes(fork, []byte(`"]`))
	b, _, _ := m.AcceptBytes(fork, []byte(`y", 1`))
	if !m.Accepting(a) || m.Accepting(b) || m.Accepting(fork) {
		t.Error("a fork was disturbed")
	}
}

func TestAcceptAndExplain(t *testing.T) {
	t.Parallel()
	v := constraintest.FableVocab(t)
	g := constraintest.Compile(t, schema.New([]byte(`{"type":"object","properties":{"name":{"type":"string"},"tags":{"type":"array","items":{"enum":["red","green"]}}},"required":["name","tags"],"additionalProperties":false}`), schema.Options{Whitespace: schema.WhitespaceCompact}))
	m, _ := g.Bind(v)
	if f := m.Forced(m.Start()); string(f) != `{"name":"` {
		t.Errorf("forced %q", f)
	}
	s, _, _ := m.AcceptBytes(m.Start(), []byte(`{"name":"x","tags":["`))
	e := m.Explain(s)
	if !slices.Contains(e.Stack, "tags") || automaton.DescribeBytes(e.Expected, e.Complete) != "g r" || e.Distance != len(`red"]}`) {
		t.Errorf("%+v, expects %s", e, automaton.DescribeBytes(e.Expected, e.Complete))
	}
	_, err := m.Accept(s, constraintest.TokenOf(v, []byte("ro")))
	var dead *automaton.DeadTokenError
	if !errors.As(err, &dead) || dead.Index != 1 || dead.Byte != 'o' || dead.Expected != "e" {
		t.Errorf("%v", err)
	}
	if i, b := m.Dies(s, constraintest.TokenOf(v, []byte("ro"))); i != 1 || b != 'o' {
		t.Errorf("dies at %d (%q)", i, b)
	}
	if i, _ := m.Dies(s, constraintest.TokenOf(v, []byte("re"))); i != -1 {
		t.Errorf("an allowed token dies at %d", i)
	}
	if _, err := m.Accept(s, 0); !errors.As(err, &dead) || !dead.End {
		t.Errorf("the end was accepted: %v", err)
	}
	if n := m.Try(s, []int32{constraintest.TokenOf(v, []byte("re")), constraintest.TokenOf(v, []byte("d")), constraintest.TokenOf(v, []byte("d"))}); n != 2 {
		t.Errorf("%d tokens of the draft may come, want 2", n)
	}
	if _, err := m.Accept(s, 99_999); err == nil {
		t.Error("a token out of range was accepted")
	}
}

func TestEndOfText(t *testing.T) {
	t.Parallel()
	v := constraintest.VocabOf([][]byte{[]byte("a"), nil, nil, []byte("b")}, 1, 2)
	m, _ := constraintest.Compile(t, grammar.GBNF(`root ::= "a" "a"?`)).Bind(v)
	mask := make([]uint64, 1)
	if info := m.Mask(m.Start(), mask); info.EOSAllowed || mask[0] != 1 {
		t.Errorf("at the start %b, %+v", mask[0], info)
	}
	s, _ := m.Accept(m.Start(), 0)
	if info := m.Mask(s, mask); !info.EOSAllowed || mask[0] != 0b111 || info.Allowed != 1 {
		t.Errorf("after a: %b, %+v", mask[0], info)
	}
	s, _ = m.Accept(s, 0)
	if info := m.Mask(s, mask); !info.EOSAllowed || mask[0] != 0b110 || info.Allowed != 0 {
		t.Errorf("after aa: %b, %+v", mask[0], info)
	}
	s, err := m.Accept(s, 2)
	if err != nil || s != m.End() {
		t.Fatalf("second end token: %v", err)
	}
	if info := m.Mask(s, mask); !info.EOSAllowed || mask[0] != 0b110 || info.Allowed != 0 {
		t.Errorf("after the end: %b, %+v", mask[0], info)
	}
	if _, err := m.Accept(s, 0); err == nil {
		t.Error("text after the end was accepted")
	}
}

func TestMissingBytes(t *testing.T) {
	t.Parallel()
	v := constraintest.VocabOf([][]byte{nil, []byte("ab"), []byte("c"), []byte("a")}, 0)
	if _, err := constraintest.Compile(t, grammar.GBNF(`root ::= "abd"`)).Bind(v); err == nil {
		t.Error("a text that no tokens spell was bound")
	}
	m, err := constraintest.Compile(t, grammar.GBNF(`root ::= "abc" | "acd" | "a" "x"*`)).Bind(v)
	if err != nil {
		t.Fatal(err)
	}
	mask := make([]uint64, 1)
	m.Mask(m.Start(), mask)
	if mask[0] != 0b1010 {
		t.Errorf("mask %b, want ab and a", mask[0])
	}
	s, _ := m.Accept(m.Start(), 3)
	if info := m.Mask(s, mask); mask[0] != 1 || info.Allowed != 0 {
		t.Errorf("after a: %b; c leads to acd, which cannot be spelt", mask[0])
	}
}

// TestBudgetClosesInTime checks that a text is complete when its tokens are
// spent whenever that is possible, by comparing with all token sequences.
func TestBudgetClosesInTime(t *testing.T) {
	t.Parallel()
	v := constraintest.VocabOf([][]byte{nil, []byte("["), []byte("]"), []byte("[["), []byte("]]"), []byte("x"), []byte("]]]]")}, 0)
	g := constraintest.Compile(t, grammar.GBNF(`root ::= "[" root* "]" | "x"`))
	m, _ := g.Bind(v)
	mask := make([]uint64, 1)
	var possible func(s automaton.State, left int) bool
	possible = func(s automaton.State, left int) bool {
		if m.Accepting(s) {
			return true
		}
		for id := int32(1); left > 0 && int(id) < v.Size(); id++ {
			if next, err := m.Accept(s, id); err == nil && possible(next, left-1) {
				return true
			}
		}
		return false
	}
	var walk func(s automaton.State, left int)
	walk = func(s automaton.State, left int) {
		info := m.MaskWithin(s, mask, left)
		list := constraintest.IDs(v, mask)
		fits := possible(s, left)
		if fits && len(list) == 0 && !info.EOSAllowed {
			t.Fatalf("nothing allowed with %d left", left)
		}
		for _, id := range list {
			next, err := m.Accept(s, id)
			if err != nil {
				t.Fatal(err)
			}
			if fits && !possible(next, left-1) {
				t.Fatalf("%s allowed with %d left, but nothing completes it", v.Piece(id), left)
			}
			if left > 0 {
				walk(next, left-1)
			}
		}
	}
	for budget := range 7 {
		walk(m.Start(), budget)
	}
	if info := m.MaskWithin(m.Start(), mask, 1); !info.Closing || info.Refused != 2 || mask[0] != 1<<5 {
		t.Errorf("with one token only x should be left: %+v %b", info, mask[0])
	}
}

func TestConcurrentUse(t *testing.T) {
	t.Parallel()
	m, _ := constraintest.Compile(t, schema.JSON(schema.JSONOptions{})).Bind(constraintest.FableVocab(t))
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			rng := rand.New(rand.NewPCG(uint64(i), 1))
			for range 5 {
				if text, ok := constraintest.RandomText(t, m, rng, 60, 10); !ok {
					t.Errorf("not complete: %q", text)
				}
			}
		})
	}
	wg.Wait()
}

// TestConcurrentGrammars has matchers of different grammars fill and read the
// answers that their one vocabulary keeps for all.
func TestConcurrentGrammars(t *testing.T) {
	t.Parallel()
	v := constraintest.FableVocab(t)
	var wg sync.WaitGroup
	for i := range 8 {
		c := constraintest.TwinCases[(len(constraintest.TwinCases)-1-i)%len(constraintest.TwinCases)]
		g := constraintest.Compile(t, c.Src)
		wg.Go(func() { constraintest.CompareMasks(t, c.Name, g, v, []byte(c.Text), 3) })
		wg.Go(func() {
			constraintest.CompareMasks(t, "json", constraintest.Compile(t, schema.JSON(schema.JSONOptions{})), v, []byte(`[1, {"a": "b"}, "the"]`), 3)
		})
	}
	wg.Wait()
}

func TestNotes(t *testing.T) {
	t.Parallel()
	g := constraintest.Compile(t, schema.New([]byte(`{"type":["string","array"],"format":"colour","title":"x","x-order":1,"maxContains":2,"then":false,"items":{},"additionalItems":false,"maxLength":3,"maxLength":4}`), schema.Options{}))
	var seen []string
	for _, n := range g.Notes() {
		seen = append(seen, n.Keyword)
	}
	slices.Sort(seen)
	if !slices.Equal(seen, []string{"additionalItems", "format", "maxContains", "maxLength", "then", "x-order"}) {
		t.Errorf("notes on %v", seen)
	}
}

// TestLaterKeywords has keywords that draft 7 does not know: they restrict
// nothing there, and a note says so.
func TestLaterKeywords(t *testing.T) {
	t.Parallel()
	for source, texts := range map[string][2]string{ // a text that only draft 7 allows, and one that both do
		`{"type":"array","contains":{"const":1},"minContains":2}`:                                        {`[1]`, `[1,1]`},
		`{"type":"array","contains":{"const":1},"maxContains":1}`:                                        {`[1,1]`, `[1]`},
		`{"type":"array","prefixItems":[{"type":"null"}]}`:                                               {`[1]`, `[null]`},
		`{"type":"object","properties":{"a":true,"b":true},"dependentRequired":{"a":["b"]}}`:             {`{"a":1}`, `{"a":1,"b":1}`},
		`{"type":"object","properties":{"a":true,"b":true},"dependentSchemas":{"a":{"required":["b"]}}}`: {`{"a":1}`, `{"a":1,"b":1}`},
		`{"type":"object","properties":{"a":{"type":"null"}},"unevaluatedProperties":false}`:             {`{"b":1}`, `{"a":null}`},
	} {
		old, now := constraintest.Compile(t, schema.New([]byte(source), schema.Options{Draft7: true})), constraintest.Compile(t, schema.New([]byte(source), schema.Options{}))
		for i, text := range texts {
			if ok, _ := old.Check([]byte(text)); !ok {
				t.Errorf("%s: %s refused under draft 7", source, text)
			}
			if ok, _ := now.Check([]byte(text)); ok != (i == 1) {
				t.Errorf("%s: %s accepted %v under 2020-12", source, text, ok)
			}
		}
		if n := len(old.Notes()); n != 1 {
			t.Errorf("%s: %d notes under draft 7, want 1", source, n)
		}
		if n := len(now.Notes()); n != 0 {
			t.Errorf("%s: notes under 2020-12: %v", source, now.Notes())
		}
	}
}

// TestMaskTimeIsReported makes sure that Took is measured, not made up.
func TestMaskTimeIsReported(t *testing.T) {
	t.Parallel()
	m, _ := constraintest.Compile(t, schema.JSON(schema.JSONOptions{})).Bind(constraintest.FableVocab(t))
	mask := make([]uint64, m.Vocab().Words())
	began := time.Now()
	first := m.Mask(m.Start(), mask)
	if first.Took <= 0 || first.Took > time.Since(began) || first.Layer == automaton.LayerMemo {
		t.Errorf("first mask: %+v", first)
	}
	if again := m.Mask(m.Start(), mask); again.Layer != automaton.LayerMemo || again.Allowed != first.Allowed {
		t.Errorf("second mask: %+v", again)
	}
}
