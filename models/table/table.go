// Package table answers: what does a model say whose every row is written down?
// It is a language model given as a table of logits: order 1 (the next token
// depends on the last one) or order 2 (on the last two). It is small enough to
// check by hand and exact, which lessons and tests want.
//
// A file is one JSON object:
//
//	{"kind":"markov1", "vocab":["<eos>","a","b"], "eos_id":0,
//	 "logits":[[0.1,2,1],[1,0,3],[2,1,0]]}
//
// For markov1, logits[prev][next]; for markov2, logits[prev2][prev][next],
// where a missing previous token counts as bos_id. A logit of null is minus
// infinity. Optional fields: note, pad_id, bos_id, unk_id, eos_id (an id or a
// list), context (the most tokens a session holds), and emb (a vector for
// each token), which gives the model hidden states:
// hidden(t) = emb[token t] + 0.5*emb[token t-1].
//
// A file may hold several tables over one vocabulary in place of logits:
// "pairs":{"NAME":{"target":[[…]],"draft":[[…]]}}; "FILE#NAME/target" names
// one of them.
package table

import (
	"context"
	"fmt"

	"logitscope/models"
)

// Model is a table of logits. It is immutable and safe for concurrent use.
type Model struct {
	info  models.Info
	vocab *Vocab
	order int   // 1 or 2 previous tokens decide the next
	start int32 // stands for the token before the first; NoToken where no row needs it

	logits []float32 // (V^order, V)
	hidden []float32 // (V, dim) embeddings, or nil
	dim    int
}

var (
	_ models.Model        = (*Model)(nil)
	_ models.Batcher      = (*Model)(nil)
	_ models.Forker       = (*session)(nil)
	_ models.Forker       = (*hiddenSession)(nil)
	_ models.HiddenStater = (*hiddenSession)(nil)
)

// Info describes the table; Params counts its logits and embeddings.
func (m *Model) Info() models.Info { return m.info }

// Vocab returns the file's vocabulary, a [*Vocab].
func (m *Model) Vocab() models.Vocab { return m.vocab }

// Close does nothing: a table holds no resource but memory.
func (m *Model) Close() error { return nil }

// NewSession returns an empty session. It is a [models.Forker], and a
// [models.HiddenStater] if the file has embeddings.
func (m *Model) NewSession() (models.Session, error) {
	return m.wrap(&session{model: m}), nil
}

// wrap gives a session the abilities that its model has data for.
func (m *Model) wrap(s *session) models.Session {
	if m.hidden == nil {
		return s
	}
	return &hiddenSession{session: s}
}

// row returns the logits after prev2, prev1, length V. It aliases the table.
func (m *Model) row(prev2, prev1 int32) []float32 {
	v := m.vocab.Size()
	at := int(prev1)
	if m.order == 2 {
		at += int(prev2) * v
	}
	return m.logits[at*v : (at+1)*v : (at+1)*v]
}

// ForwardBatch appends tokens[i] to sessions[i]. The sessions must come from
// this model.
func (m *Model) ForwardBatch(ctx context.Context, sessions []models.Session, tokens []int32) ([]models.Logits, error) {
	if len(sessions) != len(tokens) {
		panic("table: ForwardBatch needs one token for each session")
	}
	// Everything that can fail is looked at before anything changes.
	own := make([]*session, len(sessions))
	for i, s := range sessions {
		if h, ok := s.(*hiddenSession); ok {
			own[i] = h.session
		} else {
			own[i], _ = s.(*session)
		}
		if own[i] == nil || own[i].model != m {
			return nil, fmt.Errorf("table: session %d belongs to another model", i)
		}
		if err := own[i].check(tokens[i : i+1]); err != nil {
			return nil, err
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	out := make([]models.Logits, len(sessions))
	for i, s := range own {
		l, err := s.Forward(context.WithoutCancel(ctx), tokens[i:i+1], 1)
		if err != nil {
			return nil, err
		}
		out[i] = l[0]
	}
	return out, nil
}

// session is one sequence. Its "cache" is the tokens themselves.
type session struct {
	model  *Model
	tokens []int32
	out    []models.Logits
	want   int // positions that the last Forward reported
}

func (s *session) Len() int     { return len(s.tokens) }
func (s *session) Close() error { return nil }

func (s *session) check(tokens []int32) error {
	if len(s.tokens)+len(tokens) > s.model.info.ContextLen {
		return fmt.Errorf("table: %d tokens and %d more do not fit %d: %w",
			len(s.tokens), len(tokens), s.model.info.ContextLen, models.ErrContextFull)
	}
	for i, t := range tokens {
		if t < 0 || int(t) >= s.model.vocab.Size() {
			return fmt.Errorf("table: token %d of the input is %d, want 0 to %d", i, t, s.model.vocab.Size()-1)
		}
	}
	return nil
}

// Forward returns rows of the table itself.
func (s *session) Forward(ctx context.Context, tokens []int32, want int) ([]models.Logits, error) {
	if len(tokens) == 0 || want < 0 || want > len(tokens) {
		panic("table: Forward needs tokens, and want between 0 and their number")
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := s.check(tokens); err != nil {
		return nil, err
	}
	s.tokens = append(s.tokens, tokens...)
	s.want = want
	s.out = s.out[:0]
	for i := len(s.tokens) - want; i < len(s.tokens); i++ {
		s.out = append(s.out, models.Logits{Values: s.model.row(s.before(i), s.tokens[i])})
	}
	return s.out, nil
}

// before returns the token before position i.
func (s *session) before(i int) int32 {
	if i == 0 {
		return s.model.start
	}
	return s.tokens[i-1]
}

func (s *session) Truncate(n int) {
	if n < 0 || n > len(s.tokens) {
		panic(fmt.Sprintf("table: Truncate(%d) of a session of %d tokens", n, len(s.tokens)))
	}
	s.tokens = s.tokens[:n]
}

func (s *session) copy() *session {
	return &session{model: s.model, tokens: append([]int32(nil), s.tokens...)}
}

// Fork copies the tokens.
func (s *session) Fork() (models.Session, error) { return s.copy(), nil }

// KVBytes returns the bytes of the tokens remembered: a table has no keys or
// values to cache.
func (s *session) KVBytes() (now, full int64) {
	return int64(len(s.tokens)) * 4, int64(s.model.info.ContextLen) * 4
}

// hiddenSession is a session of a table that has embeddings.
type hiddenSession struct {
	*session
	buf []float32
}

func (s *hiddenSession) Fork() (models.Session, error) {
	return &hiddenSession{session: s.copy()}, nil
}

// Hidden returns emb[token] + 0.5*emb[token before].
func (s *hiddenSession) Hidden(i int) []float32 {
	if i < 0 || i >= s.want || s.want > len(s.tokens) {
		panic(fmt.Sprintf("table: Hidden(%d) after a Forward of %d positions", i, s.want))
	}
	m := s.model
	// Each position of one Forward gets its own part, so that several can be
	// held at once.
	if need := s.want * m.dim; len(s.buf) < need {
		s.buf = make([]float32, need)
	}
	pos := len(s.tokens) - s.want + i
	out := s.buf[i*m.dim : (i+1)*m.dim : (i+1)*m.dim]
	own := m.hidden[int(s.tokens[pos])*m.dim:]
	prev := m.hidden[int(s.before(pos))*m.dim:]
	for d := range out {
		out[d] = own[d] + 0.5*prev[d]
	}
	return out
}
