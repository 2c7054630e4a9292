package cli

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"logitscope/models/fable"
	"logitscope/models/llama"
	"logitscope/models/remote/remotetest"
	"logitscope/ui/cli/console"
)

// serve returns the address of a fake of a server that serves fable.
func serve(t *testing.T, f func(*llama.Model) http.Handler) string {
	t.Helper()
	m, err := fable.Open(llama.Options{})
	if err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewServer(f(m))
	t.Cleanup(func() { srv.Close(); m.Close() })
	return srv.URL
}

func vllm(max int) func(*llama.Model) http.Handler {
	return func(m *llama.Model) http.Handler {
		return remotetest.VLLM(m, remotetest.Options{Name: "fable", MaxLogprobs: max, RawLogits: max < 0})
	}
}

// A run against a server that gives all is a run here, to the last field but
// the times and the names.
func TestRunOnAServer(t *testing.T) {
	t.Parallel()
	args := []string{"run", "--prompt", "Once upon a time", "--preset", "creative", "--seed", "3", "--max-new-tokens", "12", "--format", "jsonl"}
	here, _, _ := try(t, "", args...)
	there, errs, code := try(t, "", append(args, "--model", "vllm:"+serve(t, vllm(-1)))...)
	if code != console.ExitDone || errs != "" {
		t.Fatalf("exit %d: %s", code, errs)
	}
	a, b := lines(t, here), lines(t, there)
	if len(a) != len(b) {
		t.Fatalf("%d lines, want %d", len(b), len(a))
	}
	for i := 1; i < len(a)-1; i++ {
		x, _ := json.Marshal(a[i])
		y, _ := json.Marshal(b[i])
		if string(x) != string(y) {
			t.Errorf("line %d: %s\nwant %s", i+1, y, x)
		}
	}
	if a[len(a)-1]["text"] != b[len(b)-1]["text"] {
		t.Errorf("%v, want %v", b[len(b)-1], a[len(a)-1])
	}
}

// Steps of a server that names some tokens say what the others have.
func TestRestInRecords(t *testing.T) {
	t.Parallel()
	out, errs, code := try(t, "", "run", "--model", "vllm:"+serve(t, vllm(20)), "--prompt", "Once upon a time", "--temperature", "1", "--top-k", "0",
		"--seed", "3", "--max-new-tokens", "6", "--format", "jsonl", "--top", "40")
	if code != console.ExitDone {
		t.Fatalf("exit %d: %s", code, errs)
	}
	steps := 0
	for _, l := range lines(t, out) {
		if l["type"] != "step" {
			continue
		}
		steps++
		rest, ok := l["rest"].(float64)
		sum := rest
		for _, x := range l["top"].([]any) {
			sum += x.(map[string]any)["raw_prob"].(float64)
		}
		if !ok || rest <= 0 || math.Abs(sum-1) > 1e-3 || len(l["top"].([]any)) != 20 {
			t.Errorf("rest %v, with the %d tokens named %v", l["rest"], len(l["top"].([]any)), sum)
		}
	}
	if steps != 6 {
		t.Errorf("%d steps", steps)
	}
	if out, _, _ = try(t, "", "run", "--prompt", "Once", "--max-new-tokens", "2", "--format", "jsonl"); strings.Contains(out, `"rest"`) || strings.Contains(out, `"observed"`) {
		t.Errorf("a whole row has a rest: %s", out)
	}
}

// chatAPI says "one two three", each token the second best of three.
func chatAPI(*llama.Model) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasSuffix(r.URL.Path, "/chat/completions") {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		for _, word := range []string{"one", " two", " three"} {
			fmt.Fprintf(w, `data: {"choices":[{"delta":{"content":%q},"logprobs":{"content":[{"token":%q,"logprob":-1.6,"top_logprobs":[`+
				`{"token":"best","logprob":-0.5},{"token":%q,"logprob":-1.6},{"token":"third","logprob":-3}]}]}}]}`+"\n\n", word, word, word)
		}
		fmt.Fprint(w, "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n")
	})
}

// A server that chooses by itself is watched, in text and in records.
func TestRunWatches(t *testing.T) {
	t.Parallel()
	model := "openai:chat@" + serve(t, chatAPI) + "/v1"
	out, errs, code := try(t, "", "run", "--model", model, "--prompt", "Count.", "--temperature", "0")
	if code != console.ExitDone || out != "one two three\n" {
		t.Fatalf("exit %d: %q %s", code, out, errs)
	}
	out, _, _ = try(t, "", "run", "--model", model, "--prompt", "Count.", "--top-k", "1", "--format", "jsonl")
	all := lines(t, out)
	if len(all) != 5 {
		t.Fatalf("%d lines: %s", len(all), out)
	}
	s := all[1]
	if s["observed"] != true || s["u"] != nil || s["piece"] != "one" || s["rank"] != 2.0 || math.Abs(s["raw_logprob"].(float64)+1.6) > 1e-3 {
		t.Errorf("%v", s)
	}
	if all[4]["reason"] != "eos" || all[4]["text"] != "one two three" {
		t.Errorf("%v", all[4])
	}
}

