package remote

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"logitscope/models"
)

// TestFillBytes completes the list of single bytes in both orders.
func TestFillBytes(t *testing.T) {
	for _, order := range byteOrders {
		v := NewVocab(&Client{}, 300, nil)
		for i := range v.Pieces {
			v.Pieces[i] = fmt.Sprint("t", i)
		}
		for i, b := range order {
			v.Pieces[7+i] = string([]byte{b})
			if b >= 0xf0 || b >= 0xc0 && b < 0xc4 {
				v.Pieces[7+i] = "\ufffd"
			}
		}
		broken := NewVocab(&Client{}, 300, nil)
		copy(broken.Pieces, v.Pieces)
		broken.Pieces[7+3] = "x" // something else is in the list
		if n := FillBytes(v); n != 20 {
			t.Errorf("%d pieces set, want 20", n)
		}
		for i, b := range order {
			if v.Pieces[7+i] != string([]byte{b}) {
				t.Errorf("piece %d is %q, want %q", 7+i, v.Pieces[7+i], b)
			}
		}
		if n := FillBytes(broken); n != 0 && broken.Pieces[7+3] == "x" {
			t.Errorf("%d pieces set in a list that is none", n)
		}
	}
	if byteOrders[1][0] != '!' || byteOrders[1][188] != 0 || byteOrders[1][255] != 0xad {
		t.Error("the order of byte-level vocabularies is wrong")
	}
}

func TestSlots(t *testing.T) {
	m := NewModel(&Client{}, nil, Found{Slots: 2})
	a, _ := m.NewSession()
	b, _ := m.NewSession()
	c, _ := m.NewSession()
	if a.(*session).slot != 0 || b.(*session).slot != 1 || c.(*session).slot != -1 {
		t.Fatal("slots are not handed out in order")
	}
	b.Close()
	b.Close()
	d, _ := m.NewSession()
	if d.(*session).slot != 1 {
		t.Fatal("a slot is not used again")
	}
	if _, err := b.Forward(t.Context(), []int32{1}, 1); err == nil {
		t.Fatal("a closed session works")
	}
}

// TestRetryTimes checks when a call is repeated and when it gives up, in
// time that does not pass.
func TestRetryTimes(t *testing.T) {
	for _, c := range []struct {
		name  string
		fault Error
		calls int
		after time.Duration // at least
		until time.Duration // at most
	}{
		{"unreachable until the time is over", Error{Kind: Unreachable}, -1, 20 * time.Second, time.Minute},
		{"failed", Error{Kind: Failed}, 4, 150 * time.Millisecond, time.Second},
		{"malformed", Error{Kind: Malformed}, 5, 350 * time.Millisecond, 2 * time.Second},
		{"refused", Error{Kind: Refused}, 1, 0, 0},
		{"changed", Error{Kind: Changed}, 1, 0, 0},
		{"asks for more than there is", Error{Kind: Busy, RetryAfter: time.Hour}, 1, 0, 0},
		{"asks for 25 s", Error{Kind: Busy, RetryAfter: 25 * time.Second}, 3, 50 * time.Second, 50 * time.Second},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				cl := &Client{http: &http.Client{}, Name: "x", timeouts: Timeouts{}.filled(), Meter: &Meter{}}
				start, calls := time.Now(), 0
				err := cl.Retry(t.Context(), true, func(context.Context) error {
					calls++
					if calls > 1 && cl.Meter.Stats().Waiting == "" {
						t.Error("nothing says why the server is waited for")
					}
					f := c.fault
					f.Msg = "trouble"
					return &f
				})
				took := time.Since(start)
				if err == nil || c.calls >= 0 && calls != c.calls || c.calls < 0 && calls < 10 || took < c.after || took > c.until {
					t.Errorf("%d calls in %v: %v", calls, took, err)
				}
				if cl.Meter.Stats().Waiting != "" {
					t.Error("it still says that it waits")
				}
			})
		})
	}
}

func TestOneLine(t *testing.T) {
	for _, c := range []struct {
		in   string
		n    int
		want string
	}{
		{" a\n b\t\tc ", 99, "a b c"},
		{"\x1b[31mred\u202e\u200b\x00\xff", 99, `\u{1b}[31mred\u{202e}\u{200b}\u{0}\xff`},
		{"日本語テキスト", 3, "日本語…"},
		{"", 9, ""},
	} {
		if got := OneLine(c.in, c.n); got != c.want {
			t.Errorf("OneLine(%q, %d) = %q, want %q", c.in, c.n, got, c.want)
		}
	}
}

