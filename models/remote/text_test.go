package remote_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"reflect"
	"slices"
	"strings"
	"testing"

	"logitscope/models"
	"logitscope/models/fable"
	"logitscope/models/llama"
	"logitscope/models/remote"
	"logitscope/models/remote/remotetest"
)

func TestOllama(t *testing.T) {
	local, err := fable.Open(llama.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer local.Close()
	info := remotetest.Metadata(t, local)
	fake := remotetest.Ollama(local, info, remotetest.Options{Name: "fable"})
	srv := httptest.NewServer(fake)
	defer srv.Close()
	env := func(k string) string {
		if k == "OLLAMA_HOST" {
			return strings.TrimPrefix(srv.URL, "http://")
		}
		return ""
	}
	m, err := dial(t.Context(), "ollama-api:fable", remote.Options{Getenv: env, Timeouts: fast})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	caps := m.Info().Caps
	if m.Info().ContextLen != 511 || caps.TopN != 20 || !caps.TextOnly || !caps.Normalised || m.Info().Quant != "q8_0" {
		t.Errorf("Info = %+v", m.Info())
	}
	v, lv := m.Vocab(), local.Vocab()
	for id := range int32(lv.Size()) {
		if v.Piece(id) != lv.Piece(id) || v.Attr(id) != lv.Attr(id) {
			t.Fatalf("token %d is %q (%v), want %q (%v)", id, v.Piece(id), v.Attr(id), lv.Piece(id), lv.Attr(id))
		}
	}
	opt := models.EncodeOptions{AddSpecial: true, ParseSpecial: true}
	prompt, err := models.Encode(t.Context(), v, "Once upon a time", opt)
	if err != nil || !slices.Equal(prompt, lv.Encode("Once upon a time", opt)) {
		t.Fatalf("Encode = %v, %v", prompt, err)
	}
	s, _ := m.NewSession()
	defer s.Close()
	ref, _ := local.NewSession()
	defer ref.Close()
	tokens := prompt
	for i := range 40 {
		got, err := s.Forward(t.Context(), tokens, 1)
		if err != nil {
			t.Fatal(err)
		}
		want, err := ref.Forward(t.Context(), tokens, 1)
		if err != nil {
			t.Fatal(err)
		}
		lse, sum := logSum(want[0].Values), 0.0
		l := got[0]
		if len(l.IDs) < 10 || len(l.IDs) > 20 {
			t.Fatalf("step %d: %d ids", i, len(l.IDs))
		}
		for j, id := range l.IDs {
			if remote.Incomplete(v.Piece(id)) {
				t.Errorf("step %d: %q cannot be sent back", i, v.Piece(id))
			}
			p := float64(want[0].Values[id]) - lse
			if math.Abs(float64(l.Values[j])-p) > 1e-5 {
				t.Errorf("step %d: %q has %v, want %v", i, v.Piece(id), l.Values[j], p)
			}
			sum += math.Exp(p)
		}
		if math.Abs(float64(l.Rest)-(1-sum)) > 1e-4 {
			t.Errorf("step %d: rest %v, want %v", i, l.Rest, 1-sum)
		}
		// The text is split again, so only a token that stays itself is taken.
		tokens = nil
		for _, id := range l.IDs[i%3:] {
			text := join(v, remote.TokensOf(s)[1:]) + v.Piece(id)
			if ids := lv.Encode(text, models.EncodeOptions{ParseSpecial: true}); !slices.Contains(v.EOG(), id) && slices.Equal(ids, append(slices.Clone(remote.TokensOf(s)[1:]), id)) {
				tokens = []int32{id}
				break
			}
		}
		if tokens == nil {
			break
		}
	}
	if s.Len() < 25 {
		t.Errorf("only %d tokens were compared", s.Len())
	}
	n := s.Len()
	if s.(models.Narrower).SetNarrow(10) {
		t.Error("rows of 20 tokens are made narrow, which the server cannot do")
	}
	part := int32(0)
	for v.Piece(part) != "\xf0" {
		part++
	}
	if _, err := s.Forward(t.Context(), []int32{part}, 1); !errors.Is(err, models.ErrNotSupported) || s.Len() != n {
		t.Errorf("a part of a character: %v", err)
	}
	long := slices.Repeat(prompt[1:], 1+511/len(prompt[1:]))
	if _, err := s.Forward(t.Context(), long, 1); !errors.Is(err, models.ErrContextFull) {
		t.Errorf("too many tokens: %v", err)
	}
	empty, _ := m.NewSession()
	defer empty.Close()
	if _, err := empty.Forward(t.Context(), prompt[:1], 1); err == nil || !strings.Contains(err.Error(), "at least one token of text") {
		t.Errorf("BOS alone: %v", err)
	}
}

func join(v models.Vocab, ids []int32) string {
	var b strings.Builder
	for _, id := range ids {
		b.WriteString(v.Piece(id))
	}
	return b.String()
}

// TestRecordedOllama reads the recorded answers of a real Ollama server.
func TestRecordedOllama(t *testing.T) {
	local, err := fable.Open(llama.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer local.Close()
	fake := remotetest.Ollama(local, remotetest.Metadata(t, local), remotetest.Options{Name: "fable"})
	var x *remotetest.Exchange
	m := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/api/generate" && x != nil {
			x.Replay(w)
			return
		}
		fake.ServeHTTP(w, r)
	}), "ollama-api:fable@URL", remote.Options{})
	v := m.Vocab()
	n := 0
	for _, x = range remotetest.Pointers(t, "ollama.generate") {
		var body struct {
			Logprobs []struct {
				Top []struct {
					Token   string
					Logprob float64
				} `json:"top_logprobs"`
			}
		}
		json.Unmarshal(x.Response.Body, &body)
		s, _ := m.NewSession()
		l, err := s.Forward(t.Context(), []int32{0, 100, 101}, 1)
		s.Close()
		switch {
		case x.Response.Lines != nil, x.Response.Status != 200:
			if err == nil {
				t.Errorf("%s: no error", x.Name)
			}
		case len(body.Logprobs) == 0 || body.Logprobs[0].Top == nil:
			if err == nil || !strings.Contains(err.Error(), "no probabilities") && !strings.Contains(err.Error(), "only loaded") {
				t.Errorf("%s: %v", x.Name, err)
			}
		default:
			n++
			if err != nil {
				t.Errorf("%s: %v", x.Name, err)
				continue
			}
			for i, e := range body.Logprobs[0].Top[:2] {
				if got := v.Piece(l[0].IDs[i]); got != e.Token || l[0].Values[i] != float32(e.Logprob) {
					t.Errorf("%s: entry %d is %q %v, want %q %v", x.Name, i, got, l[0].Values[i], e.Token, e.Logprob)
				}
			}
		}
	}
	if n < 8 {
		t.Errorf("%d answers with probabilities, want 8", n)
	}
}

