// Package request answers: what are the statistics of this line of JSON? It
// computes statistics that are asked for as JSON: one function a kind, for
// scripts and for comparing this program's numbers with others'.
package request

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"logitscope/engine/stats"
)

// A result is what a kind gives, by name. Numbers that are not finite are
// written as null.
type result map[string]any

// kinds are what can be asked for.
var kinds = map[string]func(*input) result{
	"wilson":          wilson,
	"t_mean":          tMean,
	"clustered_share": clusteredShare,
	"paired_share":    pairedShare,
	"paired_mean":     pairedMean,
	"pass_at_k":       passAtK,
	"holm":            holm,
	"bradley_terry":   bradleyTerry,
	"prompts_needed":  promptsNeeded,
	"distinct":        distinct,
	"majority":        majority,
}

// Kinds returns the names of all kinds, sorted.
func Kinds() []string { return slices.Sorted(maps.Keys(kinds)) }

// Compute returns the result of one case as a JSON object. The error names
// the field and what it may be.
func Compute(kind string, object json.RawMessage) (json.RawMessage, error) {
	f, ok := kinds[kind]
	if !ok {
		return nil, fmt.Errorf("kind %q: must be one of %s", kind, strings.Join(Kinds(), ", "))
	}
	in, err := newInput(object)
	if err != nil {
		return nil, err
	}
	r := f(in)
	if err := in.end(); err != nil {
		return nil, err
	}
	for k, v := range r {
		if x, ok := v.(float64); ok && (math.IsNaN(x) || math.IsInf(x, 0)) {
			r[k] = nil
		}
	}
	return json.Marshal(r)
}

func interval(e stats.Estimate) result {
	return result{"estimate": e.Value, "low": e.Low, "high": e.High}
}

func wilson(in *input) result {
	n := in.whole("n", 1, maxCount)
	k := in.whole("k", 0, n)
	if in.bad() {
		return nil
	}
	return interval(stats.Wilson(k, n))
}

func tMean(in *input) result {
	values := in.numbers("values", 2)
	if in.bad() {
		return nil
	}
	return interval(stats.MeanT(values))
}

func clusteredShare(in *input) result {
	var prompts [][]bool
	in.read("prompts", "a list of lists of 0 and 1", &passes{&prompts})
	in.must(in.bad() || len(prompts) > 0, "prompts: must name one prompt or more")
	if in.bad() {
		return nil
	}
	return interval(stats.Clustered(prompts))
}

func pairedShare(in *input) result {
	c := stats.Pairs{Both: in.whole("both", 0, maxCount), OnlyA: in.whole("only_a", 0, maxCount),
		OnlyB: in.whole("only_b", 0, maxCount), Neither: in.whole("neither", 0, maxCount)}
	in.must(in.bad() || c.N() > 0, "both, only_a, only_b, neither: must count one prompt or more")
	if in.bad() {
		return nil
	}
	e, p := stats.PairedShare(c)
	r := interval(e)
	r["mcnemar_p"] = p
	return r
}

func pairedMean(in *input) result {
	a, b := in.numbers("a", 2), in.numbers("b", 2)
	in.must(in.bad() || len(a) == len(b), fmt.Sprintf("a, b: must be as many; there are %d and %d", len(a), len(b)))
	if in.bad() {
		return nil
	}
	differences := make([]float64, len(a))
	for i := range a {
		differences[i] = b[i] - a[i]
	}
	e, p := stats.PairedMean(differences)
	r := interval(e)
	r["p"] = p
	return r
}

func passAtK(in *input) result {
	n := in.whole("n", 1, maxCount)
	correct, k := in.whole("correct", 0, n), in.whole("k", 1, n)
	if in.bad() {
		return nil
	}
	return result{"estimate": stats.PassAtK(n, correct, k)}
}

func holm(in *input) result {
	p := in.numbers("p", 1)
	for _, x := range p {
		in.must(x >= 0 && x <= 1, fmt.Sprintf("p: %g: must be 0 to 1", x))
	}
	if in.bad() {
		return nil
	}
	return result{"adjusted": stats.Holm(p)}
}

