// Package screen answers: how does a command open the lab? It holds the flags of
// the screen, what the lab begins with, and what records it.
package screen

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"logitscope/engine/bench"
	"logitscope/engine/lesson"
	"logitscope/models"
	"logitscope/models/open"
	"logitscope/presets"
	"logitscope/ui/cli/console"
	"logitscope/ui/cli/report"
	"logitscope/ui/cli/setup"
	"logitscope/ui/lessons"
	"logitscope/ui/store"
	"logitscope/ui/tui"
	"logitscope/ui/tui/run"
	"logitscope/ui/tui/verdicts"
)

// labPreset is what the lab starts with where nothing else is asked for.
const labPreset = lessons.StartPreset

// A Lab is the screen that flags describe, and what it opens with.
type Lab struct {
	*setup.Flags
	theme   string
	ascii   bool
	noMouse bool
	fps     int
	Cast    string           // file of a cast; empty for none
	Prompts string           // set of prompts for the bench; empty for none
	Rec     *setup.Recording // nil for commands that record nothing
	Report  *bench.Grid      // a sweep to look at; nil for none

	Without string // the command for where there is no terminal; empty for run

	Lesson *lesson.Lesson // to begin with; nil for none
	Task   int            // index of its task
	Choose bool           // begin with the list of lessons

	// With completes what the lab is opened with, and returns what ends it when
	// the lab is closed; nil for nothing.
	With func(context.Context, *tui.Options) (done func() error, err error)
}

// FPS is the most frames a second that were asked for.
func (l *Lab) FPS() int { return l.fps }

// Light reports whether the colours are for a light terminal.
func (l *Lab) Light() bool { return l.theme == "light" }

// Add declares the flags of the screen on cmd.
func Add(s *setup.Flags, cmd *cobra.Command) *Lab {
	l := &Lab{Flags: s}
	f := cmd.Flags()
	f.StringVar(&l.theme, "theme", "auto", "colours for a dark or a light terminal: dark, light, auto")
	f.BoolVar(&l.ascii, "ascii", false, "draw with ASCII characters only")
	f.BoolVar(&l.noMouse, "no-mouse", false, "leave the mouse to the terminal")
	f.IntVar(&l.fps, "fps", 30, "most frames a second, 1 to 60")
	return l
}

// NotShown refuses the flags of the screen, for a command that opens none; why
// says what would.
func (l *Lab) NotShown(why string) error {
	return console.Unused(l.FlagSet, why, "theme", "ascii", "no-mouse", "fps")
}

// Terminal reports what keeps the screen from being opened.
func (l *Lab) Terminal() error {
	if l.theme != "auto" && l.theme != "dark" && l.theme != "light" {
		return console.Wrong("--theme %s: dark, light or auto", l.theme)
	}
	if l.fps < 1 || l.fps > 60 {
		return console.Wrong("--fps %d: 1 to 60", l.fps)
	}
	if f, ok := l.Sys.In.(*os.File); !ok || !term.IsTerminal(int(f.Fd())) || !console.IsTerminal(l.Sys.Out) {
		return console.Wrong("the lab needs a terminal; without one: %s", cmp.Or(l.Without, `logitscope run --prompt "…"`))
	}
	return nil
}

// Show opens the screen, with lanes side by side if there are any.
func (l *Lab) Show(ctx context.Context, lanes []setup.LaneSpec) error {
	if err := l.Terminal(); err != nil {
		return err
	}
	l.OnScreen = true
	l.AsLab()
	var jobs []*setup.Job
	err := opening(console.Unfiltered(l.Sys.Out), l.Model, openingPause, func() (err error) {
		if len(lanes) > 0 {
			jobs, err = l.PrepareLanes(ctx, lanes)
			return err
		}
		j, err := l.Prepare(ctx)
		jobs = []*setup.Job{j}
		return err
	})
	if err != nil {
		return err
	}
	defer setup.CloseAll(jobs)
	opt := l.Screen(ctx, jobs, len(lanes) > 0)
	keeper := store.NewKeeper(lessons.Progress(console.ConfigDir(l.Sys)))
	opt.Lessons.Kept = keeper.Update
	done := func() error { return nil }
	if l.With != nil {
		if done, err = l.With(ctx, &opt); err != nil {
			return errors.Join(err, keeper.Close())
		}
	}
	err = l.taped(func(opt tui.Options) error { return tui.Run(ctx, opt) }, opt)
	for _, end := range []func() error{done, keeper.Close} {
		if eerr := end(); err == nil {
			err = eerr
		}
	}
	return err
}