// FuzzFault says in one line what is wrong with any answer.
func FuzzFault(f *testing.F) {
	for _, s := range []string{`{"error":{"message":"x","type":"exceed_context_size_error"}}`, `{"error":"{\"error\":{\"message\":\"y\"}}"}`, `<html><title>x</title>`} {
		f.Add([]byte(s))
	}
	c := &Client{Name: "fuzz"}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, status := range []int{200, 400, 429, 500} {
			r := &Reply{Status: status, Body: data}
			for _, e := range []*Error{c.StatusError(r), c.NotJSON(r, "/x"), c.ErrorInside(data)} {
				if strings.ContainsAny(e.Error(), "\n\x1b") {
					t.Errorf("error %q", e)
				}
			}
		}
	})
}

// A hangingTransport never answers. It counts requests.
type hangingTransport struct{ n int }

func (h *hangingTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	h.n++
	<-r.Context().Done()
	return nil, context.Cause(r.Context())
}

// TestNotices waits for servers that are silent, that refuse every connection,
// and that are loading their model: somebody is told after 5 s what is waited
// for and how long, then after twice the time.
func TestNotices(t *testing.T) {
	ok := func(body string) func(*http.Request) (*http.Response, error) {
		return func(*http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: 200, Body: io.NopCloser(strings.NewReader(body)), Header: http.Header{}}, nil
		}
	}
	for _, c := range []struct {
		name string
		do   func(*http.Request) (*http.Response, error)
		want []string
	}{
		{"silent", (&hangingTransport{}).RoundTrip, []string{
			"x: waiting for 5s for the answer to GET /page", "x: waiting for 10s for the answer to GET /page", "x: waiting for 20s for the answer to GET /page"}},
		{"refused", func(*http.Request) (*http.Response, error) { return nil, syscall.ECONNREFUSED }, []string{
			"waiting for 5s for the answer to GET /page; tried ", "waiting for 10s for the answer to GET /page; tried "}},
		{"loading", func(r *http.Request) (*http.Response, error) {
			resp, err := ok(`{"error":{"message":"Loading\x1b model"}}`)(r)
			resp.StatusCode = 503
			return resp, err
		}, []string{`last: status 503: `}},
		{"quick", ok("{}"), nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var got []string
				cl := &Client{http: &http.Client{Transport: transport(c.do)}, Name: "x", timeouts: Timeouts{Idle: 30 * time.Second, Retry: 25 * time.Second}.filled(), Meter: &Meter{}}
				cl.notice = func(line string) {
					got = append(got, line)
					if w := cl.Meter.Stats().Waiting; "x: "+w != line {
						t.Errorf("Stats().Waiting is %q, told is %q", w, line)
					}
				}
				var v any
				cl.Retry(t.Context(), true, func(ctx context.Context) error { return cl.Get(ctx, "/page", &v) })
				synctest.Wait()
				for i, want := range c.want {
					if i >= len(got) || !strings.Contains(got[i], want) || strings.ContainsAny(got[i], "\n\x1b") {
						t.Fatalf("told %q, want %q", got, c.want)
					}
				}
				if c.want == nil && got != nil {
					t.Errorf("told %q for nothing", got)
				}
				time.Sleep(time.Hour)
				if n := len(got); n > 8 {
					t.Errorf("told %d times", n)
				}
			})
		})
	}
}

type transport func(*http.Request) (*http.Response, error)

func (f transport) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// A drip is a body that comes byte by byte.
type drip struct {
	ctx   context.Context
	text  string
	every time.Duration
}

func (d *drip) Read(p []byte) (int, error) {
	if d.text == "" {
		return 0, io.EOF
	}
	if err := sleep(d.ctx, d.every); err != nil {
		return 0, err
	}
	n := copy(p[:1], d.text)
	d.text = d.text[n:]
	return n, nil
}

func (d *drip) Close() error { return nil }

// TestSlowButSteady reads an answer that takes longer than the server may be
// silent, in pieces that come well in time, and one whose pieces do not.
func TestSlowButSteady(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &drip{text: `{"a":[1,2]}`, every: 25 * time.Second}
		cl := &Client{http: &http.Client{Transport: transport(func(r *http.Request) (*http.Response, error) {
			d.ctx = r.Context()
			return &http.Response{StatusCode: 200, Body: d}, nil
		})}, Name: "x", timeouts: Timeouts{Idle: 30 * time.Second, Request: time.Hour}.filled(), Meter: &Meter{}}
		var v any
		if err := cl.Get(t.Context(), "/", &v); err != nil {
			t.Error(err)
		}
		if d.text, d.every = "{}", time.Hour; cl.Get(t.Context(), "/", &v) == nil {
			t.Error("an hour's silence is not noticed")
		}
	})
}

