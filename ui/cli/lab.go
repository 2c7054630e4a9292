package cli

import (
	"context"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"logitscope/engine/bench"
	"logitscope/models"
	"logitscope/models/open"
	"logitscope/presets"
	"logitscope/ui/tui"
	"logitscope/ui/tui/run"
	"logitscope/ui/tui/verdicts"
)

// labPrompt is the prompt the lab opens with: wide open, and well inside what
// the built-in model was trained on.
const labPrompt = "Once upon a time there was a little fox who lived in the"

// labPreset is what the lab starts with where nothing else is asked for.
const labPreset = "chat"

// A lab is the screen that flags describe, and what it opens with.
type lab struct {
	*shared
	theme   string
	ascii   bool
	noMouse bool
	fps     int
	cast    string      // file of a cast; empty for none
	prompts string      // set of prompts for the bench; empty for none
	rec     *recording  // nil for commands that record nothing
	report  *bench.Grid // a sweep to look at; nil for none
}

func newLab(sys System) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "logitscope",
		Short: "a laboratory for decoding: watch and steer how a language model picks its words",
		Long: `Logitscope decodes with a language model and shows, at every step, the whole
road from logits to token: which tokens survive each stage, what the penalties
moved, where the random draw fell. Without a command it opens the lab.`,
		Example: `  logitscope
  logitscope --model model.gguf --prompt "The capital of France is"
  logitscope run --prompt "Once upon a time" --preset creative`,
		Args: noArgs,
	}
	l := addScreen(addShared(sys, cmd), cmd)
	l.rec = addRecord(cmd)
	cmd.Flags().StringVar(&l.prompts, "prompts", "", "set of prompts for the bench, K: .jsonl, .csv, .tsv or .txt")
	cmd.Flags().StringVar(&l.cast, "cast", "", "also write what the screen shows to this file, as an asciicast")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := l.rec.check(); err != nil {
			return err
		}
		return l.show(cmd.Context(), nil)
	}
	return cmd
}

// addScreen declares the flags of the screen on cmd.
func addScreen(s *shared, cmd *cobra.Command) *lab {
	l := &lab{shared: s}
	f := cmd.Flags()
	f.StringVar(&l.theme, "theme", "auto", "colours for a dark or a light terminal: dark, light, auto")
	f.BoolVar(&l.ascii, "ascii", false, "draw with ASCII characters only")
	f.BoolVar(&l.noMouse, "no-mouse", false, "leave the mouse to the terminal")
	f.IntVar(&l.fps, "fps", 30, "most frames a second, 1 to 60")
	return l
}

// terminal reports what keeps the screen from being opened.
func (l *lab) terminal() error {
	if l.theme != "auto" && l.theme != "dark" && l.theme != "light" {
		return wrong("--theme %s: dark, light or auto", l.theme)
	}
	if l.fps < 1 || l.fps > 60 {
		return wrong("--fps %d: 1 to 60", l.fps)
	}
	if f, ok := l.sys.In.(*os.File); !ok || !term.IsTerminal(int(f.Fd())) || !isTerminal(l.sys.Out) {
		return wrong(`the lab needs a terminal; without one: logitscope run --prompt "…"`)
	}
	return nil
}

// show opens the screen, with lanes side by side if there are any.
func (l *lab) show(ctx context.Context, lanes []laneSpec) error {
	if err := l.terminal(); err != nil {
		return err
	}
	l.onScreen = true
	l.asLab()
	var jobs []*job
	err := opening(unfiltered(l.sys.Out), l.model, openingPause, func() (err error) {
		if len(lanes) > 0 {
			jobs, err = l.prepareLanes(ctx, lanes)
			return err
		}
		j, err := l.prepare(ctx)
		jobs = []*job{j}
		return err
	})
	if err != nil {
		return err
	}
	defer closeAll(jobs)
	return l.taped(func(opt tui.Options) error { return tui.Run(ctx, opt) }, l.screen(ctx, jobs, len(lanes) > 0))
}

// taped runs the lab with what --record and --cast ask for.
func (l *lab) taped(run func(tui.Options) error, opt tui.Options) error {
	t, err := newTaping(l.rec)
	if err != nil {
		return err
	}
	if t != nil {
		opt.Record = t.view
	}
	if out, ok := unfiltered(l.sys.Out).(*os.File); ok && l.cast != "" {
		f, err := os.Create(l.cast)
		if err != nil {
			return wrong("--cast %w", fileError(l.cast, err))
		}
		defer f.Close()
		opt.Output = newCastFile(out, f)
	}
	err = run(opt)
	if terr := t.close(); err == nil {
		err = terr
	}
	return err
}

// asLab gives the flags that were left out the lab's own values.
func (l *lab) asLab() {
	if l.preset == "" && l.config == "" && l.report == nil {
		l.preset, l.byDefault = labPreset, true
	}
	if !l.flags.Changed("prompt") && l.promptFile == "" && l.promptTokens == "" {
		l.prompt = labPrompt
		l.flags.Lookup("prompt").Changed = true
	}
	l.seeded = true
}

// screen describes the lab to the package that draws it.
func (l *lab) screen(ctx context.Context, jobs []*job, compare bool) tui.Options {
	j := jobs[0]
	opt := tui.Options{
		Model: j.model, Draft: j.draft,
		OpenModel: func(name string) (models.Model, error) {
			o, err := l.options()
			if err != nil {
				return nil, err
			}
			return open.Model(ctx, name, o)
		},
		Prompt: j.text, PromptTokens: j.prompt, Config: j.config, PresetName: l.preset,
		Theme: l.theme, ASCII: l.ascii, NoMouse: l.noMouse, FPS: l.fps,
		NoColor:   l.sys.Getenv("NO_COLOR") != "",
		ConfigDir: configDir(l.sys),
		Bench:     verdicts.Options{File: l.prompts, Dir: filepath.Join(cacheDir(l.sys), "bench"), Report: reportOf(l.sys)},
	}
	opt.Talk, opt.Ends = j.talk, j.ends
	for _, p := range presets.Builtin() {
		opt.Presets = append(opt.Presets, run.Preset{Name: p.Name, About: p.About, Config: p.Config})
	}
	own, problems := ownPresets(l.sys)
	for _, p := range own {
		opt.Presets = append(opt.Presets, run.Preset{Name: p.Name, About: p.About, Config: p.Config, User: true})
	}
	opt.Problems, opt.Sweep = problems, l.report
	if l.named != nil && l.named.written != "" {
		opt.Written = map[string]string{l.named.text: l.named.written}
	}
	pulled, _ := filepath.Glob(filepath.Join(modelDir(l.sys), "*", "*", "*.gguf"))
	opt.Models = append([]string{"fable", "fable-draft"}, pulled...)
	if compare {
		for _, j := range jobs {
			opt.Lanes = append(opt.Lanes, tui.Lane{Model: j.model, Draft: j.draft, Config: j.config, Label: j.settings.Label})
		}
	}
	return opt
}
