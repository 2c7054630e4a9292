// Package hub answers: where is a model file to be had? It downloads model
// files from a model hub: the Hugging Face hub, or a mirror that speaks its
// protocol.
//
// A download that breaks is taken up where it stopped, checked against the
// hub's SHA-256, and moved into place only when it is whole. What the server
// says is not trusted: it cannot make the file longer than it announced,
// learn the token of another host, or choose where the file goes.
package hub

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// DefaultEndpoint is the hub that is asked where Options name no other.
const DefaultEndpoint = "https://huggingface.co"

const (
	defaultStall    = 30 * time.Second
	defaultAttempts = 5
	defaultBackoff  = time.Second
	maxBackoff      = 30 * time.Second
	defaultRevision = "main"
)

// Ref names a file of a repository on a hub.
type Ref struct {
	Owner    string
	Repo     string
	File     string // with the folders it is in, parted by '/'
	Revision string // a branch, tag or commit
}

// ParseRef reads "hf:OWNER/REPO/FILE[@REVISION]"; the prefix may be left out.
// The file may be in folders. The revision is "main" if none is given.
func ParseRef(s string) (Ref, error) {
	rest := strings.TrimPrefix(s, "hf:")
	r := Ref{Revision: defaultRevision}
	if i := strings.LastIndexByte(rest, '@'); i >= 0 {
		rest, r.Revision = rest[:i], rest[i+1:]
	}
	parts := strings.SplitN(rest, "/", 3)
	if len(parts) < 3 {
		return Ref{}, fmt.Errorf("hub reference %.120q is not of the form hf:OWNER/REPO/FILE[@REVISION]", s)
	}
	r.Owner, r.Repo, r.File = parts[0], parts[1], parts[2]
	return r, r.check()
}

// check refuses parts that could lead a path out of its folder.
func (r Ref) check() error {
	if err := checkPart("owner", r.Owner, ""); err != nil {
		return err
	}
	if err := checkPart("repo", r.Repo, ""); err != nil {
		return err
	}
	if err := checkPart("file", r.File, "/"); err != nil {
		return err
	}
	return checkPart("revision", r.Revision, "/")
}

// checkPart allows the characters that hubs allow in names; more lists
// others.
func checkPart(what, s, more string) error {
	bad := s == "" || len(s) > 400
	for _, seg := range strings.Split(s, "/") {
		bad = bad || seg == "" || strings.HasPrefix(seg, ".") || strings.HasSuffix(seg, ".")
	}
	for _, c := range s {
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
		bad = bad || !letter && !strings.ContainsRune("._-+=() "+more, c)
	}
	if bad {
		return fmt.Errorf("hub reference: %s is %.80q, want letters, digits and ._-+=() with no dot at either end", what, s)
	}
	return nil
}

// String returns the reference as [ParseRef] reads it.
func (r Ref) String() string {
	s := "hf:" + r.Owner + "/" + r.Repo + "/" + r.File
	if r.Revision != defaultRevision {
		s += "@" + r.Revision
	}
	return s
}

// url returns where the file is on a hub.
func (r Ref) url(endpoint string) (*url.URL, error) {
	u, err := url.Parse(endpoint)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("hub endpoint is %.120q, want http://HOST or https://HOST", endpoint)
	}
	return u.JoinPath(r.Owner, r.Repo, "resolve", url.PathEscape(r.Revision), r.File), nil
}

// Path returns where [Pull] puts the file below the cache folder dir.
func (r Ref) Path(dir string) string {
	repo := r.Repo
	if r.Revision != defaultRevision {
		repo += "@" + strings.ReplaceAll(r.Revision, "/", "%")
	}
	return filepath.Join(dir, r.Owner, repo, filepath.FromSlash(r.File))
}

// Options say how to download.
type Options struct {
	Endpoint string // the hub, such as HF_ENDPOINT names; empty for [DefaultEndpoint]
	Token    string // sent to the endpoint's host only, such as HF_TOKEN; may be empty
	Dir      string // the cache: files go to Dir/OWNER/REPO/FILE

	Client *http.Client // nil for one of the package's own; its CheckRedirect is not used

	// Progress is called from Pull's goroutine with the bytes on disk and
	// the size of the whole, 0 if the hub does not say. It may be nil.
	Progress func(done, total int64)

	StallTimeout time.Duration // how long nothing may arrive; 0 for 30 s
	Attempts     int           // tries in a row without a byte gained; 0 for 5
	Backoff      time.Duration // wait before the second try, doubled each time; 0 for 1 s
}

// Pull downloads a file into the cache, or finds it there, and returns its
// path. It resumes what an earlier call left unfinished. The error names the
// reference, and where it can the host and what it said.
func Pull(ctx context.Context, ref Ref, opt Options) (string, error) {
	path, err := pull(ctx, ref, opt)
	if err != nil {
		return "", fmt.Errorf("pull %s: %w", ref, err)
	}
	return path, nil
}

func pull(ctx context.Context, ref Ref, opt Options) (string, error) {
	if err := ref.check(); err != nil {
		return "", err
	}
	if opt.Dir == "" {
		return "", errors.New("no cache folder is given")
	}
	if opt.Endpoint == "" {
		opt.Endpoint = DefaultEndpoint
	}
	if opt.StallTimeout <= 0 {
		opt.StallTimeout = defaultStall
	}
	if opt.Attempts <= 0 {
		opt.Attempts = defaultAttempts
	}
	if opt.Backoff <= 0 {
		opt.Backoff = defaultBackoff
	}
	u, err := ref.url(opt.Endpoint)
	if err != nil {
		return "", err
	}
	c := newClient(u, opt)
	meta, err := c.describe(ctx)
	if err != nil {
		return "", err
	}
	d := &download{client: c, meta: meta, path: ref.Path(opt.Dir)}
	if d.present() {
		d.report(meta.size)
		return d.path, nil
	}
	if err := os.MkdirAll(filepath.Dir(d.path), 0o755); err != nil {
		return "", err
	}
	return d.path, d.run(ctx)
}
