package remote_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"logitscope/models"
	"logitscope/models/fable"
	"logitscope/models/llama"
	"logitscope/models/remote"
	"logitscope/models/remote/remotetest"
)

// TestOtherKind opens every fake as a server of every other kind: the error
// names what it is and how to open it.
func TestOtherKind(t *testing.T) {
	local, err := fable.Open(llama.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer local.Close()
	fakes := []struct {
		kind, name string // how it is opened
		h          http.Handler
	}{
		{"llama-server", "llama-server:URL", remotetest.LlamaServer(local, remotetest.Options{Name: "fable"})},
		{"ollama-api", "ollama-api:NAME@URL", remotetest.Ollama(local, remotetest.Metadata(t, local), remotetest.Options{Name: "fable"})},
		{"vllm", "vllm:URL", remotetest.VLLM(local, remotetest.Options{Name: "fable"})},
		{"sglang", "sglang:URL", remotetest.SGLang(local, remotetest.Options{Name: "fable"})},
		{"openai", "openai:MODEL@URL/v1", chat(func(w http.ResponseWriter, _ int, _ map[string]any) {
			write(w, 404, "application/json", `{"error":"no such page"}`)
		})},
	}
	for _, f := range fakes {
		srv := httptest.NewServer(f.h)
		defer srv.Close()
		for _, as := range fakes {
			if as.kind == f.kind || as.kind == "openai" { // which watches them all
				continue
			}
			spec := strings.NewReplacer("URL", srv.URL, "NAME", "fable").Replace(as.name)
			opt := remote.Options{Timeouts: fast}
			opt.Timeouts.Retry = time.Second
			_, err := dial(t.Context(), spec, opt)
			if want := "this looks like " + f.kind + ": open it as " + strings.Replace(f.name, "URL", srv.URL, 1); err == nil || !strings.HasSuffix(err.Error(), want) {
				t.Errorf("%s at a %s: %v; want %q", as.kind, f.kind, err, want)
			}
		}
	}
}

// raw serves what answer writes to each connection.
func raw(t *testing.T, answer func(c net.Conn, n int)) (address string, count *atomic.Int32) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	count = new(atomic.Int32)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				answer(c, int(count.Add(1)))
			}()
		}
	}()
	return l.Addr().String(), count
}

// request reads a request head.
func request(c net.Conn) *http.Request {
	r, err := http.ReadRequest(bufio.NewReader(c))
	if err != nil {
		return nil
	}
	return r
}

func afterColon(spec string) string {
	_, rest, _ := strings.Cut(spec, ":")
	return rest
}

// TestHopeless opens servers whose answers cannot become right: each fails
// after one request, by a name of its own, for every kind.
func TestHopeless(t *testing.T) {
	const ok = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
	for _, c := range []struct{ name, answer, want string }{
		{"not HTTP", "SSH-2.0-OpenSSH_9.6\r\n", "does not speak HTTP"},
		{"a status of letters", "HTTP/1.1 abc OK\r\n\r\n", "does not speak HTTP"},
		{"a version of letters", "HTTP/x.y 200 OK\r\n\r\n", "does not speak HTTP"},
		{"a header without a colon", "HTTP/1.1 200 OK\r\nnonsense\r\n\r\n", "does not speak HTTP"},
		{"an unknown encoding", ok + "Transfer-Encoding: rot13\r\n\r\n", "does not speak HTTP"},
		{"malformed chunks", ok + "Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n", "does not speak HTTP"},
		{"a length of letters", ok + "Content-Length: many\r\n\r\n{}", "does not speak HTTP"},
		{"two lengths", ok + "Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}", "does not speak HTTP"},
		{"giant headers", "HTTP/1.1 200 OK\r\nX: " + strings.Repeat("x", 2<<20) + "\r\n\r\n", "headers that are too large"},
		{"TLS", "\x15\x03\x01\x00\x02\x02\x46", "speaks TLS: try https://"},
		{"a file", "HTTP/1.1 302 Found\r\nLocation: file:///etc/passwd\r\nContent-Length: 0\r\n\r\n", "redirects to file:///etc/passwd, which is not HTTP"},
		{"a mail", "HTTP/1.1 307 x\r\nLocation: mailto:a@b\r\nContent-Length: 0\r\n\r\n", "which is not HTTP"},
	} {
		for _, kind := range []string{"llama-server:URL", "vllm:URL", "sglang:URL", "ollama-api:m@URL", "openai:m@URL"} {
			addr, n := raw(t, func(conn net.Conn, _ int) {
				if request(conn) != nil {
					io.WriteString(conn, c.answer)
				}
			})
			m, err := remote.Open(t.Context(), kindOf(kind), strings.Replace(afterColon(kind), "URL", "http://"+addr, 1), remote.Options{Timeouts: fast})
			if err == nil { // openai has no list of models to read
				_, err = m.(models.Observer).Observe(t.Context(), hello, func(models.Observation) error { return nil })
			}
			var e *remote.Error
			if !errors.As(err, &e) || e.Temporary() || !strings.Contains(e.Msg, c.want) {
				t.Errorf("%s, %s: %v; want %q at once", kind, c.name, err, c.want)
			}
			if got := n.Load(); got > 2 {
				t.Errorf("%s, %s: asked %d times", kind, c.name, got)
			}
		}
	}
}