// Rows are asked for ahead as far as guesses have been right of late, and no
// farther than they may be.
func TestHowFarAhead(t *testing.T) {
	draws := make([]float64, 24)
	free, greedy, drawn := models.Ahead{Rows: 99}, models.Ahead{Rows: 99, Greedy: true}, models.Ahead{Rows: 99, Draws: draws}
	for _, c := range []struct {
		streams, slow bool
		right         float64
		ahead         models.Ahead
		want          int
	}{
		// An answer that comes as a whole: all guesses must be right.
		{false, false, 0.95, free, 9}, {false, false, 0.75, free, 1}, {false, false, 0.5, free, 0}, {false, false, 1, free, mostWhole},
		{false, false, 1, models.Ahead{}, 0}, {false, false, 1, models.Ahead{Rows: 4}, 4}, {false, true, 0.95, free, mostSlow},
		{false, false, 0, greedy, mostWhole}, {false, true, 0, models.Ahead{Rows: 3, Greedy: true}, 3},
		// Rows one by one: a wrong guess ends it.
		{true, false, 0.95, free, mostBest}, {true, false, 0.6, free, mostBest}, {true, false, 0.59, free, 0}, {true, false, 0.9, models.Ahead{Rows: 5}, 5},
		{true, false, 0.7, drawn, mostDrawn}, {true, false, 0.5, drawn, 0}, {true, false, 0.95, models.Ahead{Rows: 99, Draws: draws[:2]}, 1},
		{true, true, 0.95, drawn, mostSlow}, {true, true, 0.7, drawn, 1}, {true, true, 0, greedy, mostBest}, {true, true, 1, models.Ahead{}, 0},
	} {
		f := foresight{ahead: c.ahead, streams: c.streams, right: [2]float64{c.right, c.right}}
		if c.slow {
			f.each = 2 * slowRow
		}
		if got := f.rows(); got != c.want {
			t.Errorf("%+v: %d ahead", c, got)
		}
	}
	for _, ahead := range []models.Ahead{{Rows: 9}, {Rows: 9, Draws: draws}} {
		f := newForesight(false)
		f.ahead = ahead
		row := &Row{IDs: []int32{5, 7}, Chosen: 7}
		for range 60 {
			f.expect(row, true)
			f.see(7)
		}
		if f.rows() < 5 {
			t.Errorf("after 60 right guesses %d ahead", f.rows())
		}
		for range 60 {
			f.expect(row, true)
			f.see(5)
		}
		if f.rows() != 0 {
			t.Errorf("after 60 wrong guesses %d ahead", f.rows())
		}
		for range 200 {
			f.expect(row, false)
			f.see(5)
		}
		if f.rows() == 0 {
			t.Error("guesses are not tried again")
		}
	}
}

// A passing is a server that stops during its second answer and comes back with
// another model.
type passing struct {
	c     *Client
	calls atomic.Int32
}

func (p *passing) Identity(context.Context) (string, error) {
	if p.calls.Load() < 2 {
		return "one", nil
	}
	return "another", nil
}

func (p *passing) Fetch(_ context.Context, q Query, out *Rows) error {
	if p.calls.Add(1) == 2 {
		return p.c.Errorf(Unreachable, "hung up")
	}
	for range q.Want + q.Ahead {
		r := out.Next()
		r.Chosen = 1
		r.Add(1, math.Log(0.6))
		r.Add(0, math.Log(0.4))
	}
	return nil
}

// A fault of a request that nobody waited for is looked into like any other:
// the rows after it are not those of another model.
func TestModelChangedInFlight(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &Client{http: &http.Client{}, Name: "x", timeouts: Timeouts{}.filled(), Meter: &Meter{}}
		p := &passing{c: c}
		m := NewModel(c, p, Found{Info: models.Info{VocabSize: 2, ContextLen: 100}, Vocab: NewVocab(c, 2, nil), Top: 2, ID: "one"})
		s, _ := m.NewSession()
		defer s.Close()
		s.(models.Lookahead).SetAhead(models.Ahead{Rows: 32, Greedy: true})
		var err error
		for range 40 {
			if _, err = s.Forward(t.Context(), []int32{1}, 1); err != nil {
				break
			}
		}
		if !errors.Is(err, ErrModelChanged) || s.Len() != 1+mostWhole {
			t.Errorf("after %d tokens and %d requests: %v", s.Len(), p.calls.Load(), err)
		}
	})
}
