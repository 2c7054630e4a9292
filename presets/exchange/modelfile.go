package exchange

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"logitscope/presets/exchange/carrier"
	"logitscope/sampling/param"
)

// The rules of a Modelfile are those of Ollama's own parser: instructions in
// any case, names of parameters as they are; quotes come off a value, nothing
// in it is an escape, and a value whose quote is open runs on over lines.

// instructions begin the lines of a Modelfile.
var instructions = []string{"FROM", "PARAMETER", "TEMPLATE", "SYSTEM", "ADAPTER", "LICENSE", "MESSAGE", "REQUIRES", "RENDERER", "PARSER", "DRAFT"}

// looksLikeModelfile reports whether the first line that says anything is an
// instruction.
func looksLikeModelfile(text string) bool {
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		fields := strings.Fields(line)
		if len(fields) > 2 && fields[2] == pyImport {
			return false // from a import b
		}
		return len(fields) > 1 && slices.ContainsFunc(instructions, func(w string) bool { return strings.EqualFold(fields[0], w) })
	}
	return false
}

// pyImport is what tells Python's from from a Modelfile's.
const pyImport = "import"

// printable reports whether Ollama keeps a character of a value: it drops what
// cannot be printed, other than blanks and ends of lines.
func printable(r rune) bool {
	return r == '\n' || r == '\r' || r == '\t' || r == ' ' || strconv.IsPrint(r)
}

// fromUTF16 decodes text that begins with a byte order mark of UTF-16.
func fromUTF16(data []byte) ([]byte, bool) {
	if len(data) < 2 || !(data[0] == 0xff && data[1] == 0xfe || data[0] == 0xfe && data[1] == 0xff) {
		return nil, false
	}
	hi, lo := 1, 0
	if data[0] == 0xfe {
		hi, lo = 0, 1
	}
	units := make([]uint16, 0, len(data)/2)
	for i := 2; i+1 < len(data); i += 2 {
		units = append(units, uint16(data[i+hi])<<8|uint16(data[i+lo]))
	}
	return []byte(string(utf16.Decode(units))), true
}

// modelfileSource reads a Modelfile. What Ollama would refuse is noted and read
// as far as it goes.
func modelfileSource(text string) *source {
	valid := strings.Map(func(r rune) rune { return r }, text) // U+FFFD for what is not UTF-8
	m := modelfile{text: valid, line: 1, s: &source{format: &ollama}}
	for m.skip(); m.i < len(m.text); m.skip() {
		m.command()
	}
	if !slices.ContainsFunc(m.s.entries, func(e carrier.Entry) bool { return strings.EqualFold(e.Key, instructions[0]) }) {
		m.s.notes = append(m.s.notes, "there is no FROM: Ollama refuses the file")
	}
	return m.s
}

type modelfile struct {
	text string
	i    int
	line int
	s    *source
}

func (m *modelfile) more() bool { return m.i < len(m.text) }

func (m *modelfile) step() {
	if m.text[m.i] == '\n' || m.text[m.i] == '\r' && !strings.HasPrefix(m.text[m.i+1:], "\n") {
		m.line++
	}
	m.i++
}

// skip passes over blanks, empty lines and comments.
func (m *modelfile) skip() {
	for m.more() {
		switch c := m.text[m.i]; {
		case c == '#':
			m.toEnd()
		case c == ' ' || c == '\t' || carrier.IsEnd(c):
			m.step()
		default:
			return
		}
	}
}

func (m *modelfile) toEnd() {
	for m.more() && !carrier.IsEnd(m.text[m.i]) {
		m.step()
	}
}

// word reads what a blank or the line's end closes.
func (m *modelfile) word() string {
	from := m.i
	for m.more() && m.text[m.i] != ' ' && m.text[m.i] != '\t' && !carrier.IsEnd(m.text[m.i]) {
		m.i++
	}
	return m.text[from:m.i]
}

