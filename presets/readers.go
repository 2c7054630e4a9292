package presets

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

func trimBOM(data []byte) []byte { return bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")) }

// detect guesses the format of data: by its shape, and for JSON by which
// format knows most of its keys. It returns nil where nothing fits.
func detect(data []byte) *Format {
	text := strings.TrimSpace(string(data))
	switch {
	case strings.HasPrefix(text, "{"):
		return detectJSON(data)
	case strings.Contains(text, "SamplingParams("):
		return &vllm
	case looksLikeModelfile(text):
		return &ollama
	case looksLikeFlags(text):
		return &llamaCLI
	}
	return nil
}

// telling are keys that only one format has.
var telling = []struct {
	key    string
	format *Format
}{
	{"transformers_version", &transformers}, {"_from_model_config", &transformers}, {"pad_token_id", &transformers}, {"bad_words_ids", &transformers},
	{"typical_p_hf", &transformers}, {"max_length", &transformers},
	{"options", &ollama}, {"num_predict", &ollama}, {"num_ctx", &ollama},
	{"n_predict", &llamaServer}, {"samplers", &llamaServer}, {"cache_prompt", &llamaServer}, {"n_probs", &llamaServer},
	{"min_tokens", &vllm}, {"structured_outputs", &vllm}, {"guided_json", &vllm}, {"guided_regex", &vllm}, {"skip_special_tokens", &vllm},
	{"max_completion_tokens", &openai}, {"response_format", &openai}, {"messages", &openai},
}

func detectJSON(data []byte) *Format {
	entries, err := readObject(data)
	if err != nil {
		return &own // whose reader says where the mistake is
	}
	has := map[string]bool{}
	for _, e := range entries {
		has[e.key] = true
	}
	if has["config"] && has["name"] {
		return &own
	}
	if has["max_new_tokens"] && has["order"] {
		return &own
	}
	for _, t := range telling {
		if has[t.key] {
			return t.format
		}
	}
	best, most := &own, -1
	for _, f := range []*Format{&own, &transformers, &vllm, &llamaServer, &ollama, &openai} {
		known := 0
		for k := range has {
			if f.field(k) != nil {
				known++
			}
		}
		if known > most {
			best, most = f, known
		}
	}
	return best
}

// readObject reads the members of a JSON object, in order, with their lines.
// A member that is an object itself stays as written: in a schema the order of
// the keys counts.
func readObject(data []byte) ([]entry, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	line := func() int { return 1 + bytes.Count(data[:d.InputOffset()], []byte("\n")) }
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, errors.New("a JSON object is wanted")
	}
	var out []entry
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", line(), tooEarly(err))
		}
		e := entry{key: t.(string), line: line()}
		var raw json.RawMessage
		if err := d.Decode(&raw); err != nil {
			return nil, fmt.Errorf("line %d: %s: %w", e.line, e.key, tooEarly(err))
		}
		e.value = raw
		if len(raw) > 0 && raw[0] != '{' {
			e.value = decoded(raw)
		}
		out = append(out, e)
	}
	if _, err := d.Token(); err != nil {
		return nil, fmt.Errorf("line %d: %w", line(), tooEarly(err))
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, fmt.Errorf("line %d: more after the object", line())
	}
	return out, nil
}

// tooEarly words the end of a text where more was to come.
func tooEarly(err error) error {
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return errors.New("the object ends too early")
	}
	return err
}

// memberOf returns the member of an object that a path of keys leads to, as
// written.
func memberOf(raw json.RawMessage, path ...string) (json.RawMessage, error) {
	for i, key := range path {
		var members map[string]json.RawMessage
		json.Unmarshal(raw, &members)
		if raw = members[key]; raw == nil {
			return nil, fmt.Errorf("it has no %s", strings.Join(path[:i+1], "."))
		}
	}
	return raw, nil
}

// spread puts the members of one that is an object in its place, with a prefix
// to their keys.
func spread(members []entry, key, prefix string) ([]entry, error) {
	var out []entry
	for _, e := range members {
		raw, isObject := e.value.(json.RawMessage)
		if e.key != key || !isObject {
			out = append(out, e)
			continue
		}
		inner, err := readObject(raw)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", key, err)
		}
		for _, x := range inner {
			x.key = prefix + x.key
			x.line += max(e.line-1, 0)
			out = append(out, x)
		}
	}
	return out, nil
}

// decoded returns what raw JSON holds; other values are returned as they are.
func decoded(v any) any {
	raw, ok := v.(json.RawMessage)
	if !ok {
		return v
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var out any
	if d.Decode(&out) != nil {
		return nil
	}
	return out
}

// objectOf is entries as a JSON object, in their order.
func objectOf(members []entry) json.RawMessage {
	return json.RawMessage(strings.TrimSpace(writeObject(members)))
}

// writeObject writes entries as a JSON object, one member a line.
func writeObject(values []entry) string {
	var b strings.Builder
	b.WriteString("{")
	for i, e := range values {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, "\n  %s: %s", plainJSON(e.key), plainJSON(e.value))
	}
	b.WriteString("\n}\n")
	return b.String()
}

// plainJSON is v as JSON without escapes that nobody needs.
func plainJSON(v any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return "null"
	}
	return strings.TrimSpace(b.String())
}

// splitWords splits a command line as a shell does: quotes, backslashes,
// continued lines and comments. Every word has the line it began on.
func splitWords(text string) ([]entry, error) {
	var out []entry
	var word strings.Builder
	in, line, began := false, 1, 1
	quote := byte(0)
	flush := func() {
		if in {
			out = append(out, entry{key: word.String(), line: began})
			word.Reset()
			in = false
		}
	}
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c == '\n' {
			line++
		}
		if !in {
			began = line
		}
		switch {
		case quote != 0 && c == quote:
			quote = 0
		case quote == '\'' || quote != 0 && c != '\\':
			word.WriteByte(c)
		case c == '\\' && i+1 < len(text):
			i++
			if text[i] == '\n' {
				line++
				continue
			}
			if quote == '"' && !strings.ContainsRune("\"\\$`", rune(text[i])) {
				word.WriteByte('\\')
			}
			in = true
			word.WriteByte(text[i])
		case c == '\'' || c == '"':
			quote, in = c, true
		case c == '#' && !in:
			for i+1 < len(text) && text[i+1] != '\n' {
				i++
			}
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			flush()
		default:
			in = true
			word.WriteByte(c)
		}
	}
	if quote != 0 {
		return nil, fmt.Errorf("line %d: the quote %c is never closed", began, quote)
	}
	flush()
	return out, nil
}

// shellWord writes a word so that a shell reads it back.
func shellWord(s string) string {
	if s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./:=+,@%", r))
	}) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
