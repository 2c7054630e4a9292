package logprobs

import (
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"
)

// The parser reads what the library's reads, and what Python writes besides.
func TestParserAgainstTheLibrary(t *testing.T) {
	for _, s := range []string{
		`{}`, `[]`, ` [1, -2.5e3, "a\n\"\\\/\u00e9\ud83d\ude00", true, false, null, {"k": [{}]}] `,
		`{"a":{"b":[1,2,{"c":null}]},"d":"\b\f\r\t"}`, `0`, `"x"`, "[\n1,\r\n2]",
	} {
		v, err := whole(s)
		if err != nil {
			t.Errorf("%s: %v", s, err)
			continue
		}
		var want any
		if err := json.Unmarshal([]byte(s), &want); err != nil {
			t.Fatal(err)
		}
		if got := plain(&v); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v, want %v", s, got, want)
		}
	}
	for _, s := range []string{`{`, `[1,]`, `[1 2]`, `{"a" 1}`, `{a:1}`, `"x`, "\"a\nb\"", `"\x"`, `"\u12"`, `tru`, `-`, `[1]]`, strings.Repeat("[", 300)} {
		if _, err := whole(s); err == nil {
			t.Errorf("%s is taken for JSON", s)
		}
	}
	v, err := whole(`[NaN, Infinity, -Infinity, "\ud83d", "\ud83dx", 1e999]`)
	if err != nil || !math.IsNaN(v.items[0].num) || !math.IsInf(v.items[1].num, 1) || !math.IsInf(v.items[2].num, -1) ||
		v.items[3].str != "\uFFFD" || v.items[4].str != "\uFFFDx" || !math.IsNaN(v.items[5].num) {
		t.Errorf("%v, %+v", err, v.items)
	}
}

func plain(v *value) any {
	switch v.kind {
	case boolean:
		return v.yes
	case number:
		return v.num
	case text:
		return v.str
	case list:
		out := []any{}
		for i := range v.items {
			out = append(out, plain(&v.items[i]))
		}
		return out
	case object:
		out := map[string]any{}
		for i, k := range v.keys {
			out[k] = plain(&v.items[i])
		}
		return out
	}
	return nil
}

// What a token's numbers may be, in every shape that has a number there.
func TestNumbers(t *testing.T) {
	shapes := map[string]string{
		"chat":   `{"choices":[{"message":{"content":"a"},"logprobs":{"content":[{"token":"a","logprob":X}]}}]}`,
		"legacy": `{"choices":[{"text":"a","logprobs":{"tokens":["a"],"token_logprobs":[X]}}]}`,
		"sglang": `{"text":"a","meta_info":{"output_token_logprobs":[[X,1,"a"]]}}`,
		"llama":  `{"content":"a","stop":true,"completion_probabilities":[{"token":"a","logprob":X}]}`,
		"ollama": `{"response":"a","done":true,"logprobs":[{"token":"a","logprob":X}]}`,
		"tgi":    `{"generated_text":"a","details":{"tokens":[{"id":1,"text":"a","logprob":X}]}}`,
	}
	for name, shape := range shapes {
		for _, tt := range []struct {
			lit     string
			want    float64
			floor   bool
			clipped bool
			refused bool
		}{
			{lit: "-0.5", want: -0.5}, {lit: "0", want: 0}, {lit: "0.0009", want: 0, clipped: true}, {lit: "null", want: math.NaN()},
			{lit: "-9998.9", want: -9998.9}, {lit: "-9999", want: math.NaN(), floor: true}, {lit: "-3.4028234663852886e+38", want: math.NaN(), floor: true},
			{lit: "-Infinity", want: math.NaN(), floor: true}, {lit: "0.0011", refused: true}, {lit: "0.5", refused: true}, {lit: "NaN", refused: true},
			{lit: "Infinity", refused: true}, {lit: "1e999", refused: true}, {lit: `"-0.5"`, refused: true}, {lit: "true", refused: true}, {lit: "[]", refused: true},
		} {
			f, err := Read(strings.NewReader(strings.Replace(shape, "X", tt.lit, 1)))
			var where *Error
			if tt.refused {
				if !errors.As(err, &where) || where.Line != 1 || where.Path == "" {
					t.Errorf("%s, %s: %v", name, tt.lit, err)
				}
				continue
			}
			if err != nil {
				t.Errorf("%s, %s: %v", name, tt.lit, err)
				continue
			}
			x := f.Responses[0].Tokens[0]
			if x.Logprob != tt.want && !(math.IsNaN(x.Logprob) && math.IsNaN(tt.want)) || x.Floor != tt.floor || x.Clipped != tt.clipped {
				t.Errorf("%s, %s: %+v", name, tt.lit, x)
			}
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add(`{"choices":[{"message":{"content":"a"},"logprobs":{"content":[{"token":"a","logprob":-1,"top_logprobs":[{"token":"b","logprob":-2}]}]}}]}`)
	f.Add("data: {\"choices\":[{\"delta\":{\"content\":\"a\"},\"logprobs\":{\"content\":[{\"token\":\"a\",\"logprob\":-1}]}}]}\n\ndata: [DONE]\n")
	f.Add(`{"text":"a","meta_info":{"output_token_logprobs":[[-1,1,"a"]],"output_top_logprobs":[[[-1,1,"a"],[-2,3,null]]]}}`)
	f.Add(`{"choices":[{"text":"a","logprobs":{"tokens":["bytes:\\xe2","token_id:4"],"token_logprobs":[-1,null]},"prompt_logprobs":[null,{"5":{"logprob":-1,"rank":3}}]}]}`)
	f.Fuzz(func(t *testing.T, s string) {
		file, err := Read(strings.NewReader(s))
		if err != nil {
			var where *Error
			if !errors.As(err, &where) {
				t.Fatalf("an error without a place: %v", err)
			}
			return
		}
		for _, r := range file.Responses {
			for _, tokens := range [][]Token{r.Tokens, r.Prompt} {
				for _, x := range tokens {
					if x.Logprob > 0 || x.Logprob <= floor || x.Floor && x.Has() || x.Rank < 0 {
						t.Fatalf("%+v", x)
					}
				}
			}
		}
	})
}
