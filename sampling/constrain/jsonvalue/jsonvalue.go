package jsonvalue

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"strings"

	"logitscope/sampling/constrain/lang"
)

// A Value is a JSON value that keeps the order of its members.
type Value struct {
	Kind  Kind
	Text  string // String: decoded; Number: as written
	Num   *big.Rat
	List  []*Value // Array: items; Object: the members' values
	Names []string // Object
	Twice []string // Object: names that came again; the last value counts
	index map[string]int
}

// A Kind is a type of JSON; true and false have one each.
type Kind uint8

const (
	Null Kind = iota
	False
	True
	Number
	String
	Array
	Object
)

// Get returns the member of an object called name, nil if it has none.
func (v *Value) Get(name string) *Value {
	if i, ok := v.index[name]; ok {
		return v.List[i]
	}
	return nil
}

// MaxExponent bounds numbers in sources, so that 1e999999999 stays a number
// and does not become a gigabyte of digits.
const MaxExponent = 2000

// Check reports what keeps data from being read as one JSON value, as a
// *SyntaxError.
func Check(data []byte) error {
	_, err := Read(data)
	return err
}

// Read decodes one JSON value. Of members with the same name the last one
// counts, at the place of the first.
func Read(data []byte) (*Value, error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	r := &reader{dec: dec, data: data}
	v, err := r.value()
	if err != nil {
		return nil, err
	}
	end := int(dec.InputOffset())
	if _, err := dec.Token(); err != io.EOF {
		return nil, lang.SyntaxAt(string(data), end+blanks(data[end:]), "text after the JSON value")
	}
	return v, nil
}

// blanks counts the whitespace at the start of data.
func blanks(data []byte) int { return len(data) - len(bytes.TrimLeft(data, " \t\r\n")) }

type reader struct {
	dec   *json.Decoder
	data  []byte
	depth int
}

// MaxJSONDepth bounds how deep a source nests.
const MaxJSONDepth = 1000

func (r *reader) fail(err error) error {
	var s *json.SyntaxError
	offset := int(r.dec.InputOffset())
	if errors.As(err, &s) && errors.As(json.Unmarshal(r.data, new(json.RawMessage)), &s) {
		offset = int(s.Offset) - 1 // the decoder stands before what it could not read
	}
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		offset, err = len(r.data), errors.New("the JSON text ends too early")
	}
	return lang.SyntaxAt(string(r.data), offset, "%s", strings.TrimPrefix(err.Error(), "json: "))
}

func (r *reader) value() (*Value, error) {
	t, err := r.dec.Token()
	if err != nil {
		return nil, r.fail(err)
	}
	switch t := t.(type) {
	case nil:
		return &Value{Kind: Null}, nil
	case bool:
		if t {
			return &Value{Kind: True}, nil
		}
		return &Value{Kind: False}, nil
	case json.Number:
		return r.number(string(t))
	case string:
		return &Value{Kind: String, Text: t}, nil
	case json.Delim:
		if r.depth++; r.depth > MaxJSONDepth {
			return nil, lang.SyntaxAt(string(r.data), int(r.dec.InputOffset())-1, "values nest more than %d deep", MaxJSONDepth)
		}
		defer func() { r.depth-- }()
		if t == '[' {
			return r.array()
		}
		return r.object()
	}
	return nil, r.fail(fmt.Errorf("unexpected %v", t))
}

func (r *reader) number(s string) (*Value, error) {
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		digits := strings.TrimLeft(s[i+1:], "+-0")
		if len(digits) > 4 || len(digits) == 4 && digits > fmt.Sprint(MaxExponent) {
			return nil, r.fail(fmt.Errorf("the exponent of %s is beyond %d", lang.Clip(s), MaxExponent))
		}
	}
	n, ok := new(big.Rat).SetString(s)
	if !ok {
		return nil, r.fail(fmt.Errorf("%s is not a number", lang.Clip(s)))
	}
	return &Value{Kind: Number, Text: s, Num: n}, nil
}

func (r *reader) array() (*Value, error) {
	v := &Value{Kind: Array}
	for r.dec.More() {
		item, err := r.value()
		if err != nil {
			return nil, err
		}
		v.List = append(v.List, item)
	}
	_, err := r.dec.Token()
	if err != nil {
		return nil, r.fail(err)
	}
	return v, nil
}

func (r *reader) object() (*Value, error) {
	v := &Value{Kind: Object, index: map[string]int{}}
	for r.dec.More() {
		t, err := r.dec.Token()
		if err != nil {
			return nil, r.fail(err)
		}
		name, ok := t.(string)
		if !ok {
			return nil, r.fail(fmt.Errorf("an object member needs a name, found %v", t))
		}
		item, err := r.value()
		if err != nil {
			return nil, err
		}
		if i, again := v.index[name]; again {
			v.List[i] = item
			v.Twice = append(v.Twice, name)
			continue
		}
		v.index[name] = len(v.List)
		v.Names, v.List = append(v.Names, name), append(v.List, item)
	}
	if _, err := r.dec.Token(); err != nil {
		return nil, r.fail(err)
	}
	return v, nil
}
