package record

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"logitscope/engine"
	"logitscope/engine/beam"
	"logitscope/engine/enginetest"
	"logitscope/models"
	"logitscope/sampling"
)

// knobs are settings that a random session turns.
var knobs = [][]any{
	{"temperature", 0.3}, {"temperature", 1.7}, {"temperature", 0.0}, {"top_k", 5}, {"top_k", 0}, {"top_p", 0.6}, {"min_p", 0.05},
	{"typical_p", 0.8}, {"repetition_penalty", 1.3}, {"frequency_penalty", 0.5}, {"presence_penalty", -0.4}, {"no_repeat_ngram_size", 2},
	{"top_n_sigma", 1.0}, {"logit_bias", "abc=2,a=-1"}, {"bad_words", []string{"bc"}}, {"seed", 99}, {"epsilon_cutoff", 0.001}, {"max_new_tokens", 60},
	{"order", "llama.cpp", "mirostat", 2}, {"order", "llama.cpp", "xtc_probability", 0.5, "xtc_threshold", 0.02}, {"order", "llama.cpp", "dry_multiplier", 0.8},
	{"order", "vllm", "top_p", 0.8}, {"order", "ollama"}, {"order", "llama.cpp", "dynatemp_range", 0.4},
	{"constraint", `{"type":"regex","regex":"([a-z]| w[0-9]+)*"}`}, {"schedule", []string{"at token 4: hot", `after "a": top_k=3`}},
}

func presetHot(name string) (sampling.Config, error) {
	if name != "hot" {
		return sampling.Config{}, fmt.Errorf("%s: no such preset; hot", name)
	}
	return sampling.Config{}.MustWith("temperature", 1.9, sampling.FromPreset), nil
}

// session decodes with random knobs, forces, steps back and branches, and
// returns the file and the last view.
func session(t *testing.T, seed uint64, rows RowPolicy, m models.Model) ([]byte, engine.View) {
	r := rand.New(rand.NewPCG(seed, 1))
	var draft engine.Draft
	if r.IntN(4) == 0 {
		draft.NGram = true
	}
	s := newStudio(t, m, rows, draft)
	s.comp.Presets = presetHot
	base := []any{"do_sample", true, "max_new_tokens", 300, "seed", seed}
	cfg := func() sampling.Config {
		pairs := append([]any{}, base...)
		set := map[string]bool{}
		for range r.IntN(4) {
			k := knobs[r.IntN(len(knobs))]
			for i := 0; i < len(k); i += 2 {
				if key := k[i].(string); !set[key] {
					set[key] = true
					pairs = append(pairs, key, k[i+1])
				}
			}
		}
		c, label := enginetest.Config(t, pairs...), fmt.Sprint("p", len(set))
		if _, err := s.comp.Settings(c, label); err != nil {
			return enginetest.Config(t, base...)
		}
		return c
	}
	s.do(engine.Start{Text: "abcab", Prompt: []int32{1, 2, 3, 1, 2}, Settings: s.settings(cfg(), "first")})
	for range 12 {
		switch n := len(s.view.Steps); r.IntN(6) {
		case 0:
			s.do(engine.Tune{Settings: s.settings(cfg(), fmt.Sprint("t", r.IntN(3)))})
		case 1:
			s.do(engine.Force{Token: int32(1 + r.IntN(26))})
		case 2:
			s.do(engine.Rewind{Len: r.IntN(n + 1)})
		default:
			s.do(engine.Advance{N: 1 + r.IntN(4)})
		}
	}
	if err := s.w.Marks(map[int]string{5: "here"}); err != nil {
		t.Fatal(err)
	}
	if err := s.w.End(s.view); err != nil {
		t.Fatal(err)
	}
	return s.file.Bytes(), s.view
}

// A hundred random sessions are derived again: from whole rows every step with
// the very numbers, from 256 of 700 tokens every step that they decide.
func TestRandomSessionsVerify(t *testing.T) {
	runs := 100
	if testing.Short() {
		runs = 12
	}
	steps, left := map[RowPolicy]int{}, map[RowPolicy]map[string]int{RowsFull: {}, RowsBest: {}}
	branches, forced := 0, 0
	for _, rows := range []RowPolicy{RowsFull, RowsBest} {
		for seed := range uint64(runs) {
			synctest.Test(t, func(t *testing.T) {
				file, _ := session(t, seed, rows, dice{700})
				rec, err := Read(bytes.NewReader(file))
				if err != nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
				rep, err := Verify(rec)
				if err != nil {
					t.Fatalf("seed %d, %s: %v", seed, rows, err)
				}
				if rep.First != nil {
					t.Errorf("seed %d, %s: %v", seed, rows, rep.First)
				}
				steps[rows] += rep.Steps
				for _, u := range rep.Undecided {
					left[rows][u.Why]++
				}
				for _, e := range rec.Takes[0].Events {
					if e.Branch != nil {
						branches++
					}
					if e.Step != nil && e.Step.Forced {
						forced++
					}
				}
			})
		}
	}
	t.Logf("%v steps, not decidable %v, %d branches, %d forced", steps, left, branches, forced)
	if steps[RowsFull] < 5*runs || branches < runs/2 || forced < runs/2 {
		t.Errorf("%v steps, %d branches, %d forced: too few to tell", steps, branches, forced)
	}
	if len(left[RowsFull]) > 0 {
		t.Errorf("with whole rows not decidable: %v", left[RowsFull])
	}
	open := 0
	for _, n := range left[RowsBest] {
		open += n
	}
	if 4*open > steps[RowsBest] {
		t.Errorf("%d of %d steps are not decidable from 256 rows", open, steps[RowsBest])
	}
}

