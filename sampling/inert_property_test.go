package sampling_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"logitscope/sampling"
	"logitscope/sampling/dist"
	"logitscope/sampling/inert"
	"logitscope/sampling/param"
	"logitscope/sampling/value"
)

// someValues are values of each parameter that do something where it acts.
var someValues = map[string][]any{
	"temperature": {0.0, 0.3, 1.7}, "top_k": {0, 1, 3, 8, 500}, "top_p": {1.0, 0.05, 0.6, 0.95}, "min_p": {0.0, 0.05, 0.4},
	"repetition_penalty": {1.0, 1.4, 0.7}, "frequency_penalty": {0.0, 0.6, -0.6}, "presence_penalty": {0.0, 0.9, -0.4},
	"typical_p": {1.0, 0.2, 0.8}, "top_n_sigma": {0.0, 0.4, 1.5}, "xtc_probability": {0.0, 0.5, 1.0}, "xtc_threshold": {0.02, 0.1, 0.6},
	"dynatemp_range": {0.0, 0.4}, "dynatemp_exponent": {1.0, 2.5}, "mirostat": {0, 1, 2}, "mirostat_tau": {5.0, 1.5}, "mirostat_eta": {0.1, 0.9},
	"seed": {7, 8, 9}, "do_sample": {true, false}, "epsilon_cutoff": {0.0, 0.03}, "eta_cutoff": {0.0, 0.05}, "repeat_last_n": {64, 0, 2},
	"dry_multiplier": {0.0, 1.5}, "dry_base": {1.75, 0.5, 3.0}, "dry_allowed_length": {2, 1}, "dry_penalty_last_n": {64, 0, 3},
	"no_repeat_ngram_size": {0, 2}, "logit_bias": {[]value.TokenBias{}, "1=3,4=-2"}, "bad_words_ids": {[][]int32{}, "[[2],[1,4]]"},
	"min_new_tokens": {0, 3, 50}, "top_h": {0.0, 0.3}, "adaptive_target": {-1.0, 0.4}, "adaptive_decay": {0.9, 0.2}, "min_tokens_to_keep": {0, 4},
	"allowed_token_ids": {[]int32{}, "0,1,2,3,4,5,6,7,9"}, "suppress_tokens": {[]int32{}, "3"},
	"p_less": {false, true}, "p_less_norm": {false, true}, "top_a": {0.0, 0.3, 1.5}, "tfs_z": {1.0, 0.5, 0.95}, "cut_rules": {"koboldcpp", "textgen"},
	"smoothing_factor": {0.0, 0.4}, "smoothing_curve": {1.0, 2.5}, "skew": {0.0, 0.7, -0.7}, "contrastive_alpha": {0.0, 0.1}, "contrastive_beta": {0.0, 0.5},
	"contrastive_form": {"weighted", "difference"}, "contrastive_temperature": {1.0, 0.5}, "guidance_scale": {1.0, 1.6}, "watermark_bias": {0.0, 2.0}, "watermark_ratio": {0.25, 0.5, 0.02}, "watermark_key": {15485863, 7}, "watermark_scheme": {"lefthash", "selfhash"}, "watermark_width": {1, 3, 60},
	"min_length": {0, 40}, "eos_token_id": {[]int32{0}, "5"},
}

var someLists = []string{
	"temperature,top_k,top_p", "top_k,temperature,xtc", "xtc,top_k,temperature", "penalties,temperature", "temperature,penalties,min_p",
	"top_p,typical_p,min_p,temperature", "min_p,top_n_sigma,temperature,top_k", "transformers:top_p,top_k,temperature,min_p",
	"transformers:epsilon_cutoff,eta_cutoff,top_h,typical_p", "vllm:top_p,top_k", "vllm:min_p,typical_p,temperature",
	"ollama:top_p,min_p,temperature", "ollama-go:temperature,top_k", "none", "transformers:temperature,xtc,dry", "dry,top_k,adaptive_p",
	"lab:p_less,top_a,temperature", "lab:temperature,tfs,p_less_norm,top_k", "lab:guidance,smoothing,skew,min_p", "lab:top_k,contrastive,temperature", "lab:tfs,xtc", "lab:top_k,watermark,temperature", "lab:watermark,top_p", "lab:p_less,watermark",
}

