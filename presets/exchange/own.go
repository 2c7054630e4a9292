package exchange

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"logitscope/presets/exchange/carrier"
	"logitscope/sampling"
	"logitscope/sampling/param"
)

// own is this program's format: a flat object of parameters, or a preset.
var own = Format{Name: "logitscope", About: "this program's own settings and presets", Engine: "transformers", fields: ownFields()}

func ownFields() []field {
	var keys []string
	for _, p := range param.All() {
		keys = append(keys, p.Key)
	}
	fields := same(keys...)
	for i := range fields {
		switch fields[i].ours {
		case "constraint":
			fields[i].in, fields[i].out = ownConstraintIn, ownConstraintOut
		case "logit_bias":
			fields[i].in, fields[i].out = pairsIn, ownBias
		}
	}
	return fields
}

// ownField returns the field of a parameter that was registered after the
// table was made; nil if there is none.
func ownField(ours string) *field {
	if p, ok := param.Lookup(ours); ok {
		return &same(p.Key)[0]
	}
	return nil
}

// ownConstraintIn reads a constraint as written: the order of a schema's keys
// counts.
func ownConstraintIn(v any) (any, error) {
	if o, ok := v.(carrier.Object); ok {
		return carrier.PlainJSON(o), nil
	}
	return v, nil
}

func ownConstraintOut(v any) (any, error) {
	if s := v.(string); json.Valid([]byte(s)) && strings.HasPrefix(strings.TrimSpace(s), "{") {
		return json.RawMessage(s), nil
	}
	return v, nil
}

// ownBias writes biases so that every one of them is read back.
func ownBias(v any) (any, error) {
	b, err := json.Marshal(sampling.Config{}.MustWith("logit_bias", v, sampling.FromFile))
	if err != nil {
		return nil, err
	}
	var out struct {
		Bias json.RawMessage `json:"logit_bias"`
	}
	err = json.Unmarshal(b, &out)
	return out.Bias, err
}

// ownSource reads a preset or a flat object. It is strict: a key nobody knows
// is an error here, since nobody else wrote the file.
func ownSource(members carrier.Object) (*source, error) {
	if i := slices.IndexFunc(members, func(e carrier.Entry) bool { return e.Key == "config" }); i >= 0 {
		inner, ok := members[i].Value.(carrier.Object)
		if !ok {
			return nil, fmt.Errorf("line %d: config: must be an object of parameters", members[i].Line)
		}
		members = inner
	}
	given := map[string]bool{}
	for _, e := range members {
		if own.field(e.Key) == nil {
			_, err := sampling.Config{}.With(e.Key, 0, sampling.FromFile)
			return nil, fmt.Errorf("line %d: %w", e.Line, err)
		}
		if given[e.Key] {
			return nil, fmt.Errorf("line %d: %s is given twice", e.Line, e.Key)
		}
		given[e.Key] = true
	}
	return &source{format: &own, entries: members}, nil
}

// ggufKeys are the sampling settings that a GGUF file may recommend. They are
// read only.
var ggufKeys = Format{
	Name: "gguf", About: "general.sampling.* of a model file", Engine: "llama.cpp", recommends: true,
	fields: []field{
		{theirs: "general.sampling.sequence", ours: "order", in: samplersIn},
		{theirs: "general.sampling.temp", ours: "temperature"},
		{theirs: "general.sampling.top_k", ours: "top_k", in: offBelowZero},
		{theirs: "general.sampling.top_p", ours: "top_p"},
		{theirs: "general.sampling.min_p", ours: "min_p"},
		{theirs: "general.sampling.xtc_probability", ours: "xtc_probability"},
		{theirs: "general.sampling.xtc_threshold", ours: "xtc_threshold"},
		{theirs: "general.sampling.penalty_last_n", ours: "repeat_last_n", in: offBelowZero},
		{theirs: "general.sampling.penalty_repeat", ours: "repetition_penalty"},
		{theirs: "general.sampling.mirostat", ours: "mirostat"},
		{theirs: "general.sampling.mirostat_tau", ours: "mirostat_tau"},
		{theirs: "general.sampling.mirostat_eta", ours: "mirostat_eta"},
	},
}
