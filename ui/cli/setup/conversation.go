package setup

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/spf13/pflag"

	"logitscope/models/chat"
	"logitscope/ui/cli/console"
)

// A talk is what the flags say of a conversation.
type talk struct {
	flags    *pflag.FlagSet
	Chat     bool
	system   string
	messages string
	prefill  string
	template string
	kwargs   []string
	tools    string
}

func (t *talk) add(f *pflag.FlagSet) {
	t.flags = f
	f.BoolVar(&t.Chat, "chat", false, "wrap the prompt as a user's message by the model's chat template")
	f.StringVar(&t.system, "system", "", "system message of the conversation; implies --chat")
	f.StringVar(&t.messages, "messages", "", `file with a conversation, [{"role":"user","content":"Hi"}]; --prompt is the user's next turn, a last turn of the assistant stays open`)
	f.StringVar(&t.prefill, "prefill", "", "start of the assistant's turn, which the model continues; implies --chat")
	f.StringVar(&t.template, "chat-template", "", "file with a chat template instead of the model's own; implies --chat")
	f.StringArrayVar(&t.kwargs, "template-kwargs", nil, "variable of the chat template, such as enable_thinking=false; JSON or a text; may be repeated; implies --chat")
	f.StringVar(&t.tools, "tools", "", "file with a JSON list of tools for the chat template; implies --chat")
	console.Reads(f, "a file", "messages", "chat-template", "tools")
}

// Asked names the flag that asks for a conversation; "" for none.
func (t *talk) Asked() string {
	if t.flags == nil {
		return ""
	}
	for _, name := range []string{"messages", "system", "prefill", "tools", "chat-template", "template-kwargs"} {
		if t.flags.Changed(name) {
			return "--" + name
		}
	}
	if t.Chat {
		return "--chat"
	}
	return ""
}

// readConversation makes the prompt of a job out of a conversation, whose
// user's last turn is text if one was given.
func (s *Flags) readConversation(ctx context.Context, j *Job, text string, given bool) error {
	c, err := s.conversation(text, given)
	if err != nil {
		return err
	}
	t, err := chat.For(j.Model, c)
	if err != nil && c.Template != "" {
		return console.Wrong("--chat-template %s: %w", s.Talk.template, err)
	}
	if err != nil {
		return console.Wrong("%s: %w", s.Talk.Asked(), err)
	}
	p, err := t.Prompt(ctx, j.Model, c)
	if err != nil {
		return console.Wrong("%s: %w", s.Talk.Asked(), err)
	}
	j.Text, j.Prompt, j.Ends, j.Talk = p.Text, p.Tokens, p.Ends, &c
	j.Turns = p.Turns
	if p.Note != "" {
		s.Notes = append(s.Notes, p.Note)
	}
	return j.checkPrompt()
}

// conversation puts together what the flags say.
func (s *Flags) conversation(text string, given bool) (c chat.Conversation, err error) {
	if s.Talk.messages != "" {
		data, err := s.ReadFile("--messages", s.Talk.messages)
		if err != nil {
			return c, err
		}
		if c.Messages, err = chat.ReadMessages(data); err != nil {
			return c, console.Wrong("--messages %s: %w", s.Talk.messages, err)
		}
	}
	if s.FlagSet.Changed("system") {
		c.Messages = append([]chat.Message{chat.Text("system", s.Talk.system)}, c.Messages...)
	}
	if given {
		c.Messages = append(c.Messages, chat.Text("user", text))
	}
	if s.FlagSet.Changed("prefill") {
		c.Messages = append(c.Messages, chat.Text("assistant", s.Talk.prefill))
	}
	if s.Talk.messages == "" && !given {
		return c, console.Wrong("%s needs a turn of the user: --prompt, --prompt-file or --messages", s.Talk.Asked())
	}
	last := c.Messages[len(c.Messages)-1]
	c.Open = last.Role() == "assistant" && last.Content() != ""
	if s.Talk.tools != "" {
		data, err := s.ReadFile("--tools", s.Talk.tools)
		if err != nil {
			return c, err
		}
		if c.Tools, err = chat.ReadTools(data); err != nil {
			return c, console.Wrong("--tools %s: %w", s.Talk.tools, err)
		}
	}
	if s.FlagSet.Changed("chat-template") {
		source, err := s.ReadFile("--chat-template", s.Talk.template)
		if err != nil {
			return c, err
		}
		if len(source) == 0 {
			return c, console.Wrong("--chat-template %s: the file is empty", s.Talk.template)
		}
		c.Template = string(source)
	}
	c.Vars, err = templateVars(s.Talk.kwargs)
	return c, err
}

// templateVars reads NAME=VALUE; a value that is not JSON is a text.
func templateVars(list []string) (map[string]json.RawMessage, error) {
	vars := map[string]json.RawMessage{}
	for _, kv := range list {
		name, value, ok := strings.Cut(kv, "=")
		if !ok || name == "" {
			return nil, console.Wrong("--template-kwargs %s: must be NAME=VALUE", kv)
		}
		raw := json.RawMessage(value)
		if !json.Valid(raw) {
			raw, _ = json.Marshal(value)
		}
		vars[name] = raw
	}
	for _, name := range []string{"messages", "tools", "add_generation_prompt"} {
		if _, ok := vars[name]; ok {
			return nil, console.Wrong("--template-kwargs %s: it has a flag of its own", name)
		}
	}
	return vars, nil
}
