package remote

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/textproto"
	"net/url"
	"strings"
	"syscall"
	"time"
	"unicode"
	"unicode/utf8"

	"logitscope/models"
	"logitscope/models/remote/jsonscan"
)

// ErrModelChanged means that the model behind a server is no longer the one
// the run began with. The session still holds its tokens.
var ErrModelChanged = errors.New("the model of the server has changed")

// A Fault is the kind of an [Error], which decides whether repeating can help.
type Fault uint8

const (
	Unreachable Fault = iota // no connection, or a connection that broke
	Stalled                  // the server was silent or too slow
	Busy                     // the server asks to come back later
	Failed                   // the server says that it failed
	Malformed                // an answer that makes no sense
	Refused                  // the server does not accept the request
	Denied                   // a key is missing or wrong
	Untrusted                // the certificate is not to be trusted
	TooLong                  // the tokens do not fit the context; wraps models.ErrContextFull
	Changed                  // another model than before; wraps ErrModelChanged
	Unsuitable               // the server lacks what is needed
)

// tries is how often a fault of each kind may happen in one call before the
// call gives up; 0 means until the time for retries has passed.
var tries = [...]int{
	Unreachable: 0, Stalled: 3, Busy: 0, Failed: 4, Malformed: 5,
	Refused: 1, Denied: 1, Untrusted: 1, TooLong: 1, Changed: 1, Unsuitable: 1,
}

// An Error is a fault in talking to a server. It is one line and holds no
// key and no control character, whatever the server sent.
type Error struct {
	Server     string // who, such as "llama-server 127.0.0.1:8080"
	Kind       Fault
	Status     int           // HTTP status, or 0
	Msg        string        // what
	RetryAfter time.Duration // how long the server asked to wait, or 0
	Cause      error
}

func (e *Error) Error() string { return e.Server + ": " + e.Msg }
func (e *Error) Unwrap() error { return e.Cause }

// Temporary reports whether another try may succeed.
func (e *Error) Temporary() bool { return tries[e.Kind] != 1 }

// MaxMessage is the most characters of a server's own words in an error.
const MaxMessage = 200

