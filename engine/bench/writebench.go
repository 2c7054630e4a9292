package bench

import (
	"encoding/csv"
	"encoding/json"
	"io"
	"strconv"

	"logitscope/engine/bench/prompts"
	"logitscope/engine/check"
	"logitscope/engine/record"
	"logitscope/engine/stats"
	"logitscope/sampling"
)

// A Price is what a million tokens cost.
type Price struct{ In, Out float64 }

// Of returns what the texts of a config cost.
func (p Price) Of(c *ConfigSummary) float64 {
	return (p.In*float64(c.Prompted) + p.Out*float64(c.Tokens)) / 1e6
}

// A WriteOptions says how results are written.
type WriteOptions struct {
	Times bool   // with times, which differ from run to run
	Price *Price // of the tokens; nil to leave it out

	NoPrompts bool // with nothing that tells the prompts
}

// The lines of a bench as JSON.
type (
	benchLine struct {
		Type    string       `json:"type"` // "bench"
		Version int          `json:"version"`
		Configs []configLine `json:"configs"`
		Prompts int          `json:"prompts"`
		Seeds   []uint64     `json:"seeds"`
		Checks  check.List   `json:"checks,omitempty"`
	}
	configLine struct {
		Name   string          `json:"name"`
		Model  record.Model    `json:"model"`
		Config sampling.Config `json:"config"`
	}
	textsLine struct {
		Type   string     `json:"type"` // "cell"
		Prompt string     `json:"prompt"`
		Config string     `json:"config"`
		Asked  string     `json:"asked,omitempty"`     // digest of the prompt, which its id alone does not tell
		Judged string     `json:"judged_by,omitempty"` // digest of the checks and what they look at; empty where they may change by themselves
		Passed *int       `json:"passed,omitempty"`
		Texts  []textLine `json:"texts"`
	}
	textLine struct {
		Text
		Pass *bool `json:"pass,omitempty"`
	}
	summaryLine struct {
		Type     string                  `json:"type"` // "summary"
		Config   string                  `json:"config"`
		Part     string                  `json:"part"` // all, seen, held out
		Prompts  int                     `json:"prompts"`
		Texts    int                     `json:"texts,omitempty"`
		Tokens   int64                   `json:"tokens,omitempty"`
		Cost     *float64                `json:"cost,omitempty"`
		Reasons  map[string]int          `json:"reasons,omitempty"`
		Metrics  map[string]estimateLine `json:"metrics"`
		PassAt   map[string]estimateLine `json:"pass_at,omitempty"`
		Verdicts map[string]verdictLine  `json:"verdicts,omitempty"`
	}
	verdictLine struct {
		Finding    string `json:"finding"` // more, less, same, unknown
		Difference number `json:"difference"`
		Lo         number `json:"lo"`
		Hi         number `json:"hi"`
		N          int    `json:"n"`
		P          number `json:"p"`
		Adjusted   number `json:"adjusted_p"`
		Needed     number `json:"prompts_needed"`
	}
)

// SummaryStart is how a line "summary" begins.
const SummaryStart = `{"type":"summary"`

// findings are the words for findings, in their order.
var findings = [...]string{stats.Unknown: "unknown", stats.Same: "same", stats.More: "more", stats.Less: "less"}

// WriteJSONL summarises results and writes them: a line "bench" with what was
// asked, a line "cell" for the texts of each prompt and config, and a line
// "summary" for each config and part.
func WriteJSONL(w io.Writer, p *Plan, r Texts, sum SummaryOptions, opt WriteOptions) (*Summary, error) {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	head := benchLine{Type: "bench", Version: reportVersion, Prompts: p.Count, Seeds: p.Seeds, Checks: p.Checks}
	for _, c := range p.Configs {
		i := c.Backend.Model.Info()
		head.Configs = append(head.Configs, configLine{c.Name,
			record.NewModel(i), c.Config})
	}
	if err := e.Encode(head); err != nil {
		return nil, err
	}
	s, err := Summarise(p, r, sum, func(_ int, q *prompts.Prompt, c int, texts []*Text) error {
		line := newTextsLine(q.ID, p.Configs[c].Name, texts, opt.Times)
		if asked, judged := p.digests(q); !opt.NoPrompts {
			line.Asked, line.Judged = asked, judged
		}
		return e.Encode(line)
	})
	if err != nil {
		return nil, err
	}
	for _, part := range s.parts() {
		for c := range part.Configs {
			if err := e.Encode(s.line(p, part, c, opt)); err != nil {
				return nil, err
			}
		}
	}
	return s, nil
}

