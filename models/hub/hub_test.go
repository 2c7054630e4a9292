package hub

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// content is the file that the test hub serves.
var content = func() []byte {
	r := rand.New(rand.NewPCG(3, 4))
	b := make([]byte, 3<<20)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}()

// fakeHub is a hub and a storage host, which misbehave as a test wants.
type fakeHub struct {
	hub, storage *httptest.Server

	mu       sync.Mutex
	requests []*http.Request
	gets     int

	head   func(w http.ResponseWriter) bool                           // answers HEAD itself
	serve  func(w http.ResponseWriter, r *http.Request, get int) bool // answers the get-th GET itself
	body   []byte
	sum    string
	size   string
	direct bool // no redirect to storage
}

func newHub(t *testing.T) *fakeHub {
	h := &fakeHub{body: content, sum: fmt.Sprintf("%x", sha256.Sum256(content)), size: strconv.Itoa(len(content))}
	h.storage = httptest.NewServer(http.HandlerFunc(h.store))
	h.hub = httptest.NewServer(http.HandlerFunc(h.resolve))
	t.Cleanup(func() {
		h.hub.CloseClientConnections()
		h.storage.CloseClientConnections()
		h.hub.Close()
		h.storage.Close()
	})
	return h
}

func (h *fakeHub) note(r *http.Request) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.requests = append(h.requests, r)
	return h.gets
}

func (h *fakeHub) resolve(w http.ResponseWriter, r *http.Request) {
	h.note(r)
	if r.URL.Path != "/o/r/resolve/main/dir/f.gguf" {
		http.NotFound(w, r)
		return
	}
	if r.Method == http.MethodHead && h.head != nil && h.head(w) {
		return
	}
	if h.sum != "" {
		w.Header().Set("X-Linked-Etag", `"`+h.sum+`"`)
	}
	if h.size != "" {
		w.Header().Set("X-Linked-Size", h.size)
	}
	if h.direct {
		h.store(w, r)
		return
	}
	w.Header().Set("Location", h.storage.URL+"/blob?signature=secret")
	w.WriteHeader(http.StatusFound)
}

func (h *fakeHub) store(w http.ResponseWriter, r *http.Request) {
	if !h.direct {
		h.note(r)
	}
	if r.Method == http.MethodGet {
		h.mu.Lock()
		h.gets++
		n := h.gets
		h.mu.Unlock()
		if h.serve != nil && h.serve(w, r, n) {
			return
		}
	}
	w.Header().Set("ETag", `"v1"`)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(h.body))
}

func (h *fakeHub) options(t *testing.T) Options {
	return Options{Endpoint: h.hub.URL, Dir: t.TempDir(), StallTimeout: time.Minute, Backoff: time.Millisecond, Attempts: 3}
}

var ref = Ref{"o", "r", "dir/f.gguf", "main"}

