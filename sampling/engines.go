package sampling

import (
	"slices"

	"logitscope/sampling/row"
	"logitscope/sampling/value"
)

// greedyDef is the last stage where no draw is made.
var greedyDef = &Stage{Name: "greedy", weights: leavesFew}

// find returns the engine's stage of a name, or else the first other
// engine's.
func (e *Engine) find(name string) *Stage {
	for _, from := range append([]*Engine{e}, engines...) {
		for _, d := range from.Stages {
			if d.Name == name && d.Movable {
				return d
			}
		}
	}
	return nil
}

// stageAliases are other engines' names of stages.
var stageAliases = map[string]string{
	"typ_p": "typical_p", "typical": "typical_p", "temp": "temperature", "top-k": "top_k", "top-p": "top_p",
	"min-p": "min_p", "typ-p": "typical_p", "top-n-sigma": "top_n_sigma", "repetition": "repetition_penalty",
	"frequency": "frequency_penalty", "presence": "presence_penalty", "epsilon": "epsilon_cutoff",
	"eta": "eta_cutoff", "dynatemp": "temperature", "adaptive-p": "adaptive_p",
}

// resolve returns the stages of the engine that a name in a list stands for.
func (e *Engine) resolve(name string) []string {
	if n, ok := stageAliases[name]; ok {
		name = n
	}
	own := func(n string) bool {
		return slices.ContainsFunc(e.Stages, func(d *Stage) bool { return d.Movable && d.Name == n })
	}
	three := []string{"repetition_penalty", "frequency_penalty", "presence_penalty"}
	switch {
	case own(name):
		return []string{name}
	case name == "penalties" && own(three[0]):
		return three
	case slices.Contains(three, name) && own("penalties"):
		return []string{"penalties"}
	case e.find(name) != nil:
		return []string{name}
	}
	return nil
}

// movableStages returns the names of all stages that a list can hold.
func movableStages() []string {
	var names []string
	for _, e := range engines {
		for _, d := range e.Stages {
			if d.Movable && !slices.Contains(names, d.Name) {
				names = append(names, d.Name)
			}
		}
	}
	return names
}

// Stages that more than one engine has.

// buildSequenceBias is transformers' rule: a sequence longer than the history
// is passed over, and of two biases for one sequence the last holds.
func buildSequenceBias(b *Builder) (Action, string) {
	s, label := buildBias(b)
	if s, ok := s.(*biasStage); ok {
		s.whole = true
		i := 0
		s.biases = slices.DeleteFunc(s.biases, func(t value.TokenBias) bool {
			i++
			return slices.ContainsFunc(s.biases[i:], func(later value.TokenBias) bool { return slices.Equal(later.Tokens, t.Tokens) })
		})
	}
	return s, label
}

func buildBias(b *Builder) (Action, string) {
	var list []value.TokenBias
	for _, t := range b.value("logit_bias").([]value.TokenBias) {
		if t.Tokens == nil {
			t.Tokens = b.encode("logit_bias", t.Text)
		}
		if len(t.Tokens) > 0 {
			list = append(list, t)
		}
	}
	if len(list) == 0 {
		return nil, ""
	}
	return &biasStage{biases: list}, ""
}

// badWords returns the sequences of bad_words and bad_words_ids. A text is
// banned as it stands and after a space.
func (b *Builder) badWords() [][]int32 {
	words := slices.Clone(b.value("bad_words_ids").([][]int32))
	for _, w := range b.value("bad_words").([]string) {
		for _, text := range [2]string{w, " " + w} {
			ids := b.encode("bad_words", text)
			if len(ids) > 0 && !slices.ContainsFunc(words, func(s []int32) bool { return slices.Equal(s, ids) }) {
				words = append(words, ids)
			}
		}
	}
	return words
}

func buildAllowed(b *Builder) (Action, string) {
	ids := slices.Clone(b.IDs("allowed_token_ids"))
	for _, w := range b.value("allowed_words").([]string) {
		ids = append(ids, b.encode("allowed_words", w)...)
		ids = append(ids, b.encode("allowed_words", " "+w)...)
	}
	if len(ids) == 0 {
		return nil, ""
	}
	// The text must be able to end.
	if len(b.value("allowed_words").([]string)) > 0 {
		ids = append(ids, b.eos()...)
	}
	return &allowedStage{row.MaskOf(ids)}, ""
}

func buildMinNew(b *Builder) (Action, string) {
	n, eos := b.Int("min_new_tokens"), b.eos()
	if n <= 0 || len(eos) == 0 {
		return nil, ""
	}
	return &banStage{eos, func(in *Input) bool { return len(in.Output) < n }}, b.Format("min_new_tokens")
}

func buildRepetition(b *Builder, rule repeatRule) (Action, string) {
	v := b.Float32("repetition_penalty")
	if v == 1 {
		return nil, ""
	}
	return &penaltyStage{repeat: v, window: -1, rule: rule}, b.Format("repetition_penalty")
}

func buildFrequency(b *Builder) (Action, string) {
	v := b.Float32("frequency_penalty")
	if v == 0 {
		return nil, ""
	}
	return &penaltyStage{repeat: 1, freq: v, outputOnly: true, window: -1}, b.Format("frequency_penalty")
}

func buildPresence(b *Builder) (Action, string) {
	v := b.Float32("presence_penalty")
	if v == 0 {
		return nil, ""
	}
	return &penaltyStage{repeat: 1, presence: v, outputOnly: true, window: -1}, b.Format("presence_penalty")
}

var (
	biasDef = &Stage{Name: "logit_bias", Tiny: "bias", Keys: []string{"logit_bias"},
		Judge: judgeBias,
		Build: buildBias}
	sequenceBiasDef = &Stage{Name: "logit_bias", Tiny: "bias", Own: "sequence_bias", Keys: []string{"logit_bias"},
		Judge: judgeBias,
		Build: buildSequenceBias}
	allowedDef = &Stage{Name: "allowed", Keys: []string{"allowed_token_ids", "allowed_words"},
		Build: buildAllowed}
	minNewDef = &Stage{Name: "min_new_tokens", Tiny: "min new", Keys: []string{"min_new_tokens"},
		Build: buildMinNew}
	frequencyDef = &Stage{Name: "frequency_penalty", Short: "frequency", Tiny: "freq", Keys: []string{"frequency_penalty"},
		Movable: true, Best: MayMove, Penalty: true,
		Judge: judgeAdded,
		Build: buildFrequency}
	presenceDef = &Stage{Name: "presence_penalty", Short: "presence", Tiny: "pres", Keys: []string{"presence_penalty"},
		Movable: true, Best: MayMove, Penalty: true,
		Judge: judgeAdded,
		Build: buildPresence}
)
