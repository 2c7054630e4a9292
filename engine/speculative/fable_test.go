package speculative

import (
	"context"
	"slices"
	"testing"
	"time"

	"logitscope/engine/enginetest"
	"logitscope/models"
	"logitscope/models/fable"
	"logitscope/models/llama"
	"logitscope/models/shallow"
	"logitscope/sampling"
	"logitscope/sampling/dist"
)

func openFable(t testing.TB) (target, draft models.Model) {
	t.Helper()
	a, err := fable.Open(llama.Options{})
	if err != nil {
		t.Fatal(err)
	}
	b, err := fable.OpenDraft(llama.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.Close(); b.Close() })
	return a, b
}

func prompt(m models.Model, s string) []int32 {
	return m.Vocab().Encode(s, models.EncodeOptions{AddSpecial: true, ParseSpecial: true})
}

// plainly decodes up to n tokens without this package's decoder, to the end of
// the text.
func plainly(t testing.TB, m models.Model, p *sampling.Pipeline, prompt []int32, n int) []int32 {
	t.Helper()
	text, _ := enginetest.Decode(t, m, p, prompt, n)
	if end := slices.IndexFunc(text, func(id int32) bool { return slices.Contains(m.Vocab().EOG(), id) }); end >= 0 {
		return text[:end+1]
	}
	return text
}

// Greedy text is the same token by token with and without a draft, on the
// built-in model, over long runs, with penalties too.
func TestGreedyIdentity(t *testing.T) {
	t.Parallel()
	target, draft := openFable(t)
	n := 240
	if testing.Short() {
		n = 60
	}
	bias := map[string]any{}
	for _, id := range target.Vocab().EOG() {
		bias[itoa(id)] = -1000.0 // go on to the end
	}
	for i, text := range []string{"Once upon a time", "The capital of France is"} {
		in := prompt(target, text)
		for j, more := range []set{{}, {"repetition_penalty": 1.3}} {
			if testing.Short() && i != j {
				continue
			}
			p := compile(t, target, set{"temperature": 0.0, "max_new_tokens": n, "logit_bias": bias}.and(more))
			want := plainly(t, target, p, in, n)
			self, err := shallow.New(target, []int{3})
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range []models.Model{draft, nil, target, self} {
				for _, k := range []int{1, 5} {
					greedy := set{"temperature": 0.0, "max_new_tokens": n, "num_assistant_tokens": k, "logit_bias": bias}.and(more)
					dec := start(t, target, d, compile(t, target, greedy), nil, in, Options{})
					if got := finish(t, dec); !slices.Equal(got, want) {
						at := 0
						for at < len(got) && got[at] == want[at] {
							at++
						}
						t.Errorf("%q %v, k %d, draft %s: differs from token %d on", text, more, k, dec.View().Draft, at)
					}
					for _, more := range []struct {
						draft models.Model
						s     set
						opt   Options
					}{
						{d, set{"draft_method": "specinfer"}, Options{}},
						{d, set{"draft_method": "spectr", "draft_tree": "2,2"}, Options{}},
						{nil, set{}, Options{Lookahead: true}},
					} {
						if d == nil && more.s["draft_method"] == "spectr" || more.opt.Lookahead && d != nil || k == 1 {
							continue // what cannot be, or was seen
						}
						dec := start(t, target, more.draft, compile(t, target, greedy.and(more.s)), nil, in, more.opt)
						if got := finish(t, dec); !slices.Equal(got, want) {
							t.Errorf("%q, k %d, draft %s by %v: another text", text, k, dec.View().Draft, more.s)
						}
						if v := dec.View(); v.Passes != len(v.Rounds) {
							t.Errorf("%d passes in %d rounds", v.Passes, len(v.Rounds))
						}
					}
					if v := dec.View(); d == models.Model(target) && v.Accepted != v.Judged {
						t.Errorf("%q %v: %d of %d accepted with the target as its own draft", text, more, v.Accepted, v.Judged)
					}
				}
			}
		}
	}
}

func itoa(id int32) string { return name([]int32{id})[:len(name([]int32{id}))-1] }

// The many draws on the built-in model agree with the target's law and tell a
// wrong algorithm.
func TestProveFable(t *testing.T) {
	t.Parallel()
	target, draft := openFable(t)
	self, err := shallow.New(target, []int{2, 4})
	if err != nil {
		t.Fatal(err)
	}
	t.Run("a draft model", func(t *testing.T) { proveFable(t, target, draft) })
	t.Run("its own layers", func(t *testing.T) { proveFable(t, target, self) })
}