// whole checks that path holds the file and nothing else lies beside it.
func whole(t *testing.T, path string) {
	t.Helper()
	got, err := os.ReadFile(path)
	if err != nil || !bytes.Equal(got, content) {
		t.Fatalf("the file has %d bytes (%v), or others than it should", len(got), err)
	}
	left, _ := filepath.Glob(path + ".*")
	if len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestPull(t *testing.T) {
	h := newHub(t)
	opt := h.options(t)
	opt.Token = "hf_secret"
	var last, total int64
	opt.Progress = func(d, n int64) {
		if d < last {
			t.Errorf("progress went from %d to %d", last, d)
		}
		last, total = d, n
	}
	path, err := Pull(context.Background(), ref, opt)
	if err != nil {
		t.Fatal(err)
	}
	whole(t, path)
	if want := filepath.Join(opt.Dir, "o", "r", "dir", "f.gguf"); path != want {
		t.Errorf("path %s, want %s", path, want)
	}
	if last != int64(len(content)) || total != last {
		t.Errorf("progress ended at %d of %d", last, total)
	}
	for _, r := range h.requests {
		auth := r.Header.Get("Authorization")
		if toHub := "http://"+r.Host == h.hub.URL; toHub != (auth == "Bearer hf_secret") || !toHub && auth != "" {
			t.Errorf("%s %s%s had Authorization %q", r.Method, r.Host, r.URL.Path, auth)
		}
	}
	// A second call finds the file and sends nothing but the question.
	before := h.gets
	if _, err := Pull(context.Background(), ref, opt); err != nil || h.gets != before {
		t.Errorf("second call: %v, %d more downloads", err, h.gets-before)
	}
	// A file that was damaged in the cache is fetched again.
	opt.Progress = nil
	damaged := bytes.Clone(content)
	damaged[100] ^= 1
	os.WriteFile(path, damaged, 0o644)
	if _, err := Pull(context.Background(), ref, opt); err != nil {
		t.Fatal(err)
	}
	whole(t, path)
}

// Servers that break off, stall, fail or answer oddly at first.
func TestPullRecovers(t *testing.T) {
	partial := func(w http.ResponseWriter, from, n int) {
		w.Header().Set("ETag", `"v1"`)
		w.Header().Set("Content-Length", strconv.Itoa(len(content)-from))
		if from > 0 {
			w.Header().Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", from, len(content)-1, len(content)))
			w.WriteHeader(http.StatusPartialContent)
		}
		w.Write(content[from : from+n])
		w.(http.Flusher).Flush()
	}
	for _, c := range []struct {
		name  string
		serve func(w http.ResponseWriter, r *http.Request, get int) bool
		gets  int

		stalls bool
	}{
		{"breaks off", func(w http.ResponseWriter, r *http.Request, get int) bool {
			if get == 1 {
				partial(w, 0, 1<<20)
				panic(http.ErrAbortHandler)
			}
			return false
		}, 2, false},
		{"breaks off more often than there are tries in a row", func(w http.ResponseWriter, r *http.Request, get int) bool {
			if get <= 6 {
				partial(w, (get-1)*100_000, 100_000)
				panic(http.ErrAbortHandler)
			}
			return false
		}, 7, false},
		{"stalls", func(w http.ResponseWriter, r *http.Request, get int) bool {
			if get == 1 {
				partial(w, 0, 1<<20)
				<-r.Context().Done()
				return true
			}
			return false
		}, 2, true},
		{"never answers at first", func(w http.ResponseWriter, r *http.Request, get int) bool {
			if get == 1 {
				<-r.Context().Done()
				return true
			}
			return false
		}, 2, true},
		{"503 at first", func(w http.ResponseWriter, r *http.Request, get int) bool {
			if get <= 2 {
				w.WriteHeader(http.StatusServiceUnavailable)
				return true
			}
			return false
		}, 3, false},
		{"ignores the range", func(w http.ResponseWriter, r *http.Request, get int) bool {
			if get == 1 {
				partial(w, 0, 1<<20)
				panic(http.ErrAbortHandler)
			}
			w.Write(content)
			return true
		}, 2, false},
		{"answers another range", func(w http.ResponseWriter, r *http.Request, get int) bool {
			switch get {
			case 1:
				partial(w, 0, 1<<20)
				panic(http.ErrAbortHandler)
			case 2:
				partial(w, 5, 100)
				panic(http.ErrAbortHandler)
			}
			return false
		}, 3, false},
		{"changes the file in between", func(w http.ResponseWriter, r *http.Request, get int) bool {
			if get == 1 {
				w.Header().Set("ETag", `"v0"`)
				w.Header().Set("Content-Length", strconv.Itoa(len(content)))
				w.Write(make([]byte, 1<<20))
				panic(http.ErrAbortHandler)
			}
			return false // If-Range does not match: the whole file comes
		}, 2, false},
		{"corrupts once", func(w http.ResponseWriter, r *http.Request, get int) bool {
			if get == 1 {
				w.Write(make([]byte, len(content)))
				return true
			}
			return false
		}, 2, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newHub(t)
			h.serve = c.serve
			opt := h.options(t)
			if c.stalls {
				opt.StallTimeout, opt.Attempts = 300*time.Millisecond, 100
			}
			path, err := Pull(context.Background(), ref, opt)
			if err != nil {
				t.Fatal(err)
			}
			whole(t, path)
			if h.gets != c.gets && !c.stalls { // a slow machine may stall by itself
				t.Errorf("%d downloads, want %d", h.gets, c.gets)
			}
		})
	}
}

