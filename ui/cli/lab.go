package cli

import (
	"context"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"golang.org/x/term"

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

// labFlags are the flags of the screen itself.
type labFlags struct {
	theme   string
	ascii   bool
	noMouse bool
	fps     int
	cast    string // file of a cast; empty for none
	prompts string // set of prompts for the bench; empty for none
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
	s := addShared(sys, cmd)
	s.addScreen(cmd)
	s.rec = addRecord(cmd)
	cmd.Flags().StringVar(&s.lf.prompts, "prompts", "", "set of prompts for the bench, K: .jsonl, .csv, .tsv or .txt")
	cmd.Flags().StringVar(&s.lf.cast, "cast", "", "also write what the screen shows to this file, as an asciicast")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := s.rec.check(); err != nil {
			return err
		}
		return s.lab(cmd.Context(), nil)
	}
	return cmd
}

// addScreen declares the flags of the screen on cmd.
func (s *shared) addScreen(cmd *cobra.Command) {
	var lf labFlags
	f := cmd.Flags()
	f.StringVar(&lf.theme, "theme", "auto", "colours for a dark or a light terminal: dark, light, auto")
	f.BoolVar(&lf.ascii, "ascii", false, "draw with ASCII characters only")
	f.BoolVar(&lf.noMouse, "no-mouse", false, "leave the mouse to the terminal")
	f.IntVar(&lf.fps, "fps", 30, "most frames a second, 1 to 60")
	s.lf = &lf
}

// terminal reports what keeps the screen from being opened.
func (s *shared) terminal() error {
	if lf := s.lf; lf.theme != "auto" && lf.theme != "dark" && lf.theme != "light" {
		return wrong("--theme %s: dark, light or auto", lf.theme)
	}
	if s.lf.fps < 1 || s.lf.fps > 60 {
		return wrong("--fps %d: 1 to 60", s.lf.fps)
	}
	if f, ok := s.sys.In.(*os.File); !ok || !term.IsTerminal(int(f.Fd())) || !isTerminal(s.sys.Out) {
		return wrong(`the lab needs a terminal; without one: logitscope run --prompt "…"`)
	}
	return nil
}

// lab opens the screen, with lanes side by side if there are any.
func (s *shared) lab(ctx context.Context, lanes []laneSpec) error {
	if err := s.terminal(); err != nil {
		return err
	}
	s.onScreen = true
	s.asLab()
	var jobs []*job
	err := opening(unfiltered(s.sys.Out), s.model, openingPause, func() (err error) {
		if len(lanes) > 0 {
			jobs, err = s.prepareLanes(ctx, lanes)
			return err
		}
		j, err := s.prepare(ctx)
		jobs = []*job{j}
		return err
	})
	if err != nil {
		return err
	}
	defer closeAll(jobs)
	return s.taped(func(opt tui.Options) error { return tui.Run(ctx, opt) }, s.screen(ctx, jobs, len(lanes) > 0))
}

// taped runs the lab with what --record and --cast ask for.
func (s *shared) taped(run func(tui.Options) error, opt tui.Options) error {
	t, err := newTaping(s.rec)
	if err != nil {
		return err
	}
	if t != nil {
		opt.Record = t.view
	}
	if out, ok := unfiltered(s.sys.Out).(*os.File); ok && s.lf.cast != "" {
		f, err := os.Create(s.lf.cast)
		if err != nil {
			return wrong("--cast %w", fileError(s.lf.cast, err))
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
func (s *shared) asLab() {
	if s.preset == "" && s.config == "" && s.report == nil {
		s.preset, s.byDefault = labPreset, true
	}
	if !s.flags.Changed("prompt") && s.promptFile == "" && s.promptTokens == "" {
		s.prompt = labPrompt
		s.flags.Lookup("prompt").Changed = true
	}
	s.seeded = true
}

// screen describes the lab to the package that draws it.
func (s *shared) screen(ctx context.Context, jobs []*job, compare bool) tui.Options {
	j := jobs[0]
	opt := tui.Options{
		Model: j.model, Draft: j.draft,
		OpenModel: func(name string) (models.Model, error) {
			o, err := s.options()
			if err != nil {
				return nil, err
			}
			return open.Model(ctx, name, o)
		},
		Prompt: j.text, PromptTokens: j.prompt, Config: j.config, PresetName: s.preset,
		Theme: s.lf.theme, ASCII: s.lf.ascii, NoMouse: s.lf.noMouse, FPS: s.lf.fps,
		NoColor:   s.sys.Getenv("NO_COLOR") != "",
		ConfigDir: configDir(s.sys),
		Bench:     verdicts.Options{File: s.lf.prompts, Dir: filepath.Join(cacheDir(s.sys), "bench"), Report: s.labReport},
	}
	opt.Talk, opt.Ends = j.talk, j.ends
	for _, p := range presets.Builtin() {
		opt.Presets = append(opt.Presets, run.Preset{Name: p.Name, About: p.About, Config: p.Config})
	}
	own, problems := ownPresets(s.sys)
	for _, p := range own {
		opt.Presets = append(opt.Presets, run.Preset{Name: p.Name, About: p.About, Config: p.Config, User: true})
	}
	opt.Problems, opt.Sweep = problems, s.report
	if s.named != nil && s.named.written != "" {
		opt.Written = map[string]string{s.named.text: s.named.written}
	}
	pulled, _ := filepath.Glob(filepath.Join(modelDir(s.sys), "*", "*", "*.gguf"))
	opt.Models = append([]string{"fable", "fable-draft"}, pulled...)
	if compare {
		for _, j := range jobs {
			opt.Lanes = append(opt.Lanes, tui.Lane{Model: j.model, Draft: j.draft, Config: j.config, Label: j.settings.Label})
		}
	}
	return opt
}
