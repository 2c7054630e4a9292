package presets

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"logitscope/sampling"
	"logitscope/sampling/constrain"
)

// A flag is one option of llama.cpp's programs.
type flag struct {
	names []string // as written first, then other spellings
	field field    // its key is filled in from names[0]
	bare  any      // the value of a flag that takes none; nil for one that takes a value
}

// llamaFlags are the options that say how tokens are chosen.
var llamaFlags = []flag{
	{names: []string{"--samplers"}, field: field{ours: "order", in: samplersIn, out: samplersOut}},
	{names: []string{"--temp", "--temperature"}, field: field{ours: "temperature"}},
	{names: []string{"--top-k"}, field: field{ours: "top_k", in: offBelowZero}},
	{names: []string{"--top-p"}, field: field{ours: "top_p"}},
	{names: []string{"--min-p"}, field: field{ours: "min_p"}},
	{names: []string{"--typical", "--typical-p"}, field: field{ours: "typical_p"}},
	{names: []string{"--top-nsigma", "--top-n-sigma"}, field: field{ours: "top_n_sigma", in: offBelowZero}},
	{names: []string{"--xtc-probability"}, field: field{ours: "xtc_probability"}},
	{names: []string{"--xtc-threshold"}, field: field{ours: "xtc_threshold"}},
	{names: []string{"--dynatemp-range"}, field: field{ours: "dynatemp_range"}},
	{names: []string{"--dynatemp-exp"}, field: field{ours: "dynatemp_exponent"}},
	{names: []string{"--mirostat"}, field: field{ours: "mirostat"}},
	{names: []string{"--mirostat-ent"}, field: field{ours: "mirostat_tau"}},
	{names: []string{"--mirostat-lr"}, field: field{ours: "mirostat_eta"}},
	{names: []string{"--adaptive-target"}, field: field{ours: "adaptive_target"}},
	{names: []string{"--adaptive-decay"}, field: field{ours: "adaptive_decay"}},
	{names: []string{"--repeat-penalty"}, field: field{ours: "repetition_penalty"}},
	{names: []string{"--repeat-last-n"}, field: field{ours: "repeat_last_n"}},
	{names: []string{"--frequency-penalty"}, field: field{ours: "frequency_penalty"}},
	{names: []string{"--presence-penalty"}, field: field{ours: "presence_penalty"}},
	{names: []string{"--dry-multiplier"}, field: field{ours: "dry_multiplier"}},
	{names: []string{"--dry-base"}, field: field{ours: "dry_base"}},
	{names: []string{"--dry-allowed-length"}, field: field{ours: "dry_allowed_length"}},
	{names: []string{"--dry-penalty-last-n"}, field: field{ours: "dry_penalty_last_n"}},
	{names: []string{"--dry-sequence-breaker"}, field: field{ours: "dry_sequence_breakers", in: breakersIn}},
	{names: []string{"--logit-bias", "-l"}, field: field{ours: "logit_bias", in: biasFlagIn, out: biasFlagOut}},
	{names: []string{"--seed", "-s"}, field: field{ours: "seed", in: seedIn}},
	{names: []string{"--predict", "-n", "--n-predict"}, field: field{ours: "max_new_tokens", in: unlimited, out: unlimitedOut}},
	{names: []string{"--reverse-prompt", "-r"}, field: field{ours: "stop"}},
	{names: []string{"--grammar"}, field: field{ours: "constraint", in: grammarIn, once: true}},
	{names: []string{"--json-schema", "-j"}, field: field{ours: "constraint", in: llamaSchemaIn, once: true}},
	{names: []string{"--draft-max", "--draft", "--draft-n"}, field: field{ours: "num_assistant_tokens"}},
}

// otherFlags are options of llama.cpp that say nothing about how tokens are
// chosen; those with true take a value.
var otherFlags = map[string]bool{
	"-m": true, "--model": true, "-hf": true, "--hf-repo": true, "-p": true, "--prompt": true, "-f": true, "--file": true, "-c": true, "--ctx-size": true,
	"-t": true, "--threads": true, "-tb": true, "--threads-batch": true, "-b": true, "--batch-size": true, "-ub": true, "--ubatch-size": true,
	"-ngl": true, "--gpu-layers": true, "--n-gpu-layers": true, "--host": true, "--port": true, "-np": true, "--parallel": true, "-a": true, "--alias": true,
	"-ctk": true, "--cache-type-k": true, "-ctv": true, "--cache-type-v": true, "--chat-template": true, "-sys": true, "--system-prompt": true, "-fa": true, "--flash-attn": true,
	"-md": true, "--model-draft": true, "-sm": true, "-ts": true, "-mg": true, "--rope-scaling": true, "--rope-scale": true, "--rope-freq-base": true, "--timeout": true,
	"-cnv": false, "--conversation": false, "-no-cnv": false, "--no-conversation": false, "-i": false, "--interactive": false, "--mlock": false, "--no-mmap": false, "--color": false,
	"-co": false, "--jinja": false, "--verbose": false, "-v": false, "--metrics": false, "--slots": false, "--no-webui": false, "--cont-batching": false, "-cb": false, "--no-warmup": false,
	"--context-shift": false, "--no-context-shift": false, "--no-display-prompt": false, "--log-disable": false, "--special": false, "-sp": false, "--simple-io": false,
}

