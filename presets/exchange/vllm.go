package exchange

import (
	"slices"
	"strings"

	"logitscope/presets/exchange/carrier"
)

// vllm is the request JSON of a vLLM server, SamplingParams(…) as Python
// writes it, and what vllm serve takes for all requests.
var vllm = withStructured(vllmStructured, Format{
	Name: "vllm", About: "Python, request JSON and serve flags of vLLM", Engine: "vllm",
	fields: append(same("temperature", "top_p", "min_p", "repetition_penalty", "stop_token_ids", "allowed_token_ids", "length_penalty"),
		field{theirs: "frequency_penalty", ours: "frequency_penalty", out: within(-2, 2)},
		field{theirs: "presence_penalty", ours: "presence_penalty", out: within(-2, 2)},
		field{theirs: "top_k", ours: "top_k", in: offAtMinusOne},
		field{theirs: "max_tokens", ours: "max_new_tokens", also: []string{"max_completion_tokens", "max_new_tokens"}},
		field{theirs: "min_tokens", ours: "min_new_tokens"},
		field{theirs: "seed", ours: "seed", in: randomBelowZero, out: seed63},
		field{theirs: "stop", ours: "stop", in: listOrOne, out: withoutEmpty},
		field{theirs: "logit_bias", ours: "logit_bias", in: pairsIn, out: biasMap},
		field{theirs: "bad_words", ours: "bad_words", in: listOrOne},
		field{theirs: "thinking_token_budget", ours: "thinking_budget"},
		field{theirs: "repetition_detection", ours: "repetition_detection", out: readObject},
		field{theirs: "guided_json", ours: "constraint", in: schemaIn, once: true},
		field{theirs: "guided_regex", ours: "constraint", in: regexIn, once: true},
		field{theirs: "guided_choice", ours: "constraint", in: choiceIn, once: true},
		field{theirs: "guided_grammar", ours: "constraint", in: grammarIn, once: true},
		field{theirs: "guided_json_object", ours: "constraint", in: jsonObjectIn, once: true},
		field{theirs: "response_format", ours: "constraint", in: responseFormatIn, once: true},
		field{theirs: "beam_width", ours: "num_beams", once: true},
	),
	acts: map[string][]any{
		"ignore_eos": nil, "logits_processors": nil, "logits_processor": nil, "structural_tag": nil, "guided_whitespace_pattern": nil,
		"use_beam_search": nil, "truncate_prompt_tokens": {-1}, "vllm_xargs": nil, "logits_processor_pattern": nil,
	},
	aside: []string{
		"model", "prompt", "messages", "stream", "stream_options", "n", "best_of", "logprobs", "top_logprobs", "prompt_logprobs", "echo", "suffix", "user", "detokenize",
		"skip_special_tokens", "spaces_between_special_tokens", "include_stop_str_in_output", "add_special_tokens", "return_tokens_as_token_ids", "return_token_ids", "flat_logprobs", "logprob_token_ids", "skip_reading_prefix_cache",
		"priority", "request_id", "output_kind", "extra_args", "chat_template", "chat_template_kwargs", "add_generation_prompt", "continue_final_message", "tools", "tool_choice", "parallel_tool_calls",
		"guided_decoding_backend", "documents", "mm_processor_kwargs", "cache_salt", "kv_transfer_params", "include_reasoning", "reasoning_effort", "prompt_embeds", "extra_body", "extra_headers", "extra_query", "timeout",
	},
	implied: func(s *source) []assumption {
		switch {
		case s.kind == beamKind:
			return []assumption{{ours: "temperature", value: 0.0}}
		case s.kind == promptKind && !s.silent("max_tokens"):
			return []assumption{{ours: "max_new_tokens", value: int64(16)}}
		}
		return nil
	},
	prepare: spreadStructured,
})

// vllmStructured are the keys of an object that holds a constraint: today's, and
// the one before.
var vllmStructured = []string{"structured_outputs", "guided_decoding"}

// spreadStructured puts the members of such objects in their places.
func spreadStructured(s *source) {
	for _, key := range vllmStructured {
		s.entries = carrier.Spread(s.entries, key, true)
	}
}

// serveFields are the settings that a vLLM server takes from a generation
// config, and nothing else.
var serveFields = append(same("temperature", "top_p", "min_p", "repetition_penalty", "max_new_tokens"), field{theirs: "top_k", ours: "top_k", in: offAtMinusOne})

// overrideFlag carries settings for all requests of a server.
const overrideFlag = "--override-generation-config"

