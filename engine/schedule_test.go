package engine

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"logitscope/engine/enginetest"
	"logitscope/engine/schedule/scheduletest"
	"logitscope/models"
	"logitscope/sampling/value"
)

func scheduled(t testing.TB, m models.Model, rules []string, pairs ...any) *Settings {
	t.Helper()
	c := NewCompiler(m)
	c.Presets = scheduletest.Presets
	s, err := c.Settings(enginetest.Config(t, append([]any{"do_sample", true, "max_new_tokens", 1000, "schedule", rules}, pairs...)...), "base")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestRuleErrors(t *testing.T) {
	for _, tt := range []struct{ rule, want string }{
		{"", "the end of the rule: at token N"},
		{"sometimes: hot", `"sometimes:": at token N, before token N, after "TEXT"`},
		{"at 40: hot", `at is followed by token N, not by "40:"`},
		{"at token x: hot", `must be a number from 1`},
		{"at token 0: hot", `must be a number from 1`},
		{"at token -1: hot", `must be a number from 1`},
		{"at token 99999999999: hot", `must be a number from 1`},
		{"at token 40 hot", `want a colon before "hot"`},
		{"at token 40", "want a colon before the end of the rule"},
		{"at token 40:", "nothing after the colon; a preset"},
		{"after </think>: hot", `after is followed by token N or a text in double quotation marks, not by "</think>:"`},
		{`after "": hot`, "must not be empty"},
		{`after "x: hot`, "double quotation marks"},
		{"after 'x': hot", "double quotation marks"},
		{"at token 5 until token 5: hot", "not after token 5"},
		{"inside a string: hot", `inside is followed by a JSON string, not by "string:"`},
		{"at token 4: lukewarm", "lukewarm: no such preset; hot, cold"},
		{"at token 4: temprature=1", "temperature is meant"},
		{"at token 4: temperature=hot", "temperature: want a number"},
		{"at token 4: top_p=2", "top_p: 2 is out of range, 0 to 1"},
		{"at token 4: temperature=3; order=vllm", "0 to 2 under vllm"},
		{"at token 4: max_new_tokens=9", "holds for a whole text"},
		{"at token 4: num_beams=4", "holds for a whole text"},
		{"at token 4: stop=a", "holds for a whole text"},
		{"at token 4: temperature=1; hot", "a preset comes first"},
		{"at token 4: constraint={\"type\":\"regex\",\"regex\":\"(\"}", "rule 1"},
	} {
		m := toy(t, 50, never)
		c := NewCompiler(m)
		c.Presets = scheduletest.Presets
		_, err := c.Settings(enginetest.Config(t, "schedule", []string{tt.rule}), "")
		if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.HasPrefix(err.Error(), "schedule: rule 1 ("+tt.rule+"): ") || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v; want one line with %q", tt.rule, err, tt.want)
		}
	}
	for _, set := range [][]any{{"num_beams", 4}, {"penalty_alpha", 0.5}} {
		err := CheckSchedule(enginetest.Config(t, append(set, "schedule", []string{"at token 4: hot"})...), scheduletest.Presets)
		if err == nil || !strings.Contains(err.Error(), "keeps one set of settings") {
			t.Errorf("%v: %v", set, err)
		}
	}
	if err := CheckSchedule(enginetest.Config(t, "schedule", slices.Repeat([]string{"at token 4: hot"}, 65)), scheduletest.Presets); err == nil || !strings.Contains(err.Error(), "at most 64") {
		t.Errorf("65 rules: %v", err)
	}
	if err := CheckSchedule(enginetest.Config(t, "schedule", []string{"at token 4: hot"}), nil); err == nil || !strings.Contains(err.Error(), "no presets are known") {
		t.Errorf("without presets: %v", err)
	}
}

