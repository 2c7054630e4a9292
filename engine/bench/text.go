package bench

import (
	"context"
	"math"
	"sync"
	"time"

	"logitscope/engine"
	"logitscope/engine/check"
	"logitscope/engine/record"
	"logitscope/models"
	"logitscope/models/chat"
	"logitscope/sampling/constrain"
)

// A Text is what one seed wrote.
type Text struct {
	Seed   uint64  `json:"seed"`
	Reason string  `json:"reason"` // why it ended, in the words of the records
	Tokens []int32 `json:"tokens"` // the token that ended it included
	Text   string  `json:"text"`   // valid UTF-8

	// Logprob is the natural logarithm of the text's probability under the
	// raw model: before all settings, given the prompt. -Inf is kept as nil.
	Logprob *float64 `json:"logprob"`
	Entropy float64  `json:"entropy_bits"` // mean of the raw distributions; 0 where they are not known: of a search, of a server's partial rows

	Prompted int `json:"prompt_tokens"` // tokens of the prompt

	Unfit bool   `json:"unfit,omitempty"` // the whole text is not what the constraint asks for
	Error string `json:"error,omitempty"` // why decoding failed, with the step; empty if it did not

	Judged   bool            `json:"judged,omitempty"`   // whether there were checks
	Failed   []check.Failure `json:"failed,omitempty"`   // those it does not pass
	Unjudged string          `json:"unjudged,omitempty"` // why it could not be judged

	// Times differ from run to run, so what must not is written without them.
	FirstMS float64 `json:"first_ms,omitempty"`     // to the first token, the prompt included
	Rate    float64 `json:"tokens_per_s,omitempty"` // after the first token
}

// Pass reports whether the text passes all checks.
func (t *Text) Pass() bool { return t.Judged && len(t.Failed) == 0 && t.Error == "" }

// Bits returns the mean surprise of a token under the raw model, +Inf for a
// text that it cannot write; false without tokens.
func (t *Text) Bits() (float64, bool) {
	switch {
	case len(t.Tokens) == 0:
		return 0, false
	case t.Logprob == nil:
		return math.Inf(1), true
	}
	return -*t.Logprob / math.Ln2 / float64(len(t.Tokens)), true
}

// output returns the tokens without the one that ended the text.
func (t *Text) output() []int32 {
	if t.Reason == string(engine.EOS) && len(t.Tokens) > 0 {
		return t.Tokens[:len(t.Tokens)-1]
	}
	return t.Tokens
}

// subject is what checks see of the text.
func (t *Text) subject() check.Subject {
	s := check.Subject{Text: t.Text, Tokens: t.output(), Count: len(t.output()), Reason: t.Reason}
	if bits, ok := t.Bits(); ok {
		s.Bits = &bits
	}
	return s
}

// chunk is how many tokens a model is given at once, so that an interruption
// is noticed in between.
const chunk = 128

// An opened prompt is one that a backend goes on from. What the model computes
// for it is computed once, when the first text needs it, and copied for each
// text where the model can.
type opened struct {
	backend *Backend
	read    func(context.Context) (chat.Prompt, error)

	once   sync.Once
	err    error
	prompt chat.Prompt

	mu   sync.Mutex
	sess models.Session // after the prompt; nil where it cannot be copied
	took time.Duration  // for the prompt
	refs int
}

// prefill reads the prompt, and runs the model over it where that can serve
// several texts.
func (o *opened) prefill(ctx context.Context) error {
	o.once.Do(func() {
		if o.prompt, o.err = o.read(ctx); o.err != nil {
			return
		}
		sess, err := o.backend.Model.NewSession()
		if err != nil {
			o.err = err
			return
		}
		if _, ok := sess.(models.Forker); !ok {
			sess.Close()
			return
		}
		began := time.Now()
		for from := 0; from < len(o.prompt.Tokens) && err == nil; from += chunk {
			_, err = sess.Forward(ctx, o.prompt.Tokens[from:min(from+chunk, len(o.prompt.Tokens))], 0)
		}
		if err != nil {
			sess.Close()
			o.err = err
			return
		}
		o.mu.Lock()
		o.sess, o.took = sess, time.Since(began)
		o.mu.Unlock()
	})
	return o.err
}

