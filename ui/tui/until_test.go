package tui

import (
	"strings"
	"testing"

	"logitscope/engine"
	"logitscope/models/fable"
	"logitscope/models/llama"
	"logitscope/presets"
	"logitscope/ui/tui/run"
)

// The palette runs until what is typed holds: the lab rests before the token,
// which has a cue, and says which part became true.
func TestRunUntil(t *testing.T) {
	t.Parallel()
	m, err := fable.Open(llama.Options{})
	if err != nil {
		t.Fatal(err)
	}
	p, err := presets.Named("chat")
	if err != nil {
		t.Fatal(err)
	}
	lab := func() *Offscreen {
		o, err := NewOffscreen(t.Context(), Options{
			Model: m, Prompt: "The capital of France is", Config: p.Config, PresetName: p.Name,
			Presets: []run.Preset{{Name: p.Name, Config: p.Config}}, Theme: "dark",
		}, 120, 40)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(o.Close)
		return o
	}
	typed := func(o *Offscreen, text string) {
		keys := []string{":"}
		for _, r := range text {
			if r == ' ' {
				keys = append(keys, "space")
			} else {
				keys = append(keys, string(r))
			}
		}
		if err := o.Press(append(keys, "enter")...); err != nil {
			t.Fatal(err)
		}
	}

	o := lab()
	typed(o, "until steps >= 40 or raw_bits > 4")
	l := o.m.Lane()
	step := len(l.View.Steps) + 1
	if l.View.Next == nil || l.View.Next.Summary.RawBits <= 4 {
		t.Fatalf("it rests at step %d", step)
	}
	for _, s := range l.View.Steps {
		if s.Summary.RawBits > 4 {
			t.Errorf("step %d has %v bits, and it went on", s.Index, s.Summary.RawBits)
		}
	}
	if cue := l.Cue(step); cue != "until steps >= 40 or raw_bits > 4" {
		t.Errorf("the cue is %q", cue)
	}
	if said := o.m.Notice.Text; !strings.HasPrefix(said, "paused at step 7: raw_bits > 4 (raw_bits is ") {
		t.Errorf("it says %q", said)
	}

	o = lab()
	typed(o, "until steps > 5000") // the text ends before: whoever waits is let go
	if l := o.m.Lane(); l.View.Phase != engine.Done || len(l.Cues) != 0 {
		t.Errorf("phase %v, cues %v", l.View.Phase, l.Cues)
	}

	for text, want := range map[string]string{
		"until drwn = 3":                `until drwn: no such term or parameter; did you mean drawn?`,
		"until raw_bits":                `until raw_bits: its kind is bits; want yes or no, as in raw_bits > 4`,
		`until drawn = " Copenhagens"`:  `until " Copenhagens" is 5 tokens of this model: ␣C·open·ha·g·ens`,
		"until raw_bits > 4 and (1 = 1": `until a ) is missing: (1 = 1 is not closed`,
		"until temprature > 0.5":        `until temprature: no such term or parameter; did you mean temperature?`,
	} {
		o := lab()
		typed(o, text)
		if n := o.m.Notice; n.Text != want || !n.Warn {
			t.Errorf("%s: it says %q, want %q", text, n.Text, want)
		}
		if n := len(o.m.Lane().View.Steps); n != 0 {
			t.Errorf("%s: %d tokens were written", text, n)
		}
	}
}
