package decode

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"logitscope/engine/record"
	"logitscope/models"
	"logitscope/models/chat"
	"logitscope/ui/cli/console"
	"logitscope/ui/cli/screen"
	"logitscope/ui/cli/setup"
	"logitscope/ui/handout"
	"logitscope/ui/lessons"
	"logitscope/ui/store"
	"logitscope/ui/tui"
	"logitscope/viz"
)

// A replay is what the flags of the command ask for.
type replay struct {
	sys    console.System
	verify bool
	html   string // file of the page; empty for none
	rows   string // rows of the page
	lesson string // on the page: an id or a file; empty for none
	share  string // file of the recording without its prompts

	answers bool // the teacher's copy of the lesson

	cast  string // file of the cast
	svg   string // file of the picture
	step  int    // of the picture
	size  string // of picture and cast
	speed float64
	lane  int // which lane, from 1; 0 is the first
	lab   *screen.Lab
}

// Replay returns the command replay.
func Replay(sys console.System) *cobra.Command {
	r := replay{sys: sys}
	cmd := &cobra.Command{
		Use:   "replay FILE",
		Short: "play, check or export a recorded run",
		Long: `Replay opens a file that run --record, compare --record, the lab or --format
jsonl wrote. It needs no model: the file answers in its place, as tape:FILE does
wherever a model can be named. Without a flag it plays the run in the lab, in
recorded time. With --verify it derives every step again from its row, and names
the first one that differs from the file. Steps for which the file does not hold
enough are counted.`,
		Example: `  logitscope run --prompt "Once upon a time" --record story.jsonl
  logitscope replay story.jsonl
  logitscope replay story.jsonl --verify
  logitscope replay story.jsonl --html story.html --lesson temperature
  logitscope replay story.jsonl --cast story.cast --size 100x30
  logitscope --model tape:story.jsonl`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return console.Wrong("replay: want one FILE, given %d; see %s --help", len(args), cmd.CommandPath())
			}
			return nil
		},
	}
	r.lab = screen.Add(&setup.Flags{Sys: sys, FlagSet: cmd.Flags(), Params: map[string]*setup.ParamFlag{}}, cmd)
	cmd.Flags().BoolVar(&r.verify, "verify", false, "derive every step again and compare")
	cmd.Flags().StringVar(&r.html, "html", "", "write the run as one page that needs no network")
	cmd.Flags().StringVar(&r.lesson, "lesson", "", "put this lesson on the page: its id, or a file")
	cmd.Flags().BoolVar(&r.answers, "answers", false, "with --lesson: the teacher's copy, with right answers and solutions")
	cmd.Flags().StringVar(&r.share, "without-prompts", "", "write the recording without its prompts and messages, to be shared")
	cmd.Flags().StringVar(&r.svg, "svg", "", "write the screen at --step as SVG")
	cmd.Flags().IntVar(&r.step, "step", 0, "tokens written on the picture of --svg")
	cmd.Flags().StringVar(&r.cast, "cast", "", "write the run as an asciicast, version 2")
	console.Writes(cmd.Flags(), "html", "without-prompts", "svg", "cast")
	cmd.Flags().StringVar(&r.size, "size", "120x40", "cells of picture and cast: WxH")
	cmd.Flags().Float64Var(&r.speed, "speed", 1, "of the cast, in recorded time")
	cmd.Flags().StringVar(&r.rows, "rows", "256", "logits a step that the page keeps: full, 256 (the best, and the others in bins)")
	cmd.Flags().IntVar(&r.lane, "lane", 0, "which lane of a comparison, from 1")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := belongs(cmd.Flags()); err != nil {
			return err
		}
		return r.run(cmd.Context(), args[0])
	}
	return cmd
}

// belongings are the flags that say how something is written, each with the
// flags of which it needs one.
var belongings = map[string][]string{
	"lesson": {"html"}, "answers": {"html"}, "rows": {"html"}, "step": {"svg"}, "speed": {"cast"}, "size": {"svg", "cast"},
}

// belongs refuses a flag that nothing is done with.
func belongs(flags *pflag.FlagSet) error {
	for flag, of := range belongings {
		if flags.Changed(flag) && !slices.ContainsFunc(of, flags.Changed) {
			return console.Wrong("--%s: belongs to --%s", flag, strings.Join(of, " or --"))
		}
	}
	for _, of := range []string{"verify", "without-prompts"} {
		if flags.Changed("lane") && flags.Changed(of) {
			return console.Wrong("--lane: --%s takes all lanes", of)
		}
	}
	return nil
}

