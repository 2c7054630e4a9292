package exchange

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"logitscope/sampling"
)

// llamaCPP is llama.cpp's options: on a command line, in the environment, in a
// container's or a unit's file, in a preset file of its router.
var llamaCPP = Format{
	Name: "llama.cpp", About: "command line, environment and model presets of llama.cpp", Engine: "llama.cpp",
	fields: llamaFields, closes: true,
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
	{theirs: "--spec-draft-n-max", ours: "num_assistant_tokens"},
	{theirs: "--spec-draft-p-min", ours: "assistant_confidence"},
}

// llamaActing are the options that choose tokens and are no parameter here.
var llamaActing = map[string][]any{
	"--ignore-eos": nil, "--lora": nil, "--lora-scaled": nil, "--control-vector": nil, "--control-vector-scaled": nil, "--control-vector-layer-range": nil,
	"--reasoning-budget": {-1}, "--reasoning-budget-message": nil, "--spec-draft-n-min": {0}, "--spec-draft-p-split": nil, "--infill": nil, "--chat-template-kwargs": {"{}"},
	"--reasoning": {"auto"}, "--reasoning-effort": {"default"}, "--lookup-cache-static": nil, "--lookup-cache-dynamic": nil, "--spec-type": {"none"},
}

// llamaOptions is every option of llama.cpp's programs: its spellings, the one
// in our tables first, then = if it takes a value, then the variable of the
// environment where its name does not follow.
const llamaOptions = `
--samplers =
--sampler-seq --sampling-seq =
--temp --temperature = LLAMA_ARG_TEMPERATURE
--top-k =
--top-p =
--min-p =
--typical --typical-p =
--top-nsigma --top-n-sigma =
--xtc-probability =
--xtc-threshold =
--dynatemp-range =
--dynatemp-exp =
--mirostat =
--mirostat-ent =
--mirostat-lr =
--adaptive-target =
--adaptive-decay =
--repeat-penalty =
--repeat-last-n =
--frequency-penalty =
--presence-penalty =
--dry-multiplier =
--dry-base =
--dry-allowed-length =
--dry-penalty-last-n =
--dry-sequence-breaker =
--logit-bias -l =
--seed -s =
--predict --n-predict -n = LLAMA_ARG_N_PREDICT
--reverse-prompt -r =
--grammar =
--grammar-file =
--json-schema -j =
--json-schema-file -jf =
--spec-draft-n-max --draft-max --draft --draft-n = LLAMA_ARG_SPEC_DRAFT_N_MAX LLAMA_ARG_DRAFT_MAX
--spec-draft-p-min --draft-p-min = LLAMA_ARG_SPEC_DRAFT_P_MIN LLAMA_ARG_DRAFT_P_MIN
--ignore-eos
--lora =
--lora-scaled =
--control-vector =
--control-vector-scaled =
--control-vector-layer-range =
--reasoning-budget = LLAMA_ARG_THINK_BUDGET
--reasoning-budget-message = LLAMA_ARG_THINK_BUDGET_MESSAGE
--reasoning -rea = LLAMA_ARG_REASONING
--reasoning-effort =
--spec-draft-n-min --draft-min --draft-n-min = LLAMA_ARG_SPEC_DRAFT_N_MIN LLAMA_ARG_DRAFT_MIN
--spec-draft-p-split --draft-p-split = LLAMA_ARG_SPEC_DRAFT_P_SPLIT
--spec-type =
--lookup-cache-static -lcs =
--lookup-cache-dynamic -lcd =
--chat-template-kwargs =
--infill
--escape -e
--no-escape
--model -m =
--model-url -mu =
--docker-repo -dr =
--hf-repo -hf -hfr =
--hf-file -hff =
--hf-token -hft = HF_TOKEN
--hf-repo-draft -hfd -hfrd --spec-draft-hf =
--model-draft -md --spec-draft-model = LLAMA_ARG_SPEC_DRAFT_MODEL LLAMA_ARG_MODEL_DRAFT
--prompt -p =
--file -f =
--binary-file -bf =
--system-prompt -sys =
--system-prompt-file -sysf =
--ctx-size -c =
--ctx-size-draft -cd --spec-draft-ctx-size =
--threads -t =
--threads-batch -tb =
--threads-draft -td --spec-draft-threads =
--threads-batch-draft -tbd --spec-draft-threads-batch =
--threads-http =
--cpu-mask -C =
--cpu-range -Cr =
--cpu-strict =
--cpu-mask-batch -Cb =
--cpu-range-batch -Crb =
--cpu-strict-batch =
--prio =
--prio-batch =
--poll =
--poll-batch =
--batch-size -b = LLAMA_ARG_BATCH
--ubatch-size -ub = LLAMA_ARG_UBATCH
--keep =
--swa-full
--flash-attn -fa =
--perf
--no-perf
--rope-scaling = LLAMA_ARG_ROPE_SCALING_TYPE
--rope-scale =
--rope-freq-base =
--rope-freq-scale =
--yarn-orig-ctx =
--yarn-ext-factor =
--yarn-attn-factor =
--yarn-beta-slow =
--yarn-beta-fast =
--kv-offload -kvo
--no-kv-offload -nkvo
--repack
--no-repack -nr
--no-host
--cache-type-k -ctk =
--cache-type-v -ctv =
--cache-type-k-draft -ctkd --spec-draft-type-k = LLAMA_ARG_SPEC_DRAFT_CACHE_TYPE_K
--cache-type-v-draft -ctvd --spec-draft-type-v = LLAMA_ARG_SPEC_DRAFT_CACHE_TYPE_V
--defrag-thold -dt =
--rpc =
--load-mode -lm =
--lazy-mode -lzm =
--mlock
--mmap
--no-mmap
--direct-io -dio
--no-direct-io -ndio
--numa =
--device -dev =
--device-draft -devd --spec-draft-device =
--list-devices
--override-tensor -ot =
--override-tensor-draft -otd --spec-draft-override-tensor =
--cpu-moe -cmoe
--n-cpu-moe -ncmoe =
--cpu-moe-draft -cmoed --spec-draft-cpu-moe
--n-cpu-moe-draft -ncmoed --spec-draft-n-cpu-moe =
--moe-cache-mib =
--n-cpu-ffn -ncffn =
--gpu-layers -ngl --n-gpu-layers = LLAMA_ARG_N_GPU_LAYERS
--gpu-layers-draft -ngld --n-gpu-layers-draft --spec-draft-ngl = LLAMA_ARG_SPEC_DRAFT_N_GPU_LAYERS LLAMA_ARG_N_GPU_LAYERS_DRAFT
--split-mode -sm =
--tensor-split -ts =
--main-gpu -mg =
--fit -fit =
--fit-target -fitt =
--fit-ctx -fitc =
--check-tensors
--override-kv =
--op-offload
--no-op-offload
--log-disable
--log-file =
--log-jsonl
--no-log-jsonl
--log-colors =
--verbose -v --log-verbose
--offline
--verbosity -lv --log-verbosity = LLAMA_ARG_LOG_VERBOSITY
--log-prefix
--no-log-prefix
--log-timestamps
--no-log-timestamps
--backend-sampling -bs
--kv-unified-per-slot =
--ctx-checkpoints -ctxcp --swa-checkpoints =
--checkpoint-min-step -cms = LLAMA_ARG_CHECKPOINT_MIN_SPACING_NT
--cache-ram -cram =
--kv-unified -kvu
--no-kv-unified -no-kvu
--cache-idle-slots
--no-cache-idle-slots
--context-shift
--no-context-shift
--special -sp
--warmup
--no-warmup
--spm-infill
--pooling =
--parallel -np = LLAMA_ARG_N_PARALLEL
--cont-batching -cb
--no-cont-batching -nocb
--mmproj -mm =
--mmproj-url -mmu =
--mmproj-auto
--no-mmproj --no-mmproj-auto
--mmproj-offload
--no-mmproj-offload
--mmproj-device -mmdev = MTMD_BACKEND_DEVICE
--image =
--audio =
--image-min-tokens =
--image-max-tokens =
--mtmd-batch-max-tokens =
--video-fps =
--video-timestamp-interval =
--video-ffmpeg-dir =
--alias -a =
--tags =
--embd-normalize =
--host =
--port =
--reuse-port
--path = LLAMA_ARG_STATIC_PATH
--cors-origins =
--cors-methods =
--cors-headers =
--cors-credentials
--no-cors-credentials
--api-prefix =
--ui-config --webui-config =
--ui-config-file --webui-config-file =
--ui-mcp-proxy --webui-mcp-proxy
--no-ui-mcp-proxy --no-webui-mcp-proxy
--tools =
--tools-runtime =
--mcp-servers-config =
--mcp-servers-json =
--agent -ag
--no-agent -no-ag
--ui --webui
--no-ui --no-webui
--embedding --embeddings LLAMA_ARG_EMBEDDINGS
--rerank --reranking LLAMA_ARG_RERANKING
--api-key = LLAMA_API_KEY
--api-key-file =
--ssl-key-file =
--ssl-cert-file =
--timeout -to =
--sse-ping-interval =
--cache-prompt
--no-cache-prompt
--cache-reuse =
--metrics LLAMA_ARG_ENDPOINT_METRICS
--props LLAMA_ARG_ENDPOINT_PROPS
--slots LLAMA_ARG_ENDPOINT_SLOTS
--no-slots LLAMA_ARG_NO_ENDPOINT_SLOTS
--slot-save-path =
--slot-prompt-similarity -sps =
--media-path =
--models-dir =
--models-preset =
--models-max =
--models-autoload
--no-models-autoload
--jinja
--no-jinja
--reasoning-format = LLAMA_ARG_THINK
--reasoning-preserve
--no-reasoning-preserve
--chat-template =
--chat-template-file =
--skip-chat-parsing
--no-skip-chat-parsing
--prefill-assistant
--no-prefill-assistant
--lora-init-without-apply
--conversation -cnv
--no-conversation -no-cnv
--single-turn -st
--interactive -i
--interactive-first -if
--multiline-input -mli
--in-prefix =
--in-suffix =
--in-prefix-bos
--color -co
--no-display-prompt
--display-prompt
--simple-io
--verbose-prompt
--prompt-cache =
--prompt-cache-all
--prompt-cache-ro
--print-token-count -ptc =
--no-ppl
--group-attn-n -gan =
--group-attn-w -gaw =
--sleep-idle-seconds =
--version
--help -h --usage
--cache-list -cl
--load-on-startup =
--stop-timeout =
`

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

