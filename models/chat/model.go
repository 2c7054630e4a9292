package chat

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"logitscope/models"
)

// Of returns a model's chat template: its server's own rendering, or the
// template that it carries. The error says that it has none, or what is wrong
// with it.
func Of(m models.Model) (*Template, error) {
	info := m.Info()
	if r, ok := m.(models.ChatRenderer); ok {
		return &Template{render: r.RenderChat}, nil
	}
	if info.GoTemplate != "" {
		return &Template{render: func(_ context.Context, turns []models.Message) (string, error) {
			return RenderGo(info.GoTemplate, info.System, info.First, turns, time.Now())
		}}, nil
	}
	if info.Caps.ObserveOnly {
		return &Template{render: transcript}, nil
	}
	if info.ChatTemplate == "" {
		return nil, fmt.Errorf("%s has no chat template", info.Name)
	}
	return with(m, info.ChatTemplate)
}

// For returns the template that a conversation of a model is rendered with.
func For(m models.Model, c Conversation) (*Template, error) {
	if c.Template == "" {
		return Of(m)
	}
	return with(m, c.Template)
}

// with returns another template for a model, that of the source given.
func with(m models.Model, source string) (*Template, error) {
	return Parse(source, tokensOf(m))
}

// special is a vocabulary that knows the tokens of templates; models.NoToken
// stands for one that it does not have.
type special interface {
	BOS() int32
	EOS() int32
}

// tokensOf returns what templates write of a model's tokens. Most servers do
// not say, and put a BOS token before a text themselves: templates see "".
func tokensOf(m models.Model) Tokens {
	v := m.Vocab()
	s, ok := v.(special)
	if !ok {
		info := m.Info()
		return Tokens{&info.BOS, &info.EOS}
	}
	piece := func(id int32) *string {
		if id == models.NoToken {
			return nil
		}
		text := v.Piece(id)
		return &text
	}
	return Tokens{piece(s.BOS()), piece(s.EOS())}
}

// plain renders a conversation with what is not a Jinja template, which takes
// turns of text and nothing else.
func (t *Template) plain(ctx context.Context, c Conversation) (string, error) {
	turns, err := turnsOf(c)
	if err != nil {
		return "", err
	}
	return t.render(ctx, turns)
}

// turnsOf returns the turns of a conversation that is nothing but text.
func turnsOf(c Conversation) (turns []models.Message, err error) {
	if len(c.Tools) > 0 || len(c.Vars) > 0 {
		return nil, errors.New("chat template: this server takes turns of text here, no tools and no variables")
	}
	for i, m := range c.Messages {
		if !m.plain() {
			return nil, fmt.Errorf("message %d: must be a role and a text for this server", i)
		}
		turns = append(turns, models.Message{Role: m.Role(), Content: m.Content()})
	}
	return turns, nil
}

// transcript shows turns where nobody knows how they are wrapped.
func transcript(_ context.Context, turns []models.Message) (string, error) {
	var b strings.Builder
	for i, m := range turns {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(m.Role + ": " + m.Content)
	}
	return b.String(), nil
}

// served compares a prompt with what the model's server makes of the same
// conversation, where it tells. It returns what to say of a difference.
func served(ctx context.Context, m models.Model, c Conversation, text string) (string, error) {
	teller, ok := m.(models.TemplateTeller)
	turns, err := turnsOf(c)
	if !ok || err != nil || c.Open || c.Template != "" {
		return "", nil
	}
	theirs, err := teller.ApplyTemplate(ctx, turns)
	switch {
	case errors.Is(err, models.ErrNotSupported):
		return "the server does not tell what its own template makes of the conversation", nil
	case err != nil:
		return "", err
	case theirs == text:
		return "", nil
	}
	n := 0
	for n < min(len(theirs), len(text)) && theirs[n] == text[n] {
		n++
	}
	part := func(s string) string {
		if r := []rune(strings.ToValidUTF8(s[n:], "")); len(r) > 40 {
			return string(r[:40]) + "…"
		}
		return s[n:]
	}
	return fmt.Sprintf("the server's own template makes another prompt: at byte %d it has %q, this prompt %q", n, part(theirs), part(text)), nil
}

