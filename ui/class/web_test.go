package class

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"strings"
	"testing"
)

// A browser is one of a test: it has loaded the page and reads its events.
type browser struct {
	*window
	client *http.Client
	url    string
	stop   context.CancelFunc
}

func visit(t testing.TB, c *Class) *browser {
	t.Helper()
	jar, _ := cookiejar.New(nil)
	b := &browser{window: &window{got: make(chan struct{}, 1)}, client: &http.Client{Jar: jar, Transport: &http.Transport{}}, url: strings.TrimSuffix(c.Card.Web, "/")}
	resp, err := b.client.Get(c.Card.Web)
	if err != nil {
		t.Fatal(err)
	}
	body, _ := io.ReadAll(resp.Body)
	resp.Body.Close()
	if resp.StatusCode != 200 || string(body) != string(page) {
		t.Fatalf("%s, %d bytes", resp.Status, len(body))
	}
	return b
}

// browse opens the page and its stream.
func browse(t testing.TB, c *Class) *browser {
	t.Helper()
	b := visit(t, c)
	b.listen(t)
	return b
}

func (b *browser) listen(t testing.TB) {
	ctx, cancel := context.WithCancel(context.Background())
	b.stop = cancel
	t.Cleanup(cancel)
	req, _ := http.NewRequestWithContext(ctx, "GET", b.url+"/events", nil)
	resp, err := b.client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	if resp.StatusCode != 200 {
		body, _ := io.ReadAll(resp.Body)
		t.Fatalf("%s: %s", resp.Status, body)
	}
	to := b.window
	go func() {
		defer resp.Body.Close()
		r := bufio.NewReader(resp.Body)
		for {
			line, err := r.ReadString('\n')
			to.Write([]byte(line))
			if err != nil {
				return
			}
		}
	}()
}

// post sends JSON as the page does; change may alter the request.
func (b *browser) post(what, body string, change func(*http.Request)) (int, string) {
	req, _ := http.NewRequest("POST", b.url+"/"+what, strings.NewReader(body))
	req.Header.Set("Origin", b.url[:strings.LastIndex(b.url, "/")])
	if change != nil {
		change(req)
	}
	resp, err := b.client.Do(req)
	if err != nil {
		return 0, err.Error()
	}
	defer resp.Body.Close()
	said, _ := io.ReadAll(resp.Body)
	return resp.StatusCode, strings.TrimSpace(string(said))
}

func TestVoteOnThePage(t *testing.T) {
	t.Parallel()
	c := opened(t, nil)
	a := browse(t, c)
	a.shows(t, "event: you")
	if code, said := a.post("vote", `{"question":1,"chips":[10,0,0]}`, nil); code != 409 || said != errClosed.Error() {
		t.Errorf("before the question: %d %s", code, said)
	}
	c.Ask(three)
	a.shows(t, `"open":true`)
	for _, bad := range []string{
		`{"question":1,"chips":[10,0]}`, `{"question":1,"chips":[9,0,0]}`, `{"question":1,"chips":[11,-1,0]}`, `{"question":2,"chips":[10,0,0]}`,
		`{}`, ``, `[]`, `{"question":1,"chips":[10,0,0]}{}`, `{"question":1,"chips":[10,0,0],"admin":true}`, `{"question":1e999,"chips":[1e999]}`,
		strings.Repeat("[", 500),
	} {
		if code, said := a.post("vote", bad, nil); code != 409 {
			t.Errorf("%s: %d %s", bad, code, said)
		}
	}
	if code, _ := a.post("vote", `{"question":1,"chips":[10,0,0]`+strings.Repeat(" ", longestPost)+"}", nil); code != 413 {
		t.Errorf("a post beyond 1 KiB: %d", code)
	}
	if code, said := a.post("vote", `{"question":1,"chips":[10,0,0]}`, nil); code != 204 {
		t.Errorf("%d %s", code, said)
	}
	if code, _ := a.post("vote", `{"question":1,"chips":[4,6,0]}`, nil); code != 204 {
		t.Error("a vote cannot be changed")
	}
	if n := c.Standing().Voted; n != 1 {
		t.Errorf("one browser voted %d times", n)
	}
	a.shows(t, `"chips":[4,6,0]`)
	if strings.Contains(a.text(), "held") || strings.Contains(a.text(), "result") {
		t.Error("results before the end")
	}
	c.Reveal(drawnFirst(), nil)
	a.shows(t, `"result":{"drawn":0`)
	if code, _ := a.post("vote", `{"question":1,"chips":[10,0,0]}`, nil); code != 409 {
		t.Errorf("after the end: %d", code)
	}
}

