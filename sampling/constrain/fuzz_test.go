package constrain

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"logitscope/sampling/constrain/automaton"
	"logitscope/sampling/constrain/constraintest"
	"logitscope/sampling/constrain/grammar"
	"logitscope/sampling/constrain/lang"
	"logitscope/sampling/constrain/schema"
)

// exercise compiles a source and, if that works, follows random masks for a
// few tokens: no panic, no empty mask, and errors of the documented types. It
// returns why the source is refused.
func exercise(t *testing.T, src lang.Source) error {
	t.Helper()
	began := time.Now()
	g, err := Compile(src)
	if err != nil {
		for _, r := range Refusals(err) {
			if r.Reason == "" {
				t.Errorf("a refusal without a reason: %#v", err)
			}
		}
		switch err.(type) {
		case *lang.RefusedError, *lang.SyntaxError:
		default:
			t.Errorf("an error of type %T: %v", err, err)
		}
		return err
	}
	// A run of the tests ends at its own timeout, also on a busy machine.
	if d := time.Since(began); d > 20*time.Second && flag.Lookup("test.fuzz").Value.String() != "" {
		t.Errorf("compiling took %v", d)
	}
	m, err := g.Bind(constraintest.ByteVocab())
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 1))
	mask := make([]uint64, m.Vocab().Words())
	s := m.Start()
	var text []byte
	for range 24 {
		info := m.Mask(s, mask)
		if info.Allowed == 0 && !info.EOSAllowed {
			t.Fatalf("nothing is allowed after %q", text)
		}
		if info.Allowed == 0 {
			break
		}
		list := constraintest.IDs(m.Vocab(), mask)
		b := byte(list[rng.IntN(len(list))])
		if s, err = m.Accept(s, int32(b)); err != nil {
			t.Fatal(err)
		}
		text = append(text, b)
	}
	ok, at := g.Check(text)
	if at != -1 || ok != m.Accepting(s) {
		t.Errorf("%q: check says %v, dead at %d; the matcher %v", text, ok, at, m.Accepting(s))
	}
	before := m.Distance(s)
	if f := m.Forced(s); len(f) > 0 && before < len(f) {
		t.Errorf("%q: %d bytes forced, but %d complete it", text, len(f), before)
	}
	exerciseMasks(t, g, rng)
	return nil
}

var fuzzVocab = sync.OnceValue(constraintest.DenseVocab)

// exerciseMasks compares masks of long tokens with those made token by token,
// and asks for masks that close the text in any number of tokens.
func exerciseMasks(t *testing.T, g *automaton.Grammar, rng *rand.Rand) {
	v := fuzzVocab()
	m, err := g.Bind(v)
	if err != nil {
		t.Fatal(err)
	}
	mask := make([]uint64, v.Words())
	s := m.Start()
	var text []byte
	for range 6 {
		m.MaskWithin(s, mask, rng.IntN(8))
		m.Mask(s, mask)
		if want := constraintest.SlowMask(m, s); !slices.Equal(mask, want) && !m.Pruned() {
			t.Fatalf("after %q masks differ: %v", text, constraintest.Differences(v, mask, want))
		}
		list := constraintest.IDs(v, mask)
		if len(list) == 0 {
			return
		}
		token := list[rng.IntN(len(list))]
		if s, err = m.Accept(s, token); err != nil {
			t.Fatal(err)
		}
		text = append(text, v.Piece(token)...)
	}
}

func FuzzSchema(f *testing.F) {
	for _, s := range []string{`{}`, `true`, `false`, `{"type":"string","pattern":"^a+$"}`, `{"$ref":"#"}`, `{"oneOf":[{"type":"integer"},{"minimum":2}]}`,
		`{"properties":{"a":{"$ref":"#"}},"required":["a"]}`, `{"enum":[1,"a",null,{"b":[]}]}`, `{"not":{"properties":{"a":{"const":1}}}}`, `{"type":["x"]}`,
		`{"items":{"enum":[1,2]},"uniqueItems":true,"contains":{"const":1}}`, `{"patternProperties":{"^a":{"type":"null"}},"minProperties":2}`,
		`{"propertyNames":{"pattern":"^[ab]+"},"minProperties":3,"additionalProperties":{"type":"integer"}}`,
		`{"multipleOf":0.01,"maximum":5}`, `{"if":{"minimum":0},"then":{"maximum":10}}`, `[`, `{"type":"string","minLength":3,"maxLength":2}`} {
		f.Add([]byte(s), false)
	}
	f.Fuzz(func(t *testing.T, data []byte, anyOrder bool) {
		exercise(t, schema.New(data, schema.Options{AnyOrder: anyOrder}))
	})
}

