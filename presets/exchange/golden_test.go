package exchange

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"logitscope/presets/exchange/carrier"
	"logitscope/sampling"
)

// lines decodes a file of one JSON object a line.
func lines[T any](t *testing.T, name string) []T {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var out []T
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	for d.More() {
		var v T
		if err := d.Decode(&v); err != nil {
			t.Fatal(err)
		}
		out = append(out, v)
	}
	return out
}

// A golden is what reading a file must yield. The cases were written from the
// engines' documentation and source.
type golden struct {
	ID      string
	File    string
	Format  any
	Expect  map[string]json.RawMessage
	Also    []map[string]json.RawMessage
	Fragile any
}

func TestGoldenImport(t *testing.T) {
	for _, c := range lines[golden](t, "testdata/golden/cases.jsonl") {
		data, err := os.ReadFile(filepath.Join("testdata/golden", c.File))
		if err != nil {
			t.Fatal(err)
		}
		in, err := Import(data, c.File, Options{})
		if err != nil {
			t.Errorf("%s: %v", c.ID, err)
			continue
		}
		got := reportFields(t, in.Report())
		if formats, ok := c.Format.([]any); ok && !slices.Contains(formats, any(in.Format.Name)) || !ok && c.Format != in.Format.Name {
			t.Errorf("%s: format %s, want %v", c.ID, in.Format.Name, c.Format)
		}
		wants := []map[string]json.RawMessage{c.Expect}
		for _, over := range c.Also {
			want := map[string]json.RawMessage{}
			for k, v := range c.Expect {
				want[k] = v
			}
			for k, v := range over {
				want[k] = v
			}
			wants = append(wants, want)
		}
		var said []string
		for _, want := range wants {
			want = promote(t, want, got)
			if said = differ(want, got, c.Fragile); len(said) == 0 {
				break
			}
		}
		if len(said) > 0 {
			t.Errorf("%s: %s", c.ID, strings.Join(said, "; "))
		}
	}
}

// promoted are keys that were no parameter when the cases were written, and
// the parameters that they have become.
var promoted = map[string][]string{
	"top_a": {"top_a"}, "tfs": {"tfs_z"}, "smoothing_factor": {"smoothing_factor"}, "smoothing_curve": {"smoothing_curve"}, "skew": {"skew"},
	"guidance_scale": {"guidance_scale"}, "banned_tokens": {"banned_phrases"}, "repetition_detection": {"repetition_detection"}, "thinking_token_budget": {"thinking_budget"}, "reasoning-budget": {"thinking_budget"},
	"llama_arg_think_budget": {"thinking_budget"}, "watermarking_config": {"watermarking_config"},
}

// promote returns what is wanted where keys have become parameters: they stand
// in the config, whose order has their stages, and not among those that act.
func promote(t *testing.T, want, got map[string]json.RawMessage) map[string]json.RawMessage {
	var have, config map[string]any
	var acts []string
	if json.Unmarshal(got["config"], &have) != nil || json.Unmarshal(want["config"], &config) != nil || json.Unmarshal(want["acts_not_modelled"], &acts) != nil {
		t.Fatal("no config")
	}
	out := maps.Clone(want)
	for theirs, ours := range promoted {
		_, is := have[ours[0]]
		i := slices.IndexFunc(acts, func(k string) bool {
			return strings.ToLower(strings.TrimLeft(k[strings.LastIndexByte(k, '.')+1:], "-")) == theirs
		})
		if !is || i < 0 {
			continue
		}
		acts = slices.Delete(acts, i, i+1)
		for _, key := range ours {
			if v, is := have[key]; is {
				config[key] = v
			}
		}
		if d := sampling.StageNamed(ours[0]); d != nil && !strings.Contains(string(got["order"]), d.Name) {
			t.Errorf("%s is set and the order is %s", ours, got["order"])
		}
		out["order"] = got["order"]
	}
	out["config"], out["acts_not_modelled"] = marshal(t, config), marshal(t, acts)
	return out
}