// A preset takes the place of what shapes the distribution; limits, the order,
// the seed, biases and the constraint stay. Pairs change what they name, and
// may hold semicolons.
func TestWhatARulePutsInForce(t *testing.T) {
	m := toy(t, 50, never)
	base := []any{"top_p", 0.5, "seed", 3, "logit_bias", map[string]any{"1": 1}, "temperature", 0.7}
	for _, tt := range []struct {
		rules []string
		label string
		want  map[string]any
	}{
		{[]string{"at token 1: hot"}, "hot", map[string]any{"temperature": 2.0, "top_p": 1.0, "max_new_tokens": int64(1000), "repetition_penalty": 1.2, "seed": uint64(3)}},
		{[]string{"at token 1: hot; top_k=4"}, "hot*", map[string]any{"temperature": 2.0, "top_k": int64(4)}},
		{[]string{"at token 1: temperature=0.3; top_p=0.8"}, "base*", map[string]any{"temperature": 0.3, "top_p": 0.8}},
		{[]string{"at token 1: hot", "at token 1: cold"}, "cold", map[string]any{"temperature": 0.2, "repetition_penalty": 1.0}},
		{[]string{"at token 1: top_p=0.9", "at token 1: temperature=0.1"}, "base*", map[string]any{"temperature": 0.1, "top_p": 0.9}},
		{[]string{`at token 1: bad_words=["a;b","top_k=3;x"]; top_k=7 ;`}, "base*", map[string]any{"top_k": int64(7), "temperature": 0.7}},
		{[]string{"at token 9: hot"}, "base", map[string]any{"temperature": 0.7}},
	} {
		s := scheduled(t, m, tt.rules, base...)
		got, err := s.under(s.schedule.After(nil))
		if err != nil {
			t.Fatal(err)
		}
		if got.Label != tt.label {
			t.Errorf("%q: label %q, want %q", tt.rules, got.Label, tt.label)
		}
		for key, want := range tt.want {
			if v := got.Config().Value(key); v != want {
				t.Errorf("%q: %s %v, want %v", tt.rules, key, v, want)
			}
		}
		if n := len(got.Config().Value("logit_bias").([]value.TokenBias)); n != 1 {
			t.Errorf("%q: the bias is gone", tt.rules)
		}
		if again, _ := s.under(s.schedule.After(nil)); again != got {
			t.Errorf("%q: the same rules give other settings", tt.rules)
		}
	}
}

// Stepping, looking, taking back, forking and asking what if change nothing
// under a schedule either, nor does a step of every place made again.
func TestInspectionChangesNothingUnderASchedule(t *testing.T) {
	rules := []string{`after "b" until "c": hot`, "at token 20: cold", `at token 30 until ". x": temperature=1.7; repetition_penalty=1.3`}
	for _, extra := range [][]any{
		{"temperature", 1.0},
		{"order", "llama.cpp", "mirostat", 2, "mirostat_tau", 2.0},
		{"order", "llama.cpp", "xtc_probability", 0.5, "xtc_threshold", 0.1},
	} {
		synctest.Test(t, func(t *testing.T) {
			m := toy(t, 500, never)
			s := scheduled(t, m, rules, append([]any{"seed", 7}, extra...)...)
			other := settings(t, m, "seed", 99, "temperature", 2.0)
			start := Start{Prompt: []int32{1, 2, 3}, Settings: s}
			one := begin(t, NewLane(0, m, Options{}))(start, Advance{60})
			do := begin(t, NewLane(1, m, Options{}))
			do(start)
			do(Advance{13})
			do(Tune{other}, Advance{4})
			do(Rewind{9}, Tune{s})
			do(Advance{17})
			do(Look{3})
			do(Rewind{22})
			do(Advance{30})
			v := do(Advance{8})
			a, b := written(one), written(v)
			if len(a) != 60 || !slices.Equal(a, b) {
				t.Fatalf("%v\nin one go:   %v\nwith detours: %v", extra, a, b)
			}
			second := NewLane(2, m, Options{})
			do2 := begin(t, second)
			do(Fork{To: second, Len: 11, Settings: s})
			if f := do2(Advance{49}); !slices.Equal(written(f), a) {
				t.Errorf("%v\nin one go: %v\nforked:    %v", extra, a, written(f))
			}
			labels := map[string]bool{}
			for k, step := range one.Steps {
				labels[step.Settings.Label] = true
				again, err := one.Retrace(k, s)
				if err != nil || again.Token != step.Token || again.Settings != step.Settings || v.Steps[k].Settings != step.Settings {
					t.Fatalf("step %d: %v, token %d under %q, was %d under %q", k+1, err, again.Token, again.Settings.Label, step.Token, step.Settings.Label)
				}
			}
			if !labels["base"] || !labels["cold"] || !labels["hot"] {
				t.Errorf("the text was written under %v", labels)
			}
		})
	}
}