// chat serves streams of the chat API.
func chat(answer func(w http.ResponseWriter, n int, body map[string]any)) http.Handler {
	n := 0
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/models") {
			io.WriteString(w, `{"object":"list","data":[{"id":"fable","max_model_len":77}]}`)
			return
		}
		var body map[string]any
		json.NewDecoder(r.Body).Decode(&body)
		n++
		answer(w, n, body)
	})
}

var hello = models.ObserveRequest{Messages: []models.Message{{Role: "user", Content: "Tell me a tale."}}, MaxTokens: 3, Params: map[string]any{"temperature": 0.5}}

// TestRecordedObserve watches the recorded streams of two servers.
func TestRecordedObserve(t *testing.T) {
	n := 0
	for _, file := range []string{"llama-server.oai-chat", "ollama.chat-and-openai"} {
		for _, x := range remotetest.Recorded(t, file) {
			if !strings.HasPrefix(x.Request.Path, "/v1/chat") || x.Response.Status != 200 || !strings.Contains(x.Name, "logprobs") && !strings.HasPrefix(x.Name, "v1-chat") {
				continue
			}
			m := serve(t, chat(func(w http.ResponseWriter, _ int, body map[string]any) {
				if body["model"] != "fable" || body["temperature"] != 0.5 || body["max_tokens"] != 3.0 || body["stream"] != true || body["top_logprobs"] != 20.0 {
					t.Errorf("request %v", body)
				}
				x.Replay(w)
			}), "openai:fable@URL/v1", remote.Options{})
			var text string
			reason, err := m.(models.Observer).Observe(t.Context(), hello, func(o models.Observation) error {
				text += m.Vocab().Piece(o.Token)
				sum := float64(o.Logits.Rest)
				for i, v := range o.Logits.Values {
					sum += math.Exp(float64(v))
					if i > 0 && v > o.Logits.Values[i-1] {
						t.Errorf("%s: not in order", x.Name)
					}
				}
				if math.Abs(sum-1) > 1e-5 || o.Logprob > 0 || len(o.Logits.IDs) != len(o.Logits.Values) {
					t.Errorf("%s: %+v", x.Name, o)
				}
				return nil
			})
			want := content(x.Raw())
			if err != nil || text != want || reason != "length" {
				t.Errorf("%s: %q, %q, %v; want %q", x.Name, text, reason, err, want)
			}
			n++
			if m.Info().ContextLen != 77 || !m.Info().Caps.ObserveOnly {
				t.Errorf("Info = %+v", m.Info())
			}
			if _, err := m.NewSession(); !errors.Is(err, models.ErrNotSupported) {
				t.Errorf("NewSession: %v", err)
			}
		}
	}
	if n < 8 {
		t.Errorf("%d recordings watched, want 8", n)
	}
}

