package chat

import (
	"context"
	"fmt"
	"slices"
	"strings"

	python "logitscope/models/chat/jinja/python"
)

// texts returns messages as the template takes them. Where it expects the
// content of a message to be a text, parts that are texts are put together,
// with a line end between two of them, as vLLM and llama-server do.
func (t *Template) texts(ctx context.Context, messages []Message) ([]Message, error) {
	if !slices.ContainsFunc(messages, func(m Message) bool { return m.parts() != nil }) || t.takesParts(ctx) {
		return messages, nil
	}
	out := slices.Clone(messages)
	for i, m := range messages {
		if m.parts() == nil {
			continue
		}
		var texts []string
		for k, part := range m.parts() {
			d, _ := part.(*python.Dict)
			kind, _ := d.Get("type")
			if kind != "text" {
				return nil, fmt.Errorf("message %d: content: part %d is %q; this template takes texts alone", i, k, kind)
			}
			text, _ := d.Get("text")
			s, _ := text.(string)
			texts = append(texts, s)
		}
		out[i] = m.With(m.Role(), strings.Join(texts, "\n"))
	}
	return out, nil
}

// parts are those of the message's content, nil where it is a text or absent.
func (m Message) parts() []python.Value {
	if list, ok := m.field("content").(*python.List); ok {
		return list.Items
	}
	return nil
}

// takesParts reports whether the template writes the texts of a content that
// is a list of parts: it is asked with one. A template that expects a text
// fails, leaves the part out, or writes the list as Python shows it.
func (t *Template) takesParts(ctx context.Context) bool {
	const said = "PARTS_OF_A_CONTENT"
	part, list := python.NewDict(), &python.List{}
	part.Set("type", "text")
	part.Set("text", said)
	list.Items = append(list.Items, part)
	m := Text("user", "")
	m.fields.Set("content", list)
	got, err := t.RenderRequest(ctx, Request{Messages: &python.List{Items: []python.Value{m.fields}}, Generation: true})
	return err == nil && strings.Contains(got, said) && !strings.Contains(got, "'"+said+"'") && !strings.Contains(got, `"`+said+`"`)
}
