package exchange

import (
	_ "embed"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"logitscope/presets/exchange/carrier"
	"logitscope/sampling"
)

// llamaCPP is llama.cpp's options: on a command line, in the environment, in a
// container's or a unit's file, in a preset file of its router.
var llamaCPP = Format{
	Name: "llama.cpp", About: "command line, environment and model presets of llama.cpp", Engine: "llama.cpp",
	fields: llamaFields, acts: llamaActing, aside: llamaAside(), canon: llamaName, closes: true,
	implied: llamaImplied,
}

// llamaFields are the options that say how tokens are chosen, by their first
// long name.
var llamaFields = []field{
	{theirs: "--samplers", ours: "order", in: samplersIn, out: samplersOut},
	{theirs: "--sampler-seq", ours: "order", in: sequenceIn, once: true},
	{theirs: "--temp", ours: "temperature"},
	{theirs: "--top-k", ours: "top_k", in: offBelowZero},
	{theirs: "--top-p", ours: "top_p"},
	{theirs: "--min-p", ours: "min_p"},
	{theirs: "--typical", ours: "typical_p"},
	{theirs: "--top-nsigma", ours: "top_n_sigma", in: offBelowZero},
	{theirs: "--xtc-probability", ours: "xtc_probability"},
	{theirs: "--xtc-threshold", ours: "xtc_threshold"},
	{theirs: "--dynatemp-range", ours: "dynatemp_range"},
	{theirs: "--dynatemp-exp", ours: "dynatemp_exponent"},
	{theirs: "--mirostat", ours: "mirostat"},
	{theirs: "--mirostat-ent", ours: "mirostat_tau"},
	{theirs: "--mirostat-lr", ours: "mirostat_eta"},
	{theirs: "--adaptive-target", ours: "adaptive_target"},
	{theirs: "--adaptive-decay", ours: "adaptive_decay"},
	{theirs: "--repeat-penalty", ours: "repetition_penalty"},
	{theirs: "--repeat-last-n", ours: "repeat_last_n", in: unlimited},
	{theirs: "--frequency-penalty", ours: "frequency_penalty"},
	{theirs: "--presence-penalty", ours: "presence_penalty"},
	{theirs: "--dry-multiplier", ours: "dry_multiplier"},
	{theirs: "--dry-base", ours: "dry_base"},
	{theirs: "--dry-allowed-length", ours: "dry_allowed_length"},
	{theirs: "--dry-penalty-last-n", ours: "dry_penalty_last_n", in: unlimited},
	{theirs: "--dry-sequence-breaker", ours: "dry_sequence_breakers", in: listOrOne, out: escapedList},
	{theirs: "--logit-bias", ours: "logit_bias", in: biasFlagIn, out: singleBiases},
	{theirs: "--seed", ours: "seed", in: randomBelowZero, out: seed32},
	{theirs: "--predict", ours: "max_new_tokens", in: unlimited, out: unlimitedOut},
	{theirs: "--reverse-prompt", ours: "stop", in: listOrOne, out: escapedStops},
	{theirs: "--grammar", ours: "constraint", in: grammarIn, once: true},
	{theirs: "--grammar-file", ours: "constraint", in: elsewhere, once: true},
	{theirs: "--json-schema", ours: "constraint", in: closedSchemaIn, once: true},
	{theirs: "--json-schema-file", ours: "constraint", in: elsewhere, once: true},
	{theirs: "--reasoning-budget", ours: "thinking_budget"},
	{theirs: "--reasoning-budget-message", ours: "thinking_message"},
	{theirs: "--spec-draft-n-max", ours: "num_assistant_tokens"},
	{theirs: "--spec-draft-p-min", ours: "assistant_confidence"},
}

// llamaActing are the options that choose tokens and are not parameters here.
var llamaActing = map[string][]any{
	"--ignore-eos": nil, "--lora": nil, "--lora-scaled": nil, "--control-vector": nil, "--control-vector-scaled": nil, "--control-vector-layer-range": nil,
	"--spec-draft-n-min": {0}, "--spec-draft-p-split": nil, "--infill": nil, "--chat-template-kwargs": {"{}"},
	"--reasoning": {"auto"}, "--reasoning-effort": {"default"}, "--lookup-cache-static": nil, "--lookup-cache-dynamic": nil, "--spec-type": {"none"},
}

// llamaOptions is every option of llama.cpp's programs: its spellings, the one
// in our tables first, then = if it takes a value, then the variable of the
// environment where its name does not follow.
//
//go:embed llama_options.txt
var llamaOptions string

// An option is one of llama.cpp's.
type option struct {
	name  string // in our tables
	takes bool   // a value
}

// llamaSpellings finds an option by any of its spellings: flags with their
// dashes, variables of the environment.
var llamaSpellings = func() map[string]option {
	out := map[string]option{}
	for line := range strings.Lines(llamaOptions) {
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		o := option{words[0], slices.Contains(words, "=")}
		for _, w := range words {
			if w != "=" {
				out[w] = o
			}
		}
		out[variable+strings.ReplaceAll(strings.ToUpper(strings.TrimLeft(words[0], "-")), "-", "_")] = o
	}
	return out
}()

