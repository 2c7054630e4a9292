// Package cases answers: does the pipeline give what these cases expect? It
// puts given logits through a pipeline, one case a line: the schema in which
// the project's golden vectors are written, so that anyone can check the
// samplers on logits of their own.
//
// A case is an object with "id", "logits" (inline values or a generated row),
// "vocab", "prompt_tokens", "generated_tokens", "engine" and "settings" under
// the engine's own names. The answer has the fields that the golden vectors
// call expected.
package cases

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"

	"logitscope/sampling"
	"logitscope/sampling/dist"
)

// Options change how cases are read.
type Options struct {
	// Engine is the order to put every case through, in place of the case's
	// own engine; empty keeps the case's. Settings are translated by what
	// they mean.
	Engine string
}

// A Case is one line of input.
type Case struct {
	ID       json.RawMessage `json:"id"`
	Engine   string          `json:"engine"`
	Vocab    int             `json:"vocab"`
	Logits   Logits          `json:"logits"`
	Second   *Logits         `json:"second_logits"` // of stages that weigh two rows
	Prompt   []int32         `json:"prompt_tokens"`
	Output   []int32         `json:"generated_tokens"`
	Settings json.RawMessage `json:"settings"`
	Expected struct {
		Draws struct {
			Seed   *uint64 `json:"seed"`
			Tokens []int32 `json:"tokens"`
		} `json:"draws"`
	} `json:"expected"`
}

// Run reads cases from r, one a line, and writes an answer to each to w, one
// a line, in order. A line that is not a case is answered with its id, if it has
// one, and an error, and counts in bad; what an engine refuses is an answer,
// not a bad line. Memory is bounded by the longest line. The error is that of
// r or w, or that opt names no engine.
func Run(r io.Reader, w io.Writer, opt Options) (bad int, err error) {
	if opt.Engine != "" {
		if _, err := sampling.ParseOrder(opt.Engine); err != nil {
			return 0, err
		}
	}
	in := bufio.NewReaderSize(r, 1<<16)
	out := bufio.NewWriterSize(w, 1<<16)
	t := runner{opt: opt}
	var line []byte
	for {
		line, err = readLine(in, line[:0])
		if len(bytes.TrimSpace(line)) > 0 {
			answer, ok := t.answer(line)
			if !ok {
				bad++
			}
			if _, werr := out.Write(answer); werr != nil {
				return bad, werr
			}
			// Whoever waits for an answer before the next case gets it.
			if in.Buffered() == 0 {
				if werr := out.Flush(); werr != nil {
					return bad, werr
				}
			}
		}
		if err != nil {
			break
		}
	}
	if ferr := out.Flush(); ferr != nil {
		return bad, ferr
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return bad, err
}

// readLine appends the next line to buf, of any length.
func readLine(in *bufio.Reader, buf []byte) ([]byte, error) {
	for {
		part, err := in.ReadSlice('\n')
		buf = append(buf, part...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return buf, err
		}
	}
}

// A runner holds what is reused from line to line.
type runner struct {
	opt     Options
	c       Case
	s, aux  sampling.Scratch
	t       sampling.Trace
	dist    dist.Dist
	warp    []float32
	order   []int32
	rank    []int32
	out     []byte
	last    plan
	lastKey []byte
}

// answer returns the line that answers a case, and whether it was one.
func (t *runner) answer(line []byte) ([]byte, bool) {
	t.out = t.out[:0]
	if out, ok, is := t.markLine(line); is {
		return out, ok
	}
	if err := t.read(line); err != nil {
		return t.problem(idOf(line), err), false
	}
	p, err := t.plan()
	var bad *settingsError
	if errors.As(err, &bad) {
		return t.problem(t.c.ID, err), false
	}
	if err != nil {
		return t.problem(t.c.ID, err), true
	}
	if err := t.checkIDs(p); err != nil {
		return t.problem(t.c.ID, err), true
	}
	if err := t.run(p); err != nil {
		return t.problem(t.c.ID, err), true
	}
	return t.out, true
}

// checkIDs refuses ids beyond the row where the engine does.
func (t *runner) checkIDs(p *plan) error {
	n := len(t.c.Logits.Values)
	for _, key := range p.rules.Cases.IDs {
		for _, id := range p.pipeline.Config().TokenIDs(key) {
			if id < 0 || int(id) >= n {
				return fmt.Errorf("%s: token %d is out of range, 0 to %d", key, id, n-1)
			}
		}
	}
	return nil
}

func (t *runner) read(line []byte) error {
	values, prompt, output := t.c.Logits.Values[:0], t.c.Prompt[:0], t.c.Output[:0]
	t.c = Case{Prompt: prompt, Output: output}
	t.c.Logits.Values = values
	if err := json.Unmarshal(line, &t.c); err != nil {
		return jsonProblem(err)
	}
	if t.c.Second != nil {
		if err := t.c.Second.generate(t.c.Vocab); err != nil {
			return fmt.Errorf("second_logits: %w", err)
		}
	}
	if err := t.c.Logits.generate(t.c.Vocab); err != nil {
		return err
	}
	n := len(t.c.Logits.Values)
	if n == 0 {
		return errors.New("logits: want an object" + logitsShape)
	}
	if t.c.Vocab != 0 && t.c.Vocab != n {
		return fmt.Errorf("vocab: %d, but the row has %d logits", t.c.Vocab, n)
	}
	return nil
}

// logitsShape is what an object of logits looks like.
const logitsShape = ` such as {"values":[2.5,-1,0.5]}`

func jsonProblem(err error) error {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		return fmt.Errorf("not a JSON object: %w", err)
	case errors.As(err, &kind):
		if kind.Field == "" {
			return fmt.Errorf("not a JSON object: want a case, not %s", article(kind.Value))
		}
		want := inWords(kind.Type)
		if kind.Type == reflect.TypeFor[Logits]() {
			want += logitsShape
		}
		return fmt.Errorf("%s: want %s, not %s", kind.Field, want, kind.Value)
	}
	return err
}

