package engine

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"logitscope/engine/enginetest"
	"logitscope/models"
	"logitscope/models/fable"
	"logitscope/models/llama"
	"logitscope/models/open"
	"logitscope/models/remote"
	"logitscope/models/remote/remotetest"
	"logitscope/models/table"
	"logitscope/presets"
	"logitscope/sampling"
	"logitscope/sampling/dist"
	bounds "logitscope/sampling/partial"
)

// A backend is one protocol that a fake serves a local model through.
type backend struct {
	name  string
	spec  string // URL stands for the server
	serve func(models.Model) http.Handler
	topN  int
}

var (
	llamaServer = backend{"llama-server", "llama-server:URL", func(m models.Model) http.Handler {
		return remotetest.LlamaServer(m, remotetest.Options{Name: "m", Slots: 4})
	}, -1}
	vllmRaw = backend{"vllm", "vllm:URL", func(m models.Model) http.Handler {
		return remotetest.VLLM(m, remotetest.Options{Name: "m", MaxLogprobs: -1, RawLogits: true})
	}, -1}
	sglang = backend{"sglang", "sglang:URL", func(m models.Model) http.Handler {
		return remotetest.SGLang(m, remotetest.Options{Name: "m"})
	}, -1}
)

// spoken is toy with words of a vocabulary that every text can be split into,
// as servers must be able to.
func spoken(t testing.TB, context int, ends float64) *table.Model {
	return spokenBy(t, context, ends, 9)
}

