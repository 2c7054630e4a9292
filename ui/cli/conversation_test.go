package cli

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"logitscope/models/llama"
	"logitscope/models/remote/remotetest"
	"logitscope/ui/cli/console"
)

// Under --chat a model answers once: the text ends where the template ends the
// turn, under every preset.
func TestChatAnswersOnce(t *testing.T) {
	t.Parallel()
	for _, preset := range []string{"greedy", "chat", "creative"} {
		for _, seed := range []string{"1", "2", "3"} {
			out, errs, code := try(t, "", "run", "--chat", "--prompt", "Hello, who are you?", "--preset", preset, "--seed", seed, "--max-new-tokens", "100")
			if code != console.ExitDone || strings.Contains(out, "User:") || strings.TrimSpace(out) == "" {
				t.Errorf("%s, seed %s: exit %d, %q %q", preset, seed, code, out, errs)
			}
		}
	}
	out, _, _ := try(t, "", "run", "--chat", "--prompt", "Hello", "--format", "jsonl", "--max-new-tokens", "1")
	run := lines(t, out)[0]
	if run["prompt"] != "User: Hello\nAssistant:" {
		t.Errorf("the prompt is %v", run["prompt"])
	}
	if m := run["messages"].([]any)[0].(map[string]any); m["role"] != "user" || m["content"] != "Hello" {
		t.Errorf("the run keeps the messages %v", run["messages"])
	}
}

// What the flags say of a conversation, and the prompt it becomes.
func TestConversation(t *testing.T) {
	t.Parallel()
	file := write(t, "messages.json", `[{"role": "user", "content": "A"}, {"role": "assistant", "content": "B"}]`)
	template := write(t, "t.jinja", `{% for m in messages %}<{{ m.role }}>{{ m.content }}{% endfor %}{% if add_generation_prompt %}<assistant>{% endif %}{{ style }}{{ tools | tojson }}`)
	tools := write(t, "tools.json", `[{"b": 1, "a": 2}]`)
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--chat", "--prompt", "Hi"}, "User: Hi\nAssistant:"},
		{[]string{"--system", "Be kind", "--prompt", "Hi"}, "User: Be kind\nUser: Hi\nAssistant:"},
		{[]string{"--messages", file, "--prompt", "C"}, "User: A\nAssistant: B\nUser: C\nAssistant:"},
		{[]string{"--messages", file}, "User: A\nAssistant: B"},
		{[]string{"--prompt", "Hi", "--prefill", "Well, "}, "User: Hi\nAssistant: Well, "},
		{[]string{"--prompt", "Hi", "--chat-template", template, "--template-kwargs", "style=plain", "--tools", tools}, `<user>Hi<assistant>plain[{"b": 1, "a": 2}]`},
		{[]string{"--prompt", "Hi", "--chat-template", template, "--template-kwargs", "style=[1, true]"}, `<user>Hi<assistant>[1, True]null`},
	} {
		out, errs, code := try(t, "", append([]string{"run", "--format", "jsonl", "--max-new-tokens", "1"}, c.args...)...)
		if code != console.ExitDone {
			t.Errorf("%q: exit %d, %s", c.args, code, errs)
			continue
		}
		if got := lines(t, out)[0]["prompt"]; got != c.want {
			t.Errorf("%q: the prompt is %q, want %q", c.args, got, c.want)
		}
	}
}

