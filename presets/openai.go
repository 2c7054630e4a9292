package presets

import (
	"encoding/json"
	"errors"
	"fmt"

	"logitscope/sampling/constrain"
)

// openai is the request JSON of OpenAI's API and of those that follow it. What
// the servers do with it is not public; vLLM's rules are the nearest that are:
// penalties count the output, and truncation follows the temperature.
var openai = Format{
	Name: "openai", About: "request JSON of OpenAI-compatible servers", Engine: "vllm", File: "openai.json",
	fields: append(same("temperature", "top_p", "frequency_penalty", "presence_penalty"),
		field{theirs: "max_completion_tokens", ours: "max_new_tokens", also: []string{"max_tokens", "max_output_tokens"}},
		field{theirs: "seed", ours: "seed", in: seedIn},
		field{theirs: "stop", ours: "stop", in: listOrOne, out: fourStops},
		field{theirs: "logit_bias", ours: "logit_bias", in: pairsIn, out: biasMap},
		field{theirs: "response_format", ours: "constraint", in: responseFormatIn, once: true},
	),
	aside: []string{
		"model", "messages", "input", "prompt", "stream", "stream_options", "n", "best_of", "echo", "suffix", "user", "logprobs", "top_logprobs", "tools", "tool_choice", "parallel_tool_calls",
		"reasoning_effort", "reasoning", "modalities", "store", "metadata", "service_tier", "prediction", "audio", "verbosity", "safety_identifier", "prompt_cache_key",
	},
	read: readObject, write: writeObject,
	greedy:     zeroTemperature,
	constraint: responseFormatOut,
}

// fourStops refuses more stop strings than the API takes.
func fourStops(v any) (any, error) {
	if list := v.([]string); len(list) > 4 {
		return nil, fmt.Errorf("at most 4 strings are taken, not %d", len(list))
	}
	return v, nil
}

func responseFormatIn(v any) (any, error) {
	raw, ok := v.(json.RawMessage)
	if !ok {
		return nil, errors.New("an object with a type is wanted")
	}
	kind, err := memberOf(raw, "type")
	if err != nil {
		return nil, err
	}
	switch kind := decoded(kind); kind {
	case "text":
		return nil, nil
	case "json_object":
		return jsonObject()
	case "json_schema":
		schema, err := memberOf(raw, "json_schema", "schema")
		if err != nil {
			return nil, err
		}
		return schemaIn(schema)
	}
	return nil, fmt.Errorf("type %s; text, json_object or json_schema", plainJSON(kind))
}

func responseFormatOut(s constrain.Spec) (entry, string, error) {
	switch s.Type {
	case "json":
		lost := ""
		if !s.Object {
			lost = "any JSON value is allowed here, and objects alone there"
		}
		return entry{key: "response_format", value: map[string]any{"type": "json_object"}}, lost, nil
	case "json_schema":
		return entry{key: "response_format", value: map[string]any{
			"type": "json_schema", "json_schema": map[string]any{"name": "text", "strict": true, "schema": s.Schema},
		}}, "", nil
	}
	return entry{}, "", fmt.Errorf("the API takes a JSON Schema, not %s", s.Type)
}
