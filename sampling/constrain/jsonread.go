package constrain

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"strings"
)

// A jsonValue is a JSON value that keeps the order of its members.
type jsonValue struct {
	kind  jsonKind
	text  string // kindString: decoded; kindNumber: as written
	num   *big.Rat
	list  []*jsonValue // kindArray: items; kindObject: the members' values
	names []string     // kindObject
	twice []string     // kindObject: names that came again; the last value counts
	index map[string]int
}

type jsonKind uint8

const (
	kindNull jsonKind = iota
	kindFalse
	kindTrue
	kindNumber
	kindString
	kindArray
	kindObject
)

func (v *jsonValue) get(name string) *jsonValue {
	if i, ok := v.index[name]; ok {
		return v.list[i]
	}
	return nil
}

// maxExponent bounds numbers in sources, so that 1e999999999 stays a number
// and does not become a gigabyte of digits.
const maxExponent = 2000

// CheckJSON reports what keeps data from being read as one JSON value, as a
// *SyntaxError.
func CheckJSON(data []byte) error {
	_, err := readJSON(data)
	return err
}

// readJSON decodes one JSON value. Of members with the same name the last one
// counts, at the place of the first.
func readJSON(data []byte) (*jsonValue, error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	r := &jsonReader{dec: dec, data: data}
	v, err := r.value()
	if err != nil {
		return nil, err
	}
	end := int(dec.InputOffset())
	if _, err := dec.Token(); err != io.EOF {
		return nil, syntaxAt(string(data), end+blanks(data[end:]), "text after the JSON value")
	}
	return v, nil
}

// blanks counts the whitespace at the start of data.
func blanks(data []byte) int { return len(data) - len(bytes.TrimLeft(data, " \t\r\n")) }

type jsonReader struct {
	dec   *json.Decoder
	data  []byte
	depth int
}

// maxJSONDepth bounds how deep a source nests.
const maxJSONDepth = 1000

func (r *jsonReader) fail(err error) error {
	var s *json.SyntaxError
	offset := int(r.dec.InputOffset())
	if errors.As(err, &s) && errors.As(json.Unmarshal(r.data, new(json.RawMessage)), &s) {
		offset = int(s.Offset) - 1 // the decoder stands before what it could not read
	}
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		offset, err = len(r.data), errors.New("the JSON text ends too early")
	}
	return syntaxAt(string(r.data), offset, "%s", strings.TrimPrefix(err.Error(), "json: "))
}

func (r *jsonReader) value() (*jsonValue, error) {
	t, err := r.dec.Token()
	if err != nil {
		return nil, r.fail(err)
	}
	switch t := t.(type) {
	case nil:
		return &jsonValue{kind: kindNull}, nil
	case bool:
		if t {
			return &jsonValue{kind: kindTrue}, nil
		}
		return &jsonValue{kind: kindFalse}, nil
	case json.Number:
		return r.number(string(t))
	case string:
		return &jsonValue{kind: kindString, text: t}, nil
	case json.Delim:
		if r.depth++; r.depth > maxJSONDepth {
			return nil, syntaxAt(string(r.data), int(r.dec.InputOffset())-1, "values nest more than %d deep", maxJSONDepth)
		}
		defer func() { r.depth-- }()
		if t == '[' {
			return r.array()
		}
		return r.object()
	}
	return nil, r.fail(fmt.Errorf("unexpected %v", t))
}

func (r *jsonReader) number(s string) (*jsonValue, error) {
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		digits := strings.TrimLeft(s[i+1:], "+-0")
		if len(digits) > 4 || len(digits) == 4 && digits > fmt.Sprint(maxExponent) {
			return nil, r.fail(fmt.Errorf("the exponent of %s is beyond %d", clip(s), maxExponent))
		}
	}
	n, ok := new(big.Rat).SetString(s)
	if !ok {
		return nil, r.fail(fmt.Errorf("%s is not a number", clip(s)))
	}
	return &jsonValue{kind: kindNumber, text: s, num: n}, nil
}

func (r *jsonReader) array() (*jsonValue, error) {
	v := &jsonValue{kind: kindArray}
	for r.dec.More() {
		item, err := r.value()
		if err != nil {
			return nil, err
		}
		v.list = append(v.list, item)
	}
	_, err := r.dec.Token()
	if err != nil {
		return nil, r.fail(err)
	}
	return v, nil
}

func (r *jsonReader) object() (*jsonValue, error) {
	v := &jsonValue{kind: kindObject, index: map[string]int{}}
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
			v.list[i] = item
			v.twice = append(v.twice, name)
			continue
		}
		v.index[name] = len(v.list)
		v.names, v.list = append(v.names, name), append(v.list, item)
	}
	if _, err := r.dec.Token(); err != nil {
		return nil, r.fail(err)
	}
	return v, nil
}

// same reports whether two values are equal by JSON Schema: numbers by value,
// objects without regard to order.
func (v *jsonValue) same(w *jsonValue) bool {
	if v.kind != w.kind {
		return false
	}
	switch v.kind {
	case kindNumber:
		return v.num.Cmp(w.num) == 0
	case kindString:
		return v.text == w.text
	case kindArray:
		if len(v.list) != len(w.list) {
			return false
		}
		for i := range v.list {
			if !v.list[i].same(w.list[i]) {
				return false
			}
		}
	case kindObject:
		if len(v.list) != len(w.list) {
			return false
		}
		for i, name := range v.names {
			if x := w.get(name); x == nil || !v.list[i].same(x) {
				return false
			}
		}
	}
	return true
}
