package gguf

import (
	"encoding/binary"
	"math"
)

// A builder writes GGUF files for tests.
type builder struct {
	keys   []byte
	nKeys  uint64
	infos  []byte
	nInfos uint64
	data   []byte
}

func u32(v uint32) []byte { return binary.LittleEndian.AppendUint32(nil, v) }
func u64(v uint64) []byte { return binary.LittleEndian.AppendUint64(nil, v) }
func str(s string) []byte { return append(u64(uint64(len(s))), s...) }

func (b *builder) raw(key string, t ValueType, value []byte) *builder {
	b.keys = append(b.keys, str(key)...)
	b.keys = append(b.keys, u32(uint32(t))...)
	b.keys = append(b.keys, value...)
	b.nKeys++
	return b
}

func (b *builder) array(key string, elem ValueType, n int, elems []byte) *builder {
	return b.raw(key, Array, append(append(u32(uint32(elem)), u64(uint64(n))...), elems...))
}

func (b *builder) str(key, v string) *builder        { return b.raw(key, String, str(v)) }
func (b *builder) u32(key string, v uint32) *builder { return b.raw(key, Uint32, u32(v)) }
func (b *builder) u64(key string, v uint64) *builder { return b.raw(key, Uint64, u64(v)) }
func (b *builder) i32(key string, v int32) *builder  { return b.raw(key, Int32, u32(uint32(v))) }
func (b *builder) f32(key string, v float32) *builder {
	return b.raw(key, Float32, u32(math.Float32bits(v)))
}
func (b *builder) bool(key string, v byte) *builder { return b.raw(key, Bool, []byte{v}) }
func (b *builder) u16(key string, v uint16) *builder {
	return b.raw(key, Uint16, binary.LittleEndian.AppendUint16(nil, v))
}

// tensor adds a tensor of floats.
func (b *builder) tensor(name string, values ...float32) *builder {
	b.infos = append(b.infos, str(name)...)
	b.infos = append(b.infos, u32(1)...)
	b.infos = append(b.infos, u64(uint64(len(values)))...)
	b.infos = append(b.infos, u32(uint32(F32))...)
	b.infos = append(b.infos, u64(uint64(len(b.data)))...)
	b.nInfos++
	for _, v := range values {
		b.data = append(b.data, u32(math.Float32bits(v))...)
	}
	for len(b.data)%defaultAlignment != 0 {
		b.data = append(b.data, 0)
	}
	return b
}

func (b *builder) bytes() []byte {
	out := append([]byte(magic), u32(3)...)
	out = append(out, u64(b.nInfos)...)
	out = append(out, u64(b.nKeys)...)
	out = append(out, b.keys...)
	out = append(out, b.infos...)
	for len(out)%defaultAlignment != 0 {
		out = append(out, 0)
	}
	return append(out, b.data...)
}
