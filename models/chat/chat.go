// Package chat answers: which prompt does a conversation become? It turns a
// conversation into the prompt that a model expects, with the model's own chat
// template: Jinja source that its file carries.
//
// Templates are rendered as Hugging Face's transformers render them, by the
// interpreter in the package jinja: what it writes is what transformers would
// give the model, or an error that says why not. What ends the model's turn
// follows from the same template (see Template.ends).
package chat

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode"

	"logitscope/models"
	"logitscope/models/chat/jinja"
	"logitscope/models/chat/jinja/python"
)

// Conversation is what a model is asked to continue.
type Conversation struct {
	Messages []Message

	// Tools are JSON objects that describe functions the model may call, in
	// the order of their keys; nil for none.
	Tools []json.RawMessage

	// Vars are more variables of the template, such as "enable_thinking",
	// as JSON, by name; may be nil.
	Vars map[string]json.RawMessage

	// Template is the source of the template instead of the model's own; ""
	// for that.
	Template string

	// Open leaves the last message open, so that the model goes on with its
	// text. Otherwise the template begins the model's turn.
	Open bool
}

// Tokens are the texts of a model's tokens that templates write; nil for one
// that the model does not have, which is undefined in the template then.
type Tokens struct{ BOS, EOS *string }

// Template is a model's chat template. It may be used by several goroutines.
type Template struct {
	tokens Tokens
	parsed *jinja.Template
	roles  map[string]bool // texts that the template compares with

	// render takes the place of parsed where the template is not Jinja.
	render func(ctx context.Context, turns []models.Message) (string, error)
}

// Parse reads a template. Its error is one line.
func Parse(source string, tokens Tokens) (*Template, error) {
	p, err := jinja.Parse(source)
	if err != nil {
		return nil, explained(err)
	}
	t := &Template{tokens: tokens, parsed: p, roles: map[string]bool{}}
	p.Constants(func(s string) { t.roles[s] = true })
	return t, nil
}

// Refusal is a template that refuses a conversation by raise_exception, such
// as one whose roles do not alternate.
type Refusal struct {
	Message string // the template's own words
}

func (e *Refusal) Error() string { return "the template refuses the conversation: " + e.Message }

// explained makes an error of the interpreter one of this package.
func explained(err error) error {
	var e *python.Error
	switch {
	case !errors.As(err, &e):
		return err
	case e.Kind == python.Raised:
		return &Refusal{oneLine(e.Message)}
	}
	return fmt.Errorf("chat template: %s", oneLine(e.Error()))
}

// oneLine cuts a text to one line of moderate length.
func oneLine(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > 300 {
		s = string(r[:299]) + "…"
	}
	return s
}

// Render returns the prompt for a conversation. The error is one line; it is a
// [*Refusal] if the template itself raised it.
func (t *Template) Render(ctx context.Context, c Conversation) (string, error) {
	if t.render != nil {
		return t.plain(ctx, c)
	}
	if err := t.check(c); err != nil {
		return "", err
	}
	turns, err := t.texts(ctx, c.Messages)
	if err != nil {
		return "", err
	}
	messages := &python.List{}
	for _, m := range turns {
		messages.Items = append(messages.Items, m.fields)
	}
	r := Request{Messages: messages, Open: c.Open, Generation: !c.Open}
	for i, raw := range c.Tools {
		v, err := python.FromJSON(raw)
		if err != nil {
			return "", fmt.Errorf("tool %d is not valid JSON: %w", i, err)
		}
		r.Tools = append(r.Tools, v)
	}
	r.Vars = python.NewDict()
	for _, name := range slices.Sorted(maps.Keys(c.Vars)) {
		v, err := python.FromJSON(c.Vars[name])
		if err != nil {
			return "", fmt.Errorf("the variable %s is not valid JSON: %w", name, err)
		}
		r.Vars.Set(name, v)
	}
	return t.RenderRequest(ctx, r)
}

// Request is a rendering in the words of transformers' apply_chat_template,
// whose messages may be anything.
type Request struct {
	Messages   *python.List
	Tools      []python.Value // nil for none
	Vars       *python.Dict   // may be nil
	Generation bool           // add_generation_prompt
	Open       bool           // continue_final_message
	Now        time.Time      // what strftime_now shows; zero for the time of the call
}