// command reads one instruction with its value.
func (m *modelfile) command() {
	line := m.line
	name := m.word()
	if r, n := utf8.DecodeRuneInString(name); !printable(r) {
		name = name[n:] // only before an instruction
	}
	if !slices.ContainsFunc(instructions, func(w string) bool { return strings.EqualFold(name, w) }) {
		text := strings.TrimSpace(name + " " + m.rest())
		m.s.unread = append(m.s.unread, carrier.Unread{Line: line, Key: name, Text: text, Why: "no instruction; Ollama refuses the file"})
		return
	}
	key := name
	parameter := strings.EqualFold(name, instructions[1])
	if parameter {
		from := m.i
		for m.more() && (m.text[m.i] == ' ' || m.text[m.i] == '\t') {
			m.step()
		}
		if m.i > from+1 {
			m.s.notes = append(m.s.notes, fmt.Sprintf("line %d: one blank or tab must stand before the parameter; Ollama refuses the file", line))
		}
		if word := m.word(); word != "" {
			key = word
		}
	}
	if !m.more() || carrier.IsEnd(m.text[m.i]) {
		m.s.unread = append(m.s.unread, carrier.Unread{Line: line, Key: key, Text: key, Why: "it has no value; Ollama refuses the file"})
		return
	}
	role := ""
	if strings.EqualFold(name, instructions[6]) {
		role = m.role()
	}
	value, err := m.value()
	switch {
	case err != nil:
		m.s.unread = append(m.s.unread, carrier.Unread{Line: line, Key: key, Text: value, Why: err.Error()})
	case parameter:
		m.put(carrier.Entry{Key: key, Value: value, Line: line, Text: value})
	default:
		m.notice(name, role, line)
		m.s.entries = append(m.s.entries, carrier.Entry{Key: key, Value: value, Line: line, Text: value, Idle: true})
	}
}

// notice notes what an instruction says that is not read here, or that Ollama
// refuses.
func (m *modelfile) notice(name, role string, line int) {
	switch strings.ToLower(name) {
	case "draft", "adapter":
		m.s.notes = append(m.s.notes, fmt.Sprintf("line %d: %s: a file elsewhere, not read; Ollama refuses the Modelfile where it is missing", line, name))
	case "message":
		if !slices.Contains(messageRoles, role) {
			m.s.notes = append(m.s.notes, fmt.Sprintf("line %d: %s: the role must be %s; Ollama refuses the file", line, name, strings.Join(messageRoles, ", ")))
		}
	}
}

// messageRoles are the roles of MESSAGE.
var messageRoles = []string{"system", "user", "assistant"}

// dropped are parameters that Ollama passes over with a warning, whatever their
// values.
var dropped = []string{"penalize_newline", "low_vram", "f16_kv", "logits_all", "vocab_only", "use_mlock", "mirostat", "mirostat_tau", "mirostat_eta"}

// takes reports whether Ollama takes PARAMETER with a name, which may be that of
// an instruction. It refuses the file for any other, though its requests have
// keys of the name.
func takes(key string) bool {
	f := ollama.field(key)
	return f != nil && f.ours != "constraint" || key == useMMap || key == "model" || slices.Contains(whole, key) || slices.Contains(dropped, key) ||
		strings.ToLower(key) == key && slices.Contains(instructions[2:], strings.ToUpper(key))
}

// whole are parameters that choose no token and must be whole numbers all the
// same.
var whole = []string{"num_ctx", "num_batch", "num_gpu", "main_gpu", "num_thread", "num_keep", "draft_num_predict"}

// useMMap is the switch that is still known.
const useMMap = "use_mmap"