// What another page, another name or another code asks for is refused.
func TestPageIsClosedToOthers(t *testing.T) {
	t.Parallel()
	c := opened(t, nil)
	a := browse(t, c)
	a.shows(t, "event: you")
	c.Ask(three)
	const ok = `{"question":1,"chips":[10,0,0]}`
	for name, change := range map[string]func(*http.Request){
		"another origin": func(r *http.Request) { r.Header.Set("Origin", "http://evil.example") },
		"no origin":      func(r *http.Request) { r.Header.Del("Origin") },
		"another name":   func(r *http.Request) { r.Host = "evil.example"; r.Header.Set("Origin", "http://evil.example") },
		"another code":   func(r *http.Request) { r.URL.Path = "/4822/vote" },
	} {
		want := map[string]int{"another origin": 403, "no origin": 403, "another name": 421, "another code": 404}[name]
		if code, said := a.post("vote", ok, change); code != want {
			t.Errorf("%s: %d %s, want %d", name, code, said, want)
		}
	}
	bare := &http.Client{}
	for path, want := range map[string]int{"/": 404, "/4822": 404, "/4822/": 404, "/4821/events": 403, "/4821/x": 404, "/4821/../4821/hub.go": 404, "/favicon.ico": 404, "/4821": 200, "/4821/": 200} {
		resp, err := bare.Get("http://" + strings.TrimPrefix(a.url[:strings.LastIndex(a.url, "/")], "http://") + path)
		if err != nil {
			t.Fatal(err)
		}
		said, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		if resp.StatusCode != want {
			t.Errorf("GET %s: %s, want %d", path, resp.Status, want)
		}
		if hint := want == 404 && strings.Count(path, "/") == 1; hint && !strings.Contains(string(said), "the teacher's screen shows") {
			t.Errorf("GET %s: %s", path, said)
		}
	}
	for _, f := range c.shell.gate.from {
		if len(f.wrong) != 3 { // with the vote under another code
			t.Errorf("%d wrong codes; a path that no code can be is none", len(f.wrong))
		}
	}
	for _, method := range []string{"PUT", "DELETE", "OPTIONS", "CONNECT", "TRACE"} {
		req, _ := http.NewRequest(method, a.url+"/vote", nil)
		req.Header.Set("Origin", a.url[:strings.LastIndex(a.url, "/")])
		resp, err := bare.Do(req)
		if err != nil {
			continue
		}
		resp.Body.Close()
		if resp.StatusCode/100 == 2 {
			t.Errorf("%s: %s", method, resp.Status)
		}
	}
	if n := c.Standing().Voted; n != 0 {
		t.Errorf("%d votes", n)
	}
}

func TestPageHeaders(t *testing.T) {
	t.Parallel()
	c := opened(t, nil)
	resp, err := http.Get(c.Card.Web)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	h := resp.Header
	for _, want := range []string{"default-src 'none'", "script-src 'sha256-", "style-src 'sha256-", "frame-ancestors 'none'"} {
		if !strings.Contains(h.Get("Content-Security-Policy"), want) {
			t.Errorf("policy %q lacks %s", h.Get("Content-Security-Policy"), want)
		}
	}
	cookies := resp.Cookies()
	if len(cookies) != 1 || !cookies[0].HttpOnly || cookies[0].SameSite != http.SameSiteStrictMode || len(cookies[0].Value) != 2*cookieBytes {
		t.Errorf("cookies %v", cookies)
	}
	if h.Get("X-Content-Type-Options") != "nosniff" {
		t.Error("no nosniff")
	}
}

// The page is one file that asks for nothing else and never writes markup.
func TestPageIsOneFile(t *testing.T) {
	t.Parallel()
	text := string(page)
	for _, bad := range []string{"http://", "https://", "src=", "@import", "innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "localStorage", "style=\""} {
		if strings.Contains(text, bad) {
			t.Errorf("the page has %s", bad)
		}
	}
	if len(page) > 24<<10 {
		t.Errorf("%d bytes", len(page))
	}
}

