package python

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
)

// FromJSON reads a JSON value as Python's json.loads does: objects keep the
// order of their keys, whole numbers are ints of any size.
func FromJSON(data []byte) (v Value, err error) {
	if err := halfPair(data); err != nil {
		return nil, err
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	defer Caught(&err)
	v, err = fromJSON(dec, 0)
	if err != nil {
		if err == io.EOF || errors.Is(err, io.ErrUnexpectedEOF) {
			err = errors.New("the JSON ends too early")
		}
		return nil, err
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, errors.New("more data after the JSON value")
	}
	return v, nil
}

// halfPair refuses a \u escape that is half of a surrogate pair, which Python
// keeps and cannot write.
func halfPair(data []byte) error {
	for i := 0; i+5 < len(data); i++ {
		if data[i] != '\\' {
			continue
		}
		if data[i+1] != 'u' {
			i++
			continue
		}
		u, err := strconv.ParseUint(string(data[i+2:i+6]), 16, 32)
		if err != nil || u < 0xd800 || u > 0xdfff {
			i += 5
			continue
		}
		if u < 0xdc00 && i+11 < len(data) && data[i+6] == '\\' && data[i+7] == 'u' {
			if v, err := strconv.ParseUint(string(data[i+8:i+12]), 16, 32); err == nil && v >= 0xdc00 && v <= 0xdfff {
				i += 11
				continue
			}
		}
		return fmt.Errorf("\\u%s is half of a surrogate pair", data[i+2:i+6])
	}
	return nil
}

func fromJSON(dec *json.Decoder, depth int) (Value, error) {
	tooDeep(depth)
	tok, err := dec.Token()
	if err != nil {
		return nil, err
	}
	switch t := tok.(type) {
	case json.Delim:
		if t == '[' {
			items := []Value{}
			for dec.More() {
				v, err := fromJSON(dec, depth+1)
				if err != nil {
					return nil, err
				}
				items = append(items, v)
			}
			_, err := dec.Token()
			return &List{items}, err
		}
		d := NewDict()
		for dec.More() {
			key, err := dec.Token()
			if err != nil {
				return nil, err
			}
			v, err := fromJSON(dec, depth+1)
			if err != nil {
				return nil, err
			}
			d.Put(key, v)
		}
		_, err := dec.Token()
		return d, err
	case json.Number:
		if strings.ContainsAny(t.String(), ".eE") {
			f, _ := strconv.ParseFloat(t.String(), 64)
			return f, nil
		}
		if len(t) > MaxDigits {
			return nil, fmt.Errorf("an integer has more than %d digits", MaxDigits)
		}
		i, _ := new(big.Int).SetString(t.String(), 10)
		return Normal(i), nil
	}
	return tok, nil
}

// ToJSON writes a value that FromJSON can read, keys in their order.
func ToJSON(v Value) (data []byte, err error) {
	st := &Run{Ctx: context.Background(), Steps: math.MaxInt64, Bytes: math.MaxInt64}
	defer Caught(&err)
	w := &jsonWriter{st: st, item: ", ", key: ": "}
	w.value(v, 0)
	return []byte(w.b.String()), nil
}

// DumpJSON is the filter: Python's json.dumps.
func DumpJSON(st *Run, v Value, a []Value) Value {
	w := &jsonWriter{st: st, ascii: Truth(a[0]), sorted: Truth(a[3]), item: ", ", key: ": "}
	if a[1] != nil {
		w.lines, w.item = true, ","
		if s, ok := Text(a[1]); ok {
			w.indent = s
		} else {
			n := max(Whole("the filter \"tojson\"", a[1]), 0)
			st.Room(n, 1)
			w.indent = st.Text(strings.Repeat(" ", n))
		}
	}
	if a[2] != nil {
		pair := st.List(a[2])
		if len(pair) != 2 {
			Fail("the filter \"tojson\" wants two separators")
		}
		w.item, w.key = WantText("the filter \"tojson\"", pair[0]), WantText("the filter \"tojson\"", pair[1])
	}
	w.value(v, 0)
	return w.b.String()
}

type jsonWriter struct {
	st        *Run
	b         strings.Builder
	ascii     bool
	sorted    bool
	lines     bool // one item a line
	indent    string
	item, key string // what separates items, and a key from its value
}

func (w *jsonWriter) write(s string) {
	w.st.Alloc(len(s))
	w.b.WriteString(s)
}

func (w *jsonWriter) value(v Value, depth int) {
	w.st.Step()
	tooDeep(depth)
	if s, ok := Text(v); ok {
		w.text(s)
		return
	}
	if items, ok := sequence(v); ok {
		w.list('[', ']', len(items), depth, func(i int) { w.value(items[i], depth+1) })
		return
	}
	if d, ok := v.(*Dict); ok {
		w.dict(d, depth)
		return
	}
	w.write(scalarJSON(v))
}

func scalarJSON(v Value) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case bool:
		return strconv.FormatBool(v)
	case int64, *big.Int:
		return Str(v)
	case float64:
		switch {
		case math.IsNaN(v):
			return "NaN"
		case math.IsInf(v, 1):
			return "Infinity"
		case math.IsInf(v, -1):
			return "-Infinity"
		}
		return FloatText(v)
	}
	Fail("%s cannot be written as JSON", TypeName(v))
	return ""
}

