package check

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A Reader makes checks of JSON. It keeps what it compiled, so that the same
// schema in every line of a set is compiled once. It is not safe for
// concurrent use; the checks it makes are.
type Reader struct {
	Dir      string // folder of the files that checks name; empty is the working folder
	AllowCmd bool   // whether cmd may run programs

	kept map[string]made
	read [sha256.Size]byte // of the files that were read for a check
}

// A made check is what a name and a value came to.
type made struct {
	judge  judge
	digest [sha256.Size]byte
}

// maxKept bounds what a Reader keeps.
const maxKept = 256

// maxFile bounds files that checks name.
const maxFile = 16 << 20

// Read reads a check or a list of checks:
//
//	{"contains":"Paris"}   {"extract":"is (\\d+)","number":42}   "json"   [{…},…]
//
// The error names the check, the key or the file as it is spelled.
func (r *Reader) Read(value json.RawMessage) (List, error) {
	value = bytes.TrimSpace(value)
	if len(value) == 0 || value[0] != '[' {
		c, err := r.one(value)
		if err != nil {
			return nil, err
		}
		return List{c}, nil
	}
	var items []json.RawMessage
	if err := json.Unmarshal(value, &items); err != nil {
		return nil, err
	}
	if len(items) == 0 {
		return nil, errors.New("an empty list of checks asks for nothing")
	}
	list := make(List, 0, len(items))
	for _, item := range items {
		c, err := r.one(item)
		if err != nil {
			return nil, err
		}
		list = append(list, c)
	}
	return list, nil
}

// one reads a single check.
func (r *Reader) one(value json.RawMessage) (Check, error) {
	var name string
	if len(value) > 0 && value[0] == '"' && json.Unmarshal(value, &name) == nil {
		k, ok := lookup(name)
		if !ok || !k.bare {
			return Check{}, fmt.Errorf("%s: must be a check, as %s; only json and no_loop stand alone", strconv.Quote(name), r.meant(name))
		}
		return r.check(k, json.RawMessage("true"), nil)
	}
	fields, err := Fields(value)
	if err != nil {
		return Check{}, fmt.Errorf("must be a check, as {\"contains\": \"Paris\"}: %w", err)
	}
	var k *kind
	var arg json.RawMessage
	var extract *regexp.Regexp
	for _, f := range fields {
		if f.Name == "extract" {
			if extract, err = ReadExtract(f.Value); err != nil {
				return Check{}, err
			}
			continue
		}
		found, ok := lookup(f.Name)
		switch {
		case !ok:
			return Check{}, fmt.Errorf("%s: unknown check; must be one of %s", f.Name, strings.Join(names(), ", "))
		case k != nil:
			return Check{}, fmt.Errorf("%s and %s: one check an object; several go in a list", k.name, found.name)
		}
		k, arg = found, f.Value
	}
	switch {
	case k == nil:
		return Check{}, errors.New("an object without a check; it must have one of " + strings.Join(names(), ", "))
	case extract != nil && k.tokens:
		return Check{}, fmt.Errorf("extract: %s looks at no text", k.name)
	}
	return r.check(k, arg, extract)
}

// meant is the check that a text in its place may have been meant for: the one
// whose short form it is, else that texts equal it.
func (r *Reader) meant(text string) string {
	name, _, found := strings.Cut(text, ":")
	if _, ok := lookup(strings.TrimSpace(name)); found && ok {
		if list, err := r.ReadShort(text); err == nil {
			b, _ := list.MarshalJSON() // it has no error
			return string(b[1 : len(b)-1])
		}
	}
	return `{"equals": ` + quote(text) + "}"
}

func (r *Reader) check(k *kind, value json.RawMessage, extract *regexp.Regexp) (Check, error) {
	key := k.name + " " + string(value)
	m, ok := r.kept[key]
	if !ok {
		r.read = [sha256.Size]byte{}
		j, err := k.read(r, value)
		if err != nil {
			return Check{}, fmt.Errorf("%s: %w", k.name, err)
		}
		m = made{j, sha256.Sum256(append([]byte(key), r.read[:]...))}
		if r.kept == nil || len(r.kept) >= maxKept {
			r.kept = map[string]made{}
		}
		r.kept[key] = m
	}
	return Check{Name: k.name, Value: value, Extract: extract, kind: k, made: m}, nil
}

