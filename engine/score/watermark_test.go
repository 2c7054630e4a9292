package score

import (
	"context"
	"math"
	"testing"

	"logitscope/models"
	"logitscope/models/fable"
	"logitscope/models/llama"
	"logitscope/sampling"
	"logitscope/sampling/dist"
	"logitscope/sampling/watermark"
)

// A marked text is the model's, with what each of its tokens was to be.
type written struct {
	tokens []int32
	green  []float64 // chance of a green token at each place, under the law it was drawn from
}

// write draws texts of n tokens after a prompt, one for each pipeline, side by
// side.
func write(t *testing.T, m models.Model, prompt []int32, marks []*watermark.Mark, bias float64, pipelines, plain []*sampling.Pipeline, n int) []written {
	ctx := context.Background()
	out := make([]written, len(pipelines))
	sessions := make([]models.Session, len(pipelines))
	last := make([]int32, len(pipelines))
	first, err := m.NewSession()
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close()
	if _, err := first.Forward(ctx, prompt[:len(prompt)-1], 0); err != nil {
		t.Fatal(err)
	}
	for i := range sessions {
		if sessions[i], err = first.(models.Forker).Fork(); err != nil {
			t.Fatal(err)
		}
		defer sessions[i].Close()
		last[i] = prompt[len(prompt)-1]
	}
	var s sampling.Scratch
	var tr sampling.Trace
	var d dist.Dist
	var lists watermark.Scratch
	for range n {
		rows, err := m.(models.Batcher).ForwardBatch(ctx, sessions, last)
		if err != nil {
			t.Fatal(err)
		}
		for i, row := range rows {
			in := sampling.Input{Logits: row.Values, Prompt: prompt, Output: out[i].tokens}
			if err := plain[i].Distribution(&d, &s, in); err != nil {
				t.Fatal(err)
			}
			green, _ := marks[i].Place(&lists, []int32{last[i]}, len(row.Values), d.IDs, d.Probs).Marked(bias)
			id, err := pipelines[i].Sample(&tr, &s, in)
			if err != nil {
				t.Fatal(err)
			}
			out[i].tokens, out[i].green, last[i] = append(out[i].tokens, id), append(out[i].green, green), id
		}
	}
	return out
}