func proveFable(t *testing.T, target, draft models.Model) {
	p := compile(t, target, set{"do_sample": true, "temperature": 0.9, "top_p": 0.95, "top_k": 50})
	d := start(t, target, draft, p, nil, prompt(target, "Once upon a time there was a"), Options{Vocab: enginetest.Vocab(target)})
	for i := 0; i < 3 && d.Done() == ""; i++ {
		round(t, d)
	}
	before := slices.Clone(d.Output())
	for _, a := range Algorithms() {
		pr, err := d.Prover(context.Background(), a.Algorithm)
		if err != nil {
			t.Fatal(err)
		}
		n := 40_000
		if testing.Short() {
			n = 10_000
		}
		res, err := pr.Run(context.Background(), n, nil)
		if err != nil {
			t.Fatal(err)
		}
		if a.Exact && (!res.Agrees() || res.Need != 0 || res.LawTV > 1e-12) {
			t.Errorf("%s: %s, p %g, need %d, off by %g", a.Algorithm, res.Verdict(), res.PValue, res.Need, res.LawTV)
		}
		if !a.Exact && res.Need > 0 && res.Need < n/4 && res.Agrees() {
			t.Errorf("%s: agrees after %d draws, needs %d to differ", a.Algorithm, n, res.Need)
		}
	}
	if !slices.Equal(before, d.Output()) {
		t.Error("proving changed the text")
	}
	round(t, d)
}

// BenchmarkFable compares plain decoding with the built-in pair on the same
// prompt in one run: tokens for each pass of the target, and the speed.
func BenchmarkFable(b *testing.B) {
	target, draft := openFable(b)
	in := prompt(target, "Once upon a time there was a little boy. His")
	for _, c := range []struct {
		name  string
		s     set
		draft models.Model
	}{
		{"greedy/draft", set{"temperature": 0.0}, draft},
		{"chat/draft", set{"temperature": 0.7, "top_p": 0.9, "top_k": 50, "repetition_penalty": 1.05}, draft},
		{"chat/ngram", set{"temperature": 0.7, "top_p": 0.9, "top_k": 50, "repetition_penalty": 1.05}, nil},
		{"neutral/draft", off, draft},
	} {
		b.Run(c.name, func(b *testing.B) {
			const n = 128
			bias := map[string]any{}
			for _, id := range target.Vocab().EOG() {
				bias[itoa(id)] = -1000.0
			}
			p := compile(b, target, c.s.and(set{"max_new_tokens": n, "num_assistant_tokens": 4, "logit_bias": bias}))
			var plain, fast time.Duration
			var passes, tokens int
			var v *View
			for range b.N {
				began := time.Now()
				plainly(b, target, p, in, n)
				plain += time.Since(began)
				d, err := New(target, c.draft, p, nil, in, Options{Plain: 8})
				if err != nil {
					b.Fatal(err)
				}
				began = time.Now()
				for d.Done() == "" {
					round(b, d)
				}
				fast += time.Since(began)
				v = d.View()
				passes += len(v.Rounds)
				tokens += v.Emitted
				d.Close()
			}
			b.ReportMetric(float64(tokens)/float64(passes), "tokens/pass")
			b.ReportMetric(float64(plain)/float64(fast), "x-plain")
			b.ReportMetric(v.Speedup, "x-plain-in-view")
			b.ReportMetric(v.Rate, "accepted")
			b.ReportMetric(v.Cost, "draft-cost")
			b.ReportMetric(v.BreakEven, "break-even-cost")
			b.ReportMetric(v.Verify, "verify-cost")
		})
	}
}