// Servers that never get it right: the error says what and where, and no file
// appears.
func TestPullFails(t *testing.T) {
	for _, c := range []struct {
		name, want string
		set        func(h *fakeHub)
	}{
		{"always corrupt", "has SHA-256", func(h *fakeHub) { h.body = make([]byte, len(content)) }},
		{"longer than announced", "3145728 bytes", func(h *fakeHub) {
			h.serve = func(w http.ResponseWriter, r *http.Request, get int) bool {
				w.(http.Flusher).Flush() // no Content-Length
				w.Write(content)
				w.Write(content[:100])
				return true
			}
		}},
		{"announces another length", "announced", func(h *fakeHub) { h.body = content[:1000] }},
		{"always short", "given up after 3 tries", func(h *fakeHub) {
			h.serve = func(w http.ResponseWriter, r *http.Request, get int) bool {
				w.(http.Flusher).Flush()
				w.Write(content[:1000])
				return true
			}
		}},
		{"always stalls", "nothing arrived for", func(h *fakeHub) {
			h.serve = func(w http.ResponseWriter, r *http.Request, get int) bool {
				<-r.Context().Done()
				return true
			}
		}},
		{"always 500", "500 Internal Server Error", func(h *fakeHub) {
			h.serve = func(w http.ResponseWriter, r *http.Request, get int) bool {
				w.WriteHeader(500)
				return true
			}
		}},
		{"HEAD 401", "HF_TOKEN", func(h *fakeHub) {
			h.head = func(w http.ResponseWriter) bool { w.WriteHeader(401); return true }
		}},
		{"HEAD 404", "no such repository", func(h *fakeHub) {
			h.head = func(w http.ResponseWriter) bool { w.WriteHeader(404); return true }
		}},
		{"HEAD redirects for ever", "redirected more than", func(h *fakeHub) {
			h.head = func(w http.ResponseWriter) bool {
				w.Header().Set("Location", "/o/r/resolve/main/dir/f.gguf")
				w.WriteHeader(http.StatusFound)
				return true
			}
		}},
		{"GET redirects for ever", "redirected more than", func(h *fakeHub) {
			h.serve = func(w http.ResponseWriter, r *http.Request, get int) bool {
				http.Redirect(w, r, "/again", http.StatusFound)
				return true
			}
		}},
		{"nobody there", "connect", func(h *fakeHub) { h.hub.Close() }},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newHub(t)
			c.set(h)
			opt := h.options(t)
			if c.name == "always stalls" {
				opt.StallTimeout = 100 * time.Millisecond
			}
			_, err := Pull(context.Background(), ref, opt)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Fatalf("got %v, want an error with %q", err, c.want)
			}
			if !strings.Contains(err.Error(), "pull hf:o/r/dir/f.gguf") || strings.Contains(err.Error(), "secret") || strings.Contains(err.Error(), "\n") {
				t.Errorf("%q does not name the file on one line, or shows a signature", err)
			}
			if _, err := os.Stat(ref.Path(opt.Dir)); !errors.Is(err, os.ErrNotExist) {
				t.Error("a file appeared")
			}
		})
	}
}

