package param_test

import (
	"reflect"
	"testing"

	"logitscope/sampling/param"
	"logitscope/sampling/value"
)

func TestFormatAndNudge(t *testing.T) {
	for _, c := range []struct {
		key  string
		v    any
		want string
	}{
		{"temperature", 0.7, "0.70"}, {"temperature", 1.0, "1.00"}, {"temperature", 0.123456, "0.123456"},
		{"top_k", int64(50), "50"}, {"top_k", int64(0), "off"}, {"top_p", 0.9, "0.90"},
		{"repetition_penalty", 1.05, "1.05"}, {"do_sample", true, "true"}, {"stop", []string{"\n"}, `"\n"`},
		{"epsilon_cutoff", 0.0003, "0.0003"}, {"mirostat", int64(2), "2"}, {"seed", uint64(42), "42"},
		{"logit_bias", []value.TokenBias{{Tokens: []int32{3}, Bias: 2}}, "3 2"},
	} {
		p, _ := param.Lookup(c.key)
		if got := p.Format(c.v); got != c.want {
			t.Errorf("%s %v shows as %q, want %q", c.key, c.v, got, c.want)
		}
	}
	nudge := func(key string, v any, steps int, want any) {
		t.Helper()
		p, _ := param.Lookup(key)
		if got := p.Nudge(v, steps); got != want {
			t.Errorf("%s %v by %d is %v, want %v", key, v, steps, got, want)
		}
	}
	nudge("temperature", 0.7, 1, 0.75)
	nudge("temperature", 0.7, -2, 0.6)
	nudge("temperature", 2.0, 1, 2.0)
	nudge("temperature", 0.05, -3, 0.0)
	nudge("top_p", 1.0, -1, 0.99)
	nudge("top_k", int64(0), 1, int64(1))
	nudge("top_k", int64(50), 1, int64(55))
	nudge("mirostat", int64(0), 5, int64(2))
	nudge("do_sample", true, 1, false)
	nudge("early_stopping", "false", 1, "true")
	nudge("seed", uint64(0), -1, uint64(0))
	// A slider reaches both of its ends from anywhere.
	for i := range param.All() {
		p := &param.All()[i]
		if p.Step == 0 {
			continue
		}
		v := p.Default
		for range 2000 {
			v = p.Nudge(v, 1)
		}
		top := v
		for range 2000 {
			v = p.Nudge(v, -1)
		}
		if number(top) != p.Hi || number(v) != p.Lo {
			t.Errorf("%s: slider ends at %v and %v, want %v and %v", p.Key, v, top, p.Lo, p.Hi)
		}
	}
}

func number(v any) float64 {
	switch v := v.(type) {
	case int64:
		return float64(v)
	case float64:
		return v
	}
	return -1e9
}

// A list is all that a text holds.
func TestParseReadsTheWholeText(t *testing.T) {
	p, _ := param.Lookup("stop")
	for _, bad := range []string{`["a"]x`, `["a"]]`, `["a"] ["b"]`, `["a"`} {
		if v, err := p.Parse(bad); err == nil {
			t.Errorf("%s is read as %v", bad, v)
		}
	}
	if v, err := p.Parse(` ["a"] `); err != nil || len(v.([]string)) != 1 {
		t.Errorf("%v, %v", v, err)
	}
}

// A decimal comma is refused with the number as it must be written.
func TestDecimalComma(t *testing.T) {
	for _, c := range []struct{ key, in, want string }{
		{"temperature", "0,7", "temperature: want a number, 0 to 100; the decimal point is a dot: 0.7"},
		{"temperature", " 1,25 ", "temperature: want a number, 0 to 100; the decimal point is a dot: 1.25"},
		{"temperature", "500,5", "temperature: want a number, 0 to 100"},
		{"temperature", "0,7,1", "temperature: want a number, 0 to 100"},
		{"temperature", "a,b", "temperature: want a number, 0 to 100"},
		{"temperature", ",", "temperature: want a number, 0 to 100"},
		{"top_k", "1,5", "top_k: want a whole number, 0 to 2147483647"},
	} {
		p, _ := param.Lookup(c.key)
		if v, err := p.Parse(c.in); err == nil || err.Error() != c.want {
			t.Errorf("%s %q: %v, %v, want %s", c.key, c.in, v, err, c.want)
		}
	}
}

func TestParseTokens(t *testing.T) {
	type biases = []value.TokenBias
	for _, c := range []struct {
		key, in string
		want    any // nil: refused
	}{
		{"logit_bias", "␣old=2", biases{{Text: " old", Bias: 2}}},
		{"logit_bias", " old=2", biases{{Text: " old", Bias: 2}}},
		{"logit_bias", `" old"=2`, biases{{Text: " old", Bias: 2}}},
		{"logit_bias", `"␣"=2`, biases{{Text: "␣", Bias: 2}}},
		{"logit_bias", `{" old": 2}`, biases{{Text: " old", Bias: 2}}},
		{"logit_bias", `old=2, 17:-1,",": 3,a=b=4`, biases{{Text: "old", Bias: 2}, {Tokens: []int32{17}, Bias: -1}, {Text: ",", Bias: 3}, {Text: "a=b", Bias: 4}}},
		{"logit_bias", "↵=-2,a␣b=1", biases{{Text: "\n", Bias: -2}, {Text: "a b", Bias: 1}}},
		{"logit_bias", `"=5`, biases{{Text: `"`, Bias: 5}}},
		{"logit_bias", "", biases{}},
		{"logit_bias", "old", nil},
		{"logit_bias", "=2", nil},
		{"logit_bias", "old=2,", nil},
		{"bad_words", "␣old,new", []string{" old", "new"}},
		{"bad_words", ` old,a\,b`, []string{" old", "a,b"}},
		{"bad_words", `" old", "a, b"`, []string{" old", "a, b"}},
		{"bad_words", `["␣old"]`, []string{"␣old"}},
		{"dry_sequence_breakers", `↵,:,",*`, []string{"\n", ":", `"`, "*"}},
	} {
		p, _ := param.Lookup(c.key)
		got, err := p.Parse(c.in)
		if c.want == nil && err == nil || c.want != nil && (err != nil || !reflect.DeepEqual(got, c.want)) {
			t.Errorf("%s %q is %#v, %v; want %#v", c.key, c.in, got, err, c.want)
		}
	}
}