// inWords names what JSON must hold for a type.
func inWords(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Struct, reflect.Map:
		return "an object"
	case reflect.Slice, reflect.Array:
		return "a list"
	case reflect.String:
		return "a text"
	case reflect.Uint64:
		return "a whole number, 0 or more"
	case reflect.Int, reflect.Int32:
		return "a whole number"
	}
	return "a number"
}

// article puts an article before the name of a JSON type.
func article(kind string) string {
	if strings.HasPrefix(kind, "a") || strings.HasPrefix(kind, "o") {
		return "an " + kind
	}
	return "a " + kind
}

// idOf returns the id of a line that is not a case, as far as it can be read.
func idOf(line []byte) json.RawMessage {
	var c struct {
		ID json.RawMessage `json:"id"`
	}
	if json.Unmarshal(line, &c) == nil {
		return c.ID
	}
	// The object may be cut short after its id.
	d := json.NewDecoder(bytes.NewReader(line))
	if tok, err := d.Token(); err != nil || tok != json.Delim('{') {
		return nil
	}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return nil
		}
		var v json.RawMessage
		if d.Decode(&v) != nil {
			return nil
		}
		if key == "id" {
			return v
		}
	}
	return nil
}

// problem returns a line with an error. Where no token is left every logit is
// -inf, and a softmax of that is NaN.
func (t *runner) problem(id json.RawMessage, err error) []byte {
	t.begin(id)
	t.key("error")
	t.text(err.Error())
	if sampling.IsDeadEnd(err) {
		t.key("probs_nan")
		t.out = append(t.out, "true"...)
	}
	return t.end()
}

// run puts the case through its pipeline and writes the answer.
func (t *runner) run(p *plan) error {
	c := &t.c
	in := sampling.Input{Logits: c.Logits.Values, Prompt: c.Prompt, Output: c.Output}
	if c.Second != nil {
		in.Second = c.Second.Values
	}
	_, err := p.pipeline.Sample(&t.t, &t.s, in)
	var invalid *sampling.InvalidLogitsError
	if errors.As(err, &invalid) && !p.rules.Cases.NaN {
		t.begin(c.ID)
		t.stagesOfNaN(p)
		t.key("probs_nan")
		t.out = append(t.out, "true"...)
		if p.dense() && len(p.pipeline.StageNames()) == 0 && len(in.Logits) <= 64 {
			t.logits(in.Logits) // no stage touched them
		}
		t.out = t.end()
		return nil
	}
	if err != nil {
		return err
	}
	state := t.t.State
	t.begin(c.ID)
	t.stages(p)
	greedy := t.t.Greedy && p.pipeline.Greedy()
	if greedy {
		t.key("greedy")
		t.out = append(t.out, "true"...)
	}
	token := t.t.Token
	if p.dense() {
		if err := t.processed(p, in, greedy); err != nil {
			return err
		}
	} else {
		t.arrayOrder(greedy)
	}
	t.s.Final(&t.dist)
	if greedy && p.dense() && c.Engine != "" {
		// An engine's own case describes the processed row; a case for all
		// engines, the choice.
		t.rowDist()
	}
	if p.dense() || greedy {
		t.key("argmax")
		switch {
		case greedy:
			t.int(int(token))
		case p.rules.Cases.BestFirst:
			// It takes the best token before any cut.
			if err := p.pipeline.Process(t.row(len(in.Logits)), &t.aux, in); err != nil {
				return err
			}
			t.int(argmax(t.warp))
		default:
			t.int(int(t.dist.IDs[0]))
		}
	}
	t.survivors()
	t.effective(p)
	t.notSupported(p)
	if !p.dense() {
		return t.draws(p, in, token, state)
	}
	t.out = t.end()
	return nil
}