func (r *replay) run(ctx context.Context, path string) error {
	if err := r.check(); err != nil {
		return err
	}
	rec, err := record.Open(path)
	if err != nil {
		return console.Wrong("replay %w", err)
	}
	if r.verify {
		return verify(r.sys.Out, path, rec)
	}
	if r.share != "" {
		return r.writeFile("--without-prompts", r.share, func(w io.Writer) error {
			f, err := models.OpenFile(path)
			if err != nil {
				return err
			}
			defer f.Close()
			return record.WithoutPrompts(w, f)
		})
	}
	take, err := r.take(path, rec)
	if err != nil {
		return err
	}
	if r.html != "" {
		page, err := r.page(ctx)
		if err != nil {
			return err
		}
		return r.writeFile("--html", r.html, func(w io.Writer) error { return handout.HTML(w, take, page) })
	}
	if r.svg != "" || r.cast != "" {
		return r.draw(ctx, path, take)
	}
	return r.play(ctx, path, take)
}

// check refuses flags that ask for several things at once.
func (r *replay) check() error {
	asked := 0
	for _, is := range []bool{r.verify, r.html != "", r.share != "", r.svg != "" || r.cast != ""} {
		if is {
			asked++
		}
	}
	if asked > 1 {
		return console.Wrong("replay: one at a time of --verify, --html, --without-prompts, and --svg or --cast")
	}
	return nil
}

// page is what the page holds beside the run.
func (r *replay) page(ctx context.Context) (handout.Page, error) {
	p := handout.Page{Full: r.rows == "full", Answers: r.answers}
	if r.lesson == "" && r.answers {
		return p, console.Wrong("--answers: it needs --lesson, whose answers the page shows")
	}
	if r.lesson == "" {
		return p, nil
	}
	lib, err := lessons.Open(lessons.Dir(console.ConfigDir(r.sys)))
	if err != nil {
		return p, err
	}
	l, err := lib.Named(r.lesson)
	if err != nil {
		return p, console.Wrong("--lesson %w", err)
	}
	c, done, err := lessons.OpenChecker(ctx, "")
	if err != nil {
		return p, err
	}
	defer done()
	p.Sheet, err = c.Sheet(ctx, l)
	return p, err
}

// play opens the lab on the recording.
func (r *replay) play(ctx context.Context, path string, take *record.Take) error {
	if err := r.lab.Terminal(); err != nil {
		return err
	}
	opt, err := r.options(ctx, path, take)
	if err != nil {
		return err
	}
	return tui.Run(ctx, opt)
}

// options describe the lab on the recording.
func (r *replay) options(ctx context.Context, path string, take *record.Take) (tui.Options, error) {
	l := r.lab
	j := &setup.Job{Model: take.Model, Text: take.Run.Prompt, Prompt: take.Run.PromptTokens, Compiler: l.Compiler(take.Model)}
	var err error
	if j.Settings, err = take.Settings(j.Compiler); err != nil {
		return tui.Options{}, fmt.Errorf("%s: %w", path, err)
	}
	j.Config = j.Settings.Config()
	if take.Run.Messages != nil {
		j.Talk = &chat.Conversation{Messages: take.Run.Messages}
	}
	opt := l.Screen(ctx, []*setup.Job{j}, false)
	opt.OpenModel = nil // the file has the one model
	opt.Replay = &tui.Replay{Name: path, Take: take}
	return opt, nil
}

// draw writes a picture or a cast of the lab on the recording.
func (r *replay) draw(ctx context.Context, path string, take *record.Take) error {
	w, h, err := screen.SizeOf(r.size)
	if err != nil {
		return err
	}
	steps := take.Path(take.Last())
	switch {
	case r.step < 0 || r.step > len(steps):
		return console.Wrong("--step %d: 0 to %d", r.step, len(steps))
	case !(r.speed >= 0.05 && r.speed <= 100):
		return console.Wrong("--speed %v: 0.05 to 100", r.speed)
	}
	opt, err := r.options(ctx, path, take)
	if err != nil {
		return err
	}
	o, err := tui.NewOffscreen(ctx, opt, w, h)
	if err != nil {
		return err
	}
	defer o.Close()
	if r.svg != "" {
		if err := o.Go(r.step); err != nil {
			return err
		}
		frame := o.Frame()
		if err := r.writeFile("--svg", r.svg, func(w io.Writer) error { _, err := io.WriteString(w, frame.SVG(path)); return err }); err != nil {
			return err
		}
	}
	if r.cast == "" {
		return nil
	}
	return r.writeFile("--cast", r.cast, func(to io.Writer) error {
		c := handout.NewCast(to, path, w, h)
		marks := take.Marks()
		for _, b := range beats(steps, r.speed) {
			if err := o.Go(b.tokens); err != nil {
				return err
			}
			c.Frame(b.at, o.ANSI())
			if text := marks[len(take.Run.PromptTokens)+b.tokens]; text != "" {
				c.Marker(b.at, text)
			}
		}
		return c.Err()
	})
}

