package cache

import (
	"strings"
	"testing"
)

// Commas stand between thousands; a decimal comma is refused and never taken
// for another number.
func TestTypedNumbers(t *testing.T) {
	for text, want := range map[string]float64{"4,096": 4096, "1,234,567": 1234567, " 0.7 ": 0.7, "12": 12, "0,7": -1, "12,34": -1, "1,2345": -1, ",5": -1, "1,": -1} {
		a := ask{name: "x", most: 1e9, value: -1}
		if err := a.set(text); (err != nil) != (want < 0) || a.value != want {
			t.Errorf("%q is %v, %v, want %v", text, a.value, err, want)
		}
	}
	// The dot is named where it would help.
	for least, want := range map[float64]bool{0: true, 1: false} {
		a := ask{name: "x", least: least, most: 100}
		if err := a.set("0,7"); err == nil || strings.HasSuffix(err.Error(), "the decimal point is a dot: 0.7") != want {
			t.Errorf("from %v on: %v", least, err)
		}
	}
}
