package tui

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"logitscope/engine"
	"logitscope/models"
	"logitscope/models/open"
	"logitscope/models/remote"
	"logitscope/models/remote/remotetest"
	"logitscope/sampling"
	"logitscope/sampling/inert"
	"logitscope/sampling/partial"
	"logitscope/ui/tui/kit"
	"logitscope/ui/tui/run"
	"logitscope/viz"
)

// A fake is a server that the test can take away. While it is down it sends to
// tried, if that is not nil, when it is asked and once more before it answers.
type fake struct {
	h     http.Handler
	down  atomic.Bool
	tried chan bool
}

func (f *fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if f.down.Load() {
		if f.tried != nil {
			f.tried <- true
			f.tried <- true
		}
		http.Error(w, `{"error":{"message":"loading \u001b[31mmodel"}}`, http.StatusServiceUnavailable)
		return
	}
	f.h.ServeHTTP(w, r)
}

// onServer returns a bench whose model is spec with URL replaced.
func onServer(t *testing.T, spec string, h http.Handler, w, height int) (*bench, *fake) {
	t.Helper()
	f := &fake{h: h}
	srv := httptest.NewServer(f)
	t.Cleanup(srv.Close)
	m, err := open.Model(t.Context(), strings.Replace(spec, "URL", srv.URL, 1), open.Options{Server: remote.Options{
		Timeouts: remote.Timeouts{Retry: 400 * time.Millisecond, Backoff: 20 * time.Millisecond},
	}})
	if err != nil {
		t.Fatal(err)
	}
	opt := testOptions(t)
	opt.Model = m
	b := newBench(t, opt, w, height)
	return b, f
}

func top20() http.Handler {
	return remotetest.VLLM(testModel(), remotetest.Options{Name: "fable", MaxLogprobs: 20})
}

// A row that names only some tokens shows the rest as a row of its own, with
// its probability, at every size, and nothing runs over.
func TestUnnamedRowAtEverySize(t *testing.T) {
	t.Parallel()
	b, _ := onServer(t, "vllm:URL", top20(), 120, 40)
	b.start(storyPrompt)
	b.walk(5)
	rest := b.m.Lane().Step().Trace.Rest
	if rest <= 0 {
		t.Fatal("the row is whole")
	}
	for _, size := range [][2]int{{200, 60}, {160, 45}, {120, 40}, {100, 30}, {80, 24}, {60, 20}, {40, 12}} {
		b.send(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
		f := b.frame()
		exact(t, f, size[0], size[1], "partial row")
		line := ""
		for _, ln := range strings.Split(f, "\n") {
			if strings.Contains(ln, "outside") {
				line = ln
			}
		}
		if size[0] > 40 && !strings.Contains(line, viz.Percent(float64(rest))) {
			t.Errorf("%v: no row with %s of the unnamed tokens\n%s", size, viz.Percent(float64(rest)), f)
		}
	}
}

// The header shows what the server costs in place of prefill and decode.
func TestServerHeader(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{160, 45}, {120, 40}, {80, 24}} {
		b, _ := onServer(t, "vllm:URL", top20(), size[0], size[1])
		b.start(storyPrompt)
		b.walk(2)
		head := strings.Split(b.frame(), "\n")[0]
		want := []string{"in flight", "ms"}
		if size[0] >= 120 {
			want = append(want, "fable on vllm", "iB")
		}
		for _, w := range want {
			if !strings.Contains(head, w) {
				t.Errorf("%v: no %q in %q", size, w, head)
			}
		}
		if strings.Contains(head, "prefill") || strings.Contains(head, "tok/s") {
			t.Errorf("%v: %q", size, head)
		}
	}
}

// The selected knob says whether it is exact on the row, and V says it of all.
func TestExactnessIsSaid(t *testing.T) {
	t.Parallel()
	b, _ := onServer(t, "vllm:URL", top20(), 120, 40)
	b.start(storyPrompt)
	b.m.fresh = false
	for _, c := range []struct{ key, note, help string }{
		{"temperature", "not exact: rest", "bounded"},
		{"top_k", "not exact: rest", "only 20 tokens are named"},
		{"repetition_penalty", "not exact, no bound", "it needs logits and the server gives log-probabilities"},
	} {
		for i, p := range run.Knobs {
			if p.Key == c.key {
				b.m.Knob = i
			}
		}
		b.run(b.m.WantEffect())
		b.m.dirty = true
		if b.m.Effect.Why.Reason == inert.Acts {
			b.has(c.note)
		}
		b.has(c.help)
	}
	b.run(b.m.Open(kit.ViewValues))
	b.has("not exact, no bound")
}

