package kit

import (
	"errors"
	"strings"
	"testing"
)

// A job keeps the result of what was asked for last, asks once for one key,
// and turns a panic into an error.
func TestJob(t *testing.T) {
	var j, other Job[int, string]
	first := j.Want(1, func() (string, error) { return "one", nil })
	if first == nil || j.Want(1, nil) != nil {
		t.Fatal("one key is asked for twice, or not at all")
	}
	second := j.Want(2, func() (string, error) { return "two", nil })
	if j.Take(first()) || j.Ready {
		t.Error("an old result was taken")
	}
	msg := second()
	if other.Take(msg) || !j.Take(msg) || j.Result != "two" || !j.Ready {
		t.Errorf("result %q, ready %v", j.Result, j.Ready)
	}
	again := j.Start(2, func() (string, error) { return "", errors.New("no") })
	if j.Ready || j.Result != "two" {
		t.Error("the last result is not shown while the next is computed")
	}
	if j.Take(again()); j.Err == nil {
		t.Error("no error")
	}
	failed := j.Want(3, func() (string, error) { panic("seven") })
	if !j.Take(failed()) || j.Err == nil || !strings.Contains(j.Err.Error(), "seven") {
		t.Errorf("a panic became %v", j.Err)
	}
	j.Fail(4, errors.New("none"))
	if !j.Ready || j.Err == nil || j.Key != 4 {
		t.Error("a key that has no result is not ready")
	}
}
