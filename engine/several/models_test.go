package several

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"logitscope/models"
	"logitscope/models/fable"
	"logitscope/models/llama"
)

// A family answers with a model's law after any of a few texts.
type family struct {
	t      *testing.T
	m      models.Model
	prompt []int32
	laws   map[string]Law
}

// after is the model's law after the prompt and path.
func (f *family) after(path []int) Law {
	if l, ok := f.laws[name(path)]; ok {
		return l
	}
	s, err := f.m.NewSession()
	if err != nil {
		f.t.Fatal(err)
	}
	defer s.Close()
	tokens := f.prompt
	for _, x := range path {
		tokens = append(tokens[:len(tokens):len(tokens)], int32(x))
	}
	rows, err := s.Forward(context.Background(), tokens, 1)
	if err != nil {
		f.t.Fatal(err)
	}
	hi, sum := math.Inf(-1), 0.0
	for _, v := range rows[0].Values {
		hi = math.Max(hi, float64(v))
	}
	l := make(Law, len(rows[0].Values))
	for x, v := range rows[0].Values {
		l[x] = math.Exp(float64(v) - hi)
		sum += l[x]
	}
	for x := range l {
		l[x] /= sum
	}
	f.laws[name(path)] = l
	return l
}

// A tree of drafts of the built-in draft model keeps the law of the built-in
// model, token by token, and more drafts make a pass worth more tokens.
func TestOnModels(t *testing.T) {
	target, err := fable.Open(llama.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer target.Close()
	draft, err := fable.OpenDraft(llama.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer draft.Close()
	prompt := target.Vocab().Encode("The capital of France is", models.EncodeOptions{AddSpecial: true})
	p := &family{t, target, prompt, map[string]Law{}}
	q := &family{t, draft, prompt, map[string]Law{}}
	walks := 4000
	if testing.Short() {
		walks = 1000
	}
	last := 0.0
	for _, k := range [][]int{{1}, {3}, {3, 2}} {
		tree := Tree{k, p.after, q.after}
		r := rand.New(rand.NewPCG(5, 6))
		counts, tokens := map[int]int{}, 0
		for range walks {
			walked := tree.Walk(r.Float64)
			counts[walked[0]]++
			tokens += len(walked)
		}
		law := p.after(nil)
		// Tokens that are expected fewer than ten times are taken together.
		var stat, rest, seen float64
		cells := 0
		for x, want := range law {
			if e := want * float64(walks); e >= 10 {
				d := float64(counts[x]) - e
				stat += d * d / e
				cells++
			} else {
				rest, seen = rest+e, seen+float64(counts[x])
			}
		}
		stat += (seen - rest) * (seen - rest) / rest
		if f := float64(cells); stat > f+5*math.Sqrt(2*f)+10 {
			t.Errorf("%v: chi-square %.1f of %d cells", k, stat, cells)
		}
		mean := float64(tokens) / float64(walks)
		t.Logf("%v drafts: %.2f tokens a pass, chi-square %.1f of %d cells", k, mean, stat, cells)
		if mean <= last {
			t.Errorf("%v: %.3f tokens a pass, %.3f with fewer drafts", k, mean, last)
		}
		last = mean
	}
}
