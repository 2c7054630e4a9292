package exchange

import (
	"slices"
	"strings"
	"testing"

	"logitscope/sampling"
)

// Constraints whose meaning is the same in both words, and none that is not
// among the losses.
func TestExportConstraint(t *testing.T) {
	const any = `{"type":["object","array","string","number","boolean","null"]}`
	for _, tt := range []struct{ constraint, to, want string }{
		{`json`, "vllm", `"structured_outputs": {"json":` + any + `}`},
		{`{"type":"json","object":true}`, "vllm", `"structured_outputs": {"json_object":true}`},
		{`json`, "llama-server", `"json_schema": ` + any},
		{`{"type":"json","object":true}`, "llama-server", `"json_schema": {"type":"object"}`},
		{`{"type":"json_schema","schema":{}}`, "llama-server", `"json_schema": ` + any}, // {} is an object there
		{`{"type":"json_schema","schema":{ }}`, "llama.cpp", `--json-schema '` + any + `'`},
		{`{"type":"json","object":true}`, "openai", `"response_format": {"type":"json_object"}`},
		{`{"type":"json_schema","schema":{"properties":{}},"closed":true}`, "llama-server", `"json_schema": {"properties":{}}`},
		{`{"type":"json_schema","schema":{"properties":{},"additionalProperties":true}}`, "llama-server", `"json_schema": {"properties":{},"additionalProperties":true}`},
		{`{"type":"choice","choices":["a","b"]}`, "vllm", `"structured_outputs": {"choice":["a","b"]}`},
	} {
		f, _ := TargetNamed(tt.to)
		x, err := Export(sampling.Config{}.MustWith("constraint", tt.constraint, sampling.FromFile), f)
		lost := slices.ContainsFunc(x.Lost, func(l Loss) bool { return l.Key == "constraint" })
		if err != nil || lost || !strings.Contains(strings.ReplaceAll(x.Text, "\\\n", ""), tt.want) {
			t.Errorf("%s to %s: %v\n%s%v, want %s", tt.constraint, tt.to, err, x.Text, x.Lost, tt.want)
		}
	}
}

// What a file says about a constraint is read as its engine reads it, or named.
func TestImportConstraint(t *testing.T) {
	const object = `{"object":true,"type":"json"}`
	for _, tt := range []struct{ text, from, want, said string }{
		{`{"format":"json"}`, "ollama", object, ""},
		{`{"format":{}}`, "ollama", object, ""},
		{`{"format":{"type":"string"}}`, "ollama", `{"schema":{"type":"string"},"type":"json_schema"}`, ""},
		{`{"format":"yaml"}`, "ollama", "", `line 1: format = "yaml": must be "json" or a JSON Schema`},
		{`{"json_schema":{}}`, "llama-server", object, ""},
		{`{"json_schema":{"items":[{"properties":{"a":{}}}]}}`, "llama-server", `{"closed":true,"schema":{"items":[{"properties":{"a":{}}}]},"type":"json_schema"}`, ""},
		{`{"json_schema":{"properties":{},"additionalProperties":true}}`, "llama-server", `{"schema":{"properties":{},"additionalProperties":true},"type":"json_schema"}`, ""},
		{`llama-cli -j '{'`, "llama.cpp", "", "line 1: -j = {: not valid JSON"},
		{`llama-cli -j '{}'`, "llama.cpp", object, ""},
		{`{"structured_outputs":{"json":{}}}`, "vllm", `{"schema":{},"type":"json_schema"}`, ""},
		{`{"structured_outputs":{"json_object":true}}`, "vllm", object, ""},
		{`{"structured_outputs":{"json_object":false}}`, "vllm", "", ""},
		{"{\"structured_outputs\":{\"regex\":\"a\",\n\"disable_any_whitespace\":true}}", "vllm", `{"regex":"a","type":"regex"}`, "structured_outputs.disable_any_whitespace (line 2)"},
		{`{"structured_outputs":{"structural_tag":"{}"}}`, "vllm", "", "structured_outputs.structural_tag (line 1)"},
		{`{"structured_outputs":"a"}`, "vllm", "", `line 1: structured_outputs = "a": must be an object`},
		{"{\"structured_outputs\":{\"regex\":\"a\"},\n\"guided_choice\":[\"b\"]}", "vllm", `{"choices":["b"],"type":"choice"}`,
			"guided_choice (line 2) takes the place of f:1: structured_outputs.regex"},
		{`{"guided_regex":5}`, "vllm", "", "line 1: guided_regex = 5: must be a text"},
		{`{"guided_grammar":["a"]}`, "vllm", "", `line 1: guided_grammar = ["a"]: must be a text`},
		{`{"guided_choice":"a"}`, "vllm", "", `line 1: guided_choice = "a": must be a list of texts`},
		{`{"guided_choice":["a",1]}`, "vllm", "", `line 1: guided_choice = ["a",1]: must be a list of texts`},
		{`{"guided_json":5}`, "vllm", "", "line 1: guided_json = 5: a JSON Schema must be an object"},
		{`{"guided_json":"[]"}`, "vllm", "", `line 1: guided_json = "[]": a JSON Schema must be an object`},
		{`{"guided_json":"true"}`, "vllm", `{"schema":true,"type":"json_schema"}`, ""},
		{`{"guided_regex":null,"guided_choice":["b"]}`, "vllm", `{"choices":["b"],"type":"choice"}`, ""},
		{`SamplingParams(structured_outputs=StructuredOutputsParams(json={"properties": {"z": {}, "a": {}}}))`, "vllm", `{"schema":{"properties":{"z":{},"a":{}}},"type":"json_schema"}`, ""},
		{`{"response_format":{"type":"json_schema"}}`, "openai", "", `line 1: response_format = {"type":"json_schema"}: it has no schema`},
		{`{"response_format":{"type":"json_schema","json_schema":{"name":"x"}}}`, "openai", "", `line 1: response_format = {"type":"json_schema","json_schema":{"name":"x"}}: it has no schema`},
		{`{"response_format":{"type":"json_schema","json_schema":1}}`, "openai", "", `line 1: response_format = {"type":"json_schema","json_schema":1}: it has no schema`},
		{`{"response_format":{"type":1}}`, "openai", "", `line 1: response_format = {"type":1}: type 1; must be text, json_object or json_schema`},
		{`{"response_format":{"type":"json_object"}}`, "openai", object, ""},
	} {
		f, _ := FormatNamed(tt.from)
		in, err := Import([]byte(tt.text), "f", Options{From: f})
		said := in.Notes
		for _, u := range in.Unread {
			said = append(said, u.String())
		}
		for _, k := range append(in.Unknown, in.Acts...) {
			said = append(said, k.String())
		}
		if err != nil {
			t.Errorf("%s: %v", tt.text, err)
		}
		if got := in.Config.Text("constraint"); got != tt.want || strings.Join(said, "\n") != tt.said {
			t.Errorf("%s:\n got %s and %q\nwant %s and %q", tt.text, got, said, tt.want, tt.said)
		}
	}
}
