// Package record answers: what did a lane do, and does a file say so? It keeps
// what a lane did, one JSON object a line: a "run" line, a "step" line for
// every token, lines for what changed on the way, an "end" line. It writes
// them, reads them back, and derives every step again from its row. The names
// and meanings of the fields are a contract with the programs that read them.
// The lines "pieces", "texts" and a step's "row" are those of models/tape.
package record

import (
	"encoding/base64"
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"logitscope/engine"
	"logitscope/engine/inside"
	"logitscope/models"
	"logitscope/models/chat"
	"logitscope/models/tape"
	"logitscope/sampling"
)

// Version is the version of the format.
const Version = tape.Version

// A Run is the first line.
type Run struct {
	Type         string          `json:"type"` // "run"
	Version      int             `json:"version"`
	Program      string          `json:"program,omitempty"`
	Recorded     string          `json:"recorded,omitempty"` // when, RFC 3339
	Lane         *int            `json:"lane,omitempty"`     // from 1, in a comparison
	Model        Model           `json:"model"`
	Prompt       string          `json:"prompt"`
	PromptTokens []int32         `json:"prompt_tokens"`
	Messages     []chat.Message  `json:"messages,omitempty"` // the conversation that the prompt renders
	Hidden       bool            `json:"hidden,omitempty"`   // the prompt was taken out: see [WithoutPrompts]
	Config       sampling.Config `json:"config"`
	Origins      Origins         `json:"origins,omitempty"` // who set the values of the configuration
	Order        string          `json:"order"`
	Seed         uint64          `json:"seed"`
	Label        string          `json:"label,omitempty"` // the preset in force at first
	Rows         RowPolicy       `json:"rows,omitempty"`  // what the steps keep of their rows
	Notes        []string        `json:"notes,omitempty"` // what the engine changed or ignores
}

// A Model names a model in a [Run].
type Model = tape.Head

// A RowPolicy is how much of its row of logits a step keeps.
type RowPolicy string

const (
	RowsFull RowPolicy = "full"     // every logit
	RowsBest RowPolicy = "256+bins" // the 256 best, and the others in bins by logit
	RowsTop  RowPolicy = "top"      // the tokens that the step shows, nothing else
)

// A Set is a change of the settings. Those of a schedule are in force as long
// as its rules hold, over what the lane was told.
type Set struct {
	Type      string                     `json:"type"` // "set"
	Lane      *int                       `json:"lane,omitempty"`
	BeforePos int                        `json:"before_pos"`
	Changes   map[string]json.RawMessage `json:"changes"` // null: back to the default
	Origins   Origins                    `json:"origins,omitempty"`
	Preset    string                     `json:"preset"`
	Order     *string                    `json:"order"`               // null where it is as before
	Scheduled *[]string                  `json:"scheduled,omitempty"` // the rules that hold, in place of those before
	At        *float64                   `json:"at_ms,omitempty"`
}

// A Branch says that the steps after it go on from an earlier place.
type Branch struct {
	Type string   `json:"type"` // "branch"
	Lane *int     `json:"lane,omitempty"`
	ID   int      `json:"id"`   // from 2; the first is 1
	From int      `json:"from"` // the branch it leaves
	Keep int      `json:"keep"` // generated tokens it has in common with that
	Why  string   `json:"why,omitempty"`
	At   *float64 `json:"at_ms,omitempty"`
}

// A Next is the row of the token that would have come when the run was left.
type Next struct {
	Type   string    `json:"type"` // "next"
	Lane   *int      `json:"lane,omitempty"`
	Branch int       `json:"branch,omitempty"`
	Pos    int       `json:"pos"`
	Kept   *tape.Row `json:"row"`
}

// A Mark is a place that somebody wants to find again. One without a text takes
// out the one before it at its place.
type Mark struct {
	Type string   `json:"type"` // "mark"
	Lane *int     `json:"lane,omitempty"`
	Pos  int      `json:"pos"`
	Text string   `json:"text"`
	At   *float64 `json:"at_ms,omitempty"`
}

