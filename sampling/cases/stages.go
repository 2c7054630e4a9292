package cases

import (
	"math"
	"slices"

	"logitscope/sampling"
)

// A stageCount is one stage as the schema counts it.
type stageCount struct {
	name       string
	kept, size int
}

// counts returns the stages of the last trace as the schema has them.
func (t *runner) counts(p *plan) []stageCount {
	traced := t.t.Stages()
	var out []stageCount
	if len(p.rules.Cases.Steps) > 0 {
		return t.countSteps(p)
	}
	for _, s := range traced[1:] {
		d := p.pipeline.Order().Stage(s.Name)
		switch {
		case s.Name == "greedy" || d != nil && d.Final:
			continue
		case d != nil && d.Own != "":
			out = append(out, stageCount{d.Own, s.Kept, s.Size})
		default:
			out = append(out, stageCount{s.Name, s.Kept, s.Size})
		}
	}
	return out
}

// countSteps counts after what the engine counts as a stage, whether its
// stages are on or not.
func (t *runner) countSteps(p *plan) []stageCount {
	var out []stageCount
	var steps []sampling.CaseStep
	for _, step := range p.rules.Cases.Steps {
		if !step.Drawn || !p.pipeline.Greedy() {
			steps, out = append(steps, step), append(out, stageCount{name: step.Name})
		}
	}
	at := 0
	for _, s := range t.t.Stages() {
		if s.Name == "greedy" {
			continue
		}
		if k := slices.IndexFunc(steps, func(step sampling.CaseStep) bool { return slices.Contains(step.Stages, s.Name) }); k >= 0 {
			at = max(at, k)
		}
		kept := s.Kept
		if p.rules.Cases.Banned {
			kept = s.Size
		}
		for i := at; i < len(out); i++ {
			out[i].kept, out[i].size = kept, s.Size
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

// stagesOfNaN writes the stages of a row that is not a distribution.
func (t *runner) stagesOfNaN(p *plan) {
	n, size := 0, len(t.c.Logits.Values)
	for _, v := range t.c.Logits.Values {
		if v > float32(math.Inf(-1)) {
			n++
		}
	}
	var counts []stageCount
	if steps := p.rules.Cases.Steps; len(steps) > 0 {
		for _, step := range steps {
			counts = append(counts, stageCount{step.Name, n, size})
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
