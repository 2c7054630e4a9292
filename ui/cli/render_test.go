package cli

import (
	"strings"
	"testing"

	"logitscope/ui/cli/console"
)

// Every conversation has an answer, in order; an error is one of them.
func TestModelsRender(t *testing.T) {
	t.Parallel()
	path := write(t, "chat.jinja", `{{ bos_token }}{% for m in messages %}<{{ m.role }}>{{ m.content }}{{ eos_token }}{% endfor %}{% if add_generation_prompt %}<assistant>{% endif %}{{ tools | tojson }} {{ strftime_now("%F") }} {{ style }}`)
	bad := write(t, "bad.jinja", "{% if %}")
	in := strings.ReplaceAll(`{"id": "a", "template": "PATH", "messages": [{"role": "user", "content": "Hi"}], "tools": [{"b": 1.0, "a": null}], "kwargs": {"style": "plain"}, "add_generation_prompt": true, "bos_token": "<s>", "eos_token": null, "date": "2026-03-07T09:05:04"}
{"id": "b", "template": "PATH", "messages": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Yo"}], "continue_final_message": true}
{"id": "c", "template": "`+bad+`", "messages": []}
{"id": "d", "template": "nosuch.jinja", "messages": []}
{"id": "e", "template": "PATH", "messages": 1}
nothing
`, "PATH", path)
	out, errs, code := try(t, in, "models", "render")
	if code != console.ExitFailed || errs != "" {
		t.Errorf("exit %d, %q", code, errs)
	}
	got := lines(t, out)
	if len(got) != 6 {
		t.Fatalf("%d answers, want 6: %s", len(got), out)
	}
	for i, want := range []string{`<s><user>Hi<assistant>[{"b": 1.0, "a": null}] 2026-03-07 plain`, "<user>Hi<assistant>Yo"} {
		if got[i]["text"] != want {
			t.Errorf("answer %d is %v, want %q", i, got[i], want)
		}
	}
	for i, want := range []string{"line 1", "nosuch.jinja", "messages: must be a list", "line 6"} {
		if e, _ := got[i+2]["error"].(string); !strings.Contains(e, want) {
			t.Errorf("answer %d is %v, want an error with %q", i+2, got[i+2], want)
		}
	}
	if _, _, code := try(t, strings.SplitAfter(in, "\n")[0], "models", "render"); code != console.ExitDone {
		t.Errorf("exit %d without an error, want 0", code)
	}
}