// content joins the text of an answer.
func content(raw []byte) (text string) {
	for line := range strings.Lines(string(raw)) {
		var c struct {
			Choices []struct{ Delta, Message struct{ Content string } }
		}
		json.Unmarshal([]byte(strings.TrimPrefix(line, "data: ")), &c)
		for _, x := range c.Choices {
			text += x.Delta.Content + x.Message.Content
		}
	}
	return text
}

const (
	step1 = `data: {"choices":[{"delta":{"content":"Hi"},"logprobs":{"content":[{"token":"Hi","logprob":-0.5,"top_logprobs":[{"token":"Hi","logprob":-0.5},{"token":"Ho","logprob":-2}]}]}}]}` + "\n\n"
	last  = `data: {"choices":[{"delta":{},"finish_reason":"stop"}]}` + "\n\n"
	done  = "data: [DONE]\n\n"
)

func TestObserveFaults(t *testing.T) {
	stream := func(parts ...string) func(http.ResponseWriter, int, map[string]any) {
		return func(w http.ResponseWriter, _ int, _ map[string]any) {
			w.Header().Set("Content-Type", "text/event-stream")
			for _, p := range parts {
				io.WriteString(w, p)
			}
		}
	}
	for _, c := range []struct {
		name   string
		answer func(w http.ResponseWriter, n int, body map[string]any)
		text   string
		err    string
	}{
		{"whole", stream(": a comment\n\n", step1, step1, last, done), "HiHi", ""},
		{"no DONE", stream(step1, last), "Hi", ""},
		{"cut", stream(step1), "Hi", "closed the connection"},
		{"cut in an event", stream(step1, step1[:80]), "Hi", "broken JSON"},
		{"error inside", stream(step1, `data: {"error":{"message":"out of \u001b[31mmemory","type":"server_error"}}`+"\n\n"), "Hi", `out of \u{1b}[31mmemory`},
		{"no logprobs", stream(`data: {"choices":[{"delta":{"content":"Hi"}}]}`+"\n\n", last, done), "", "gives no log-probabilities"},
		{"NaN", stream(step1, strings.Replace(step1, "-2", "NaN", 1), done), "Hi", "not a probability"},
		{"too much", stream(step1, strings.Replace(step1, "-2", "-0.1", 1), done), "Hi", "add up to more than 1"},
		{"a giant event", stream("data: " + strings.Repeat(" ", 4<<20+1)), "", "larger than"},
		{"a giant token", stream(strings.Replace(step1, `"token":"Hi"`, `"token":"`+strings.Repeat("x", 64<<10+1)+`"`, 1)), "", "more different tokens, or longer ones"},
		{"once more", func(w http.ResponseWriter, n int, body map[string]any) {
			if n == 1 {
				fmt.Fprint(w, "<html><title>Bad gateway</title>")
				return
			}
			stream(step1, last, done)(w, n, body)
		}, "Hi", ""},
		{"fewer", func(w http.ResponseWriter, n int, body map[string]any) {
			if body["top_logprobs"].(float64) > 5 {
				w.WriteHeader(400)
				io.WriteString(w, `{"error":{"message":"top_logprobs must be at most 5"}}`)
				return
			}
			stream(step1, last, done)(w, n, body)
		}, "Hi", ""},
		{"no stream", func(w http.ResponseWriter, n int, _ map[string]any) {
			if n > 1 {
				t.Error("asked again")
			}
			write(w, 200, "application/json", `{"id":"x","object":"list","data":[]}`)
		}, "", "neither a stream nor a chat completion"},
		{"refused", func(w http.ResponseWriter, n int, body map[string]any) {
			w.WriteHeader(401)
			io.WriteString(w, `{"error":{"message":"Incorrect API key provided: sk-secret"}}`)
		}, "", "Incorrect API key provided: ***"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := serve(t, chat(c.answer), "openai:fable@URL", remote.Options{Getenv: func(k string) string {
				if k == "OPENAI_API_KEY" {
					return "sk-secret"
				}
				return ""
			}})
			text := ""
			_, err := m.(models.Observer).Observe(t.Context(), hello, func(o models.Observation) error {
				text += m.Vocab().Piece(o.Token)
				return nil
			})
			if text != c.text || (err == nil) != (c.err == "") || err != nil && (!strings.Contains(err.Error(), c.err) || strings.Contains(err.Error(), "secret")) {
				t.Errorf("%q, %v; want %q, %q", text, err, c.text, c.err)
			}
		})
	}
	t.Run("stopped by the caller", func(t *testing.T) {
		m := serve(t, chat(stream(step1, step1, last)), "openai:fable@URL", remote.Options{})
		enough := errors.New("enough")
		n := 0
		_, err := m.(models.Observer).Observe(t.Context(), hello, func(models.Observation) error { n++; return enough })
		if err != enough || n != 1 {
			t.Errorf("%v after %d", err, n)
		}
	})
	t.Run("another model", func(t *testing.T) {
		srv := httptest.NewServer(chat(nil))
		defer srv.Close()
		_, err := dial(t.Context(), "openai:gpt-x@"+srv.URL, remote.Options{Timeouts: fast})
		if err == nil || !strings.Contains(err.Error(), "it has fable") {
			t.Error(err)
		}
	})
}

