package exchange

import (
	"fmt"
	"slices"
	"strings"

	"logitscope/presets/exchange/carrier"
	"logitscope/sampling"
	"logitscope/sampling/constrain"
	"logitscope/sampling/param"
)

// A Target is a form in which settings can be written for an engine.
type Target struct {
	Name    string  // as named on the command line: "vllm-python"
	About   string  // one line
	File    string  // what such a file is called
	Format  *Format // whose words they are
	Checked string  // the version of the engine that the writer was checked against

	limit  string                            // when a text ends there if no limit is given, where that is early
	fields []field                           // what can be said; nil: the format's own fields
	outs   map[string]func(any) (any, error) // by parameter, where a form writes it in another way than the format
	all    any                               // the value of repeat_last_n that means all tokens, nil if there is none
	write  func(values []carrier.Entry) string

	// greedy says in the target's own words that the best token is always
	// taken, for engines without do_sample.
	greedy func(c sampling.Config) sampling.Config
	// constraint writes a constraint, and says in which way the target means
	// less or more by it; nil if there is no place for one.
	constraint func(s constrain.Spec) (e carrier.Entry, lost string, err error)
}

// targets are all of them, in the order in which they are listed.
var targets = []*Target{
	{Name: "transformers", About: "generation_config.json of Hugging Face transformers", File: generationConfig, Format: &transformers, Checked: "docs of 5.8, main of 2026-08-19", limit: transformersEnd, write: carrier.WriteObject},
	{Name: "transformers-python", About: "GenerationConfig(…) of transformers", File: "generation.py", Format: &transformers, Checked: "docs of 5.8, main of 2026-08-19", limit: transformersEnd, write: writeCall("transformers", "GenerationConfig")},
	{Name: "vllm", About: "request JSON of a vLLM server", File: "request.json", Format: &vllm, Checked: "commit 00388f6573cc", limit: "completions end after 16 tokens", write: carrier.WriteObject, greedy: zeroTemperature, constraint: structuredObject},
	{Name: "vllm-python", About: "SamplingParams(…) of vLLM", File: "sampling.py", Format: &vllm, Checked: "commit 00388f6573cc", limit: "SamplingParams end after 16 tokens", write: writeCall("vllm", "SamplingParams"), greedy: zeroTemperature, constraint: structuredCall},
	{Name: "vllm-serve", About: "--override-generation-config of vllm serve", File: "serve.sh", Format: &vllm, Checked: "commit 00388f6573cc", fields: serveFields, write: writeServe, greedy: zeroTemperature},
	{Name: "sglang", About: "request JSON of SGLang", File: "request.json", Format: &sglang, Checked: "commit 00c17cafcb9e", limit: "a text ends after 128 tokens", write: writeSGLang, greedy: zeroTemperature, constraint: sglangConstraint},
	{Name: "llama.cpp", About: "command line of llama.cpp's programs", File: "llama.sh", Format: &llamaCPP, Checked: "commit 00dc8057ab28", write: writeFlags, greedy: zeroTemperature, constraint: schemaOrGrammar("--grammar", "--json-schema")},
	{Name: "llama-server", About: "request JSON of llama-server's /completion", File: "request.json", Format: &llamaServer, Checked: "commit 00dc8057ab28", write: carrier.WriteObject, greedy: zeroTemperature, constraint: schemaOrGrammar("grammar", "json_schema")},
	{Name: "llama-ini", About: "model preset of llama-server's router", File: "models.ini", Format: &llamaCPP, Checked: "commit 00dc8057ab28", write: writeINI, greedy: zeroTemperature, constraint: iniConstraint,
		outs: map[string]func(any) (any, error){"stop": iniStops, "logit_bias": iniBias, "dry_sequence_breakers": iniBreakers}},
	{Name: "ollama", About: "Modelfile of Ollama", File: "Modelfile", Format: &ollama, Checked: "v0.33.0-rc2", write: writeModelfile, greedy: zeroTemperature},
	{Name: "ollama-request", About: "request JSON of Ollama: options and format", File: "request.json", Format: &ollama, Checked: "v0.33.0-rc2", write: writeOllamaRequest, greedy: zeroTemperature, constraint: ollamaFormatOut,
		outs: map[string]func(any) (any, error){"stop": withoutEmpty}},
	{Name: "openai", About: "chat request of OpenAI-compatible servers", File: "request.json", Format: &openai, Checked: "2026", write: carrier.WriteObject, greedy: zeroTemperature, constraint: responseFormatOut},
	{Name: "lmstudio", About: "preset of LM Studio", File: "logitscope.preset.json", Format: &lmStudio, Checked: "2026", write: writeLMStudio, greedy: zeroTemperature, constraint: lmStructuredOut},
	{Name: "koboldcpp", About: "request JSON of koboldcpp", File: "request.json", Format: &koboldCPP, Checked: "2026", write: carrier.WriteObject, greedy: zeroTemperature, constraint: koboldConstraint},
	{Name: "textgen", About: "YAML preset of text-generation-webui", File: "preset.yaml", Format: &textgen, Checked: "2026", write: writeYAML, all: int64(0)},
	&ownTarget,
}

