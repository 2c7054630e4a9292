package tui

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"logitscope/engine"
	"logitscope/engine/record"
	"logitscope/models"
	"logitscope/presets"
	"logitscope/presets/exchange"
	"logitscope/ui/tui/files"
	"logitscope/ui/tui/kit"
	"logitscope/ui/tui/run"
)

// exportBench is a lab with a config folder of its own.
func exportBench(t testing.TB, w, h int) *bench {
	opt := withModels(testOptions(t))
	opt.ConfigDir = t.TempDir()
	b := newBench(t, opt, w, h)
	b.m.Pace = len(run.Paces) - 1
	b.start(storyPrompt)
	for i := 1; i <= 4; i++ {
		b.keys("n")
		b.steps(i)
	}
	b.keys("W")
	return b
}

func (b *bench) typed(s string) { b.send(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(s)}) }

// name empties the field and types a name into it.
func (b *bench) name(s string) {
	b.keys("ctrl+u")
	b.typed(s)
	b.keys("enter")
}

// The check tells what the target makes of the settings, not what the settings
// were before: a preset that vllm has all of changes nothing there, though the
// text so far was written under another one.
func TestExportChecksTheSettings(t *testing.T) {
	t.Parallel()
	b := exportBench(t, 120, 40)
	b.keys("esc", "1", "W", "left", "left", "left", "left")
	b.has("factual → vllm")
	b.has("mean total variation 0.000")
	b.has("drawn token the same in 4 of 4 (same luck)")
}

func TestExportEveryTarget(t *testing.T) {
	t.Parallel()
	b := exportBench(t, 120, 40)
	first := slices.Index(exchange.TargetNames(), "llama.cpp")
	for i := range exchange.Targets() {
		f := exchange.Targets()[(first+i)%len(exchange.Targets())]
		want, err := exchange.Export(b.m.Lane().Config, f)
		if err != nil {
			t.Fatal(err)
		}
		b.has("chat → " + f.Name)
		b.has(strings.TrimSpace(strings.Split(want.Text, "\n")[0])[:1])
		if len(want.Lost) > 0 {
			b.has("does not translate (" + strconv.Itoa(len(want.Lost)) + ")")
		}
		var said strings.Builder // what does not fit is scrolled to
		for range 8 {
			said.WriteString(b.frame())
			b.keys("pgdown")
		}
		for _, want := range []string{"check: the last 64 steps of this run under " + f.Rules(), "4 steps compared (the run is shorter than 64)", "of 4 (same luck)"} {
			if !strings.Contains(said.String(), want) {
				t.Errorf("%s: no %q in\n%s", f.Name, want, said.String())
			}
		}
		b.keys("right")
	}
}

func TestExportIsExact(t *testing.T) {
	t.Parallel()
	b := exportBench(t, 120, 40)
	for page := range 3 {
		for _, s := range [][2]int{{40, 12}, {60, 18}, {61, 40}, {80, 24}, {100, 30}, {120, 40}, {200, 60}, {200, 22}, {40, 60}} {
			b.send(tea.WindowSizeMsg{Width: s[0], Height: s[1]})
			exact(t, b.frame(), s[0], s[1], fmt.Sprint("page ", page))
		}
		b.keys("tab")
	}
}

