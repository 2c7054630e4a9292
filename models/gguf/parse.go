package gguf

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
)

const (
	magic            = "GGUF"
	defaultAlignment = 32
	maxDims          = 4
	maxTensorName    = 64

	minKeyBytes    = 8 + 4 + 1         // an empty key and a value of one byte
	minTensorBytes = 8 + 4 + 8 + 4 + 8 // an empty name and one dimension
)

// Parse reads a whole file from memory. The File reads data in place, so
// data must not change while it is in use. One file of a split model is
// refused; see parseSplit.
func Parse(name string, data []byte) (*File, error) {
	f, err := parse(name, data)
	if err != nil {
		return nil, err
	}
	if err := f.checkWhole(); err != nil {
		return nil, err
	}
	return f, nil
}

// parse reads one file, whole or part of a split model.
func parse(name string, data []byte) (*File, error) {
	r := &reader{name: name, data: data}
	f := &File{
		Name:      name,
		Alignment: defaultAlignment,
		Size:      uint64(len(data)),
		Parts:     []string{name},
		parts:     [][]byte{data},
		values:    map[string]Value{},
		tensors:   map[string]int{},
	}
	nTensors, nKeys, err := r.header(f)
	if err != nil {
		return nil, err
	}
	for i := range nKeys {
		if err := r.keyValue(f, i); err != nil {
			return nil, err
		}
	}
	if err := f.readAlignment(); err != nil {
		return nil, err
	}
	offsets := []uint64{} // byte at which each tensor's offset field begins
	for i := range nTensors {
		at, err := r.tensorInfo(f, i)
		if err != nil {
			return nil, err
		}
		offsets = append(offsets, at)
	}
	if err := r.placeTensors(f, offsets); err != nil {
		return nil, err
	}
	return f, nil
}

// readAlignment takes the alignment from the metadata. Like other readers it
// insists on the type u32, so that no file means different things to two.
func (f *File) readAlignment() error {
	const key = "general.alignment"
	v, ok := f.values[key]
	if !ok {
		return nil
	}
	if v.Type != Uint32 {
		return f.Errorf(key, "is of type %s, not u32", v.typeName())
	}
	a := v.bits(0)
	if bits.OnesCount64(a) != 1 {
		return f.Errorf(key, "%d is not a power of two", a)
	}
	f.Alignment = a
	return nil
}

// A reader walks over the header of a file.
type reader struct {
	name string
	data []byte
	pos  uint64
}

func (r *reader) left() uint64 { return uint64(len(r.data)) - r.pos }

func (r *reader) errorf(at uint64, field place, format string, args ...any) error {
	return &Error{File: r.name, Field: field.String(), Offset: int64(at), Reason: fmt.Sprintf(format, args...)}
}

// take returns the next n bytes.
func (r *reader) take(n uint64, field place) ([]byte, error) {
	if n > r.left() {
		return nil, r.errorf(r.pos, field, "needs %d bytes, the file has %d left", n, r.left())
	}
	b := r.data[r.pos : r.pos+n : r.pos+n]
	r.pos += n
	return b, nil
}

func (r *reader) u32(field place) (uint32, error) {
	b, err := r.take(4, field)
	if err != nil {
		return 0, err
	}
	return binary.LittleEndian.Uint32(b), nil
}

func (r *reader) u64(field place) (uint64, error) {
	b, err := r.take(8, field)
	if err != nil {
		return 0, err
	}
	return binary.LittleEndian.Uint64(b), nil
}

// str reads a length and that many bytes.
func (r *reader) str(field place) ([]byte, error) {
	begin := r.pos
	n, err := r.u64(field)
	if err != nil {
		return nil, err
	}
	if n > r.left() {
		return nil, r.errorf(begin, field, "a string of %d bytes, the file has %d left", n, r.left())
	}
	return r.take(n, field)
}

// count reads a number of items of at least size bytes each.
func (r *reader) count(field place, size uint64) (uint64, error) {
	begin := r.pos
	n, err := r.u64(field)
	if err != nil {
		return 0, err
	}
	if most := r.left() / size; n > most {
		return 0, r.errorf(begin, field, "%d items, the file has room for at most %d", n, most)
	}
	return n, nil
}

