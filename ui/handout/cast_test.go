package handout

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"
)

// What a player of the format needs: a head, events in order of time, whole
// characters, and of a frame the rows that changed alone.
func TestCast(t *testing.T) {
	var b bytes.Buffer
	c := NewCast(&b, "a run", 20, 2)
	c.Frame(0, "one\ntwo")
	c.Frame(100*time.Millisecond, "one\nthree")
	c.Frame(200*time.Millisecond, "one\nthree")
	c.Marker(200*time.Millisecond, "look")
	c.Output(300*time.Millisecond, []byte("a\xe2\x96"))
	c.Output(350*time.Millisecond, []byte("\x88b"))
	c.Resize(400*time.Millisecond, 80, 24)
	if c.Err() != nil {
		t.Fatal(c.Err())
	}
	lines := strings.Split(strings.TrimSpace(b.String()), "\n")
	var head map[string]any
	if err := json.Unmarshal([]byte(lines[0]), &head); err != nil || head["version"] != 2.0 || head["width"] != 20.0 || head["height"] != 2.0 {
		t.Fatalf("%v, %v", head, err)
	}
	want := [][3]any{
		{0.0, "o", "\x1b[?25l\x1b[2J\x1b[1;1Hone\x1b[0m\x1b[2;1Htwo\x1b[0m"}, {0.1, "o", "\x1b[2;1Hthree\x1b[0m"}, {0.2, "m", "look"},
		{0.3, "o", "a"}, {0.35, "o", "█b"}, {0.4, "r", "80x24"},
	}
	if len(lines)-1 != len(want) {
		t.Fatalf("%d events, want %d: %q", len(lines)-1, len(want), lines)
	}
	for i, w := range want {
		var got [3]any
		if err := json.Unmarshal([]byte(lines[i+1]), &got); err != nil || got != w {
			t.Errorf("event %d is %q, want %q; %v", i, got, w, err)
		}
	}
}
