package record

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"logitscope/engine"
	"logitscope/engine/beam"
	"logitscope/models"
	"logitscope/models/chat"
	"logitscope/models/tape"
)

// BestRows is how many tokens of a row [Bins] keeps.
const BestRows = 256

// Options say what a [Writer] writes.
type Options struct {
	Lane    *int             // its number, where there are several
	Top     int              // tokens that a step shows
	Rows    RowPolicy        // what a step keeps of its row; RowsTop if empty
	Now     func() time.Time // nil: the file has no times, and depends on the text alone
	Rates   bool             // the end says how fast it was
	Sealed  bool             // every line has a number and a checksum
	Sum     bool             // the first line has the SHA-256 of the model's file, where there is one
	Program string           // name and version, may be empty

	// Messages returns the conversation that a prompt renders, nil for a plain
	// text; nil for no conversations.
	Messages func(prompt string) []chat.Message
}

// A Writer writes the runs of a lane, each line with one Write, so that a
// program that is killed loses at most the line under way. It follows a lane
// that is steered: the texts that were left stay as branches.
type Writer struct {
	w   io.Writer
	m   models.Model
	opt Options

	lines    int // written
	began    bool
	start    time.Time
	text     string
	prompt   []int32
	base     *engine.Settings // as last written
	set      *engine.Settings // those of the step written last
	configID int
	label    string

	root     *written
	at       *written
	branches int
	branch   int // of the line written last
	rounds   int
	searched []*beam.Step // as written last
	named    map[int32]bool
	all      bool // every piece is written
	texts    map[string]bool
	marks    map[int]string // as written
	nopiece  []int32        // ids without a piece; nil until they are looked for
}

// A written is a token in the file.
type written struct {
	parent *written
	step   *engine.Step // without its row and trace
	branch int
	tip    bool // the last of its branch
	depth  int
	next   []*written
}

// NewWriter returns a writer of runs of m.
func NewWriter(w io.Writer, m models.Model, opt Options) *Writer {
	if opt.Rows == "" {
		opt.Rows = RowsTop
	}
	return &Writer{w: w, m: m, opt: opt}
}

// Begin writes the first line of a run of prompt, which text was, under s.
func (w *Writer) Begin(text string, prompt []int32, s *engine.Settings) error {
	r := newRun(w.m, text, prompt, s)
	r.Lane, r.Program = w.opt.Lane, w.opt.Program
	if w.opt.Messages != nil {
		r.Messages = w.opt.Messages(text)
	}
	if w.opt.Now != nil {
		w.start = w.opt.Now()
		r.Recorded = w.start.UTC().Format(time.RFC3339)
	}
	r.Rows, r.Label = w.opt.Rows, s.Label
	r.Origins = originsOf(s.Config(), func(string) bool { return true })
	r.Model.EOG, r.Model.Normalised = w.m.Vocab().EOG(), w.m.Info().Caps.Normalised
	if f, ok := w.m.(models.Summer); ok && w.opt.Sum {
		var err error
		if r.Model.SHA256, err = f.SHA256(); err != nil {
			return err
		}
	}
	if err := w.line(r); err != nil {
		return err
	}
	if !w.began {
		w.named, w.texts = map[int32]bool{}, map[string]bool{}
	}
	w.began, w.text, w.prompt, w.marks = true, text, prompt, map[int]string{}
	w.base, w.set, w.label, w.configID = s, s, s.Label, 1
	w.root = &written{branch: 1, tip: true}
	w.at, w.branches, w.branch, w.rounds, w.searched = w.root, 1, 1, 0, nil
	return w.name(s)
}

// View writes what v has that is not in the file yet: steps, and before them
// the changes of settings, branches and rounds that they came with. A view of
// another prompt begins a run.
func (w *Writer) View(v engine.View) error {
	if v.Settings == nil || v.Prompt == nil && len(v.Steps) == 0 {
		return nil
	}
	if !w.began || v.PromptText != w.text || !slices.Equal(v.Prompt, w.prompt) {
		first := v.Settings
		if len(v.Steps) > 0 {
			first = v.Steps[0].Settings.Base()
		}
		if err := w.Begin(v.PromptText, v.Prompt, first); err != nil {
			return err
		}
	}
	if v.Beam != nil {
		return w.beams(v)
	}
	at := w.root
	for k, s := range v.Steps {
		next := at.find(s)
		if next == nil {
			var err error
			if next, err = w.step(v, k, at); err != nil {
				return err
			}
		}
		at = next
	}
	w.at = at
	return nil
}

