package automaton

import (
	"fmt"
	"sync"
	"time"

	"logitscope/sampling/constrain/lang"
)

// A State is how far a text has come under a constraint. It is a small
// comparable value: equal states allow the same continuations. States are
// interned in their [Matcher] and never change, so keeping, copying and going
// back to one costs nothing. The zero State is not valid.
type State struct{ id int32 }

// ended is the state after an end-of-generation token.
var ended = State{-1}

func stateOf(id int32) State { return State{id + 1} }

// A Layer says how a mask was found.
type Layer uint8

const (
	LayerMemo  Layer = iota // this state was asked for before
	LayerSlice              // the rule the text is in was answered before
	LayerWalk               // the token trie was walked
)

func (l Layer) String() string { return [...]string{"memo", "slice", "walk"}[l] }

// MaskInfo describes a mask.
type MaskInfo struct {
	Allowed    int  // ordinary tokens allowed
	EOSAllowed bool // the text may end here; the end tokens' bits are set
	Layer      Layer
	Took       time.Duration
	// Closing is set by MaskWithin when the budget took tokens away; Refused
	// counts them.
	Closing bool
	Refused int
}

// A Matcher follows texts of one grammar in the tokens of one vocabulary. It
// is safe for concurrent use: lanes that share a constraint should share the
// Matcher, since all that one of them computes the others reuse. It is memory
// bound: masks are kept up to a limit, states for as long as the Matcher.
type Matcher struct {
	g *Grammar
	v *Vocab

	mu        sync.Mutex
	a         *automaton
	memo      memo
	rules     map[ruleKey]*ruleMask // answers for parts of states
	tails     map[tailKey]*maskEntry
	grounds   map[groundKey]*groundMask
	keptBytes int // of all three
	lists     listArenas
	partLists arena[part]

	splitParts []part    // scratch of split
	splitCalls []cutItem // likewise
	marks      []uint64  // scratch, all zero between uses
	sinks      []*sink   // those in use, and spare ones after
	openSinks  int
	walked     bool // the mask under way took a walk through all tokens
	hit        bool // or an answer that was at hand
	reaches    int
	budget     budgetSearch
	covered    bool // every byte the grammar can ask for is a token
}

// Bind joins a grammar to a vocabulary. It fails with a *RefusedError if the
// vocabulary has no tokens that spell any complete text.
func (g *Grammar) Bind(v *Vocab) (*Matcher, error) {
	m := &Matcher{g: g, v: v, a: newAutomaton(g.prog), rules: map[ruleKey]*ruleMask{}, tails: map[tailKey]*maskEntry{}, grounds: map[groundKey]*groundMask{}}
	m.memo.a = m.a
	m.budget = newBudgetSearch(m)
	m.covered = g.prog.CoveredBy(v.bytes)
	if !m.covered && !m.budget.canEnd(m.a.start) {
		return nil, lang.Refuse("", "vocabulary", "its tokens spell no complete text of this constraint")
	}
	return m, nil
}

// Vocab returns the vocabulary the matcher was bound to.
func (m *Matcher) Vocab() *Vocab { return m.v }

// Pruned reports whether a text was so ambiguous that places it might be in
// were dropped. What is allowed is right all the same; only some texts that
// the grammar has may be refused.
func (m *Matcher) Pruned() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.a.pruned
}

// Start returns the state of the empty text.
func (m *Matcher) Start() State { return stateOf(m.a.start) }

// End returns the state after an end token. In it only end tokens are
// allowed.
func (m *Matcher) End() State { return ended }

// Mask writes the tokens that may come at s into dst, one bit per id, which
// has at least Words() elements. The bits of the end tokens are set exactly
// when the text may end. A token is allowed iff some text of the grammar
// begins with the text so far and the token's bytes, so either an ordinary
// token or the end is always allowed.
func (m *Matcher) Mask(s State, dst []uint64) MaskInfo {
	began := time.Now()
	m.mu.Lock()
	defer m.mu.Unlock()
	if s.id <= 0 {
		return m.endMask(s, dst, began)
	}
	e, layer := m.lookup(s.id - 1)
	return m.answer(s, e, layer, dst, began)
}

func (m *Matcher) endMask(s State, dst []uint64, began time.Time) MaskInfo {
	clear(dst)
	if s == ended {
		m.allowEnd(dst)
	}
	return MaskInfo{EOSAllowed: s == ended, Took: time.Since(began)}
}

func (m *Matcher) allowEnd(dst []uint64) {
	for _, id := range m.v.eog {
		dst[id>>6] |= 1 << (id & 63)
	}
}

func (m *Matcher) answer(s State, e *maskEntry, layer Layer, dst []uint64, began time.Time) MaskInfo {
	allowed := e.write(dst[:m.v.Words()])
	accept := m.a.states.at(s.id - 1).accept
	if accept {
		m.allowEnd(dst)
	}
	return MaskInfo{Allowed: allowed, EOSAllowed: accept, Layer: layer, Took: time.Since(began)}
}

