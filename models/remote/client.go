package remote

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// Timeouts bound how long a server may keep a call waiting. A zero field
// stands for the value given with it.
type Timeouts struct {
	Connect time.Duration // to open a connection; 5 s
	Idle    time.Duration // between two pieces of an answer, and before the first; 2 min
	Request time.Duration // for one whole answer; 10 min
	Retry   time.Duration // from the first fault of a call until it gives up; 1 min
	Backoff time.Duration // before the second retry, doubling up to 32 times as much; 100 ms
	Encode  time.Duration // for [models.Vocab] Encode, which has no context; 10 s
}

func (t Timeouts) filled() Timeouts {
	for _, f := range []struct {
		d   *time.Duration
		def time.Duration
	}{
		{&t.Connect, 5 * time.Second}, {&t.Idle, 2 * time.Minute}, {&t.Request, 10 * time.Minute},
		{&t.Retry, time.Minute}, {&t.Backoff, 100 * time.Millisecond}, {&t.Encode, 10 * time.Second},
	} {
		if *f.d <= 0 {
			*f.d = f.def
		}
	}
	return t
}

var (
	errIdle      = errors.New("idle")
	errTotal     = errors.New("too slow")
	errRedirects = errors.New("too many redirects")
)

// A redirectError is a redirect that must not be followed.
type redirectError struct{ why string }

func (e *redirectError) Error() string { return e.why }

// A Client sends requests to one server: it adds the key, bounds what it
// reads, and turns every fault into an [Error].
type Client struct {
	http     *http.Client
	base     string // without a slash at the end
	Kind     string // of server
	Host     string
	Name     string // both, for messages: "vllm host:8000"
	auth     string // value of the Authorization header, or empty
	keyVar   string // the environment variable that may hold the key
	hasKey   bool
	secrets  []string // what must never be printed
	timeouts Timeouts
	notice   func(string) // may be nil
	Meter    *Meter
}

// newClient returns a client for base, which may hold user:password@.
func newClient(kind string, base *url.URL, key, keyVar string, opt Options) *Client {
	c := &Client{
		Kind: kind, Host: OneLine(base.Host, 80), Name: kind + " " + OneLine(base.Host, 80), keyVar: keyVar, hasKey: key != "",
		timeouts: opt.Timeouts.filled(), notice: opt.Notice, Meter: &Meter{},
	}
	if key != "" {
		c.auth = "Bearer " + key
		c.secrets = append(c.secrets, key)
	}
	u := *base
	if u.User != nil {
		pw, _ := u.User.Password()
		r := http.Request{Header: http.Header{}}
		r.SetBasicAuth(u.User.Username(), pw)
		c.auth = r.Header.Get("Authorization")
		c.secrets = append(c.secrets, u.User.String(), strings.TrimPrefix(c.auth, "Basic "))
		if pw != "" {
			c.secrets = append(c.secrets, pw)
		}
		u.User = nil
	}
	c.base = strings.TrimRight(u.String(), "/")
	h := http.Client{}
	if opt.Client != nil {
		h = *opt.Client
	} else {
		h.Transport = &http.Transport{
			Proxy:               http.ProxyFromEnvironment,
			DialContext:         c.dial,
			TLSHandshakeTimeout: c.timeouts.Connect,
			MaxIdleConnsPerHost: 16,
			IdleConnTimeout:     90 * time.Second,
			DisableCompression:  true, // a small answer must not unfold into a large one
			ForceAttemptHTTP2:   true,

			MaxResponseHeaderBytes: MiB,
		}
	}
	h.CheckRedirect = checkRedirect
	c.http = &h
	return c
}

func (c *Client) dial(ctx context.Context, network, address string) (net.Conn, error) {
	d := net.Dialer{Timeout: c.timeouts.Connect}
	conn, err := d.DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	return acknowledging(conn), nil
}

// Close frees the connections.
func (c *Client) Close() error {
	c.http.CloseIdleConnections()
	return nil
}

// checkRedirect follows a few redirects, and leaves the credentials behind
// once one has led to another host or away from TLS. What is posted goes to
// the host it is meant for and to no other.
func checkRedirect(req *http.Request, via []*http.Request) error {
	first := via[0]
	from := first.URL
	switch to := req.URL.Redacted(); {
	case req.URL.Scheme != "http" && req.URL.Scheme != "https":
		return &redirectError{"redirects to " + to + ", which is not HTTP"}
	case first.Method != http.MethodGet && (req.Method != first.Method || req.URL.Host != from.Host):
		return &redirectError{fmt.Sprintf("redirects %s %s to %s: open the model at that address", first.Method, from.Path, to)}
	case len(via) > 5:
		return errRedirects
	}
	for _, r := range append(via[1:len(via):len(via)], req) {
		if r.URL.Host != from.Host || from.Scheme == "https" && r.URL.Scheme != "https" {
			req.Header.Del("Authorization")
		}
	}
	return nil
}