func newTextsLine(prompt, config string, texts []*Text, times bool) textsLine {
	line := textsLine{Type: "cell", Prompt: prompt, Config: config, Texts: []textLine{}}
	passed := 0
	for _, t := range texts {
		x := textLine{Text: *t}
		if !times {
			x.FirstMS, x.Rate = 0, 0
		}
		if t.Judged {
			pass := t.Pass()
			x.Pass = &pass
			passed += int(truth(pass))
			line.Passed = &passed
		}
		line.Texts = append(line.Texts, x)
	}
	return line
}

// Parts returns the parts of the prompts there are, all of them first.
func (s *Summary) Parts() []*Part {
	out := []*Part{&s.All}
	if s.Held != nil {
		out = append(out, s.Seen, s.Held)
	}
	return out
}

// parts returns what lines are written of: the parts, then the tags.
func (s *Summary) parts() []*Part {
	out := s.Parts()
	for i := range s.Tags {
		tag := s.Tags[i]
		tag.Name = "tag " + tag.Name
		out = append(out, &tag)
	}
	return out
}

func newEstimateLine(e stats.Estimate) estimateLine {
	return estimateLine{number(e.Value), number(e.Low), number(e.High), e.N}
}

func (s *Summary) line(p *Plan, part *Part, c int, opt WriteOptions) summaryLine {
	sum := &part.Configs[c]
	line := summaryLine{Type: "summary", Config: p.Configs[c].Name, Part: part.Name, Prompts: part.Prompts,
		Texts: sum.Texts, Tokens: sum.Tokens, Reasons: sum.Reasons, Metrics: map[string]estimateLine{}}
	if opt.Price != nil && part == &s.All {
		cost := opt.Price.Of(sum)
		line.Cost = &cost
	}
	for k, m := range metrics {
		if e := sum.Values[k]; e.N > 0 && (opt.Times || !m.Timed) {
			line.Metrics[m.Key] = newEstimateLine(e)
		}
	}
	if part == &s.All {
		for x, k := range s.PassAt {
			if line.PassAt == nil {
				line.PassAt = map[string]estimateLine{}
			}
			line.PassAt[strconv.Itoa(k)] = newEstimateLine(s.AtK[x][c])
		}
	}
	for k, v := range sum.Verdicts {
		if metrics[k].Quantity.More == "" || v.Diff.N == 0 || metrics[k].Timed && !opt.Times {
			continue
		}
		if line.Verdicts == nil {
			line.Verdicts = map[string]verdictLine{}
		}
		line.Verdicts[metrics[k].Key] = verdictLine{findings[v.Finding], number(v.Diff.Value), number(v.Diff.Low), number(v.Diff.High), v.Diff.N,
			number(v.P), number(v.Adjusted), number(v.Needed)}
	}
	return line
}

// WriteCSV writes a line for each config and part: of every metric the estimate
// and the ends of its interval. What could not be measured is empty.
func (s *Summary) WriteCSV(w io.Writer, p *Plan, opt WriteOptions) error {
	out := csv.NewWriter(w)
	head := []string{"config", "part", "prompts", "texts", "tokens_total"}
	for _, m := range metrics {
		if opt.Times || !m.Timed {
			head = append(head, m.Key, m.Key+"_lo", m.Key+"_hi", m.Key+"_n")
		}
	}
	if err := out.Write(head); err != nil {
		return err
	}
	for _, part := range s.parts() {
		for c := range part.Configs {
			sum := &part.Configs[c]
			line := []string{p.Configs[c].Name, part.Name, strconv.Itoa(part.Prompts), strconv.Itoa(sum.Texts), strconv.FormatInt(sum.Tokens, 10)}
			for k, m := range metrics {
				if e := sum.Values[k]; opt.Times || !m.Timed {
					line = append(line, decimal(e.Value), decimal(e.Low), decimal(e.High), strconv.Itoa(e.N))
				}
			}
			if err := out.Write(line); err != nil {
				return err
			}
		}
	}
	out.Flush()
	return out.Error()
}
