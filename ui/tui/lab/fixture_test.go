package lab

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"math"
	"os"
	"sync"
	"testing"

	"logitscope/engine"
	"logitscope/models"
	"logitscope/models/fable"
	"logitscope/models/llama"
	"logitscope/presets"
	"logitscope/sampling"
	"logitscope/ui/tui/kit"
	"logitscope/ui/tui/run"
	"logitscope/viz"
)

const (
	storyPrompt = "Once upon a time there was a little fox who lived in the"
	storyText   = " edge of the sea.\nOne day, a big wolf came to a"
)

var openFable = sync.OnceValues(func() (models.Model, error) { return fable.Open(llama.Options{Workers: 1}) })

// storyLab returns the lab on a recorded run of the built-in model, paused at
// step 16 under the preset chat. No lane runs behind it.
func storyLab(t *testing.T) *View {
	t.Helper()
	model, err := openFable()
	if err != nil {
		t.Fatal(err)
	}
	var rec struct {
		Output    []int32
		Summaries []engine.Summary
	}
	b, err := os.ReadFile("../testdata/story.json")
	if err == nil {
		err = json.Unmarshal(b, &rec)
	}
	if err == nil {
		b, err = os.ReadFile("../testdata/story.f32")
	}
	if err != nil {
		t.Fatal(err)
	}
	var row []float32
	for ; len(b) >= 4; b = b[4:] {
		row = append(row, math.Float32frombits(binary.LittleEndian.Uint32(b)))
	}
	var list []run.Preset
	chat := -1
	for i, p := range presets.Builtin() {
		list = append(list, run.Preset{Name: p.Name, About: p.About, Config: p.Config})
		if p.Name == "chat" {
			chat = i
		}
	}
	lanes := run.New(t.Context(), list, engine.Draft{}, 30, false)
	l := run.NewLane(0, model, engine.Options{}, list[chat].Config.MustWith("seed", 42, sampling.FromFlag), chat, lanes.Book)
	lanes.All = []*run.Lane{l}
	if l.Settings, err = l.Compile(l.Config, l.Preset); err != nil {
		t.Fatal(err)
	}
	prompt, err := engine.Prompt(context.Background(), model, storyPrompt)
	if err != nil {
		t.Fatal(err)
	}
	v := engine.View{Phase: engine.Paused, Settings: l.Settings, PromptText: storyPrompt, Prompt: prompt, Written: []byte(storyText), StopAt: -1}
	for i, id := range rec.Output {
		v.Steps = append(v.Steps, &engine.Step{Index: i + 1, Pos: len(prompt) + i, Token: id, Settings: l.Settings, Summary: rec.Summaries[i]})
	}
	n := len(rec.Output)
	v.Next = &engine.Step{Index: n + 1, Pos: len(prompt) + n, Settings: l.Settings, Row: &engine.Row{Values: row}, Trace: new(sampling.Trace)}
	in, err := v.Input(n)
	if err != nil {
		t.Fatal(err)
	}
	l.Pins = model.Vocab().Encode(" forest", models.EncodeOptions{})
	in.Pins = l.Pins
	if _, err := l.Settings.Pipeline.Sample(v.Next.Trace, new(sampling.Scratch), in); err != nil {
		t.Fatal(err)
	}
	v.Next.Token = v.Next.Trace.Token
	l.Text, l.Prompt = storyPrompt, prompt
	l.Take(v)
	lb := New(lanes, viz.NewPalette(true, viz.NoColors, false), func(kit.ID) string { return "" })
	lb.Resize(160, 45)
	return lb
}