// A Reply is a whole answer.
type Reply struct {
	Status int
	Header http.Header
	Body   []byte
	Asked  string // the request that it answers, such as "GET http://host/props"
}

// html reports that the answer is a page for people: a proxy's or a login's.
func (r *Reply) html() bool {
	if strings.HasPrefix(r.Header.Get("Content-Type"), "text/html") && len(r.Body) > 0 {
		return true
	}
	b := bytes.TrimLeft(r.Body, " \t\r\n\ufeff")
	return len(b) > 0 && b[0] == '<'
}

// retryAfter reads the header of that name, in seconds or as a date.
func (r *Reply) retryAfter() time.Duration {
	v := strings.TrimSpace(r.Header.Get("Retry-After"))
	if v == "" {
		return 0
	}
	if s, err := strconv.ParseFloat(v, 64); err == nil && s >= 0 {
		return time.Duration(min(s, 1e6) * float64(time.Second))
	}
	if t, err := http.ParseTime(v); err == nil {
		return max(0, time.Until(t))
	}
	return 0
}

const (
	MiB       = 1 << 20
	SmallBody = 8 * MiB // bound for answers that hold no rows
)

// Send makes one request and reads the whole answer, at most limit bytes,
// into buf, which may be nil. The reply is valid until buf is used again. A
// status other than 200 is an *Error.
func (c *Client) Send(ctx context.Context, method, path string, body []byte, limit int, buf *bytes.Buffer) (*Reply, error) {
	if buf == nil {
		buf = new(bytes.Buffer)
	}
	var r *Reply
	err := c.Stream(ctx, method, path, body, false, func(resp *http.Response, in io.Reader) (err error) {
		r, err = c.Whole(resp, in, limit, buf)
		return err
	})
	return r, err
}

// Whole reads the whole answer from in, at most limit bytes, into buf. The reply
// is valid until buf is used again. A status other than 200 is an *Error.
func (c *Client) Whole(resp *http.Response, in io.Reader, limit int, buf *bytes.Buffer) (*Reply, error) {
	buf.Reset()
	if n := resp.ContentLength; n > int64(limit) {
		return nil, c.Errorf(Malformed, "its answer of %d bytes is too large; at most %d are expected", n, limit)
	} else if n > 0 {
		buf.Grow(int(n) + bytes.MinRead)
	}
	if _, err := buf.ReadFrom(io.LimitReader(in, int64(limit)+1)); err != nil {
		return nil, err
	}
	if buf.Len() > limit {
		return nil, c.Errorf(Malformed, "its answer is larger than %d bytes", limit)
	}
	r := &Reply{Status: resp.StatusCode, Header: resp.Header, Body: buf.Bytes()}
	if req := resp.Request; req != nil {
		r.Asked = req.Method + " " + req.URL.Redacted()
	}
	if r.Status != http.StatusOK {
		return nil, c.StatusError(r)
	}
	return r, nil
}