// OneLine makes text from a server fit to print: one line, at most n
// characters, control, format (bidi, zero width) and invalid characters as
// escapes.
func OneLine(text string, n int) string {
	var b strings.Builder
	space := false
	for i, w := 0, 0; i < len(text); i += w {
		var r rune
		r, w = utf8.DecodeRuneInString(text[i:])
		if n--; n < 0 {
			b.WriteString("…")
			break
		}
		switch {
		case r == '\n' || r == '\r' || r == '\t' || r == ' ' || r == '\u2028' || r == '\u2029':
			space = b.Len() > 0
			continue
		}
		if space {
			b.WriteByte(' ')
			space = false
		}
		switch {
		case r == utf8.RuneError && w <= 1:
			fmt.Fprintf(&b, `\x%02x`, text[i])
		case !unicode.IsPrint(r):
			fmt.Fprintf(&b, `\u{%x}`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// Errorf makes an Error of this server; msg is cleaned.
func (c *Client) Errorf(k Fault, format string, args ...any) *Error {
	e := &Error{Server: c.Name, Kind: k, Msg: c.Clean(fmt.Sprintf(format, args...))}
	switch k {
	case TooLong:
		e.Cause = models.ErrContextFull
	case Changed:
		e.Cause = ErrModelChanged
	}
	return e
}

// Clean makes text printable on one line and takes the keys out of it.
func (c *Client) Clean(text string) string {
	for _, k := range c.secrets {
		if len(k) < 4 { // no key, and would spoil every word
			continue
		}
		text = strings.ReplaceAll(text, k, "***")
	}
	return OneLine(text, 400)
}

// transportFault says in one line what went wrong below HTTP.
func (c *Client) transportFault(err error) *Error {
	var (
		uerr *url.Error
		kind = Unreachable
		msg  string
		dns  *net.DNSError
		nerr net.Error
		away *redirectError
		mime textproto.ProtocolError
	)
	if errors.As(err, &uerr) {
		err = uerr.Err // the URL may hold what must not be printed
	}
	switch {
	case errors.Is(err, errIdle):
		kind, msg = Stalled, fmt.Sprintf("sent nothing for %v", c.timeouts.Idle)
	case errors.Is(err, errTotal):
		kind, msg = Stalled, fmt.Sprintf("took longer than %v to answer", c.timeouts.Request)
	case errors.As(err, &away):
		kind, msg = Refused, away.why
	case errors.As(err, &mime), notHTTP(err) != "":
		kind, msg = Unsuitable, cmp.Or(notHTTP(err), "does not speak HTTP: "+mime.Error())
	case errors.Is(err, errRedirects):
		kind, msg = Refused, "redirects too often"
	case tlsMessage(err) != "":
		kind, msg = Untrusted, tlsMessage(err)
	case errors.As(err, &dns):
		msg = "no such host " + OneLine(dns.Name, 80)
	case errors.Is(err, syscall.ECONNREFUSED):
		msg = "connection refused: is the server running?"
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		msg = "closed the connection before its answer was complete"
	case errors.As(err, &nerr) && nerr.Timeout():
		kind, msg = Stalled, fmt.Sprintf("no connection within %v", c.timeouts.Connect)
	default:
		msg = err.Error()
	}
	e := c.Errorf(kind, "%s", msg)
	if ctxErr := contextError(err); ctxErr != nil {
		e.Cause = ctxErr
	}
	return e
}

// notHTTP says in what way an answer is not HTTP, or "". Such an answer comes
// again however often it is asked for.
func notHTTP(err error) string {
	text := err.Error()
	for _, c := range []struct{ mark, msg string }{
		{`malformed HTTP response "\x15\x03`, "speaks TLS: try https:// in place of http://"},
		{"malformed HTTP", "does not speak HTTP: its answer is malformed"},
		{"server response headers exceeded", "sends headers that are too large; 1 MiB is allowed"},
		{"unsupported transfer encoding", "does not speak HTTP: an unknown transfer encoding"},
		{"too many transfer encodings", "does not speak HTTP: an unknown transfer encoding"},
		{"malformed chunked encoding", "does not speak HTTP: an answer in malformed chunks"},
		{"chunked line ends with bare LF", "does not speak HTTP: an answer in malformed chunks"},
		{"invalid byte in chunk length", "does not speak HTTP: an answer in malformed chunks"},
		{"bad Content-Length", "does not speak HTTP: a malformed Content-Length"},
		{"invalid Content-Length", "does not speak HTTP: a malformed Content-Length"},
		{"multiple Content-Length headers", "does not speak HTTP: two lengths of one answer"},
		{"too many 1xx informational responses", "does not come to an answer: too many answers of status 1xx"},
	} {
		if strings.Contains(text, c.mark) {
			return c.msg
		}
	}
	return ""
}

func contextError(err error) error {
	for _, e := range []error{context.Canceled, context.DeadlineExceeded} {
		if errors.Is(err, e) {
			return e
		}
	}
	return nil
}

const noTLS = "does not speak TLS: try http:// in place of https://"

// tlsMessage says what is wrong with a certificate, or "".
func tlsMessage(err error) string {
	var (
		verify  *tls.CertificateVerificationError
		unknown x509.UnknownAuthorityError
		host    x509.HostnameError
		invalid x509.CertificateInvalidError
		record  tls.RecordHeaderError
	)
	switch {
	case errors.As(err, &record):
		return noTLS
	case errors.As(err, &unknown):
		return "its certificate is signed by nobody this machine trusts"
	case errors.As(err, &host):
		return "its certificate is for another host name"
	case errors.As(err, &invalid):
		if invalid.Reason == x509.Expired {
			return "its certificate has expired or is not valid yet"
		}
		return "its certificate is not valid"
	case errors.As(err, &verify):
		return "its certificate cannot be verified"
	case strings.Contains(err.Error(), "server gave HTTP response to HTTPS client"):
		return noTLS
	}
	return ""
}

// StatusError says in one line what an HTTP status other than 200 means.
func (c *Client) StatusError(r *Reply) *Error {
	msg, typ := errorMessage(r.Body)
	if r.html() {
		msg = "a web page"
		if t := htmlTitle(r.Body); t != "" {
			msg = fmt.Sprintf("a web page titled %q", OneLine(t, 60))
		}
	}
	if msg == "" {
		msg = http.StatusText(r.Status)
	}
	msg = OneLine(msg, MaxMessage)
	kind := Refused
	switch {
	case typ == "exceed_context_size_error", SaysTooLong(msg):
		e := c.Errorf(TooLong, "the tokens do not fit: %s", msg)
		e.Status = r.Status
		return e
	case r.Status == 401, r.Status == 403:
		kind = Denied
		if c.keyVar != "" && !c.hasKey {
			msg += "; set " + c.keyVar
		}
	case r.Status == 404, r.Status == 405:
		if r.Asked != "" {
			msg += " (" + r.Asked + ")"
		}
	case r.Status == 429, r.Status == 503:
		kind = Busy
	case r.Status == 408, r.Status == 502, r.Status == 504:
		kind = Busy
	case r.Status >= 500:
		kind = Failed
	case r.html(), r.Status < 400:
		kind = Malformed
	}
	e := c.Errorf(kind, "status %d: %s", r.Status, msg)
	e.Status, e.RetryAfter = r.Status, r.retryAfter()
	return e
}

// SaysTooLong recognises the words in which servers without an error type of
// their own say that a prompt does not fit.
func SaysTooLong(msg string) bool {
	m := strings.ToLower(msg)
	for _, s := range []string{
		"exceeds the available context size", "maximum context length", "context_length_exceeded",
		"longer than the model's context length", "longer than the maximum model length", "exceed_context_size_error", "input is too long",
	} {
		if strings.Contains(m, s) {
			return true
		}
	}
	return false
}

// errorMessage finds the message in the shapes servers send: {"error":
// {"message","type"}} (llama-server, OpenAI, vLLM), {"error": "text"}
// (Ollama), {"message"} (older vLLM), {"detail"} (FastAPI), or plain text.
func errorMessage(body []byte) (msg, typ string) {
	s := jsonscan.Scanner{Data: body}
	if s.Peek() != '{' {
		if s.Peek() == '<' || s.Peek() == '[' {
			return "", ""
		}
		return string(body[:min(len(body), 4*MaxMessage)]), ""
	}
	readError(&s, &msg, &typ)
	if strings.HasPrefix(msg, "{") { // Ollama wraps the answer of its runner in a string
		if inner, t := errorMessage([]byte(msg)); inner != "" {
			return inner, t
		}
	}
	return msg, typ
}

func readError(s *jsonscan.Scanner, msg, typ *string) {
	s.Enter('{')
	for first := true; s.More('}', &first); {
		k := string(s.Key())
		switch p := s.Peek(); {
		case k == "error" && p == '{':
			readError(s, msg, typ)
		case (k == "message" || k == "error" || k == "detail") && p == '"':
			*msg = string(s.String(nil))
		case k == "type" && p == '"':
			*typ = string(s.String(nil))
		default:
			s.Skip()
		}
	}
}

// htmlTitle returns the title of a web page, or "".
func htmlTitle(body []byte) string {
	page := string(body[:min(len(body), 4096)])
	lower := strings.ToLower(page)
	i := strings.Index(lower, "<title>")
	if i < 0 || len(lower) != len(page) {
		return ""
	}
	rest := page[i+len("<title>"):]
	if j := strings.Index(rest, "<"); j >= 0 {
		return strings.TrimSpace(rest[:j])
	}
	return ""
}
