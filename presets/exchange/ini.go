package exchange

import (
	"slices"
	"strings"

	"logitscope/presets/exchange/carrier"
)

// iniLine is one line of an INI file, by llama.cpp's rules: a section, or a key
// and its value as it stands.
type iniLine struct {
	section    string
	key, value string
	line       int
}

// readINI splits an INI file, which has a section and a key. Comments begin
// with ; or # at a line's start.
func readINI(text string) (lines []iniLine, ok bool) {
	section := ""
	for i, l := range strings.Split(text, "\n") {
		l = strings.TrimSpace(l)
		switch {
		case l == "" || l[0] == ';' || l[0] == '#':
		case l[0] == '[' && l[len(l)-1] == ']':
			section = strings.TrimSpace(l[1 : len(l)-1])
			lines = append(lines, iniLine{section: section, line: i + 1})
		default:
			key, value, found := strings.Cut(l, "=")
			if !found {
				return nil, false
			}
			lines = append(lines, iniLine{section: section, key: strings.TrimSpace(key), value: strings.TrimSpace(value), line: i + 1})
		}
	}
	sections := slices.DeleteFunc(slices.Clone(lines), func(l iniLine) bool { return l.key != "" })
	return lines, len(sections) > 0 && len(sections) < len(lines)
}

// shared is the section of what all models have.
const shared = "*"

// iniSource reads a preset file of llama.cpp's router: section n, from 1, over
// what all share. Other sections are named as unread.
func iniSource(lines []iniLine, n int) (*source, error) {
	var sections []string
	at := map[string]int{}
	for _, l := range lines {
		if l.key == "" && l.section != shared && !slices.Contains(sections, l.section) {
			sections = append(sections, l.section)
			at[l.section] = l.line
		}
	}
	if n > max(len(sections), 1) {
		return nil, tooFew(n, len(sections), "section")
	}
	s := &source{format: &llamaCPP, calls: len(sections)}
	over := []string{"", shared}
	for i, name := range sections {
		if i == n-1 {
			over = append(over, name)
			continue
		}
		s.unread = append(s.unread, carrier.Unread{Line: at[name], Key: "[" + name + "]", Text: "[" + name + "]", Why: "another section, not read"})
	}
	for _, section := range over {
		for _, l := range lines {
			if l.key != "" && l.section == section {
				s.put(carrier.Entry{Key: l.key, Value: l.value, Line: l.line, Text: l.value})
			}
		}
	}
	s.escapes()
	return s, nil
}

// put adds an entry in the place of an earlier one of the same option.
func (s *source) put(e carrier.Entry) {
	name := llamaName(e.Key)
	if f := s.format.field(name); f == nil || !gathers(f.ours) {
		s.entries = slices.DeleteFunc(s.entries, func(x carrier.Entry) bool { return llamaName(x.Key) == name })
	}
	s.entries = append(s.entries, e)
}

// unitSource reads a unit file of systemd: the command of its service, and the
// variables set for it.
func unitSource(text string) (*source, error) {
	var env []carrier.Entry
	var commands []carrier.Word
	lines := strings.Split(text, "\n")
	for i := 0; i < len(lines); i++ {
		n := i + 1
		l := strings.TrimSpace(lines[i])
		if l == "" || l[0] == '#' || l[0] == ';' {
			continue
		}
		key, value, ok := strings.Cut(l, "=")
		if !ok {
			continue
		}
		for strings.HasSuffix(value, `\`) && i+1 < len(lines) {
			i++
			value += "\n" + strings.TrimSpace(lines[i])
		}
		words, err := carrier.SplitWords(value, n)
		if err != nil {
			return nil, err
		}
		words = slices.DeleteFunc(words, func(w carrier.Word) bool { return w.Control })
		switch key {
		case unitEnvironment:
			env = append(env, environment(words)...)
		case unitCommand:
			if len(words) > 0 {
				words[0].Text = strings.TrimLeft(words[0].Text, "-@:+!")
			}
			if commands == nil {
				commands = words
			}
		}
	}
	if p, args, ok := findProgram(commands); ok {
		return p.read(commands[args:], env)
	}
	if len(env) > 0 {
		return &source{format: &llamaCPP, entries: env}, nil
	}
	return nil, nil
}

// The keys of a unit file that hold settings.
const (
	unitCommand     = "ExecStart"
	unitEnvironment = "Environment"
)

func looksLikeUnit(text string) bool {
	for line := range strings.SplitSeq(text, "\n") {
		if key, _, ok := strings.Cut(strings.TrimSpace(line), "="); ok && (key == unitCommand || key == unitEnvironment) {
			return true
		}
	}
	return false
}