// lookup returns the mask of a state from the memo, or computes it.
func (m *Matcher) lookup(id int32) (*maskEntry, Layer) {
	if e := m.memo.get(id); e != nil {
		return e, LayerMemo
	}
	e, layer := m.compute(id)
	if !m.covered {
		e = m.onlyFinishable(id, e)
	}
	m.memo.put(id, e)
	return e, layer
}

// onlyFinishable drops the tokens after which the vocabulary has no way to
// complete the text.
func (m *Matcher) onlyFinishable(id int32, e *maskEntry) *maskEntry {
	out := &sink{}
	e.collect(m.v.Words(), func(t int32) {
		to, n := m.run(id, m.v.pieces[t])
		if n == len(m.v.pieces[t]) && m.budget.canEnd(to) {
			out.ids = append(out.ids, t)
			out.farthest = max(out.farthest, m.a.states.at(to).dist)
		}
	})
	return out.take(m.v.size, &m.lists)
}

// run follows bytes and returns the state after those that were accepted and
// their number.
func (m *Matcher) run(id int32, text []byte) (int32, int) {
	for i, b := range text {
		to := m.a.step(id, b)
		if to == lang.Dead {
			return id, i
		}
		id = to
	}
	return id, len(text)
}

// A DeadTokenError says that a token may not come and where it dies.
type DeadTokenError struct {
	Token    int32
	Index    int    // the byte of the token at which nothing can complete
	Byte     byte   // that byte
	End      bool   // an end token while the text is not complete
	Expected string // what could have come there
}

func (e *DeadTokenError) Error() string {
	if e.End {
		return fmt.Sprintf("constraint: token %d ends the text before it is complete, expected %s", e.Token, e.Expected)
	}
	return fmt.Sprintf("constraint: token %d dies at byte %d (0x%02x), expected %s", e.Token, e.Index, e.Byte, e.Expected)
}

// Accept returns the state after a token. A token that may not come gives a
// *DeadTokenError, and a token without bytes or out of range an error that
// names it; s stays usable.
func (m *Matcher) Accept(s State, token int32) (State, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.accept(s, token)
}

func (m *Matcher) accept(s State, token int32) (State, error) {
	if m.v.isEOG[token] {
		if s == ended || s.id > 0 && m.a.states.at(s.id-1).accept {
			return ended, nil
		}
		return State{}, &DeadTokenError{Token: token, End: true, Expected: m.expected(s)}
	}
	piece := m.v.Piece(token)
	if len(piece) == 0 {
		return State{}, fmt.Errorf("constraint: token %d has no text, so it is never allowed (vocabulary of %d)", token, m.v.size)
	}
	if s.id <= 0 {
		return State{}, &DeadTokenError{Token: token, Byte: piece[0], Expected: m.expected(s)}
	}
	to, n := m.run(s.id-1, piece)
	if n < len(piece) {
		return State{}, &DeadTokenError{Token: token, Index: n, Byte: piece[n], Expected: m.expected(stateOf(to))}
	}
	return stateOf(to), nil
}

// AcceptBytes follows text from s. It returns the state after the bytes that
// were accepted, their number, and whether the next byte is dead.
func (m *Matcher) AcceptBytes(s State, text []byte) (next State, n int, died bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if s.id <= 0 {
		return s, 0, len(text) > 0
	}
	id, n := m.run(s.id-1, text)
	return stateOf(id), n, n < len(text)
}

// Accepting reports whether the text is complete at s.
func (m *Matcher) Accepting(s State) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return s == ended || s.id > 0 && m.a.states.at(s.id-1).accept
}

// Try returns how many of the tokens may come in a row at s, end tokens
// included. It is how a draft is asked: nothing is changed.
func (m *Matcher) Try(s State, tokens []int32) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	for i, t := range tokens {
		next, err := m.accept(s, t)
		if err != nil {
			return i
		}
		s = next
	}
	return len(tokens)
}

// Dies returns the index of the byte at which a token dies at s, and that
// byte. The index is -1 if the token may come, and 0 with byte 0 for a token
// without bytes and an end token that may not come.
func (m *Matcher) Dies(s State, token int32) (index int, b byte) {
	m.mu.Lock()
	defer m.mu.Unlock()
	_, err := m.accept(s, token)
	if err == nil {
		return -1, 0
	}
	if d, ok := err.(*DeadTokenError); ok {
		return d.Index, d.Byte
	}
	return 0, 0
}

// Distance returns the fewest bytes that complete the text at s.
func (m *Matcher) Distance(s State) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	if s.id <= 0 {
		return 0
	}
	return int(m.a.states.at(s.id - 1).dist)
}