// A file that is there is written over only when asked twice.
func TestWriteFileNeverOverwritesSilently(t *testing.T) {
	t.Parallel()
	b := exportBench(t, 100, 30)
	file := filepath.Join(t.TempDir(), "args.txt")
	b.keys("enter")
	b.name(file)
	b.has("wrote settings for llama.cpp")
	want, err := os.ReadFile(file)
	if err != nil || !bytes.HasPrefix(want, []byte("--temp 0.7")) {
		t.Fatalf("%q, %v", want, err)
	}
	if err := os.WriteFile(file, []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	b.keys("enter")
	b.name(file)
	b.has("is there already")
	if got, _ := os.ReadFile(file); string(got) != "mine" {
		t.Errorf("it was overwritten: %q", got)
	}
	b.keys("enter")
	if got, _ := os.ReadFile(file); !bytes.Equal(got, want) {
		t.Errorf("asked twice, it holds %q", got)
	}
	left, _ := filepath.Glob(filepath.Join(filepath.Dir(file), ".*"))
	if len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// Presets are saved, renamed, deleted and brought back, on disk and in the
// list, and keys and labels follow.
func TestOwnPresets(t *testing.T) {
	t.Parallel()
	b := exportBench(t, 100, 30)
	dir := b.m.presets.Dir()
	b.m.Set("temperature", 1.1)
	b.keys("tab", "enter")
	b.name("chat")
	b.has("is a built-in preset")
	b.name("no/slash")
	b.has("a name has letters")
	b.name("warm")
	b.has("saved as warm: key 6 takes it")
	l := b.m.Lane()
	if got := l.Label(l.Config, l.Preset); got != "warm" {
		t.Errorf("the settings are called %s", got)
	}
	f, err := os.Open(filepath.Join(dir, "warm.json"))
	if err != nil {
		t.Fatal(err)
	}
	p, err := presets.Decode(f, "warm.json")
	f.Close()
	if err != nil || p.Name != "warm" || p.Config.Float("temperature") != 1.1 {
		t.Errorf("%+v, %v", p, err)
	}
	b.keys("down", "enter")
	b.name("cold")
	b.has("warm is called cold now")
	if got := l.Label(l.Config, l.Preset); got != "cold" {
		t.Errorf("after the renaming they are called %s", got)
	}
	if list, _ := filepath.Glob(filepath.Join(dir, "*.json")); len(list) != 1 || filepath.Base(list[0]) != "cold.json" {
		t.Errorf("files: %v", list)
	}
	b.keys("x")
	b.has("deleted cold")
	if list, _ := filepath.Glob(filepath.Join(dir, "*.json")); len(list) != 0 || b.m.presets.Find("cold") >= 0 {
		t.Error("it is still there")
	}
	b.keys("u")
	if list, _ := filepath.Glob(filepath.Join(dir, "*.json")); len(list) != 1 || b.m.presets.Find("cold") < 0 {
		t.Error("it did not come back")
	}
	b.keys("esc", "1", "6")
	if l.Config.Float("temperature") != 1.1 {
		t.Errorf("6 gives temperature %v", l.Config.Float("temperature"))
	}
}

// A preset saved between two others moves the places of the ones after it;
// whatever was in force stays in force.
func TestPresetsKeepTheirPlace(t *testing.T) {
	t.Parallel()
	b := exportBench(t, 100, 30)
	cfg := b.m.Lane().Config
	for _, name := range []string{"b", "d"} {
		if err := b.m.presets.Save(name, "", cfg, false); err != nil {
			t.Fatal(err)
		}
	}
	l := b.m.Lane()
	l.Preset = b.m.presets.Find("d")
	l.Undo = append(l.Undo, run.Snapshot{Preset: b.m.presets.Find("b")})
	if err := b.m.presets.Save("a", "", cfg, false); err != nil {
		t.Fatal(err)
	}
	if l.Preset != b.m.presets.Find("d") || l.Undo[len(l.Undo)-1].Preset != b.m.presets.Find("b") {
		t.Error("places were mixed up")
	}
	if _, err := b.m.presets.Delete(b.m.presets.Find("d")); err != nil || l.Preset != -1 {
		t.Errorf("a deleted preset is still in force: %d, %v", l.Preset, err)
	}
}

func TestRunIsWritten(t *testing.T) {
	t.Parallel()
	b := exportBench(t, 100, 30)
	file := filepath.Join(t.TempDir(), "run.jsonl")
	b.keys("tab", "tab", "enter")
	b.name(file)
	b.has("wrote the run")
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var types []string
	steps := 0
	for _, line := range bytes.Split(bytes.TrimSpace(data), []byte("\n")) {
		var r struct {
			Type  string
			Token int32
			Pos   int
		}
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatal(err)
		}
		if r.Type == "pieces" || r.Type == "next" {
			continue
		}
		if r.Type == "step" {
			if r.Token != b.m.Lane().View.Steps[steps].Token {
				t.Errorf("step %d has token %d", steps+1, r.Token)
			}
			steps++
		}
		types = append(types, r.Type)
	}
	if got := strings.Join(types, " "); got != "run step step step step end" {
		t.Errorf("lines: %s", got)
	}
}

func TestImportPasted(t *testing.T) {
	t.Parallel()
	b := newBench(t, testOptions(t), 100, 30)
	b.start(storyPrompt)
	b.run(b.m.Open(kit.ViewImport))
	b.typed("-c nonsense --temp 0.3 --top-k 7 --wobble 3")
	b.has("read as llama.cpp")
	b.has("not known")
	b.has("wobble")
	b.keys("ctrl+d")
	c := b.m.Lane().Config
	if c.Float("temperature") != 0.3 || c.Int("top_k") != 7 || c.Uint("seed") != 42 {
		t.Errorf("temperature %v, top_k %d, seed %d", c.Float("temperature"), c.Int("top_k"), c.Uint("seed"))
	}
	b.keys("u")
	if b.m.Lane().Config.Float("temperature") != 0.7 {
		t.Error("it cannot be undone")
	}
	b.run(b.m.Open(kit.ViewImport))
	b.typed(`{"temperature": -3}`)
	b.has("! not read: line 1: temperature = -3: out of range")
	b.keys("ctrl+d")
	b.has("not yet")
	b.keys("esc")
}

func TestModelView(t *testing.T) {
	t.Parallel()
	b := newBench(t, withModels(testOptions(t)), 100, 40)
	b.start(storyPrompt)
	b.keys("M")
	b.has("model · fable q8_0")
	b.has("4,096 tokens")
	b.has("layers")
	old := b.m.Lane()
	b.keys("down", "enter")
	l := b.m.Lane()
	if l == old || l.Model.Info().Name != "fable-draft" {
		t.Fatalf("the lane runs %s", l.Model.Info().Name)
	}
	b.steps(0)
	b.has("model · fable-draft")
	if !l.Config.Equal(old.Config) || l.View.PromptText != storyPrompt {
		t.Errorf("prompt %q", l.View.PromptText)
	}
	b.m.opt.OpenModel = func(name string) (models.Model, error) { return nil, errors.New(name + ": no such file") }
	b.keys("esc", "M", "end", "enter")
	b.typed("none.gguf")
	b.keys("enter")
	b.has("! none.gguf: no such file")
	if b.m.Lane() != l {
		t.Error("the lane changed")
	}
}

// All that an import reads is told, however many lines that takes, and what is
// not known first.
func TestImportTellsEverything(t *testing.T) {
	t.Parallel()
	const flags = "--temp 1.1 --top-k 20 --mirostat 2 --frobnicate 3 --dry-multiplier 0.8 --repeat-penalty 1.3 --min-p 0.1 --typical 0.9"
	b := newBench(t, testOptions(t), 80, 24)
	b.start(storyPrompt)
	b.run(b.m.Open(kit.ViewImport))
	b.send(typed(flags))
	for _, s := range []string{"! not known: --frobnicate", "read as llama.cpp: temperature 1.10", "mirostat 2", "dry_multiplier 0.8", "repetition_penalty 1.30", "min_p 0.10", "typical_p 0.90"} {
		b.has(s)
	}
	b.send(tea.WindowSizeMsg{Width: 40, Height: 12})
	b.has("! not known: --frobnicate")
}

// The targets are listed in two columns, and found by a part of a name.
func TestExportPicker(t *testing.T) {
	t.Parallel()
	b := exportBench(t, 120, 40)
	b.keys("/")
	b.has("▸ llama.cpp")
	b.has("koboldcpp")
	b.has("search: ")
	b.typed("req oll")
	b.has("▸ ollama-request")
	b.lacks("koboldcpp")
	b.keys("enter")
	b.has("export · chat → ollama-request")
	b.keys("/")
	b.typed("zzz")
	b.has("Nothing is called that")
	b.keys("enter", "esc")
	b.has("export · chat → ollama-request")
	b.keys("/", "right", "down", "up", "left", "esc", "esc")
	b.lacks("export · chat")
}

// Of several calls the first is read, and ctrl+n reads the next.
func TestImportCalls(t *testing.T) {
	t.Parallel()
	b := newBench(t, testOptions(t), 120, 40)
	b.start(storyPrompt)
	b.run(b.m.Open(kit.ViewImport))
	b.typed("vllm.SamplingParams(temperature=0.3); vllm.SamplingParams(temperature=0.4)")
	b.has("call 1 of 2")
	b.send(tea.KeyMsg{Type: tea.KeyCtrlN})
	b.has("call 2 of 2")
	b.keys("ctrl+d")
	if got := b.m.Lane().Config.Float("temperature"); got != 0.4 {
		t.Errorf("temperature %v, want 0.4", got)
	}
	b.run(b.m.Open(kit.ViewImport))
	b.send(tea.KeyMsg{Type: tea.KeyCtrlF})
	b.has("▸ any")
	b.typed("tabby")
	b.keys("enter")
	b.typed("temperature: 0.6")
	b.has("read as tabby")
	b.keys("esc")
}

// The run that is written has the texts that were left as branches, and what
// is written derives again; by the name it is a page or a picture instead.
func TestRunIsWrittenWithItsBranches(t *testing.T) {
	t.Parallel()
	b := newBench(t, testOptions(t), 120, 40)
	b.start(storyPrompt)
	for k := range 4 {
		b.keys("n")
		b.steps(k + 1)
	}
	b.keys("left", "left", "f") // another token in the middle leaves a branch
	b.wait(func(v engine.View) bool {
		return len(v.Steps) < 4 && len(v.Steps) > 0 && v.Steps[len(v.Steps)-1].Forced && v.Next != nil
	})
	data, err := files.RunLines(b.m.Lane())
	if err != nil {
		t.Fatal(err)
	}
	rec, err := record.Read(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	if n := len(rec.Takes[0].Branches()); n != 2 {
		t.Errorf("%d branches:\n%.600s", n, data)
	}
	if rep, err := record.Verify(rec); err != nil || rep.First != nil || rep.Steps < 4 {
		t.Errorf("%+v, %v", rep, err)
	}
	for name, want := range map[string]string{"run.svg": "<svg ", "run.html": "<!doctype html>"} {
		b.keys("W", "tab", "tab", "enter")
		file := filepath.Join(t.TempDir(), name)
		b.name(file)
		b.has("wrote ")
		got, err := os.ReadFile(file)
		if err != nil || !strings.HasPrefix(string(got), want) {
			t.Errorf("%s: %v, %.40s", name, err, got)
		}
		b.keys("esc")
	}
}