// mark stands after the text of a message that stays open, to find its place
// in what the template writes.
const mark = "CONTINUE_FINAL_MESSAGE_TAG "

// RenderRequest renders what [Template.Render] renders, without its checks.
func (t *Template) RenderRequest(ctx context.Context, r Request) (string, error) {
	vars := python.NewDict()
	if t.tokens.BOS != nil {
		vars.Set("bos_token", *t.tokens.BOS)
	}
	if t.tokens.EOS != nil {
		vars.Set("eos_token", *t.tokens.EOS)
	}
	vars.Set("documents", nil)
	if r.Vars != nil {
		for _, k := range r.Vars.Keys() {
			name, _ := k.(string)
			v, _ := r.Vars.Get(k)
			vars.Set(name, v)
		}
	}
	messages, final := r.Messages, ""
	if r.Open {
		if r.Generation {
			return "", errors.New("the last message stays open, so the template cannot begin another turn")
		}
		var err error
		if messages, final, err = marked(messages); err != nil {
			return "", err
		}
	}
	vars.Set("messages", messages)
	vars.Set("tools", nil)
	if r.Tools != nil {
		vars.Set("tools", &python.List{Items: r.Tools})
	}
	vars.Set("add_generation_prompt", r.Generation)
	size := int64(python.Size(vars))
	text, err := t.parsed.Render(ctx, vars, jinja.Options{
		Now:    r.Now,
		Limits: jinja.Limits{Steps: 10_000_000 + 20*size, Bytes: 128<<20 + 40*size},
	})
	if err != nil {
		return "", explained(err)
	}
	if r.Open {
		return cutAtMark(text, final)
	}
	return text, nil
}

// marked returns the messages with the mark after the text of the last one,
// and that text.
func marked(messages *python.List) (*python.List, string, error) {
	n := len(messages.Items)
	if n == 0 {
		return nil, "", errors.New("there is no message to leave open")
	}
	last, ok := messages.Items[n-1].(*python.Dict)
	if !ok {
		return nil, "", fmt.Errorf("message %d: must be an object", n-1)
	}
	content, _ := last.Get("content")
	var final string
	switch c := content.(type) {
	case string:
		final, content = c, c+mark
	case *python.List:
		parts := append([]python.Value(nil), c.Items...)
		i := len(parts) - 1
		for ; i >= 0; i-- {
			part, ok := parts[i].(*python.Dict)
			if !ok {
				continue
			}
			if text, ok := part.Get("text"); ok {
				if final, ok = text.(string); !ok {
					return nil, "", fmt.Errorf("message %d: content part %d: text must be a text to be left open", n-1, i)
				}
				part = part.Clone()
				part.Set("text", final+mark)
				parts[i] = part
				break
			}
		}
		if i < 0 {
			return nil, "", fmt.Errorf("message %d: content has no text to leave open", n-1)
		}
		content = &python.List{Items: parts}
	default:
		return nil, "", fmt.Errorf("message %d: content must be a text to be left open", n-1)
	}
	last = last.Clone()
	last.Set("content", content)
	list := append([]python.Value(nil), messages.Items...)
	list[n-1] = last
	return &python.List{Items: list}, final, nil
}

// cutAtMark cuts what the template wrote after the message that stays open.
// Where the blank of the mark is gone, the template trims, and white space
// before the mark goes too.
func cutAtMark(text, final string) (string, error) {
	at := strings.LastIndex(text, strings.TrimSpace(mark))
	if at < 0 || !strings.Contains(text, strings.TrimFunc(final, space)) {
		return "", errors.New("the template does not write the last message as it is, so it cannot be left open")
	}
	if strings.HasPrefix(text[at:], mark) {
		return text[:at], nil
	}
	return strings.TrimRightFunc(text[:at], space), nil
}

// space is what Python takes for white space.
func space(r rune) bool { return unicode.IsSpace(r) || r >= 0x1c && r <= 0x1f }
