// Package chat turns a conversation into the prompt that a model expects, with
// the model's own chat template: Jinja source that its file carries.
//
// Templates are rendered as Hugging Face's libraries render them: trim_blocks
// and lstrip_blocks on, with raise_exception, strftime_now and a tojson that
// leaves text as it is. A template is untrusted. It sees no file, no clock but
// the one given, and no environment; time, values and output are bounded; and
// a panic in the engine is an error. Left out for that: inheritance, imports,
// recursive loops, and multiplication, with which a short template could ask
// for any amount of memory. One difference to Jinja2 remains: none and
// undefined are the same, and write nothing.
package chat

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/nikolalohinski/gonja/v2/config"
	"github.com/nikolalohinski/gonja/v2/exec"
	"github.com/nikolalohinski/gonja/v2/loaders"
)

const (
	maxTemplate    = 128 << 10 // bytes of a template
	maxTagTokens   = 600       // tokens between {{ and }}, or {% and %}
	maxValue       = 256 << 10 // size of a value, beyond what the conversation needs
	maxWritten     = 4 << 20   // bytes that a template writes anywhere
	maxRange       = 10_000    // length of range()
	maxDepth       = 40        // macros inside macros
	defaultTimeout = 2 * time.Second
)

// Message is one turn of a conversation.
type Message struct {
	Role    string // "system", "user" or "assistant", or what else the template knows
	Content string

	// Fields are more keys of the message, such as "name" or "tool_calls",
	// as encoding/json decodes them; may be nil.
	Fields map[string]any
}

// Options are what a template may know beside the conversation.
type Options struct {
	AddGenerationPrompt bool   // end with the beginning of the model's turn
	BOS, EOS            string // the texts of the model's begin and end tokens

	// Tools are JSON objects that describe functions the model may call.
	// The order of their keys is kept.
	Tools []json.RawMessage

	Vars    map[string]any // more variables, such as "enable_thinking"; may be nil
	Now     time.Time      // what strftime_now shows; zero for the time of the call
	Timeout time.Duration  // how long rendering may take; 0 for 2 s
}

// Error is a template that refuses a conversation by raise_exception, such as
// one whose roles do not alternate.
type Error struct{ Message string }

func (e *Error) Error() string { return "the template refuses the conversation: " + e.Message }

// Render returns the prompt for a conversation. The error is one line; it is
// an [*Error] if the template itself raised it.
func Render(template string, messages []Message, opt Options) (out string, err error) {
	size := len(opt.BOS) + len(opt.EOS)
	for _, m := range messages {
		size += len(m.Role) + len(m.Content)
	}
	for _, t := range opt.Tools {
		size += len(t)
	}
	st := newState(size, opt)
	defer func() {
		if p := recover(); p != nil {
			out, err = "", fmt.Errorf("chat template: %s", oneLine(fmt.Sprint(p)))
		}
		if err != nil && st.raised != nil {
			err = st.raised
		} else if err != nil && st.stopped != nil {
			err = fmt.Errorf("chat template: %w", st.stopped)
		}
	}()
	if len(template) > maxTemplate {
		return "", fmt.Errorf("chat template: has %d bytes, want at most %d", len(template), maxTemplate)
	}
	source, err := prepare(template)
	if err != nil {
		return "", fmt.Errorf("chat template: %w", err)
	}
	vars, err := variables(messages, opt)
	if err != nil {
		return "", fmt.Errorf("chat template: %w", err)
	}
	t, err := exec.NewTemplate("template", settings(), only(source), st.environment())
	if err != nil {
		return "", fmt.Errorf("chat template: %s", parseError(err))
	}
	var b strings.Builder
	if err := t.Execute(&writer{&b, st}, vars); err != nil {
		return "", fmt.Errorf("chat template: %s", oneLine(err.Error()))
	}
	return b.String(), nil
}

// settings leave white space as it is: prepare has trimmed it.
func settings() *config.Config {
	c := config.New()
	c.KeepTrailingNewline = true
	return c
}

// variables are the names that a template finds defined.
func variables(messages []Message, opt Options) (*exec.Context, error) {
	list := make([]any, len(messages))
	for i, m := range messages {
		d := exec.NewDict()
		add := func(k string, v any) {
			d.Pairs = append(d.Pairs, &exec.Pair{Key: exec.AsValue(k), Value: exec.AsValue(v)})
		}
		add("role", m.Role)
		add("content", m.Content)
		for _, k := range sortedKeys(m.Fields) {
			add(k, m.Fields[k])
		}
		list[i] = d
	}
	vars := map[string]any{
		"messages":              list,
		"add_generation_prompt": opt.AddGenerationPrompt,
		"bos_token":             opt.BOS,
		"eos_token":             opt.EOS,
		"tools":                 nil,
		"documents":             nil,
	}
	if len(opt.Tools) > 0 {
		var tools []any
		for i, raw := range opt.Tools {
			v, err := decodeOrdered(raw)
			if err != nil {
				return nil, fmt.Errorf("tool %d is not valid JSON: %w", i, err)
			}
			tools = append(tools, v)
		}
		vars["tools"] = tools
	}
	for k, v := range opt.Vars {
		vars[k] = v
	}
	return exec.NewContext(vars), nil
}

// only is a loader that has the template and nothing else: no name leads to a
// file.
type only string

var errNoFiles = errors.New("templates cannot be loaded from templates")

func (l only) Read(path string) (io.Reader, error) {
	if path == "template" {
		return strings.NewReader(string(l)), nil
	}
	return nil, errNoFiles
}

func (l only) Resolve(path string) (string, error) {
	if path == "template" {
		return path, nil
	}
	return "", errNoFiles
}

func (l only) Inherit(string) (loaders.Loader, error) { return l, nil }

// parseError takes the cause out of the engine's error, which quotes the
// whole template.
func parseError(err error) string {
	for {
		u := errors.Unwrap(err)
		if u == nil {
			return oneLine(err.Error())
		}
		err = u
	}
}

// oneLine cuts an error text to one line of moderate length: its start, which
// says where, and its end, which says what.
func oneLine(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	const head, tail = 60, 160
	if len(s) > head+tail+len(" … ") {
		s = strings.ToValidUTF8(s[:head]+" … "+s[len(s)-tail:], "")
	}
	return s
}
