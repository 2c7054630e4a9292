package engine

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"
	"testing/synctest"

	"logitscope/models"
)

// chat is a server that writes a fixed text by itself.
type chat struct {
	models.Model
	tokens []int32
	reason string
	err    error
	asked  *models.ObserveRequest
	sent   int
}

func (c *chat) Info() models.Info {
	return models.Info{Name: "chat", VocabSize: len(words), Caps: models.Caps{ObserveOnly: true, TextOnly: true, TopN: 3}}
}

func (c *chat) NewSession() (models.Session, error) { return nil, models.ErrNotSupported }

func (c *chat) Observe(ctx context.Context, req models.ObserveRequest, yield func(models.Observation) error) (string, error) {
	c.asked = &req
	row := []float32{-0.5, -1.5, -3}
	for _, id := range c.tokens {
		ids := []int32{1, 2, 3}
		rest := 1.0
		for _, v := range row {
			rest -= math.Exp(float64(v))
		}
		c.sent++
		if err := yield(models.Observation{Token: id, Logits: models.Logits{IDs: ids, Values: row, Rest: float32(rest)}, Logprob: -1.5}); err != nil {
			return "", err
		}
	}
	return c.reason, c.err
}

func TestObserve(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &chat{Model: toy(t, 500, never), tokens: []int32{2, 1, 3, 2, 1, 1, 3, 2}, reason: "stop"}
		do := begin(t, NewLane(0, m, Options{}))
		v := do(Start{Text: "hello", Settings: settings(t, m, "temperature", 0.5, "top_p", 0.9)})
		if v.Phase != Paused || v.Next == nil || v.Next.Token != 2 || !v.Next.Observed {
			t.Fatalf("%v, next %+v: %v", v.Phase, v.Next, v.Err)
		}
		if m.asked.Messages[0].Content != "hello" || m.asked.Params["temperature"] != 0.5 {
			t.Errorf("asked %+v", m.asked)
		}
		// Other settings change the what-if, not the server's choice.
		v = do(Tune{settings(t, m, "top_k", 1)})
		if v.Next.Token != 2 || v.Next.Trace.Survived != 1 || v.Next.Summary.RawLogprob != -1.5 {
			t.Errorf("after top_k 1: token %d, %d survive, %v", v.Next.Token, v.Next.Trace.Survived, v.Next.Summary)
		}
		// While it is paused the server is not drained.
		if v = do(Advance{2}); len(v.Steps) != 2 || m.sent > 5 {
			t.Errorf("%d steps, the server sent %d", len(v.Steps), m.sent)
		}
		if v = do(Force{1}); len(v.Steps) != 2 {
			t.Error("a token was forced on a server")
		}
		v = do(Advance{-1})
		if v.Phase != Done || v.Reason != EOS || !slices.Equal(written(v), m.tokens) {
			t.Errorf("%v %q %v", v.Phase, v.Reason, written(v))
		}
	})
}

func TestObserveFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &chat{Model: toy(t, 500, never), tokens: []int32{2, 1}, err: errors.New("gone")}
		do := begin(t, NewLane(0, m, Options{}))
		do(Start{Text: "x", Settings: settings(t, m)})
		v := do(Advance{-1})
		if v.Phase != Failed || len(v.Steps) != 2 {
			t.Errorf("%v with %d steps: %v", v.Phase, len(v.Steps), v.Err)
		}
	})
}