// find returns the token after n that is s.
func (n *written) find(s *engine.Step) *written {
	for _, c := range n.next {
		if c.step.Token == s.Token && c.step.Settings == s.Settings && c.step.Forced == s.Forced {
			return c
		}
	}
	return nil
}

// step writes step k of v, which comes after the token at.
func (w *Writer) step(v engine.View, k int, at *written) (*written, error) {
	s := v.Steps[k]
	branch, err := w.enter(at, s)
	if err != nil {
		return nil, err
	}
	if err := w.settings(s.Settings, s.Pos); err != nil {
		return nil, err
	}
	if err := w.origin(v, k); err != nil {
		return nil, err
	}
	r := newStep(s, w.m.Vocab(), w.opt.Top)
	r.Lane, r.At = w.opt.Lane, w.now()
	if branch > 1 {
		r.Branch = branch
	}
	r.ConfigID = w.configID
	if s.Round != nil {
		r.Round = s.Round.Index
	}
	if w.opt.Rows != RowsTop {
		if r.Kept, err = w.row(v, k); err != nil {
			return nil, err
		}
		if err := w.pieces(r.Kept, &r); err != nil {
			return nil, err
		}
	}
	if s.Settings.Label != w.label {
		w.label = s.Settings.Label
		r.Preset = w.label
	}
	if err := w.line(r); err != nil {
		return nil, err
	}
	light := *s
	light.Row, light.Trace = nil, nil
	next := &written{parent: at, step: &light, branch: branch, tip: true, depth: at.depth + 1}
	if at.branch == branch {
		at.tip = false
	}
	at.next = append(at.next, next)
	return next, nil
}

// enter makes the branch that a step after at is of the one being written, and
// returns its number.
func (w *Writer) enter(at *written, s *engine.Step) (int, error) {
	if at.tip {
		w.branch = at.branch
		return at.branch, nil
	}
	w.branches++
	b := Branch{Type: "branch", Lane: w.opt.Lane, ID: w.branches, From: at.branch, Keep: at.depth, At: w.now()}
	if s.Forced {
		piece, _ := Piece(w.m.Vocab(), s.Token)
		b.Why = "forced " + piece
	}
	w.branch = b.ID
	return b.ID, w.line(b)
}

// origin writes the round or the candidates that step k comes from.
func (w *Writer) origin(v engine.View, k int) error {
	s := v.Steps[k]
	if s.Round != nil && s.Round.Index > w.rounds {
		w.rounds = s.Round.Index
		line := newRound(s.Round)
		if w.opt.Rows == RowsFull {
			line.keep(s.Round)
		}
		if err := w.line(laned{w.opt.Lane, line}); err != nil {
			return err
		}
	}
	if c := v.Contrastive; c != nil && k < len(c.Steps) {
		return w.line(laned{w.opt.Lane, newContrastive(c.Steps[k])})
	}
	return nil
}

// beams writes the steps of a beam search that are not in the file yet. One
// that went back, or began again, goes on with a step that was there before.
func (w *Writer) beams(v engine.View) error {
	steps := v.Beam.Steps
	known := 0
	for known < min(len(steps), len(w.searched)) && steps[known] == w.searched[known] {
		known++
	}
	if known == len(steps) {
		return nil
	}
	if err := w.settings(v.Settings, len(w.prompt)); err != nil {
		return err
	}
	for _, s := range steps[known:] {
		for _, r := range newBeamSteps(s) {
			if err := w.line(laned{w.opt.Lane, r}); err != nil {
				return err
			}
		}
	}
	w.searched = slices.Clone(steps)
	return nil
}

// row returns what the file keeps of the row of step k, nil if the row is gone.
// Under a constraint the best of the tokens that it allows are kept as well.
func (w *Writer) row(v engine.View, k int) (*tape.Row, error) {
	s := v.Step(k)
	if s.Row == nil {
		return nil, nil
	}
	l := models.Logits{IDs: s.Row.IDs, Values: s.Row.Values, Rest: s.Row.Rest}
	scores := w.m.Info().Caps.Normalised
	if w.opt.Rows == RowsFull {
		r := tape.All(l, scores)
		if s.Row.Second != nil {
			r.Second, r.SecondOf = s.Row.Second, s.Row.SecondOf()
		}
		return &r, nil
	}
	var allowed func(int32) bool
	if s.Constraint != nil && !s.Constraint.Broken {
		in, err := v.Input(k)
		if err != nil {
			return nil, err
		}
		if in.Mask != nil {
			allowed = func(id int32) bool { return in.Mask[id/64]>>(id%64)&1 == 1 }
		}
	}
	if l.IDs == nil && len(w.unused()) > 0 {
		l.Values = slices.Clone(l.Values)
		for _, id := range w.nopiece {
			l.Values[id] = float32(math.Inf(-1)) // it cannot come
		}
	}
	r := tape.Best(l, BestRows, allowed, scores)
	return &r, nil
}

