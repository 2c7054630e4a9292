package record

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"testing"
	"testing/synctest"

	"logitscope/engine"
	"logitscope/engine/enginetest"
	"logitscope/models/tape"
)

// With whole rows a lane on the recording does what the lane on the model did:
// every step, its trace and its what-ifs, to the last bit.
func TestATapeAnswersAsTheModel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := dice{700}
		live := newStudio(t, m, RowsFull, engine.Draft{})
		set := func(s *studio, temp float64) *engine.Settings {
			return s.settings(enginetest.Config(t, "do_sample", true, "max_new_tokens", 300, "seed", 5, "temperature", temp, "top_p", 0.9), "x")
		}
		session := func(s *studio) engine.View {
			s.do(engine.Start{Text: "abc", Prompt: []int32{1, 2, 3}, Settings: set(s, 1)})
			s.do(engine.Advance{N: 8})
			s.do(engine.Tune{Settings: set(s, 0.6)}, engine.Advance{N: 4})
			s.do(engine.Force{Token: 7})
			s.do(engine.Advance{N: 3})
			s.do(engine.Rewind{Len: 5}, engine.Tune{Settings: set(s, 1.4)})
			return s.do(engine.Advance{N: 6})
		}
		want := session(live)
		file := bytes.Clone(live.file.Bytes())
		all, err := tape.Read(bytes.NewReader(file))
		if err != nil {
			t.Fatal(err)
		}
		back := newStudio(t, all[0], RowsFull, engine.Draft{})
		got := session(back)
		if len(got.Steps) != len(want.Steps) || len(got.Steps) != 11 {
			t.Fatalf("%d steps, want %d", len(got.Steps), len(want.Steps))
		}
		for k := range want.Steps {
			for _, temp := range []float64{0, 0.3, 2} {
				a, err := want.Retrace(k, set(live, temp))
				if err != nil {
					t.Fatal(err)
				}
				b, err := got.Retrace(k, set(back, temp))
				if err != nil {
					t.Fatal(err)
				}
				if x, y := fmt.Sprintf("%+v", *a.Trace), fmt.Sprintf("%+v", *b.Trace); x != y {
					t.Fatalf("step %d at %v:\n%s\non the tape\n%s", k+1, temp, x, y)
				}
			}
			if x, y := fmt.Sprintf("%+v", *want.Steps[k].Trace), fmt.Sprintf("%+v", *got.Steps[k].Trace); x != y {
				t.Fatalf("step %d:\n%s\non the tape\n%s", k+1, x, y)
			}
		}
	})
}

// What a reader does with any bytes: an error of one line, or a recording that
// can be verified without harm.
func FuzzRecording(f *testing.F) {
	f.Add([]byte(`{"type":"run","version":2,"model":{"name":"m","vocab":4,"context":9},"prompt":"a","prompt_tokens":[1],"config":{"temperature":1},"order":"transformers","seed":1}
{"type":"step","pos":1,"token":2,"stages":[{"name":"x","kept":1,"removed":0,"mass":1}],"top":[],"row":{"n":4,"values":"AAAAAAAAgD8AAAAAAAAAAA==","lse":1.7,"max":1}}
{"type":"set","before_pos":2,"changes":{"top_k":2},"preset":"p","order":null}
{"type":"branch","id":2,"from":1,"keep":0}
{"type":"mark","pos":1,"text":"x"}
{"type":"end","reason":"eos","text":"","tokens":1}
`))
	// Rounds of drafts with whole rows, which are judged again.
	for _, name := range []string{"testdata/round.jsonl", "testdata/drafts.jsonl"} {
		seed, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		r, err := Read(bytes.NewReader(seed))
		if err != nil {
			f.Fatal(err)
		}
		if rep, err := Verify(r); err != nil || rep.Rounds != 1 || rep.First != nil {
			f.Fatalf("%s: %+v, %v", name, rep, err)
		}
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := Read(bytes.NewReader(data))
		if err != nil {
			return
		}
		Verify(r)
	})
}

// On a recording of the best of each row a setting that looks beyond them says
// so, and one that does not says nothing.
func TestAPartialRowSaysWhatItCannotAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		live := newStudio(t, dice{700}, RowsBest, engine.Draft{})
		live.do(engine.Start{Text: "abc", Prompt: []int32{1, 2, 3}, Settings: live.settings(enginetest.Config(t, "do_sample", true, "seed", 5), "x")}, engine.Advance{N: 3})
		all, err := tape.Read(bytes.NewReader(live.file.Bytes()))
		if err != nil {
			t.Fatal(err)
		}
		m := all[0]
		if m.Whole() || m.Info().Caps.TopN != BestRows {
			t.Fatalf("whole %v, %+v", m.Whole(), m.Info().Caps)
		}
		for _, tt := range []struct {
			key   string
			value any
			exact bool
		}{{"temperature", 1.7, false}, {"typical_p", 0.5, false}, {"top_k", 20, true}, {"top_p", 0.3, true}} {
			back := newStudio(t, m, RowsBest, engine.Draft{})
			set := back.settings(enginetest.Config(t, "do_sample", true, "seed", 5, "top_k", 0, tt.key, tt.value), "x")
			v := back.do(engine.Start{Text: "abc", Prompt: []int32{1, 2, 3}, Settings: set})
			in, err := v.Input(0)
			if err != nil {
				t.Fatal(err)
			}
			if verdict, ok := engine.VerdictOf(m, set, v.Next, in, tt.key); !ok || verdict.Exact != tt.exact {
				t.Errorf("%s %v: %+v, said %v; want exact %v", tt.key, tt.value, verdict, ok, tt.exact)
			}
		}
	})
}

// A cue goes with the text that is left where the prompt is begun again, but
// the file keeps it; one that was taken out is out.
func TestCuesOutliveTheirText(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStudio(t, dice{300}, RowsBest, engine.Draft{})
		set := s.settings(enginetest.Config(t, "seed", 3), "a")
		prompt := []int32{1, 2, 3}
		start := func() engine.View {
			return s.do(engine.Start{Text: "abc", Prompt: prompt, Settings: set})
		}
		marks := func(m map[int]string) {
			if err := s.w.Marks(m); err != nil {
				t.Fatal(err)
			}
		}
		start()
		s.do(engine.Advance{N: 6})
		marks(map[int]string{5: "stays", 6: "goes"})
		marks(map[int]string{5: "stays"})
		start()
		marks(nil)
		s.do(engine.Advance{N: 6})
		marks(nil)
		rec, err := Read(bytes.NewReader(s.file.Bytes()))
		if err != nil {
			t.Fatal(err)
		}
		if got := rec.Takes[0].Marks(); len(rec.Takes) != 1 || !maps.Equal(got, map[int]string{5: "stays"}) {
			t.Errorf("%d takes, %v", len(rec.Takes), got)
		}
	})
}