// TestWatermarkRates holds the detector's rates on marked and plain texts of
// the built-in model to theory: the chances of green tokens that the laws give,
// and the binomial law of a text that knows of no mark. Each text has a key of
// its own, since texts of one key share the colours of their common pairs.
func TestWatermarkRates(t *testing.T) {
	texts, tokens := 200, 60
	if testing.Short() {
		texts = 40
	}
	const bias = 2.0
	m, err := fable.Open(llama.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	prompt := m.Vocab().Encode("Once upon a time", models.EncodeOptions{AddSpecial: true})
	rates := map[bool]float64{}
	want := map[bool]float64{}
	for _, on := range []bool{true, false} {
		found, expected, spread := 0, 0.0, 0.0
		for from := 0; from < texts; from += 40 {
			var marks []*watermark.Mark
			var pipelines, plain []*sampling.Pipeline
			for i := from; i < from+40; i++ {
				c := sampling.Config{}.MustWith("top_k", 0, sampling.FromYou).MustWith("seed", i, sampling.FromYou).MustWith("watermark_key", 1000003+7919*i, sampling.FromYou).
					MustWith("eos_token_id", []int32{0}, sampling.FromYou)
				mark, err := c.Watermark()
				if err != nil {
					t.Fatal(err)
				}
				p, err := sampling.Compile(c, nil)
				if err != nil {
					t.Fatal(err)
				}
				marks, plain = append(marks, mark), append(plain, p)
				if on {
					if p, err = sampling.Compile(c.MustWith("watermark_bias", bias, sampling.FromYou), nil); err != nil {
						t.Fatal(err)
					}
				}
				pipelines = append(pipelines, p)
			}
			strength := 0.0
			if on {
				strength = bias
			}
			for i, w := range write(t, m, prompt, marks, strength, pipelines, plain, tokens) {
				// The first token follows the prompt: its pair counts with it.
				d, err := marks[i].Detect(append(prompt[len(prompt)-1:len(prompt):len(prompt)], w.tokens...), m.Info().VocabSize, -1)
				if err != nil {
					t.Fatal(err)
				}
				if d.Scored != tokens {
					t.Fatalf("%d of %d tokens count", d.Scored, tokens)
				}
				if d.Z > watermark.DefaultThreshold {
					found++
				}
				p := chanceAbove(w.green, marks[i], on)
				expected += p
				spread += p * (1 - p)
			}
		}
		rates[on], want[on] = float64(found)/float64(texts), expected/float64(texts)
		t.Logf("mark %v: %d of %d texts are taken for marked, theory expects %.2f ± %.2f", on, found, texts, expected, math.Sqrt(spread))
		if d := math.Abs(float64(found) - expected); d > 3*math.Sqrt(spread)+2 {
			t.Errorf("mark %v: %d of %d, want %.2f ± %.2f", on, found, texts, expected, math.Sqrt(spread))
		}
	}
	if rates[true] < 0.1 || rates[false] > 0.05 {
		t.Errorf("rates %v, theory %v", rates, want)
	}
}

// chanceAbove returns the chance that more green tokens than the threshold
// allows come of independent places: with the chances given for a marked text,
// the ratio for a plain one.
func chanceAbove(green []float64, m *watermark.Mark, marked bool) float64 {
	law := []float64{1} // of the number of green tokens
	for _, p := range green {
		if !marked {
			p = m.Ratio
		}
		next := make([]float64, len(law)+1)
		for k, q := range law {
			next[k] += q * (1 - p)
			next[k+1] += q * p
		}
		law = next
	}
	above := 0.0
	for k, q := range law {
		if m.Z(k, len(green)) > watermark.DefaultThreshold {
			above += q
		}
	}
	return above
}

// The laws that the cost is made of are those of the settings without the
// mark, and the closed form is their Kullback–Leibler divergence.
func TestMarkCost(t *testing.T) {
	m, err := fable.Open(llama.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	text := m.Vocab().Encode(" there was a girl who lived by the sea.", models.EncodeOptions{})
	prompt := m.Vocab().Encode("Once upon a time", models.EncodeOptions{AddSpecial: true})
	c := sampling.Config{}.MustWith("top_p", 0.9, sampling.FromYou)
	for _, scheme := range []string{"lefthash", "selfhash"} {
		c := c.MustWith("watermark_scheme", scheme, sampling.FromYou).MustWith("watermark_width", 2, sampling.FromYou)
		mark, err := c.Watermark()
		if err != nil {
			t.Fatal(err)
		}
		plain, err := sampling.Compile(c, nil)
		if err != nil {
			t.Fatal(err)
		}
		marked, err := sampling.Compile(c.MustWith("watermark_bias", 3.0, sampling.FromYou), nil)
		if err != nil {
			t.Fatal(err)
		}
		other := Law{Model: m, Pipeline: marked}
		n := 0
		err = Read(context.Background(), Input{Law: Law{m, plain}, Against: &other, Mark: &Mark{mark, plain}, Prefix: prompt, Text: text, BOS: models.NoToken}, func(tok Token) error {
			if !tok.Marked {
				t.Errorf("%s: token %d has no list", scheme, n)
			}
			if _, bits := tok.Green.Marked(3); math.Abs(bits-tok.Step.KLba) > 1e-4 {
				t.Errorf("%s: token %d costs %v bits, the laws are %v apart", scheme, n, bits, tok.Step.KLba)
			}
			n++
			return nil
		})
		if err != nil || n != len(text) {
			t.Fatal(err, n)
		}
	}
}
