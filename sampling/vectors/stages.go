package vectors

import (
	"math"
	"slices"
)

// A stageCount is one stage as the schema counts it.
type stageCount struct {
	name       string
	kept, size int
}

// schemaNames are stages whose name in the schema is the engine's own.
var schemaNames = map[string]map[string]string{
	"transformers": {"logit_bias": "sequence_bias"},
	"llama.cpp":    {"typical_p": "typ_p"},
	"ollama":       {"typical_p": "typ_p"},
}

// counts returns the stages of the last trace as the schema has them.
func (t *runner) counts(p *plan) []stageCount {
	traced := t.t.Stages()
	var out []stageCount
	switch p.engine {
	case "vllm":
		return t.countsVLLM(p)
	case "ollama-go":
		return t.countsOllamaGo(p)
	}
	for _, s := range traced[1:] {
		name := s.Name
		if own, ok := schemaNames[p.engine][name]; ok {
			name = own
		}
		if name == "greedy" || name == "mirostat" || name == "adaptive_p" {
			continue
		}
		out = append(out, stageCount{name, s.Kept, s.Size})
	}
	return out
}

// countsVLLM counts after the processors together, temperature, min_p, and
// top_k and top_p together, whether they are on or not.
func (t *runner) countsVLLM(p *plan) []stageCount {
	out := []stageCount{{name: "logits_processors_and_penalties"}}
	groups := []string{"temperature", "min_p", "top_k_top_p"}
	if p.pipeline.Greedy() {
		groups = nil
	}
	for _, g := range groups {
		out = append(out, stageCount{name: g})
	}
	at := 0
	traced := t.t.Stages()
	for _, s := range traced {
		switch s.Name {
		case "temperature":
			at = max(at, 1)
		case "min_p":
			at = max(at, 2)
		case "top_k", "top_p":
			at = max(at, 3)
		case "greedy":
			continue
		}
		for i := at; i < len(out); i++ {
			out[i].kept, out[i].size = s.Kept, s.Size
		}
	}
	return out
}

// countsOllamaGo counts after each of its fixed steps.
func (t *runner) countsOllamaGo(p *plan) []stageCount {
	if p.pipeline.Greedy() {
		return nil
	}
	order := []string{"top_k", "temperature", "softmax", "top_p", "min_p"}
	out := make([]stageCount, len(order))
	for i, name := range order {
		out[i].name = name
	}
	for _, s := range t.t.Stages() {
		at := max(slices.Index(order, s.Name), 0)
		for i := at; i < len(out); i++ {
			// This engine counts its array, entries at -inf included.
			out[i].kept, out[i].size = s.Size, s.Size
		}
	}
	return out
}

func (t *runner) stages(p *plan) { t.writeStages(p, t.counts(p)) }

func (t *runner) writeStages(p *plan, counts []stageCount) {
	t.key("stages")
	t.out = append(t.out, '[')
	for i, s := range counts {
		if i > 0 {
			t.out = append(t.out, ',')
		}
		t.out = append(t.out, `{"name":"`...)
		t.out = append(t.out, s.name...)
		t.out = append(t.out, `","kept":`...)
		t.int(s.kept)
		if !p.dense() {
			t.key("size")
			t.int(s.size)
		}
		t.out = append(t.out, '}')
	}
	t.out = append(t.out, ']')
}

// stagesOfNaN writes the stages of a row that is no distribution.
func (t *runner) stagesOfNaN(p *plan) {
	n, size := 0, len(t.c.Logits.Values)
	for _, v := range t.c.Logits.Values {
		if v > float32(math.Inf(-1)) {
			n++
		}
	}
	var counts []stageCount
	if p.engine == "vllm" {
		for _, name := range []string{"logits_processors_and_penalties", "temperature", "min_p", "top_k_top_p"} {
			counts = append(counts, stageCount{name, n, size})
		}
	} else if p.dense() {
		for _, name := range p.pipeline.StageNames() {
			if name != "greedy" {
				counts = append(counts, stageCount{name, n, size})
			}
		}
	}
	t.writeStages(p, counts)
}
