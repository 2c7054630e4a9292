package chat

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"logitscope/models"
)

// words is a vocabulary whose tokens are single bytes but for some names.
type words struct {
	models.Vocab
	names []string // their ids begin at 256
	eog   []int32
	bos   int32
}

func (w words) EOG() []int32 { return w.eog }
func (w words) BOS() int32   { return w.bos }
func (w words) EOS() int32   { return models.NoToken }
func (w words) Piece(id int32) string {
	if id >= 256 {
		return w.names[id-256]
	}
	return string(rune(id))
}
func (w words) Attr(id int32) models.Attr {
	if id >= 256 {
		return models.Control
	}
	return models.Normal
}
func (w words) Encode(text string, opt models.EncodeOptions) (ids []int32) {
	if opt.AddSpecial && w.bos != models.NoToken {
		ids = append(ids, w.bos)
	}
next:
	for text != "" {
		for i, name := range w.names {
			if opt.ParseSpecial && len(text) >= len(name) && text[:len(name)] == name {
				ids, text = append(ids, int32(256+i)), text[len(name):]
				continue next
			}
		}
		ids, text = append(ids, int32(text[0])), text[1:]
	}
	return ids
}

// What ends a turn follows from the template: a token that ends any text needs
// nothing, another token is named, and a text is its first line and the next
// role's header.
func TestEnds(t *testing.T) {
	const chatml = "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}"
	names := []string{"<|im_start|>", "<|im_end|>", "</s>"}
	for _, c := range []struct {
		name, template string
		eog            []int32
		want           Ends
	}{
		{"a token that ends texts", chatml, []int32{257}, Ends{}},
		{"a token that does not", chatml, nil, Ends{Tokens: []int32{257}}},
		{"roles by name", "{% for m in messages %}{{ '\\n' if not loop.first }}{{ m.role }}: {{ m.content }}{% endfor %}", nil, Ends{Texts: []string{"\nuser:"}}},
		{"a line between", "{% for m in messages %}### {{ m.role }}:\n{{ m.content }}\n###end\n\n{% endfor %}", nil, Ends{Texts: []string{"\n###end", "\n### user:"}}},
		{"an end as text", "{% for m in messages %}[{{ m.role }}]{{ m.content }}[end]{% endfor %}", nil, Ends{Texts: []string{"[end][user]"}}},
		{"no user without a system", "{{ raise_exception('no') }}", nil, Ends{}},
		{"no header", "{% for m in messages %}{{ m.content }}{% endfor %}", nil, Ends{}},
		{"the last message alone", "{{ messages[-1].content }}", nil, Ends{}},
	} {
		p := parse(t, c.template)
		got, err := p.ends(t.Context(), words{names: names, eog: c.eog, bos: models.NoToken})
		if err != nil || cmp.Diff(c.want, got) != "" {
			t.Errorf("%s: %v, %v; want %v", c.name, got, err, c.want)
		}
	}
}

// one is a model of a vocabulary and a template.
type one struct {
	models.Model
	words
	template string
}

func (o one) Info() models.Info   { return models.Info{Name: "one", ChatTemplate: o.template} }
func (o one) Vocab() models.Vocab { return o.words }

// A BOS token stands once before a prompt, whether the template writes it or
// the vocabulary adds it.
func TestPromptBOS(t *testing.T) {
	for _, template := range []string{"{{ messages[0].content }}", "{{ bos_token }}{{ messages[0].content }}"} {
		m := one{words: words{names: []string{"<s>"}, bos: 256}, template: template}
		p, err := Of(m)
		if err != nil {
			t.Fatal(err)
		}
		got, err := p.Prompt(t.Context(), m, Conversation{Messages: []Message{Text("user", "Hi")}})
		if diff := cmp.Diff([]int32{256, 'H', 'i'}, got.Tokens); err != nil || diff != "" {
			t.Errorf("%s: %v %s", template, err, diff)
		}
	}
	if _, err := Of(one{words: words{}}); err == nil {
		t.Error("a model without a template has one")
	}
}
