// Package watermark answers: which tokens are green here? It is the green-list
// watermark of Kirchenbauer et al. (2023, "A Watermark for Large Language
// Models"; "On the Reliability of Watermarks") as transformers has it: the
// lists, the detector, and what a mark costs.
//
// The tokens before a place and a secret key seed a generator, which draws the
// green part of the vocabulary for that place. Whoever writes favours green
// tokens; whoever knows the key counts them and sees that there are too many.
// The lists are those that PyTorch draws on a CPU, to the last entry.
package watermark

import (
	"fmt"
	"math"
	"math/bits"
	"sync"

	"logitscope/sampling/luck"
)

// A Scheme says what seeds a list.
type Scheme string

const (
	LeftHash Scheme = "lefthash" // the last token alone
	SelfHash Scheme = "selfhash" // the last tokens, the candidate among them
)

// Candidates is how many of the best tokens SelfHash looks at in a step.
const Candidates = 40

// tableSize is the length of the permutation that SelfHash hashes tokens with.
const tableSize = 1_000_003

// A Config is a watermark's settings, under transformers' meaning of them.
type Config struct {
	Ratio  float64 // green part of the vocabulary, above 0 and below 1
	Key    uint64  // the secret, up to 2^63-1
	Scheme Scheme
	Width  int // tokens of context, 1 or more
}

// Defaults are the values of transformers' WatermarkingConfig.
var Defaults = Config{Ratio: 0.25, Key: 15485863, Scheme: LeftHash, Width: 1}

// DefaultBias is what transformers adds to green tokens.
const DefaultBias = 2.0

// A Mark tells green tokens from the others. It is immutable and safe for
// concurrent use.
type Mark struct {
	Config
	table []int32 // of SelfHash
}

// New returns the mark of a config. The error names the field and what it may
// be.
func New(c Config) (*Mark, error) {
	switch {
	case !(c.Ratio > 0 && c.Ratio < 1):
		return nil, fmt.Errorf("ratio: %v must be above 0 and below 1", c.Ratio)
	case c.Width < 1:
		return nil, fmt.Errorf("width: %d must be 1 or more", c.Width)
	case c.Key > math.MaxInt64:
		return nil, fmt.Errorf("key: %d must be 0 to %d", c.Key, int64(math.MaxInt64))
	case c.Scheme != LeftHash && c.Scheme != SelfHash:
		return nil, fmt.Errorf("scheme: %q must be %s or %s", string(c.Scheme), LeftHash, SelfHash)
	}
	m := &Mark{Config: c}
	if c.Scheme == SelfHash {
		m.table = tables.of(c.Key)
	}
	return m, nil
}

// Scratch is the memory that lists are drawn in. Its zero value is ready. It
// must not be used by two goroutines at a time.
type Scratch struct {
	mt    luck.MT
	perm  []int32
	green []bool
}

// Seed returns what seeds the list after a context of at least one token. Under
// SelfHash the context ends with the candidate itself.
func (m *Mark) Seed(context []int32) uint64 {
	last := context[len(context)-1]
	if m.Scheme == LeftHash {
		if last < 0 { // no token, but no reason to fail
			return (math.MaxUint64 - modMersenne(bits.Mul64(m.Key, uint64(-int64(last))))) % math.MaxUint64
		}
		return modMersenne(bits.Mul64(m.Key, uint64(last)))
	}
	least := int64(math.MaxInt64)
	for _, c := range context[max(0, len(context)-m.Width):] {
		// Each product wraps, as PyTorch's do.
		least = min(least, int64(m.Key)*m.hash(c)*m.hash(last))
	}
	if least < 0 {
		return uint64(least) - 1 // plus 2^64-1
	}
	return uint64(least)
}

// Before appends to dst the tokens of a history that seed the list of the next
// token: under SelfHash, which ends with that token itself, one less.
func (m *Mark) Before(dst, history []int32) []int32 {
	n := m.Width
	if m.Scheme == SelfHash {
		n--
	}
	return append(dst, history[len(history)-n:]...)
}

func (m *Mark) hash(token int32) int64 {
	return int64(m.table[(int64(token)%tableSize+tableSize)%tableSize]) + 1
}

// modMersenne returns hi·2^64 + lo modulo 2^64-1.
func modMersenne(hi, lo uint64) uint64 {
	sum, carry := bits.Add64(hi, lo, 0)
	if sum += carry; sum == math.MaxUint64 {
		return 0
	}
	return sum
}

// Size returns how many tokens of a vocabulary are green.
func (m *Mark) Size(vocab int) int { return int(float64(vocab) * m.Ratio) }

// List returns the green tokens after a context in the order in which they are
// drawn. It is valid until the next call with s.
func (m *Mark) List(s *Scratch, context []int32, vocab int) []int32 {
	return s.Permutation(m.Seed(context), vocab, m.Size(vocab))
}

// Green reports whether a token is in the list after a context. It follows the
// one place where the token stands through the draws, and draws no list.
func (m *Mark) Green(s *Scratch, context []int32, vocab int, token int32) bool {
	if token < 0 || int(token) >= vocab {
		return false
	}
	s.mt.Seek(uint32(m.Seed(context)), 0)
	at := int(token)
	for i := range m.Size(vocab) {
		switch other := i + s.swap(i, vocab); at {
		case other:
			return true // place i is not touched again
		case i:
			at = other
		}
	}
	return false
}

// Table returns the permutation that SelfHash hashes tokens with under a key.
// The caller must not change it.
func Table(key uint64) []int32 { return tables.of(key) }

// Outputs returns the first n numbers of the generator under a seed, of which
// the low 32 bits count.
func (s *Scratch) Outputs(seed uint64, n int) []uint32 {
	s.mt.Seek(uint32(seed), 0)
	out := make([]uint32, n)
	for i := range out {
		out[i] = s.mt.Uint32()
	}
	return out
}

// Permutation returns the first size entries of PyTorch's permutation of
// 0 to n-1 under a seed, of which the low 32 bits count. The result is valid
// until the next call.
func (s *Scratch) Permutation(seed uint64, n, size int) []int32 {
	if cap(s.perm) < n {
		s.perm = make([]int32, n)
	}
	p := s.perm[:n]
	for i := range p {
		p[i] = int32(i)
	}
	s.mt.Seek(uint32(seed), 0)
	for i := range min(size, n-1) {
		j := i + s.swap(i, n)
		p[i], p[j] = p[j], p[i]
	}
	return p[:size]
}

// swap returns how far after place i of n the entry stands that goes there.
func (s *Scratch) swap(i, n int) int { return int(s.mt.Uint32() % uint32(n-i)) }

// tableCache keeps the tables of the keys used last: a table takes
// milliseconds, and a pipeline is compiled for every turn of a knob.
type tableCache struct {
	mu   sync.Mutex
	keys []uint64
	last [][]int32
}

var tables tableCache

func (c *tableCache) of(key uint64) []int32 {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i, k := range c.keys {
		if k == key {
			return c.last[i]
		}
	}
	t := new(Scratch).Permutation(key, tableSize, tableSize)
	if len(c.keys) == 4 {
		c.keys, c.last = c.keys[1:], c.last[1:]
	}
	c.keys, c.last = append(c.keys, key), append(c.last, t)
	return t
}
