// Package handout answers: what does one hand out after a run or a bench? It
// writes what is handed out: a run as one page that needs nothing else, a
// screen as SVG, a run as a cast. It draws nothing itself and decides nothing:
// a page is as exact as the recording allows, and says where it is not.
package handout

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"math"
	"slices"
	"strings"

	"logitscope/engine"
	"logitscope/engine/record"
	"logitscope/models"
	"logitscope/models/tape"
	"logitscope/viz"
)

//go:embed page.html
var pageHTML string

//go:embed page.css
var pageCSS string

//go:embed page.js
var pageJS string

// A page is the data of a page, as page.js reads it.
type page struct {
	Vocab   int              `json:"vocab"`
	Prompt  []int32          `json:"prompt"`
	Hidden  bool             `json:"hidden,omitempty"` // the prompt was taken out of the recording
	Pieces  map[int32]string `json:"pieces"`
	Configs []pageConfig     `json:"configs"`
	Steps   []pageStep       `json:"steps"`
}

// A pageConfig is what steps were made under; Why says why the page does not
// compute it, if it does not.
type pageConfig struct {
	Values
	Why string `json:"why,omitempty"`
}

type pageStep struct {
	N      int       `json:"n"` // tokens before it
	Token  int32     `json:"t"`
	Config int       `json:"c"`
	U      *float64  `json:"u"`
	Forced bool      `json:"forced,omitempty"`
	IDs    []int32   `json:"ids,omitempty"`
	Values []float32 `json:"v,omitempty"`
	Bins   [][2]any  `json:"bins,omitempty"`
	Top    [][4]any  `json:"top"` // token, raw, final, cut by
	Raw    float64   `json:"raw"`
	Bits   *float64  `json:"bits"`
	Mark   string    `json:"mark,omitempty"`
}

// A Page says what a page holds beside the run.
type Page struct {
	Full    bool   // whole rows, where they are there; else the 256 best and bins
	Sheet   *Sheet // a lesson to work through; nil for none
	Answers bool   // the teacher's copy of it
}

// HTML writes take as one page that works without a network. It returns an
// error, and writes nothing, if the page would show other numbers than the
// run has.
func HTML(w io.Writer, take *record.Take, with Page) error {
	p, err := newPage(take, with.Full)
	if err != nil {
		return err
	}
	var sheet strings.Builder
	if with.Sheet != nil {
		if err := with.Sheet.writeHTML(&sheet, with.Answers); err != nil {
			return err
		}
	}
	data, err := json.Marshal(p) // escapes <, > and &: the data cannot end its element
	if err != nil {
		return err
	}
	run := take.Run
	about := fmt.Sprintf("%s, %s, seed %d, %s", run.Model.Name, run.Order, run.Seed, viz.Plural(len(p.Steps), "step"))
	if run.Recorded != "" {
		about += ", recorded " + run.Recorded
	}
	esc := func(s string) string { return html.EscapeString(viz.Printable(s, false)) }
	_, err = strings.NewReplacer(
		"{{.Title}}", esc("How "+run.Model.Name+" wrote this text"), "{{.About}}", esc(about), "{{.Prompt}}", promptHTML(run),
		"{{.Foot}}", esc("Made by logitscope. The page needs no network and sends nothing."),
		"{{.Lesson}}", sheet.String(), "{{.MaxK}}", fmt.Sprint(record.BestRows), "{{.CSS}}", pageCSS, "{{.JS}}", pageJS, "{{.Data}}", string(data),
	).WriteString(w, pageHTML)
	return err
}

// promptHTML is what the text goes on from: the turns of a conversation as they
// were said, else the prompt.
func promptHTML(run record.Run) string {
	if len(run.Messages) == 0 {
		return `<p class="prompt">` + html.EscapeString(printableLines(run.Prompt)) + `</p>`
	}
	var b strings.Builder
	b.WriteString(`<dl class="turns">`)
	for _, m := range run.Messages {
		fmt.Fprintf(&b, `<dt>%s</dt><dd class="prompt">%s</dd>`, html.EscapeString(viz.Printable(m.Role(), false)), html.EscapeString(printableLines(m.Content())))
	}
	b.WriteString(`</dl>`)
	return b.String()
}

// printableLines is s with its line ends and nothing else that could act.
func printableLines(s string) string {
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		lines[i] = viz.Printable(l, false)
	}
	return strings.Join(lines, "\n")
}

