package exchange

import (
	"errors"

	"logitscope/presets/exchange/carrier"
	"logitscope/sampling/constrain"
	"logitscope/sampling/param"
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
	var out []carrier.Entry
	for _, e := range s.entries {
		part, ok := e.Value.(carrier.Object)
		fields, _ := part.Get("fields").([]any)
		if !ok || fields == nil {
			continue // identifier, name, changed
		}
		for _, x := range fields {
			f, _ := x.(carrier.Object)
			key, ok := f.Get("key").(string)
			if !ok {
				continue
			}
			n := carrier.Entry{Key: key, Value: f.Get("value"), Line: f[0].Line}
			n.Idle = e.Key == "load"
			if v, ok := n.Value.(carrier.Object); ok && v.Has("checked") && v.Get("checked") == true {
				n.Value = v.Get("value")
			}
			out = append(out, n)
		}
	}
	s.entries = out
}

// unchecked reports whether a value belongs to a field that is switched off.
func unchecked(v any) bool {
	o, ok := v.(carrier.Object)
	return ok && o.Has("checked") && o.Get("checked") != true
}

// uncheckedIn reads a field that is switched off as its parameter's off value,
// and any other by in.
func uncheckedIn(ours string, in func(any) (any, error)) func(any) (any, error) {
	return func(v any) (any, error) {
		switch {
		case unchecked(v):
			if p, _ := param.Lookup(ours); p.Off != nil || in == nil {
				return p.Off, nil
			}
			return in(int64(-1)) // no limit, or a random seed
		case in == nil:
			return v, nil
		}
		return in(v)
	}
}

// checked writes a value as a field that is switched on.
func checked(v any) (any, error) {
	return carrier.Object{{Key: "checked", Value: true}, {Key: "value", Value: v}}, nil
}

// lmStructured reads structured output.
func lmStructured(v any) (any, error) {
	o, ok := v.(carrier.Object)
	if !ok {
		return nil, errors.New("must be an object with a type")
	}
	switch kind := o.Get("type"); kind {
	case "none":
		return nil, nil
	case "json":
		if schema := o.Get("jsonSchema"); schema != nil {
			return schemaIn(schema)
		}
		return jsonObject()
	case "gbnf":
		return grammarIn(o.Get("gbnfGrammar"))
	default:
		return nil, errors.New("type " + carrier.PlainJSON(kind) + "; must be none, json or gbnf")
	}
}

// lmMirostat reads whether Mirostat is on; its version is 2.
func lmMirostat(v any) (any, error) {
	if unchecked(v) {
		return int64(0), nil
	}
	o, ok := v.(carrier.Object)
	if !ok {
		return v, nil
	}
	if version := o.Get("version"); version != nil {
		return version, nil
	}
	return int64(2), nil
}

// lmStructuredOut writes a constraint.
func lmStructuredOut(s constrain.Spec) (carrier.Entry, string, error) {
	key := "llm.prediction.structured"
	switch s.Type {
	case "json", "json_schema":
		return carrier.Entry{Key: key, Value: carrier.Object{{Key: "type", Value: "json"}, {Key: "jsonSchema", Value: schemaOf(s)}}}, "", nil
	case "grammar":
		return carrier.Entry{Key: key, Value: carrier.Object{{Key: "type", Value: "gbnf"}, {Key: "gbnfGrammar", Value: s.Grammar}}}, "", nil
	}
	return carrier.Entry{}, "", errors.New("it takes a JSON Schema or a GBNF grammar, not " + s.Type)
}

// writeLMStudio writes a preset.
func writeLMStudio(values []carrier.Entry) string {
	fields := make([]any, len(values))
	for i, e := range values {
		fields[i] = carrier.Object{{Key: "key", Value: e.Key}, {Key: "value", Value: e.Value}}
	}
	return carrier.WriteObject([]carrier.Entry{
		{Key: "identifier", Value: "@local:logitscope"}, {Key: "name", Value: "logitscope"}, {Key: "changed", Value: false},
		{Key: "operation", Value: carrier.Object{{Key: "fields", Value: fields}}},
		{Key: "load", Value: carrier.Object{{Key: "fields", Value: []any{}}}},
	})
}
