// Package remote answers: how does a model run that lives behind a server? It
// runs models that live behind a server: llama-server, Ollama, vLLM, SGLang and
// APIs compatible with OpenAI's.
//
// Where a server can be asked for the distribution after any sequence of
// tokens, a session asks for one position at a time and leaves the choice of
// the token to its caller. The server keeps the prefix in its own cache, so
// each request costs one token of work. Where a server only writes text by
// itself, the model is an [models.Observer]: its tokens can be watched, not
// chosen.
//
// Each kind of server is a package below this one and hands out a [Kind]. They
// share the client (client.go, errors.go), which bounds and repeats requests,
// the rows (row.go), and the model, session and vocabulary (model.go,
// session.go, vocab.go). To add a kind, write its package, list it in
// models/open, and give remotetest a server of it to test with.
//
// Whatever a server sends is untrusted: sizes are bounded, ids and numbers
// are checked, and its words reach an error message as one printable line
// without the key.
package remote

import (
	"cmp"
	"context"
	"errors"
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

	// Notice is told, in one line, what is being waited for when a server has
	// been silent for some seconds. It is called from a goroutine of its own;
	// nil means that nobody is told.
	Notice func(line string)

	Timeouts Timeouts
}

// Logits says whether to find out the logits behind log-probabilities.
type Logits uint8

const (
	LogitsAuto Logits = iota // where the server can be made to show them
	LogitsNever
)

// DefaultTop is how many tokens a row has unless the caller says otherwise,
// and WholeUpTo the size up to which that is the whole vocabulary.
const (
	DefaultTop = 256
	WholeUpTo  = 8192
)

// Top returns how many tokens of a vocabulary of size to ask for.
func (o Options) Top(size int) int {
	switch {
	case o.TopN < 0, o.TopN == 0 && size <= WholeUpTo:
		return size
	case o.TopN == 0:
		return min(DefaultTop, size)
	}
	return min(o.TopN, size)
}

// A Kind is one sort of server: the row that its package hands to the list in
// models/open.
type Kind struct {
	Name    string // before the colon, such as "vllm"
	Usage   string // the whole form, such as "vllm:URL[#MODEL]"
	Port    string // default port
	Address string // default address; empty stands for 127.0.0.1
	KeyVar  string // environment variable that holds the key
	AddrVar string // environment variable that holds the address, or empty
	Path    string // ending of a base URL that users add and the server does not want

	// Split separates what follows the colon; nil means that all of it is an
	// address.
	Split func(rest string) (address, model string)

	// NeedsModel means that a name without a model is an error.
	NeedsModel bool

	// OwnKey finds the variable of the key of a host that is not KeyVar's;
	// empty means that it is. It may be nil.
	OwnKey func(host string) string

	// Looks reports whether a server looks like one of this kind. It may be
	// nil.
	Looks func(ctx context.Context, c *Client) bool

	// Connect finds out what the server can do. It is called again after a
	// fault that may pass.
	Connect func(ctx context.Context, t Target) (models.Model, error)
}

// A Target is what a name stands for.
type Target struct {
	Model  string // name of the model at the server, or empty
	Client *Client
	Opt    Options
}

// Open connects to the server of kind k that rest, a name without the kind,
// stands for, and finds out what it can do. An address may be short: "host",
// "host:port" or ":port" mean http and the server's usual port. Open waits for
// a server that is still loading its model, within Timeouts.Retry. The context
// bounds Open only. Close the model after use.
func Open(ctx context.Context, k Kind, rest string, opt Options) (models.Model, error) {
	t, err := Parse(k, rest, opt)
	if err != nil {
		return nil, err
	}
	var m models.Model
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer t.Client.doubtTLS(ctx, cancel)()
	err = t.Client.Retry(ctx, false, func(ctx context.Context) (err error) {
		m, err = k.Connect(ctx, t)
		return err
	})
	if err != nil {
		t.Client.Close()
		if why := (*Error)(nil); errors.As(context.Cause(ctx), &why) {
			return nil, why
		}
		return nil, err
	}
	return m, nil
}

// Parse reads a name of kind k without connecting.
func Parse(k Kind, rest string, opt Options) (Target, error) {
	if opt.Getenv == nil {
		opt.Getenv = func(string) string { return "" }
	}
	t := Target{Opt: opt}
	address := rest
	if k.Split != nil {
		address, t.Model = k.Split(rest)
	}
	if k.NeedsModel && t.Model == "" {
		return t, fmt.Errorf("%s: needs the name of a model, as in %s:NAME", k.Name, k.Name)
	}
	fromEnv := ""
	if address == "" && k.AddrVar != "" {
		address, fromEnv = opt.Getenv(k.AddrVar), k.AddrVar
	}
	base, err := parseURL(address, k)
	if err != nil {
		if fromEnv != "" {
			return t, fmt.Errorf("%s: %s: %w", k.Name, fromEnv, err)
		}
		return t, fmt.Errorf("%s: %w", k.Name, err)
	}
	keyVar := k.KeyVar
	if k.OwnKey != nil {
		if v := k.OwnKey(base.Hostname()); v != "" {
			keyVar = v
		}
	}
	t.Client = newClient(k.Name, base, strings.TrimSpace(opt.Getenv(keyVar)), keyVar, opt)
	return t, nil
}

// SplitAt separates MODEL from URL in MODEL@URL. A model's name may hold an @
// itself.
func SplitAt(s string) (address, model string) {
	i := strings.LastIndex(s, "@http")
	if i < 0 {
		i = strings.LastIndex(s, "@")
		if i < 0 || !strings.ContainsAny(s[i:], ".:") || strings.HasPrefix(s[i:], "@sha256:") {
			return "", s
		}
	}
	if i == 0 {
		return "", s
	}
	return s[i+1:], s[:i]
}

// parseURL reads the address of a server, which may be short.
func parseURL(s string, k Kind) (*url.URL, error) {
	if s == "" {
		s = cmp.Or(k.Address, "127.0.0.1")
	}
	short := !strings.Contains(s, "://")
	if short {
		s = "http://" + s
	}
	u, err := url.Parse(s)
	if err != nil {
		// The error of url.Parse repeats the text, which may hold a password.
		return nil, fmt.Errorf("the address is not a URL; write http://host:%s", k.Port)
	}
	if u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("the address begins with %q; allowed are http:// and https://", OneLine(u.Scheme, 20)+"://")
	}
	host := u.Hostname()
	switch host {
	case "", "0.0.0.0": // where a server listens is not where one connects to
		host = "127.0.0.1"
	case "::":
		host = "::1"
	}
	port := u.Port()
	if port == "" && (short || u.Scheme == "http" && k.Port != "443") {
		port = k.Port
	}
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	u.Host = host
	if port != "" {
		u.Host += ":" + port
	}
	u.Path = strings.TrimRight(u.Path, "/")
	if k.Path != "" {
		u.Path = strings.TrimSuffix(u.Path, k.Path)
	}
	u.RawPath, u.RawQuery, u.Fragment = "", "", ""
	return u, nil
}
