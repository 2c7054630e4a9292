package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"logitscope/engine/enginetest"
	"logitscope/models"
	"logitscope/models/table"
	"logitscope/sampling/param"
)

// words is a vocabulary whose tokens end and begin inside characters and stop
// strings alike. Token 0 ends the text.
var words = []string{"<eos>", "a", "b", "c", "the ", "end", ". ", "x"}

// toy returns a table over words in which no token is certain; ends sets how
// likely the end is.
func toy(t testing.TB, context int, ends float64) *table.Model { return seeded(t, context, ends, 2) }

func seeded(t testing.TB, context int, ends float64, seed uint64) *table.Model {
	r := rand.New(rand.NewPCG(1, seed))
	rows := make([][]float64, len(words))
	for i := range rows {
		rows[i] = make([]float64, len(words))
		for j := range rows[i] {
			rows[i][j] = math.Round(r.NormFloat64()*1000) / 1000
		}
		rows[i][0] = ends
	}
	b, err := json.Marshal(map[string]any{"kind": "markov1", "vocab": words, "eos_id": 0, "logits": rows, "context": context})
	if err != nil {
		t.Fatal(err)
	}
	m, err := table.Parse("toy.json", strings.NewReader(string(b)))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

const never = -30

func settings(t testing.TB, m models.Model, pairs ...any) *Settings {
	s, err := NewCompiler(m).Settings(enginetest.Config(t, append([]any{"do_sample", true, "max_new_tokens", 1000}, pairs...)...), "test")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// begin runs l until the test ends and returns a function that posts commands
// and waits for the lane to settle.
func begin(t *testing.T, l *Lane) func(...Command) View {
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- l.Run(ctx) }()
	t.Cleanup(func() { cancel(); <-done })
	return func(cs ...Command) View {
		for _, c := range cs {
			l.Post(c)
		}
		synctest.Wait()
		return <-l.Views()
	}
}

func written(v View) []int32 {
	ids := []int32{}
	for _, s := range v.Steps {
		ids = append(ids, s.Token)
	}
	return ids
}

// Pausing, stepping, looking at other settings and coming back, and rewinding
// to where one was must all give the text of never having done so.
func TestInspectionChangesNothing(t *testing.T) {
	for _, extra := range [][]any{
		{"temperature", 1.0},
		{"temperature", 1.3, "repetition_penalty", 1.2, "top_k", 5},
		{"order", "llama.cpp", "mirostat", 2, "mirostat_tau", 2.0},
		{"order", "llama.cpp", "xtc_probability", 0.5, "xtc_threshold", 0.1, "temperature", 1.0},
		{"order", "ollama-go", "temperature", 1.0},
		{"order", "llama.cpp-old", "top_p", 0.5}, // whose draws lag behind the positions
	} {
		synctest.Test(t, func(t *testing.T) {
			m := toy(t, 500, never)
			s := settings(t, m, append([]any{"seed", 7}, extra...)...)
			other := settings(t, m, "seed", 99, "temperature", 2.0)
			start := Start{Prompt: []int32{1, 2, 3}, Settings: s}
			one := begin(t, NewLane(0, m, Options{}))(start, Advance{60})
			do := begin(t, NewLane(1, m, Options{}))
			do(start)
			do(Advance{3})
			do(Tune{other})
			do(Pin{[]int32{4}})
			do(Tune{s}, Pin{})
			do(Advance{7})
			do(Rewind{4})
			do(Advance{6})
			v := do(Advance{50})
			if a, b := written(one), written(v); len(a) != 60 || !slices.Equal(a, b) {
				t.Errorf("%v\nin one go:   %v\nwith detours: %v", extra, a, b)
			}
		})
	}
}

func TestTuneRunsNoForwardPass(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := toy(t, 100, never)
		do := begin(t, NewLane(0, m, Options{}))
		v := do(Start{Prompt: []int32{1, 2}, Settings: settings(t, m)})
		w := do(Tune{settings(t, m, "top_k", 3)})
		if v.ForwardPositions != 2 || w.ForwardPositions != 2 {
			t.Errorf("the model ran %d, then %d positions, want 2 and 2", v.ForwardPositions, w.ForwardPositions)
		}
		if w.Next == v.Next || w.Next.Trace.Survived != 3 {
			t.Errorf("after top_k 3, %d tokens survive", w.Next.Trace.Survived)
		}
		if v.Next.Trace.Survived == 3 {
			t.Error("the old proposal changed")
		}
	})
}