// Prompt is a conversation as a model reads it.
type Prompt struct {
	Text   string
	Tokens []int32
	Ends   Ends

	// Turns are what a server is sent that wraps conversations itself and does
	// not say how; Text shows them then. nil for others.
	Turns []models.Message

	// Note says what the server's own template does otherwise, or that nobody
	// can know; one line, "" for nothing.
	Note string
}

// Ends are what ends the model's turn beside the tokens that end any text.
type Ends struct {
	Texts  []string // such as "\nUser:"
	Tokens []int32  // such as <|im_end|>, in a model that does not say it ends texts
}

// Prompt renders a conversation for a model and splits it into tokens. A BOS
// token that the template writes is not put before the text again.
func (t *Template) Prompt(ctx context.Context, m models.Model, c Conversation) (Prompt, error) {
	text, err := t.Render(ctx, c)
	if err != nil {
		return Prompt{}, err
	}
	p := Prompt{Text: text}
	if m.Info().Caps.ObserveOnly {
		p.Turns, err = turnsOf(c)
		p.Note = "the server wraps the conversation by a template of its own, which it does not show"
		return p, err
	}
	if p.Note, err = served(ctx, m, c, text); err != nil {
		return Prompt{}, err
	}
	begun := t.tokens.BOS != nil && *t.tokens.BOS != "" && strings.HasPrefix(text, *t.tokens.BOS)
	p.Tokens, err = models.Encode(ctx, m.Vocab(), text, models.EncodeOptions{AddSpecial: !begun, ParseSpecial: true})
	if err != nil {
		return Prompt{}, err
	}
	p.Ends, err = t.ends(ctx, m.Vocab())
	return p, err
}

// Words that no template has, to find what it writes between them.
const (
	firstWord  = "Quorvex"
	secondWord = "Zindalo"
	thirdWord  = "Myrtuwa"
)

// ends returns what ends the model's turn by the template: the token or the
// text after an answer, and the header of the user's next turn. It is empty
// where the first of them is a token that ends any text, and where the
// template does not show it.
func (t *Template) ends(ctx context.Context, v models.Vocab) (Ends, error) {
	text, err := t.Render(ctx, Conversation{
		Messages: []Message{Text("user", firstWord), Text("assistant", secondWord), Text("user", thirdWord)},
	})
	if err != nil {
		return Ends{}, ctx.Err() // what a template refuses has no turns to end
	}
	_, rest, ok := strings.Cut(text, secondWord)
	between, _, followed := strings.Cut(rest, thirdWord)
	if !ok || !followed || strings.Contains(between, firstWord) {
		return Ends{}, nil
	}
	ids, err := models.Encode(ctx, v, strings.TrimLeftFunc(between, space), models.EncodeOptions{ParseSpecial: true})
	if err != nil {
		return Ends{}, err
	}
	if len(ids) > 0 {
		switch first := ids[0]; {
		case slices.Contains(v.EOG(), first):
			return Ends{}, nil
		case v.Attr(first) == models.Control:
			return Ends{Tokens: []int32{first}}, nil
		}
	}
	return Ends{Texts: t.endTexts(between)}, nil
}

// endTexts returns the texts that end a turn, of what stands between an answer
// and the words of the next turn: its first line and its last.
func (t *Template) endTexts(between string) (list []string) {
	if eos := t.tokens.EOS; eos != nil && *eos != "" && strings.HasPrefix(between, *eos) {
		list = append(list, *eos)
	}
	text := strings.TrimRightFunc(between, space)
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if line = strings.TrimFunc(line, space); line == "" || len(list) > 0 && i < len(lines)-1 {
			continue
		}
		if i > 0 {
			line = "\n" + line
		}
		if !slices.Contains(list, line) {
			list = append(list, line)
		}
	}
	return list
}
