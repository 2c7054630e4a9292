package hub

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// client speaks to the hub about one file.
type client struct {
	opt  Options
	url  *url.URL
	http *http.Client
}

// maxHops is how often a request may be redirected.
const maxHops = 8

// meta is what the hub says about a file before it is downloaded.
type meta struct {
	size   int64  // bytes; 0 if not said
	sha256 string // in hex; empty if not said
}

func newClient(u *url.URL, opt Options) *client {
	c := &client{opt: opt, url: u}
	var base http.Client
	if opt.Client != nil {
		base = *opt.Client
	} else {
		base.Transport = &http.Transport{
			Proxy:               http.ProxyFromEnvironment,
			DialContext:         (&net.Dialer{Timeout: 20 * time.Second}).DialContext,
			TLSHandshakeTimeout: 20 * time.Second,
			ForceAttemptHTTP2:   true,
		}
	}
	base.CheckRedirect = c.redirect
	base.Timeout = 0 // a large file takes as long as it takes; stalls are watched
	c.http = &base
	return c
}

// redirect follows to another host, but not with the token, and not from
// https to http.
func (c *client) redirect(req *http.Request, via []*http.Request) error {
	if len(via) > maxHops {
		return fmt.Errorf("redirected more than %d times", maxHops)
	}
	if via[len(via)-1].URL.Scheme == "https" && req.URL.Scheme != "https" {
		return fmt.Errorf("redirected from https to %s at %s", req.URL.Scheme, req.URL.Host)
	}
	if !c.sameHost(req.URL) {
		req.Header.Del("Authorization")
	}
	return nil
}

// sameHost reports whether u is at the endpoint: scheme, host and port.
func (c *client) sameHost(u *url.URL) bool {
	return u.Scheme == c.url.Scheme && strings.EqualFold(u.Host, c.url.Host)
}

// request makes a request with the headers that every one has.
func (c *client) request(ctx context.Context, method string, u *url.URL) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, method, u.String(), nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("User-Agent", "logitscope")
	req.Header.Set("Accept-Encoding", "identity") // the bytes themselves, or ranges mean nothing
	if c.opt.Token != "" && c.sameHost(u) {
		req.Header.Set("Authorization", "Bearer "+c.opt.Token)
	}
	return req, nil
}

// describe asks for size and checksum. The hub answers a HEAD request with
// both, and a redirect to the storage that has the file, where the checksum
// may be another.
func (c *client) describe(ctx context.Context) (meta, error) {
	var m meta
	err := c.retry(ctx, func() (bool, error) {
		var err error
		m, err = c.head(ctx)
		return false, err
	})
	return m, err
}

func (c *client) head(ctx context.Context) (meta, error) {
	var m meta
	one := *c.http
	one.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	u := c.url
	for range maxHops {
		guard := newWatch(ctx, c.opt.StallTimeout)
		req, err := c.request(guard.ctx, http.MethodHead, u)
		if err != nil {
			guard.stop()
			return m, err
		}
		resp, err := one.Do(req)
		guard.stop()
		if err != nil {
			return m, c.failed(req, guard, err)
		}
		resp.Body.Close()
		m.read(resp, c.sameHost(u))
		switch {
		case resp.StatusCode/100 == 2:
			if m.size == 0 && resp.ContentLength > 0 {
				m.size = resp.ContentLength
			}
			return m, nil
		case resp.StatusCode/100 != 3:
			return m, c.status(req, resp)
		case m.size > 0 && m.sha256 != "":
			return m, nil // the storage has nothing to add
		}
		next, err := resp.Location()
		if err != nil {
			return m, fmt.Errorf("%s: a redirect without a place: %w", place(req), err)
		}
		if u.Scheme == "https" && next.Scheme != "https" {
			return m, fmt.Errorf("%s: redirected from https to %s", place(req), next.Scheme)
		}
		u = next
	}
	return m, fmt.Errorf("HEAD %s: redirected more than %d times", bare(c.url), maxHops)
}