// unused returns the ids without a piece.
func (w *Writer) unused() []int32 {
	if w.nopiece == nil && !w.growing() {
		w.nopiece = []int32{}
		v := w.m.Vocab()
		for id := range int32(v.Size()) {
			if v.Attr(id) == models.Unused {
				w.nopiece = append(w.nopiece, id)
			}
		}
	}
	return w.nopiece
}

// Marks makes marks those of the run, by position: what changed is written. A
// mark that is gone with its text, as where the prompt is begun again, is not one
// that was taken out: the text it was made at keeps it.
func (w *Writer) Marks(marks map[int]string) error {
	if !w.began {
		return nil // a run has marks
	}
	var changed []int
	for pos, text := range marks {
		if w.marks[pos] != Printable(text) {
			changed = append(changed, pos)
		}
	}
	for pos := range w.marks {
		switch end := len(w.prompt) + w.at.depth; {
		case marks[pos] != "":
		case pos > end:
			delete(w.marks, pos)
		default:
			changed = append(changed, pos)
		}
	}
	slices.Sort(changed)
	for _, pos := range changed {
		text := Printable(marks[pos])
		if w.marks[pos] = text; text == "" {
			delete(w.marks, pos)
		}
		if err := w.line(Mark{Type: "mark", Lane: w.opt.Lane, Pos: pos, Text: text, At: w.now()}); err != nil {
			return err
		}
	}
	return nil
}

// End writes the texts of a search and the last line of the run.
func (w *Writer) End(v engine.View) error {
	if v.Beam != nil {
		text := func(ids []int32) string { return Printable(engine.TextOf(w.m.Vocab(), v.Settings, ids)) }
		for _, r := range newBeamTexts(v.Beam, text) {
			if err := w.line(laned{w.opt.Lane, r}); err != nil {
				return err
			}
		}
	}
	if err := w.next(v); err != nil {
		return err
	}
	e := NewEnd(v, w.opt.Rates)
	e.Lane = w.opt.Lane
	return w.line(e)
}

// next writes the row of the proposal, so that a replay can show it.
func (w *Writer) next(v engine.View) error {
	if w.opt.Rows == RowsTop || v.Next == nil || v.Next.Row == nil || !w.at.tip {
		return nil
	}
	row, err := w.row(v, len(v.Steps))
	if err != nil {
		return err
	}
	if err := w.pieces(row, &Step{Token: v.Next.Token}); err != nil {
		return err
	}
	n := Next{Type: "next", Lane: w.opt.Lane, Pos: v.Next.Pos, Kept: row}
	if w.at.branch > 1 {
		n.Branch = w.at.branch
	}
	return w.line(n)
}

// Line writes a line of another kind, such as the summary of a comparison.
func (w *Writer) Line(v any) error { return w.line(v) }

func (w *Writer) now() *float64 {
	if w.opt.Now == nil {
		return nil
	}
	ms := float64(w.opt.Now().Sub(w.start).Microseconds()) / 1e3
	return &ms
}

func (w *Writer) line(v any) error {
	b, err := encode(v)
	if err == nil && w.opt.Sealed {
		w.lines++
		b, err = seal(b, w.lines)
	}
	if err != nil {
		return err
	}
	_, err = w.w.Write(append(b, '\n'))
	return err
}

// encode returns v as JSON without a line end and without escapes for HTML.
func encode(v any) ([]byte, error) {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return []byte(strings.TrimSuffix(b.String(), "\n")), nil
}

// A laned is a line with the lane's number in front, where there are several.
type laned struct {
	lane *int
	line any
}

func (l laned) MarshalJSON() ([]byte, error) {
	b, err := encode(l.line)
	if err != nil || l.lane == nil {
		return b, err
	}
	return append(fmt.Appendf(nil, `{"lane":%d,`, *l.lane), b[1:]...), nil
}
