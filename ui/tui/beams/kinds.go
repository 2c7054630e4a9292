package beams

import (
	"logitscope/sampling"
	"logitscope/ui/tui/kit"
	"logitscope/viz"
)

// A beamKind is a way to search with beams.
type beamKind struct {
	name      string
	sample    bool
	groups    int64
	diversity float64
}

// beamKinds are those that a key turns through.
var beamKinds = []beamKind{{name: "plain beams", groups: 1}, {name: "diverse beams", groups: 2, diversity: 1}, {name: "sampled beams", sample: true, groups: 1}}

// kind is the place of the search's kind among them.
func (v *View) kind() int {
	switch c := v.lane.Config; {
	case c.Int("num_beam_groups") > 1:
		return 1
	case v.seen != nil && v.seen.Settings.Sample:
		return 2
	}
	return 0
}

func (v *View) nextKind() beamKind { return beamKinds[(v.kind()+1)%len(beamKinds)] }

// turnKind makes the search one of the next kind.
func (v *View) turnKind(host kit.Host) {
	k, cfg := v.nextKind(), v.lane.Config
	if n := cfg.Int("num_beams"); k.groups > 1 && n%2 != 0 {
		k.groups = int64(n) // groups divide the beams
	}
	for _, set := range []struct {
		key   string
		value any
	}{{"do_sample", k.sample}, {"num_beam_groups", k.groups}, {"diversity_penalty", k.diversity}} {
		next, err := cfg.With(set.key, set.value, sampling.FromYou)
		if err != nil {
			host.Complain(viz.FirstLine(err.Error()))
			return
		}
		cfg = next
	}
	if host.Apply(cfg, v.lane.Preset, "", k.name) {
		if k.sample {
			host.Say(k.name + ": a draw among the candidates; the seed decides")
		} else {
			host.Say(k.name + ": the best go on, without chance")
		}
	}
}
