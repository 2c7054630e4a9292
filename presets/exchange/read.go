package exchange

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"logitscope/presets/exchange/carrier"
)

// read finds out what data is and reads its entries. With from it is in that
// format, whatever carries it.
func read(data []byte, name string, opt Options) (*source, error) {
	from := opt.From
	if wide, ok := fromUTF16(data); ok {
		data = wide
	}
	s, err := carried(data, name, opt)
	if err != nil {
		return nil, err
	}
	if s == nil {
		return nil, fmt.Errorf("no settings in a format that is known (%s)", strings.Join(FormatNames(), ", "))
	}
	if from != nil && s.format.Name != from.Name {
		s.format = from
	}
	return s, nil
}

// carried reads whatever carrier the text is. It returns nil where no settings
// are found.
func carried(data []byte, name string, opt Options) (*source, error) {
	from, n := opt.From, max(opt.Call, 1)
	text := strings.ReplaceAll(string(data), "\r\n", "\n")
	trimmed := strings.TrimSpace(text)
	switch {
	case strings.HasPrefix(trimmed, "{") && from != &textgen:
		o, err := carrier.ReadObject([]byte(text), 1)
		if err != nil {
			return nil, err
		}
		return ofObject(o, name, from)
	case strings.HasPrefix(trimmed, "[") && json.Valid([]byte(trimmed)):
		return jsonList(text, name, opt)
	case from == &own:
		return nil, errors.New("want a JSON object of parameters")
	case from == &textgen:
		o, err := readYAML([]byte(text))
		return &source{format: from, entries: o}, err
	case from == &ollama || from == nil && looksLikeModelfile(text):
		return modelfileSource(string(data)), nil
	}
	if s, ok, err := pythonSource(text, n); ok {
		return s, err
	}
	if looksLikeUnit(text) {
		return unitSource(text)
	}
	if lines, ok := readINI(text); ok {
		return iniSource(lines, n)
	}
	if looksLikeYAML(trimmed) {
		if s, err := yamlSource([]byte(text), n); s != nil {
			return s, nil
		} else if o, bad := readYAML([]byte(text)); err != nil && bad == nil && len(o) > 0 {
			return nil, err
		}
	}
	return shellSource(text, 1, n)
}

// jsonList reads a list of objects: one of them, and names the others.
func jsonList(text, name string, opt Options) (*source, error) {
	o, err := carrier.ReadObject([]byte(`{"":`+text+`}`), 1)
	if err != nil {
		return nil, err
	}
	list, n := o.Get("").([]any), max(opt.Call, 1)
	if n > len(list) {
		return nil, tooFew(n, len(list), "object")
	}
	one, ok := list[n-1].(carrier.Object)
	if !ok {
		return nil, fmt.Errorf("value %d of the list: want a JSON object of settings", n)
	}
	s, err := ofObject(one, name, opt.From)
	if err != nil {
		return nil, err
	}
	s.calls = len(list)
	for i, v := range list {
		if i != n-1 {
			s.unread = append(s.unread, carrier.Unread{Line: lineOf(v), Key: fmt.Sprintf("[%d]", i), Text: carrier.PlainJSON(v), Why: "another object, not read"})
		}
	}
	return s, nil
}

// lineOf is the line of the first key of an object; 0 for anything else.
func lineOf(v any) int {
	if o, ok := v.(carrier.Object); ok && len(o) > 0 {
		return o[0].Line
	}
	return 0
}

// ofObject reads an object that is a file, or stands in a list in one.
func ofObject(o carrier.Object, name string, from *Format) (*source, error) {
	if filepath.Base(name) == generationConfig && from == nil {
		from = &transformers
	}
	return jsonSource(o, from)
}

// generationConfig is the name of the file of transformers' settings.
const generationConfig = "generation_config.json"

// looksLikeYAML reports whether a line has a key with a colon.
func looksLikeYAML(text string) bool {
	for line := range strings.SplitSeq(text, "\n") {
		key, rest, ok := strings.Cut(line, ":")
		if ok && isKey(strings.TrimSpace(key)) && (rest == "" || rest[0] == ' ' || rest[0] == '\t') {
			return true
		}
	}
	return false
}

func isKey(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return !(r == '_' || r == '-' || r == '.' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z')
	})
}