func marshal(t *testing.T, v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// reportFields are the fields of a report as JSON.
func reportFields(t *testing.T, r Report) map[string]json.RawMessage {
	b, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var out map[string]json.RawMessage
	if err := json.Unmarshal(b, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// differ compares the fields of two reports. Those named fragile may differ:
// readers of other programs do.
func differ(want, got map[string]json.RawMessage, fragile any) (said []string) {
	if fragile == true {
		return nil
	}
	var weak []string
	list, _ := fragile.([]any)
	for _, f := range list {
		name, _, _ := strings.Cut(f.(string), ":")
		name, _, _ = strings.Cut(name, ".")
		weak = append(weak, name)
	}
	for _, field := range []string{"config", "order", "implied", "acts_not_modelled", "set_aside", "unknown", "unread", "suggest"} {
		if slices.Contains(weak, field) {
			continue
		}
		a, b := plain(field, want[field]), plain(field, got[field])
		if a != b {
			said = append(said, field+" is "+b+", want "+a)
		}
	}
	return said
}

// plain is a field in a form that compares: numbers by value, lists of keys in
// order, keys without dashes, paths and case.
func plain(field string, raw json.RawMessage) string {
	var v any
	if json.Unmarshal(raw, &v) != nil {
		return string(raw)
	}
	key := func(s string) string {
		s = strings.ToLower(strings.TrimLeft(s, "-"))
		if !strings.ContainsAny(s, "[*") && !strings.HasPrefix(s, "llm.") {
			s = s[strings.LastIndexByte(s, '.')+1:]
		}
		return s
	}
	switch field {
	case "acts_not_modelled", "set_aside", "unknown":
		var keys []string
		for _, k := range v.([]any) {
			keys = append(keys, key(k.(string)))
		}
		slices.Sort(keys)
		v = slices.Compact(keys)
	case "unread":
		var keys []string
		for _, u := range v.([]any) {
			m := u.(map[string]any)
			keys = append(keys, carrier.PlainJSON(m["line"])+" "+key(m["key"].(string)))
		}
		slices.Sort(keys)
		v = keys
	case "suggest":
		out := map[string]string{}
		for k, x := range v.(map[string]any) {
			out[key(k)] = key(x.(string))
		}
		v = out
	case "config", "implied":
		m := v.(map[string]any)
		for k, x := range m {
			switch {
			case k == "logit_bias":
				m[k] = biases(x)
			case k == "early_stopping":
				m[k] = strings.Trim(carrier.PlainJSON(x), `"`)
			}
		}
	case "order":
		s := v.(string)
		s = s[strings.IndexByte(s, ':')+1:]
		v = strings.ReplaceAll(s, "typ_p", "typical_p")
	}
	return carrier.PlainJSON(v)
}

func biases(v any) []string {
	var out []string
	for _, p := range v.([]any) {
		pair := p.([]any)
		if _, single := pair[0].(float64); single {
			pair[0] = []any{pair[0]}
		}
		out = append(out, carrier.PlainJSON(pair))
	}
	slices.Sort(out)
	return out
}

// Settings written for another engine lose what the cases say, and nothing
// else; what is written reads back as the settings.
func TestGoldenExport(t *testing.T) {
	type lost struct {
		Key    string
		Reason any
	}
	type export struct {
		ID      string
		Config  json.RawMessage
		To      string
		Lost    []lost
		Only    bool
		MayLose []string `json:"may_lose"`
		Fragile any
	}
	for _, c := range lines[export](t, "testdata/golden/exports.jsonl") {
		cfg, err := sampling.DecodeConfig(bytes.NewReader(c.Config), c.ID, sampling.FromFile)
		if err != nil {
			t.Errorf("%s: %v", c.ID, err)
			continue
		}
		x := exportTo(t, cfg, c.To)
		for _, want := range c.Lost {
			reasons, ok := want.Reason.([]any)
			if !ok {
				reasons = []any{want.Reason}
			}
			found := slices.ContainsFunc(x.Lost, func(l Loss) bool { return l.Key == want.Key && slices.Contains(reasons, any(string(l.Reason))) })
			if !found && c.Fragile == nil {
				t.Errorf("%s: lost lacks %s (%v); it has %v", c.ID, want.Key, want.Reason, x.Lost)
			}
		}
		for _, l := range x.Lost {
			wanted := slices.ContainsFunc(c.Lost, func(w lost) bool { return w.Key == l.Key }) || slices.Contains(c.MayLose, l.Key)
			if c.Only && l.Reason != Default && !wanted {
				t.Errorf("%s: lost has %v, which carries over", c.ID, l)
			}
		}
	}
}

// What Ollama's own parser makes of Modelfiles.
func TestGoldenModelfiles(t *testing.T) {
	type file struct {
		ID, File, Refused string
		Params            map[string]any
	}
	names := map[string]string{}
	for _, f := range ollama.fields {
		names[f.theirs] = f.ours
	}
	for _, c := range lines[file](t, "testdata/ollama/modelfiles.jsonl") {
		data, err := os.ReadFile(filepath.Join("testdata/ollama", c.File))
		if err != nil {
			t.Fatal(err)
		}
		in, err := Import(data, c.File, Options{From: &ollama})
		if err != nil {
			t.Errorf("%s: %v", c.ID, err)
			continue
		}
		if c.Refused != "" {
			if len(in.Unread)+len(in.Unknown)+len(in.Notes) == 0 {
				t.Errorf("%s: Ollama says %q, and nothing is said", c.ID, c.Refused)
			}
			continue
		}
		for key, want := range c.Params {
			ours := names[key]
			if f, ok := number(want); ours == "" || ok && f < 0 {
				continue
			}
			if got := in.Config.Value(ours); !near(got, want) {
				t.Errorf("%s: %s is %v, want %v", c.ID, ours, got, want)
			}
		}
	}
}

// near compares numbers as 32 bits hold them.
func near(a, b any) bool {
	x, ok := number(a)
	y, ok2 := number(b)
	if ok && ok2 {
		return x == y || float32(x) == float32(y) && max(x, y) < 1<<40
	}
	return carrier.SameValue(a, b)
}

// Stops that a Modelfile can hold are read back; the others are named.
func TestGoldenStops(t *testing.T) {
	type stop struct {
		ID, Stop string
		Writable bool
	}
	for _, c := range lines[stop](t, "testdata/ollama/stops.jsonl") {
		x := exportTo(t, configOf(t, "stop", []string{c.Stop}, "top_k", 3), "ollama")
		named := slices.ContainsFunc(x.Lost, func(l Loss) bool { return l.Key == "stop" })
		got := x.Config.Strings("stop")
		if c.Writable && !slices.Equal(got, []string{c.Stop}) || !c.Writable && (!named || len(got) > 0) {
			t.Errorf("%s: %q is read back as %q, named: %v\n%s", c.ID, c.Stop, got, named, x.Text)
		}
		if x.Config.Int("top_k") != 3 {
			t.Errorf("%s: top_k was swallowed\n%s", c.ID, x.Text)
		}
	}
}
