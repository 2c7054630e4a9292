package param

import (
	"fmt"

	"logitscope/sampling/value"
)

// A RangeError reports a value that its parameter does not allow.
type RangeError struct {
	Key     string
	Value   any
	Allowed string // the allowed values in words: "0 to 2 under vllm"
}

func (e *RangeError) Error() string {
	if _, word := e.Value.(string); word {
		return fmt.Sprintf("%s: %v is not one of %s", e.Key, e.Value, e.Allowed)
	}
	return fmt.Sprintf("%s: %v is out of range, %s", e.Key, e.Value, e.Allowed)
}

// An UnknownKeyError reports a key that no parameter has.
type UnknownKeyError struct {
	Key   string
	Meant string // the parameter that was probably meant; may be empty
}

func (e *UnknownKeyError) Error() string {
	if e.Meant == "" {
		return fmt.Sprintf("no parameter %q", e.Key)
	}
	return fmt.Sprintf("no parameter %q; %s is meant?", e.Key, e.Meant)
}

// Unknown returns the [UnknownKeyError] of a key, with the one that was probably
// meant.
func Unknown(key string) error { return &UnknownKeyError{key, nearest(key)} }

// nearest returns the parameter that key probably means; empty if none is near.
func nearest(key string) string {
	keys := make([]string, len(table))
	for i := range table {
		keys[i] = table[i].Key
	}
	return value.KeyFor(key, keys)
}