// Stream makes one request and hands the answer to read while it arrives.
// The reader fails when the server is silent or slow for too long. fresh asks
// the server to close the connection afterwards, so that it is not reused.
func (c *Client) Stream(parent context.Context, method, path string, body []byte, fresh bool, read func(*http.Response, io.Reader) error) error {
	ctx, cancel := context.WithCancelCause(parent)
	defer cancel(nil)
	total := time.AfterFunc(c.timeouts.Request, func() { cancel(errTotal) })
	defer total.Stop()
	idle := time.AfterFunc(c.timeouts.Idle, func() { cancel(errIdle) })
	defer idle.Stop()

	req, err := http.NewRequestWithContext(ctx, method, c.base+path, bytes.NewReader(body))
	if err != nil {
		return c.Errorf(Refused, "not a usable address")
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if c.auth != "" {
		req.Header.Set("Authorization", c.auth)
	}
	req.Close = fresh
	c.Meter.sent(len(body))
	quiet := silenceOf(ctx)
	quiet.awaits("the answer to " + method + " " + path)
	resp, err := c.http.Do(req)
	if err == nil {
		w := &watched{r: resp.Body, idle: idle, every: c.timeouts.Idle, meter: c.Meter}
		if resp.StatusCode == http.StatusOK {
			w.quiet = quiet
		}
		err = read(resp, w)
		resp.Body.Close()
	}
	if err == nil {
		return nil
	}
	if parent.Err() != nil {
		return parent.Err()
	}
	var e *Error
	if errors.As(err, &e) {
		return err
	}
	if cause := context.Cause(ctx); cause != nil {
		err = cause
	}
	return c.transportFault(err)
}

// watched puts off the idle timer with every read.
type watched struct {
	r     io.Reader
	idle  *time.Timer
	every time.Duration
	meter *Meter
	quiet *silence
}

func (w *watched) Read(p []byte) (int, error) {
	n, err := w.r.Read(p)
	if n > 0 {
		w.meter.received(n)
		w.idle.Reset(w.every)
		w.quiet.heard()
	}
	return n, err
}

// Retry calls try until it succeeds, ctx ends, or its fault is one that will
// not pass. The first repetition is at once, on a new connection: a kept-open
// connection may have been closed by the server without a word. patient also
// waits for a server that cannot be reached.
func (c *Client) Retry(ctx context.Context, patient bool, try func(context.Context) error) error {
	var (
		seen  [len(tries)]int
		start time.Time
		wait  = c.timeouts.Backoff
	)
	defer c.Meter.wait("")
	ctx, quiet, done := c.listen(ctx)
	defer done()
	for n := 1; ; n++ {
		err := try(ctx)
		if err == nil {
			return nil
		}
		if ended := ctx.Err(); ended != nil {
			return ended
		}
		var e *Error
		if !errors.As(err, &e) {
			return err
		}
		if n == 1 {
			start = time.Now()
		}
		seen[e.Kind]++
		limit := tries[e.Kind]
		if !patient && e.Kind == Unreachable {
			limit = 2
		}
		if limit > 0 && seen[e.Kind] >= limit {
			return err
		}
		c.http.CloseIdleConnections()
		delay := time.Duration(0)
		if n > 1 || e.Kind == Busy {
			delay = wait/2 + rand.N(wait/2+1)
			wait = min(2*wait, 32*c.timeouts.Backoff)
		}
		delay = max(delay, e.RetryAfter)
		if time.Since(start)+delay > c.timeouts.Retry {
			if e.RetryAfter > 0 {
				e.Msg += "; it asks to come back in " + e.RetryAfter.Round(time.Second).String()
			}
			return err
		}
		c.Meter.retried(e.Msg, n)
		quiet.failed(e.Msg)
		if err := sleep(ctx, delay); err != nil {
			return err
		}
	}
}

// sleep waits for d or for the end of ctx, whose error it returns.
func sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Get asks for path and decodes the JSON answer into v.
func (c *Client) Get(ctx context.Context, path string, v any) error {
	return c.Ask(ctx, http.MethodGet, path, nil, SmallBody, v)
}

// Post sends req as JSON to path and decodes the JSON answer into v.
func (c *Client) Post(ctx context.Context, path string, req, v any) error {
	body, err := json.Marshal(req)
	if err != nil {
		return c.Errorf(Refused, "cannot be written as JSON: %v", err)
	}
	return c.Ask(ctx, http.MethodPost, path, body, SmallBody, v)
}

// Ask sends body and reads the answer, of at most limit bytes, as JSON into v.
func (c *Client) Ask(ctx context.Context, method, path string, body []byte, limit int, v any) error {
	r, err := c.Send(ctx, method, path, body, limit, nil)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(r.Body, v); err != nil {
		return c.NotJSON(r, path)
	}
	return nil
}

// NotJSON says that an answer of status 200 is not what it should be.
func (c *Client) NotJSON(r *Reply, path string) *Error {
	switch {
	case r.html():
		return c.Errorf(Malformed, "%s answered with a web page, not JSON: is this the address of the server itself?", path)
	case len(r.Body) == 0:
		return c.Errorf(Malformed, "%s answered with nothing", path)
	}
	return c.Errorf(Malformed, "%s answered with broken JSON (%d bytes)", path, len(r.Body))
}

// ErrorInside says what error a server put into an answer of status 200.
func (c *Client) ErrorInside(body []byte) *Error {
	msg, typ := errorMessage(body)
	if msg == "" {
		return c.Errorf(Failed, "gave up without saying why")
	}
	r := &Reply{Status: http.StatusInternalServerError, Body: body}
	if typ == "invalid_request_error" || typ == "exceed_context_size_error" {
		r.Status = http.StatusBadRequest
	}
	return c.StatusError(r)
}
