package cli

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"logitscope/engine"
	"logitscope/engine/record"
	"logitscope/models"
	"logitscope/sampling"
)

// tellExactness says which settings were not exact over a server that does not
// give all, and that the server read the text as other tokens.
func tellExactness(sys System, v engine.View) {
	e := record.NewEnd(v, false)
	for _, key := range slices.Sorted(maps.Keys(e.Inexact)) {
		complain(sys.Err, fmt.Errorf("%s is not exact over this server: at %d of %d steps its result may be another than on whole rows of logits", key, e.Inexact[key], len(v.Steps)))
	}
	if e.Strayed > 0 {
		complain(sys.Err, errors.New("the server read the text as other tokens than were chosen: "+
			fmt.Sprintf("the probabilities of %d of %d steps follow its own split; give it the text as a prompt to go on from that", e.Strayed, len(v.Steps))))
	}
}

// exactOver returns the settings of a preset without what a server that gives
// less than whole rows of logits cannot make exact.
func exactOver(cfg sampling.Config, caps models.Caps) sampling.Config {
	if s, ok := cfg.Lookup("repetition_penalty"); ok && caps.Normalised && s.Origin == sampling.FromPreset {
		cfg = cfg.Without("repetition_penalty")
	}
	if s, ok := cfg.Lookup("top_k"); ok && caps.TopN > 0 && s.Origin == sampling.FromPreset && cfg.Int("top_k") > caps.TopN {
		cfg = cfg.MustWith("top_k", caps.TopN, sampling.FromPreset)
	}
	return cfg
}
