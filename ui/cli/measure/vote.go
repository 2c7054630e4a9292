package measure

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"logitscope/engine/bench"
	"logitscope/engine/bench/prompts"
	"logitscope/engine/bench/votes"
	"logitscope/ui/cli/console"
	"logitscope/ui/cli/screen"
	"logitscope/ui/cli/setup"
	"logitscope/ui/tui"
	"logitscope/ui/tui/vote"
)

// voteFlags are the flags of vote beside those of bench.
type voteFlags struct {
	benchFlags
	file  string
	voter string
	tally []string
	lab   *screen.Lab
}

// Vote returns the command vote.
func Vote(sys console.System) *cobra.Command {
	var f voteFlags
	cmd := &cobra.Command{
		Use:   "vote --prompts FILE --lane A --lane B",
		Short: "a blind vote between the texts of two or more settings",
		Long: `Vote decodes the prompts under each lane and shows the texts side by side without
names, in an order and on sides that --seed shuffles. Each answer is saved at
once, and a vote that was stopped resumes there. The result comes at the end:
the share of wins without ties with its interval, and for more than two lanes
their strengths. --tally counts files of votes, of several voters too, and says
how far they agree.`,
		Example: `  logitscope vote --prompts tales.txt --lane chat --lane creative
  logitscope vote --tally ana.jsonl --tally ben.jsonl`,
		Args: console.NoArgs,
	}
	s := bencher{setup.AddDecoding(sys, cmd)}
	f.lab = screen.Add(s.Flags, cmd)
	s.OwnConfigs, s.Patience = true, benchPatience
	flags := cmd.Flags()
	f.addPrompts(flags, s)
	f.addRunning(flags)
	flags.StringArrayVar(&f.configs, "config", nil, "a preset's name or a file with settings; may be repeated")
	console.Reads(flags, "a preset or a file", "config")
	flags.StringArrayVar(&f.lanes, "lane", nil, "a lane: PRESET[,key=value…]; 2 to 4 times")
	flags.IntVar(&f.seeds, "seeds", 1, "texts for each prompt and lane")
	flags.StringVar(&f.file, "votes", "votes.jsonl", "file that keeps the votes")
	flags.StringVar(&f.voter, "voter", "", "name of who votes, for files that are counted together")
	flags.StringArrayVar(&f.tally, "tally", nil, "count this file of votes and stop; may be repeated")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if len(f.tally) > 0 {
			if err := console.Unused(flags, "--tally counts votes and stops", "lane", "config", "prompts", "prompt", "votes", "voter", "seeds"); err != nil {
				return err
			}
			return tallyVotes(sys, f.tally)
		}
		return s.vote(cmd.Context(), &f)
	}
	return cmd
}

// tallyVotes counts files of votes.
func tallyVotes(sys console.System, files []string) error {
	var all []votes.Vote
	type ballot struct{ voter, pair string }
	cast := map[ballot]string{} // the file it is in
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			return console.Wrong("--tally %w", console.FileError(name, err))
		}
		list, err := votes.Read(f)
		f.Close()
		if err != nil {
			return console.Wrong("--tally %s: %v", name, err)
		}
		for i := range list {
			if list[i].Voter == "" {
				list[i].Voter = name // nameless voters are told apart by their files
			}
			b := ballot{list[i].Voter, list[i].Pair}
			if before := cast[b]; before != "" {
				return console.Wrong("--tally %s: the vote of %s on %q is in %s already", name, b.voter, b.pair, before)
			}
			cast[b] = name
		}
		all = append(all, list...)
	}
	t := votes.Count(all)
	for _, line := range t.Lines() {
		fmt.Fprintln(sys.Out, console.Visible(line))
	}
	return nil
}

// vote decodes the texts and opens the screen on them.
func (s bencher) vote(ctx context.Context, f *voteFlags) error {
	if n := len(f.lanes) + len(f.configs); n < 2 || n > setup.MaxLanes {
		return console.Wrong("--lane: want 2 to %d lanes, given %d", setup.MaxLanes, n)
	}
	if err := f.lab.Terminal(); err != nil {
		return err
	}
	set, n, err := s.promptSet(&f.benchFlags)
	if err != nil {
		return err
	}
	opt, _, _, err := f.options(s)
	if err != nil {
		return err
	}
	p, all, err := s.benchPlan(ctx, &f.benchFlags)
	defer all.close()
	if err != nil {
		return err
	}
	p.Prompts, p.Count, p.Plain, p.Chat = set, n, n == 1, s.Talk.Chat
	bar := newProgressBar(s.Sys)
	opt.Progress = bar.show
	r, err := bench.Run(ctx, p, opt)
	bar.End()
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		return bar.interrupted(opt.Dir)
	}
	if err != nil {
		return f.runError(opt.Dir, err)
	}
	pairs, err := pairsOf(p, r)
	r.Close()
	if err != nil {
		return err
	}
	if len(pairs) == 0 {
		return errors.New("the lanes wrote the same texts throughout: there is nothing to decide")
	}
	path, err := filepath.Abs(f.file)
	if err != nil {
		return err
	}
	box, err := votes.Open(path, f.voter)
	if err != nil {
		return console.Wrong("--votes %s: %v", f.file, err)
	}
	box.Close()
	j := &setup.Job{Model: p.Configs[0].Backend.Model, Draft: p.Configs[0].Backend.Draft, Compiler: p.Configs[0].Backend.Compiler}
	if j.Settings, err = j.Compiler.Settings(p.Configs[0].Config, p.Configs[0].Name); err != nil {
		return err
	}
	s.OnScreen = true
	screen := f.lab.Screen(ctx, []*setup.Job{j}, false)
	screen.Vote = vote.Options{Pairs: pairs, File: path, Voter: f.voter, Seed: p.Configs[0].Config.Uint("seed")}
	return tui.Run(ctx, screen)
}

// pairsOf returns the texts of each prompt and seed that differ, lane by lane.
func pairsOf(p *bench.Plan, r *bench.Results) ([]votes.Pair, error) {
	var out []votes.Pair
	var before [][]*bench.Text // of the lanes before, for the prompt under way
	err := r.Each(func(_ int, q *prompts.Prompt, c int, texts []*bench.Text) error {
		if c == 0 {
			before = nil
		}
		for b, others := range before {
			for k, t := range texts {
				o := others[k]
				if t == nil || o == nil || t.Text == o.Text {
					continue
				}
				lanes := [2]string{p.Configs[b].Name, p.Configs[c].Name}
				out = append(out, votes.NewPair(q.ID, q.Asked(), t.Seed, lanes, [2]string{o.Text, t.Text}))
			}
		}
		before = append(before, texts)
		return nil
	})
	return out, err
}
