package hub

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
)

// download is a file on its way: path.part holds what has arrived, and
// path.part.json of what it is a part.
type download struct {
	*client
	meta meta
	path string

	file  *os.File
	sum   hash.Hash // of the bytes in file
	have  int64     // bytes in file
	most  int64     // the largest have so far: only more than that is a gain
	state partState
}

// partState says of which version of a file a part is.
type partState struct {
	SHA256 string `json:"sha256,omitempty"`
	Size   int64  `json:"size,omitempty"`
	ETag   string `json:"etag,omitempty"` // the storage's name for the version
}

func (d *download) part() string      { return d.path + ".part" }
func (d *download) partState() string { return d.path + ".part.json" }

func (d *download) report(done int64) {
	if d.opt.Progress != nil {
		d.opt.Progress(done, d.meta.size)
	}
}

// present reports whether the finished file is there: with the hub's
// checksum, or its size where the hub gives no checksum.
func (d *download) present() bool {
	st, err := os.Stat(d.path)
	if err != nil || !st.Mode().IsRegular() || d.meta.size > 0 && st.Size() != d.meta.size {
		return false
	}
	if d.meta.sha256 == "" {
		return d.meta.size > 0
	}
	f, err := os.Open(d.path)
	if err != nil {
		return false
	}
	defer f.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return false
	}
	return hex.EncodeToString(sum.Sum(nil)) == d.meta.sha256
}

// run downloads, checks and moves into place.
func (d *download) run(ctx context.Context) error {
	if err := d.open(ctx); err != nil {
		return err
	}
	defer d.file.Close()
	for again := false; ; again = true {
		if err := d.retry(ctx, func() (bool, error) { return d.fetch(ctx) }); err != nil {
			return err
		}
		got := hex.EncodeToString(d.sum.Sum(nil))
		if d.meta.sha256 == "" || got == d.meta.sha256 {
			return d.finish()
		}
		// Bytes of an earlier call may be at fault: once more from the start.
		if err := d.restart(); err != nil {
			return err
		}
		d.most = 0
		if again {
			d.discard()
			return fmt.Errorf("the file that %s sends has SHA-256 %s, want %s", d.url.Host, got, d.meta.sha256)
		}
	}
}

// open takes up what an earlier call left, if it is of the same version.
func (d *download) open(ctx context.Context) error {
	f, err := os.OpenFile(d.part(), os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return err
	}
	d.file, d.sum = f, sha256.New()
	if data, err := os.ReadFile(d.partState()); err == nil {
		if json.Unmarshal(data, &d.state) != nil {
			d.state = partState{}
		}
	}
	same := d.state.SHA256 == d.meta.sha256 && d.state.Size == d.meta.size && (d.meta.sha256 != "" || d.state.ETag != "")
	st, err := f.Stat()
	if err == nil && same && st.Size() > 0 && (d.meta.size == 0 || st.Size() <= d.meta.size) {
		d.have, err = io.Copy(d.sum, contextReader{ctx, f})
		d.most = d.have
		d.report(d.have)
	} else if err == nil {
		d.state = partState{}
		err = d.restart()
	}
	if err != nil {
		f.Close()
	}
	return err
}

// contextReader stops reading when its context ends.
type contextReader struct {
	ctx context.Context
	r   io.Reader
}

func (r contextReader) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.r.Read(p)
}

// restart forgets what has arrived.
func (d *download) restart() error {
	d.have = 0
	d.sum.Reset()
	if err := d.file.Truncate(0); err != nil {
		return err
	}
	_, err := d.file.Seek(0, io.SeekStart)
	return err
}

// complete reports whether every announced byte is there.
func (d *download) complete() bool { return d.meta.size > 0 && d.have == d.meta.size }

