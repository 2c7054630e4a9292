package python

import (
	"math"
	"math/big"
	"strings"
)

// Dict is a dict: it keeps the order in which its keys were set first.
type Dict struct {
	keys, values []Value
	index        map[any]int // from hashed keys to places
}

// NewDict returns an empty dict.
func NewDict() *Dict { return &Dict{index: map[any]int{}} }

// Set gives a key a value, before a template has the dict.
func (d *Dict) Set(key string, v Value) { d.Put(key, v) }

// Keys are the keys in their order.
func (d *Dict) Keys() []Value { return d.keys }

// Values returns the values, in the order of the keys. They must not be changed.
func (d *Dict) Values() []Value { return d.values }

// Get returns the value of a key. It fails for a key that cannot be one.
func (d *Dict) Get(key Value) (Value, bool) {
	if d == nil {
		return nil, false
	}
	i, ok := d.index[Hashed(key)]
	if !ok {
		return nil, false
	}
	return d.values[i], true
}

// Put sets a key of any type that can be one; it fails on another.
func (d *Dict) Put(key, v Value) {
	h := Hashed(key)
	if i, ok := d.index[h]; ok {
		d.values[i] = v
		return
	}
	d.index[h] = len(d.keys)
	d.keys = append(d.keys, key)
	d.values = append(d.values, v)
}

// Clone returns a copy that may be changed.
func (d *Dict) Clone() *Dict {
	c := NewDict()
	c.Update(d)
	return c
}

// Update sets all keys of other.
func (d *Dict) Update(other *Dict) {
	for i, k := range other.keys {
		d.Put(k, other.values[i])
	}
}

// what keys become, so that equal ones are the same.
type (
	bigKey   string
	tupleKey string
	undefKey struct{}
)

// Hashed returns what identifies a key; it fails where Python says that a
// value is not hashable.
func Hashed(key Value) any {
	switch k := key.(type) {
	case bool:
		if k {
			return int64(1)
		}
		return int64(0)
	case Markup:
		return string(k)
	case *big.Int:
		return bigKey(k.String())
	case float64:
		if i, acc := big.NewFloat(0).SetFloat64(notNaN(k)).Int(nil); !math.IsNaN(k) && !math.IsInf(k, 0) && acc == big.Exact {
			return Hashed(Normal(i))
		}
		return k
	case *Undefined:
		return undefKey{}
	case *Tuple, Group:
		var b strings.Builder
		items, _ := sequence(k)
		for _, x := range items {
			h := Hashed(x)
			if s, ok := h.(string); ok {
				b.WriteString(ReprText(s))
			} else {
				switch h := h.(type) {
				case tupleKey:
					b.WriteString("(" + string(h) + ")")
				case bigKey:
					b.WriteString(string(h))
				case undefKey:
					b.WriteString("?")
				case nil, int64, float64:
					b.WriteString(Str(h))
				default:
					Refuse("a %s in a tuple as a key", TypeName(x))
				}
			}
			b.WriteByte(',')
		}
		return tupleKey(b.String())
	case *List, *Dict, View:
		Fail("%s cannot be a key", TypeName(key))
	}
	return key
}

func notNaN(f float64) float64 {
	if math.IsNaN(f) {
		return 0
	}
	return f
}

// Size is about how many bytes a value has, with what lies in it.
func Size(v Value) int {
	switch v := v.(type) {
	case string:
		return len(v) + 16
	case *List:
		n := 32
		for _, x := range v.Items {
			n += Size(x)
		}
		return n
	case *Dict:
		n := 64
		for i, k := range v.keys {
			n += Size(k) + Size(v.values[i])
		}
		return n
	}
	return 16
}