// ends are what ends the model's turn in a conversation. What is wrong with
// the prompt is said by who reads it.
func (o *opened) ends(ctx context.Context) chat.Ends {
	if o.prefill(ctx) != nil {
		return chat.Ends{}
	}
	return o.prompt.Ends
}

func (o *opened) retain() *opened {
	o.mu.Lock()
	o.refs++
	o.mu.Unlock()
	return o
}

// release closes the session once nobody needs it.
func (o *opened) release() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.refs--; o.refs == 0 && o.sess != nil {
		o.sess.Close()
		o.sess = nil
	}
}

// options returns what a lane starts from: a copy of the prompt's cache where
// the model can make one.
func (o *opened) options(d engine.Draft) (engine.Options, error) {
	opt := engine.Options{Draft: d, LogitsBudget: 1, TraceWindow: 1}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.sess == nil {
		return opt, nil
	}
	sess, err := o.sess.(models.Forker).Fork()
	opt.Session, opt.Cached = sess, append([]int32(nil), o.prompt.Tokens...)
	return opt, err
}

// write decodes one text under s.
func (o *opened) write(ctx context.Context, s *engine.Settings) (Text, error) {
	out := Text{Seed: s.Config().Uint("seed")}
	if err := o.prefill(ctx); err != nil {
		return out, err
	}
	out.Prompted = len(o.prompt.Tokens)
	opt, err := o.options(o.backend.Draft)
	if err != nil {
		return out, err
	}
	inner, cancel := context.WithCancel(ctx)
	defer cancel()
	lane := engine.NewLane(0, o.backend.Model, opt)
	lane.Post(engine.Adopt{Text: o.prompt.Text, Prompt: o.prompt.Tokens, Settings: s})
	lane.Post(engine.Advance{N: -1})
	began := time.Now()
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
	out.FirstMS = (o.took + last.Prefill.Took).Seconds() * 1e3
	took, written := last.Decode.Took, last.Decode.Done
	if took <= 0 || written == 0 { // a search times nothing by itself
		took, written = time.Since(began), len(last.Steps)
	}
	if written > 0 {
		out.Rate = float64(written) / took.Seconds()
	}
	return o.record(ctx, out, last)
}

// unnamed is how much probability rows may leave to tokens they do not name and
// still have an entropy: it is then off by less than 0.003 bits.
const unnamed = 1e-4

// record fills in what v wrote.
func (o *opened) record(ctx context.Context, out Text, v engine.View) (Text, error) {
	end := record.NewEnd(v, false)
	out.Reason, out.Text, out.Error = end.Reason, end.Text, end.Error
	out.Tokens = []int32{}
	var logprob float64
	switch {
	case v.Beam != nil:
		if r := v.Beam.Result(); len(r) > 0 {
			out.Tokens = r[0].Tokens()
			out.Text = record.Printable(engine.TextOf(o.backend.Model.Vocab(), v.Settings, out.Tokens))
		}
	case v.Contrastive != nil:
		for _, s := range v.Steps {
			out.Tokens = append(out.Tokens, s.Token)
		}
	default:
		whole := true
		for _, s := range v.Steps {
			out.Tokens = append(out.Tokens, s.Token)
			logprob += float64(s.Summary.RawLogprob)
			out.Entropy += float64(s.Summary.RawBits) / float64(len(v.Steps))
			whole = whole && s.Summary.Rest <= unnamed
		}
		if !whole {
			out.Entropy = 0
		}
	}
	if v.Beam != nil || v.Contrastive != nil {
		var err error
		if logprob, err = o.score(ctx, out.Tokens); err != nil {
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
func (o *opened) score(ctx context.Context, output []int32) (float64, error) {
	opt, err := o.options(engine.Draft{})
	if err != nil {
		return 0, err
	}
	sess := opt.Session
	if sess == nil {
		if sess, err = o.backend.Model.NewSession(); err != nil {
			return 0, err
		}
	}
	defer sess.Close()
	all := append(append([]int32(nil), o.prompt.Tokens...), output...)
	first := len(o.prompt.Tokens) - 1 // the position whose logits are for output[0]
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
