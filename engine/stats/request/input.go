package request

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
)

const (
	maxCount = 1 << 31 // of prompts, texts and votes
	maxNames = 1000    // compared by votes
)

// An input is the object of a case. What is wrong with it first is kept, and
// reported by end.
type input struct {
	fields map[string]json.RawMessage
	asked  map[string]bool
	err    error
}

func newInput(object json.RawMessage) (*input, error) {
	in := &input{asked: map[string]bool{}}
	if len(object) == 0 || json.Unmarshal(object, &in.fields) != nil || in.fields == nil {
		return nil, errors.New("input: must be an object")
	}
	return in, nil
}

func (in *input) bad() bool { return in.err != nil }

func (in *input) must(ok bool, message string) {
	if !ok && in.err == nil {
		in.err = errors.New(message)
	}
}

// end returns what is wrong, fields that no one asked for included.
func (in *input) end() error {
	if in.err != nil {
		return in.err
	}
	var unknown []string
	for name := range in.fields {
		if !in.asked[name] {
			unknown = append(unknown, name)
		}
	}
	if len(unknown) > 0 {
		return fmt.Errorf("input: unknown field %q", slices.Min(unknown))
	}
	return nil
}

func (in *input) has(name string) bool { _, ok := in.fields[name]; return ok }

// read decodes a field into to; want says what it must be.
func (in *input) read(name, want string, to any) {
	in.asked[name] = true
	raw, ok := in.fields[name]
	if !ok || string(raw) == "null" {
		in.must(false, name+": missing")
		return
	}
	var kind *json.UnmarshalTypeError
	switch err := json.Unmarshal(raw, to); {
	case errors.As(err, &kind):
		in.must(false, name+": must be "+want)
	case err != nil:
		in.must(false, fmt.Sprintf("%s: %v", name, err))
	}
}

// whole reads a whole number from least to most.
func (in *input) whole(name string, least, most int) int {
	x := in.number(name)
	in.must(in.bad() || x == math.Trunc(x) && x >= float64(least) && x <= float64(most),
		fmt.Sprintf("%s: must be a whole number from %d to %d", name, least, most))
	if in.bad() {
		return least
	}
	return int(x)
}

func (in *input) number(name string) float64 {
	var x float64
	in.read(name, "a number", &x)
	return x
}

func (in *input) optional(name string, off float64) float64 {
	if !in.has(name) {
		return off
	}
	return in.number(name)
}

// numbers reads a list of least numbers or more.
func (in *input) numbers(name string, least int) []float64 {
	var list []*float64
	in.read(name, "a list of numbers", &list)
	out := make([]float64, 0, len(list))
	for _, x := range list {
		if x == nil {
			in.must(false, name+": null: must be numbers")
			return nil
		}
		out = append(out, *x)
	}
	in.must(in.bad() || len(out) >= least, fmt.Sprintf("%s: must hold %d or more", name, least))
	return out
}
