package chat

import (
	"context"
	"errors"
	"fmt"
	"time"

	"logitscope/models"
)

// Of returns a model's chat template: its server's own rendering, or the
// template that it carries. The error says that it has none, or what is wrong
// with it.
func Of(m models.Model) (*Template, error) {
	info := m.Info()
	if r, ok := m.(models.ChatRenderer); ok {
		return &Template{source: info.GoTemplate, render: r.RenderChat}, nil
	}
	if info.GoTemplate != "" {
		return &Template{source: info.GoTemplate, render: func(_ context.Context, turns []models.Message) (string, error) {
			return RenderGo(info.GoTemplate, info.System, turns, time.Now())
		}}, nil
	}
	if info.ChatTemplate == "" {
		return nil, fmt.Errorf("%s has no chat template", info.Name)
	}
	bos, eos := "", ""
	return Parse(info.ChatTemplate, Tokens{&bos, &eos})
}

// plain renders a conversation with what is no Jinja template, which takes
// turns of text and nothing else.
func (t *Template) plain(ctx context.Context, c Conversation) (string, error) {
	if len(c.Tools) > 0 || len(c.Vars) > 0 {
		return "", errors.New("chat template: Ollama's templates take turns of text here, no tools and no variables")
	}
	var turns []models.Message
	for i, m := range c.Messages {
		if !m.Plain() {
			return "", fmt.Errorf("chat template: message %d must be a role and a text for Ollama's templates", i+1)
		}
		turns = append(turns, models.Message{Role: m.Role(), Content: m.Content()})
	}
	return t.render(ctx, turns)
}
