package gguf

import (
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// ValueType is the type of a metadata value, numbered as in the format.
type ValueType uint32

// The metadata types.
const (
	Uint8 ValueType = iota
	Int8
	Uint16
	Int16
	Uint32
	Int32
	Float32
	Bool
	String
	Array
	Uint64
	Int64
	Float64
)

// valueKind groups the types that one getter reads.
type valueKind uint8

const (
	kindNone valueKind = iota
	kindUint
	kindInt
	kindFloat
	kindBool
	kindString
	kindArray
)

var valueTypes = [...]struct {
	name string
	size int // bytes of one value; 0 if it varies
	kind valueKind
}{
	Uint8:   {"u8", 1, kindUint},
	Int8:    {"i8", 1, kindInt},
	Uint16:  {"u16", 2, kindUint},
	Int16:   {"i16", 2, kindInt},
	Uint32:  {"u32", 4, kindUint},
	Int32:   {"i32", 4, kindInt},
	Float32: {"f32", 4, kindFloat},
	Bool:    {"bool", 1, kindBool},
	String:  {"string", 0, kindString},
	Array:   {"array", 0, kindArray},
	Uint64:  {"u64", 8, kindUint},
	Int64:   {"i64", 8, kindInt},
	Float64: {"f64", 8, kindFloat},
}

func (t ValueType) known() bool { return uint64(t) < uint64(len(valueTypes)) }

func (t ValueType) kind() valueKind {
	if t.known() {
		return valueTypes[t].kind
	}
	return kindNone
}

func (t ValueType) size() int { return valueTypes[t].size }

// String returns the short name of the type, such as "u32" or "string".
func (t ValueType) String() string {
	if t.known() {
		return valueTypes[t].name
	}
	return fmt.Sprintf("type(%d)", uint32(t))
}

// A Value is one metadata value. It reads from the file's memory, so it is
// valid until the file is closed.
type Value struct {
	Type   ValueType
	Elem   ValueType // of an array; equal to Type otherwise
	Len    int       // number of elements of an array; 1 otherwise
	Offset int64     // byte in the file at which the value begins

	raw []byte // the elements as stored: strings keep their 8-byte lengths
}

// IsArray reports whether the value is an array.
func (v Value) IsArray() bool { return v.Type == Array }

// typeName names the type with its element type, such as "array of u32".
func (v Value) typeName() string {
	if v.IsArray() {
		return "array of " + v.Elem.String()
	}
	return v.Type.String()
}

// bits returns element i of a value of fixed size, zero-extended.
func (v Value) bits(i int) uint64 {
	switch v.Elem.size() {
	case 1:
		return uint64(v.raw[i])
	case 2:
		return uint64(binary.LittleEndian.Uint16(v.raw[2*i:]))
	case 4:
		return uint64(binary.LittleEndian.Uint32(v.raw[4*i:]))
	default:
		return binary.LittleEndian.Uint64(v.raw[8*i:])
	}
}

// integer returns element i as an int64, and as a uint64 too for the values
// of u64 that an int64 cannot hold.
func (v Value) integer(i int) (signed int64, unsigned uint64) {
	b := v.bits(i)
	switch v.Elem {
	case Int8:
		return int64(int8(b)), b
	case Int16:
		return int64(int16(b)), b
	case Int32:
		return int64(int32(b)), b
	default:
		return int64(b), b
	}
}

func (v Value) float(i int) float64 {
	if v.Elem == Float32 {
		return float64(math.Float32frombits(uint32(v.bits(i))))
	}
	return math.Float64frombits(v.bits(i))
}

// each calls f with the bytes of every string of the value, in order. The
// lengths were checked when the file was read.
func (v Value) each(f func(i int, s []byte)) {
	raw := v.raw
	for i := range v.Len {
		n := binary.LittleEndian.Uint64(raw)
		f(i, raw[8:8+n])
		raw = raw[8+n:]
	}
}

// Any returns the value as the Go type of the same width: uint8 to uint64,
// int8 to int64, float32, float64, bool, string, or a slice of one of these.
// The result shares no memory with the file.
func (v Value) Any() any {
	switch v.Elem {
	case Uint8:
		return anyOf(v, func(i int) uint8 { return uint8(v.bits(i)) })
	case Int8:
		return anyOf(v, func(i int) int8 { return int8(v.bits(i)) })
	case Uint16:
		return anyOf(v, func(i int) uint16 { return uint16(v.bits(i)) })
	case Int16:
		return anyOf(v, func(i int) int16 { return int16(v.bits(i)) })
	case Uint32:
		return anyOf(v, func(i int) uint32 { return uint32(v.bits(i)) })
	case Int32:
		return anyOf(v, func(i int) int32 { return int32(v.bits(i)) })
	case Uint64:
		return anyOf(v, v.bits)
	case Int64:
		return anyOf(v, func(i int) int64 { return int64(v.bits(i)) })
	case Float32:
		return anyOf(v, func(i int) float32 { return math.Float32frombits(uint32(v.bits(i))) })
	case Float64:
		return anyOf(v, v.float)
	case Bool:
		return anyOf(v, func(i int) bool { return v.bits(i) != 0 })
	default:
		all := make([]string, v.Len)
		v.each(func(i int, s []byte) { all[i] = string(s) })
		if v.IsArray() {
			return all
		}
		return all[0]
	}
}

func anyOf[T any](v Value, at func(int) T) any {
	if !v.IsArray() {
		return at(0)
	}
	all := make([]T, v.Len)
	for i := range all {
		all[i] = at(i)
	}
	return all
}

// shownElems is how many elements of an array [Value.String] writes.
const shownElems = 6

// String returns the value on one line, strings quoted and long arrays cut.
func (v Value) String() string {
	if !v.IsArray() {
		if v.Type == String {
			return strconv.Quote(v.Any().(string))
		}
		return fmt.Sprint(v.Any())
	}
	var parts []string
	if v.Elem == String {
		raw := v.raw
		for range min(v.Len, shownElems) {
			n := binary.LittleEndian.Uint64(raw)
			parts = append(parts, strconv.Quote(string(raw[8:8+n])))
			raw = raw[8+n:]
		}
	} else {
		one := v
		one.Type = v.Elem
		for i := range min(v.Len, shownElems) {
			one.raw = v.raw[i*v.Elem.size():]
			parts = append(parts, fmt.Sprint(one.Any()))
		}
	}
	tail := ""
	if v.Len > shownElems {
		tail = fmt.Sprintf(", … %d in all", v.Len)
	}
	return "[" + strings.Join(parts, ", ") + tail + "]"
}
