package speculative

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"logitscope/engine/enginetest"
	"logitscope/models"
	"logitscope/models/table"
	"logitscope/sampling"
	"logitscope/sampling/dist"
)

// pair returns the target and draft of a golden pair as models.
func pair(t testing.TB, name string) (target, draft models.Model) {
	t.Helper()
	g := readGolden(t)
	open := func(side string, logits [][]float64) models.Model {
		b, err := json.Marshal(map[string]any{"kind": "markov1", "vocab": g.Models.Vocab, "eos_id": g.Models.EOS, "logits": logits})
		if err != nil {
			t.Fatal(err)
		}
		m, err := table.Parse(name+"/"+side, bytes.NewReader(b))
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	p := g.Models.Pairs[name]
	return open("target", p.Target), open("draft", p.Draft)
}

type set map[string]any

func compile(t testing.TB, m models.Model, s set) *sampling.Pipeline {
	t.Helper()
	return enginetest.Compile(t, m, s)
}

func (s set) and(more set) set {
	out := set{}
	for _, m := range []set{s, more} {
		for k, v := range m {
			out[k] = v
		}
	}
	return out
}

// off sets what cuts off: the defaults of an order need not be.
var off = set{"do_sample": true, "temperature": 1.0, "top_k": 0, "top_p": 1.0, "min_p": 0.0}

func start(t testing.TB, target, draft models.Model, p, q *sampling.Pipeline, prompt []int32, opt Options) *Decoder {
	t.Helper()
	d, err := New(target, draft, p, q, prompt, opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return d
}

func round(t testing.TB, d *Decoder) *Round {
	t.Helper()
	r, err := d.Round(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// finish runs d to the end of the text.
func finish(t testing.TB, d *Decoder) []int32 {
	t.Helper()
	for d.Done() == "" {
		round(t, d)
	}
	return slices.Clone(d.Output())
}

// fits reports whether counts of n draws pass a chi-square test of law.
func fits(counts map[string]int, law map[string]float64, n int) (p float64, impossible int) {
	var rows []ProofRow
	names := map[string]bool{}
	for s := range law {
		names[s] = true
	}
	for s := range counts {
		names[s] = true
	}
	for s := range names {
		if law[s] == 0 {
			impossible += counts[s]
		}
		rows = append(rows, ProofRow{Token: int32(len(rows)), Target: law[s], Count: counts[s]})
	}
	stat, df := chiSquare(rows, n)
	return upperTail(stat, df), impossible
}

// Texts written by the decoder have the target's law, whatever the way of
// judging and of choosing k, and the wrong algorithms' do not.
func TestDecoderLaw(t *testing.T) {
	t.Parallel()
	g := readGolden(t)
	n := 3000
	type run struct {
		pair   string
		cuts   cutSettings
		more   set
		a      Algorithm
		draft  set // nil: as the target
		ngram  bool
		look   bool // lookahead decoding
		differ bool
	}
	plain := cutSettings{Temperature: 1, TopP: 1}
	nucleus := cutSettings{Temperature: 1, TopP: 0.9}
	three := cutSettings{Temperature: 1, TopP: 1, TopK: 3}
	runs := []run{
		{pair: "close", cuts: plain},
		{pair: "far", cuts: nucleus},
		{pair: "far", cuts: plain, a: Block},
		{pair: "close", cuts: three, more: set{"assistant_schedule": "heuristic"}},
		{pair: "flat_draft", cuts: plain, more: set{"assistant_schedule": "adaptive"}, a: Block},
		{pair: "far", cuts: plain, more: set{"assistant_confidence": 0.3}},
		{pair: "far", cuts: plain, draft: set{"temperature": 0.3, "top_k": 2}},
		{pair: "close", cuts: plain, ngram: true},
		{pair: "far", cuts: plain, more: set{"draft_method": "specinfer"}},
		{pair: "close", cuts: three, more: set{"draft_method": "specinfer", "draft_tree": "2,3,1"}},
		{pair: "far", cuts: nucleus, more: set{"draft_method": "specinfer", "num_drafts": 4, "assistant_confidence": 0.3}},
		{pair: "far", cuts: plain, draft: set{"temperature": 0.3, "top_k": 2}, a: SpecInfer},
		{pair: "far", cuts: plain, more: set{"draft_method": "spectr"}},
		{pair: "flat_draft", cuts: nucleus, more: set{"draft_method": "spectr", "draft_tree": "2,2,2", "assistant_schedule": "heuristic"}},
		{pair: "close", cuts: plain, more: set{"draft_method": "specinfer"}, ngram: true},
		{pair: "close", cuts: plain, more: set{"lookahead_ngram": 2}, look: true},
		{pair: "far", cuts: nucleus, more: set{"lookahead_window": 3, "lookahead_ngram": 2, "lookahead_verify": 3}, look: true},
		{pair: "far", cuts: plain, a: AgainstTarget, differ: true},
		{pair: "far", cuts: plain, a: NoResidual, differ: true},
		{pair: "close", cuts: plain, a: HardThreshold, differ: true},
		{pair: "far", cuts: three, a: UntruncatedQ, differ: true},
		{pair: "close", cuts: plain, a: DropLowConfidence, differ: true},
		{pair: "far", cuts: three, a: MisalignedResidual, differ: true},
		{pair: "close", cuts: three, a: UntruncatedTarget, differ: true},
	}
	if testing.Short() {
		n = 1500
	}
	for _, r := range runs {
		target, draft := pair(t, r.pair)
		if r.ngram || r.look {
			draft = nil
		}
		toy := newToy(g, r.pair, r.cuts)
		base := off.and(set{"temperature": r.cuts.Temperature, "top_k": r.cuts.TopK, "top_p": r.cuts.TopP, "max_new_tokens": 4, "num_assistant_tokens": 3}).and(r.more)
		law := toy.joint(2, 3)
		counts, tried, stood := map[string]int{}, 0, 0
		for seed := range n {
			p := compile(t, target, base.and(set{"seed": uint64(seed)}))
			q := p
			if r.draft != nil {
				q = compile(t, target, base.and(set{"seed": uint64(seed)}).and(r.draft))
			}
			d, err := New(target, draft, p, q, []int32{1, 2, 2}, Options{Algorithm: r.a, Lookahead: r.look})
			if err != nil {
				t.Fatal(err)
			}
			for d.Done() == "" && len(d.Output()) < 3 {
				round(t, d)
			}
			counts[name(d.Output()[:min(3, len(d.Output()))])]++
			v := d.View()
			tried, stood = tried+v.Tried, stood+v.Accepted
			d.Close()
		}
		if tried < n/10 || stood < n/20 {
			t.Errorf("%+v: %d tokens drafted, %d stood", r, tried, stood)
		}
		p, impossible := fits(counts, law, n)
		if differs := p < doubt || impossible > 0; differs != r.differ {
			t.Errorf("%+v: p-value %g, %d impossible texts; want it to differ: %v", r, p, impossible, r.differ)
		}
	}
}

// The number accepted in the first round has its golden law.
func TestAcceptedCounts(t *testing.T) {
	t.Parallel()
	g := readGolden(t)
	const n = 2500
	for _, name := range []string{"close", "far", "peaky"} {
		target, draft := pair(t, name)
		c := g.Exact[name].Cases[6] // temperature 1, no cuts
		if c.Settings.Temperature != 1 || c.Settings.TopP != 1 || c.Settings.TopK != 0 || c.Settings.MinP != 0 {
			t.Fatalf("case 6 of %s is %+v, want temperature 1 alone", name, c.Settings)
		}
		for _, by := range c.ByK {
			for a, pmf := range map[Algorithm][]float64{Exact: by.PMF, Block: blockPMF(by.Block)} {
				if pmf == nil {
					continue
				}
				counts, law := map[string]int{}, map[string]float64{}
				for i, p := range pmf {
					law[string(rune('0'+i))] = p
				}
				for seed := range n {
					p := compile(t, target, off.and(set{"seed": uint64(seed), "num_assistant_tokens": by.K}))
					d, err := New(target, draft, p, nil, []int32{c.Start}, Options{Algorithm: a})
					if err != nil {
						t.Fatal(err)
					}
					counts[string(rune('0'+round(t, d).Accepted))]++
					d.Close()
				}
				if p, _ := fits(counts, law, n); p < doubt {
					t.Errorf("%s, k %d, %s: p-value %g of %v, want %v", name, by.K, a, p, counts, law)
				}
			}
		}
	}
}

func blockPMF(b *struct {
	PMF      []float64 `json:"accepted_pmf"`
	Accepted float64   `json:"expected_accepted"`
	Emitted  float64   `json:"expected_emitted"`
}) []float64 {
	if b == nil {
		return nil
	}
	return b.PMF
}

// Penalties and constraints see the drafted tokens: each p and q shown is the
// law with the prefix it stands in, made afresh.
func TestPrefixes(t *testing.T) {
	t.Parallel()
	target, draft := pair(t, "far")
	mask := func(out []int32) ([]uint64, bool, error) {
		bits := uint64(1<<6 - 1)
		if n := len(out); n > 0 {
			bits &^= 1 << out[n-1] // no token twice in a row
		}
		return []uint64{bits &^ 1}, false, nil
	}
	p := compile(t, target, off.and(set{"repetition_penalty": 1.4, "max_new_tokens": 60, "top_p": 0.95}))
	q := compile(t, target, off.and(set{"repetition_penalty": 1.2, "max_new_tokens": 60, "temperature": 1.3}))
	prompt := []int32{3, 2}
	d := start(t, target, draft, p, q, prompt, Options{Mask: mask, Rows: true})
	fresh := func(m models.Model, pl *sampling.Pipeline, out []int32) Law {
		s, err := m.NewSession()
		if err != nil {
			t.Fatal(err)
		}
		rows, err := s.Forward(context.Background(), append(slices.Clone(prompt), out...), 1)
		if err != nil {
			t.Fatal(err)
		}
		in := sampling.Input{Logits: rows[0].Values, Prompt: prompt, Output: out}
		in.Mask, in.MaskEOS, _ = mask(out)
		var dist dist.Dist
		if err := pl.Distribution(&dist, new(sampling.Scratch), in); err != nil {
			t.Fatal(err)
		}
		return copyLaw(&dist)
	}
	judged := 0
	for d.Done() == "" {
		r := round(t, d)
		before := d.Output()[:r.Start]
		for i, pos := range r.Positions {
			prefix := append(slices.Clone(before), r.Drafted[:i]...)
			if l := fresh(draft, q, prefix); l.prob(pos.Token) != pos.Q {
				t.Fatalf("round %d, token %d: q %v, want %v", r.Index, i, pos.Q, l.prob(pos.Token))
			}
			if pos.Verdict == Dropped {
				continue
			}
			judged++
			if l := fresh(target, p, prefix); l.prob(pos.Token) != pos.P {
				t.Fatalf("round %d, token %d: p %v, want %v", r.Index, i, pos.P, l.prob(pos.Token))
			}
		}
	}
	out := d.Output()
	for i := 1; i < len(out); i++ {
		if out[i] == out[i-1] {
			t.Fatalf("the mask forbids %d after itself, at %d", out[i], i)
		}
	}
	if judged < 20 {
		t.Errorf("%d tokens judged, too few to say anything", judged)
	}
}

// However often one stops, steps back and goes on, the text is the same; a
// fork and a decoder restored from the rounds write it too.
func TestRewind(t *testing.T) {
	t.Parallel()
	target, draft := pair(t, "close")
	for n, more := range []set{nil, {"assistant_schedule": "heuristic"}, {"assistant_schedule": "adaptive"}, {"block_verification": true},
		{"draft_method": "specinfer", "draft_tree": "2,2"}, {"draft_method": "spectr"}, {"lookahead_ngram": 3}, {"lookahead_ngram": 4}} {
		opt := Options{Rows: n%2 == 0, RowBudget: 200} // room for about eight rows
		look := more["lookahead_ngram"] != nil
		if opt.Lookahead = look; look {
			draft = nil
		}
		p := compile(t, target, off.and(set{"max_new_tokens": 80, "num_assistant_tokens": 4, "logit_bias": map[string]any{"0": -100.0}}).and(more))
		want := finish(t, start(t, target, draft, p, nil, []int32{2}, Options{Lookahead: look}))
		if len(want) != 80 {
			t.Fatalf("%d tokens, want 80", len(want))
		}
		d := start(t, target, draft, p, nil, []int32{2}, opt)
		for i := 0; d.Done() == ""; i++ {
			r := round(t, d)
			if opt.Rows != (len(r.Rows()) == len(r.Emitted)) {
				t.Fatalf("%d rows of %d tokens", len(r.Rows()), len(r.Emitted))
			}
			if end := r.Start + len(r.Emitted); end != len(d.Output()) {
				t.Fatalf("round ends at %d, text at %d", end, len(d.Output()))
			}
			if i < 40 && i%3 == 1 {
				d.Rewind(max(0, len(d.Output())-1-i%7))
			}
			if i < 40 && i%5 == 2 { // twice, the second time inside what is cut
				d.Rewind(max(0, len(d.Output())-2))
				d.Rewind(max(0, len(d.Output())-1))
			}
			if i%4 == 3 { // another setting and back, even inside a round
				for _, k := range []int{2, 4} {
					if err := d.Tune(compile(t, target, off.and(set{"max_new_tokens": 80, "logit_bias": map[string]any{"0": -100.0}, "num_assistant_tokens": k}).and(more)), nil); err != nil {
						t.Fatal(err)
					}
				}
			}
			if i == 20 {
				f, err := d.Fork()
				if err != nil {
					t.Fatal(err)
				}
				if got := finish(t, f); !slices.Equal(got, want) {
					t.Errorf("%v: fork wrote %v, want %v", more, got, want)
				}
				f.Close()
				n := len(d.Output()) - 1
				e := start(t, target, draft, p, nil, []int32{2}, Options{Lookahead: look})
				e.Restore(d.Output()[:n], d.View().Rounds)
				if got := finish(t, e); !slices.Equal(got, want) {
					t.Errorf("%v: restored decoder wrote %v, want %v", more, got, want)
				}
			}
		}
		if got := d.Output(); !slices.Equal(got, want) {
			t.Errorf("%v: wrote %v, want %v", more, got, want)
		}
		v := d.View()
		total, rows := 0, 0
		for _, r := range v.Rounds {
			rows += len(r.Rows())
			if r.Start != total {
				t.Errorf("%v: round %d starts at %d, want %d", more, r.Index, r.Start, total)
			}
			total += len(r.Emitted)
		}
		if most := 200/(4*6) + 7; rows > most {
			t.Errorf("%v: %d rows kept, want at most %d", more, rows, most)
		}
		if total != len(want) || v.Emitted != total {
			t.Errorf("%v: rounds hold %d tokens, view %d, want %d", more, total, v.Emitted, len(want))
		}
	}
}

// A change of settings or a forced token ends what a rewind left open.
func TestForceAndTune(t *testing.T) {
	t.Parallel()
	target, draft := pair(t, "same")
	p := compile(t, target, off.and(set{"max_new_tokens": 40, "logit_bias": map[string]any{"0": -100.0}}))
	greedy := compile(t, target, set{"temperature": 0.0, "max_new_tokens": 40, "logit_bias": map[string]any{"0": -100.0}})
	d := start(t, target, draft, p, nil, []int32{2}, Options{})
	r := round(t, d)
	for len(r.Emitted) < 3 {
		r = round(t, d)
	}
	d.Rewind(r.Start + 1)
	d.Force(4)
	if got := d.Output(); got[len(got)-1] != 4 {
		t.Fatalf("forced 4, wrote %v", got)
	}
	if next := round(t, d); next.Start != r.Start+2 || next.Kept != 0 {
		t.Errorf("after a forced token the round starts at %d with %d kept, want %d with 0", next.Start, next.Kept, r.Start+2)
	}
	n := len(d.Output())
	if err := d.Tune(greedy, nil); err != nil {
		t.Fatal(err)
	}
	finish(t, d)
	e := start(t, target, nil, greedy, nil, append([]int32{2}, d.Output()[:n]...), Options{})
	if got, want := d.Output()[n:], finish(t, e)[:len(d.Output())-n]; !slices.Equal(got, want) {
		t.Errorf("greedy from token %d: %v, want %v", n, got, want)
	}
}

// The text is as long as max_new_tokens says, and a model whose context is
// full ends it.
func TestLengths(t *testing.T) {
	t.Parallel()
	target, draft := pair(t, "same")
	bias := map[string]any{"0": -100.0}
	for n := 1; n < 12; n++ {
		p := compile(t, target, off.and(set{"max_new_tokens": n, "logit_bias": bias}))
		d := start(t, target, draft, p, nil, []int32{2}, Options{})
		if got := finish(t, d); len(got) != n || d.Done() != "length" {
			t.Errorf("max_new_tokens %d: %d tokens, %q", n, len(got), d.Done())
		}
		if _, err := d.Round(context.Background()); !errors.Is(err, ErrDone) {
			t.Errorf("round after the end: %v, want ErrDone", err)
		}
	}
	small, err := table.Parse("small", strings.NewReader(`{"kind":"markov1","vocab":["a","b"],"context":9,"logits":[[0,1],[1,0]]}`))
	if err != nil {
		t.Fatal(err)
	}
	d := start(t, small, small, compile(t, small, off), nil, []int32{0, 1}, Options{})
	// Nine tokens fit, and one more needs no room.
	if got := finish(t, d); len(got) != 8 || d.Done() != "context" {
		t.Errorf("context 9 with 2 of prompt: %d tokens, %q; want 8, context", len(got), d.Done())
	}
}

// A cancelled round changes nothing.
func TestCancelled(t *testing.T) {
	t.Parallel()
	target, draft := pair(t, "far")
	p := compile(t, target, off.and(set{"max_new_tokens": 30, "logit_bias": map[string]any{"0": -100.0}}))
	want := finish(t, start(t, target, draft, p, nil, []int32{2}, Options{}))
	d := start(t, target, draft, p, nil, []int32{2}, Options{Plain: 2})
	if err := d.Prefill(context.Background(), nil); err != nil {
		t.Fatal(err)
	}
	done, cancel := context.WithCancel(context.Background())
	cancel()
	for d.Done() == "" {
		n := len(d.Output())
		if _, err := d.Round(done); !errors.Is(err, context.Canceled) || len(d.Output()) != n {
			t.Fatalf("cancelled round: %v, %d tokens of %d", err, len(d.Output()), n)
		}
		round(t, d)
	}
	if !slices.Equal(d.Output(), want) {
		t.Errorf("wrote %v, want %v", d.Output(), want)
	}
}

// Models and settings that do not go together get one line.
func TestRefused(t *testing.T) {
	t.Parallel()
	target, draft := pair(t, "close")
	parse := func(s string) models.Model {
		m, err := table.Parse("other", strings.NewReader(s))
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	six := `"logits":[[0,0,0,0,0,0],[0,0,0,0,0,0],[0,0,0,0,0,0],[0,0,0,0,0,0],[0,0,0,0,0,0],[0,0,0,0,0,0]]}`
	p := compile(t, target, off)
	for _, c := range []struct {
		draft models.Model
		want  string
	}{
		{parse(`{"kind":"markov1","vocab":["<eos>","a"],"eos_id":0,"logits":[[0,0],[0,0]]}`),
			"draft: other has 2 tokens, close/target has 6; a draft needs the target's vocabulary"},
		{parse(`{"kind":"markov1","vocab":["<eos>","a","b","x","d","e"],"eos_id":0,` + six),
			`draft: token 3 is "x" in other, "c" in close/target; a draft needs the target's vocabulary`},
		{parse(`{"kind":"markov1","vocab":["<eos>","a","b","c","d","e"],"eos_id":[0,5],` + six),
			"draft: other ends a text at tokens [0 5], close/target at [0]; a draft needs the target's vocabulary"},
	} {
		if _, err := New(target, c.draft, p, nil, []int32{2}, Options{}); err == nil || err.Error() != c.want {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
	for _, s := range []set{{"mirostat": 2, "order": "llama.cpp"}, {"ngram_min": 3, "ngram_max": 2}} {
		_, err := New(target, draft, compile(t, target, off.and(s)), nil, []int32{2}, Options{})
		if err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v: %v, want one line", s, err)
		}
	}
	if _, err := New(target, draft, p, nil, []int32{2}, Options{Algorithm: "best"}); err == nil {
		t.Error("unknown algorithm: no error")
	}
}

// What rounds say of themselves adds up.
func TestRounds(t *testing.T) {
	t.Parallel()
	target, draft := pair(t, "far")
	kinds := map[Kind]int{}
	for seed := range 40 {
		p := compile(t, target, off.and(set{"seed": seed, "max_new_tokens": 40}))
		d := start(t, target, draft, p, nil, []int32{2}, Options{})
		for d.Done() == "" {
			r := round(t, d)
			kinds[r.Kind]++
			want := r.Accepted
			if r.Kind != None {
				want++
			}
			if r.judged() < r.Accepted || len(r.Emitted) != want || !slices.Equal(r.Emitted[:r.Accepted], r.Drafted[:r.Accepted]) {
				t.Fatalf("round %+v does not add up", r)
			}
			checkDraw(t, r)
		}
	}
	if kinds[Residual] == 0 || kinds[Bonus] == 0 || kinds[None] == 0 {
		t.Errorf("kinds %v, want all three", kinds)
	}
}

// checkDraw holds the last draw of a round to what it says about itself.
func checkDraw(t *testing.T, r *Round) {
	t.Helper()
	w := r.Final
	if w == nil {
		return
	}
	if !(w.Lo <= w.U && w.U < w.Hi+1e-12) || math.Abs(w.Hi-w.Lo-w.Prob) > 1e-12 || w.Mass <= 0 || w.Mass > 1+1e-12 {
		t.Fatalf("draw %+v does not add up", w)
	}
	for _, b := range w.Top {
		want := b.P
		if r.Kind == Residual {
			want = b.Over() / w.Mass
		}
		if math.Abs(b.Final-want) > 1e-12 {
			t.Fatalf("%s of token %d: %v, want %v", r.Kind, b.Token, b.Final, want)
		}
	}
}

// A draft stops after a token it was unsure of, and keeps the token.
func TestConfidence(t *testing.T) {
	t.Parallel()
	target, draft := pair(t, "far")
	stopped := 0
	for seed := range 20 {
		p := compile(t, target, off.and(set{"seed": seed, "max_new_tokens": 30, "assistant_confidence": 0.25, "num_assistant_tokens": 6}))
		d := start(t, target, draft, p, nil, []int32{2}, Options{})
		for d.Done() == "" {
			r := round(t, d)
			for i, pos := range r.Positions {
				last := i == len(r.Positions)-1
				if pos.Q < 0.25 && !last {
					t.Fatalf("%+v: the draft went on after a token of probability %v", r, pos.Q)
				}
				if pos.Q < 0.25 && len(r.Drafted) < 6 {
					stopped++
				}
			}
		}
	}
	if stopped == 0 {
		t.Error("no draft stopped early")
	}
}

// Where a constraint leaves nothing, the text goes as far as plain decoding
// would, and the error comes after it.
func TestDeadEnd(t *testing.T) {
	t.Parallel()
	target, draft := pair(t, "same")
	mask := func(out []int32) ([]uint64, bool, error) {
		if len(out) == 5 {
			return []uint64{0}, false, nil
		}
		return []uint64{0b111110}, false, nil
	}
	for _, b := range []bool{false, true} {
		p := compile(t, target, off.and(set{"block_verification": b}))
		d := start(t, target, draft, p, nil, []int32{2}, Options{Mask: mask})
		var err error
		for err == nil {
			_, err = d.Round(context.Background())
		}
		if !errors.Is(err, sampling.ErrNothingAllowed) || len(d.Output()) != 5 {
			t.Errorf("block %v: %d tokens, then %v; want 5", b, len(d.Output()), err)
		}
	}
}

// The account adds up, and its times are what the rounds took.
func TestView(t *testing.T) {
	t.Parallel()
	r := func(target, draft time.Duration, accepted int, emitted ...int32) *Round {
		out := &Round{Target: target, Draft: draft, DraftSteps: 2, Passes: 1, Accepted: accepted, Drafted: []int32{1, 2}, Emitted: emitted}
		for i := range 2 {
			p := Position{Alpha: 0.5}
			switch {
			case i < accepted:
				p.Verdict = Accepted
			case i == accepted:
				p.Verdict = Refused
			}
			out.Positions = append(out.Positions, p)
		}
		return out
	}
	// What another draft proposed, or another rule judged, does not count.
	other, block := r(90, 40, 2, 1, 2, 3), r(90, 40, 2, 1, 2, 3)
	other.Drafter, block.Algorithm = "ngram", Block
	v := &View{Rounds: []*Round{r(25, 4, 0, 9), other, r(20, 4, 2, 1, 2, 7), block, r(20, 4, 1, 1, 8)}}
	v.account([]time.Duration{12, 10, 10})
	// Judged: 1 + 2 + 2 tokens. Two tokens at one half each: none stands in
	// half of the rounds, one in a quarter, both in a quarter.
	if v.Counted != 3 || v.Drafted != 6 || v.Judged != 5 || v.Accepted != 3 || v.Emitted != 6 || v.Rate != 0.6 || v.PerPass != 2 {
		t.Errorf("counts %+v", v)
	}
	if !slices.Equal(v.Accepts, []int{1, 1, 1}) || !slices.Equal(v.Expected, []float64{1.5, 0.75, 0.75}) || v.Formula != 1.75 {
		t.Errorf("accepts %v, expected %v, formula %v", v.Accepts, v.Expected, v.Formula)
	}
	// A plain step takes 10, a verification 20, a draft step 2, a round 24.
	if v.Verify != 2 || v.Cost != 0.2 || math.Abs(v.Speedup-2*10.0/24) > 1e-12 || v.BreakEven != 0 {
		t.Errorf("verify %v, cost %v, speed-up %v, break-even %v", v.Verify, v.Cost, v.Speedup, v.BreakEven)
	}
}