func (r *reader) header(f *File) (nTensors, nKeys uint64, err error) {
	if len(r.data) == 0 {
		return 0, 0, r.errorf(0, at("magic"), "the file is empty")
	}
	m, err := r.take(4, at("magic"))
	if err != nil {
		return 0, 0, err
	}
	if string(m) != magic {
		return 0, 0, r.errorf(0, at("magic"), "%q is not %q: not a GGUF file", m, magic)
	}
	if f.Version, err = r.u32(at("version")); err != nil {
		return 0, 0, err
	}
	switch v := f.Version; {
	case v == 2 || v == 3:
	case v == 1:
		return 0, 0, r.errorf(4, at("version"), "version 1 is no longer in use; convert the model again for version 3")
	case v&0xffff == 0 && v != 0:
		return 0, 0, r.errorf(4, at("version"), "the file is big-endian (version %d with its bytes swapped); convert it to little-endian", bits.ReverseBytes32(v))
	default:
		return 0, 0, r.errorf(4, at("version"), "version %d is not known, only 2 and 3", v)
	}
	// Tensors come after keys, so the second count bounds the first again
	// when they are read.
	if nTensors, err = r.count(at("tensor count"), minTensorBytes); err != nil {
		return 0, 0, err
	}
	if nKeys, err = r.count(at("key count"), minKeyBytes); err != nil {
		return 0, 0, err
	}
	return nTensors, nKeys, nil
}

func (r *reader) keyValue(f *File, i uint64) error {
	start := r.pos
	k, err := r.str(place{what: "key", index: int(i)})
	if err != nil {
		return err
	}
	key := string(k)
	field := place{name: key, index: -1}
	if _, dup := f.values[key]; dup {
		return r.errorf(start, field, "the key occurs twice")
	}
	v, err := r.value(field)
	if err != nil {
		return err
	}
	f.keys = append(f.keys, key)
	f.values[key] = v
	return nil
}

// value reads a type and a value of it.
func (r *reader) value(field place) (Value, error) {
	begin := r.pos
	t, err := r.u32(field)
	if err != nil {
		return Value{}, err
	}
	v := Value{Type: ValueType(t), Elem: ValueType(t), Len: 1, Offset: int64(r.pos)}
	if !v.Type.known() {
		return v, r.errorf(begin, field, "value type %d is not known", t)
	}
	start := r.pos
	if v.IsArray() {
		if err := r.arrayHead(&v, field); err != nil {
			return v, err
		}
		start = r.pos
	}
	if v.Elem == String {
		for range v.Len {
			if _, err := r.str(field); err != nil {
				return v, err
			}
		}
	} else if _, err := r.take(uint64(v.Len)*uint64(v.Elem.size()), field); err != nil {
		return v, err
	}
	v.raw = r.data[start:r.pos:r.pos]
	if v.Elem == Bool {
		if i := bytes.IndexFunc(v.raw, func(c rune) bool { return c > 1 }); i >= 0 {
			return v, r.errorf(start+uint64(i), field, "a bool is %d, not 0 or 1", v.raw[i])
		}
	}
	return v, nil
}

// arrayHead reads an array's element type and length. Arrays of arrays are
// refused, as ggml does; no key uses them.
func (r *reader) arrayHead(v *Value, field place) error {
	begin := r.pos
	t, err := r.u32(field)
	if err != nil {
		return err
	}
	v.Elem = ValueType(t)
	if v.Elem == Array {
		return r.errorf(begin, field, "an array of arrays is not allowed")
	}
	if !v.Elem.known() {
		return r.errorf(begin, field, "array element type %d is not known", t)
	}
	size := uint64(8) // an empty string
	if s := v.Elem.size(); s != 0 {
		size = uint64(s)
	}
	n, err := r.count(field, size)
	if err != nil {
		return err
	}
	v.Len = int(n)
	return nil
}