const transformersEnd = "generate() ends after 20 new tokens if the model's own file says nothing"

var ownTarget = Target{Name: "logitscope", About: "this program's own", File: "settings.json", Format: &own, write: carrier.WriteObject}

// Rules names the rules by which the target chooses a token, with the versions
// they are of where those differ: "llama.cpp's rules since 10 August 2026".
func (t *Target) Rules() string {
	s := t.Format.Engine + "'s rules"
	if o, err := sampling.ParseOrder(t.Format.Engine); err == nil && o.Rules().When != "" {
		s += " " + o.Rules().When
	}
	return s
}

// Targets returns the forms that settings can be written in.
func Targets() []*Target { return slices.Clone(targets) }

// TargetNames lists their names.
func TargetNames() []string {
	names := make([]string, len(targets))
	for i, t := range targets {
		names[i] = t.Name
	}
	return names
}

// TargetNamed returns the target of that name. The error lists the names there
// are.
func TargetNamed(name string) (*Target, error) {
	for _, t := range targets {
		if t.Name == name {
			return t, nil
		}
	}
	return nil, fmt.Errorf("%s: no such format; %s", name, strings.Join(TargetNames(), ", "))
}

// takes returns the field that carries one of our parameters, nil if the
// target has no word for it.
func (t *Target) takes(ours string) *field {
	fields := t.fields
	if fields == nil {
		fields = t.Format.fields
	}
	for i := range fields {
		if f := &fields[i]; f.ours == ours && !f.once {
			x := *f
			if out, ok := t.outs[ours]; ok {
				x.out = out
			}
			return &x
		}
	}
	if t == &ownTarget {
		return ownField(ours)
	}
	return nil
}

// assumes returns what the target takes for a parameter that is left out:
// its format's own assumption, else the default of its order.
func (t *Target) assumes(p *param.Param) any {
	if f := t.Format; f.implied != nil {
		for _, a := range f.implied(&source{format: f}) {
			if a.ours == p.Key {
				return a.value
			}
		}
	}
	return t.Format.order().Default(p)
}

// zeroTemperature says greedy as temperature 0.
func zeroTemperature(c sampling.Config) sampling.Config {
	return c.Without("do_sample").MustWith("temperature", 0.0, sampling.FromFile)
}

// structuredObject writes a constraint as a member of a request.
func structuredObject(s constrain.Spec) (carrier.Entry, string, error) {
	member, value, err := structuredOut(s)
	return carrier.Entry{Key: "structured_outputs", Value: carrier.Object{{Key: member, Value: value}}}, "", err
}

// structuredCall writes a constraint as Python's class for it.
func structuredCall(s constrain.Spec) (carrier.Entry, string, error) {
	member, value, err := structuredOut(s)
	return carrier.Entry{Key: "structured_outputs", Value: pyCallOf{"StructuredOutputsParams", carrier.Object{{Key: member, Value: value}}}}, "", err
}

// sglangConstraint writes a constraint under SGLang's keys. A schema is a text
// there.
func sglangConstraint(s constrain.Spec) (carrier.Entry, string, error) {
	switch s.Type {
	case "json", "json_schema":
		return carrier.Entry{Key: "json_schema", Value: string(schemaOf(s))}, "", nil
	case "regex":
		return carrier.Entry{Key: "regex", Value: s.Regex}, "", nil
	case "grammar":
		return carrier.Entry{Key: "ebnf", Value: s.Grammar}, "it reads EBNF, which is near GBNF and not the same", nil
	}
	return carrier.Entry{}, "", fmt.Errorf("SGLang takes a schema, a regex or a grammar, not %s", s.Type)
}

// koboldConstraint writes a grammar, all that a request has a place for.
func koboldConstraint(s constrain.Spec) (carrier.Entry, string, error) {
	if s.Type != "grammar" {
		return carrier.Entry{}, "", fmt.Errorf("it takes a GBNF grammar, not %s", s.Type)
	}
	return carrier.Entry{Key: "grammar", Value: s.Grammar}, "", nil
}
