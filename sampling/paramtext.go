package sampling

import (
	"encoding/json"
	"io"
	"strconv"
	"strings"
)

// Parse reads a value as a flag or an editor gives it. "off" is the off value
// of a parameter that has one. Lists may be JSON arrays or comma-separated.
func (p *Param) Parse(s string) (any, error) {
	text := strings.TrimSpace(s)
	if strings.EqualFold(text, "off") && p.Off != nil && p.Kind != Text {
		return p.Off, nil
	}
	switch p.Kind {
	case Text:
		return s, nil
	case List:
		if !strings.HasPrefix(text, "[") {
			return p.normalise(splitList(s))
		}
	case IDs:
		if !strings.HasPrefix(text, "[") && text != "" {
			text = "[" + text + "]"
		}
	case Bias:
		if !strings.HasPrefix(text, "[") && !strings.HasPrefix(text, "{") && text != "" {
			return p.parseBias(s)
		}
	}
	if p.Kind < Choice || p.Kind == Choice {
		return p.normalise(text)
	}
	if text == "" {
		return p.Off, nil
	}
	var v any
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	if d.Decode(&v) != nil || d.Decode(new(any)) != io.EOF {
		return nil, p.wrongForm()
	}
	return p.normalise(v)
}

// blanks reads the glyphs that the screen shows for blanks as the blanks: a
// token is typed as it is seen. JSON and quotes take them literally.
var blanks = strings.NewReplacer("␣", " ", "↵", "\n", "⇥", "\t", "␍", "\r")

// splitList splits at commas; a backslash before a comma keeps it. A list of
// quoted texts, as the screen shows one, is read as such.
func splitList(s string) []string {
	if s == "" {
		return []string{}
	}
	if list, ok := quotedList(s); ok {
		return list
	}
	var out []string
	for _, part := range strings.Split(strings.ReplaceAll(s, `\,`, "\x00"), ",") {
		out = append(out, blanks.Replace(strings.ReplaceAll(part, "\x00", ",")))
	}
	return out
}

// quotedList reads "one", "two"; it reports false if anything else stands
// there.
func quotedList(s string) (out []string, ok bool) {
	for {
		text, rest, ok := cutQuoted(s)
		if !ok || rest != "" && rest[0] != ',' {
			return nil, false
		}
		out = append(out, text)
		if rest == "" {
			return out, true
		}
		s = rest[1:]
	}
}

// cutQuoted cuts a double-quoted text, and the spaces around it, from s.
func cutQuoted(s string) (text, rest string, ok bool) {
	s = strings.TrimLeft(s, " ")
	q, err := strconv.QuotedPrefix(s)
	if err != nil || q[0] != '"' {
		return "", s, false
	}
	text, err = strconv.Unquote(q)
	return text, strings.TrimLeft(s[len(q):], " "), err == nil
}

// parseBias reads token=bias,token=bias: a token is an id, or a text as it
// stands, its spaces included, or a text in quotes.
func (p *Param) parseBias(s string) (any, error) {
	var out []any
	for more := true; more; {
		var token any
		var bias string
		if text, rest, ok := cutQuoted(s); ok && rest != "" && strings.IndexByte("=:", rest[0]) >= 0 {
			token = text
			bias, s, more = strings.Cut(rest[1:], ",")
		} else {
			var part string
			part, s, more = strings.Cut(s, ",")
			i := strings.LastIndexAny(part, "=:")
			if i <= 0 {
				return nil, p.wrongForm()
			}
			token, bias = blanks.Replace(part[:i]), part[i+1:]
			if id, err := strconv.Atoi(strings.TrimSpace(part[:i])); err == nil {
				token = json.Number(strconv.Itoa(id))
			}
		}
		out = append(out, []any{token, strings.TrimSpace(bias)})
	}
	return p.normalise(out)
}
