package presets

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// ollama is a Modelfile, the options of a request, or a whole request.
var ollama = Format{
	Name: "ollama", About: "Modelfile, or options JSON of Ollama", Engine: "ollama", File: "Modelfile",
	fields: append(same("temperature", "top_p", "min_p", "typical_p", "frequency_penalty", "presence_penalty", "mirostat", "mirostat_tau", "mirostat_eta"),
		field{theirs: "top_k", ours: "top_k", in: offBelowZero},
		field{theirs: "repeat_penalty", ours: "repetition_penalty"},
		field{theirs: "repeat_last_n", ours: "repeat_last_n"},
		field{theirs: "num_predict", ours: "max_new_tokens", in: unlimited, out: unlimitedOut},
		field{theirs: "seed", ours: "seed", in: seedIn},
		field{theirs: "stop", ours: "stop", in: listOrOne},
		field{theirs: "format", ours: "constraint", in: ollamaFormatIn, once: true},
	),
	aside: []string{
		"num_ctx", "num_batch", "num_gpu", "main_gpu", "num_thread", "num_keep", "low_vram", "vocab_only", "use_mmap", "use_mlock", "numa", "penalize_newline", "tfs_z",
		"model", "prompt", "suffix", "messages", "system", "template", "raw", "stream", "keep_alive", "context", "images", "think", "logprobs", "top_logprobs", "draft_num_predict",
		"FROM", "ADAPTER", "LICENSE", "MESSAGE", "TEMPLATE", "SYSTEM", "REQUIRES", "RENDERER", "PARSER",
	},
	read: readOllama, write: writeModelfile,
	greedy: zeroTemperature,
}

// ollamaFormatIn reads the format of a request: its JSON is an object.
func ollamaFormatIn(v any) (any, error) {
	switch v := v.(type) {
	case json.RawMessage:
		return llamaSchemaIn(v)
	case string:
		if v == "json" {
			return jsonObject()
		}
		if v == "" {
			return nil, nil
		}
	}
	return nil, errors.New(`must be "json" or a JSON Schema`)
}

// modelfileWords begin the lines of a Modelfile.
var modelfileWords = []string{"FROM", "PARAMETER", "TEMPLATE", "SYSTEM", "ADAPTER", "LICENSE", "MESSAGE", "REQUIRES", "RENDERER", "PARSER"}

func looksLikeModelfile(text string) bool {
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		word, rest, _ := strings.Cut(line, " ")
		for _, w := range modelfileWords {
			if strings.EqualFold(word, w) && rest != "" {
				return true
			}
		}
		return false
	}
	return false
}

// readOllama reads a Modelfile or JSON; the options of a request stand one
// level down.
func readOllama(data []byte) ([]entry, error) {
	if strings.HasPrefix(strings.TrimSpace(string(data)), "{") {
		members, err := readObject(data)
		if err != nil {
			return nil, err
		}
		return spread(members, "options", "")
	}
	return readModelfile(string(data))
}

func readModelfile(text string) ([]entry, error) {
	var out []entry
	lines := strings.Split(text, "\n")
	for i := 0; i < len(lines); i++ {
		n := i + 1
		line := strings.TrimSpace(lines[i])
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		word, rest, _ := strings.Cut(line, " ")
		word, rest = strings.ToUpper(word), strings.TrimSpace(rest)
		if strings.HasPrefix(rest, `"""`) && !strings.HasSuffix(strings.TrimPrefix(rest, `"""`), `"""`) {
			for i++; i < len(lines) && !strings.HasSuffix(strings.TrimSpace(lines[i]), `"""`); i++ {
			}
			if i == len(lines) {
				return nil, fmt.Errorf("line %d: \"\"\" is never closed", n)
			}
		}
		if word != "PARAMETER" {
			out = append(out, entry{key: word, value: rest, line: n})
			continue
		}
		key, value, ok := strings.Cut(rest, " ")
		if !ok {
			return nil, fmt.Errorf("line %d: %s has no value", n, strings.Join(strings.Fields("PARAMETER "+key), " "))
		}
		out = append(out, entry{key: strings.ToLower(key), value: modelfileValue(strings.TrimSpace(value)), line: n})
	}
	return out, nil
}

// modelfileValue takes the quotes off a text.
func modelfileValue(s string) string {
	if strings.HasPrefix(s, `"`) {
		var out string
		if json.Unmarshal([]byte(s), &out) == nil {
			return out
		}
		return strings.Trim(s, `"`)
	}
	return s
}

// writeModelfile writes PARAMETER lines.
func writeModelfile(values []entry) string {
	var b strings.Builder
	for _, e := range values {
		for _, v := range modelfileValues(e.value) {
			fmt.Fprintf(&b, "PARAMETER %s %s\n", e.key, v)
		}
	}
	return b.String()
}

func modelfileValues(v any) []string {
	switch v := v.(type) {
	case []string:
		out := make([]string, len(v))
		for i, s := range v {
			out[i] = plainJSON(s)
		}
		return out
	case string:
		return []string{plainJSON(v)}
	}
	return []string{plainJSON(v)}
}