// telling are keys that only one format has, and where they decide: the first
// that is there.
var telling = []struct {
	key    string
	format *Format
}{
	{"operation", &lmStudio}, {"sampling_params", &sglang},
	{"genamt", &sillyTavern}, {"temperature_last", &sillyTavern}, {"rep_pen_decay", &sillyTavern}, {"encoder_rep_pen", &sillyTavern}, {"freq_pen", &sillyTavern}, {"mirostat_mode", &sillyTavern},
	{"rep_pen", &koboldCPP}, {"sampler_order", &koboldCPP}, {"max_context_length", &koboldCPP}, {"sampler_seed", &koboldCPP}, {"stop_sequence", &koboldCPP}, {"rep_pen_range", &koboldCPP},
	{"provider", &openRouter}, {"models", &openRouter}, {"transforms", &openRouter}, {"route", &openRouter},
	{"transformers_version", &transformers}, {"_from_model_config", &transformers}, {"pad_token_id", &transformers}, {"bad_words_ids", &transformers}, {"do_sample", &transformers},
	{"options", &ollama}, {"num_predict", &ollama}, {"num_ctx", &ollama}, {"keep_alive", &ollama},
	{"n_predict", &llamaServer}, {"samplers", &llamaServer}, {"cache_prompt", &llamaServer}, {"n_probs", &llamaServer}, {"id_slot", &llamaServer},
	{"min_tokens", &vllm}, {"structured_outputs", &vllm}, {"guided_json", &vllm}, {"guided_regex", &vllm}, {"guided_choice", &vllm}, {"guided_grammar", &vllm}, {"stop_token_ids", &vllm}, {"skip_special_tokens", &vllm}, {"prompt_logprobs", &vllm},
}

// jsonSource finds out whose request or file an object is.
func jsonSource(o carrier.Object, from *Format) (*source, error) {
	f := from
	if body, ok := o.Get("body").(carrier.Object); ok && o.Has("url") { // a line of a batch
		url, _ := o.Get("url").(string)
		return jsonSource(body, cmp.Or(f, byPath(url)))
	}
	switch {
	case f == &own || f == nil && isOwn(o):
		return ownSource(o)
	case f == nil:
		f = whose(o)
	case f == &openai && !knowsAll(o):
		f = whoseAPI(o)
	}
	if f == &own {
		return ownSource(o)
	}
	s := &source{format: f, entries: o}
	if o.Has("prompt") && !o.Has("messages") && (f == &vllm || f == &openai || f == &openRouter) {
		s.kind = promptKind
	}
	return s, nil
}

// isOwn reports whether an object is a preset or settings of this program.
func isOwn(o carrier.Object) bool {
	return o.Has("config") && o.Has("name") || o.Has("max_new_tokens") && o.Has("order")
}

// whose finds the format of an object: by a key that only one has, else by
// which knows most of its keys.
func whose(o carrier.Object) *Format {
	for _, t := range telling {
		if o.Has(t.key) {
			return t.format
		}
	}
	if o.Has("messages") || o.Has("input") || o.Has("max_completion_tokens") || o.Has("response_format") || o.Has("model") && o.Has("prompt") {
		return whoseAPI(o)
	}
	if best := mostKnown(o, []*Format{&own, &transformers, &vllm, &llamaServer, &ollama, &openai, &koboldCPP, &sillyTavern}); best != nil {
		return best
	}
	return &own
}

// whoseAPI tells a request of OpenAI's API from one of its supersets.
func whoseAPI(o carrier.Object) *Format {
	if slices.ContainsFunc(o, func(e carrier.Entry) bool {
		own := openAIOnly(e.Key)
		return !own && (vllm.field(e.Key) != nil || slices.Contains(vllm.aside, e.Key) || vllm.acts[e.Key] != nil)
	}) {
		return &vllm
	}
	return &openai
}

// openAIOnly reports whether a key is one of OpenAI's own API.
func openAIOnly(key string) bool {
	for i := range openai.fields {
		if f := openai.fields[i]; f.theirs == key || slices.Contains(f.also, key) {
			return true
		}
	}
	return slices.Contains(openai.aside, key)
}

func knowsAll(o carrier.Object) bool {
	return !slices.ContainsFunc(o, func(e carrier.Entry) bool { return !openAIOnly(e.Key) })
}

// splitLines splits a text with a name a line.
func splitLines(s string) []string {
	var out []string
	for line := range strings.Lines(s) {
		if line = strings.TrimSpace(line); line != "" {
			out = append(out, line)
		}
	}
	return out
}
