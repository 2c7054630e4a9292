package request

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"strings"
	"testing"
)

// near reports whether got has all that want has, to a relative error.
func near(got, want any, rel float64) bool {
	switch want := want.(type) {
	case float64:
		g, ok := got.(float64)
		return ok && math.Abs(g-want) <= max(rel*max(math.Abs(g), math.Abs(want)), 1e-12)
	case []any:
		g, ok := got.([]any)
		for i := range want {
			ok = ok && len(g) == len(want) && near(g[i], want[i], rel)
		}
		return ok
	case map[string]any:
		g, ok := got.(map[string]any)
		for k := range want {
			ok = ok && near(g[k], want[k], rel)
		}
		return ok
	}
	return got == want
}

// The cases were computed with scipy, and Newcombe's method from the paper.
func TestGolden(t *testing.T) {
	data, err := os.ReadFile("testdata/stats.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for line := range bytes.Lines(data) {
		var c struct {
			ID, Kind string
			Input    json.RawMessage
			Expected any
		}
		if err := json.Unmarshal(line, &c); err != nil {
			t.Fatal(err)
		}
		seen[c.Kind] = true
		r, err := Compute(c.Kind, c.Input)
		if err != nil {
			t.Errorf("%s: %v", c.ID, err)
			continue
		}
		var got any
		if err := json.Unmarshal(r, &got); err != nil {
			t.Fatal(err)
		}
		rel := 1e-9
		if c.Kind == "bradley_terry" {
			rel = 1e-6
		}
		if !near(got, c.Expected, rel) {
			t.Errorf("%s: %s, want %v", c.ID, r, c.Expected)
		}
	}
	for _, k := range Kinds() {
		if !seen[k] {
			t.Errorf("no case of %s", k)
		}
	}
}

// Of 200 values a bench takes the normal law; who asks for t gets t.
func TestMeanIsOfT(t *testing.T) {
	r, err := Compute("t_mean", json.RawMessage(`{"values":[`+strings.Repeat("0,1,", 99)+`0,1]}`))
	half := 1.97195654425175383 * math.Sqrt(0.25/199)
	var got any
	if err != nil || json.Unmarshal(r, &got) != nil || !near(got, map[string]any{"estimate": 0.5, "low": 0.5 - half, "high": 0.5 + half}, 1e-9) {
		t.Errorf("%s, %v; want half a width of %g", r, err, half)
	}
}

func TestWrongInput(t *testing.T) {
	for _, tt := range []struct{ kind, input, want string }{
		{"wilsn", `{}`, "bradley_terry"},
		{"wilson", ``, "object"},
		{"wilson", `null`, "object"},
		{"wilson", `{"n":5}`, "k: missing"},
		{"wilson", `{"k":null,"n":5}`, "k: missing"},
		{"wilson", `{"k":6,"n":5}`, "k: must be a whole number from 0 to 5"},
		{"wilson", `{"k":-1,"n":5}`, "k: must be"},
		{"wilson", `{"k":1.5,"n":5}`, "k: must be"},
		{"wilson", `{"k":0,"n":0}`, "n: must be"},
		{"wilson", `{"k":0,"n":1e300}`, "n: must be"},
		{"wilson", `{"k":"1","n":5}`, "k: "},
		{"wilson", `{"k":1,"n":5,"m":2}`, `unknown field "m"`},
		{"t_mean", `{"values":[1]}`, "values: must hold 2"},
		{"t_mean", `{"values":[1,null]}`, "values: null"},
		{"t_mean", `{"values":[1,1e999]}`, "values: "},
		{"clustered_share", `{"prompts":[]}`, "prompts: "},
		{"clustered_share", `{"prompts":[[1],[]]}`, "prompt 2 has no texts"},
		{"clustered_share", `{"prompts":[[1,2]]}`, "prompts: 2"},
		{"paired_share", `{"both":0,"only_a":0,"only_b":0,"neither":0}`, "one prompt or more"},
		{"paired_share", `{"both":1,"only_a":0,"only_b":0}`, "neither: missing"},
		{"paired_mean", `{"a":[1,2],"b":[1,2,3]}`, "2 and 3"},
		{"pass_at_k", `{"n":5,"correct":1,"k":6}`, "k: must be a whole number from 1 to 5"},
		{"pass_at_k", `{"n":5,"correct":1,"k":0}`, "k: must be"},
		{"holm", `{"p":[]}`, "p: must hold 1"},
		{"holm", `{"p":[1.5]}`, "p: 1.5: must be 0 to 1"},
		{"bradley_terry", `{"wins":{}}`, "two or more"},
		{"bradley_terry", `{"wins":[[0,1],[1,0]]}`, "wins: must be an object of counts, by A>B"},
		{"t_mean", `{"values":[1,"x"]}`, "values: must be a list of numbers"},
		{"t_mean", `{"values":3}`, "values: must be a list of numbers"},
		{"wilson", `{"k":"1","n":2}`, "k: must be a number"},
		{"clustered_share", `{"prompts":[1]}`, "prompts: must be a list of lists of 0 and 1"},
		{"distinct", `{"texts":[["a"]],"vocab":3}`, "texts: must be a list of lists of token ids"},
		{"distinct", `{"texts":[[null]],"vocab":3}`, "texts: null: must be token ids"},
		{"majority", `{"answers":[1]}`, "answers: must be a list of texts"},
		{"bradley_terry", `{"wins":{"A>A":1}}`, "different names"},
		{"bradley_terry", `{"wins":{"AB":1}}`, "different names"},
		{"bradley_terry", `{"wins":{"A>B":-1}}`, "whole number"},
		{"bradley_terry", `{"wins":{"A>B":null}}`, "whole number"},
		{"bradley_terry", `{"wins":{"A>B":5,"B>A":0}}`, "no finite strengths"},
		{"bradley_terry", `{"wins":{"A>B":5,"B>A":1,"C>D":1,"D>C":1}}`, "no finite strengths"},
		{"prompts_needed", `{"sd_of_differences":0.4,"difference":0}`, "difference: must not be 0"},
		{"prompts_needed", `{"sd_of_differences":-1,"difference":0.1}`, "sd_of_differences: "},
		{"prompts_needed", `{"sd_of_differences":1,"difference":0.1,"power":1}`, "power: "},
		{"distinct", `{"texts":[[9]],"vocab":9}`, "token 9: must be 0 to 8"},
		{"distinct", `{"texts":[],"vocab":9}`, "texts: "},
		{"majority", `{"answers":[]}`, "answers: "},
		{"majority", `{"answers":[4]}`, "answers: "},
	} {
		r, err := Compute(tt.kind, json.RawMessage(tt.input))
		if err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s %s: %s, %v; want an error with %q", tt.kind, tt.input, r, err, tt.want)
		}
	}
}

func FuzzCompute(f *testing.F) {
	f.Add("wilson", `{"k":1,"n":2}`)
	f.Add("bradley_terry", `{"wins":{"A>B":1,"B>A":2}}`)
	f.Add("distinct", `{"texts":[[1,2],[]],"vocab":9}`)
	f.Fuzz(func(t *testing.T, kind, input string) {
		r, err := Compute(kind, json.RawMessage(input))
		if err == nil && !json.Valid(r) {
			t.Errorf("%s is not JSON", r)
		}
	})
}