func TestOldViewsStayTrue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := toy(t, 500, never)
		do := begin(t, NewLane(0, m, Options{}))
		old := do(Start{Prompt: []int32{1}, Settings: settings(t, m)}, Advance{20})
		ids, text := written(old), old.Text()
		do(Rewind{5})
		v := do(Force{7}, Advance{30})
		if !slices.Equal(written(old), ids) || old.Text() != text {
			t.Errorf("an old view changed from %v %q to %v %q", ids, text, written(old), old.Text())
		}
		if got := written(v); got[5] != 7 || !v.Steps[5].Forced || !slices.Equal(got[:5], ids[:5]) {
			t.Errorf("after rewinding to 5 and forcing 7: %v", got)
		}
		for i := range 5 {
			if v.Steps[i] != old.Steps[i] {
				t.Errorf("step %d was copied, want shared", i)
			}
		}
	})
}

func TestHowTextsEnd(t *testing.T) {
	for _, tt := range []struct {
		name    string
		context int
		ends    float64
		set     []any
		want    Reason
		text    func(string) bool
	}{
		{"the model's end token", 500, 3, nil, EOS, func(s string) bool { return !strings.Contains(s, "<eos>") }},
		{"max_new_tokens", 500, never, []any{"max_new_tokens", 5}, Length, nil},
		{"context full", 12, never, nil, ContextFull, nil},
		{"a loop", 500, never, []any{"repetition_detection", `{"max_pattern_size":2,"min_count":3}`, "temperature", 0.0}, Repetition, nil},
		{"a loop not before the least length", 500, never, []any{"repetition_detection", `{"max_pattern_size":8,"min_count":2}`, "min_new_tokens", 100, "max_new_tokens", 50, "temperature", 0.0}, Length, nil},
		{"a stop string across tokens", 500, never, []any{"stop", []string{"ab"}, "logit_bias", "1=6,2=5"}, Stop,
			func(s string) bool { return !strings.Contains(s, "ab") }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := toy(t, tt.context, tt.ends)
				if len(tt.set) == 4 && tt.set[2] == "logit_bias" {
					p, _ := param.Lookup("logit_bias")
					b, err := p.Parse(tt.set[3].(string))
					if err != nil {
						t.Fatal(err)
					}
					tt.set[3] = b
				}
				v := begin(t, NewLane(0, m, Options{}))(Start{Prompt: []int32{1, 2}, Settings: settings(t, m, tt.set...)}, Advance{-1})
				if v.Phase != Done || v.Reason != tt.want {
					t.Errorf("%v for reason %q, want done for %q: %v", v.Phase, v.Reason, tt.want, v.Err)
				}
				if tt.text != nil && !tt.text(v.Text()) {
					t.Errorf("text %q", v.Text())
				}
			})
		})
	}
}

// A text that ended by length goes on when the length grows.
func TestMoreTokens(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := toy(t, 500, never)
		do := begin(t, NewLane(0, m, Options{}))
		do(Start{Prompt: []int32{1}, Settings: settings(t, m, "max_new_tokens", 4)}, Advance{-1})
		v := do(Tune{settings(t, m, "max_new_tokens", 9)}, Advance{-1})
		if len(v.Steps) != 9 || v.Phase != Done {
			t.Errorf("%d tokens, %v; want 9, done", len(v.Steps), v.Phase)
		}
	})
}

// broken is a model whose rows turn bad after some positions.
type broken struct {
	models.Model
	after int
	err   error
}

type brokenSession struct {
	models.Session
	m *broken
}

func (m *broken) NewSession() (models.Session, error) {
	s, err := m.Model.NewSession()
	return &brokenSession{s, m}, err
}

func (s *brokenSession) Forward(ctx context.Context, tokens []int32, want int) ([]models.Logits, error) {
	if s.Len()+len(tokens) > s.m.after && s.m.err != nil {
		return nil, s.m.err
	}
	rows, err := s.Session.Forward(ctx, tokens, want)
	if s.Len() > s.m.after && err == nil {
		for i := range rows {
			bad := make([]float32, len(rows[i].Values))
			for j := range bad {
				bad[j] = float32(math.NaN())
			}
			rows[i].Values = bad
		}
	}
	return rows, err
}

