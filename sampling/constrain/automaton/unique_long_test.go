package automaton_test

import (
	"fmt"
	"strings"
	"testing"

	"logitscope/sampling/constrain/constraintest"
	"logitscope/sampling/constrain/schema"
)

// TestUniqueInLongTexts has more distinct texts than a checker keeps states of:
// what it forgets must not be the texts.
func TestUniqueInLongTexts(t *testing.T) {
	var items, members []string
	for i := range 400 {
		items = append(items, fmt.Sprintf(`"item %d"`, i))
		members = append(members, fmt.Sprintf(`"name %d":0`, i))
	}
	long := `"` + strings.Repeat("a", 2000)
	array, object := `{"type":"array","items":{"type":"string"},"uniqueItems":true}`, `{"type":"object","minProperties":300}`
	for i, c := range []struct {
		schema, text string
		want         bool
	}{
		{array, "[" + strings.Join(items, ",") + "]", true},
		{array, "[" + strings.Join(items, ",") + `,"item 399"]`, false},
		{array, "[" + strings.Join(items, ",") + `,"item 17"]`, false},
		{array, "[" + long + `",` + long + `"]`, false},
		{object, "{" + strings.Join(members[:300], ",") + "}", true},
		{object, "{" + strings.Join(members[:299], ",") + `,"name 3":0}`, false},
	} {
		check := constraintest.Compile(t, schema.New([]byte(c.schema), schema.Options{})).Checker()
		check.KeepStates(500)
		check.Write([]byte(c.text))
		if ok := check.Accepted(); ok != c.want {
			t.Errorf("%d: accepted %v (dead at %d of %d), want %v", i, ok, check.DeadAt(), len(c.text), c.want)
		}
	}
}