// One browser has one seat, however often it opens the page; the newest has
// it.
func TestOneSeatABrowser(t *testing.T) {
	t.Parallel()
	c := opened(t, nil)
	a := browse(t, c)
	a.shows(t, "event: you")
	old := a.window
	a.window = &window{got: make(chan struct{}, 1)}
	a.listen(t)
	a.shows(t, "event: you")
	old.shows(t, errElsewhere.Error())
	if n := c.Standing().Here; n != 1 {
		t.Errorf("%d here", n)
	}
}

func TestPageIsFullOrLocked(t *testing.T) {
	t.Parallel()
	c := opened(t, func(s *Setup) { s.Max = 1 })
	a := browse(t, c)
	a.shows(t, "event: you")
	b := visit(t, c)
	for _, lock := range []bool{false, true} {
		c.Lock(lock)
		resp, err := b.client.Get(b.url + "/events")
		if err != nil {
			t.Fatal(err)
		}
		said, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		want := errFull.Error()
		if lock {
			want = errLocked.Error()
		}
		if resp.StatusCode != 503 || strings.TrimSpace(string(said)) != want {
			t.Errorf("%s %s", resp.Status, said)
		}
	}
	if code, said := b.post("vote", `{"question":1,"chips":[10]}`, nil); code != 404 && code != 403 {
		t.Errorf("a vote without a seat: %d %s", code, said)
	}
}

func TestNamesOnThePage(t *testing.T) {
	t.Parallel()
	given := opened(t, nil)
	a := browse(t, given)
	a.shows(t, "event: you")
	if code, said := a.post("name", `{"name":"Ada"}`, nil); code != 409 || said != errGiven.Error() {
		t.Errorf("%d %s", code, said)
	}
	free := opened(t, func(s *Setup) { s.FreeNames = true })
	b := browse(t, free)
	b.shows(t, `"free":true`)
	for name, want := range map[string]int{"Ada": 204, "<script>": 409, "a\u202eb": 409, strings.Repeat("x", 40): 409} {
		body, _ := json.Marshal(map[string]string{"name": name})
		if code, said := b.post("name", string(body), nil); code != want {
			t.Errorf("%q: %d %s", name, code, said)
		}
	}
	b.shows(t, `"name":"Ada"`)
}

// A reader that never reads is dropped, and holds nobody.
func TestSlowBrowser(t *testing.T) {
	t.Parallel()
	c := opened(t, nil)
	b := visit(t, c)
	req, _ := http.NewRequest("GET", b.url+"/events", nil)
	resp, err := b.client.Do(req) // its body is never read
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	a := browse(t, c)
	for i := range 300 {
		s := frames(c.Hub, "x")
		s.Text = fmt.Sprint(i, strings.Repeat("long ", 4000))
		c.Show(s)
	}
	s := frames(c.Hub, "x")
	s.Text = "the last one"
	c.Show(s)
	a.shows(t, "the last one")
}

// Whatever is sent as a vote, nothing but a whole guess counts.
func FuzzVote(f *testing.F) {
	for _, s := range []string{`{"question":1,"chips":[10,0,0]}`, `{"question":1,"chips":[4,3,3]}`, `{"chips":[-1,11,0]}`, `[]`, `{"question":1e5}`, "\x00"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		h := newHub(Options{Max: 1})
		s, err := h.join("a", nil)
		if err != nil {
			t.Fatal(err)
		}
		h.Ask(three)
		err = vote(s, body)
		g := s.you().Guess
		if (err == nil) != (g != nil) || g != nil && g.Check(3) != nil {
			t.Errorf("%q: %v, %v", body, err, g)
		}
		rename(s, body)
	})
}

// An open class has no code in its address.
func TestOpenClass(t *testing.T) {
	t.Parallel()
	c := opened(t, func(s *Setup) { s.Anybody = true })
	if !strings.HasSuffix(c.Card.Web, "/") || c.Card.Code != "" {
		t.Errorf("%+v", c.Card)
	}
	a := browse(t, c)
	a.shows(t, "event: you")
	c.Ask(three)
	a.shows(t, `"open":true`)
	code, said := a.post("vote", `{"question":1,"chips":[10,0,0]}`, func(r *http.Request) { r.Header.Set("Origin", a.url) })
	if code != 204 || c.Standing().Voted != 1 {
		t.Errorf("%d %s, %d voted", code, said, c.Standing().Voted)
	}
}
