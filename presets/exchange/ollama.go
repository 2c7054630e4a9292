package exchange

import (
	"errors"
	"fmt"
	"strings"

	"logitscope/presets/exchange/carrier"
	"logitscope/sampling/constrain"
)

// ollama is a Modelfile, the options of a request, or a whole request.
var ollama = Format{
	Name: "ollama", About: "Modelfile, request and options JSON of Ollama", Engine: "ollama",
	fields: append(same("temperature", "top_p", "min_p", "frequency_penalty", "presence_penalty"),
		// Its server drops these with a warning.
		field{theirs: "mirostat", ours: "mirostat", once: true},
		field{theirs: "mirostat_tau", ours: "mirostat_tau", once: true},
		field{theirs: "mirostat_eta", ours: "mirostat_eta", once: true},
		field{theirs: "typical_p", ours: "typical_p", in: typicalIn},
		field{theirs: "top_k", ours: "top_k", in: offBelowZero},
		field{theirs: "repeat_penalty", ours: "repetition_penalty"},
		field{theirs: "repeat_last_n", ours: "repeat_last_n", in: unlimited, out: unlimitedOut},
		field{theirs: "num_predict", ours: "max_new_tokens", in: unlimited, out: unlimitedOut},
		field{theirs: "seed", ours: "seed", in: jsonSeed, out: seed32},
		field{theirs: "stop", ours: "stop", in: listOrOne, out: modelfileStops},
		field{theirs: "format", ours: "constraint", in: ollamaFormatIn, once: true},
	),
	aside: []string{
		"num_ctx", "num_batch", "num_gpu", "main_gpu", "num_thread", "num_keep", "low_vram", "vocab_only", "use_mmap", "use_mlock", "numa", "penalize_newline", "tfs_z", "f16_kv", "logits_all", "embedding_only",
		"rope_frequency_base", "rope_frequency_scale", "num_gqa", "model", "prompt", "suffix", "messages", "system", "template", "raw", "stream", "keep_alive", "context", "images", "think", "logprobs", "top_logprobs", "tools", "options",
		"draft_num_predict", "truncate", "shift", "width", "height", "steps", "from", "adapter", "license", "message", "requires", "renderer", "parser",
		"FROM", "ADAPTER", "LICENSE", "MESSAGE", "TEMPLATE", "SYSTEM", "REQUIRES", "RENDERER", "PARSER", "CAPABILITIES", "DRAFT",
	},
	closes: true,
	implied: func(*source) []assumption {
		return []assumption{{ours: "temperature", value: 0.8}, {ours: "top_k", value: int64(40)}, {ours: "top_p", value: 0.9}}
	},
	prepare: func(s *source) { s.entries = carrier.Spread(s.entries, "options", false) },
}

// typicalIn reads 0 as left out, as its server does.
func typicalIn(v any) (any, error) {
	if f, ok := number(v); ok && f == 0 {
		return nil, nil
	}
	return v, nil
}

// jsonSeed reads a seed: below zero it is random, and so is the largest of 32
// bits. Its server keeps it as a JSON number, which rounds above 2^53, and the
// low 32 bits of it count.
func jsonSeed(v any) (any, error) {
	f, ok := number(v)
	switch {
	case ok && (f < 0 || f == 1<<32-1):
		return nil, nil
	case ok && f >= 1<<63:
		return nil, errors.New("out of range there, up to 9223372036854775807")
	case ok && f >= 1<<53:
		return uint64(f), nil
	}
	return v, nil
}

// ollamaFormatIn reads the format of a request: its JSON is an object.
func ollamaFormatIn(v any) (any, error) {
	switch v := v.(type) {
	case carrier.Object:
		return closedSchemaIn(v)
	case string:
		switch v {
		case "json":
			return jsonObject()
		case "":
			return nil, nil
		}
	}
	return nil, errors.New(`must be "json" or a JSON Schema`)
}

// ollamaFormatOut writes the format of a request.
func ollamaFormatOut(s constrain.Spec) (carrier.Entry, string, error) {
	switch s.Type {
	case "json":
		lost := ""
		if !s.Object {
			lost = "any JSON value is allowed here, and objects alone there"
		}
		return carrier.Entry{Key: "format", Value: "json"}, lost, nil
	case "json_schema":
		return carrier.Entry{Key: "format", Value: s.Schema}, "", nil
	}
	return carrier.Entry{}, "", fmt.Errorf("a request takes a JSON Schema, not %s", s.Type)
}

// writeOllamaRequest writes the options of a request, and beside them what is
// no option.
func writeOllamaRequest(values []carrier.Entry) string {
	var options carrier.Object
	var rest []carrier.Entry
	for _, e := range values {
		if e.Key == "format" {
			rest = append(rest, e)
		} else {
			options = append(options, e)
		}
	}
	return carrier.WriteObject(append(rest, carrier.Entry{Key: "options", Value: options}))
}

// writeModelfile writes PARAMETER lines below a FROM, without which Ollama
// refuses the file.
func writeModelfile(values []carrier.Entry) string {
	var b strings.Builder
	b.WriteString("FROM " + modelPlaceholder + "\n")
	for _, e := range values {
		list, isList := e.Value.([]string)
		if !isList {
			list = []string{carrier.PlainJSON(e.Value)}
		}
		for _, v := range list {
			fmt.Fprintf(&b, "PARAMETER %s %s\n", e.Key, v)
		}
	}
	return b.String()
}

// modelPlaceholder stands for the model, which settings do not name.
const modelPlaceholder = "model"
