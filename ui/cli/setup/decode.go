package setup

import (
	"context"
	"fmt"
	"io"

	"logitscope/engine"
	"logitscope/engine/record"
	"logitscope/models/chat"
)

// Batch is how many tokens a headless run asks its lane for at a time: enough
// to keep it busy, few enough that no step is old before it is written.
const Batch = 256

// A Sink takes the views of a headless run as they come.
type Sink interface {
	Begin() error
	View(v engine.View) error // may see a step several times, and always all before it
	End(v engine.View) error
}

// Background runs f until stop, whatever becomes of ctx: the end of a run is
// still to be written then. After stop nothing uses the models any more, so
// that they may be closed, unless ctx has ended: a mask that takes long to find
// keeps nobody waiting. wait waits for f and returns its error.
func Background(ctx context.Context, f func(context.Context) error) (wait func() error, stop func()) {
	inner, cancel := context.WithCancel(context.WithoutCancel(ctx))
	done := make(chan struct{})
	var err error
	go func() {
		defer close(done)
		err = f(inner)
	}()
	wait = func() error { <-done; return err }
	return wait, func() {
		cancel()
		select {
		case <-done:
		case <-ctx.Done():
		}
	}
}

// finish writes the end of a run and turns a failure into the exit code.
func finish(out Sink, v engine.View, tell func(engine.View)) error {
	if err := out.End(v); err != nil {
		return err
	}
	if tell != nil {
		tell(v)
	}
	if v.Phase == engine.Failed {
		return v.Err
	}
	return unfinished(v)
}

// cutShort says why a text can have ended before its constraint was met.
var cutShort = map[engine.Reason]string{
	engine.Length:      "max_new_tokens was too small",
	engine.ContextFull: "the context was too small",
	engine.Repetition:  "it repeated itself",
}

// unfinished is an error for a text that ended before its constraint was met:
// a beginning can look like the whole, as 12 does of 1234.
func unfinished(v engine.View) error {
	why, ok := cutShort[v.Reason]
	if v.Phase != engine.Done || !ok {
		return nil
	}
	if n, unmet := v.Unmet(); unmet {
		return fmt.Errorf("the text does not meet its constraint: %s (bytes missing: %d)", why, n)
	}
	return nil
}

// A jsonSink writes the lines of a run.
type jsonSink struct {
	w   *record.Writer
	job *Job
}

// NewJSONSink returns a sink that writes a run as lines of JSON.
func NewJSONSink(w io.Writer, j *Job, opt record.Options) Sink {
	if j.Talk != nil {
		opt.Messages = func(string) []chat.Message { return j.Talk.Messages }
	}
	return &jsonSink{record.NewWriter(w, j.Model, opt), j}
}

func (k *jsonSink) Begin() error { return k.w.Begin(k.job.Text, k.job.Prompt, k.job.Settings) }

func (k *jsonSink) View(v engine.View) error { return k.w.View(v) }

// Mark keeps words at a position of the text.
func (k *jsonSink) Mark(pos int, text string) error { return k.w.Marks(map[int]string{pos: text}) }

func (k *jsonSink) End(v engine.View) error { return k.w.End(v) }

// sinks are several sinks as one.
type sinks []Sink

func (all sinks) Begin() error { return all.each(Sink.Begin) }

func (all sinks) View(v engine.View) error {
	return all.each(func(s Sink) error { return s.View(v) })
}

// Mark gives a mark to those that keep marks.
func (all sinks) Mark(pos int, text string) error {
	return all.each(func(s Sink) error {
		if m, ok := s.(Marker); ok {
			return m.Mark(pos, text)
		}
		return nil
	})
}

func (all sinks) End(v engine.View) error {
	return all.each(func(s Sink) error { return s.End(v) })
}

func (all sinks) each(f func(Sink) error) error {
	for _, s := range all {
		if err := f(s); err != nil {
			return err
		}
	}
	return nil
}