// A knob turned in the middle of a text keeps the schedule, and how far its
// rules have come; a schedule that is new to a text reads it from the start.
func TestTuningKeepsTheSchedule(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := toy(t, 500, never)
		rules := []string{`after "x": cold`, "at token 9: hot"}
		do := begin(t, NewLane(0, m, Options{}))
		do(Start{Prompt: []int32{1}, Settings: scheduled(t, m, rules)})
		do(Force{1})
		v := do(Force{7}) // "x"
		if v.Next.Settings.Label != "cold" {
			t.Fatalf("after x: %q", v.Next.Settings.Label)
		}
		v = do(Tune{scheduled(t, m, rules, "min_p", 0.01)})
		if v.Next.Settings.Label != "cold" || v.Settings.Config().Float("min_p") != 0.01 {
			t.Errorf("after a change: %q", v.Next.Settings.Label)
		}
		v = do(Tune{settings(t, m)}, Force{2}, Force{2})
		if v.Next.Settings != v.Settings {
			t.Errorf("without a schedule: %q", v.Next.Settings.Label)
		}
		v = do(Tune{scheduled(t, m, rules)})
		if v.Next.Settings.Label != "cold" {
			t.Errorf("put in force again: %q", v.Next.Settings.Label)
		}
		// Other rules read the text for themselves: it is "axbbb" now.
		do(Force{2})
		v = do(Tune{scheduled(t, m, []string{`before "x": cold`, `after "bb": hot`})})
		if v.Next.Settings.Label != "hot" {
			t.Errorf("under other rules: %q", v.Next.Settings.Label)
		}
		if v = do(Rewind{1}, Tune{scheduled(t, m, rules)}); v.Next.Settings.Label != "base" {
			t.Errorf("before x: %q", v.Next.Settings.Label)
		}
		v = do(Advance{10})
		for _, s := range v.Steps[8:] {
			if s.Settings.Label != "hot" {
				t.Errorf("token %d under %q", s.Index, s.Settings.Label)
			}
		}
		if rules := v.Steps[9].Settings.Scheduled(); len(rules) == 0 || rules[len(rules)-1] != "at token 9: hot" {
			t.Errorf("rules in force %q", rules)
		}
	})
}

// A text that is bound only behind a mark: free first, then held to a regex
// whose end ends the text.
func TestScheduledConstraint(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := toy(t, 500, never)
		rules := []string{`after "x": constraint={"type":"regex","regex":"(a|b){5}"}`}
		for seed := range 20 {
			v := begin(t, NewLane(0, m, Options{}))(Start{Prompt: []int32{1}, Settings: scheduled(t, m, rules, "seed", seed)}, Advance{-1})
			text := v.Text()
			i := strings.Index(text, "x")
			if v.Phase != Done || v.Reason != Constraint || i < 0 || len(text) != i+6 || strings.Trim(text[i+1:], "ab") != "" {
				t.Errorf("seed %d: %v %q, %q", seed, v.Phase, v.Reason, text)
			}
		}
	})
}

// Rounds cross the borders of rules: under greedy rules of biases and
// penalties the text is the plain one, token by token.
func TestScheduleWithADraft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := toy(t, 2000, never)
		rules := []string{
			"at token 7: logit_bias=2=1.5", `after "b" until "c": repetition_penalty=1.6`, `after "the " until ". ": logit_bias=3=2; presence_penalty=0.7`,
			`at token 60 until token 90: constraint={"type":"regex","regex":"(a|b|c|x){40}"}`,
		}
		greedy := []any{"do_sample", false, "max_new_tokens", 150, "repetition_penalty", 1.1, "num_assistant_tokens", 4}
		start := Start{Prompt: []int32{1, 2, 3}, Settings: scheduled(t, m, rules, greedy...)}
		plain := begin(t, NewLane(0, m, Options{}))(start, Advance{-1})
		for _, d := range []Draft{{Model: other(t, m)}, {NGram: true}} {
			do := begin(t, NewLane(1, m, Options{Draft: d}))
			v := do(start, Advance{-1})
			if v.Err != nil || !slices.Equal(written(v), written(plain)) {
				t.Errorf("draft %+v: %v\n%v\nplain\n%v", d, v.Err, written(v), written(plain))
			}
			for k, s := range v.Steps {
				if s.Settings != plain.Steps[k].Settings {
					t.Fatalf("token %d under %q, plain under %q", k+1, s.Settings.Label, plain.Steps[k].Settings.Label)
				}
			}
			do(Rewind{61})
			if v = do(Advance{-1}); !slices.Equal(written(v), written(plain)) {
				t.Errorf("after taking back: %v", written(v))
			}
		}
	})
}

// With draws: where a rule leaves one token, rounds write that one.
func TestDraftsFollowACutInsideARound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := toy(t, 2000, never)
		s := scheduled(t, m, []string{"at token 12: top_k=1", "at token 24: temperature=1.5; top_k=0"}, "temperature", 1.5, "max_new_tokens", 40, "num_assistant_tokens", 5)
		for seed := range 5 {
			start := Start{Prompt: []int32{1, int32(1 + seed)}, Settings: s}
			v := begin(t, NewLane(0, m, Options{Draft: Draft{Model: other(t, m)}}))(start, Advance{-1})
			for _, x := range v.Steps[11:23] {
				if x.Summary.Rank != 1 || x.Trace.Survived != 1 {
					t.Errorf("token %d has rank %d of %d survivors", x.Index, x.Summary.Rank, x.Trace.Survived)
				}
			}
		}
	})
}
