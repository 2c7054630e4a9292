package speculative

import (
	"math"
	"slices"
	"testing"

	"logitscope/models/goldentest"
)

// golden is testdata/golden.json.gz.
type golden struct {
	Models struct {
		Vocab []string `json:"vocab"`
		EOS   int32    `json:"eos_id"`
		Pairs map[string]struct {
			Target [][]float64 `json:"target"`
			Draft  [][]float64 `json:"draft"`
		} `json:"pairs"`
	} `json:"models"`
	Exact map[string]struct {
		Cases []exactCase `json:"cases"`
	} `json:"exact"`
	Traces struct {
		Traces []goldenTrace `json:"traces"`
	} `json:"traces"`
	Negative struct {
		Cases []struct {
			Pair     string      `json:"pair"`
			Settings cutSettings `json:"settings"`
			Context  int32       `json:"context"`
			Target   []float64   `json:"target"`
			Draft    []float64   `json:"draft"`
			Wrong    map[Algorithm]struct {
				Law []float64 `json:"law"`
				TV  float64   `json:"tv"`
				Per float64   `json:"chi2_per_draw"`
			} `json:"wrong"`
		} `json:"cases"`
	} `json:"negative_controls"`
	Formula struct {
		Table []struct {
			Alpha    float64            `json:"alpha"`
			K        int                `json:"k"`
			Expected float64            `json:"expected_tokens"`
			Speedup  map[string]float64 `json:"speedup"`
		} `json:"table"`
		BestK []struct {
			Alpha   float64 `json:"alpha"`
			Cost    float64 `json:"cost_ratio"`
			K       int     `json:"best_k"`
			Speedup float64 `json:"speedup"`
		} `json:"best_k"`
	} `json:"formula"`
	Lookup struct {
		Cases []struct {
			Tokens []int32 `json:"tokens"`
			Max    int     `json:"max_ngram"`
			Min    int     `json:"min_ngram"`
			K      int     `json:"k"`
			EOS    int32   `json:"eos_id"`
			HF     []int32 `json:"hf"`
			VLLM   []int32 `json:"vllm"`
		} `json:"cases"`
	} `json:"prompt_lookup"`
}

type exactCase struct {
	Settings cutSettings `json:"settings"`
	P        [][]float64 `json:"p"`
	Q        [][]float64 `json:"q"`
	Alpha    []float64   `json:"alpha_by_context"`
	Residual [][]float64 `json:"residual_by_context"`
	Start    int32       `json:"start_context"`
	Joint    []jointRow  `json:"target_joint_3"`
	ByK      []struct {
		K        int       `json:"k"`
		PMF      []float64 `json:"accepted_pmf"`
		Accepted float64   `json:"expected_accepted"`
		Emitted  float64   `json:"expected_emitted"`
		NoEOS    struct {
			PMF     []float64 `json:"accepted_pmf"`
			PerPass float64   `json:"long_run_tokens_per_pass"`
		} `json:"no_eos"`
		Block *struct {
			PMF      []float64 `json:"accepted_pmf"`
			Accepted float64   `json:"expected_accepted"`
			Emitted  float64   `json:"expected_emitted"`
		} `json:"block_verification"`
	} `json:"by_k"`
}

type jointRow struct {
	Tokens []int32 `json:"tokens"`
	P      float64 `json:"p"`
}

type goldenTrace struct {
	Pair     string      `json:"pair"`
	Settings cutSettings `json:"settings"`
	K        int         `json:"k"`
	Start    int32       `json:"start_context"`
	Tokens   []int32     `json:"tokens"`
	Rounds   []struct {
		Draft  []int32   `json:"draft"`
		UDraft []float64 `json:"u_draft"`
		Steps  []struct {
			P           float64   `json:"p"`
			Q           float64   `json:"q"`
			Accept      float64   `json:"accept_prob"`
			U           float64   `json:"u_accept"`
			Accepted    bool      `json:"accepted"`
			Residual    []float64 `json:"residual"`
			UResidual   float64   `json:"u_residual"`
			Replacement int32     `json:"replacement"`
		} `json:"steps"`
		Bonus *struct {
			U     float64 `json:"u"`
			Token int32   `json:"token"`
		} `json:"bonus"`
		Accepted int     `json:"accepted"`
		Emitted  []int32 `json:"emitted"`
	} `json:"rounds"`
}

// cutSettings are the processors of a toy pair.
type cutSettings struct {
	Temperature float64  `json:"temperature"`
	TopK        int      `json:"top_k"`
	TopP        float64  `json:"top_p"`
	MinP        float64  `json:"min_p"`
	DraftT      *float64 `json:"draft_temperature"`
	DraftTopK   int      `json:"draft_top_k"`
	DraftTopP   float64  `json:"draft_top_p"`
	DraftMinP   float64  `json:"draft_min_p"`
}

// draft returns the settings of the draft's side.
func (s cutSettings) draft() cutSettings {
	if s.DraftT == nil {
		return s
	}
	return cutSettings{Temperature: *s.DraftT, TopK: s.DraftTopK, TopP: s.DraftTopP, MinP: s.DraftMinP}
}

// law applies the settings to a row of logits in float64: a second, plain
// implementation of temperature, top-k, top-p and min-p. The law goes by
// ascending token.
func (s cutSettings) law(logits []float64) Law {
	n := len(logits)
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case logits[a] > logits[b]:
			return -1
		case logits[a] < logits[b]:
			return 1
		}
		return 0
	})
	if s.Temperature == 0 {
		return point(int32(order[0]))
	}
	p := make([]float64, n)
	var sum float64
	for i, l := range logits {
		p[i] = math.Exp((l - logits[order[0]]) / s.Temperature)
		sum += p[i]
	}
	keep := order
	if s.TopK > 0 {
		keep = keep[:min(s.TopK, n)]
	}
	scale := func() {
		sum = 0
		for _, i := range keep {
			sum += p[i]
		}
	}
	scale()
	if s.TopP > 0 && s.TopP < 1 {
		cum, m := 0.0, 0
		for m < len(keep) && cum < s.TopP {
			cum += p[keep[m]] / sum
			m++
		}
		keep = keep[:m]
		scale()
	}
	if s.MinP > 0 {
		m := 0
		for m < len(keep) && p[keep[m]] >= s.MinP*p[keep[0]] {
			m++
		}
		keep = keep[:m]
		scale()
	}
	kept := slices.Clone(keep)
	slices.Sort(kept)
	var l Law
	for _, i := range kept {
		l.IDs = append(l.IDs, int32(i))
		l.Probs = append(l.Probs, p[i]/sum)
	}
	return l
}

// dense returns a law as one probability a token.
func dense(l Law, n int) []float64 {
	out := make([]float64, n)
	for i, id := range l.IDs {
		out[id] += l.Probs[i]
	}
	return out
}

var goldenFile = goldentest.File[golden]{Name: "testdata/golden.json.gz"}

func readGolden(t testing.TB) *golden {
	t.Helper()
	return goldenFile.Value(t)
}

func far(a, b []float64) float64 {
	worst := 0.0
	for i := range a {
		worst = max(worst, math.Abs(a[i]-b[i]))
	}
	return worst
}