// A call that is interrupted leaves its part, and the next goes on from it.
func TestPullResumes(t *testing.T) {
	h := newHub(t)
	ctx, cancel := context.WithCancel(context.Background())
	opt := h.options(t)
	h.serve = func(w http.ResponseWriter, r *http.Request, get int) bool {
		if get > 1 {
			return false
		}
		w.Header().Set("ETag", `"v1"`)
		w.Header().Set("Content-Length", strconv.Itoa(len(content)))
		w.Write(content[:2<<20])
		w.(http.Flusher).Flush()
		<-r.Context().Done()
		return true
	}
	opt.Progress = func(done, _ int64) {
		if done >= 2<<20 {
			cancel()
		}
	}
	if _, err := Pull(ctx, ref, opt); !errors.Is(err, context.Canceled) {
		t.Fatalf("interrupted: %v", err)
	}
	opt.Progress = nil
	path, err := Pull(context.Background(), ref, opt)
	if err != nil {
		t.Fatal(err)
	}
	whole(t, path)
	r := h.requests[len(h.requests)-1]
	if r.Header.Get("Range") != "bytes=2097152-" || r.Header.Get("If-Range") != `"v1"` {
		t.Errorf("resumed with Range %q, If-Range %q", r.Header.Get("Range"), r.Header.Get("If-Range"))
	}
}

// A part that holds other bytes than it says is found out by the checksum.
func TestPullDamagedPart(t *testing.T) {
	h := newHub(t)
	opt := h.options(t)
	path := ref.Path(opt.Dir)
	os.MkdirAll(filepath.Dir(path), 0o755)
	os.WriteFile(path+".part", make([]byte, 1000), 0o644)
	os.WriteFile(path+".part.json", fmt.Appendf(nil, `{"sha256":%q,"size":%d,"etag":"\"v1\""}`, h.sum, len(content)), 0o644)
	if _, err := Pull(context.Background(), ref, opt); err != nil {
		t.Fatal(err)
	}
	whole(t, path)
}

// Small files have no checksum: the size decides.
func TestPullWithoutChecksum(t *testing.T) {
	h := newHub(t)
	h.sum, h.size, h.direct = "", "", true
	path, err := Pull(context.Background(), ref, h.options(t))
	if err != nil {
		t.Fatal(err)
	}
	whole(t, path)
}

func TestParseRef(t *testing.T) {
	for s, want := range map[string]Ref{
		"hf:o/r/f.gguf":         {"o", "r", "f.gguf", "main"},
		"o/r/dir/f-Q4_0.gguf":   {"o", "r", "dir/f-Q4_0.gguf", "main"},
		"hf:o/r/f.gguf@v1.0":    {"o", "r", "f.gguf", "v1.0"},
		"hf:o/r/f.gguf@refs/pr": {"o", "r", "f.gguf", "refs/pr"},
	} {
		if got, err := ParseRef(s); err != nil || got != want {
			t.Errorf("ParseRef(%q) = %+v, %v", s, got, err)
		}
	}
	for _, s := range []string{"", "hf:", "hf:o/r", "hf:o/r/", "hf:/r/f", "hf:../r/f", "hf:o/../f", "hf:o/r/../f", "hf:o/r/a//f",
		"hf:o/r/f@", "hf:o/r/f@../x", `hf:o/r/..\f`, "hf:o/r/f\x00", "hf:o/r/f?x", "hf:o/r/f%2e", "hf:o/r/" + strings.Repeat("f", 500)} {
		if _, err := ParseRef(s); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("ParseRef(%q) = %v, want an error", s, err)
		}
	}
}

func TestBadEndpoint(t *testing.T) {
	for _, e := range []string{"huggingface.co", "ftp://x", "http://", "://"} {
		if _, err := Pull(context.Background(), ref, Options{Endpoint: e, Dir: t.TempDir()}); err == nil || !strings.Contains(err.Error(), "endpoint") {
			t.Errorf("endpoint %q: %v", e, err)
		}
	}
}

// FuzzParseRef: a reference that is accepted stays inside the cache and is
// read back from its text.
func FuzzParseRef(f *testing.F) {
	for _, s := range []string{"hf:o/r/f.gguf", "o/r/d/f@v1", "../o/r", "a/b/c@d/e"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		r, err := ParseRef(s)
		if err != nil {
			return
		}
		if !filepath.IsLocal(r.Path("")) {
			t.Errorf("%q leads out of the cache: %s", s, r.Path(""))
		}
		if back, err := ParseRef(r.String()); err != nil || back != r {
			t.Errorf("%q: %+v is read back as %+v, %v", s, r, back, err)
		}
	})
}