func spokenBy(t testing.TB, context int, ends float64, seed uint64) *table.Model {
	vocab := slices.Clone(words)
	for c := range 128 {
		if s := string(rune(c)); !slices.Contains(vocab, s) {
			vocab = append(vocab, s)
		}
	}
	r := rand.New(rand.NewPCG(1, seed))
	rows := make([][]float64, len(vocab))
	for i := range rows {
		rows[i] = make([]float64, len(vocab))
		for j := range rows[i] {
			rows[i][j] = math.Round(2000*r.NormFloat64()) / 1000
		}
		rows[i][0] = ends
	}
	b, err := json.Marshal(map[string]any{"kind": "markov1", "vocab": vocab, "eos_id": 0, "logits": rows, "context": context})
	if err != nil {
		t.Fatal(err)
	}
	m, err := table.Parse("spoken.json", bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// quick are timeouts that a test can wait for.
var quick = remote.Timeouts{Connect: time.Second, Idle: 5 * time.Second, Retry: 20 * time.Second, Backoff: 5 * time.Millisecond}

// connect opens url through b until the test ends.
func connect(t testing.TB, b backend, url string, timeouts remote.Timeouts) models.Model {
	m, err := open.Model(t.Context(), strings.Replace(b.spec, "URL", url, 1), open.Options{Server: remote.Options{TopN: b.topN, Timeouts: timeouts}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	return m
}

// through serves m and returns the model that a client sees.
func through(t testing.TB, b backend, m models.Model) models.Model {
	srv := httptest.NewServer(b.serve(m))
	t.Cleanup(srv.Close)
	return connect(t, b, srv.URL, quick)
}

func openFable(t testing.TB) models.Model {
	m, err := fable.Open(llama.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	return m
}

// drive runs l and returns a function that posts commands and waits for a view
// that done accepts. The test fails if that takes too long.
func drive(t testing.TB, l *Lane) func(done func(View) bool, cs ...Command) View {
	ctx, cancel := context.WithCancel(t.Context())
	over := make(chan error, 1)
	go func() { over <- l.Run(ctx) }()
	t.Cleanup(func() { cancel(); <-over })
	return func(done func(View) bool, cs ...Command) View {
		for _, c := range cs {
			l.Post(c)
		}
		late := time.After(time.Minute)
		for {
			select {
			case v := <-l.Views():
				if done(v) {
					return v
				}
			case <-late:
				t.Fatal("the lane does not get there")
			}
		}
	}
}

func stands(v View) bool { return v.Phase == Done || v.Phase == Failed }

func has(n int) func(View) bool {
	return func(v View) bool { return stands(v) || v.Phase == Paused && len(v.Steps) == n }
}

// text decodes a prompt to its end.
func text(t testing.TB, m models.Model, opt Options, cfg sampling.Config, prompt []int32) View {
	s, err := NewCompiler(m).Settings(cfg, "test")
	if err != nil {
		t.Fatal(err)
	}
	v := drive(t, NewLane(0, m, opt))(stands, Start{Prompt: prompt, Settings: s}, Advance{-1})
	if v.Err != nil {
		t.Fatalf("%v: %v", cfg, v.Err)
	}
	return v
}

// same fails the test unless a and b are one text, chosen by the same draws
// from the same distributions.
func same(t *testing.T, what string, a, b View) {
	t.Helper()
	if a.Text() != b.Text() || !slices.Equal(written(a), written(b)) || a.Reason != b.Reason {
		t.Errorf("%s: local %q (%s), remote %q (%s)", what, a.Text(), a.Reason, b.Text(), b.Reason)
		return
	}
	for i := range a.Steps {
		x, y := a.Steps[i], b.Steps[i]
		if x.Trace == nil || y.Trace == nil {
			continue
		}
		if x.Trace.U != y.Trace.U || x.Trace.Survived != y.Trace.Survived || math.Abs(float64(x.Summary.Logprob-y.Summary.Logprob)) > 1e-3 {
			t.Errorf("%s, step %d: u %v and %v, %d and %d survive, log-probability %v and %v", what, i+1,
				x.Trace.U, y.Trace.U, x.Trace.Survived, y.Trace.Survived, x.Summary.Logprob, y.Summary.Logprob)
		}
	}
}

// Every preset under every order and seed gives the same text whether the
// model runs here or behind a server.
func TestRemoteTextIsTheLocalOne(t *testing.T) {
	local := spoken(t, 500, -3)
	for _, b := range []backend{llamaServer, vllmRaw} {
		m := through(t, b, local)
		for _, p := range presets.Builtin() {
			for _, o := range sampling.Orders() {
				for seed := range 3 {
					cfg := p.Config.MustWith("order", o.Name(), sampling.FromFlag).MustWith("seed", seed, sampling.FromFlag).
						MustWith("max_new_tokens", 20, sampling.FromFlag)
					prompt := []int32{1, 4, 3}
					same(t, fmt.Sprintf("%s, %s, %s, seed %d", b.name, p.Name, o.Name(), seed),
						text(t, local, Options{}, cfg, prompt), text(t, m, Options{}, cfg, prompt))
				}
			}
		}
	}
}

// The same of the built-in model, whose vocabulary has all that a real one has.
func TestRemoteFable(t *testing.T) {
	local := openFable(t)
	for _, b := range []backend{llamaServer, vllmRaw} {
		m := through(t, b, local)
		for i, p := range presets.Builtin() {
			cfg := p.Config.MustWith("seed", i, sampling.FromFlag).MustWith("max_new_tokens", 12, sampling.FromFlag)
			words := "Once upon a time there was an old"
			prompt, err := Prompt(t.Context(), local, words)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := Prompt(t.Context(), m, words); err != nil || !slices.Equal(got, prompt) {
				t.Fatalf("%s: the prompt is %v, not %v: %v", b.name, got, prompt, err)
			}
			same(t, b.name+", "+p.Name, text(t, local, Options{}, cfg, prompt), text(t, m, Options{}, cfg, prompt))
		}
	}
}

// What sets values beyond a preset: bias, bans, a constraint, beams, drafts.
func TestRemoteStrategies(t *testing.T) {
	local := spoken(t, 500, -1)
	draft := Draft{Model: spokenBy(t, 500, -1, 10)}
	base := []any{"do_sample", true, "max_new_tokens", 24, "seed", 3}
	for _, b := range []backend{llamaServer, vllmRaw} {
		m := through(t, b, local)
		for name, c := range map[string]struct {
			set []any
			opt Options
		}{
			"bias":        {[]any{"logit_bias", map[string]any{"2": 3.0, "5": -4.0}}, Options{}},
			"bad words":   {[]any{"bad_words", []any{"the "}}, Options{}},
			"stop":        {[]any{"stop", []any{"end"}}, Options{}},
			"penalties":   {[]any{"repetition_penalty", 1.3, "frequency_penalty", 0.4}, Options{}},
			"mirostat":    {[]any{"order", "llama.cpp", "mirostat", 2}, Options{}},
			"constraint":  {[]any{"constraint", `{"type":"regex","regex":"(a|b|c)+\\. x"}`}, Options{}},
			"beams":       {[]any{"do_sample", false, "num_beams", 3}, Options{}},
			"draft":       {[]any{"num_assistant_tokens", 4}, Options{Draft: draft}},
			"ngram":       {[]any{"num_assistant_tokens", 3, "do_sample", false}, Options{Draft: Draft{NGram: true}}},
			"draft, mask": {[]any{"num_assistant_tokens", 4, "constraint", `{"type":"regex","regex":"(a|b|c){10}x"}`}, Options{Draft: draft}},
		} {
			cfg := enginetest.Config(t, append(slices.Clone(base), c.set...)...)
			here, there := text(t, local, c.opt, cfg, []int32{1, 2}), text(t, m, c.opt, cfg, []int32{1, 2})
			same(t, b.name+", "+name, here, there)
			if c.opt.Draft.Active() && (there.Draft == nil || len(there.Steps) == 0 || there.Steps[0].Round == nil) {
				t.Errorf("%s, %s: no rounds", b.name, name)
			}
		}
	}
}

// Two lanes on two servers do not disturb each other.
func TestLanesOnTwoServers(t *testing.T) {
	local := spoken(t, 500, never)
	cfg := enginetest.Config(t, "do_sample", true, "max_new_tokens", 40, "seed", 11)
	want := text(t, local, Options{}, cfg, []int32{1})
	one := NewGate(1)
	var lanes []func(func(View) bool, ...Command) View
	for _, b := range []backend{llamaServer, vllmRaw} {
		m := through(t, b, local)
		s, err := NewCompiler(m).Settings(cfg, "test")
		if err != nil {
			t.Fatal(err)
		}
		l := NewLane(len(lanes), m, Options{Gate: one})
		l.Post(Start{Prompt: []int32{1}, Settings: s})
		l.Post(Advance{-1})
		lanes = append(lanes, drive(t, l))
	}
	for _, do := range lanes {
		same(t, "lane", want, do(stands))
	}
}

// Rows that were fetched ahead and rows that were not give the same text, and
// those that were are used.
func TestAheadOnlyAtFullSpeed(t *testing.T) {
	local := spoken(t, 500, never)
	m := through(t, vllmRaw, local)
	s := settings(t, m, "do_sample", false, "max_new_tokens", 40, "temperature", 1.0)
	do := drive(t, NewLane(0, m, Options{}))
	do(has(0), Start{Prompt: []int32{1}, Settings: s})
	for i := range 5 {
		do(has(i+1), Advance{1})
	}
	if n := m.(models.Meter).Stats(); n.AheadHits != 0 || n.Rows != 6 {
		t.Errorf("stepping fetched %d rows, %d of them ahead; want 6 and 0", n.Rows, n.AheadHits)
	}
	v := do(stands, Advance{-1})
	if n := m.(models.Meter).Stats(); n.AheadHits < 10 {
		t.Errorf("at full speed %d rows were fetched ahead", n.AheadHits)
	}
	want := text(t, local, Options{}, s.Config(), []int32{1})
	same(t, "ahead", want, v)
}

// A server may look ahead while nobody looks at each step, and never beyond
// what is to be written. It is told the draws to come where a draw is decided by
// one number.
func TestHowFarAhead(t *testing.T) {
	m := toy(t, 500, never)
	plain := settings(t, m)
	for _, c := range []struct {
		budget int
		every  time.Duration
		want   int
	}{{-1, 0, mostAhead}, {1, 0, 0}, {0, 0, 0}, {5, 0, 4}, {1000, 0, mostAhead}, {-1, time.Second, 0}} {
		l := Lane{budget: c.budget, every: c.every, settings: plain}
		if got := l.ahead().Rows; got != c.want {
			t.Errorf("budget %d, pace %v: %d ahead, want %d", c.budget, c.every, got, c.want)
		}
	}
	for _, c := range []struct {
		name   string
		set    *Settings
		greedy bool
		lone   bool
		law    string // of draws; empty if none are told
	}{
		{"greedy", settings(t, m, "do_sample", false), true, false, ""},
		{"coin", settings(t, m, "temperature", 0.5, "top_k", 7, "seed", 3), false, true, "[{temperature 0.5} {top_k 7}]"},
		{"race", settings(t, m, "luck", "race", "temperature", 0.5, "seed", 3), false, false, ""},
		{"llama.cpp", settings(t, m, "order", "llama.cpp", "min_p", 0.25, "top_p", 1.0, "seed", 3), false, true, "[{top_k 40} {min_p 0.25} {temperature 0.8}]"},
		{"old llama.cpp", settings(t, m, "order", "llama.cpp-old", "min_p", 0.25, "top_p", 1.0, "seed", 3), false, false, "[{top_k 40} {min_p 0.25} {temperature 0.8}]"},
	} {
		a := (&Lane{budget: -1, settings: c.set}).ahead()
		if a.Greedy != c.greedy || a.Lone != c.lone || (len(a.Draws) == mostForetold) != (c.law != "") || c.law != "" && fmt.Sprint(a.Law) != c.law {
			t.Errorf("%s: %+v", c.name, a)
		}
	}
}

// The draws that a server is told of are those that are made.
func TestForetold(t *testing.T) {
	local := spoken(t, 500, never)
	for _, order := range []string{"lab", "llama.cpp", "transformers"} {
		set := settings(t, local, "order", order, "seed", 9, "temperature", 1.5, "top_k", 30, "max_new_tokens", mostForetold+3)
		l := NewLane(0, local, Options{})
		v := drive(t, l)(stands, Start{Prompt: []int32{1}, Settings: set}, Advance{-1})
		for n := range 3 {
			past := Lane{budget: -1, settings: set, tokens: make([]int32, 1+n), steps: v.Steps[:n]}
			for i, u := range past.ahead().Draws {
				if got := v.Steps[n+i].Trace.U; got != u {
					t.Errorf("%s: step %d draws with %v, foretold after %d steps as %v", order, n+i, got, n, u)
				}
			}
		}
	}
}

// A proposal whose row was fetched without logits is fetched again when a
// setting begins to need them.
func TestLogitsWhenTheyMatter(t *testing.T) {
	local := toy(t, 500, never)
	m := through(t, llamaServer, local)
	plain, penalty := settings(t, m, "seed", 5), settings(t, m, "seed", 5, "repetition_penalty", 1.5)
	do := drive(t, NewLane(0, m, Options{}))
	v := do(has(10), Start{Prompt: []int32{1, 2}, Settings: plain}, Advance{10})
	if !v.Next.Row.normalised() {
		t.Error("logits were fetched though nothing needs them")
	}
	v = do(func(v View) bool { return v.Next != nil && v.Next.Settings == penalty }, Tune{penalty})
	if v.Next.Row.normalised() {
		t.Error("the proposal still has log-probabilities")
	}
	// The local lane goes the same way.
	do2 := drive(t, NewLane(0, local, Options{}))
	do2(has(10), Start{Prompt: []int32{1, 2}, Settings: plain}, Advance{10})
	w := do2(func(v View) bool { return v.Next != nil && v.Next.Settings == penalty }, Tune{penalty})
	for _, r := range w.Next.Trace.Rows() {
		if got := v.Next.Trace.Row(r.ID); got == nil || math.Abs(float64(got.Prob-r.Prob)) > 1e-4 {
			t.Errorf("token %d has %v, want %v", r.ID, got, r.Prob)
		}
	}
	same(t, "after", do2(has(20), Advance{10}), do(has(20), Advance{10}))
}

// With the top N tokens alone, the odds among them are those of the whole row,
// and what is lost is within the bounds that package partial states.
func TestPartialRowsKeepTheirBounds(t *testing.T) {
	local := openFable(t)
	prompt, err := Prompt(t.Context(), local, "Once upon a time")
	if err != nil {
		t.Fatal(err)
	}
	b := sglang
	b.topN = 24
	m := through(t, b, local)
	size := m.Info().VocabSize
	rnd := rand.New(rand.NewPCG(4, 4))
	exact, all := 0, 0
	do := drive(t, NewLane(0, m, Options{}))
	v := do(has(12), Start{Prompt: prompt, Settings: settings(t, m, "temperature", 1.0, "seed", 1)}, Advance{12})
	sess, err := local.NewSession()
	if err != nil {
		t.Fatal(err)
	}
	defer sess.Close()
	tokens := slices.Clone(prompt)
	for k := range v.Steps {
		sess.Truncate(0)
		rows, err := sess.Forward(t.Context(), tokens, 1)
		if err != nil {
			t.Fatal(err)
		}
		tokens = append(tokens, v.Steps[k].Token)
		in, err := v.Input(k)
		if err != nil {
			t.Fatal(err)
		}
		row := bounds.Of(in.Logits, in.Rest, size)
		if len(row.Probs) != 24 || row.Rest <= 0 {
			t.Fatalf("step %d: %d tokens named, the rest has %v", k+1, len(row.Probs), row.Rest)
		}
		for range 40 {
			x := rnd.Float64()
			key, value := "top_k", any(1+rnd.IntN(40))
			var verdict bounds.Verdict
			switch rnd.IntN(4) {
			case 0:
				verdict = bounds.TopK(row, value.(int))
			case 1:
				key, value = "top_p", 0.3+0.69*x
				verdict = bounds.TopP(row, value.(float64))
			case 2:
				key, value = "min_p", x*x
				verdict = bounds.MinP(row, value.(float64))
			case 3:
				key, value = "temperature", 0.2+1.5*x
				verdict = bounds.Temperature(row, value.(float64))
			}
			set := settings(t, m, append([]any{"temperature", 1.0, "top_k", 0}, key, value)...)
			whole := in
			whole.IDs, whole.Logits, whole.Rest = nil, rows[0].Values, 0
			var s sampling.Scratch
			var got, want dist.Dist
			if err := set.Pipeline.Distribution(&got, &s, in); err != nil {
				t.Fatal(err)
			}
			if err := set.Pipeline.Distribution(&want, &s, whole); err != nil {
				t.Fatal(err)
			}
			tv := dist.TotalVariation(&got, &want)
			if limit := verdict.RestMax + 1e-4; tv > limit {
				t.Errorf("step %d, %s %v: the distance is %v, at most %v was stated (%s)", k+1, key, value, tv, limit, verdict.Text)
			}
			all++
			if verdict.Exact {
				exact++
			}
		}
	}
	if exact < all/10 || exact > all*9/10 {
		t.Errorf("%d of %d verdicts are exact: the test shows little", exact, all)
	}
}

// A breaker is a server that can be taken away and brought back at the same
// address.
type breaker struct {
	t     testing.TB
	addr  string
	h     http.Handler
	srv   *httptest.Server
	hang  atomic.Bool // answers nothing
	asked atomic.Int64
	stop  chan struct{}
}

func newBreaker(t testing.TB, h http.Handler) *breaker {
	b := &breaker{t: t, addr: "127.0.0.1:0", stop: make(chan struct{})}
	b.h = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b.asked.Add(1)
		if b.hang.Load() {
			select {
			case <-r.Context().Done():
			case <-b.stop:
			}
			return
		}
		h.ServeHTTP(w, r)
	})
	b.up()
	t.Cleanup(func() { close(b.stop); b.down() })
	return b
}

func (b *breaker) up() {
	l, err := net.Listen("tcp", b.addr)
	if err != nil {
		b.t.Fatal(err)
	}
	b.addr = l.Addr().String()
	b.srv = &httptest.Server{Listener: l, Config: &http.Server{Handler: b.h}}
	b.srv.Start()
}

func (b *breaker) down() {
	b.srv.CloseClientConnections()
	b.srv.Close()
}

// A server that dies in the middle of a run and comes back costs no token.
func TestServerComesBack(t *testing.T) {
	local := toy(t, 2000, never)
	for name, c := range map[string]struct {
		set []any
		opt Options
	}{
		"drawn": {[]any{"max_new_tokens", 300}, Options{}},
		"draft": {[]any{"max_new_tokens", 300, "num_assistant_tokens", 3}, Options{Draft: Draft{Model: other(t, local)}}},
		"beams": {[]any{"max_new_tokens", 60, "num_beams", 3, "do_sample", false}, Options{}},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBreaker(t, llamaServer.serve(local))
			m := connect(t, llamaServer, "http://"+b.addr, quick)
			s := settings(t, m, append([]any{"seed", 9}, c.set...)...)
			want := text(t, local, c.opt, s.Config(), []int32{1, 2})
			l := NewLane(0, m, c.opt)
			do := drive(t, l)
			far := func(v View) bool { return len(v.Written) > 40 || stands(v) }
			do(far, Start{Prompt: []int32{1, 2}, Settings: s}, Advance{-1})
			b.down()
			waitFor(t, "the server to be missed", func() bool { return m.(models.Meter).Stats().Retries > 0 })
			b.up()
			same(t, name, want, do(stands))
		})
	}
}

// A server that stays away ends the run with one line. The text is kept, and
// going on later gives the text that would have been.
func TestServerStaysAway(t *testing.T) {
	local := toy(t, 2000, never)
	for name, c := range map[string]struct {
		set []any
		opt Options
	}{
		"drawn": {[]any{"max_new_tokens", 300}, Options{}},
		"draft": {[]any{"max_new_tokens", 300, "num_assistant_tokens", 3}, Options{Draft: Draft{Model: other(t, local)}}},
		"beams": {[]any{"max_new_tokens", 60, "num_beams", 3, "do_sample", false}, Options{}},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBreaker(t, llamaServer.serve(local))
			brief := quick
			brief.Retry = 40 * time.Millisecond
			m := connect(t, llamaServer, "http://"+b.addr, brief)
			s := settings(t, m, append([]any{"seed", 9}, c.set...)...)
			want := text(t, local, c.opt, s.Config(), []int32{1, 2})
			do := drive(t, NewLane(0, m, c.opt))
			v := do(func(v View) bool { return len(v.Written) > 40 || stands(v) }, Start{Prompt: []int32{1, 2}, Settings: s}, Advance{-1})
			n := len(v.Steps)
			b.down()
			v = do(stands)
			if v.Phase != Failed || len(v.Steps) < n || !isTemporary(v.Err) || strings.Contains(v.Err.Error(), "\n") {
				t.Fatalf("%v after %d steps: %v", v.Phase, len(v.Steps), v.Err)
			}
			if kept := written(v); !slices.Equal(kept, written(want)[:len(kept)]) {
				t.Errorf("the text kept is %v", kept)
			}
			b.up()
			// The view of the failure may come once more.
			same(t, name, want, do(func(v View) bool { return v.Phase == Done }, Advance{-1}))
		})
	}
}

