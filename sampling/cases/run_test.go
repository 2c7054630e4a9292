package cases

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
)

func TestBadLinesGoOn(t *testing.T) {
	in := strings.Join([]string{
		`{"id":"a","logits":{"kind":"inline","values":[1,2]}}`,
		`not json`,
		`{"id":"b","logits":{"kind":"inline","values":[1,"x"]}}`,
		``,
		`{"id":7,"vocab":3,"logits":{"kind":"inline","values":[1,2]}}`,
		`{"id":"c","engine":"foo","logits":{"values":[1]}}`,
		`{"id":"d","logits":{"values":[1]},"settings":{"topk":3}}`,
		`{"id":"e","logits":{"kind":"irwin4","vocab":0}}`,
		`{"id":"f","logits":{"kind":"irwin4","vocab":99999999}}`,
		`{"id":"g","engine":"vllm","logits":{"values":[1,2]},"settings":{"temperature":3}}`,
		`{"id":"h","logits":{"values":[1,2]},"settings":{"temperature":0}}`,
		`{"id":"i","logits":{"values":["nan",2]}}`,
		`{"id":"j","engine":"ollama-go","logits":{"values":["nan",2]}}`,
		`{"id":"k","logits":{"values":[1,2`,
	}, "\n")
	want := []string{
		`"a" ok`, `null bad`, `"b" bad`, `7 bad`, `"c" bad`, `"d" bad`, `"e" bad`, `"f" bad`,
		`"g" refused`, `"h" refused`, `"i" nan`, `"j" refused`, `"k" bad`,
	}
	var out bytes.Buffer
	bad, err := Run(strings.NewReader(in), &out, Options{})
	if err != nil || bad != 8 {
		t.Errorf("%d bad lines, %v; want 8", bad, err)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != len(want) {
		t.Fatalf("%d answers, want %d:\n%s", len(lines), len(want), out.String())
	}
	for i, line := range lines {
		var a struct {
			ID    json.RawMessage `json:"id"`
			Error string          `json:"error"`
			NaN   bool            `json:"probs_nan"`
		}
		if err := json.Unmarshal([]byte(line), &a); err != nil {
			t.Errorf("%s: %v", line, err)
		}
		id, kind, _ := strings.Cut(want[i], " ")
		if string(a.ID) != id || (a.Error != "") != (kind == "bad" || kind == "refused") || a.NaN != (kind == "nan") {
			t.Errorf("%s, want %s", line, want[i])
		}
	}
	if _, err := Run(strings.NewReader(in), io.Discard, Options{Engine: "foo"}); err == nil {
		t.Error("an engine that does not exist is taken")
	}
}

// TestEngineOverride puts a case of one engine through another: what the
// first has as its default the second is told.
func TestEngineOverride(t *testing.T) {
	x := `"logits":{"values":[3,2.75,2.5,2.25,2,1.75,1.5,1.25,1,0.75,0.5,0.25,0,-0.25,-0.5,-0.75,-1,-1.25,-1.5,-1.75,-2,-2.25,-2.5,-2.75]}`
	run := func(c, engine string) result { return answers(t, [][]byte{[]byte(c)}, Options{Engine: engine})[0] }
	a := run(`{"id":1,"engine":"llama.cpp",`+x+`,"settings":{"temperature":0.5,"top_k":0,"top_p":0.9,"min_p":0}}`, "transformers")
	if a.NSurv != 5 {
		t.Errorf("%d survivors, want 5", a.NSurv)
	}
	b := run(`{"id":1,"engine":"llama.cpp",`+x+`,"settings":{"top_k":5,"typical_p":0.9,"repeat_penalty":1.1}}`, "vllm")
	if len(b.NotSupported) != 1 || b.NotSupported[0] != "typical_p" || b.Effective["top_p"] != 0.95 || b.Effective["top_k"] != 5 || b.Effective["temperature"] != 0.8 {
		t.Errorf("%+v", b)
	}
	c := run(`{"id":1,"engine":"transformers",`+x+`,"settings":{}}`, "llama.cpp")
	if c.NSurv != 24 || c.Stages[0].Name != "top_k" {
		t.Errorf("transformers' default top_k of 50 under llama.cpp: %+v", c)
	}
}

// lines is a reader of n cases that holds none.
type lines struct {
	n    int
	rest []byte
}

func (l *lines) Read(p []byte) (int, error) {
	if len(l.rest) == 0 {
		if l.n == 0 {
			return 0, io.EOF
		}
		l.rest = fmt.Appendf(nil, `{"id":%d,"engine":"llama.cpp","logits":{"values":[1,2,3,%d]},"settings":{"seed":%d}}`+"\n", l.n, l.n%7, l.n%100)
		l.n--
	}
	n := copy(p, l.rest)
	l.rest = l.rest[n:]
	return n, nil
}

func TestStreamsInConstantMemory(t *testing.T) {
	n := 20000
	if testing.Short() {
		n = 2000
	}
	r, w := io.Pipe()
	done := make(chan error, 1)
	go func() {
		_, err := Run(&lines{n: n}, w, Options{})
		w.CloseWithError(err)
		done <- err
	}()
	var before, after runtime.MemStats
	s := bufio.NewScanner(r)
	count := 0
	for s.Scan() {
		count++
		var a struct {
			ID int `json:"id"`
		}
		if err := json.Unmarshal(s.Bytes(), &a); err != nil || a.ID != n-count+1 {
			t.Fatalf("answer %d: %s", count, s.Bytes())
		}
		switch count {
		case n / 10:
			runtime.GC()
			runtime.ReadMemStats(&before)
		case n:
			runtime.GC()
			runtime.ReadMemStats(&after)
		}
	}
	if err := <-done; err != nil || count != n {
		t.Fatalf("%d answers, %v", count, err)
	}
	if after.HeapAlloc > before.HeapAlloc+1<<20 {
		t.Errorf("the heap grew from %d to %d bytes", before.HeapAlloc, after.HeapAlloc)
	}
}

func FuzzRun(f *testing.F) {
	f.Add([]byte(`{"id":"a","engine":"llama.cpp","logits":{"values":[1,2,"-inf"]},"settings":{"top_k":2,"samplers":["top_k","xtc"]}}`))
	f.Add([]byte(`{"id":"a","engine":"transformers","logits":{"kind":"irwin4","vocab":50,"seed":3,"scale":2},"settings":{"sequence_bias":[[[1],2.5]]}}`))
	f.Add([]byte(`{"id":1,"engine":"vllm","logits":{"values":[0,0]},"settings":{"logit_bias":{"1":3},"bad_words_token_ids":[[0]]}}`))
	f.Add([]byte(`{"id":1,"engine":"ollama-go","logits":{"values":[0,"nan"]},"prompt_tokens":[1],"settings":{}}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		if bytes.Contains(line, []byte("irwin4")) && len(line) > 200 {
			return // rows of millions of tokens are slow, not wrong
		}
		var out bytes.Buffer
		if _, err := Run(bytes.NewReader(line), &out, Options{}); err != nil {
			t.Fatal(err)
		}
		for _, l := range bytes.Split(bytes.TrimSpace(out.Bytes()), []byte("\n")) {
			if len(l) > 0 && !json.Valid(l) {
				t.Fatalf("%q is answered with %q", line, l)
			}
		}
	})
}

// Bad lines say what is wrong in words of the schema.
func TestBadLinesInWords(t *testing.T) {
	for _, tt := range []struct{ line, want string }{
		{`[]`, "not a JSON object: want a case, not an array"},
		{`"x"`, "not a JSON object: want a case, not a string"},
		{`{"id":1,"engine":"llama.cpp","logits":{"kind":"inline","values":[1,2]},"settings":{"samplers":["foo"]}}`, `samplers: no stage \"foo\"`},
		{`{"id":1,"engine":"nope","logits":{"kind":"inline","values":[1,2]},"settings":{}}`, "nope"},
		{`{"logits":5}`, `logits: want an object such as {\"values\":[2.5,-1,0.5]}, not number`},
		{`{"logits":{"values":[1]},"prompt_tokens":"x"}`, "prompt_tokens: want a list, not string"},
		{`{"logits":{"values":[1]},"prompt_tokens":[1.5]}`, "prompt_tokens: want a whole number, not number 1.5"},
		{`{"logits":{"seed":-1}}`, "logits.seed: want a whole number, 0 or more, not number -1"},
		{`{"engine":5}`, "engine: want a text, not number"},
		{`{"logits":{"scale":"x"}}`, "logits.scale: want a number, not string"},
		{`{"logits":{"values":[1]},"settings":[]}`, "settings: want an object"},
		{`{"logits":{"values":[1,2]},"settings":{"logit_bias":{"2":1}}}`, "logit_bias: token 2 is out of range, 0 to 1"},
		{`{"logits":{"values":[1,2]},"settings":{"bad_words_ids":[[0,2]]}}`, "bad_words_ids: token 2 is out of range, 0 to 1"},
		{`{"engine":"vllm","logits":{"values":[1,2]},"settings":{"allowed_token_ids":[2]}}`, "allowed_token_ids: token 2 is out of range, 0 to 1"},
		{`{"engine":"llama.cpp","logits":{"values":[1,2]},"settings":{"logit_bias":{"2":1}}}`, `"stages"`}, // it looks for the token and finds none
		{`{"logits":{"values":[1,2]},"settings":{"constraint":"json"}}`, "settings: constraint: it is about texts"},
		{`{"engine":"llama.cpp","logits":{"values":[1,2]},"settings":{"mirostat":7}}`, "mirostat: 7 is out of range, 0 to 2 under llama.cpp"},
		{`{"engine":"llama.cpp","logits":{"values":[1,2]},"settings":{"mirostat":-7}}`, "mirostat: -7 is out of range, 0 to 2 under llama.cpp"},
	} {
		var out bytes.Buffer
		if _, err := Run(strings.NewReader(tt.line), &out, Options{}); err != nil || !strings.Contains(out.String(), tt.want) {
			t.Errorf("%s: %v %s, want %q", tt.line, err, out.String(), tt.want)
		}
	}
}

// TestBannedAndForced: what transformers makes of tokens that one processor
// bans and a later one forces, repairs or lets decay.
func TestBannedAndForced(t *testing.T) {
	const row = `"logits":{"values":[1,2,3]},`
	for in, want := range map[string]string{
		// |-Inf|·(2-1) is +Inf, and its sum with -Inf NaN; |-Inf|·(0.5-1) is -Inf.
		row + `"generated_tokens":[1,1],"settings":{"eos_token_id":0,"min_length":9,"exponential_decay_length_penalty":[1,2]}`:   "nan",
		row + `"generated_tokens":[1,1],"settings":{"eos_token_id":0,"min_length":9,"exponential_decay_length_penalty":[1,1]}`:   "nan",
		row + `"generated_tokens":[1,1],"settings":{"eos_token_id":0,"min_length":9,"exponential_decay_length_penalty":[1,0.5]}`: "[1 2]",
		row + `"generated_tokens":[1],"settings":{"eos_token_id":0,"min_length":9,"exponential_decay_length_penalty":[1,2]}`:     "[1 2]",
		// The last token is forced though the first one was.
		row + `"prompt_tokens":[1],"settings":{"forced_bos_token_id":2,"forced_eos_token_id":0,"max_length":2}`:         "[0]",
		row + `"prompt_tokens":[1],"settings":{"eos_token_id":0,"min_length":9,"forced_eos_token_id":0,"max_length":2}`: "[0]",
		row + `"prompt_tokens":[1],"settings":{"forced_bos_token_id":2,"remove_invalid_values":true}`:                   "[0 1 2]",
	} {
		got := answers(t, [][]byte{[]byte(`{"engine":"transformers",` + in + `}`)}, Options{})[0]
		s := fmt.Sprint(got.Survivors)
		if got.ProbsNaN {
			s = "nan"
		}
		if s != want || got.Error != "" {
			t.Errorf("%s: %s %s, want %s", in, s, got.Error, want)
		}
	}
}