func FuzzRegex(f *testing.F) {
	for _, s := range []string{"", "a|b", "(a+)+b", "[^a-z]{2,5}", `^\d+$`, "(?i)straße", `\pL+`, "a{1000}", "((a{1,10}){1,10}){1,10}", "(", `\b`, "$a"} {
		f.Add(s, true)
	}
	f.Fuzz(func(t *testing.T, expr string, search bool) { exercise(t, grammar.Regex(expr, search)) })
}

func FuzzGBNF(f *testing.F) {
	for _, s := range []string{`root ::= "a"`, "root ::= root root | \"a\" | \"\"", "root ::= a b\na ::= \"x\"? b\nb ::= a? \"y\"", `root ::= ("a"{2,900}){3,}`, `root ::= [^\x00-\x1F]* # c`,
		"root ::= (", "root ::= root", "root ::= [z-a]", `root ::= "a"{3,1}`, "root ::= \"\\u00e9\"\n\nx ::= ."} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) { exercise(t, grammar.GBNF(text)) })
}

func FuzzSQLSpec(f *testing.F) {
	f.Add([]byte(`{"tables":{"users":["id","name"],"orders":["id"]},"aliases":{"u":"users"}}`))
	f.Add([]byte(`{"tables":{"a b":["\""]},"loose":true,"aliases":["n"]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		if spec, err := grammar.ReadSQLSpec(data); err == nil {
			exercise(t, grammar.SQL(spec))
		}
	})
}

func FuzzChoice(f *testing.F) {
	f.Add("yes", "no")
	f.Fuzz(func(t *testing.T, a, b string) { exercise(t, grammar.Choice([]string{a, b})) })
}

// TestHostileSources compiles what is meant to hurt, in bounded time.
func TestHostileSources(t *testing.T) {
	t.Parallel()
	long := make([]string, 100_000)
	for i := range long {
		long[i] = `"value ` + strings.Repeat("x", i%17) + string(rune('a'+i%26)) + `-` + fmt.Sprint(i) + `"`
	}
	pads := make([]string, 0, 20_000)
	for i := range 20_000 {
		pads = append(pads, `"p`+fmt.Sprint(i)+`":{"type":"string","description":"`+strings.Repeat("d", 400)+`"}`)
	}
	alternatives := strings.Repeat(`{"anyOf":[{"required":["a"]},{"required":["b"]},{"required":["c"]}]},`, 12)
	for _, c := range []struct {
		name    string
		src     lang.Source
		refused bool
	}{
		{"deep schema", schema.New([]byte(strings.Repeat(`{"items":`, 900)+"true"+strings.Repeat("}", 900)), schema.Options{}), false},
		{"too deep schema", schema.New([]byte(strings.Repeat(`{"items":`, 100_000)), schema.Options{}), true},
		{"huge counts", grammar.GBNF(`root ::= ("a"{0,1000000} "b"){0,1000000}`), false},
		{"nested counts", grammar.GBNF(`root ::= ((("a"{1,1000}){1,1000}){1,1000}){1,1000}`), false},
		{"huge length", schema.New([]byte(`{"type":"string","minLength":100000,"maxLength":10000000}`), schema.Options{}), false},
		{"huge array", schema.New([]byte(`{"type":"array","minItems":100000,"maxItems":1000000,"items":{"type":"integer"}}`), schema.Options{}), false},
		{"pattern with length", schema.New([]byte(`{"type":"string","pattern":"^(ab|ba)+$","minLength":10000000}`), schema.Options{}), true},
		{"enum of 100,000", schema.New([]byte(`{"enum":[`+strings.Join(long, ",")+`]}`), schema.Options{}), false},
		{"8 MB schema", schema.New([]byte(`{"properties":{`+strings.Join(pads, ",")+`}}`), schema.Options{}), false},
		{"catastrophic regex", grammar.Regex(`(a+)+(a|aa)+(a?){30}$`, true), false},
		{"exponential regex", grammar.Regex(`.*a.{20}`, false), false},
		{"exponential pattern", schema.New([]byte(`{"pattern":"a.{20}$"}`), schema.Options{}), true},
		{"regex counts", grammar.Regex(`((a{1,100}){1,100}){1,100}`, false), true},
		{"self reference", schema.New([]byte(`{"$ref":"#"}`), schema.Options{}), true},
		{"mutual references", schema.New([]byte(`{"$defs":{"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"}},"$ref":"#/$defs/a"}`), schema.Options{}), true},
		{"infinite object", schema.New([]byte(`{"properties":{"a":{"$ref":"#"}},"required":["a"],"type":"object"}`), schema.Options{}), true},
		{"alternatives", schema.New([]byte(`{"allOf":[`+strings.TrimSuffix(alternatives, ",")+`]}`), schema.Options{}), true},
		{"big number", schema.New([]byte(`{"type":"integer","minimum":1e999999999}`), schema.Options{}), true},
		{"ambiguous grammar", grammar.GBNF(`root ::= root root root | root root | "a" | "b"`), true},
		{"ambiguous rounds", grammar.GBNF("root ::= (\"é\" | r2 | \"é\" root){2,}\nr2 ::= [^-é]"), false},
		{"ambiguous empty rounds", grammar.GBNF("root ::= x{2,}\nx ::= \"c\" x{0,2} ([^cb日] | \"\" | [^日])"), false},
		{"10,000 required", schema.New([]byte(`{"type":"object","properties":{`+namedStrings(10_000)+`},"required":[`+names(10_000)+`]}`), schema.Options{}), false},
		{"100,000 required alone", schema.New([]byte(`{"type":"object","required":[`+names(100_000)+`]}`), schema.Options{}), true},
		{"4,000 required alone", schema.New([]byte(`{"type":"object","required":[`+names(4000)+`]}`), schema.Options{}), false},
		{"steps of oneOf", schema.New([]byte(`{"oneOf":[`+steps(100)+`]}`), schema.Options{}), true},
		{"enum of 1,000 that differ", schema.New([]byte(`{"type":"array","uniqueItems":true,"minItems":3,"items":{"enum":[`+names(1000)+`]}}`), schema.Options{}), false},
		{"chain of 100 dependencies", schema.New([]byte(`{"dependentRequired":{`+chained(100)+`}}`), schema.Options{}), false},
		{"chain of 5,000 dependencies", schema.New([]byte(`{"dependentRequired":{`+chained(5000)+`}}`), schema.Options{}), true},
		{"chain of 5,000 dependent schemas", schema.New([]byte(`{"dependencies":{`+chained(5000)+`}}`), schema.Options{}), true},
		{"many empty rules", grammar.GBNF("root ::= " + strings.Repeat("e ", 300) + "\ne ::= \"a\"? | \"b\"?"), false},
		{"left recursion of all", grammar.GBNF("root ::= r0\n" + tangle(30)), true},
		{"long chain", grammar.GBNF("root ::= r0\n" + chain(20_000)), false},
		{"deep groups", grammar.GBNF("root ::= " + strings.Repeat("(", 100_000)), true},
	} {
		t.Run(c.name, func(t *testing.T) {
			if err := exercise(t, c.src); (err != nil) != c.refused {
				t.Errorf("error %v", err)
			}
		})
	}
}

func namedStrings(n int) string {
	return listed(n, func(i int) string { return fmt.Sprintf(`"name %d":{"type":"string"}`, i) })
}

func names(n int) string { return listed(n, func(i int) string { return fmt.Sprintf(`"name %d"`, i) }) }

func steps(n int) string {
	return listed(n, func(i int) string { return fmt.Sprintf(`{"type":"integer","multipleOf":%d}`, i+2) })
}

func listed(n int, part func(int) string) string {
	list := make([]string, n)
	for i := range list {
		list[i] = part(i)
	}
	return strings.Join(list, ",")
}

// tangle is n rules that may each begin with any of them.
func tangle(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "r%d ::= ", i)
		for j := range n {
			fmt.Fprintf(&b, "r%d? ", j)
		}
		b.WriteString("| \"c\"\n")
	}
	return b.String()
}

func chain(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "r%d ::= r%d\n", i, i+1)
	}
	fmt.Fprintf(&b, "r%d ::= \"a\"\n", n)
	return b.String()
}

// chained is n dependencies, each name of which needs the next.
func chained(n int) string {
	return listed(n, func(i int) string { return fmt.Sprintf(`"n%d":["n%d"]`, i, i+1) })
}

// TestDependencyChains holds chains to what they say: a name needs all that
// follow.
func TestDependencyChains(t *testing.T) {
	t.Parallel()
	for _, n := range []int{1, 2, 3, 20, 40} {
		for _, keyword := range []string{"dependentRequired", "dependencies"} {
			g := constraintest.Compile(t, schema.New([]byte(`{"`+keyword+`":{`+chained(n)+`}}`), schema.Options{}))
			from := func(i int) string {
				return "{" + listed(n+1-i, func(j int) string { return fmt.Sprintf(`"n%d":0`, i+j) }) + "}"
			}
			for text, want := range map[string]bool{"{}": true, "1": true, from(0): true, from(n / 2): true, from(n): true, `{"n0":0}`: false, `{"x":1}`: true,
				strings.Replace(from(0), fmt.Sprintf(`"n%d"`, n), `"x"`, 1): false} {
				if ok, _ := g.Check([]byte(text)); ok != want {
					t.Errorf("%s of %d: %.60s accepted %v, want %v", keyword, n, text, ok, want)
				}
			}
		}
	}
}
