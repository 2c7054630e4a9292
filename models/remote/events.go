package remote

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net/http"
	"strings"
)

// IsEvents reports whether an answer is a stream of server-sent events.
func IsEvents(resp *http.Response) bool {
	return resp.StatusCode == http.StatusOK && strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream")
}

// Events calls event with the data of each event of in, a line of at most most
// bytes, until it is done or fails. A line that begins "error:" is llama-server's
// way to say why it gave up. buf is memory to read with.
func (c *Client) Events(in io.Reader, buf []byte, most int, event func(data []byte) (done bool, err error)) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(buf, most)
	for lines.Scan() {
		field, data, _ := bytes.Cut(lines.Bytes(), []byte(":"))
		data = bytes.TrimSpace(data)
		switch string(field) {
		case "error":
			return c.ErrorInside(data)
		case "data":
			if done, err := event(data); done || err != nil {
				return err
			}
		}
	}
	switch err := lines.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return c.Errorf(Malformed, "sent an event larger than %d bytes", most)
	case err != nil:
		return err
	}
	return io.ErrUnexpectedEOF
}