func newPage(take *record.Take, full bool) (*page, error) {
	m := take.Model
	p := &page{Vocab: m.Info().VocabSize, Prompt: take.Run.PromptTokens, Pieces: map[int32]string{}}
	if p.Prompt == nil || take.Run.Hidden {
		p.Prompt, p.Hidden = []int32{}, take.Run.Hidden
	}
	compiler := engine.NewCompiler(m)
	configs := map[int]int{}
	path := take.Path(take.Last())
	if len(path) == 0 {
		return nil, fmt.Errorf("the recording has no step to show")
	}
	marks := take.Marks()
	seen := map[int32]bool{}
	for _, id := range p.Prompt {
		seen[id] = true
	}
	for k, e := range path {
		c, ok := configs[e.Config]
		if !ok {
			c = len(p.Configs)
			configs[e.Config] = c
			p.Configs = append(p.Configs, newConfig(compiler, take.Config(e.Config)))
		}
		s := p.step(m, e.Step, k, full)
		s.Config, s.Mark = c, marks[e.Step.Pos]
		if decided := !p.Hidden || p.Configs[c].Repetition == 1; s.Values != nil && p.Configs[c].Why == "" && decided {
			if err := agrees(e.Step, pageRow(e.Step.Kept, full), seen, p.Configs[c].Values); err != nil {
				return nil, fmt.Errorf("step %d: %w; the page is not written", k+1, err)
			}
		}
		p.Steps = append(p.Steps, s)
		seen[s.Token] = true
	}
	return p, nil
}

// computed are the stages that the page computes.
var computed = []string{"logits", "repetition_penalty", "temperature", "top_k", "top_p", "min_p"}

// newConfig returns the values of the page's controls, or why it has none.
func newConfig(c *engine.Compiler, cfg record.Configuration) pageConfig {
	conf := cfg.Config.Without("schedule")
	out := pageConfig{Values: Values{
		Temperature: conf.Float("temperature"), TopK: conf.Int("top_k"), TopP: conf.Float("top_p"), MinP: conf.Float("min_p"), Repetition: conf.Float("repetition_penalty"),
	}}
	set, err := c.Settings(conf, cfg.Preset)
	if err != nil {
		out.Why = "the settings of this step cannot be read"
		return out
	}
	if set.Pipeline.Greedy() {
		out.Temperature = 0
	}
	if name := conf.Order().Name(); name != "transformers" {
		out.Why = "the run has the order " + name + ", the page computes that of transformers"
	}
	if conf.Text("constraint") != "" {
		out.Why = "a constraint holds, which the page does not compute"
	}
	for _, name := range set.Pipeline.StageNames() {
		if !slices.Contains(computed, name) {
			out.Why = name + " is on, which the page does not compute"
		}
	}
	if out.Repetition < 1 {
		out.Why = "repetition_penalty is below 1, which raises tokens that have no name here"
	}
	if out.TopP <= 0 || out.TopP > 1 || out.TopK < 0 {
		out.Why = "its top_p or top_k is beyond the controls of the page"
	}
	return out
}

// pageRow returns the row that the page has of a recorded one.
func pageRow(r *tape.Row, full bool) *tape.Row {
	if r == nil || r.Scores || !r.Whole() && len(r.Bins) == 0 {
		return nil // log probabilities, or a server's list: nothing is known of the others
	}
	if full || !r.Whole() {
		return r
	}
	cut := tape.Best(models.Logits{Values: r.Values}, record.BestRows, nil, false)
	return &cut
}

func (p *page) step(m *tape.Model, s *record.Step, before int, full bool) pageStep {
	out := pageStep{N: before, Token: s.Token, U: s.U, Forced: s.Forced, Raw: math.Exp(float64(s.RawLogprob)), Top: [][4]any{}}
	if math.IsNaN(out.Raw) {
		out.Raw = 0
	}
	if x := float64(s.EntropyBits); !math.IsNaN(x) {
		out.Bits = &x
	}
	name := func(id int32) { p.Pieces[id] = viz.Label(m.Vocab().Piece(id), false) }
	name(s.Token)
	for _, t := range s.Top {
		cut := ""
		if t.RemovedBy != nil {
			cut = *t.RemovedBy
		}
		name(t.Token)
		out.Top = append(out.Top, [4]any{t.Token, t.RawProb, t.Prob, cut})
	}
	if r := pageRow(s.Kept, full); r != nil {
		out.IDs, out.Values = r.IDs, r.Values
		for i, v := range r.Values {
			if v < -math.MaxFloat32 {
				out.Values = slices.Clone(out.Values)
				out.Values[i] = -math.MaxFloat32
			}
			if r.IDs != nil {
				name(r.IDs[i])
			} else {
				name(int32(i))
			}
		}
		for _, b := range r.Bins {
			out.Bins = append(out.Bins, [2]any{b.Count, b.Mean})
		}
	}
	return out
}

// agrees holds what the page will show of a step to what the run has.
func agrees(s *record.Step, row *tape.Row, seen map[int32]bool, v Values) error {
	list, enough := shares(row, seen, v)
	if !enough {
		return nil // the page says so, and shows the run's own numbers
	}
	slack := 2e-6
	if !row.Whole() {
		slack = record.Slack
	}
	for _, t := range s.Top {
		i := slices.IndexFunc(list, func(x share) bool { return x.id == t.Token })
		if i < 0 {
			continue
		}
		if x := list[i]; math.Abs(x.p-float64(t.Prob)) > slack || math.Abs(x.raw-float64(t.RawProb)) > slack {
			return fmt.Errorf("token %d would have %s, the run has %s", t.Token, viz.Percent(x.p), viz.Percent(float64(t.Prob)))
		}
	}
	return nil
}
