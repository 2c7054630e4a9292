package cases

import (
	"slices"
	"strconv"

	"logitscope/sampling"
)

// draws writes the tokens of consecutive draws on the same row.
func (t *runner) draws(p *plan, in sampling.Input, token int32, state sampling.State) error {
	final := t.final(p)
	n := len(t.c.Expected.Draws.Tokens)
	if n == 0 {
		n = 8
		if final != "dist" {
			n = 12
		}
	}
	tokens, sizes, probs := append(t.order[:0], token), []int(nil), []float32(nil)
	size, prob := t.size(), t.t.Prob
	for i := 0; ; i++ {
		if final != "dist" {
			sizes, probs = append(sizes, size), append(probs, prob)
		}
		if i == n-1 {
			break
		}
		in.State = state
		id, err := p.pipeline.Sample(&t.t, &t.s, in)
		if err != nil {
			return err
		}
		state = t.t.State
		tokens = append(tokens, id)
		size, prob = t.size(), t.t.Prob
	}
	t.order = tokens
	if p.rules.Draw == sampling.DrawMT {
		t.key("final_stage")
		t.text(final)
	}
	t.key("draws")
	t.out = append(t.out, `{"seed":`...)
	seed, _ := p.pipeline.Config().Lookup("seed")
	t.out = strconv.AppendUint(t.out, seed.Value.(uint64), 10)
	t.key("tokens")
	t.ids(tokens)
	if final != "dist" {
		t.key("sizes")
		t.out = append(t.out, '[')
		for i, s := range sizes {
			if i > 0 {
				t.out = append(t.out, ',')
			}
			t.int(s)
		}
		t.out = append(t.out, ']')
		t.key("p")
		t.out = append(t.out, '[')
		for i, f := range probs {
			if i > 0 {
				t.out = append(t.out, ',')
			}
			t.float(float64(f))
		}
		t.out = append(t.out, ']')
	}
	t.out = append(t.out, '}')
	t.out = t.end()
	return nil
}

// size returns the entries of the array after the last draw.
func (t *runner) size() int {
	s := t.t.Stages()
	return s[len(s)-1].Size
}

// final returns the stage that picks the token.
func (t *runner) final(p *plan) string {
	for _, name := range p.pipeline.StageNames() {
		switch {
		case name == "adaptive_p":
			return name
		case name == "mirostat" && p.pipeline.Config().Int("mirostat") == 2:
			return "mirostat_v2"
		case name == "mirostat":
			return name
		}
	}
	if slices.Contains(p.pipeline.Order().Custom(), "adaptive_p") {
		return "adaptive_p" // off, but still what draws
	}
	return "dist"
}