// read takes what a response says of the file. Only the hub itself is asked
// for the checksum.
func (m *meta) read(resp *http.Response, fromHub bool) {
	if !fromHub {
		return
	}
	if n, err := strconv.ParseInt(resp.Header.Get("X-Linked-Size"), 10, 64); err == nil && n > 0 {
		m.size = n
	}
	etag := strings.Trim(strings.TrimPrefix(resp.Header.Get("X-Linked-Etag"), "W/"), `"`)
	if isSHA256(etag) {
		m.sha256 = strings.ToLower(etag)
	}
}

func isSHA256(s string) bool {
	if len(s) != 64 {
		return false
	}
	for _, c := range strings.ToLower(s) {
		if !(c >= '0' && c <= '9' || c >= 'a' && c <= 'f') {
			return false
		}
	}
	return true
}

// statusError is an answer that is not a file.
type statusError struct {
	code  int
	after time.Duration // how long the server asks to wait
	msg   string
}

func (e *statusError) Error() string { return e.msg }

// temporary reports whether asking again may help.
func (e *statusError) temporary() bool {
	return e.code >= 500 && e.code != http.StatusNotImplemented ||
		e.code == http.StatusTooManyRequests || e.code == http.StatusRequestTimeout
}

// status makes the error of an answer.
func (c *client) status(req *http.Request, resp *http.Response) error {
	e := &statusError{code: resp.StatusCode}
	e.msg = fmt.Sprintf("%s: %d %s", place(req), resp.StatusCode, http.StatusText(resp.StatusCode))
	switch resp.StatusCode {
	case http.StatusUnauthorized, http.StatusForbidden:
		if c.opt.Token == "" {
			e.msg += ": the repository may not exist or need a token in HF_TOKEN"
		} else {
			e.msg += ": the token in HF_TOKEN has no access, or the repository does not exist"
		}
	case http.StatusNotFound:
		e.msg += ": no such repository, revision or file"
	}
	if n, err := strconv.Atoi(resp.Header.Get("Retry-After")); err == nil && n > 0 {
		e.after = min(time.Duration(n)*time.Second, maxBackoff)
	}
	return e
}

// failed makes the error of a request that got no answer. It leaves out the
// address's query, which may hold a signature.
func (c *client) failed(req *http.Request, w *watch, err error) error {
	if cause := w.cause(); cause != nil {
		err = cause
	}
	var ue *url.Error
	if errors.As(err, &ue) {
		err = ue.Err
	}
	return fmt.Errorf("%s: %w", place(req), err)
}

// place names a request for an error.
func place(req *http.Request) string { return req.Method + " " + bare(req.URL) }

func bare(u *url.URL) string { return u.Scheme + "://" + u.Host + u.EscapedPath() }

// retry calls try until it succeeds, fails for good, or has failed several
// times in a row. Try reports whether it gained anything, which makes the
// count begin again.
func (c *client) retry(ctx context.Context, try func() (gained bool, err error)) error {
	wait := c.opt.Backoff
	for failures := 1; ; failures++ {
		gained, err := try()
		if err == nil {
			return nil
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		var final *finalError
		if errors.As(err, &final) {
			return final.error
		}
		var se *statusError
		if errors.As(err, &se) && !se.temporary() {
			return err
		}
		if gained {
			failures, wait = 1, c.opt.Backoff
		}
		if failures >= c.opt.Attempts {
			return fmt.Errorf("%w (given up after %d tries)", err, failures)
		}
		pause := wait
		if se != nil {
			pause = max(pause, se.after)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
		}
		wait = min(2*wait, maxBackoff)
	}
}

// finalError is one that trying again cannot mend.
type finalError struct{ error }

func (e *finalError) Unwrap() error { return e.error }

// watch ends a request when nothing arrives for too long.
type watch struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
	timer  *time.Timer
	limit  time.Duration
}

func newWatch(parent context.Context, limit time.Duration) *watch {
	w := &watch{limit: limit}
	w.ctx, w.cancel = context.WithCancelCause(parent)
	w.timer = time.AfterFunc(limit, func() {
		w.cancel(fmt.Errorf("nothing arrived for %s", limit))
	})
	return w
}

// alive says that something arrived.
func (w *watch) alive() { w.timer.Reset(w.limit) }

// cause returns why the watch ended the request, nil if it did not.
func (w *watch) cause() error {
	if err := context.Cause(w.ctx); err != nil && !errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}

func (w *watch) stop() {
	w.timer.Stop()
	w.cancel(nil)
}