// A Step is the line of one token.
type Step struct {
	Type        string      `json:"type"` // "step"
	Lane        *int        `json:"lane,omitempty"`
	Branch      int         `json:"branch,omitempty"` // 0: the first
	ConfigID    int         `json:"config_id,omitempty"`
	Pos         int         `json:"pos"`
	Token       int32       `json:"token"`
	Piece       string      `json:"piece"`
	Bytes       string      `json:"bytes,omitempty"`
	Forced      bool        `json:"forced,omitempty"`
	Drawn       *int32      `json:"drawn,omitempty"` // where forced, the token that would have been chosen
	Round       int         `json:"round,omitempty"` // the speculative round that wrote it
	Logprob     Number      `json:"logprob"`
	RawLogprob  Number      `json:"raw_logprob"`
	Rank        int32       `json:"rank"`
	EntropyBits Number      `json:"entropy_bits"`
	U           *float64    `json:"u"`                 // null where nothing was drawn, and under luck race
	Arrival     *Number     `json:"arrival,omitempty"` // under luck race, when the token drawn came in
	Preset      string      `json:"preset,omitempty"`  // where it differs from the step before
	Constraint  *Constraint `json:"constraint,omitempty"`
	Observed    bool        `json:"observed,omitempty"` // chosen by the server, not here
	Off         []string    `json:"off,omitempty"`      // parts of the model that were off: "layer 3 head 3"
	Rest        *Number     `json:"rest,omitempty"`     // raw probability of all tokens that a server did not name
	Stages      []Stage     `json:"stages"`
	Top         []Top       `json:"top"`
	At          *float64    `json:"at_ms,omitempty"` // since the run began
	Kept        *tape.Row   `json:"row,omitempty"`
}

// A Stage is what one stage did.
type Stage struct {
	Name    string `json:"name"`
	Kept    int    `json:"kept"`
	Removed int    `json:"removed"`
	Mass    Number `json:"mass"`
}

// A Top is one token that the step shows.
type Top struct {
	Token     int32   `json:"token"`
	Piece     string  `json:"piece"`
	Bytes     string  `json:"bytes,omitempty"`
	RawProb   Number  `json:"raw_prob"`
	Prob      Number  `json:"prob"`
	RemovedBy *string `json:"removed_by"`
}

// A Constraint is how the constraint met a step.
type Constraint struct {
	Allowed int    `json:"allowed"`
	Mass    Number `json:"mass"`
	Bits    Number `json:"bits"`
	EOS     bool   `json:"eos"`
	Closing bool   `json:"closing,omitempty"`
}

// An End is the last line of a run.
type End struct {
	Type    string  `json:"type"` // "end"
	Lane    *int    `json:"lane,omitempty"`
	Reason  string  `json:"reason"`
	Text    string  `json:"text"`
	Tokens  int     `json:"tokens"`
	Prefill *Number `json:"prefill_ms,omitempty"`
	Decode  *Number `json:"decode_tokens_per_s,omitempty"`
	Error   string  `json:"error,omitempty"`

	// For a model on a server: at how many steps a setting was not known to
	// act as on the whole row of logits, and at how many the server read the
	// text as other tokens.
	Inexact map[string]int `json:"inexact,omitempty"`
	Strayed int            `json:"strayed,omitempty"`
}

// A Number is a float that JSON may not be able to write: NaN and the
// infinities become null.
type Number float32

// MarshalJSON writes the shortest decimal that reads back as the same float32.
func (n Number) MarshalJSON() ([]byte, error) {
	if f := float64(n); math.IsNaN(f) || math.IsInf(f, 0) {
		return []byte("null"), nil
	}
	return json.Marshal(float32(n))
}

// UnmarshalJSON reads null as NaN.
func (n *Number) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		*n = Number(math.NaN())
		return nil
	}
	f, err := strconv.ParseFloat(string(b), 32)
	*n = Number(f)
	return err
}

// newRun returns the first line for a run of prompt on m.
func newRun(m models.Model, text string, prompt []int32, s *engine.Settings) Run {
	info, cfg := m.Info(), s.Config()
	r := Run{
		Type: "run", Version: Version,
		Model:  NewModel(info),
		Prompt: Printable(text), PromptTokens: prompt, Config: cfg, Order: cfg.Order().Name(), Seed: cfg.Uint("seed"),
	}
	if prompt == nil {
		r.PromptTokens = []int32{}
	}
	for _, n := range s.Pipeline.Adjusted() {
		r.Notes = append(r.Notes, n.Text)
	}
	return r
}

