package exchange

import (
	"logitscope/presets/exchange/carrier"
)

// openai is the request of OpenAI's API, chat, completions and Responses, and
// of those that follow it. What the servers do with it is not public; vLLM's
// rules are the nearest that are: penalties count the output, and truncation
// follows the temperature.
var openai = Format{
	Name: "openai", About: "Python and request JSON of OpenAI-compatible servers, curl", Engine: "vllm",
	fields: []field{
		{theirs: "temperature", ours: "temperature", out: within(0, 2)},
		{theirs: "top_p", ours: "top_p"},
		{theirs: "frequency_penalty", ours: "frequency_penalty", out: within(-2, 2)},
		{theirs: "presence_penalty", ours: "presence_penalty", out: within(-2, 2)},
		{theirs: "max_completion_tokens", ours: "max_new_tokens", also: []string{"max_tokens", "max_output_tokens"}},
		{theirs: "seed", ours: "seed", in: randomBelowZero, out: seed63},
		{theirs: "stop", ours: "stop", in: listOrOne, out: fourStops},
		{theirs: "logit_bias", ours: "logit_bias", in: pairsIn, out: biasMap},
		{theirs: "response_format", ours: "constraint", in: responseFormatIn, once: true},
		{theirs: "format", ours: "constraint", in: responseFormatIn, once: true}, // of text, in Responses
	},
	aside: []string{
		"model", "messages", "input", "instructions", "prompt", "stream", "stream_options", "n", "best_of", "echo", "suffix", "user", "logprobs", "top_logprobs", "tools", "tool_choice", "parallel_tool_calls",
		"reasoning_effort", "reasoning", "modalities", "store", "metadata", "service_tier", "prediction", "audio", "verbosity", "safety_identifier", "prompt_cache_key", "prompt_cache_retention", "include",
		"previous_response_id", "conversation", "background", "truncation", "text", "max_tool_calls", "functions", "function_call", "web_search_options", "extra_headers", "extra_query", "extra_body", "timeout",
		"text_format", "context_management", "moderation",
	},
	kin: []*Format{&vllm},
	implied: func(s *source) []assumption {
		if s.kind == promptKind {
			return []assumption{{ours: "max_new_tokens", value: int64(16)}}
		}
		return nil
	},
	prepare: func(s *source) {
		s.entries = carrier.Spread(carrier.Spread(s.entries, "extra_body", false), "text", false)
		spreadStructured(s)
	},
}

// liteLLM is a call of LiteLLM, or a model of its proxy.
var liteLLM = Format{
	Name: "litellm", About: "Python and proxy configuration of LiteLLM", Engine: "vllm",
	aside: []string{
		"num_retries", "fallbacks", "drop_params", "api_base", "base_url", "api_key", "api_version", "custom_llm_provider", "caching", "mock_response", "context_window_fallback_dict", "allowed_openai_params",
		"additional_drop_params", "rpm", "tpm", "max_retries", "cooldown_time", "organization", "region_name", "input_cost_per_token", "output_cost_per_token", "headers", "hooks", "logger_fn", "verbose", "force_timeout", "deployment_id", "thinking", "weight",
	},
	kin:     []*Format{&openai},
	prepare: func(s *source) { openai.prepare(s) },
}

// openRouter is a request of OpenRouter.
var openRouter = Format{
	Name: "openrouter", About: "request JSON of OpenRouter", Engine: "vllm",
	acts:    map[string][]any{"top_a": {0}},
	aside:   []string{"models", "provider", "usage", "transforms", "route", "plugins", "preset", "structured_outputs", "session_id", "trace"},
	kin:     []*Format{&openai},
	implied: openai.implied,
	prepare: func(s *source) { openai.prepare(s) },
}
