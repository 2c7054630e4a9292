package llama

import (
	"sync"
	"sync/atomic"

	"logitscope/models/llama/vec"
)

// KVType is how a cache stores keys and values.
type KVType uint8

const (
	// F32 keeps them as they are. It is the default.
	F32 KVType = iota

	// F16 rounds them to half precision: half the memory, and logits that
	// differ in the third digit.
	F16
)

func (t KVType) String() string {
	if t == F16 {
		return "f16"
	}
	return "f32"
}

// bytes returns the size of an element.
func (t KVType) bytes() int64 {
	if t == F16 {
		return 2
	}
	return 4
}

// pageLen is the number of positions in a page.
const pageLen = 16

// aheadPages is how many pages before its turn a page is read from memory.
// Pages lie apart, so that the processor does not see by itself which is next.
const aheadPages = 3

// A page holds the keys and values of pageLen consecutive positions in every
// layer. For each layer and KV head it has a (pageLen, keyLen) block of keys,
// then a (pageLen, valueLen) block of values.
//
// Sessions share the pages of what they have in common. A position once
// written is never written again while more than one session holds the page:
// a session writes only after what anyone has written, or into a page that
// is its own, or else into a copy.
type page struct {
	refs    atomic.Int32 // sessions that hold it
	claimed atomic.Int32 // positions written, or about to be by the session that moved this
	f32     []float32    // one of the two
	f16     []uint16
}

// A pageStore makes pages and keeps those that no session holds any more, so
// that sessions that come and go allocate nothing.
type pageStore struct {
	kv   KVType
	size int   // elements of a page
	at   []int // by layer: where its blocks begin in a page

	keyLen, valueLen int

	mu   sync.Mutex
	free []*page
}

// maxFree is how many unused pages a store keeps, in bytes.
const maxFree = 64 << 20

func newPageStore(c *config, kv KVType) *pageStore {
	s := &pageStore{kv: kv, keyLen: c.keyLen, valueLen: c.valueLen}
	for _, h := range c.kvHeads {
		s.at = append(s.at, s.size)
		s.size += h * pageLen * (c.keyLen + c.valueLen)
	}
	return s
}

func (s *pageStore) bytes() int64 { return int64(s.size) * s.kv.bytes() }

func (s *pageStore) get() *page {
	s.mu.Lock()
	if n := len(s.free); n > 0 {
		p := s.free[n-1]
		s.free = s.free[:n-1]
		s.mu.Unlock()
		p.refs.Store(1)
		p.claimed.Store(0)
		return p
	}
	s.mu.Unlock()
	p := &page{}
	if s.kv == F16 {
		p.f16 = make([]uint16, s.size)
	} else {
		p.f32 = make([]float32, s.size)
	}
	p.refs.Store(1)
	return p
}

func (s *pageStore) release(p *page) {
	if p.refs.Add(-1) > 0 {
		return
	}
	s.mu.Lock()
	if int64(len(s.free))*s.bytes() < maxFree {
		s.free = append(s.free, p)
	}
	s.mu.Unlock()
}

// block returns where the keys of a KV head begin in a page; its values
// follow.
func (s *pageStore) block(layer, head int) int {
	return s.at[layer] + head*pageLen*(s.keyLen+s.valueLen)
}

// A cache is the keys and values of one sequence.
type cache struct {
	store *pageStore
	pages []*page // enough for len positions; those after them are unused
	len   int
}

// reserve makes room for n more positions, in pages that this cache may
// write to. len does not change.
func (c *cache) reserve(n int) {
	end := c.len + n
	for at := c.len; at < end; {
		i, from := at/pageLen, at%pageLen
		to := min(pageLen, from+end-at)
		if i == len(c.pages) {
			c.pages = append(c.pages, c.store.get())
		}
		c.claim(i, from, to)
		at += to - from
	}
}

// truncate forgets positions from n on.
func (c *cache) truncate(n int) {
	c.len = n
	keep := (n + pageLen - 1) / pageLen
	for i := keep; i < len(c.pages); i++ {
		c.store.release(c.pages[i])
		c.pages[i] = nil
	}
	c.pages = c.pages[:min(keep, len(c.pages))]
}

// put stores one head's key or value, at element at of a page.
func (p *page) put(at int, x []float32) {
	if p.f16 != nil {
		vec.ToHalf(p.f16[at:at+len(x)], x)
		return
	}
	copy(p.f32[at:], x)
}

// rows returns elements from at on as float32, in scratch if they are stored
// otherwise.
func (p *page) rows(at, n int, scratch []float32) []float32 {
	if p.f16 != nil {
		vec.FromHalf(scratch[:n], p.f16[at:at+n])
		return scratch[:n]
	}
	return p.f32[at : at+n]
}

// prefetch begins to read n elements from at on.
func (p *page) prefetch(at, n int) {
	if p.f16 != nil {
		vec.Prefetch(p.f16[at : at+n])
		return
	}
	vec.Prefetch(p.f32[at : at+n])
}
