package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"logitscope/engine"
	"logitscope/engine/enginetest"
	"logitscope/engine/stats"
	"logitscope/models"
	"logitscope/models/chat"
	"logitscope/models/table"
	"logitscope/sampling"
)

var words = []string{"<eos>", "a", "b", "c", "the ", "end", ". ", "x"}

// toy returns a table over words with random logits.
func toy(t testing.TB, seed uint64) models.Model {
	r := rand.New(rand.NewPCG(1, seed))
	rows := make([][]float64, len(words))
	for i := range rows {
		for range words {
			rows[i] = append(rows[i], math.Round(r.NormFloat64()*1000)/1000)
		}
	}
	b, err := json.Marshal(map[string]any{"kind": "markov1", "vocab": words, "eos_id": 0, "logits": rows, "context": 300})
	if err != nil {
		t.Fatal(err)
	}
	m, err := table.Parse("toy.json", bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func backend(m models.Model) *Backend {
	return &Backend{Name: m.Info().Name, Model: m, Compiler: engine.NewCompiler(m)}
}

func plan(t testing.TB, m models.Model, base sampling.Config, axes ...string) SweepPlan {
	p := SweepPlan{Backend: backend(m), Text: "abc", Prompt: []int32{1, 2, 3}, Base: base, Seeds: []uint64{7, 8, 9, 10}}
	for _, spec := range axes {
		a, err := ParseAxis(spec)
		if err != nil {
			t.Fatal(err)
		}
		p.Axes = append(p.Axes, a)
	}
	return p
}

func run(t testing.TB, p SweepPlan, opt Options) *Grid {
	t.Helper()
	r, err := Sweep(context.Background(), &p, opt)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// written is everything a report says.
func written(t testing.TB, r *Grid) string {
	var b bytes.Buffer
	if err := r.WriteJSONL(&b); err != nil {
		t.Fatal(err)
	}
	if err := r.WriteCSV(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestParseAxis(t *testing.T) {
	for _, tt := range []struct{ spec, want string }{
		{"temperature=0.1:0.5:0.2", "[0.1 0.3 0.5]"},
		{"temperature=0.1:1.5:0.2", "[0.1 0.3 0.5 0.7 0.9 1.1 1.3 1.5]"},
		{"temperature=0:1:0.3", "[0 0.3 0.6 0.9]"},
		{"temperature=1:0:-0.5", "[1 0.5 0]"},
		{"top_k=10:40:10", "[10 20 30 40]"},
		{"top_k=5", "[5]"},
		{"top_p=0.8,0.9,1", "[0.8 0.9 1]"},
		{"top_p=off,0.9", "[1 0.9]"},
		{"do_sample=true,false", "[true false]"},
		{"order=llama.cpp,vllm", "[llama.cpp vllm]"},
		{" min_p = 0, 0.1 ", "[0 0.1]"},
	} {
		a, err := ParseAxis(tt.spec)
		if err != nil || fmt.Sprint(a.Values) != tt.want {
			t.Errorf("%s: %v, %v; want %s", tt.spec, a.Values, err, tt.want)
		}
	}
	for _, tt := range []struct{ spec, want string }{
		{"temperature", "key=from:to:step"},
		{"temperature=", "key=from:to:step"},
		{"temprature=1", "temperature is meant"},
		{"temperature=0:1", "from:to:step"},
		{"temperature=0:1:0", "no number of steps"},
		{"temperature=0:1:-1", "no number of steps"},
		{"temperature=0:1:x", "numbers"},
		{"temperature=0:100:0.0001", "more than 10000"},
		{"top_p=0.5,2", "0 to 1"},
		{"top_p=0.5,0.50", "top_p: 0.50 is listed twice"},
		{"temperature=1, 1", "temperature: 1 is listed twice"},
		{"top_k=0:1:0.5", "whole number"},
		{"stop=a,b", "not an axis"},
		{"seed=1,2", "no axis"},
	} {
		if _, err := ParseAxis(tt.spec); err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want one line with %q", tt.spec, err, tt.want)
		}
	}
}

func TestGridOrder(t *testing.T) {
	r := run(t, plan(t, toy(t, 1), enginetest.Config(t, "max_new_tokens", 2), "temperature=0.5,1", "top_k=1,2,3"), Options{})
	var got []string
	for i, c := range r.Cells {
		got = append(got, fmt.Sprintf("%g/%d", c.Config.Float("temperature"), c.Config.Int("top_k")))
		if r.index(c.At...) != i || r.At(c.At...) != &r.Cells[i] {
			t.Errorf("cell %d is found at %d", i, r.index(c.At...))
		}
	}
	if want := "[0.5/1 0.5/2 0.5/3 1/1 1/2 1/3]"; fmt.Sprint(got) != want {
		t.Errorf("%v, want %s", got, want)
	}
	if l := r.Axes[0].Label(1); l != "1.0" {
		t.Errorf("label %q, want 1.0", l)
	}
}

func TestGridErrors(t *testing.T) {
	m := toy(t, 1)
	for _, tt := range []struct {
		p    SweepPlan
		want string
	}{
		{plan(t, m, enginetest.Config(t), "top_k=1", "top_k=2"), "top_k: two axes"},
		{plan(t, m, enginetest.Config(t, "order", "vllm"), "temperature=1,3"), "temperature=3: temperature: 3 is out of range, 0 to 2 under vllm"},
		{plan(t, m, enginetest.Config(t), "top_k=0:2000:1", "max_new_tokens=1:2000:1"), "10000 points"},
	} {
		if err := tt.p.Check(); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%v, want %q", err, tt.want)
		}
	}
}

func TestMeasureByHand(t *testing.T) {
	lp := func(x float64) *float64 { return &x }
	texts := []*Text{
		{Tokens: []int32{1, 2, 1, 2, 1, 2}, Logprob: lp(-6 * math.Ln2), Reason: "length"}, // 3 4-grams, 2 different
		{Tokens: []int32{1, 3}, Logprob: lp(-2 * math.Log(32)), Reason: "eos", Unfit: true},
	}
	m := backend(toy(t, 1))
	constrained := Config{Backend: m, Config: enginetest.Config(t, "constraint", `"json"`)}
	value := func(key string, c Config, texts ...*Text) stats.Estimate {
		return ofTexts(2, &metrics[MetricNamed(key)], &c, &cell{texts: texts})
	}
	for key, w := range map[string]float64{
		"tokens": 4, "distinct_1": (2./6 + 1) / 2, "distinct_2": (2./5 + 1) / 2, "distinct_3": 2. / 4,
		"bits": 3, "perplexity": 8, "repeated_4grams": 1. / 3, "constraint_failures": 0.5, "eos": 0.5, "loop": 0,
		"pooled_1": 3. / 8, "pooled_2": 3. / 6,
	} {
		e := value(key, constrained, texts...)
		if math.Abs(e.Value-w) > 1e-12 || e.Low > e.Value || e.High < e.Value {
			t.Errorf("%s: %+v, want %v inside", key, e, w)
		}
	}
	if e := value("repeated_4grams", constrained, texts...); e.N != 1 || e.Bounded() {
		t.Errorf("the short text has no 4-grams to count: %+v", e)
	}
	if e := value("constraint_failures", Config{Backend: m}, texts...); e.N != 0 || e.Known() {
		t.Errorf("without a constraint nothing can fail it: %+v", e)
	}
	if e := value("self_bleu", constrained, texts[0]); e.N != 0 {
		t.Errorf("one text has no others: %+v", e)
	}
	if e := value("perplexity", constrained, &Text{Tokens: []int32{1}}); !math.IsInf(e.Value, 1) {
		t.Errorf("a text the model rules out has perplexity %v", e.Value)
	}
	loop := &Text{Tokens: append(slices.Repeat([]int32{5}, 16), 0), Reason: "eos"}
	if e := value("loop", constrained, loop); e.Value != 1 {
		t.Errorf("a loop before the end token: %+v", e)
	}
}

// A grid that is filled text by text, in whatever order several workers end,
// has at the end what Sweep returns, and on the way the estimates of the texts
// there are.
func TestAGridFillsTextByText(t *testing.T) {
	p := plan(t, toy(t, 3), enginetest.Config(t, "max_new_tokens", 20), "temperature=0.7,1.4", "top_k=0,3")
	g, err := NewGrid(&p)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	want := run(t, p, Options{Workers: 3, Progress: func(now Progress) {
		i := now.Newest.Config
		before := len(g.Cells[i].Runs)
		next := g.With(now.Newest)
		if len(g.Cells[i].Runs) != before || len(next.Runs) != before+1 {
			t.Errorf("%d texts became %d, and %d in the grid", before, len(next.Runs), len(g.Cells[i].Runs))
		}
		g.Cells[i] = next
		n++
		if e := next.Value("perplexity"); e.N != len(next.Runs) || e.Bounded() != (e.N > 1) {
			t.Errorf("%d texts have %+v", len(next.Runs), e)
		}
		if e := next.Value("self_bleu"); e.Known() != g.Whole(&next) {
			t.Errorf("%d of 4 texts: self-BLEU %+v", len(next.Runs), e)
		}
	}})
	if n != 16 || g.Done() != 4 {
		t.Fatalf("%d texts in %d cells", n, g.Done())
	}
	for i := range g.Cells {
		a, b := &g.Cells[i], &want.Cells[i]
		if fmt.Sprint(a.Values) != fmt.Sprint(b.Values) {
			t.Errorf("cell %d: %v, want %v", i, a.Values, b.Values)
		}
		for k := range b.Runs {
			if a.Runs[k].Seed != b.Runs[k].Seed || !slices.Equal(a.Runs[k].Tokens, b.Runs[k].Tokens) {
				t.Errorf("cell %d, text %d: %+v, want %+v", i, k, a.Runs[k], b.Runs[k])
			}
		}
	}
}

// Each text is what a lane of its own writes, and its log-probability that of
// a second way to compute it.
func TestTextsAreThoseOfALane(t *testing.T) {
	m := toy(t, 2)
	p := plan(t, m, enginetest.Config(t, "max_new_tokens", 40), "temperature=0.7,1.4", "repetition_penalty=1,1.3")
	r := run(t, p, Options{})
	base := (&opened{backend: p.Backend, read: func(context.Context) (chat.Prompt, error) {
		return chat.Prompt{Text: p.Text, Tokens: p.Prompt}, nil
	}}).retain()
	defer base.release()
	if err := base.prefill(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, c := range r.Cells {
		for i, text := range c.Runs {
			set, err := p.Backend.Compiler.Settings(c.Config.MustWith("seed", p.Seeds[i], sampling.FromFlag), "")
			if err != nil {
				t.Fatal(err)
			}
			if want := alone(t, m, p.Prompt, set); !slices.Equal(text.Tokens, want) {
				t.Fatalf("%v seed %d: %v, a lane alone writes %v", c.At, text.Seed, text.Tokens, want)
			}
			sum, err := base.score(context.Background(), text.Tokens)
			if err != nil || math.Abs(sum-*text.Logprob) > 1e-4 {
				t.Errorf("log-probability %v, scored %v, %v", *text.Logprob, sum, err)
			}
		}
	}
}

func alone(t *testing.T, m models.Model, prompt []int32, s *engine.Settings) []int32 {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	l := engine.NewLane(0, m, engine.Options{})
	l.Post(engine.Start{Prompt: prompt, Settings: s})
	l.Post(engine.Advance{N: -1})
	go l.Run(ctx)
	var ids []int32
	for v := range l.Views() {
		if v.Phase == engine.Done {
			for _, s := range v.Steps {
				ids = append(ids, s.Token)
			}
			return ids
		}
	}
	return nil
}

func TestBeams(t *testing.T) {
	r := run(t, plan(t, toy(t, 2), enginetest.Config(t, "max_new_tokens", 10, "do_sample", false), "num_beams=1,3"), Options{})
	for _, c := range r.Cells {
		for _, x := range c.Runs {
			if len(x.Tokens) == 0 || x.Logprob == nil || *x.Logprob >= 0 || x.Reason == "" {
				t.Errorf("%v: %+v", c.At, x)
			}
		}
	}
	// The best of 3 beams is at least as likely as the greedy text.
	if g, b := *r.Cells[0].Runs[0].Logprob, *r.Cells[1].Runs[0].Logprob; len(r.Cells[0].Runs[0].Tokens) == len(r.Cells[1].Runs[0].Tokens) && b < g-1e-6 {
		t.Errorf("beams found %v, greedy %v", b, g)
	}
}

func TestConstraintFailures(t *testing.T) {
	// "end" within 3 tokens: a text of one token can be cut short of it.
	base := enginetest.Config(t, "constraint", `{"type":"regex","regex":"(a|b|c){6}"}`)
	r := run(t, plan(t, toy(t, 2), base, "max_new_tokens=2,9"), Options{})
	if short, long := r.Cells[0].Value("constraint_failures").Value, r.Cells[1].Value("constraint_failures").Value; short != 1 || long != 0 {
		t.Errorf("failures %v with 2 tokens and %v with 9, want 1 and 0", short, long)
	}
}

func TestInertAxes(t *testing.T) {
	m := toy(t, 2)
	for _, tt := range []struct {
		base sampling.Config
		axes []string
		want []string // how the notes begin
	}{
		{enginetest.Config(t, "max_new_tokens", 20), []string{"temperature=0.5,2", "top_k=1,0"}, []string{"", ""}},
		{enginetest.Config(t, "max_new_tokens", 20), []string{"temperature=0", "top_p=0.5,1"}, []string{"", "no effect: greedy"}},
		{enginetest.Config(t, "max_new_tokens", 20), []string{"mirostat=0,1,2"}, []string{"no effect: transformers has no mirostat"}},
		{enginetest.Config(t, "max_new_tokens", 20), []string{"top_k=8,9,100"}, []string{"no effect here"}},
		{enginetest.Config(t, "max_new_tokens", 20), []string{"top_k=8"}, []string{""}},
		{enginetest.Config(t, "max_new_tokens", 20, "order", "vllm"), []string{"temperature=0.003,0.007"}, []string{"no effect here"}}, // both are raised to 0.01
	} {
		r := run(t, plan(t, m, tt.base, tt.axes...), Options{})
		for k, w := range tt.want {
			if got := r.Axes[k].Inert; !strings.HasPrefix(got, w) || w == "" && got != "" {
				t.Errorf("%v: %s is inert for %q, want %q", tt.axes, r.Axes[k].Key, got, w)
			}
		}
	}
}

// The report does not depend on how many texts are decoded at once, nor on
// whether the cells come from the disk.
func TestSameBytes(t *testing.T) {
	p := plan(t, toy(t, 2), enginetest.Config(t, "max_new_tokens", 30), "temperature=0.5:1.5:0.25", "top_p=0.5,1")
	want := written(t, run(t, p, Options{Workers: 1}))
	dir := t.TempDir()
	for _, opt := range []Options{{Workers: 5}, {Dir: dir, Workers: 3}, {Dir: dir}, {Dir: dir, Fresh: true}} {
		if got := written(t, run(t, p, opt)); got != want {
			t.Errorf("%+v: another report\n%s", opt, got)
		}
	}
}

func TestResume(t *testing.T) {
	p := plan(t, toy(t, 2), enginetest.Config(t, "max_new_tokens", 30), "temperature=0.5,1,1.5", "top_p=0.5,1")
	dir := t.TempDir()
	decoded := func(p SweepPlan, fresh bool) (texts int) {
		t.Helper()
		run(t, p, Options{Dir: dir, Fresh: fresh, Progress: func(x Progress) { texts = x.Done - x.Reused }})
		return texts
	}
	// A sweep that is stopped keeps what it finished.
	ctx, cancel := context.WithCancel(context.Background())
	stopped := 0
	_, err := Sweep(ctx, &p, Options{Dir: dir, Workers: 1, Progress: func(x Progress) {
		if stopped = x.Done; stopped == 9 {
			cancel()
		}
	}})
	if err != context.Canceled || stopped < 9 || stopped == 24 {
		t.Fatalf("%v after %d texts", err, stopped)
	}
	if n := decoded(p, false); n != 24-stopped {
		t.Errorf("%d texts decoded after a stop at %d of 24", n, stopped)
	}
	if n := decoded(p, false); n != 0 {
		t.Errorf("%d texts decoded though all are there", n)
	}
	if n := decoded(p, true); n != 24 {
		t.Errorf("fresh: %d texts decoded, want 24", n)
	}
	for name, tt := range map[string]struct {
		change func(p *SweepPlan)
		want   int
	}{
		"model":  {func(p *SweepPlan) { p.Backend = backend(toy(t, 3)) }, 24},
		"prompt": {func(p *SweepPlan) { p.Prompt = []int32{2, 2, 3} }, 24},
		"seeds":  {func(p *SweepPlan) { p.Seeds = []uint64{7, 8, 9, 11} }, 6},
		"config": {func(p *SweepPlan) { p.Base = p.Base.MustWith("min_p", 0.05, sampling.FromFlag) }, 24},
		"seed of the settings": {func(p *SweepPlan) { // the texts have seeds of their own
			p.Base = p.Base.MustWith("seed", 99, sampling.FromFlag)
		}, 0},
	} {
		q := p
		tt.change(&q)
		if n := decoded(q, false); n != tt.want {
			t.Errorf("another %s: %d texts decoded, want %d", name, n, tt.want)
		}
	}
}

// However a log was cut or broken, the texts that are whole are taken up, and
// the report has the same bytes.
func TestKilledAtAnyByte(t *testing.T) {
	p := plan(t, toy(t, 2), enginetest.Config(t, "max_new_tokens", 8), "temperature=0.5,1.5")
	dir := t.TempDir()
	want := written(t, run(t, p, Options{Dir: dir, Workers: 1}))
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(files) != 1 {
		t.Fatalf("files %v, %v", files, err)
	}
	whole, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(whole, []byte("\n")); n != 8 {
		t.Fatalf("%d lines, want 8", n)
	}
	try := func(name string, log []byte, least, most int) {
		t.Helper()
		if err := os.WriteFile(files[0], log, 0o600); err != nil {
			t.Fatal(err)
		}
		reused := 0
		got := written(t, run(t, p, Options{Dir: dir, Workers: 2, Progress: func(x Progress) { reused = x.Reused }}))
		if got != want {
			t.Fatalf("%s: another report", name)
		}
		if reused < least || reused > most {
			t.Fatalf("%s: %d texts taken up, want %d to %d", name, reused, least, most)
		}
		after, err := os.ReadFile(files[0])
		if err != nil {
			t.Fatal(err)
		}
		if again := written(t, run(t, p, Options{Dir: dir})); again != want || len(after) < len(log) {
			t.Fatalf("%s: the log does not serve twice", name)
		}
	}
	for n := 0; n <= len(whole); n += 61 {
		lines := bytes.Count(whole[:n], []byte("\n"))
		try(fmt.Sprintf("cut at byte %d", n), whole[:n], lines, lines)
	}
	broken := bytes.Clone(whole)
	for i := 100; i < len(broken); i += len(broken) / 5 {
		broken[i] ^= 0x15
	}
	try("broken bytes", broken, 0, 7)
	try("zeros", make([]byte, 1000), 0, 0)
	try("lines of others", append([]byte("{}\nnull\n[1]\n{\"key\":\"00\",\"text\":{},\"sum\":\"\"}\n"), whole...), 8, 8)
}

func TestFailedTextsStopNothing(t *testing.T) {
	// Every token is banned but the end, and that may not come.
	base := enginetest.Config(t, "allowed_token_ids", []int32{0}, "min_new_tokens", 3)
	dir := t.TempDir()
	r := run(t, plan(t, toy(t, 2), base, "top_k=0,5"), Options{Dir: dir})
	for _, c := range r.Cells {
		for _, x := range c.Runs {
			if x.Error == "" || x.Reason != "error" {
				t.Errorf("%+v: want an error", x)
			}
		}
	}
	run(t, plan(t, toy(t, 2), base, "top_k=0,5"), Options{Dir: dir, Progress: func(x Progress) {
		if x.Reused > 0 {
			t.Errorf("failed texts are kept: %+v", x)
		}
	}})
}

func TestCSV(t *testing.T) {
	r := run(t, plan(t, toy(t, 2), enginetest.Config(t, "max_new_tokens", 5), "temperature=0.5,1"), Options{})
	var b bytes.Buffer
	if err := r.WriteCSV(&b); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(b.String()), "\n")
	if len(lines) != 3 || !strings.HasPrefix(lines[0], "temperature,texts,tokens,tokens_lo,tokens_hi,perplexity,") || !strings.HasPrefix(lines[2], "1,4,") {
		t.Errorf("%s", b.String())
	}
	for _, l := range lines {
		if strings.Count(l, ",") != strings.Count(lines[0], ",") {
			t.Errorf("%s has other columns", l)
		}
	}
}
