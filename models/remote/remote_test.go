package remote_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"unicode"

	"logitscope/models/remote"
	"logitscope/models/remote/llamaserver"
	"logitscope/models/remote/ollama"
	"logitscope/models/remote/openai"
	"logitscope/models/remote/sglang"
	"logitscope/models/remote/vllm"
)

// parse reads a name with its kind.
func parse(spec string, opt remote.Options) (remote.Target, error) {
	return remote.Parse(kindOf(spec), afterColon(spec), opt)
}

// kindOf returns the kind that spec begins with.
func kindOf(spec string) remote.Kind {
	kinds := []remote.Kind{llamaserver.Kind, ollama.Kind, vllm.Kind, sglang.Kind, openai.Kind}
	name, _, _ := strings.Cut(spec, ":")
	return kinds[max(0, slices.IndexFunc(kinds, func(k remote.Kind) bool { return k.Name == name }))]
}

func TestParse(t *testing.T) {
	env := map[string]string{
		"OLLAMA_HOST": "0.0.0.0:1234", "LLAMA_API_KEY": " key-llama\n", "OPENAI_API_KEY": "key-openai", "GROQ_API_KEY": "key-groq",
		"VLLM_API_KEY": "key-vllm",
	}
	for _, c := range []struct {
		spec, base, model, auth string
	}{
		{"llama-server:http://box:8081", "http://box:8081", "", "Bearer key-llama"},
		{"llama-server:box", "http://box:8080", "", "Bearer key-llama"},
		{"llama-server:", "http://127.0.0.1:8080", "", "Bearer key-llama"},
		{"llama-server::9999", "http://127.0.0.1:9999", "", "Bearer key-llama"},
		{"llama-server:https://box/", "https://box", "", "Bearer key-llama"},
		{"llama-server:https://box/llm/v1/?x=1#y", "https://box/llm", "", "Bearer key-llama"},
		{"llama-server:http://[::]:80", "http://[::1]:80", "", "Bearer key-llama"},
		{"llama-server:http://joe:pw@box", "http://box:8080", "", "Basic am9lOnB3"},
		{"vllm:http://box#org/model", "http://box:8000", "org/model", "Bearer key-vllm"},
		{"vllm:box:1/v1", "http://box:1", "", "Bearer key-vllm"},
		{"sglang:box", "http://box:30000", "", ""},
		{"ollama-api:llama3.2:1b", "http://127.0.0.1:1234", "llama3.2:1b", ""},
		{"ollama-api:hf.co/a/b:Q4@http://box:5/api", "http://box:5", "hf.co/a/b:Q4", ""},
		{"ollama-api:m@sha256:abc", "http://127.0.0.1:1234", "m@sha256:abc", ""},
		{"openai:gpt-x", "https://api.openai.com/v1", "gpt-x", "Bearer key-openai"},
		{"openai:@cf/meta/x@https://api.groq.com/openai/v1", "https://api.groq.com/openai/v1", "@cf/meta/x", "Bearer key-groq"},
		{"openai:@cf/x", "https://api.openai.com/v1", "@cf/x", "Bearer key-openai"},
		{"openai:m@box:99/v1", "http://box:99/v1", "m", "Bearer key-openai"},
		{"openai:m@https://notgroq.com/v1", "https://notgroq.com/v1", "m", "Bearer key-openai"},
	} {
		tg, err := parse(c.spec, remote.Options{Getenv: func(k string) string { return env[k] }})
		if err != nil {
			t.Errorf("%s: %v", c.spec, err)
			continue
		}
		if base, auth := remote.Wire(tg); base != c.base || tg.Model != c.model || auth != c.auth {
			t.Errorf("%s: %s, %q, %s; want %s, %q, %s", c.spec, base, tg.Model, auth, c.base, c.model, c.auth)
		}
	}
	for spec, want := range map[string]string{
		"openai:":                          "openai: needs the name of a model",
		"llama-server:ftp://box":           `llama-server: the address begins with "ftp://"; allowed are http:// and https://`,
		"llama-server:http://joe:s3cr%t@x": "the address is not a URL",
		"llama-server:http://box:port":     "the address is not a URL",
	} {
		_, err := parse(spec, remote.Options{})
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "s3cr") {
			t.Errorf("%s: %v, want %s", spec, err, want)
		}
	}
	_, err := parse("ollama-api:m", remote.Options{Getenv: func(string) string { return "ftp://x" }})
	if err == nil || !strings.Contains(err.Error(), "OLLAMA_HOST") {
		t.Errorf("a bad OLLAMA_HOST: %v", err)
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"vllm:http://u:p@[::1]:8/v1#m", "openai:a@b@http://c", "ollama-api:x@y.z", "llama-server::", "sglang:%zz", "openai:m@http://\x00"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, spec string) {
		tg, err := parse(spec, remote.Options{})
		if err != nil {
			if strings.ContainsFunc(err.Error(), func(r rune) bool { return unicode.IsControl(r) }) {
				t.Errorf("%q: %q", spec, err)
			}
			return
		}
		base, auth := remote.Wire(tg)
		if _, err := http.NewRequest("GET", base+"/x", nil); err != nil || strings.Contains(base, "@") && auth == "" && strings.Contains(strings.SplitN(base, "/", 4)[2], "@") {
			t.Errorf("%q: %s, %v", spec, base, err)
		}
	})
}

// TestSecrets sends keys and passwords back in every way a server can.
func TestSecrets(t *testing.T) {
	echo := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		auth := r.Header.Get("Authorization")
		switch r.URL.Path {
		case "/redirect/props":
			http.Redirect(w, r, "http://"+r.Host+"/elsewhere?auth="+url.QueryEscape(auth), http.StatusFound)
		default:
			write(w, 400, "application/json", `{"error":{"message":"bad `+auth+`","type":"`+auth+`"}}`)
		}
	}))
	defer echo.Close()
	host := strings.TrimPrefix(echo.URL, "http://")
	for _, spec := range []string{
		"llama-server:http://" + host, "llama-server:http://joe:s3cret@" + host, "llama-server:http://joe:s3cret@" + host + "/redirect",
		"vllm:joe:s3cret@" + host, "openai:m@http://joe:s3cret@" + host, "llama-server:http://joe:s3cret@127.0.0.1:1",
	} {
		_, err := dial(t.Context(), spec, remote.Options{Timeouts: fast, Getenv: func(k string) string {
			if strings.HasSuffix(k, "_KEY") {
				return "sk-s3cret-key"
			}
			return ""
		}})
		if strings.HasPrefix(spec, "openai") && err == nil {
			continue // it has no list of models to refuse
		}
		if err == nil || strings.Contains(err.Error(), "s3cret") || strings.Contains(err.Error(), "am9lOnMzY3JldA") {
			t.Errorf("%s: %v", spec, err)
		}
	}
}
