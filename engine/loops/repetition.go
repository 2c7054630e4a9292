package loops

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// A Repetition ends a text that repeats itself, by vLLM's rule
// (repetition_detection): it is another rule than [Find], by which the program
// speaks of loops.
type Repetition struct {
	MaxPatternSize int `json:"max_pattern_size"` // tokens; 0 is off
	MinPatternSize int `json:"min_pattern_size"` // tokens; 0 means 1
	MinCount       int `json:"min_count"`        // copies in a row, at least 2
}

// ParseRepetition reads the three fields from an object in JSON. An empty text
// is off. The error names the field and what it may be.
func ParseRepetition(text string) (Repetition, error) {
	var r Repetition
	if strings.TrimSpace(text) == "" {
		return r, nil
	}
	d := json.NewDecoder(bytes.NewReader([]byte(text)))
	d.DisallowUnknownFields()
	if err := d.Decode(&r); err != nil || d.More() {
		return r, errors.New(`must be an object such as {"max_pattern_size":8,"min_pattern_size":1,"min_count":4}`)
	}
	return r, r.check()
}

func (r Repetition) check() error {
	switch {
	case r.MaxPatternSize < 0 || r.MaxPatternSize > 1<<20:
		return fmt.Errorf("max_pattern_size: %d is out of range, 0 to %d", r.MaxPatternSize, 1<<20)
	case r.MinPatternSize < 0 || r.MinPatternSize > r.MaxPatternSize:
		return fmt.Errorf("min_pattern_size: %d is out of range, 0 to max_pattern_size %d", r.MinPatternSize, r.MaxPatternSize)
	case r.MaxPatternSize > 0 && (r.MinCount < 2 || r.MinCount > 1<<20):
		return fmt.Errorf("min_count: %d is out of range, 2 to %d", r.MinCount, 1<<20)
	}
	return nil
}

// On reports whether it can end a text.
func (r Repetition) On() bool { return r.MaxPatternSize > 0 }

// Ends reports whether the output ends with a pattern that stands MinCount
// times in a row, and its size; the smallest size counts.
func (r Repetition) Ends(output []int32) (size int, ok bool) {
	for size := max(r.MinPatternSize, 1); size <= r.MaxPatternSize; size++ {
		n := size * r.MinCount
		if n > len(output) {
			break
		}
		tail := output[len(output)-n:]
		if slices.Equal(tail[size:], tail[:n-size]) {
			return size, true
		}
	}
	return 0, false
}