// TestOllamaAsItIs opens a model with everything that a Modelfile can give it,
// as a server of version 0.17.4 answers for it.
func TestOllamaAsItIs(t *testing.T) {
	local, err := fable.Open(llama.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer local.Close()
	info := remotetest.Metadata(t, local)
	opt := remotetest.Options{
		Name: "fabt", Template: "{{ .System }}/{{ .Prompt }}: {{ .Response }}", System: "Tell tales.", Rendered: "as the server has it",
		Parameters: "stop                           \"User:\"\nstop                           \"\\n\\n\"\ntemperature                    0.3\ntop_k                          20\nuse_mmap                       false\n",
	}
	m := serve(t, remotetest.Ollama(local, info, opt), "ollama-api:fabt@URL", remote.Options{})
	got := m.Info()
	if got.GoTemplate != opt.Template || got.ChatTemplate != "" || got.System != opt.System || got.DefaultsOf != "ollama" {
		t.Errorf("Info = %+v", got)
	}
	if want := map[string]any{"stop": []any{"User:", "\n\n"}, "temperature": 0.3, "top_k": 20.0, "use_mmap": false}; !reflect.DeepEqual(got.Defaults, want) {
		t.Errorf("Defaults = %v, want %v", got.Defaults, want)
	}
	turns := []models.Message{{Role: "user", Content: "go"}}
	if s, err := m.(models.ChatRenderer).RenderChat(t.Context(), turns); err != nil || s != opt.Rendered {
		t.Errorf("%q, %v", s, err)
	}
	opt.Rendered = ""
	old := serve(t, remotetest.Ollama(local, info, opt), "ollama-api:fabt@URL", remote.Options{})
	if s, err := old.(models.ChatRenderer).RenderChat(t.Context(), turns); err != nil || s != "Tell tales./go: " {
		t.Errorf("a server that does not render: %q, %v", s, err)
	}
	srv := httptest.NewServer(remotetest.Ollama(local, info, opt))
	defer srv.Close()
	gone := httptest.NewServer(nil)
	gone.Close()
	for spec, want := range map[string]string{
		"ollama-api:" + gone.URL:     "connection refused: is the server running?",
		"ollama-api:nope@" + srv.URL: "model 'nope' not found (POST " + srv.URL + "/api/show); it has fabt, other",
		"ollama-api:" + srv.URL:      "needs the name of a model, as in ollama-api:NAME@URL; it has fabt, other",
	} {
		if _, err := dial(t.Context(), spec, remote.Options{Timeouts: fast}); err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%s: %v, want %q", spec, err, want)
		}
	}
}
