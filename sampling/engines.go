package sampling

import (
	"math"
	"slices"
)

// engines lists the engines whose semantics an order can name. The first is
// the default.
var engines []*engine

func init() {
	// Assigned here because building a stage looks engines up.
	engines = []*engine{transformersEngine, llamaEngine, vllmEngine, ollamaEngine, ollamaGoEngine}
}

// greedyDef is the last stage where no draw is made.
var greedyDef = &stageDef{name: "greedy", weights: leavesFew}

// find returns the engine's stage of a name, or else the first other
// engine's.
func (e *engine) find(name string) *stageDef {
	for _, from := range append([]*engine{e}, engines...) {
		for _, d := range from.stages {
			if d.name == name && d.movable {
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
func (e *engine) resolve(name string) []string {
	if n, ok := stageAliases[name]; ok {
		name = n
	}
	own := func(n string) bool {
		return slices.ContainsFunc(e.stages, func(d *stageDef) bool { return d.movable && d.name == n })
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
		for _, d := range e.stages {
			if d.movable && !slices.Contains(names, d.name) {
				names = append(names, d.name)
			}
		}
	}
	return names
}

// stageKeys returns the parameters that stages of a name read.
func stageKeys(name string) []string {
	var keys []string
	for _, e := range engines {
		for _, d := range e.stages {
			if d.name == name {
				keys = append(keys, d.keys...)
			}
		}
	}
	return keys
}

// A replacement is a chain that takes the place of an engine's usual one.
type replacement struct {
	name string
	defs []*stageDef
}

// replace returns the chain that mirostat puts in place of llama.cpp's, its
// own or a list.
func (e *engine) replace(b *builder) (replacement, bool) {
	if e != llamaEngine || b.int("mirostat") == 0 || b.greedy {
		return replacement{}, false
	}
	return replacement{"mirostat", mirostatChain}, true
}

// Stages that more than one engine has.

func buildBias(b *builder) (stage, string) {
	var list []TokenBias
	for _, t := range b.value("logit_bias").([]TokenBias) {
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
	return &biasStage{list}, ""
}

// badWords returns the sequences of bad_words and bad_words_ids. A text is
// banned as it stands and after a space.
func (b *builder) badWords() [][]int32 {
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

func buildAllowed(b *builder) (stage, string) {
	ids := slices.Clone(b.ids("allowed_token_ids"))
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
	return &allowedStage{maskOf(ids)}, ""
}

func buildMinNew(b *builder) (stage, string) {
	n, eos := b.int("min_new_tokens"), b.eos()
	if n <= 0 || len(eos) == 0 {
		return nil, ""
	}
	return &banStage{eos, func(in *Input) bool { return len(in.Output) < n }}, b.format("min_new_tokens")
}

func buildRepetition(b *builder, rule repeatRule) (stage, string) {
	v := b.f32("repetition_penalty")
	if v == 1 {
		return nil, ""
	}
	return &penaltyStage{repeat: v, window: -1, rule: rule}, b.format("repetition_penalty")
}

func buildFrequency(b *builder) (stage, string) {
	v := b.f32("frequency_penalty")
	if v == 0 {
		return nil, ""
	}
	return &penaltyStage{repeat: 1, freq: v, outputOnly: true, window: -1}, b.format("frequency_penalty")
}

func buildPresence(b *builder) (stage, string) {
	v := b.f32("presence_penalty")
	if v == 0 {
		return nil, ""
	}
	return &penaltyStage{repeat: 1, presence: v, outputOnly: true, window: -1}, b.format("presence_penalty")
}

var (
	biasDef      = &stageDef{name: "logit_bias", keys: []string{"logit_bias"}, build: buildBias}
	allowedDef   = &stageDef{name: "allowed", keys: []string{"allowed_token_ids", "allowed_words"}, build: buildAllowed}
	minNewDef    = &stageDef{name: "min_new_tokens", keys: []string{"min_new_tokens"}, build: buildMinNew}
	frequencyDef = &stageDef{name: "frequency_penalty", short: "frequency", keys: []string{"frequency_penalty"}, movable: true, build: buildFrequency}
	presenceDef  = &stageDef{name: "presence_penalty", short: "presence", keys: []string{"presence_penalty"}, movable: true, build: buildPresence}
)

func finite(f float64) bool { return !math.IsNaN(f) && !math.IsInf(f, 0) }
