package remote

import (
	"bytes"
	"encoding/json"
	"io"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"
)

func readerOf(b []byte) io.Reader { return bytes.NewReader(b) }

func timeStd(b *testing.B, body []byte) time.Duration {
	const n = 20
	start := time.Now()
	for range n {
		var v struct {
			Probs []struct {
				Top []struct {
					ID      int32   `json:"id"`
					Logprob float64 `json:"logprob"`
				} `json:"top_logprobs"`
			} `json:"completion_probabilities"`
		}
		if err := json.Unmarshal(body, &v); err != nil {
			b.Fatal(err)
		}
	}
	return time.Since(start) / n
}

// tree reads any value with the scanner, as encoding/json would.
func tree(s *scanner, depth int) any {
	if depth > maxDepth {
		s.fail()
		return nil
	}
	switch s.peek() {
	case '{':
		m := map[string]any{}
		s.enter('{')
		for first := true; s.more('}', &first); {
			k := string(s.str(nil))
			if s.peek() != ':' {
				s.fail()
				return nil
			}
			s.i++
			m[k] = tree(s, depth+1)
		}
		return m
	case '[':
		list := []any{}
		s.enter('[')
		for first := true; s.more(']', &first); {
			list = append(list, tree(s, depth+1))
		}
		return list
	case '"':
		return string(s.str(nil))
	case 't', 'f':
		return s.boolean()
	case 'n':
		s.null()
		return nil
	}
	return s.number()
}

var scanSeeds = []string{
	`{"a":[1,-2.5e3,true,false,null,"x\n\u00e9\ud83d\ude00\ud800"],"b":{}}`, `[]`, `"\\"`, `-0.5`, `1e400`, `{"a":1,}`, `[1,]`, `[,1]`, `{"a" 1}`,
	`nul`, `tru`, `"\x"`, "\"\x01\"", "\"\xff\"", `"abc`, `{"a":"b"`, ` [ 1 , 2 ] `, `[1 2]`, `[1]x`, ``, ` `, `0x10`, `+1`, `01`, `1_0`, `"\u12"`,
	`[[[[[[1]]]]]]`, `{"\u0061":1}`, `[1.7976931348623157e308,5e-324,-0]`,
}

func TestScanner(t *testing.T) {
	for _, s := range scanSeeds {
		checkScan(t, []byte(s))
	}
	for text, want := range map[string]float64{"Infinity": math.Inf(1), "-Infinity": math.Inf(-1), "NaN": math.NaN(), "null": math.NaN(), "1e400": math.Inf(1)} {
		s := scanner{b: []byte(text)}
		if got := s.number(); got != want && !(got != got && want != want) || s.end() != nil {
			t.Errorf("number %s = %v, want %v", text, got, want)
		}
	}
	for text, want := range map[string]int{"12,": 12, "7": 7, "3.0": 3, "-4": -4, "1e3]": 1000, "999999999999999": 999999999999999} {
		s := scanner{b: []byte(text)}
		if got := s.integer(); got != want || s.bad {
			t.Errorf("integer %s = %v, want %v", text, got, want)
		}
	}
	for _, text := range []string{"1.5", "1e30", "x", "", "NaN", `"1"`, "inf", "1a"} {
		s := scanner{b: []byte(text)}
		if got := s.integer(); !s.bad {
			t.Errorf("integer %s = %v, want a fault", text, got)
		}
	}
	s := scanner{b: []byte(strings.Repeat("[", 1e6))}
	if s.skip(); !s.bad {
		t.Error("a million brackets are skipped")
	}
}

// checkScan compares the scanner with encoding/json: what that accepts must
// be read alike, and can be skipped.
func checkScan(t *testing.T, data []byte) {
	t.Helper()
	s := scanner{b: data}
	got := tree(&s, 0)
	err := s.end()
	var want any
	std := json.Unmarshal(data, &want)
	deep := strings.Count(string(data), "[")+strings.Count(string(data), "{") > maxDepth
	if std == nil && !deep && (err != nil || !reflect.DeepEqual(got, want)) {
		t.Errorf("%q is %v (%v), want %v", data, got, err, want)
	}
	k := scanner{b: data}
	k.skip()
	if std == nil && !deep && k.end() != nil {
		t.Errorf("%q is not skipped", data)
	}
}

func FuzzScanner(f *testing.F) {
	for _, s := range scanSeeds {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) { checkScan(t, data) })
}

// FuzzAnswer reads answers of all servers, whatever they hold, and requires
// that a row which passes the checks is a distribution.
func FuzzAnswer(f *testing.F) {
	for _, s := range []string{
		`{"completion_probabilities":[{"id":1,"logprob":-1,"top_logprobs":[{"id":1,"logprob":-1.5},{"id":2,"logprob":-2}]}],"model":"m","timings":{"cache_n":1,"prompt_n":1},"truncated":false}`,
		`{"model":"m","choices":[{"logprobs":{"tokens":["token_id:1"],"top_logprobs":[{"token_id:1":-0.5,"token_id:2":-1e300}]},"prompt_logprobs":[null,{"2":{"logprob":-1,"rank":1}}]}],"usage":{"prompt_tokens":2,"prompt_tokens_details":{"cached_tokens":1}}}`,
		`{"meta_info":{"output_top_logprobs":[[[-0.5,1,null],[-2,2,"x"]]],"input_top_logprobs":[null,[[-1,1]]],"output_token_logprobs":[[-1,2,null]],"finish_reason":{"type":"abort","message":"x"}}}`,
		`{"response":"a","logprobs":[{"token":"a","logprob":-1,"bytes":[97],"top_logprobs":[{"token":"a","logprob":-1},{"token":"","bytes":[],"logprob":-3}]}]}`,
		`{"error":{"message":"x","type":"exceed_context_size_error"}}`, `{"error":"{\"error\":{\"message\":\"y\"}}"}`, `<html><title>x</title>`,
	} {
		f.Add([]byte(s))
	}
	c := &client{name: "fuzz", meter: &meter{}}
	v := newVocab(300, Timeouts{})
	f.Fuzz(func(t *testing.T, data []byte) {
		r := &reply{status: 200, body: data}
		q := query{tokens: []int32{1, 2}, want: 2}
		g := grid{size: 300}
		check := func(err error, out *rows) {
			if err != nil {
				if strings.ContainsAny(err.Error(), "\n\x1b") {
					t.Errorf("error %q", err)
				}
				return
			}
			for _, r := range out.list {
				if g.finish(r) != "" {
					continue
				}
				l := r.logits()
				sum := float64(l.Rest)
				for _, v := range l.Values {
					sum += math.Exp(float64(v))
				}
				if !(sum < 1.02) || l.IDs != nil && sum < 0.98 {
					t.Errorf("probabilities add up to %v", sum)
				}
			}
		}
		var out rows
		s := scanner{b: data}
		b := &llamaServer{c: c, model: "m"}
		b.scanAnswer(&s, func(s *scanner, _ int) { scanEntries(s, out.next()) }, nil)
		check(s.end(), &out)
		out = rows{}
		check((&vLLM{c: c, model: "m"}).scan(r, q, &out), &out)
		out = rows{}
		check((&sgLang{c: c}).scan(r, q, &out), &out)
		out = rows{}
		_, err := (&ollama{c: c, ids: map[string]int32{"a": 5}, eos: 1}).scan(r, q, &out)
		check(err, &out)
		s = scanner{b: data}
		scanPieces(&s, v)
		for _, status := range []int{200, 400, 429, 500} {
			check(c.statusFault(&reply{status: status, body: data}), nil)
		}
		check(c.malformed(r, "/x"), nil)
	})
}
