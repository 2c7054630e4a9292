package decode

import (
	"context"
	"math"

	"logitscope/engine"
	"logitscope/engine/compare"
	"logitscope/engine/record"
	"logitscope/engine/score"
	"logitscope/models"
	"logitscope/sampling"
	"logitscope/sampling/dist"
	"logitscope/ui/cli/laws"
	"logitscope/ui/cli/setup"
)

// A reading is one lane's text under another lane's law, as the summary has it:
// at every step one context, so that the two can be compared.
type reading struct {
	Text  int `json:"text"` // the lane that wrote it
	Law   int `json:"law"`  // the lane whose settings read it
	Steps int `json:"steps"`
	laws.Distance
	Against laws.Cross      `json:"against"`
	TV      []record.Number `json:"tv"` // by step; null where the row was not at hand
}

// readings are what each lane's text is under each lane's law, step by step.
type readings struct {
	jobs  []*setup.Job
	meter compare.Meter
	sums  [][]compare.Readings // by text and law
	tv    [][][]record.Number
}

func newReadings(jobs []*setup.Job) *readings {
	r := &readings{jobs: jobs, sums: make([][]compare.Readings, len(jobs)), tv: make([][][]record.Number, len(jobs))}
	for i := range jobs {
		r.sums[i], r.tv[i] = make([]compare.Readings, len(jobs)), make([][]record.Number, len(jobs))
	}
	return r
}

// read reads step k of each text, while its rows are at hand, under the laws of
// the lanes with the same model.
func (r *readings) read(views []engine.View, k int) {
	for i, v := range views {
		if k >= len(v.Steps) || v.Steps[k].Row == nil || v.Beam != nil {
			continue
		}
		under, lanes := []compare.Law{{Settings: r.jobs[i].Settings}}, []int{i}
		for j, job := range r.jobs {
			if j != i && job.Model == r.jobs[i].Model {
				under, lanes = append(under, compare.Law{Settings: job.Settings}), append(lanes, j)
			}
		}
		x, err := r.meter.Read(v, k, under...)
		if err != nil {
			continue // a law that leaves nothing has no distance
		}
		for n, j := range lanes {
			r.add(i, j, k, x.Distances[n], x.Chances[0], x.Chances[n])
		}
	}
}

func (r *readings) add(text, law, k int, d dist.Distance, a, b compare.Chance) {
	r.sums[text][law].Add(k+1, d, a, b)
	for len(r.tv[text][law]) < k {
		r.tv[text][law] = append(r.tv[text][law], record.Number(math.NaN()))
	}
	r.tv[text][law] = append(r.tv[text][law], record.Number(d.TV))
}

// readAcross reads the texts under the laws of lanes with another model of the
// same vocabulary, which has to read them itself.
func (r *readings) readAcross(ctx context.Context, views []engine.View) error {
	for i, a := range r.jobs {
		for j, b := range r.jobs {
			if a.Model == b.Model || len(views[i].Steps) == 0 || views[i].Beam != nil || engine.CheckDraft(a.Model, b.Model) != nil ||
				!a.Settings.Plain() || !b.Settings.Plain() {
				continue
			}
			in := score.Input{
				Law: score.Law{Model: a.Model, Pipeline: a.Settings.Pipeline}, Against: &score.Law{Model: b.Model, Pipeline: b.Settings.Pipeline},
				Prefix: views[i].Prompt, BOS: models.NoToken,
			}
			for _, s := range views[i].Steps {
				in.Text = append(in.Text, s.Token)
			}
			if bos, err := engine.Prompt(ctx, a.Model, ""); err == nil && len(bos) > 0 {
				in.BOS = bos[0]
			}
			k := 0
			err := score.Read(ctx, in, func(t score.Token) error {
				if t.Scored {
					r.add(i, j, k, t.Step.Distance, chance(&t.Of), chance(&t.Other))
				}
				k++
				return nil
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}

func chance(g *sampling.Given) compare.Chance {
	return compare.Chance{Kept: g.Kept, Prob: math.Exp(float64(g.Logprob))}
}

// list returns each text under each other lane's law.
func (r *readings) list() []reading {
	out := []reading{}
	for i := range r.jobs {
		for j := range r.jobs {
			if i == j {
				continue
			}
			s := &r.sums[i][j]
			tv := r.tv[i][j]
			if tv == nil {
				tv = []record.Number{}
			}
			out = append(out, reading{i + 1, j + 1, s.Steps, laws.Of(&s.Distances), laws.Cross{Impossible: s.B.Impossible, FinalBits: laws.Known(s.B.BitsPerToken())}, tv})
		}
	}
	return out
}

// own is a lane's text under its own law.
func (r *readings) own(lane int) laws.Cross {
	s := &r.sums[lane][lane]
	return laws.Cross{Impossible: s.A.Impossible, FinalBits: laws.Known(s.A.BitsPerToken())}
}
