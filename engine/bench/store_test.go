package bench

import (
	"strings"
	"testing"
)

// Two programs that add to one log at a time, as two benches of the same
// prompts do, each find all that they wrote, and so does a third.
func TestStoreIsShared(t *testing.T) {
	dir, name := t.TempDir(), make([]byte, 16)
	open := func() *store {
		s, err := openStore(dir, name, false)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.close() })
		return s
	}
	both := []*store{open(), open()}
	text := func(i int) string { return strings.Repeat("x", 7*i%50) }
	const n = 40
	for i := range n {
		if err := both[i%2].put(key{byte(i)}, kept{Text: Text{Text: text(i), Tokens: []int32{int32(i)}}}); err != nil {
			t.Fatal(err)
		}
	}
	third := open()
	for i := range n {
		for who, s := range []*store{both[i%2], third} {
			got, ok := s.get(key{byte(i)})
			if !ok || got.Text.Text != text(i) || got.Tokens[0] != int32(i) {
				t.Errorf("text %d, read by %d: %q, %v", i, who, got.Text.Text, ok)
			}
		}
	}
}
