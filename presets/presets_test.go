package presets

import (
	"bytes"
	"slices"
	"strings"
	"testing"
)

// The presets are what their names promise, to the letter.
func TestBuiltin(t *testing.T) {
	want := map[string]map[string]any{
		"factual":  {"max_new_tokens": int64(512), "temperature": 0.1, "top_p": 0.9, "repetition_penalty": 1.1, "do_sample": true},
		"chat":     {"max_new_tokens": int64(1024), "temperature": 0.7, "top_p": 0.9, "top_k": int64(50), "repetition_penalty": 1.05, "do_sample": true},
		"creative": {"max_new_tokens": int64(2048), "temperature": 0.9, "top_p": 0.95, "repetition_penalty": 1.15, "do_sample": true},
	}
	var names []string
	for _, p := range Builtin() {
		names = append(names, p.Name)
		if p.About == "" {
			t.Errorf("%s says nothing about itself", p.Name)
		}
		if err := p.Config.Validate(); err != nil {
			t.Errorf("%s: %v", p.Name, err)
		}
		w, exact := want[p.Name]
		if !exact {
			continue
		}
		if len(p.Config.Keys()) != len(w) {
			t.Errorf("%s sets %v", p.Name, p.Config.Keys())
		}
		for k, v := range w {
			if got := p.Config.Value(k); got != v {
				t.Errorf("%s: %s is %v, want %v", p.Name, k, got, v)
			}
		}
		// Read as transformers reads them, the absent top_k is 50.
		if k := p.Config.Int("top_k"); k != 50 {
			t.Errorf("%s: top_k is %d in force, want 50", p.Name, k)
		}
	}
	if !slices.Equal(names, []string{"factual", "chat", "creative", "neutral", "greedy"}) {
		t.Errorf("presets %v", names)
	}
}

func TestEncodeDecode(t *testing.T) {
	for _, p := range Builtin() {
		var b bytes.Buffer
		if err := Encode(&b, p); err != nil {
			t.Fatal(err)
		}
		got, err := Decode(&b, "x")
		if err != nil || got.Name != p.Name || got.About != p.About || !got.Config.Equal(p.Config) {
			t.Errorf("%s: %v", p.Name, err)
		}
	}
}

func TestDecodeErrors(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{`{"name":"a","config":{"temperature":-1}}`, "x.json:1: temperature: -1 is out of range"},
		{"{\"name\":\"a\",\n\"config\":{\n\"tempreature\":1}}", "x.json:3: no parameter \"tempreature\""},
		{`{"name":"a","colour":"red","config":{}}`, "colour"},
		{`{"config":{}}`, "name is missing"},
		{`[]`, "x.json:1: want an object, not array; a preset has name, about and config"},
		{"{\"name\":\"a\",\n\"config\":5}", `x.json:2: config: an object of parameters such as {"temperature": 0.7}`},
		{`{"name":"a","config":null}`, `config: an object of parameters such as`},
		{`{"name":"a"}`, "x.json: config is missing"},
		{`{"name":5}`, "x.json:1: name: want a text, not number; a preset has"},
		{`{"name":"a","config":{"top_k":1.5}}`, "top_k: want a whole number"},
	} {
		_, err := Decode(strings.NewReader(tt.text), "x.json")
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.text, err, tt.want)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"name":"a","about":"b","config":{"temperature":0.5,"stop":["x"]}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := Decode(bytes.NewReader(data), "x")
		if err != nil {
			return
		}
		var b bytes.Buffer
		if err := Encode(&b, p); err != nil {
			t.Fatal(err)
		}
		q, err := Decode(&b, "x")
		if err != nil || !q.Config.Equal(p.Config) {
			t.Errorf("%v\n%s", err, b.String())
		}
	})
}
