package remote

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// lookFor is how long a server that could not be opened is looked at.
const lookFor = 3 * time.Second

// Explain adds to err, with which a server could not be opened, what the
// server looks like: one of another kind, or one without TLS.
func Explain(ctx context.Context, err error, k Kind, rest string, opt Options, kinds []Kind) error {
	var e *Error
	if !errors.As(err, &e) || ctx.Err() != nil {
		return err
	}
	t, perr := Parse(k, rest, Options{Getenv: onlyAddress(k, opt.Getenv), Client: opt.Client, Timeouts: opt.Timeouts})
	if perr != nil {
		return err
	}
	defer t.Client.Close()
	ctx, cancel := context.WithTimeout(ctx, lookFor)
	defer cancel()
	c := t.Client
	c.auth = "" // it goes to the server it was given for, not to whatever answers
	switch e.Kind {
	case Unreachable, Stalled:
		if plain, ok := c.plain(); ok && plain.answers(ctx, "/") {
			e.Kind, e.Msg = Untrusted, noTLS
		}
	case Refused, Malformed, Unsuitable:
		if k.Looks != nil && k.Looks(ctx, c) {
			return err // it is what it was said to be
		}
		for _, other := range kinds {
			if other.Name == k.Name || other.Looks == nil {
				continue
			}
			o := *c
			o.base = c.bare(k, other)
			if other.Looks(ctx, &o) {
				e.Msg += c.Clean("; this looks like " + other.Name + ": open it as " + other.nameOf(o.base))
				break
			}
		}
	}
	return err
}

// onlyAddress keeps all but the address of a kind from getenv.
func onlyAddress(k Kind, getenv func(string) string) func(string) string {
	return func(key string) string {
		if getenv == nil || key != k.AddrVar {
			return ""
		}
		return getenv(key)
	}
}

// bare returns the address at which a server of the other kind would be found
// by somebody who gave that of kind k.
func (c *Client) bare(k, other Kind) string {
	base := c.base
	if other.Path == "" && k.Path != "" { // a chat API is addressed with its path
		return base + "/v1"
	}
	u, err := url.Parse(base)
	if err != nil {
		return base
	}
	u.Path = strings.TrimSuffix(u.Path, other.Path)
	return u.String()
}

// nameOf returns the name of the model at address base.
func (k Kind) nameOf(base string) string {
	return strings.NewReplacer("[@URL]", "@"+base, "URL[#MODEL]", base, "URL", base).Replace(k.Usage)
}

// lookPlain is how long a server that is addressed by https:// may say nothing
// before it is asked without TLS.
const lookPlain = 500 * time.Millisecond

// doubtTLS cancels ctx with an error as its cause once a server that is
// addressed by https:// has said nothing for a while and answers without TLS.
// Such a server waits for the end of what it takes for a request. The caller
// must call done.
func (c *Client) doubtTLS(ctx context.Context, cancel context.CancelCauseFunc) (done func()) {
	plain, ok := c.plain()
	if !ok {
		return func() {}
	}
	t := time.AfterFunc(lookPlain, func() {
		if c.Meter.Stats().BytesIn == 0 && plain.answers(ctx, "/") && c.Meter.Stats().BytesIn == 0 {
			cancel(c.Errorf(Untrusted, noTLS))
		}
	})
	return func() { t.Stop() }
}

// plain returns a client that talks to the same port without TLS, and without
// the key. It is false where c does not use TLS, or where the address names no
// port: what listens where http:// leads says nothing about https:// then.
func (c *Client) plain() (*Client, bool) {
	u, err := url.Parse(c.base)
	if err != nil || u.Scheme != "https" || u.Port() == "" {
		return nil, false
	}
	u.Scheme = "http"
	o, h := *c, *c.http
	h.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	o.base, o.auth, o.Meter, o.http = u.String(), "", &Meter{}, &h
	return &o, true
}

// answers reports whether a server answers at path. Servers that expect TLS
// answer a request without it with status 400, or send it to where TLS is.
func (c *Client) answers(ctx context.Context, path string) bool {
	_, err := c.Send(ctx, http.MethodGet, path, nil, SmallBody, nil)
	var e *Error
	return err == nil || errors.As(err, &e) && e.Status > 0 && e.Status/100 != 3 && e.Status != http.StatusBadRequest
}