// A beat is a moment of a cast.
type beat struct {
	tokens int
	at     time.Duration
}

// Pauses longer than longestPause are cut to it; frames follow each other by
// framePause or more, the last of a second always.
const (
	longestPause = 2 * time.Second
	framePause   = 100 * time.Millisecond
)

// beats are the moments of a run at which a frame is drawn.
func beats(steps []*record.Event, speed float64) []beat {
	out := []beat{{}}
	var at, last time.Duration
	before := 0.0
	for i, e := range steps {
		pause := framePause
		if e.Step.At != nil {
			pause = time.Duration((*e.Step.At - before) * float64(time.Millisecond))
			before = *e.Step.At
		}
		at += time.Duration(float64(min(max(pause, 0), longestPause)) / speed)
		if at-last >= framePause || i == len(steps)-1 {
			out, last = append(out, beat{i + 1, at}), at
		}
	}
	return out
}

// take returns the run that the flags mean.
func (r *replay) take(path string, rec *record.Recording) (*record.Take, error) {
	if r.rows != "full" && r.rows != "256" {
		return nil, console.Wrong("--rows %s: full or 256", r.rows)
	}
	for _, t := range rec.Takes {
		if r.lane == 0 || t.Model.Lane() == r.lane {
			return t, nil
		}
	}
	return nil, console.Wrong("--lane %d: %s has %s", r.lane, path, viz.Plural(len(rec.Takes), "lane"))
}

// writeFile writes the file of a flag, whole or not at all.
func (r *replay) writeFile(flag, name string, write func(io.Writer) error) error {
	var b bytes.Buffer
	if err := write(&b); err != nil {
		return fmt.Errorf("%s %s: %w", flag, name, err)
	}
	if err := store.WriteFile(name, b.Bytes(), true); err != nil {
		return console.Wrong("%s %w", flag, err)
	}
	return nil
}

// verify derives every step again and says what came of it.
func verify(w io.Writer, path string, rec *record.Recording) error {
	rep, err := record.Verify(rec)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if rep.First != nil {
		return fmt.Errorf("%s: %w", path, rep.First)
	}
	if rec.Cut {
		fmt.Fprintf(w, "%s: the last line has no end; %s before it are whole\n", path, viz.Plural(rep.Steps, "step"))
	} else if rep.Unended > 0 {
		fmt.Fprintf(w, "%s: %s without a last line: stopped, or cut here; what is there is whole\n", path, viz.Plural(rep.Unended, "run"))
	}
	if n := rep.Steps - len(rep.Undecided); n > 0 {
		fmt.Fprintf(w, "%s: %s derived again, all equal\n", path, viz.Plural(n, "step"))
	} else {
		fmt.Fprintf(w, "%s: no step can be derived again\n", path)
	}
	if rep.Unsealed > 0 {
		fmt.Fprintf(w, "%s without checksums: a change of what does not follow from a row is not found\n", viz.Plural(rep.Unsealed, "run"))
	}
	if rep.Unnumbered > 0 {
		fmt.Fprintf(w, "%s of an older program, whose lines have no numbers: a mark or piece that is missing is not found\n", viz.Plural(rep.Unnumbered, "run"))
	}
	if rep.Unsealed+rep.Unnumbered == 0 {
		fmt.Fprintln(w, "every line is as it was written, and none between them is missing")
	}
	if rep.Rounds > 0 {
		fmt.Fprintf(w, "%s of drafts judged again, all equal\n", viz.Plural(rep.Rounds, "round"))
	}
	if rep.Unjudged > 0 {
		fmt.Fprintf(w, "%s of drafts not judged again: the file lacks the laws that they were drawn from\n", viz.Plural(rep.Unjudged, "round"))
	}
	if rep.Searched > 0 {
		fmt.Fprintf(w, "%s of a beam search not decidable: the file has no rows of them\n", viz.Plural(rep.Searched, "step"))
	}
	why := map[string]int{}
	var order []string
	for _, u := range rep.Undecided {
		if why[u.Why]++; why[u.Why] == 1 {
			order = append(order, u.Why)
		}
	}
	for _, s := range order {
		fmt.Fprintf(w, "%d of %s not decidable: %s\n", why[s], viz.Plural(rep.Steps, "step"), s)
	}
	return nil
}
