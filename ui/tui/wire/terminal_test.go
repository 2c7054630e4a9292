package wire

import (
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"logitscope/viz"
)

// A line takes its time for every write.
type line struct {
	takes time.Duration

	mu    sync.Mutex
	sent  []string
	times []time.Duration // when each write ended
	start time.Time
}

func (l *line) Write(b []byte) (int, error) {
	time.Sleep(l.takes)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sent, l.times = append(l.sent, string(b)), append(l.times, time.Since(l.start))
	return len(b), nil
}

// all returns what was sent and when each write ended.
func (l *line) all() ([]string, []time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.sent), slices.Clone(l.times)
}

func frame(s string) *viz.Canvas {
	c := viz.NewCanvas(20, 1, false)
	c.Put(0, 0, s, viz.Ink{})
	return c
}

func open(takes time.Duration) (*Terminal, *line) {
	l := &line{takes: takes, start: time.Now()}
	t := New(l, viz.NewPalette(true, viz.NoColors, false))
	t.Write(enters)
	synctest.Wait()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sent, l.times, l.start = nil, nil, time.Now()
	return t, l
}

// Only what differs is sent, nothing where nothing does, and nothing while the
// terminal is another program's.
func TestSendsWhatChanged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x, l := open(0)
		defer x.Close()
		show := func(s string) {
			x.Show(frame(s), true)
			time.Sleep(time.Second)
		}
		show("step 1")
		show("step 1")
		show("step 2")
		if sent, _ := l.all(); len(sent) != 2 || !strings.HasSuffix(sent[0], "step 1") || sent[1] != "\x1b[1;6H2" {
			t.Errorf("%q, want the frame and the 2", sent)
		}
		x.Write([]byte("\x1b[?25l")) // a mode: what is shown is not known after it
		time.Sleep(time.Second)
		if sent, _ := l.all(); len(sent) != 4 || !strings.HasSuffix(sent[3], "step 2") {
			t.Errorf("%q after a mode", sent)
		}
		x.Write(leaves)
		show("step 3")
		if sent, _ := l.all(); len(sent) != 5 {
			t.Errorf("%q sent to another program's screen", sent[5:])
		}
		x.Write(enters)
		time.Sleep(time.Second)
		if sent, _ := l.all(); !strings.HasSuffix(sent[len(sent)-1], "step 3") {
			t.Errorf("%q after coming back", sent)
		}
	})
}

// On a slow line frames are left out, the last is shown, and a key's answer
// waits for the write under way alone.
func TestSlowLine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const takes = 200 * time.Millisecond
		x, l := open(takes)
		defer x.Close()
		for i := range 300 { // ten seconds of frames
			x.Show(frame(strings.Repeat(string(rune('a'+i%26)), 3)), false)
			time.Sleep(time.Second / 30)
		}
		time.Sleep(5 * time.Second)
		sent, _ := l.all()
		if n := len(sent); n < 10 || n > 14 { // one in 200 ms and the pause of 600
			t.Errorf("%d frames sent in ten seconds", n)
		}
		if last := sent[len(sent)-1]; !strings.HasSuffix(last, "nnn") { // 299 is 13 more than a multiple of 26
			t.Errorf("the last is %q", last)
		}
		x.Show(frame("a"), false)
		time.Sleep(takes + time.Millisecond) // the line rests for 600 ms
		at := time.Since(l.start)
		x.Show(frame("key"), true)
		time.Sleep(time.Second)
		_, times := l.all()
		if got := times[len(times)-1] - at; got > takes+10*time.Millisecond {
			t.Errorf("a key was answered after %v", got)
		}
	})
}

// A terminal closes whatever it was doing, and twice.
func TestClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x, _ := open(time.Second)
		x.Show(frame("a"), false)
		x.Close()
		x.Close()
		New(&line{}, viz.NewPalette(true, viz.NoColors, false)).Close()
	})
}
