package exchange

import (
	"errors"

	"logitscope/sampling"
	"logitscope/sampling/constrain"
)

// lmStudio is a preset of LM Studio: a list of fields, each with a key and a
// value.
var lmStudio = Format{
	Name: "lmstudio", About: "preset JSON of LM Studio", Engine: "llama.cpp",
	fields: []field{
		{theirs: "llm.prediction.temperature", ours: "temperature"},
		{theirs: "llm.prediction.topKSampling", ours: "top_k", in: uncheckedIn("top_k", offBelowZero)},
		{theirs: "llm.prediction.topPSampling", ours: "top_p", in: uncheckedIn("top_p", nil), out: checked},
		{theirs: "llm.prediction.minPSampling", ours: "min_p", in: uncheckedIn("min_p", nil), out: checked},
		{theirs: "llm.prediction.repeatPenalty", ours: "repetition_penalty", in: uncheckedIn("repetition_penalty", nil), out: checked},
		{theirs: "llm.prediction.maxPredictedTokens", ours: "max_new_tokens", in: uncheckedIn("max_new_tokens", unlimited), out: checked},
		{theirs: "llm.prediction.stopStrings", ours: "stop", in: listOrOne, out: withoutEmpty},
		{theirs: "llm.prediction.structured", ours: "constraint", in: lmStructured, once: true},
		{theirs: "llm.prediction.llama.presencePenalty", ours: "presence_penalty", in: uncheckedIn("presence_penalty", nil), out: checked},
		{theirs: "llm.prediction.llama.frequencyPenalty", ours: "frequency_penalty", in: uncheckedIn("frequency_penalty", nil), out: checked},
		{theirs: "llm.prediction.llama.xtcProbability", ours: "xtc_probability", in: uncheckedIn("xtc_probability", nil), out: checked},
		{theirs: "llm.prediction.llama.xtcThreshold", ours: "xtc_threshold", in: uncheckedIn("xtc_threshold", nil), out: checked},
		{theirs: "llm.prediction.llama.mirostatSampling", ours: "mirostat", in: lmMirostat, once: true},
		{theirs: "llm.prediction.speculativeDecoding.numDraftTokensExact", ours: "num_assistant_tokens"},
		{theirs: "llm.prediction.speculativeDecoding.minContinueDraftingProbability", ours: "assistant_confidence"},
		{theirs: "llm.prediction.seed", ours: "seed", in: uncheckedIn("seed", randomBelowZero), once: true},
	},
	acts: map[string][]any{
		"llm.prediction.llama.dryPenalty": nil, "llm.prediction.logitBias": nil, "llm.prediction.reasoning.budget": nil, "llm.prediction.reasoning.tokenBudget": nil, "llm.prediction.ignoreEOS": nil,
		"llm.prediction.speculativeDecoding.minDraftLengthToConsider": nil,
	},
	aside: []string{
		"llm.prediction.systemPrompt", "llm.prediction.contextOverflowPolicy", "llm.prediction.promptTemplate", "llm.prediction.tools", "llm.prediction.toolChoice", "llm.prediction.toolNaming", "llm.prediction.reasoning.parsing",
		"llm.prediction.contextPrefill", "llm.prediction.onnx.topKSampling", "llm.prediction.llama.cpuThreads", "llm.prediction.mlx.repeatPenalty", "llm.prediction.speculativeDecoding.draftModel", "llm.prediction.envVars", "llm.prediction.vision.imageResolution",
		"ext.virtualModel.customField",
	},
	prepare: lmFields,
}

// lmFields turns the lists of fields into entries. What is said when a model is
// loaded chooses no tokens.
func lmFields(s *source) {
	var out []entry
	for _, e := range s.entries {
		part, ok := e.value.(object)
		fields, _ := part.member("fields").([]any)
		if !ok || fields == nil {
			continue // identifier, name, changed
		}
		for _, x := range fields {
			f, _ := x.(object)
			key, ok := f.member("key").(string)
			if !ok {
				continue
			}
			n := entry{key: key, value: f.member("value"), line: f[0].line}
			n.idle = e.key == "load"
			if v, ok := n.value.(object); ok && v.has("checked") && v.member("checked") == true {
				n.value = v.member("value")
			}
			out = append(out, n)
		}
	}
	s.entries = out
}

// unchecked reports whether a value belongs to a field that is switched off.
func unchecked(v any) bool {
	o, ok := v.(object)
	return ok && o.has("checked") && o.member("checked") != true
}

// uncheckedIn reads a field that is switched off as its parameter's off value,
// and any other by in.
func uncheckedIn(ours string, in func(any) (any, error)) func(any) (any, error) {
	return func(v any) (any, error) {
		switch {
		case unchecked(v):
			p, _ := sampling.Lookup(ours)
			return p.Off, nil // nil where nothing is off: nothing is set
		case in == nil:
			return v, nil
		}
		return in(v)
	}
}

// checked writes a value as a field that is switched on.
func checked(v any) (any, error) {
	return object{{key: "checked", value: true}, {key: "value", value: v}}, nil
}

// lmStructured reads structured output.
func lmStructured(v any) (any, error) {
	o, ok := v.(object)
	if !ok {
		return nil, errors.New("must be an object with a type")
	}
	switch kind := o.member("type"); kind {
	case "none":
		return nil, nil
	case "json":
		if schema := o.member("jsonSchema"); schema != nil {
			return schemaIn(schema)
		}
		return jsonObject()
	case "gbnf":
		return grammarIn(o.member("gbnfGrammar"))
	default:
		return nil, errors.New("type " + plainJSON(kind) + "; must be none, json or gbnf")
	}
}

// lmMirostat reads whether Mirostat is on; its version is 2.
func lmMirostat(v any) (any, error) {
	if unchecked(v) {
		return int64(0), nil
	}
	o, ok := v.(object)
	if !ok {
		return v, nil
	}
	if version := o.member("version"); version != nil {
		return version, nil
	}
	return int64(2), nil
}

// lmStructuredOut writes a constraint.
func lmStructuredOut(s constrain.Spec) (entry, string, error) {
	key := "llm.prediction.structured"
	switch s.Type {
	case "json", "json_schema":
		return entry{key: key, value: object{{key: "type", value: "json"}, {key: "jsonSchema", value: schemaOf(s)}}}, "", nil
	case "grammar":
		return entry{key: key, value: object{{key: "type", value: "gbnf"}, {key: "gbnfGrammar", value: s.Grammar}}}, "", nil
	}
	return entry{}, "", errors.New("it takes a JSON Schema or a GBNF grammar, not " + s.Type)
}

// writeLMStudio writes a preset.
func writeLMStudio(values []entry) string {
	fields := make([]any, len(values))
	for i, e := range values {
		fields[i] = object{{key: "key", value: e.key}, {key: "value", value: e.value}}
	}
	return writeObject([]entry{
		{key: "identifier", value: "@local:logitscope"}, {key: "name", value: "logitscope"}, {key: "changed", value: false},
		{key: "operation", value: object{{key: "fields", value: fields}}},
		{key: "load", value: object{{key: "fields", value: []any{}}}},
	})
}