// serveActing are flags of vllm serve that choose tokens, and serveFlags others
// that take a value.
var (
	serveActing = []string{"--logits-processors", "--logits-processor-pattern", "--speculative-config", "--enable-lora", "--lora-modules", "--generation-config", "--default-chat-template-kwargs", "--reasoning-config"}
	serveFlags  = strings.Fields(`--model --served-model-name --port --host --tensor-parallel-size -tp --pipeline-parallel-size -pp --data-parallel-size -dp --data-parallel-size-local --max-model-len --gpu-memory-utilization
		--dtype --quantization -q --max-num-seqs --max-num-batched-tokens --tokenizer --tokenizer-mode --revision --code-revision --tokenizer-revision --download-dir --load-format --config-format --hf-config-path --hf-overrides --hf-token
		--kv-cache-dtype --kv-cache-memory-bytes --block-size --swap-space --cpu-offload-gb --seed --api-key --chat-template --chat-template-content-format --response-role --tool-call-parser --reasoning-parser --tool-parser-plugin
		--guided-decoding-backend --structured-outputs-config --max-logprobs --logprobs-mode --distributed-executor-backend --rope-scaling --rope-theta --max-seq-len-to-capture --limit-mm-per-prompt --mm-processor-kwargs
		--compilation-config -O --uvicorn-log-level --log-level --root-path --ssl-keyfile --ssl-certfile --ssl-ca-certs --middleware --allowed-origins --allowed-methods --allowed-headers --allowed-local-media-path --model-impl --runner --convert --task
		--scheduling-policy --max-cudagraph-capture-size --attention-backend --kv-transfer-config --kv-events-config --additional-config --otlp-traces-endpoint --max-log-len --api-server-count --nnodes --node-rank --master-addr --master-port
		--max-num-partial-prefills --long-prefill-token-threshold --config --async-scheduling --expert-parallel-size --all2all-backend --preemption-mode --num-gpu-blocks-override --pooler-config --prefix-caching-hash-algo`)
	serveSwitches = strings.Fields(`--trust-remote-code --enforce-eager --enable-prefix-caching --no-enable-prefix-caching --enable-chunked-prefill --no-enable-chunked-prefill --enable-auto-tool-choice --enable-expert-parallel -ep --enable-reasoning
		--disable-log-requests --enable-log-requests --disable-log-stats --enable-server-load-tracking --return-tokens-as-token-ids --disable-uvicorn-access-log --disable-frontend-multiprocessing --enable-request-id-headers --allow-credentials
		--enable-sleep-mode --disable-sliding-window --disable-cascade-attn --skip-tokenizer-init --enable-prompt-tokens-details --enable-force-include-usage --language-model-only --use-tqdm-on-load --calculate-kv-scales --disable-custom-all-reduce --headless`)
)

// vllmServe is the command line of vllm serve.
var vllmServe = Format{Name: "vllm", About: "serve flags of vLLM", Engine: "vllm", fields: serveFields, acts: whatever(serveActing), aside: serveAside()}

// whatever are keys that act at any value.
func whatever(keys []string) map[string][]any {
	acts := map[string][]any{}
	for _, key := range keys {
		acts[key] = nil
	}
	return acts
}

// serveAside are the flags that choose no tokens, and what the server does not
// take from the file, which does nothing there.
func serveAside() []string {
	aside := slices.Concat(serveFlags, serveSwitches)
	for _, f := range vllm.fields {
		if !slices.ContainsFunc(serveFields, func(x field) bool { return x.theirs == f.theirs }) {
			aside = append(aside, f.theirs)
		}
	}
	return aside
}

// isVLLM reports whether a word begins a vLLM server's arguments.
func isVLLM(words []carrier.Word, i int) (int, bool) {
	switch name := base(words[i].Text); {
	case name == "vllm" && i+1 < len(words) && words[i+1].Text == "serve":
		return i + 2, true
	case name == "vllm-openai":
		return i + 1, true
	}
	return i + 1, words[i].Text == "vllm.entrypoints.openai.api_server"
}

// vllmArgs reads the command line of a server.
func vllmArgs(words []carrier.Word, _ []carrier.Entry) (*source, error) {
	s := &source{format: &vllmServe, kind: serveKind}
	for i := 0; i < len(words); i++ {
		w := words[i]
		name, value, glued := strings.Cut(w.Text, "=")
		if !strings.HasPrefix(name, "-") {
			continue
		}
		name = "-" + strings.ReplaceAll(name[1:], "_", "-")
		takes := !glued && !slices.Contains(serveSwitches, name) && i+1 < len(words) && !isFlag(words[i+1].Text)
		if takes {
			i++
			w.Dark, value = words[i].Dark, words[i].Text
		}
		key, member, dotted := strings.Cut(name, ".")
		switch {
		case key == overrideFlag && dotted:
			s.entries = append(s.entries, flagEntry(strings.ReplaceAll(member, "-", "_"), value, w))
		case key == overrideFlag:
			s.override(value, words[i].Line, w)
		case takes || glued:
			s.entries = append(s.entries, flagEntry(name, value, w))
		default:
			s.entries = append(s.entries, carrier.Entry{Key: name, Value: true, Line: w.Line})
		}
	}
	return s, nil
}

// override reads the object that overrides a generation config.
func (s *source) override(value string, line int, w carrier.Word) {
	o, err := carrier.ReadObject([]byte(value), line)
	switch {
	case w.Dark != "":
		s.unread = append(s.unread, carrier.Unread{Line: w.Line, Key: overrideFlag, Text: value, Why: carrier.WhyUnreadable(carrier.Unreadable{Text: value})})
	case err != nil:
		s.unread = append(s.unread, carrier.Unread{Line: w.Line, Key: overrideFlag, Text: value, Why: err.Error()})
	default:
		s.entries = append(s.entries, o...)
	}
}

// readObject is a text of JSON as the object that it writes.
func readObject(v any) (any, error) { return carrier.ReadObject([]byte(v.(string)), 1) }
