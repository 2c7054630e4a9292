package class

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"

	"logitscope/models"
	"logitscope/models/fable"
	"logitscope/models/llama"
	"logitscope/sampling"
	"logitscope/ui/tui"
)

// crowdAt tells the test binary to be a crowd: the address of the page, and
// how many to come over SSH and by the page.
const crowdAt = "CLASS_CROWD"

// TestCrowd is the crowd of a benchmark, in a process of its own: students
// whose machines are not the teacher's. It leaves at the end of its input.
func TestCrowd(t *testing.T) {
	var ssh, web string
	var n int
	if k, _ := fmt.Sscan(os.Getenv(crowdAt), &ssh, &web, &n); k != 3 {
		t.Skip("is started by a benchmark")
	}
	f := strings.Split(ssh, ":")
	c := &Class{}
	c.Card.SSH, c.Card.Web = fmt.Sprintf("ssh -p %s %s", f[1], f[0]), web
	for range n {
		terminal(t, dialed(t, c), 120, 41).shows(t, "\x1b[1;1H")
		browse(t, c).shows(t, "event: you")
	}
	fmt.Println("all are here")
	io.Copy(io.Discard, os.Stdin)
}

// invited lets n students come over SSH and n by the page; leave sends them
// away.
func invited(b *testing.B, c *Class, n int) (leave func()) {
	cmd := exec.Command(os.Args[0], "-test.run=^TestCrowd$", "-test.v")
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%s %s %d", crowdAt, c.port(), c.Card.Web, n))
	in, _ := cmd.StdinPipe()
	out, _ := cmd.StdoutPipe()
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	text := ""
	for buf := make([]byte, 1<<10); !strings.Contains(text, "all are here"); {
		k, err := out.Read(buf)
		if text += string(buf[:k]); err != nil {
			b.Fatal(text)
		}
	}
	return func() { in.Close(); io.Copy(io.Discard, out); cmd.Wait() }
}

// A metered model times laps: so many tokens of a lane, by the clock and by
// the time of the lane's own thread.
type metered struct {
	models.Model
	left  atomic.Int64 // tokens of the lap to come
	start lap
	laps  chan lap
}

type lap struct{ wall, cpu time.Duration }

func now() lap { return lap{time.Duration(time.Now().UnixNano()), threadTime()} }

const (
	lapTokens  = 400
	textTokens = 405
)

type meteredSession struct {
	models.Session
	of *metered
}

func (m *metered) NewSession() (models.Session, error) {
	s, err := m.Model.NewSession()
	return &meteredSession{s, m}, err
}

func (s *meteredSession) Forward(ctx context.Context, tokens []int32, want int) ([]models.Logits, error) {
	runtime.LockOSThread() // for good: a lane is one goroutine
	switch m := s.of; m.left.Add(-1) {
	case lapTokens - 1:
		m.start = now()
	case 0:
		end := now()
		m.laps <- lap{end.wall - m.start.wall, end.cpu - m.start.cpu}
	}
	return s.Session.Forward(ctx, tokens, want)
}

// threadTime is the processor time of this thread.
func threadTime() time.Duration {
	var u syscall.Rusage
	syscall.Getrusage(1, &u) // RUSAGE_THREAD
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// The teacher's lane as fast as it goes, by turns alone and with a hundred
// terminals and a hundred pages looking on: the speed that it keeps, by the
// clock and by the time of its own thread.
func BenchmarkEngine(b *testing.B) {
	base, err := fable.Open(llama.Options{Workers: 1})
	if err != nil {
		b.Fatal(err)
	}
	m := &metered{Model: base, laps: make(chan lap, 1)}
	c := opened(b, func(s *Setup) { s.Max = 250 })
	ctx, cancel := context.WithCancel(b.Context())
	ours, theirs, err := pty.Open()
	if err != nil {
		b.Skip(err)
	}
	pty.Setsize(ours, &pty.Winsize{Rows: 41, Cols: 120})
	go io.Copy(io.Discard, ours)
	ended := make(chan error, 1)
	var config sampling.Config
	for name, n := range map[string]int{"max_new_tokens": textTokens, "min_new_tokens": textTokens, "seed": 42} {
		config = config.MustWith(name, n, sampling.FromFlag)
	}
	go func() {
		ended <- tui.Run(ctx, tui.Options{Model: m, Prompt: "Once upon a time", Config: config, Class: c, Join: c.Card, Sealed: true,
			Input: theirs, Output: theirs, Environ: []string{"TERM=xterm-256color", "COLORTERM=truecolor"}, NoMouse: true, FPS: 30})
	}()
	press := func(keys string) {
		for _, k := range keys { // keys that come together are one to the lab
			time.Sleep(50 * time.Millisecond)
			io.WriteString(ours, string(k))
		}
	}
	press("..")
	series := func(n int) (walls, cpus []time.Duration) {
		for range n {
			time.Sleep(200 * time.Millisecond) // the last text comes to its end
			m.left.Store(lapTokens + 1)
			press("r ")
			var l lap
			select {
			case l = <-m.laps:
			case <-time.After(5 * time.Second): // the lab was busy, and the text stands
				continue
			}
			walls, cpus = append(walls, l.wall), append(cpus, l.cpu)
		}
		return walls, cpus
	}
	middle := func(d []time.Duration) float64 { slices.Sort(d); return d[len(d)/2].Seconds() }
	var wall, cpu [2][]time.Duration // alone, and before the class
	for b.Loop() {
		for k := range 2 {
			leave := func() {}
			if k == 1 {
				leave = invited(b, c, 100)
				debug.SetGCPercent(30) // as the command does
			}
			w, p := series(20)
			leave()
			debug.SetGCPercent(100)
			wall[k], cpu[k] = append(wall[k], w...), append(cpu[k], p...)
		}
	}
	b.ReportMetric(middle(wall[0])/middle(wall[1]), "x-alone")
	b.ReportMetric(middle(cpu[0])/middle(cpu[1]), "x-alone-cpu")
	b.ReportMetric(lapTokens/middle(wall[0]), "tok/s-alone")
	b.ReportMetric(0, "ns/op")
	cancel()
	<-ended
}
