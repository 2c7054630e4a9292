package exchange

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"logitscope/presets/exchange/carrier"
)

// A program is one whose command line holds settings.
type program struct {
	name string
	read func(words []carrier.Word, env []carrier.Entry) (*source, error)
	is   func(words []carrier.Word, i int) (args int, ok bool) // whether word i names it, and where its arguments begin
}

// programs are the commands that are known.
var programs = []program{
	{"llama.cpp", llamaArgs, isLlama},
	{"vllm", vllmArgs, isVLLM},
	{"curl", curlArgs, named("curl")},
}

// named finds a program by the last part of its path.
func named(name string) func(words []carrier.Word, i int) (int, bool) {
	return func(words []carrier.Word, i int) (int, bool) { return i + 1, path.Base(words[i].Text) == name }
}

// shellSource reads command n, from 1, of those that hold settings; each other
// one is named as unread. Variables set before it count where the engine reads
// them. It returns nil where no settings are found.
func shellSource(text string, first, n int) (*source, error) {
	words, err := carrier.SplitWords(text, first)
	if err != nil {
		return nil, err
	}
	var found []site
	var env []carrier.Entry
	for _, command := range carrier.Commands(words) {
		env = append(env, environment(command)...)
		if p, args, ok := findProgram(command); ok {
			name := command[args-1]
			found = append(found, site{carrier.Unread{Line: name.Line, Key: path.Base(name.Text), Text: carrier.Joined(command[args-1:]), Why: "another command, not read"}, func() (*source, error) { return p.read(command[args:], env) }})
		}
	}
	if len(found) > 0 {
		return choose(found, n, "command")
	}
	flags := slices.DeleteFunc(slices.Clone(words), func(w carrier.Word) bool { return w.Control })
	if slices.ContainsFunc(flags, func(w carrier.Word) bool { name, _, _ := strings.Cut(w.Text, "="); return llamaFlag(name) != nil }) {
		return llamaArgs(flags, env)
	}
	if len(env) > 0 {
		return &source{format: &llamaCPP, entries: env}, nil
	}
	return nil, nil
}

// A site is one of several places of a file that hold settings.
type site struct {
	what carrier.Unread // how it is named where another one is read
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
	s.calls = len(sites)
	for i, x := range sites {
		if i != n-1 {
			s.unread = append(s.unread, x.what)
		}
	}
	return s, nil
}

// findProgram finds the program that a command runs.
func findProgram(command []carrier.Word) (p program, args int, ok bool) {
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
func environment(command []carrier.Word) []carrier.Entry {
	var out []carrier.Entry
	for _, w := range command {
		name, value, ok := strings.Cut(w.Text, "=")
		if !ok || !isVariable(name) {
			continue
		}
		out = append(out, flagEntry(name, value, w))
	}
	return out
}

// flagEntry is a value of a command line as an entry.
func flagEntry(key, value string, w carrier.Word) carrier.Entry {
	e := carrier.Entry{Key: key, Value: value, Line: w.Line, Text: value}
	if w.Dark != "" {
		e.Value, e.Text = carrier.Unreadable{Text: value}, value
	}
	return e
}

// curlArgs reads the body of a request. Where it goes to says whose it is.
func curlArgs(words []carrier.Word, _ []carrier.Entry) (*source, error) {
	var url string
	var body *carrier.Word
	for i := 0; i < len(words); i++ {
		name, value, glued := strings.Cut(words[i].Text, "=")
		switch {
		case slices.Contains(curlBody, name) && glued:
			w := words[i]
			w.Text = value
			body = &w
		case slices.Contains(curlBody, name) && i+1 < len(words):
			i++
			body = &words[i]
		case curlValues[name] && !glued:
			i++
		case !strings.HasPrefix(words[i].Text, "-") && url == "":
			url = words[i].Text
		}
	}
	if body == nil {
		return nil, fmt.Errorf("a request without a body (-d): it holds no settings")
	}
	o, err := carrier.ReadObject([]byte(body.Text), body.Line)
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
var paths = []struct {
	end    string
	format *Format
}{
	{"/v1/chat/completions", &openai}, {"/v1/completions", &openai}, {"/v1/responses", &openai}, {"/chat/completions", &openai},
	{"/api/generate", &ollama}, {"/api/chat", &ollama}, {"/api/v1/generate", &koboldCPP}, {"/api/extra/generate/stream", &koboldCPP},
	{"/completion", &llamaServer}, {"/completions", &llamaServer}, {"/generate", &sglang},
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