func bradleyTerry(in *input) result {
	var counts map[string]json.RawMessage
	in.read("wins", "an object of counts, by A>B", &counts)
	index, names := map[string]int{}, []string{}
	player := func(name string) int {
		if _, ok := index[name]; !ok {
			index[name] = len(names)
			names = append(names, name)
		}
		return index[name]
	}
	type win struct{ a, b, n int }
	var list []win
	for _, key := range slices.Sorted(maps.Keys(counts)) {
		a, b, ok := strings.Cut(key, ">")
		var n int
		in.must(ok && a != "" && b != "" && a != b && !strings.Contains(b, ">"), fmt.Sprintf("wins: %q: must be two different names, A>B", key))
		in.must(json.Unmarshal(counts[key], &n) == nil && string(counts[key]) != "null" && n >= 0 && n <= maxCount,
			fmt.Sprintf("wins: %s: must be a whole number from 0", key))
		list = append(list, win{player(a), player(b), n})
	}
	in.must(in.bad() || len(names) >= 2, "wins: must compare two or more")
	in.must(len(names) <= maxNames, fmt.Sprintf("wins: must compare at most %d", maxNames))
	if in.bad() {
		return nil
	}
	wins := make([][]float64, len(names))
	for i := range wins {
		wins[i] = make([]float64, len(names))
	}
	for _, w := range list {
		wins[w.a][w.b] = float64(w.n)
	}
	s, err := stats.BradleyTerry(wins)
	if err != nil {
		in.must(false, "wins: "+err.Error())
		return nil
	}
	strength := map[string]float64{}
	for i, name := range names {
		strength[name] = s[i]
	}
	return result{"strength": strength}
}

func promptsNeeded(in *input) result {
	sd, d := in.number("sd_of_differences"), in.number("difference")
	power, level := in.optional("power", stats.Power), in.optional("level", 1-stats.Level)
	configs := 1
	if in.has("configs") {
		configs = in.whole("configs", 1, maxCount)
	}
	in.must(sd >= 0, "sd_of_differences: must be 0 or more")
	in.must(in.bad() || d != 0, "difference: must not be 0: no number of prompts shows that there is none")
	in.must(power > 0 && power < 1, "power: must be between 0 and 1")
	in.must(level > 0 && level < 1, "level: must be between 0 and 1")
	if in.bad() {
		return nil
	}
	n := stats.Needed(sd, d, power, level/float64(configs))
	in.must(n <= 1<<53, "difference: must not be so small: the number of prompts is beyond counting")
	return result{"n": n}
}

func distinct(in *input) result {
	var lists [][]*int32
	in.read("texts", "a list of lists of token ids", &lists)
	vocab := in.whole("vocab", 1, math.MaxInt32)
	in.must(in.bad() || len(lists) > 0, "texts: must hold one text or more")
	texts := make([][]int32, len(lists))
	for i, list := range lists {
		for _, id := range list {
			if id == nil {
				in.must(false, "texts: null: must be token ids")
				return nil
			}
			in.must(*id >= 0 && int(*id) < vocab, fmt.Sprintf("texts: token %d: must be 0 to %d", *id, vocab-1))
			texts[i] = append(texts[i], *id)
		}
	}
	if in.bad() {
		return nil
	}
	r := result{"ead": stats.EAD(texts, vocab)(nil)}
	for n := 1; n <= 3; n++ {
		r[fmt.Sprintf("pooled_%d", n)] = stats.Pooled(texts, n)(nil)
		r[fmt.Sprintf("per_text_%d", n)] = stats.PerText(texts, n)(nil)
	}
	return r
}

// majority counts answers; null is a text without one, which counts as a text
// and wins no vote.
func majority(in *input) result {
	var answers []*string
	in.read("answers", "a list of texts", &answers)
	in.must(in.bad() || len(answers) > 0, "answers: must hold one answer or more")
	if in.bad() {
		return nil
	}
	var given []string
	for _, a := range answers {
		if a != nil {
			given = append(given, *a)
		}
	}
	answer, votes := stats.Majority(given)
	r := result{"answer": answer, "votes": votes, "of": len(answers)}
	if votes == 0 {
		r["answer"] = nil
	}
	return r
}

// passes reads a list of lists of 0, 1, true and false.
type passes struct{ to *[][]bool }

func (p *passes) UnmarshalJSON(b []byte) error {
	var lists [][]json.RawMessage
	if err := json.Unmarshal(b, &lists); err != nil {
		return err
	}
	for i, list := range lists {
		if len(list) == 0 {
			return fmt.Errorf("prompt %d has no texts", i+1)
		}
		passed := make([]bool, len(list))
		for k, v := range list {
			switch {
			case bytes.Equal(v, []byte("1")), bytes.Equal(v, []byte("true")):
				passed[k] = true
			case bytes.Equal(v, []byte("0")), bytes.Equal(v, []byte("false")):
			default:
				return fmt.Errorf("%s: each text is 0 or 1", v)
			}
		}
		*p.to = append(*p.to, passed)
	}
	return nil
}
