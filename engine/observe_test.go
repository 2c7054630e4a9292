package engine

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"logitscope/engine/enginetest"
	"logitscope/models"
)

// chatServer is a server that writes a fixed text by itself.
type chatServer struct {
	models.Model
	tokens []int32
	reason string
	err    error
	asked  *models.ObserveRequest
	sent   int
}

func (c *chatServer) Info() models.Info {
	return models.Info{Name: "chat", VocabSize: len(words), Caps: models.Caps{ObserveOnly: true, TextOnly: true, TopN: 3}}
}

func (c *chatServer) NewSession() (models.Session, error) { return nil, models.ErrNotSupported }

func (c *chatServer) Observe(ctx context.Context, req models.ObserveRequest, yield func(models.Observation) error) (string, error) {
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
		m := &chatServer{Model: toy(t, 500, never), tokens: []int32{2, 1, 3, 2, 1, 1, 3, 2}, reason: "stop"}
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
		m := &chatServer{Model: toy(t, 500, never), tokens: []int32{2, 1}, err: errors.New("gone")}
		do := begin(t, NewLane(0, m, Options{}))
		do(Start{Text: "x", Settings: settings(t, m)})
		v := do(Advance{-1})
		if v.Phase != Failed || len(v.Steps) != 2 {
			t.Errorf("%v with %d steps: %v", v.Phase, len(v.Steps), v.Err)
		}
	})
}

// A what-if on a watched token keeps the token, since the choice was the
// server's.
func TestObservedWhatIf(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &chatServer{Model: toy(t, 500, never), tokens: []int32{2, 1, 3, 2}, reason: "stop"}
		do := begin(t, NewLane(0, m, Options{}))
		do(Start{Text: "x", Settings: settings(t, m)})
		v := do(Advance{3})
		s, err := v.Retrace(2, settings(t, m, "top_k", 1))
		if err != nil || s.Token != 3 || !s.Observed || s.Trace.Survived != 1 || s.Trace.Token != 3 || s.Summary.RawLogprob != -1.5 {
			t.Errorf("%+v: %v", s, err)
		}
	})
}

// Commands that need to choose tokens leave a watched text alone.
func TestWatchedTextsCannotBeSteered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &chatServer{Model: toy(t, 500, never), tokens: []int32{2, 1, 3, 2}, reason: "length"}
		l := NewLane(0, m, Options{LogitsBudget: 1})
		to := NewLane(1, m, Options{})
		do, doTo := begin(t, l), begin(t, to)
		do(Start{Text: "x", Settings: settings(t, m)})
		v := do(Advance{3})
		v = do(Rewind{1}, Force{1}, Look{1}, Fork{To: to, Len: 2, Settings: v.Settings})
		if v.Err != nil || len(v.Steps) != 3 || v.Beam != nil {
			t.Errorf("%v, %d steps: %v", v.Phase, len(v.Steps), v.Err)
		}
		if w := doTo(Advance{-1}); w.Phase != Done || w.Reason != Length || len(w.Steps) != 4 {
			t.Errorf("the fork: %v %q with %d steps: %v", w.Phase, w.Reason, len(w.Steps), w.Err)
		}
		w := doTo(Adopt{Text: "x", Steps: v.Steps[:2], Settings: v.Settings}, Advance{-1})
		if w.Phase != Done || w.Reason != Interrupted || len(w.Steps) != 2 {
			t.Errorf("another text: %v %q with %d steps: %v", w.Phase, w.Reason, len(w.Steps), w.Err)
		}
		if v = do(Advance{-1}); v.Phase != Done || v.Reason != Length || len(v.Steps) != 4 {
			t.Errorf("%v %q with %d steps: %v", v.Phase, v.Reason, len(v.Steps), v.Err)
		}
	})
}

// Settings that would have to choose the tokens are refused.
func TestObserveRefusesStrategies(t *testing.T) {
	m := &chatServer{Model: toy(t, 500, never)}
	for key, v := range map[string]any{"num_beams": 3, "penalty_alpha": 0.6, "constraint": `{"type":"regex","regex":"a+"}`} {
		if _, err := NewCompiler(m).Settings(enginetest.Config(t, key, v), ""); err == nil || !strings.HasPrefix(err.Error(), key) {
			t.Errorf("%s: %v", key, err)
		}
	}
}

// A limit of ours ends the text, and the server is not listened to any longer.
func TestObserveStopsListening(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &chatServer{Model: toy(t, 500, never), tokens: []int32{2, 1, 3, 2, 1, 1, 1, 1}, reason: "stop"}
		do := begin(t, NewLane(0, m, Options{}))
		v := do(Start{Text: "x", Settings: settings(t, m, "stop", []any{words[3]})}, Advance{-1})
		if v.Phase != Done || v.Reason != Stop || len(v.Steps) != 3 || m.sent > 6 {
			t.Errorf("%v %q with %d steps, %d sent: %v", v.Phase, v.Reason, len(v.Steps), m.sent, v.Err)
		}
	})
}

// A server that failed before its first token is asked again; after it there
// is nothing to go on with.
func TestObserveIsTriedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &chatServer{Model: toy(t, 500, never), err: temporary{errors.New("no answer")}}
		do := begin(t, NewLane(0, m, Options{}))
		if v := do(Start{Text: "x", Settings: settings(t, m)}); v.Phase != Failed {
			t.Fatalf("%v: %v", v.Phase, v.Err)
		}
		m.tokens, m.err, m.reason = []int32{1, 2}, nil, "stop"
		if v := do(Advance{-1}); v.Phase != Done || len(v.Steps) != 2 {
			t.Errorf("%v with %d steps: %v", v.Phase, len(v.Steps), v.Err)
		}
		m.err = temporary{errors.New("no answer")}
		do(Start{Text: "x", Settings: settings(t, m)}, Advance{-1})
		if v := do(Advance{-1}); v.Phase != Failed || len(v.Steps) != 2 {
			t.Errorf("%v with %d steps: %v", v.Phase, len(v.Steps), v.Err)
		}
	})
}

// A conversation goes to the server turn by turn; a text is the user's turn.
func TestObserveTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &chatServer{Model: toy(t, 500, never), tokens: []int32{2, 1}, reason: "stop"}
		do := begin(t, NewLane(0, m, Options{}))
		turns := []models.Message{{Role: "system", Content: "Be kind."}, {Role: "user", Content: "Hi"}}
		do(Start{Text: "shown", Turns: turns, Settings: settings(t, m)})
		if !slices.Equal(m.asked.Messages, turns) {
			t.Errorf("the server was sent %v, want %v", m.asked.Messages, turns)
		}
		do(Start{Text: "hello", Settings: settings(t, m)})
		if want := []models.Message{{Role: "user", Content: "hello"}}; !slices.Equal(m.asked.Messages, want) {
			t.Errorf("the server was sent %v, want %v", m.asked.Messages, want)
		}
	})
}