func TestModelsInfoOfAServer(t *testing.T) {
	t.Parallel()
	url := serve(t, vllm(20))
	out, _, code := try(t, "", "models", "info", "vllm:"+url)
	if code != console.ExitDone {
		t.Fatal(out)
	}
	for _, want := range []string{"server ", "vllm 127.0.0.1", "stepwise", "top 20 of 4096", "token ids", "tokenizer", "grammar", "prefix cache", "context", "end tokens"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	if strings.Count(out, "\ncontext ") != 1 {
		t.Errorf("the context is said more than once:\n%s", out)
	}
	out, _, _ = try(t, "", "models", "info", "vllm:"+url, "--json")
	var got struct {
		Server       string
		Capabilities struct {
			Stepwise     bool `json:"stepwise"`
			TokenIDs     bool `json:"token_ids"`
			TopN         int  `json:"top_n"`
			Logits       bool `json:"logits"`
			PromptScores bool `json:"prompt_scores"`
			Context      int  `json:"context"`
			Vocabulary   int  `json:"vocabulary"`
		}
	}
	if err := json.Unmarshal([]byte(out), &got); err != nil {
		t.Fatal(err)
	}
	if c := got.Capabilities; !c.Stepwise || !c.TokenIDs || c.TopN != 20 || c.Logits || !c.PromptScores || c.Context != 511 || c.Vocabulary != 4096 || got.Server == "" {
		t.Errorf("%+v", got)
	}
	out, _, _ = try(t, "", "models", "info", "openai:chat@"+serve(t, chatAPI)+"/v1", "--json")
	if err := json.Unmarshal([]byte(out), &got); err != nil || got.Capabilities.Stepwise || got.Capabilities.TopN != 20 || got.Capabilities.Vocabulary != 0 {
		t.Errorf("%+v: %v", got, err)
	}
}

// What goes wrong is one line and names the server.
func TestServerErrors(t *testing.T) {
	t.Parallel()
	page := serve(t, func(*llama.Model) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<html>\x1b[31mlogin</html>") })
	})
	for _, model := range []string{"llama-server:127.0.0.1:1", "vllm:" + page, "sglang:" + page, "openai:x@127.0.0.1:1", "ollama-api:x@127.0.0.1:1"} {
		out, errs, code := try(t, "", "run", "--model", model, "--prompt", "x")
		if code == console.ExitDone || out != "" || strings.Count(errs, "\n") != 1 || strings.ContainsRune(errs, '\x1b') || !strings.Contains(errs, "127.0.0.1") {
			t.Errorf("%s: exit %d, %q, %q", model, code, out, errs)
		}
	}
}

// TestInexactIsSaid runs over servers that name 20 log-probabilities: what is
// not exact on those is said on standard error and in the record's last line,
// and what is exact is not.
func TestInexactIsSaid(t *testing.T) {
	t.Parallel()
	local, err := fable.Open(llama.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer local.Close()
	srv := httptest.NewServer(remotetest.Ollama(local, remotetest.Metadata(t, local), remotetest.Options{Name: "fable"}))
	defer srv.Close()
	for _, c := range []struct {
		args string
		want string // settings, in order
	}{
		{"--temperature 0", ""},
		{"--top-k 10", ""},
		{"--top-k 10 --repetition-penalty 1.3", "repetition_penalty"},
		{"--top-k 15 --frequency-penalty 0.5", ""},
		{"--top-k 0 --typical-p 0.5", "typical_p"},
		{"", "top_k"}, // transformers takes 50 where nobody says
	} {
		args := append([]string{"run", "--model", "ollama-api:fable@" + srv.URL, "--prompt", "Once upon a time", "--seed", "4", "--max-new-tokens", "12", "--format", "jsonl"}, strings.Fields(c.args)...)
		out, errs, code := try(t, "", args...)
		if code != 0 {
			t.Fatalf("%s: exit %d, %s", c.args, code, errs)
		}
		all := lines(t, out)
		inexact, _ := all[len(all)-1]["inexact"].(map[string]any)
		got := strings.Join(slices.Sorted(maps.Keys(inexact)), " ")
		said := strings.Count(errs, "is not exact over this server")
		if got != c.want || said != len(inexact) {
			t.Errorf("%q: %v in the record, standard error says %q; want %q", c.args, inexact, errs, c.want)
		}
	}
	// Two tokens that the server reads as one.
	out, errs, _ := try(t, "", "run", "--model", "ollama-api:fable@"+srv.URL, "--prompt-tokens", "0,1161,458", "--seed", "4", "--max-new-tokens", "3", "--top-k", "5", "--format", "jsonl")
	all := lines(t, out)
	if n := all[len(all)-1]["strayed"]; n != 3.0 || !strings.Contains(errs, "the probabilities of 3 of 3 steps follow its own split") {
		t.Errorf("%v steps strayed, %s", n, errs)
	}
}
