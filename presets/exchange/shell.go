package exchange

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// A word is one word of a command line, as a shell passes it on.
type word struct {
	text    string
	line    int    // the line it began on
	dark    string // as written, where a variable or a command stands in it; "" otherwise
	quoted  bool   // some of it stood in quotes
	control bool   // a newline, ; | & between commands
}

// splitWords splits shell source into words: quotes, backslashes, continued
// lines and comments. first is the line it begins on.
func splitWords(text string, first int) ([]word, error) {
	s := shellSplitter{text: text, line: first}
	for s.i < len(text) {
		if err := s.step(); err != nil {
			return nil, err
		}
	}
	s.flush()
	return s.out, nil
}

type shellSplitter struct {
	text    string
	i, line int
	out     []word
	b       strings.Builder
	cur     word
	in      bool
	dark    bool
	begin   int
}

func (s *shellSplitter) flush() {
	if !s.in {
		return
	}
	s.cur.text = s.b.String()
	if s.dark {
		s.cur.dark = s.text[s.begin:s.i]
	}
	s.out = append(s.out, s.cur)
	s.b.Reset()
	s.cur, s.in, s.dark = word{}, false, false
}

func (s *shellSplitter) start() {
	if !s.in {
		s.in, s.begin = true, s.i
		s.cur.line = s.line
	}
}

func (s *shellSplitter) step() error {
	c := s.text[s.i]
	switch {
	case c == '\\' && s.i+1 < len(s.text):
		n := 2
		if strings.HasPrefix(s.text[s.i+1:], "\r\n") {
			n = 3
		}
		if s.text[s.i+n-1] == '\n' {
			s.i += n
			s.line++
			return nil
		}
		s.start()
		s.b.WriteByte(s.text[s.i+1])
		s.i += 2
	case c == '$' && strings.HasPrefix(s.text[s.i+1:], "'"):
		s.start()
		return s.ansi()
	case c == '\'' || c == '"':
		s.start()
		return s.quote(c)
	case c == '#' && !s.in:
		for s.i < len(s.text) && s.text[s.i] != '\n' {
			s.i++
		}
	case c == ' ' || c == '\t' || c == '\r':
		s.flush()
		s.i++
	case c == '\n' || c == ';' || c == '|' || c == '&':
		s.flush()
		s.out = append(s.out, word{text: string(c), line: s.line, control: true})
		if c == '\n' {
			s.line++
		}
		s.i++
	default:
		s.start()
		if c == '$' || c == '`' {
			s.dark = true
		}
		s.b.WriteByte(c)
		s.i++
	}
	return nil
}

// quote reads text in quotes.
func (s *shellSplitter) quote(q byte) error {
	at := s.line
	s.cur.quoted = true
	for s.i++; s.i < len(s.text); s.i++ {
		c := s.text[s.i]
		switch {
		case c == q:
			s.i++
			return nil
		case c == '\\' && q == '"' && s.i+1 < len(s.text) && strings.IndexByte("\"\\$`\n", s.text[s.i+1]) >= 0:
			s.i++
			if s.text[s.i] == '\n' {
				s.line++
			} else {
				s.b.WriteByte(s.text[s.i])
			}
		default:
			if c == '\n' {
				s.line++
			}
			if q == '"' && (c == '$' || c == '`') {
				s.dark = true
			}
			s.b.WriteByte(c)
		}
	}
	return fmt.Errorf("line %d: the quote %c is never closed", at, q)
}

// ansi reads $'…', whose escapes the shell processes.
func (s *shellSplitter) ansi() error {
	at := s.line
	s.cur.quoted = true
	for s.i += 2; s.i < len(s.text); s.i++ {
		c := s.text[s.i]
		switch {
		case c == '\'':
			s.i++
			return nil
		case c == '\\' && s.i+1 < len(s.text):
			s.i++
			if plain, ok := simpleEscapes[s.text[s.i]]; ok {
				s.b.WriteByte(plain)
			} else {
				s.b.WriteString(s.text[s.i-1 : s.i+1])
			}
		default:
			if c == '\n' {
				s.line++
			}
			s.b.WriteByte(c)
		}
	}
	return fmt.Errorf("line %d: the quote ' is never closed", at)
}

// shellWord writes a word so that a shell reads it back.
func shellWord(s string) string {
	if s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./:=+,@%", r))
	}) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// A program is one whose command line holds settings.
type program struct {
	name string
	read func(words []word, env []entry) (*source, error)
	is   func(words []word, i int) (args int, ok bool) // whether word i names it, and where its arguments begin
}

// programs are the commands that are known.
var programs []program

func init() {
	programs = []program{
		{"llama.cpp", llamaArgs, isLlama},
		{"vllm", vllmArgs, isVLLM},
		{"curl", curlArgs, named("curl")},
	}
}

// named finds a program by the last part of its path.
func named(name string) func(words []word, i int) (int, bool) {
	return func(words []word, i int) (int, bool) { return i + 1, path.Base(words[i].text) == name }
}