// NewModel returns what a run line says of a model.
func NewModel(i models.Info) Model {
	return Model{Name: i.Name, Arch: i.Arch, Vocab: i.VocabSize, Context: i.ContextLen, Arith: i.Arithmetic}
}

// newStep returns the line of s, showing at most top tokens.
func newStep(s *engine.Step, v models.Vocab, top int) Step {
	piece, raw := Piece(v, s.Token)
	r := Step{
		Type: "step", Pos: s.Pos, Token: s.Token, Piece: piece, Bytes: raw, Forced: s.Forced, Observed: s.Observed,
		Logprob: Number(s.Summary.Logprob), RawLogprob: Number(s.Summary.RawLogprob),
		Rank: s.Summary.Rank, EntropyBits: Number(s.Summary.RawBits),
		Stages: []Stage{}, Top: []Top{},
	}
	if s.Forced {
		r.Drawn = &s.Drawn
	}
	if s.Off != nil {
		for _, p := range s.Off.Parts {
			r.Off = append(r.Off, inside.Name(p))
		}
	}
	if c := s.Constraint; c != nil {
		r.Constraint = &Constraint{c.Allowed, Number(c.Mass), Number(c.Bits), c.EOS, c.Closing}
	}
	t := s.Trace
	if t == nil {
		return r
	}
	if t.Rest > 0 {
		rest := Number(t.Rest)
		r.Rest = &rest
	}
	switch drawn := !t.Greedy && !s.Forced && !s.Observed; {
	case drawn && t.Race.Ran:
		at := Number(t.Race.Time)
		r.Arrival = &at
	case drawn:
		r.U = &t.U
	}
	stages := t.Stages()
	for _, st := range stages[min(1, len(stages)):] {
		r.Stages = append(r.Stages, Stage{st.Name, st.Kept, st.Removed, Number(st.Mass)})
	}
	for _, row := range t.Rows() {
		if len(r.Top) == top {
			break
		}
		x := Top{Token: row.ID, RawProb: Number(row.RawProb), Prob: Number(row.Prob)}
		x.Piece, x.Bytes = Piece(v, row.ID)
		if row.Cut != sampling.NoStage {
			x.RemovedBy = &stages[row.Cut].Name
		}
		r.Top = append(r.Top, x)
	}
	return r
}

// NewEnd returns the last line for v. Without timing it depends on nothing
// but the text, so that two runs can be compared byte for byte.
func NewEnd(v engine.View, timing bool) End {
	e := End{Type: "end", Reason: reason(v), Text: Printable(v.Text() + v.Held()), Tokens: len(v.Steps)}
	if v.Beam != nil {
		if r := v.Beam.Result(); len(r) > 0 {
			e.Tokens = len(r[0].Tokens())
		}
	}
	if v.Err != nil {
		e.Error = Printable(v.Err.Error())
	}
	for _, s := range v.Steps {
		for _, key := range s.Inexact {
			if e.Inexact == nil {
				e.Inexact = map[string]int{}
			}
			e.Inexact[key]++
		}
		if s.Strayed {
			e.Strayed++
		}
	}
	if timing {
		ms := Number(v.Prefill.Took.Seconds() * 1e3)
		e.Prefill = &ms
		var rate Number
		if d := v.Decode.Took.Seconds(); d > 0 {
			rate = Number(float64(v.Decode.Done) / d)
		}
		e.Decode = &rate
	}
	return e
}

// reason is the word the format has for why v ended.
func reason(v engine.View) string {
	switch v.Phase {
	case engine.Failed:
		return string(engine.Error)
	case engine.Done:
		if v.Reason == engine.ContextFull {
			return string(engine.Length)
		}
		return string(v.Reason)
	}
	return string(engine.Interrupted)
}

// Piece returns token id as valid UTF-8, and its bytes in base64 where that is
// not the whole truth.
func Piece(v models.Vocab, id int32) (piece, bytes string) {
	p := v.Piece(id)
	if utf8.ValidString(p) {
		return p, ""
	}
	return Printable(p), base64.StdEncoding.EncodeToString([]byte(p))
}

// Printable returns s with every invalid byte as U+FFFD.
func Printable(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		b.WriteRune(r)
		s = s[n:]
	}
	return b.String()
}
