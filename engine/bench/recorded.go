package bench

import (
	"bufio"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"logitscope/engine/bench/prompts"
	"logitscope/engine/stats"
)

// A Recorded is a bench as [WriteJSONL] wrote it.
type Recorded struct {
	Configs []RecordedConfig
	Seeds   []uint64
	cells   map[[2]string]*recordedCell // by config and prompt
}

// A recordedCell is what was recorded of a prompt and a config.
type recordedCell struct {
	asked, judged string // digests, empty where the file has none
	texts         []*Text
}

// asks reports whether what was recorded is of the prompt whose digest is
// given, as far as the file says.
func (c *recordedCell) asks(digest string) bool { return c.asked == "" || c.asked == digest }

// digests name what a prompt asks and what its texts are judged by.
func (p *Plan) digests(q *prompts.Prompt) (asked, judged string) {
	if by := judgedBy(p.expect(q), p.extract(q)); by != "" {
		sum := sha256.Sum256([]byte(by))
		judged = hex.EncodeToString(sum[:8])
	}
	k := promptKey(q, p.Chat)
	return hex.EncodeToString(k[:8]), judged
}

// A RecordedConfig is a config of a recorded bench.
type RecordedConfig struct {
	Name, Model string
	Config      json.RawMessage // as the program's own format has settings
}

// reportVersion is the version of the files that [WriteJSONL] writes.
const reportVersion = 2

// maxRecordedLine bounds a line of a recorded bench.
const maxRecordedLine = 256 << 20

// ReadJSONL reads a bench that was written as JSON lines. The error names the
// line.
func ReadJSONL(r io.Reader) (*Recorded, error) {
	rec := &Recorded{cells: map[[2]string]*recordedCell{}}
	in := bufio.NewScanner(r)
	in.Buffer(make([]byte, 1<<16), maxRecordedLine)
	n := 1
	for ; in.Scan(); n++ {
		var kind struct {
			Type string `json:"type"`
		}
		if err := json.Unmarshal(in.Bytes(), &kind); err != nil {
			return nil, fmt.Errorf("line %d: not JSON", n)
		}
		switch {
		case n == 1 && kind.Type != "bench":
			return nil, errors.New("line 1: must be the head of a bench, as bench --format jsonl writes it")
		case kind.Type == "bench":
			var head struct {
				Version int
				Seeds   []uint64
				Configs []struct {
					Name   string
					Model  struct{ Name string }
					Config json.RawMessage
				}
			}
			if err := json.Unmarshal(in.Bytes(), &head); err != nil {
				return nil, fmt.Errorf("line %d: %w", n, err)
			}
			if head.Version > reportVersion {
				return nil, fmt.Errorf("line %d: version: %d is of a newer program, this one reads %d", n, head.Version, reportVersion)
			}
			rec.Seeds = head.Seeds
			for _, c := range head.Configs {
				rec.Configs = append(rec.Configs, RecordedConfig{c.Name, c.Model.Name, c.Config})
			}
		case kind.Type == "cell":
			var cell textsLine
			if err := json.Unmarshal(in.Bytes(), &cell); err != nil {
				return nil, fmt.Errorf("line %d: %w", n, err)
			}
			key := [2]string{cell.Config, cell.Prompt}
			of := rec.cells[key]
			if of == nil {
				of = &recordedCell{asked: cell.Asked, judged: cell.Judged}
				rec.cells[key] = of
			}
			for i := range cell.Texts {
				of.texts = append(of.texts, &cell.Texts[i].Text)
			}
		}
	}
	if errors.Is(in.Err(), bufio.ErrTooLong) {
		return nil, fmt.Errorf("line %d: longer than %d MiB", n, maxRecordedLine>>20)
	}
	if err := in.Err(); err != nil {
		return nil, err
	}
	if len(rec.Configs) == 0 || len(rec.cells) == 0 {
		return nil, errors.New("no texts of a bench")
	}
	return rec, nil
}

