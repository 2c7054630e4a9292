package chat

import (
	"context"
	"testing"
)

// A content of parts reaches a template that takes texts as one text, and one
// that takes parts as it is.
func TestParts(t *testing.T) {
	const (
		adds  = `{% for m in messages %}{{ m.role + ': ' + m.content + '\n' }}{% endfor %}`
		trims = `{% for m in messages %}{{ m.role }}: {{ m.content | trim }}
{% endfor %}`
		loops = `{% for m in messages %}{{ m.role }}:{% for p in m.content %} [{{ p.text if p.type == 'text' else p.type }}]{% endfor %}{{ '\n' }}{% endfor %}`
	)
	const two = `[{"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]},{"role":"assistant","content":"c"}]`
	const image = `[{"role":"system","content":"s"},{"role":"user","content":[{"type":"text","text":"a"},{"type":"image_url","image_url":{"url":"x"}}]}]`
	const noTexts = `message 1: content: part 1 is "image_url"; this template takes texts alone`
	for _, tt := range []struct{ name, source, messages, want, fails string }{
		{"added", adds, two, "user: a\nb\nassistant: c\n", ""},
		{"trimmed", trims, two, "user: a\nb\nassistant: c\n", ""},
		{"by parts", loops, `[{"role":"user","content":[{"type":"text","text":"a"},{"type":"image"}]}]`, "user: [a] [image]\n", ""},
		{"an image, added", adds, image, "", noTexts},
		{"an image, trimmed", trims, image, "", noTexts},
	} {
		tmpl, err := Parse(tt.source, Tokens{})
		if err != nil {
			t.Fatal(err)
		}
		list, err := ReadMessages([]byte(tt.messages))
		if err != nil {
			t.Fatal(err)
		}
		got, err := tmpl.Render(context.Background(), Conversation{Messages: list})
		if got != tt.want || (err == nil) != (tt.fails == "") || err != nil && err.Error() != tt.fails {
			t.Errorf("%s: %q, %v", tt.name, got, err)
		}
	}
}