// shellSource reads command n, from 1, of those that hold settings; each other
// one is named as unread. Variables set before it count where the engine reads
// them. It returns nil where no settings are found.
func shellSource(text string, first, n int) (*source, error) {
	words, err := splitWords(text, first)
	if err != nil {
		return nil, err
	}
	var found []site
	var env []entry
	for _, command := range commands(words) {
		env = append(env, environment(command)...)
		if p, args, ok := findProgram(command); ok {
			name := command[args-1]
			found = append(found, site{Unread{Line: name.line, Key: path.Base(name.text), Text: joined(command[args-1:]), Why: "another command, not read"}, func() (*source, error) { return p.read(command[args:], env) }})
		}
	}
	if len(found) > 0 {
		return choose(found, n, "command")
	}
	flags := slices.DeleteFunc(slices.Clone(words), func(w word) bool { return w.control })
	if slices.ContainsFunc(flags, func(w word) bool { name, _, _ := strings.Cut(w.text, "="); return llamaFlag(name) != nil }) {
		return llamaArgs(flags, env)
	}
	if len(env) > 0 {
		return &source{format: &llamaCPP, entries: env}, nil
	}
	return nil, nil
}

// A site is one of several places of a file that hold settings.
type site struct {
	what Unread // how it is named where another one is read
	read func() (*source, error)
}

// choose reads site n, from 1, and names the others as unread.
func choose(sites []site, n int, what string) (*source, error) {
	if n > len(sites) {
		return nil, tooFew(n, len(sites), what)
	}
	s, err := sites[n-1].read()
	if err != nil || s == nil {
		return nil, err
	}
	for i, x := range sites {
		if i != n-1 {
			s.unread = append(s.unread, x.what)
		}
	}
	return s, nil
}

// commands splits words where one command ends.
func commands(words []word) [][]word {
	var out [][]word
	var cur []word
	for _, w := range words {
		if w.control {
			if len(cur) > 0 {
				out = append(out, cur)
			}
			cur = nil
			continue
		}
		cur = append(cur, w)
	}
	if len(cur) > 0 {
		out = append(out, cur)
	}
	return out
}

// findProgram finds the program that a command runs.
func findProgram(command []word) (p program, args int, ok bool) {
	for i := range command {
		for _, p := range programs {
			if args, ok := p.is(command, i); ok {
				return p, args, true
			}
		}
	}
	return program{}, 0, false
}

// environment returns the variables of llama.cpp that a command sets: NAME=x
// before it, after export, or as -e of a container.
func environment(command []word) []entry {
	var out []entry
	for _, w := range command {
		name, value, ok := strings.Cut(w.text, "=")
		if !ok || !isVariable(name) {
			continue
		}
		out = append(out, flagEntry(name, value, w))
	}
	return out
}

// joined is a command as one line.
func joined(words []word) string {
	parts := make([]string, len(words))
	for i, w := range words {
		parts[i] = shellWord(w.text)
		if w.dark != "" {
			parts[i] = w.dark
		}
	}
	return strings.Join(parts, " ")
}

// flagEntry is a value of a command line as an entry.
func flagEntry(key, value string, w word) entry {
	e := entry{key: key, value: value, line: w.line, text: value}
	if w.dark != "" {
		e.value, e.text = unreadable{value}, value
	}
	return e
}

// curlArgs reads the body of a request. Where it goes to says whose it is.
func curlArgs(words []word, _ []entry) (*source, error) {
	var url string
	var body *word
	for i := 0; i < len(words); i++ {
		name, value, glued := strings.Cut(words[i].text, "=")
		switch {
		case slices.Contains(curlBody, name) && glued:
			w := words[i]
			w.text = value
			body = &w
		case slices.Contains(curlBody, name) && i+1 < len(words):
			i++
			body = &words[i]
		case curlValues[name] && !glued:
			i++
		case !strings.HasPrefix(words[i].text, "-") && url == "":
			url = words[i].text
		}
	}
	if body == nil {
		return nil, fmt.Errorf("a request without a body (-d): it holds no settings")
	}
	o, err := readObject([]byte(body.text), body.line)
	if err != nil {
		return nil, fmt.Errorf("the body of the request: %w", err)
	}
	return jsonSource(o, byPath(url))
}

// curlBody are curl's options for a body, and curlValues others that take a
// value.
var (
	curlBody   = []string{"-d", "--data", "--data-raw", "--data-binary", "--data-ascii", "--json"}
	curlValues = map[string]bool{
		"-H": true, "--header": true, "-X": true, "--request": true, "-o": true, "--output": true, "-u": true, "--user": true, "-A": true, "--user-agent": true,
		"-m": true, "--max-time": true, "--connect-timeout": true, "-w": true, "--write-out": true, "--cacert": true, "--cert": true, "--key": true, "--retry": true, "-e": true, "-b": true, "-c": true,
	}
)

// paths say whose request a URL takes; longer ones come first.
var paths []struct {
	end    string
	format *Format
}

func init() {
	paths = []struct {
		end    string
		format *Format
	}{
		{"/v1/chat/completions", &openai}, {"/v1/completions", &openai}, {"/v1/responses", &openai}, {"/chat/completions", &openai},
		{"/api/generate", &ollama}, {"/api/chat", &ollama}, {"/api/v1/generate", &koboldCPP}, {"/api/extra/generate/stream", &koboldCPP},
		{"/completion", &llamaServer}, {"/completions", &llamaServer}, {"/generate", &sglang},
	}
}

// byPath returns whose request a URL takes, nil if it does not say.
func byPath(url string) *Format {
	url, _, _ = strings.Cut(url, "?")
	if host := strings.Split(url, "/"); len(host) > 2 && slices.Contains(strings.Split(host[2], "."), "openrouter") {
		return &openRouter
	}
	for _, p := range paths {
		if strings.HasSuffix(url, p.end) {
			return p.format
		}
	}
	return nil
}