// with returns the recorded config that a config is compared with: that of the
// same name, or the only one.
func (r *Recorded) with(name string) (string, error) {
	var names []string
	for _, c := range r.Configs {
		if c.Name == name {
			return name, nil
		}
		names = append(names, c.Name)
	}
	if len(names) > 1 {
		return "", fmt.Errorf("%s: no such config was recorded; must be %s", name, strings.Join(names, " or "))
	}
	return names[0], nil
}

// Check returns an error, which names what is missing, unless every config of p
// has texts here of a prompt of p: [Compare] then finds something to compare.
func (r *Recorded) Check(p *Plan) error {
	for i := range p.Configs {
		with, err := r.with(p.Configs[i].Name)
		if err != nil {
			return err
		}
		any, other := false, ""
		err = p.Prompts.Each(func(_ int, q prompts.Prompt) error {
			if old := r.cells[[2]string{with, q.ID}]; old != nil && len(old.texts) > 0 {
				asked, _ := p.digests(&q)
				any = any || old.asks(asked)
				other = cmp.Or(other, q.ID)
			}
			return nil
		})
		switch {
		case err != nil:
			return err
		case !any && other != "":
			return fmt.Errorf("%s: prompt %s, and every other that was recorded, asks something else now", with, other)
		case !any:
			return fmt.Errorf("%s: no prompt of the set was recorded", with)
		}
	}
	return nil
}

// A Comparison is a config against its recorded texts, on the prompts that both
// have.
type Comparison struct {
	Config, With string
	Prompts      int
	Same         int             // texts that are the same as recorded, of those with the same seed
	Common       int             // texts with the same seed
	Verdicts     []stats.Verdict // now against then, in the order of [Metrics]
	Worse        []string        // prompts that pass less often than they did
	Better       []string        // prompts that pass more often
	Changed      []string        // prompts that ask something else than they did, which are not compared
	Rejudged     []string        // prompts whose texts are judged by other checks than they were
	Unsaid       bool            // the recording does not say what its prompts asked
}

// Compare compares the texts of p with recorded ones, of which it must have
// some: see [Recorded.Check]. A prompt without texts now counts for nothing.
func Compare(p *Plan, r Texts, rec *Recorded) ([]Comparison, error) {
	out := make([]Comparison, len(p.Configs))
	then, now := make([][]tally, len(p.Configs)), make([][]tally, len(p.Configs))
	for c := range out {
		out[c].Config = p.Configs[c].Name
		with, err := rec.with(out[c].Config)
		if err != nil {
			return nil, err
		}
		out[c].With = with
	}
	pass := MetricNamed("pass")
	err := r.Each(func(_ int, q *prompts.Prompt, c int, all []*Text) error {
		was := rec.cells[[2]string{out[c].With, q.ID}]
		texts := slices.DeleteFunc(slices.Clone(all), func(t *Text) bool { return t == nil })
		if was == nil || len(was.texts) == 0 || len(texts) == 0 {
			return nil
		}
		asked, judged := p.digests(q)
		if !was.asks(asked) {
			out[c].Changed = append(out[c].Changed, q.ID)
			return nil
		}
		out[c].Unsaid = out[c].Unsaid || was.asked == ""
		if was.judged != "" && judged != "" && was.judged != judged {
			out[c].Rejudged = append(out[c].Rejudged, q.ID)
		}
		old := was.texts
		out[c].Prompts++
		a, b := measure(len(old), &p.Configs[c], &cell{old, p.answer(q)}), measure(len(texts), &p.Configs[c], &cell{texts, p.answer(q)})
		then[c], now[c] = append(then[c], a), append(now[c], b)
		switch {
		case a.n[pass] == 0 || b.n[pass] == 0:
		case b.value[pass] < a.value[pass]:
			out[c].Worse = append(out[c].Worse, q.ID)
		case b.value[pass] > a.value[pass]:
			out[c].Better = append(out[c].Better, q.ID)
		}
		for _, t := range texts {
			for _, o := range old {
				if o.Seed == t.Seed {
					out[c].Common++
					if o.Text == t.Text && o.Reason == t.Reason {
						out[c].Same++
					}
				}
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for c := range out {
		for k := range metrics {
			out[c].Verdicts = append(out[c].Verdicts, stats.Judge([]stats.Contrast{contrast(k, then[c], now[c])})[0])
		}
	}
	return out, nil
}