// Quitting does not wait for a server that hangs, and commands get through
// while a server is away.
func TestQuitAndCommandsWhileWaiting(t *testing.T) {
	local := toy(t, 2000, never)
	before := runtime.NumGoroutine()
	b := newBreaker(t, llamaServer.serve(local))
	patient := quick
	patient.Idle = time.Minute
	m := connect(t, llamaServer, "http://"+b.addr, patient)
	s := settings(t, m, "seed", 9)
	ctx, cancel := context.WithCancel(t.Context())
	l := NewLane(0, m, Options{})
	over := make(chan error, 1)
	l.Post(Start{Prompt: []int32{1, 2}, Settings: s})
	l.Post(Advance{5})
	go func() { over <- l.Run(ctx) }()
	for v := range l.Views() {
		if v.Phase == Paused && len(v.Steps) == 5 {
			break
		}
	}
	b.down()
	l.Post(Advance{-1})
	waitFor(t, "trouble", func() bool { return m.(models.Meter).Stats().Waiting != "" })
	start := time.Now()
	l.Post(Rewind{2})
	for v := range l.Views() {
		if len(v.Steps) == 2 {
			break
		}
	}
	if d := time.Since(start); d > patient.Idle/2 {
		t.Errorf("a command waited %v for a server that is away", d)
	}
	b.up()
	b.hang.Store(true)
	l.Post(Advance{-1})
	n := b.asked.Load()
	waitFor(t, "a request", func() bool { return b.asked.Load() > n })
	start = time.Now()
	cancel()
	if err := <-over; err != nil {
		t.Error(err)
	}
	if d := time.Since(start); d > patient.Idle/2 {
		t.Errorf("quitting took %v", d)
	}
	m.Close()
	b.srv.CloseClientConnections()
	b.srv.Config.Close()
	waitFor(t, "the goroutines to end", func() bool { return runtime.NumGoroutine() <= before+2 })
}

func waitFor(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for late := time.Now().Add(time.Minute); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(late) {
			buf := make([]byte, 1<<16)
			t.Fatalf("waited in vain for %s\n%s", what, buf[:runtime.Stack(buf, true)])
		}
	}
}