// variable begins the names of llama.cpp's variables of the environment.
const variable = "LLAMA_ARG_"

func isVariable(name string) bool {
	_, known := llamaSpellings[name]
	return known && !strings.HasPrefix(name, "-") || strings.HasPrefix(name, variable)
}

// llamaAside are the options that are neither settings nor choose tokens
// otherwise.
func llamaAside() []string {
	known := map[string]bool{iniVersion: true}
	for _, o := range llamaSpellings {
		known[o.name] = true
	}
	for _, f := range llamaFields {
		delete(known, f.theirs)
	}
	for name := range llamaActing {
		delete(known, name)
	}
	return slices.Sorted(maps.Keys(known))
}

// iniVersion is a key of preset files that is not an option.
const iniVersion = "version"

// llamaName is an option's name in our tables: of a flag, of a variable, or of
// a key of a preset file, which is a flag without its dashes.
func llamaName(key string) string {
	for _, k := range []string{key, "--" + key, "-" + key} {
		if o, ok := llamaSpellings[k]; ok {
			return o.name
		}
	}
	return key
}

// llamaFlag returns the field of an option by its flag, nil if it is none.
func llamaFlag(name string) *field {
	if _, ok := llamaSpellings[name]; !ok {
		return nil
	}
	return llamaCPP.field(name)
}

func llamaImplied(*source) []assumption {
	return []assumption{{ours: "temperature", value: 0.8}, {ours: "top_k", value: int64(40)}, {ours: "top_p", value: 0.95}, {ours: "min_p", value: 0.05}}
}

// llamaPrograms are what its programs are called.
var llamaPrograms = []string{"llama-server", "llama-cli", "llama-simple", "llama-run", "llama-completion", "llama-speculative", "llama-mtmd-cli", "llama-batched", "llama-parallel", "llama-lookup", "llama-perplexity", "llama"}

// isLlama reports whether a word names one of its programs, or the image of a
// container that runs one.
func isLlama(words []carrier.Word, i int) (int, bool) {
	name := base(words[i].Text)
	if slices.Contains(llamaPrograms, name) || slices.ContainsFunc(llamaPrograms, func(p string) bool { return name == p+".exe" }) {
		return i + 1, true
	}
	container := i > 0 && slices.ContainsFunc(words[:i], func(w carrier.Word) bool { return w.Text == "docker" || w.Text == "podman" })
	return i + 1, container && (name == "llama.cpp" || name == "llama-swap")
}

// llamaArgs reads a command line. Variables of the environment come first, and
// flags over them.
func llamaArgs(words []carrier.Word, env []carrier.Entry) (*source, error) {
	s := &source{format: &llamaCPP}
	s.entries = append(s.entries, env...)
	for i := 0; i < len(words); i++ {
		w := words[i]
		name, value, glued := strings.Cut(w.Text, "=")
		if !strings.HasPrefix(name, "-") || w.Control {
			continue // an argument of another option
		}
		o, known := llamaSpellings[name]
		takes := o.takes
		if !known && !glued {
			// An unknown option takes the next word if that is not an option.
			takes = i+1 < len(words) && !isFlag(words[i+1].Text)
		}
		bare := takes && !glued && (i+1 == len(words) || isOption(words[i+1].Text))
		switch {
		case glued:
		case bare && llamaCPP.field(name) != nil:
			s.unread = append(s.unread, carrier.Unread{Line: w.Line, Key: name, Text: name, Why: "it has no value"})
			continue
		case bare:
			takes = false // older builds take none
		case takes:
			i++
			w.Dark, value = words[i].Dark, words[i].Text
		}
		if !takes && !glued {
			s.entries = append(s.entries, carrier.Entry{Key: name, Value: true, Line: w.Line})
			continue
		}
		s.entries = append(s.entries, flagEntry(name, value, w))
	}
	s.escapes()
	return s, nil
}

// isOption reports whether a word is an option of llama.cpp by its spelling.
func isOption(w string) bool {
	_, known := llamaSpellings[w]
	return known && strings.HasPrefix(w, "-")
}

// isFlag reports whether a word is an option and no number.
func isFlag(w string) bool {
	if !strings.HasPrefix(w, "-") {
		return false
	}
	_, err := strconv.ParseFloat(w, 64)
	return err != nil
}

// escapes does what llama.cpp does to texts after the shell: it processes
// escapes unless told not to, and the first sequence breaker clears those
// before it.
func (s *source) escapes() {
	process := true
	for _, e := range s.entries {
		switch llamaName(e.Key) {
		case "--escape":
			process = true
		case "--no-escape":
			process = false
		}
	}
	none := -1
	for i, e := range s.entries {
		text, ok := e.Value.(string)
		name := llamaName(e.Key)
		if !ok || name != "--reverse-prompt" && name != "--dry-sequence-breaker" {
			continue
		}
		if name == "--dry-sequence-breaker" && text == "none" {
			none = i
			continue
		}
		if process {
			s.entries[i].Value = unescape(text)
		}
	}
	if none < 0 {
		return
	}
	s.entries[none].Value = []any{}
	i := -1
	s.entries = slices.DeleteFunc(s.entries, func(e carrier.Entry) bool {
		i++
		return i < none && llamaName(e.Key) == "--dry-sequence-breaker"
	})
}

