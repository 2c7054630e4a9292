// Package prompts answers: which prompts are asked, and how are their answers
// judged? It reads sets of prompts: JSON lines, tables with a header, or texts
// parted by lines of three hyphens, each prompt with the checks its texts must
// pass. A set is read as a stream, as often as it is needed, and its memory
// does not grow with the file. Reading it first says all that is wrong with it
// ([Set.Check]), so that nothing runs half.
package prompts

import (
	"encoding/json"
	"regexp"
	"strings"

	"logitscope/engine/check"
)

// A Prompt is one prompt of a set, with its variables filled in. It has one of
// Text, Messages and Tokens.
type Prompt struct {
	ID       string // as given, or the number of the prompt in the file
	Text     string // may be empty
	Messages []Message
	Tokens   []int32
	System   string // of a Text or of Messages; empty if there is none
	Expect   check.List
	Extract  *regexp.Regexp // for the checks that have none of their own; nil if there is none
	Tags     []string
	Vars     []Var
	Line     int // where it begins in the file, from 1; 0 for one of the command line
}

// Asked returns what is continued as a person reads it: the turns of a
// conversation below each other, the system message first. Tokens have no text
// of their own.
func (p *Prompt) Asked() string {
	turns := p.Messages
	switch {
	case turns == nil && p.System == "":
		return p.Text
	case turns == nil:
		turns = []Message{{"user", p.Text}}
	}
	if p.System != "" {
		turns = append([]Message{{"system", p.System}}, turns...)
	}
	var b strings.Builder
	for _, m := range turns {
		b.WriteString(m.Role + ": " + m.Content + "\n")
	}
	return b.String()
}

// A Message is a turn of a conversation.
type Message struct {
	Role    string `json:"role"` // one of roles
	Content string `json:"content"`
}

// roles are those that messages may have.
var roles = []string{"system", "user", "assistant"}

// A Var is a variable and its value.
type Var struct{ Name, Value string }

// MarshalJSON writes the prompt as a line of a set that means the same.
func (p Prompt) MarshalJSON() ([]byte, error) {
	line := struct {
		ID       string            `json:"id"`
		Prompt   *string           `json:"prompt,omitempty"`
		Messages []Message         `json:"messages,omitempty"`
		Tokens   []int32           `json:"tokens,omitempty"`
		System   string            `json:"system,omitempty"`
		Expect   check.List        `json:"expect,omitempty"`
		Extract  string            `json:"extract,omitempty"`
		Tags     []string          `json:"tags,omitempty"`
		Vars     map[string]string `json:"vars,omitempty"`
	}{ID: p.ID, Messages: p.Messages, Tokens: p.Tokens, System: p.System, Expect: p.Expect, Tags: p.Tags}
	if p.Messages == nil && p.Tokens == nil {
		line.Prompt = &p.Text
	}
	if p.Extract != nil {
		line.Extract = p.Extract.String()
	}
	if len(p.Vars) > 0 {
		line.Vars = map[string]string{}
		for _, v := range p.Vars {
			line.Vars[v.Name] = v.Value
		}
	}
	return json.Marshal(line)
}