// taped runs the lab with what --record and --cast ask for.
func (l *Lab) taped(run func(tui.Options) error, opt tui.Options) error {
	t, err := newTaping(l.Rec)
	if err != nil {
		return err
	}
	if t != nil {
		opt.Record, opt.Rows = t.take, l.Rec.Rows()
	}
	cast := func() error { return nil }
	if out, ok := console.Unfiltered(l.Sys.Out).(*os.File); ok && l.Cast != "" {
		f, err := os.Create(l.Cast)
		if err != nil {
			return errors.Join(console.Wrong("--cast %w", console.FileError(l.Cast, err)), t.close())
		}
		c := newCastFile(out, f)
		opt.Output = c
		cast = func() error {
			if err := errors.Join(c.cast.Err(), f.Close()); err != nil {
				return fmt.Errorf("--cast %s: %w", l.Cast, err)
			}
			return nil
		}
	}
	err = run(opt)
	for _, end := range []func() error{t.close, cast} {
		if eerr := end(); err == nil {
			err = eerr
		}
	}
	return err
}

// AsLab gives the flags that were left out the lab's own values.
func (l *Lab) AsLab() {
	if l.Preset == "" && l.Config == "" && l.Report == nil {
		l.Preset, l.ByDefault = labPreset, true
	}
	if !l.FlagSet.Changed("prompt") && l.PromptFile == "" && l.PromptTokens == "" {
		l.Prompt = setup.LabPrompt
		l.FlagSet.Lookup("prompt").Changed = true
	}
	l.Seeded = true
}

// Screen describes the lab to the package that draws it.
func (l *Lab) Screen(ctx context.Context, jobs []*setup.Job, compare bool) tui.Options {
	j := jobs[0]
	opt := tui.Options{
		Model: j.Model, Draft: j.Draft,
		OpenModel: func(name string) (models.Model, error) {
			o, err := l.Options()
			if err != nil {
				return nil, err
			}
			return open.Model(ctx, name, o)
		},
		Prompt: j.Text, PromptTokens: j.Prompt, Config: j.Config, PresetName: l.Preset,
		Theme: l.theme, ASCII: l.ascii, NoMouse: l.noMouse, FPS: l.fps,
		NoColor:   l.Sys.Getenv("NO_COLOR") != "",
		ConfigDir: console.ConfigDir(l.Sys),
		Bench:     verdicts.Options{File: l.Prompts, Dir: filepath.Join(console.CacheDir(l.Sys), "bench"), Report: report.ReportOf(l.Sys)},
	}
	opt.Talk, opt.Ends = j.Talk, j.Ends
	for _, p := range presets.Builtin() {
		opt.Presets = append(opt.Presets, run.Preset{Name: p.Name, About: p.About, Config: p.Config})
	}
	own, problems := setup.OwnPresets(l.Sys)
	for _, p := range own {
		opt.Presets = append(opt.Presets, run.Preset{Name: p.Name, About: p.About, Config: p.Config, User: true})
	}
	opt.Problems, opt.Sweep = problems, l.Report
	l.addLessons(&opt)
	if l.Named != nil && l.Named.Written != "" {
		opt.Written = map[string]string{l.Named.Text: l.Named.Written}
	}
	pulled, _ := filepath.Glob(filepath.Join(console.ModelDir(l.Sys), "*", "*", "*.gguf"))
	opt.Models = append([]string{"fable", "fable-draft"}, pulled...)
	if compare {
		for _, j := range jobs {
			opt.Lanes = append(opt.Lanes, tui.Lane{Model: j.Model, Draft: j.Draft, Config: j.Config, Label: j.Settings.Label})
		}
	}
	return opt
}

// addLessons offers the lessons at hand.
func (l *Lab) addLessons(opt *tui.Options) {
	lib, err := lessons.Open(lessons.Dir(console.ConfigDir(l.Sys)))
	for _, f := range lib.Faults {
		opt.Problems = append(opt.Problems, fmt.Errorf("%s line %d: %s", f.Lesson, f.Line, f.Why))
	}
	done, perr := lessons.Progress(console.ConfigDir(l.Sys)).Load()
	for _, err := range []error{err, perr} {
		if err != nil {
			opt.Problems = append(opt.Problems, err)
		}
	}
	opt.Lessons = tui.Lessons{List: lib.List, Open: l.Lesson, Task: l.Task, Choose: l.Choose, Progress: done, Preset: lessons.StartPreset}
	if p, err := presets.Named(lessons.StartPreset); err == nil {
		opt.Lessons.Start = p.Config
	}
}

// SizeOf reads WxH.
func SizeOf(s string) (w, h int, err error) {
	_, err = fmt.Sscanf(s, "%dx%d", &w, &h)
	if err != nil || s != fmt.Sprintf("%dx%d", w, h) || w < 40 || h < 12 || w > 400 || h > 200 {
		return 0, 0, console.Wrong("--size %s: want WxH in cells, 40x12 to 400x200", s)
	}
	return w, h, nil
}