// TestPostStaysHome redirects what is posted to another host, or to where it
// would be posted no more: it does not go there, and the error names the
// address. On one host it is followed.
func TestPostStaysHome(t *testing.T) {
	fake := remotetest.LlamaServer(newToy(5), remotetest.Options{})
	var reached atomic.Int32
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == "POST" {
			reached.Add(1)
		}
		fake.ServeHTTP(w, r)
	}))
	defer other.Close()
	for _, c := range []struct {
		status int
		to     string // "" is the other host
		want   string // "" is that it works
	}{
		{301, "", "open the model at that address"}, {302, "", "open the model at that address"}, {303, "", "open the model at that address"},
		{307, "", "open the model at that address"}, {308, "", "open the model at that address"},
		{302, "/moved", "open the model at that address"}, {307, "/moved", ""}, {308, "/moved", ""},
	} {
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			path, moved := strings.CutPrefix(r.URL.Path, "/moved")
			r.URL.Path = path
			if r.Method != "POST" || moved {
				fake.ServeHTTP(w, r)
				return
			}
			to := other.URL + path
			if c.to != "" {
				to = c.to + path
			}
			http.Redirect(w, r, to, c.status)
		}))
		_, err := dial(t.Context(), "llama-server:"+srv.URL, remote.Options{Timeouts: fast})
		if (err == nil) != (c.want == "") || err != nil && (!strings.Contains(err.Error(), c.want) || c.to == "" && !strings.Contains(err.Error(), other.URL)) {
			t.Errorf("%d to %q: %v, want %q", c.status, c.to, err, c.want)
		}
		srv.Close()
	}
	if n := reached.Load(); n > 0 {
		t.Errorf("%d requests were posted to another host", n)
	}
}

// TestNoTLS opens servers without TLS by https, those included that only hang
// up.
func TestNoTLS(t *testing.T) {
	hangs, _ := raw(t, func(c net.Conn, n int) {
		if r := request(c); r != nil {
			io.WriteString(c, "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
		}
	})
	plain := httptest.NewServer(http.NotFoundHandler())
	defer plain.Close()
	for _, addr := range []string{hangs, strings.TrimPrefix(plain.URL, "http://")} {
		_, err := dial(t.Context(), "vllm:https://"+addr, remote.Options{Timeouts: fast})
		if err == nil || !strings.Contains(err.Error(), "does not speak TLS: try http://") {
			t.Error(err)
		}
	}
}

// A server is not said to lack TLS because of what it sends elsewhere, nor
// because of what listens at another port.
func TestTLSNotDenied(t *testing.T) {
	plain := httptest.NewServer(http.NotFoundHandler())
	defer plain.Close()
	moved, _ := raw(t, func(c net.Conn, n int) {
		if r := request(c); r != nil {
			io.WriteString(c, "HTTP/1.1 301 Moved\r\nLocation: "+plain.URL+"\r\nContent-Length: 0\r\n\r\n")
		}
	})
	closes, _ := raw(t, func(net.Conn, int) {})
	byPort := &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
		to := closes
		if _, port, _ := net.SplitHostPort(addr); port == "80" {
			to = strings.TrimPrefix(plain.URL, "http://")
		}
		return new(net.Dialer).DialContext(ctx, network, to)
	}}}
	for addr, client := range map[string]*http.Client{moved: nil, "127.0.0.1": byPort} {
		_, err := dial(t.Context(), "vllm:https://"+addr, remote.Options{Timeouts: fast, Client: client})
		if err == nil || strings.Contains(err.Error(), "does not speak TLS") {
			t.Errorf("%s: %v", addr, err)
		}
	}
}

// TestMissingPage names what was asked for where it is not there.
func TestMissingPage(t *testing.T) {
	srv := httptest.NewServer(http.NotFoundHandler())
	defer srv.Close()
	for kind, page := range map[string]string{
		"llama-server:URL/x": "GET URL/x/props", "vllm:URL": "GET URL/v1/models", "sglang:URL": "GET URL/model_info", "ollama-api:m@URL": "POST URL/api/show",
	} {
		_, err := dial(t.Context(), strings.Replace(kind, "URL", srv.URL, 1), remote.Options{Timeouts: fast})
		if want := strings.Replace(page, "URL", srv.URL, 1); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", kind, err, want)
		}
	}
}