// Verdicts by hand: 0.5, 0.3, 0.1 are named, 0.1 is left to five others.
func TestVerdicts(t *testing.T) {
	t.Parallel()
	ln := func(p float64) float32 { return float32(math.Log(p)) }
	l := newBench(t, testOptions(t), 80, 24).m.Lane()
	m := fakeRemote{l.Model}
	row := &engine.Row{IDs: []int32{300, 301, 302}, Values: []float32{ln(.5), ln(.3), ln(.1)}, Rest: .1}
	for _, c := range []struct {
		key   string
		value any
		words string
	}{
		{"top_k", 3, "exact"}, {"top_k", 4, "not exact: rest ≤ 10.0%"}, {"top_p", 0.85, "exact"}, {"top_p", 0.95, "not exact: rest ≤ 10.0%"},
		{"min_p", 0.3, "exact"}, {"min_p", 0.05, "not exact: rest ≤ 10.0%"}, {"typical_p", 0.9, "not exact, no bound"},
		{"repetition_penalty", 1.2, "not exact, no bound"}, {"presence_penalty", 0.5, "exact"}, {"top_k", 0, ""}, {"top_p", 1.0, ""},
		{"xtc_threshold", 0.2, ""}, {"dynatemp_exponent", 2.0, ""}, {"temperature", 0.0, "exact"}, {"temperature", 0.5, "not exact: rest ≤ 2.78%"},
		{"epsilon_cutoff", 0.2, "exact"}, {"top_h", 0.5, "not exact, no bound"}, {"seed", 3, ""},
	} {
		cfg := sampling.Config{}.MustWith("do_sample", true, 0).MustWith("top_k", 0, 0).MustWith(c.key, c.value, sampling.FromYou)
		set, err := l.Comp.Settings(cfg, "")
		if err != nil {
			t.Fatal(err)
		}
		v := engine.View{Settings: set, Prompt: []int32{300}, StopAt: -1, Next: &engine.Step{Index: 1, Pos: 1, Settings: set, Row: row}}
		s, err := v.Retrace(0, set)
		if err != nil {
			t.Fatal(err)
		}
		v.Next = s
		in, err := v.Input(0)
		if err != nil {
			t.Fatal(err)
		}
		if got := run.VerdictWords(engine.VerdictOf(m, set, s, in, c.key)); got != c.words {
			t.Errorf("%s %v: %q, want %q", c.key, c.value, got, c.words)
		}
	}
	if w := run.VerdictWords(partial.Verdict{RestMax: 1e-7}, true); strings.Contains(w, "≤ <") {
		t.Error(w)
	}
}

// fakeRemote says that a local model runs behind a server.
type fakeRemote struct{ models.Model }

func (fakeRemote) Stats() models.Stats { return models.Stats{} }

// While a server is away the screen says so; when it stays away the text is
// kept, and space tries again.
func TestServerAway(t *testing.T) {
	t.Parallel()
	b, f := onServer(t, "vllm:URL", top20(), 100, 30)
	b.start(storyPrompt)
	b.walk(2)
	f.tried = make(chan bool)
	f.down.Store(true)
	b.keys("right")
	for range 3 {
		<-f.tried // asked, refused, and asked again
	}
	b.has("waiting for the server")
	b.has("! waiting: ")
	go func() {
		for range f.tried {
		}
	}()
	b.wait(func(v engine.View) bool { return v.Phase == engine.Failed })
	n := len(b.m.Lane().View.Steps)
	b.has("text above is kept")
	b.has("space tries again")
	if strings.ContainsRune(b.frame(), '\x1b') {
		t.Error("the server's escapes reach the screen")
	}
	f.down.Store(false)
	close(f.tried)
	b.keys("space")
	b.wait(func(v engine.View) bool { return len(v.Steps) > n+3 })
}

// chatAPI writes fable's best tokens as a chat API does, with its own choice.
func chatAPI(fail error) http.Handler {
	m := testModel()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasSuffix(r.URL.Path, "/chat/completions") {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		for i := range 30 {
			var top []string
			for k := range 5 {
				p := m.Vocab().Piece(int32(400 + 7*i + k))
				text, _ := json.Marshal(p)
				top = append(top, fmt.Sprintf(`{"token":%s,"logprob":%v}`, text, math.Log([]float64{.4, .2, .1, .05, .05}[k])))
			}
			fmt.Fprintf(w, "data: {\"choices\":[{\"delta\":{\"content\":\"x\"},\"logprobs\":{\"content\":[%s,\"top_logprobs\":[%s]}]}}]}\n\n",
				strings.TrimSuffix(top[1], "}"), strings.Join(top, ","))
			w.(http.Flusher).Flush()
			if fail != nil && i == 5 {
				return // cut in the middle
			}
		}
		fmt.Fprint(w, "data: [DONE]\n\n")
	})
}

// Where the server chooses, the screen says so, filters are what-ifs, and
// keys that choose say why they cannot.
func TestWatching(t *testing.T) {
	t.Parallel()
	b, _ := onServer(t, "openai:fable@URL/v1", chatAPI(nil), 120, 40)
	b.start(storyPrompt)
	b.walk(3)
	b.has("the server's token")
	b.has("the server chose")
	b.has("fable on openai")
	before := b.m.Lane().Step().Token
	b.keys("f")
	b.has("chooses the tokens itself")
	b.keys("5") // greedy: another token than the server's
	b.wait(func(v engine.View) bool { return v.Next != nil && v.Next.Trace.Survived == 1 })
	b.m.Notice.Text = ""
	if got := b.m.Lane().Step().Token; got != before {
		t.Errorf("a preset changed the server's token %d to %d", before, got)
	}
	b.has("The server's choice stands")
	b.keys("left", "1", "space")
	b.has("chooses the tokens itself")
	if n := len(b.m.Lane().View.Steps); n != 3 {
		t.Errorf("%d steps, want 3", n)
	}
	for _, size := range [][2]int{{200, 60}, {80, 24}, {40, 12}} {
		b.send(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
		exact(t, b.frame(), size[0], size[1], "watching")
	}
}

// A stream that is cut keeps what came.
func TestWatchedStreamIsCut(t *testing.T) {
	t.Parallel()
	b, _ := onServer(t, "openai:fable@URL/v1", chatAPI(errors.New("cut")), 100, 30)
	b.start(storyPrompt)
	b.keys("space")
	b.wait(func(v engine.View) bool { return v.Phase == engine.Failed })
	if n := len(b.m.Lane().View.Steps); n == 0 {
		t.Error("nothing was kept")
	}
	b.has("r asks")
	b.keys("space")
	b.has("cannot be made to go on")
}

// walk takes n steps, each when the one before is there.
func (b *bench) walk(n int) {
	b.t.Helper()
	for i := range n {
		b.keys("right")
		b.steps(i + 1)
	}
}
