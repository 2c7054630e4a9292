package run

import (
	"testing"

	"logitscope/engine"
	"logitscope/models"
	"logitscope/models/chat"
)

// pieces is a model whose tokens are the pieces of a text.
type pieces struct {
	models.Model
	vocabulary
}

func (p pieces) Vocab() models.Vocab { return p.vocabulary }

type vocabulary struct {
	models.Vocab
	list []string
}

func (v vocabulary) Piece(id int32) string { return v.list[id] }

// Hidden reasoning is whole steps, also where its marks span several tokens
// and where the template has begun it.
func TestThinking(t *testing.T) {
	talk := &chat.Conversation{Messages: []chat.Message{chat.Text("user", "Hi")}}
	for _, c := range []struct {
		prompt   string
		list     []string
		talk     *chat.Conversation
		from, to int
	}{
		{"Hi", []string{"a", "b"}, talk, 0, 0},
		{"Hi", []string{"<think>", "a", "</think>", "b"}, talk, 0, 3},
		{"Hi", []string{"x", "<th", "ink>", "a", "</", "think", ">", "b"}, talk, 1, 7},
		{"Hi", []string{"x", "<think>a", "b"}, talk, 1, 3},
		{"Hi<think>\n", []string{"a", "</think>b", "c"}, talk, 0, 2},
		{"Hi<think>\n", []string{"a", "</think>b", "c"}, nil, 0, 0},
		{"Hi<think>\n</think>", []string{"a", "b"}, talk, 0, 0},
		{"Hi<think>\n", nil, talk, 0, 0},
	} {
		l := &Lane{Model: pieces{vocabulary: vocabulary{list: c.list}}, Talk: c.talk, View: engine.View{PromptText: c.prompt}}
		for i := range c.list {
			l.View.Steps = append(l.View.Steps, &engine.Step{Index: i + 1, Token: int32(i)})
		}
		if from, to := l.Thinking(); from != c.from || to != c.to {
			t.Errorf("%q, %q: steps %d to %d, want %d to %d", c.prompt, c.list, from, to, c.from, c.to)
		}
	}
}

// The parts of a prompt are all of it, in order, and the words are the turns'.
func TestParts(t *testing.T) {
	l := &Lane{
		Talk: &chat.Conversation{Messages: []chat.Message{chat.Text("system", " A "), chat.Text("user", ""), chat.Text("user", "B\nC"), chat.Text("assistant", "gone")}},
		View: engine.View{PromptText: "<s>A</s><u></u><u>B\nC</u><a>GONE</a>"},
	}
	all, words := "", ""
	for _, p := range l.parts() {
		all += p.text
		if p.words {
			words += p.role + "=" + p.text + ";"
		}
	}
	if all != l.View.PromptText || words != "system=A;user=B\nC;" {
		t.Errorf("parts %q, words %q", all, words)
	}
}