// TestInertChangesNothing: what is said to have no effect, always or at a
// step, changes no survivor, no probability and no draw, on random settings,
// orders, rows and histories.
func TestInertChangesNothing(t *testing.T) {
	trials := 1500
	if testing.Short() {
		trials = 300
	}
	rnd := rand.New(rand.NewPCG(17, 3))
	var keys []string
	for i := range param.All() {
		if k := param.All()[i].Key; someValues[k] != nil {
			keys = append(keys, k)
		}
	}
	claims := map[string]int{}
	failed := 0
	for range trials {
		c := sampling.Config{}.MustWith("order", randomOrder(rnd), sampling.FromYou)
		for _, k := range keys {
			if rnd.IntN(3) == 0 || k == "eos_token_id" {
				c = c.MustWith(k, pick(rnd, someValues[k]), sampling.FromYou)
			}
		}
		if rnd.IntN(3) == 0 {
			c = c.MustWith("temperature", 0.0, sampling.FromYou)
		}
		p, err := sampling.Compile(c, nil)
		if err != nil {
			continue
		}
		in := randomStep(rnd)
		var s sampling.Scratch
		var tr sampling.Trace
		_, err = p.Sample(&tr, &s, in)
		for _, k := range keys {
			always, here := p.Inert(k, nil), inert.Inert{}
			if err == nil {
				here = p.Inert(k, &tr)
			}
			for _, claim := range []inert.Inert{always, here} {
				if !claim.NoEffect() {
					continue
				}
				claims[fmt.Sprint(claim.Reason)]++
				for _, other := range instead(c, k, claim.Always(), rnd) {
					if d := differs(p, other, in); d != "" {
						if failed++; failed <= 25 {
							t.Errorf("%s %v, %s\nbut with %v: %s", k, claim, describe(c), other.Config().Value(k), d)
						}
					}
				}
			}
		}
	}
	total := 0
	for _, n := range claims {
		total += n
	}
	t.Logf("%d claims by reason %v, %d false", total, claims, failed)
	if total < trials || failed > 0 {
		t.Errorf("%d claims, %d of them false", total, failed)
	}
}

func randomOrder(rnd *rand.Rand) string {
	if rnd.IntN(3) == 0 {
		return someLists[rnd.IntN(len(someLists))]
	}
	return sampling.Orders()[rnd.IntN(len(sampling.Orders()))].Name()
}

func pick(rnd *rand.Rand, list []any) any { return list[rnd.IntN(len(list))] }

// randomStep returns a row of logits, often with equal ones or a sure one,
// sometimes partial, and a history that repeats itself.
func randomStep(rnd *rand.Rand) sampling.Input {
	n := 5 + rnd.IntN(40)
	var in sampling.Input
	kind := rnd.IntN(5)
	for range n {
		x := rnd.NormFloat64() * 2
		if kind == 1 {
			x = math.Round(x)
		}
		in.Logits = append(in.Logits, float32(x))
	}
	switch kind {
	case 2:
		in.Logits[rnd.IntN(n)] += 12
	case 3:
		in.Rest = float32(rnd.Float64() * 0.4)
		for i := range n {
			in.IDs = append(in.IDs, int32(i))
		}
		slices.Sort(in.Logits)
	}
	in.Second = make([]float32, n)
	for i := range in.Second {
		in.Second[i] = float32(rnd.NormFloat64() * 2)
	}
	for range rnd.IntN(20) {
		in.Prompt = append(in.Prompt, int32(rnd.IntN(min(n, 5))))
	}
	for range rnd.IntN(20) {
		in.Output = append(in.Output, int32(rnd.IntN(min(n, 5))))
	}
	return in
}

// instead returns pipelines with other values of a key: with its off value,
// and if it has no effect whatever the step, or has no off value, with any.
func instead(c sampling.Config, key string, always bool, rnd *rand.Rand) (out []*sampling.Pipeline) {
	prm, _ := param.Lookup(key)
	var values []any
	if prm.Off != nil {
		values = append(values, prm.Off)
	}
	if always && prm.Off == nil || len(values) == 0 {
		values = append(values, pick(rnd, someValues[key]))
	}
	for _, v := range values {
		if d, err := c.With(key, v, sampling.FromYou); err == nil {
			if p, err := sampling.Compile(d, nil); err == nil {
				out = append(out, p)
			}
		}
	}
	return out
}

// differs says in what the next step differs under two pipelines.
func differs(p, q *sampling.Pipeline, in sampling.Input) string {
	var s, u sampling.Scratch
	var a, b sampling.Trace
	x, err := p.Sample(&a, &s, in)
	y, err2 := q.Sample(&b, &u, in)
	switch {
	case (err == nil) != (err2 == nil):
		return fmt.Sprintf("errors %v and %v", err, err2)
	case err != nil:
		return ""
	case x != y:
		return fmt.Sprintf("draws %d and %d", x, y)
	}
	var d, e dist.Dist
	s.Final(&d)
	u.Final(&e)
	if len(d.IDs) != len(e.IDs) {
		return fmt.Sprintf("%d and %d survive", len(d.IDs), len(e.IDs))
	}
	if tv := dist.TotalVariation(&d, &e); tv > 1e-6 {
		return fmt.Sprintf("total variation %g", tv)
	}
	return ""
}

func describe(c sampling.Config) string {
	s := ""
	for _, k := range c.Keys() {
		s += fmt.Sprintf(" %s=%v", k, c.Value(k))
	}
	return s
}
