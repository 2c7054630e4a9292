package class

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/netip"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	tea "github.com/charmbracelet/bubbletea"
)

func addr(s string) net.Addr { return net.TCPAddrFromAddrPort(netip.MustParseAddrPort(s)) }

// Strangers who guess are slowed to one code a second, and the right one gets
// in among them, from the same address too.
func TestGuessesOfOneAddress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate("4821")
		school := addr("10.1.1.1:5000")
		for i := range freely {
			if err := g.enter(t.Context(), school, fmt.Sprintf("%04d", i)); !errors.Is(err, errCode) {
				t.Fatal(err)
			}
		}
		start := time.Now()
		if err := g.enter(t.Context(), addr("10.1.1.2:1"), "4821"); err != nil || time.Since(start) > 0 {
			t.Errorf("another address waits %v: %v", time.Since(start), err)
		}
		// A row of guesses at once, the right one the last.
		var wg sync.WaitGroup
		var in time.Duration
		for i := range longestRow {
			wg.Go(func() {
				code := "0000"
				if i == longestRow-1 {
					code = "4821"
				}
				if err := g.enter(t.Context(), school, code); code == "4821" {
					if err != nil {
						t.Errorf("the right code: %v", err)
					}
					in = time.Since(start)
				}
			})
			synctest.Wait()
		}
		if err := g.enter(t.Context(), school, "4821"); !errors.Is(err, errBusy) {
			t.Errorf("one more in the row: %v", err)
		}
		wg.Wait()
		if in != longestRow*longTurn || time.Since(start) != longestRow*longTurn {
			t.Errorf("in after %v of %v", in, time.Since(start))
		}
		// Who comes and goes again makes nobody wait longer than a row.
		for range 10 * longestRow {
			ctx, cancel := context.WithCancel(t.Context())
			wg.Go(func() { g.enter(ctx, school, "1") })
			synctest.Wait()
			cancel()
			wg.Wait()
		}
		start = time.Now()
		for g.enter(t.Context(), school, "4821") != nil {
			time.Sleep(time.Second)
		}
		if d := time.Since(start); d > (longestRow+1)*longTurn {
			t.Errorf("after many that gave up the right code takes %v", d)
		}
		time.Sleep(guessSpan + longTurn)
		start = time.Now()
		if err := g.enter(t.Context(), school, "4821"); err != nil || time.Since(start) > 0 {
			t.Errorf("a minute later it waits %v: %v", time.Since(start), err)
		}
	})
}

// A flood from the address of a school leaves the right code its chance: at
// most one guess a second is told right from wrong where the code has four
// digits, and the longer the code, the more answers are taken, since each is
// worth less.
func TestFloodOfOneAddress(t *testing.T) {
	for _, c := range []struct {
		code    string
		guesses int           // taken in a minute, at most
		within  time.Duration // the right code gets in, tried each second
	}{{"4821", 60 + freely + 1, time.Hour}, {"4821937", 1 << 20, 2 * time.Second}} {
		synctest.Test(t, func(t *testing.T) {
			g := newGate(c.code)
			school := addr("10.1.1.1:5000")
			ctx, stop := context.WithCancel(t.Context())
			var wg sync.WaitGroup
			var taken atomic.Int64
			wg.Go(func() { // 200 guesses a second
				r := rand.New(rand.NewPCG(1, 2))
				for ctx.Err() == nil {
					wg.Go(func() {
						if errors.Is(g.enter(ctx, school, "0000"), errCode) {
							taken.Add(1)
						}
					})
					time.Sleep(time.Duration(r.IntN(10_000)) * time.Microsecond)
				}
			})
			time.Sleep(time.Minute)
			if n := int(taken.Load()); n > c.guesses {
				t.Errorf("%s: %d guesses in a minute", c.code, n)
			}
			start := time.Now()
			for g.enter(ctx, school, c.code) != nil && time.Since(start) < c.within {
				time.Sleep(time.Second + 1234567*time.Nanosecond)
			}
			if d := time.Since(start); d > c.within {
				t.Errorf("%s: the right code got in after %v", c.code, d)
			}
			stop()
			wg.Wait()
		})
	}
}

// A school is one address: who has the code never waits for those who had it
// before.
func TestRightCodesAreNotCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate("4821")
		start := time.Now()
		for range 10 * freely {
			if err := g.enter(t.Context(), addr("10.1.1.1:5000"), "4821"); err != nil {
				t.Fatal(err)
			}
		}
		if time.Since(start) > 0 || len(g.from) > 0 {
			t.Errorf("%d came in in %v, %d addresses are watched", 10*freely, time.Since(start), len(g.from))
		}
	})
}

// However many addresses guess, the gate remembers so many.
func TestGateForgets(t *testing.T) {
	g := newGate("4821")
	for i := range addresses + 100 {
		g.enter(t.Context(), addr(fmt.Sprintf("10.%d.%d.%d:1", i>>16, i>>8&255, i&255)), "0000")
	}
	if len(g.from) > addresses {
		t.Errorf("%d addresses", len(g.from))
	}
	if addressOf(addr("[2001:db8:0:1:aaaa::1]:1")) != addressOf(addr("[2001:db8:0:1:bbbb::2]:9")) {
		t.Error("one IPv6 network counts as many")
	}
	if addressOf(addr("[::ffff:10.0.0.1]:1")) != addressOf(addr("10.0.0.1:2")) {
		t.Error("one IPv4 address counts as two")
	}
}

