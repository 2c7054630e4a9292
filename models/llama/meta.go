package llama

import (
	"math"

	"logitscope/models/gguf"
)

// A metaReader reads an architecture's metadata keys and keeps the first
// error; after one, every call returns a zero value.
type metaReader struct {
	f      *gguf.File
	prefix string // the architecture and a dot
	err    error
}

func (r *metaReader) fail(key, format string, args ...any) {
	if r.err == nil {
		r.err = r.f.Errorf(r.prefix+key, format, args...)
	}
}

func (r *metaReader) note(err error) {
	if r.err == nil {
		r.err = err
	}
}

// count returns an integer from 0 to limit, or def if the key is absent.
func (r *metaReader) count(key string, def, limit int) int {
	v, ok, err := r.f.Uint(r.prefix + key)
	r.note(err)
	if r.err != nil {
		return 0
	}
	if !ok {
		return def
	}
	if v > uint64(limit) {
		r.fail(key, "is %d, more than %d", v, limit)
		return 0
	}
	return int(v)
}

// size is count for what cannot be 0.
func (r *metaReader) size(key string, def, limit int) int {
	n := r.count(key, def, limit)
	if r.err == nil && n == 0 {
		r.fail(key, "is 0, not from 1 to %d", limit)
	}
	return n
}

// need is size for a key that must be there.
func (r *metaReader) need(key string, limit int) int {
	if _, ok := r.f.Value(r.prefix + key); !ok {
		r.fail(key, "is missing")
		return 0
	}
	return r.size(key, 0, limit)
}

// perLayer returns one size for each layer, from one integer for all or an
// array; def if the key is absent, which nil forbids.
func (r *metaReader) perLayer(key string, layers int, def []int, limit int) []int {
	v, ok := r.f.Value(r.prefix + key)
	if !ok && def != nil {
		return def
	}
	if !ok || !v.IsArray() {
		return repeat(r.need(key, limit), layers)
	}
	each, _, err := r.f.Uints(r.prefix + key)
	r.note(err)
	if r.err != nil {
		return nil
	}
	if len(each) != layers {
		r.fail(key, "has %d values for %d layers", len(each), layers)
		return nil
	}
	out := make([]int, layers)
	for i, u := range each {
		if u == 0 || u > uint64(limit) {
			r.fail(key, "is %d in layer %d, not from 1 to %d", u, i, limit)
			return nil
		}
		out[i] = int(u)
	}
	return out
}

// float returns a finite number, or def if the key is absent.
func (r *metaReader) float(key string, def float32) float32 {
	v, ok, err := r.f.Float(r.prefix + key)
	r.note(err)
	if r.err != nil {
		return 0
	}
	if !ok {
		return def
	}
	if f := float32(v); !math.IsNaN(v) && !math.IsInf(float64(f), 0) {
		return f
	}
	r.fail(key, "is %v, not a finite number", v)
	return 0
}

func (r *metaReader) needFloat(key string) float32 {
	if _, ok := r.f.Value(r.prefix + key); !ok {
		r.fail(key, "is missing")
	}
	return r.float(key, 0)
}

// positive is float for what must be above 0.
func (r *metaReader) positive(key string, def float32) float32 {
	v := r.float(key, def)
	if r.err == nil && v <= 0 {
		r.fail(key, "is %v, not above 0", v)
	}
	return v
}

func (r *metaReader) boolean(key string, def bool) bool {
	v, ok, err := r.f.Bool(r.prefix + key)
	r.note(err)
	if !ok {
		return def
	}
	return v
}

func (r *metaReader) ropeBase(key string, def float64) float64 {
	return float64(r.positive(key, float32(def)))
}

// windowPattern says which layers see a window only: by default all but the
// last of every period layers. The file may give another period, 0 for no
// window anywhere, or say it layer by layer.
func (r *metaReader) windowPattern(c *config, period int) []bool {
	const key = "attention.sliding_window_pattern"
	if v, ok := r.f.Value(r.prefix + key); ok && v.IsArray() {
		each, _, err := r.f.Bools(r.prefix + key)
		r.note(err)
		if r.err == nil && len(each) != c.layers {
			r.fail(key, "has %d values for %d layers", len(each), c.layers)
		}
		if r.err != nil {
			return nil
		}
		return each
	}
	period = r.count(key, period, maxLayers)
	if period == 0 {
		return nil
	}
	out := make([]bool, c.layers)
	for l := range out {
		out[l] = l%period < period-1
	}
	return out
}