// init and not literals: the tables refer to each other.
func init() {
	llamaCPP.canon, llamaCPP.acts = llamaName, llamaActing
	known := map[string]bool{}
	for _, o := range llamaSpellings {
		known[o.name] = true
	}
	for _, f := range llamaFields {
		delete(known, f.theirs)
	}
	for name := range llamaActing {
		delete(known, name)
	}
	for name := range known {
		llamaCPP.aside = append(llamaCPP.aside, name)
	}
	llamaCPP.aside = append(llamaCPP.aside, iniVersion)
	slices.Sort(llamaCPP.aside)
}

// iniVersion is a key of preset files that is no option.
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
func isLlama(words []word, i int) (int, bool) {
	name := base(words[i].text)
	if slices.Contains(llamaPrograms, name) || slices.ContainsFunc(llamaPrograms, func(p string) bool { return name == p+".exe" }) {
		return i + 1, true
	}
	container := i > 0 && slices.ContainsFunc(words[:i], func(w word) bool { return w.text == "docker" || w.text == "podman" })
	return i + 1, container && (name == "llama.cpp" || name == "llama-swap")
}

// llamaArgs reads a command line. Variables of the environment come first, and
// flags over them.
func llamaArgs(words []word, env []entry) (*source, error) {
	s := &source{format: &llamaCPP}
	s.entries = append(s.entries, env...)
	for i := 0; i < len(words); i++ {
		w := words[i]
		name, value, glued := strings.Cut(w.text, "=")
		if !strings.HasPrefix(name, "-") || w.control {
			continue // an argument of another option
		}
		o, known := llamaSpellings[name]
		takes := o.takes
		if !known && !glued {
			// An unknown option takes the next word if that is no option.
			takes = i+1 < len(words) && !isFlag(words[i+1].text)
		}
		switch {
		case glued:
		case takes && i+1 == len(words):
			s.unread = append(s.unread, Unread{Line: w.line, Key: name, Text: name, Why: "it has no value"})
			continue
		case takes:
			i++
			w.dark, value = words[i].dark, words[i].text
		}
		if !takes && !glued {
			s.entries = append(s.entries, entry{key: name, value: true, line: w.line})
			continue
		}
		s.entries = append(s.entries, flagEntry(name, value, w))
	}
	s.escapes()
	return s, nil
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
		switch llamaName(e.key) {
		case "--escape":
			process = true
		case "--no-escape":
			process = false
		}
	}
	none := -1
	for i, e := range s.entries {
		text, ok := e.value.(string)
		name := llamaName(e.key)
		if !ok || name != "--reverse-prompt" && name != "--dry-sequence-breaker" {
			continue
		}
		if name == "--dry-sequence-breaker" && text == "none" {
			none = i
			continue
		}
		if process {
			s.entries[i].value = unescape(text)
		}
	}
	if none < 0 {
		return
	}
	s.entries[none].value = []any{}
	i := -1
	s.entries = slices.DeleteFunc(s.entries, func(e entry) bool {
		i++
		return i < none && llamaName(e.key) == "--dry-sequence-breaker"
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
			b.WriteByte(simpleEscapes[c])
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

// escape writes a text so that llama.cpp reads it back.
func escape(s string) string {
	return strings.NewReplacer("\\", `\\`, "\n", `\n`, "\r", `\r`, "\t", `\t`).Replace(s)
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
