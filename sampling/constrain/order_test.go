package constrain

import (
	"testing"

	"logitscope/sampling/constrain/constraintest"
	"logitscope/sampling/constrain/schema"
)

func TestPropertyOrder(t *testing.T) {
	t.Parallel()
	const source = `{"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"integer"},"c":{"type":"integer"}},"required":["b","z"],"additionalProperties":true}`
	for _, c := range []struct {
		text            string
		fixed, anyOrder bool
	}{
		{`{"a":1,"b":2,"c":3,"z":4}`, true, true},
		{`{"z":4,"a":1,"b":2}`, true, true}, // z has no place in properties
		{`{"b":2,"x":0,"c":3,"z":4}`, true, true},
		{`{"b":2,"a":1,"z":4}`, false, true},
		{`{"c":3,"b":2,"z":4}`, false, true},
		{`{"b":2,"b":2,"z":4}`, false, false},
		{`{"a":1,"z":4}`, false, false},
		{`{"b":2,"z":4,"z":5}`, false, false},
		{`{"b":2}`, false, false},
	} {
		for order, want := range map[bool]bool{false: c.fixed, true: c.anyOrder} {
			g := constraintest.Compile(t, schema.New([]byte(source), schema.Options{AnyOrder: order}))
			if ok, at := g.Check([]byte(c.text)); ok != want {
				t.Errorf("any order %v: %s accepted %v (dead at %d), want %v", order, c.text, ok, at, want)
			}
		}
	}
}

func TestUndeclaredProperties(t *testing.T) {
	t.Parallel()
	const source = `{"type":"object","properties":{"a":{"type":"integer"}}}`
	for text, want := range map[string][2]bool{ // by default, and closed
		`{"a":1}`:            {true, true},
		`{"b":"x"}`:          {true, false},
		`{"a":"x"}`:          {false, false},
		`{"\u0061":"x"}`:     {false, false}, // a again, escaped
		`{"aa":"x","":null}`: {true, false},
	} {
		for i, closed := range []bool{false, true} {
			g := constraintest.Compile(t, schema.New([]byte(source), schema.Options{Closed: closed}))
			if ok, _ := g.Check([]byte(text)); ok != want[i] {
				t.Errorf("closed %v: %s accepted %v, want %v", closed, text, ok, want[i])
			}
		}
	}
}