type temporary struct{ error }

func (temporary) Temporary() bool { return true }

func TestFailureKeepsTheText(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &broken{Model: toy(t, 500, never), after: 9}
		do := begin(t, NewLane(0, m, Options{}))
		v := do(Start{Prompt: []int32{1, 2}, Settings: settings(t, m)}, Advance{-1})
		if v.Phase != Failed || len(v.Steps) != 8 || v.Err == nil || !strings.Contains(v.Err.Error(), "step 9") || !strings.Contains(v.Err.Error(), "NaN") {
			t.Fatalf("%v after %d steps: %v", v.Phase, len(v.Steps), v.Err)
		}
		if v = do(Advance{-1}); v.Phase != Failed {
			t.Errorf("going on from NaN: %v", v.Phase)
		}
		if v = do(Rewind{6}); v.Phase != Paused || v.Err != nil {
			t.Errorf("after a rewind: %v, %v", v.Phase, v.Err)
		}
	})
}

func TestTemporaryFailureIsTriedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &broken{Model: toy(t, 500, never), after: 5, err: temporary{errors.New("no answer")}}
		do := begin(t, NewLane(0, m, Options{}))
		v := do(Start{Prompt: []int32{1, 2}, Settings: settings(t, m)}, Advance{20})
		if v.Phase != Failed || len(v.Steps) != 4 {
			t.Fatalf("%v after %d steps", v.Phase, len(v.Steps))
		}
		m.after = 500
		if v = do(Advance{20}); len(v.Steps) != 24 {
			t.Errorf("%d steps after trying again, want 24: %v", len(v.Steps), v.Err)
		}
	})
}

func TestPace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := toy(t, 500, never)
		l := NewLane(0, m, Options{})
		do := begin(t, l)
		do(Start{Prompt: []int32{1}, Settings: settings(t, m)})
		do(Pace{2 * time.Second}, Advance{-1})
		began := time.Now()
		for {
			time.Sleep(time.Second)
			if v := do(); len(v.Steps) >= 6 {
				break
			}
			l.Post(Pin{})
		}
		if d := time.Since(began); d < 9*time.Second || d > 12*time.Second {
			t.Errorf("5 more tokens at one in 2 s took %v", d)
		}
		do(Advance{0})
	})
}

// Branching must not compute what was computed before, nor change either
// branch.
func TestBranchesShareTheCache(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := toy(t, 2000, never)
		s := settings(t, m, "seed", 3)
		do := begin(t, NewLane(0, m, Options{}))
		main := do(Start{Prompt: []int32{1, 2}, Settings: s}, Advance{500})
		was := main.ForwardPositions
		adopt := func(steps []*Step) Adopt { return Adopt{Prompt: main.Prompt, Steps: steps, Settings: s} }
		branch := do(adopt(main.Steps[:400]), Force{7}, Advance{10})
		if n := branch.ForwardPositions - was; n > 13 {
			t.Errorf("branching at 400 of 500 for 10 tokens ran %d positions", n)
		}
		was = branch.ForwardPositions
		back := do(adopt(main.Steps), Advance{5})
		if n := back.ForwardPositions - was; n > 7 {
			t.Errorf("going back to the main branch for 5 tokens ran %d positions", n)
		}
		straight := begin(t, NewLane(1, m, Options{}))(Start{Prompt: []int32{1, 2}, Settings: s}, Advance{505})
		if !slices.Equal(written(back), written(straight)) {
			t.Error("the main branch went on differently after the visit to another")
		}
	})
}

func TestForkHandsOverTheCache(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := toy(t, 2000, never)
		s := settings(t, m, "seed", 3)
		a, b := NewLane(0, m, Options{}), NewLane(1, m, Options{})
		doA, doB := begin(t, a), begin(t, b)
		main := doA(Start{Prompt: []int32{1, 2}, Settings: s}, Advance{300})
		doA(Fork{To: b, Len: 200, Settings: s})
		v := doB(Advance{100})
		if !slices.Equal(written(v), written(main)) {
			t.Error("the fork wrote another text under the same settings")
		}
		if v.ForwardPositions > 102 {
			t.Errorf("the fork ran %d positions for 100 tokens", v.ForwardPositions)
		}
	})
}

func TestMemoryIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := toy(t, 8000, never)
		row := int64(4 * len(words))
		do := begin(t, NewLane(0, m, Options{LogitsBudget: 100 * row, TraceWindow: 500}))
		s := settings(t, m, "seed", 5, "max_new_tokens", 5000)
		v := do(Start{Prompt: []int32{1}, Settings: s}, Advance{2000})
		v = do(Rewind{1990})
		rows, traces := 0, 0
		for _, st := range v.Steps {
			if st.Row != nil {
				rows++
			}
			if st.Trace != nil {
				traces++
			}
			if st.Summary.Rank == 0 {
				t.Fatalf("step %d has no summary", st.Index)
			}
		}
		if rows > 100+evictBlock || rows < 30 || traces > 500+2*evictBlock || traces < 400 {
			t.Errorf("%d rows and %d traces are kept, want about 100 and 500", rows, traces)
		}
		full := begin(t, NewLane(1, m, Options{}))(Start{Prompt: []int32{1}, Settings: s}, Advance{50})
		v = do(Look{Index: 20})
		if v.Looked == nil || v.Looked.Row == nil {
			t.Fatal("looking back at step 20 gave nothing")
		}
		if got, want := fmt.Sprint(v.Looked.Trace), fmt.Sprint(full.Steps[19].Trace); got != want {
			t.Errorf("recomputed step 20:\n%s\nas it was:\n%s", got, want)
		}
		if w := do(Advance{10}); len(w.Steps) != 2000 {
			t.Errorf("%d steps after looking back, want 2000", len(w.Steps))
		}
	})
}

func TestRetraceIsWhatTuneDoes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := toy(t, 500, never)
		do := begin(t, NewLane(0, m, Options{}))
		v := do(Start{Prompt: []int32{1, 2}, Settings: settings(t, m)}, Advance{10})
		hot := settings(t, m, "temperature", 1.9, "top_p", 0.8, "repetition_penalty", 1.3)
		s, err := v.Retrace(10, hot)
		if err != nil {
			t.Fatal(err)
		}
		w := do(Tune{hot})
		if got, want := fmt.Sprint(s.Trace), fmt.Sprint(w.Next.Trace); got != want {
			t.Errorf("what-if:\n%s\ntuned:\n%s", got, want)
		}
		if _, err := v.Retrace(11, hot); err == nil {
			t.Error("a step that does not exist was traced")
		}
	})
}

// A reader that never keeps up still ends with everything, and may touch all
// of it while the lane runs.
func TestSlowReader(t *testing.T) {
	m := toy(t, 1<<20, never)
	l := NewLane(0, m, Options{})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go l.Run(ctx)
	l.Post(Start{Prompt: []int32{1}, Settings: settings(t, m, "max_new_tokens", 3000)})
	l.Post(Advance{-1})
	var last View
	for last = range l.Views() {
		for _, s := range last.Steps[max(0, len(last.Steps)-50):] {
			_ = s.Trace.Rows()[0].Prob + s.Row.Values[0]
		}
		_ = last.Text()
		if last.Phase == Done {
			cancel()
		}
	}
	if len(last.Steps) != 3000 {
		t.Fatalf("the last view has %d steps", len(last.Steps))
	}
}

func TestPartialCharactersAreHeldBack(t *testing.T) {
	v := View{StopAt: -1, Phase: Running, Written: []byte("a\xe2\x96")}
	if v.Text() != "a" || v.Held() != "\xe2\x96" {
		t.Errorf("text %q, held %q", v.Text(), v.Held())
	}
	v.Written = append(v.Written, 0x88)
	if v.Text() != "a█" || v.Held() != "" {
		t.Errorf("text %q, held %q", v.Text(), v.Held())
	}
	v.Written = []byte("a\xff\xfe")
	if v.Text() != "a\xff\xfe" {
		t.Errorf("bytes that nothing completes are held back: %q", v.Text())
	}
}

func TestStopTokenIDs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := toy(t, 500, never)
		v := begin(t, NewLane(0, m, Options{}))(Start{Prompt: []int32{1}, Settings: settings(t, m, "stop_token_ids", []int32{3})}, Advance{-1})
		if ids := written(v); v.Reason != EOS || ids[len(ids)-1] != 3 || slices.Contains(ids[:len(ids)-1], 3) {
			t.Errorf("%v ended by %q", ids, v.Reason)
		}
	})
}
