package check

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"unicode"
)

func isSpace(r rune) bool { return unicode.IsSpace(r) }

// jsonBlanks is the white space of RFC 8259.
const jsonBlanks = " \t\r\n"

func jsonValue(_ *Reader, raw json.RawMessage) (judge, error) {
	if string(raw) != "true" {
		return nil, errTrue
	}
	return func(_ context.Context, _ *Subject, text string) (finding, error) { return inJSON(text), nil }, nil
}

// inJSON judges whether text is exactly one JSON value.
func inJSON(text string) finding {
	start := len(text) - len(strings.TrimLeft(text, jsonBlanks))
	rest := text[start:]
	switch {
	case strings.TrimSpace(text) == "":
		return finding{why: "empty", at: 0}
	case strings.HasPrefix(rest, "```"):
		return finding{why: "not JSON: begins with a code fence", found: rest, at: start}
	case strings.HasPrefix(rest, "\ufeff"):
		return finding{why: "not JSON: begins with a BOM", found: rest, at: start}
	}
	d := json.NewDecoder(strings.NewReader(text))
	var value json.RawMessage
	err := d.Decode(&value)
	if err == nil {
		end := int(d.InputOffset())
		after := strings.TrimLeft(text[end:], jsonBlanks)
		if after == "" {
			return passed
		}
		return finding{why: "text after the JSON value", found: after, at: len(text) - len(after)}
	}
	var syntax *json.SyntaxError
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return finding{why: "ends inside the JSON value", found: tail(text), at: len(text)}
	case !errors.As(err, &syntax):
		return finding{why: "not JSON", found: rest, at: start}
	}
	at := min(max(int(syntax.Offset)-1, 0), len(text)-1)
	if at > 0 && depth(text[:at+1]) > maxDepth {
		return finding{why: "not JSON: nested too deep", found: text[at:], at: at}
	}
	return finding{why: "not JSON", found: text[wordStart(text, at):], at: at}
}

// maxDepth is how deep values may nest; encoding/json reads no deeper.
const maxDepth = 10_000

// depth returns how many brackets are open at the end of the beginning of a
// JSON text.
func depth(text string) int {
	n, quoted := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '[' || c == '{':
			n++
		case c == ']' || c == '}':
			n--
		}
	}
	return n
}

// wordStart returns where the word around byte at begins, so that Nope is
// shown and not ope.
func wordStart(text string, at int) int {
	from := at
	for from > 0 && at-from < 40 && (text[from-1] >= 'a' && text[from-1] <= 'z' || text[from-1] >= 'A' && text[from-1] <= 'Z') {
		from--
	}
	return from
}

func tail(text string) string { return text[byteOf(text, max(0, len([]rune(text))-2*contextRunes)):] }