// ReadShort reads the short form of a check, as a cell of a table or a flag
// has it: JSON if it begins like JSON, else a bare name, or the name, a colon
// and the value.
func (r *Reader) ReadShort(text string) (List, error) {
	t := strings.TrimSpace(text)
	if t != "" && strings.ContainsRune(`{["`, rune(t[0])) {
		if !json.Valid([]byte(t)) {
			return nil, fmt.Errorf("%s: not JSON", strconv.Quote(t))
		}
		return r.Read(json.RawMessage(t))
	}
	name, value, found := strings.Cut(t, ":")
	name = strings.TrimSpace(name)
	k, ok := lookup(name)
	switch {
	case !ok:
		return nil, fmt.Errorf("%s: unknown check; must be one of %s", strconv.Quote(name), strings.Join(names(), ", "))
	case !found && k.bare:
		return r.Read(json.RawMessage(`"` + name + `"`))
	case !found:
		return nil, fmt.Errorf("%s: must have a value, as %s: %s", name, name, k.example)
	}
	value = strings.TrimSpace(value)
	raw := json.RawMessage(quote(value))
	if k.plain || value != "" && strings.ContainsRune("{[", rune(value[0])) && k.structured {
		if raw = json.RawMessage(value); !json.Valid(raw) {
			return nil, fmt.Errorf("%s: %s: must be %s", name, strconv.Quote(value), k.form)
		}
	}
	c, err := r.check(k, raw, nil)
	if err != nil {
		return nil, err
	}
	return List{c}, nil
}

// ReadExtract reads the expression that says what of a text is looked at.
func ReadExtract(value json.RawMessage) (*regexp.Regexp, error) {
	var text string
	if err := readText(value, &text); err != nil {
		return nil, fmt.Errorf("extract: %w", err)
	}
	return CompileExtract(text)
}

// CompileExtract is [ReadExtract] of a plain text.
func CompileExtract(text string) (*regexp.Regexp, error) {
	if text == "" {
		return nil, errors.New("extract: must not be empty")
	}
	e, err := regexp.Compile(text)
	if err != nil {
		return nil, fmt.Errorf("extract: %w", err)
	}
	return e, nil
}

// A Field is a member of a JSON object.
type Field struct {
	Name  string
	Value json.RawMessage
}

// Fields returns the members of a JSON object in their order. A name that
// stands twice is an error, and so is anything that is not one object.
func Fields(object json.RawMessage) ([]Field, error) {
	d := json.NewDecoder(bytes.NewReader(object))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, errors.New("must be a JSON object")
	}
	var out []Field
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return nil, errors.New("must be a JSON object")
		}
		f := Field{Name: t.(string)}
		if err := d.Decode(&f.Value); err != nil {
			return nil, errors.New("must be a JSON object")
		}
		if slices.ContainsFunc(out, func(o Field) bool { return o.Name == f.Name }) {
			return nil, fmt.Errorf("%s stands twice", strconv.Quote(f.Name))
		}
		out = append(out, f)
	}
	if _, err := d.Token(); err != nil {
		return nil, errors.New("must be a JSON object")
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, errors.New("text after the JSON object")
	}
	return out, nil
}

// file returns the contents of a file that a check names.
func (r *Reader) file(name string) ([]byte, error) {
	path := name
	if !filepath.IsAbs(path) {
		path = filepath.Join(r.Dir, path)
	}
	f, err := os.Open(path)
	if err != nil {
		var cause *os.PathError
		if errors.As(err, &cause) {
			err = cause.Err
		}
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: cannot be read", name)
	case len(data) > maxFile:
		return nil, fmt.Errorf("%s: longer than %d MiB", name, maxFile>>20)
	}
	r.read = sha256.Sum256(append(r.read[:], data...))
	return data, nil
}

var errText = errors.New("must be a text")

func readText(value json.RawMessage, to *string) error {
	if len(value) == 0 || value[0] != '"' || json.Unmarshal(value, to) != nil {
		return errText
	}
	return nil
}
