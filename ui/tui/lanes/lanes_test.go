package lanes

import (
	"context"
	"sync"
	"testing"
	"time"

	"logitscope/engine"
	"logitscope/models"
	"logitscope/models/fable"
	"logitscope/models/llama"
	"logitscope/presets"
	"logitscope/sampling"
	"logitscope/ui/tui/run"
)

var openFable = sync.OnceValues(func() (models.Model, error) { return fable.Open(llama.Options{Workers: 1}) })

// sideBySide are lanes on one prompt, a lane for each preset, which write n
// tokens; each calls after every token.
func sideBySide(t *testing.T, n int, each func(lanes *run.Lanes, written int), names ...string) *run.Lanes {
	t.Helper()
	model, err := openFable()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	lanes := run.New(ctx, nil, engine.Draft{}, 30, false)
	t.Cleanup(func() { cancel(); lanes.End() })
	ids, err := engine.Prompt(ctx, model, "Once upon a time there was a little fox who lived in the")
	if err != nil {
		t.Fatal(err)
	}
	for i, name := range names {
		for _, p := range presets.Builtin() {
			if p.Name != name {
				continue
			}
			l := run.NewLane(i, model, engine.Options{Greedy: true}, p.Config.MustWith("seed", 42, sampling.FromFlag), -1, lanes.Book)
			if l.Settings, err = l.Compile(l.Config, -1); err != nil {
				t.Fatal(err)
			}
			lanes.All = append(lanes.All, l)
			lanes.StartLane(l)
			l.Eng.Post(engine.Start{Text: "story", Prompt: ids, Settings: l.Settings})
		}
	}
	for k := range n + 1 {
		for _, l := range lanes.All {
			if k > 0 {
				l.Eng.Post(engine.Advance{N: 1})
			}
			timeout := time.After(2 * time.Minute)
			for len(l.View.Steps) != k || l.View.Next == nil || l.View.Phase != engine.Paused {
				select {
				case v := <-l.Eng.Views():
					l.Take(v)
				case <-timeout:
					t.Fatalf("still waiting for token %d", k)
				}
			}
		}
		each(lanes, k)
	}
	return lanes
}

// Same token, same row: at every step of a run, whatever the lanes show.
func TestSameTokenSameRow(t *testing.T) {
	sideBySide(t, 20, func(lanes *run.Lanes, written int) {
		steps := stepsSideBySide(lanes.All)
		for _, h := range []int{1, 4, 9, 24} {
			rows := alignRows(steps, h)
			at := make(map[int32]int)
			for k, lane := range rows {
				drawn := false
				for y, id := range lane {
					if id < 0 {
						continue
					}
					if was, ok := at[id]; ok && was != y {
						t.Fatalf("token %d stands in rows %d and %d", id, was, y)
					}
					at[id] = y
					drawn = drawn || id == steps[k].s.Token
				}
				if h >= 9 && !drawn {
					t.Errorf("step %d: lane %d shows no row for its token", written, k+1)
				}
			}
		}
	}, "factual", "chat", "creative", "neutral")
}

// The sentence that explains the parting is true: the intervals hold u, and
// each change alone gives the token it names.
func TestWhyTheyPartIsTrue(t *testing.T) {
	lanes := sideBySide(t, 8, func(*run.Lanes, int) {}, "chat", "creative")
	a, b := lanes.All[0], lanes.All[1]
	v := New(lanes, nil)
	k, _ := keyOf(a, b)
	v.pairs[k] = &pair{}
	for cmd := v.job(k, a, b); cmd != nil; cmd = v.job(k, a, b) {
		v.take(cmd().(measureMsg))
	}
	p := v.pairOf(a, b)
	if !p.parts || p.why == nil {
		t.Fatal("the lanes did not part")
	}
	x, y := p.steps[0], p.steps[1]
	if x.Token == y.Token || x.Trace.U != y.Trace.U || run.FirstDifference(a.View.Steps, b.View.Steps, 8) != p.at[0] {
		t.Errorf("parting at %d: tokens %d and %d, u %v and %v", p.at[0]+1, x.Token, y.Token, x.Trace.U, y.Trace.U)
	}
	w := p.why
	if w.U < w.A.Lo || w.U >= w.A.Hi || w.U < w.B.Lo || w.U >= w.B.Hi {
		t.Errorf("u %v is not in [%v, %v) and [%v, %v)", w.U, w.A.Lo, w.A.Hi, w.B.Lo, w.B.Hi)
	}
	if len(w.Alone) == 0 {
		t.Error("no change is tried alone")
	}
	for _, c := range w.Alone {
		cfg := x.Settings.Config()
		s, _ := y.Settings.Config().Lookup(c.Key)
		set, err := a.Comp.Settings(cfg.MustWith(c.Key, s.Value, s.Origin), "")
		if err != nil {
			t.Fatal(err)
		}
		if got, err := a.View.Retrace(p.at[0], set); err != nil || got.Token != c.Token {
			t.Errorf("%s alone draws %d, said %d (%v)", c.Key, got.Token, c.Token, err)
		}
	}
	a.LookAt(p.at[0] + 1)
	b.LookAt(p.at[0] + 1)
	for _, r := range stepsSideBySide(lanes.All) {
		if r.group != 0 {
			t.Error("the lanes saw the same text, but are drawn as if they had not")
		}
	}
}

// Lanes on one file that compute differently are told apart by how.
func TestModelTitles(t *testing.T) {
	lanes := &run.Lanes{}
	for _, opt := range []llama.Options{{}, {Arith: llama.LlamaCPP, KVType: llama.F16}, {Arith: llama.LlamaCPP, FlashAttention: true}} {
		m, err := fable.Open(opt)
		if err != nil {
			t.Fatal(err)
		}
		defer m.Close()
		lanes.All = append(lanes.All, &run.Lane{Model: m})
	}
	v := &View{lanes: lanes}
	want := []string{"arith exact f32", "arith llama.cpp f16", "arith llama.cpp f16 flash"}
	for i, l := range lanes.All {
		if got := v.modelTitle(l); got != want[i] {
			t.Errorf("lane %d: %q, want %q", i+1, got, want[i])
		}
	}
	draft, err := fable.OpenDraft(llama.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer draft.Close()
	lanes.All[0] = &run.Lane{Model: draft}
	for i, want := range []string{"fable-draft", "fable, arith llama.cpp"} {
		if got := v.modelTitle(lanes.All[i]); got != want {
			t.Errorf("lane %d: %q, want %q", i+1, got, want)
		}
	}
}