// tensorInfo reads one tensor's name, dimensions, type and offset, and
// returns the byte at which the offset stands. The offset is still relative
// to the data section.
func (r *reader) tensorInfo(f *File, i uint64) (offsetAt uint64, err error) {
	start := r.pos
	field := place{what: "tensor", index: int(i)}
	n, err := r.str(field.of("name", int(i)))
	if err != nil {
		return 0, err
	}
	t := Tensor{Name: string(n), File: r.name}
	field = place{what: "tensor", name: t.Name, index: -1}
	if len(n) > maxTensorName {
		return 0, r.errorf(start, field, "a name of %d bytes is longer than %d", len(n), maxTensorName)
	}
	if _, dup := f.tensors[t.Name]; dup {
		return 0, r.errorf(start, field, "the name occurs twice")
	}
	if t.Dims, err = r.dims(field); err != nil {
		return 0, err
	}
	typeAt := r.pos
	typ, err := r.u32(field.of("type", -1))
	if err != nil {
		return 0, err
	}
	t.Type = Type(typ)
	if !t.Type.known() {
		if l := t.Type.layout(); l.name != "" {
			return 0, r.errorf(typeAt, field.of("type", -1), "type %d (%s) is no longer in use", typ, l.name)
		}
		return 0, r.errorf(typeAt, field.of("type", -1), "type %d is not known", typ)
	}
	if bs := uint64(t.Type.BlockSize()); t.Dims[0]%bs != 0 {
		return 0, r.errorf(typeAt, field, "a row of %d elements is not a multiple of %d, the block of %s", t.Dims[0], bs, t.Type)
	}
	offsetAt = r.pos
	if t.Offset, err = r.u64(field.of("offset", -1)); err != nil {
		return 0, err
	}
	f.tensors[t.Name] = len(f.Tensors)
	f.Tensors = append(f.Tensors, t)
	return offsetAt, nil
}

// dims reads the dimensions of a tensor and checks that their product fits.
func (r *reader) dims(tensor place) ([]uint64, error) {
	start, field := r.pos, tensor.of("dimension count", -1)
	n, err := r.u32(field)
	if err != nil {
		return nil, err
	}
	if n < 1 || n > maxDims {
		return nil, r.errorf(start, field, "%d is not within 1 to %d", n, maxDims)
	}
	dims := make([]uint64, n)
	elems := uint64(1)
	for i := range dims {
		start, field := r.pos, tensor.of("dimension", i)
		d, err := r.u64(field)
		if err != nil {
			return nil, err
		}
		hi, lo := bits.Mul64(elems, d)
		if d < 1 || d > math.MaxInt64 || hi != 0 || lo > math.MaxInt64 {
			return nil, r.errorf(start, field, "%d is not allowed: the element count must be within 1 to 2^63-1", d)
		}
		dims[i], elems = d, lo
	}
	return dims, nil
}

// placeTensors checks that tensors follow each other in the data section,
// each padded to the alignment, and cuts out their bytes.
func (r *reader) placeTensors(f *File, offsetAt []uint64) error {
	f.DataOffset = pad(r.pos, f.Alignment)
	want := uint64(0) // below 2^63 + 2^32: sizes are checked against the file
	for i := range f.Tensors {
		t := &f.Tensors[i]
		field := place{what: "tensor", name: t.Name, part: "offset", index: -1}
		if t.Offset != want {
			return r.errorf(offsetAt[i], field, "%d is not %d, where the tensor before it ends", t.Offset, want)
		}
		start := f.DataOffset + want
		size := uint64(len(r.data))
		blocks := t.Elems() / uint64(t.Type.BlockSize())
		hi, n := bits.Mul64(blocks, uint64(t.Type.BlockBytes()))
		if hi != 0 || start > size || n > size-start {
			return r.errorf(offsetAt[i], field, "data of %s %v from byte %d on goes past the end of the file, byte %d", t.Type, t.Dims, start, size)
		}
		t.Offset = start
		t.Data = r.data[start : start+n : start+n]
		want = pad(want+n, f.Alignment)
	}
	return nil
}

// pad rounds n up to a multiple of the power of two a. Neither is near the
// top of the range: n is at most the file's size.
func pad(n, a uint64) uint64 { return (n + a - 1) &^ (a - 1) }
