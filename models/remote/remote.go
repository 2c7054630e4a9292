// Package remote runs models that live behind a server: llama-server, Ollama,
// vLLM, SGLang and APIs compatible with OpenAI's.
//
// Where a server can be asked for the distribution after any sequence of
// tokens, a session asks for one position at a time and leaves the choice of
// the token to its caller. The server keeps the prefix in its own cache, so
// each request costs one token of work. Where a server only writes text by
// itself, the model is an [models.Observer]: its tokens can be watched, not
// chosen.
//
// Each backend is one file: llamaserver.go, ollama.go, vllm.go, sglang.go and
// openai.go. They share the client (client.go, errors.go), which bounds and
// repeats requests, the reading of rows (scan.go, row.go), and the model,
// session and vocabulary (model.go, session.go, vocab.go).
//
// Whatever a server sends is untrusted: sizes are bounded, ids and numbers
// are checked, and its words reach an error message as one printable line
// without the key.
package remote

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"logitscope/models"
)

// Options are the settings of [Open]. The zero value is usable.
type Options struct {
	// Getenv finds addresses and keys; nil means that there are none. Keys
	// are taken from nowhere else:
	//
	//	llama-server  LLAMA_API_KEY
	//	ollama-api    OLLAMA_API_KEY; the address from OLLAMA_HOST
	//	vllm          VLLM_API_KEY
	//	sglang        SGLANG_API_KEY
	//	openai        OPENAI_API_KEY, or the variable of a known provider;
	//	              the address from OPENAI_BASE_URL where the name has none
	Getenv func(string) string

	// Client sends the requests; nil means one made for the purpose. Its
	// CheckRedirect is replaced.
	Client *http.Client

	// TopN is how many tokens a row should have: 0 leaves it to the backend
	// (the whole of a small vocabulary, else 256 or what the server allows),
	// a negative number means the whole vocabulary.
	TopN int

	// Logits says how to have logits from a server that reports
	// log-probabilities and can be made to show the difference, which a
	// repetition penalty needs: it costs a second, small request a token. A
	// session can be told to do without (see [models.Leveller]).
	Logits Logits

	Timeouts Timeouts
}

// Logits says whether to find out the logits behind log-probabilities.
type Logits uint8

const (
	LogitsAuto Logits = iota // where the server can be made to show them
	LogitsNever
)

// defaultTop is how many tokens a row has unless the caller says otherwise,
// and wholeUpTo the size up to which that is the whole vocabulary.
const (
	defaultTop = 256
	wholeUpTo  = 8192
)

// top returns how many tokens of a vocabulary of size to ask for.
func (o Options) top(size int) int {
	switch {
	case o.TopN < 0, o.TopN == 0 && size <= wholeUpTo:
		return size
	case o.TopN == 0:
		return min(defaultTop, size)
	}
	return min(o.TopN, size)
}

// A kind is one sort of server.
type kind struct {
	name    string
	port    string // default port
	keyVar  string
	addrVar string // environment variable that holds the address, or empty
	path    string // ending of a base URL that users add and the backend does not want
	open    func(ctx context.Context, t target) (models.Model, error)
}

var kinds = []kind{
	{"llama-server", "8080", "LLAMA_API_KEY", "", "/v1", openLlamaServer},
	{"ollama-api", "11434", "OLLAMA_API_KEY", "OLLAMA_HOST", "/api", openOllama},
	{"vllm", "8000", "VLLM_API_KEY", "", "/v1", openVLLM},
	{"sglang", "30000", "SGLANG_API_KEY", "", "/v1", openSGLang},
	{"openai", "443", "OPENAI_API_KEY", "OPENAI_BASE_URL", "", openOpenAI},
}

// Kinds lists the names before the colon that [Open] knows.
func Kinds() []string {
	var names []string
	for _, k := range kinds {
		names = append(names, k.name)
	}
	return names
}

// A target is a parsed model name.
type target struct {
	kind  kind
	model string // name of the model at the server, or empty
	c     *client
	opt   Options
}

// Open connects to the server that spec names and finds out what it can do:
//
//	llama-server:URL   vllm:URL[#MODEL]   sglang:URL
//	ollama-api:NAME    openai:MODEL       openai:MODEL@URL
//
// A URL may be short: "host", "host:port" or ":port" mean http and the
// server's usual port. Open waits for a server that is still loading its
// model, within Timeouts.Retry. The context bounds Open only. Close the model
// after use.
func Open(ctx context.Context, spec string, opt Options) (models.Model, error) {
	t, err := parse(spec, opt)
	if err != nil {
		return nil, err
	}
	m, err := t.kind.open(ctx, t)
	if err != nil {
		t.c.http.CloseIdleConnections()
		return nil, err
	}
	return m, nil
}