func TestCodes(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for range 50 {
		c, err := newCode()
		if err != nil || len(c) != 4 {
			t.Fatal(c, err)
		}
		seen[c] = true
	}
	if len(seen) < 40 {
		t.Errorf("50 codes, %d different", len(seen))
	}
	if err := newGate("").enter(t.Context(), nil, ""); err != nil {
		t.Errorf("an open class: %v", err)
	}
}

// pipes is a listener of connections in memory.
type pipes struct {
	net.Listener
	c chan net.Conn
}

func (p pipes) Accept() (net.Conn, error) { return <-p.c, nil }

// A flood of connections that say nothing keeps nobody out: the oldest gives
// way, and none stands longer than its time.
func TestDoorwayFlood(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pipes{c: make(chan net.Conn)}
		d := &doorway{Listener: p, most: 10, half: 4, timeout: handshakeTime}
		accept := func() (*visitor, net.Conn) {
			mine, theirs := net.Pipe()
			go func() { p.c <- mine }()
			c, _ := d.Accept()
			return c.(*visitor), theirs
		}
		in, _ := accept()
		in.enter()
		var flood []*visitor
		for range 20 {
			v, _ := accept()
			flood = append(flood, v)
		}
		if d.standing.Len() != 4 || len(d.all) != 5 {
			t.Errorf("%d stand, %d in all", d.standing.Len(), len(d.all))
		}
		if _, err := flood[0].Write([]byte("x")); err == nil {
			t.Error("the oldest still stands")
		}
		start := time.Now()
		if _, err := flood[19].Read(make([]byte, 1)); err == nil || time.Since(start) != handshakeTime {
			t.Errorf("stood %v: %v", time.Since(start), err)
		}
		go func() { time.Sleep(time.Hour); in.Close() }()
		start = time.Now()
		if in.Read(make([]byte, 1)); time.Since(start) != time.Hour {
			t.Errorf("who is in was put out after %v", time.Since(start))
		}
		for _, v := range flood {
			v.Close()
			v.Close() // twice counts once
		}
		for range d.most {
			v, _ := accept()
			v.enter()
			flood = append(flood, v)
		}
		mine, theirs := net.Pipe()
		if v, _ := d.take(mine); v != nil || len(d.all) != d.most {
			t.Errorf("one more than %d was taken, %d in all", d.most, len(d.all))
		}
		theirs.Close()
		for _, v := range flood {
			v.Close()
		}
		if len(d.all) != 0 || d.standing.Len() != 0 {
			t.Errorf("%d left, %d stand", len(d.all), d.standing.Len())
		}
	})
}

func TestAllowance(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAllowance()
		n := 0
		for range 1000 {
			if a.take() {
				n++
			}
		}
		if n != keysAtOnce {
			t.Errorf("%d keys at once", n)
		}
		time.Sleep(time.Second)
		n = 0
		for range 1000 {
			if a.take() {
				n++
			}
		}
		if n != keysASecond {
			t.Errorf("%d keys after a second", n)
		}
	})
}

// Who types nothing is warned a minute before the end; nobody stays longer
// than four hours.
func TestQuiet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var warned, ended []time.Duration
		var why error
		start := time.Now()
		var mu sync.Mutex
		q := newQuiet(func(err error) { mu.Lock(); ended, why = append(ended, time.Since(start)), err; mu.Unlock() },
			func(tea.Msg) { mu.Lock(); warned = append(warned, time.Since(start)); mu.Unlock() })
		time.Sleep(10 * time.Minute)
		q.reset()
		time.Sleep(31 * time.Minute)
		mu.Lock()
		if len(warned) != 1 || warned[0] != 39*time.Minute || len(ended) != 1 || ended[0] != 40*time.Minute || !errors.Is(why, errQuiet) {
			t.Errorf("warned %v, ended %v: %v", warned, ended, why)
		}
		mu.Unlock()
		for range 15 {
			q.reset()
			time.Sleep(15 * time.Minute)
		}
		synctest.Wait()
		if len(ended) != 2 || ended[1] != longestStay || !errors.Is(why, errLong) {
			t.Errorf("ended %v: %v", ended, why)
		}
		q.stop()
	})
}

func TestAddresses(t *testing.T) {
	t.Parallel()
	own := ownAddress().String()
	for _, c := range []struct {
		addr, listen, shown string
		all                 bool
	}{
		{"", own + ":2222", own + ":2222", false},
		{"99", own + ":99", own + ":99", false},
		{":99", own + ":99", own + ":99", false},
		{"10.0.0.7", "10.0.0.7:2222", "10.0.0.7:2222", false},
		{"10.0.0.7:5", "10.0.0.7:5", "10.0.0.7:5", false},
		{"localhost:5", "127.0.0.1:5", "127.0.0.1:5", false},
		{"0.0.0.0", "0.0.0.0:2222", own + ":2222", true},
		{"[::]:7", "[::]:7", own + ":7", true},
	} {
		a, err := ResolveAddress("ssh", c.addr, SSHPort)
		if err != nil || a.Listen != c.listen || a.Shown != c.shown || a.All != c.all {
			t.Errorf("%q: %+v, %v", c.addr, a, err)
		}
	}
	for _, bad := range []string{"10.0.0", "host.example", "1.2.3.4:x", "1.2.3.4:70000", "70000", "a:b:c"} {
		if a, err := ResolveAddress("ssh", bad, SSHPort); err == nil {
			t.Errorf("%q: %+v", bad, a)
		}
	}
}
