// Package gguf answers: what stands in a GGUF file? It reads GGUF files,
// versions 2 and 3, the format in which ggml and llama.cpp keep models.
//
// A [File] reads the bytes in place, from a memory map or from memory, and
// copies only names: opening a model of any size costs what its metadata
// costs. Files are not trusted. Whatever the bytes, reading them ends in a
// File or an [*Error] that names file, field and byte, and allocates no more
// than a small multiple of the bytes read.
package gguf

import (
	"fmt"
	"math"
)

// A File is one model: the metadata and tensors of a file, or of all the
// files a model was split into. It is safe for concurrent use until Close.
type File struct {
	Name       string // as given to Open or Parse; of a split model, the first file
	Version    uint32
	Alignment  uint64
	DataOffset uint64   // byte in the (first) file at which tensor data begins
	Size       uint64   // bytes of all files
	Parts      []string // names of the files; one unless the model was split
	Tensors    []Tensor // in file order

	keys    []string
	values  map[string]Value
	tensors map[string]int
	maps    []mapping
	parts   [][]byte // the files themselves, in order
}

// A Tensor is an array of numbers in a file.
type Tensor struct {
	Name   string
	Type   Type
	Dims   []uint64 // in file order: Dims[0] is the length of a row
	File   string   // the file it is in
	Offset uint64   // byte in that file at which Data begins
	Data   []byte   // as stored; valid until the file is closed, not to be modified
}

// Elems returns the number of elements.
func (t *Tensor) Elems() uint64 {
	n := uint64(1)
	for _, d := range t.Dims {
		n *= d
	}
	return n
}

// Keys returns the metadata keys in file order. The caller must not modify
// them. Of a split model they are the first file's.
func (f *File) Keys() []string { return f.keys }

// Value returns the metadata value of a key.
func (f *File) Value(key string) (Value, bool) {
	v, ok := f.values[key]
	return v, ok
}

// Tensor returns the tensor of a name.
func (f *File) Tensor(name string) (*Tensor, bool) {
	i, ok := f.tensors[name]
	if !ok {
		return nil, false
	}
	return &f.Tensors[i], true
}

// Errorf returns an error about the value of a key, for readers of the
// metadata that find it wrong. The key may be absent.
func (f *File) Errorf(key, format string, args ...any) *Error {
	off := int64(-1)
	if v, ok := f.values[key]; ok {
		off = v.Offset
	}
	return &Error{File: f.Name, Field: show(key), Offset: off, Reason: fmt.Sprintf(format, args...)}
}

// Uint returns an unsigned integer of any width. It is an error if the key
// holds anything else, a signed integer included.
func (f *File) Uint(key string) (v uint64, ok bool, err error) {
	val, ok, err := f.scalar(key, "an unsigned integer", kindUint)
	if !ok || err != nil {
		return 0, ok, err
	}
	return val.bits(0), true, nil
}

// Int returns an integer of any width, signed or not. A u64 above the range
// of int64 is an error.
func (f *File) Int(key string) (v int64, ok bool, err error) {
	val, ok, err := f.scalar(key, "an integer", kindInt, kindUint)
	if !ok || err != nil {
		return 0, ok, err
	}
	n, u := val.integer(0)
	if val.Elem == Uint64 && u > math.MaxInt64 {
		return 0, true, f.Errorf(key, "%d is too large", u)
	}
	return n, true, nil
}

// Float returns an f32 or f64.
func (f *File) Float(key string) (v float64, ok bool, err error) {
	val, ok, err := f.scalar(key, "a float", kindFloat)
	if !ok || err != nil {
		return 0, ok, err
	}
	return val.float(0), true, nil
}

// Bool returns a bool.
func (f *File) Bool(key string) (v, ok bool, err error) {
	val, ok, err := f.scalar(key, "a bool", kindBool)
	if !ok || err != nil {
		return false, ok, err
	}
	return val.bits(0) != 0, true, nil
}

// String returns a copy of a string, which need not be UTF-8.
func (f *File) String(key string) (v string, ok bool, err error) {
	val, ok, err := f.scalar(key, "a string", kindString)
	if !ok || err != nil {
		return "", ok, err
	}
	return string(val.raw[8:]), true, nil
}

// Uints returns an array of integers of any width that are all at least
// zero; writers often store unsigned arrays as i32.
func (f *File) Uints(key string) ([]uint64, bool, error) {
	val, ok, err := f.array(key, "integers", kindUint, kindInt)
	if !ok || err != nil {
		return nil, ok, err
	}
	out := make([]uint64, val.Len)
	for i := range out {
		n, u := val.integer(i)
		if val.Elem.kind() == kindInt && n < 0 {
			return nil, true, f.Errorf(key, "element %d is %d, not at least 0", i, n)
		}
		out[i] = u
	}
	return out, true, nil
}

// Ints returns an array of integers of any width, signed or not. A u64 above
// the range of int64 is an error.
func (f *File) Ints(key string) ([]int64, bool, error) {
	val, ok, err := f.array(key, "integers", kindUint, kindInt)
	if !ok || err != nil {
		return nil, ok, err
	}
	out := make([]int64, val.Len)
	for i := range out {
		n, u := val.integer(i)
		if val.Elem == Uint64 && u > math.MaxInt64 {
			return nil, true, f.Errorf(key, "element %d is %d, which is too large", i, u)
		}
		out[i] = n
	}
	return out, true, nil
}

// Floats returns an array of f32 or f64.
func (f *File) Floats(key string) ([]float64, bool, error) {
	val, ok, err := f.array(key, "floats", kindFloat)
	if !ok || err != nil {
		return nil, ok, err
	}
	out := make([]float64, val.Len)
	for i := range out {
		out[i] = val.float(i)
	}
	return out, true, nil
}

// Bools returns an array of bool.
func (f *File) Bools(key string) ([]bool, bool, error) {
	val, ok, err := f.array(key, "bools", kindBool)
	if !ok || err != nil {
		return nil, ok, err
	}
	out := make([]bool, val.Len)
	for i := range out {
		out[i] = val.bits(i) != 0
	}
	return out, true, nil
}

// Strings returns a copy of an array of strings, which need not be UTF-8.
// All share one block of memory, of the size they have in the file.
func (f *File) Strings(key string) ([]string, bool, error) {
	val, ok, err := f.array(key, "strings", kindString)
	if !ok || err != nil {
		return nil, ok, err
	}
	out := make([]string, val.Len)
	text := string(val.raw)
	at := 0
	val.each(func(i int, s []byte) {
		out[i] = text[at+8 : at+8+len(s)]
		at += 8 + len(s)
	})
	return out, true, nil
}

func (f *File) scalar(key, want string, kinds ...valueKind) (Value, bool, error) {
	v, ok := f.values[key]
	if !ok {
		return v, false, nil
	}
	if !v.IsArray() && hasKind(v.Elem, kinds) {
		return v, true, nil
	}
	return v, true, f.Errorf(key, "is of type %s, not %s", v.typeName(), want)
}

func (f *File) array(key, want string, kinds ...valueKind) (Value, bool, error) {
	v, ok := f.values[key]
	if !ok {
		return v, false, nil
	}
	if v.IsArray() && hasKind(v.Elem, kinds) {
		return v, true, nil
	}
	return v, true, f.Errorf(key, "is of type %s, not an array of %s", v.typeName(), want)
}

func hasKind(t ValueType, kinds []valueKind) bool {
	for _, k := range kinds {
		if t.kind() == k {
			return true
		}
	}
	return false
}