// After any rewinds and forced tokens both caches hold the text and nothing
// else: every p and q is what fresh sessions give.
func TestCaches(t *testing.T) {
	t.Parallel()
	target, draft := openFable(t)
	p := compile(t, target, set{"do_sample": true, "temperature": 1.0, "top_k": 0, "max_new_tokens": 60, "num_assistant_tokens": 3})
	in := prompt(target, "Once upon a time there was a")
	fresh := func(m models.Model, out []int32) Law {
		s, err := m.NewSession()
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		rows, err := s.Forward(context.Background(), append(slices.Clone(in), out...), 1)
		if err != nil {
			t.Fatal(err)
		}
		var dist dist.Dist
		if err := p.Distribution(&dist, new(sampling.Scratch), sampling.Input{Logits: rows[0].Values, Prompt: in, Output: out}); err != nil {
			t.Fatal(err)
		}
		return copyLaw(&dist)
	}
	d := start(t, target, draft, p, nil, in, Options{Plain: 3})
	for i := 0; i < 12 && d.Done() == ""; i++ {
		r := round(t, d)
		for j, pos := range r.Positions {
			prefix := append(slices.Clone(d.Output()[:r.Start]), r.Drafted[:j]...)
			if l := fresh(draft, prefix); l.prob(pos.Token) != pos.Q {
				t.Fatalf("round %d, token %d: q %v, want %v", i, j, pos.Q, l.prob(pos.Token))
			}
			if pos.Verdict == Dropped {
				break
			}
			if l := fresh(target, prefix); l.prob(pos.Token) != pos.P {
				t.Fatalf("round %d, token %d: p %v, want %v", i, j, pos.P, l.prob(pos.Token))
			}
		}
		switch i % 4 {
		case 1:
			d.Rewind(max(0, len(d.Output())-3))
		case 2:
			d.Rewind(max(0, len(d.Output())-4))
			for j := range 3 {
				d.Force(int32(300 + 10*i + j))
			}
		}
	}
}

// BenchmarkDrafts prints the numbers of docs/lab.md: how many of the drafted
// tokens that were tested stand, and what a pass of the built-in model yields
// and runs, by what drafts and how, over some prompts and seeds.
func BenchmarkDrafts(b *testing.B) {
	target, draft := openFable(b)
	self, err := shallow.New(target, []int{3})
	if err != nil {
		b.Fatal(err)
	}
	prompts := []string{"Once upon a time there was a little", "The capital of France is", "User: Hello! Who are you?\nAssistant:", "def add(a, b):"}
	bias := map[string]any{}
	for _, id := range target.Vocab().EOG() {
		bias[itoa(id)] = -1000.0
	}
	type way struct {
		name  string
		draft models.Model
		s     set
		look  bool
	}
	ways := []way{}
	for k := 1; k <= 4; k++ {
		ways = append(ways, way{"chain-k" + string(rune('0'+k)), draft, set{"num_assistant_tokens": k}, false})
	}
	ways = append(ways,
		way{"specinfer-3", draft, set{"draft_method": "specinfer"}, false},
		way{"specinfer-tree-3,2", draft, set{"draft_method": "specinfer", "draft_tree": "3,2"}, false},
		way{"spectr-3", draft, set{"draft_method": "spectr"}, false},
		way{"self:3", self, set{}, false},
		way{"self:3-specinfer-3", self, set{"draft_method": "specinfer"}, false},
		way{"ngram", nil, set{}, false},
		way{"lookahead", nil, set{}, true},
	)
	for _, law := range []struct {
		name string
		s    set
	}{
		{"greedy", set{"temperature": 0.0}},
		{"chat", set{"do_sample": true, "temperature": 0.7, "top_p": 0.9, "top_k": 50, "repetition_penalty": 1.05}},
		{"neutral", off},
	} {
		for _, w := range ways {
			b.Run(law.name+"/"+w.name, func(b *testing.B) {
				var sum View
				for range b.N {
					for i, text := range prompts {
						p := compile(b, target, law.s.and(set{"max_new_tokens": 160, "logit_bias": bias, "seed": uint64(i + 1)}).and(w.s))
						d, err := New(target, w.draft, p, nil, prompt(target, text), Options{Lookahead: w.look})
						if err != nil {
							b.Fatal(err)
						}
						for d.Done() == "" {
							round(b, d)
						}
						v := d.View()
						sum.Judged, sum.Accepted, sum.Emitted, sum.Passes, sum.Fed = sum.Judged+v.Judged, sum.Accepted+v.Accepted, sum.Emitted+v.Emitted, sum.Passes+v.Passes, sum.Fed+v.Fed
						d.Close()
					}
				}
				b.ReportMetric(100*float64(sum.Accepted)/float64(max(sum.Judged, 1)), "%accepted")
				b.ReportMetric(float64(sum.Emitted)/float64(sum.Passes), "tokens/pass")
				b.ReportMetric(float64(sum.Fed)/float64(sum.Passes), "run/pass")
			})
		}
	}
}