func parse(spec string, opt Options) (target, error) {
	if opt.Getenv == nil {
		opt.Getenv = func(string) string { return "" }
	}
	name, rest, ok := strings.Cut(spec, ":")
	for _, k := range kinds {
		if !ok || k.name != name {
			continue
		}
		t := target{kind: k, opt: opt}
		address := rest
		switch k.name {
		case "vllm":
			address, t.model, _ = strings.Cut(rest, "#")
		case "ollama-api", "openai":
			t.model, address = splitName(rest)
			if t.model == "" {
				return t, fmt.Errorf("%s: needs the name of a model, as in %s:NAME", k.name, k.name)
			}
		}
		fromEnv := ""
		if address == "" && k.addrVar != "" {
			address, fromEnv = opt.Getenv(k.addrVar), k.addrVar
		}
		base, err := parseURL(address, k)
		if err != nil {
			if fromEnv != "" {
				return t, fmt.Errorf("%s: %s: %w", k.name, fromEnv, err)
			}
			return t, fmt.Errorf("%s: %w", k.name, err)
		}
		key, keyVar := findKey(k, base.Hostname(), opt.Getenv)
		t.c = newClient(k.name, base, key, keyVar, opt)
		return t, nil
	}
	return target{}, fmt.Errorf("%q is not a kind of server; allowed are %s", oneLine(name, 40), strings.Join(Kinds(), ", "))
}

// splitName separates MODEL from URL in MODEL@URL. A model's name may hold an
// @ itself.
func splitName(s string) (model, address string) {
	i := strings.LastIndex(s, "@http")
	if i < 0 {
		i = strings.LastIndex(s, "@")
		if i < 0 || !strings.ContainsAny(s[i:], ".:") || strings.HasPrefix(s[i:], "@sha256:") {
			return s, ""
		}
	}
	if i == 0 {
		return s, ""
	}
	return s[:i], s[i+1:]
}

// parseURL reads the address of a server, which may be short.
func parseURL(s string, k kind) (*url.URL, error) {
	if s == "" {
		if k.name == "openai" {
			s = "https://api.openai.com/v1"
		} else {
			s = "127.0.0.1"
		}
	}
	short := !strings.Contains(s, "://")
	if short {
		s = "http://" + s
	}
	u, err := url.Parse(s)
	if err != nil {
		// The error of url.Parse repeats the text, which may hold a password.
		return nil, fmt.Errorf("the address is not a URL; write http://host:%s", k.port)
	}
	if u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("the address begins with %q; allowed are http:// and https://", oneLine(u.Scheme, 20)+"://")
	}
	host := u.Hostname()
	switch host {
	case "", "0.0.0.0": // where a server listens is not where one connects to
		host = "127.0.0.1"
	case "::":
		host = "::1"
	}
	port := u.Port()
	if port == "" && (short || u.Scheme == "http" && k.name != "openai") {
		port = k.port
	}
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	u.Host = host
	if port != "" {
		u.Host += ":" + port
	}
	u.Path = strings.TrimRight(u.Path, "/")
	if k.path != "" {
		u.Path = strings.TrimSuffix(u.Path, k.path)
	}
	u.RawPath, u.RawQuery, u.Fragment = "", "", ""
	return u, nil
}

// providers are hosts of OpenAI-compatible APIs whose users keep their key in
// a variable of its own.
var providers = []struct{ host, keyVar string }{
	{"openrouter.ai", "OPENROUTER_API_KEY"},
	{"groq.com", "GROQ_API_KEY"},
	{"together.xyz", "TOGETHER_API_KEY"},
	{"together.ai", "TOGETHER_API_KEY"},
	{"mistral.ai", "MISTRAL_API_KEY"},
	{"deepseek.com", "DEEPSEEK_API_KEY"},
	{"fireworks.ai", "FIREWORKS_API_KEY"},
	{"x.ai", "XAI_API_KEY"},
	{"googleapis.com", "GEMINI_API_KEY"},
	{"huggingface.co", "HF_TOKEN"},
}

func findKey(k kind, host string, getenv func(string) string) (key, keyVar string) {
	if k.name == "openai" {
		for _, p := range providers {
			if host == p.host || strings.HasSuffix(host, "."+p.host) {
				return strings.TrimSpace(getenv(p.keyVar)), p.keyVar
			}
		}
	}
	return strings.TrimSpace(getenv(k.keyVar)), k.keyVar
}