// What is wrong with a conversation is one line that names the flag and where.
func TestBadConversation(t *testing.T) {
	t.Parallel()
	messages := func(text string) string { return write(t, "m.json", text) }
	template := func(text string) string { return write(t, "t.jinja", text) }
	for _, c := range []struct {
		args []string
		want []string
	}{
		{[]string{"--messages", messages(`[]`)}, []string{"--messages", "the list is empty"}},
		{[]string{"--messages", messages(`{`)}, []string{"--messages"}},
		{[]string{"--messages", messages(`[{"role":"user","content":3}]`)}, []string{"--messages", "message 0", "content"}},
		{[]string{"--messages", messages(`[{"role":"user","content":"a"},{"role":"robot","content":"b"}]`)}, []string{"message 1", "role", "robot", "assistant"}},
		{[]string{"--messages", "nosuch.json"}, []string{"--messages", "nosuch.json"}},
		{[]string{"--system", "x"}, []string{"--system", "--prompt"}},
		{[]string{"--prefill", "x"}, []string{"--prefill", "--prompt"}},
		{[]string{"--system", "x", "--prompt-tokens", "1"}, []string{"--system", "--prompt-tokens"}},
		{[]string{"--prompt", "x", "--tools", messages(`{}`)}, []string{"--tools", "must be a list"}},
		{[]string{"--prompt", "x", "--template-kwargs", "a"}, []string{"--template-kwargs", "NAME=VALUE"}},
		{[]string{"--prompt", "x", "--template-kwargs", "tools=1"}, []string{"--template-kwargs", "flag of its own"}},
		{[]string{"--prompt", "x", "--chat-template", template("{% if %}")}, []string{"--chat-template", "line 1"}},
		{[]string{"--prompt", "x", "--chat-template", template("{{ raise_exception('only two turns, please') }}")}, []string{"refuses", "only two turns, please"}},
		{[]string{"--prompt", "x", "--chat-template", template("{{ 1 % 0 }}")}, []string{"line 1", "division by zero"}},
		{[]string{"--prompt", "x", "--chat-template", template("{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}")}, []string{"too many steps"}},
	} {
		_, errs, code := try(t, "", append([]string{"run", "--max-new-tokens", "1"}, c.args...)...)
		if code != console.ExitUsage || strings.Count(errs, "\n") != 1 {
			t.Errorf("%q: exit %d, %q", c.args, code, errs)
		}
		for _, want := range c.want {
			if !strings.Contains(errs, want) {
				t.Errorf("%q: %q does not have %q", c.args, errs, want)
			}
		}
	}
}

// Five turns of a conversation are the same here and on llama-server, whose
// template agrees; where it does not, that is said, with the place.
func TestConversationOnAServer(t *testing.T) {
	t.Parallel()
	llamaServer := func(preamble string) string {
		return "llama-server:" + serve(t, func(m *llama.Model) http.Handler {
			return remotetest.LlamaServer(m, remotetest.Options{Name: "fable", Preamble: preamble})
		})
	}
	agrees, differs := llamaServer(""), llamaServer("Preamble. ")
	var turns []map[string]string
	for i, question := range []string{"Hello, who are you?", "What is the capital of Japan?", "Tell me a short story.", "What is 2 plus 2?", "Thank you!"} {
		turns = append(turns, map[string]string{"role": "user", "content": question})
		data, err := json.Marshal(turns)
		if err != nil {
			t.Fatal(err)
		}
		args := []string{"run", "--messages", write(t, "m.json", string(data)), "--preset", "greedy", "--max-new-tokens", "40"}
		here, errs, code := try(t, "", args...)
		if code != console.ExitDone || errs != "" {
			t.Fatalf("turn %d: exit %d, %s", i+1, code, errs)
		}
		there, errs, code := try(t, "", append(args, "--model", agrees)...)
		if code != console.ExitDone || there != here || errs != "" {
			t.Errorf("turn %d: exit %d, %q on the server, %q here; %s", i+1, code, there, here, errs)
		}
		turns = append(turns, map[string]string{"role": "assistant", "content": strings.TrimSpace(here)})
	}
	_, errs, code := try(t, "", "run", "--chat", "--prompt", "Hello", "--max-new-tokens", "1", "--model", differs)
	if code != console.ExitDone || !strings.Contains(errs, "server's own template") || !strings.Contains(errs, "Preamble. ") {
		t.Errorf("exit %d, %q, want what the server's template adds", code, errs)
	}
}