// fetch makes one request for what is missing, and reports whether it
// brought any of it.
func (d *download) fetch(ctx context.Context) (gained bool, err error) {
	if d.complete() {
		return false, nil
	}
	w := newWatch(ctx, d.opt.StallTimeout)
	defer w.stop()
	req, err := d.request(w.ctx, http.MethodGet, d.url)
	if err != nil {
		return false, &finalError{err}
	}
	if d.have > 0 {
		req.Header.Set("Range", fmt.Sprintf("bytes=%d-", d.have))
		if d.state.ETag != "" {
			req.Header.Set("If-Range", d.state.ETag)
		}
	}
	resp, err := d.http.Do(req)
	if err != nil {
		return false, d.failed(req, w, err)
	}
	defer resp.Body.Close()
	w.alive()
	if err := d.accept(resp); err != nil {
		return false, err
	}
	err = d.copy(w, resp.Body)
	gained = d.have > d.most
	d.most = max(d.most, d.have)
	if err != nil {
		var final *finalError
		if errors.As(err, &final) {
			return gained, &finalError{fmt.Errorf("%s: %w", place(resp.Request), final.error)}
		}
		return gained, d.failed(resp.Request, w, err)
	}
	if d.meta.size > 0 && d.have < d.meta.size {
		return gained, fmt.Errorf("%s: the answer ended after %d of %d bytes", place(resp.Request), d.have, d.meta.size)
	}
	return gained, nil
}

// accept looks at the head of an answer and makes the file ready for its
// body.
func (d *download) accept(resp *http.Response) error {
	switch resp.StatusCode {
	case http.StatusPartialContent:
		var from, to int64
		var total string
		_, err := fmt.Sscanf(resp.Header.Get("Content-Range"), "bytes %d-%d/%s", &from, &to, &total)
		if err != nil || from != d.have || d.meta.size > 0 && total != "*" && total != fmt.Sprint(d.meta.size) {
			asked := d.have
			d.state.ETag = ""
			if err := d.restart(); err != nil {
				return &finalError{err}
			}
			return fmt.Errorf("%s: answers with the range %.60q, asked for bytes from %d of %d",
				place(resp.Request), resp.Header.Get("Content-Range"), asked, d.meta.size)
		}
	case http.StatusOK: // from the start, asked for or not
		if err := d.restart(); err != nil {
			return &finalError{err}
		}
		if d.meta.size > 0 && resp.ContentLength > 0 && resp.ContentLength != d.meta.size {
			return &finalError{fmt.Errorf("%s: sends %d bytes, but the hub announced %d", place(resp.Request), resp.ContentLength, d.meta.size)}
		}
	case http.StatusRequestedRangeNotSatisfiable:
		d.state.ETag = ""
		if err := d.restart(); err != nil {
			return &finalError{err}
		}
		return fmt.Errorf("%s: cannot send the missing range", place(resp.Request))
	default:
		return d.status(resp.Request, resp)
	}
	return d.remember(resp.Header.Get("ETag"))
}

// remember writes down of which version the part is. A weak tag does not
// vouch for bytes.
func (d *download) remember(etag string) error {
	if strings.HasPrefix(etag, "W/") {
		etag = ""
	}
	s := partState{SHA256: d.meta.sha256, Size: d.meta.size, ETag: etag}
	if s == d.state {
		return nil
	}
	data, err := json.Marshal(s)
	if err == nil {
		err = os.WriteFile(d.partState(), data, 0o644)
	}
	if err != nil {
		return &finalError{err}
	}
	d.state = s
	return nil
}

// copy appends a body to the file, as far as the announced size allows.
func (d *download) copy(w *watch, body io.Reader) error {
	buf := make([]byte, 256<<10)
	for {
		n, err := body.Read(buf)
		if n > 0 {
			w.alive()
			if d.meta.size > 0 && d.have+int64(n) > d.meta.size {
				if err := d.restart(); err != nil {
					return &finalError{err}
				}
				return &finalError{fmt.Errorf("sends more than the %d bytes announced", d.meta.size)}
			}
			if _, err := d.file.Write(buf[:n]); err != nil {
				return &finalError{err}
			}
			d.sum.Write(buf[:n])
			d.have += int64(n)
			d.report(d.have)
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// finish makes the part the file: synced, closed, renamed.
func (d *download) finish() error {
	if err := d.file.Sync(); err != nil {
		return err
	}
	if err := d.file.Close(); err != nil {
		return err
	}
	if err := os.Rename(d.part(), d.path); err != nil {
		return err
	}
	os.Remove(d.partState())
	if dir, err := os.Open(filepath.Dir(d.path)); err == nil {
		dir.Sync() // the name, too; not every file system can
		dir.Close()
	}
	return nil
}

// discard removes a part that is of no use.
func (d *download) discard() {
	d.file.Close()
	os.Remove(d.part())
	os.Remove(d.partState())
}
