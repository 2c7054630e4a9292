package check

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
)

// A Subject is a text to be judged and what is known of it.
type Subject struct {
	Text    string         // valid UTF-8
	Tokens  []int32        // its token ids without the one that ended it; nil if they are not known
	Count   int            // how many tokens; -1 if that is not known
	Reason  string         // why it ended, one of reasons or a server's own word; empty if it is not known
	Bits    *float64       // mean surprise of a token under the raw model; nil if it is not known
	Extract *regexp.Regexp // what checks without one of their own look at; nil for the whole text
}

// A Failure is a check that a text does not pass.
type Failure struct {
	Check string // its name
	Why   string // what is wrong
	Found string // what stands in the text there, as it is, or cut; may be empty
	At    int    // byte of the text where it fails; -1 where no place does
}

// reasons are the words for why a text ended, as records have them.
var reasons = []string{"eos", "length", "stop", "constraint", "context"}

// A Check is one condition on a text.
type Check struct {
	Name    string
	Value   json.RawMessage
	Extract *regexp.Regexp // of its own; nil if there is none

	kind *kind
	made
}

// A List is a list of checks that must all hold.
type List []Check

// A finding is what a judge says: an empty why for a text that passes.
type finding struct {
	why   string
	found string
	at    int
}

var passed = finding{}

// A judge looks at a text. An error means that it cannot be judged.
type judge func(ctx context.Context, s *Subject, text string) (finding, error)

// Judge returns the checks that s does not pass, in the order of l. The error
// names the check that cannot be evaluated.
func (l List) Judge(ctx context.Context, s Subject) ([]Failure, error) {
	var failed []Failure
	for i := range l {
		c := &l[i]
		text, start := s.Text, 0
		if extract := c.extract(&s); extract != nil {
			var ok bool
			if text, start, ok = Extract(extract, s.Text); !ok {
				failed = append(failed, Failure{c.Name, "extract finds nothing", cut(s.Text), -1})
				continue
			}
		}
		f, err := c.judge(ctx, &s, text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.Name, err)
		}
		if f.why == "" {
			continue
		}
		if f.at >= 0 && !c.kind.tokens {
			f.at += start
		}
		failed = append(failed, Failure{c.Name, f.why, cut(f.found), f.at})
	}
	return failed, nil
}

// extract returns what the check looks at instead of the whole text.
func (c *Check) extract(s *Subject) *regexp.Regexp {
	switch {
	case c.kind.tokens:
		return nil
	case c.Extract != nil:
		return c.Extract
	}
	return s.Extract
}

// Extract returns the first match of e in text and the byte it begins at: its
// first group that took part, the whole match where it has no groups.
func Extract(e *regexp.Regexp, text string) (found string, at int, ok bool) {
	m := e.FindStringSubmatchIndex(text)
	if m == nil {
		return "", 0, false
	}
	if len(m) == 2 {
		return text[m[0]:m[1]], m[0], true
	}
	for g := 2; g < len(m); g += 2 {
		if m[g] >= 0 {
			return text[m[g]:m[g+1]], m[g], true
		}
	}
	return "", 0, false
}

// Digest names the list by its checks and the contents of the files that they
// name, so that what was judged by it once need not be judged again. It is
// empty where that may come out otherwise: a program may have changed.
func (l List) Digest() string {
	h := sha256.New()
	for i := range l {
		if l[i].kind.outside {
			return ""
		}
		h.Write(l[i].digest[:])
		if e := l[i].Extract; e != nil {
			h.Write([]byte(e.String()))
		}
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// MarshalJSON writes the checks in the form that [Reader.Read] reads.
func (l List) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('[')
	for i, c := range l {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteByte('{')
		if c.Extract != nil {
			fmt.Fprintf(&b, `"extract":%s,`, quote(c.Extract.String()))
		}
		fmt.Fprintf(&b, "%s:%s}", quote(c.Name), c.Value)
	}
	b.WriteByte(']')
	return b.Bytes(), nil
}

// String is the short form of a check: its name and its value.
func (c Check) String() string {
	var text string
	switch {
	case string(c.Value) == "true":
		return c.Name
	case json.Unmarshal(c.Value, &text) == nil:
		return c.Name + ": " + text
	}
	return c.Name + ": " + string(c.Value)
}

// quote writes s as JSON, with < and > as they are.
func quote(s string) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(s) != nil {
		return `""`
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// maxFound is the most bytes of a text that a failure keeps: more than any
// line shows.
const maxFound = 600

func cut(s string) string {
	if len(s) <= maxFound {
		return s
	}
	return strings.ToValidUTF8(s[:maxFound], "")
}