// llamaCLI is a command line of llama.cpp's programs.
var llamaCLI = Format{
	Name: "llama.cpp", About: "command line of llama.cpp's programs", Engine: "llama.cpp", File: "llama-args.txt",
	fields: flagFields(),
	aside:  slices.Collect(maps.Keys(otherFlags)),
	read:   readFlags, write: writeFlags,
	greedy:     zeroTemperature,
	closes:     true,
	constraint: func(s constrain.Spec) (entry, string, error) { return llamaConstraint("--grammar", "--json-schema", s) },
}

func flagFields() []field {
	var out []field
	for _, f := range llamaFlags {
		x := f.field
		x.theirs = f.names[0]
		out = append(out, x)
	}
	return out
}

// llamaServer is the JSON of llama-server's /completion.
var llamaServer = Format{
	Name: "llama-server", About: "JSON of llama-server's /completion", Engine: "llama.cpp", File: "llama-server.json",
	fields: append(same(
		"temperature", "top_p", "min_p", "typical_p", "xtc_probability", "xtc_threshold", "dynatemp_range", "dynatemp_exponent",
		"mirostat", "mirostat_tau", "mirostat_eta", "adaptive_target", "adaptive_decay", "repeat_last_n", "frequency_penalty", "presence_penalty",
		"dry_multiplier", "dry_base", "dry_allowed_length", "dry_penalty_last_n", "dry_sequence_breakers",
	),
		field{theirs: "samplers", ours: "order", in: samplersIn, out: samplersList},
		field{theirs: "top_k", ours: "top_k", in: offBelowZero},
		field{theirs: "top_n_sigma", ours: "top_n_sigma", in: offBelowZero},
		field{theirs: "repeat_penalty", ours: "repetition_penalty"},
		field{theirs: "n_predict", ours: "max_new_tokens", in: unlimited, out: unlimitedOut, also: []string{"max_tokens"}},
		field{theirs: "seed", ours: "seed", in: seedIn},
		field{theirs: "stop", ours: "stop", in: listOrOne},
		field{theirs: "logit_bias", ours: "logit_bias", in: pairsIn, out: biasPairs},
		field{theirs: "min_keep", ours: "min_tokens_to_keep"},
		field{theirs: "grammar", ours: "constraint", in: grammarIn, once: true},
		field{theirs: "json_schema", ours: "constraint", in: llamaSchemaIn, once: true},
	),
	aside: []string{
		"prompt", "stream", "cache_prompt", "n_probs", "id_slot", "n_keep", "n_discard", "n_indent", "n_cache_reuse", "return_tokens", "timings_per_token", "post_sampling_probs",
		"response_fields", "t_max_predict_ms", "samplers_hint", "lora", "messages", "model", "ignore_eos", "return_progress", "include_usage",
	},
	read: readObject, write: writeObject,
	greedy:     zeroTemperature,
	closes:     true,
	constraint: func(s constrain.Spec) (entry, string, error) { return llamaConstraint("grammar", "json_schema", s) },
}

// llamaConstraint writes a constraint under one of llama.cpp's two keys.
func llamaConstraint(grammar, schema string, s constrain.Spec) (entry, string, error) {
	switch s.Type {
	case "json", "json_schema":
		return entry{key: schema, value: schemaOf(s)}, "", nil
	case "grammar":
		return entry{key: grammar, value: s.Grammar}, "", nil
	}
	return entry{}, "", fmt.Errorf("llama.cpp takes a schema or a GBNF grammar, not %s", s.Type)
}

// seedIn reads -1 as no seed.
func seedIn(v any) (any, error) { return unsetBelowZero(v) }

// llamaStages are llama.cpp's names for stages, and ours.
var llamaStages = []struct{ theirs, ours string }{
	{"penalties", "penalties"}, {"dry", "dry"}, {"top_n_sigma", "top_n_sigma"}, {"top_k", "top_k"}, {"typ_p", "typical_p"},
	{"top_p", "top_p"}, {"min_p", "min_p"}, {"xtc", "xtc"}, {"temperature", "temperature"}, {"adaptive_p", "adaptive_p"},
}

// samplersIn reads a list of samplers, or names with semicolons between.
func samplersIn(v any) (any, error) {
	var names []string
	switch v := decoded(v).(type) {
	case string:
		names = strings.FieldsFunc(v, func(r rune) bool { return r == ';' || r == ',' })
	case []any:
		for _, x := range v {
			s, ok := x.(string)
			if !ok {
				return nil, fmt.Errorf("a list of names is wanted")
			}
			names = append(names, s)
		}
	default:
		return nil, fmt.Errorf("a list of names is wanted")
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("an empty list of samplers has no name here; set every stage off instead")
	}
	o, err := sampling.ParseOrder("llama.cpp:" + strings.Join(names, ","))
	if err != nil {
		return nil, err
	}
	return o.Name(), nil
}