// A changed digit, letter or sign anywhere is found.
func TestAChangeAnywhereIsFound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, rows := range []RowPolicy{RowsFull, RowsBest, RowsTop} {
			file, _ := session(t, 3, rows, dice{300})
			r := rand.New(rand.NewPCG(5, 5))
			tries, tried := 150, 0
			if testing.Short() {
				tries = 30
			}
			for tried < tries {
				at := r.IntN(len(file))
				old := file[at]
				var b byte
				switch {
				case old >= '0' && old <= '9':
					b = '0' + (old-'0'+1+byte(r.IntN(9)))%10
				case old >= 'a' && old <= 'y':
					b = old + 1
				default:
					continue
				}
				tried++
				changed := bytes.Clone(file)
				changed[at] = b
				rec, err := Read(bytes.NewReader(changed))
				if err != nil {
					continue
				}
				rep, err := Verify(rec)
				begin := bytes.LastIndexByte(file[:at], '\n') + 1
				end := begin + bytes.IndexByte(file[begin:], '\n')
				if err == nil && rep.First == nil && !sameValues(file[begin:end], changed[begin:end]) {
					line := file[begin:]
					t.Errorf("%s: byte %d changed from %c to %c is not found: %.200s", rows, at, old, b, line)
				}
			}
		}
	})
}

// sameValues reports whether two lines say the same: the last digit of a float
// may be another of the same number.
func sameValues(a, b []byte) bool {
	var x, y any
	return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && reflect.DeepEqual(x, y)
}

// Each line is missed by the one after it, whatever it says, and where two
// change their places the first of them is named.
func TestALineThatIsMissingIsFound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStudio(t, dice{300}, RowsBest, engine.Draft{})
		set := s.settings(enginetest.Config(t, "seed", 3), "a")
		for _, prompt := range [][]int32{{1, 2, 3}, {4, 5}} { // two runs, the first of which is left without an end
			s.do(engine.Start{Text: fmt.Sprint(prompt), Prompt: prompt, Settings: set}, engine.Advance{N: 2})
			if err := s.w.Marks(map[int]string{3: "here"}); err != nil {
				t.Fatal(err)
			}
			s.do(engine.Advance{N: 2})
		}
		if err := s.w.End(s.view); err != nil {
			t.Fatal(err)
		}
		lines := strings.SplitAfter(strings.TrimSuffix(s.file.String(), "\n"), "\n")
		check := func(lines []string) (Report, error) {
			rec, err := Read(strings.NewReader(strings.Join(lines, "")))
			if err != nil {
				return Report{}, err
			}
			return Verify(rec)
		}
		if rep, err := check(lines); err != nil || rep.First != nil || rep.Unended+rep.Unsealed+rep.Unnumbered != 0 {
			t.Fatalf("whole: %+v, %v", rep, err)
		}
		kinds := map[string]bool{}
		for i := range len(lines) - 1 {
			var head struct{ Type string }
			if err := json.Unmarshal([]byte(lines[i]), &head); err != nil {
				t.Fatal(err)
			}
			kinds[head.Type] = true
			without := slices.Delete(slices.Clone(lines), i, i+1)
			if rep, err := check(without); err == nil && rep.First == nil {
				t.Errorf("line %d, %s, is not missed", i+1, head.Type)
			}
			swapped := slices.Clone(lines)
			swapped[i], swapped[i+1] = lines[i+1], lines[i]
			if rep, err := check(swapped); err == nil && rep.First == nil {
				t.Errorf("line %d, %s, after the one after it is not found", i+1, head.Type)
			}
		}
		if len(kinds) < 4 { // pieces, run, step, mark
			t.Errorf("only lines of %v", kinds)
		}
		rep, err := check(lines[:len(lines)-1])
		if err != nil || rep.First != nil || rep.Unended != 1 {
			t.Errorf("without its end: %+v, %v", rep, err)
		}
		bare := regexp.MustCompile(`,"n":\d+,"check":"\w+"`)
		if rep, err := check([]string{bare.ReplaceAllString(s.file.String(), "")}); err != nil || rep.First != nil || rep.Unsealed != 2 {
			t.Errorf("without checksums: %+v, %v", rep, err)
		}
	})
}

