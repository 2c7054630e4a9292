package bench

import (
	"encoding/csv"
	"encoding/json"
	"io"
	"math"
	"slices"
	"strconv"

	"logitscope/engine/record"
	"logitscope/sampling"
)

// reasons are why texts end, in the order of columns.
var reasons = []string{"eos", "length", "stop", "constraint", "error"}

// WriteCSV writes the finished cells, one a line: the values of the axes, then
// of every metric the mean and the ends of its interval, then how many texts
// ended for each reason. What could not be measured is empty.
func (r *Grid) WriteCSV(w io.Writer) error {
	out := csv.NewWriter(w)
	var head []string
	for _, a := range r.Axes {
		head = append(head, a.Key)
	}
	head = append(head, "texts")
	for _, m := range gridMetrics {
		head = append(head, m.Key, m.Key+"_lo", m.Key+"_hi")
	}
	for _, reason := range reasons {
		head = append(head, "ended_"+reason)
	}
	if err := out.Write(head); err != nil {
		return err
	}
	for i := range r.Cells {
		c := &r.Cells[i]
		if !c.Done() {
			continue
		}
		var line []string
		for k, a := range r.Axes {
			line = append(line, plain(a.Values[c.At[k]]))
		}
		line = append(line, strconv.Itoa(len(c.Runs)))
		for _, e := range c.Values {
			line = append(line, decimal(e.Value), decimal(e.Low), decimal(e.High))
		}
		for _, reason := range reasons {
			line = append(line, strconv.Itoa(c.Reasons()[reason]))
		}
		if err := out.Write(line); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// plain writes a value of an axis.
func plain(v any) string {
	if f, ok := v.(float64); ok {
		return strconv.FormatFloat(f, 'g', -1, 64)
	}
	b, err := json.Marshal(v)
	if err != nil {
		return ""
	}
	if s, ok := v.(string); ok {
		return s
	}
	return string(b)
}

// decimal writes a measurement with six digits: more than the texts can
// support, and the same on every machine.
func decimal(f float64) string {
	if math.IsNaN(f) {
		return ""
	}
	return strconv.FormatFloat(f, 'g', 6, 64)
}

// The lines of a sweep as JSON.
type (
	headLine struct {
		Type         string          `json:"type"` // "sweep"
		Version      int             `json:"version"`
		Model        record.Model    `json:"model"`
		Prompt       string          `json:"prompt"`
		PromptTokens []int32         `json:"prompt_tokens"`
		Config       sampling.Config `json:"config"`
		Axes         []axisLine      `json:"axes"`
		Seeds        []uint64        `json:"seeds"`
	}
	axisLine struct {
		Key    string `json:"key"`
		Values []any  `json:"values"`
		Inert  string `json:"inert,omitempty"`
	}
	cellLine struct {
		Type    string                  `json:"type"` // "cell"
		At      map[string]any          `json:"at"`
		Metrics map[string]estimateLine `json:"metrics"`
		Reasons map[string]int          `json:"reasons"`
		Texts   []Text                  `json:"texts"`
	}
	estimateLine struct {
		Mean number `json:"mean"`
		Lo   number `json:"lo"`
		Hi   number `json:"hi"`
		N    int    `json:"n"`
	}
)

// A number is written with six digits, as null if it is none.
type number float64

func (n number) MarshalJSON() ([]byte, error) {
	if f := float64(n); math.IsNaN(f) || math.IsInf(f, 0) {
		return []byte("null"), nil
	}
	return []byte(decimal(float64(n))), nil
}

// WriteJSONL writes a line "sweep" with the grid and the axes that have no
// effect, and a line "cell" for every finished cell, with its texts.
func (r *Grid) WriteJSONL(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	head := headLine{
		Type: "sweep", Version: record.Version, Model: r.Model, Prompt: record.Printable(r.Text), PromptTokens: r.Prompt,
		Config: r.Base, Axes: []axisLine{}, Seeds: r.Seeds,
	}
	for _, a := range r.Axes {
		head.Axes = append(head.Axes, axisLine(a))
	}
	if err := e.Encode(head); err != nil {
		return err
	}
	for i := range r.Cells {
		c := &r.Cells[i]
		if !c.Done() {
			continue
		}
		line := cellLine{Type: "cell", At: map[string]any{}, Metrics: map[string]estimateLine{}, Reasons: c.Reasons(), Texts: untimed(c.Runs)}
		for k, a := range r.Axes {
			line.At[a.Key] = a.Values[c.At[k]]
		}
		for k, m := range gridMetrics {
			v := c.Values[k]
			line.Metrics[m.Key] = estimateLine{number(v.Value), number(v.Low), number(v.High), v.N}
		}
		if err := e.Encode(line); err != nil {
			return err
		}
	}
	return nil
}

// untimed returns texts without what differs from run to run.
func untimed(texts []Text) []Text {
	out := slices.Clone(texts)
	for i := range out {
		out[i].FirstMS, out[i].Rate = 0, 0
	}
	return out
}