// unescape processes escapes as llama.cpp does.
func unescape(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		switch c := s[i]; c {
		case 'n', 'r', 't', '\'', '"', '\\':
			b.WriteByte(carrier.SimpleEscapes[c])
		case 'x':
			if i+2 < len(s) {
				if v, err := strconv.ParseUint(s[i+1:i+3], 16, 8); err == nil {
					b.WriteByte(byte(v))
					i += 2
					continue
				}
			}
			b.WriteString(`\x`)
		default:
			b.WriteByte('\\')
			b.WriteByte(c)
		}
	}
	return b.String()
}

// escape writes a text so that llama.cpp reads it back. Control bytes are
// escaped too: an argument of a program cannot hold a zero byte, nor a line of
// a file a line end.
func escape(s string) string {
	var b strings.Builder
	for i := range len(s) {
		switch c := s[i]; {
		case c == '\\':
			b.WriteString(`\\`)
		case c == '\n':
			b.WriteString(`\n`)
		case c == '\r':
			b.WriteString(`\r`)
		case c == '\t':
			b.WriteString(`\t`)
		case c < ' ' || c == 0x7f:
			fmt.Fprintf(&b, `\x%02x`, c)
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

func escapedList(v any) (any, error) {
	list := v.([]string)
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = escape(s)
	}
	return out, nil
}

// escapedStops is escapedList for stops, of which an empty one cannot be
// written.
func escapedStops(v any) (any, error) {
	kept, err := withoutEmpty(v)
	if err != nil && kept == nil {
		return nil, err
	}
	out, _ := escapedList(kept)
	return out, err
}

// llamaStages are llama.cpp's names for stages, the letters of its short form,
// and ours.
var llamaStages = []struct {
	theirs, ours string
	letter       rune
}{
	{"penalties", "penalties", 'e'}, {"dry", "dry", 'd'}, {"top_n_sigma", "top_n_sigma", 's'}, {"top_k", "top_k", 'k'}, {"typ_p", "typical_p", 'y'},
	{"top_p", "top_p", 'p'}, {"min_p", "min_p", 'm'}, {"xtc", "xtc", 'x'}, {"temperature", "temperature", 't'}, {"adaptive_p", "adaptive_p", 'a'},
}

// hasStage reports whether llama.cpp has a stage of our name.
func hasStage(ours string) bool {
	for _, s := range llamaStages {
		if s.ours == ours {
			return true
		}
	}
	return false
}

// samplersIn reads a list of samplers, or names with semicolons between.
func samplersIn(v any) (any, error) {
	var names []string
	switch v := v.(type) {
	case string:
		names = strings.FieldsFunc(v, func(r rune) bool { return r == ';' || r == ',' })
	case []any:
		for _, x := range v {
			s, ok := x.(string)
			if !ok {
				return nil, fmt.Errorf("want a list of names")
			}
			names = append(names, s)
		}
	default:
		return nil, fmt.Errorf("want a list of names")
	}
	return stageOrder(names)
}

// sequenceIn reads the short form, a letter a stage.
func sequenceIn(v any) (any, error) {
	s, ok := v.(string)
	if !ok {
		return samplersIn(v)
	}
	var names []string
	for _, r := range s {
		i := slices.IndexFunc(llamaStages, func(x struct {
			theirs, ours string
			letter       rune
		}) bool {
			return x.letter == r
		})
		if i < 0 {
			return nil, fmt.Errorf("%c stands for no sampler; edskypmxta do", r)
		}
		names = append(names, llamaStages[i].theirs)
	}
	return stageOrder(names)
}

func stageOrder(names []string) (any, error) {
	for i, n := range names {
		names[i] = strings.TrimSpace(n)
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
		for _, x := range llamaStages {
			if (x.ours == s || x.theirs == s) && !slices.Contains(out, x.theirs) {
				out = append(out, x.theirs)
			}
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

// biasFlagIn reads TOKEN+BIAS or TOKEN-BIAS.
func biasFlagIn(v any) (any, error) {
	s, _ := v.(string)
	i := strings.IndexAny(s, "+-")
	if i <= 0 {
		return nil, fmt.Errorf("want TOKEN+BIAS or TOKEN-BIAS")
	}
	id, err := strconv.Atoi(s[:i])
	bias, err2 := strconv.ParseFloat(strings.TrimPrefix(s[i:], "+"), 64)
	if err != nil || err2 != nil {
		return nil, fmt.Errorf("want TOKEN+BIAS or TOKEN-BIAS")
	}
	var b any = bias
	if math.IsInf(bias, -1) {
		b = "-inf"
	}
	return []any{[]any{int64(id), b}}, nil
}

// elsewhere refuses what names a file: it is not read from here.
func elsewhere(any) (any, error) { return nil, fmt.Errorf("a file elsewhere, not read") }
