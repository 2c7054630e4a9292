package constrain

import "testing"

func TestUniqueItems(t *testing.T) {
	for _, c := range []struct {
		schema string
		texts  map[string]bool
	}{
		{`{"uniqueItems":true,"type":"array","items":{"type":"string"}}`, map[string]bool{
			`["a","b","ab",""]`: true, `["a","b","a"]`: false, `["a","\u0061"]`: false, `["",""]`: false, `["é","\u00e9"]`: false, `["a","aa","aaa"]`: true,
			`["\ud83d\ude00","😀"]`: false, `["\n","\u000a"]`: false, `["\n","n"]`: true,
		}},
		{`{"uniqueItems":true,"type":"array","items":{"type":"number"}}`, map[string]bool{
			`[1,2,1.5]`: true, `[1,1.0]`: false, `[0,-0]`: false, `[1,10,100]`: true, `[3.25,3.250]`: false, `[0,0.1]`: true,
		}},
		{`{"uniqueItems":true,"type":"array","items":{"type":"integer"}}`, map[string]bool{`[0,1,10]`: true, `[0,0]`: false, `[0,-0]`: false, `[5,55,5]`: false}},
		{`{"uniqueItems":true,"type":"array","items":{"type":"string","pattern":"^[ab]$"}}`, map[string]bool{`["a","b"]`: true, `["a","a"]`: false}},
		{`{"uniqueItems":true,"type":"array","items":{"enum":[1,"1",null]}}`, map[string]bool{`[1,"1",null]`: true, `[null,null]`: false, `[1,1.0]`: false}},
		{`{"uniqueItems":true,"type":"array","maxItems":1}`, map[string]bool{`[{"a":1}]`: true, `[1,2]`: false}},
	} {
		g := compile(t, Schema([]byte(c.schema), SchemaOptions{}))
		for text, want := range c.texts {
			if ok, at := g.Check([]byte(text)); ok != want {
				t.Errorf("%s: %s accepted %v (dead at %d), want %v", c.schema, text, ok, at, want)
			}
		}
	}
	// The third item cannot begin: both texts of the pattern are taken.
	g := compile(t, Schema([]byte(`{"uniqueItems":true,"type":"array","items":{"type":"string","pattern":"^[ab]$"}}`), SchemaOptions{Whitespace: WhitespaceCompact}))
	if _, at := g.Check([]byte(`["a","b",`)); at != 8 {
		t.Errorf("a comma behind the last possible item dies at %d, want 8", at)
	}
}
