package logprobs

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A place is a value and where it stands, for errors.
type place struct {
	*value
	line int
	path string
}

func (p place) at(key string) place {
	path := key
	if p.path != "" {
		path = p.path + "." + key
	}
	return place{p.get(key), p.line, path}
}

func (p place) item(i int) place {
	return place{&p.items[i], p.line, fmt.Sprintf("%s[%d]", p.path, i)}
}

func (p place) errorf(format string, args ...any) error {
	return &Error{p.line, p.path, fmt.Errorf(format, args...)}
}

// all returns the items of a list; null is an empty one.
func (p place) all() ([]place, error) {
	switch p.kind {
	case null:
		return nil, nil
	case list:
		out := make([]place, len(p.items))
		for i := range out {
			out[i] = p.item(i)
		}
		return out, nil
	}
	return nil, p.errorf("must be a list")
}

// Log probabilities of floor and below stand for "less likely than what is
// listed"; up to slack above 0 is rounding.
const (
	floor = -9999
	slack = 0.001
)

// A reading is one log probability as read.
type reading struct {
	x       float64 // NaN if there is none
	floor   bool
	clipped bool
}

// logprob reads a log probability.
func (p place) logprob() (reading, error) {
	r := reading{x: math.NaN()}
	switch {
	case p.kind == null:
		return r, nil
	case p.kind != number:
		return r, p.errorf("must be a number")
	case math.IsNaN(p.num):
		return r, p.errorf("%.40s is not a number that can be used", p.lit)
	case p.num > slack:
		return r, p.errorf("%.40s is above 0, so it is not a log probability", p.lit)
	case p.num <= floor:
		r.floor = true
	default:
		r.x, r.clipped = min(p.num, 0), p.num > 0
	}
	return r, nil
}

// prob reads a probability as a log probability.
func (p place) prob() (reading, error) {
	r := reading{x: math.NaN()}
	switch {
	case p.kind == null:
		return r, nil
	case p.kind != number:
		return r, p.errorf("must be a number")
	case !(p.num >= 0 && p.num <= 1+slack):
		return r, p.errorf("%.40s is not a probability, 0 to 1", p.lit)
	case p.num == 0:
		r.floor = true
	default:
		r.x, r.clipped = math.Log(min(p.num, 1)), p.num > 1
	}
	return r, nil
}

// id reads a token id, -1 for null.
func (p place) id() (int32, error) {
	if p.kind == null {
		return -1, nil
	}
	if p.kind != number || p.num != math.Trunc(p.num) || !(p.num >= 0 && p.num <= math.MaxInt32) {
		return -1, p.errorf("must be a token id, 0 to %d", math.MaxInt32)
	}
	return int32(p.num), nil
}

// bytes reads a list of bytes, nil for null.
func (p place) bytes() ([]byte, error) {
	all, err := p.all()
	if err != nil || p.kind == null {
		return nil, err
	}
	out := make([]byte, len(all))
	for i, b := range all {
		if b.kind != number || b.num != math.Trunc(b.num) || !(b.num >= 0 && b.num <= 255) {
			return nil, b.errorf("must be a byte, 0 to 255")
		}
		out[i] = byte(b.num)
	}
	return out, nil
}

// text reads a text, empty for null.
func (p place) text() (string, error) {
	if p.kind != text && p.kind != null {
		return "", p.errorf("must be a text")
	}
	return p.str, nil
}

// byID is how vLLM names a token of which it is to give the id alone.
const byID = "token_id:"

// piece makes a token of its text, and its bytes where the file has them.
func piece(s string, bytes []byte) Piece {
	p := Piece{Text: s, Bytes: bytes, ID: -1}
	if digits, ok := strings.CutPrefix(s, byID); ok {
		if id, err := strconv.ParseInt(digits, 10, 32); err == nil && id >= 0 {
			p.ID = int32(id)
			if bytes == nil {
				p.Text, p.blank = "", true
				return p
			}
		}
	}
	switch {
	case bytes != nil:
		p.Text = string(bytes)
	case !strings.ContainsRune(s, utf8.RuneError):
		p.Bytes = []byte(s)
	}
	return p
}

// spelled makes a token of a text in which bytes:\xe2\x80 is bytes, as the
// completions API writes them.
func spelled(s string) Piece {
	hex, ok := strings.CutPrefix(s, `bytes:`)
	if !ok {
		return piece(s, nil)
	}
	var b []byte
	for hex != "" {
		if len(hex) < 4 || hex[:2] != `\x` {
			return piece(s, nil)
		}
		n, err := strconv.ParseUint(hex[2:4], 16, 8)
		if err != nil {
			return piece(s, nil)
		}
		b, hex = append(b, byte(n)), hex[4:]
	}
	if b == nil {
		return piece(s, nil)
	}
	return piece(s, b)
}

var errNoObject = errors.New("must be an object")

// token reads an object with token, bytes, logprob (or prob), id and a list
// of the best: the way of the chat API.
func (p place) token() (Token, error) {
	one, err := p.entry()
	if err != nil {
		return Token{}, err
	}
	t := Token{Piece: one.Piece, Logprob: one.x, Floor: one.floor, Clipped: one.clipped, Sampled: p.has("prob") && !p.has("logprob")}
	best := p.at("top_logprobs")
	if best.kind == null && p.has("top_probs") {
		best = p.at("top_probs")
	}
	all, err := best.all()
	if err != nil {
		return t, err
	}
	for _, q := range all {
		e, err := q.entry()
		if err != nil {
			return t, err
		}
		t.add(e)
	}
	return t, nil
}

// A read is an entry with what is to be said of its number.
type read struct {
	Piece
	reading
}

// entry reads the token, bytes, id and value of an object.
func (p place) entry() (e read, err error) {
	if p.kind != object {
		return e, &Error{p.line, p.path, errNoObject}
	}
	name := p.at("token")
	if name.kind == null && p.has("tok_str") {
		name = p.at("tok_str")
	}
	s, err := name.text()
	if err != nil {
		return e, err
	}
	b, err := p.at("bytes").bytes()
	if err != nil {
		return e, err
	}
	e.Piece = piece(s, b)
	if id, err := p.at("id").id(); err != nil {
		return e, err
	} else if id >= 0 {
		e.ID = id
	}
	if p.has("prob") && !p.has("logprob") {
		e.reading, err = p.at("prob").prob()
	} else {
		e.reading, err = p.at("logprob").logprob()
	}
	return e, err
}

// add puts an entry into the token's list, unless it has no value.
func (t *Token) add(e read) {
	t.Clipped = t.Clipped || e.clipped
	t.listed++
	t.itself = t.itself || e.same(&t.Piece)
	if !math.IsNaN(e.x) {
		t.Top = append(t.Top, Entry{e.Piece, e.x})
	}
}
