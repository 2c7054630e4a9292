package structure

import (
	"context"
	"errors"
	"testing"

	"logitscope/engine"
	"logitscope/models"
	"logitscope/ui/tui/kit"
	"logitscope/ui/tui/run"
)

// A weighty model has too many weights to write texts without being asked.
type weighty struct{ models.Model }

func (weighty) Info() models.Info { return models.Info{Params: 8e9} }

type hostOf struct {
	kit.Host
	lane *run.Lane
}

func (h hostOf) Lane() *run.Lane { return h.lane }

// Texts under templates are written for one model, prompt and settings: once
// those have changed the rest is not written, and what comes late is dropped.
func TestBitesAreLeft(t *testing.T) {
	for name, change := range map[string]func(l *run.Lane){
		"model":    func(l *run.Lane) { l.Model = &weighty{} },
		"prompt":   func(l *run.Lane) { l.Prompt = []int32{4} },
		"settings": func(l *run.Lane) { l.Config = l.Config.MustWith("top_k", 5, 0) },
		"view":     nil,
	} {
		lanes := run.New(t.Context(), nil, engine.Draft{}, 0, false)
		l := &run.Lane{Model: &weighty{}, Prompt: []int32{1, 2, 3}}
		v := &View{lanes: lanes, texts: new(Texts)}
		b := &v.texts.bites
		if b.start(lanes, l) == nil {
			t.Fatal("nothing is written")
		}
		under := b.ctx
		late := b.job.Start(0, run.Work(lanes.Background, func() (engine.Spending, error) { return engine.Spending{Bits: 1}, nil }))()
		if v.weigh(hostOf{lane: l}, false); !b.current(l) || under.Err() != nil {
			t.Fatal("stopped while they are wanted")
		}
		if change == nil {
			v.Leave(nil)
		} else {
			change(l)
			v.weigh(hostOf{lane: l}, false)
		}
		if b.current(l) != (change == nil) || !errors.Is(under.Err(), context.Canceled) {
			t.Errorf("another %s: they go on", name)
		}
		if long, _ := v.biteWords(l, 1); long != "v writes a text under it" {
			t.Errorf("another %s: they seem to be written: %q", name, long)
		}
		if b.take(late) != nil {
			t.Errorf("another %s: the next is written", name)
		}
		if v.weigh(hostOf{lane: l}, true) == nil || b.stop == nil {
			t.Errorf("another %s: v writes none", name)
		}
	}
}
