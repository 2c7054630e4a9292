package class

import (
	"bytes"
	"io"
	"strconv"
	"strings"
	"sync"
	"time"
)

// What a terminal is told before the first frame and after the last: to use
// its other screen, without a cursor, and to mark what is pasted.
const (
	enterScreen = "\x1b[?1049h\x1b[2J\x1b[?25l\x1b[?2004h"
	leaveScreen = "\x1b[?2004l\x1b[?25h\x1b[?1049l"
	clearScreen = "\x1b[0m\x1b[2J"
)

// longestWrite bounds one write: SSH keeps buffers of the size of the longest
// packet for as long as a connection is open.
const longestWrite = 4 << 10

// A sheet is what a screen shows: lines of cells, all equally wide, and where
// the first one begins. The rest of the terminal is blank.
type sheet struct {
	left, top int
	w, h      int // of the terminal
	lines     []string
}

// sheetOf is a frame that fills a terminal of w by h cells.
func sheetOf(frame string, w, h int) sheet {
	return sheet{w: w, h: h, lines: strings.Split(frame, "\n")}
}

// A painter shows sheets on one terminal, at most so many a second. It belongs
// to one goroutine. Lines that students have in common are not copied.
type painter struct {
	out   io.Writer
	pause time.Duration // the least time between two frames
	shown sheet         // what the terminal shows
	last  time.Time     // when it was sent

	entered bool // the terminal is taken
}

// sending are what is put together before it is sent; few sessions send at a
// time.
var sending = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// due is how long the next frame has to wait.
func (p *painter) due() time.Duration { return p.pause - time.Since(p.last) }

// show brings the terminal to s.
func (p *painter) show(s sheet) error {
	b := sending.Get().(*bytes.Buffer)
	defer sending.Put(b)
	b.Reset()
	if !p.entered {
		p.entered = true
		b.WriteString(enterScreen)
	}
	old := p.shown
	if old.lines == nil || s.left != old.left || s.top != old.top || s.w != old.w || s.h != old.h || len(s.lines) != len(old.lines) {
		old = sheet{}
		b.WriteString(clearScreen)
	}
	for y, line := range s.lines {
		if y < len(old.lines) && old.lines[y] == line {
			continue
		}
		b.WriteString("\x1b[" + strconv.Itoa(s.top+y+1) + ";" + strconv.Itoa(s.left+1) + "H")
		b.WriteString(moved(line, s.left))
	}
	p.shown, p.last = s, time.Now()
	for b.Len() > 0 {
		if _, err := p.out.Write(b.Next(longestWrite)); err != nil {
			return err
		}
	}
	return nil
}

// moved is a line that begins so many cells from the left: where it names a
// column, as it does behind what terminals give different widths, the column
// moves along.
func moved(line string, left int) string {
	if left == 0 {
		return line
	}
	var b strings.Builder
	for {
		before, after, found := strings.Cut(line, csi)
		b.WriteString(before)
		if !found {
			return b.String()
		}
		n := 0
		for n < len(after) && after[n] >= '0' && after[n] <= '9' {
			n++
		}
		if column, err := strconv.Atoi(after[:n]); err == nil && n < len(after) && after[n] == 'G' {
			b.WriteString(csi + strconv.Itoa(column+left))
		} else {
			b.WriteString(csi + after[:n])
		}
		line = after[n:]
	}
}

// csi begins a sequence.
const csi = "\x1b["

// leave gives the terminal back as it was, if it was taken.
func (p *painter) leave() {
	if p.entered {
		io.WriteString(p.out, leaveScreen)
	}
}