func (w *jsonWriter) dict(d *Dict, depth int) {
	order := make([]int, len(d.keys))
	for i := range order {
		order[i] = i
	}
	if w.sorted {
		w.st.sortByKey(order, d)
	}
	w.list('{', '}', len(order), depth, func(i int) {
		k := d.keys[order[i]]
		if s, ok := Text(k); ok {
			w.text(s)
		} else {
			w.text(scalarJSON(k))
		}
		w.write(w.key)
		w.value(d.values[order[i]], depth+1)
	})
}

// sortByKey orders places in a dict by their keys.
func (st *Run) sortByKey(order []int, d *Dict) {
	slices.SortStableFunc(order, func(i, j int) int {
		switch {
		case st.Less(d.keys[i], d.keys[j], "<", 0):
			return -1
		case st.Less(d.keys[j], d.keys[i], "<", 0):
			return 1
		}
		return 0
	})
}

// list writes n items between brackets.
func (w *jsonWriter) list(open, end byte, n, depth int, item func(i int)) {
	line := func(depth int) {
		if w.lines {
			w.st.Room(len(w.indent), depth+1)
			w.write("\n" + strings.Repeat(w.indent, depth))
		}
	}
	w.write(string(open))
	for i := range n {
		if i > 0 {
			w.write(w.item)
		}
		line(depth + 1)
		item(i)
	}
	if n > 0 {
		line(depth)
	}
	w.write(string(end))
}

var jsonEscapes = map[rune]string{'"': `\"`, '\\': `\\`, '\n': `\n`, '\r': `\r`, '\t': `\t`, '\b': `\b`, '\f': `\f`}

func (w *jsonWriter) text(s string) {
	w.b.WriteByte('"')
	plain := 0
	for i, r := range s {
		esc, ok := jsonEscapes[r]
		switch {
		case ok:
		case r < 0x20 || r >= 0x7f && r < 0x10000 && w.ascii && r != 0x7f:
			esc = fmt.Sprintf(`\u%04x`, r)
		case r >= 0x10000 && w.ascii:
			esc = fmt.Sprintf(`\u%04x\u%04x`, 0xd800+(r-0x10000)>>10, 0xdc00+(r-0x10000)&0x3ff)
		default:
			continue
		}
		w.b.WriteString(s[plain:i])
		w.b.WriteString(esc)
		plain = i + len(string(r))
	}
	w.b.WriteString(s[plain:])
	w.b.WriteByte('"')
	w.st.Alloc(len(s) + 2)
}
