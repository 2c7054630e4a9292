package sampling

import (
	"fmt"
	"logitscope/sampling/value"
)

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

func unknownKey(key string) error { return &UnknownKeyError{key, nearest(key)} }

// nearest returns the parameter that key probably means; empty if none is near.
func nearest(key string) string {
	keys := make([]string, len(params))
	for i := range params {
		keys[i] = params[i].Key
	}
	return value.KeyFor(key, keys)
}
