package sweep

import (
	"context"
	"errors"
	"math"
	"sync"

	"logitscope/engine"
	"logitscope/engine/record"
	"logitscope/models"
	"logitscope/sampling/constrain"
)

// chunk is how many tokens a model is given at once, so that an interruption
// is noticed in between.
const chunk = 128

// A prompt is the text all cells go on from, read once.
type prompt struct {
	model  models.Model
	tokens []int32
	logits []float32 // what the model gives after it, for the fingerprint

	mu   sync.Mutex
	sess models.Session
}

// readPrompt runs m over tokens.
func readPrompt(ctx context.Context, m models.Model, tokens []int32) (*prompt, error) {
	sess, err := m.NewSession()
	if err != nil {
		return nil, err
	}
	p := &prompt{model: m, tokens: tokens, sess: sess}
	for from := 0; from < len(tokens); from += chunk {
		to, want := min(from+chunk, len(tokens)), 0
		if to == len(tokens) {
			want = 1
		}
		rows, err := sess.Forward(ctx, tokens[from:to], want)
		if err != nil {
			sess.Close()
			return nil, err
		}
		if want == 1 {
			p.logits = append(p.logits, rows[0].Values...)
		}
	}
	return p, nil
}

func (p *prompt) close() { p.sess.Close() }

// options returns what a lane starts from: a copy of the prompt's cache where
// the model can make one.
func (p *prompt) options(d engine.Draft) (engine.Options, error) {
	opt := engine.Options{Draft: d, LogitsBudget: 1, TraceWindow: 1}
	f, ok := p.sess.(models.Forker)
	if !ok {
		return opt, nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	sess, err := f.Fork()
	opt.Session, opt.Cached = sess, append([]int32(nil), p.tokens...)
	return opt, err
}

// write decodes one text under s.
func (p *prompt) write(ctx context.Context, s *engine.Settings, d engine.Draft, text string) (Text, error) {
	out := Text{Seed: s.Config().Uint("seed")}
	opt, err := p.options(d)
	if err != nil {
		return out, err
	}
	inner, cancel := context.WithCancel(ctx)
	defer cancel()
	lane := engine.NewLane(0, p.model, opt)
	lane.Post(engine.Adopt{Text: text, Prompt: p.tokens, Settings: s})
	lane.Post(engine.Advance{N: -1})
	done := make(chan error, 1)
	go func() { done <- lane.Run(inner) }()
	var last engine.View
	for v := range lane.Views() {
		if last = v; v.Phase == engine.Done || v.Phase == engine.Failed {
			cancel()
		}
	}
	if err := <-done; err != nil {
		return out, err
	}
	if ctx.Err() != nil {
		return out, ctx.Err()
	}
	return p.record(ctx, out, last)
}

// record fills in what v wrote.
func (p *prompt) record(ctx context.Context, out Text, v engine.View) (Text, error) {
	end := record.NewEnd(v, false)
	out.Reason, out.Text, out.Error = end.Reason, end.Text, end.Error
	out.Tokens = []int32{}
	var logprob float64
	switch {
	case v.Beam != nil:
		if r := v.Beam.Result(); len(r) > 0 {
			out.Tokens = r[0].Tokens()
			out.Text = record.Printable(engine.TextOf(p.model.Vocab(), v.Settings, out.Tokens))
		}
	case v.Contrastive != nil:
		for _, s := range v.Steps {
			out.Tokens = append(out.Tokens, s.Token)
		}
	default:
		for _, s := range v.Steps {
			out.Tokens = append(out.Tokens, s.Token)
			logprob += float64(s.Summary.RawLogprob)
		}
	}
	if v.Beam != nil || v.Contrastive != nil {
		var err error
		if logprob, err = p.score(ctx, out.Tokens); err != nil {
			return out, err
		}
	}
	if !math.IsInf(logprob, 0) && !math.IsNaN(logprob) {
		out.Logprob = &logprob
	}
	return out, nil
}

// score returns the log-probability of output after the prompt under the raw
// model, for searches, whose own scores count other things as well.
func (p *prompt) score(ctx context.Context, output []int32) (float64, error) {
	opt, err := p.options(engine.Draft{})
	if err != nil {
		return 0, err
	}
	sess := opt.Session
	if sess == nil {
		if sess, err = p.model.NewSession(); err != nil {
			return 0, err
		}
	}
	defer sess.Close()
	all := append(append([]int32(nil), p.tokens...), output...)
	first := len(p.tokens) - 1 // the position whose logits are for output[0]
	sess.Truncate(min(sess.Len(), first))
	sum := 0.0
	for sess.Len() < len(all)-1 {
		from := sess.Len()
		to := min(from+chunk, len(all)-1)
		if from < first {
			to = min(to, first)
		}
		want := max(0, to-max(from, first))
		rows, err := sess.Forward(ctx, all[from:to], want)
		if err != nil {
			return 0, err
		}
		for i, r := range rows {
			sum += logprob(r, all[to-want+i+1])
		}
	}
	return sum, nil
}

// logprob returns the natural logarithm of the probability of token id in a
// row, -Inf if the row does not name it.
func logprob(r models.Logits, id int32) float64 {
	at, hi := -1, math.Inf(-1)
	for i, v := range r.Values {
		hi = max(hi, float64(v))
		if r.IDs != nil && r.IDs[i] == id || r.IDs == nil && int32(i) == id {
			at = i
		}
	}
	if at < 0 {
		return math.Inf(-1)
	}
	sum := 0.0
	for _, v := range r.Values {
		sum += math.Exp(float64(v) - hi)
	}
	return float64(r.Values[at]) - hi - math.Log(sum) + math.Log1p(-float64(r.Rest))
}

// fits returns a check of whole texts against a constraint as a configuration
// stores it, nil if there is none.
func fits(source string) (func(text string) bool, error) {
	if source == "" {
		return nil, nil
	}
	g, err := constrain.CompileText(source, true)
	if err != nil {
		return nil, err
	}
	return func(text string) bool {
		ok, _ := g.Check([]byte(text))
		return ok
	}, nil
}

var errNoPrompt = errors.New("a sweep needs a prompt")