// A search that begins again under other settings, or goes back, is in the file
// as a whole, after the settings it ran under.
func TestSearchesOneAfterTheOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStudio(t, dice{300}, RowsBest, engine.Draft{})
		set := func(beams int) *engine.Settings {
			return s.settings(enginetest.Config(t, "do_sample", false, "num_beams", beams, "max_new_tokens", 6), "x")
		}
		var want []string
		seen := map[*beam.Step]bool{}
		saw := func(v engine.View) {
			for _, st := range v.Beam.Steps {
				if !seen[st] {
					seen[st] = true
					want = append(want, fmt.Sprintf("%d of %d", st.Index, len(st.Groups[0].Running)))
				}
			}
		}
		saw(s.do(engine.Start{Text: "abc", Prompt: []int32{1, 2, 3}, Settings: set(3)}, engine.Advance{N: 4}))
		saw(s.do(engine.Tune{Settings: set(2)}, engine.Advance{N: 2}))
		saw(s.do(engine.Rewind{Len: 1}))
		saw(s.do(engine.Advance{N: 2}))
		saw(s.do(engine.Start{Text: "abc", Prompt: []int32{1, 2, 3}, Settings: set(2)}, engine.Advance{N: 3}))
		s.do(engine.Tune{Settings: set(1)}, engine.Advance{N: 3})
		if err := s.w.End(s.view); err != nil {
			t.Fatal(err)
		}
		rec, err := Read(bytes.NewReader(s.file.Bytes()))
		if err != nil {
			t.Fatal(err)
		}
		rep, err := Verify(rec)
		if err != nil || rep.First != nil || rep.Searched != len(want) || rep.Steps < 3 {
			t.Errorf("%+v, %v; want %d steps of searches", rep, err, len(want))
		}
		var got, beams []string
		for _, l := range strings.Split(strings.TrimSpace(s.file.String()), "\n") {
			var line struct {
				Type    string
				Step    int
				Beams   []BeamState
				Changes map[string]json.RawMessage
			}
			if err := json.Unmarshal([]byte(l), &line); err != nil {
				t.Fatal(err)
			}
			switch line.Type {
			case "beam_step":
				got = append(got, fmt.Sprintf("%d of %d", line.Step, len(line.Beams)))
			case "set":
				beams = append(beams, string(line.Changes["num_beams"]))
			}
		}
		if len(want) < 10 || !slices.Equal(got, want) || !slices.Equal(beams, []string{"2", "1"}) {
			t.Errorf("steps %q, want %q; num_beams set to %q", got, want, beams)
		}
	})
}

// Without its checksums too a file is held to what follows from its rows, and
// the first step that differs is named.
func TestTheFirstDifferenceIsNamed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		file, v := session(t, 9, RowsFull, dice{300})
		lines := strings.Split(strings.TrimSuffix(string(file), "\n"), "\n")
		for i, l := range lines {
			at := strings.Index(l, `,"check"`)
			lines[i] = l[:at] + "}"
		}
		steps := 0
		for i, l := range lines {
			if !strings.HasPrefix(l, `{"type":"step"`) {
				continue
			}
			steps++
			for _, f := range []struct{ field, from, to string }{
				{"logprob", `"logprob":-`, `"logprob":-1`},
				{"stages[0].kept", `"kept":`, `"kept":1`},
				{"rank", `"rank":`, `"rank":1`},
				{"top[0].raw_prob", `"raw_prob":0.`, `"raw_prob":0.1`},
			} {
				if !strings.Contains(l, f.from) {
					continue
				}
				changed := append([]string{}, lines...)
				changed[i] = strings.Replace(l, f.from, f.to, 1)
				rec, err := Read(strings.NewReader(strings.Join(changed, "\n") + "\n"))
				if err != nil {
					t.Fatal(err)
				}
				rep, err := Verify(rec)
				if err != nil || rep.First == nil || rep.First.Line != i+1 || rep.First.Field != f.field {
					t.Errorf("line %d, %s: %v, %v", i+1, f.field, rep.First, err)
				}
			}
		}
		if steps < 5 || len(v.Steps) == 0 {
			t.Errorf("%d steps", steps)
		}
	})
}

// A file that ends anywhere has all steps whose lines are whole.
func TestACutFileKeepsItsSteps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		file, _ := session(t, 4, RowsBest, dice{300})
		whole := bytes.Count(file, []byte(`{"type":"step"`))
		body := file[:bytes.LastIndex(file, []byte(`{"type":"step"`))]
		last := file[len(body):]
		for n := 1; n < bytes.IndexByte(last, '\n'); n += 61 {
			rec, err := Read(bytes.NewReader(file[:len(body)+n]))
			if err != nil || !rec.Cut || rec.Takes[0].Steps() != whole-1 {
				t.Fatalf("cut after %d bytes of a line: %v, %+v", n, err, rec)
			}
			if rep, err := Verify(rec); err != nil || rep.First != nil {
				t.Fatalf("cut after %d bytes of a line: %v, %v", n, err, rep.First)
			}
		}
	})
}
