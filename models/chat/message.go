package chat

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"logitscope/models/chat/jinja/python"
)

// Message is one turn of a conversation: a JSON object whose keys keep their
// order. It cannot be changed.
type Message struct{ fields *python.Dict }

// Text returns a message with a text.
func Text(role, content string) Message {
	d := python.NewDict()
	d.Set("role", role)
	d.Set("content", content)
	return Message{d}
}

// Role is who speaks: "system", "user", "assistant" or what else a template
// knows.
func (m Message) Role() string {
	role, _ := m.field("role").(string)
	return role
}

func (m Message) field(name string) python.Value {
	if m.fields == nil {
		return nil
	}
	v, _ := m.fields.Get(name)
	return v
}

// Content is the text of the message, that of its parts one after the other,
// "" for none.
func (m Message) Content() string {
	switch c := m.field("content").(type) {
	case string:
		return c
	case *python.List:
		var b strings.Builder
		for _, part := range c.Items {
			if d, ok := part.(*python.Dict); ok {
				text, _ := d.Get("text")
				s, _ := text.(string)
				b.WriteString(s)
			}
		}
		return b.String()
	}
	return ""
}

// plain reports whether the message is a role and a text, and nothing else.
func (m Message) plain() bool {
	_, text := m.field("content").(string)
	return text && len(m.fields.Keys()) == 2
}

// With returns the message with another role and text. Its other fields stay.
func (m Message) With(role, content string) Message {
	if m.fields == nil {
		return Text(role, content)
	}
	d := m.fields.Clone()
	d.Set("role", role)
	d.Set("content", content)
	return Message{d}
}

// MarshalJSON writes the message in the order of its keys.
func (m Message) MarshalJSON() ([]byte, error) {
	if m.fields == nil {
		return []byte("null"), nil
	}
	return python.ToJSON(m.fields)
}

// UnmarshalJSON reads a message. What it may be is what [ReadMessages] takes.
func (m *Message) UnmarshalJSON(data []byte) error {
	v, err := python.FromJSON(data)
	if err != nil {
		return err
	}
	*m, err = message(v)
	return err
}

// ReadMessages reads a conversation: a JSON list of objects with the keys
// "role" and "content". A content is a text, null beside other keys, or a list
// of parts, each an object with a "type". An error names the message and its
// field.
func ReadMessages(data []byte) ([]Message, error) {
	v, err := python.FromJSON(data)
	if err != nil {
		return nil, fmt.Errorf("messages: %w", err)
	}
	list, ok := v.(*python.List)
	if !ok {
		return nil, fmt.Errorf("messages: must be a list, such as [{\"role\": \"user\", \"content\": \"Hi\"}]")
	}
	if len(list.Items) == 0 {
		return nil, fmt.Errorf("messages: the list is empty")
	}
	var out []Message
	for i, item := range list.Items {
		m, err := message(item)
		if err != nil {
			return nil, fmt.Errorf("message %d: %w", i, err)
		}
		out = append(out, m)
	}
	return out, nil
}

// message checks one message.
func message(v python.Value) (Message, error) {
	d, ok := v.(*python.Dict)
	if !ok {
		return Message{}, fmt.Errorf("must be an object with the keys role and content")
	}
	role, ok := d.Get("role")
	if name, is := role.(string); !ok || !is || name == "" {
		return Message{}, fmt.Errorf("role: must be a text, such as %s", strings.Join(roles, ", "))
	}
	content, ok := d.Get("content")
	if err := checkContent(content, ok, d); err != nil {
		return Message{}, fmt.Errorf("content: %w", err)
	}
	return Message{d}, nil
}

func checkContent(content python.Value, given bool, message *python.Dict) error {
	switch c := content.(type) {
	case string:
		return nil
	case nil:
		if len(message.Keys()) > 2 || !given && len(message.Keys()) > 1 {
			return nil
		}
		return fmt.Errorf("must be a text or a list of parts; without it the message needs another key, such as tool_calls")
	case *python.List:
		for i, part := range c.Items {
			d, ok := part.(*python.Dict)
			if !ok {
				return fmt.Errorf("part %d: must be an object, such as {\"type\": \"text\", \"text\": \"Hi\"}", i)
			}
			kind, _ := d.Get("type")
			name, ok := kind.(string)
			if !ok {
				return fmt.Errorf("part %d: type: must be a text, such as text", i)
			}
			if text, _ := d.Get("text"); name == "text" {
				if _, ok := text.(string); !ok {
					return fmt.Errorf("part %d: text: must be a text", i)
				}
			}
		}
		return nil
	}
	return fmt.Errorf("must be a text, a list of parts or null")
}

// ReadTools reads a JSON list of objects that describe functions.
func ReadTools(data []byte) ([]json.RawMessage, error) {
	if _, err := python.FromJSON(data); err != nil {
		return nil, fmt.Errorf("tools: %w", err)
	}
	var list []json.RawMessage
	if err := json.Unmarshal(data, &list); err != nil || list == nil {
		return nil, fmt.Errorf("tools: must be a list of objects")
	}
	for i, raw := range list {
		if raw[0] != '{' {
			return nil, fmt.Errorf("tool %d: must be an object", i)
		}
	}
	return list, nil
}

// roles are those that every template is given as they are.
var roles = []string{"system", "user", "assistant", "tool", "developer"}

// check refuses a conversation that no template should see.
func (t *Template) check(c Conversation) error {
	if len(c.Messages) == 0 {
		return fmt.Errorf("messages: the list is empty")
	}
	for i, m := range c.Messages {
		if r := m.Role(); !slices.Contains(roles, r) && !t.roles[r] {
			return fmt.Errorf("message %d: role: unknown %q, want %s, or another that the template knows", i, oneLine(r), strings.Join(roles, ", "))
		}
	}
	return nil
}
