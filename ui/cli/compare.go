package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"logitscope/models"
	"logitscope/sampling"
)

const maxLanes = 4

func newCompare(sys System) *cobra.Command {
	var specs []string
	var format string
	var top int
	cmd := &cobra.Command{
		Use:   "compare --lane SPEC --lane SPEC …",
		Short: "2 to 4 lanes side by side, with the same luck",
		Long: `Compare decodes one prompt in 2 to 4 lanes that share the seed, and so the draw
at every position: what differs comes from the settings. A SPEC is a preset's
name followed by key=value pairs; model=NAME gives the lane a model of its own.
With --format jsonl there is no screen: each lane's records carry a lane field
and a summary closes the output. The same lanes and seed give the same bytes.`,
		Example: `  logitscope compare --lane chat --lane creative --prompt "Once upon a time"
  logitscope compare --lane chat --lane chat,temperature=1.2,order=llama.cpp --format jsonl --prompt "Once"`,
		Args: noArgs,
	}
	l := addScreen(addShared(sys, cmd), cmd)
	l.rec = addRecord(cmd)
	cmd.Flags().StringArrayVar(&specs, "lane", nil, "a lane: PRESET[,key=value…]; 2 to 4 times")
	cmd.Flags().StringVar(&format, "format", "screen", "screen or jsonl")
	cmd.Flags().IntVar(&top, "top", 10, "tokens shown at each step with jsonl")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if format != "screen" && format != "jsonl" {
			return wrong("--format %s: screen or jsonl", format)
		}
		if err := checkTop(top); err != nil {
			return err
		}
		if len(specs) < 2 || len(specs) > maxLanes {
			return wrong("--lane: want 2 to %d lanes, given %d", maxLanes, len(specs))
		}
		lanes := make([]laneSpec, len(specs))
		for i, spec := range specs {
			var err error
			if lanes[i], err = l.lane("--lane", spec); err != nil {
				return err
			}
		}
		if err := l.rec.check(); err != nil {
			return err
		}
		if format == "screen" {
			return l.show(cmd.Context(), lanes)
		}
		defer l.rec.close()
		return compareLanes(cmd.Context(), l.shared, lanes, top, l.rec)
	}
	return cmd
}

// A laneSpec is a lane as the command line describes it.
type laneSpec struct {
	flag   string // the flag that gave it, "--lane"
	text   string
	label  string
	model  string // empty for the shared one
	preset sampling.Config
	set    sampling.Config // the key=value pairs
}

// given is the lane as it was asked for, for errors.
func (l laneSpec) given() string { return l.flag + " " + l.text }

// lane reads the SPEC of a flag: a preset, then key=value pairs.
func (s *shared) lane(flag, spec string) (laneSpec, error) {
	parts := splitSpec(spec)
	p, err := findPreset(s.sys, parts[0])
	if err != nil {
		return laneSpec{}, wrong("%s %s: it begins with a preset's name; %v", flag, spec, err)
	}
	l := laneSpec{flag: flag, text: spec, label: p.Name}
	l.preset = p.Config
	for _, kv := range parts[1:] {
		key, value, pair := strings.Cut(kv, "=")
		if pair && key == "model" {
			if l.model = value; value == "" {
				return l, wrong("%s: model= needs a name", l.given())
			}
			continue
		}
		if l.set, err = setPair(l.set, kv); err != nil {
			return l, wrongly(flagged(l.given()+":", err))
		}
		if !keepsPreset[key] {
			l.label = p.Name + "*"
		}
	}
	return l, nil
}

// splitSpec splits a SPEC at the commas that begin a new key=value: a value may
// hold commas itself, as in order=top_k,top_p.
func splitSpec(spec string) []string {
	first, rest, more := strings.Cut(spec, ",")
	parts := []string{strings.TrimSpace(first)}
	for more {
		n := settingLen(rest)
		parts = append(parts, strings.TrimSpace(rest[:n]))
		if more = n < len(rest); more {
			rest = rest[n+1:]
		}
	}
	return parts
}

var nextSetting = regexp.MustCompile(`,\s*[A-Za-z][\w-]*=`)

// settingLen returns how long the key=value is with which spec begins. One
// whose value is JSON ends behind it.
func settingLen(spec string) int {
	from := 0
	if key, value, ok := strings.Cut(spec, "="); ok && !strings.Contains(key, ",") {
		d := json.NewDecoder(strings.NewReader(value))
		if d.Decode(new(json.RawMessage)) == nil {
			from = len(spec) - len(value) + int(d.InputOffset())
		}
	}
	if next := nextSetting.FindStringIndex(spec[from:]); next != nil {
		return from + next[0]
	}
	return len(spec)
}

// compareLanes runs the lanes without a screen.
func compareLanes(ctx context.Context, s *shared, specs []laneSpec, top int, rec *recording) error {
	jobs, err := s.prepareLanes(ctx, specs)
	if err != nil {
		return err
	}
	defer releaseAll(ctx, jobs)
	if len(jobs[0].prompt) == 0 {
		return wrong("compare --format jsonl needs a prompt: --prompt, --prompt-file or --prompt-tokens")
	}
	s.tellNotes()
	out := bufio.NewWriter(s.sys.Out)
	c, err := newComparison(jobs, out, top, rec)
	if err == nil {
		err = c.run(ctx)
	}
	return flushed(out, rec.closed(err))
}

// prepareLanes makes a job of every lane: the shared flags under the lane's
// own settings.
func (s *shared) prepareLanes(ctx context.Context, specs []laneSpec) ([]*job, error) {
	return within(ctx, func() ([]*job, error) { return s.makeJobs(ctx, specs) })
}

func (s *shared) makeJobs(ctx context.Context, specs []laneSpec) ([]*job, error) {
	first, err := s.prepare(ctx)
	if err != nil {
		return nil, err
	}
	jobs := make([]*job, 0, len(specs))
	opened := map[string]*job{"": first, s.model: first}
	for _, spec := range specs {
		j := *first
		if base, ok := opened[spec.model]; ok {
			j = *base
		} else {
			m, err := s.open(ctx, spec.given()+": model", spec.model)
			if err != nil {
				return nil, err
			}
			j = job{model: m, draft: first.draft, compiler: s.compiler(m)}
			if err := s.readPrompt(ctx, &j); err != nil {
				return nil, err
			}
			opened[spec.model] = &j
		}
		cfg, err := s.configuration(s.recommended(j.model), spec)
		if err != nil {
			return nil, err
		}
		if !j.draft.Active() {
			if j.draft, err = s.openDraft(ctx, j.model, cfg); err != nil {
				return nil, err
			}
		}
		if j.settings, err = s.compile(&j, cfg, spec); err != nil {
			return nil, err
		}
		jobs = append(jobs, &j)
	}
	return jobs, nil
}

// releaseAll is release for the models of all jobs.
func releaseAll(ctx context.Context, jobs []*job) {
	if ctx.Err() == nil {
		closeAll(jobs)
	}
}

// closeAll closes every model of the jobs once.
func closeAll(jobs []*job) {
	closed := map[models.Model]bool{nil: true}
	for _, j := range jobs {
		for _, m := range []models.Model{j.draft.Model, j.model} {
			if !closed[m] {
				closed[m] = true
				m.Close()
			}
		}
	}
}