// put adds a parameter; the last of a number that stands twice wins, stops add
// up.
func (m *modelfile) put(e carrier.Entry) {
	if !takes(e.Key) {
		m.s.notes = append(m.s.notes, fmt.Sprintf("line %d: %s is not a parameter of a Modelfile; Ollama refuses the file", e.Line, e.Key))
	}
	if _, err := strconv.ParseBool(e.Text); err != nil && e.Key == useMMap {
		m.s.notes = append(m.s.notes, fmt.Sprintf("line %d: %s must be true or false; Ollama refuses the file", e.Line, e.Key))
	}
	if _, err := strconv.ParseInt(e.Text, 10, 64); err != nil && slices.Contains(whole, e.Key) {
		m.s.notes = append(m.s.notes, fmt.Sprintf("line %d: %s must be a whole number; Ollama refuses the file", e.Line, e.Key))
	}
	if f := ollama.field(e.Key); f != nil && !gathers(f.ours) {
		m.s.entries = slices.DeleteFunc(m.s.entries, func(x carrier.Entry) bool { return x.Key == e.Key })
		p, _ := param.Lookup(f.ours)
		var bad error
		switch p.Kind {
		case param.Int, param.Uint:
			var n int64
			n, bad = strconv.ParseInt(e.Text, 10, 64)
			e.Value = json.Number(strconv.FormatInt(n, 10))
		case param.Float:
			_, bad = strconv.ParseFloat(e.Text, 32)
		}
		if bad != nil {
			why := "not a number as Ollama reads it; it refuses the file"
			if slices.Contains(dropped, e.Key) {
				why = "not a number; Ollama passes over it"
			}
			m.s.unread = append(m.s.unread, carrier.Unread{Line: e.Line, Key: e.Key, Text: e.Text, Why: why})
			return
		}
	}
	m.s.entries = append(m.s.entries, e)
}

// rest is the line from here.
func (m *modelfile) rest() string {
	from := m.i
	m.toEnd()
	return m.text[from:m.i]
}

// role reads whose message one is, which one white space ends.
func (m *modelfile) role() string {
	m.step()
	role := m.word()
	if m.more() {
		m.step()
	}
	return role
}

// value reads a value: the line's end closes it unless a quote is open.
func (m *modelfile) value() (string, error) {
	var kept strings.Builder
	for {
		if !m.more() || carrier.IsEnd(m.text[m.i]) {
			if s, closed := unquote(strings.TrimSpace(kept.String())); closed {
				return s, nil
			} else if !m.more() {
				return s, errors.New("its quote is never closed; Ollama refuses the file")
			}
		}
		r, n := utf8.DecodeRuneInString(m.text[m.i:])
		if printable(r) {
			kept.WriteRune(r)
		}
		for range n {
			m.step()
		}
	}
}

// unquote takes the quotes off a value, and reports whether they are closed.
func unquote(s string) (string, bool) {
	for _, q := range []string{`"""`, `"`} {
		if strings.HasPrefix(s, q) {
			if len(s) >= 2*len(q) && strings.HasSuffix(s, q) {
				return s[len(q) : len(s)-len(q)], true
			}
			return s[len(q):], false
		}
	}
	return s, true
}

// modelfileStops writes stops so that Ollama reads them back; those of which no
// form does are left out.
func modelfileStops(v any) (any, error) {
	var out, left []string
	for _, s := range v.([]string) {
		if q, ok := quoteStop(s); ok && s != "" {
			out = append(out, q)
		} else {
			left = append(left, strconv.Quote(s))
		}
	}
	switch {
	case len(left) == 0:
		return out, nil
	case len(out) == 0:
		return nil, errors.New("no form of a Modelfile reads back as it")
	}
	return out, errSome{fmt.Sprintf("no form of a Modelfile reads back as %s", strings.Join(left, ", "))}
}

// quoteStop writes a text between quotes, and reports whether Ollama reads it
// back.
func quoteStop(s string) (string, bool) {
	if !utf8.ValidString(s) || strings.ContainsFunc(s, func(r rune) bool { return !printable(r) }) {
		return "", false
	}
	for _, q := range []string{`"`, `"""`} {
		if q == `"` && (strings.HasPrefix(s, `""`) || s == `"`) {
			continue
		}
		if !closesEarly(s, q) {
			return q + s + q, true
		}
	}
	return "", false
}

// closesEarly reports whether s in quotes q ends before its own end: at a
// line's end before which the text is closed.
func closesEarly(s, q string) bool {
	for i := range len(s) {
		if !carrier.IsEnd(s[i]) {
			continue
		}
		before := strings.TrimSpace(q + s[:i])
		if len(before) >= 2*len(q) && strings.HasSuffix(before, q) {
			return true
		}
	}
	return false
}
