package llama

import "logitscope/models"

// A fork of a session shares the pages of its KV cache: none is copied before
// both sessions write to it.

// Fork implements [models.Forker]. Both sessions share what is in the cache;
// a page is copied when both write to it.
func (s *Session) Fork() (models.Session, error) {
	f := s.m.newSession()
	f.kv, f.off = s.kv.fork(nil), s.off
	return f, nil
}

// fork returns a cache with the same contents.
func (c *cache) fork(into []*page) cache {
	used := c.pages[:(c.len+pageLen-1)/pageLen]
	for _, p := range used {
		p.refs.Add(1)
	}
	return cache{store: c.store, pages: append(into[:0], used...), len: c.len}
}

// claim makes positions from to to-1 of page i writable.
func (c *cache) claim(i, from, to int) {
	p := c.pages[i]
	switch {
	case p.refs.Load() == 1:
		p.claimed.Store(int32(to))
	case p.claimed.CompareAndSwap(int32(from), int32(to)):
	default:
		own := c.store.get()
		c.store.copyStart(own, p, from)
		own.claimed.Store(int32(to))
		c.pages[i] = own
		c.store.release(p)
	}
}

// copyStart copies the first n positions of src to dst.
func (s *pageStore) copyStart(dst, src *page, n int) {
	keys, values := pageLen*s.keyLen, pageLen*s.valueLen
	for at := 0; at < s.size; at += keys + values {
		if s.kv == F16 {
			copy(dst.f16[at:at+n*s.keyLen], src.f16[at:])
			copy(dst.f16[at+keys:at+keys+n*s.valueLen], src.f16[at+keys:])
		} else {
			copy(dst.f32[at:at+n*s.keyLen], src.f32[at:])
			copy(dst.f32[at+keys:at+keys+n*s.valueLen], src.f32[at+keys:])
		}
	}
}
