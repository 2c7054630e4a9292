package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"logitscope/engine/bench/prompts"
	"logitscope/engine/check"
	"logitscope/engine/enginetest"
	"logitscope/engine/stats"
	"logitscope/models"
	"logitscope/models/table"
	"logitscope/sampling"
)

// coin is a table that writes "a" or "b" after anything, "a" with probability
// 0.8.
func coin(t testing.TB) models.Model {
	row := []float64{-30, math.Log(0.8), math.Log(0.2)}
	b, err := json.Marshal(map[string]any{"kind": "markov1", "vocab": []string{"<eos>", "a", "b"}, "eos_id": 0, "logits": [][]float64{row, row, row}, "context": 64})
	if err != nil {
		t.Fatal(err)
	}
	m, err := table.Parse("coin.json", bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func checks(t testing.TB, text string) check.List {
	t.Helper()
	l, err := (&check.Reader{}).ReadShort(text)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// benchPlan is a plan over n prompts, each "a".
func benchPlan(t testing.TB, m models.Model, n, seeds int, configs ...sampling.Config) *Plan {
	p := &Plan{Prompts: prompts.Of(make([]string, n)...), Count: n}
	texts := make([]string, n)
	for i := range texts {
		texts[i] = "a"
	}
	p.Prompts = prompts.Of(texts...)
	b := backend(m)
	for i, c := range configs {
		p.Configs = append(p.Configs, Config{string(rune('A' + i)), b, c})
	}
	for i := range seeds {
		p.Seeds = append(p.Seeds, uint64(100+i))
	}
	return p
}

func results(t testing.TB, p *Plan, opt Options) *Results {
	t.Helper()
	r, err := Run(t.Context(), p, opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

func summary(t testing.TB, r *Results, opt SummaryOptions) *Summary {
	t.Helper()
	s, err := Summarise(r.Plan, r, opt, nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Settings whose texts pass 80 % and about 94 % of the time are told apart, and
// settings that are the same are not, down to the last text.
func TestVerdictsOnTexts(t *testing.T) {
	p := benchPlan(t, coin(t), 40, 8, enginetest.Config(t, "max_new_tokens", 1), enginetest.Config(t, "max_new_tokens", 1, "temperature", 0.5), enginetest.Config(t, "max_new_tokens", 1))
	p.Checks = checks(t, "equals: a")
	s := summary(t, results(t, p, Options{}), SummaryOptions{PassAt: []int{1, 8}})
	k := MetricNamed("pass")
	pass := func(c int) stats.Estimate { return s.All.Configs[c].Values[k] }
	if math.Abs(pass(0).Value-0.8) > 0.1 || math.Abs(pass(1).Value-16./17) > 0.06 || pass(0).N != 40 {
		t.Errorf("passes %+v and %+v, want about 0.80 and 0.94 of 40 prompts", pass(0), pass(1))
	}
	if v := s.All.Configs[1].Verdicts[k]; v.Finding != stats.More || v.Adjusted <= v.P {
		t.Errorf("%+v, want more, adjusted for two", v)
	}
	if v := s.All.Configs[2].Verdicts[k]; v.Finding != stats.Same || v.Diff.Value != 0 || v.Diff.Low >= -0.05 || !math.IsInf(v.Needed, 1) {
		t.Errorf("the same settings: %+v", v)
	}
	if fmt.Sprint(s.Same) != "[[0 2]]" {
		t.Errorf("the same texts: %v, want A and C", s.Same)
	}
	if a, b := s.AtK[0][0], s.AtK[1][0]; math.Abs(a.Value-pass(0).Value) > 1e-12 || b.Value < a.Value {
		t.Errorf("pass@1 %v, pass@8 %v, passes %v", a, b, pass(0))
	}
	if m := s.All.Configs[0].Values[MetricNamed("majority")]; m.Value < 0.95 || m.N != 40 {
		t.Errorf("majorities of 8 pass %+v, want nearly all", m)
	}
	// The likeliest of 8 texts of one token is "a" unless none is.
	if m := s.All.Configs[0].Values[MetricNamed("best_of")]; m.Value != 1 {
		t.Errorf("best of 8 passes %+v, want all", m)
	}
}

// One text a prompt: Wilson and Newcombe; one prompt: Wilson over its seeds and
// no verdict.
func TestWhichInterval(t *testing.T) {
	p := benchPlan(t, coin(t), 30, 1, enginetest.Config(t, "max_new_tokens", 1), enginetest.Config(t, "max_new_tokens", 1, "temperature", 0.7))
	p.Checks = checks(t, "equals: a")
	s := summary(t, results(t, p, Options{}), SummaryOptions{})
	k := MetricNamed("pass")
	passed := [2]int{}
	var pairs stats.Pairs
	for i := 0; i < len(s.Cells); i += 2 {
		a, b := s.Cells[i].Passed == 1, s.Cells[i+1].Passed == 1
		passed[0], passed[1] = passed[0]+int(s.Cells[i].Passed), passed[1]+int(s.Cells[i+1].Passed)
		switch {
		case a && b:
			pairs.Both++
		case a:
			pairs.OnlyA++
		case b:
			pairs.OnlyB++
		default:
			pairs.Neither++
		}
	}
	for c := range 2 {
		if got, want := s.All.Configs[c].Values[k], stats.Wilson(passed[c], 30); got != want {
			t.Errorf("%+v, want Wilson's %+v", got, want)
		}
	}
	if got, want := s.All.Configs[1].Verdicts[k].Diff, stats.ContrastShares(pairs).Diff; got != want {
		t.Errorf("%+v, want Newcombe's %+v", got, want)
	}
	p = benchPlan(t, coin(t), 1, 30, enginetest.Config(t, "max_new_tokens", 1), enginetest.Config(t, "max_new_tokens", 1, "temperature", 0.7))
	p.Checks = checks(t, "equals: a")
	s = summary(t, results(t, p, Options{}), SummaryOptions{})
	if got, want := s.All.Configs[0].Values[k], stats.Wilson(int(s.Cells[0].Passed), 30); got != want {
		t.Errorf("%+v, want Wilson's %+v over the seeds", got, want)
	}
	if v := s.All.Configs[1].Verdicts[k]; v.Finding != stats.Unknown || v.Diff.N != 1 {
		t.Errorf("%+v: one prompt says nothing about others", v)
	}
}

func TestHoldout(t *testing.T) {
	n := 0
	for i := range 10_000 {
		if heldOut(fmt.Sprint(i), 0.3) {
			n++
		}
	}
	if n < 2850 || n > 3150 {
		t.Errorf("%d of 10,000 ids are held out, want 3,000", n)
	}
	p := benchPlan(t, coin(t), 40, 1, enginetest.Config(t, "max_new_tokens", 1))
	p.Checks = checks(t, "equals: a")
	s := summary(t, results(t, p, Options{}), SummaryOptions{Holdout: 0.3})
	held := 0
	for _, id := range s.IDs {
		if heldOut(id, 0.3) {
			held++
		}
	}
	k := MetricNamed("pass")
	all, seen, out := s.All.Configs[0].Values[k], s.Seen.Configs[0].Values[k], s.Held.Configs[0].Values[k]
	if s.Held.Prompts != held || s.Seen.Prompts != 40-held || math.Abs(all.Value*40-seen.Value*float64(seen.N)-out.Value*float64(out.N)) > 1e-9 {
		t.Errorf("%d held out of %+v: %+v and %+v", held, all, seen, out)
	}
}

// What is written does not depend on the order texts were finished in, nor on
// where a run was killed.
func TestBenchSameBytes(t *testing.T) {
	p := benchPlan(t, toy(t, 5), 5, 3, enginetest.Config(t, "max_new_tokens", 6), enginetest.Config(t, "max_new_tokens", 6, "temperature", 1.5))
	p.Prompts = prompts.Of("a", "b", "ab", "c", "ca")
	p.Checks = checks(t, "max_tokens: 4")
	write := func(opt Options) string {
		var b bytes.Buffer
		if _, err := WriteJSONL(&b, p, results(t, p, opt), SummaryOptions{Holdout: 0.4, PassAt: []int{2}}, WriteOptions{Price: &Price{1, 2}}); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	want := write(Options{Workers: 1})
	dir := t.TempDir()
	if got := write(Options{Dir: dir, Workers: 4}); got != want {
		t.Fatal("with four workers: other bytes")
	}
	files, _ := filepath.Glob(filepath.Join(dir, "*"))
	if len(files) != 1 {
		t.Fatalf("files %v", files)
	}
	whole, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	for n := 0; n < len(whole); n += 997 {
		if err := os.WriteFile(files[0], whole[:n], 0o600); err != nil {
			t.Fatal(err)
		}
		if got := write(Options{Dir: dir, Workers: 3}); got != want {
			t.Fatalf("killed at byte %d: other bytes", n)
		}
	}
	// Other checks judge the same texts anew.
	p.Checks = checks(t, "min_tokens: 7")
	reused := 0
	s := summary(t, results(t, p, Options{Dir: dir, Progress: func(x Progress) { reused = x.Reused }}), SummaryOptions{})
	if e := s.All.Configs[0].Values[MetricNamed("pass")]; reused != 30 || e.Value != 0 {
		t.Errorf("%d texts taken up, %v pass", reused, e)
	}
}

// 10,000 prompts of 4 kB take no more memory than their numbers.
func TestTenThousandPrompts(t *testing.T) {
	n := 10_000
	if testing.Short() {
		n = 2_500
	}
	path := filepath.Join(t.TempDir(), "set.jsonl")
	line := `{"prompt":"a","vars":{"pad":"` + strings.Repeat("x", 4000) + `"}}` + "\n"
	if err := os.WriteFile(path, []byte(strings.Repeat(line, n)), 0o600); err != nil {
		t.Fatal(err)
	}
	set, err := prompts.File(path, false)
	if err != nil {
		t.Fatal(err)
	}
	if count, err := set.Check(); count != n || err != nil {
		t.Fatal(count, err)
	}
	heap := func() float64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return float64(m.HeapAlloc) / (1 << 20)
	}
	p := benchPlan(t, coin(t), 1, 1, enginetest.Config(t, "max_new_tokens", 1))
	p.Prompts, p.Count, p.Checks = set, n, checks(t, "equals: a")
	before, most := heap(), 0.0
	r := results(t, p, Options{Progress: func(x Progress) {
		if x.Done%2500 == 0 {
			most = max(most, heap()-before)
		}
	}})
	visited := 0
	s, err := Summarise(p, r, SummaryOptions{}, func(i int, _ *prompts.Prompt, _ int, _ []*Text) error {
		if visited++; i%2500 == 0 {
			most = max(most, heap()-before)
		}
		return nil
	})
	if err != nil || visited != n || s.Missing != 0 {
		t.Fatal(visited, s.Missing, err)
	}
	t.Logf("a set of %d MB: %.1f MB of heap at most", n*len(line)>>20, most)
	if most > 12 {
		t.Errorf("%.1f MB of heap for %d prompts", most, n)
	}
}

// A slow model answers as a server does: each pass takes a while, and several
// may be under way.
type slow struct {
	models.Model
	wait   time.Duration
	active *atomic.Int32
	most   *atomic.Int32
	slots  int // that it says it has; 0 if it does not
}

func (s slow) Info() models.Info {
	i := s.Model.Info()
	i.Server, i.Parallel = "fake", s.slots
	return i
}

func (s slow) NewSession() (models.Session, error) {
	inner, err := s.Model.NewSession()
	return slowSession{inner, s}, err
}

type slowSession struct {
	models.Session
	slow slow
}

func (s slowSession) Forward(ctx context.Context, tokens []int32, want int) ([]models.Logits, error) {
	n := s.slow.active.Add(1)
	for m := s.slow.most.Load(); n > m && !s.slow.most.CompareAndSwap(m, n); m = s.slow.most.Load() {
	}
	time.Sleep(s.slow.wait)
	s.slow.active.Add(-1)
	return s.Session.Forward(ctx, tokens, want)
}

func TestWorkers(t *testing.T) {
	took := func(workers, slots int) (took time.Duration, most int32) {
		m := slow{coin(t), 20 * time.Millisecond, new(atomic.Int32), new(atomic.Int32), slots}
		synctest.Test(t, func(t *testing.T) {
			began := time.Now()
			r, err := Run(context.Background(), benchPlan(t, m, 24, 2, enginetest.Config(t, "max_new_tokens", 5)), Options{Workers: workers})
			if err != nil {
				t.Fatal(err)
			}
			r.Close()
			took = time.Since(began)
		})
		return took, m.most.Load()
	}
	one, _ := took(1, 0)
	eight, most := took(8, 1)
	def, _ := took(0, 0)
	for slots := range 3 {
		if _, most := took(0, 1+slots); int(most) != 1+slots {
			t.Errorf("a server of %d slots got %d requests at once", 1+slots, most)
		}
	}
	t.Logf("48 texts of 5 tokens at 20 ms: %v with one worker, %v with 8", one, eight)
	if one < 6*eight || most != 8 || def != eight {
		t.Errorf("%v with one worker, %v with 8, %v by default; at most %d at once", one, eight, def, most)
	}
}

func TestBudgetOfTime(t *testing.T) {
	m := slow{coin(t), 20 * time.Millisecond, new(atomic.Int32), new(atomic.Int32), 0}
	synctest.Test(t, func(t *testing.T) {
		r, err := Run(context.Background(), benchPlan(t, m, 50, 1, enginetest.Config(t, "max_new_tokens", 5)), Options{Workers: 1, Budget: Budget{Time: time.Second}})
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		// A text takes 5 passes of 20 ms.
		if r.Done != 10 || !r.Stopped {
			t.Errorf("%d texts in a second, want 10", r.Done)
		}
	})
}