// samplersList writes the stages of an order in llama.cpp's names.
func samplersList(v any) (any, error) {
	o, err := sampling.ParseOrder(v.(string))
	if err != nil {
		return nil, err
	}
	var out []string
	for _, s := range o.Stages() {
		i := slices.IndexFunc(llamaStages, func(x struct{ theirs, ours string }) bool { return x.ours == s || x.theirs == s })
		if i < 0 {
			continue // a stage llama.cpp does not have: named among the losses
		}
		if name := llamaStages[i].theirs; !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out, nil
}

func samplersOut(v any) (any, error) {
	list, err := samplersList(v)
	if err != nil {
		return nil, err
	}
	return strings.Join(list.([]string), ";"), nil
}

// breakersIn reads one breaker; "none" is an empty list.
func breakersIn(v any) (any, error) {
	if v == "none" {
		return []any{}, nil
	}
	s, ok := v.(string)
	if !ok {
		return v, nil
	}
	return []any{strings.NewReplacer(`\n`, "\n", `\t`, "\t", `\"`, `"`, `\\`, `\`).Replace(s)}, nil
}

// biasFlagIn reads TOKEN+BIAS or TOKEN-BIAS.
func biasFlagIn(v any) (any, error) {
	s, _ := v.(string)
	i := strings.IndexAny(s, "+-")
	if i <= 0 {
		return nil, fmt.Errorf("%s: TOKEN+BIAS or TOKEN-BIAS is wanted", s)
	}
	id, err := strconv.Atoi(s[:i])
	bias, err2 := strconv.ParseFloat(strings.TrimPrefix(s[i:], "+"), 64)
	if err != nil || err2 != nil {
		return nil, fmt.Errorf("%s: TOKEN+BIAS or TOKEN-BIAS is wanted", s)
	}
	var b any = bias
	if math.IsInf(bias, -1) {
		b = "-inf"
	}
	return []any{[]any{int64(id), b}}, nil
}

// biasFlagOut writes biases as flags do: single ids only.
func biasFlagOut(v any) (any, error) {
	list := v.([]sampling.TokenBias)
	for _, b := range list {
		if len(b.Tokens) != 1 {
			return nil, fmt.Errorf("only biases of single token ids can be written; %s is not one", biasName(b))
		}
	}
	return list, nil
}

func looksLikeFlags(text string) bool {
	for _, w := range strings.Fields(text) {
		name, _, _ := strings.Cut(w, "=")
		if findFlag(name) != nil {
			return true
		}
	}
	return false
}

func findFlag(name string) *flag {
	for i := range llamaFlags {
		if slices.Contains(llamaFlags[i].names, name) {
			return &llamaFlags[i]
		}
	}
	return nil
}

// readFlags reads a command line.
func readFlags(data []byte) ([]entry, error) {
	words, err := splitWords(string(data))
	if err != nil {
		return nil, err
	}
	var out []entry
	for i := 0; i < len(words); i++ {
		w := words[i]
		name, value, glued := strings.Cut(w.key, "=")
		if !strings.HasPrefix(name, "-") {
			continue // the program's name, or an argument of another option
		}
		f := findFlag(name)
		takes := f != nil && f.bare == nil
		if f == nil {
			takes = otherFlags[name]
			if _, known := otherFlags[name]; !known && !glued {
				// An unknown option takes the next word if that is no option.
				takes = i+1 < len(words) && !strings.HasPrefix(words[i+1].key, "-")
			}
		}
		if takes && !glued {
			if i+1 == len(words) {
				return nil, fmt.Errorf("line %d: %s has no value", w.line, name)
			}
			i++
			value = words[i].key
		}
		key := name
		if f != nil {
			key = f.names[0]
		}
		out = append(out, entry{key: key, value: value, line: w.line})
	}
	return out, nil
}

// writeFlags writes a command line, a few options a line.
func writeFlags(values []entry) string {
	var b strings.Builder
	width := 0
	add := func(word string) {
		if width > 0 && width+1+len(word) > 100 {
			b.WriteString(" \\\n")
			width = 0
		} else if width > 0 {
			b.WriteByte(' ')
			width++
		}
		b.WriteString(word)
		width += len(word)
	}
	for _, e := range values {
		for _, v := range flagValues(e.value) {
			add(e.key + " " + shellWord(v))
		}
	}
	b.WriteByte('\n')
	return b.String()
}

// flagValues returns a value as flags write it: a list is the flag several
// times.
func flagValues(v any) []string {
	switch v := v.(type) {
	case []string:
		if len(v) == 0 {
			return []string{"none"}
		}
		return v
	case []sampling.TokenBias:
		var out []string
		for _, b := range v {
			out = append(out, strings.ToLower(fmt.Sprintf("%d%+g", b.Tokens[0], b.Bias)))
		}
		return out
	case string:
		return []string{v}
	case bool:
		return []string{strconv.FormatBool(v)}
	}
	return []string{plainJSON(v)}
}
